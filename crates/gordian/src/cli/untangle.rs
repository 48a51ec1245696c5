//! `gordian untangle`: takes one mesh apart where it crosses itself, no scene needed.

use std::io::Write;
use std::path::{Path, PathBuf};

use glam::DVec3;
use gordian::mesh::io::{self, MeshError, MshEncoding, Vtu};
use gordian::sim::scene::ClothResponse;
use gordian::sim::{FrameReport, SimError, untangle};
use miette::{Report, miette};
use serde_json::{Value, json};

use super::files::{Role, check_outputs};
use super::interrupt::Interrupt;
use super::progress::progress;
use super::{Outcome, fault, words};

/// Takes a mesh apart where it crosses itself, and writes it with its vertices in the same order.
///
/// A file with tetrahedra is taken as a volume and untangled along shortest paths to its boundary; else its triangles are cloth. The
/// pose in the file counts as the pose at rest, and `--pose` as where it is. Of an OBJ only places and triangles are kept. Ctrl-C writes
/// what it has come to by then. Exit status: 0 nothing crosses, lies on itself or is inverted any more; 1 some is left; 2 error;
/// 130 interrupted. That is judged as `gordian check` does; other defects of a mesh, such as elements that are there twice, stay.
#[derive(clap::Args)]
pub struct Args {
    /// The mesh.
    file: PathBuf,
    /// Tangled positions of a volume, whose mesh is then at rest: a mesh of the same vertices, or an array (.npz, .npy).
    #[arg(long, value_name = "FILE")]
    pose: Option<PathBuf>,
    /// Where the result goes: .obj, .ply or .vtu for cloth; .msh or .vtu for a volume; another file than the mesh.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// How cloth is taken apart; by default icm.
    #[arg(long, value_name = "NAME", value_enum)]
    response: Option<Response>,
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
    if volume && args.response.is_some() {
        return Err(miette!("--response is for cloth; {} holds a volume", args.file.display()));
    }
    if args.pose.is_none()
        && let Some(note) = io::beside_pose(&args.file)
    {
        tell!("note: {note}; to untangle that: --pose {}", args.file.display());
    }
    // Said before the work, not after it.
    Format::of(&args.out, volume)?;
    let mut inputs = vec![Role("the mesh that is read", &args.file)];
    inputs.extend(args.pose.as_deref().map(|pose| Role("the pose", pose)));
    let mut outputs = vec![Role("the untangled mesh", &args.out)];
    outputs.extend(args.json.as_deref().map(|json| Role("the JSON", json)));
    check_outputs(&inputs, &outputs)?;
    if let Some(json) = args.json.as_ref().filter(|path| *path != Path::new("-")) {
        io::check_writable(json).map_err(fault::mesh)?;
    }
    io::check_writable(&args.out).map_err(fault::mesh)?;
    let report = if volume { volume_of(args)? } else { cloth_of(args)? };
    match args.json.as_deref() {
        Some(path) if path == Path::new("-") => {
            say!("{}", serde_json::to_string_pretty(&report).expect("plain values"));
        }
        Some(path) => io::write_atomically(path, |out| {
            serde_json::to_writer_pretty(&mut *out, &report)?;
            writeln!(out)
        })
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
    Ok(if report["clean"] == json!(true) { Outcome::Clean } else { Outcome::Intersecting })
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
        ("overlapping_triangle_pairs", "coplanar pairs that overlap"),
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
    let response = args.response.unwrap_or(Response::Icm);
    let told = |r: &FrameReport| format!("{} crossing", r.intersecting_triangle_pairs.unwrap_or(0));
    let done = watched(args, told, |each| untangle::cloth(&mesh, response.into(), args.frames, each))?;
    if !done.is_clean() && !done.stopped {
        tell!(
            "help: go on from what was written, or try another --response; more --frames where it was still getting less"
        );
    }
    Format::of(&args.out, false)?
        .write(&args.out, &done.positions, &[], &mesh.triangles)
        .map_err(fault::mesh)?;
    let cloth_figures = |when: usize| {
        json!({
            "intersecting_triangle_pairs": done.crossings[when],
            "overlapping_triangle_pairs": done.overlaps[when],
            "contour_length_m": done.contour_m[when],
        })
    };
    Ok(json!({
        "file": args.file.display().to_string(),
        "kind": "cloth",
        "vertices": mesh.positions.len(),
        "frames": done.frames,
        "interrupted": done.stopped,
        "clean": done.is_clean(),
        "before": cloth_figures(0),
        "after": cloth_figures(1),
        "moved_vertices": done.moved,
        "largest_displacement_m": done.largest.0,
        "farthest_vertex": done.largest.1,
        "warnings": loaded.warnings,
    }))
}

/// By the recovery mode of the shortest path, at rest in the pose of the file.
fn volume_of(args: &Args) -> miette::Result<Value> {
    let loaded = io::load_tets(&args.file).map_err(fault::mesh)?;
    loaded.warnings.iter().for_each(|w| tell!("warning: {w}"));
    let mesh = loaded.mesh;
    let pose = args.pose.as_ref().map(|pose| io::load_pose(pose, mesh.positions.len())).transpose();
    let pose = pose.map_err(fault::mesh)?;
    let told = |r: &FrameReport| format!("{} inside", r.penetrating_vertices);
    let done = watched(args, told, |each| untangle::volume(&mesh, pose.as_deref(), args.frames, each))?;
    done.warnings.iter().for_each(|w| tell!("warning: {w}"));
    Format::of(&args.out, true)?.write(&args.out, &done.positions, &mesh.tets, &[]).map_err(fault::mesh)?;
    Ok(json!({
        "file": args.file.display().to_string(),
        "kind": "volume",
        "vertices": done.positions.len(),
        "frames": done.frames,
        "interrupted": done.stopped,
        "clean": done.is_clean(),
        "before": figures(&done.before, done.overlaps[0]),
        "after": figures(&done.after, done.overlaps[1]),
        "largest_displacement_m": done.largest.0,
        "farthest_vertex": done.largest.1,
        "warnings": loaded.warnings,
    }))
}

/// Does the work under a progress bar that tells how far each frame has come; an interruption ends it after the frame under way.
fn watched<T>(
    args: &Args,
    told: impl Fn(&FrameReport) -> String,
    work: impl FnOnce(&mut dyn FnMut(&FrameReport) -> bool) -> Result<T, SimError>,
) -> miette::Result<T> {
    let interrupt = Interrupt::listen();
    let bar = progress(args.frames);
    let mut frames = 0;
    let mut each = |report: &FrameReport| {
        frames += 1;
        bar.inc(1);
        let told = told(report);
        if bar.is_hidden() {
            tell!("frame {frames} of at most {}, {told}", args.frames);
        }
        bar.set_message(told);
        !interrupt.requested()
    };
    let done = work(&mut each).map_err(|e| of_mesh(args, e));
    bar.finish_and_clear();
    done
}

/// What is wrong with the mesh, with its file.
fn of_mesh(args: &Args, error: SimError) -> Report {
    let file = args.file.display();
    match error {
        SimError::Body { what, index, message, .. } => {
            let help = format!("`gordian check {file}` lists what is wrong with it");
            miette!(help = help, "{file}: {what} {index}: {message}")
        }
        other => miette!("{file}: {other}"),
    }
}

fn figures(report: &FrameReport, overlaps: u64) -> Value {
    json!({
        "penetrating_vertices": report.penetrating_vertices,
        "intersecting_triangle_pairs": report.intersecting_triangle_pairs.unwrap_or(0),
        "overlapping_triangle_pairs": overlaps,
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
