//! How the window looks.

use crate::theme::Theme;

/// Colours and spacing of the theme.
pub(super) fn apply(ctx: &egui::Context, theme: Theme) {
    let wanted = match theme {
        Theme::Light => egui::Theme::Light,
        Theme::Dark => egui::Theme::Dark,
    };
    if ctx.theme() != wanted {
        ctx.set_theme(wanted);
    }
}

/// Text that matters less.
pub(super) fn faint(text: impl Into<String>) -> egui::RichText {
    egui::RichText::new(text).weak().size(11.0)
}

/// A heading that opens and closes.
pub(super) fn section(ui: &mut egui::Ui, title: &str, open: bool, add: impl FnOnce(&mut egui::Ui)) {
    egui::CollapsingHeader::new(egui::RichText::new(title).strong()).default_open(open).show(ui, add);
}

/// A number with its unit, three digits.
pub(super) fn metric(value: f64, unit: &str) -> String {
    let (scale, prefix) = match value.abs() {
        0.0 => (1.0, ""),
        v if v < 1e-6 => (1e9, "n"),
        v if v < 1e-3 => (1e6, "µ"),
        v if v < 1.0 => (1e3, "m"),
        v if v < 1e3 => (1.0, ""),
        v if v < 1e6 => (1e-3, "k"),
        _ => (1e-6, "M"),
    };
    format!("{:.3} {prefix}{unit}", value * scale)
}
