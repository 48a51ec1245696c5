//! Continuous collision detection of linear motion over one substep.
//!
//! Every vertex moves on a straight line from its position at the start of the substep to its current one. Two
//! elementary queries say whether and when a moving vertex meets a moving triangle ([`vertex_face`]) and a moving edge
//! another ([`edge_edge`]). Both are **exact**: the answer is that of real arithmetic on the positions as
//! given, contact included, for any input, degenerate ones too. The **time of impact** is conservative: never later than
//! the true one, and within `2^-33` of the step unless the paths touch tangentially.
//!
//! How: swept boxes first, then a filter (`filter.rs`) in floating point that subdivides time and decides
//! all but nearly degenerate queries, then integers (`exact.rs`) for the rest.
//!
//! [`BroadPhase`] finds the pairs of a boundary that may meet, and [`Detection`] turns those that do into
//! the hits that a contact solver acts on.

mod broad;
mod conditions;
mod detect;
mod edge_edge;
mod exact;
mod filter;
pub(crate) mod neighbours;
mod number;
mod polynomial;
mod system;
mod vertex_face;

pub use broad::{BroadPhase, Motion};
pub use detect::{Detection, EdgeEdgeHit, VertexFaceHit};
pub use edge_edge::{EdgeEdgeImpact, edge_edge, edge_edge_counted};
pub use vertex_face::{VertexFaceImpact, vertex_face, vertex_face_counted};

use glam::DVec3;
use system::{Differences, Shape};

/// Where queries were decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CcdCounters {
    /// Queries asked.
    pub queries: u64,
    /// Of these, not decided by the swept boxes.
    pub filtered: u64,
    /// Of these, not decided in floating point either.
    pub exact: u64,
    /// Hits found.
    pub hits: u64,
}

impl std::ops::AddAssign for CcdCounters {
    fn add_assign(&mut self, other: Self) {
        self.queries += other.queries;
        self.filtered += other.filtered;
        self.exact += other.exact;
        self.hits += other.hits;
    }
}

/// Whether the boxes swept by the first `split` points and by the others are disjoint.
#[inline]
fn boxes_apart(start: &[DVec3; 4], end: &[DVec3; 4], split: usize) -> bool {
    let hull = |range: std::ops::Range<usize>| {
        let first = range.start;
        range.fold((start[first], start[first]), |(low, high), i| {
            (low.min(start[i]).min(end[i]), high.max(start[i]).max(end[i]))
        })
    };
    let (low, high) = hull(0..split);
    let (other_low, other_high) = hull(split..4);
    low.cmpgt(other_high).any() || other_low.cmpgt(high).any()
}

/// Filter, then exact stage: a time not later than the first contact. `build` forms the difference vectors as integers.
#[inline]
fn first_hit<const N: usize>(
    d: &Differences<f64, N>,
    shape: &Shape<N>,
    exact: impl FnOnce() -> Differences<num_bigint::BigInt, N>,
    counters: &mut CcdCounters,
) -> Option<f64> {
    filter::first_hit(d, shape).unwrap_or_else(|doubt| {
        if !d.is_finite() {
            return None;
        }
        counters.exact += 1;
        exact::first_hit(&exact(), shape, &doubt)
    })
}

/// The points at time `t`.
fn at(start: &[DVec3; 4], end: &[DVec3; 4], t: f64) -> [DVec3; 4] {
    std::array::from_fn(|i| start[i].lerp(end[i], t))
}

#[cfg(test)]
mod tests;
