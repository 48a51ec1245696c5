//! Where the time goes, and what was counted.

use egui::{Color32, Rect, pos2, vec2};
use gordian_sim::{FrameReport, Stage};

use super::app::{App, HISTORY};
use super::style::{faint, metric, section};

/// Colours of the stages, apart in hue and in lightness.
const COLOURS: [Color32; 9] = [
    Color32::from_rgb(38, 122, 186),
    Color32::from_rgb(150, 150, 156),
    Color32::from_rgb(110, 186, 232),
    Color32::from_rgb(24, 160, 122),
    Color32::from_rgb(235, 160, 32),
    Color32::from_rgb(204, 121, 167),
    Color32::from_rgb(238, 224, 90),
    Color32::from_rgb(120, 80, 170),
    Color32::from_rgb(90, 90, 96),
];

pub(super) fn show(app: &mut App, ui: &mut egui::Ui) {
    section(ui, "Measure", true, |ui| {
        if app.opened.is_none() {
            ui.label(faint("choose a scene"));
            return;
        }
        // Before the first frame there is as much as after it: nothing below moves away under the pointer.
        plot(app, ui);
        let text = figures(app, app.history.back());
        ui.monospace(&text);
        if ui.button("Copy").clicked() {
            ui.ctx().copy_text(text);
        }
    });
}

/// Stage times of the last frames, one above the other.
fn plot(app: &App, ui: &mut egui::Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 90.0), egui::Sense::hover());
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 3.0, ui.visuals().extreme_bg_color);
    let total = |r: &FrameReport| Stage::ALL.iter().map(|s| r.ms.get(*s)).sum::<f64>();
    let highest = usual(app.history.iter().map(total).collect());
    let width = rect.width() / HISTORY as f32;
    for (i, report) in app.history.iter().enumerate() {
        let x = rect.left() + i as f32 * width;
        let mut y = rect.bottom();
        for (stage, colour) in Stage::ALL.into_iter().zip(COLOURS) {
            let height = (report.ms.get(stage) / highest) as f32 * (rect.height() - 14.0);
            painter.rect_filled(
                Rect::from_min_max(pos2(x, y - height), pos2(x + width.max(1.0), y)),
                0.0,
                colour,
            );
            y -= height;
        }
    }
    let scale = if app.history.is_empty() { "no frame yet".into() } else { format!("{highest:.1} ms") };
    painter.text(
        rect.left_top() + vec2(4.0, 2.0),
        egui::Align2::LEFT_TOP,
        scale,
        egui::FontId::proportional(10.0),
        ui.visuals().text_color(),
    );
    let last = app.history.back();
    ui.scope(|ui| {
        // Lines of text, and not of buttons.
        ui.spacing_mut().interact_size.y = 0.0;
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.horizontal_wrapped(|ui| {
            let width = ((ui.available_width() - ui.spacing().item_spacing.x) / 2.0).floor();
            for (stage, colour) in Stage::ALL.into_iter().zip(COLOURS) {
                let name = stage.name().replace('_', " ");
                let time = last.map_or("–".into(), |last| milliseconds(last.ms.get(stage)));
                entry(ui, colour, format!("{name} {time}"), width);
            }
        });
    });
}

/// Three digits, as far as they are whole.
fn milliseconds(ms: f64) -> String {
    if ms < 99.95 { format!("{ms:.1} ms") } else { format!("{ms:.0} ms") }
}

/// A colour and its name, one widget of a width, or wider where the name is: lines wrap between entries, and others stay where they
/// are while a number changes.
fn entry(ui: &mut egui::Ui, colour: Color32, name: String, width: f32) {
    const DOT: f32 = 8.0;
    const GAP: f32 = 4.0;
    let weak = ui.visuals().weak_text_color();
    let galley = ui.painter().layout_no_wrap(name, egui::FontId::proportional(11.5), weak);
    let size = vec2((DOT + GAP + galley.size().x).max(width), galley.size().y);
    let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
    let dot = Rect::from_center_size(rect.left_center() + vec2(DOT / 2.0, 0.0), vec2(DOT, DOT));
    ui.painter().rect_filled(dot, 2.0, colour);
    ui.painter().galley(rect.min + vec2(DOT + GAP, 0.0), galley, weak);
}

/// What most frames stay below, with some room: a single slow one, such as the first, does not flatten all others.
fn usual(mut totals: Vec<f64>) -> f64 {
    totals.sort_unstable_by(f64::total_cmp);
    let at = |part: usize| totals.get(totals.len().saturating_sub(1) * part / 100).copied().unwrap_or(0.0);
    at(100).min(1.5 * at(95)).max(1e-3)
}

/// Numbers as text; a dash for each before the first frame.
fn figures(app: &App, report: Option<&FrameReport>) -> String {
    let told = |number: &dyn Fn(&FrameReport) -> String| report.map_or("–".into(), number);
    let opened = app.opened.as_ref();
    let vertices = opened.map_or(0, |o| o.model.body_of.len());
    let tets = opened.map_or(0, |o| o.model.topology.tets.len());
    let triangles = opened.map_or(0, |o| o.model.sheets.triangles.len());
    let mut rows = vec![
        ("frame", told(&|r| r.frame.to_string())),
        ("total", told(&|r| format!("{:.2} ms", r.ms.total))),
        ("vertices", vertices.to_string()),
        ("tetrahedra", tets.to_string()),
        ("triangles", triangles.to_string()),
        ("contacts", told(&|r| format!("{} ccd", r.contacts.ccd))),
        ("", told(&|r| format!("{} dcd", r.contacts.dcd))),
        ("", told(&|r| format!("{} collider", r.contacts.collider))),
        ("", told(&|r| format!("{} layers", r.contacts.proximity))),
        ("queries", told(&|r| format!("{}, {} unresolved", r.queries, r.unresolved_queries))),
        ("penetrating", told(&|r| r.penetrating_vertices.to_string())),
        ("inverted", told(&|r| r.inverted_tetrahedra.to_string())),
        ("kinetic", told(&|r| metric(r.kinetic_energy_j, "J"))),
        ("elastic", told(&|r| metric(r.elastic_energy_j, "J"))),
    ];
    if triangles > 0 {
        let pairs =
            |r: &FrameReport| r.intersecting_triangle_pairs.map_or("–".into(), |n| format!("{n} pairs"));
        let length = |r: &FrameReport| r.contour_length_m.map_or("–".into(), |l| metric(l, "m"));
        rows.extend([("crossings", told(&pairs)), ("contours", told(&length))]);
    }
    let mut text: String = rows.iter().map(|(name, value)| format!("{name:<12} {value}\n")).collect();
    if let Some(memory) = resident_memory() {
        text.push_str(&format!("memory       {}\n", metric(memory as f64, "B")));
    }
    if let Some(opened) = opened {
        text.push_str(&format!("computes\n  {}\n", opened.adapter));
    }
    text.push_str(&format!("draws        {:.1} ms a picture\n  {}", app.drawing_ms, app.gpu.name));
    text
}

/// Memory of this program in use, bytes, where the system tells.
fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_frame_does_not_flatten_the_plot() {
        let mut totals: Vec<f64> = (0..100).map(|i| 5.0 + (i % 10) as f64 * 0.1).collect();
        assert!((usual(totals.clone()) - 5.9).abs() < 1e-9, "all are seen");
        totals[0] = 900.0;
        assert!(usual(totals) < 9.0);
        assert!(usual(vec![3.0]) == 3.0 && usual(Vec::new()) > 0.0);
    }
}
