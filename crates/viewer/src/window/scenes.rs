//! The list of scenes, and how others are opened.

use gordian_sim::scene::SCENES;

use super::app::App;
use super::style::faint;

pub(super) fn show(app: &mut App, ui: &mut egui::Ui) {
    ui.add_space(6.0);
    ui.heading("Scenes");
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let field =
            egui::TextEdit::singleline(&mut app.path).hint_text("path of a scene file").desired_width(150.0);
        let entered = ui.add(field).lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
        if (ui.button("Open").clicked() || entered) && !app.path.trim().is_empty() {
            let path = app.path.trim().to_owned();
            app.open(&path);
        }
    });
    ui.label(faint("or drop a scene or a mesh file on the window"));
    ui.separator();
    let open = app.opened.as_ref().map(|o| o.scene.simulation.name.clone());
    let mut wanted = None;
    let tall = ui.available_height() > 640.0;
    egui::Panel::bottom("help")
        .show(ui, |ui| super::style::section(ui, "Mouse and keys", tall, super::controls::help));
    egui::ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        for built_in in SCENES {
            let is_open = open.as_deref() == Some(built_in.name);
            let title = egui::RichText::new(built_in.name.replace('_', " ")).strong();
            if ui.selectable_label(is_open, title).clicked() {
                wanted = Some(built_in.name);
            }
            ui.label(faint(description(built_in.text)));
            ui.add_space(5.0);
        }
    });
    if let Some(name) = wanted {
        app.open(name);
    }
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
