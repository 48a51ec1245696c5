//! The geodesic query: which search when, and the way back to the paper's rule.

use super::flood::{FloodEnd, flood};
use super::traversal::{SearchEnd, search};
use super::walk::WalkRule;
use super::{Found, Obstacle, PathCounters, PathMethod, PathOptions, PathScratch, Pose, Query};

/// Elements that [`PathMethod::Auto`] floods before it takes the tree.
const FLOOD_FIRST: usize = 8;

/// The shortest path, and whether the query's own boundary was met at distance zero.
pub(crate) fn shortest_path(
    pose: &Pose,
    query: &Query,
    options: &PathOptions,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> (Option<Found>, bool) {
    let tree = |beyond, scratch: &mut PathScratch, counters: &mut PathCounters| {
        search(pose, query, WalkRule::Immersion, options.culling, beyond, scratch, counters)
    };
    let end = match options.method {
        PathMethod::Traversal => tree(0.0, scratch, counters),
        method => {
            let limit = if method == PathMethod::Auto { FLOOD_FIRST } else { usize::MAX };
            match flood(pose, query, limit, &mut scratch.flood, counters) {
                FloodEnd::Found(found) => SearchEnd::Found(found),
                FloodEnd::Beyond(d) => tree(d, scratch, counters),
                FloodEnd::Obstacle(obstacle) => SearchEnd::Obstacle(obstacle),
                FloodEnd::Nothing => SearchEnd::Nothing,
            }
        }
    };
    let fold = matches!(end, SearchEnd::Obstacle(Obstacle::LocalFold));
    let found = match end {
        SearchEnd::Found(found) => Some(found),
        SearchEnd::Obstacle(_) | SearchEnd::Nothing => {
            counters.fallbacks += 1;
            match search(pose, query, WalkRule::Line, false, 0.0, scratch, counters) {
                SearchEnd::Found(found) => Some(found),
                SearchEnd::Obstacle(_) | SearchEnd::Nothing => None,
            }
        }
    };
    counters.local_folds += fold as u64;
    counters.unresolved += found.is_none() as u64;
    (found, fold)
}
