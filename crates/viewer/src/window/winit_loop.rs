//! The window itself, its surface, and the loop of its events.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gordian_sim::AdapterChoice;
use thiserror::Error;
use winit::application::ApplicationHandler;
use winit::event::{StartCause, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::window::{Window, WindowId};

use super::{App, Screen};
use crate::gpu::{Gpu, GpuError};

/// How long closing waits for the present substep to end; a longer one ends with the process.
const PATIENCE: Duration = Duration::from_millis(500);

/// Size of the window where there is room for it, points.
const WANTED: [f64; 2] = [1440.0, 860.0];

/// Why there is no window.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WindowError {
    /// There is no display.
    #[error(
        "there is no display to open a window on ({0}). Draw a picture instead: gordian view SCENE --screenshot FILE.png; \
         or give it a virtual display: xvfb-run gordian view SCENE"
    )]
    NoDisplay(String),
    /// Nothing draws.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The window cannot be made or shown.
    #[error("the window cannot be opened: {0}")]
    Window(String),
}

/// Opens the window, with a scene if one is named, and returns when it is closed.
pub fn open(scene: Option<&str>, adapter: AdapterChoice) -> Result<(), WindowError> {
    let event_loop = EventLoop::<()>::with_user_event()
        .build()
        .map_err(|e| WindowError::NoDisplay(reason(&e.to_string()).to_owned()))?;
    let mut shell = Shell {
        scene: scene.map(str::to_owned),
        adapter,
        proxy: event_loop.create_proxy(),
        live: None,
        failed: None,
        next: None,
    };
    event_loop.run_app(&mut shell).map_err(|e| WindowError::Window(e.to_string()))?;
    match shell.failed {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// What the system said, without the place in the source of the library that passes it on.
fn reason(text: &str) -> &str {
    let placed = text.strip_prefix("os error at ").and_then(|rest| rest.split_once(": "));
    placed.map_or(text, |(_, said)| said).trim_end_matches('.')
}

/// Size of the window at first, points: what it needs to show all at once, and no more than fits on a display of the size `room`
/// beside what a desktop puts there.
fn first_size(room: Option<[f64; 2]>) -> [f64; 2] {
    let room = room.filter(|r| r.iter().all(|s| *s > 0.0)).unwrap_or([f64::INFINITY; 2]);
    [WANTED[0].min(0.95 * room[0]), WANTED[1].min(0.9 * room[1])]
}

/// What there is before the window, and the window.
struct Shell {
    scene: Option<String>,
    adapter: AdapterChoice,
    proxy: EventLoopProxy<()>,
    live: Option<Live>,
    failed: Option<WindowError>,
    /// When egui wants to be drawn again by itself.
    next: Option<Instant>,
}

struct Live {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    configuration: wgpu::SurfaceConfiguration,
    gpu: Gpu,
    ctx: egui::Context,
    input: egui_winit::State,
    screen: Screen,
    app: App,
}

impl ApplicationHandler for Shell {
    fn new_events(&mut self, _: &ActiveEventLoop, cause: StartCause) {
        if matches!(cause, StartCause::ResumeTimeReached { .. })
            && let Some(live) = &self.live
        {
            self.next = None;
            live.window.request_redraw();
        }
    }

    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.live.is_some() {
            return;
        }
        match self.start(event_loop) {
            Ok(live) => self.live = Some(live),
            Err(error) => {
                self.failed = Some(error);
                event_loop.exit();
            }
        }
    }

    fn user_event(&mut self, _: &ActiveEventLoop, (): ()) {
        if let Some(live) = &self.live {
            live.window.request_redraw();
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(live) = &mut self.live else { return };
        let response = live.input.on_window_event(&live.window, &event);
        match event {
            WindowEvent::CloseRequested => {
                live.window.set_visible(false);
                live.app.stop(PATIENCE);
                // Here and not when the loop ends: it would draw once more, which takes seconds on a software adapter.
                self.live = None;
                event_loop.exit();
                return;
            }
            WindowEvent::Resized(size) => live.resize([size.width, size.height]),
            WindowEvent::RedrawRequested => {
                let again = live.draw();
                self.next = again.and_then(|delay| Instant::now().checked_add(delay));
                match self.next {
                    Some(at) if again == Some(Duration::ZERO) => {
                        let _ = at;
                        live.window.request_redraw();
                    }
                    Some(at) => event_loop.set_control_flow(ControlFlow::WaitUntil(at)),
                    None => event_loop.set_control_flow(ControlFlow::Wait),
                }
                return;
            }
            _ => {}
        }
        if response.repaint {
            live.window.request_redraw();
        }
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        // Surface and window go before the loop does.
        self.live = None;
    }
}

impl Shell {
    fn start(&mut self, event_loop: &ActiveEventLoop) -> Result<Live, WindowError> {
        let failed = |e: &dyn std::fmt::Display| WindowError::Window(e.to_string());
        let monitor = event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
        let room = monitor.map(|m| m.size().to_logical::<f64>(m.scale_factor()));
        let [width, height] = first_size(room.map(|r| [r.width, r.height]));
        let attributes = Window::default_attributes()
            .with_title("Gordian")
            .with_inner_size(winit::dpi::LogicalSize::new(width, height))
            .with_min_inner_size(winit::dpi::LogicalSize::new(480.0, 320.0));
        let window = Arc::new(event_loop.create_window(attributes).map_err(|e| failed(&e))?);
        let mut descriptor =
            wgpu::InstanceDescriptor::new_with_display_handle(Box::new(event_loop.owned_display_handle()));
        descriptor.backends =
            wgpu::Backends::VULKAN | wgpu::Backends::GL | wgpu::Backends::METAL | wgpu::Backends::DX12;
        let instance = wgpu::Instance::new(descriptor.with_env());
        let surface = instance.create_surface(window.clone()).map_err(|e| failed(&e))?;
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: Some(&surface),
            ..wgpu::RequestAdapterOptions::default()
        }))
        .map_err(|_| GpuError::NoAdapter)?;
        let gpu = Gpu::open(&adapter)?;
        let size = window.inner_size();
        let mut configuration =
            surface
                .get_default_config(&adapter, size.width.max(1), size.height.max(1))
                .ok_or_else(|| failed(&"the graphics adapter cannot show pictures on this display"))?;
        // Colours are encoded already.
        configuration.format = surface
            .get_capabilities(&adapter)
            .formats
            .into_iter()
            .find(|f| matches!(f, wgpu::TextureFormat::Bgra8Unorm | wgpu::TextureFormat::Rgba8Unorm))
            .unwrap_or(configuration.format);
        configuration.desired_maximum_frame_latency = 1;
        surface.configure(&gpu.device, &configuration);

        let ctx = egui::Context::default();
        let largest = gpu.largest_side() as usize;
        let input = egui_winit::State::new(
            ctx.clone(),
            egui::ViewportId::ROOT,
            &window,
            Some(window.scale_factor() as f32),
            window.theme(),
            Some(largest),
        );
        let proxy = self.proxy.clone();
        // The loop may be over before the simulation is: then there is nothing to draw.
        let wake = move || {
            let _ = proxy.send_event(());
        };
        let mut app = App::new(&gpu, self.adapter.clone(), wake).map_err(|e| failed(&e))?;
        if let Some(scene) = &self.scene {
            app.open(scene);
        }
        let screen = Screen::new(&gpu, configuration.format);
        window.request_redraw();
        Ok(Live { window, surface, configuration, gpu, ctx, input, screen, app })
    }
}

impl Live {
    fn resize(&mut self, [width, height]: [u32; 2]) {
        // A window that is minimised has no size.
        if width > 0 && height > 0 {
            let largest = self.gpu.largest_side();
            (self.configuration.width, self.configuration.height) = (width.min(largest), height.min(largest));
            self.surface.configure(&self.gpu.device, &self.configuration);
            self.window.request_redraw();
        }
    }

    /// Draws the window; returns when it should be drawn again by itself.
    fn draw(&mut self) -> Option<Duration> {
        use wgpu::CurrentSurfaceTexture as Current;
        let begun = Instant::now();
        let frame = match self.surface.get_current_texture() {
            Current::Success(frame) | Current::Suboptimal(frame) => frame,
            Current::Outdated | Current::Lost => {
                self.surface.configure(&self.gpu.device, &self.configuration);
                return Some(Duration::from_millis(20));
            }
            // Not to be seen: events wake us when it is.
            Current::Timeout | Current::Occluded | Current::Validation => {
                self.app.update();
                return Some(Duration::from_millis(200));
            }
        };
        let input = self.input.take_egui_input(&self.window);
        let (app, painter) = (&mut self.app, &mut self.screen.painter);
        let mut output = self.ctx.run_ui(input, |ui| app.ui(ui, painter));
        self.input.handle_platform_output(&self.window, std::mem::take(&mut output.platform_output));
        let delay = output.viewport_output.get(&egui::ViewportId::ROOT).map(|v| v.repaint_delay);
        let view = frame.texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.screen.paint(&self.ctx, output, &view, [self.configuration.width, self.configuration.height]);
        self.window.pre_present_notify();
        self.gpu.queue.present(frame);
        self.app.drawn_in(begun.elapsed());
        delay.filter(|d| *d < Duration::from_secs(3600))
    }
}

#[cfg(test)]
mod tests {
    use super::{WANTED, first_size, reason};

    #[test]
    fn the_first_window_fits_on_its_display() {
        assert_eq!(first_size(None), WANTED);
        assert_eq!(first_size(Some([0.0, 0.0])), WANTED, "a display that tells no size");
        assert_eq!(first_size(Some([2560.0, 1440.0])), WANTED);
        let [width, height] = first_size(Some([1280.0, 720.0]));
        assert!(width < 1280.0 && height < 720.0 && width > 1000.0 && height > 600.0, "{width} {height}");
    }

    #[test]
    fn a_reason_names_no_source() {
        let said = "neither WAYLAND_DISPLAY nor DISPLAY is set";
        assert_eq!(reason(&format!("os error at /there/src/linux/mod.rs:765: {said}.")), said);
        assert_eq!(reason(said), said);
    }
}
