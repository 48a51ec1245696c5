//! `gordian run`: simulates a scene, with frames, checkpoints and a report.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use gordian::sim::record::file_name;
use gordian::sim::scene::OutputFormat;
use gordian::sim::{
    AdapterChoice, Checkpoint, FrameReport, Layout, Recorder, Report, Scene, SimError, Stage, World, adapter,
};
use indicatif::{ProgressBar, ProgressStyle};

use super::{Outcome, fault};

/// Simulates a scene: a file, or a built-in scene by its name (see `gordian scenes`).
///
/// Exit status: 0 done; 1 done, but intersections remain at the end; 2 error.
#[derive(clap::Args)]
pub struct Args {
    /// Scene file, or name of a built-in scene.
    scene: String,
    /// Number of frames; by default that of the scene.
    #[arg(long, value_name = "N")]
    frames: Option<u32>,
    /// Folder for frames and checkpoints; by default `out/NAME`.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Format of the frames; by default that of the scene.
    #[arg(long, value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    compute: Compute,
    /// Writes the report, one JSON object with an entry a frame.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Writes a checkpoint every N frames.
    #[arg(long, value_name = "N")]
    checkpoint_every: Option<u32>,
    /// Goes on from a checkpoint.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Replaces a value of the scene, such as collision.recovery=true or body.mesh=FILE; may be given again.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

/// What computes.
#[derive(clap::Args)]
pub struct Compute {
    /// What computes: auto (a GPU, else the CPU), cpu, software, or part of an adapter's name (see `gordian adapters`).
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub adapter: AdapterChoice,
    /// Number of CPU threads; by default as many as there are. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    Vtu,
    Ply,
    Usda,
    Pc2,
    /// No frames.
    None,
}

impl From<Format> for OutputFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Vtu => OutputFormat::Vtu,
            Format::Ply => OutputFormat::Ply,
            Format::Usda => OutputFormat::Usda,
            Format::Pc2 => OutputFormat::Pc2,
            Format::None => OutputFormat::None,
        }
    }
}

impl Compute {
    /// Sets the number of threads; once for a program.
    pub fn start(&self) -> miette::Result<()> {
        let Some(threads) = self.threads else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
        pool.map_err(|e| miette::miette!("{threads} threads cannot be started: {e}"))
    }
}

pub fn run(args: &Args) -> miette::Result<Outcome> {
    args.compute.start()?;
    let mut scene = Scene::open(&args.scene, &args.set).map_err(fault::scene)?;
    if let Some(frames) = args.frames {
        scene.simulation.frames = frames;
    }
    if let Some(format) = args.format {
        scene.output.format = format.into();
    }
    if let Some(every) = args.checkpoint_every {
        scene.output.checkpoint_every = every;
    }
    // Read before the world is built: a checkpoint that cannot be read should not take a minute to be told.
    let checkpoint = args.resume.as_ref().map(Checkpoint::read).transpose().map_err(fault::checkpoint)?;
    let mut world = World::new(&scene, &args.compute.adapter).map_err(fault::sim)?;
    for warning in world.warnings() {
        eprintln!("warning: {warning}");
    }
    if let Some(checkpoint) = &checkpoint {
        world.resume(&scene, checkpoint).map_err(fault::sim)?;
        let here = adapter::describe(world.adapter());
        if checkpoint.adapter != here {
            eprintln!(
                "warning: the checkpoint was made on {}, this is {here}: the bits may differ",
                checkpoint.adapter
            );
        }
    }

    let folder =
        args.out.clone().unwrap_or_else(|| PathBuf::from("out").join(file_name(&scene.simulation.name)));
    let mut run = Run::new(&scene, world, folder, checkpoint.map(|c| c.frame))?;
    let result = run.finish();
    // What was done is told even if the run broke off.
    if let Some(path) = &args.report {
        run.report.write(path).map_err(fault::mesh)?;
    }
    result.map_err(fault::sim)?;
    // Also where no frame was run, because the checkpoint is at the end already, say.
    let end = run.world.judge();
    run.summary(args.report.as_ref(), &end);
    Ok(if remaining(&end) > 0 { Outcome::Intersecting } else { Outcome::Clean })
}

/// A run under way.
struct Run<'a> {
    scene: &'a Scene,
    world: World,
    recorder: Recorder,
    report: Report,
    begun: Instant,
    /// The last frame that was recorded.
    recorded: Option<u32>,
}

impl<'a> Run<'a> {
    fn new(scene: &'a Scene, world: World, folder: PathBuf, resumed: Option<u32>) -> miette::Result<Self> {
        let report = Report::of(&world, scene);
        eprintln!(
            "{}: {}, {}, {} on {}",
            report.scene,
            count(report.bodies, "body", "bodies"),
            count(report.vertices, "vertex", "vertices"),
            count(report.tetrahedra, "tetrahedron", "tetrahedra"),
            report.adapter
        );
        let layout = Layout::of(&world).into();
        let recorder = Recorder::new(folder, scene, layout, resumed).map_err(fault::mesh)?;
        Ok(Self { scene, world, recorder, report, begun: Instant::now(), recorded: resumed })
    }

    fn finish(&mut self) -> Result<(), SimError> {
        let last = self.scene.simulation.frames;
        let bar = progress(last.saturating_sub(self.world.frame()));
        if self.recorded.is_none() && self.recorder.wants(0, last == 0) {
            self.record(0)?;
        }
        while self.world.frame() < last {
            let mut frame = match self.world.step_frame() {
                Ok(frame) => frame,
                Err(error) => {
                    bar.abandon();
                    self.keep_last_good_frame()?;
                    return Err(error);
                }
            };
            let writing = Instant::now();
            if self.recorder.wants(frame.frame, frame.frame == last) {
                self.record(frame.frame)?;
            }
            let every = self.scene.output.checkpoint_every;
            if every > 0 && frame.frame.is_multiple_of(every) {
                self.world.checkpoint(self.scene).write(self.recorder.checkpoint_path(frame.frame))?;
            }
            frame.ms.add(Stage::Output, writing.elapsed());
            frame.ms.total += writing.elapsed().as_secs_f64() * 1e3;
            bar.set_message(format!(
                "{} contacts, {} inside",
                frame.contacts.total(),
                frame.penetrating_vertices
            ));
            bar.inc(1);
            self.report.frames.push(frame);
        }
        bar.finish_and_clear();
        Ok(())
    }

    fn record(&mut self, frame: u32) -> Result<(), SimError> {
        self.recorder.record(frame, self.world.positions(), self.world.velocities())?;
        self.recorded = Some(frame);
        Ok(())
    }

    /// The world stands at the frame before the one that failed; that one shall be on disk.
    fn keep_last_good_frame(&mut self) -> Result<(), SimError> {
        let frame = self.world.frame();
        match self.recorded {
            Some(recorded) if recorded >= frame => Ok(()),
            _ if self.recorder.wants(frame, true) => self.record(frame),
            _ => Ok(()),
        }
    }

    /// What a person wants to know at the end.
    fn summary(&self, report: Option<&PathBuf>, end: &FrameReport) {
        let frames = &self.report.frames;
        // Not by `sum`, which starts from a negative zero.
        let total = frames.iter().fold(0.0, |sum, f| sum + f.ms.total);
        let per_frame = |ms: f64| ms / frames.len().max(1) as f64;
        println!("scene      {}", self.report.scene);
        println!("adapter    {}", self.report.adapter);
        println!(
            "frames     {} in {}, {:.2} ms each",
            frames.len(),
            seconds(self.begun.elapsed()),
            per_frame(total)
        );
        let sum = |get: fn(&FrameReport) -> u64| frames.iter().map(get).sum::<u64>();
        println!(
            "contacts   {} ccd, {} dcd, {} proximity, {} collider",
            sum(|f| f.contacts.ccd),
            sum(|f| f.contacts.dcd),
            sum(|f| f.contacts.proximity),
            sum(|f| f.contacts.collider)
        );
        println!("queries    {}, {} unresolved", sum(|f| f.queries), sum(|f| f.unresolved_queries));
        let pairs = end.intersecting_triangle_pairs;
        let crossing = pairs.map_or(String::new(), |n| format!(", {n} crossing pairs of triangles"));
        println!(
            "at the end {} penetrating vertices, {} inverted tetrahedra{crossing}",
            end.penetrating_vertices, end.inverted_tetrahedra
        );
        for stage in Stage::ALL {
            let ms: f64 = frames.iter().map(|f| f.ms.get(stage)).sum();
            if ms > 0.0 {
                println!(
                    "  {:14} {:9.3} ms a frame {:5.1} %",
                    stage.name(),
                    per_frame(ms),
                    100.0 * ms / total
                );
            }
        }
        for path in self.recorder.entry().iter().chain(report) {
            println!("written    {}", path.display());
        }
    }
}

/// Intersections that a frame ends with.
fn remaining(frame: &FrameReport) -> u64 {
    frame.penetrating_vertices + frame.intersecting_triangle_pairs.unwrap_or(0)
}

/// A bar on standard error; nothing where that is no terminal.
pub fn progress(frames: u32) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:32} {pos}/{len} frames, {eta} left  {msg}")
        .expect("the template is a constant");
    ProgressBar::new(frames.into()).with_style(style)
}

fn count(n: u64, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
