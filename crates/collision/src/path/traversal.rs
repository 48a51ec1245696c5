//! The paper's search: boundary faces in order of distance, each tested by a walk.

use std::ops::ControlFlow;

use super::closest::closest_to_origin;
use super::feasible::feasible;
use super::walk::{WalkEnd, WalkRule, WalkScratch, walk};
use super::{Feature, Found, Obstacle, PathCounters, PathScratch, Pose, Query};
use crate::bvh::NearestVisitor;

/// How a search ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum SearchEnd {
    /// The answer.
    Found(Found),
    /// The pose is no immersion here.
    Obstacle(Obstacle),
    /// No boundary face has a valid path.
    Nothing,
}

/// Searches beyond the squared distance `beyond`, below which no valid path ends.
pub(super) fn search(
    pose: &Pose,
    query: &Query,
    rule: WalkRule,
    culling: bool,
    beyond: f64,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> SearchEnd {
    let mut candidates = Candidates {
        pose,
        query,
        rule,
        culling,
        // What the flood found at this distance may come out a few roundings nearer here.
        beyond: beyond * (1.0 - 1e-12),
        walk: &mut scratch.walk,
        counters,
        end: SearchEnd::Nothing,
    };
    pose.faces.nearest(query.point, &mut scratch.queue, &mut candidates);
    candidates.end
}

struct Candidates<'a, 'p> {
    pose: &'a Pose<'p>,
    query: &'a Query,
    rule: WalkRule,
    culling: bool,
    beyond: f64,
    walk: &'a mut WalkScratch,
    counters: &'a mut PathCounters,
    end: SearchEnd,
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

    /// Whether local reasoning about the candidate's neighbourhood holds: no element there is folded.
    fn embedded(&self, feature: &[u32]) -> bool {
        feature.iter().all(|&v| !self.pose.near_folded[v as usize])
    }
}

impl NearestVisitor for Candidates<'_, '_> {
    fn distance_squared(&mut self, face: u32) -> f64 {
        self.counters.triangles += 1;
        let f = &self.pose.mesh.faces[face as usize];
        let own = self.query.own.touch(&f.vertices);
        if own && self.rule == WalkRule::Line {
            return f64::INFINITY;
        }
        let candidate = self.candidate(face);
        let d = candidate.closest.distance_squared;
        if d < self.beyond {
            return f64::INFINITY;
        }
        if own {
            return f64::INFINITY;
        }
        if self.rule == WalkRule::Immersion {
            let owned = match candidate.closest.feature {
                Feature::Face => true,
                Feature::Edge(k) => f.owns >> k & 1 != 0,
                Feature::Vertex(k) => f.owns >> (3 + k) & 1 != 0,
            };
            if !owned && self.embedded(self.feature_vertices(&candidate, &mut [0; 3])) {
                return f64::INFINITY;
            }
        }
        d
    }

    fn visit(&mut self, face: u32, _: f64) -> ControlFlow<()> {
        let candidate = self.candidate(face);
        let mut buffer = [0; 3];
        let feature = self.feature_vertices(&candidate, &mut buffer);
        if self.culling
            && self.rule == WalkRule::Immersion
            && self.embedded(feature)
            && !feasible(self.pose, self.query.point, &candidate)
        {
            self.counters.culled += 1;
            return ControlFlow::Continue(());
        }
        let vertices = &self.pose.mesh.faces[face as usize].vertices;
        let d = candidate.closest.point(vertices.map(|v| self.pose.from(self.query.point, v)));
        match walk(self.pose, self.query, d, feature, self.rule, self.walk, self.counters) {
            WalkEnd::Dead => return ControlFlow::Continue(()),
            WalkEnd::Arrived => self.end = SearchEnd::Found(candidate),
            WalkEnd::Folded => self.end = SearchEnd::Obstacle(Obstacle::Folded),
        }
        ControlFlow::Break(())
    }
}
