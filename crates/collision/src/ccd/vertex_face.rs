//! A moving vertex against a moving triangle.

use glam::DVec3;

use super::{CcdCounters, at, boxes_apart, first_hit, number, system};
use crate::predicates::{Sign, orient3d};

/// The first contact of a vertex with a face during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexFaceImpact {
    /// Time of impact in \[0, 1\], not later than the true one.
    pub toi: f64,
    /// Barycentric weights, non-negative and of sum 1, of the point of the face closest to the vertex at that time.
    pub weights: [f64; 3],
    /// The side of the face's plane on which the vertex started: positive where the face is seen
    /// counter-clockwise (outside, for a boundary face); zero when it started in the plane. Exact.
    pub side: Sign,
}

/// When the vertex `start[0]` → `end[0]` meets the triangle `start[1..]` → `end[1..]`, or `None`.
///
/// The points move linearly over `t` in \[0, 1\]; coordinates must be finite, else the answer means nothing. Exact:
/// contact counts, also at the start and with degenerate triangles, and nothing else does.
pub fn vertex_face(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<VertexFaceImpact> {
    vertex_face_counted(start, end, &mut CcdCounters::default())
}

/// [`vertex_face`], which adds to `counters` where the query was decided.
pub fn vertex_face_counted(
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    counters: &mut CcdCounters,
) -> Option<VertexFaceImpact> {
    counters.queries += 1;
    if boxes_apart(start, end, 1) {
        return None;
    }
    counters.filtered += 1;
    let (s, e) = (start.map(Into::into), end.map(Into::into));
    let d = system::vertex_face(&s, &e);
    let exact = || number::differences(&s, &e, system::vertex_face, system::vertex_face);
    let toi = first_hit(&d, &system::VERTEX_FACE, exact, counters)?;
    counters.hits += 1;
    let [v, a, b, c] = at(start, end, toi);
    Some(VertexFaceImpact {
        toi,
        weights: closest_weights(v, a, b, c),
        side: orient3d(start[1], start[2], start[3], start[0]),
    })
}

/// Barycentric weights of the point of triangle `abc` closest to `p`; for a degenerate triangle, of the closest
/// point of its longest edge.
///
/// Source: C. Ericson, "Real-Time Collision Detection" (2005), section 5.1.5.
fn closest_weights(p: DVec3, a: DVec3, b: DVec3, c: DVec3) -> [f64; 3] {
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let (ap, bp, cp) = (p - a, p - b, p - c);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    let area = va + vb + vc;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = ratio(d1, d1 - d3);
        return [1.0 - t, t, 0.0];
    }
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = ratio(d2, d2 - d6);
        return [1.0 - t, 0.0, t];
    }
    if (va <= 0.0 && d4 >= d3 && d5 >= d6) || area.is_nan() || area <= 0.0 {
        let t = ratio(bc.dot(bp), bc.length_squared());
        return [0.0, 1.0 - t, t];
    }
    let (v, w) = (vb / area, vc / area);
    [1.0 - v - w, v, w].map(|x| x.clamp(0.0, 1.0))
}

/// `num / den` within \[0, 1\]; 0 for 0/0.
fn ratio(num: f64, den: f64) -> f64 {
    if den > 0.0 { (num / den).clamp(0.0, 1.0) } else { 0.0 }
}
