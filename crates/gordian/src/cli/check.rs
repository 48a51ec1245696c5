//! `gordian check`: the mesh doctor, and what of a mesh is inside itself.

use std::path::{Path, PathBuf};

use glam::{DVec3, Vec3};
use gordian::collision::bvh::{Aabb, Tree};
use gordian::collision::crossing::{FacePair, Meeting, SelfCrossings};
use gordian::collision::{DcdOptions, Detector, PathOptions, PointId, PointSet};
use gordian::mesh::doctor::{Elements, Finding, Severity, examine_surface, examine_tets};
use gordian::mesh::io::{DataArray, Values, Vtu};
use gordian::mesh::{TetTopology, io};
use miette::miette;
use serde_json::{Value, json};

use super::files::{Role, check_outputs};
use super::{Outcome, fault, words};

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
    /// Writes the mesh in its pose with what was found as colours: `depth_m` at vertices; `found` at cells, 1 touching, 2 coplanar,
    /// 3 crossing, 4 inverted.
    #[arg(long, value_name = "FILE")]
    vtu: Option<PathBuf>,
}

/// How many elements a line names.
const NAMED: usize = 8;

pub fn check(args: &Args) -> miette::Result<Outcome> {
    if args.pose.is_none()
        && let Some(note) = io::beside_pose(&args.file)
    {
        tell!("note: {note}; to look at it: --pose {}", args.file.display());
    }
    if let Some(vtu) = &args.vtu {
        if !vtu.extension().is_some_and(|e| e.eq_ignore_ascii_case("vtu")) {
            return Err(miette!("{}: --vtu writes VTK XML; name a file that ends in .vtu", vtu.display()));
        }
        let mut inputs = vec![Role("the mesh", &args.file)];
        inputs.extend(args.pose.as_deref().map(|pose| Role("the pose", pose)));
        check_outputs(&inputs, &[Role("the picture of --vtu", vtu)])?;
        io::check_writable(vtu).map_err(fault::mesh)?;
    }
    let raw = io::read_raw(&args.file).map_err(fault::mesh)?;
    let volume = !raw.tets.is_empty();
    drop(raw);
    let examined = if volume { volume_of(args)? } else { surface_of(args)? };
    if let Some(path) = &args.vtu {
        examined.write_vtu(path).map_err(fault::mesh)?;
    }
    if args.json {
        say!("{}", serde_json::to_string_pretty(&examined.json()).expect("plain values"));
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
    /// Vertices inside a tetrahedron that is not theirs, and how far it is from there to the boundary, in metres; where they are
    /// inside several, the longest of the shortest paths.
    penetrating: Vec<(u32, f64)>,
    /// Tetrahedra that are inverted in the pose.
    inverted: Vec<u32>,
    /// Pairs of surface triangles that meet in more than what they share.
    pairs: Vec<FacePair>,
    /// What was looked at.
    positions: Vec<Vec3>,
    tets: Vec<[u32; 4]>,
    triangles: Vec<[u32; 3]>,
}

fn volume_of(args: &Args) -> miette::Result<Examined> {
    let loaded = io::load_tets(&args.file).map_err(fault::mesh)?;
    let mesh = loaded.mesh;
    let positions = pose_of(args, &mesh.positions)?;
    in_range(&args.file, &mesh.positions)?;
    in_range(args.pose.as_ref().unwrap_or(&args.file), &positions)?;
    let report = examine_tets(&mesh);
    let topology = TetTopology::new(mesh.positions.len(), &mesh.tets);
    let x = single(&positions);

    let mut detector = Detector::new(&topology, &single(&mesh.positions));
    detector.refit(&x);
    let penetrating = penetrations(&detector);
    let inverted = match args.pose {
        Some(_) => (0..mesh.tets.len() as u32).filter(|&t| detector.is_inverted(t)).collect(),
        None => Vec::new(),
    };
    let pairs = crossings(&topology.faces, &x);
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
        pairs,
        positions: x,
        tets: mesh.tets,
        triangles: topology.faces,
    })
}

fn surface_of(args: &Args) -> miette::Result<Examined> {
    let loaded = io::load_surface(&args.file).map_err(fault::mesh)?;
    let mesh = loaded.mesh;
    let positions = pose_of(args, &mesh.positions)?;
    in_range(&args.file, &mesh.positions)?;
    in_range(args.pose.as_ref().unwrap_or(&args.file), &positions)?;
    let report = examine_surface(&mesh);
    let x = single(&positions);
    let pairs = crossings(&mesh.triangles, &x);
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
        pairs,
        positions: x,
        tets: Vec::new(),
        triangles: mesh.triangles,
    })
}

fn pose_of(args: &Args, positions: &[DVec3]) -> miette::Result<Vec<DVec3>> {
    match &args.pose {
        Some(pose) => io::load_pose(pose, positions.len()).map_err(fault::mesh),
        None => Ok(positions.to_vec()),
    }
}

/// Refuses what no simulation takes.
fn in_range(file: &Path, positions: &[DVec3]) -> miette::Result<()> {
    let Some(v) = positions.iter().position(|p| !p.as_vec3().is_finite()) else { return Ok(()) };
    let DVec3 { x, y, z } = positions[v];
    Err(miette!(
        help = "scale the mesh; `run` takes no such file either",
        "{}: vertex {v} lies at ({x:e}, {y:e}, {z:e}): beyond single precision, which ends at {:e}",
        file.display(),
        f32::MAX
    ))
}

/// In the precision in which it is simulated.
fn single(positions: &[DVec3]) -> Vec<Vec3> {
    positions.iter().map(|p| p.as_vec3()).collect()
}

/// Boundary vertices inside a tetrahedron that is not theirs, each once, with their depth.
fn penetrations(detector: &Detector) -> Vec<(u32, f64)> {
    let (mut found, mut answers) = (Vec::new(), Vec::new());
    detector.penetrations(PointSet::BoundaryVertices, DcdOptions::default(), &mut found);
    detector.boundary_points(&found, &PathOptions::default(), &mut answers);
    let mut penetrating: Vec<(u32, f64)> = Vec::new();
    for (penetration, answer) in found.iter().zip(&answers) {
        let PointId::Vertex(v) = penetration.point else { continue };
        let depth = answer.end.map_or(0.0, |end| end.distance);
        match penetrating.last_mut() {
            Some(last) if last.0 == v => last.1 = last.1.max(depth),
            _ => penetrating.push((v, depth)),
        }
    }
    penetrating
}

/// Pairs of faces that meet in more than what they share.
fn crossings(faces: &[[u32; 3]], x: &[Vec3]) -> Vec<FacePair> {
    let boxes: Vec<Aabb> = faces.iter().map(|f| Aabb::of_simplex(x, f)).collect();
    SelfCrossings::default().find(faces, x, &Tree::build(&boxes)).to_vec()
}

impl Examined {
    fn pairs(&self, meeting: Meeting) -> Vec<[u32; 2]> {
        self.pairs.iter().filter(|p| p.meeting == meeting).map(|p| p.faces).collect()
    }

    fn depth(&self) -> f64 {
        self.penetrating.iter().map(|p| p.1).fold(0.0, f64::max)
    }

    fn write_vtu(&self, path: &Path) -> Result<(), io::MeshError> {
        let mut depth = vec![0.0f64; self.positions.len()];
        self.penetrating.iter().for_each(|&(v, d)| depth[v as usize] = d);
        let mut found = vec![0u8; self.tets.len() + self.triangles.len()];
        self.inverted.iter().for_each(|&t| found[t as usize] = 4);
        for (code, meeting) in
            [Meeting::Touching, Meeting::Coplanar, Meeting::Crossing].into_iter().enumerate()
        {
            for face in self.pairs(meeting).into_iter().flatten() {
                found[self.tets.len() + face as usize] = code as u8 + 1;
            }
        }
        io::write_vtu(
            path,
            &Vtu {
                triangles: &self.triangles,
                point_data: vec![DataArray::scalars("depth_m", Values::F64(&depth))],
                cell_data: vec![DataArray::scalars("found", Values::U8(&found))],
                ..Vtu::volume(self.positions.as_slice(), &self.tets)
            },
        )
    }

    fn clean(&self) -> bool {
        self.penetrating.is_empty()
            && self.inverted.is_empty()
            && self.pairs.iter().all(|p| p.meeting == Meeting::Touching)
            && self.findings.iter().all(|f| f.problem.severity() < Severity::Error)
    }

    fn print(&self) {
        say!("{}", self.file);
        for (name, value) in &self.figures {
            say!("  {:18} {}", words::key(name), words::value(value));
        }
        for warning in &self.warnings {
            say!("  note: {warning}");
        }
        for finding in &self.findings {
            let severity = match finding.problem.severity() {
                Severity::Note => "note",
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            say!("  {severity}: {}: {}", places(&finding.elements), finding.problem.about());
        }
        let line = |what: &str, count: usize, names: String| {
            say!("  {what:34} {count}{}", if count > 0 { format!(" ({names})") } else { String::new() });
        };
        let vertices: Vec<u32> = self.penetrating.iter().map(|p| p.0).collect();
        line("penetrating vertices", vertices.len(), list(&vertices));
        if !vertices.is_empty() {
            say!("  {:34} {:.6e} m", "depth of the deepest", self.depth());
        }
        line("inverted tetrahedra in the pose", self.inverted.len(), list(&self.inverted));
        for (name, meeting) in [
            ("crossing pairs of triangles", Meeting::Crossing),
            ("coplanar pairs that overlap", Meeting::Coplanar),
            ("touching pairs of triangles", Meeting::Touching),
        ] {
            let pairs: Vec<String> = self.pairs(meeting).iter().map(|[a, b]| format!("{a}-{b}")).collect();
            line(name, pairs.len(), list(&pairs));
        }
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
            "penetrating_vertices": self.penetrating.iter().map(|p| p.0).collect::<Vec<_>>(),
            "penetration_depths_m": self.penetrating.iter().map(|p| p.1).collect::<Vec<_>>(),
            "max_depth_m": self.depth(),
            "inverted_tetrahedra": self.inverted,
            "intersecting_triangle_pairs": self.pairs(Meeting::Crossing),
            "coplanar_triangle_pairs": self.pairs(Meeting::Coplanar),
            "touching_triangle_pairs": self.pairs(Meeting::Touching),
        })
    }
}

fn places(elements: &Elements) -> String {
    let some = |one: &str, many: &str| words::count(elements.count() as u64, one, many);
    match elements {
        Elements::Vertices(v) => format!("{} ({})", some("vertex", "vertices"), list(v)),
        Elements::Edges(e) => {
            let edges: Vec<String> = e.iter().map(|[a, b]| format!("{a}-{b}")).collect();
            format!("{} ({})", some("edge", "edges"), list(&edges))
        }
        Elements::Triangles(t) => format!("{} ({})", some("triangle", "triangles"), list(t)),
        Elements::Tets(t) => format!("{} ({})", some("tetrahedron", "tetrahedra"), list(t)),
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
