//! Edges that pierce triangles: found through the tree, decided exactly, ties broken symbolically.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::boxes::bits;
use super::mesh::ClothMesh;
use super::near::{Near, Plane, approach};
use super::pairs::{Found, PairCounters, Reach, leaf_pairs, skipped};
use super::ties::{Labelled, pierces};
use super::tree::{ClothTree, NONE};
use crate::ccd::neighbours::spread;

/// Pairs of leaves that one task takes at a time.
const CHUNK: usize = 512;

/// An edge that pierces a triangle of which it has no vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The edge.
    pub edge: u32,
    /// The triangle.
    pub triangle: u32,
    /// Where along the edge, 0 at its first vertex and 1 at its second.
    pub along: f64,
    /// Where in the triangle: weights of its vertices, not negative, of sum 1.
    pub weights: [f64; 3],
}

impl Hit {
    /// The point, metres, at the positions `x`.
    pub fn point(&self, mesh: &ClothMesh, x: &[Vec3]) -> DVec3 {
        let [a, b] = mesh.edges[self.edge as usize].vertices.map(|v| x[v as usize].as_dvec3());
        a.lerp(b, self.along)
    }
}

/// Finds where cloth is near itself and where it crosses itself; keeps its tree and its memory between frames.
///
/// [`refit`](Self::refit) follows the motion; [`find_pairs`](Self::find_pairs) and [`find_hits`](Self::find_hits) answer for
/// the positions of the last refit. All results are the same for any number of threads.
#[derive(Clone, Debug, Default)]
pub struct ClothDetector {
    pub(super) tree: ClothTree,
    found: Found,
    near: Near,
    /// Vertices of triangles, ascending.
    vertices: Vec<u32>,
    hits: Vec<Hit>,
    solid_hits: Vec<Hit>,
    culling: bool,
    /// Node of each leaf.
    node_of: Vec<u32>,
}

impl ClothDetector {
    /// A detector for `mesh`. `layout`: one position a vertex, from which the tree takes its order; best the rest pose,
    /// in which neighbours in the cloth are neighbours in space and nothing else is. See [`layout_of`](super::layout_of) where there is none.
    pub fn new(mesh: &ClothMesh, layout: &[Vec3]) -> Self {
        let tree = ClothTree::new(mesh, layout);
        let mut node_of = vec![0; tree.leaves.len()];
        for (n, node) in tree.nodes.iter().enumerate().filter(|(_, n)| n.right == 0) {
            node_of[node.leaf as usize] = n as u32;
        }
        let vertices = (0..mesh.vertex_count as u32).filter(|&v| !mesh.triangles_of(v).is_empty()).collect();
        ClothDetector { tree, node_of, vertices, culling: true, ..Self::default() }
    }

    /// Whether regions that cannot cross themselves are skipped; they are by default. The crossings found are the same.
    pub fn set_culling(&mut self, culling: bool) {
        self.culling = culling;
    }

    /// Volumes and cones for the positions `x`, metres.
    pub fn refit(&mut self, mesh: &ClothMesh, x: &[Vec3]) {
        self.tree.refit(mesh, x);
    }

    /// Collects the pairs of leaves within `margin` metres of each other, for [`find_hits`](Self::find_hits); `x` as in the last refit.
    pub fn find_pairs(&mut self, mesh: &ClothMesh, x: &[Vec3], margin: f32) {
        let reach = Reach::crossing(margin);
        leaf_pairs(mesh, &self.tree, x, &reach, self.culling, &mut self.found);
        self.tree.box_leaves(mesh, x, &self.found.pairs);
    }

    /// Whether what the last [`find_near`](Self::find_near) found holds all features within `reach` metres of each other at the positions `x`.
    pub fn knows_near(&mut self, x: &[Vec3], reach: f32) -> bool {
        self.near.serve(&self.vertices, x, reach)
    }

    /// Whether it holds all crossings at the positions `x`, for [`find_known_hits`](Self::find_known_hits).
    pub fn knows_crossings(&mut self, x: &[Vec3]) -> bool {
        self.near.serve_crossings(&self.vertices, x)
    }

    pub(super) fn has_near(&self, x: &[Vec3], reach: f32) -> bool {
        self.near.holds(&self.vertices, x, reach)
    }

    /// Looks for the vertices and triangles, and the edges, that have no vertex in common and are within `reach` metres of each
    /// other, and for those that will be while no vertex moves by more than `slack` metres against the others; `x` as in the last refit. What
    /// is found serves [`Proximity`](super::Proximity) for as long as [`knows_near`](Self::knows_near) says.
    pub fn find_near(&mut self, mesh: &ClothMesh, x: &[Vec3], reach: f32, slack: f32) {
        self.near.make(mesh, &mut self.tree, &self.vertices, x, [reach, slack], self.culling);
    }

    pub(super) fn near(&self) -> &Near {
        &self.near
    }

    /// Numbers of pairs of vertex and triangle and of two edges that the last [`find_near`](Self::find_near) found, and how often it was called.
    pub fn near_counts(&self) -> (usize, usize, u64) {
        (self.near.vertex_triangle.len(), self.near.edge_edge.len(), self.near.made)
    }

    /// Positions of the vertices of triangles among `x`, for [`approach`](Self::approach).
    pub fn remember(&self, x: &[Vec3], out: &mut Vec<Vec3>) {
        out.clear();
        out.extend(self.vertices.iter().map(|&v| x[v as usize]));
    }

    /// How far points of the mesh may have come closer to each other since `before`, which [`remember`](Self::remember) filled, metres: a
    /// bound for all pairs of them.
    pub fn approach(&self, before: &[Vec3], x: &[Vec3]) -> f32 {
        approach(spread(&self.vertices, |i, v| x[v] - before[i]))
    }

    /// The same for positions of all vertices.
    pub fn approach_between(&self, before: &[Vec3], x: &[Vec3]) -> f32 {
        approach(spread(&self.vertices, |_, v| x[v] - before[v]))
    }

    /// Boxes (low and high corner, metres) of the regions that the search passes over because they cannot cross themselves, at
    /// the positions `x`; of regions one in the other the largest. None without culling. For pictures.
    pub fn skipped_regions(&self, mesh: &ClothMesh, x: &[Vec3]) -> Vec<[Vec3; 2]> {
        if !self.culling {
            return Vec::new();
        }
        let mut tree = self.tree.clone();
        tree.refit(mesh, x);
        let nodes = skipped(&tree, x);
        nodes.into_iter().map(|n| tree.nodes[n as usize].dop.corners()).collect()
    }

    /// What the last search for pairs did.
    pub fn counters(&self) -> PairCounters {
        self.found.counters
    }

    /// The crossings of cloth with cloth among the pairs of the last search, by edge, then triangle; `x` as there.
    pub fn find_hits(&mut self, mesh: &ClothMesh, x: &[Vec3]) -> &[Hit] {
        let Self { tree, found, hits, node_of, .. } = self;
        let pairs = &found.pairs;
        let search = |chunk: &[[u32; 2]], found: &mut Vec<Hit>| {
            for &[a, b] in chunk {
                let dop = |leaf: u32| &tree.nodes[node_of[leaf as usize] as usize].dop;
                if dop(a).overlaps(dop(b)) {
                    leaf_hits(mesh, tree, x, a, b, found);
                    leaf_hits(mesh, tree, x, b, a, found);
                }
            }
        };
        hits.clear();
        if pairs.len() <= CHUNK {
            search(pairs, hits);
        } else {
            let found: Vec<Vec<Hit>> = pairs
                .par_chunks(CHUNK)
                .map(|chunk| {
                    let mut found = Vec::new();
                    search(chunk, &mut found);
                    found
                })
                .collect();
            found.iter().for_each(|f| hits.extend_from_slice(f));
        }
        hits.sort_unstable_by_key(|h| (h.edge, h.triangle));
        self.part_hits(mesh)
    }

    /// The same crossings among what the last [`find_near`](Self::find_near) found, which must [hold](Self::knows_crossings) them at `x`;
    /// needs no refit.
    pub fn find_known_hits(&mut self, mesh: &ClothMesh, x: &[Vec3]) -> &[Hit] {
        debug_assert!(self.near.holds_crossings(&self.vertices, x));
        let at = |v: u32| x[v as usize];
        let rounding = self.near.rounding;
        let search = |list: &[[u32; 2]], hits: &mut Vec<Hit>| {
            for edges in list.chunk_by(|a, b| a[0] == b[0]) {
                let t = edges[0][0];
                let plane = Plane::of(mesh.triangles[t as usize].map(at), rounding);
                let may_cross = |&&[_, e]: &&[u32; 2]| !plane.clears(mesh.edges[e as usize].vertices.map(at));
                hits.extend(edges.iter().filter(may_cross).filter_map(|&[_, e]| hit(mesh, x, e, t)));
            }
        };
        let list = &self.near.triangle_edge;
        self.hits.clear();
        if list.len() <= CHUNK {
            search(list, &mut self.hits);
        } else {
            let found: Vec<Vec<Hit>> = list
                .par_chunks(CHUNK)
                .map(|list| {
                    let mut found = Vec::new();
                    search(list, &mut found);
                    found
                })
                .collect();
            found.iter().for_each(|f| self.hits.extend_from_slice(f));
        }
        self.hits.sort_unstable_by_key(|h| (h.edge, h.triangle));
        self.part_hits(mesh)
    }

    /// Puts crossings with surfaces of volumes apart.
    fn part_hits(&mut self, mesh: &ClothMesh) -> &[Hit] {
        let Self { hits, solid_hits, .. } = self;
        solid_hits.clear();
        if mesh.has_solids() {
            let with_solid =
                |h: &Hit| mesh.is_solid(h.triangle) || mesh.is_solid(mesh.triangles_at(h.edge)[0]);
            solid_hits.extend(hits.iter().filter(|h| with_solid(h)));
            hits.retain(|h| !with_solid(h));
        }
        hits
    }

    /// What the last search found between cloth and surfaces of volumes, by edge, then triangle.
    pub fn solid_hits(&self) -> &[Hit] {
        &self.solid_hits
    }

    /// What the last search found.
    pub fn hits(&self) -> &[Hit] {
        &self.hits
    }
}

#[cfg(test)]
impl ClothDetector {
    /// Looks no farther for what is near: all is.
    pub fn take_all_for_near(&mut self, mesh: &ClothMesh) {
        self.near = Near::everything(mesh, &self.vertices);
    }
}

/// Edges of leaf `a` against triangles of leaf `b`.
fn leaf_hits(mesh: &ClothMesh, tree: &ClothTree, x: &[Vec3], a: u32, b: u32, found: &mut Vec<Hit>) {
    let (edges, triangles) = (tree.leaves[a as usize].edges, tree.leaves[b as usize].triangles);
    for (k, &t) in triangles.iter().enumerate().filter(|&(_, &t)| t != NONE) {
        for lane in bits(tree.boxes[a as usize].edges_near_triangle(&tree.boxes[b as usize], k, 0.0)) {
            found.extend(hit(mesh, x, edges[lane], t));
        }
    }
}

/// Whether and where an edge pierces a triangle; never one of which it has a vertex.
pub(super) fn hit(mesh: &ClothMesh, x: &[Vec3], edge: u32, triangle: u32) -> Option<Hit> {
    let ([p, q], tri) = (mesh.edges[edge as usize].vertices, mesh.triangles[triangle as usize]);
    if tri.contains(&p) || tri.contains(&q) {
        return None;
    }
    let at = |v: u32| -> Labelled { (v, x[v as usize].as_dvec3()) };
    let corners = tri.map(at);
    pierces(at(p), at(q), corners).then(|| place(edge, triangle, [at(p).1, at(q).1], corners.map(|c| c.1)))
}

/// Where they meet, as well as it can be told.
fn place(edge: u32, triangle: u32, [p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> Hit {
    let normal = (b - a).cross(c - a);
    let (above, below) = (normal.dot(p - a).abs(), normal.dot(q - a).abs());
    let along = if above + below > 0.0 { above / (above + below) } else { 0.5 };
    let point = p.lerp(q, along);
    let area = |u: DVec3, v: DVec3| (u - point).cross(v - point).dot(normal).max(0.0);
    let weights = [area(b, c), area(c, a), area(a, b)];
    let sum = weights[0] + weights[1] + weights[2];
    let weights = if sum > 0.0 { weights.map(|w| w / sum) } else { [1.0 / 3.0; 3] };
    Hit { edge, triangle, along, weights }
}
