//! Marks on top of bodies: what the overlays show.

use glam::Vec3;
use gordian_mesh::LOCAL_FACES;

use crate::compose::Look;
use crate::geometry::{Dot, Geometry, Line};
use crate::overlay::Overlay;
use crate::snapshot::{ContactKind, ContactMark, Model, PathMark, Snapshot};
use crate::theme::{self, Colour, Theme};

/// Adds what the overlays show on top of the bodies.
pub(crate) fn marks(geometry: &mut Geometry, model: &Model, snapshot: &Snapshot, look: &Look) {
    let x = &snapshot.positions;
    let shows = |overlay| look.overlays.has(overlay);
    if shows(Overlay::Inverted) {
        for &t in &snapshot.inverted {
            let corners = model.topology.tets[t as usize].map(|v| x[v as usize]);
            // Glass is not cut.
            if look.clip.is_some_and(|plane| corners.iter().all(|p| plane.beyond(*p) > 0.0)) {
                continue;
            }
            tetrahedron(geometry, corners, theme::INVERTED);
        }
    }
    if shows(Overlay::Penetrating) {
        let mut last = None;
        for &(v, _) in &snapshot.penetrating {
            if last != Some(v) {
                let dot = Dot::new(x[v as usize], theme::PENETRATING, 3.5);
                geometry.dots.push(dot.on_cloth(model.sheets.rank(v).is_some()));
            }
            last = Some(v);
        }
    }
    if shows(Overlay::Contours) {
        for contour in &snapshot.contours {
            let pieces = contour
                .windows(2)
                .map(|p| Line::new(p[0], p[1], theme::CONTOUR, 3.0))
                .map(|line| line.on_cloth([Vec3::ZERO; 2]));
            geometry.lines.extend(pieces);
        }
    }
    if shows(Overlay::Contacts) {
        snapshot.contacts.iter().for_each(|c| contact(geometry, model, c, look.theme, 1.0));
    }
    if shows(Overlay::Paths) {
        let deepest = snapshot.paths.iter().map(PathMark::length).fold(0.0, f32::max).max(f32::MIN_POSITIVE);
        // Pale rims set them off from bodies of every colour; all of them first, so that they do not hide other paths.
        let rims = snapshot.paths.iter().map(|p| Line::new(p.from, p.to, [255, 255, 255, 190], 4.0));
        geometry.lines.extend(rims);
        for path in &snapshot.paths {
            let colour = theme::depth(path.length() / deepest);
            geometry.lines.push(Line::new(path.from, path.to, colour, 2.2));
            geometry.dots.push(Dot::new(path.to, colour, 2.5));
        }
    }
    if shows(Overlay::Culled) {
        let vertex = searched(snapshot, look.selected);
        let shown = snapshot.culled.iter().filter(|b| b.vertex.is_none() || b.vertex == vertex);
        for culled in shown {
            frame_box(geometry, culled.corners, theme::CULLED);
        }
        let path = snapshot.paths.iter().filter(|p| Some(p.vertex) == vertex);
        geometry.lines.extend(path.map(|p| Line::new(p.from, p.to, theme::CULLED, 3.0)));
    }
}

/// A contact: its places, and its normal as long as an edge. `size`: of dots and lines, 1 for the usual one.
pub(crate) fn contact(
    geometry: &mut Geometry,
    model: &Model,
    contact: &ContactMark,
    theme: Theme,
    size: f32,
) {
    let edges = model.bodies.iter().map(|b| b.mean_edge).sum::<f64>() / model.bodies.len().max(1) as f64;
    let colour = match contact.kind {
        ContactKind::Meets => theme.contact(),
        ContactKind::Inside => theme::CONTACT_INSIDE,
        ContactKind::Collider => theme::CONTACT_COLLIDER,
        ContactKind::Layers => theme::CONTACT_LAYERS,
    };
    let on_cloth = contact.particles.iter().any(|&v| model.sheets.rank(v).is_some());
    let line =
        Line::new(contact.position, contact.position + contact.normal * edges as f32, colour, 1.5 * size);
    geometry.touches.push(if on_cloth { line.on_cloth([Vec3::ZERO; 2]) } else { line });
    let mut dot = |at| geometry.touch_dots.push(Dot::new(at, colour, 2.5 * size).on_cloth(on_cloth));
    dot(contact.position);
    if contact.other != contact.position {
        dot(contact.other);
    }
}

/// The vertex whose search is shown: the selected one where it has a path, else the deepest.
fn searched(snapshot: &Snapshot, selected: Option<u32>) -> Option<u32> {
    let chosen = snapshot.paths.iter().find(|p| Some(p.vertex) == selected);
    let deepest = || snapshot.paths.iter().max_by(|a, b| a.length().total_cmp(&b.length()));
    chosen.or_else(deepest).map(|p| p.vertex)
}

/// The twelve edges of a box.
fn frame_box(geometry: &mut Geometry, ends: [Vec3; 2], colour: Colour) {
    let corner = |i: usize| Vec3::new(ends[i & 1].x, ends[i >> 1 & 1].y, ends[i >> 2].z);
    for i in 0..8 {
        for axis in [1, 2, 4].into_iter().filter(|a| i & a == 0) {
            geometry.lines.push(Line::new(corner(i), corner(i | axis), colour, 1.3));
        }
    }
}

/// A tetrahedron as glass with edges.
fn tetrahedron(geometry: &mut Geometry, corners: [Vec3; 4], colour: Colour) {
    let glass = [colour[0], colour[1], colour[2], 110];
    for face in LOCAL_FACES {
        geometry.glass.triangle(face.map(|k| corners[k]), glass);
    }
    for [i, j] in [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] {
        geometry.lines.push(Line::new(corners[i], corners[j], colour, 1.5));
    }
}
