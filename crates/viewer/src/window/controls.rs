//! Play, pause, step and speed; keys; files that are dropped on the window.

use egui::{Key, Modifiers};

use super::app::App;
use super::browser::Purpose;
use super::driver::{Command, Shown};
use super::style::faint;
use crate::overlay::Overlay;
use crate::theme::Theme;

/// Speeds to choose from, and their names.
const SPEEDS: [(f64, &str); 5] =
    [(0.1, "×0.1"), (0.25, "×0.25"), (1.0, "real time"), (2.0, "×2"), (f64::INFINITY, "as fast as it goes")];

pub(super) fn bar(app: &mut App, ui: &mut egui::Ui) {
    ui.add_space(3.0);
    // A narrow window has no room for all of it in a line.
    ui.horizontal_wrapped(|ui| {
        if app.alternates {
            let other = if app.lists { "Settings" } else { "Scenes" };
            app.lists ^= ui.button(other).on_hover_text("instead of what is beside the picture").clicked();
        }
        let ready = app.opened.is_some();
        // One by one, and not as a group, within which lines would break.
        let button = |ui: &mut egui::Ui, label: &str, about: &str| {
            ui.add_enabled(ready, egui::Button::new(label)).on_hover_text(about).clicked()
        };
        if button(ui, if app.playing { "Pause" } else { "Play" }, "Space") {
            toggle_play(app);
        }
        if button(ui, "Frame", "one frame (.)") {
            app.driver.send(Command::StepFrame);
        }
        if button(ui, "Substep", "one substep (,)") {
            app.driver.send(Command::StepSubstep);
        }
        if button(ui, "Reset", "back to the start, with all changes (R)") {
            reset(app);
        }
        speed(app, ui);
        if app.record.folder_in_use.is_some()
            && ui.button(egui::RichText::new("Stop recording").color(super::style::FAILED)).clicked()
        {
            app.driver.send(Command::Record(None));
        }
        if let Some(name) = &app.opening {
            let name = std::path::Path::new(name);
            ui.spinner();
            ui.label(format!("opening {} …", name.file_name().unwrap_or(name.as_os_str()).display()));
        } else if let Some(shown) = &app.shown {
            clock(app, shown, ui);
        } else {
            ui.label("choose a scene");
        }
    });
    ui.add_space(2.0);
}

/// How fast the simulation may be.
fn speed(app: &mut App, ui: &mut egui::Ui) {
    let name = SPEEDS.iter().find(|s| s.0 == app.speed).map_or("", |s| s.1);
    egui::ComboBox::from_id_salt("speed").selected_text(name).width(100.0).show_ui(ui, |ui| {
        for (speed, name) in SPEEDS {
            if ui.selectable_label(app.speed == speed, name).clicked() {
                app.set_speed(speed);
            }
        }
    });
}

/// Where the simulation is, and how fast: one piece, so that no line breaks within it.
fn clock(app: &App, shown: &Shown, ui: &mut egui::Ui) {
    let s = &shown.snapshot;
    let substep = if shown.substep > 0 { format!("+{}", shown.substep) } else { String::new() };
    let mut about = "frames done, +substeps of the next one, simulated time".to_owned();
    let mut job = egui::text::LayoutJob::default();
    let mut add = |text: egui::RichText| {
        text.append_to(&mut job, ui.style(), egui::FontSelection::Default, egui::Align::Center);
    };
    add(egui::RichText::new(format!("frame {:4}{substep:<3}{:6.3} s", s.frame, s.time_s)).monospace());
    // Before the first frame there is as much to tell as after it, so that the bar keeps its height.
    let real = app.opened.as_ref().map_or(0.0, |o| o.scene.simulation.frame_s * 1e3);
    let pace = app.history.back().map_or("×–".into(), |last| part(real / last.ms.total));
    add(faint(format!("  {pace:<6} real time")));
    if let Some(last) = app.history.back() {
        about += &format!("; {:.1} ms were computed for the last frame", last.ms.total);
    }
    ui.add(egui::Label::new(job).extend()).on_hover_text(about);
}

/// A part, two digits of it.
fn part(of: f64) -> String {
    match of {
        p if p >= 10.0 => format!("×{p:.0}"),
        p if p >= 1.0 => format!("×{p:.1}"),
        p if p >= 0.1 => format!("×{p:.2}"),
        p => format!("×{p:.3}"),
    }
}

/// What mouse and keys do, a line each.
const HELP: [(&str, &str); 15] = [
    ("drag on a body", "grab"),
    ("drag beside, or right", "orbit"),
    ("middle, or shift", "pan"),
    ("wheel", "zoom"),
    ("click", "select a vertex"),
    ("F, A", "frame selection, all"),
    ("space", "play, pause"),
    (". and ,", "frame, substep"),
    ("R", "reset"),
    ("P", "pin, unpin"),
    ("H", "hide the panels"),
    ("1 to 8", "overlays"),
    ("C, T", "clip plane, theme"),
    ("ctrl O, ctrl S", "open, save the scene"),
    ("ctrl + and -", "size of the text"),
];

pub(super) fn help(ui: &mut egui::Ui) {
    ui.spacing_mut().interact_size.y = 14.0;
    egui::Grid::new("help").spacing([8.0, 1.0]).show(ui, |ui| {
        for (input, effect) in HELP {
            ui.label(faint(input));
            ui.label(faint(effect));
            ui.end_row();
        }
    });
}

fn toggle_play(app: &mut App) {
    app.playing = !app.playing;
    app.driver.send(Command::Play(app.playing));
}

/// Back to the start, with all changes, so that those which need a restart are not lost.
fn reset(app: &mut App) {
    let draft = app.draft.as_ref().filter(|d| d.validate().is_ok());
    app.driver.send(draft.map_or(Command::Reset, |d| Command::Restart(Box::new(d.clone()))));
}

/// Key of an overlay.
pub(super) fn key_of(overlay: Overlay) -> Key {
    [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7, Key::Num8][overlay as usize]
}

pub(super) fn toggle(app: &mut App, overlay: Overlay) {
    app.overlays.toggle(overlay);
    app.stale = true;
    app.driver.send(Command::Overlays(app.overlays));
}

pub(super) fn keys(app: &mut App, ctx: &egui::Context) {
    if ctx.egui_wants_keyboard_input() || app.browser.is_some() {
        return;
    }
    let command = |key| ctx.input_mut(|i| i.consume_key(Modifiers::COMMAND, key));
    if command(Key::O) {
        app.browse(Purpose::Open, None);
        return;
    }
    if command(Key::S) && app.draft.is_some() {
        app.browse(Purpose::Save, None);
        return;
    }
    let pressed = |key| ctx.input(|i| i.key_pressed(key) && !i.modifiers.command);
    if pressed(Key::Space) && app.opened.is_some() {
        toggle_play(app);
    }
    if pressed(Key::Period) {
        app.driver.send(Command::StepFrame);
    }
    if pressed(Key::Comma) {
        app.driver.send(Command::StepSubstep);
    }
    if pressed(Key::R) {
        reset(app);
    }
    if pressed(Key::F) {
        app.frame_selection();
    }
    if pressed(Key::A) {
        app.frame_all();
    }
    if pressed(Key::H) {
        app.panels = !app.panels;
    }
    if pressed(Key::T) {
        app.theme = if app.theme == Theme::Light { Theme::Dark } else { Theme::Light };
        app.stale = true;
    }
    if pressed(Key::C) {
        app.cuts = !app.cuts;
        app.stale = true;
    }
    if pressed(Key::P)
        && let Some(vertex) = app.selected
    {
        app.driver.send(Command::TogglePin(vertex));
    }
    for overlay in Overlay::ALL {
        if pressed(key_of(overlay)) {
            toggle(app, overlay);
        }
    }
}

/// Opens what is dropped on the window; of a folder, shows what can be opened in it.
pub(super) fn dropped_files(app: &mut App, ctx: &egui::Context) {
    let dropped = ctx.input(|i| i.raw.dropped_files.clone());
    let Some(path) = dropped.first().map(|f| f.path()) else { return };
    if dropped.len() > 1 {
        app.say(format!("one at a time: of {} files, {} is opened", dropped.len(), path.display()), false);
    }
    app.browser = None;
    if path.is_dir() {
        app.browse(Purpose::Open, Some(path));
    } else {
        app.open(&path.display().to_string());
    }
}

/// Says what happens to a file that is held over the window.
pub(super) fn held_files(ui: &egui::Ui, picture: egui::Rect) {
    let held = ui.input(|i| i.raw.hovered_files.clone());
    let Some(first) = held.first() else { return };
    let name = first.path.as_ref().and_then(|p| p.file_name()).map(|n| n.display().to_string());
    let text = format!("drop to open {}", name.as_deref().unwrap_or("it"));
    let (painter, visuals) = (ui.painter(), ui.visuals());
    let frame = egui::Stroke::new(2.0, visuals.selection.bg_fill);
    painter.rect_stroke(picture.shrink(6.0), 6.0, frame, egui::StrokeKind::Inside);
    let galley = painter.layout_no_wrap(text, egui::FontId::proportional(16.0), visuals.strong_text_color());
    let place = egui::Align2::CENTER_CENTER.anchor_size(picture.center(), galley.size());
    painter.rect_filled(place.expand2(egui::vec2(12.0, 8.0)), 5.0, visuals.window_fill);
    painter.galley(place.min, galley, visuals.strong_text_color());
}
