//! The window without a display: input as egui gives it, pictures read back from the device.
#![cfg(feature = "window")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, pos2, vec2};
use gordian_sim::AdapterChoice;
use gordian_sim::scene::SCENES;
use gordian_viewer::window::{App, Screen, Shown};
use gordian_viewer::{DrawWith, Gpu, Image};

const SIZE: [u32; 2] = [900, 600];

struct Desk {
    ctx: egui::Context,
    app: App,
    screen: Screen,
    gpu: Gpu,
    size: [u32; 2],
    texts: Vec<(String, Rect)>,
    passes: u32,
}

impl Desk {
    fn new() -> Self {
        Self::woken_by(|| {})
    }

    /// `wake` is called by the thread of the simulation.
    fn woken_by(wake: impl Fn() + Send + 'static) -> Self {
        let gpu = Gpu::offscreen(&DrawWith::Auto).unwrap();
        let mut app = App::new(&gpu, AdapterChoice::Cpu, wake).unwrap();
        app.draw_finely();
        let screen = Screen::new(&gpu, wgpu::TextureFormat::Rgba8Unorm);
        Desk { ctx: egui::Context::default(), app, screen, gpu, size: SIZE, texts: Vec::new(), passes: 0 }
    }

    /// A pass with events; returns what it shows.
    fn pass(&mut self, events: Vec<Event>) -> Image {
        let texture = self.gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: self.size[0], height: self.size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let screen_rect = Rect::from_min_size(Pos2::ZERO, vec2(self.size[0] as f32, self.size[1] as f32));
        // A click must be short; how long passes take here says nothing.
        self.passes += 1;
        let time = Some(self.passes as f64 / 60.0);
        let input =
            egui::RawInput { screen_rect: Some(screen_rect), events, time, ..egui::RawInput::default() };
        let (app, painter) = (&mut self.app, &mut self.screen.painter);
        let output = self.ctx.run_ui(input, |ui| app.ui(ui, painter));
        self.texts.clear();
        for shape in &output.shapes {
            collect(&shape.shape, &mut self.texts);
        }
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.screen.paint(&self.ctx, output, &view, self.size);
        gordian_viewer::renderer::read(&self.gpu, &texture).unwrap()
    }

    /// Passes until something holds.
    fn until(&mut self, mut holds: impl FnMut(&Desk) -> bool) {
        // Far more than it takes: software draws here, on a machine that may be busy.
        let end = Instant::now() + Duration::from_secs(240);
        loop {
            self.pass(Vec::new());
            if holds(self) {
                return;
            }
            assert!(Instant::now() < end, "it did not happen within four minutes");
            std::thread::sleep(Duration::from_millis(40));
        }
    }

    fn open(&mut self, scene: &str) {
        self.app.open(scene);
        self.until(|d| !d.app.is_opening() && d.app.shown().is_some());
        self.pass(Vec::new());
    }

    fn key(&mut self, key: Key) -> Image {
        self.chord(Modifiers::NONE, key)
    }

    fn chord(&mut self, modifiers: Modifiers, key: Key) -> Image {
        let event = |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
        self.pass(vec![event(true), event(false)])
    }

    fn says(&self, text: &str) -> bool {
        self.texts.iter().any(|t| t.0.contains(text))
    }

    /// Opens a section, which takes a few passes.
    fn unfold(&mut self, section: &str) {
        self.click(section);
        for _ in 0..30 {
            self.pass(Vec::new());
        }
    }

    fn double_click(&mut self, text: &str) {
        self.click(text);
        self.click(text);
    }

    /// Turns the camera by a drag from the upper left corner, where there is no body.
    fn turn(&mut self) -> Image {
        let corner = pos2(20.0, 20.0);
        self.pass(vec![Event::PointerMoved(corner)]);
        self.pass(vec![button(corner, PointerButton::Primary, true)]);
        self.pass(vec![Event::PointerMoved(corner + vec2(60.0, 0.0))]);
        self.pass(vec![button(corner + vec2(60.0, 0.0), PointerButton::Primary, false)])
    }

    fn shown(&self) -> Shown {
        self.app.shown().expect("a scene is open").clone()
    }

    fn click(&mut self, text: &str) {
        let at = self.texts.iter().find(|t| t.0 == text).unwrap_or_else(|| panic!("no `{text}`")).1.center();
        self.pass(vec![Event::PointerMoved(at)]);
        self.pass(vec![button(at, PointerButton::Primary, true)]);
        self.pass(vec![button(at, PointerButton::Primary, false)]);
    }
}

fn button(pos: Pos2, button: PointerButton, pressed: bool) -> Event {
    Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE }
}

fn collect(shape: &egui::Shape, out: &mut Vec<(String, Rect)>) {
    match shape {
        egui::Shape::Text(t) => out.push((t.galley.text().to_owned(), t.visual_bounding_rect())),
        egui::Shape::Vec(shapes) => shapes.iter().for_each(|s| collect(s, out)),
        _ => {}
    }
}

fn differ(a: &Image, b: &Image) -> usize {
    let pixels = a.rgba.chunks(4).zip(b.rgba.chunks(4));
    pixels.filter(|(p, q)| (0..3).any(|k| p[k].abs_diff(q[k]) > 4)).count()
}

/// A soft ball in the air, as a file.
fn ball(folder: &std::path::Path) -> String {
    let path = folder.join("ball.toml");
    let text = "
[simulation]
substeps = 4
gravity_m_s2 = [0, 0, 0]
[[body]]
generator = { kind = \"sphere\", radius = 0.5, resolution = 6 }
";
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn scenes_open_switch_play_and_step() {
    let mut desk = Desk::new();
    // High enough for the list of scenes.
    desk.size = [900, 200 + 100 * SCENES.len() as u32];
    let empty = desk.pass(Vec::new());
    desk.pass(Vec::new());
    desk.click("two spheres");
    desk.until(|d| d.app.shown().is_some());
    let full = desk.pass(Vec::new());
    assert!(differ(&empty, &full) > 5000, "the balls are seen");
    assert_eq!(desk.app.scene().unwrap().simulation.name, "two_spheres");
    desk.key(Key::Period);
    desk.until(|d| d.shown().snapshot.frame == 1);
    desk.key(Key::Comma);
    desk.until(|d| d.shown().substep == 1);
    desk.key(Key::R);
    desk.until(|d| d.app.shown().is_some_and(|s| s.world == 2 && s.snapshot.frame == 0));

    let folder = tempfile::tempdir().unwrap();
    desk.open(&ball(folder.path()));
    desk.until(|d| d.app.scene().is_some_and(|s| s.simulation.name == "ball"));
    desk.key(Key::Space);
    desk.until(|d| d.app.shown().is_some_and(|s| s.snapshot.frame >= 3));
    desk.key(Key::Space);
    assert!(desk.app.stop(Duration::from_secs(30)));
}

#[test]
fn a_broken_scene_shows_its_error_and_what_was_open_stays() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.toml");
    std::fs::write(&broken, "[simulation]\nsubstep = 3\n").unwrap();
    let mut desk = Desk::new();
    desk.open(&ball(folder.path()));
    desk.app.open(&broken.display().to_string());
    desk.until(|d| d.app.errors().count() > 0);
    let error = desk.app.errors().next().unwrap().to_owned();
    assert!(error.contains("substep") && error.contains("substeps"), "{error}");
    desk.pass(Vec::new());
    assert!(desk.texts.iter().any(|t| t.0.contains("substeps")), "it is seen");
    assert_eq!(desk.app.scene().unwrap().simulation.name, "ball");
    desk.click("close");
    desk.pass(Vec::new());
    assert_eq!(desk.app.errors().count(), 0);
}

#[test]
fn a_drag_moves_the_ball_and_its_velocity_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new();
    // Nothing but the picture, so that places are known.
    desk.key(Key::H);
    desk.open(&ball(folder.path()));
    desk.key(Key::A);
    let centre = |s: &Shown| {
        let x = &s.snapshot.positions;
        x.iter().sum::<glam::Vec3>() / x.len() as f32
    };
    let before = centre(&desk.shown());
    desk.key(Key::Space);
    let middle = pos2(SIZE[0] as f32 / 2.0, SIZE[1] as f32 / 2.0 - 10.0);
    desk.pass(vec![Event::PointerMoved(middle)]);
    desk.pass(vec![button(middle, PointerButton::Primary, true)]);
    for i in 1..=20 {
        desk.pass(vec![Event::PointerMoved(middle + vec2(6.0 * i as f32, 0.0))]);
    }
    desk.until(|d| (centre(&d.shown()) - before).length() > 0.05);
    let end = middle + vec2(120.0, 0.0);
    desk.pass(vec![button(end, PointerButton::Primary, false)]);
    let released = desk.shown().snapshot.frame;
    desk.until(|d| d.shown().snapshot.frame > released + 2);
    let s = desk.shown();
    let fastest = s.snapshot.velocities.iter().map(|v| v.length()).fold(0.0, f32::max);
    assert!(fastest > 0.01, "what was pulled goes on: {fastest}");
}

#[test]
fn overlays_change_the_picture_and_a_drag_beside_the_bodies_turns_the_camera() {
    let mut desk = Desk::new();
    desk.key(Key::H);
    desk.open("tangled_noodle");
    let with = desk.pass(Vec::new());
    let without = desk.key(Key::Num1);
    assert!(differ(&with, &without) > 50, "penetrating vertices");
    for (key, pixels, what) in [(Key::Num5, 1000, "wires"), (Key::Num7, 5000, "the colouring")] {
        let with = desk.key(key);
        assert!(differ(&without, &with) > pixels, "{what}");
        let again = desk.key(key);
        assert_eq!(differ(&without, &again), 0, "{what} off");
    }
    // These are looked up by the simulation.
    for (key, what) in [(Key::Num4, "paths"), (Key::Num8, "culled boxes")] {
        let begun = desk.shown().snapshot;
        desk.key(key);
        desk.until(|d| !Arc::ptr_eq(&d.shown().snapshot, &begun));
        let with = desk.pass(Vec::new());
        assert!(differ(&without, &with) > 50, "{what}");
        desk.key(key);
    }
    let cut = desk.key(Key::C);
    assert!(differ(&without, &cut) > 1000, "clip plane");
    let turned = desk.turn();
    assert!(differ(&cut, &turned) > 1000, "turned");
}

#[test]
fn every_size_of_the_window_is_survived() {
    let mut desk = Desk::new();
    desk.open("two_spheres");
    for size in [[1, 1], [64, 40], [1600, 300], [300, 900], SIZE] {
        desk.size = size;
        desk.pass(Vec::new());
        desk.pass(Vec::new());
    }
    assert_eq!(desk.app.errors().count(), 0);
}

#[test]
fn the_browser_goes_into_folders_says_what_is_in_a_scene_and_opens_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("inner")).unwrap();
    ball(&folder.path().join("inner"));
    std::fs::write(folder.path().join("inner/broken.toml"), "[simulation]\nsubstep = 3\n").unwrap();
    std::fs::write(folder.path().join("inner/notes.txt"), "").unwrap();
    let mut desk = Desk::new();
    desk.pass(Vec::new());
    desk.chord(Modifiers::COMMAND, Key::O);
    desk.pass(Vec::new());
    assert!(desk.says("Open a scene or a mesh"));
    desk.key(Key::Escape);
    desk.pass(Vec::new());
    assert!(!desk.says("Open a scene or a mesh"));

    desk.app.browse_folder(folder.path());
    desk.pass(Vec::new());
    desk.pass(Vec::new());
    desk.double_click("inner");
    desk.pass(Vec::new());
    assert!(desk.says("ball.toml") && desk.says("broken.toml") && !desk.says("notes.txt"));
    desk.click("broken.toml");
    desk.pass(Vec::new());
    assert!(desk.says("did you mean `substeps`"), "{:?}", desk.texts);
    desk.click("ball.toml");
    desk.pass(Vec::new());
    assert!(desk.says("one body"));
    // Its keys are not those of the window.
    desk.key(Key::Space);
    assert!(desk.app.scene().is_none());
    desk.click("Open");
    desk.until(|d| d.app.shown().is_some());
    assert_eq!(desk.app.scene().unwrap().simulation.name, "ball");
    assert!(!desk.says("Open a scene or a mesh"), "it is closed");

    // By typing: the first that fits is chosen, and Enter opens it.
    desk.app.browse_folder(&folder.path().join("inner"));
    desk.pass(Vec::new());
    desk.pass(vec![Event::Text("broken".into())]);
    assert!(!desk.says("ball.toml"));
    desk.key(Key::Enter);
    desk.until(|d| d.app.errors().count() > 0);
}

#[test]
fn the_changed_scene_is_saved_as_a_file_that_opens() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new();
    desk.size = [640, 1500];
    desk.open("tangled_cloth");
    desk.app.browse_folder(folder.path());
    desk.pass(Vec::new());
    desk.key(Key::Escape);
    desk.unfold("Tune");
    desk.click("kikuchi");
    assert_eq!(desk.app.draft().unwrap().cloth.response, gordian_sim::scene::ClothResponse::Kikuchi);
    // What needs a restart is kept by one.
    desk.unfold("sheet");
    let stiff = desk.app.draft().unwrap().body[0].fabric.clone().unwrap().warp_n_m;
    let at = desk.texts.iter().find(|t| t.0 == "warp N/m").expect("it is unfolded").1.left_center();
    let number = at - vec2(25.0, 0.0);
    desk.pass(vec![Event::PointerMoved(number)]);
    desk.pass(vec![button(number, PointerButton::Primary, true)]);
    desk.pass(vec![Event::PointerMoved(number + vec2(40.0, 0.0))]);
    desk.pass(vec![button(number + vec2(40.0, 0.0), PointerButton::Primary, false)]);
    let stiffer = |a: &App| a.draft().unwrap().body[0].fabric.clone().unwrap().warp_n_m > 1.1 * stiff;
    assert!(stiffer(&desk.app));
    let old = desk.shown().world;
    desk.key(Key::R);
    desk.until(|d| d.app.shown().is_some_and(|s| s.world > old));
    assert!(stiffer(&desk.app), "the change is lost");
    desk.chord(Modifiers::COMMAND, Key::S);
    desk.pass(Vec::new());
    desk.click("Save");
    let path = folder.path().join("tangled_cloth_changed.toml");
    assert!(path.is_file(), "{:?}", desk.app.errors().collect::<Vec<_>>());
    let saved = gordian_sim::Scene::load(&path).unwrap();
    assert_eq!(saved, *desk.app.draft().unwrap());
}

#[test]
fn scenes_are_listed_with_their_pictures() {
    let mut desk = Desk::new();
    desk.size = [900, 1000];
    desk.pass(Vec::new());
    let image = desk.pass(Vec::new());
    let title = desk.texts.iter().find(|t| t.0 == "octopus drop").expect("it is in the list").1;
    // Left of the title.
    let colourful = |x: u32, y: u32| {
        let p = image.pixel(x, y);
        p[2] > p[0].saturating_add(60)
    };
    let (right, top) = (title.left() as u32, title.top() as u32);
    let blue =
        (0..right).flat_map(|x| (top..top + 45).map(move |y| (x, y))).filter(|&(x, y)| colourful(x, y));
    assert!(blue.count() > 200, "the octopus is blue");
}

/// Stops the simulation's thread where it tells the window something.
#[derive(Default)]
struct Gate {
    closed: Mutex<bool>,
    waiting: AtomicBool,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut closed = self.closed.lock().unwrap();
        while *closed {
            self.waiting.store(true, Ordering::SeqCst);
            closed = self.changed.wait(closed).unwrap();
        }
        self.waiting.store(false, Ordering::SeqCst);
    }

    fn set(&self, closed: bool) {
        *self.closed.lock().unwrap() = closed;
        self.changed.notify_all();
    }

    fn holds(&self) -> bool {
        self.waiting.load(Ordering::SeqCst)
    }
}

#[test]
fn the_window_goes_on_while_the_simulation_does_not_and_closes_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Arc::new(Gate::default());
    let at = gate.clone();
    let mut desk = Desk::woken_by(move || at.pass());
    desk.key(Key::H);
    desk.open(&ball(folder.path()));
    desk.key(Key::A);
    let before = desk.pass(Vec::new());
    gate.set(true);
    desk.key(Key::Period);
    desk.until(|_| gate.holds());
    // In the middle of a frame that takes for ever, all that the window does itself goes on.
    let turned = desk.turn();
    assert!(differ(&before, &turned) > 1000, "turned");
    let wires = desk.key(Key::Num5);
    assert!(differ(&turned, &wires) > 1000, "wires");
    desk.size = [700, 500];
    desk.pass(Vec::new());
    desk.key(Key::C);
    assert!(gate.holds() && desk.shown().snapshot.frame == 0);
    gate.set(false);
    desk.until(|d| d.shown().snapshot.frame == 1);
    // Once more, and close: were the window to wait for the frame, it would never return.
    gate.set(true);
    desk.key(Key::Period);
    desk.until(|_| gate.holds());
    assert!(!desk.app.stop(Duration::from_millis(1)), "the simulation has not ended");
    gate.set(false);
}

#[test]
fn the_window_has_threads_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new();
    desk.key(Key::H);
    desk.open(&ball(folder.path()));
    desk.key(Key::A);
    let before = desk.pass(Vec::new());
    // Every thread that a simulation computes with is busy; in the end the test fails instead of hanging.
    let gate = Arc::new(Gate::default());
    gate.set(true);
    let busy = Arc::new(AtomicUsize::new(0));
    let (held, count) = (gate.clone(), busy.clone());
    rayon::spawn_broadcast(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        held.pass();
    });
    let watch = gate.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(200));
        watch.set(false);
    });
    desk.until(|_| busy.load(Ordering::SeqCst) == rayon::current_num_threads());
    let cut = desk.key(Key::C);
    assert!(differ(&before, &cut) > 1000, "a cut is computed with several threads");
    let middle = pos2(SIZE[0] as f32 / 2.0, SIZE[1] as f32 / 2.0);
    desk.pass(vec![Event::PointerMoved(middle)]);
    desk.pass(vec![button(middle, PointerButton::Primary, true)]);
    desk.pass(vec![button(middle, PointerButton::Primary, false)]);
    assert!(*gate.closed.lock().unwrap(), "the window waited for the simulation's threads");
    gate.set(false);
}

/// At the smallest size that is common.
#[test]
fn the_pace_of_the_simulation_is_seen_in_a_window_of_1280_by_720() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new();
    desk.size = [1280, 720];
    desk.open(&ball(folder.path()));
    desk.key(Key::Period);
    desk.until(|d| d.shown().snapshot.frame == 1);
    desk.key(Key::Comma);
    desk.until(|d| d.shown().substep == 1);
    desk.pass(Vec::new());
    for text in ["frame    1+1", "real time"] {
        let at = desk.texts.iter().rfind(|t| t.0.contains(text)).unwrap_or_else(|| panic!("no `{text}`")).1;
        assert!(at.left() > 270.0 && at.right() < 950.0 && at.bottom() < 720.0, "`{text}` at {at}");
    }
}

#[test]
fn measurements_stay_within_their_panel_and_leave_the_picture_its_room() {
    let mut desk = Desk::new();
    desk.size = [1440, 1600];
    desk.open("two_spheres");
    desk.key(Key::Period);
    desk.until(|d| d.shown().snapshot.frame == 1);
    for _ in 0..3 {
        desk.pass(Vec::new());
    }
    let place = |text: &str| {
        desk.texts.iter().find(|t| t.0.starts_with(text)).unwrap_or_else(|| panic!("no `{text}`")).1
    };
    let left = place("Measure").left();
    assert!(left > 1440.0 - 400.0, "{left}");
    let beside = desk.texts.iter().filter(|t| t.1.left() >= left - 30.0);
    for (text, at) in beside {
        assert!(at.right() <= 1440.0, "`{text}` is cut off: {at}");
    }
    let stages = gordian_sim::Stage::ALL.map(|s| s.name().replace('_', " "));
    let legend: Vec<_> =
        desk.texts.iter().filter(|t| stages.iter().any(|s| t.0.starts_with(&format!("{s} ")))).collect();
    assert!(
        legend.len() > 2 && legend.iter().any(|t| t.1.top() > legend[0].1.bottom()),
        "it wraps: {legend:?}"
    );
    assert!(place("frame    1").right() < left, "the bar below is seen");
}
