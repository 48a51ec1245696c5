//! The gap of a contact at given positions: closest points, weights and direction.

use super::closest::{closest_on_segments, closest_on_triangle, foot_on_plane};
use super::unit;
use glam::DVec3;

/// Two points count as coincident when they are closer than this part of the feature's size: the line that joins
/// them then has no direction that could be trusted in single-precision positions.
pub(super) const COINCIDENT: f64 = 1e-6;

/// How far past the rim the foot of the perpendicular may lie to be used: smallest barycentric weight.
const NEAR_RIM: f64 = -1.0 / 3.0;

/// Cosine of the cone about the reference direction in which the joining line is taken while inside.
const CONE: f64 = 0.5;

/// A contact at given positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap<const A: usize, const B: usize> {
    /// Weights of the first side, sum one.
    pub first: [f64; A],
    /// Weights of the second side, sum one.
    pub second: [f64; B],
    /// Unit direction from the second side to the first; zero if there is none.
    pub direction: DVec3,
    /// Signed distance of the two points along it, metres.
    pub distance: f64,
}

/// Weighted sum of points.
#[inline]
pub(super) fn blend<const N: usize>(weights: &[f64; N], points: &[DVec3; N]) -> DVec3 {
    let mut sum = DVec3::ZERO;
    for k in 0..N {
        sum += points[k] * weights[k];
    }
    sum
}

/// Gap of the point `p` (weights `first`) against the face `tri`, on its back if `back`.
#[inline]
pub(super) fn point_face<const A: usize>(
    first: [f64; A],
    p: DVec3,
    tri: [DVec3; 3],
    back: bool,
    reference: DVec3,
) -> Gap<A, 3> {
    let normal = unit((tri[1] - tri[0]).cross(tri[2] - tri[0])) * if back { -1.0 } else { 1.0 };
    let q = closest_on_triangle(p, tri);
    if q.interior {
        return Gap { first, second: q.weights, direction: normal, distance: (p - tri[0]).dot(normal) };
    }
    let reference = if reference == DVec3::ZERO { normal } else { reference };
    let size = (tri[1] - tri[0]).length().max((tri[2] - tri[0]).length());
    let (direction, distance, joined) = rim(p - blend(&q.weights, &tri), reference, size);
    if !joined
        && let Some(foot) = foot_on_plane(p, tri)
        && foot.iter().all(|&w| w >= NEAR_RIM)
    {
        return Gap { first, second: foot, direction: normal, distance: (p - tri[0]).dot(normal) };
    }
    Gap { first, second: q.weights, direction, distance }
}

/// Gap of two edges.
#[inline]
pub(super) fn edge_edge(a: [DVec3; 2], b: [DVec3; 2], reference: DVec3) -> Gap<2, 2> {
    let (u, v) = (a[1] - a[0], b[1] - b[0]);
    let q = closest_on_segments(a, b);
    let [s, t] = q.parameters;
    let (first, second) = ([1.0 - s, s], [1.0 - t, t]);
    let r = blend(&first, &a) - blend(&second, &b);
    if q.interior {
        let n = unit(u.cross(v));
        let direction = if n.dot(reference) < 0.0 { -n } else { n };
        return Gap { first, second, direction, distance: r.dot(direction) };
    }
    let (direction, distance, _) = rim(r, reference, u.length().max(v.length()));
    Gap { first, second, direction, distance }
}

/// Direction and signed distance of two points whose difference is `r`, where the closest point lies on a rim;
/// and whether the direction is along `r` (or `r` is nothing).
fn rim(r: DVec3, reference: DVec3, size: f64) -> (DVec3, f64, bool) {
    let along = r.dot(reference);
    let length = r.length();
    if length <= COINCIDENT * size {
        (reference, along, true)
    } else if along >= 0.0 {
        (r / length, length, true)
    } else if along <= -CONE * length {
        (-r / length, -length, true)
    } else {
        (reference, along, false)
    }
}
