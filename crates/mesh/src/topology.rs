//! Neighbours across faces, and the oriented boundary of a tetrahedral mesh.
//!
//! The boundary is taken from the topology alone, so it is the same for every pose: two boundary
//! faces are neighbours across an edge when a walk through the tetrahedra round that edge leads from
//! one to the other. An edge that two separate fans of tetrahedra share is therefore two boundary
//! edges, as the immersion sees it.

use rayon::prelude::*;

/// Local vertices of the four faces of a positive tetrahedron, outward; face `i` lies opposite vertex `i`.
pub const LOCAL_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// What lies behind a face of a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbor {
    /// The tetrahedron across the face.
    Tet(u32),
    /// Nothing: the face is this boundary face.
    Boundary(u32),
}

/// Neighbour link packed into 32 bits: a tetrahedron index, or the complement of a boundary face index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Link(u32);

impl Link {
    /// A link to tetrahedron `t`.
    pub fn tet(t: u32) -> Self {
        debug_assert!(t < 1 << 31);
        Link(t)
    }
    /// A link to boundary face `f`.
    pub fn boundary(f: u32) -> Self {
        debug_assert!(f < 1 << 31);
        Link(!f)
    }
    /// What the link points to.
    #[inline]
    pub fn get(self) -> Neighbor {
        if self.0 < 1 << 31 { Neighbor::Tet(self.0) } else { Neighbor::Boundary(!self.0) }
    }
}

/// An edge of the boundary with its two faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundaryEdge {
    /// End vertices, in the direction in which `faces[0]` runs through them.
    pub vertices: [u32; 2],
    /// The two boundary faces beside the edge.
    pub faces: [u32; 2],
}

/// A defect that the topology tolerates and reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopologyDefect {
    /// More than two tetrahedra share one face; all of them are given a boundary face there.
    FaceShared {
        /// Vertices of the face, ascending.
        face: [u32; 3],
        /// The tetrahedra that own it, ascending.
        tets: Vec<u32>,
    },
    /// Two tetrahedra lie on the same side of the face between them (one of them is a mirror image).
    FaceOrientation {
        /// Vertices of the face, ascending.
        face: [u32; 3],
        /// The two tetrahedra.
        tets: [u32; 2],
    },
}

/// Why there is no topology of some tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// A tetrahedron names a vertex that is not there.
    #[error("tetrahedron {tet} uses vertex {vertex}, but there are {count} (counted from 0)")]
    IndexOutOfRange {
        /// The tetrahedron, from 0.
        tet: usize,
        /// The vertex that it names.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// More than 32-bit links hold.
    #[error("{vertices} vertices and {tets} tetrahedra: fewer than 2^31 and 2^29 are possible")]
    TooLarge {
        /// Number of vertices.
        vertices: usize,
        /// Number of tetrahedra.
        tets: usize,
    },
}

/// Topology of a tetrahedral mesh; see the module documentation.
///
/// Indices are those of the mesh that it was built from. Built once; independent of the pose.
#[derive(Clone, Debug)]
pub struct TetTopology {
    /// Number of vertices of the mesh, those without a tetrahedron included.
    pub vertex_count: u32,
    /// Tetrahedra, as in the mesh.
    pub tets: Vec<[u32; 4]>,
    /// For each tetrahedron, what lies across the face opposite its local vertex.
    pub neighbors: Vec<[Link; 4]>,
    /// Boundary faces, outward; in the order of their tetrahedron and its local face.
    pub faces: Vec<[u32; 3]>,
    /// The tetrahedron of each boundary face.
    pub face_tet: Vec<u32>,
    /// For each boundary face, the faces across its edges `(0,1)`, `(1,2)`, `(2,0)`.
    pub face_neighbors: Vec<[u32; 3]>,
    /// Boundary edges, each once.
    pub edges: Vec<BoundaryEdge>,
    /// For each boundary face, its edges `(0,1)`, `(1,2)`, `(2,0)` as indices into `edges`.
    pub face_edges: Vec<[u32; 3]>,
    /// Boundary vertices, ascending.
    pub boundary_vertices: Vec<u32>,
    /// Connected component (across shared vertices) of each vertex; components are numbered by their first vertex.
    pub vertex_component: Vec<u32>,
    /// Number of components, single vertices without a tetrahedron included.
    pub component_count: u32,
    /// What is wrong with the mesh, if anything.
    pub defects: Vec<TopologyDefect>,
    vertex_tet_start: Vec<u32>,
    vertex_tet_list: Vec<u32>,
    vertex_face_start: Vec<u32>,
    vertex_face_list: Vec<u32>,
}

impl TetTopology {
    /// Builds the topology of `tets` over `vertex_count` vertices, whatever they are.
    ///
    /// Tetrahedra should be positive in the rest pose, else the boundary is not oriented.
    pub fn try_new(vertex_count: usize, tets: &[[u32; 4]]) -> Result<Self, TopologyError> {
        if vertex_count >= 1 << 31 || tets.len() >= 1 << 29 {
            return Err(TopologyError::TooLarge { vertices: vertex_count, tets: tets.len() });
        }
        let beyond = |v: u32| v as usize >= vertex_count;
        match tets
            .iter()
            .enumerate()
            .find_map(|(t, tet)| Some((t, tet.iter().copied().find(|&v| beyond(v))?)))
        {
            Some((tet, vertex)) => Err(TopologyError::IndexOutOfRange { tet, vertex, count: vertex_count }),
            None => Ok(Self::new(vertex_count, tets)),
        }
    }

    /// The same for tetrahedra that are known to be in range, as those of readers and generators are.
    ///
    /// # Panics
    ///
    /// Where an index is not below `vertex_count`, or there are more vertices or tetrahedra than 32-bit links hold; see
    /// [`TetTopology::try_new`].
    pub fn new(vertex_count: usize, tets: &[[u32; 4]]) -> Self {
        assert!(vertex_count < 1 << 31 && tets.len() < 1 << 29, "mesh too large for 32-bit links");
        assert!(tets.as_flattened().iter().all(|&v| (v as usize) < vertex_count), "vertex out of range");
        // One record a face: sorted vertices, then owner. Sorting is the whole search: equal faces meet.
        let mut records: Vec<([u32; 3], u32)> = tets
            .par_iter()
            .enumerate()
            .flat_map_iter(|(t, tet)| {
                (0..4).map(move |i| {
                    let mut key = LOCAL_FACES[i].map(|k| tet[k]);
                    key.sort_unstable();
                    (key, (t * 4 + i) as u32)
                })
            })
            .collect();
        records.par_sort_unstable();

        const OPEN: u32 = u32::MAX;
        let mut across = vec![[OPEN; 4]; tets.len()];
        let mut defects = Vec::new();
        for group in records.chunk_by(|a, b| a.0 == b.0) {
            match *group {
                [_] => {}
                [(face, a), (_, b)] => {
                    across[a as usize / 4][a as usize % 4] = b / 4;
                    across[b as usize / 4][b as usize % 4] = a / 4;
                    if same_winding(tets, a, b) {
                        defects.push(TopologyDefect::FaceOrientation { face, tets: [a / 4, b / 4] });
                    }
                }
                _ => defects.push(TopologyDefect::FaceShared {
                    face: group[0].0,
                    tets: group.iter().map(|r| r.1 / 4).collect(),
                }),
            }
        }
        drop(records);

        let mut neighbors = vec![[Link(0); 4]; tets.len()];
        let mut faces = Vec::new();
        let mut face_tet = Vec::new();
        for (t, tet) in tets.iter().enumerate() {
            for i in 0..4 {
                neighbors[t][i] = if across[t][i] == OPEN {
                    faces.push(LOCAL_FACES[i].map(|k| tet[k]));
                    face_tet.push(t as u32);
                    Link::boundary(faces.len() as u32 - 1)
                } else {
                    Link::tet(across[t][i])
                };
            }
        }
        drop(across);

        let (face_neighbors, edges, face_edges) = boundary_edges(tets, &neighbors, &faces, &face_tet);
        let (vertex_tet_start, vertex_tet_list) = incidence(vertex_count, tets);
        let (vertex_face_start, vertex_face_list) = incidence(vertex_count, &faces);
        let boundary_vertices = (0..vertex_count as u32)
            .filter(|&v| vertex_face_start[v as usize] < vertex_face_start[v as usize + 1])
            .collect();
        let (vertex_component, component_count) = components(vertex_count, tets);
        TetTopology {
            vertex_count: vertex_count as u32,
            tets: tets.to_vec(),
            neighbors,
            faces,
            face_tet,
            face_neighbors,
            edges,
            face_edges,
            boundary_vertices,
            vertex_component,
            component_count,
            defects,
            vertex_tet_start,
            vertex_tet_list,
            vertex_face_start,
            vertex_face_list,
        }
    }

    /// Tetrahedra that use vertex `v`, ascending.
    pub fn vertex_tets(&self, v: u32) -> &[u32] {
        slice(&self.vertex_tet_start, &self.vertex_tet_list, v)
    }

    /// Boundary faces that use vertex `v`, ascending; empty for an interior vertex.
    pub fn vertex_faces(&self, v: u32) -> &[u32] {
        slice(&self.vertex_face_start, &self.vertex_face_list, v)
    }

    /// Vertices that no tetrahedron uses.
    pub fn unreferenced_vertices(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.vertex_count).filter(|&v| self.vertex_tets(v).is_empty())
    }
}

fn slice<'a>(start: &[u32], list: &'a [u32], v: u32) -> &'a [u32] {
    &list[start[v as usize] as usize..start[v as usize + 1] as usize]
}

/// Whether faces `a` and `b` (packed `tet * 4 + local`) run through their common vertices in the same sense.
fn same_winding(tets: &[[u32; 4]], a: u32, b: u32) -> bool {
    let outward = |f: u32| LOCAL_FACES[f as usize % 4].map(|k| tets[f as usize / 4][k]);
    let (a, b) = (outward(a), outward(b));
    (0..3).any(|k| [b[k], b[(k + 1) % 3], b[(k + 2) % 3]] == a)
}

/// Compressed incidence lists: for each vertex the simplices that use it, ascending, each once.
pub(crate) fn incidence<const K: usize>(vertex_count: usize, simplices: &[[u32; K]]) -> (Vec<u32>, Vec<u32>) {
    let first_use = |s: &[u32; K], k: usize| !s[..k].contains(&s[k]);
    let mut start = vec![0u32; vertex_count + 1];
    for s in simplices {
        for k in 0..K {
            if first_use(s, k) {
                start[s[k] as usize + 1] += 1;
            }
        }
    }
    for v in 0..vertex_count {
        start[v + 1] += start[v];
    }
    let mut cursor = start.clone();
    let mut list = vec![0u32; start[vertex_count] as usize];
    for (i, s) in simplices.iter().enumerate() {
        for k in 0..K {
            if first_use(s, k) {
                let c = &mut cursor[s[k] as usize];
                list[*c as usize] = i as u32;
                *c += 1;
            }
        }
    }
    (start, list)
}

/// Pairs the boundary faces across their edges by walking round each edge through the tetrahedra.
#[allow(clippy::type_complexity, reason = "three parallel tables of one construction")]
fn boundary_edges(
    tets: &[[u32; 4]],
    neighbors: &[[Link; 4]],
    faces: &[[u32; 3]],
    face_tet: &[u32],
) -> (Vec<[u32; 3]>, Vec<BoundaryEdge>, Vec<[u32; 3]>) {
    let across: Vec<[u32; 3]> = (0..faces.len())
        .into_par_iter()
        .map(|f| {
            [0, 1, 2].map(|k| {
                let (a, b, apex) = (faces[f][k], faces[f][(k + 1) % 3], faces[f][(k + 2) % 3]);
                walk_round_edge(tets, neighbors, face_tet[f], a, b, apex).unwrap_or(f as u32)
            })
        })
        .collect();
    const NONE: u32 = u32::MAX;
    let mut edges: Vec<BoundaryEdge> = Vec::with_capacity(faces.len() * 3 / 2);
    let mut face_edges = vec![[NONE; 3]; faces.len()];
    for f in 0..faces.len() {
        for k in 0..3 {
            if face_edges[f][k] != NONE {
                continue;
            }
            let (a, b) = (faces[f][k], faces[f][(k + 1) % 3]);
            let g = across[f][k];
            let id = edges.len() as u32;
            edges.push(BoundaryEdge { vertices: [a, b], faces: [f as u32, g] });
            face_edges[f][k] = id;
            for j in 0..3 {
                let (c, d) = (faces[g as usize][j], faces[g as usize][(j + 1) % 3]);
                if (c, d) == (b, a) && face_edges[g as usize][j] == NONE {
                    face_edges[g as usize][j] = id;
                    break;
                }
            }
        }
    }
    (across, edges, face_edges)
}

/// From the boundary face `(a, b, apex)` of tetrahedron `t`, round the edge `ab`, to the boundary face on
/// its other side. `None` only where the mesh is degenerate (a tetrahedron that repeats a vertex).
fn walk_round_edge(
    tets: &[[u32; 4]],
    neighbors: &[[Link; 4]],
    mut t: u32,
    a: u32,
    b: u32,
    mut apex: u32,
) -> Option<u32> {
    // Each step crosses the face that holds ab and the vertex that is not the one we came by.
    for _ in 0..tets.len() + 1 {
        let tet = tets[t as usize];
        let leave = tet.iter().position(|&v| v == apex)?;
        let next_apex = tet.iter().copied().find(|&v| v != a && v != b && v != apex)?;
        match neighbors[t as usize][leave].get() {
            Neighbor::Boundary(g) => return Some(g),
            Neighbor::Tet(u) => {
                t = u;
                apex = next_apex_in(tets[u as usize], a, b, next_apex)?;
            }
        }
    }
    None
}

/// In the tetrahedron entered through the face `(a, b, via)`, the walk leaves opposite `via`.
fn next_apex_in(tet: [u32; 4], a: u32, b: u32, via: u32) -> Option<u32> {
    (tet.contains(&a) && tet.contains(&b) && tet.contains(&via)).then_some(via)
}

/// Connected components over shared vertices, by union-find with the smallest index as root.
fn components(vertex_count: usize, tets: &[[u32; 4]]) -> (Vec<u32>, u32) {
    let mut parent: Vec<u32> = (0..vertex_count as u32).collect();
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    for tet in tets {
        for &v in &tet[1..] {
            let (p, q) = (root(&mut parent, tet[0]), root(&mut parent, v));
            let (low, high) = (p.min(q), p.max(q));
            parent[high as usize] = low;
        }
    }
    let mut number = vec![u32::MAX; vertex_count];
    let mut count = 0;
    let component = (0..vertex_count as u32)
        .map(|v| {
            let r = root(&mut parent, v) as usize;
            if number[r] == u32::MAX {
                number[r] = count;
                count += 1;
            }
            number[r]
        })
        .collect();
    (component, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five tetrahedra that fill a cube of corners `0..8` (bit i of the index is the coordinate i).
    fn cube() -> Vec<[u32; 4]> {
        vec![[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]]
    }

    #[test]
    fn cube_has_twelve_outward_faces_and_eighteen_edges() {
        let topo = TetTopology::new(8, &cube());
        assert_eq!((topo.faces.len(), topo.edges.len(), topo.boundary_vertices.len()), (12, 18, 8));
        assert!(topo.defects.is_empty(), "{:?}", topo.defects);
        let at = |v: u32| glam::DVec3::new((v & 1) as f64, (v >> 1 & 1) as f64, (v >> 2) as f64);
        for f in &topo.faces {
            let [a, b, c] = f.map(at);
            assert!((b - a).cross(c - a).dot((a + b + c) / 3.0 - glam::DVec3::splat(0.5)) > 0.0);
        }
        for (id, e) in topo.edges.iter().enumerate() {
            for f in e.faces {
                assert!(topo.face_edges[f as usize].contains(&(id as u32)));
                assert!(e.vertices.iter().all(|v| topo.faces[f as usize].contains(v)));
            }
        }
        assert_eq!(topo.component_count, 1);
    }

    #[test]
    fn neighbours_agree_both_ways() {
        let topo = TetTopology::new(8, &cube());
        for t in 0..topo.tets.len() {
            for i in 0..4 {
                match topo.neighbors[t][i].get() {
                    Neighbor::Boundary(f) => assert_eq!(topo.face_tet[f as usize], t as u32),
                    Neighbor::Tet(u) => {
                        assert!(topo.neighbors[u as usize].iter().any(|n| n.get() == Neighbor::Tet(t as u32)))
                    }
                }
            }
        }
    }

    #[test]
    fn an_edge_shared_by_two_fans_is_two_boundary_edges() {
        // Two tetrahedra that share only the edge 0-1.
        let topo = TetTopology::new(6, &[[0, 1, 2, 3], [0, 1, 4, 5]]);
        assert_eq!((topo.faces.len(), topo.edges.len()), (8, 12));
        let doubled = topo.edges.iter().filter(|e| e.vertices.contains(&0) && e.vertices.contains(&1));
        assert_eq!(doubled.count(), 2);
        assert!(
            topo.edges
                .iter()
                .all(|e| topo.face_tet[e.faces[0] as usize] == topo.face_tet[e.faces[1] as usize])
        );
    }

    #[test]
    fn a_face_of_three_tetrahedra_is_reported_and_left_open() {
        let topo = TetTopology::new(6, &[[0, 1, 2, 3], [0, 2, 1, 4], [0, 1, 2, 5]]);
        assert_eq!(topo.faces.len(), 12);
        assert_eq!(topo.defects, [TopologyDefect::FaceShared { face: [0, 1, 2], tets: vec![0, 1, 2] }]);
    }
}
