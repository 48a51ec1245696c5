//! Edges that pierce triangles: found through the tree, decided exactly, ties broken symbolically.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::boxes::bits;
use super::mesh::ClothMesh;
use super::pairs::{Found, PairCounters, all_uncrossed, leaf_pairs, skipped};
use super::ties::{Labelled, pierces};
use super::tree::{ClothTree, NONE};
use crate::ccd::neighbours::{half_width, spread};

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
    /// Where the vertices were when the pairs were found, and the margin, metres.
    anchors: Vec<Vec3>,
    margin: f32,
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

    /// Collects the pairs of leaves within `margin` metres of each other; `x` as in the last refit.
    pub fn find_pairs(&mut self, mesh: &ClothMesh, x: &[Vec3], margin: f32) {
        self.margin = margin;
        self.anchors.clear();
        self.anchors.extend(self.vertices.iter().map(|&v| x[v as usize]));
        leaf_pairs(mesh, &self.tree, x, margin, self.culling, &mut self.found);
        self.tree.box_leaves(mesh, x, &self.found.pairs);
    }

    /// As [`find_pairs`](Self::find_pairs), unless the last search was so much wider that what it found holds all these pairs still.
    pub fn follow_pairs(&mut self, mesh: &ClothMesh, x: &[Vec3], margin: f32) {
        if self.covers(x, margin) {
            self.tree.box_leaves(mesh, x, &self.found.pairs);
        } else {
            self.find_pairs(mesh, x, margin);
        }
    }

    /// How far points of the mesh may have come closer to each other between two states, metres: a bound for all pairs of them, as if
    /// nothing were known but the box that holds the displacements of all vertices.
    pub fn approach(&self, from: &[Vec3], to: &[Vec3]) -> f32 {
        let displacements = spread(&self.vertices, |_, v| to[v] - from[v]);
        if displacements.is_empty() { 0.0 } else { (displacements.max - displacements.min).length() }
    }

    /// Whether the pairs at hand hold all within `margin` at `x`: no vertex has left its surroundings, up to a translation that all
    /// share, and what was skipped cannot cross itself here either.
    fn covers(&self, x: &[Vec3], margin: f32) -> bool {
        let Some(root) = self.tree.nodes.first() else { return true };
        if self.anchors.len() != self.vertices.len() || margin >= self.margin {
            return false;
        }
        let moved = half_width(spread(&self.vertices, |i, v| x[v] - self.anchors[i]));
        // Two vertices that move by this along each axis come closer by 4 along a diagonal of two axes, whose margin is √2 wider. The
        // volumes are rounded at their distance from the origin.
        let rounding = 8.0 * f32::EPSILON * root.dop.farthest();
        let room = (self.margin - margin) * (std::f32::consts::SQRT_2 / 4.0) - rounding;
        moved <= room && all_uncrossed(&self.tree, x, &self.found.culled)
    }

    /// The pairs of leaves at hand.
    pub(super) fn pairs(&self) -> &[[u32; 2]] {
        &self.found.pairs
    }

    /// Boxes (low and high corner, metres) of the regions that the search passes over because they cannot cross themselves, at
    /// the positions `x` of the last refit; of regions one in the other the largest. None without culling. For pictures.
    pub fn skipped_regions(&self, x: &[Vec3]) -> Vec<[Vec3; 2]> {
        if !self.culling {
            return Vec::new();
        }
        let nodes = skipped(&self.tree, x);
        nodes.into_iter().map(|n| self.tree.nodes[n as usize].dop.corners()).collect()
    }

    /// What the last search for pairs did.
    pub fn counters(&self) -> PairCounters {
        self.found.counters
    }

    /// The crossings of cloth with cloth among the pairs of the last search, by edge, then triangle; `x` as there.
    pub fn find_hits(&mut self, mesh: &ClothMesh, x: &[Vec3]) -> &[Hit] {
        let Self { tree, found, hits, solid_hits, node_of, .. } = self;
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

/// Edges of leaf `a` against triangles of leaf `b`.
fn leaf_hits(mesh: &ClothMesh, tree: &ClothTree, x: &[Vec3], a: u32, b: u32, found: &mut Vec<Hit>) {
    let (edges, triangles) = (tree.leaves[a as usize].edges, tree.leaves[b as usize].triangles);
    for (k, &t) in triangles.iter().enumerate().filter(|&(_, &t)| t != NONE) {
        for lane in bits(tree.boxes[a as usize].edges_near_triangle(&tree.boxes[b as usize], k)) {
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
