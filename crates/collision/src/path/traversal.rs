//! The paper's search: boundary faces in order of distance, each tested by a walk.

use std::ops::ControlFlow;

use super::closest::closest_to_origin;
use super::feasible::feasible;
use super::walk::{WalkEnd, WalkScratch, walk};
use super::{Feature, Found, PathCounters, PathScratch, Pose, Query};
use crate::bvh::NearestVisitor;
use crate::immersion::Fold;

/// Where a search reasons locally to save work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shortcuts {
    /// Looks at each boundary edge and vertex once, and walks one way, except next to a fold.
    pub embedded: bool,
    /// Rules candidates out by their feasible region, except next to a fold.
    pub culling: bool,
}

impl Shortcuts {
    /// Every candidate is walked to, both ways.
    pub const NONE: Shortcuts = Shortcuts { embedded: false, culling: false };
}

/// Finds the nearest boundary face with a valid path, beyond the squared distance `beyond`, below which there is none.
pub(super) fn search(
    pose: &Pose,
    query: &Query,
    shortcuts: Shortcuts,
    beyond: f64,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> Option<Found> {
    let mut candidates = Candidates {
        pose,
        query,
        shortcuts,
        // What the flood found at this distance may come out a few roundings nearer here.
        beyond: beyond * (1.0 - 1e-12),
        both_ways: !shortcuts.embedded || pose.folds[query.element as usize] != Fold::Clear,
        walk: &mut scratch.walk,
        counters,
        found: None,
    };
    pose.faces.nearest(query.point, &mut scratch.queue, &mut candidates);
    candidates.found
}

struct Candidates<'a, 'p> {
    pose: &'a Pose<'p>,
    query: &'a Query,
    shortcuts: Shortcuts,
    beyond: f64,
    both_ways: bool,
    walk: &'a mut WalkScratch,
    counters: &'a mut PathCounters,
    found: Option<Found>,
}

impl Candidates<'_, '_> {
    fn candidate(&self, face: u32) -> Found {
        let vertices = &self.pose.mesh.faces[face as usize].vertices;
        let corners = vertices.map(|v| self.pose.from(self.query.point, v));
        Found { face, closest: closest_to_origin(corners) }
    }

    /// The vertices of the feature on which the candidate lies.
    fn feature_vertices<'b>(&self, candidate: &Found, buffer: &'b mut [u32; 3]) -> &'b [u32] {
        *buffer = self.pose.mesh.faces[candidate.face as usize].vertices;
        match candidate.closest.feature {
            Feature::Face => buffer,
            Feature::Vertex(k) => &buffer[k as usize..k as usize + 1],
            Feature::Edge(k) => {
                buffer.rotate_left(k as usize);
                &buffer[..2]
            }
        }
    }

    /// Whether local reasoning about a feature's neighbourhood holds.
    fn embedded(&self, feature: &[u32]) -> bool {
        self.shortcuts.embedded && feature.iter().all(|&v| !self.pose.near_fold[v as usize])
    }
}

impl NearestVisitor for Candidates<'_, '_> {
    fn distance_squared(&mut self, face: u32) -> f64 {
        let f = &self.pose.mesh.faces[face as usize];
        if self.query.own.touch(&f.vertices) {
            return f64::INFINITY;
        }
        self.counters.triangles += 1;
        let candidate = self.candidate(face);
        let owned = match candidate.closest.feature {
            Feature::Face => true,
            Feature::Edge(k) => f.owns >> k & 1 != 0,
            Feature::Vertex(k) => f.owns >> (3 + k) & 1 != 0,
        };
        let d = candidate.closest.distance_squared;
        if d < self.beyond || (!owned && self.embedded(self.feature_vertices(&candidate, &mut [0; 3]))) {
            return f64::INFINITY;
        }
        d
    }

    fn visit(&mut self, face: u32, _: f64) -> ControlFlow<()> {
        let candidate = self.candidate(face);
        let mut buffer = [0; 3];
        let feature = self.feature_vertices(&candidate, &mut buffer);
        let embedded = self.embedded(feature);
        if embedded && self.shortcuts.culling && !feasible(self.pose, self.query.point, &candidate) {
            self.counters.culled += 1;
            return ControlFlow::Continue(());
        }
        let vertices = &self.pose.mesh.faces[face as usize].vertices;
        let d = candidate.closest.point(vertices.map(|v| self.pose.from(self.query.point, v)));
        let both_ways = self.both_ways || !embedded;
        match walk(self.pose, self.query, d, feature, both_ways, self.walk, self.counters) {
            WalkEnd::Dead => ControlFlow::Continue(()),
            WalkEnd::Arrived => {
                self.found = Some(candidate);
                ControlFlow::Break(())
            }
        }
    }
}
