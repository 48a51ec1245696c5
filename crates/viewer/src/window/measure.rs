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
        let Some(last) = app.history.back().cloned() else {
            ui.label(faint("nothing was computed yet"));
            return;
        };
        plot(app, ui);
        let text = figures(app, &last);
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
    painter.text(
        rect.left_top() + vec2(4.0, 2.0),
        egui::Align2::LEFT_TOP,
        format!("{highest:.1} ms"),
        egui::FontId::proportional(10.0),
        ui.visuals().text_color(),
    );
    ui.horizontal_wrapped(|ui| {
        let Some(last) = app.history.back() else { return };
        for (stage, colour) in Stage::ALL.into_iter().zip(COLOURS) {
            if last.ms.get(stage) > 0.0 {
                let name = stage.name().replace('_', " ");
                entry(ui, colour, format!("{name} {:.1}", last.ms.get(stage)));
            }
        }
        ui.label(faint("ms"));
    });
}

/// A colour and its name, one widget: its size is known before it is placed, so that lines wrap between entries.
fn entry(ui: &mut egui::Ui, colour: Color32, name: String) {
    const DOT: f32 = 8.0;
    const GAP: f32 = 4.0;
    let weak = ui.visuals().weak_text_color();
    let galley = ui.painter().layout_no_wrap(name, egui::FontId::proportional(11.5), weak);
    let size = vec2(DOT + GAP + galley.size().x, galley.size().y);
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

/// Numbers as text.
fn figures(app: &App, r: &FrameReport) -> String {
    let opened = app.opened.as_ref();
    let vertices = opened.map_or(0, |o| o.model.body_of.len());
    let tets = opened.map_or(0, |o| o.model.topology.tets.len());
    let triangles = opened.map_or(0, |o| o.model.sheets.triangles.len());
    let mut text = format!(
        "frame        {}\ntotal        {:.2} ms\nvertices     {vertices}\ntetrahedra   {tets}\n\
         triangles    {triangles}\ncontacts     {} ccd\n             {} dcd\n             {} collider\n             {} layers\nqueries      {}, {} unresolved\n\
         penetrating  {}\ninverted     {}\nkinetic      {}\nelastic      {}\n",
        r.frame,
        r.ms.total,
        r.contacts.ccd,
        r.contacts.dcd,
        r.contacts.collider,
        r.contacts.proximity,
        r.queries,
        r.unresolved_queries,
        r.penetrating_vertices,
        r.inverted_tetrahedra,
        metric(r.kinetic_energy_j, "J"),
        metric(r.elastic_energy_j, "J"),
    );
    if let (Some(pairs), Some(length)) = (r.intersecting_triangle_pairs, r.contour_length_m) {
        text.push_str(&format!("crossings    {pairs} pairs\ncontours     {}\n", metric(length, "m")));
    }
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
