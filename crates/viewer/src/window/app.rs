//! The state of the window, and how it takes in what the simulation tells.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gordian_sim::{AdapterChoice, FrameReport, Scene};

use super::browser::{Browser, Decision, Purpose};
use super::driver::{Command, Driver, Event, Opened, Shown};
use super::pace::Pace;
use super::thumbnails::Thumbnails;
use super::viewport::Grab;
use super::{controls, inspector, measure, messages, record, scenes, style, tune, viewport};
use crate::camera::Camera;
use crate::clip::ClipChoice;
use crate::compose::{Look, compose, extent, in_view};
use crate::gpu::Gpu;
use crate::overlay::Overlays;
use crate::renderer::{Quality, Renderer};
use crate::theme::Theme;

/// Widths of the settings, points: the picture keeps most of a window, whatever there is to tell.
const SETTINGS: egui::Rangef = egui::Rangef { min: 260.0, max: 400.0 };

/// A window that is narrower has no room for panels beside the picture, points; and for more than one of them.
const ROOM: [f32; 2] = [600.0, 880.0];

/// Where a clip plane is at first.
const THROUGH_THE_MIDDLE: ClipChoice = ClipChoice { normal: glam::Vec3::X, offset: None };

/// Frames that plots go back.
pub(super) const HISTORY: usize = 240;

/// Something to tell.
pub(super) struct Message {
    pub text: String,
    pub error: bool,
    pub since: Instant,
}

/// The window: all of it but the window itself.
pub struct App {
    pub(super) gpu: Gpu,
    pub(super) renderer: Renderer,
    pub(super) quality: Quality,
    pub(super) pace: Pace,
    pub(super) driver: Driver,
    pub(super) opened: Option<Box<Opened>>,
    pub(super) shown: Option<Shown>,
    /// What is being opened.
    pub(super) opening: Option<String>,
    /// The scene with the changes made here; `changed` where some need a restart.
    pub(super) draft: Option<Scene>,
    pub(super) playing: bool,
    pub(super) speed: f64,
    pub(super) theme: Theme,
    pub(super) overlays: Overlays,
    /// Where the clip plane is or was last, and whether it cuts.
    pub(super) clip: ClipChoice,
    pub(super) cuts: bool,
    pub(super) camera: Camera,
    /// The next moment is brought into view.
    pub(super) wants_framing: bool,
    /// The scene that is open is brought into view in the list.
    pub(super) wants_listing: bool,
    pub(super) selected: Option<u32>,
    pub(super) grab: Option<Grab>,
    pub(super) history: VecDeque<FrameReport>,
    pub(super) messages: Vec<Message>,
    pub(super) thumbnails: Thumbnails,
    pub(super) browser: Option<(Purpose, Browser)>,
    /// Where the browser was last.
    pub(super) folder: PathBuf,
    pub(super) record: record::Form,
    pub(super) save_as: String,
    pub(super) texture: Option<egui::TextureId>,
    /// Geometry must be composed again.
    pub(super) stale: bool,
    pub(super) panels: bool,
    /// There is room for one panel: the list of scenes, or the settings.
    pub(super) alternates: bool,
    pub(super) lists: bool,
    /// What a frame of the window costs, milliseconds; smoothed.
    pub(super) drawing_ms: f64,
    /// Threads of the window's own: those of the simulation may be busy for long.
    pub(super) pool: rayon::ThreadPool,
}

impl App {
    /// An empty window. `wake` is called, from another thread, when there is something new to draw.
    pub fn new(gpu: &Gpu, adapter: AdapterChoice, wake: impl Fn() + Send + 'static) -> std::io::Result<Self> {
        let driver = Driver::start(adapter, wake)?;
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(cores.div_ceil(2))
            .thread_name(|i| format!("window {i}"));
        let pool = pool.build().map_err(std::io::Error::other)?;
        let renderer = Renderer::new(gpu);
        gpu.check().map_err(std::io::Error::other)?;
        Ok(App {
            renderer,
            quality: if gpu.software { Quality::QUICK } else { Quality::FINE },
            pace: Pace::new(gpu.software),
            gpu: gpu.clone(),
            driver,
            opened: None,
            shown: None,
            opening: None,
            draft: None,
            playing: false,
            speed: 1.0,
            theme: Theme::Dark,
            overlays: Overlays::default(),
            clip: THROUGH_THE_MIDDLE,
            cuts: false,
            camera: Camera::new(glam::Vec3::Y),
            wants_framing: false,
            wants_listing: false,
            selected: None,
            grab: None,
            history: VecDeque::with_capacity(HISTORY),
            messages: Vec::new(),
            thumbnails: Thumbnails::default(),
            browser: None,
            folder: PathBuf::from("."),
            record: record::Form::default(),
            save_as: String::new(),
            texture: None,
            stale: false,
            panels: true,
            alternates: false,
            lists: true,
            drawing_ms: 0.0,
            pool,
        })
    }

    /// Opens a scene or a mesh, as [`crate::open`] does.
    pub fn open(&mut self, name: &str) {
        self.opening = Some(name.to_owned());
        self.driver.send(Command::Open(name.to_owned()));
    }

    /// Simulated seconds a second at most; infinite for no limit.
    pub fn set_speed(&mut self, speed: f64) {
        self.speed = speed;
        self.driver.send(Command::Speed(speed));
    }

    /// Whether it is still being read and built.
    pub fn is_opening(&self) -> bool {
        self.opening.is_some()
    }

    /// The newest moment.
    pub fn shown(&self) -> Option<&Shown> {
        self.shown.as_ref()
    }

    /// The scene that is open.
    pub fn scene(&self) -> Option<&Scene> {
        self.opened.as_ref().map(|o| &o.scene)
    }

    /// The vertex that is looked at.
    pub fn selected(&self) -> Option<u32> {
        self.selected
    }

    /// The texts of the errors that are shown.
    pub fn errors(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().filter(|m| m.error).map(|m| m.text.as_str())
    }

    /// Where a point is seen, in points of the window; `None` behind the eye.
    pub fn place_of(&self, point: glam::Vec3, view: egui::Rect) -> Option<egui::Pos2> {
        let aspect = view.width() / view.height();
        let clip = self.camera.view_projection(aspect, 1.0) * point.extend(1.0);
        let ndc = clip.truncate() / clip.w;
        let at = egui::pos2(
            view.left() + (ndc.x + 1.0) / 2.0 * view.width(),
            view.top() + (1.0 - ndc.y) / 2.0 * view.height(),
        );
        (clip.w > 0.0).then_some(at)
    }

    /// Draws every picture as finely as the display shows, however long that takes: pictures can be compared.
    pub fn draw_finely(&mut self) {
        self.pace.adapts = false;
    }

    /// Takes note of how long the last frame of the window took, from its beginning until it was handed to the display.
    pub(super) fn drawn_in(&mut self, time: Duration) {
        let ms = time.as_secs_f64() * 1e3;
        self.drawing_ms += (ms - self.drawing_ms) * if self.drawing_ms == 0.0 { 1.0 } else { 0.2 };
    }

    /// Ends the simulation after the present substep; waits no longer than `patience`.
    pub fn stop(&mut self, patience: Duration) -> bool {
        self.driver.stop(patience)
    }

    pub(super) fn say(&mut self, text: impl Into<String>, error: bool) {
        let text = text.into();
        self.messages.retain(|m| m.text != text);
        self.messages.push(Message { text, error, since: Instant::now() });
        let many = self.messages.len().saturating_sub(5);
        self.messages.drain(..many);
    }

    /// Takes in what happened since the last call.
    pub fn update(&mut self) {
        let events: Vec<Event> = self.driver.events().collect();
        for event in events {
            match event {
                Event::Opening(name) => self.opening = Some(name),
                Event::Opened(opened) => self.take(opened),
                Event::Frame(report) => {
                    if self.history.len() == HISTORY {
                        self.history.pop_front();
                    }
                    self.history.push_back(*report);
                }
                Event::Failed(text) => {
                    self.opening = None;
                    self.say(text, true);
                }
                Event::Note(text) => self.say(text, false),
                Event::Playing(playing) => self.playing = playing,
                Event::Recording(folder) => self.record.folder_in_use = folder,
            }
        }
        let Some(newest) = self.driver.take_newest() else { return };
        if self.opened.as_ref().is_some_and(|o| o.world == newest.world) {
            self.shown = Some(newest);
            self.stale = true;
            if std::mem::take(&mut self.wants_framing) {
                self.frame_all();
            }
        }
    }

    fn take(&mut self, opened: Box<Opened>) {
        let other =
            self.opened.as_ref().is_none_or(|o| o.scene.simulation.name != opened.scene.simulation.name);
        if other {
            self.camera = Camera::new(opened.model.up);
            self.wants_framing = true;
            self.wants_listing = true;
            (self.clip, self.cuts) = (THROUGH_THE_MIDDLE, false);
        }
        self.opening = None;
        self.lists = false;
        self.playing = false;
        self.select(None);
        self.grab = None;
        self.shown = None;
        self.history.clear();
        self.draft = Some(opened.scene.clone());
        self.save_as = format!("{}_changed.toml", opened.scene.simulation.name);
        self.opened = Some(opened);
    }

    /// Looks at a vertex, or at none.
    pub(super) fn select(&mut self, vertex: Option<u32>) {
        if self.selected != vertex {
            self.selected = vertex;
            self.driver.send(Command::Watch(vertex));
        }
        self.stale = true;
    }

    /// Brings everything into view.
    pub(super) fn frame_all(&mut self) {
        if let (Some(opened), Some(shown)) = (&self.opened, &self.shown) {
            let points = in_view(&opened.model, &shown.snapshot);
            self.camera.frame(points.iter().copied(), self.record.aspect.max(0.2));
        }
    }

    /// Brings the selected vertex and what is around it into view; without a selection, everything.
    pub(super) fn frame_selection(&mut self) {
        match (&self.opened, &self.shown, self.selected) {
            (Some(opened), Some(shown), Some(v)) => {
                let body = &opened.model.bodies[opened.model.body_of[v as usize] as usize];
                let near = body.mean_edge as f32 * 6.0;
                self.camera.target = shown.snapshot.positions[v as usize];
                self.camera.distance = near / (self.camera.field_of_view / 2.0).tan();
            }
            _ => self.frame_all(),
        }
    }

    pub(super) fn look(&self) -> Look {
        let centre = match (&self.opened, &self.shown) {
            (Some(o), Some(s)) => crate::camera::bounds(extent(&o.model, &s.snapshot).into_iter()),
            _ => None,
        };
        let centre = centre.map_or(glam::Vec3::ZERO, |(low, high)| (low + high) / 2.0);
        Look {
            theme: self.theme,
            overlays: self.overlays,
            clip: self.cuts.then(|| self.clip.plane(centre)),
            selected: self.selected,
        }
    }

    /// Brings the geometry on the device up to date; returns whether it has changed.
    pub(super) fn compose(&mut self) -> bool {
        if !std::mem::take(&mut self.stale) {
            return false;
        }
        let look = self.look();
        let (Some(opened), Some(shown)) = (&self.opened, &self.shown) else { return false };
        let geometry = self.pool.install(|| {
            let mut geometry = compose(&opened.model, &shown.snapshot, &look);
            inspector::marks(&mut geometry, &opened.model, shown, &look);
            geometry
        });
        if !self.renderer.upload(&geometry) {
            self.say("the scene is too large for this graphics adapter; a part of it is not drawn", true);
        }
        true
    }

    /// Opens the browser, in a folder or where it was last.
    pub(super) fn browse(&mut self, purpose: Purpose, folder: Option<&Path>) {
        let name = if purpose == Purpose::Save { self.save_as.as_str() } else { "" };
        let browser = Browser::new(purpose, folder.unwrap_or(&self.folder), name);
        self.browser = Some((purpose, browser));
    }

    /// Opens the browser for scenes and meshes in a folder.
    pub fn browse_folder(&mut self, folder: &Path) {
        self.browse(Purpose::Open, Some(folder));
    }

    /// The scene with the changes made in the window.
    pub fn draft(&self) -> Option<&Scene> {
        self.draft.as_ref()
    }

    fn browser(&mut self, ctx: &egui::Context) {
        let Some((purpose, browser)) = &mut self.browser else { return };
        let (purpose, decision) = (*purpose, browser.show(ctx));
        self.folder = browser.folder().to_path_buf();
        match decision {
            None => return,
            Some(Decision::Leave) => {}
            Some(Decision::Take(path)) => match purpose {
                Purpose::Open => self.open(&path.display().to_string()),
                Purpose::Save => tune::save(self, &path),
                Purpose::Folder => self.record.folder = path.display().to_string(),
            },
        }
        self.browser = None;
    }

    /// All of the window. `painter`: what egui is painted with; it shows the picture of the scene.
    pub fn ui(&mut self, ui: &mut egui::Ui, painter: &mut egui_wgpu::Renderer) {
        self.update();
        controls::dropped_files(self, ui.ctx());
        controls::keys(self, ui.ctx());
        style::apply(ui.ctx(), self.theme);
        let room = ROOM.iter().filter(|r| self.panels && ui.available_width() >= **r).count();
        self.alternates = room == 1;
        if room == 2 || room == 1 && self.lists {
            egui::Panel::left("scenes").default_size(270.0).show(ui, |ui| scenes::show(self, ui));
        }
        if room == 2 || room == 1 && !self.lists {
            let settings = egui::Panel::right("settings").default_size(330.0).size_range(SETTINGS);
            settings.show(ui, |ui| {
                egui::ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                    inspector::overlays(self, ui);
                    inspector::selection(self, ui);
                    tune::show(self, ui);
                    measure::show(self, ui);
                    record::show(self, ui);
                });
            });
        }
        egui::Panel::bottom("controls").show(ui, |ui| controls::bar(self, ui));
        let picture =
            egui::CentralPanel::no_frame().show(ui, |ui| viewport::show(self, ui, painter)).response.rect;
        controls::held_files(ui, picture);
        if let Err(error) = self.gpu.check() {
            self.say(error.to_string(), true);
        }
        self.browser(ui.ctx());
        messages::show(self, ui.ctx());
    }
}
