//! Recording: pictures, frames and the report.

use std::path::PathBuf;

use super::app::App;
use super::browser::Purpose;
use super::driver::Command;
use super::recording::Wanted;
use super::style::{faint, section};

/// What the form holds.
pub(super) struct Form {
    pub folder: String,
    pictures: bool,
    frames: bool,
    height: u32,
    /// Where a recording under way goes to.
    pub folder_in_use: Option<PathBuf>,
    /// Width over height of the view.
    pub aspect: f32,
}

impl Default for Form {
    fn default() -> Self {
        Form {
            folder: "out/recording".into(),
            pictures: true,
            frames: false,
            height: 720,
            folder_in_use: None,
            aspect: 16.0 / 9.0,
        }
    }
}

pub(super) fn show(app: &mut App, ui: &mut egui::Ui) {
    section(ui, "Record", false, |ui| {
        if let Some(folder) = &app.record.folder_in_use {
            ui.label(format!("recording into {}", folder.display()));
            if ui.button("Stop").clicked() {
                app.driver.send(Command::Record(None));
            }
            return;
        }
        ui.horizontal(|ui| {
            ui.add(egui::TextEdit::singleline(&mut app.record.folder).desired_width(200.0));
            if ui.button("…").on_hover_text("choose a folder").clicked() {
                app.browse(Purpose::Folder, None);
            }
        });
        let form = &mut app.record;
        ui.checkbox(&mut form.pictures, "pictures, as seen now");
        if form.pictures {
            ui.horizontal(|ui| {
                ui.add(egui::DragValue::new(&mut form.height).range(120..=2160));
                ui.label("pixels high");
            });
        }
        ui.checkbox(&mut form.frames, "frames in the scene's format (VTU)");
        ui.label(faint("the report is always written"));
        let ready = app.opened.is_some();
        if ui.add_enabled(ready, egui::Button::new("Record")).clicked() {
            let height = app.record.height;
            let width = (height as f32 * app.record.aspect).round() as u32;
            let pictures = app.record.pictures.then(|| (app.camera, app.look(), [width.max(1), height]));
            let wanted =
                Wanted { folder: app.record.folder.trim().into(), pictures, frames: app.record.frames };
            app.driver.send(Command::Record(Some(Box::new(wanted))));
        }
    });
}
