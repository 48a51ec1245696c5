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
/// The line is followed to the boundary, past the candidate: an inverted element may lead back to it. For the same
/// reason it is followed the other way too, if that is asked for with `both_ways` or if a folded element was met.
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
    let end = ray(pose, query, d, target, &mut folded, scratch, counters);
    if end == WalkEnd::Dead && (both_ways || folded) {
        return ray(pose, query, -d, target, &mut folded, scratch, counters);
    }
    end
}

/// One way along the line.
fn ray(
    pose: &Pose,
    query: &Query,
    d: DVec3,
    target: &[u32],
    folded: &mut bool,
    scratch: &mut WalkScratch,
    counters: &mut PathCounters,
) -> WalkEnd {
    let stack = &mut scratch.stack;
    stack.clear();
    leave_first(pose, query, d, stack, counters);
    while let Some(Entry { mut element, face: [mut a, mut b, mut c] }) = stack.pop() {
        let [mut wa, mut wb, mut wc] = pose.triangle_from(query.point, &[a, b, c]);
        // Along one branch, until it ends or splits.
        loop {
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
                    (c, wc) = (v, wv);
                }
                [false, true, false] => {
                    let Some(entry) = next(1) else { break };
                    element = entry.element;
                    (a, b, c) = (b, c, v);
                    (wa, wb, wc) = (wb, wc, wv);
                }
                [false, false, true] => {
                    let Some(entry) = next(2) else { break };
                    element = entry.element;
                    (a, b, c) = (c, a, v);
                    (wa, wb, wc) = (wc, wa, wv);
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
