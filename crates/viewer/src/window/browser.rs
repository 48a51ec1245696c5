//! A file browser in the window, to open and to save.
//!
//! Not that of the desktop: this one is the same on every machine, also where there is no desktop behind the display, shows only
//! what can be opened, and says what is in a scene before it is opened.

use std::path::{Path, PathBuf};

use egui::{Align, Key, RichText, Sense, vec2};
use gordian_sim::Scene;

use super::style::{FAILED, faint};

/// What a file is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To open a scene or a mesh.
    Open,
    /// To save the scene.
    Save,
    /// A folder to record into.
    Folder,
}

/// What the user decided.
pub(super) enum Decision {
    /// This file, or folder.
    Take(PathBuf),
    /// Nothing.
    Leave,
}

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    name: String,
    path: PathBuf,
    folder: bool,
    /// Bytes.
    size: u64,
}

/// The browser while it is open.
pub(super) struct Browser {
    purpose: Purpose,
    folder: PathBuf,
    /// What there is, or why it cannot be told.
    entries: Result<Vec<Entry>, String>,
    /// To open: what names are searched for, or a path. To save: the name of the file.
    text: String,
    chosen: Option<usize>,
    /// What there is to say about the file that is chosen, and whether that is an error.
    about: (String, bool),
    /// The text takes the keys when the browser has just opened.
    fresh: bool,
    /// The chosen one is brought into view.
    scroll: bool,
}

impl Browser {
    /// Looks into `folder`; `name`: of the file to save.
    pub fn new(purpose: Purpose, folder: &Path, name: &str) -> Self {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let mut browser = Browser {
            purpose,
            entries: list(&folder, purpose),
            folder,
            text: name.to_owned(),
            chosen: None,
            about: Default::default(),
            fresh: true,
            scroll: false,
        };
        browser.choose(None);
        browser
    }

    /// The folder that is looked into.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn enter(&mut self, folder: PathBuf) {
        self.entries = list(&folder, self.purpose);
        self.folder = folder;
        if self.purpose != Purpose::Save {
            self.text.clear();
        }
        self.choose(None);
        self.scroll = true;
    }

    /// Entries whose names hold the text.
    fn shown(&self) -> Vec<Entry> {
        let searched = if self.purpose == Purpose::Save { "" } else { self.text.trim() }.to_lowercase();
        let entries = self.entries.iter().flatten();
        entries.filter(|e| e.name.to_lowercase().contains(&searched)).cloned().collect()
    }

    fn choose(&mut self, index: Option<usize>) {
        self.chosen = index;
        let shown = self.shown();
        let entry = index.and_then(|i| shown.get(i));
        if let (Purpose::Save, Some(entry)) = (self.purpose, entry.filter(|e| !e.folder)) {
            self.text = entry.name.clone();
        }
        self.about = match (self.purpose, entry.filter(|e| !e.folder)) {
            (Purpose::Open, Some(entry)) => about(entry),
            _ => Default::default(),
        };
    }

    /// The file to save to.
    fn target(&self) -> Option<PathBuf> {
        let name = self.text.trim();
        if name.is_empty() {
            return None;
        }
        let path = self.folder.join(name);
        Some(if path.extension().is_some() { path } else { path.with_extension("toml") })
    }

    /// Goes into the chosen folder, or takes the chosen file.
    fn accept(&mut self) -> Option<Decision> {
        let chosen = self.chosen.and_then(|i| self.shown().into_iter().nth(i));
        match (self.purpose, chosen) {
            (_, Some(entry)) if entry.folder => {
                self.enter(entry.path);
                None
            }
            (Purpose::Folder, _) => Some(Decision::Take(self.folder.clone())),
            (Purpose::Save, _) => self.target().map(Decision::Take),
            (Purpose::Open, Some(entry)) => Some(Decision::Take(entry.path)),
            (Purpose::Open, None) => {
                let path = self.folder.join(home(self.text.trim()));
                if self.text.trim().is_empty() {
                    return None;
                }
                if path.is_dir() {
                    self.enter(path);
                    return None;
                }
                // What is not there is told by what opens it.
                Some(Decision::Take(path))
            }
        }
    }

    /// The browser; returns what was decided.
    pub fn show(&mut self, ctx: &egui::Context) -> Option<Decision> {
        let mut decision = None;
        let modal = egui::Modal::new(egui::Id::unique("browser")).show(ctx, |ui| {
            let room = ctx.content_rect().size();
            ui.set_width((room.x - 60.0).clamp(200.0, 560.0));
            ui.heading(match self.purpose {
                Purpose::Open => "Open a scene or a mesh",
                Purpose::Save => "Save the scene",
                Purpose::Folder => "Record into a folder",
            });
            ui.add_space(4.0);
            self.places(ui);
            self.text(ui);
            self.list(ui, (room.y - 260.0).clamp(60.0, 340.0), &mut decision);
            self.words(ui);
            ui.separator();
            ui.horizontal(|ui| {
                let (label, ready) = self.action();
                if ui.add_enabled(ready, egui::Button::new(label)).clicked() {
                    decision = self.accept();
                }
                if ui.button("Cancel").clicked() {
                    decision = Some(Decision::Leave);
                }
            });
        });
        if decision.is_none() {
            decision = self.keys(ctx);
        }
        if decision.is_none() && modal.should_close() {
            decision = Some(Decision::Leave);
        }
        decision
    }

    /// The folder, part by part, and others to go to.
    fn places(&mut self, ui: &mut egui::Ui) {
        let mut wanted = None;
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let up = self.folder.parent().map(Path::to_path_buf);
            if ui.add_enabled(up.is_some(), egui::Button::new("Up")).on_hover_text("one folder up").clicked()
            {
                wanted = up;
            }
            let parts: Vec<&Path> = self.folder.ancestors().collect();
            for part in parts.into_iter().rev() {
                let name =
                    part.file_name().map_or_else(|| part.display().to_string(), |n| n.display().to_string());
                if ui.selectable_label(part == self.folder, name).clicked() {
                    wanted = Some(part.to_path_buf());
                }
                if part != self.folder && part.parent().is_some() {
                    ui.label(faint("/"));
                }
            }
        });
        ui.horizontal(|ui| {
            ui.label(faint("go to"));
            let start = std::env::current_dir().ok();
            for (name, place) in [("home", std::env::home_dir()), ("where gordian was started", start)] {
                if let Some(place) = place.filter(|p| p.is_dir())
                    && ui.link(RichText::new(name).size(12.0)).clicked()
                {
                    wanted = Some(place);
                }
            }
        });
        if let Some(folder) = wanted {
            self.enter(folder);
        }
    }

    fn text(&mut self, ui: &mut egui::Ui) {
        let hint = match self.purpose {
            Purpose::Open | Purpose::Folder => "part of a name, or a path",
            Purpose::Save => "name of the file",
        };
        let field = egui::TextEdit::singleline(&mut self.text).hint_text(hint).desired_width(f32::INFINITY);
        let response = ui.add(field);
        if std::mem::take(&mut self.fresh) {
            response.request_focus();
        }
        if response.changed() && self.purpose != Purpose::Save {
            // The first file that fits, as the one that is probably meant.
            let first = self.shown().iter().position(|e| !e.folder);
            self.choose(first.filter(|_| !self.text.trim().is_empty()));
            self.scroll = true;
        }
    }

    fn list(&mut self, ui: &mut egui::Ui, height: f32, decision: &mut Option<Decision>) {
        let (mut clicked, mut opened) = (None, None);
        egui::Frame::new().fill(ui.visuals().extreme_bg_color).corner_radius(4.0).inner_margin(4.0).show(
            ui,
            |ui| {
                let area = egui::ScrollArea::vertical().auto_shrink([false, false]).max_height(height);
                area.min_scrolled_height(height).show(ui, |ui| {
                    let shown = self.shown();
                    match &self.entries {
                        Err(message) => drop(ui.colored_label(FAILED, message)),
                        Ok(_) if shown.is_empty() => {
                            ui.label(faint(match self.purpose {
                                Purpose::Open => "no folder, scene or mesh here",
                                _ => "no folder here",
                            }));
                        }
                        Ok(_) => {}
                    }
                    for (i, entry) in shown.iter().enumerate() {
                        let response = row(ui, entry, self.chosen == Some(i));
                        if self.chosen == Some(i) && std::mem::take(&mut self.scroll) {
                            response.scroll_to_me(Some(Align::Center));
                        }
                        if response.clicked() {
                            clicked = Some(i);
                        }
                        if response.double_clicked() {
                            opened = Some(i);
                        }
                    }
                });
            },
        );
        if clicked.is_some() && opened.is_none() {
            self.choose(clicked);
        }
        if opened.is_some() {
            self.choose(opened);
            *decision = self.accept();
        }
    }

    fn words(&self, ui: &mut egui::Ui) {
        ui.add_space(2.0);
        let (text, failed) = &self.about;
        let exists = self.purpose == Purpose::Save && self.target().is_some_and(|t| t.exists());
        if exists {
            ui.label("this file exists and is replaced");
        } else if *failed {
            ui.colored_label(FAILED, text);
        } else {
            ui.label(faint(if text.is_empty() { " " } else { text }));
        }
    }

    /// What the button says, and whether it can be pressed.
    fn action(&self) -> (&'static str, bool) {
        let chosen = self.chosen.and_then(|i| self.shown().into_iter().nth(i));
        match (self.purpose, chosen) {
            (_, Some(entry)) if entry.folder => ("Go into the folder", true),
            (Purpose::Open, chosen) => ("Open", chosen.is_some() || !self.text.trim().is_empty()),
            (Purpose::Save, _) => match self.target() {
                Some(target) if target.exists() => ("Replace", true),
                target => ("Save", target.is_some()),
            },
            (Purpose::Folder, _) => ("Take this folder", true),
        }
    }

    fn keys(&mut self, ctx: &egui::Context) -> Option<Decision> {
        let pressed = |key| ctx.input(|i| i.key_pressed(key));
        let count = self.shown().len();
        if pressed(Key::ArrowDown) && count > 0 {
            self.choose(Some(self.chosen.map_or(0, |i| (i + 1).min(count - 1))));
            self.scroll = true;
        }
        if pressed(Key::ArrowUp) && count > 0 {
            self.choose(Some(self.chosen.map_or(0, |i| i.saturating_sub(1))));
            self.scroll = true;
        }
        if pressed(Key::Backspace)
            && !ctx.egui_wants_keyboard_input()
            && let Some(up) = self.folder.parent().map(Path::to_path_buf)
        {
            self.enter(up);
        }
        if pressed(Key::Enter) { self.accept() } else { None }
    }
}

/// A line of the list: the name on the left, the size on the right.
fn row(ui: &mut egui::Ui, entry: &Entry, chosen: bool) -> egui::Response {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::click());
    let style = ui.style().interact_selectable(&response, chosen);
    if chosen || response.hovered() {
        ui.painter().rect_filled(rect, 3.0, style.weak_bg_fill);
    }
    let place = |x: f32, align, text: String, size: f32, colour| {
        ui.painter().text(
            egui::pos2(x, rect.center().y),
            align,
            text,
            egui::FontId::proportional(size),
            colour,
        )
    };
    symbol(
        ui.painter(),
        egui::pos2(rect.left() + 12.0, rect.center().y),
        entry.folder,
        ui.visuals().weak_text_color(),
    );
    place(rect.left() + 26.0, egui::Align2::LEFT_CENTER, entry.name.clone(), 13.0, style.text_color());
    if !entry.folder {
        let size = size_of(entry.size);
        place(rect.right() - 6.0, egui::Align2::RIGHT_CENTER, size, 11.0, ui.visuals().weak_text_color());
    }
    response
}

/// A small folder, or a sheet of paper.
fn symbol(painter: &egui::Painter, at: egui::Pos2, folder: bool, colour: egui::Color32) {
    let rect = |x: f32, y: f32, w: f32, h: f32| egui::Rect::from_min_size(at + vec2(x, y), vec2(w, h));
    if folder {
        painter.rect_filled(rect(-6.0, -5.0, 5.0, 3.0), 1.0, colour);
        painter.rect_filled(rect(-6.0, -3.5, 12.0, 8.5), 1.5, colour);
    } else {
        let stroke = egui::Stroke::new(1.0, colour);
        painter.rect_stroke(rect(-4.5, -6.0, 9.0, 12.0), 1.0, stroke, egui::StrokeKind::Inside);
        for y in [-2.0, 0.5, 3.0] {
            painter.hline(at.x - 2.0..=at.x + 2.0, at.y + y, stroke);
        }
    }
}

/// A size for people.
fn size_of(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// `~` stands for the home folder.
fn home(text: &str) -> PathBuf {
    let rest = text.strip_prefix('~').map(|r| r.trim_start_matches(['/', '\\']));
    match (rest, std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(text),
    }
}

/// What there is in a folder: folders first, then files that can be opened, each by name; nothing that is hidden.
fn list(folder: &Path, purpose: Purpose) -> Result<Vec<Entry>, String> {
    let fault = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut entries = Vec::new();
    for found in std::fs::read_dir(folder).map_err(fault)? {
        let found = found.map_err(fault)?;
        let (path, name) = (found.path(), found.file_name().display().to_string());
        // Through links; one that leads nowhere is nothing to open.
        let Ok(meta) = std::fs::metadata(&path) else { continue };
        let wanted = meta.is_dir()
            || match purpose {
                Purpose::Open => is_scene(&path) || is_mesh(&path),
                Purpose::Save => is_scene(&path),
                Purpose::Folder => false,
            };
        if wanted && !name.starts_with('.') {
            entries.push(Entry { name, path, folder: meta.is_dir(), size: meta.len() });
        }
    }
    entries.sort_by_cached_key(|e| (!e.folder, e.name.to_lowercase(), e.name.clone()));
    Ok(entries)
}

fn has_extension(path: &Path, fits: impl Fn(&str) -> bool) -> bool {
    path.extension().and_then(|e| e.to_str()).is_some_and(|e| fits(&e.to_lowercase()))
}

/// Whether a file is a scene by its name.
fn is_scene(path: &Path) -> bool {
    has_extension(path, |e| e == "toml")
}

/// Whether a file is a mesh by its name, in one of the formats that can be read.
fn is_mesh(path: &Path) -> bool {
    let formats = gordian_mesh::io::format_list();
    let known = |e: &str| formats.split(['(', ')', ',', ' ']).any(|part| part.strip_prefix('.') == Some(e));
    has_extension(path, known)
}

/// What there is to say about a file, and whether that is an error.
fn about(entry: &Entry) -> (String, bool) {
    if !is_scene(&entry.path) {
        return ("a mesh: it falls on the ground, as in the scene `drop`; a surface as cloth".into(), false);
    }
    match Scene::load(&entry.path) {
        Ok(scene) => {
            let bodies = match scene.body.len() {
                1 => "one body".to_owned(),
                n => format!("{n} bodies"),
            };
            let description = &scene.simulation.description;
            let colon = if description.is_empty() { "" } else { ": " };
            (format!("{bodies}{colon}{description}"), false)
        }
        Err(error) => (error.to_string(), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_first_and_only_what_can_be_opened_is_listed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["b.toml", "A.TOML", "ball.msh", "notes.txt", ".hidden.toml", "z.obj"] {
            std::fs::write(at(name), "x").unwrap();
        }
        std::fs::create_dir(at("zoo")).unwrap();
        std::fs::create_dir(at(".git")).unwrap();
        let names = |purpose| -> Vec<String> {
            list(folder.path(), purpose).unwrap().into_iter().map(|e| e.name).collect()
        };
        assert_eq!(names(Purpose::Open), ["zoo", "A.TOML", "b.toml", "ball.msh", "z.obj"]);
        assert_eq!(names(Purpose::Save), ["zoo", "A.TOML", "b.toml"]);
        assert_eq!(names(Purpose::Folder), ["zoo"]);
        let nowhere = list(&at("nowhere"), Purpose::Open).unwrap_err();
        assert!(nowhere.contains("nowhere"), "{nowhere}");
    }

    #[test]
    fn a_name_without_an_extension_is_saved_as_a_scene() {
        let folder = tempfile::tempdir().unwrap();
        let mut browser = Browser::new(Purpose::Save, folder.path(), "mine");
        let target = browser.target().unwrap();
        assert_eq!(target.file_name().unwrap(), "mine.toml");
        assert_eq!(browser.action(), ("Save", true));
        std::fs::write(&target, "").unwrap();
        assert_eq!(browser.action(), ("Replace", true));
        browser.text = " ".into();
        assert!(browser.target().is_none() && !browser.action().1);
    }
}
