//! Broad phase: which vertices and faces, and which edges, of a boundary may meet during a substep.

use glam::{Vec3, Vec3A};
use gordian_mesh::TetTopology;
use rayon::prelude::*;

use super::neighbours::{Neighbours, mean};
use crate::bvh::Aabb;

/// Pairs that one task looks at. Fixed, so that the result does not depend on the number of threads.
const CHUNK: usize = 2048;

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

/// A motion as seen by who moves along with the boundary: fast bodies then sweep no more than slow ones.
pub(super) struct Moving<'a> {
    pub start: &'a [Vec3],
    pub end: &'a [Vec3],
    /// The mean of all displacements: a few that are far from the others hardly move it.
    pub common: Vec3,
}

impl<'a> Moving<'a> {
    fn new(topology: &TetTopology, motion: &Motion<'a>) -> Self {
        let (start, end) = (motion.start, motion.end);
        let mean = mean(&topology.boundary_vertices, |_, v| end[v] - start[v]).as_vec3();
        // Any translation will do, and none at all for a motion that blew up.
        let common = if mean.is_finite() { mean } else { Vec3::ZERO };
        Moving { start, end, common }
    }

    /// The box that a simplex sweeps in the moving frame, rounded outward.
    pub fn swept(&self, ids: &[u32]) -> Aabb {
        let start = Aabb::of_points(ids.iter().map(|&v| self.start[v as usize]));
        let end = Aabb::of_points(ids.iter().map(|&v| self.end[v as usize] - self.common));
        start.union(end.inflate(0.0))
    }
}

/// A box as vector units read it.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    min: Vec3A,
    max: Vec3A,
}

impl Bounds {
    fn new(b: Aabb) -> Self {
        Bounds { min: b.min.into(), max: b.max.into() }
    }

    fn union(self, other: &Self) -> Self {
        Bounds { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    fn overlaps(&self, other: &Self) -> bool {
        (self.min.cmple(other.max) & other.min.cmple(self.max)).all()
    }
}

/// Candidate pairs of a boundary against itself; see [`BroadPhase::update`].
#[derive(Clone, Debug)]
pub struct BroadPhase {
    neighbours: Neighbours,
    vertex_boxes: Vec<Bounds>,
    face_boxes: Vec<Bounds>,
    edge_boxes: Vec<Bounds>,
    vertex_face: Vec<[u32; 2]>,
    edge_edge: Vec<[u32; 2]>,
    chunks: Vec<Vec<[u32; 2]>>,
}

impl BroadPhase {
    /// Builds the trees for the boundary of `topology` in a typical pose (rest or current positions).
    pub fn new(topology: &TetTopology, positions: &[Vec3]) -> Self {
        BroadPhase {
            neighbours: Neighbours::new(topology, positions),
            vertex_boxes: Vec::new(),
            face_boxes: Vec::new(),
            edge_boxes: Vec::new(),
            vertex_face: Vec::new(),
            edge_edge: Vec::new(),
            chunks: Vec::new(),
        }
    }

    /// Finds all pairs that share no vertex and whose swept boxes come within `thickness` (metres) of each other. The boxes are
    /// those of the motion less what is common to all vertices: whether two things meet is the same in any frame.
    ///
    /// A pair that is not found cannot come closer than `thickness` on its linear paths; it cannot meet even if every
    /// end position is off by up to half of it. In parallel; the pairs and their order depend on the motion alone, neither
    /// on the number of threads nor on what was asked before.
    pub fn update(&mut self, topology: &TetTopology, motion: &Motion, thickness: f32) {
        let n = topology.vertex_count as usize;
        assert!(
            motion.start.len() == n && motion.end.len() == n && motion.active.len() == n,
            "array lengths differ from the mesh's {n} vertices"
        );
        let Self { neighbours, vertex_boxes, face_boxes, edge_boxes, vertex_face, edge_edge, chunks } = self;
        vertex_face.clear();
        edge_edge.clear();
        // A scene of cloth alone has no boundary.
        if topology.faces.is_empty() {
            return;
        }
        let moving = Moving::new(topology, motion);
        neighbours.update(topology, &moving, thickness);
        // Half on either side; what rounding takes away, the outward rounding of the boxes gives back.
        let swept = |v: u32| Bounds::new(moving.swept(&[v]).inflate(0.5 * thickness));
        (0..n as u32).into_par_iter().with_min_len(CHUNK).map(swept).collect_into_vec(vertex_boxes);
        let at = |v: u32| &vertex_boxes[v as usize];
        topology
            .faces
            .par_iter()
            .with_min_len(CHUNK)
            .map(|&[a, b, c]| at(a).union(at(b)).union(at(c)))
            .collect_into_vec(face_boxes);
        let nowhere = Bounds::new(Aabb::EMPTY);
        let active = |v: u32| motion.active[v as usize];
        topology
            .edges
            .par_iter()
            .with_min_len(CHUNK)
            .map(|e| {
                let [a, b] = e.vertices;
                if active(a) && active(b) { at(a).union(at(b)) } else { nowhere }
            })
            .collect_into_vec(edge_boxes);

        let meet = |&[v, f]: &[u32; 2]| at(v).overlaps(&face_boxes[f as usize]) && active(v);
        filter(&neighbours.vertex_face, meet, chunks, vertex_face);
        add(&neighbours.stray_vertex_face, meet, vertex_face);
        let meet = |&[e, f]: &[u32; 2]| edge_boxes[e as usize].overlaps(&edge_boxes[f as usize]);
        filter(&neighbours.edge_edge, meet, chunks, edge_edge);
        add(&neighbours.stray_edge_edge, meet, edge_edge);
    }

    /// Pairs `[vertex, face]` of the last update, ascending: a vertex of the mesh, an index into [`TetTopology::faces`].
    pub fn vertex_face(&self) -> &[[u32; 2]] {
        &self.vertex_face
    }

    /// Pairs of indices into [`TetTopology::edges`] of the last update, ascending, also within a pair.
    pub fn edge_edge(&self) -> &[[u32; 2]] {
        &self.edge_edge
    }

    /// How many updates needed the trees; the others filtered the lists of the last one that did.
    pub fn tree_queries(&self) -> u64 {
        self.neighbours.made
    }
}

/// Adds the pairs that `keep` lets pass to a list, each once and in order.
fn add(pairs: &[[u32; 2]], keep: impl Fn(&[u32; 2]) -> bool, out: &mut Vec<[u32; 2]>) {
    if !pairs.is_empty() {
        out.extend(pairs.iter().filter(|p| keep(p)));
        out.sort_unstable();
        out.dedup();
    }
}

/// The pairs that `keep` lets pass, in order.
fn filter(
    pairs: &[[u32; 2]],
    keep: impl Fn(&[u32; 2]) -> bool + Sync,
    chunks: &mut Vec<Vec<[u32; 2]>>,
    out: &mut Vec<[u32; 2]>,
) {
    let tasks = pairs.len().div_ceil(CHUNK);
    if chunks.len() < tasks {
        chunks.resize_with(tasks, Vec::new);
    }
    chunks[..tasks].par_iter_mut().zip(pairs.par_chunks(CHUNK)).for_each(|(chunk, pairs)| {
        chunk.clear();
        chunk.extend(pairs.iter().filter(|p| keep(p)));
    });
    out.clear();
    for chunk in &chunks[..tasks] {
        out.extend_from_slice(chunk);
    }
}
