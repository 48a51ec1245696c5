//! The geodesic query: which search when.
//!
//! All of it rests on the **lifted ball**. Straight lines from the point p through positive elements lift to the mesh uniquely until
//! they meet the boundary; so up to the nearest boundary point on such a line, at the distance r, the whole ball does, and nothing
//! nearer than r is the end of a line that only goes forward. A line that turns round comes back through inverted elements:
//! one that goes past its end s and back covers, with inverted elements, all that lies between s and where it
//! turned, beyond r; one that starts away from s covers all from beyond r behind p to s. Either way an inverted
//! element holds s. So
//!
//! - where no inverted element meets the ball, what was found at r is the answer;
//! - else candidates in the ball count only where inverted elements cover the line from there out of the ball;
//! - up to the nearest inverted element a candidate may be judged by its neighbours (`traversal.rs`). That the line to the candidate
//!   meets none is not enough: the neighbour's face may be nearest where one hides it;
//! - behind r, and beyond an inverted element, nothing holds but the walk to each candidate.

use super::flood::{FloodEnd, FloodLimit, NEAR, flood, nearest_inverted, nearest_inverted_in};
use super::traversal::{Known, SearchEnd, Shortcuts, search};
use super::{Found, Obstacle, PathCounters, PathMethod, PathOptions, PathScratch, Pose, Query};
use crate::bvh::Aabb;

/// How long [`PathMethod::Auto`] floods before it takes the tree.
const FLOOD_FIRST: FloodLimit = FloodLimit { elements: 12, blind: 4, near_inverted: 0 };

/// The same in a pose with inverted elements, where a search by the tree is dearer.
const FLOOD_FIRST_FOLDED: FloodLimit = FloodLimit { elements: 32, blind: 12, near_inverted: 128 };

/// The shortest path, and whether the query's own boundary was met at distance zero.
pub(crate) fn shortest_path(
    pose: &Pose,
    query: &Query,
    options: &PathOptions,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> (Option<Found>, bool) {
    let first = if pose.inverted.is_empty() { FLOOD_FIRST } else { FLOOD_FIRST_FOLDED };
    let end = match options.method {
        PathMethod::Traversal => FloodEnd::Beyond(0.0),
        PathMethod::Auto => flood(pose, query, first, &mut scratch.flood, counters),
        PathMethod::Flood => flood(pose, query, FloodLimit::NONE, &mut scratch.flood, counters),
    };
    let mut found = match end {
        FloodEnd::Found(found) => Some(nearer_by_turning(pose, query, found, scratch, counters)),
        FloodEnd::Beyond(d) => beyond(pose, query, options, d, scratch, counters),
        FloodEnd::Own(d) => behind_own(pose, query, d, scratch, counters),
        FloodEnd::Obstacle(_) | FloodEnd::Nothing => None,
    };
    if found.is_none() {
        counters.fallbacks += 1;
        found = by_line(pose, query, scratch, counters);
    }
    let local_fold = matches!(end, FloodEnd::Obstacle(Obstacle::LocalFold));
    counters.local_folds += local_fold as u64;
    counters.unresolved += found.is_none() as u64;
    (found, local_fold)
}

/// The ball lifts up to what was found.
#[inline]
fn nearer_by_turning(
    pose: &Pose,
    query: &Query,
    found: Found,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> Found {
    let d = found.closest.distance_squared;
    let mut near = Aabb::EMPTY;
    let inverted = nearest_inverted_in(pose, query.point, d, &mut near, &mut scratch.walk.boxes);
    if inverted > d {
        return found;
    }
    counters.fallbacks += 1;
    // What inverted elements lead out of the ball lies in one of them.
    let known = Known { from: inverted, lifted: d, until: d, within: Some(near), ..Known::NOTHING };
    search(pose, query, Shortcuts::ALWAYS, known, scratch, counters).found().unwrap_or(found)
}

/// The ball lifts up to the squared distance `d`, at which no boundary has been reached.
fn beyond(
    pose: &Pose,
    query: &Query,
    options: &PathOptions,
    d: f64,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> Option<Found> {
    let shortcuts = Shortcuts { culling: options.culling, ..Shortcuts::ALWAYS };
    // An inverted element so near is likely to be nearer than the answer.
    let near = nearest_inverted(pose, query.point, NEAR * d, &mut scratch.walk.boxes);
    let known = if near < f64::INFINITY {
        Known { from: near.min(d), lifted: d, clear: near, ..Known::NOTHING }
    } else {
        // Else go on as if there were none at all.
        let end = search(pose, query, shortcuts, Known { from: d, ..Known::IMMERSION }, scratch, counters);
        let reached = match end {
            SearchEnd::Found(found) => found.closest.distance_squared,
            SearchEnd::Own(d) => d,
            SearchEnd::Nothing => f64::INFINITY,
        };
        let inverted = nearest_inverted(pose, query.point, reached, &mut scratch.walk.boxes);
        if inverted > reached || inverted == f64::INFINITY {
            return match end {
                SearchEnd::Own(d) => behind_own(pose, query, d, scratch, counters),
                end => end.found(),
            };
        }
        let known = Known { from: inverted.max(d), lifted: d, ..Known::NOTHING };
        if let SearchEnd::Found(found) = end {
            // What was found has a path; only a nearer one can be shorter.
            counters.fallbacks += 1;
            let known = Known { until: reached, within: Some(Aabb::EVERYTHING), ..known };
            return match search(pose, query, shortcuts, known, scratch, counters) {
                SearchEnd::Own(d) => behind_own(pose, query, d, scratch, counters),
                end => end.found().or(Some(found)),
            };
        }
        known
    };
    counters.fallbacks += 1;
    match search(pose, query, shortcuts, known, scratch, counters) {
        SearchEnd::Own(d) => behind_own(pose, query, d, scratch, counters),
        end => end.found(),
    }
}

/// The ball lifts up to the squared distance `d`, at which it touches the query's own boundary, which is no answer, and may hide what
/// lies behind it.
fn behind_own(
    pose: &Pose,
    query: &Query,
    d: f64,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> Option<Found> {
    let inverted = nearest_inverted(pose, query.point, d, &mut scratch.walk.boxes);
    let known = Known { from: inverted.min(d), lifted: d, ..Known::NOTHING };
    search(pose, query, Shortcuts::ALWAYS, known, scratch, counters).found()
}

/// The paper's rule without any shortcut: what the others are tested against.
pub(super) fn by_line(
    pose: &Pose,
    query: &Query,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> Option<Found> {
    search(pose, query, Shortcuts::NONE, Known::NOTHING, scratch, counters).found()
}
