//! How the window looks.

use egui::Color32;

use crate::theme::Theme;

/// Text of what failed, readable on light and on dark.
pub(super) const FAILED: Color32 = Color32::from_rgb(222, 70, 60);

/// Colours of the theme. The defaults of egui are for short labels; what is read here is read at length, so that text has more
/// contrast: at least 7 to 1, and 4.5 to 1 where it matters less (the levels of WCAG 2).
pub(super) fn apply(ctx: &egui::Context, theme: Theme) {
    let wanted = match theme {
        Theme::Light => egui::Theme::Light,
        Theme::Dark => egui::Theme::Dark,
    };
    if ctx.theme() != wanted {
        ctx.set_theme(wanted);
    }
    if ctx.style_of(wanted).visuals.weak_text_color.is_none() {
        ctx.style_mut_of(wanted, |style| {
            let [text, weak] = text_colours(theme);
            style.visuals.widgets.noninteractive.fg_stroke.color = text;
            style.visuals.widgets.inactive.fg_stroke.color = text;
            style.visuals.weak_text_color = Some(weak);
        });
    }
}

/// Of text, and of text that matters less.
fn text_colours(theme: Theme) -> [Color32; 2] {
    match theme {
        Theme::Light => [Color32::from_gray(45), Color32::from_gray(92)],
        Theme::Dark => [Color32::from_gray(200), Color32::from_gray(150)],
    }
}

/// Text that matters less.
pub(super) fn faint(text: impl Into<String>) -> egui::RichText {
    egui::RichText::new(text).weak().size(11.5)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Contrast of WCAG 2: (lighter + 0.05) / (darker + 0.05) of relative luminances.
    fn contrast(a: Color32, b: Color32) -> f32 {
        let luminance = |c: Color32| {
            let [r, g, b, _] = egui::Rgba::from(c).to_array();
            0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
        };
        let (a, b) = (luminance(a), luminance(b));
        a.max(b) / a.min(b)
    }

    #[test]
    fn text_is_readable_in_both_themes() {
        for (theme, visuals) in [(Theme::Light, egui::Visuals::light()), (Theme::Dark, egui::Visuals::dark())]
        {
            let [text, weak] = text_colours(theme);
            for ground in [visuals.panel_fill, visuals.window_fill, visuals.extreme_bg_color] {
                assert!(contrast(text, ground) >= 7.0, "{theme:?}: {}", contrast(text, ground));
                assert!(contrast(weak, ground) >= 4.5, "{theme:?}: {}", contrast(weak, ground));
            }
            assert!(contrast(FAILED, visuals.panel_fill) >= 3.0);
        }
    }
}
