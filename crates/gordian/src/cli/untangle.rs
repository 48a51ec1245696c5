//! `gordian untangle`: takes one mesh apart where it crosses itself, no scene needed.

use std::path::{Path, PathBuf};

use glam::DVec3;
use gordian::mesh::io::{self, MeshError, MshEncoding, Vtu};
use gordian::sim::cloth::untangle::untangle as untangle_cloth;
use gordian::sim::scene::ClothResponse;
use gordian::sim::{AdapterChoice, FrameReport, Scene, World};
use miette::miette;
use serde_json::{Value, json};

use super::interrupt::Interrupt;
use super::run::progress;
use super::{Outcome, fault, words};

/// Takes a mesh apart where it crosses itself, and writes it with its vertices in the same order.
///
/// A file with tetrahedra is taken as a volume and untangled along shortest paths to its boundary; else its triangles are cloth. The
/// pose in the file counts as the pose at rest, and `--pose` as where it is. Of an OBJ only places and triangles are kept. Ctrl-C writes
/// what a volume has come to by then. Exit status: 0 nothing crosses any more; 1 some is left; 2 error.
#[derive(clap::Args)]
pub struct Args {
    /// The mesh.
    file: PathBuf,
    /// Tangled positions of a volume, whose mesh is then at rest: a mesh of the same vertices, or an array (.npz, .npy).
    #[arg(long, value_name = "FILE")]
    pose: Option<PathBuf>,
    /// Where the result goes: .obj or .ply for cloth; .msh or .vtu for either.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// How cloth is taken apart.
    #[arg(long, value_name = "NAME", default_value = "icm", value_enum)]
    response: Response,
    /// Most frames that are taken.
    #[arg(long, value_name = "N", default_value_t = 200)]
    frames: u32,
    /// Writes what was done as JSON; `-` for standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Response {
    Off,
    Icm,
    Kikuchi,
    Ye,
    Buffet,
}

impl From<Response> for ClothResponse {
    fn from(response: Response) -> Self {
        match response {
            Response::Off => ClothResponse::Off,
            Response::Icm => ClothResponse::Icm,
            Response::Kikuchi => ClothResponse::Kikuchi,
            Response::Ye => ClothResponse::Ye,
            Response::Buffet => ClothResponse::Buffet,
        }
    }
}

pub fn untangle(args: &Args) -> miette::Result<Outcome> {
    let raw = io::read_raw(&args.file).map_err(fault::mesh)?;
    let volume = !raw.tets.is_empty();
    drop(raw);
    if !volume && args.pose.is_some() {
        return Err(miette!("--pose is for volumes; {} holds a surface", args.file.display()));
    }
    if args.pose.is_none()
        && let Some(note) = io::beside_pose(&args.file)
    {
        tell!("note: {note}; to untangle that: --pose {}", args.file.display());
    }
    // Said before the work, not after it.
    Format::of(&args.out, volume)?;
    io::check_writable(&args.out).map_err(fault::mesh)?;
    let report = if volume { volume_of(args)? } else { cloth_of(args)? };
    match args.json.as_deref() {
        Some(path) if path == Path::new("-") => {
            say!("{}", serde_json::to_string_pretty(&report).expect("plain values"));
        }
        Some(path) => io::write_atomically(path, |out| Ok(serde_json::to_writer_pretty(out, &report)?))
            .map_err(fault::mesh)?,
        None => {}
    }
    // Standard output belongs to the JSON where that goes there.
    let line = told(&args.file, &report);
    match args.json.as_deref() == Some(Path::new("-")) {
        true => tell!("{line}"),
        false => say!("{line}"),
    }
    if report["interrupted"] == json!(true) {
        return Ok(Outcome::Interrupted);
    }
    let none = |what: &str| report["after"].get(what).is_none_or(|left| *left == json!(0));
    let clean = none("penetrating_vertices") && none("intersecting_triangle_pairs");
    Ok(if clean { Outcome::Clean } else { Outcome::Intersecting })
}

/// What was there and what is left, in a line.
fn told(file: &Path, report: &Value) -> String {
    let from_to = |(key, what): (&str, &str)| {
        let [before, after] = ["before", "after"].map(|when| report[when].get(key));
        Some(format!("{} -> {} {what}", before?, after?))
    };
    let figures: Vec<String> = [
        ("penetrating_vertices", "penetrating vertices"),
        ("intersecting_triangle_pairs", "crossing pairs of triangles"),
        ("inverted_tetrahedra", "inverted tetrahedra"),
    ]
    .into_iter()
    .filter_map(from_to)
    .collect();
    format!(
        "{}: {} in {}; largest displacement {} m",
        file.display(),
        figures.join(", "),
        words::count(report["frames"].as_u64().unwrap_or(0), "frame", "frames"),
        words::number(report["largest_displacement_m"].as_f64().unwrap_or(0.0)),
    )
}

fn cloth_of(args: &Args) -> miette::Result<Value> {
    let loaded = io::load_surface(&args.file).map_err(fault::mesh)?;
    loaded.warnings.iter().for_each(|w| tell!("warning: {w}"));
    let mesh = loaded.mesh;
    let done = untangle_cloth(&mesh, args.response.into(), args.frames).map_err(fault::sim)?;
    Format::of(&args.out, false)?
        .write(&args.out, &done.positions, &[], &mesh.triangles)
        .map_err(fault::mesh)?;
    Ok(json!({
        "file": args.file.display().to_string(),
        "kind": "cloth",
        "vertices": mesh.positions.len(),
        "frames": done.frames,
        "before": { "intersecting_triangle_pairs": done.crossings[0], "contour_length_m": done.contour_m[0] },
        "after": { "intersecting_triangle_pairs": done.crossings[1], "contour_length_m": done.contour_m[1] },
        "moved_vertices": done.moved,
        "largest_displacement_m": done.largest.0,
        "farthest_vertex": done.largest.1,
        "warnings": loaded.warnings,
    }))
}

/// By the recovery mode of the shortest path, at rest in the pose of the file.
fn volume_of(args: &Args) -> miette::Result<Value> {
    let file = std::path::absolute(&args.file).map_err(|e| miette!("{}: {e}", args.file.display()))?;
    let mut scene = Scene::parse("[[body]]\nmesh = \"\"", "untangle").map_err(fault::scene)?;
    scene.body[0].mesh = Some(file.clone());
    if let Some(pose) = &args.pose {
        let pose = std::path::absolute(pose).map_err(|e| miette!("{}: {e}", pose.display()))?;
        scene.body[0].pose = Some(pose);
    }
    scene.simulation.gravity_m_s2 = [0.0; 3];
    // What comes out must let go what being tangled stores, without flying apart: many iterations, strong damping, and a material in which a
    // wave crosses an element in a substep. Softer ones are turned inside out by the pushes, and follow them no farther than an element.
    scene.simulation.iterations = 24;
    scene.simulation.damping_per_s = 15.0;
    scene.collision.recovery = true;
    scene.collision.max_depenetration_edges = 5.0;
    scene.collision.max_shift_ratio = 10.0;
    let loaded = io::load_tets(&file).map_err(fault::mesh)?;
    let mesh = loaded.mesh;
    let substep_s = scene.simulation.frame_s / f64::from(scene.simulation.substeps);
    let material = &mut scene.body[0].material;
    material.young_pa = material.density_kg_m3 * (mean_edge(&mesh.positions, &mesh.tets) / substep_s).powi(2);
    let mut world = World::new(&scene, &AdapterChoice::Cpu).map_err(fault::sim)?;
    world.warnings().iter().for_each(|w| tell!("warning: {w}"));
    let start = world.positions().to_vec();
    let before = world.judge();
    let interrupt = Interrupt::listen();
    let bar = progress(args.frames);
    let (mut after, mut frames) = (before.clone(), 0);
    let done = |report: &FrameReport| left(report) == 0 && report.inverted_tetrahedra == 0;
    while frames < args.frames && !done(&after) && !interrupt.requested() {
        after = world.step_frame().map_err(fault::sim)?;
        frames += 1;
        bar.inc(1);
        let told = format!("{} inside", after.penetrating_vertices);
        if bar.is_hidden() {
            tell!("frame {frames} of at most {}, {told}", args.frames);
        }
        bar.set_message(told);
    }
    bar.finish_and_clear();
    let interrupted = !done(&after) && interrupt.requested();
    let moves = world.positions().iter().zip(&start).map(|(a, b)| a.as_dvec3() - b.as_dvec3());
    let tangled = match &args.pose {
        Some(pose) => io::load_pose(pose, mesh.positions.len()).map_err(fault::mesh)?,
        None => mesh.positions,
    };
    let positions: Vec<DVec3> = tangled.iter().zip(moves).map(|(p, by)| *p + by).collect();
    let far = |i: usize| positions[i].distance(tangled[i]);
    let farthest = (0..positions.len()).reduce(|a, b| if far(b) > far(a) { b } else { a }).unwrap_or(0);
    Format::of(&args.out, true)?.write(&args.out, &positions, &mesh.tets, &[]).map_err(fault::mesh)?;
    Ok(json!({
        "file": args.file.display().to_string(),
        "kind": "volume",
        "vertices": positions.len(),
        "frames": frames,
        "interrupted": interrupted,
        "before": figures(&before),
        "after": figures(&after),
        "largest_displacement_m": far(farthest),
        "farthest_vertex": farthest,
        "warnings": loaded.warnings,
    }))
}

/// Mean length of the edges of tetrahedra, each counted for each of them, metres.
fn mean_edge(positions: &[DVec3], tets: &[[u32; 4]]) -> f64 {
    let edges = |t: &[u32; 4]| {
        let p = t.map(|v| positions[v as usize]);
        [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]].map(|[i, j]: [usize; 2]| p[i].distance(p[j]))
    };
    tets.iter().flat_map(edges).sum::<f64>() / (6 * tets.len()) as f64
}

/// Intersections in a report.
fn left(report: &FrameReport) -> u64 {
    report.penetrating_vertices + report.intersecting_triangle_pairs.unwrap_or(0)
}

fn figures(report: &FrameReport) -> Value {
    json!({
        "penetrating_vertices": report.penetrating_vertices,
        "intersecting_triangle_pairs": report.intersecting_triangle_pairs.unwrap_or(0),
        "inverted_tetrahedra": report.inverted_tetrahedra,
    })
}

/// What is written.
#[derive(Clone, Copy)]
enum Format {
    Obj,
    Ply,
    Msh,
    Vtu,
}

impl Format {
    fn of(path: &Path, volume: bool) -> miette::Result<Self> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match (extension.as_deref(), volume) {
            (Some("obj"), false) => Ok(Format::Obj),
            (Some("ply"), false) => Ok(Format::Ply),
            (Some("msh"), true) => Ok(Format::Msh),
            (Some("vtu"), _) => Ok(Format::Vtu),
            (_, true) => Err(miette!("{}: a volume is written as .msh or .vtu", path.display())),
            (_, false) => Err(miette!("{}: cloth is written as .obj, .ply or .vtu", path.display())),
        }
    }

    fn write(
        self,
        path: &Path,
        positions: &[DVec3],
        tets: &[[u32; 4]],
        triangles: &[[u32; 3]],
    ) -> Result<(), MeshError> {
        match self {
            Format::Obj => io::write_obj(path, positions, triangles),
            Format::Ply => io::write_ply(path, positions, triangles),
            Format::Msh => io::write_msh41(path, positions, tets, triangles, MshEncoding::Binary),
            Format::Vtu => io::write_vtu(path, &Vtu { triangles, ..Vtu::volume(positions, tets) }),
        }
    }
}
