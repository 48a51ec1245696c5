//! The geodesic query: which search when.

use super::flood::{FloodEnd, FloodLimit, flood};
use super::traversal::{SearchEnd, Shortcuts, search};
use super::{Found, Obstacle, PathCounters, PathMethod, PathOptions, PathScratch, Pose, Query};
use crate::immersion::Fold;

/// How long [`PathMethod::Auto`] floods before it takes the tree.
const FLOOD_FIRST: FloodLimit = FloodLimit { elements: 12, blind: 4 };

/// The shortest path, and whether the query's own boundary was met at distance zero.
pub(crate) fn shortest_path(
    pose: &Pose,
    query: &Query,
    options: &PathOptions,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> (Option<Found>, bool) {
    let shortcuts = match pose.folds[query.element as usize] {
        Fold::Clear => Shortcuts { culling: options.culling, ..Shortcuts::ALL },
        Fold::Near | Fold::Folded => Shortcuts::NEAR_FOLD,
    };
    let end = match options.method {
        PathMethod::Traversal => FloodEnd::Beyond(0.0),
        PathMethod::Auto => flood(pose, query, FLOOD_FIRST, &mut scratch.flood, counters),
        PathMethod::Flood => flood(pose, query, FloodLimit::NONE, &mut scratch.flood, counters),
    };
    let mut found = match end {
        FloodEnd::Found(found) => Some(found),
        FloodEnd::Beyond(d) => match search(pose, query, shortcuts, d, scratch, counters) {
            SearchEnd::Own(d) => beyond_own(pose, query, d, scratch, counters),
            end => end.found(),
        },
        FloodEnd::Obstacle(Obstacle::Own, d) => beyond_own(pose, query, d, scratch, counters),
        FloodEnd::Obstacle(Obstacle::Fold, free) => {
            counters.fallbacks += 1;
            search(pose, query, Shortcuts::NEAR_FOLD, free, scratch, counters).found()
        }
        FloodEnd::Obstacle(Obstacle::Wrapped | Obstacle::LocalFold, _) | FloodEnd::Nothing => None,
    };
    if found.is_none() {
        counters.fallbacks += 1;
        found = search(pose, query, Shortcuts::NONE, 0.0, scratch, counters).found();
    }
    let local_fold = matches!(end, FloodEnd::Obstacle(Obstacle::LocalFold, _));
    counters.local_folds += local_fold as u64;
    counters.unresolved += found.is_none() as u64;
    (found, local_fold)
}

/// The nearest boundary is the query's own, at the squared distance `d`, and no answer. What lies behind it is reached by straight
/// paths past it, and may be hidden by it: there the ball round the point no longer lifts, so that neither a flood nor
/// a comparison of neighbours tells anything, and every candidate is walked to.
fn beyond_own(
    pose: &Pose,
    query: &Query,
    d: f64,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> Option<Found> {
    search(pose, query, Shortcuts::NEAR_FOLD, d, scratch, counters).found()
}

/// The paper's rule without any shortcut: what the others are tested against.
#[cfg(test)]
pub(super) fn by_line(
    pose: &Pose,
    query: &Query,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> Option<Found> {
    search(pose, query, Shortcuts::NONE, 0.0, scratch, counters).found()
}
