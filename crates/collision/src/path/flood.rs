//! Best-first flood through the elements round the query point.

use glam::DVec3;
use gordian_mesh::topology::{LOCAL_FACES, Neighbor};

use super::closest::closest_to_origin;
use super::four::{ClosestFour, Points};
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
    /// The answer.
    Found(Found),
    /// The limit was reached; no boundary lies nearer than this squared distance.
    Beyond(f64),
    /// The flood cannot be trusted further; no boundary lies nearer than this squared distance.
    Obstacle(Obstacle, f64),
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
    let FloodScratch { queue, visited, boxes } = scratch;
    queue.clear();
    visited.clear();
    // Of equally near ones the query's own faces come last.
    let mut best: Option<(f64, bool, u32)> = None;
    let mut folds = Folds { seen: f64::INFINITY, inverted: None };
    let mut entered = 0;
    let mut next = Some((0.0, query.element));
    while let Some((key, element)) = next.take().or_else(|| queue.pop()) {
        let reached = best.filter(|&(d, ..)| d <= key);
        if let Some(free) = folds.in_the_way(reached.map_or(key, |(d, ..)| d), pose, query, boxes) {
            return FloodEnd::Obstacle(Obstacle::Fold, free);
        }
        if let Some(reached) = reached {
            return arrive(pose, query, reached);
        }
        if visited.contains(element) {
            continue;
        }
        if entered == limit.elements || (entered == limit.blind && best.is_none()) {
            return match folds.matter(key) {
                true => FloodEnd::Obstacle(Obstacle::Fold, key),
                false => FloodEnd::Beyond(key),
            };
        }
        if pose.folds[element as usize] == Fold::Folded {
            return FloodEnd::Obstacle(Obstacle::Fold, 0.0);
        }
        visited.insert(element);
        entered += 1;
        counters.elements += 1;
        let e = &pose.mesh.elements[element as usize];
        let w = pose.tetrahedron_from(query.point, &e.vertices);
        if pose.folds[element as usize] == Fold::Near {
            folds.seen = folds.seen.min(nearest_fold(pose, &e.vertices, &w));
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
                return FloodEnd::Obstacle(Obstacle::Wrapped, 0.0);
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
                    if own && d == 0.0 {
                        return FloodEnd::Obstacle(Obstacle::LocalFold, 0.0);
                    }
                    if best.is_none_or(|b| (d, own, f) < b) {
                        best = Some((d, own, f));
                    }
                }
            }
        }
    }
    let Some(best) = best else { return FloodEnd::Nothing };
    match folds.in_the_way(best.0, pose, query, boxes) {
        Some(free) => FloodEnd::Obstacle(Obstacle::Fold, free),
        None => arrive(pose, query, best),
    }
}

/// At the nearest boundary face: its squared distance, whether it is the query's own, and its id.
fn arrive(pose: &Pose, query: &Query, (d, own, face): (f64, bool, u32)) -> FloodEnd {
    match own {
        true => FloodEnd::Obstacle(Obstacle::Own, d),
        false => FloodEnd::Found(found(pose, query, face)),
    }
}

/// Folds near a flood, as squared distances from the query point.
///
/// A flood is right as far as the ball round the point lifts to the mesh: as long as no vertex of a folded element lies in the part
/// of the ball that it has filled. There is one more kind of path, which goes past its end, into an inverted element, and back
/// in it to its end, or the same on the other side of the query point: then some inverted element holds a point of the ball.
struct Folds {
    /// The nearest fold at an element that was entered.
    seen: f64,
    /// The nearest box of an inverted element, wherever it belongs to; infinite when that is further than what was seen, `None`
    /// before it is asked for.
    inverted: Option<f64>,
}

impl Folds {
    /// Whether a fold was seen so near that it may matter to an answer at that distance.
    fn matter(&self, distance: f64) -> bool {
        self.seen <= FOLD_MARGIN * distance
    }

    /// When an answer at that distance cannot be trusted: the distance to which there certainly is no boundary.
    #[inline]
    fn in_the_way(
        &mut self,
        distance: f64,
        pose: &Pose,
        query: &Query,
        boxes: &mut PackedStack,
    ) -> Option<f64> {
        if !self.matter(distance) {
            return None;
        }
        let seen = self.seen;
        let inverted = *self.inverted.get_or_insert_with(|| nearest_inverted(pose, query.point, seen, boxes));
        // More than both were rounded.
        let free = seen.min(inverted) * (1.0 - 1e-9);
        (free <= distance).then_some(free)
    }
}

/// Squared distance of the nearest box of an inverted element, if it is not more than `within`.
#[cold]
fn nearest_inverted(pose: &Pose, p: DVec3, within: f64, boxes: &mut PackedStack) -> f64 {
    let (mut nearest, rounded) = (f64::INFINITY, p.as_vec3());
    let reach = within.sqrt() * (1.0 + 1e-6) + 1e-6 * p.abs().max_element();
    let ball = Aabb { min: rounded, max: rounded }.inflate(reach as f32);
    pose.inverted.overlap(&ball, boxes, |item| nearest = nearest.min(item.bounds.distance_squared(p)));
    nearest
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

/// A fold beyond this many times the squared distance of the answer does not matter: what a path that turned round there led to
/// would be no nearer.
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
