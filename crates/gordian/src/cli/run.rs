//! `gordian run`: simulates a scene, with frames, checkpoints and a report.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use gordian::mesh::io;
use gordian::sim::record::{FolderLock, FolderLockError, file_name};
use gordian::sim::scene::{OutputFormat, Shape};
use gordian::sim::{
    AdapterChoice, Checkpoint, Checks, FrameReport, Layout, Recorder, Report, Scene, SimError, Stage, World,
    adapter,
};
use miette::miette;

use super::files::{Role, check_outputs};
use super::interrupt::Interrupt;
use super::progress::{Progress, seconds};
use super::{Outcome, fault, words};

/// Simulates a scene: a file, or a built-in scene by its name (see `gordian scenes`).
///
/// Ctrl-C, or a request to terminate, ends the run after the frame under way, with a checkpoint to go on from; a second one ends it at once.
///
/// Exit status: 0 done; 1 done, but intersections remain at the end or a `[[check]]` of the scene fails; 2 error; 130 interrupted.
/// Inverted tetrahedra are told, but count only where a `[[check]]` of `inverted_tetrahedra` asks for it.
#[derive(clap::Args)]
pub struct Args {
    /// Scene file, or name of a built-in scene.
    scene: PathBuf,
    /// Another size of the scene, such as `paper`, where it has one.
    #[arg(long, value_name = "NAME")]
    size: Option<String>,
    /// Number of frames; by default that of the scene. Of fewer, only the checks are judged that those frames cover.
    #[arg(long, value_name = "N")]
    frames: Option<u32>,
    /// Folder for frames and checkpoints; by default `out/NAME`. It takes one run of a scene at a time.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Format of the frames; by default that of the scene.
    #[arg(long, value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    compute: Compute,
    /// Writes the report, one JSON object with an entry a frame; `-` for standard output.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Writes a checkpoint every N frames.
    #[arg(long, value_name = "N")]
    checkpoint_every: Option<u32>,
    /// Goes on from a checkpoint. A report then holds the frames from there on.
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
    let scene = match (args.scene.to_str(), &args.size) {
        (Some(name), Some(size)) => Scene::open_size(name, size, &args.set),
        (Some(name), None) => Scene::open(name, &args.set),
        // A path that is no UTF-8 is no built-in scene.
        (None, None) => Scene::load_with(&args.scene, &args.set),
        (None, Some(_)) => return Err(miette!("{}: --size needs a path in UTF-8", args.scene.display())),
    };
    let mut scene = scene.map_err(fault::scene)?;
    // Of all frames of the scene, whichever of them are run.
    let checks = Checks::of(&scene);
    if let Some(frames) = args.frames {
        scene.simulation.frames = frames;
    }
    if let Some(format) = args.format {
        scene.output.format = format.into();
    }
    if let Some(every) = args.checkpoint_every {
        scene.output.checkpoint_every = every;
    }
    if scene.body.is_empty() {
        tell!("warning: the scene has no body; add one, such as `[[body]]` with `mesh = \"FILE\"`");
    }
    // Before the work, not after it.
    let folder =
        args.out.clone().unwrap_or_else(|| PathBuf::from("out").join(file_name(&scene.simulation.name)));
    if let Some(there) = folder.ancestors().find(|part| part.exists() && !part.is_dir()) {
        let whose = if args.out.is_some() { "--out" } else { "the folder of the frames" };
        return Err(miette!(
            "{}: {whose} names a folder for frames and checkpoints, but {} is a file",
            folder.display(),
            there.display()
        ));
    }
    check_files(args, &scene)?;
    check_report(args, &folder)?;
    if let Some(path) = args.report.as_ref().filter(|path| *path != Path::new("-")) {
        io::check_writable(path).map_err(fault::mesh)?;
    }
    // Read before the world is built: a checkpoint that cannot be read should not take a minute to be told.
    let checkpoint = args.resume.as_ref().map(Checkpoint::read).transpose().map_err(fault::checkpoint)?;
    let _claim = claim(&folder, &scene)?;
    let mut world = World::new(&scene, &args.compute.adapter).map_err(fault::sim)?;
    for warning in world.warnings() {
        tell!("warning: {warning}");
    }
    if let Some(checkpoint) = &checkpoint {
        world.resume(&scene, checkpoint).map_err(fault::sim)?;
        let here = adapter::describe(world.adapter());
        if checkpoint.adapter != here {
            tell!(
                "warning: the checkpoint was made on {}, this is {here}: the bits may differ",
                checkpoint.adapter
            );
        }
    }

    if world.frame() > scene.simulation.frames {
        tell!(
            "warning: nothing is left to do: the checkpoint is of frame {}, and {} were asked for",
            world.frame(),
            words::count(scene.simulation.frames.into(), "frame", "frames")
        );
    }
    let mut run = Run::new(&scene, world, checks, folder, checkpoint.map(|c| c.frame))?;
    let result = run.finish(&Interrupt::listen());
    run.report.checks = run.checks.verdicts();
    run.report.not_judged = run.checks.unjudged();
    // What was done is told even if the run broke off.
    let file = args.report.as_ref().filter(|path| *path != Path::new("-"));
    let reported = match (&args.report, file) {
        (_, Some(path)) => run.report.write(path).map_err(fault::mesh),
        (Some(_), None) => {
            say!("{}", run.report.to_json());
            Ok(())
        }
        (None, None) => Ok(()),
    };
    if let Some(checkpoint) = result.map_err(fault::sim)? {
        tell!("stopped after frame {}; go on with: --resume {}", run.world.frame(), checkpoint.display());
        reported?;
        return Ok(Outcome::Interrupted);
    }
    // Also where no frame was run, because the checkpoint is at the end already, say.
    let end = run.world.judge();
    let summary = run.summary(file.filter(|_| reported.is_ok()), &end);
    // Standard output belongs to the report where it goes there.
    match args.report.is_some() && file.is_none() {
        true => tell!("{}", summary.trim_end()),
        false => say!("{}", summary.trim_end()),
    }
    reported?;
    let fails = run.report.checks.iter().any(|c| !c.holds);
    Ok(if fails || remaining(&end) > 0 { Outcome::Intersecting } else { Outcome::Clean })
}

/// Keeps other runs from writing among the frames and checkpoints of this one; none where it writes none.
fn claim(folder: &Path, scene: &Scene) -> miette::Result<Option<FolderLock>> {
    if scene.output.format == OutputFormat::None && scene.output.checkpoint_every == 0 {
        return Ok(None);
    }
    match FolderLock::take(folder, &scene.simulation.name) {
        Ok(lock) => Ok(Some(lock)),
        Err(error @ FolderLockError::Taken { .. }) => {
            Err(miette!(help = "wait for its end, or name another folder with --out", "{error}"))
        }
        Err(error @ FolderLockError::Unsupported { .. }) => {
            tell!("warning: {error}");
            Ok(None)
        }
        Err(error) => Err(miette!("{error}")),
    }
}

/// The report is written over nothing that the run reads.
fn check_files(args: &Args, scene: &Scene) -> miette::Result<()> {
    let Some(report) = &args.report else { return Ok(()) };
    let mut read: Vec<PathBuf> = scene
        .body
        .iter()
        .flat_map(|b| b.mesh.iter().chain(&b.pose))
        .map(|file| scene.resolve(file))
        .collect();
    read.extend(scene.collider.iter().filter_map(|c| match &c.shape {
        Shape::Mesh(shape) => Some(scene.resolve(&shape.mesh)),
        _ => None,
    }));
    let mut inputs = vec![Role("the scene", &args.scene)];
    inputs.extend(args.resume.as_deref().map(|checkpoint| Role("the checkpoint", checkpoint)));
    inputs.extend(read.iter().map(|file| Role("a mesh of the scene", file)));
    check_outputs(&inputs, &[Role("the report", report)])
}

/// Among the frames a report may only have an ending that none of them has.
fn check_report(args: &Args, folder: &Path) -> miette::Result<()> {
    let Some(report) = &args.report else { return Ok(()) };
    let place = |path: &Path| std::path::absolute(path).ok();
    let among = place(report).and_then(|p| Some(p.parent()? == place(folder)?)).unwrap_or(false);
    let plain = report.extension().is_none_or(|e| e.eq_ignore_ascii_case("json"));
    match among && !plain {
        true => Err(miette!(
            help = "end its name in .json, or name another folder",
            "{}: the report could be written over a frame",
            report.display()
        )),
        false => Ok(()),
    }
}

/// A run under way.
struct Run<'a> {
    scene: &'a Scene,
    world: World,
    recorder: Recorder,
    report: Report,
    checks: Checks,
    begun: Instant,
    /// The last frame that was recorded.
    recorded: Option<u32>,
}

impl<'a> Run<'a> {
    fn new(
        scene: &'a Scene,
        world: World,
        checks: Checks,
        folder: PathBuf,
        resumed: Option<u32>,
    ) -> miette::Result<Self> {
        let report = Report::of(&world, scene);
        tell!(
            "{}: {}, {}, {} on {}",
            report.scene,
            words::count(report.bodies, "body", "bodies"),
            words::count(report.vertices, "vertex", "vertices"),
            words::count(report.tetrahedra, "tetrahedron", "tetrahedra"),
            report.adapter
        );
        let layout = Layout::of(&world).into();
        let recorder = Recorder::new(&folder, scene, layout, resumed).map_err(fault::mesh)?;
        if let Some(left) = recorder.left_over(scene.simulation.frames) {
            tell!(
                "note: {} keeps {} of an earlier run that this one does not write over, from frame {} on",
                folder.display(),
                words::count(left.files as u64, "frame", "frames"),
                left.first
            );
        }
        Ok(Self { scene, world, recorder, report, checks, begun: Instant::now(), recorded: resumed })
    }

    /// Runs to the end; or to where it was interrupted, which gives the checkpoint.
    fn finish(&mut self, interrupt: &Interrupt) -> Result<Option<PathBuf>, SimError> {
        let last = self.scene.simulation.frames;
        let mut progress = Progress::new(self.world.frame(), last);
        if self.recorded.is_none() && self.recorder.wants(0, last == 0) {
            self.record(0)?;
        }
        while self.world.frame() < last {
            let mut frame = match self.world.step_frame() {
                Ok(frame) => frame,
                Err(error) => {
                    progress.abandon();
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
            self.checks.observe(&self.world, &frame);
            let told = format!("{} contacts, {} inside", frame.contacts.total(), frame.penetrating_vertices);
            progress.reach(frame.frame, told);
            self.report.frames.push(frame);
            if interrupt.requested() && self.world.frame() < last {
                progress.abandon();
                let path = self.recorder.checkpoint_path(self.world.frame());
                self.world.checkpoint(self.scene).write(&path)?;
                return Ok(Some(path));
            }
        }
        progress.finish();
        Ok(None)
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
    fn summary(&self, report: Option<&PathBuf>, end: &FrameReport) -> String {
        self.summarise(report, end).expect("a string takes everything")
    }

    fn summarise(&self, report: Option<&PathBuf>, end: &FrameReport) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        let frames = &self.report.frames;
        // Not by `sum`, which starts from a negative zero.
        let total = frames.iter().fold(0.0, |sum, f| sum + f.ms.total);
        let per_frame = |ms: f64| ms / frames.len().max(1) as f64;
        writeln!(out, "scene      {}", self.report.scene)?;
        writeln!(out, "adapter    {}", self.report.adapter)?;
        writeln!(
            out,
            "frames     {} in {}, {:.2} ms each",
            frames.len(),
            seconds(self.begun.elapsed()),
            per_frame(total)
        )?;
        let sum = |get: fn(&FrameReport) -> u64| frames.iter().map(get).sum::<u64>();
        let mean = |get: fn(&FrameReport) -> u64| words::mean(sum(get), frames.len());
        writeln!(
            out,
            "contacts   a frame: {} met on the way (CCD), {} inside (DCD), {} cloth, {} colliders",
            mean(|f| f.contacts.ccd),
            mean(|f| f.contacts.dcd),
            mean(|f| f.contacts.proximity),
            mean(|f| f.contacts.collider)
        )?;
        writeln!(
            out,
            "queries    {} for a shortest path to the boundary, {} unresolved",
            sum(|f| f.queries),
            sum(|f| f.unresolved_queries)
        )?;
        let pairs = end.intersecting_triangle_pairs;
        let crossing = pairs.map_or(String::new(), |n| format!(", {n} crossing pairs of triangles"));
        writeln!(
            out,
            "at the end {} penetrating vertices, {} inverted tetrahedra{crossing}",
            end.penetrating_vertices, end.inverted_tetrahedra
        )?;
        for verdict in &self.report.checks {
            let said = if verdict.holds { "holds" } else { "FAILS" };
            writeln!(out, "check      {said}: {}", words::check(verdict))?;
        }
        for unjudged in &self.report.not_judged {
            writeln!(out, "check      not judged: {}", words::unjudged(unjudged))?;
        }
        for stage in Stage::ALL {
            let ms: f64 = frames.iter().map(|f| f.ms.get(stage)).sum();
            if ms > 0.0 {
                writeln!(
                    out,
                    "  {:14} {:9.3} ms a frame {:5.1} %",
                    stage.name(),
                    per_frame(ms),
                    100.0 * ms / total
                )?;
            }
        }
        for path in self.recorder.entry().iter().chain(report) {
            writeln!(out, "written    {}", path.display())?;
        }
        Ok(out)
    }
}

/// Intersections that a frame ends with.
fn remaining(frame: &FrameReport) -> u64 {
    frame.penetrating_vertices + frame.intersecting_triangle_pairs.unwrap_or(0)
}
