//! Continuous detection of a closed boundary against itself: what a contact solver needs.
//!
//! **What is kept.** A hit means that two features meet on their linear paths. Of all hits within the step these are
//! reported:
//!
//! - *From outside only.* A vertex that comes out through a face, or an edge that comes out past another, must not be
//!   stopped: it would lock a tangle. A vertex-face hit counts as coming from outside when the vertex approaches
//!   against the face's outward normal at the time of impact, or ends behind the face; an edge-edge hit when,
//!   just before impact, each edge lies outside the other's wedge of material. In doubt a hit is kept.
//! - *All of them, not the first alone.* A vertex that is stopped by one face may still run into
//!   another (the corner of a room), and what stops it first is not known before the contacts are solved.
//!   Only one case is redundant and is left out: a face that shares a vertex with a face hit earlier by the same
//!   vertex and lies behind its plane, since the earlier contact keeps the vertex away from it
//!   (convex edges, flat regions, hits exactly on a shared edge).
//!
//! Directions are taken from the *start* of the step, before anything has crossed.

use glam::{DVec3, Vec3};
use gordian_mesh::TetTopology;
use rayon::prelude::*;

use super::{BroadPhase, CcdCounters, Motion, at, edge_edge_counted, vertex_face_counted};
use crate::contact::{Contact, FaceSide};
use crate::predicates::{Sign, orient3d};

/// Candidates that one task tests. Fixed, so that the result does not depend on the number of threads.
const CHUNK: usize = 512;

/// Cosine below which a direction counts as pointing into the material; in between, a hit is kept.
const INTO: f64 = -1e-6;

/// Cosine or relative length below which a direction is not trusted.
const NO_DIRECTION: f64 = 1e-6;

/// An active vertex meets a face from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexFaceHit {
    /// Vertex of the mesh.
    pub vertex: u32,
    /// Index into [`TetTopology::faces`].
    pub face: u32,
    /// Time of impact in \[0, 1\], not later than the true one.
    pub toi: f64,
    /// Barycentric weights of the point of impact on the face.
    pub weights: [f64; 3],
    /// Outward unit normal of the face at the start of the step; zero if it had no area then.
    pub normal: Vec3,
}

/// Two active edges meet from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeEdgeHit {
    /// Indices into [`TetTopology::edges`], ascending.
    pub edges: [u32; 2],
    /// Time of impact in \[0, 1\], not later than the true one.
    pub toi: f64,
    /// Parameters along the two edges of the point of impact.
    pub parameters: [f64; 2],
    /// Unit direction from the second edge to the first on the side from which they came; zero only if there is none (two
    /// points that touch at the start).
    pub normal: Vec3,
}

/// The hits of a substep. Keeps its memory from one step to the next.
#[derive(Clone, Debug, Default)]
pub struct Detection {
    vertex_face: Vec<VertexFaceHit>,
    edge_edge: Vec<EdgeEdgeHit>,
    /// The pairs that were reported since the last broad phase, before the present hits; ascending.
    told_vertex_face: Vec<[u32; 2]>,
    told_edge_edge: Vec<[u32; 2]>,
    counters: CcdCounters,
    chunks: Vec<Chunk>,
}

#[derive(Clone, Debug, Default)]
struct Chunk {
    vertex_face: Vec<VertexFaceHit>,
    edge_edge: Vec<EdgeEdgeHit>,
    counters: CcdCounters,
}

impl Detection {
    /// Nothing detected yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds the hits of one substep: broad phase, then exact queries. See the module documentation for what is kept.
    ///
    /// `thickness`: metres, for the [broad phase](BroadPhase::update); [`Detection::detect_more`] can then be asked for
    /// other end positions that lie within half of it. In parallel; hits come sorted (by vertex, time and face; by
    /// edges), the same for any number of threads.
    pub fn detect(
        &mut self,
        topology: &TetTopology,
        motion: &Motion,
        thickness: f32,
        broad: &mut BroadPhase,
    ) {
        broad.update(topology, motion, thickness);
        self.told_vertex_face.clear();
        self.told_edge_edge.clear();
        self.narrow(topology, motion, broad);
    }

    /// Finds what meets on the way from the same start to other end positions, on the candidates of the last broad phase: the
    /// hits are now those that were not reported since. Whether there are any.
    ///
    /// What a solver moves to keep some features apart may run into others: each time it has moved, it asks for more.
    pub fn detect_more(&mut self, topology: &TetTopology, motion: &Motion, broad: &BroadPhase) -> bool {
        let Self { vertex_face, edge_edge, told_vertex_face, told_edge_edge, .. } = self;
        told_vertex_face.extend(vertex_face.iter().map(|h| [h.vertex, h.face]));
        told_vertex_face.par_sort_unstable();
        told_edge_edge.extend(edge_edge.iter().map(|h| h.edges));
        told_edge_edge.par_sort_unstable();
        self.narrow(topology, motion, broad);
        let Self { vertex_face, edge_edge, told_vertex_face, told_edge_edge, .. } = self;
        vertex_face.retain(|h| told_vertex_face.binary_search(&[h.vertex, h.face]).is_err());
        edge_edge.retain(|h| told_edge_edge.binary_search(&h.edges).is_err());
        !(vertex_face.is_empty() && edge_edge.is_empty())
    }

    /// The exact queries alone, on the candidates of the last broad phase.
    pub fn narrow(&mut self, topology: &TetTopology, motion: &Motion, broad: &BroadPhase) {
        let (vertex_face, edge_edge) = (broad.vertex_face(), broad.edge_edge());
        let tasks = vertex_face.len().div_ceil(CHUNK).max(edge_edge.len().div_ceil(CHUNK));
        self.chunks.resize_with(tasks, Chunk::default);
        self.chunks.par_iter_mut().enumerate().for_each(|(i, chunk)| {
            chunk.vertex_face.clear();
            chunk.edge_edge.clear();
            chunk.counters = CcdCounters::default();
            let part = |pairs: &[[u32; 2]]| i * CHUNK..((i + 1) * CHUNK).min(pairs.len());
            for &[v, f] in vertex_face.get(part(vertex_face)).unwrap_or_default() {
                chunk.vertex_face.extend(vertex_meets_face(topology, motion, v, f, &mut chunk.counters));
            }
            for &[e, f] in edge_edge.get(part(edge_edge)).unwrap_or_default() {
                chunk.edge_edge.extend(edge_meets_edge(topology, motion, [e, f], &mut chunk.counters));
            }
        });
        self.vertex_face.clear();
        self.edge_edge.clear();
        self.counters = CcdCounters::default();
        for chunk in &self.chunks {
            self.vertex_face.extend_from_slice(&chunk.vertex_face);
            self.edge_edge.extend_from_slice(&chunk.edge_edge);
            self.counters += chunk.counters;
        }
        self.vertex_face.par_sort_unstable_by(|a, b| {
            a.vertex.cmp(&b.vertex).then(a.toi.total_cmp(&b.toi)).then(a.face.cmp(&b.face))
        });
        self.edge_edge.par_sort_unstable_by_key(|h| h.edges);
        self.leave_out_redundant_faces(topology, motion);
    }

    /// Leaves out hits on faces behind a neighbouring face that the same vertex hits earlier.
    fn leave_out_redundant_faces(&mut self, topology: &TetTopology, motion: &Motion) {
        let start = |v: u32| motion.start[v as usize].as_dvec3();
        let (hits, mut kept) = (&mut self.vertex_face, 0);
        for i in 0..hits.len() {
            let hit = hits[i];
            let face = topology.faces[hit.face as usize];
            let earlier = hits[..kept].iter().rev().take_while(|h| h.vertex == hit.vertex);
            let redundant = earlier.map(|h| topology.faces[h.face as usize]).any(|[a, b, c]| {
                [a, b, c].iter().any(|v| face.contains(v))
                    && face
                        .iter()
                        .all(|&v| orient3d(start(a), start(b), start(c), start(v)) != Sign::Positive)
            });
            if !redundant {
                hits[kept] = hit;
                kept += 1;
            }
        }
        hits.truncate(kept);
    }

    /// Vertex-face hits, sorted by vertex, then time, then face.
    pub fn vertex_face(&self) -> &[VertexFaceHit] {
        &self.vertex_face
    }

    /// Edge-edge hits, sorted by edges.
    pub fn edge_edge(&self) -> &[EdgeEdgeHit] {
        &self.edge_edge
    }

    /// Where the queries of the last call were decided; `hits` counts those before anything is left out.
    pub fn counters(&self) -> CcdCounters {
        self.counters
    }

    /// The hits as contacts that keep `thickness` (metres).
    pub fn contacts<'a>(
        &'a self,
        topology: &'a TetTopology,
        thickness: f32,
    ) -> impl Iterator<Item = Contact> + 'a {
        let faces = self.vertex_face.iter().map(move |h| {
            let face = topology.faces[h.face as usize];
            Contact::vertex_face(h.vertex, face, FaceSide::Front, h.normal, thickness)
        });
        let edges = self.edge_edge.iter().map(move |h| {
            let [p, q] = h.edges.map(|e| topology.edges[e as usize].vertices);
            Contact::edge_edge(p, q, h.normal, thickness)
        });
        faces.chain(edges)
    }
}

/// The paths of four vertices.
fn paths(motion: &Motion, ids: [u32; 4]) -> ([DVec3; 4], [DVec3; 4]) {
    let of = |x: &[Vec3]| ids.map(|v| x[v as usize].as_dvec3());
    (of(motion.start), of(motion.end))
}

/// The unit vector along `v`; zero if there is none.
fn unit(v: DVec3) -> DVec3 {
    v.try_normalize().unwrap_or(DVec3::ZERO)
}

fn vertex_meets_face(
    topology: &TetTopology,
    motion: &Motion,
    vertex: u32,
    face: u32,
    counters: &mut CcdCounters,
) -> Option<VertexFaceHit> {
    let [a, b, c] = topology.faces[face as usize];
    let (start, end) = paths(motion, [vertex, a, b, c]);
    let impact = vertex_face_counted(&start, &end, counters)?;
    let normal = |x: &[DVec3; 4]| (x[2] - x[1]).cross(x[3] - x[1]);
    let velocity: [DVec3; 4] = std::array::from_fn(|i| end[i] - start[i]);
    let w = impact.weights;
    let relative = velocity[0] - velocity[1] * w[0] - velocity[2] * w[1] - velocity[3] * w[2];
    let leaves = normal(&at(&start, &end, impact.toi)).dot(relative) > 0.0;
    if leaves && orient3d(end[1], end[2], end[3], end[0]) != Sign::Negative {
        return None;
    }
    let normal = unit(normal(&start)).as_vec3();
    Some(VertexFaceHit { vertex, face, toi: impact.toi, weights: w, normal })
}

fn edge_meets_edge(
    topology: &TetTopology,
    motion: &Motion,
    edges: [u32; 2],
    counters: &mut CcdCounters,
) -> Option<EdgeEdgeHit> {
    let [p, q] = edges.map(|e| topology.edges[e as usize].vertices);
    let (start, end) = paths(motion, [p[0], p[1], q[0], q[1]]);
    let impact = edge_edge_counted(&start, &end, counters)?;
    let [s, t] = impact.parameters;
    // From the second edge to the first.
    let joint = |x: &[DVec3; 4]| x[0].lerp(x[1], s) - x[2].lerp(x[3], t);
    let perpendicular = |x: &[DVec3; 4]| unit(x[1] - x[0]).cross(unit(x[3] - x[2]));
    let before = joint(&start);
    let approach = joint(&end) - before;
    let outward = edges.map(|e| Wedge::new(topology, motion.start, e));

    // The common perpendicular at the time of impact, on the side from which the edges approach.
    let mut normal = perpendicular(&at(&start, &end, impact.toi));
    if normal.length() > NO_DIRECTION {
        let side = [-approach, before, outward[1].middle - outward[0].middle]
            .map(|d| normal.dot(d))
            .into_iter()
            .find(|d| *d != 0.0);
        normal = unit(if side < Some(0.0) { -normal } else { normal });
    } else {
        // Parallel: the line that joined the points, or failing that, the outward directions.
        normal = [before, -approach, outward[1].middle - outward[0].middle]
            .map(unit)
            .into_iter()
            .find(|d| *d != DVec3::ZERO)
            .unwrap_or(DVec3::ZERO);
    }
    if outward[1].holds(normal) || outward[0].holds(-normal) {
        return None;
    }
    Some(EdgeEdgeHit { edges, toi: impact.toi, parameters: impact.parameters, normal: normal.as_vec3() })
}

/// The material about a boundary edge.
struct Wedge {
    /// Outward unit normals of the two faces.
    normals: [DVec3; 2],
    /// The mean outward direction, unit length or zero.
    middle: DVec3,
    /// Whether the material fills less than half of the surroundings.
    convex: bool,
}

impl Wedge {
    fn new(topology: &TetTopology, x: &[Vec3], edge: u32) -> Self {
        let edge = topology.edges[edge as usize];
        let at = |v: u32| x[v as usize].as_dvec3();
        let corners = edge.faces.map(|f| topology.faces[f as usize]);
        let normals = corners.map(|[a, b, c]| unit((at(b) - at(a)).cross(at(c) - at(a))));
        let apex = corners[1].into_iter().find(|v| !edge.vertices.contains(v)).unwrap_or(edge.vertices[0]);
        let convex = normals[0].dot(at(apex) - at(edge.vertices[0])) <= 0.0;
        Wedge { normals, middle: unit(normals[0] + normals[1]), convex }
    }

    /// Whether a unit direction clearly points into the material.
    fn holds(&self, d: DVec3) -> bool {
        let into = self.normals.map(|n| n.dot(d) < INTO);
        if self.convex { into[0] && into[1] } else { into[0] || into[1] }
    }
}
