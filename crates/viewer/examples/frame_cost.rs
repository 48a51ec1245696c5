//! What a frame of the window costs while its scene stands still, and while it is simulated as fast as it goes.
//!
//! `cargo run --release -p gordian-viewer --features window --example frame_cost -- SCENE [SECONDS]`
//!
//! The window is the whole of it but for the display: input, panels, picture, painted into a texture, with the device waited for.

use std::time::{Duration, Instant};

use egui::{Event, Key, Modifiers, RawInput, Rect, pos2};
use gordian_sim::AdapterChoice;
use gordian_viewer::window::{App, Screen};
use gordian_viewer::{DrawWith, Gpu};

const SIZE: [u32; 2] = [1440, 860];

struct Window {
    app: App,
    screen: Screen,
    ctx: egui::Context,
    gpu: Gpu,
    target: wgpu::TextureView,
    begun: Instant,
}

impl Window {
    /// One frame; how long it took, and its first part: panels and the picture of the scene, without painting them to the display.
    fn frame(&mut self, events: Vec<Event>) -> [Duration; 2] {
        let begun = Instant::now();
        let input = RawInput {
            screen_rect: Some(Rect::from_min_max(pos2(0.0, 0.0), pos2(SIZE[0] as f32, SIZE[1] as f32))),
            time: Some(self.begun.elapsed().as_secs_f64()),
            events,
            ..RawInput::default()
        };
        let (app, painter) = (&mut self.app, &mut self.screen.painter);
        let output = self.ctx.run_ui(input, |ui| app.ui(ui, painter));
        let first = begun.elapsed();
        self.screen.paint(&self.ctx, output, &self.target, SIZE);
        let _ = self.gpu.device.poll(wgpu::PollType::wait_indefinitely());
        [begun.elapsed(), first]
    }

    fn key(&mut self, key: Key) {
        let event = |pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        self.frame(vec![event(true), event(false)]);
    }

    /// Frames for a while, at most sixty a second, the camera turning a little in each: median, nine in ten, longest.
    fn measure(&mut self, what: &str, time: Duration) {
        let (mut costs, mut firsts, end) = (Vec::new(), Vec::new(), Instant::now() + time);
        let mut at = pos2(700.0, 30.0);
        let button = |pos, pressed| Event::PointerButton {
            pos,
            button: egui::PointerButton::Secondary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        self.frame(vec![Event::PointerMoved(at), button(at, true)]);
        while Instant::now() < end {
            at.x += 1.0;
            let [cost, first] = self.frame(vec![Event::PointerMoved(at)]);
            std::thread::sleep(Duration::from_micros(16_667).saturating_sub(cost));
            costs.push(cost.as_secs_f64() * 1e3);
            firsts.push(first.as_secs_f64() * 1e3);
        }
        self.frame(vec![button(at, false)]);
        costs.sort_by(f64::total_cmp);
        firsts.sort_by(f64::total_cmp);
        let at = |costs: &[f64], part: f64| costs[((costs.len() - 1) as f64 * part) as usize];
        println!(
            "{what:<10} {:>5} frames of the window, ms: {:.1} median ({:.1} the picture and the panels, without painting), {:.1} nine in ten, \
             {:.1} the longest",
            costs.len(),
            at(&costs, 0.5),
            at(&firsts, 0.5),
            at(&costs, 0.9),
            at(&costs, 1.0)
        );
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let scene = arguments.next().expect("the name of a scene");
    let time = Duration::from_secs(arguments.next().map_or(10, |t| t.parse().expect("seconds")));
    let gpu = Gpu::offscreen(&DrawWith::Auto).expect("an adapter to draw with");
    let app = App::new(&gpu, AdapterChoice::Auto, || {}).expect("a window");
    let format = wgpu::TextureFormat::Rgba8Unorm;
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: SIZE[0], height: SIZE[1], depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    let target = texture.create_view(&wgpu::TextureViewDescriptor::default());
    let screen = Screen::new(&gpu, format);
    let mut window =
        Window { app, screen, ctx: egui::Context::default(), gpu, target, begun: Instant::now() };
    window.app.open(&scene);
    while window.app.shown().is_none() {
        window.frame(Vec::new());
        std::thread::sleep(Duration::from_millis(10));
    }
    window.app.set_speed(f64::INFINITY);
    println!("{scene}, drawn with {}", window.gpu.name);
    window.measure("at rest", time);
    let before = window.app.shown().map_or(0, |s| s.snapshot.frame);
    window.key(Key::Space);
    let begun = Instant::now();
    window.measure("running", time);
    let frames = window.app.shown().map_or(0, |s| s.snapshot.frame) - before;
    let each = begun.elapsed().as_secs_f64() * 1e3 / f64::from(frames.max(1));
    println!("meanwhile {frames} frames of the simulation, {each:.0} ms each");
    window.app.stop(Duration::from_secs(60));
}
