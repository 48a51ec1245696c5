//! `gordian bench paper`: the experiments of Chen, Diaz, Yuksel 2023 and their Table 1, beside the published figures.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gordian::mesh::io::write_atomically;
use gordian::sim::{Checks, FrameReport, Scene, Stage, StageTimes, Verdict, World, adapter};
use miette::{IntoDiagnostic, WrapErr, miette};
use serde::{Deserialize, Serialize};

use super::bench::Machine;
use super::progress::progress;
use super::run::Compute;
use super::{Outcome, fault, words};

/// Runs those of the paper's experiments that have a scene, and prints its Table 1 with the published figures beside ours, as Markdown.
///
/// Each scene runs in a process of its own, so that its peak of memory is its own. Exit status: 0 all checks hold; 1 some do not;
/// 2 error.
#[derive(clap::Args)]
pub struct Args {
    /// Scenes; by default all of the paper's.
    scenes: Vec<String>,
    /// Their size: `small` runs in a minute or two on two cores, `paper` is the published one.
    #[arg(long, value_enum, default_value = "small")]
    size: Size,
    /// Most frames of a scene; by default all. Of a part of a run the checks are not judged.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    frames: Option<u32>,
    /// Ends a scene after the frame in which it has taken this long.
    #[arg(long, value_name = "MINUTES", default_value_t = 20.0)]
    minutes: f64,
    #[command(flatten)]
    compute: Compute,
    /// Writes the figures as JSON, with machine and commit.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Runs one scene in this process and prints its row as JSON.
    #[arg(long, hide = true)]
    row: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Size {
    Small,
    Paper,
}

/// What the paper publishes of a scene: its Table 1.
struct Published {
    vertices: f64,
    /// Mean collisions by continuous and by discrete detection.
    contacts: [Option<f64>; 2],
    frame_s: f64,
    /// Part of a frame that the shortest paths take, percent.
    ours: f64,
}

const fn published(vertices: f64, ccd: Option<f64>, dcd: f64, frame_s: f64, ours: f64) -> Option<Published> {
    Some(Published { vertices, contacts: [ccd, Some(dcd)], frame_s, ours })
}

/// The experiments that have a scene, with what the paper says of them.
const EXPERIMENTS: &[(&str, Option<Published>)] = &[
    ("flattened_ball", published(774e3, Some(16.8e3), 7.1e3, 10.89, 8.3)),
    ("thin_beam", published(400e3, Some(8.3e3), 3.1e3, 8.16, 6.9)),
    ("two_balls", published(418e3, Some(22.4e3), 1.3e3, 1.96, 10.9)),
    ("eight_octopi", published(40e3, Some(2.3e3), 0.2e3, 0.035, 1.0)),
    ("octopus_pile", published(3.1e6, Some(104e3), 6.4e3, 16.40, 2.9)),
    ("ball_pile", published(3.5e6, Some(118.5e3), 8.5e3, 18.50, 3.9)),
    ("twisted_rods", None),
    ("nested_knots", None),
    ("noodle_recovered", published(40e3, None, 15.2e3, 0.21, 12.4)),
    ("ball_recovered", None),
    ("noodle_bowl", None),
    ("culled_ball", None),
    ("balls_by_closest_point", None),
    ("cube_on_bend", None),
    ("cube_by_rest_shape", None),
    ("twist_by_rest_shape", None),
];

/// A row of the table.
#[derive(Debug, Serialize, Deserialize)]
struct Row {
    scene: String,
    adapter: String,
    vertices: usize,
    tetrahedra: usize,
    bodies: usize,
    frames: usize,
    substeps: u32,
    /// Mean contacts of a substep by continuous and by discrete detection.
    ccd: f64,
    dcd: f64,
    /// Most of either in a substep of one frame, on average over that frame.
    most_contacts: f64,
    frame_s: f64,
    /// Seconds of the slowest frame.
    slowest_s: f64,
    /// Parts of the time, percent.
    xpbd: f64,
    transfer: f64,
    detection: f64,
    ours: f64,
    response: f64,
    /// Largest resident memory of the process, bytes; `null` where the system does not tell.
    peak_bytes: Option<u64>,
    penetrating_vertices: u64,
    /// Empty where the run is only a part.
    checks: Vec<Verdict>,
}

#[derive(Serialize)]
struct Table {
    version: &'static str,
    commit: &'static str,
    machine: Machine,
    threads: usize,
    size: Size,
    rows: Vec<Row>,
}

pub fn bench(args: &Args) -> miette::Result<Outcome> {
    args.compute.start()?;
    if args.row {
        let row = measure(args, &args.scenes[0])?;
        say!("{}", serde_json::to_string(&row).expect("plain values"));
        return Ok(Outcome::Clean);
    }
    let names: Vec<&str> = match args.scenes.as_slice() {
        [] => EXPERIMENTS.iter().map(|e| e.0).collect(),
        given => given.iter().map(String::as_str).collect(),
    };
    let mut table = Table {
        version: env!("CARGO_PKG_VERSION"),
        commit: env!("GORDIAN_COMMIT"),
        machine: Machine::here(),
        threads: rayon::current_num_threads(),
        size: args.size,
        rows: Vec::new(),
    };
    table.head();
    for name in names {
        let row = in_process(args, name)?;
        row.print();
        table.rows.push(row);
        if let Some(path) = &args.json {
            // After each scene: what took an hour shall not be lost with the next.
            write_atomically(path, |out| Ok(serde_json::to_writer_pretty(out, &table)?))
                .map_err(fault::mesh)?;
        }
    }
    table.checks();
    let holds = table.rows.iter().flat_map(|r| &r.checks).all(|c| c.holds);
    Ok(if holds { Outcome::Clean } else { Outcome::Intersecting })
}

/// Runs this program again for one scene.
fn in_process(args: &Args, name: &str) -> miette::Result<Row> {
    let program = std::env::current_exe().into_diagnostic().wrap_err("this program cannot find itself")?;
    let mut command = Command::new(program);
    command.args(["bench", "paper", name, "--row", "--size"]);
    command.arg(if args.size == Size::Paper { "paper" } else { "small" });
    command.args(["--minutes", &args.minutes.to_string(), "--adapter", &args.compute.adapter.to_string()]);
    command.args(["--threads", &rayon::current_num_threads().to_string()]);
    if let Some(frames) = args.frames {
        command.args(["--frames", &frames.to_string()]);
    }
    let output = command.stderr(Stdio::inherit()).output().into_diagnostic()?;
    if !output.status.success() {
        return Err(miette!("{name} ended with {}", output.status));
    }
    serde_json::from_slice(&output.stdout).into_diagnostic().wrap_err_with(|| format!("{name} told no row"))
}

fn measure(args: &Args, name: &str) -> miette::Result<Row> {
    let mut scene = Scene::open(name, &[]).map_err(fault::scene)?;
    // One that has a single size is as large in the paper.
    if args.size == Size::Paper && !scene.sizes.is_empty() {
        scene = Scene::open_size(name, "paper", &[]).map_err(fault::scene)?;
    }
    let mut world = World::new(&scene, &args.compute.adapter).map_err(fault::sim)?;
    let all = scene.simulation.frames;
    let last = args.frames.unwrap_or(all).min(all);
    let bar = progress(last);
    bar.set_message(scene.simulation.name.clone());
    let mut checks = Checks::of(&scene);
    let mut frames: Vec<FrameReport> = Vec::new();
    let begun = Instant::now();
    let limit = Duration::try_from_secs_f64(60.0 * args.minutes).unwrap_or(Duration::MAX);
    while world.frame() < last && (frames.is_empty() || begun.elapsed() < limit) {
        let frame = world.step_frame().map_err(fault::sim)?;
        checks.observe(&world, &frame);
        frames.push(frame);
        bar.inc(1);
    }
    bar.finish_and_clear();

    let n = frames.len() as f64;
    let mut sum = StageTimes::default();
    frames.iter().for_each(|f| sum.add_all(&f.ms));
    let share = |stages: &[Stage]| 100.0 * stages.iter().map(|&s| sum.get(s)).sum::<f64>() / sum.total;
    let substeps = scene.simulation.substeps;
    let of_substep = |count: u64| count as f64 / f64::from(substeps);
    let total = |get: fn(&FrameReport) -> u64| frames.iter().map(get).sum::<u64>();
    Ok(Row {
        scene: scene.simulation.name.clone(),
        adapter: adapter::describe(world.adapter()),
        vertices: world.positions().len(),
        tetrahedra: world.topology().tets.len(),
        bodies: world.bodies().len(),
        frames: frames.len(),
        substeps,
        ccd: of_substep(total(|f| f.contacts.ccd)) / n,
        dcd: of_substep(total(|f| f.contacts.dcd)) / n,
        most_contacts: of_substep(frames.iter().map(|f| f.contacts.ccd + f.contacts.dcd).max().unwrap_or(0)),
        frame_s: sum.total / n / 1e3,
        slowest_s: frames.iter().map(|f| f.ms.total).fold(0.0, f64::max) / 1e3,
        xpbd: share(&[Stage::Solve]),
        transfer: share(&[Stage::Transfer]),
        detection: share(&[Stage::Refit, Stage::Dcd, Stage::Ccd]),
        ours: share(&[Stage::ShortestPath]),
        response: share(&[Stage::Response]),
        peak_bytes: peak_bytes(),
        penetrating_vertices: frames.last().map_or(0, |f| f.penetrating_vertices),
        checks: if world.frame() == all { checks.verdicts() } else { Vec::new() },
    })
}

/// The largest resident set that this process had, bytes; Linux tells it.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// A count as the paper writes it: 774K.
fn short(x: f64) -> String {
    match x {
        x if x >= 1e6 => format!("{:.1}M", x / 1e6),
        x if x >= 1e4 => format!("{:.0}K", x / 1e3),
        x if x >= 1e3 => format!("{:.1}K", x / 1e3),
        x if x >= 10.0 || x == 0.0 => format!("{x:.0}"),
        x => format!("{x:.1}"),
    }
}

impl Table {
    fn head(&self) {
        say!(
            "{}, {} cores, {} threads; commit {}, sizes: {}\n",
            self.machine.cpu,
            self.machine.cores,
            self.threads,
            self.commit,
            if self.size == Size::Paper { "paper" } else { "small" }
        );
        say!("Contacts are means of a substep, times of a frame; in brackets what is published.\n");
        say!(
            "| scene | vertices | tets | bodies | frames | CCD | DCD | s a frame | XPBD % | transfer % | detection % | \
             ours % | response % | peak MiB |"
        );
        say!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    }

    fn checks(&self) {
        say!();
        for row in &self.rows {
            match row.checks.as_slice() {
                [] => say!("- {}: not judged, {} frames only", row.scene, row.frames),
                checks => {
                    for check in checks {
                        let said = if check.holds { "holds" } else { "**fails**" };
                        say!("- {}: {said}: {}", row.scene, words::check(check));
                    }
                }
            }
        }
        // Progress is on standard error: the order of both matters to who looks on.
        let _ = std::io::stdout().flush();
    }
}

impl Row {
    fn print(&self) {
        let published = EXPERIMENTS.iter().find(|e| e.0 == self.scene).and_then(|e| e.1.as_ref());
        let beside = |ours: String, theirs: Option<String>| match theirs {
            Some(theirs) => format!("{ours} ({theirs})"),
            None => ours,
        };
        let contacts = |i: usize| published.and_then(|p| p.contacts[i]).map(short);
        say!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {:.1} | {:.1} | {:.1} | {} | {:.1} | {} |",
            self.scene,
            beside(short(self.vertices as f64), published.map(|p| short(p.vertices))),
            short(self.tetrahedra as f64),
            self.bodies,
            self.frames,
            beside(short(self.ccd), contacts(0)),
            beside(short(self.dcd), contacts(1)),
            beside(format!("{:.3}", self.frame_s), published.map(|p| p.frame_s.to_string())),
            self.xpbd,
            self.transfer,
            self.detection,
            beside(format!("{:.1}", self.ours), published.map(|p| p.ours.to_string())),
            self.response,
            self.peak_bytes.map_or("?".into(), |b| format!("{:.0}", b as f64 / (1 << 20) as f64)),
        );
    }
}
