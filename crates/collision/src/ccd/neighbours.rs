//! **Neighbour lists** (L. Verlet 1967): the pairs of a boundary that may meet as long as no vertex leaves its surroundings.
//!
//! Most pairs that are close in one substep are close in the next. Lists made with boxes that are grown by a *slack* hold
//! every pair that can meet while each vertex stays within the slack of where it was, up to a translation that all
//! share: it may be another one at every time, for whether two things meet at a time is the same in any frame. To see that
//! they do is a pass over the vertices; the trees are asked again only when they do not.

use glam::Vec3;
use gordian_mesh::TetTopology;
use rayon::prelude::*;

use super::broad::Moving;
use crate::bvh::{Aabb, Tree};

/// Vertices that one task looks up. Fixed, so that the result does not depend on the number of threads.
const CHUNK: usize = 256;

/// Slack for this many substeps of the present motion ...
const SUBSTEPS: f32 = 8.0;
/// ... but at least and at most these parts of the mean boundary edge: lists grow with it, and each is filtered every time.
const SLACK: [f32; 2] = [0.03, 0.25];

/// Pairs of features that share no vertex, and the surroundings in which the lists of them are complete.
#[derive(Clone, Debug)]
pub(super) struct Neighbours {
    face_tree: Tree,
    edge_tree: Tree,
    /// Mean length of the boundary edges, metres.
    mean_edge: f32,
    /// Where the boundary vertices were when the lists were made.
    anchors: Vec<Vec3>,
    /// How far from there they may be, metres; negative for lists that hold for one motion alone.
    slack: f32,
    /// Distance that counts as meeting, metres.
    thickness: f32,
    /// Pairs `[vertex, face]`, ascending.
    pub vertex_face: Vec<[u32; 2]>,
    /// Pairs of edges, ascending.
    pub edge_edge: Vec<[u32; 2]>,
    chunks: Vec<Chunk>,
    /// How often the lists were made.
    pub made: u64,
}

#[derive(Clone, Debug, Default)]
struct Chunk {
    stack: Vec<u32>,
    pairs: Vec<[u32; 2]>,
}

impl Neighbours {
    /// Builds the trees for the boundary of `topology` in a typical pose; there are no lists yet.
    pub fn new(topology: &TetTopology, positions: &[Vec3]) -> Self {
        let faces: Vec<Aabb> = topology.faces.iter().map(|f| Aabb::of_simplex(positions, f)).collect();
        let edges: Vec<Aabb> =
            topology.edges.iter().map(|e| Aabb::of_simplex(positions, &e.vertices)).collect();
        let length = |&[a, b]: &[u32; 2]| positions[a as usize].distance(positions[b as usize]) as f64;
        let sum: f64 = topology.edges.iter().map(|e| length(&e.vertices)).sum();
        Neighbours {
            face_tree: Tree::build(&faces),
            edge_tree: Tree::build(&edges),
            mean_edge: (sum / topology.edges.len().max(1) as f64) as f32,
            anchors: Vec::new(),
            slack: -1.0,
            thickness: 0.0,
            vertex_face: Vec::new(),
            edge_edge: Vec::new(),
            chunks: Vec::new(),
            made: 0,
        }
    }

    /// Makes lists that are complete for this motion, unless those at hand are.
    pub fn update(&mut self, topology: &TetTopology, motion: &Moving, thickness: f32) {
        if thickness > self.thickness || !self.cover(topology, motion) {
            self.make(topology, motion, thickness);
        }
    }

    /// Whether all vertices stay within the slack of their anchors, up to a translation at each end of the step.
    fn cover(&self, topology: &TetTopology, motion: &Moving) -> bool {
        let vertices = &topology.boundary_vertices;
        let near = |x: &[Vec3]| half_width(spread(vertices, |i, v| x[v] - self.anchors[i])) <= self.slack;
        self.anchors.len() == vertices.len() && near(motion.start) && near(motion.end)
    }

    fn make(&mut self, topology: &TetTopology, motion: &Moving, thickness: f32) {
        self.made += 1;
        self.thickness = thickness;
        let vertices = &topology.boundary_vertices;
        let [least, most] = SLACK.map(|s| s * self.mean_edge);
        let step = motion.half_width;
        let keeps = step <= most;
        self.slack = if keeps { (SUBSTEPS * step).clamp(least, most) } else { -1.0 };
        self.anchors.clear();
        if keeps {
            self.anchors.extend(vertices.iter().map(|&v| motion.end[v as usize]));
        }

        let slack = self.slack.max(0.0);
        let bound = |ids: &[u32], thickness: f32| {
            if keeps {
                return Aabb::of_points(ids.iter().map(|&v| motion.end[v as usize]))
                    .inflate(slack + thickness);
            }
            motion.swept(ids).inflate(thickness)
        };
        let (faces, edges) = (&topology.faces, &topology.edges);
        update_tree(&mut self.face_tree, faces.len(), |f| bound(&faces[f as usize], 0.0));
        update_tree(&mut self.edge_tree, edges.len(), |e| {
            bound(&edges[e as usize].vertices, 0.5 * thickness)
        });

        self.chunks.resize_with(vertices.len().div_ceil(CHUNK), Chunk::default);
        let tree = &self.face_tree;
        self.chunks.par_iter_mut().zip(vertices.par_chunks(CHUNK)).for_each(|(chunk, vertices)| {
            chunk.pairs.clear();
            for &v in vertices {
                let first = chunk.pairs.len();
                tree.overlap(&bound(&[v], thickness), &mut chunk.stack, |f| {
                    if !faces[f as usize].contains(&v) {
                        chunk.pairs.push([v, f]);
                    }
                });
                chunk.pairs[first..].sort_unstable();
            }
        });
        self.vertex_face.clear();
        for chunk in &self.chunks {
            self.vertex_face.extend_from_slice(&chunk.pairs);
        }

        self.edge_edge.clear();
        let apart = |e: u32, f: u32| {
            let (p, q) = (edges[e as usize].vertices, edges[f as usize].vertices);
            !p.iter().any(|v| q.contains(v))
        };
        self.edge_tree.self_pairs(apart, &mut self.edge_edge);
        self.edge_edge.par_sort_unstable();
    }
}

/// The box round a displacement a vertex; `of` gets the vertex's place among `vertices` and its id.
pub(crate) fn spread(vertices: &[u32], of: impl Fn(usize, usize) -> Vec3 + Sync) -> Aabb {
    // Smallest and largest do not depend on the order, so neither does the result on the threads.
    vertices
        .par_iter()
        .enumerate()
        .with_min_len(4 * CHUNK)
        .fold(|| Aabb::EMPTY, |b, (i, &v)| b.union(Aabb::of_points([of(i, v as usize)])))
        .reduce(|| Aabb::EMPTY, Aabb::union)
}

/// Half the largest side of a box of displacements, with room for the rounding of these: what is left of a motion when the
/// best common translation is taken off.
pub(crate) fn half_width(displacements: Aabb) -> f32 {
    if displacements.is_empty() {
        return 0.0;
    }
    let largest = displacements.min.abs().max(displacements.max.abs()).max_element();
    0.5 * (displacements.max - displacements.min).max_element() + 4.0 * f32::EPSILON * largest
}

/// Refits a tree, or builds it again when motion has made it slow.
fn update_tree(tree: &mut Tree, len: usize, bound: impl Fn(u32) -> Aabb + Sync + Send) {
    assert_eq!(tree.len(), len, "the broad phase was built for another topology");
    tree.refit(&bound);
    if tree.wants_rebuild() {
        let boxes: Vec<Aabb> = (0..len as u32).into_par_iter().map(bound).collect();
        *tree = Tree::build(&boxes);
    }
}
