//! The window without a display: input as egui gives it, pictures read back from the device.
#![cfg(feature = "window")]

use std::time::{Duration, Instant};

use egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, pos2, vec2};
use gordian_sim::AdapterChoice;
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
        let gpu = Gpu::offscreen(&DrawWith::Auto).unwrap();
        let app = App::new(&gpu, AdapterChoice::Cpu, || {}).unwrap();
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
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            self.pass(Vec::new());
            if holds(self) {
                return;
            }
            assert!(Instant::now() < end, "it did not happen within a minute");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn open(&mut self, scene: &str) {
        self.app.open(scene);
        self.until(|d| !d.app.is_opening() && d.app.shown().is_some());
        self.pass(Vec::new());
    }

    fn key(&mut self, key: Key) -> Image {
        let event = |pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        self.pass(vec![event(true), event(false)])
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
    desk.size = [900, 1400];
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
    let wires = desk.key(Key::Num5);
    assert!(differ(&without, &wires) > 1000, "wires");
    desk.key(Key::Num5);
    let cut = desk.key(Key::C);
    assert!(differ(&without, &cut) > 1000, "clip plane");
    let corner = pos2(20.0, 20.0);
    desk.pass(vec![Event::PointerMoved(corner)]);
    desk.pass(vec![button(corner, PointerButton::Primary, true)]);
    desk.pass(vec![Event::PointerMoved(corner + vec2(60.0, 0.0))]);
    let turned = desk.pass(vec![button(corner + vec2(60.0, 0.0), PointerButton::Primary, false)]);
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
