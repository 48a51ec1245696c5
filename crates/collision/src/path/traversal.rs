//! The paper's search: boundary faces in order of distance, each tested by a walk.

use std::ops::ControlFlow;

use glam::{DVec3, Vec3};

use super::closest::closest_to_origin;
use super::feasible::{feasible, seen_from_outside};
use super::four::ClosestFour;
use super::walk::{WalkEnd, WalkScratch, leads_out, may_turn, walk};
use super::{Feature, Found, PathCounters, PathScratch, Pose, Query};
use crate::bvh::{Aabb, NearestVisitor, WIDTH};

/// Where a search reasons locally to save work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shortcuts {
    /// Walks the other way too only where an inverted element may hold the query point: else nothing leads back to it.
    pub one_way: bool,
    /// Passes over what is seen from outside.
    pub sides: bool,
    /// Rules candidates out by their feasible region, as far as the pose is known to be clear.
    pub culling: bool,
}

impl Shortcuts {
    /// What always holds.
    pub const ALWAYS: Shortcuts = Shortcuts { one_way: true, sides: true, culling: false };
    /// Every candidate is walked to, both ways.
    pub const NONE: Shortcuts = Shortcuts { one_way: false, sides: false, culling: false };
}

/// What is known round the query before a search, as squared distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// Nothing nearer is an answer.
    pub from: f64,
    /// Up to here the ball lifts (`auto.rs`): a nearer candidate is an answer only if inverted elements lead from it out of the ball.
    pub lifted: f64,
    /// No inverted element is nearer, and so nearer candidates may be judged by their neighbours.
    ///
    /// Say the candidate s is the nearest that a path leads to: the ball lifts up to it. A point of the boundary near s that is
    /// nearer lies inside the ball, and where the elements round the feature of s fill their place once, the lifted ball
    /// holds that very point; but it holds no boundary. So what has such a neighbour is ruled out (`feasible.rs`), and one
    /// owner is enough to look at an edge or a vertex. The neighbour may be the query's own: so as far as this goes, its
    /// own faces are candidates like all others, and one that is reached ends the search ([`SearchEnd::Own`]).
    pub clear: f64,
    /// Only nearer candidates are asked for.
    pub until: f64,
    /// Only candidates in this box are asked for.
    pub within: Option<Aabb>,
}

impl Known {
    pub const NOTHING: Known =
        Known { from: 0.0, lifted: 0.0, clear: 0.0, until: f64::INFINITY, within: None };
    /// There is no inverted element anywhere.
    pub const IMMERSION: Known = Known { clear: f64::INFINITY, ..Known::NOTHING };
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

/// Finds the nearest boundary face with a valid path.
pub(super) fn search(
    pose: &Pose,
    query: &Query,
    shortcuts: Shortcuts,
    known: Known,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> SearchEnd {
    let mut candidates = Candidates {
        pose,
        query,
        component: pose.mesh.element_component[query.element as usize],
        shortcuts,
        // What the flood found at this distance may come out a few roundings nearer here.
        known: Known { from: known.from * (1.0 - 1e-12), lifted: known.lifted * (1.0 - 1e-9), ..known },
        both_ways: !shortcuts.one_way || may_turn(pose, query.point, DVec3::X, 0.0, &mut scratch.walk),
        walk: &mut scratch.walk,
        counters,
        dead: [[u32::MAX; 3]; DEAD],
        deaths: 0,
        end: SearchEnd::Nothing,
    };
    if let Some(within) = known.within {
        pose.faces.nearest_in(query.point, &within, &mut scratch.queue, &mut candidates);
    } else if shortcuts.culling && known.clear == f64::INFINITY {
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
    /// No path leads to another one.
    component: u32,
    shortcuts: Shortcuts,
    known: Known,
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
        let p = self.query.point;
        let mut corners = [[Vec3::ZERO; WIDTH]; 3];
        for (lane, &face) in ids.iter().enumerate() {
            let vertices = &self.pose.mesh.faces[face as usize].vertices;
            for (k, &v) in vertices.iter().enumerate() {
                corners[k][lane] = self.pose.positions[v as usize];
            }
        }
        let closest = ClosestFour::new(p, &corners);
        for (lane, &face) in ids.iter().enumerate() {
            let f = &self.pose.mesh.faces[face as usize];
            let d = closest.distance_squared[lane];
            if d < self.known.from || self.pose.mesh.element_component[f.element as usize] != self.component {
                continue;
            }
            if self.query.own.touch(&f.vertices) {
                // No way leads from a vertex to itself.
                let here = d == 0.0 || corners.iter().any(|c| c[lane].as_dvec3() == p);
                if here || d >= self.known.clear {
                    continue;
                }
            }
            let feature = closest.feature(lane);
            let owned = match feature {
                Feature::Face => true,
                Feature::Edge(k) => f.owns >> k & 1 != 0,
                Feature::Vertex(k) => f.owns >> (3 + k) & 1 != 0,
            };
            if owned
                || d >= self.known.clear
                || !self.embedded(feature_vertices(&f.vertices, feature, &mut [0; 3]))
            {
                out[lane] = d;
            }
        }
    }

    fn radius_squared(&self) -> f64 {
        self.known.until
    }

    fn visit(&mut self, face: u32, distance_squared: f64) -> ControlFlow<()> {
        let candidate = self.candidate(face);
        let mut buffer = [0; 3];
        let vertices = &self.pose.mesh.faces[face as usize].vertices;
        let feature = feature_vertices(vertices, candidate.closest.feature, &mut buffer);
        let embedded = self.embedded(feature);
        let judged = embedded && self.shortcuts.culling && distance_squared < self.known.clear;
        if judged && !feasible(self.pose, self.query.point, &candidate) {
            self.counters.culled += 1;
            return ControlFlow::Continue(());
        }
        let d = candidate.closest.point(self.pose.triangle_from(self.query.point, vertices));
        let mut name = [u32::MAX; 3];
        name[..feature.len()].copy_from_slice(feature);
        name.sort_unstable();
        if self.dead.contains(&name) {
            return ControlFlow::Continue(());
        }
        let mut support_buffer = [0; 3];
        let target = support(vertices, candidate.closest.barycentric(), &mut support_buffer);
        let (pose, point) = (self.pose, self.query.point);
        let hidden =
            distance_squared < self.known.lifted && !leads_out(pose, point, d, self.known.lifted, self.walk);
        // Where s is on another feature but for rounding, that one's neighbourhood would count.
        let outside = || {
            self.shortcuts.sides
                && target.len() == feature.len()
                && seen_from_outside(pose, point, &candidate, embedded)
        };
        if hidden
            || outside() && !may_turn(pose, point, d, 1.0, self.walk)
            || walk(pose, self.query, d, target, self.both_ways, self.walk, self.counters) == WalkEnd::Dead
        {
            self.dead[self.deaths % DEAD] = name;
            self.deaths += 1;
            return ControlFlow::Continue(());
        }
        self.end = match self.query.own.touch(vertices) {
            true => SearchEnd::Own(candidate.closest.distance_squared),
            false => SearchEnd::Found(candidate),
        };
        ControlFlow::Break(())
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
