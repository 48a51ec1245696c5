//! The paper's search: boundary faces in order of distance, each tested by a walk.

use std::ops::ControlFlow;

use glam::DVec3;

use super::closest::closest_to_origin;
use super::feasible::{feasible, seen_from_outside};
use super::four::{ClosestFour, Points};
use super::walk::{WalkEnd, WalkScratch, may_turn, walk};
use super::{Feature, Found, PathCounters, PathScratch, Pose, Query};
use crate::bvh::{NearestVisitor, WIDTH};
use crate::immersion::Fold;

/// Where a search reasons locally to save work.
///
/// Owners and culling leave out a candidate because a neighbour of it is as near or nearer, and so they hold only as long as
/// that neighbour would end the search: with them the query's own faces are candidates like all others, and one that is reached
/// ends the search ([`SearchEnd::Own`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shortcuts {
    /// Walks one way, except next to a fold.
    pub one_way: bool,
    /// Looks at each boundary edge and vertex by its owner alone, except next to a fold.
    pub owners: bool,
    /// Rules candidates out by their feasible region, except next to a fold.
    pub culling: bool,
    /// Passes over what is seen from outside.
    pub sides: bool,
}

impl Shortcuts {
    /// All of them.
    pub const ALL: Shortcuts = Shortcuts { one_way: true, owners: true, culling: true, sides: true };
    /// What holds for a query next to a fold: there a candidate may be ruled out by a neighbour that no path leads to.
    pub const NEAR_FOLD: Shortcuts = Shortcuts { one_way: true, owners: false, culling: false, sides: true };
    /// Every candidate is walked to, both ways.
    pub const NONE: Shortcuts = Shortcuts { one_way: false, owners: false, culling: false, sides: false };

    fn compares_neighbours(&self) -> bool {
        self.owners || self.culling
    }
}

/// How a search ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum SearchEnd {
    /// The nearest boundary face with a valid path.
    Found(Found),
    /// The nearest boundary with a valid path is the query's own, at this squared distance.
    Own(f64),
    /// There is none.
    Nothing,
}

impl SearchEnd {
    pub fn found(self) -> Option<Found> {
        match self {
            SearchEnd::Found(found) => Some(found),
            SearchEnd::Own(_) | SearchEnd::Nothing => None,
        }
    }
}

/// Finds the nearest boundary face with a valid path, beyond the squared distance `beyond`, below which there is none.
pub(super) fn search(
    pose: &Pose,
    query: &Query,
    shortcuts: Shortcuts,
    beyond: f64,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> SearchEnd {
    let mut candidates = Candidates {
        pose,
        query,
        shortcuts,
        // What the flood found at this distance may come out a few roundings nearer here.
        beyond: beyond * (1.0 - 1e-12),
        both_ways: !shortcuts.one_way || pose.folds[query.element as usize] != Fold::Clear,
        walk: &mut scratch.walk,
        counters,
        dead: [[u32::MAX; 3]; DEAD],
        deaths: 0,
        end: SearchEnd::Nothing,
    };
    if shortcuts.culling {
        pose.faces.nearest_facing(query.point, pose.cones, &mut scratch.queue, &mut candidates);
    } else {
        pose.faces.nearest(query.point, &mut scratch.queue, &mut candidates);
    }
    candidates.end
}

/// How many dead features are remembered.
const DEAD: usize = 8;

struct Candidates<'a, 'p> {
    pose: &'a Pose<'p>,
    query: &'a Query,
    shortcuts: Shortcuts,
    beyond: f64,
    both_ways: bool,
    walk: &'a mut WalkScratch,
    counters: &'a mut PathCounters,
    /// The last features to which no path led, their vertices ascending: the faces round them come one soon after the other.
    dead: [[u32; 3]; DEAD],
    deaths: usize,
    end: SearchEnd,
}

impl Candidates<'_, '_> {
    fn candidate(&self, face: u32) -> Found {
        let vertices = &self.pose.mesh.faces[face as usize].vertices;
        let corners = self.pose.triangle_from(self.query.point, vertices);
        Found { face, closest: closest_to_origin(corners) }
    }

    /// Whether local reasoning about a feature's neighbourhood holds.
    fn embedded(&self, feature: &[u32]) -> bool {
        feature.iter().all(|&v| !self.pose.near_fold[v as usize])
    }
}

impl NearestVisitor for Candidates<'_, '_> {
    fn distance_squared(&mut self, face: u32) -> f64 {
        let mut out = [f64::INFINITY; WIDTH];
        self.distances_squared(&[face], &mut out);
        out[0]
    }

    fn distances_squared(&mut self, ids: &[u32], out: &mut [f64; WIDTH]) {
        self.counters.triangles += ids.len() as u64;
        let mut corners = [[DVec3::ZERO; WIDTH]; 3];
        for (lane, &face) in ids.iter().enumerate() {
            let vertices = &self.pose.mesh.faces[face as usize].vertices;
            for (k, &v) in vertices.iter().enumerate() {
                corners[k][lane] = self.pose.from(self.query.point, v);
            }
        }
        let closest = ClosestFour::new(corners.map(Points::new));
        for (lane, &face) in ids.iter().enumerate() {
            let f = &self.pose.mesh.faces[face as usize];
            let d = closest.distance_squared[lane];
            // At distance zero there is no way to walk.
            if d < self.beyond
                || self.query.own.touch(&f.vertices) && (d == 0.0 || !self.shortcuts.compares_neighbours())
            {
                continue;
            }
            let feature = closest.feature(lane);
            let owned = match feature {
                Feature::Face => true,
                Feature::Edge(k) => f.owns >> k & 1 != 0,
                Feature::Vertex(k) => f.owns >> (3 + k) & 1 != 0,
            };
            if owned
                || !self.shortcuts.owners
                || !self.embedded(feature_vertices(&f.vertices, feature, &mut [0; 3]))
            {
                out[lane] = d;
            }
        }
    }

    fn visit(&mut self, face: u32, _: f64) -> ControlFlow<()> {
        let candidate = self.candidate(face);
        let mut buffer = [0; 3];
        let vertices = &self.pose.mesh.faces[face as usize].vertices;
        let feature = feature_vertices(vertices, candidate.closest.feature, &mut buffer);
        let embedded = self.embedded(feature);
        if embedded && self.shortcuts.culling && !feasible(self.pose, self.query.point, &candidate) {
            self.counters.culled += 1;
            return ControlFlow::Continue(());
        }
        let d = candidate.closest.point(self.pose.triangle_from(self.query.point, vertices));
        let both_ways = self.both_ways || !embedded;
        let mut name = [u32::MAX; 3];
        name[..feature.len()].copy_from_slice(feature);
        name.sort_unstable();
        if self.dead.contains(&name) {
            return ControlFlow::Continue(());
        }
        let mut support_buffer = [0; 3];
        let target = support(vertices, candidate.closest.barycentric(), &mut support_buffer);
        // Where s is on another feature but for rounding, that one's neighbourhood would count.
        if self.shortcuts.sides
            && target.len() == feature.len()
            && seen_from_outside(self.pose, self.query.point, &candidate, embedded)
            && !may_turn(self.pose, self.query.point + d, self.walk)
        {
            return ControlFlow::Continue(());
        }
        match walk(self.pose, self.query, d, target, both_ways, self.walk, self.counters) {
            WalkEnd::Dead => {
                self.dead[self.deaths % DEAD] = name;
                self.deaths += 1;
                ControlFlow::Continue(())
            }
            WalkEnd::Arrived => {
                self.end = match self.query.own.touch(vertices) {
                    true => SearchEnd::Own(candidate.closest.distance_squared),
                    false => SearchEnd::Found(candidate),
                };
                ControlFlow::Break(())
            }
        }
    }
}

/// The vertices of the smallest feature on which a point of a face lies up to rounding: the line to a point that was rounded
/// may pass an edge on either side.
fn support<'a>(face: &[u32; 3], weights: [f64; 3], buffer: &'a mut [u32; 3]) -> &'a [u32] {
    let mut count = 0;
    for (&v, _) in face.iter().zip(weights).filter(|&(_, weight)| weight > 1e-9) {
        buffer[count] = v;
        count += 1;
    }
    &buffer[..count]
}

/// The vertices of a face's feature.
#[inline]
fn feature_vertices<'a>(face: &[u32; 3], feature: Feature, buffer: &'a mut [u32; 3]) -> &'a [u32] {
    *buffer = *face;
    match feature {
        Feature::Face => buffer,
        Feature::Vertex(k) => &buffer[k as usize..k as usize + 1],
        Feature::Edge(k) => {
            buffer.rotate_left(k as usize);
            &buffer[..2]
        }
    }
}
