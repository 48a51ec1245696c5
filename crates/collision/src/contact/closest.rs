//! Closest points that the response recomputes at every projection: on a triangle, and between two segments.
//!
//! Double precision throughout; no tolerance but exact zeros and relative ones. Degenerate triangles
//! and segments (repeated or collinear vertices) give the closest point of what is left of them.

use glam::DVec3;

/// The point of a triangle that is closest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OnTriangle {
    /// Barycentric weights; they sum to one up to rounding and none is negative.
    pub weights: [f64; 3],
    /// Whether the closest point lies strictly inside the triangle (so it is the foot of the perpendicular).
    pub interior: bool,
}

/// Barycentric weights of the foot of the perpendicular from `p` on the plane of `tri`; `None` when the
/// triangle has no area.
pub(crate) fn foot_on_plane(p: DVec3, [a, b, c]: [DVec3; 3]) -> Option<[f64; 3]> {
    let (u, v) = (b - a, c - a);
    let n = u.cross(v);
    let area2 = n.length_squared();
    // Twice the rounding of the cross product itself: below it the normal has no direction.
    if area2 <= 1e-28 * u.length_squared() * v.length_squared() {
        return None;
    }
    let d = p - a;
    let wb = d.cross(v).dot(n) / area2;
    let wc = u.cross(d).dot(n) / area2;
    Some([1.0 - wb - wc, wb, wc])
}

/// Closest point of the triangle to `p`.
pub(crate) fn closest_on_triangle(p: DVec3, tri: [DVec3; 3]) -> OnTriangle {
    if let Some(weights) = foot_on_plane(p, tri)
        && weights.iter().all(|&w| w > 0.0)
    {
        return OnTriangle { weights, interior: true };
    }
    // The foot lies outside (or there is no plane): the closest point lies on one of the edges.
    let mut best = (f64::INFINITY, [1.0, 0.0, 0.0]);
    for k in 0..3 {
        let (i, j) = (k, (k + 1) % 3);
        let t = parameter_on_segment(p, tri[i], tri[j]);
        let distance2 = (tri[i] + (tri[j] - tri[i]) * t - p).length_squared();
        if distance2 < best.0 {
            let mut weights = [0.0; 3];
            (weights[i], weights[j]) = (1.0 - t, t);
            best = (distance2, weights);
        }
    }
    OnTriangle { weights: best.1, interior: false }
}

/// Parameter in `[0, 1]` of the point of the segment `ab` that is closest to `p`; 0 when `a == b`.
pub(crate) fn parameter_on_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let d = b - a;
    let length2 = d.length_squared();
    if length2 > 0.0 { ((p - a).dot(d) / length2).clamp(0.0, 1.0) } else { 0.0 }
}

/// The closest points of two segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OnSegments {
    /// Parameters in `[0, 1]` on the first and the second segment.
    pub parameters: [f64; 2],
    /// Whether both points lie strictly inside and the segments are not parallel (so that the line between
    /// the points is perpendicular to both).
    pub interior: bool,
}

/// Closest points of the segments `a` and `b`. Parallel segments that face each other give the middle of the
/// stretch that they share, so that the answer does not jump from end to end.
pub(crate) fn closest_on_segments(a: [DVec3; 2], b: [DVec3; 2]) -> OnSegments {
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    // sin² of the angle below 1e-10: parallel for the purpose of a normal.
    let area2 = u.cross(v).length_squared();
    if area2 > 1e-10 * uu * vv {
        let s = (uv * v.dot(w) - vv * u.dot(w)) / area2;
        let t = (uu * v.dot(w) - uv * u.dot(w)) / area2;
        if s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 {
            return OnSegments { parameters: [s, t], interior: true };
        }
    } else if uu > 0.0 && vv > 0.0 {
        // Where b's ends project on a: the middle of the overlap of [0, 1] with that interval.
        let (p, q) = ((b[0] - a[0]).dot(u) / uu, (b[1] - a[0]).dot(u) / uu);
        let (low, high) = (p.min(q).max(0.0), p.max(q).min(1.0));
        if low < high {
            let s = 0.5 * (low + high);
            return OnSegments {
                parameters: [s, parameter_on_segment(a[0] + u * s, b[0], b[1])],
                interior: false,
            };
        }
    }
    // At least one point is an end: the best of the four end-to-segment pairs.
    let mut best = (f64::INFINITY, [0.0, 0.0]);
    for k in 0..2 {
        let end = k as f64;
        let t = parameter_on_segment(a[k], b[0], b[1]);
        let s = parameter_on_segment(b[k], a[0], a[1]);
        for [s, t] in [[end, t], [s, end]] {
            let distance2 = (a[0] + u * s - b[0] - v * t).length_squared();
            if distance2 < best.0 {
                best = (distance2, [s, t]);
            }
        }
    }
    OnSegments { parameters: best.1, interior: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    fn at(tri: [DVec3; 3], w: [f64; 3]) -> DVec3 {
        tri[0] * w[0] + tri[1] * w[1] + tri[2] * w[2]
    }

    proptest! {
        /// No point of a fine grid on the triangle is closer; the interior case is perpendicular.
        #[test]
        fn triangle_against_a_grid(p in point(), a in point(), b in point(), c in point(), flat in 0..4usize) {
            let c = if flat == 0 { a + (b - a) * 0.3 } else { c };
            let tri = [a, b, c];
            let q = closest_on_triangle(p, tri);
            prop_assert!((q.weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            let s = at(tri, q.weights);
            let n = 40;
            for i in 0..=n {
                for j in 0..=n - i {
                    let (u, v) = (i as f64 / n as f64, j as f64 / n as f64);
                    prop_assert!((at(tri, [1.0 - u - v, u, v]) - p).length() > (s - p).length() - 1e-12);
                }
            }
            if q.interior {
                prop_assert!((p - s).dot(b - a).abs() < 1e-9 && (p - s).dot(c - a).abs() < 1e-9);
            }
        }

        #[test]
        fn segments_against_a_grid(a in point(), b in point(), c in point(), d in point(), kind in 0..5usize) {
            let (c, d) = match kind {
                0 => (c, c + (b - a) * 0.7),
                1 => (c, c),
                2 => (a + (b - a) * 0.2, d),
                _ => (c, d),
            };
            let q = closest_on_segments([a, b], [c, d]);
            let [s, t] = q.parameters;
            prop_assert!((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t));
            let r = a + (b - a) * s - c - (d - c) * t;
            for i in 0..=40 {
                for j in 0..=40 {
                    let other = a + (b - a) * (i as f64 / 40.0) - c - (d - c) * (j as f64 / 40.0);
                    prop_assert!(other.length() > r.length() - 1e-9);
                }
            }
            if q.interior {
                prop_assert!(r.dot(b - a).abs() < 1e-6 && r.dot(d - c).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn what_is_left_of_degenerate_features() {
        let p = DVec3::new(0.3, 1.0, 0.0);
        let point = closest_on_triangle(p, [DVec3::X; 3]);
        assert_eq!((point.weights, point.interior), ([1.0, 0.0, 0.0], false));
        let line = [DVec3::ZERO, DVec3::X, DVec3::X * 0.5];
        assert!((at(line, closest_on_triangle(p, line).weights) - DVec3::X * 0.3).length() < 1e-15);
        let both = closest_on_segments([DVec3::X; 2], [DVec3::Y; 2]);
        assert!(!both.interior);
    }
}
