//! `gordian bench cloth`: what each response makes of tangled cloth, and what detection costs.

use std::path::PathBuf;
use std::time::Instant;

use glam::Vec3;
use gordian::collision::cloth::{ClothDetector, ClothMesh, Contours, canonical};
use gordian::mesh::generate::cloth_grid;
use gordian::mesh::io::write_atomically;
use gordian::sim::cloth::trial::{Layers, Trial, contour, stacked, tangled};
use gordian::sim::scene::{ClothResponse, Ridge};
use gordian::sim::{AdapterChoice, Scene, World};
use miette::miette;
use serde::Serialize;

use super::{Outcome, fault};

/// Measures the untangling of cloth: the responses on tangled starts, on the seven canonical contours and on dropped cloth, and
/// the time of detection.
#[derive(clap::Args)]
pub struct Args {
    /// Frames of a tangled start and of a canonical contour.
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
    /// Frames of the dropped scenes; 0 to leave them out.
    #[arg(long, value_name = "N", default_value_t = 300)]
    drop_frames: u32,
    /// Tables to make: all unless named, separated by commas.
    #[arg(long, value_name = "NAME", value_enum, value_delimiter = ',')]
    only: Vec<Table>,
    /// Number of CPU threads. Only the times depend on it.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Writes the figures as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Table {
    /// Tangled starts.
    Tangled,
    /// The seven canonical contours.
    Canonical,
    /// Dropped scenes.
    Dropped,
    /// The time of detection.
    Detection,
}

const RESPONSES: [(ClothResponse, &str); 5] = [
    (ClothResponse::Off, "off"),
    (ClothResponse::Icm, "icm"),
    (ClothResponse::Kikuchi, "kikuchi"),
    (ClothResponse::Ye, "ye"),
    (ClothResponse::Buffet, "buffet"),
];

const RIDGES: [(Ridge, &str); 4] =
    [(Ridge::Closed, "closed"), (Ridge::Open, "open"), (Ridge::Hard, "hard"), (Ridge::Straight, "straight")];

#[derive(Serialize)]
struct Figures {
    version: &'static str,
    commit: &'static str,
    threads: u16,
    tangled: Vec<TrialRow>,
    canonical: Vec<TrialRow>,
    dropped: Vec<DropRow>,
    detection: Vec<DetectionRow>,
}

#[derive(Serialize)]
struct TrialRow {
    case: &'static str,
    response: &'static str,
    frames: u32,
    crossings_at_start: u64,
    crossings_left: u64,
    clean_from: Option<u32>,
    largest_displacement_m: f64,
    /// At `clean_from`, and at the end.
    layers: [LayerFigures; 2],
    position_hash: String,
}

/// Vertices of a layer that face the other.
#[derive(Serialize)]
struct LayerFigures {
    right: u32,
    wrong: u32,
    wound: u32,
    in_order: Option<f64>,
}

impl From<Layers> for LayerFigures {
    fn from(l: Layers) -> Self {
        LayerFigures { right: l.right, wrong: l.wrong, wound: l.wound, in_order: l.in_order() }
    }
}

#[derive(Serialize)]
struct DropRow {
    scene: &'static str,
    response: &'static str,
    seed: u32,
    frames: u32,
    mean_crossings: f64,
    /// Mean over the last tenth of the frames.
    at_rest: f64,
    /// How two sheets lie on each other at the end, where there are two.
    layers: Option<LayerFigures>,
    ms_p50: f64,
    ms_min_at_rest: f64,
    position_hash: String,
}

#[derive(Serialize)]
struct DetectionRow {
    pose: &'static str,
    quads: u32,
    culling: bool,
    refit_ms: f64,
    pairs_ms: f64,
    hits_ms: f64,
    trace_ms: f64,
    hits: usize,
    leaf_pairs: u64,
}

pub fn bench(args: &Args) -> miette::Result<Outcome> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.into()).build();
    let pool = pool.map_err(|e| miette!("{} threads cannot be started: {e}", args.threads))?;
    let figures = pool.install(|| measure(args))?;
    if let Some(path) = &args.json {
        write_atomically(path, |out| Ok(serde_json::to_writer_pretty(out, &figures)?))
            .map_err(fault::mesh)?;
    }
    Ok(Outcome::Clean)
}

fn measure(args: &Args) -> miette::Result<Figures> {
    let (mut starts, mut contours, mut dropped) = (Vec::new(), Vec::new(), Vec::new());
    let wanted = |table| args.only.is_empty() || args.only.contains(&table);
    if wanted(Table::Tangled) {
        say!(
            "tangled starts: frame from which on they are clean, of {}; - not clean, crossings left; what is in order then of the \
             layers that face each other",
            args.frames
        );
        header();
        for (ridge, case) in RIDGES {
            let trial = |response| tangled(ridge, response, args.frames).map_err(fault::sim);
            starts.extend(row(case, args.frames, trial)?);
        }
    }
    if wanted(Table::Canonical) {
        say!("\ncanonical contours");
        header();
        for c in canonical() {
            let trial = |response| contour(&c, response, args.frames).map_err(fault::sim);
            contours.extend(row(c.kind.name(), args.frames, trial)?);
        }
    }
    if wanted(Table::Dropped) && args.drop_frames > 0 {
        say!("\ncrossing pairs a frame, mean (at rest), p50 ms; {} frames", args.drop_frames);
        for scene in ["dropped_cloth", "two_sheets"] {
            for (response, name) in [RESPONSES[0], RESPONSES[1]] {
                for seed in 0..3 {
                    dropped.push(drop(scene, response, name, seed, args.drop_frames)?);
                }
            }
        }
    }
    let detection = if wanted(Table::Detection) { detection() } else { Vec::new() };
    Ok(Figures {
        version: env!("CARGO_PKG_VERSION"),
        commit: env!("GORDIAN_COMMIT"),
        threads: args.threads,
        tangled: starts,
        canonical: contours,
        dropped,
        detection,
    })
}

fn header() {
    say!("{:<14}{}", "", RESPONSES.map(|r| format!("{:>18}", r.1)).concat());
}

/// A case with all responses, printed as a line.
fn row(
    case: &'static str,
    frames: u32,
    trial: impl Fn(ClothResponse) -> miette::Result<Trial>,
) -> miette::Result<Vec<TrialRow>> {
    let mut line = format!("{case:<14}");
    let mut rows = Vec::new();
    for (response, name) in RESPONSES {
        let t = trial(response)?;
        let order = order(t.layers);
        let told = match t.clean_from {
            Some(frame) => format!("{frame} ({:.2} m){order}", t.largest_m),
            None => format!("- {}{order}", t.left),
        };
        line += &format!("{told:>18}");
        rows.push(TrialRow {
            case,
            response: name,
            frames,
            crossings_at_start: t.at_start,
            crossings_left: t.left,
            clean_from: t.clean_from,
            largest_displacement_m: t.largest_m,
            layers: [t.layers.into(), t.layers_at_end.into()],
            position_hash: format!("{:016x}", t.hash),
        });
    }
    say!("{line}");
    Ok(rows)
}

/// The part of the layers that is in order, where anything faces anything.
fn order(layers: Layers) -> String {
    layers.in_order().map_or(String::new(), |o| format!(" {:.0}%", 100.0 * o))
}

/// A dropped scene; the seed turns the sheets a little before they fall.
fn drop(
    name: &'static str,
    response: ClothResponse,
    response_name: &'static str,
    seed: u32,
    frames: u32,
) -> miette::Result<DropRow> {
    let mut scene = Scene::open(name, &[]).map_err(fault::scene)?;
    scene.cloth.response = response;
    for body in &mut scene.body {
        body.rotate_deg[1] += 7.0 * f64::from(seed);
    }
    let mut world = World::new(&scene, &AdapterChoice::Cpu).map_err(fault::sim)?;
    let (mut all, mut times, mut hash) = (Vec::new(), Vec::new(), 0);
    for _ in 0..frames {
        let report = world.step_frame().map_err(fault::sim)?;
        all.push(report.intersecting_triangle_pairs.unwrap_or(0));
        times.push(report.ms.total);
        hash = report.position_hash;
    }
    let last = all.len() - all.len().div_ceil(10);
    let ms_min_at_rest = times[last..].iter().copied().fold(f64::INFINITY, f64::min);
    times.sort_by(f64::total_cmp);
    // An edge of the sheets: what lies on each other is much nearer, and folds in which nothing does are wider.
    let layers = (scene.body.len() == 2).then(|| stacked(&scene, world.positions(), 0.1)).transpose();
    let layers = layers.map_err(fault::sim)?;
    let mean = |n: &[u64]| n.iter().sum::<u64>() as f64 / n.len().max(1) as f64;
    let row = DropRow {
        scene: name,
        response: response_name,
        seed,
        frames,
        mean_crossings: mean(&all),
        at_rest: mean(&all[last..]),
        layers: layers.map(LayerFigures::from),
        ms_p50: times[times.len() / 2],
        ms_min_at_rest,
        position_hash: format!("{hash:016x}"),
    };
    say!(
        "{name:<14} {response_name:<4} seed {seed}: {:8.2} ({:.2}){}  {:.2} ms, at rest at least {:.2}",
        row.mean_crossings,
        row.at_rest,
        layers.map_or(String::new(), order),
        row.ms_p50,
        row.ms_min_at_rest
    );
    Ok(row)
}

/// Detection on a rolled sheet and on a flat one, of three sizes, with and without culling.
fn detection() -> Vec<DetectionRow> {
    const ROUNDS: usize = 5;
    say!("\ndetection, ms: refit, pairs, hits, trace");
    let mut rows = Vec::new();
    for pose in ["rolled", "waves"] {
        for quads in [50, 200, 500] {
            let sheet = cloth_grid(1.0, 1.0, quads, quads).expect("sizes are positive");
            let mesh = ClothMesh::of(&sheet);
            let rest: Vec<Vec3> = sheet.positions.iter().map(|p| p.as_vec3()).collect();
            let x: Vec<Vec3> = rest.iter().map(|&p| bend(pose, p)).collect();
            for culling in [true, false] {
                let mut detector = ClothDetector::new(&mesh, &rest);
                detector.set_culling(culling);
                let mut contours = Contours::default();
                let mut best = [f64::INFINITY; 4];
                for _ in 0..ROUNDS {
                    let mut clock = Instant::now();
                    let mut lap = |slot: &mut f64| {
                        *slot = slot.min(clock.elapsed().as_secs_f64() * 1e3);
                        clock = Instant::now();
                    };
                    detector.refit(&mesh, &x);
                    lap(&mut best[0]);
                    detector.find_pairs(&mesh, &x, 0.0);
                    lap(&mut best[1]);
                    detector.find_hits(&mesh, &x);
                    lap(&mut best[2]);
                    contours.trace(&mesh, &x, detector.hits());
                    lap(&mut best[3]);
                }
                let [refit_ms, pairs_ms, hits_ms, trace_ms] = best;
                say!(
                    "{pose:<7} {quads:>4}² culling {:<3} {refit_ms:8.3} {pairs_ms:8.3} {hits_ms:8.3} {trace_ms:8.3}  \
                     {:>6} hits {:>8} pairs of leaves",
                    if culling { "on" } else { "off" },
                    detector.hits().len(),
                    detector.counters().leaf_pairs
                );
                rows.push(DetectionRow {
                    pose,
                    quads,
                    culling,
                    refit_ms,
                    pairs_ms,
                    hits_ms,
                    trace_ms,
                    hits: detector.hits().len(),
                    leaf_pairs: detector.counters().leaf_pairs,
                });
            }
        }
    }
    rows
}

fn bend(pose: &str, p: Vec3) -> Vec3 {
    match pose {
        // A roll of a turn and a half that runs through itself once.
        "rolled" => {
            let a = 1.5 * std::f32::consts::TAU * p.x;
            let r = 0.12 + 0.02 * (0.5 * a).sin() + 0.01 * p.y;
            Vec3::new(r * a.cos(), p.y, r * a.sin())
        }
        // Gentle waves: nothing crosses.
        _ => Vec3::new(p.x, p.y, 0.03 * (9.0 * p.x).sin() * (7.0 * p.y).cos()),
    }
}
