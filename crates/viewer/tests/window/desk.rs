//! A window on a desk: passes with events, and what they show.

use std::time::{Duration, Instant};

use egui::{Event, Key, Modifiers, PointerButton, Pos2, RawInput, Rect, pos2, vec2};
use gordian_sim::AdapterChoice;
use gordian_viewer::window::{App, Screen, Shown};
use gordian_viewer::{DrawWith, Gpu, Image};

pub const SIZE: [u32; 2] = [900, 600];

pub struct Desk {
    pub app: App,
    pub size: [u32; 2],
    /// What the last pass wrote, and where.
    pub texts: Vec<(String, Rect)>,
    ctx: egui::Context,
    screen: Screen,
    gpu: Gpu,
    /// What was not painted yet.
    textures: egui::TexturesDelta,
    passes: u32,
}

impl Desk {
    pub fn new() -> Self {
        Self::woken_by(|| {})
    }

    /// One whose pictures nobody looks at: they are drawn coarsely while they move.
    pub fn unseen() -> Self {
        Self::drawing(false, || {})
    }

    /// `wake` is called by the thread of the simulation.
    pub fn woken_by(wake: impl Fn() + Send + 'static) -> Self {
        Self::drawing(true, wake)
    }

    fn drawing(finely: bool, wake: impl Fn() + Send + 'static) -> Self {
        let gpu = Gpu::offscreen(&DrawWith::Auto).unwrap();
        let mut app = App::new(&gpu, AdapterChoice::Cpu, wake).unwrap();
        if finely {
            app.draw_finely();
        }
        let screen = Screen::new(&gpu, wgpu::TextureFormat::Rgba8Unorm);
        Desk {
            app,
            size: SIZE,
            texts: Vec::new(),
            ctx: egui::Context::default(),
            screen,
            gpu,
            textures: egui::TexturesDelta::default(),
            passes: 0,
        }
    }

    /// A pass with events.
    pub fn pass(&mut self, events: Vec<Event>) {
        self.pass_with(RawInput { events, ..RawInput::default() });
    }

    pub fn pass_with(&mut self, input: RawInput) {
        let mut output = self.run(input);
        self.textures.append(std::mem::take(&mut output.textures_delta));
    }

    /// A pass without events; returns what it shows. Others are not painted, which takes long in software.
    pub fn see(&mut self) -> Image {
        let mut output = self.run(RawInput::default());
        self.textures.append(std::mem::take(&mut output.textures_delta));
        output.textures_delta = std::mem::take(&mut self.textures);
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
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.screen.paint(&self.ctx, output, &view, self.size);
        gordian_viewer::renderer::read(&self.gpu, &texture).unwrap()
    }

    fn run(&mut self, input: RawInput) -> egui::FullOutput {
        let screen_rect = Rect::from_min_size(Pos2::ZERO, vec2(self.size[0] as f32, self.size[1] as f32));
        // A click must be short; how long passes take here says nothing.
        self.passes += 1;
        let time = Some(self.passes as f64 / 60.0);
        let input = RawInput { screen_rect: Some(screen_rect), time, ..input };
        let (app, painter) = (&mut self.app, &mut self.screen.painter);
        let output = self.ctx.run_ui(input, |ui| app.ui(ui, painter));
        self.texts.clear();
        for shape in &output.shapes {
            collect(&shape.shape, &mut self.texts);
        }
        output
    }

    /// Passes in which nothing happens: what moves by itself comes to rest.
    pub fn rest(&mut self) {
        for _ in 0..30 {
            self.pass(Vec::new());
        }
    }

    /// Passes until something holds.
    pub fn until(&mut self, mut holds: impl FnMut(&Desk) -> bool) {
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

    pub fn open(&mut self, scene: &str) {
        self.app.open(scene);
        self.until(|d| !d.app.is_opening() && d.app.shown().is_some());
        self.pass(Vec::new());
    }

    pub fn key(&mut self, key: Key) {
        self.chord(Modifiers::NONE, key);
    }

    pub fn chord(&mut self, modifiers: Modifiers, key: Key) {
        let event = |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
        self.pass(vec![event(true), event(false)]);
    }

    pub fn says(&self, text: &str) -> bool {
        self.texts.iter().any(|t| t.0.contains(text))
    }

    /// Where a text is.
    pub fn place(&self, text: &str) -> Rect {
        self.texts.iter().find(|t| t.0 == text).unwrap_or_else(|| panic!("no `{text}`")).1
    }

    /// Opens a section, which takes a few passes.
    pub fn unfold(&mut self, section: &str) {
        self.click(section);
        self.rest();
    }

    pub fn click(&mut self, text: &str) {
        let at = self.place(text).center();
        self.click_at(at);
    }

    pub fn click_at(&mut self, at: Pos2) {
        self.pass(vec![Event::PointerMoved(at)]);
        self.pass(vec![button(at, PointerButton::Primary, true)]);
        self.pass(vec![button(at, PointerButton::Primary, false)]);
    }

    pub fn double_click(&mut self, text: &str) {
        self.click(text);
        self.click(text);
    }

    pub fn drag(&mut self, with: PointerButton, from: Pos2, by: egui::Vec2) {
        self.pass(vec![Event::PointerMoved(from)]);
        self.pass(vec![button(from, with, true)]);
        self.pass(vec![Event::PointerMoved(from + by)]);
        self.pass(vec![button(from + by, with, false)]);
    }

    /// Turns the camera by a drag from the upper left corner, where there is no body.
    pub fn turn(&mut self) {
        self.drag(PointerButton::Primary, pos2(20.0, 20.0), vec2(60.0, 0.0));
    }

    pub fn shown(&self) -> Shown {
        self.app.shown().expect("a scene is open").clone()
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // egui insists that textures are applied, or that it is told that they are not.
        self.textures.clear();
    }
}

pub fn button(pos: Pos2, button: PointerButton, pressed: bool) -> Event {
    Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE }
}

fn collect(shape: &egui::Shape, out: &mut Vec<(String, Rect)>) {
    match shape {
        egui::Shape::Text(t) => out.push((t.galley.text().to_owned(), t.visual_bounding_rect())),
        egui::Shape::Vec(shapes) => shapes.iter().for_each(|s| collect(s, out)),
        _ => {}
    }
}

pub fn differ(a: &Image, b: &Image) -> usize {
    let pixels = a.rgba.chunks(4).zip(b.rgba.chunks(4));
    pixels.filter(|(p, q)| (0..3).any(|k| p[k].abs_diff(q[k]) > 4)).count()
}

/// A soft ball in the air, as a file.
pub fn ball(folder: &std::path::Path) -> String {
    ball_with(folder, "")
}

/// The same with more settings of `[simulation]`.
pub fn ball_with(folder: &std::path::Path, settings: &str) -> String {
    let path = folder.join("ball.toml");
    let text = format!(
        "
[simulation]
substeps = 4
gravity_m_s2 = [0, 0, 0]
{settings}
[[body]]
generator = {{ kind = \"sphere\", radius = 0.5, resolution = 6 }}
"
    );
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}
