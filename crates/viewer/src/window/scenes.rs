//! The list of scenes, and how others are opened.

use gordian_sim::scene::{BuiltIn, SCENES};

use super::app::App;
use super::browser::Purpose;
use super::style::faint;
use super::thumbnails::{self, Thumbnails};

pub(super) fn show(app: &mut App, ui: &mut egui::Ui) {
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        ui.heading("Scenes");
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if ui.button("Open…").on_hover_text("a scene or a mesh (ctrl O)").clicked() {
                app.browse(Purpose::Open, None);
            }
        });
    });
    ui.label(faint("or drop a scene or a mesh on the window"));
    let open = app.opened.as_ref().map(|o| o.scene.simulation.clone());
    // One of the user's own is not in the list.
    if let Some(own) = open.as_ref().filter(|o| SCENES.iter().all(|s| s.name != o.name)) {
        ui.separator();
        ui.strong(&own.name);
        ui.label(faint(&own.description));
    }
    ui.separator();
    let mut wanted = None;
    let tall = ui.available_height() > 950.0;
    egui::Panel::bottom("help")
        .show(ui, |ui| super::style::section(ui, "Mouse and keys", tall, super::controls::help));
    egui::ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        for built_in in SCENES {
            let is_open = open.as_ref().is_some_and(|o| o.name == built_in.name);
            let response = entry(&mut app.thumbnails, ui, built_in, is_open);
            if response.clicked() {
                wanted = Some(built_in.name);
            }
            if is_open && std::mem::take(&mut app.wants_listing) {
                response.scroll_to_me(Some(egui::Align::Center));
            }
        }
    });
    if let Some(name) = wanted {
        app.open(name);
    }
}

/// A scene: its picture, and beside it what it is.
fn entry(thumbnails: &mut Thumbnails, ui: &mut egui::Ui, scene: &BuiltIn, open: bool) -> egui::Response {
    let sense = egui::UiBuilder::new().id_salt(scene.name).sense(egui::Sense::click());
    let inside = |ui: &mut egui::Ui| {
        ui.style_mut().interaction.selectable_labels = false;
        let style = ui.style().interact_selectable(&ui.response(), open);
        let marked = open || ui.response().hovered();
        let fill = if marked { style.weak_bg_fill } else { egui::Color32::TRANSPARENT };
        egui::Frame::new().fill(fill).corner_radius(5.0).inner_margin(4.0).show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal_top(|ui| {
                let size = egui::vec2(thumbnails::SIZE[0] as f32, thumbnails::SIZE[1] as f32) / 2.0;
                match thumbnails.of(ui.ctx(), scene.name) {
                    Some(picture) => ui.add(
                        egui::Image::new((picture.id(), size)).fit_to_exact_size(size).corner_radius(4.0),
                    ),
                    None => ui.allocate_response(size, egui::Sense::hover()),
                };
                ui.vertical(|ui| {
                    ui.spacing_mut().item_spacing.y = 1.0;
                    ui.strong(scene.name.replace('_', " "));
                    ui.add(egui::Label::new(faint(description(scene.text))).wrap());
                });
            });
        });
    };
    ui.scope_builder(sense, inside).response
}

/// The description in the text of a scene; they are one line each.
fn description(text: &str) -> &str {
    let line = text.lines().find_map(|l| l.trim().strip_prefix("description"));
    line.and_then(|l| l.split('"').nth(1)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_those_of_the_scenes() {
        for built_in in SCENES {
            assert_eq!(description(built_in.text), built_in.scene(&[]).unwrap().simulation.description);
        }
    }
}
