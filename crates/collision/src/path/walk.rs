//! Element traversal: through the tetrahedra along a line, from the query point towards a candidate.
//!
//! The line enters an element through a face and leaves through another; which one is decided by the signs of
//! `det(d, w_i, w_j)` for its edges, `d` the direction and `w` the vertices as seen from p. Those signs are exact,
//! and nothing else is asked for: through an inverted element the line runs backwards, but the face
//! by which it leaves has the same signs, so the walk goes on all the same. Only where a sign is exactly zero (the line meets an
//! edge or a vertex) may there be several faces; they wait on a stack, and an element entered before ends
//! that branch alone.
//!
//! The end s is a rounded point, which need not lie exactly on its edge or vertex; so the walk has arrived when an
//! element owns all vertices of the feature on which s lies.
//! Source: Chen et al. 2023, sections 3.3 to 3.5.

use glam::DVec3;
use gordian_mesh::topology::Neighbor;

use super::visited::VisitedSet;
use super::{PathCounters, Pose, Query};
use crate::bvh::Aabb;
use crate::immersion::Fold;
use crate::predicates::{self, Sign};

/// Memory of a walk.
#[derive(Debug, Default)]
pub(super) struct WalkScratch {
    stack: Vec<Entry>,
    visited: VisitedSet,
}

/// An element to enter, and the face, outward from where the walk comes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    element: u32,
    face: [u32; 3],
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkEnd {
    /// The path is valid.
    Arrived,
    /// No branch leads there.
    Dead,
}

/// Follows the line from the query point in direction `d` (to the candidate), until an element owns all of `target`.
///
/// The line is followed past the candidate as long as an inverted element may lead back to it. For the same reason it is followed the
/// other way too, if that is asked for with `both_ways` or if a folded element was met.
pub(super) fn walk(
    pose: &Pose,
    query: &Query,
    d: DVec3,
    target: &[u32],
    both_ways: bool,
    scratch: &mut WalkScratch,
    counters: &mut PathCounters,
) -> WalkEnd {
    counters.traversals += 1;
    counters.elements += 1;
    if d == DVec3::ZERO {
        // A line without a direction: an interior point is no boundary point.
        return WalkEnd::Dead;
    }
    if target.iter().all(|v| pose.mesh.elements[query.element as usize].vertices.contains(v)) {
        return WalkEnd::Arrived;
    }
    scratch.visited.clear();
    scratch.visited.insert(query.element);
    let mut folded = pose.folds[query.element as usize] == Fold::Folded;
    let end = ray(pose, query, Reach::new(pose, query.point, d, 1.0), target, &mut folded, scratch, counters);
    if end == WalkEnd::Dead && (both_ways || folded) {
        return ray(
            pose,
            query,
            Reach::new(pose, query.point, -d, 0.0),
            target,
            &mut folded,
            scratch,
            counters,
        );
    }
    end
}

/// A line, and how far along it a walk makes sense.
///
/// Through positive elements the walk goes forward only. So behind the candidate, and behind the last inverted element
/// that could turn it round, no way leads back.
struct Reach<'a> {
    inverted: &'a [Aabb],
    from: DVec3,
    d: DVec3,
    /// Where the candidate is, in units of `d`, times the square of its length.
    candidate: f64,
    /// The same for the end of it all, once it is known.
    end: Option<f64>,
}

impl<'a> Reach<'a> {
    fn new(pose: &Pose<'a>, from: DVec3, d: DVec3, candidate: f64) -> Self {
        Reach { inverted: pose.inverted_boxes, from, d, candidate: candidate * d.length_squared(), end: None }
    }

    /// How far along the line `w` is at least, whatever the rounding; `w` as seen from its origin.
    #[inline]
    fn along(&self, w: DVec3) -> f64 {
        self.d.dot(w) - 1e-15 * self.d.abs().dot(w.abs())
    }

    /// Whether a walk that has come to a face whose nearest vertex is that far has nowhere to go.
    #[inline]
    fn exceeded(&mut self, along: f64) -> bool {
        along > self.candidate && {
            let end = self.end.unwrap_or_else(|| self.last_inverted());
            self.end = Some(end);
            along > end
        }
    }

    /// Where the line leaves the last box of inverted elements, as `along` measures it.
    #[cold]
    fn last_inverted(&self) -> f64 {
        let (inverse, squared) = (self.d.recip(), self.d.length_squared());
        let mut last = self.candidate;
        for b in self.inverted {
            let (low, high) = (b.min.as_dvec3() - self.from, b.max.as_dvec3() - self.from);
            // Rounding must not lose a box, so it is a little larger; then where `d` is zero these are infinite.
            let slack = 1e-9 * low.abs().max(high.abs());
            let (a, b) = ((low - slack) * inverse, (high + slack) * inverse);
            let (enter, leave) = (a.min(b).max_element(), a.max(b).min_element());
            let missed = enter > leave;
            if !missed {
                last = last.max(leave * squared);
            }
        }
        last
    }
}

/// One way along the line.
fn ray(
    pose: &Pose,
    query: &Query,
    mut reach: Reach,
    target: &[u32],
    folded: &mut bool,
    scratch: &mut WalkScratch,
    counters: &mut PathCounters,
) -> WalkEnd {
    let d = reach.d;
    let stack = &mut scratch.stack;
    stack.clear();
    leave_first(pose, query, d, stack, counters);
    while let Some(Entry { mut element, face: [mut a, mut b, mut c] }) = stack.pop() {
        let [mut wa, mut wb, mut wc] = pose.triangle_from(query.point, &[a, b, c]);
        let [mut ta, mut tb, mut tc] = [reach.along(wa), reach.along(wb), reach.along(wc)];
        // Along one branch, until it ends or splits.
        loop {
            if reach.exceeded(ta.min(tb).min(tc)) {
                break;
            }
            if !scratch.visited.insert(element) {
                break;
            }
            counters.elements += 1;
            *folded |= pose.folds[element as usize] == Fold::Folded;
            let e = &pose.mesh.elements[element as usize];
            if target.iter().all(|v| e.vertices.contains(v)) {
                return WalkEnd::Arrived;
            }
            let [p, q, r, s] = e.vertices;
            let v = p ^ q ^ r ^ s ^ a ^ b ^ c;
            let wv = pose.from(query.point, v);
            let tv = reach.along(wv);
            let signs = signs_to(d, wv, [wa, wb, wc], counters);
            // Out through (a, b, v) when the line passes b v and v a on the same side as it passed a b, and so on round.
            let ways = [
                signs[0] >= Sign::Zero && signs[1] <= Sign::Zero,
                signs[1] >= Sign::Zero && signs[2] <= Sign::Zero,
                signs[2] >= Sign::Zero && signs[0] <= Sign::Zero,
            ];
            let next = |way: usize| {
                let (opposite, face) = match way {
                    0 => (c, [a, b, v]),
                    1 => (a, [b, c, v]),
                    _ => (b, [c, a, v]),
                };
                let local = e.vertices.iter().position(|&x| x == opposite).unwrap_or(0);
                match e.neighbors[local].get() {
                    Neighbor::Tet(element) => Some(Entry { element, face }),
                    Neighbor::Boundary(_) => None,
                }
            };
            match ways {
                [true, false, false] => {
                    let Some(entry) = next(0) else { break };
                    element = entry.element;
                    (c, wc, tc) = (v, wv, tv);
                }
                [false, true, false] => {
                    let Some(entry) = next(1) else { break };
                    element = entry.element;
                    (a, b, c) = (b, c, v);
                    (wa, wb, wc) = (wb, wc, wv);
                    (ta, tb, tc) = (tb, tc, tv);
                }
                [false, false, true] => {
                    let Some(entry) = next(2) else { break };
                    element = entry.element;
                    (a, b, c) = (c, a, v);
                    (wa, wb, wc) = (wc, wa, wv);
                    (ta, tb, tc) = (tc, ta, tv);
                }
                _ => {
                    stack.extend((0..3).filter(|&k| ways[k]).filter_map(next));
                    break;
                }
            }
        }
    }
    WalkEnd::Dead
}

/// Out of the query's own element, which the line does not enter through a face.
fn leave_first(pose: &Pose, query: &Query, d: DVec3, stack: &mut Vec<Entry>, counters: &mut PathCounters) {
    let e = &pose.mesh.elements[query.element as usize];
    let w = pose.tetrahedron_from(query.point, &e.vertices);
    let mut sign = [[Sign::Zero; 4]; 4];
    for i in 0..3 {
        let to = signs_to(d, w[i], [w[(i + 1) % 4], w[(i + 2) % 4], w[(i + 3) % 4]], counters);
        for j in 1..4 {
            let k = (i + j) % 4;
            sign[i][k] = to[j - 1];
            sign[k][i] = -to[j - 1];
        }
    }
    for (i, [x, y, z]) in gordian_mesh::LOCAL_FACES.into_iter().enumerate() {
        if [sign[x][y], sign[y][z], sign[z][x]].iter().all(|&s| s >= Sign::Zero)
            && let Neighbor::Tet(element) = e.neighbors[i].get()
        {
            stack.push(Entry { element, face: e.face(i) });
        }
    }
}

/// Signs of `det(d, v, x)` for the three `x`.
#[inline]
fn signs_to(d: DVec3, v: DVec3, others: [DVec3; 3], counters: &mut PathCounters) -> [Sign; 3] {
    let n = d.cross(v);
    let m = others.iter().fold(d.abs().max(v.abs()), |m, x| m.max(x.abs()));
    // Six terms, each at most m.x m.y m.z and each with 5 roundings: 6 * 5 * 2^-53 = 3.4e-15, rounded up.
    let bound = 4e-15 * (m.x * m.y * m.z);
    let mut sign = |x: DVec3| {
        let det = n.dot(x);
        if det > bound {
            Sign::Positive
        } else if det < -bound {
            Sign::Negative
        } else {
            counters.exact_tests += 1;
            exact(d, v, x)
        }
    };
    [sign(others[0]), sign(others[1]), sign(others[2])]
}

#[cold]
#[inline(never)]
fn exact(d: DVec3, v: DVec3, x: DVec3) -> Sign {
    predicates::orient3d(DVec3::ZERO, d, v, x)
}
