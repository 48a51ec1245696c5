//! Best-first flood through the elements round the query point.

use glam::DVec3;
use gordian_mesh::topology::{LOCAL_FACES, Neighbor};

use super::closest::closest_to_origin;
use super::four::{ClosestFour, Points};
use super::visited::VisitedSet;
use super::{Found, Obstacle, PathCounters, Pose, Query};
use crate::bvh::queue::MinQueue;
use crate::immersion::Fold;

/// Memory of a flood.
#[derive(Debug, Default)]
pub(super) struct FloodScratch {
    /// Elements that wait, by the squared distance of the face that leads into them.
    queue: MinQueue,
    visited: VisitedSet,
}

/// How a flood ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum FloodEnd {
    /// The answer.
    Found(Found),
    /// The limit was reached; no boundary lies nearer than this squared distance.
    Beyond(f64),
    /// The pose is no immersion here.
    Obstacle(Obstacle),
    /// The component has been flooded, and there is no boundary but the query's own.
    Nothing,
}

/// When a flood gives up.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloodLimit {
    /// Elements entered.
    pub elements: usize,
    /// Elements entered without a boundary face in sight.
    pub blind: usize,
}

impl FloodLimit {
    /// Never.
    pub const NONE: FloodLimit = FloodLimit { elements: usize::MAX, blind: usize::MAX };
}

/// Enters elements in order of distance until a boundary face is nearer than the next.
pub(super) fn flood(
    pose: &Pose,
    query: &Query,
    limit: FloodLimit,
    scratch: &mut FloodScratch,
    counters: &mut PathCounters,
) -> FloodEnd {
    let FloodScratch { queue, visited } = scratch;
    queue.clear();
    visited.clear();
    let mut best: Option<(f64, u32)> = None;
    // What lies beyond this squared distance may be seen past a fold.
    let mut fold = f64::INFINITY;
    let mut entered = 0;
    let mut next = Some((0.0, query.element));
    while let Some((key, element)) = next.take().or_else(|| queue.pop()) {
        let reached = best.filter(|&(d, _)| d <= key);
        if fold <= FOLD_MARGIN * reached.map_or(key, |(d, _)| d) {
            return FloodEnd::Obstacle(Obstacle::Fold);
        }
        if let Some((_, face)) = reached {
            return FloodEnd::Found(found(pose, query, face));
        }
        if visited.contains(element) {
            continue;
        }
        if entered == limit.elements || (entered == limit.blind && best.is_none()) {
            return FloodEnd::Beyond(key);
        }
        if pose.folds[element as usize] == Fold::Folded {
            return FloodEnd::Obstacle(Obstacle::Fold);
        }
        visited.insert(element);
        entered += 1;
        counters.elements += 1;
        let e = &pose.mesh.elements[element as usize];
        let w = pose.tetrahedron_from(query.point, &e.vertices);
        if pose.folds[element as usize] == Fold::Near {
            fold = fold.min(nearest_fold(pose, &e.vertices, &w));
        }
        let [f, g, h, i] = LOCAL_FACES;
        let corner = |k: usize| Points::new([w[f[k]], w[g[k]], w[h[k]], w[i[k]]]);
        let distances = ClosestFour::new([corner(0), corner(1), corner(2)]).distance_squared;
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
                && nearer_beyond_rounding(d, key, (w[LOCAL_FACES[i][0]] - w[LOCAL_FACES[i][1]]).length())
            {
                return FloodEnd::Obstacle(Obstacle::Wrapped);
            }
            match link {
                Neighbor::Tet(element) => {
                    if best.is_none_or(|b| d < b.0) {
                        queue.push(d, element);
                    }
                }
                Neighbor::Boundary(f) => {
                    counters.triangles += 1;
                    if query.own.touch(&pose.mesh.faces[f as usize].vertices) {
                        if d == 0.0 {
                            return FloodEnd::Obstacle(Obstacle::LocalFold);
                        }
                    } else if best.is_none_or(|b| (d, f) < b) {
                        best = Some((d, f));
                    }
                }
            }
        }
    }
    match best {
        Some((d, _)) if fold <= FOLD_MARGIN * d => FloodEnd::Obstacle(Obstacle::Fold),
        Some((_, face)) => FloodEnd::Found(found(pose, query, face)),
        None => FloodEnd::Nothing,
    }
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

/// A fold within this many times the squared distance of the answer may lead to a nearer one.
const FOLD_MARGIN: f64 = 4.0;

/// Whether squared distance `d` is below `key` by more than both were rounded; `edge` is the local length.
fn nearer_beyond_rounding(d: f64, key: f64, edge: f64) -> bool {
    let k = key.sqrt();
    key - d > 1e-12 * k * (k + edge)
}

fn found(pose: &Pose, query: &Query, face: u32) -> Found {
    let corners = pose.triangle_from(query.point, &pose.mesh.faces[face as usize].vertices);
    Found { face, closest: closest_to_origin(corners) }
}
