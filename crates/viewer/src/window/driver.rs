//! The simulation in a thread of its own: it takes commands, and shows the newest moment. The window never waits for it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use glam::Vec3;
use gordian_sim::{AdapterChoice, FrameReport, OpenFrame, Scene, SimError, World, adapter};

use super::recording::{Recording, Wanted};
use crate::overlay::Overlays;
use crate::snapshot::{Interest, Model, Snapshot};

/// A frame that takes longer is shown in between.
const PATIENCE: Duration = Duration::from_millis(60);

/// The same in slow motion, where there is time for it.
const PATIENCE_IF_SLOW: Duration = Duration::from_millis(30);

/// One part in so many of the time at most goes into that: what is shown has to be judged first.
const SHARE: u32 = 8;

/// What the window asks for.
pub enum Command {
    /// Opens a scene or a mesh, see [`crate::open`].
    Open(String),
    /// Builds the world of a changed scene anew.
    Restart(Box<Scene>),
    /// Takes over what can change while running.
    Tune(Box<Scene>),
    /// Runs, or pauses.
    Play(bool),
    /// One frame, then pauses.
    StepFrame,
    /// One substep, then pauses.
    StepSubstep,
    /// Back to the start.
    Reset,
    /// Simulated seconds a second at most; infinite for no limit.
    Speed(f64),
    /// What the moments that are shown should hold.
    Overlays(Overlays),
    /// The vertex of which they should tell its contacts and paths.
    Watch(Option<u32>),
    /// Pulls particles to a point, each with its offset from it, metres.
    Grab(Vec<(u32, Vec3)>, Vec3),
    /// Lets go; what was pulled keeps its velocity.
    Release,
    /// Holds a particle where it is, or lets it go.
    TogglePin(u32),
    /// Records from here on; `None` to stop.
    Record(Option<Box<Wanted>>),
}

/// What the thread tells.
pub enum Event {
    /// Reading and building, which may take a while.
    Opening(String),
    /// A world is there.
    Opened(Box<Opened>),
    /// A frame is done.
    Frame(Box<FrameReport>),
    /// Something failed; the window stays.
    Failed(String),
    /// Something to know.
    Note(String),
    /// Runs or stands still.
    Playing(bool),
    /// Records into this folder, or no longer.
    Recording(Option<PathBuf>),
}

/// A world that was built.
pub struct Opened {
    /// Counts worlds: moments of an earlier one are not of this.
    pub world: u64,
    /// What does not change.
    pub model: Arc<Model>,
    /// Its scene.
    pub scene: Scene,
    /// What computes.
    pub adapter: String,
}

/// The newest moment.
#[derive(Clone)]
pub struct Shown {
    /// See [`Opened::world`].
    pub world: u64,
    /// The moment.
    pub snapshot: Arc<Snapshot>,
    /// Substeps done in the present frame.
    pub substep: u32,
    /// Particles that are held by hand.
    pub pinned: Vec<u32>,
}

/// The window's end of the thread.
pub struct Driver {
    commands: Option<Sender<Command>>,
    events: Receiver<Event>,
    newest: Arc<Mutex<Option<Shown>>>,
    recording: Arc<Mutex<Option<Recording>>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Driver {
    /// Starts the thread. `wake` is called when there is something new.
    pub fn start(adapter: AdapterChoice, wake: impl Fn() + Send + 'static) -> std::io::Result<Self> {
        let (commands, inbox) = channel();
        let (outbox, events) = channel();
        let newest = Arc::new(Mutex::new(None));
        let shown = newest.clone();
        let recording = Arc::new(Mutex::new(None));
        let recorded = recording.clone();
        let thread = std::thread::Builder::new().name("simulation".into()).spawn(move || {
            Engine {
                adapter,
                inbox,
                outbox,
                newest: shown,
                wake: Box::new(wake),
                interest: Interest::default(),
                speed: 1.0,
                worlds: 0,
                running: None,
                recording: recorded,
            }
            .run();
        })?;
        Ok(Driver { commands: Some(commands), events, newest, recording, thread: Some(thread) })
    }

    /// Asks for something; it is done as soon as the present substep is over.
    pub fn send(&self, command: Command) {
        if let Some(commands) = &self.commands {
            // Where the thread has ended there is nobody to tell; its end was told by an event.
            let _ = commands.send(command);
        }
    }

    /// What happened since the last call.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        self.events.try_iter()
    }

    /// The newest moment, if it was not taken yet.
    pub fn take_newest(&self) -> Option<Shown> {
        self.newest.lock().expect("no thread panics while it holds the moment").take()
    }

    /// Ends the thread after the present substep; waits no longer than `patience`. Returns whether it has ended. Where it has
    /// not, it is left to itself, and what is recorded ends with the last whole frame.
    pub fn stop(&mut self, patience: Duration) -> bool {
        self.commands = None;
        let Some(thread) = self.thread.take() else { return true };
        let until = Instant::now() + patience;
        while !thread.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        let ended = thread.is_finished();
        if let (false, Some(recording)) = (ended, hold(&self.recording).take()) {
            // The window is gone: there is nobody to tell.
            let _ = recording.finish();
        }
        ended
    }
}

/// Takes what both threads may end; only for as long as a frame is recorded, never during a substep.
fn hold(recording: &Mutex<Option<Recording>>) -> MutexGuard<'_, Option<Recording>> {
    recording.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A world that runs or stands.
struct Running {
    world: World,
    /// As it holds now; and as the world was built.
    scene: Scene,
    model: Arc<Model>,
    frame: Option<OpenFrame>,
    playing: bool,
    /// Substeps and frames still to do while paused.
    substeps: u32,
    frames: u32,
    grabbed: Option<(Vec<(u32, Vec3)>, Vec3)>,
    pins: Vec<(u32, Vec3)>,
    next: Instant,
    /// When the last moment was shown, and what the last look at one within a frame cost.
    shown: Instant,
    looking: Duration,
    /// Computed for the frame under way; a pause within it does not count.
    computed: Duration,
}

struct Engine {
    adapter: AdapterChoice,
    inbox: Receiver<Command>,
    outbox: Sender<Event>,
    newest: Arc<Mutex<Option<Shown>>>,
    wake: Box<dyn Fn() + Send>,
    interest: Interest,
    speed: f64,
    worlds: u64,
    running: Option<Running>,
    recording: Arc<Mutex<Option<Recording>>>,
}

/// The window is gone.
struct Gone;

impl Engine {
    fn run(mut self) {
        loop {
            match catch_unwind(AssertUnwindSafe(|| self.turn())) {
                Ok(Ok(())) => {}
                Ok(Err(Gone)) => break,
                Err(payload) => self.fault(&payload),
            }
        }
        if let Some(recording) = hold(&self.recording).take() {
            // As in `Driver::stop`.
            let _ = recording.finish();
        }
    }

    /// A bug of ours ends the world in which it shows, and not the window.
    fn fault(&mut self, payload: &Box<dyn Any + Send>) {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        self.running = None;
        self.tell(Event::Playing(false));
        self.tell(Event::Failed(format!(
            "the simulation has stopped by a fault of its own ({text}); open the scene again to go on"
        )));
    }

    fn tell(&self, event: Event) {
        // As above.
        let _ = self.outbox.send(event);
        (self.wake)();
    }

    /// Takes commands, then does a substep if there is one to do.
    fn turn(&mut self) -> Result<(), Gone> {
        let due = self.running.as_ref().filter(|r| r.busy()).map(|r| r.next);
        let command = match due {
            None => Some(self.inbox.recv().map_err(|_| Gone)?),
            Some(due) => match self.inbox.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Ok(command) => Some(command),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Err(Gone),
            },
        };
        if let Some(command) = command {
            self.obey(command);
        }
        loop {
            match self.inbox.try_recv() {
                Ok(command) => self.obey(command),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return Err(Gone),
            }
        }
        if self.running.as_ref().is_some_and(|r| r.busy() && r.next <= Instant::now())
            && let Err(error) = self.substep()
        {
            if let Some(r) = &mut self.running {
                r.stop();
            }
            self.tell(Event::Playing(false));
            self.tell(Event::Failed(error.to_string()));
        }
        Ok(())
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Open(name) => {
                self.tell(Event::Opening(name.clone()));
                match crate::open(&name, &[]) {
                    Ok(scene) => self.build(scene),
                    Err(error) => self.tell(Event::Failed(error.to_string())),
                }
            }
            Command::Restart(scene) => self.build(*scene),
            Command::Reset => {
                if let Some(scene) = self.running.as_ref().map(|r| r.scene.clone()) {
                    self.build(scene);
                }
            }
            Command::Speed(speed) => self.speed = speed,
            Command::Overlays(overlays) => {
                self.interest.overlays = overlays;
                self.show();
            }
            Command::Watch(vertex) => {
                self.interest.vertex = vertex;
                // Without one, nothing more is to be told.
                if vertex.is_some() {
                    self.show();
                }
            }
            Command::Record(wanted) => self.record(wanted),
            other => self.obey_running(other),
        }
    }

    /// Commands that need a world.
    fn obey_running(&mut self, command: Command) {
        let Some(r) = &mut self.running else { return };
        let mut event = None;
        let mut changed = false;
        match command {
            Command::Play(play) => {
                r.stop();
                r.playing = play;
                r.next = Instant::now();
                // A pause shows where it came to stand.
                changed = !play;
                event = Some(Event::Playing(play));
            }
            Command::StepFrame => {
                r.stop();
                (r.frames, r.next) = (1, Instant::now());
                event = Some(Event::Playing(false));
            }
            Command::StepSubstep => {
                r.stop();
                (r.substeps, r.next) = (1, Instant::now());
                event = Some(Event::Playing(false));
            }
            Command::Tune(scene) => {
                // Substeps of a frame under way are not mixed with those of another length.
                r.frame = None;
                let holds = World::tuned(&r.scene, &scene);
                if !r.world.tune(&r.scene, &scene) {
                    event = Some(Event::Note("some of the changes need a restart".into()));
                }
                r.scene = holds;
            }
            Command::Grab(particles, target) => {
                r.grabbed = Some((particles, target));
                changed = !r.busy();
            }
            Command::Release => r.grabbed = None,
            Command::TogglePin(particle) => {
                match r.pins.iter().position(|p| p.0 == particle) {
                    Some(i) => drop(r.pins.remove(i)),
                    None => r.pins.push((particle, r.world.positions()[particle as usize])),
                }
                changed = true;
            }
            _ => unreachable!("the others need no world"),
        }
        if changed {
            if let (false, Some((particles, target))) = (r.busy(), &r.grabbed) {
                let places = particles.iter().map(|&(p, offset)| (p, *target + offset));
                if let Err(error) = r.world.set_positions(places) {
                    event = Some(Event::Failed(error.to_string()));
                }
            }
            self.show();
        }
        if let Some(event) = event {
            self.tell(event);
        }
    }

    /// Builds the world of `scene`. If that fails, the world that was there stays.
    fn build(&mut self, scene: Scene) {
        match World::new(&scene, &self.adapter) {
            Ok(world) => {
                self.worlds += 1;
                let model = Arc::new(Model::of(&world, scene.up().as_vec3()));
                let opened = Opened {
                    world: self.worlds,
                    model: model.clone(),
                    scene: scene.clone(),
                    adapter: adapter::describe(world.adapter()),
                };
                let warnings = world.warnings().to_vec();
                let now = Instant::now();
                self.running = Some(Running {
                    world,
                    scene,
                    model,
                    frame: None,
                    playing: false,
                    substeps: 0,
                    frames: 0,
                    grabbed: None,
                    pins: Vec::new(),
                    next: now,
                    shown: now,
                    looking: Duration::ZERO,
                    computed: Duration::ZERO,
                });
                self.tell(Event::Opened(Box::new(opened)));
                for warning in warnings {
                    self.tell(Event::Note(warning));
                }
                self.show();
            }
            Err(error) => self.tell(Event::Failed(error.to_string())),
        }
    }

    fn substep(&mut self) -> Result<(), SimError> {
        let Some(r) = &mut self.running else { return Ok(()) };
        let begun = Instant::now();
        r.pull()?;
        let mut frame = r.frame.take().unwrap_or_else(|| {
            r.computed = Duration::ZERO;
            r.world.begin_frame()
        });
        let advanced = r.world.advance(&mut frame)?;
        r.computed += begun.elapsed();
        if r.playing {
            // Each substep in its time, so that slow motion is no slide show; what is late by no more than a frame is made up for.
            let seconds = |s: f64| Duration::try_from_secs_f64(s / self.speed).unwrap_or(Duration::ZERO);
            let latest = Instant::now().checked_sub(seconds(r.scene.simulation.frame_s)).unwrap_or(r.next);
            r.next = (r.next + seconds(r.world.substep_s())).max(latest);
        }
        let Some(mut report) = advanced else {
            r.frame = Some(frame);
            let wanted = r.substeps > 0;
            r.substeps = r.substeps.saturating_sub(1);
            let patience = if self.speed < 1.0 { PATIENCE_IF_SLOW } else { PATIENCE };
            if wanted || r.shown.elapsed() > patience.max(r.looking * SHARE) {
                self.show();
            }
            return Ok(());
        };
        report.ms.total = r.computed.as_secs_f64() * 1e3;
        r.substeps = 0;
        r.frames = r.frames.saturating_sub(1);
        let snapshot = Arc::new(Snapshot::of(&r.world, report.clone(), self.interest));
        self.publish(snapshot.clone());
        let mut recording = hold(&self.recording);
        let failed = match (&mut *recording, &self.running) {
            (Some(recording), Some(r)) => recording.frame(&r.world, &r.model, &snapshot, &report).err(),
            _ => None,
        };
        if failed.is_some() {
            *recording = None;
        }
        drop(recording);
        if let Some(message) = failed {
            self.tell(Event::Recording(None));
            self.tell(Event::Failed(format!("recording ends: {message}")));
        }
        self.tell(Event::Frame(Box::new(report)));
        Ok(())
    }

    /// Shows the present moment, which need not be the end of a frame.
    fn show(&mut self) {
        let Some(r) = &mut self.running else { return };
        let begun = Instant::now();
        let looked = Snapshot::inspect(&mut r.world, self.interest);
        r.looking = begun.elapsed();
        match looked {
            Ok(snapshot) => self.publish(Arc::new(snapshot)),
            Err(error) => self.tell(Event::Failed(error.to_string())),
        }
    }

    fn publish(&mut self, snapshot: Arc<Snapshot>) {
        let Some(r) = &mut self.running else { return };
        r.shown = Instant::now();
        let shown = Shown {
            world: self.worlds,
            snapshot,
            substep: r.frame.as_ref().map_or(0, OpenFrame::substeps),
            pinned: r.pins.iter().map(|p| p.0).collect(),
        };
        *self.newest.lock().expect("no thread panics while it holds the moment") = Some(shown);
        (self.wake)();
    }

    fn record(&mut self, wanted: Option<Box<Wanted>>) {
        let before = hold(&self.recording).take();
        if let Some(recording) = before {
            match recording.finish() {
                Ok(text) => self.tell(Event::Note(text)),
                Err(message) => self.tell(Event::Failed(message)),
            }
        }
        let mut folder = None;
        if let (Some(wanted), Some(r)) = (wanted, &self.running) {
            match Recording::start(*wanted, &r.world, &r.scene) {
                Ok(recording) => {
                    folder = Some(recording.folder().to_path_buf());
                    *hold(&self.recording) = Some(recording);
                }
                Err(message) => self.tell(Event::Failed(message)),
            }
        }
        self.tell(Event::Recording(folder));
    }
}

impl Running {
    fn busy(&self) -> bool {
        self.playing || self.substeps > 0 || self.frames > 0
    }

    fn stop(&mut self) {
        self.playing = false;
        self.substeps = 0;
        self.frames = 0;
    }

    /// What is held by hand moves to where the hand is, by a velocity, so that it keeps that when it is let go.
    fn pull(&mut self) -> Result<(), SimError> {
        if self.grabbed.is_none() && self.pins.is_empty() {
            return Ok(());
        }
        let h = self.world.substep_s() as f32;
        let x = self.world.positions();
        let mut velocities: Vec<(u32, Vec3)> = Vec::new();
        if let Some((particles, target)) = &self.grabbed {
            for &(p, offset) in particles {
                // No farther in a substep than an edge: the elements around must follow.
                let body = self.model.body_of[p as usize] as usize;
                let farthest = self.model.bodies[body].mean_edge as f32;
                let way = (*target + offset - x[p as usize]) * 0.5;
                velocities.push((p, way.clamp_length_max(farthest) / h));
            }
        }
        velocities.extend(self.pins.iter().map(|&(p, at)| (p, (at - x[p as usize]) / h)));
        self.world.set_velocities(velocities.into_iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn wait<T>(mut look: impl FnMut() -> Option<T>) -> T {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(found) = look() {
                return found;
            }
            assert!(Instant::now() < until, "nothing happened for a minute");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn ball() -> Box<Scene> {
        let scene = "
            [simulation]
            substeps = 5
            gravity_m_s2 = [0, 0, 0]
            [[body]]
            generator = { kind = \"sphere\", radius = 0.5, resolution = 4 }
        ";
        Box::new(Scene::parse(scene, "ball").unwrap())
    }

    fn newest(driver: &Driver, fits: impl Fn(&Shown) -> bool) -> Shown {
        wait(|| driver.take_newest().filter(|s| fits(s)))
    }

    #[test]
    fn steps_reset_and_errors_keep_the_thread_alive() {
        let mut driver = Driver::start(AdapterChoice::Cpu, || {}).unwrap();
        driver.send(Command::Open("no_such_scene".into()));
        wait(|| driver.events().find(|e| matches!(e, Event::Failed(m) if m.contains("no_such_scene"))));
        driver.send(Command::Restart(ball()));
        assert_eq!(newest(&driver, |_| true).snapshot.frame, 0);
        driver.send(Command::StepSubstep);
        assert_eq!(newest(&driver, |s| s.substep > 0).substep, 1);
        driver.send(Command::StepFrame);
        assert_eq!(newest(&driver, |s| s.snapshot.frame > 0).snapshot.frame, 1);
        driver.send(Command::Reset);
        let again = newest(&driver, |s| s.snapshot.frame == 0);
        assert_eq!(again.world, 2);
        assert!(driver.stop(Duration::from_secs(60)));
    }

    #[test]
    fn a_grabbed_particle_follows_the_hand_keeps_its_velocity_and_a_pinned_one_stays() {
        let driver = Driver::start(AdapterChoice::Cpu, || {}).unwrap();
        driver.send(Command::Restart(ball()));
        let start = newest(&driver, |_| true);
        let pinned = 0;
        driver.send(Command::TogglePin(pinned));
        driver.send(Command::Speed(f64::INFINITY));
        let particle = start.snapshot.positions.len() as u32 - 1;
        let from = start.snapshot.positions[particle as usize];
        let target = from + Vec3::new(0.3, 0.1, 0.0);
        driver.send(Command::Grab(vec![(particle, Vec3::ZERO)], target));
        driver.send(Command::Play(true));
        let near = newest(&driver, |s| s.snapshot.positions[particle as usize].distance(target) < 0.1);
        assert_eq!(near.pinned, [pinned]);
        driver.send(Command::Release);
        let end = newest(&driver, |s| s.snapshot.frame > near.snapshot.frame);
        driver.send(Command::Play(false));
        let moved =
            end.snapshot.positions[pinned as usize].distance(start.snapshot.positions[pinned as usize]);
        assert!(moved < 0.05, "{moved}");
        let fastest = end.snapshot.velocities.iter().map(|v| v.length()).fold(0.0, f32::max);
        assert!(fastest > 0.01, "{fastest}");
    }

    #[test]
    fn a_bug_ends_the_world_and_not_the_thread() {
        let broken = Arc::new(AtomicBool::new(false));
        let at = broken.clone();
        let wake = move || assert!(!at.swap(false, Ordering::SeqCst), "a bug");
        let driver = Driver::start(AdapterChoice::Cpu, wake).unwrap();
        driver.send(Command::Restart(ball()));
        newest(&driver, |_| true);
        broken.store(true, Ordering::SeqCst);
        driver.send(Command::StepFrame);
        wait(|| driver.events().find(|e| matches!(e, Event::Failed(m) if m.contains("a bug"))));
        driver.send(Command::Restart(ball()));
        assert_eq!(newest(&driver, |s| s.world == 2).snapshot.frame, 0);
    }

    #[test]
    fn the_thread_ends_in_the_middle_of_a_long_frame() {
        let mut scene = ball();
        scene.simulation.substeps = 1_000_000;
        let mut driver = Driver::start(AdapterChoice::Cpu, || {}).unwrap();
        driver.send(Command::Restart(scene));
        driver.send(Command::Play(true));
        newest(&driver, |s| s.substep > 0);
        let begun = Instant::now();
        assert!(driver.stop(Duration::from_secs(30)));
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}
