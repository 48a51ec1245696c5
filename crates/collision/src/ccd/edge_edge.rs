//! A moving edge against a moving edge.

use glam::DVec3;

use super::{CcdCounters, at, boxes_apart, first_hit, number, system};
use crate::predicates::{Sign, orient3d};

/// The first contact of two edges during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeEdgeImpact {
    /// Time of impact in \[0, 1\], not later than the true one.
    pub toi: f64,
    /// Parameters in \[0, 1\] along the two edges, from first to last vertex, of their closest points at that time.
    pub parameters: [f64; 2],
    /// The side on which the second edge `q` started, along `(p1 - p0) × (q1 - q0)` from the first edge `p`; zero when the
    /// edges started in one plane. Exact.
    pub side: Sign,
}

/// When the edge `p0 p1` meets the edge `q0 q1`, or `None`; `start` and `end` are `[p0, p1, q0, q1]`.
///
/// The points move linearly over `t` in \[0, 1\]; coordinates must be finite, else the answer means nothing. Exact:
/// contact counts, also at the start, for parallel edges and edges of zero length, and nothing else does.
pub fn edge_edge(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<EdgeEdgeImpact> {
    edge_edge_counted(start, end, &mut CcdCounters::default())
}

/// [`edge_edge`], which adds to `counters` where the query was decided.
pub fn edge_edge_counted(
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    counters: &mut CcdCounters,
) -> Option<EdgeEdgeImpact> {
    counters.queries += 1;
    if boxes_apart(start, end, 2) {
        return None;
    }
    counters.filtered += 1;
    let (s, e) = (start.map(Into::into), end.map(Into::into));
    let d = system::edge_edge(&s, &e);
    let exact = || number::differences(&s, &e, system::edge_edge, system::edge_edge);
    let toi = first_hit(&d, &system::EDGE_EDGE, exact, counters)?;
    counters.hits += 1;
    // det(p1-p0, q1-q0, q0-p0) = det(p1-p0, q1-p0, q0-p0).
    let side = orient3d(start[0], start[1], start[3], start[2]);
    Some(EdgeEdgeImpact { toi, parameters: closest_parameters(at(start, end, toi)), side })
}

/// Parameters of the closest points of the segments `p0 p1` and `q0 q1`.
///
/// Source: C. Ericson, "Real-Time Collision Detection" (2005), section 5.1.9. Of parallel overlapping segments the
/// middle of the overlap would do as well; this takes an end.
fn closest_parameters([p0, p1, q0, q1]: [DVec3; 4]) -> [f64; 2] {
    let (u, v, w) = (p1 - p0, q1 - q0, p0 - q0);
    let (a, e) = (u.length_squared(), v.length_squared());
    let (c, f) = (u.dot(w), v.dot(w));
    let ratio = |num: f64, den: f64| if den > 0.0 { (num / den).clamp(0.0, 1.0) } else { 0.0 };
    if a <= 0.0 {
        return [0.0, ratio(f, e)];
    }
    if e <= 0.0 {
        return [ratio(-c, a), 0.0];
    }
    let b = u.dot(v);
    let s = ratio(b * f - c * e, a * e - b * b);
    let t = (b * s + f) / e;
    if t < 0.0 {
        [ratio(-c, a), 0.0]
    } else if t > 1.0 {
        [ratio(b - c, a), 1.0]
    } else {
        [s, t]
    }
}
