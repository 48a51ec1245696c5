//! The picture of the scene, and the pointer on it.

use std::time::{Duration, Instant};

use egui::{PointerButton, Sense};
use glam::{Vec2, Vec3};

use super::app::App;
use super::driver::Command;
use crate::camera::Ray;
use crate::overlay::Overlay;
use crate::pick;
use crate::renderer::View;

/// How near to a mark a click means it, points.
const MARK: f32 = 6.0;

/// What the pointer holds.
pub(super) struct Grab {
    pub particles: Vec<(u32, Vec3)>,
    /// A point of the plane in which it moves; the plane faces the camera.
    pub at: Vec3,
}

pub(super) fn show(app: &mut App, ui: &mut egui::Ui, painter: &mut egui_wgpu::Renderer) {
    let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
    if rect.width() < 1.0 || rect.height() < 1.0 {
        return;
    }
    let scale = ui.ctx().pixels_per_point();
    let size = [rect.width(), rect.height()].map(|s| ((s * scale).round() as u32).max(1));
    app.record.aspect = size[0] as f32 / size[1] as f32;
    if app.wants_framing && app.shown.is_some() {
        app.wants_framing = false;
        app.frame_all();
    }
    pointer(app, ui, rect, &response);
    let changed = app.compose();
    let now = ui.input(|i| i.time);
    let view = View { camera: app.camera, theme: app.theme, size, scale, quality: app.quality };
    if let Some(view) = app.pace.next(view, changed, now) {
        draw(app, &view, painter);
    }
    if let Some(delay) = app.pace.again(now) {
        ui.ctx().request_repaint_after(Duration::from_secs_f64(delay));
    }
    let id = app.texture.expect("it was drawn");
    let whole = egui::Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
    ui.painter().image(id, rect, whole, egui::Color32::WHITE);
}

/// Draws the scene, for egui to show.
fn draw(app: &mut App, view: &View, painter: &mut egui_wgpu::Renderer) {
    let begun = Instant::now();
    app.renderer.draw(view);
    let device = &app.gpu.device;
    if app.pace.adapts {
        // The device's work is that of this processor: nothing goes on beside it. What has failed is told by `Gpu::check`.
        let _ = device.poll(wgpu::PollType::wait_indefinitely());
        app.pace.took(begun.elapsed());
    }
    let picture = app.renderer.picture_view().expect("it was drawn");
    let filter = wgpu::FilterMode::Linear;
    match app.texture {
        Some(id) => painter.update_egui_texture_from_wgpu_texture(device, picture, filter, id),
        None => app.texture = Some(painter.register_native_texture(device, picture, filter)),
    }
}

/// The half line behind a place of the window.
fn ray(app: &App, rect: egui::Rect, at: egui::Pos2) -> Ray {
    let x = (at.x - rect.left()) / rect.width() * 2.0 - 1.0;
    let y = 1.0 - (at.y - rect.top()) / rect.height() * 2.0;
    app.camera.ray(Vec2::new(x, y), rect.width() / rect.height())
}

/// The vertex under a place of the window.
fn vertex_at(app: &App, rect: egui::Rect, at: egui::Pos2, free: bool) -> Option<u32> {
    let (opened, shown) = (app.opened.as_ref()?, app.shown.as_ref()?);
    let clip = app.look().clip;
    let ray = ray(app, rect, at);
    let hit = app.pool.install(|| pick::pick(&opened.model, &shown.snapshot, &ray, clip.as_ref()))?;
    Some(pick::nearest_vertex(&opened.model, &shown.snapshot, &hit, free))
}

/// The vertex that is marked as penetrating at a place of the window: what is inside cannot be clicked else.
fn marked_at(app: &App, rect: egui::Rect, at: egui::Pos2) -> Option<u32> {
    let snapshot = &app.shown.as_ref().filter(|_| app.overlays.has(Overlay::Penetrating))?.snapshot;
    let clip = app.look().clip;
    let reach = |&(vertex, _): &(u32, u32)| {
        let point = snapshot.positions[vertex as usize];
        let seen = app.place_of(point, rect).filter(|_| clip.is_none_or(|c| c.beyond(point) <= 0.0))?;
        let distance = seen.distance(at);
        (distance <= MARK).then_some((distance, vertex))
    };
    snapshot.penetrating.iter().filter_map(reach).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, v)| v)
}

fn pointer(app: &mut App, ui: &egui::Ui, rect: egui::Rect, response: &egui::Response) {
    let shift = ui.input(|i| i.modifiers.shift);
    if response.drag_started_by(PointerButton::Primary)
        && !shift
        && let Some(at) = ui.input(|i| i.pointer.press_origin())
    {
        start_grab(app, rect, at);
    }
    let released = !ui.input(|i| i.pointer.primary_down());
    if released && app.grab.take().is_some() {
        app.driver.send(Command::Release);
    }
    let delta = response.drag_delta() / rect.height();
    let drag = Vec2::new(delta.x, delta.y);
    if let (Some(grab), Some(at)) = (&app.grab, response.interact_pointer_pos()) {
        let ray = ray(app, rect, at);
        let back = app.camera.direction();
        let distance = (grab.at - ray.origin).dot(back) / ray.direction.dot(back);
        if distance.is_finite() && distance > 0.0 && drag != Vec2::ZERO {
            let target = ray.origin + ray.direction * distance;
            app.driver.send(Command::Grab(grab.particles.clone(), target));
        }
    } else if drag != Vec2::ZERO {
        if response.dragged_by(PointerButton::Middle) || shift {
            app.camera.pan(drag);
        } else {
            app.camera.orbit(drag);
        }
    }
    if response.clicked()
        && let Some(at) = response.interact_pointer_pos()
    {
        app.select(marked_at(app, rect, at).or_else(|| vertex_at(app, rect, at, false)));
    }
    if response.double_clicked() {
        app.frame_selection();
    }
    if response.hovered() {
        let (wheel, pinch) = ui.input(|i| (i.smooth_scroll_delta.y, i.zoom_delta()));
        let at = response.hover_pos().unwrap_or(rect.center()) - rect.center();
        app.camera.zoom_at((wheel * 0.004).exp() * pinch, Vec2::new(at.x, at.y) / rect.height());
    }
}

fn start_grab(app: &mut App, rect: egui::Rect, at: egui::Pos2) {
    let Some(vertex) = vertex_at(app, rect, at, true) else { return };
    let (Some(opened), Some(shown)) = (&app.opened, &app.shown) else { return };
    let particles = pick::neighbourhood(&opened.model, &shown.snapshot, vertex);
    if !particles.is_empty() {
        let at = shown.snapshot.positions[vertex as usize];
        app.grab = Some(Grab { particles, at });
        app.select(Some(vertex));
    }
}
