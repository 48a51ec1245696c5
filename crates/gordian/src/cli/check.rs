//! `gordian check`: the mesh doctor, and what of a mesh is inside itself.

use std::path::PathBuf;

use glam::{DVec3, Vec3};
use gordian::collision::bvh::{Aabb, Tree};
use gordian::collision::crossing::{Meeting, SelfCrossings};
use gordian::collision::{DcdOptions, Detector, PointId, PointSet};
use gordian::mesh::doctor::{Elements, Finding, Severity, examine_surface, examine_tets};
use gordian::mesh::{TetTopology, io};
use serde_json::{Value, json};

use super::{Outcome, fault};

/// Examines a mesh: elements, boundary, and intersections with itself.
///
/// A file with tetrahedra is taken as a volume, else as a surface. Exit status: 0 clean; 1 there are intersections, inverted
/// elements or other errors; 2 the file cannot be read.
#[derive(clap::Args)]
pub struct Args {
    /// The mesh.
    file: PathBuf,
    /// Positions to look at instead of those in the mesh: a mesh of the same vertices, or an array (.npz, .npy).
    #[arg(long, value_name = "FILE")]
    pose: Option<PathBuf>,
    /// Prints the result as JSON.
    #[arg(long)]
    json: bool,
}

/// How many elements a line names.
const NAMED: usize = 8;

pub fn check(args: &Args) -> miette::Result<Outcome> {
    let raw = io::read_raw(&args.file).map_err(fault::mesh)?;
    let volume = !raw.tets.is_empty();
    drop(raw);
    let examined = if volume { volume_of(args)? } else { surface_of(args)? };
    if args.json {
        println!("{}", serde_json::to_string_pretty(&examined.json()).expect("plain values"));
    } else {
        examined.print();
    }
    Ok(if examined.clean() { Outcome::Clean } else { Outcome::Intersecting })
}

/// What was found out.
struct Examined {
    file: String,
    /// Figures, in the order in which they are shown.
    figures: Vec<(&'static str, Value)>,
    warnings: Vec<String>,
    findings: Vec<Finding>,
    /// Vertices inside a tetrahedron that is not theirs.
    penetrating: Vec<u32>,
    /// Tetrahedra that are inverted in the pose.
    inverted: Vec<u32>,
    /// Pairs of surface triangles that cross.
    crossing: Vec<[u32; 2]>,
    /// Pairs that touch without crossing.
    touching: usize,
}

fn volume_of(args: &Args) -> miette::Result<Examined> {
    let loaded = io::load_tets(&args.file).map_err(fault::mesh)?;
    let mesh = loaded.mesh;
    let positions = pose_of(args, &mesh.positions)?;
    let report = examine_tets(&mesh);
    let topology = TetTopology::new(mesh.positions.len(), &mesh.tets);
    let x = single(&positions);

    let mut detector = Detector::new(&topology, &single(&mesh.positions));
    detector.refit(&x);
    let mut found = Vec::new();
    detector.penetrations(PointSet::BoundaryVertices, DcdOptions::default(), &mut found);
    let mut penetrating: Vec<u32> = found
        .iter()
        .filter_map(|p| match p.point {
            PointId::Vertex(v) => Some(v),
            PointId::Centroid(_) => None,
        })
        .collect();
    penetrating.dedup();
    let inverted = match args.pose {
        Some(_) => (0..mesh.tets.len() as u32).filter(|&t| detector.is_inverted(t)).collect(),
        None => Vec::new(),
    };
    let (crossing, touching) = crossings(&topology.faces, &x);
    Ok(Examined {
        file: args.file.display().to_string(),
        figures: vec![
            ("vertices", json!(report.vertices)),
            ("tetrahedra", json!(report.tets)),
            ("boundary_faces", json!(report.boundary_faces)),
            ("boundary_vertices", json!(report.boundary_vertices)),
            ("components", json!(report.components)),
            ("boundary_euler", json!(report.boundary_euler)),
            ("volume_m3", json!(report.quality.volume)),
            ("min_edge_m", json!(report.quality.min_edge)),
            ("mean_edge_m", json!(report.quality.mean_edge)),
            ("max_edge_m", json!(report.quality.max_edge)),
            ("min_dihedral_deg", json!(report.quality.min_dihedral.0)),
            ("max_dihedral_deg", json!(report.quality.max_dihedral.0)),
        ],
        warnings: loaded.warnings,
        findings: report.findings,
        penetrating,
        inverted,
        crossing,
        touching,
    })
}

fn surface_of(args: &Args) -> miette::Result<Examined> {
    let loaded = io::load_surface(&args.file).map_err(fault::mesh)?;
    let mesh = loaded.mesh;
    let positions = pose_of(args, &mesh.positions)?;
    let report = examine_surface(&mesh);
    let (crossing, touching) = crossings(&mesh.triangles, &single(&positions));
    Ok(Examined {
        file: args.file.display().to_string(),
        figures: vec![
            ("vertices", json!(report.vertices)),
            ("triangles", json!(report.triangles)),
            ("components", json!(report.components)),
            ("closed", json!(report.closed)),
            ("oriented", json!(report.oriented)),
            ("border_loops", json!(report.border_loops.len())),
            ("euler", json!(report.euler)),
            ("volume_m3", json!(report.volume)),
            ("area_m2", json!(report.quality.area)),
            ("min_edge_m", json!(report.quality.min_edge)),
            ("mean_edge_m", json!(report.quality.mean_edge)),
            ("max_edge_m", json!(report.quality.max_edge)),
            ("min_angle_deg", json!(report.quality.min_angle.0)),
        ],
        warnings: loaded.warnings,
        findings: report.findings,
        penetrating: Vec::new(),
        inverted: Vec::new(),
        crossing,
        touching,
    })
}

fn pose_of(args: &Args, positions: &[DVec3]) -> miette::Result<Vec<DVec3>> {
    match &args.pose {
        Some(pose) => io::load_pose(pose, positions.len()).map_err(fault::mesh),
        None => Ok(positions.to_vec()),
    }
}

/// In the precision in which it is simulated.
fn single(positions: &[DVec3]) -> Vec<Vec3> {
    positions.iter().map(|p| p.as_vec3()).collect()
}

/// Pairs of faces that cross, and how many more touch.
fn crossings(faces: &[[u32; 3]], x: &[Vec3]) -> (Vec<[u32; 2]>, usize) {
    let boxes: Vec<Aabb> = faces.iter().map(|f| Aabb::of_simplex(x, f)).collect();
    let mut crossings = SelfCrossings::default();
    let pairs = crossings.find(faces, x, &Tree::build(&boxes));
    let crossing: Vec<[u32; 2]> =
        pairs.iter().filter(|p| p.meeting == Meeting::Crossing).map(|p| p.faces).collect();
    let touching = pairs.len() - crossing.len();
    (crossing, touching)
}

impl Examined {
    fn clean(&self) -> bool {
        self.penetrating.is_empty()
            && self.inverted.is_empty()
            && self.crossing.is_empty()
            && self.findings.iter().all(|f| f.problem.severity() < Severity::Error)
    }

    fn print(&self) {
        println!("{}", self.file);
        for (name, value) in &self.figures {
            println!("  {:18} {value}", name.replace('_', " "));
        }
        for warning in &self.warnings {
            println!("  note: {warning}");
        }
        for finding in &self.findings {
            let severity = match finding.problem.severity() {
                Severity::Note => "note",
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            println!("  {severity}: {}: {}", places(&finding.elements), finding.problem.about());
        }
        let line = |what: &str, count: usize, names: String| {
            println!("  {what:34} {count}{}", if count > 0 { format!(" ({names})") } else { String::new() });
        };
        line("penetrating vertices", self.penetrating.len(), list(&self.penetrating));
        line("inverted tetrahedra in the pose", self.inverted.len(), list(&self.inverted));
        let pairs: Vec<String> = self.crossing.iter().map(|[a, b]| format!("{a}-{b}")).collect();
        line("crossing pairs of triangles", self.crossing.len(), list(&pairs));
        line("touching pairs of triangles", self.touching, "shared points without crossing".into());
    }

    fn json(&self) -> Value {
        let findings: Vec<Value> = self
            .findings
            .iter()
            .map(|f| {
                let (kind, elements) = match &f.elements {
                    Elements::Vertices(v) => ("vertices", json!(v)),
                    Elements::Edges(e) => ("edges", json!(e)),
                    Elements::Triangles(t) => ("triangles", json!(t)),
                    Elements::Tets(t) => ("tetrahedra", json!(t)),
                    Elements::Mesh => ("mesh", json!([])),
                };
                let severity = format!("{:?}", f.problem.severity()).to_lowercase();
                json!({ "problem": f.problem.name(), "severity": severity, "about": f.problem.about(),
                        "of": kind, "count": f.elements.count(), "elements": elements })
            })
            .collect();
        let figures: serde_json::Map<String, Value> =
            self.figures.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        json!({
            "file": self.file,
            "clean": self.clean(),
            "mesh": figures,
            "warnings": self.warnings,
            "findings": findings,
            "penetrating_vertices": self.penetrating,
            "inverted_tetrahedra": self.inverted,
            "intersecting_triangle_pairs": self.crossing,
            "touching_triangle_pairs": self.touching,
        })
    }
}

fn places(elements: &Elements) -> String {
    let count = elements.count();
    match elements {
        Elements::Vertices(v) => format!("{count} vertices ({})", list(v)),
        Elements::Edges(e) => {
            let edges: Vec<String> = e.iter().map(|[a, b]| format!("{a}-{b}")).collect();
            format!("{count} edges ({})", list(&edges))
        }
        Elements::Triangles(t) => format!("{count} triangles ({})", list(t)),
        Elements::Tets(t) => format!("{count} tetrahedra ({})", list(t)),
        Elements::Mesh => "the mesh".into(),
    }
}

fn list<T: ToString>(items: &[T]) -> String {
    let mut named: Vec<String> = items.iter().take(NAMED).map(T::to_string).collect();
    if items.len() > NAMED {
        named.push("…".into());
    }
    named.join(", ")
}
