//! Errors and notes, over the picture.

use std::time::Duration;

use super::app::App;

/// A note goes by itself after this; an error stays until it is closed.
const NOTE: Duration = Duration::from_secs(8);

pub(super) fn show(app: &mut App, ctx: &egui::Context) {
    app.messages.retain(|m| m.error || m.since.elapsed() < NOTE);
    if app.messages.is_empty() {
        return;
    }
    ctx.request_repaint_after(Duration::from_millis(500));
    let mut closed = None;
    let area = egui::Area::new(egui::Id::unique("messages")).anchor(egui::Align2::CENTER_TOP, [0.0, 10.0]);
    area.order(egui::Order::Foreground).show(ctx, |ui| {
        for (i, message) in app.messages.iter().enumerate() {
            let (fill, text) = if message.error {
                (egui::Color32::from_rgb(150, 28, 30), egui::Color32::WHITE)
            } else {
                (ui.visuals().window_fill, ui.visuals().text_color())
            };
            egui::Frame::popup(ui.style()).fill(fill).show(ui, |ui| {
                ui.set_max_width(560.0);
                ui.add(egui::Label::new(egui::RichText::new(&message.text).color(text)).wrap());
                if ui.small_button("close").clicked() {
                    closed = Some(i);
                }
            });
        }
    });
    if let Some(i) = closed {
        app.messages.remove(i);
    }
}
