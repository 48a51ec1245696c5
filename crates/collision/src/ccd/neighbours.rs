//! **Neighbour lists** (L. Verlet 1967): the pairs of a boundary that may meet as long as no vertex leaves its surroundings.
//!
//! Most pairs that are close in one substep are close in the next. Lists made with boxes that are grown by a *slack* hold
//! every pair that can meet while each vertex stays within the slack of where it was, up to a translation that all
//! share: it may be another one at every time, for whether two things meet at a time is the same in any frame. To see that
//! they do is a pass over the vertices.
//!
//! A few always move more than the rest, and must not cost everybody the lists: as long as they are few, these **strays** are looked up
//! one by one, against the boxes that the lists were made with and against each other. The trees are asked for all again
//! only when too many have left.

use glam::{DVec3, Vec3};
use gordian_mesh::TetTopology;
use rayon::prelude::*;

use super::broad::Moving;
use crate::bvh::{Aabb, Item, PackedTree, Tree};

/// Vertices that one task looks up. Fixed, so that the result does not depend on the number of threads.
const CHUNK: usize = 256;

/// At most one vertex in so many may stray.
const STRAYS: usize = 24;

/// Slack for this many substeps of the present motion, as most vertices move ...
const SUBSTEPS: f32 = 16.0;
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
    /// Pairs of strays, in no order, some of them more than once or in the lists too.
    pub stray_vertex_face: Vec<[u32; 2]>,
    pub stray_edge_edge: Vec<[u32; 2]>,
    strays: Strays,
    chunks: Vec<Chunk>,
    unsorted: Vec<[u32; 2]>,
    starts: Vec<u32>,
    /// How often the lists were made.
    pub made: u64,
}

/// What has left the surroundings.
#[derive(Clone, Debug, Default)]
struct Strays {
    /// For each vertex of the mesh.
    flags: Vec<bool>,
    vertices: Vec<u32>,
    faces: Vec<u32>,
    edges: Vec<u32>,
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
            stray_vertex_face: Vec::new(),
            stray_edge_edge: Vec::new(),
            strays: Strays::default(),
            chunks: Vec::new(),
            unsorted: Vec::new(),
            starts: Vec::new(),
            made: 0,
        }
    }

    /// Makes lists that are complete for this motion, unless those at hand are.
    pub fn update(&mut self, topology: &TetTopology, motion: &Moving, thickness: f32) {
        if thickness <= self.thickness && self.follow(topology, motion, thickness) {
            return;
        }
        let typical = typical_step(&topology.boundary_vertices, motion);
        self.make(topology, motion, thickness, typical);
        if self.slack >= 0.0 && !self.follow(topology, motion, thickness) {
            self.make(topology, motion, thickness, f32::INFINITY);
        }
    }

    /// Finds the strays of this motion and their pairs. Whether they are few enough.
    fn follow(&mut self, topology: &TetTopology, motion: &Moving, thickness: f32) -> bool {
        self.stray_vertex_face.clear();
        self.stray_edge_edge.clear();
        let vertices = &topology.boundary_vertices;
        if self.anchors.len() != vertices.len() || self.slack < 0.0 {
            return false;
        }
        let anchors = &self.anchors;
        let shift = mean(vertices, |i, v| motion.start[v] - anchors[i]).as_vec3();
        let start = Shift { x: motion.start, mean: shift };
        let end = Shift { x: motion.end, mean: shift + motion.common };
        let Strays { flags, vertices: strays, faces, edges } = &mut self.strays;
        strays.clear();
        let slack = self.slack;
        let left = |(i, &v): (usize, &u32)| {
            !(start.distance(anchors[i], v) <= slack && end.distance(anchors[i], v) <= slack)
        };
        strays.par_extend(
            vertices.par_iter().enumerate().with_min_len(CHUNK).filter(|&at| left(at)).map(|(_, &v)| v),
        );
        if strays.is_empty() {
            return true;
        }
        if strays.len() > vertices.len() / STRAYS {
            return false;
        }
        flags.clear();
        flags.resize(topology.vertex_count as usize, false);
        strays.iter().for_each(|&v| flags[v as usize] = true);
        let astray = |ids: &[u32]| ids.iter().any(|&v| flags[v as usize]);
        let numbered = |len: usize| (0..len as u32).into_par_iter().with_min_len(CHUNK);
        faces.clear();
        faces.par_extend(numbered(topology.faces.len()).filter(|&f| astray(&topology.faces[f as usize])));
        edges.clear();
        edges.par_extend(
            numbered(topology.edges.len()).filter(|&e| astray(&topology.edges[e as usize].vertices)),
        );

        // In the frame in which the anchors rest.
        let swept = |ids: &[u32], margin: f32| {
            Aabb::of_points(ids.iter().flat_map(|&v| [start.at(v), end.at(v)]))
                .inflate(margin + start.rounding(ids) + end.rounding(ids))
        };
        let face = |f: u32| &topology.faces[f as usize];
        let edge = |e: u32| &topology.edges[e as usize].vertices;
        let mut stack = Vec::new();
        let mut pairs = std::mem::take(&mut self.stray_vertex_face);
        let mut push = |v: u32, f: u32| {
            if !face(f).contains(&v) {
                pairs.push([v, f]);
            }
        };
        for &v in &*strays {
            self.face_tree.overlap(&swept(&[v], 0.5 * thickness), &mut stack, |f| push(v, f));
        }
        // The box of an edge holds the surroundings of its ends, whether the other has strayed or not.
        for &f in &*faces {
            self.edge_tree.overlap(&swept(face(f), thickness), &mut stack, |e| {
                edge(e).iter().for_each(|&v| push(v, f));
            });
        }
        let items = |ids: &[u32], bounds: &dyn Fn(u32) -> Aabb| {
            PackedTree::build(ids.iter().map(|&id| Item { id, bounds: bounds(id) }).collect())
        };
        let mut packed = Vec::new();
        let stray_faces = items(faces, &|f| swept(face(f), 0.5 * thickness));
        for &v in &*strays {
            stray_faces.overlap(&swept(&[v], 0.5 * thickness), &mut packed, |item| push(v, item.id));
        }
        self.stray_vertex_face = pairs;

        let mut pairs = std::mem::take(&mut self.stray_edge_edge);
        let mut push = |e: u32, f: u32| {
            if !edge(e).iter().any(|v| edge(f).contains(v)) {
                pairs.push([e.min(f), e.max(f)]);
            }
        };
        let stray_edges = items(edges, &|e| swept(edge(e), 0.5 * thickness));
        for &e in &*edges {
            let bounds = swept(edge(e), 0.5 * thickness);
            self.edge_tree.overlap(&bounds, &mut stack, |f| push(e, f));
            stray_edges.overlap(&bounds, &mut packed, |item| push(e, item.id));
        }
        self.stray_edge_edge = pairs;
        true
    }

    /// `typical` is how far most vertices move in a substep, metres.
    fn make(&mut self, topology: &TetTopology, motion: &Moving, thickness: f32, typical: f32) {
        self.made += 1;
        self.thickness = thickness;
        let vertices = &topology.boundary_vertices;
        let [least, most] = SLACK.map(|s| s * self.mean_edge);
        let keeps = typical <= most;
        self.slack = if keeps { (SUBSTEPS * typical).clamp(least, most) } else { -1.0 };
        self.anchors.clear();
        if keeps {
            self.anchors.extend(vertices.iter().map(|&v| motion.end[v as usize]));
        }

        let slack = self.slack.max(0.0);
        let bound = |ids: &[u32]| {
            if keeps {
                return Aabb::of_points(ids.iter().map(|&v| motion.end[v as usize]))
                    .inflate(slack + 0.5 * thickness);
            }
            motion.swept(ids).inflate(0.5 * thickness)
        };
        let (faces, edges) = (&topology.faces, &topology.edges);
        update_tree(&mut self.face_tree, faces.len(), |f| bound(&faces[f as usize]));
        update_tree(&mut self.edge_tree, edges.len(), |e| bound(&edges[e as usize].vertices));

        self.chunks.resize_with(vertices.len().div_ceil(CHUNK), Chunk::default);
        let tree = &self.face_tree;
        self.chunks.par_iter_mut().zip(vertices.par_chunks(CHUNK)).for_each(|(chunk, vertices)| {
            chunk.pairs.clear();
            for &v in vertices {
                let first = chunk.pairs.len();
                tree.overlap(&bound(&[v]), &mut chunk.stack, |f| {
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

        self.unsorted.clear();
        let apart = |e: u32, f: u32| {
            let (p, q) = (edges[e as usize].vertices, edges[f as usize].vertices);
            !p.iter().any(|v| q.contains(v))
        };
        self.edge_tree.self_pairs(apart, &mut self.unsorted);
        sort_pairs(&self.unsorted, edges.len(), &mut self.starts, &mut self.edge_edge);
    }
}

/// Sorts pairs whose first numbers are less than `count`: into the places of their first number, counted before, and then by the second
/// in each. `starts` is scratch.
fn sort_pairs(pairs: &[[u32; 2]], count: usize, starts: &mut Vec<u32>, sorted: &mut Vec<[u32; 2]>) {
    starts.clear();
    starts.resize(count + 1, 0);
    for &[first, _] in pairs {
        starts[first as usize + 1] += 1;
    }
    for i in 0..count {
        starts[i + 1] += starts[i];
    }
    sorted.clear();
    sorted.resize(pairs.len(), [0; 2]);
    for &pair in pairs {
        let place = &mut starts[pair[0] as usize];
        sorted[*place as usize] = pair;
        *place += 1;
    }
    let same_first = |a: &[u32; 2], b: &[u32; 2]| a[0] == b[0];
    sorted.chunk_by_mut(same_first).for_each(|group| group.sort_unstable_by_key(|p| p[1]));
}

/// Positions as seen by who moves with their anchors, in the mean.
struct Shift<'a> {
    x: &'a [Vec3],
    mean: Vec3,
}

impl Shift<'_> {
    fn at(&self, v: u32) -> Vec3 {
        self.x[v as usize] - self.mean
    }

    /// How far a vertex is from its anchor, in the axis in which it is furthest; not a number where the motion blew up.
    fn distance(&self, anchor: Vec3, v: u32) -> f32 {
        let offset = self.x[v as usize] - anchor;
        let d = (offset - self.mean).abs();
        let rounding = 4.0 * f32::EPSILON * (offset.abs().max_element() + self.mean.abs().max_element());
        // The largest element passes over what is not a number.
        if d.is_nan() { f32::NAN } else { d.max_element() + rounding }
    }

    /// What the subtraction in [`Shift::at`] may round.
    fn rounding(&self, ids: &[u32]) -> f32 {
        let largest = ids.iter().map(|&v| self.x[v as usize].abs().max_element()).fold(0.0, f32::max);
        4.0 * f32::EPSILON * (largest + self.mean.abs().max_element())
    }
}

/// The mean over the boundary vertices; `of` gets the vertex's place among them and its id. Summed in fixed chunks.
pub(super) fn mean(vertices: &[u32], of: impl Fn(usize, usize) -> Vec3 + Sync) -> DVec3 {
    let sum = |(c, part): (usize, &[u32])| -> DVec3 {
        part.iter().enumerate().map(|(i, &v)| of(c * CHUNK + i, v as usize).as_dvec3()).sum()
    };
    let sums: Vec<DVec3> = vertices.par_chunks(CHUNK).enumerate().map(sum).collect();
    sums.into_iter().sum::<DVec3>() / vertices.len().max(1) as f64
}

/// How far most vertices move in a substep, less what is common to all: twice the root of the mean square.
fn typical_step(vertices: &[u32], motion: &Moving) -> f32 {
    let own = |v: usize| motion.end[v] - motion.start[v] - motion.common;
    let squares = mean(vertices, |_, v| own(v) * own(v));
    let typical = 2.0 * squares.max_element().sqrt();
    if squares.is_nan() { f32::INFINITY } else { typical as f32 }
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

/// Refits a tree, or builds it again when motion has made it slow.
fn update_tree(tree: &mut Tree, len: usize, bound: impl Fn(u32) -> Aabb + Sync + Send) {
    assert_eq!(tree.len(), len, "the broad phase was built for another topology");
    tree.refit(&bound);
    if tree.wants_rebuild() {
        let boxes: Vec<Aabb> = (0..len as u32).into_par_iter().map(bound).collect();
        *tree = Tree::build(&boxes);
    }
}
