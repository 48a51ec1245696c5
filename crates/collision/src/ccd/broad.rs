//! Broad phase: which vertices and faces, and which edges, of a boundary may meet during a substep.

use glam::Vec3;
use gordian_mesh::TetTopology;
use rayon::prelude::*;

use crate::bvh::{Aabb, Tree};

/// Vertices that one task looks up. Fixed, so that the result does not depend on the number of threads.
const CHUNK: usize = 256;

/// The motion of a boundary over a substep; every array has one entry a vertex of the mesh, in its order.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Positions at the start of the substep, metres.
    pub start: &'a [Vec3],
    /// Current positions, metres.
    pub end: &'a [Vec3],
    /// Vertices that take part: those that started outside. Of vertex-face pairs the vertex must be active, of
    /// edge-edge pairs all four.
    pub active: &'a [bool],
}

impl Motion<'_> {
    /// The box that simplex `ids` sweeps.
    fn swept<const K: usize>(&self, ids: [u32; K]) -> Aabb {
        Aabb::of_simplex(self.start, &ids).union(Aabb::of_simplex(self.end, &ids))
    }

    fn active<const K: usize>(&self, ids: [u32; K]) -> bool {
        ids.iter().all(|&v| self.active[v as usize])
    }
}

/// Candidate pairs of a boundary against itself; see [`BroadPhase::update`].
#[derive(Clone, Debug)]
pub struct BroadPhase {
    face_tree: Tree,
    edge_tree: Tree,
    vertex_face: Vec<[u32; 2]>,
    edge_edge: Vec<[u32; 2]>,
    chunks: Vec<Chunk>,
}

#[derive(Clone, Debug, Default)]
struct Chunk {
    stack: Vec<u32>,
    pairs: Vec<[u32; 2]>,
}

impl BroadPhase {
    /// Builds the trees for the boundary of `topology` in a typical pose (rest or current positions).
    pub fn new(topology: &TetTopology, positions: &[Vec3]) -> Self {
        let faces: Vec<Aabb> = topology.faces.iter().map(|f| Aabb::of_simplex(positions, f)).collect();
        let edges: Vec<Aabb> =
            topology.edges.iter().map(|e| Aabb::of_simplex(positions, &e.vertices)).collect();
        BroadPhase {
            face_tree: Tree::build(&faces),
            edge_tree: Tree::build(&edges),
            vertex_face: Vec::new(),
            edge_edge: Vec::new(),
            chunks: Vec::new(),
        }
    }

    /// Finds all pairs that share no vertex and whose swept boxes come within `thickness` (metres) of each other.
    ///
    /// A pair that is not found cannot come closer than `thickness` on its linear paths; it cannot meet even if every
    /// end position is off by up to half of it. In parallel, and the same for any number of threads.
    pub fn update(&mut self, topology: &TetTopology, motion: &Motion, thickness: f32) {
        let n = topology.vertex_count as usize;
        assert!(
            motion.start.len() == n && motion.end.len() == n && motion.active.len() == n,
            "array lengths differ from the mesh's {n} vertices"
        );
        let faces = &topology.faces;
        let edge = |e: u32| topology.edges[e as usize].vertices;
        let face_box = |f: u32| motion.swept(faces[f as usize]);
        // Half on either side; what rounding takes away, the outward rounding of the boxes gives back.
        let edge_box = |e: u32| motion.swept(edge(e)).inflate(0.5 * thickness);
        update_tree(&mut self.face_tree, faces.len(), face_box);
        update_tree(&mut self.edge_tree, topology.edges.len(), edge_box);

        let vertices = &topology.boundary_vertices;
        self.chunks.resize_with(vertices.len().div_ceil(CHUNK), Chunk::default);
        let tree = &self.face_tree;
        self.chunks.par_iter_mut().zip(vertices.par_chunks(CHUNK)).for_each(|(chunk, vertices)| {
            chunk.pairs.clear();
            for &v in vertices.iter().filter(|&&v| motion.active[v as usize]) {
                tree.overlap(&motion.swept([v]).inflate(thickness), &mut chunk.stack, |f| {
                    if !faces[f as usize].contains(&v) {
                        chunk.pairs.push([v, f]);
                    }
                });
            }
        });
        self.vertex_face.clear();
        for chunk in &self.chunks {
            self.vertex_face.extend_from_slice(&chunk.pairs);
        }

        self.edge_edge.clear();
        self.edge_tree.self_pairs(
            |e, f| {
                let (p, q) = (edge(e), edge(f));
                !p.iter().any(|v| q.contains(v)) && motion.active(p) && motion.active(q)
            },
            &mut self.edge_edge,
        );
    }

    /// Pairs `[vertex, face]` of the last update: a vertex of the mesh, an index into [`TetTopology::faces`].
    pub fn vertex_face(&self) -> &[[u32; 2]] {
        &self.vertex_face
    }

    /// Pairs of indices into [`TetTopology::edges`], ascending within a pair, of the last update.
    pub fn edge_edge(&self) -> &[[u32; 2]] {
        &self.edge_edge
    }
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
