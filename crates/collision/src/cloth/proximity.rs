//! Cloth near cloth: vertices at triangles and edges at edges are kept a thickness apart.
//!
//! A **pair** is a linear constraint, made when it is found and kept until the next search: with the weights of the closest
//! points, `n · Σ c_k x_k ≥ thickness`. The direction `n` points from one to the other as they lay at the start of the step, so
//! that what passes through on the way is pulled back. Where they touch or lie in one plane at the start, the ties of the
//! exact predicates decide, the same way for all pairs of two sheets.
//!
//! A push is a correction of positions and no motion: it goes into the step's shift, and afterwards
//! [`Proximity::calm`] takes away what still approaches. So layers at rest do not chatter, and gravity piles up no speed in them.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::hits::ClothDetector;
use super::mesh::ClothMesh;
use super::response::{Displacement, Order};
use super::ties::{Labelled, is_positive};
use super::tree::{ClothTree, NONE};

/// Pairs of leaves that one task takes at a time.
const CHUNK: usize = 256;

/// Sine below which edges count as parallel: they have no common normal then, and their ends meet triangles anyway.
const PARALLEL: f32 = 1e-3;

/// What pairs are made from.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// Positions now, metres; as in the detector's last search.
    pub x: &'a [Vec3],
    /// Positions at the start of the step, which say on which side things are.
    pub start: &'a [Vec3],
    /// Pairs within this distance are kept in mind, metres.
    pub reach: f32,
    /// On which side of triangles things belong, where there is a rule.
    pub valid_side: Option<&'a Order>,
    /// The displacement of the response: pushes between both sides of a contour that work against it are dropped.
    pub drop: Option<&'a Displacement>,
}

/// A vertex and a triangle, or two edges.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    vertices: [u32; 4],
    /// Weights of the vertices in the difference of the two points.
    weights: [f32; 4],
    normal: Vec3,
    /// Whether it has pushed.
    pushed: bool,
}

/// All pairs of the moment; keeps its memory between searches.
#[derive(Clone, Debug, Default)]
pub struct Proximity {
    pairs: Vec<Pair>,
    dropped: usize,
}

impl Proximity {
    /// Collects the pairs among those that `detector` found with a margin of at least the reach.
    pub fn find(&mut self, mesh: &ClothMesh, detector: &ClothDetector, search: &Search) {
        let tree = &detector.tree;
        self.pairs.clear();
        self.dropped = 0;
        let one = |chunk: &[[u32; 2]], out: &mut Vec<Pair>| {
            chunk.iter().map(|&[a, b]| leaf_pair(mesh, tree, search, a, b, out)).sum::<usize>()
        };
        if detector.pairs.len() <= CHUNK {
            self.dropped = one(&detector.pairs, &mut self.pairs);
            return;
        }
        let found: Vec<(Vec<Pair>, usize)> = detector
            .pairs
            .par_chunks(CHUNK)
            .map(|chunk| {
                let mut out = Vec::new();
                let dropped = one(chunk, &mut out);
                (out, dropped)
            })
            .collect();
        for (pairs, dropped) in found {
            self.pairs.extend_from_slice(&pairs);
            self.dropped += dropped;
        }
    }

    /// Forgets all pairs.
    pub fn clear(&mut self) {
        self.pairs.clear();
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
        self.pairs.iter().filter(|p| p.pushed).count()
    }

    /// Number of pushes that were dropped beside contours in the last search.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Pushes every pair apart once, one after the other; what moves is added to `shift`.
    pub fn project(&mut self, x: &mut [Vec3], shift: &mut [Vec3], inv_mass: &[f32], thickness: f32) {
        for pair in &mut self.pairs {
            let difference = pair.sum(x);
            let depth = thickness - pair.normal.dot(difference);
            if depth.is_nan() || depth <= 0.0 {
                continue;
            }
            let w = pair.vertices.map(|v| inv_mass[v as usize]);
            let sum: f32 = (0..4).map(|k| w[k] * pair.weights[k] * pair.weights[k]).sum();
            if sum > 0.0 {
                pair.pushed = true;
                let push = pair.normal * (depth / sum);
                for k in 0..4 {
                    let by = push * (w[k] * pair.weights[k]);
                    x[pair.vertices[k] as usize] += by;
                    shift[pair.vertices[k] as usize] += by;
                }
            }
        }
    }

    /// Takes away the velocity with which pairs that have pushed still approach.
    pub fn calm(&self, v: &mut [Vec3], inv_mass: &[f32]) {
        for pair in self.pairs.iter().filter(|p| p.pushed) {
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

    /// Whether the push works against the displacement, between both sides of a contour. The first `split` vertices are one side.
    fn is_dropped(&self, split: usize, displacement: &Displacement) -> bool {
        let (one, other) = self.vertices.split_at(split);
        let opposite = one.iter().any(|&a| other.iter().any(|&b| displacement.opposite(a, b)));
        opposite && self.normal.dot(self.sum(displacement.by())) < 0.0
    }
}

/// Pairs between two leaves; returns how many were dropped.
fn leaf_pair(
    mesh: &ClothMesh,
    tree: &ClothTree,
    search: &Search,
    a: u32,
    b: u32,
    out: &mut Vec<Pair>,
) -> usize {
    let (a, b) = (&tree.leaves[a as usize], &tree.leaves[b as usize]);
    let mut dropped = 0;
    let mut keep = |pair: Option<Pair>, split: usize| {
        let Some(pair) = pair else { return };
        if search.drop.is_some_and(|d| pair.is_dropped(split, d)) {
            dropped += 1;
        } else {
            out.push(pair);
        }
    };
    for (a, b) in [(a, b), (b, a)] {
        for t in b.triangles.into_iter().filter(|&t| t != NONE) {
            let corners = mesh.triangles[t as usize];
            let p = corners.map(|v| search.x[v as usize]);
            let (low, high) =
                (p[0].min(p[1]).min(p[2]) - search.reach, p[0].max(p[1]).max(p[2]) + search.reach);
            for v in a.vertices.into_iter().take_while(|&v| v != NONE) {
                let q = search.x[v as usize];
                if q.cmpge(low).all() && q.cmple(high).all() && !corners.contains(&v) {
                    keep(point_triangle(mesh, search, v, corners), 1);
                }
            }
        }
    }
    for e in a.edges.into_iter().take_while(|&e| e != NONE) {
        let [i, j] = mesh.edges[e as usize].vertices;
        let (p, q) = (search.x[i as usize], search.x[j as usize]);
        let (low, high) = (p.min(q) - search.reach, p.max(q) + search.reach);
        for f in b.edges.into_iter().take_while(|&f| f != NONE) {
            let [k, l] = mesh.edges[f as usize].vertices;
            let (r, s) = (search.x[k as usize], search.x[l as usize]);
            let near = r.min(s).cmple(high).all() && r.max(s).cmpge(low).all();
            if near && i != k && i != l && j != k && j != l {
                keep(edge_edge(search, [i, j, k, l]), 2);
            }
        }
    }
    dropped
}

fn at(x: &[Vec3], v: u32) -> Labelled {
    (v, x[v as usize].as_dvec3())
}

/// A vertex whose foot lies inside the triangle.
fn point_triangle(mesh: &ClothMesh, search: &Search, v: u32, [a, b, c]: [u32; 3]) -> Option<Pair> {
    let p = |v: u32| search.x[v as usize];
    let (u, w, d) = (p(b) - p(a), p(c) - p(a), p(v) - p(a));
    let n = u.cross(w);
    let area2 = n.length_squared();
    if area2.is_nan() || area2 <= 0.0 {
        return None;
    }
    let height = n.dot(d);
    if height * height > search.reach * search.reach * area2 {
        return None;
    }
    let (beta, gamma) = (d.cross(w).dot(n) / area2, u.cross(d).dot(n) / area2);
    let alpha = 1.0 - beta - gamma;
    if alpha < 0.0 || beta < 0.0 || gamma < 0.0 {
        return None;
    }
    let front = match search.valid_side {
        Some(order) => order.side(mesh.sheet[a as usize], mesh.sheet[v as usize]) > 0,
        None => {
            let s = |v| at(search.start, v);
            is_positive(s(a), s(b), s(c), s(v))
        }
    };
    let normal = n / area2.sqrt();
    Some(Pair {
        vertices: [v, a, b, c],
        weights: [1.0, -alpha, -beta, -gamma],
        normal: if front { normal } else { -normal },
        pushed: false,
    })
}

/// Edges whose closest points lie inside both.
fn edge_edge(search: &Search, [i, j, k, l]: [u32; 4]) -> Option<Pair> {
    let p = |v: u32| search.x[v as usize];
    let (u, w, d) = (p(j) - p(i), p(l) - p(k), p(k) - p(i));
    let n = u.cross(w);
    let (n2, uu, ww) = (n.length_squared(), u.length_squared(), w.length_squared());
    if n2.is_nan() || n2 <= PARALLEL * PARALLEL * uu * ww {
        return None;
    }
    let height = n.dot(d);
    if height * height > search.reach * search.reach * n2 {
        return None;
    }
    let (s, t) = (d.cross(w).dot(n) / n2, d.cross(u).dot(n) / n2);
    if !(0.0..=1.0).contains(&s) || !(0.0..=1.0).contains(&t) {
        return None;
    }
    // The second edge lies on the side to which u × w points when the four points are positively oriented.
    let now = n / n2.sqrt();
    let normal = match search.valid_side {
        Some(_) => now * height.signum(),
        None => {
            let q = |v| at(search.start, v);
            let positive = is_positive(q(i), q(j), q(k), q(l));
            // det(j-i, k-i, l-i) = u · ((k-i) × (w + k-i)) = -(u × w) · (k-i).
            let before = (q(j).1 - q(i).1).cross(q(l).1 - q(k).1);
            let towards = if positive { -before } else { before };
            side_of(now, towards)
        }
    };
    Some(Pair { vertices: [k, l, i, j], weights: [1.0 - t, t, s - 1.0, -s], normal, pushed: false })
}

/// `n` or its opposite, whichever lies on the side of `towards`.
fn side_of(n: Vec3, towards: DVec3) -> Vec3 {
    if n.as_dvec3().dot(towards) < 0.0 { -n } else { n }
}
