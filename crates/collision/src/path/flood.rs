//! Best-first flood through the elements round the query point.

use glam::{DVec3, Vec3};
use gordian_mesh::topology::{LOCAL_FACES, Neighbor};

use super::closest::closest_to_origin;
use super::four::{ClosestFour, Corners};
use super::visited::VisitedSet;
use super::{Found, Obstacle, PathCounters, Pose, Query};
use crate::bvh::queue::MinQueue;
use crate::bvh::{Aabb, PackedStack};
use crate::immersion::Fold;

/// Memory of a flood.
#[derive(Debug, Default)]
pub(super) struct FloodScratch {
    /// Elements that wait, by the squared distance of the face that leads into them.
    queue: MinQueue,
    visited: VisitedSet,
    boxes: PackedStack,
}

/// How a flood ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum FloodEnd {
    /// The nearest boundary; the ball lifts up to it.
    Found(Found),
    /// The nearest boundary is the query's own, at this squared distance, up to which the ball lifts.
    Own(f64),
    /// The limit or a fold was reached; the ball lifts up to this squared distance.
    Beyond(f64),
    /// Nothing is known.
    Obstacle(Obstacle),
    /// The component has been flooded, and there is no boundary.
    Nothing,
}

/// When a flood gives up.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloodLimit {
    /// Elements entered.
    pub elements: usize,
    /// Elements entered without a boundary face in sight.
    pub blind: usize,
    /// Elements entered where an inverted one is near: the further the ball lifts, the fewer candidates must be walked to.
    pub near_inverted: usize,
}

impl FloodLimit {
    /// Never.
    pub const NONE: FloodLimit = FloodLimit { elements: usize::MAX, blind: usize::MAX, near_inverted: 0 };
}

/// How near that is, as a multiple of a squared distance: so near it is likely to be nearer than the answer.
pub(super) const NEAR: f64 = 4.0;

/// Enters elements in order of distance until a boundary face is nearer than the next.
///
/// As long as the elements entered are positive and no boundary was reached, they are those that the lifted ball (`auto.rs`) meets.
/// What wraps matters only once the ball touches it.
pub(super) fn flood(
    pose: &Pose,
    query: &Query,
    limit: FloodLimit,
    scratch: &mut FloodScratch,
    counters: &mut PathCounters,
) -> FloodEnd {
    let FloodScratch { queue, visited, boxes } = scratch;
    let mut limit = limit;
    queue.clear();
    visited.clear();
    // Of equally near ones the query's own faces come last.
    let mut best: Option<(f64, bool, u32)> = None;
    // Of what the elements that were entered share with a fold.
    let mut fold = f64::INFINITY;
    let mut entered = 0;
    let mut next = Some((0.0, query.element));
    while let Some((key, element)) = next.take().or_else(|| queue.pop()) {
        let reached = best.filter(|&(d, ..)| d <= key);
        if fold <= reached.map_or(key, |(d, ..)| d) {
            return FloodEnd::Beyond(fold);
        }
        if let Some(reached) = reached {
            return arrive(pose, query, reached);
        }
        if visited.contains(element) {
            continue;
        }
        if entered >= limit.elements || (entered >= limit.blind && best.is_none()) {
            let longer = limit.near_inverted;
            if entered >= longer || nearest_inverted(pose, query.point, NEAR * key, boxes) == f64::INFINITY {
                return FloodEnd::Beyond(key);
            }
            limit = FloodLimit { elements: longer, blind: longer, near_inverted: 0 };
        }
        if pose.folds[element as usize] == Fold::Folded {
            return FloodEnd::Obstacle(Obstacle::Inverted);
        }
        visited.insert(element);
        entered += 1;
        counters.elements += 1;
        let e = &pose.mesh.elements[element as usize];
        if pose.folds[element as usize] == Fold::Near {
            let w = pose.tetrahedron_from(query.point, &e.vertices);
            fold = fold.min(nearest_fold(pose, &e.vertices, &w) * FAR_ABOVE_ROUNDING);
        }
        let w = pose.tetrahedron(&e.vertices);
        let distances = ClosestFour::new(query.point, &faces_of(&w)).distance_squared;
        for (i, link) in e.neighbors.iter().enumerate() {
            let link = link.get();
            if let Neighbor::Tet(t) = link
                && visited.contains(t)
            {
                continue;
            }
            let d = distances[i];
            // On an immersion nothing beyond a face is nearer than the face.
            if d < key
                && nearer_beyond_rounding(
                    d,
                    key,
                    w[LOCAL_FACES[i][0]].as_dvec3().distance(w[LOCAL_FACES[i][1]].as_dvec3()),
                )
            {
                return match fold <= key {
                    true => FloodEnd::Beyond(fold),
                    false => FloodEnd::Obstacle(Obstacle::Wrapped),
                };
            }
            match link {
                Neighbor::Tet(element) => {
                    if best.is_none_or(|b| d < b.0) {
                        queue.push(d, element);
                    }
                }
                Neighbor::Boundary(f) => {
                    counters.triangles += 1;
                    let own = query.own.touch(&pose.mesh.faces[f as usize].vertices);
                    let here = || LOCAL_FACES[i].iter().any(|&k| w[k].as_dvec3() == query.point);
                    if own && (d == 0.0 || here()) {
                        return FloodEnd::Obstacle(Obstacle::LocalFold);
                    }
                    if best.is_none_or(|b| (d, own, f) < b) {
                        best = Some((d, own, f));
                    }
                }
            }
        }
    }
    let Some(best) = best else { return FloodEnd::Nothing };
    match fold <= best.0 {
        true => FloodEnd::Beyond(fold),
        false => arrive(pose, query, best),
    }
}

/// At the nearest boundary face: its squared distance, whether it is the query's own, and its id.
#[inline]
fn arrive(pose: &Pose, query: &Query, (d, own, face): (f64, bool, u32)) -> FloodEnd {
    match own {
        true => FloodEnd::Own(d),
        false => FloodEnd::Found(found(pose, query, face)),
    }
}

/// Squared distance of the nearest inverted element, if it is not more than `within`; rounded down.
#[inline]
pub(super) fn nearest_inverted(pose: &Pose, p: DVec3, within: f64, boxes: &mut PackedStack) -> f64 {
    nearest_inverted_in(pose, p, within, &mut Aabb { ..Aabb::EMPTY }, boxes)
}

/// The same, and in `near`, which is empty before, a box round what lies within of all such elements.
#[inline]
pub(super) fn nearest_inverted_in(
    pose: &Pose,
    p: DVec3,
    within: f64,
    near: &mut Aabb,
    boxes: &mut PackedStack,
) -> f64 {
    if pose.inverted.is_empty() {
        return f64::INFINITY;
    }
    let (mut nearest, rounded) = (within.next_up(), p.as_vec3());
    let reach = within.sqrt() * (1.0 + 1e-6) + 1e-6 * p.abs().max_element();
    let ball = Aabb { min: rounded, max: rounded }.inflate(reach as f32);
    pose.inverted.overlap(&ball, boxes, |item| {
        *near = near.union(item.bounds);
        if item.bounds.distance_squared(p) < nearest {
            nearest = nearest.min(distance_to_element(pose, p, item.id));
        }
    });
    if !near.is_empty() {
        // By more than `walk.rs` allows for rounding when it asks whether an element holds a point.
        let margin =
            1e-6 * (near.max - near.min).max_element() + 2e-6 * (reach + p.abs().max_element()) as f32;
        *near = near.inflate(margin).intersection(ball.inflate(margin));
    }
    if nearest <= within { nearest * FAR_ABOVE_ROUNDING } else { f64::INFINITY }
}

/// Squared distance of an element; zero inside, on its boundary to rounding too.
fn distance_to_element(pose: &Pose, p: DVec3, t: u32) -> f64 {
    let vertices = &pose.mesh.elements[t as usize].vertices;
    let w = pose.tetrahedron_from(p, vertices);
    let normals: [f64; 4] = std::array::from_fn(|i| {
        let [a, b, c] = LOCAL_FACES[i].map(|k| w[k]);
        a.dot(b.cross(c))
    });
    let m = w.iter().fold(DVec3::ZERO, |m, x| m.max(x.abs()));
    let bound = 1e-12 * (m.x * m.y * m.z);
    if normals.iter().all(|&n| n >= -bound) || normals.iter().all(|&n| n <= bound) {
        return 0.0;
    }
    let corners = faces_of(&pose.tetrahedron(vertices));
    ClosestFour::new(p, &corners).distance_squared.into_iter().fold(f64::INFINITY, f64::min)
}

/// The faces of an element, first corners, second and third.
#[inline]
fn faces_of(w: &[Vec3; 4]) -> Corners {
    let [f, g, h, i] = LOCAL_FACES;
    let corner = |k: usize| [w[f[k]], w[g[k]], w[h[k]], w[i[k]]];
    [corner(0), corner(1), corner(2)]
}

/// Squared distance of what an element next to a fold shares with it: a corner, an edge or a face.
#[cold]
fn nearest_fold(pose: &Pose, vertices: &[u32; 4], w: &[DVec3; 4]) -> f64 {
    let (mut shared, mut count) = ([DVec3::ZERO; 4], 0);
    for (_, &w) in vertices.iter().zip(w).filter(|&(&v, _)| pose.near_fold[v as usize]) {
        shared[count] = w;
        count += 1;
    }
    match shared {
        [a, _, _, _] if count == 1 => a.length_squared(),
        [a, b, _, _] if count == 2 => closest_to_origin([a, b, b]).distance_squared,
        [a, b, c, _] if count == 3 => closest_to_origin([a, b, c]).distance_squared,
        _ => 0.0,
    }
}

/// What takes more off a squared distance than rounding may have added to it.
const FAR_ABOVE_ROUNDING: f64 = 1.0 - 1e-9;

/// Whether squared distance `d` is below `key` by more than both were rounded; `edge` is the local length.
fn nearer_beyond_rounding(d: f64, key: f64, edge: f64) -> bool {
    let k = key.sqrt();
    key - d > 1e-12 * k * (k + edge)
}

fn found(pose: &Pose, query: &Query, face: u32) -> Found {
    let corners = pose.triangle_from(query.point, &pose.mesh.faces[face as usize].vertices);
    Found { face, closest: closest_to_origin(corners) }
}
