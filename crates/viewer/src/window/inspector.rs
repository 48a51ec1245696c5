//! What is shown on top of the bodies, and what there is to know about a vertex.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};
use gordian_mesh::{Neighbor, signed_volume};

use super::app::App;
use super::controls::{key_of, toggle};
use super::driver::{Command, Shown};
use super::style::{faint, metric, section};
use crate::clip::ClipChoice;
use crate::compose::Look;
use crate::geometry::{Dot, Geometry, Line};
use crate::marks;
use crate::overlay::Overlay;
use crate::renderer::Quality;
use crate::snapshot::{ContactKind, Model, PathMark, Snapshot};
use crate::theme::{self, Theme};

/// Switches of the overlays, the clip plane and the theme.
pub(super) fn overlays(app: &mut App, ui: &mut egui::Ui) {
    section(ui, "Show", true, |ui| {
        for overlay in Overlay::ALL {
            ui.horizontal(|ui| {
                let mut on = app.overlays.has(overlay);
                let response = ui.checkbox(&mut on, overlay.name()).on_hover_text(overlay.about());
                if response.changed() {
                    toggle(app, overlay);
                }
                ui.label(faint(key_of(overlay).name()));
                swatches(ui, overlay, app.theme);
                if overlay == Overlay::Colouring
                    && let Some(opened) = app.opened.as_ref().filter(|_| on)
                {
                    ui.label(faint(colours_of(&opened.model)));
                }
            });
        }
        clip(app, ui);
        ui.horizontal(|ui| {
            let before = app.theme;
            ui.label("theme");
            ui.selectable_value(&mut app.theme, Theme::Light, "light");
            ui.selectable_value(&mut app.theme, Theme::Dark, "dark");
            ui.label(faint("T"));
            app.stale |= before != app.theme;
        });
        let mut fine = app.quality == Quality::FINE;
        if ui.checkbox(&mut fine, "fine shadows").on_hover_text("slower without a GPU").changed() {
            app.quality = if fine { Quality::FINE } else { Quality::QUICK };
        }
    });
}

/// The colours by which an overlay is known.
fn swatches(ui: &mut egui::Ui, overlay: Overlay, theme: Theme) {
    let colours = overlay.colours(theme);
    let (rect, _) = ui.allocate_exact_size(egui::vec2(7.0 * colours.len() as f32, 9.0), egui::Sense::hover());
    for (i, [r, g, b, _]) in colours.into_iter().enumerate() {
        let at = egui::Rect::from_min_size(rect.min + egui::vec2(7.0 * i as f32, 0.0), egui::vec2(7.0, 9.0));
        ui.painter().rect_filled(at, 0.0, egui::Color32::from_rgb(r, g, b));
    }
}

/// How many colours the colouring has.
fn colours_of(model: &Model) -> String {
    let count = |colours: &mut dyn Iterator<Item = u8>| {
        let used: std::collections::BTreeSet<u8> = colours.collect();
        used.len()
    };
    let tets = count(&mut model.colouring.tets.iter().copied());
    let springs = count(&mut model.colouring.distances.iter().map(|d| d.1));
    match (tets, springs) {
        (tets, 0) => format!("{tets} colours"),
        (0, springs) => format!("{springs} colours"),
        (tets, springs) => format!("{tets} and {springs} colours"),
    }
}

fn clip(app: &mut App, ui: &mut egui::Ui) {
    ui.horizontal(|ui| {
        let cuts = ui.checkbox(&mut app.cuts, "clip plane").on_hover_text("cuts the bodies open");
        app.stale |= cuts.changed();
        ui.label(faint("C"));
        if !app.cuts {
            return;
        }
        let clip = app.clip;
        for (name, axis) in [("x", Vec3::X), ("y", Vec3::Y), ("z", Vec3::Z)] {
            let chosen = clip.normal.dot(axis).abs() > 0.99;
            let about = if chosen { "cuts the other side away" } else { "cuts along this axis" };
            if ui.selectable_label(chosen, name).on_hover_text(about).clicked() {
                let normal = if chosen { -clip.normal } else { axis };
                let offset = clip.offset.filter(|_| chosen).map(|o| -o);
                app.clip = ClipChoice { normal, offset };
                app.stale = true;
            }
        }
    });
    if let Some(plane) = app.look().clip
        && let (Some(opened), Some(shown)) = (&app.opened, &app.shown)
        && let Some((low, high)) =
            crate::camera::bounds(crate::compose::extent(&opened.model, &shown.snapshot).into_iter())
    {
        // Along the axis, whichever side is cut away.
        let axis = plane.normal.abs();
        let side = plane.normal.dot(axis);
        let mut place = plane.offset * side;
        ui.spacing_mut().slider_width = 170.0;
        if ui.add(egui::Slider::new(&mut place, axis.dot(low)..=axis.dot(high)).suffix(" m")).changed() {
            app.clip = ClipChoice { normal: plane.normal, offset: Some(place * side) };
            app.stale = true;
        }
    }
}

/// Tetrahedra that a path walks through, from face to face, and the part of the path that lies in each: not those of another layer
/// of the body, which lie there too.
fn walked(model: &Model, snapshot: &Snapshot, path: &PathMark) -> Vec<(u32, f64)> {
    let topology = &model.topology;
    let mut reached = vec![path.tet];
    let mut walked = Vec::new();
    let mut next = 0;
    while let Some(&t) = reached.get(next) {
        next += 1;
        let corners = topology.tets[t as usize].map(|v| snapshot.positions[v as usize].as_dvec3());
        let Some(part) = part_inside(corners, path.from.as_dvec3(), path.to.as_dvec3()) else { continue };
        // What is touched alone leads on, where a path goes through an edge.
        if part > TOUCHED {
            walked.push((t, part));
        }
        for link in topology.neighbors[t as usize] {
            if let Neighbor::Tet(other) = link.get()
                && !reached.contains(&other)
            {
                reached.push(other);
            }
        }
    }
    walked
}

/// Part of a segment that does not count, in lengths of the segment: rounding.
const TOUCHED: f64 = 1e-6;

/// The part of a segment that lies in a tetrahedron, in lengths of the segment; `None` where they do not touch.
fn part_inside(corners: [DVec3; 4], from: DVec3, to: DVec3) -> Option<f64> {
    let total = signed_volume(corners);
    // Between all four faces.
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for k in 0..4 {
        let weight = |p: DVec3| {
            let mut c = corners;
            c[k] = p;
            signed_volume(c) / total
        };
        let (a, b) = (weight(from), weight(to));
        match (a < 0.0, b < 0.0) {
            (true, true) if a.max(b) < -TOUCHED => return None,
            (true, true) => leave = leave.min(enter),
            (true, false) => enter = enter.max(a / (a - b)),
            (false, true) => leave = leave.min(a / (a - b)),
            _ => {}
        }
    }
    (leave - enter >= -TOUCHED).then_some(leave - enter)
}

/// Marks of the selected vertex, its paths, and of what is held.
pub(super) fn marks(geometry: &mut Geometry, model: &Model, shown: &Shown, look: &Look) {
    let snapshot = &shown.snapshot;
    for &p in &shown.pinned {
        let position = snapshot.positions[p as usize];
        let dot = Dot::new(position, [250, 200, 40, 255], 6.0);
        geometry.dots.push(dot.on_cloth(model.sheets.rank(p).is_some()));
    }
    let Some(v) = look.selected.filter(|&v| (v as usize) < snapshot.positions.len()) else { return };
    let dot = Dot::new(snapshot.positions[v as usize], [30, 30, 36, 255], 5.5);
    geometry.dots.push(dot.on_cloth(model.sheets.rank(v).is_some()));
    for contact in snapshot.contacts.iter().filter(|c| c.particles.contains(&v)) {
        marks::contact(geometry, model, contact, look.theme, 1.4);
    }
    for path in snapshot.paths.iter().filter(|p| p.vertex == v) {
        geometry.lines.push(Line::new(path.from, path.to, [255, 255, 255, 255], 4.0));
        for (t, _) in walked(model, snapshot, path) {
            let corners = model.topology.tets[t as usize].map(|v| snapshot.positions[v as usize]);
            for [i, j] in [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] {
                geometry.lines.push(Line::new(corners[i], corners[j], theme::depth(0.75), 1.5));
            }
        }
    }
}

/// How many contacts a vertex has, and with what.
fn contacts_of(model: &Model, snapshot: &Snapshot, vertex: u32) -> String {
    let body_of = |v: u32| model.body_of[v as usize] as usize;
    let mut with: BTreeMap<&str, u32> = BTreeMap::new();
    for contact in snapshot.contacts.iter().filter(|c| c.particles.contains(&vertex)) {
        let others = contact.particles.iter().filter(|&&p| p != u32::MAX).map(|&p| body_of(p));
        let other = others.into_iter().find(|&b| b != body_of(vertex));
        let name = match (contact.kind, other) {
            (ContactKind::Collider, _) => "a collider",
            (_, Some(body)) => &model.bodies[body].name,
            (_, None) => "itself",
        };
        *with.entry(name).or_default() += 1;
    }
    if with.is_empty() {
        return "none".into();
    }
    with.iter().map(|(name, n)| format!("{n} with {name}")).collect::<Vec<_>>().join(", ")
}

/// What there is to know about the selected vertex.
pub(super) fn selection(app: &mut App, ui: &mut egui::Ui) {
    section(ui, "Vertex", true, |ui| {
        let (Some(opened), Some(shown), Some(v)) = (&app.opened, &app.shown, app.selected) else {
            ui.label(faint("click a vertex"));
            return;
        };
        let (model, s) = (&opened.model, &shown.snapshot);
        if v as usize >= s.positions.len() {
            return;
        }
        let body = &model.bodies[model.body_of[v as usize] as usize];
        let mut lines = vec![
            format!("vertex   {} of {}", v - body.particles.start, body.name),
            format!("position {:.4} m", s.positions[v as usize]),
            format!("velocity {:.3} m/s", s.velocities[v as usize]),
        ];
        let at: Vec<String> = s.penetrating.iter().filter(|p| p.0 == v).map(|p| (p.1).to_string()).collect();
        lines.push(if at.is_empty() {
            "inside   nothing".into()
        } else {
            format!("inside   tets {}", at.join(", "))
        });
        for path in s.paths.iter().filter(|p| p.vertex == v) {
            let walked = walked(model, s, path).len();
            let length = metric(path.from.distance(path.to) as f64, "m");
            lines.push(format!("path     {length} to face {}\n         through {walked} tets", path.face));
        }
        lines.push(format!("contacts {}", contacts_of(model, s, v)));
        for line in &lines {
            ui.monospace(line);
        }
        let pinned = shown.pinned.contains(&v);
        let mut clicked = None;
        ui.horizontal(|ui| {
            if ui.button(if pinned { "Unpin" } else { "Pin" }).on_hover_text("P").clicked() {
                clicked = Some(Command::TogglePin(v));
            }
            if ui.button("Copy").clicked() {
                ui.ctx().copy_text(lines.join("\n"));
            }
        });
        if let Some(command) = clicked {
            app.driver.send(command);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlay::Overlays;
    use gordian_sim::{AdapterChoice, Scene, World};

    #[test]
    fn a_segment_has_the_part_in_a_tetrahedron_that_geometry_says() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let part = |a: [f64; 3], b: [f64; 3]| part_inside(corners, a.into(), b.into());
        // Along x at y = z = 1/4 from x = 0 to 1/2.
        assert!((part([-0.5, 0.25, 0.25], [1.5, 0.25, 0.25]).unwrap() - 0.25).abs() < 1e-12);
        assert!((part([0.1, 0.1, 0.1], [0.2, 0.3, 0.1]).unwrap() - 1.0).abs() < 1e-12, "inside");
        assert_eq!(part([2.0, 0.0, 0.0], [0.0, 2.0, 1.0]), None, "beside");
        assert_eq!(part([-1.0, 0.2, 0.2], [-0.1, 0.2, 0.2]), None, "short of it");
        let turned = [corners[1], corners[0], corners[2], corners[3]];
        let inverted = part_inside(turned, DVec3::new(-0.5, 0.25, 0.25), DVec3::new(1.5, 0.25, 0.25));
        assert!((inverted.unwrap() - 0.25).abs() < 1e-12, "turned inside out");
    }

    /// The tetrahedra that a path walks through hold all of it, each part once: in a noodle wound through itself others lie there too.
    #[test]
    fn a_path_lies_once_in_the_tetrahedra_that_it_walks_through() {
        let scene = Scene::open("tangled_noodle", &[]).unwrap();
        let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
        let model = Model::of(&world, scene.up().as_vec3());
        let snapshot = Snapshot::inspect(&mut world, "paths".parse::<Overlays>().unwrap()).unwrap();
        assert!(snapshot.paths.len() > 100);
        for path in &snapshot.paths {
            let walked = walked(&model, &snapshot, path);
            let whole: f64 = walked.iter().map(|w| w.1).sum();
            // Its end is rounded to single precision, which is much of a short one.
            let rounding = 4.0 * f32::EPSILON * path.to.abs().max_element() / path.length();
            assert!(
                (whole - 1.0).abs() < f64::from(1e-4 + rounding),
                "{whole} of the path of {}: {walked:?}",
                path.vertex
            );
        }
    }
}
