//! Cloth near cloth, and near surfaces of volumes: vertices at triangles and edges at edges are kept a thickness apart.
//!
//! A **pair** is a linear constraint, made when it is found and kept until the next search: with the weights of the closest
//! points, `n · Σ c_k x_k ≥ thickness`. The direction `n` points from one to the other as they lay at the start of the step, so
//! that what passes through on the way is pulled back. Where they touch or lie in one plane at the start, the ties of the
//! exact predicates decide, the same way for all pairs of two sheets.
//!
//! A volume has an outside, and cloth belongs there. What starts outside is held there; vertices of cloth that start inside
//! are left to their shortest paths. What crosses a surface without a vertex inside - a corner of a volume through a
//! triangle, an edge of cloth through a ridge - is pulled back by a pair made from the crossing itself.
//!
//! A push is a correction of positions and no motion: it goes into the step's shift, and afterwards
//! [`Proximity::calm`] takes away what still approaches. So layers at rest do not chatter, and gravity piles up no speed in them.
//! What a push cancels of the approach presses both together, and **friction** leans on that (Coulomb, over the step).
//! Pushes, friction and calm change the momentum of no pair.

mod find;

use glam::Vec3;
use rayon::prelude::*;

use super::hits::{ClothDetector, Hit};
use super::mesh::ClothMesh;
use super::response::{Displacement, Order};
use crate::contact::ContactMaterial;

/// What may be near that one task takes at a time.
const CHUNK: usize = 1024;

/// What pairs are made from.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// Positions now, metres; as in the detector's last search.
    pub x: &'a [Vec3],
    /// Positions at the start of the step, which say on which side things are.
    pub start: &'a [Vec3],
    /// Pairs within this distance are kept in mind, metres.
    pub reach: f32,
    /// On which side of triangles of cloth things belong, where there is a rule.
    pub valid_side: Option<&'a Order>,
    /// The displacement of the response: pushes between both sides of a contour that work against it are dropped.
    pub drop: Option<&'a Displacement>,
    /// Crossings of cloth and surfaces of volumes at the start of the step.
    pub solid_hits: &'a [Hit],
    /// Of each vertex whether it was outside of all volumes at the start of the step.
    pub outside: &'a [bool],
    /// How far a pair made from a crossing pushes at most, metres.
    pub room: f32,
    /// Friction of each sheet; between two the mean of both holds.
    pub friction: &'a [ContactMaterial],
}

/// A vertex and a triangle, or two edges.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    vertices: [u32; 4],
    /// Weights of the vertices in the difference of the two points.
    weights: [f32; 4],
    normal: Vec3,
    /// How far it may still push, metres.
    room: f32,
    /// Coefficients of static and kinetic friction.
    friction: [f32; 2],
    /// What friction may lean on: approach over the step that was cancelled, metres; negative as long as it has not pushed.
    pressed: f32,
    /// Relative displacement that friction has taken, metres.
    rubbed: f32,
}

/// All pairs of the moment; keeps its memory between searches.
#[derive(Clone, Debug, Default)]
pub struct Proximity {
    pairs: Vec<Pair>,
    /// Pairs of earlier searches of the same step that have pushed: they push no more, but what they stopped is to stay stopped.
    former: Vec<Pair>,
    dropped: usize,
    chunks: Vec<Chunk>,
}

/// What one task finds.
#[derive(Clone, Debug, Default)]
struct Chunk {
    pairs: Vec<Pair>,
    dropped: usize,
}

impl Proximity {
    /// Collects the pairs among what `detector` found near, which must [hold](ClothDetector::knows_near) all within the reach: vertices
    /// at triangles, then edges at edges, both in the order of the mesh. They take the place of those of
    /// earlier searches of the same step; a step begins with [`clear`](Self::clear).
    pub fn find(&mut self, mesh: &ClothMesh, detector: &ClothDetector, search: &Search) {
        debug_assert!(detector.has_near(search.x, search.reach));
        self.former.extend(self.pairs.drain(..).filter(Pair::has_pushed));
        self.dropped = 0;
        let near = detector.near();
        self.collect(&near.vertex_triangle, |&[v, t]| find::point_triangle(mesh, search, v, t), 1, search);
        self.collect(&near.edge_edge, |&edges| find::edge_edge(mesh, search, edges), 2, search);
        self.pairs.extend(search.solid_hits.iter().filter_map(|hit| find::way_back(mesh, search, hit)));
    }

    /// Appends what `pair` makes of `near`, whose first `split` vertices are one side, but for what is dropped.
    fn collect(
        &mut self,
        near: &[[u32; 2]],
        pair: impl Fn(&[u32; 2]) -> Option<Pair> + Sync,
        split: usize,
        search: &Search,
    ) {
        let tasks = near.len().div_ceil(CHUNK);
        self.chunks.resize_with(self.chunks.len().max(tasks), Chunk::default);
        let chunks = &mut self.chunks[..tasks];
        chunks.par_iter_mut().zip(near.par_chunks(CHUNK)).for_each(|(chunk, near)| {
            chunk.pairs.clear();
            chunk.dropped = 0;
            for pair in near.iter().filter_map(&pair) {
                if search.drop.is_some_and(|d| pair.is_dropped(split, d)) {
                    chunk.dropped += 1;
                } else {
                    chunk.pairs.push(pair);
                }
            }
        });
        for chunk in chunks {
            self.pairs.extend_from_slice(&chunk.pairs);
            self.dropped += chunk.dropped;
        }
    }

    /// Forgets all pairs.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.former.clear();
        self.dropped = 0;
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Number of pairs that have pushed.
    pub fn pushed(&self) -> usize {
        self.pairs.iter().filter(|p| p.has_pushed()).count()
    }

    /// The pairs of the last search that are no farther apart than `distance` metres at the positions `x`: vertices, their
    /// weights in the difference of the two points, and its direction. What has a positive weight is pushed along it.
    pub fn within<'a>(
        &'a self,
        x: &'a [Vec3],
        distance: f32,
    ) -> impl Iterator<Item = ([u32; 4], [f32; 4], Vec3)> + 'a {
        let near = self.pairs.iter().filter(move |p| p.normal.dot(p.sum(x)) <= distance);
        near.map(|p| (p.vertices, p.weights, p.normal))
    }

    /// Number of pushes that were dropped beside contours in the last search.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Pushes every pair apart once, one after the other. `start`: positions at the start of the step; what a push moves is added
    /// to `shift`, what friction holds back is not.
    pub fn project(
        &mut self,
        x: &mut [Vec3],
        start: &[Vec3],
        shift: &mut [Vec3],
        inv_mass: &[f32],
        thickness: f32,
    ) {
        for pair in &mut self.pairs {
            let depth = (thickness - pair.normal.dot(pair.sum(x))).min(pair.room);
            if depth.is_nan() || depth <= 0.0 {
                continue;
            }
            let w = pair.vertices.map(|v| inv_mass[v as usize]);
            let sum: f32 = (0..4).map(|k| w[k] * pair.weights[k] * pair.weights[k]).sum();
            if sum <= 0.0 {
                continue;
            }
            let moved = pair.sum(x) - pair.sum(start) - pair.sum(shift);
            let approach = -pair.normal.dot(moved);
            pair.room -= depth;
            // Pairs that share a vertex share its approach: each counts what it cancelled itself.
            let lasting = pair.pressed.max(0.0) + depth;
            pair.pressed = lasting.min(approach.max(pair.pressed)).max(0.0);
            let push = pair.normal * (depth / sum);
            let rub = pair.rub(moved + pair.normal * approach) / sum;
            for k in 0..4 {
                let (i, share) = (pair.vertices[k] as usize, w[k] * pair.weights[k]);
                x[i] += (push + rub) * share;
                shift[i] += push * share;
            }
        }
    }

    /// Takes away the velocity with which pairs that have pushed still approach.
    pub fn calm(&self, v: &mut [Vec3], inv_mass: &[f32]) {
        for pair in self.former.iter().chain(&self.pairs).filter(|p| p.has_pushed()) {
            let approach = pair.normal.dot(pair.sum(v));
            let w = pair.vertices.map(|v| inv_mass[v as usize]);
            let sum: f32 = (0..4).map(|k| w[k] * pair.weights[k] * pair.weights[k]).sum();
            if approach < 0.0 && sum > 0.0 {
                for k in 0..4 {
                    v[pair.vertices[k] as usize] -= pair.normal * (approach * w[k] * pair.weights[k] / sum);
                }
            }
        }
    }
}

impl Pair {
    #[inline]
    fn sum(&self, of: &[Vec3]) -> Vec3 {
        let term = |k: usize| of[self.vertices[k] as usize] * self.weights[k];
        term(0) + term(1) + term(2) + term(3)
    }

    fn has_pushed(&self) -> bool {
        self.pressed >= 0.0
    }

    /// What friction does about a slide over the step.
    fn rub(&mut self, slide: Vec3) -> Vec3 {
        let [hold, drag] = self.friction.map(|mu| mu * self.pressed - self.rubbed);
        let length = slide.length();
        let take = if length <= hold { length } else { length.min(drag) };
        if take.is_nan() || take <= 0.0 {
            return Vec3::ZERO;
        }
        self.rubbed += take;
        slide * (-take / length)
    }

    /// Whether the push works against the displacement, between both sides of a contour. The first `split` vertices are one side.
    fn is_dropped(&self, split: usize, displacement: &Displacement) -> bool {
        let (one, other) = self.vertices.split_at(split);
        let opposite = one.iter().any(|&a| other.iter().any(|&b| displacement.opposite(a, b)));
        opposite && self.normal.dot(self.sum(displacement.by())) < 0.0
    }
}
