//! Colliders as triangles.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::{Mat3, Vec2, Vec3};
use gordian_collision::collider::{Collider, Shape};

use crate::compose;
use crate::geometry::{Geometry, GroundVertex, Line, Mesh, Vertex};
use crate::theme::Colour;

/// Segments round a ball.
const ROUND: u32 = 64;

/// Adds the colliders to `geometry`, whose middle, radius and grid are set. `up`: the vertical.
pub fn append<'a>(
    geometry: &mut Geometry,
    colliders: impl Iterator<Item = &'a Collider>,
    up: Vec3,
    colour: Colour,
    wire: Colour,
) {
    for collider in colliders {
        let pose = &collider.end;
        let turn = Mat3::from_quat(pose.rotation.as_quat());
        let origin = pose.position.as_vec3();
        let place = |v: &mut Vertex| {
            v.position = origin + turn * v.position;
            v.normal = turn * v.normal;
        };
        match &collider.shape {
            Shape::Plane { normal } => match ground_of(collider, up) {
                Some((origin, normal)) => ground(geometry, normal, origin),
                None => pane(geometry, (pose.rotation * *normal).as_vec3(), origin, colour, wire),
            },
            Shape::Bowl { radius, axis, rim } => {
                let radius = *radius as f32;
                let axis = axis.as_vec3();
                let top = (*rim as f32 / radius).clamp(-1.0, 1.0).asin();
                let first = geometry.shells.vertices.len();
                let frame = frame_about(axis);
                band(&mut geometry.shells, frame, -FRAC_PI_2, top, radius, 0.0, true, colour);
                geometry.shells.vertices[first..].iter_mut().for_each(place);
                let (sin, cos) = top.sin_cos();
                let on_rim = |i: u32| {
                    let (s, c) = (i as f32 / ROUND as f32 * TAU).sin_cos();
                    origin + turn * (frame * (Vec3::new(cos * c, sin, -cos * s) * radius))
                };
                geometry.wires.extend((0..ROUND).map(|i| Line::new(on_rim(i), on_rim(i + 1), wire, 2.0)));
            }
            shape => {
                let first = geometry.solids.vertices.len();
                solid(&mut geometry.solids, shape, colour);
                let sunk = sunk(shape, geometry.lift / compose::LIFT);
                geometry.solids.vertices[first..].iter_mut().for_each(|v| {
                    v.position -= v.normal * sunk;
                    place(v);
                });
            }
        }
    }
}

/// By how much a round solid is drawn smaller below cloth with edges of this length e: a diagonal √2 e between points of a ball of
/// radius R dips e²/4R into it, and without this the ball's outline would be a thin rim round that of the cloth on it.
fn sunk(shape: &Shape, edge: f32) -> f32 {
    match shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => {
            let radius = *radius as f32;
            (edge * edge / (4.0 * radius)).min(0.02 * radius)
        }
        _ => 0.0,
    }
}

/// A point and the normal of a plane that bodies can stand on.
pub fn ground_of(collider: &Collider, up: Vec3) -> Option<(Vec3, Vec3)> {
    let Shape::Plane { normal } = &collider.shape else { return None };
    let normal = (collider.end.rotation * *normal).as_vec3();
    (normal.dot(up) > 0.5).then(|| (collider.end.position.as_vec3(), normal))
}

/// Points that a picture should hold of a collider: none of a plane, corners of boxes round the others, metres.
pub fn extent(collider: &Collider) -> Vec<Vec3> {
    let pose = &collider.end;
    let corners = |low: Vec3, high: Vec3| -> Vec<Vec3> {
        let at = |i: u32| {
            Vec3::new(
                if i & 1 == 0 { low.x } else { high.x },
                if i & 2 == 0 { low.y } else { high.y },
                if i & 4 == 0 { low.z } else { high.z },
            )
        };
        (0..8).map(at).collect()
    };
    let local = match &collider.shape {
        Shape::Plane { .. } => Vec::new(),
        Shape::Sphere { radius } => {
            let r = *radius as f32;
            [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|a| [a * r, -a * r]).collect()
        }
        Shape::Bowl { radius, axis, rim } => {
            let (r, frame) = (*radius as f32, frame_about(axis.as_vec3()));
            let rim = (*rim as f32).clamp(-r, r);
            // The bottom, and the widest circle where that is not the rim.
            [-r, rim, rim.min(0.0)]
                .into_iter()
                .flat_map(|height| {
                    let wide = (r * r - height * height).max(0.0).sqrt();
                    (0..8).map(move |i| {
                        let (s, c) = (i as f32 / 8.0 * TAU).sin_cos();
                        frame * Vec3::new(wide * c, height, wide * s)
                    })
                })
                .collect()
        }
        Shape::Capsule { ends, radius } => {
            let [a, b] = ends.map(|e| e.as_vec3());
            corners(a.min(b) - *radius as f32, a.max(b) + *radius as f32)
        }
        Shape::Box { half } => corners(-half.as_vec3(), half.as_vec3()),
        Shape::Mesh(mesh) => {
            crate::camera::bounds(mesh.vertices()).map_or(Vec::new(), |(low, high)| corners(low, high))
        }
    };
    local.into_iter().map(|p| pose.to_world(p.as_dvec3()).as_vec3()).collect()
}

/// A frame whose second axis is `axis`.
fn frame_about(axis: Vec3) -> Mat3 {
    let a = axis.any_orthonormal_vector();
    Mat3::from_cols(a, axis, a.cross(axis))
}

/// Part of a sphere between two latitudes about the second axis of `frame`, moved along that axis by `lift`.
#[expect(clippy::too_many_arguments, reason = "one call each for ball, caps and bowl")]
fn band(
    mesh: &mut Mesh,
    frame: Mat3,
    low: f32,
    high: f32,
    radius: f32,
    lift: f32,
    inward: bool,
    colour: Colour,
) {
    let rows = ((high - low) / PI * ROUND as f32 * 0.5).ceil().max(1.0) as u32;
    let first = mesh.vertices.len() as u32;
    for row in 0..=rows {
        let (sin, cos) = (low + (high - low) * row as f32 / rows as f32).sin_cos();
        for i in 0..=ROUND {
            let (s, c) = (i as f32 / ROUND as f32 * TAU).sin_cos();
            let normal = frame * Vec3::new(cos * c, sin, -cos * s);
            let position = normal * radius + frame.y_axis * lift;
            mesh.vertices.push(Vertex { position, normal: if inward { -normal } else { normal }, colour });
        }
    }
    grid(mesh, first, rows, inward);
}

/// Triangles between the rows of vertices that begin at `first`.
fn grid(mesh: &mut Mesh, first: u32, rows: u32, flip: bool) {
    for row in 0..rows {
        for i in 0..ROUND {
            let a = first + row * (ROUND + 1) + i;
            let b = a + ROUND + 1;
            for [p, q, r] in [[a, a + 1, b + 1], [a, b + 1, b]] {
                mesh.indices.extend(if flip { [p, r, q] } else { [p, q, r] });
            }
        }
    }
}

fn solid(mesh: &mut Mesh, shape: &Shape, colour: Colour) {
    match shape {
        Shape::Sphere { radius } => {
            band(mesh, Mat3::IDENTITY, -FRAC_PI_2, FRAC_PI_2, *radius as f32, 0.0, false, colour);
        }
        Shape::Capsule { ends, radius } => {
            let [a, b] = ends.map(|e| e.as_vec3());
            let radius = *radius as f32;
            let frame = frame_about((b - a).try_normalize().unwrap_or(Vec3::Y));
            let half = (b - a).length() / 2.0;
            // The ends are opposite: the middle is the origin of the shape's frame.
            let first = mesh.vertices.len();
            band(mesh, frame, 0.0, FRAC_PI_2, radius, half, false, colour);
            band(mesh, frame, -FRAC_PI_2, 0.0, radius, -half, false, colour);
            let start = mesh.vertices.len() as u32;
            for lift in [-half, half] {
                for i in 0..=ROUND {
                    let (s, c) = (i as f32 / ROUND as f32 * TAU).sin_cos();
                    let normal = frame * Vec3::new(c, 0.0, -s);
                    mesh.vertices.push(Vertex {
                        position: normal * radius + frame.y_axis * lift,
                        normal,
                        colour,
                    });
                }
            }
            grid(mesh, start, 1, false);
            mesh.vertices[first..].iter_mut().for_each(|v| v.position += (a + b) / 2.0);
        }
        Shape::Box { half } => {
            let half = half.as_vec3();
            for axis in 0..3 {
                for sign in [-1.0, 1.0] {
                    let at = |u: f32, v: f32| {
                        let mut p = Vec3::ZERO;
                        (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (sign, u * sign, v);
                        p * half
                    };
                    let [p, q, r, s] = [at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
                    mesh.triangle([p, q, r], colour);
                    mesh.triangle([p, r, s], colour);
                }
            }
        }
        Shape::Mesh(shape) => {
            // Vertices in use come in ascending order.
            let mut used: Vec<u32> = shape.triangles().iter().flatten().copied().collect();
            used.sort_unstable();
            used.dedup();
            let positions: Vec<Vec3> = shape.vertices().collect();
            let at = |v: u32| positions[used.binary_search(&v).expect("it is in use")];
            for t in shape.triangles() {
                mesh.triangle(t.map(at), colour);
            }
        }
        Shape::Plane { .. } | Shape::Bowl { .. } => unreachable!("drawn by the caller"),
    }
}

/// A plane that bodies stand on, as far as it can be seen.
fn ground(geometry: &mut Geometry, normal: Vec3, origin: Vec3) {
    let (u, v) = axes(normal);
    let centre = geometry.centre - normal * normal.dot(geometry.centre - origin);
    let reach = geometry.radius * 14.0;
    let corner = |a: f32, b: f32| {
        let position = centre + (u * a + v * b) * reach;
        GroundVertex { position, normal, cell: Vec2::new(position.dot(u), position.dot(v)) / geometry.grid }
    };
    let [p, q, r, s] = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    geometry.ground.extend([p, q, r, p, r, s]);
}

/// Horizontal axes of a plane.
fn axes(normal: Vec3) -> (Vec3, Vec3) {
    let v = if normal.z.abs() < 0.9 { Vec3::Z } else { Vec3::Y };
    let u = v.cross(normal).normalize();
    (u, normal.cross(u))
}

/// A plane that nothing stands on: a sheet of glass with a rim.
fn pane(geometry: &mut Geometry, normal: Vec3, origin: Vec3, colour: Colour, wire: Colour) {
    let (u, v) = axes(normal);
    let centre = geometry.centre - normal * normal.dot(geometry.centre - origin);
    let reach = geometry.radius * 1.1;
    let corner = |a: f32, b: f32| centre + (u * a + v * b) * reach;
    let corners = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let [p, q, r, s] = corners;
    let glass = [colour[0], colour[1], colour[2], 60];
    geometry.glass.triangle([p, q, r], glass);
    geometry.glass.triangle([p, r, s], glass);
    geometry.wires.extend((0..4).map(|i| Line::new(corners[i], corners[(i + 1) % 4], wire, 1.5)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3};
    use gordian_collision::collider::{MeshCollider, Pose, Scratch};
    use std::sync::Arc;

    #[test]
    fn a_picture_holds_of_a_bowl_what_is_below_its_rim() {
        for rim in [-0.4, 0.0, 0.4, 3.0] {
            let (radius, axis) = (0.8, DVec3::Z);
            let pose = Pose { rotation: DQuat::from_rotation_x(0.4), position: DVec3::new(1.0, 2.0, 3.0) };
            let points = extent(&Collider::new(Shape::Bowl { radius, axis, rim }, pose));
            let local = points.iter().map(|p| pose.to_local(p.as_dvec3()));
            let (mut low, mut high, mut widest) = (f64::MAX, f64::MIN, 0.0f64);
            for p in local {
                assert!(p.length() < radius + 1e-5);
                (low, high, widest) = (low.min(p.z), high.max(p.z), widest.max(p.x.hypot(p.y)));
            }
            let wide = if rim < 0.0 { radius * radius - rim * rim } else { radius * radius };
            assert!(
                (low + radius).abs() < 1e-5 && (high - rim.min(radius)).abs() < 1e-5,
                "{rim}: {low} {high}"
            );
            assert!((widest - wide.sqrt()).abs() < 1e-5, "{rim}: {widest}");
        }
    }

    /// Every vertex lies on the surface, every triangle faces outward (inward for a bowl).
    #[test]
    fn what_is_drawn_is_the_surface_that_collides() {
        let tetrahedron = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mesh = MeshCollider::new(&tetrahedron, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
        let shapes = [
            Shape::Sphere { radius: 0.7 },
            Shape::Capsule { ends: [DVec3::new(-0.5, -0.2, 0.1), DVec3::new(0.5, 0.2, -0.1)], radius: 0.3 },
            Shape::Box { half: DVec3::new(0.5, 0.2, 0.3) },
            Shape::Bowl { radius: 0.8, axis: DVec3::new(0.6, 0.8, 0.0), rim: 0.2 },
            Shape::Mesh(Arc::new(mesh)),
        ];
        let pose = Pose { rotation: DQuat::from_rotation_x(0.4), position: DVec3::new(1.0, 2.0, 3.0) };
        for shape in shapes {
            let collider = Collider::new(shape.clone(), pose);
            let mut geometry = Geometry { radius: 1.0, grid: 1.0, ..Geometry::default() };
            append(&mut geometry, [&collider].into_iter(), Vec3::Y, [1; 4], [1; 4]);
            let mesh = if geometry.solids.indices.is_empty() { geometry.shells } else { geometry.solids };
            assert!(!mesh.indices.is_empty());
            for v in &mesh.vertices {
                let local = pose.to_local(v.position.as_dvec3());
                let surface = shape.surface(local, &mut Scratch::default());
                assert!(surface.distance.abs() < 1e-5, "{shape:?}: {}", surface.distance);
            }
            for t in mesh.indices.chunks(3) {
                let [a, b, c] = [t[0], t[1], t[2]].map(|i| mesh.vertices[i as usize]);
                let flat = (b.position - a.position).cross(c.position - a.position);
                // At the poles triangles shrink to lines.
                assert!(flat.dot(a.normal + b.normal + c.normal) > -1e-7, "{shape:?}");
                let outside = (a.position + b.position + c.position) / 3.0 + flat.normalize_or_zero() * 0.05;
                let local = pose.to_local(outside.as_dvec3());
                assert!(
                    flat.length() < 1e-6 || shape.surface(local, &mut Scratch::default()).distance > 0.0,
                    "{shape:?} faces inward"
                );
            }
        }
    }
}
