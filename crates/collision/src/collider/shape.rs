//! Shapes in their own frame: signed distance, outward normal, and the entry of a segment.

use super::MeshCollider;
use crate::bvh::NearestQueue;
use crate::contact::unit;
use glam::DVec3;
use std::sync::Arc;

/// What a collider looks like, in its own frame. Lengths in metres.
#[derive(Clone, Debug)]
pub enum Shape {
    /// The half space behind the plane through the origin.
    Plane {
        /// Where outside is; unit length.
        normal: DVec3,
    },
    /// A ball about the origin.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// All points within `radius` of a segment.
    Capsule {
        /// The segment.
        ends: [DVec3; 2],
        /// Radius.
        radius: f64,
    },
    /// A box about the origin, its edges along the axes.
    Box {
        /// Half of its size.
        half: DVec3,
    },
    /// The inside of a sphere about the origin: solid is what lies outside of the sphere and not above its rim; a
    /// sphere without a rim is closed, and all that is outside is solid.
    Bowl {
        /// Radius of the sphere.
        radius: f64,
        /// From the bottom to the opening; unit length.
        axis: DVec3,
        /// Height of the rim over the centre, along the axis: 0 for half a sphere, `radius` (or more) for a closed one.
        rim: f64,
    },
    /// A closed triangle mesh.
    Mesh(Arc<MeshCollider>),
}

/// Distance to a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Signed distance, metres; negative inside.
    pub distance: f64,
    /// Gradient of the distance: the outward direction, unit length. Where the closest point is not unique (the centre of
    /// a sphere), one of the directions by a fixed rule.
    pub normal: DVec3,
}

/// Where a segment enters a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Parameter on the segment, in `[0, 1]`.
    pub at: f64,
    /// The point.
    pub point: DVec3,
    /// Outward normal there, unit length.
    pub normal: DVec3,
}

/// Buffers of mesh queries; keep one per thread.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) queue: NearestQueue,
    pub(super) stack: Vec<u32>,
}

/// A shape that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A size that is not positive and finite.
    #[error("{shape}: {what} is {value}, but must be positive and finite")]
    Size {
        /// Which shape.
        shape: &'static str,
        /// Which size.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A direction without length.
    #[error("{shape}: {what} has no direction; give a vector that is finite and not zero")]
    Direction {
        /// Which shape.
        shape: &'static str,
        /// Which direction.
        what: &'static str,
    },
}

impl Shape {
    /// Checks sizes and brings directions to unit length.
    pub fn validated(mut self) -> Result<Self, ShapeError> {
        let size = |shape, what, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(ShapeError::Size { shape, what, value })
            }
        };
        let direction = |shape, what, v: &mut DVec3| {
            *v = unit(*v);
            if *v == DVec3::ZERO { Err(ShapeError::Direction { shape, what }) } else { Ok(()) }
        };
        match &mut self {
            Shape::Plane { normal } => direction("plane", "normal", normal)?,
            Shape::Sphere { radius } => size("sphere", "radius", *radius)?,
            Shape::Capsule { ends, radius } => {
                size("capsule", "radius", *radius)?;
                // Equal ends are a sphere; only a point that is nowhere is refused.
                if !(ends[0].is_finite() && ends[1].is_finite()) {
                    return Err(ShapeError::Size { shape: "capsule", what: "length", value: f64::NAN });
                }
            }
            Shape::Box { half } => {
                for (what, value) in ["half.x", "half.y", "half.z"].into_iter().zip(half.to_array()) {
                    size("box", what, value)?;
                }
            }
            Shape::Bowl { radius, axis, rim } => {
                size("bowl", "radius", *radius)?;
                direction("bowl", "axis", axis)?;
                if rim.is_nan() {
                    return Err(ShapeError::Size { shape: "bowl", what: "rim", value: *rim });
                }
            }
            Shape::Mesh(_) => {}
        }
        Ok(self)
    }

    /// Signed distance and outward normal at `p`.
    pub fn surface(&self, p: DVec3, scratch: &mut Scratch) -> Surface {
        match self {
            Shape::Plane { normal } => Surface { distance: p.dot(*normal), normal: *normal },
            Shape::Sphere { radius } => ball(p, *radius, DVec3::Z),
            Shape::Capsule { ends, radius } => {
                let axis = ends[1] - ends[0];
                let t = crate::contact::closest::parameter_on_segment(p, ends[0], ends[1]);
                let across = unit(axis).any_perpendicular_or_z();
                ball(p - ends[0] - axis * t, *radius, across)
            }
            Shape::Box { half } => cuboid(p, *half),
            Shape::Bowl { radius, axis, rim } => bowl(p, *radius, *axis, *rim),
            Shape::Mesh(mesh) => mesh.surface(p, scratch),
        }
    }

    /// A lower bound of the distance, cheaper than [`Shape::surface`] for a mesh; exact for the others.
    pub(super) fn distance_bound(&self, p: DVec3, scratch: &mut Scratch) -> f64 {
        match self {
            Shape::Mesh(mesh) => mesh.distance_bound(p),
            _ => self.surface(p, scratch).distance,
        }
    }

    /// First entry of the segment from `a` to `b`, where `a` is outside or on the surface. `None` if the segment stays
    /// outside; always `None` for a plane, whose distance tells the same at `b` alone.
    pub fn cast(&self, a: DVec3, b: DVec3, scratch: &mut Scratch) -> Option<Entry> {
        let d = b - a;
        match self {
            Shape::Plane { .. } => None,
            Shape::Sphere { radius } => cast_ball(a, d, *radius),
            Shape::Capsule { ends, radius } => {
                let lift = |e: Entry, end: DVec3| Entry { point: e.point + end, ..e };
                [
                    cast_ball(a - ends[0], d, *radius).map(|e| lift(e, ends[0])),
                    cast_ball(a - ends[1], d, *radius).map(|e| lift(e, ends[1])),
                    cast_cylinder(a, d, *ends, *radius),
                ]
                .into_iter()
                .flatten()
                .min_by(|x, y| x.at.total_cmp(&y.at))
            }
            Shape::Box { half } => cast_cuboid(a, d, *half),
            Shape::Bowl { radius, axis, rim } => cast_bowl(a, d, *radius, *axis, *rim),
            Shape::Mesh(mesh) => mesh.cast(a, b, &mut scratch.stack),
        }
    }

    pub(super) fn corners(&self) -> Vec<DVec3> {
        match self {
            Shape::Box { half } => (0..8)
                .map(|k| {
                    *half * DVec3::from_array([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 }))
                })
                .collect(),
            Shape::Mesh(mesh) => mesh.vertices().map(|v| v.as_dvec3()).collect(),
            _ => Vec::new(),
        }
    }
}

/// Perpendicular to a unit vector; z for zero.
trait AnyPerpendicular {
    fn any_perpendicular_or_z(self) -> DVec3;
}

impl AnyPerpendicular for DVec3 {
    fn any_perpendicular_or_z(self) -> DVec3 {
        if self == DVec3::ZERO { DVec3::Z } else { self.any_orthonormal_vector() }
    }
}

fn ball(p: DVec3, radius: f64, at_centre: DVec3) -> Surface {
    let length = p.length();
    let normal = if length > 0.0 { p / length } else { at_centre };
    Surface { distance: length - radius, normal }
}

fn cuboid(p: DVec3, half: DVec3) -> Surface {
    let outside = p - p.clamp(-half, half);
    let distance = outside.length();
    if distance > 0.0 {
        return Surface { distance, normal: outside / distance };
    }
    // Inside: the nearest face; the first of equals, and the positive one in the middle.
    let depth = half - p.abs();
    let axis = (0..3).min_by(|&i, &j| depth[i].total_cmp(&depth[j])).unwrap_or(0);
    let mut normal = DVec3::ZERO;
    normal[axis] = if p[axis] < 0.0 { -1.0 } else { 1.0 };
    Surface { distance: -depth[axis], normal }
}

/// The boundary has two parts: the wall (the sphere up to the rim) and the flat ring round the rim.
fn bowl(p: DVec3, radius: f64, axis: DVec3, rim: f64) -> Surface {
    let height = p.dot(axis);
    let length = p.length();
    let inward = if length > 0.0 { -p / length } else { axis };
    if rim >= radius {
        return Surface { distance: radius - length, normal: inward };
    }
    let free = length < radius || height > rim;
    let sign = if free { 1.0 } else { -1.0 };
    // The closest point of the whole sphere belongs to the wall where it is not above the rim.
    let wall = (length == 0.0 || height * radius <= rim * length).then(|| (radius - length).abs());
    let outward = p - axis * height;
    let r = outward.length();
    let opening = (radius * radius - rim * rim).max(0.0).sqrt();
    let across = if r > 0.0 { outward / r } else { axis.any_orthonormal_vector() };
    let to_ring = p - axis * rim - across * r.max(opening);
    let ring = to_ring.length();
    if let Some(wall) = wall
        && wall <= ring
    {
        return Surface { distance: sign * wall, normal: inward };
    }
    let normal = if r >= opening || ring == 0.0 { axis } else { to_ring * (sign / ring) };
    Surface { distance: sign * ring, normal }
}

/// Roots of |a + t d| = radius, ascending.
fn sphere_roots(a: DVec3, d: DVec3, radius: f64) -> Option<[f64; 2]> {
    let (dd, ad) = (d.length_squared(), a.dot(d));
    if dd == 0.0 {
        return None;
    }
    // Of the foot of the perpendicular from the centre, so that nothing large cancels.
    let foot = a - d * (ad / dd);
    let inside = radius * radius - foot.length_squared();
    if inside < 0.0 {
        return None;
    }
    let half = (inside / dd).sqrt();
    Some([-ad / dd - half, -ad / dd + half])
}

fn cast_ball(a: DVec3, d: DVec3, radius: f64) -> Option<Entry> {
    let [at, _] = sphere_roots(a, d, radius)?;
    (0.0..=1.0).contains(&at).then(|| {
        let point = a + d * at;
        Entry { at, point, normal: unit(point) }
    })
}

fn cast_cylinder(a: DVec3, d: DVec3, ends: [DVec3; 2], radius: f64) -> Option<Entry> {
    let axis = ends[1] - ends[0];
    let length = axis.length();
    if length == 0.0 {
        return None;
    }
    let k = axis / length;
    let (start, step) = (a - ends[0], d);
    let across = |v: DVec3| v - k * v.dot(k);
    let [at, _] = sphere_roots(across(start), across(step), radius)?;
    let along = start.dot(k) + step.dot(k) * at;
    ((0.0..=1.0).contains(&at) && (0.0..=length).contains(&along)).then(|| {
        let point = a + d * at;
        Entry { at, point, normal: unit(across(point - ends[0])) }
    })
}

fn cast_cuboid(a: DVec3, d: DVec3, half: DVec3) -> Option<Entry> {
    let (mut enter, mut leave, mut side) = (f64::NEG_INFINITY, f64::INFINITY, 0);
    for k in 0..3 {
        if d[k] == 0.0 {
            if a[k].abs() > half[k] {
                return None;
            }
            continue;
        }
        let s = half[k].copysign(d[k]);
        let (near, far) = ((-s - a[k]) / d[k], (s - a[k]) / d[k]);
        if near > enter {
            (enter, side) = (near, k);
        }
        leave = leave.min(far);
    }
    ((0.0..=1.0).contains(&enter) && enter <= leave).then(|| {
        let mut normal = DVec3::ZERO;
        normal[side] = -d[side].signum();
        Entry { at: enter, point: a + d * enter, normal }
    })
}

fn cast_bowl(a: DVec3, d: DVec3, radius: f64, axis: DVec3, rim: f64) -> Option<Entry> {
    let (height, fall) = (a.dot(axis), -d.dot(axis));
    // Down through the ring.
    let ring = (rim < radius && fall > 0.0 && height >= rim).then(|| (height - rim) / fall).and_then(|at| {
        let point = a + d * at;
        (at <= 1.0 && point.length() >= radius).then_some(Entry { at, point, normal: axis })
    });
    // Out through the wall.
    let wall = sphere_roots(a, d, radius).and_then(|[_, at]| {
        let point = a + d * at;
        ((0.0..=1.0).contains(&at) && point.dot(axis) <= rim).then(|| Entry {
            at,
            point,
            normal: -unit(point),
        })
    });
    match (ring, wall) {
        (Some(r), Some(w)) => Some(if r.at <= w.at { r } else { w }),
        (r, w) => r.or(w),
    }
}
