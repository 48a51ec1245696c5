//! From the state of a world to what the renderer draws.

use glam::Vec3;
use rayon::prelude::*;

use crate::clip::cross_section;
use crate::geometry::{ClipPlane, Geometry, Line, Mesh, Vertex};
use crate::marks::marks;
use crate::overlay::{Overlay, Overlays};
use crate::snapshot::{Model, Snapshot};
use crate::theme::{self, Theme};
use crate::{camera, solids};

/// What is shown, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    /// Surroundings.
    pub theme: Theme,
    /// On top of the bodies.
    pub overlays: Overlays,
    /// Where bodies are cut.
    pub clip: Option<ClipPlane>,
    /// A vertex that is looked at: what was culled in the search for its path is shown, instead of that for the deepest one.
    pub selected: Option<u32>,
}

/// Points that a picture of a world should hold: the surfaces of the bodies, colliders of finite size, and the ground
/// below them where it is near.
pub fn extent(model: &Model, snapshot: &Snapshot) -> Vec<Vec3> {
    let surface = model.topology.boundary_vertices.iter().chain(&model.sheets.particles);
    let surface = surface.map(|&v| snapshot.positions[v as usize]);
    let mut points: Vec<Vec3> = surface.chain(snapshot.colliders.iter().flat_map(solids::extent)).collect();
    if let Some((low, high)) = camera::bounds(points.iter().copied()) {
        let (middle, size) = ((low + high) / 2.0, (high - low).length());
        for (origin, normal) in snapshot.colliders.iter().filter_map(|c| solids::ground_of(c, model.up)) {
            let height = normal.dot(middle - origin);
            if is_near(height, size) {
                // The middle of each side of what is below: where it falls to is in view too.
                let below = middle - normal * height;
                let half = (high - low) / 2.0;
                let sides = [Vec3::X * half.x, Vec3::Y * half.y, Vec3::Z * half.z];
                let level = sides.into_iter().map(|s| s.reject_from(normal));
                points.extend(level.flat_map(|s| [below + s, below - s]));
            }
        }
    }
    points
}

/// [`extent`], and where shadows fall on ground that is in it: what a camera brings into view.
pub fn in_view(model: &Model, snapshot: &Snapshot) -> Vec<Vec3> {
    let mut points = extent(model, snapshot);
    let grounds = snapshot.colliders.iter().filter_map(|c| solids::ground_of(c, model.up));
    let grounds: Vec<(Vec3, Vec3)> = grounds.collect();
    let Some((low, high)) = camera::bounds(points.iter().copied()) else { return points };
    let (middle, size) = ((low + high) / 2.0, (high - low).length());
    let light = theme::towards_light(model.up);
    for (origin, normal) in grounds {
        if is_near(normal.dot(middle - origin), size) {
            let shadow = |p: &Vec3| {
                let way = normal.dot(*p - origin) / normal.dot(light);
                (way > 0.0).then(|| *p - light * way)
            };
            let shadows: Vec<Vec3> = points.iter().filter_map(shadow).collect();
            points.extend(shadows);
        }
    }
    points
}

/// Whether ground is in the picture of what is `size` large, its middle `height` above the ground, metres.
fn is_near(height: f32, size: f32) -> bool {
    (0.0..1.5 * size).contains(&height)
}

/// All there is to draw of a moment.
pub fn compose(model: &Model, snapshot: &Snapshot, look: &Look) -> Geometry {
    let (low, high) =
        camera::bounds(extent(model, snapshot).into_iter()).unwrap_or((Vec3::NEG_ONE, Vec3::ONE));
    let radius = ((high - low).length() / 2.0).max(f32::MIN_POSITIVE);
    let mut geometry = Geometry {
        centre: (low + high) / 2.0,
        radius,
        grid: round_length(radius / 4.0),
        lift: lift(model),
        clip: look.clip,
        ..Geometry::default()
    };
    let around = look.theme.surroundings();
    let colouring = look.overlays.has(Overlay::Colouring);
    geometry.bodies = if colouring { coloured(model, snapshot) } else { bodies(model, snapshot) };
    let normals = model.sheets.normals(&snapshot.positions);
    geometry.sheets = sheets(model, snapshot, &normals);
    solids::append(&mut geometry, snapshot.colliders.iter(), model.up, around.collider, around.wire);
    if let Some(plane) = &look.clip {
        let colour = |t: u32| {
            if colouring {
                theme::colouring(model.colouring.tets[t as usize])
            } else {
                theme::lighter(theme::body(model.body_of_tet(t)), 0.35)
            }
        };
        let [r, g, b, opacity] = around.wire;
        let outline = [r, g, b, opacity / 2];
        let (mesh, lines) = cross_section(&snapshot.positions, &model.topology.tets, plane, colour, outline);
        geometry.sections = mesh;
        geometry.wires.extend(lines);
    }
    if look.overlays.has(Overlay::Wireframe) {
        let x = &snapshot.positions;
        geometry.wires.extend(
            model
                .topology
                .edges
                .iter()
                .map(|e| Line::new(x[e.vertices[0] as usize], x[e.vertices[1] as usize], around.wire, 1.0)),
        );
    }
    let on_cloth = |e: &[u32; 2], colour, width| {
        let [a, b] = e.map(|v| snapshot.positions[v as usize]);
        Line::new(a, b, colour, width)
            .on_cloth(e.map(|v| model.sheets.rank(v).map_or(Vec3::ZERO, |i| normals[i])))
    };
    if look.overlays.has(Overlay::Colouring) {
        let springs = model.colouring.distances.iter();
        geometry.wires.extend(springs.map(|(e, c)| on_cloth(e, theme::colouring(*c), 2.5)));
    } else if look.overlays.has(Overlay::Wireframe) {
        geometry.wires.extend(model.sheets.edges.iter().map(|e| on_cloth(e, around.wire, 1.0)));
    }
    marks(&mut geometry, model, snapshot, look);
    geometry
}

/// By how much cloth is drawn nearer to the eye, edges.
pub(crate) const LIFT: f32 = 0.08;

/// By how much cloth is drawn nearer to the eye. A flat triangle whose circumcircle has the radius r and whose vertices lie on
/// a ball of radius R dips r²/2R into it: less than this for balls with a radius of three edges and more.
fn lift(model: &Model) -> f32 {
    let cloth = model.bodies.iter().filter(|b| b.tets.is_empty());
    LIFT * cloth.map(|b| b.mean_edge as f32).fold(0.0, f32::max)
}

/// Surfaces in the colours of their bodies.
fn bodies(model: &Model, snapshot: &Snapshot) -> Mesh {
    let surface = &model.surface;
    let normals = surface.normals(&snapshot.positions, &model.topology.faces);
    let vertices = surface
        .particle
        .par_iter()
        .zip(normals)
        .map(|(&p, normal)| Vertex {
            position: snapshot.positions[p as usize],
            normal,
            colour: theme::body(model.body_of[p as usize] as usize),
        })
        .collect();
    Mesh { vertices, indices: surface.faces.iter().flatten().copied().collect() }
}

/// Surfaces in the colours of the colouring: each face in that of its tetrahedron.
fn coloured(model: &Model, snapshot: &Snapshot) -> Mesh {
    let surface = &model.surface;
    let normals = surface.normals(&snapshot.positions, &model.topology.faces);
    let corners = surface.faces.par_iter().zip(&model.topology.face_tet).flat_map_iter(|(face, &tet)| {
        let colour = theme::colouring(model.colouring.tets[tet as usize]);
        face.map(|s| {
            let position = snapshot.positions[surface.particle[s as usize] as usize];
            Vertex { position, normal: normals[s as usize], colour }
        })
    });
    let vertices: Vec<Vertex> = corners.collect();
    Mesh { indices: (0..vertices.len() as u32).collect(), vertices }
}

/// Cloth in the colours of its bodies.
fn sheets(model: &Model, snapshot: &Snapshot, normals: &[Vec3]) -> Mesh {
    let corner = |(&p, &normal): (&u32, &Vec3)| Vertex {
        position: snapshot.positions[p as usize],
        normal,
        colour: theme::body(model.body_of[p as usize] as usize),
    };
    Mesh {
        vertices: model.sheets.particles.iter().zip(normals).map(corner).collect(),
        indices: model.sheets.faces.iter().flatten().copied().collect(),
    }
}

/// The largest of 1, 2, 5, 10, … times a power of ten that is not above `length`.
fn round_length(length: f32) -> f32 {
    let power = 10f32.powf(length.log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|m| m * power).find(|&l| l <= length).unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_round_spacings_at_every_scale() {
        for (length, expected) in [(0.3f32, 0.2f32), (1.0, 1.0), (7.0, 5.0), (1500.0, 1000.0), (2.1e-5, 2e-5)]
        {
            assert!((round_length(length) / expected - 1.0).abs() < 1e-4, "{length}");
        }
    }
}
