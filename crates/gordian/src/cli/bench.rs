//! `gordian bench`: frame times of scenes, by stage, beside those of an earlier run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gordian::mesh::io::write_atomically;
use gordian::sim::{Scene, Stage, StageTimes, World, adapter, scene::SCENES};
use miette::{IntoDiagnostic, WrapErr};
use serde::{Deserialize, Serialize};

use super::files::{Role, check_outputs};
use super::progress::progress;
use super::run::Compute;
use super::{Outcome, bench_ccd, bench_cloth, bench_culling, bench_paper, bench_query, fault};

/// Measures frame times: p50, p95, p99 and the share of each stage, scene by scene.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    kernel: Option<Kernel>,
    /// Scene files, or names of built-in scenes; by default all that are built in.
    scenes: Vec<String>,
    /// Measured frames.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
    /// Frames before those, which are not measured.
    #[arg(long, value_name = "N", default_value_t = 5)]
    warmup: u32,
    #[command(flatten)]
    compute: Compute,
    /// Writes the figures as JSON, with machine, adapter and commit.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Prints the ratios to the figures of an earlier run.
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Replaces a value of every scene; may be given again.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

/// A part of the collision handling, measured on its own.
#[derive(clap::Subcommand)]
enum Kernel {
    Query(bench_query::Args),
    Ccd(bench_ccd::Args),
    Cloth(bench_cloth::Args),
    Culling(bench_culling::Args),
    Paper(bench_paper::Args),
}

/// The figures of a run.
#[derive(Debug, Serialize, Deserialize)]
struct Figures {
    version: String,
    commit: String,
    machine: Machine,
    threads: usize,
    scenes: Vec<SceneFigures>,
}

/// Where they were measured.
#[derive(Debug, Serialize, Deserialize)]
pub struct Machine {
    pub cpu: String,
    pub cores: usize,
    system: String,
}

/// The figures of a scene; times in milliseconds a frame.
#[derive(Debug, Serialize, Deserialize)]
struct SceneFigures {
    scene: String,
    adapter: String,
    vertices: usize,
    tetrahedra: usize,
    frames: usize,
    p50_ms: f64,
    p95_ms: f64,
    p99_ms: f64,
    mean_ms: f64,
    /// Mean time of each stage.
    stages_ms: BTreeMap<String, f64>,
    /// Part of the whole time, 0 to 1.
    shares: BTreeMap<String, f64>,
    contacts_per_frame: f64,
    penetrating_vertices: u64,
}

pub fn bench(args: &Args) -> miette::Result<Outcome> {
    match &args.kernel {
        Some(Kernel::Query(args)) => return bench_query::bench(args),
        Some(Kernel::Ccd(args)) => return bench_ccd::bench(args),
        Some(Kernel::Cloth(args)) => return bench_cloth::bench(args),
        Some(Kernel::Culling(args)) => return bench_culling::bench(args),
        Some(Kernel::Paper(args)) => return bench_paper::bench(args),
        None => {}
    }
    args.compute.start()?;
    if let Some(json) = &args.json {
        let mut inputs: Vec<Role> = args.scenes.iter().map(|s| Role("a scene", Path::new(s))).collect();
        inputs.extend(args.compare.as_deref().map(|earlier| Role("the earlier figures", earlier)));
        check_outputs(&inputs, &[Role("the JSON", json)])?;
    }
    let earlier = args.compare.as_deref().map(read).transpose()?;
    let names: Vec<&str> = match args.scenes.as_slice() {
        [] => SCENES.iter().map(|s| s.name).collect(),
        given => given.iter().map(String::as_str).collect(),
    };
    let scenes = names.into_iter().map(|name| measure(args, name)).collect::<miette::Result<_>>()?;
    let figures = Figures {
        version: env!("CARGO_PKG_VERSION").into(),
        commit: env!("GORDIAN_COMMIT").into(),
        machine: Machine::here(),
        threads: rayon::current_num_threads(),
        scenes,
    };
    figures.print(earlier.as_ref());
    if let Some(path) = &args.json {
        write_atomically(path, |out| Ok(serde_json::to_writer_pretty(out, &figures)?))
            .map_err(fault::mesh)?;
    }
    Ok(Outcome::Clean)
}

fn read(path: &Path) -> miette::Result<Figures> {
    let text = std::fs::read_to_string(path).into_diagnostic();
    let figures = text.and_then(|t| serde_json::from_str(&t).into_diagnostic());
    figures.wrap_err_with(|| format!("{}: no figures of `gordian bench --json`", path.display()))
}

fn measure(args: &Args, name: &str) -> miette::Result<SceneFigures> {
    let scene = Scene::open(name, &args.set).map_err(fault::scene)?;
    let mut world = World::new(&scene, &args.compute.adapter).map_err(fault::sim)?;
    let bar = progress(args.warmup + args.frames);
    bar.set_message(scene.simulation.name.clone());
    let mut frames = Vec::with_capacity(args.frames as usize);
    for i in 0..args.warmup + args.frames {
        let frame = world.step_frame().map_err(fault::sim)?;
        if i >= args.warmup {
            frames.push(frame);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();

    let n = frames.len() as f64;
    let mut totals: Vec<f64> = frames.iter().map(|f| f.ms.total).collect();
    totals.sort_by(f64::total_cmp);
    let mut sum = StageTimes::default();
    frames.iter().for_each(|f| sum.add_all(&f.ms));
    let by_stage = |scale: f64| Stage::ALL.map(|s| (s.name().to_owned(), sum.get(s) * scale)).into();
    Ok(SceneFigures {
        scene: scene.simulation.name.clone(),
        adapter: adapter::describe(world.adapter()),
        vertices: world.positions().len(),
        tetrahedra: world.topology().tets.len(),
        frames: frames.len(),
        p50_ms: percentile(&totals, 0.50),
        p95_ms: percentile(&totals, 0.95),
        p99_ms: percentile(&totals, 0.99),
        mean_ms: sum.total / n,
        stages_ms: by_stage(1.0 / n),
        shares: by_stage(1.0 / sum.total),
        contacts_per_frame: frames.iter().map(|f| f.contacts.total()).sum::<u64>() as f64 / n,
        penetrating_vertices: frames.last().map_or(0, |f| f.penetrating_vertices),
    })
}

/// The smallest time that at least the part `p` of all does not exceed (nearest rank).
fn percentile(sorted: &[f64], p: f64) -> f64 {
    let rank = (p * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

impl Machine {
    pub fn here() -> Self {
        // Only Linux tells the name of the CPU in a file.
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let name = info.lines().find_map(|l| l.strip_prefix("model name")?.split_once(':'));
        Self {
            cpu: name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned()),
            cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
            system: std::env::consts::OS.to_owned(),
        }
    }
}

impl Figures {
    fn print(&self, earlier: Option<&Figures>) {
        say!(
            "{} ({} cores, {} threads), commit {}",
            self.machine.cpu,
            self.machine.cores,
            self.threads,
            self.commit
        );
        if let Some(earlier) = earlier {
            say!("in brackets: ratio to commit {} on {}", earlier.commit, earlier.machine.cpu);
        }
        let width = self.scenes.iter().map(|s| s.scene.len()).max().unwrap_or(0).max("scene".len());
        say!();
        say!(
            "{:width$} {:>9} {:>9}  {:>18} {:>18} {:>18}",
            "scene",
            "vertices",
            "tets",
            "p50 ms",
            "p95 ms",
            "p99 ms"
        );
        for s in &self.scenes {
            let old = earlier.and_then(|e| e.scenes.iter().find(|o| o.scene == s.scene));
            let cell = |new: f64, get: fn(&SceneFigures) -> f64| match old.map(get) {
                Some(old) if old > 0.0 => format!("{new:.2} ({:.2})", new / old),
                _ => format!("{new:.2}"),
            };
            let [p50, p95, p99] =
                [cell(s.p50_ms, |o| o.p50_ms), cell(s.p95_ms, |o| o.p95_ms), cell(s.p99_ms, |o| o.p99_ms)];
            say!("{:width$} {:9} {:9}  {p50:>18} {p95:>18} {p99:>18}", s.scene, s.vertices, s.tetrahedra);
            say!(
                "{:width$} {}, {:.0} contacts a frame: {}",
                "",
                s.adapter,
                s.contacts_per_frame,
                s.shares_line(old)
            );
        }
    }
}

impl SceneFigures {
    /// The stages by their share, the largest first.
    fn shares_line(&self, old: Option<&SceneFigures>) -> String {
        let mut shares: Vec<(&String, f64)> =
            self.shares.iter().map(|(name, &share)| (name, share)).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        let show = |&(name, share): &(&String, f64)| {
            let ratio = old.and_then(|o| o.stages_ms.get(name)).filter(|&&o| o > 0.0);
            let ratio = ratio.map_or(String::new(), |o| format!(" ({:.2})", self.stages_ms[name] / o));
            format!("{name} {:.1} %{ratio}", 100.0 * share)
        };
        shares.iter().filter(|s| s.1 >= 5e-4).map(show).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let times: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!([0.5, 0.95, 0.99, 1.0].map(|p| percentile(&times, p)), [50.0, 95.0, 99.0, 100.0]);
        assert_eq!(percentile(&[7.0], 0.5), 7.0);
        assert_eq!(percentile(&[1.0, 2.0, 3.0], 0.5), 2.0);
    }
}
