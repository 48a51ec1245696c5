//! Element traversal: through the tetrahedra along a line, from the query point towards a candidate.
//!
//! The line enters an element through a face and leaves through another; which one is decided by the signs of
//! `det(d, w_i, w_j)` for its edges, `d` the direction and `w` the vertices as seen from p. Those signs are exact,
//! and nothing else is asked for: through an inverted element the line runs backwards, but the face
//! by which it leaves has the same signs, so the walk goes on all the same, for as long as inverted elements may turn it
//! round again (`turns`). Only where a sign is exactly zero (the line meets an edge or a vertex) may there be several faces;
//! they wait on a stack, and an element entered before ends that branch alone.
//!
//! The end s is a rounded point, which need not lie exactly on its edge or vertex; so the walk has arrived when an
//! element owns all vertices of the feature on which s lies.
//! Source: Chen et al. 2023, sections 3.3 to 3.5.

use glam::DVec3;
use gordian_mesh::topology::Neighbor;

use super::visited::VisitedSet;
use super::{PathCounters, Pose, Query};
use crate::bvh::{Aabb, Item, PackedStack};
use crate::predicates::{self, Sign};

/// Memory of a walk.
#[derive(Debug, Default)]
pub(super) struct WalkScratch {
    stack: Vec<Entry>,
    visited: VisitedSet,
    pub boxes: PackedStack,
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
/// The line is followed past the candidate as long as inverted elements may lead back to it; for the same reason it is followed the
/// other way too, if that is asked for with `both_ways`.
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
    let mut reach = Reach { d, end: d.length_squared(), turns: None };
    let end = ray(pose, query, &mut reach, target, scratch, counters);
    if end == WalkEnd::Arrived || !both_ways {
        return end;
    }
    let [first, _] = *reach.turns.get_or_insert_with(|| turns(pose, query.point, d, &mut scratch.boxes));
    if first > 0.0 {
        // Nothing that goes the other way from the query point ever comes back to it.
        return WalkEnd::Dead;
    }
    let mut reach = Reach { d: -d, end: -first * d.length_squared(), turns: Some([0.0; 2]) };
    ray(pose, query, &mut reach, target, scratch, counters)
}

/// A line, and how far along it a walk makes sense.
struct Reach {
    d: DVec3,
    /// How far that is, in units of `d`, times the square of its length.
    end: f64,
    /// See [`turns`]; `None` as long as nobody has asked, and the end is where the candidate is.
    turns: Option<[f64; 2]>,
}

impl Reach {
    /// How far along the line `w` is at least, whatever the rounding; `w` as seen from its origin.
    #[inline]
    fn along(&self, w: DVec3) -> f64 {
        self.d.dot(w) - 1e-15 * self.d.abs().dot(w.abs())
    }
}

/// Inverted elements that are looked at before it is taken for granted that they cover the line. Where they lie in heaps,
/// walking on to the boundary costs less than knowing for sure that the walk need not.
const PATIENCE: u32 = 16;

/// The part of the line from `from` in direction `d`, in units of `d`, that inverted elements cover without a gap round the
/// candidate, which is at 1; all of it where there are too many to look at.
///
/// Through a positive element a walk goes on along the line, through an inverted one it goes back, within the element. So a
/// walk that has gone past the candidate comes back to it only if inverted elements cover all that lies between.
#[cold]
fn turns(pose: &Pose, from: DVec3, d: DVec3, stack: &mut PackedStack) -> [f64; 2] {
    if pose.inverted.is_empty() {
        return [1.0; 2];
    }
    // What the elements cover that hold the point there.
    let mut patience = PATIENCE;
    let mut covered = |at: f64| {
        let near = around(from + d * at, from);
        let mut covered = [at; 2];
        pose.inverted.overlap(&near, stack, |item| {
            if patience > 0 {
                patience -= 1;
                let [enter, leave] = inside(pose, from, d, item);
                if enter <= at && at <= leave {
                    covered = [covered[0].min(enter), covered[1].max(leave)];
                }
            }
        });
        if patience > 0 { covered } else { [f64::NEG_INFINITY, f64::INFINITY] }
    };
    let [mut first, mut last] = covered(1.0);
    if first < 1.0 {
        while let [further, _] = covered(first)
            && further < first
        {
            first = further;
        }
    }
    if last > 1.0 {
        while let [_, further] = covered(last)
            && further > last
        {
            last = further;
        }
    }
    [first, last]
}

/// The part of the line from `from` in direction `d`, in units of `d`, that lies in an element or so near that rounding may have
/// put it there; it begins after its end when there is none.
fn inside(pose: &Pose, from: DVec3, d: DVec3, item: &Item) -> [f64; 2] {
    let (low, high) = (item.bounds.min.as_dvec3() - from, item.bounds.max.as_dvec3() - from);
    // Rounding must not lose a box, so it is a little larger; then where `d` is zero these are infinite.
    let slack = 1e-9 * low.abs().max(high.abs()) + f64::MIN_POSITIVE;
    let (a, b) = ((low - slack) / d, (high + slack) / d);
    let (mut enter, mut leave) = (a.min(b).max_element(), a.max(b).min_element());
    let w = pose.tetrahedron_from(from, &pose.mesh.elements[item.id as usize].vertices);
    let far = w.iter().map(|w| w.abs().max_element()).fold(0.0, f64::max);
    for (i, [x, y, z]) in gordian_mesh::LOCAL_FACES.into_iter().enumerate() {
        let (u, v) = (w[y] - w[x], w[z] - w[x]);
        let n = u.cross(v);
        // Heights above the face: of the vertex opposite to it, of `from`, and by how much `d` rises.
        let (height, start, rise) = (n.dot(w[i] - w[x]), -n.dot(w[x]), n.dot(d));
        // Rounding may move a height by 1e-15 of that. A flat element is taken for its box.
        let size = far * far * (u.abs().max_element() + v.abs().max_element());
        if height.abs() > 1e-6 * size {
            let (start, rise) = (start / height + 1e-6, rise / height);
            if rise > 0.0 {
                enter = enter.max(-start / rise);
            } else if rise < 0.0 {
                leave = leave.min(-start / rise);
            } else if start < 0.0 {
                return [1.0, 0.0];
            }
        }
    }
    [enter, leave]
}

/// Whether inverted elements cover the line through the candidate, which is in direction `d`, from there to the sphere of that
/// squared radius round the query point, the one way or the other.
pub(super) fn leads_out(
    pose: &Pose,
    from: DVec3,
    d: DVec3,
    radius_squared: f64,
    scratch: &mut WalkScratch,
) -> bool {
    if pose.inverted.is_empty() {
        return false;
    }
    let [first, last] = turns(pose, from, d, &mut scratch.boxes);
    let out = radius_squared / d.length_squared();
    last * last >= out || (first < 0.0 && first * first >= out)
}

/// A box round a point that was found as seen from another one, larger by far more than rounding.
fn around(point: DVec3, from: DVec3) -> Aabb {
    let rounded = point.as_vec3();
    let margin = 1e-6 * (from.abs().max_element() + point.abs().max_element());
    Aabb { min: rounded, max: rounded }.inflate(margin as f32)
}

/// Whether an inverted element may hold the point `from` + `at` `d`.
pub(super) fn may_turn(pose: &Pose, from: DVec3, d: DVec3, at: f64, scratch: &mut WalkScratch) -> bool {
    if pose.inverted.is_empty() {
        return false;
    }
    let (mut any, mut patience) = (false, PATIENCE);
    pose.inverted.overlap(&around(from + d * at, from), &mut scratch.boxes, |item| {
        if !any {
            patience -= 1;
            let [enter, leave] = inside(pose, from, d, item);
            any = enter <= at && at <= leave || patience == 0;
        }
    });
    any
}

/// One way along the line.
fn ray(
    pose: &Pose,
    query: &Query,
    reach: &mut Reach,
    target: &[u32],
    scratch: &mut WalkScratch,
    counters: &mut PathCounters,
) -> WalkEnd {
    let d = reach.d;
    let WalkScratch { stack, visited, boxes } = scratch;
    stack.clear();
    leave_first(pose, query, d, stack, counters);
    while let Some(Entry { mut element, face: [mut a, mut b, mut c] }) = stack.pop() {
        let [mut wa, mut wb, mut wc] = pose.triangle_from(query.point, &[a, b, c]);
        let [mut ta, mut tb, mut tc] = [reach.along(wa), reach.along(wb), reach.along(wc)];
        // Along one branch, until it ends or splits.
        loop {
            let passed = ta.min(tb).min(tc);
            if passed > reach.end {
                if reach.turns.is_none() {
                    let covered = turns(pose, query.point, d, boxes);
                    reach.turns = Some(covered);
                    reach.end = covered[1] * d.length_squared();
                }
                if passed > reach.end {
                    break;
                }
            }
            if !visited.insert(element) {
                break;
            }
            counters.elements += 1;
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
