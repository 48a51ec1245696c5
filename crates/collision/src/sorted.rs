//! The mesh as the queries walk it: sorted along a space-filling curve, neighbours in memory near in space.
//!
//! Vertices and elements are sorted along the Hilbert curve of the rest pose, faces follow their elements.
//! Ids of the user and internal ids never mix: everything here is internal but the four maps.

use glam::{DVec3, Vec3};
use gordian_mesh::order::{hilbert_order, inverse};
use gordian_mesh::topology::{Link, Neighbor};
use gordian_mesh::{LOCAL_FACES, TetTopology};
use rayon::prelude::*;

use crate::bvh::Aabb;

/// A tetrahedron with its neighbours: what a walk reads of it, in one half of a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Element {
    pub vertices: [u32; 4],
    /// Across the face opposite each vertex.
    pub neighbors: [Link; 4],
}

impl Element {
    /// Vertices of the face opposite local vertex `i`, outward in the rest pose.
    #[inline]
    pub fn face(&self, i: usize) -> [u32; 3] {
        LOCAL_FACES[i].map(|k| self.vertices[k])
    }
}

/// A boundary face.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Face {
    /// Outward.
    pub vertices: [u32; 3],
    /// The element behind it.
    pub element: u32,
    /// Faces across the edges `(0,1)`, `(1,2)`, `(2,0)`.
    pub neighbors: [u32; 3],
    /// Bits 0 to 2: the face owns that edge; bits 3 to 5: it owns that vertex. Each boundary edge and vertex has one
    /// owner, so that a search may look at it once; where the boundary is no manifold every face is an owner, and
    /// [`Face::PINCHED`] is set.
    pub owns: u32,
}

impl Face {
    /// Set when the boundary is no manifold at a vertex of the face.
    pub const PINCHED: u32 = 64;
}

/// The elements round a boundary edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fan {
    pub edge: [u32; 2],
    start: u32,
    count: u32,
}

/// A cycle of boundary faces round a vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    pub center: u32,
    start: u32,
    count: u32,
}

/// Topology in internal order.
#[derive(Clone, Debug)]
pub(crate) struct SortedMesh {
    pub elements: Vec<Element>,
    pub faces: Vec<Face>,
    /// Internal to user.
    pub vertex_order: Vec<u32>,
    pub element_order: Vec<u32>,
    pub face_order: Vec<u32>,
    /// User to internal.
    pub vertex_rank: Vec<u32>,
    pub element_rank: Vec<u32>,
    /// Component of each element.
    pub element_component: Vec<u32>,
    /// Boundary vertices, ascending.
    pub boundary_vertices: Vec<u32>,
    /// The boundary edges of three or more elements: fewer cannot wrap.
    pub fans: Vec<Fan>,
    fan_apices: Vec<u32>,
    vertex_element_start: Vec<u32>,
    vertex_elements: Vec<u32>,
    /// The cycles of boundary faces round the boundary vertices; more than one where the boundary is no manifold.
    pub rings: Vec<Ring>,
    /// Neighbours of each boundary vertex, ring by ring.
    ring_vertices: Vec<u32>,
    /// Where those of a vertex start.
    ring_start: Vec<u32>,
    /// The faces at what each face owns, itself among them; none where the boundary is no manifold.
    faces_around: Vec<u32>,
    /// Where those of a face start.
    faces_around_start: Vec<u32>,
}

impl SortedMesh {
    pub fn new(user: &TetTopology, rest: &[Vec3]) -> Self {
        assert_eq!(rest.len(), user.vertex_count as usize, "one rest position per vertex");
        let points: Vec<DVec3> = rest.iter().map(|p| p.as_dvec3()).collect();
        let vertex_order = hilbert_order(&points);
        let vertex_rank = inverse(&vertex_order);
        let centroids: Vec<DVec3> = user
            .tets
            .par_iter()
            .map(|t| t.iter().map(|&v| points[v as usize]).sum::<DVec3>() * 0.25)
            .collect();
        let element_order = hilbert_order(&centroids);
        let element_rank = inverse(&element_order);
        let tets: Vec<[u32; 4]> = element_order
            .par_iter()
            .map(|&t| user.tets[t as usize].map(|v| vertex_rank[v as usize]))
            .collect();
        let topology = TetTopology::new(rest.len(), &tets);

        // Both number faces by their element and local face.
        let mut face_order = vec![0; topology.faces.len()];
        for (t, links) in topology.neighbors.iter().enumerate() {
            for (i, link) in links.iter().enumerate() {
                if let Neighbor::Boundary(f) = link.get() {
                    let user_link = user.neighbors[element_order[t] as usize][i].get();
                    let Neighbor::Boundary(g) = user_link else {
                        unreachable!("the boundary does not depend on the numbering")
                    };
                    face_order[f as usize] = g;
                }
            }
        }
        let elements = tets
            .par_iter()
            .zip(&topology.neighbors)
            .map(|(&vertices, &neighbors)| Element { vertices, neighbors })
            .collect();
        let (rings, ring_vertices, ring_start) = rings(&topology);
        let owners = owners(&topology, &rings);
        let faces = (0..topology.faces.len())
            .map(|f| Face {
                vertices: topology.faces[f],
                element: topology.face_tet[f],
                neighbors: topology.face_neighbors[f],
                owns: owners[f],
            })
            .collect();
        let element_component = tets.par_iter().map(|t| topology.vertex_component[t[0] as usize]).collect();
        let (vertex_element_start, vertex_elements) =
            compressed((0..rest.len() as u32).map(|v| topology.vertex_tets(v).iter().copied()));
        let mut mesh = SortedMesh {
            elements,
            faces,
            vertex_order,
            element_order,
            face_order,
            vertex_rank,
            element_rank,
            element_component,
            boundary_vertices: topology.boundary_vertices,
            fans: Vec::new(),
            fan_apices: Vec::new(),
            vertex_element_start,
            vertex_elements,
            rings,
            ring_vertices,
            ring_start,
            faces_around: Vec::new(),
            faces_around_start: Vec::new(),
        };
        mesh.find_fans();
        mesh.find_faces_around();
        mesh
    }

    fn find_fans(&mut self) {
        let (mut fans, mut all) = (Vec::new(), Vec::new());
        for (f, face) in self.faces.iter().enumerate() {
            for k in (0..3).filter(|k| face.owns >> k & 1 != 0) {
                let start = all.len();
                all.push(face.vertices[(k + 2) % 3]);
                self.walk_fan(f as u32, k, |_, apex| all.push(apex));
                let count = all.len() - start;
                if count > 3 {
                    let edge = [face.vertices[k], face.vertices[(k + 1) % 3]];
                    fans.push(Fan { edge, start: start as u32, count: count as u32 });
                } else {
                    all.truncate(start);
                }
            }
        }
        assert!(u32::try_from(all.len()).is_ok(), "mesh too large for 32-bit offsets");
        (self.fans, self.fan_apices) = (fans, all);
    }

    fn find_faces_around(&mut self) {
        let around = |f: u32| {
            let face = &self.faces[f as usize];
            let mut around = vec![f];
            let mut complete = face.owns & Face::PINCHED == 0;
            for k in (0..3).filter(|k| face.owns >> (3 + k) & 1 != 0) {
                complete &= self.walk_ring(f, face.vertices[k], |g| {
                    around.push(g);
                    around.len() <= self.faces.len()
                });
            }
            around.extend((0..3).filter(|k| face.owns >> k & 1 != 0).map(|k| face.neighbors[k]));
            around.sort_unstable();
            around.dedup();
            if complete { around } else { Vec::new() }
        };
        let lists = (0..self.faces.len() as u32).map(|f| around(f).into_iter());
        (self.faces_around_start, self.faces_around) = compressed(lists);
    }

    /// The faces that share an edge or a vertex with face `f` that `f` owns, and `f` itself; none where the boundary is no
    /// manifold.
    #[inline]
    pub fn faces_around(&self, f: u32) -> &[u32] {
        let f = f as usize;
        &self.faces_around[self.faces_around_start[f] as usize..self.faces_around_start[f + 1] as usize]
    }

    /// Vertices opposite the edge of a fan, from one boundary face to the other.
    #[inline]
    pub fn fan_apices(&self, fan: &Fan) -> &[u32] {
        &self.fan_apices[fan.start as usize..][..fan.count as usize]
    }

    /// Calls `visit` for each element round the edge `k` of boundary face `f`, from that face to the edge's other one,
    /// with the vertex by which the walk leaves it.
    pub fn walk_fan(&self, f: u32, k: usize, mut visit: impl FnMut(u32, u32)) {
        let face = &self.faces[f as usize];
        let (a, b) = (face.vertices[k], face.vertices[(k + 1) % 3]);
        let (mut element, mut came_by) = (face.element, face.vertices[(k + 2) % 3]);
        // The fan of an edge is finite; the bound only matters for meshes that repeat a vertex in an element.
        for _ in 0..self.elements.len() {
            let e = &self.elements[element as usize];
            let [p, q, r, s] = e.vertices;
            let leave_by = p ^ q ^ r ^ s ^ a ^ b ^ came_by;
            visit(element, leave_by);
            let Some(opposite) = e.vertices.iter().position(|&v| v == came_by) else { return };
            match e.neighbors[opposite].get() {
                Neighbor::Tet(next) => (element, came_by) = (next, leave_by),
                Neighbor::Boundary(_) => return,
            }
        }
    }

    /// Calls `visit` for each other face round vertex `v` of face `f`, until it says no; whether the ring was completed.
    #[inline]
    pub fn walk_ring(&self, f: u32, v: u32, mut visit: impl FnMut(u32) -> bool) -> bool {
        let mut g = f;
        loop {
            let face = &self.faces[g as usize];
            let Some(k) = face.vertices.iter().position(|&u| u == v) else { return false };
            // Counter-clockwise: across the edge that leads to the vertex.
            g = face.neighbors[(k + 2) % 3];
            if g == f {
                return true;
            }
            if !visit(g) {
                return false;
            }
        }
    }

    /// Elements that use vertex `v`, ascending.
    pub fn vertex_elements(&self, v: u32) -> &[u32] {
        let v = v as usize;
        &self.vertex_elements
            [self.vertex_element_start[v] as usize..self.vertex_element_start[v + 1] as usize]
    }

    /// Vertices joined to `v` by a boundary edge.
    #[inline]
    pub fn surface_neighbors(&self, v: u32) -> &[u32] {
        let v = v as usize;
        &self.ring_vertices[self.ring_start[v] as usize..self.ring_start[v + 1] as usize]
    }

    /// The neighbours along a ring, counter-clockwise seen from outside.
    #[inline]
    pub fn ring_vertices(&self, ring: &Ring) -> &[u32] {
        &self.ring_vertices[ring.start as usize..][..ring.count as usize]
    }

    /// Copies positions from the user's order.
    pub fn gather(&self, user: &[Vec3], sorted: &mut Vec<Vec3>) {
        assert_eq!(user.len(), self.vertex_order.len(), "one position per vertex");
        sorted.resize(user.len(), Vec3::ZERO);
        sorted
            .par_iter_mut()
            .with_min_len(4096)
            .zip(&self.vertex_order)
            .for_each(|(p, &v)| *p = user[v as usize]);
    }

    #[inline]
    pub fn element_box(&self, positions: &[Vec3], t: u32) -> Aabb {
        Aabb::of_simplex(positions, &self.elements[t as usize].vertices)
    }

    #[inline]
    pub fn face_box(&self, positions: &[Vec3], f: u32) -> Aabb {
        Aabb::of_simplex(positions, &self.faces[f as usize].vertices)
    }
}

/// Ownership bits of each face; see [`Face::owns`].
fn owners(topology: &TetTopology, rings: &[Ring]) -> Vec<u32> {
    let mut owns = vec![0u32; topology.faces.len()];
    for edge in &topology.edges {
        let f = edge.faces[0] as usize;
        for k in 0..3 {
            if [topology.faces[f][k], topology.faces[f][(k + 1) % 3]] == edge.vertices {
                owns[f] |= 1 << k;
            }
        }
    }
    for group in rings.chunk_by(|a, b| a.center == b.center) {
        let v = group[0].center;
        let fan = topology.vertex_faces(v);
        if group.len() > 1 {
            fan.iter().for_each(|&f| owns[f as usize] |= Face::PINCHED);
        }
        for &f in if group.len() == 1 { &fan[..1] } else { fan } {
            for k in 0..3 {
                if topology.faces[f as usize][k] == v {
                    owns[f as usize] |= 8 << k;
                }
            }
        }
    }
    owns
}

/// Rings, their vertices, and where those of each vertex start.
fn rings(topology: &TetTopology) -> (Vec<Ring>, Vec<u32>, Vec<u32>) {
    let (mut rings, mut all, mut start) = (Vec::new(), Vec::new(), vec![0]);
    let mut left = Vec::new();
    for v in 0..topology.vertex_count {
        left.clear();
        left.extend_from_slice(topology.vertex_faces(v));
        while let Some(&first) = left.first() {
            let begin = all.len() as u32;
            let mut f = first;
            // Counter-clockwise: across the edge that leads to the vertex.
            while let Some(i) = left.iter().position(|&g| g == f) {
                left.remove(i);
                let Some(k) = topology.faces[f as usize].iter().position(|&u| u == v) else { break };
                all.push(topology.faces[f as usize][(k + 1) % 3]);
                f = topology.face_neighbors[f as usize][(k + 2) % 3];
            }
            rings.push(Ring { center: v, start: begin, count: all.len() as u32 - begin });
        }
        start.push(u32::try_from(all.len()).expect("mesh too large for 32-bit offsets"));
    }
    (rings, all, start)
}

/// Lists end to end, and where each starts.
fn compressed<I: Iterator<Item = u32>>(lists: impl Iterator<Item = I>) -> (Vec<u32>, Vec<u32>) {
    let (mut start, mut all) = (vec![0], Vec::new());
    for list in lists {
        all.extend(list);
        start.push(u32::try_from(all.len()).expect("mesh too large for 32-bit offsets"));
    }
    (start, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_map_back_and_every_feature_has_one_owner() {
        // Two cubes of five tetrahedra, far apart, numbered so that they interleave.
        let cube = [[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]];
        let tets: Vec<[u32; 4]> =
            cube.iter().flat_map(|t| [t.map(|v| 2 * v), t.map(|v| 2 * v + 1)]).collect();
        let rest: Vec<Vec3> = (0..16u32)
            .map(|i| {
                let v = i / 2;
                Vec3::new((v & 1) as f32 + 9.0 * (i % 2) as f32, (v >> 1 & 1) as f32, (v >> 2) as f32)
            })
            .collect();
        let user = TetTopology::new(16, &tets);
        let mesh = SortedMesh::new(&user, &rest);
        for (t, e) in mesh.elements.iter().enumerate() {
            let back = e.vertices.map(|v| mesh.vertex_order[v as usize]);
            assert_eq!(back, user.tets[mesh.element_order[t] as usize]);
        }
        for (f, face) in mesh.faces.iter().enumerate() {
            let g = mesh.face_order[f] as usize;
            assert_eq!(face.vertices.map(|v| mesh.vertex_order[v as usize]), user.faces[g]);
            assert_eq!(mesh.element_order[face.element as usize], user.face_tet[g]);
        }
        let mut all = mesh.face_order.clone();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..24));
        let owned: u32 = mesh.faces.iter().map(|f| f.owns.count_ones()).sum();
        assert!(mesh.faces.iter().all(|f| f.owns & Face::PINCHED == 0));
        assert_eq!(owned as usize, user.edges.len() + user.boundary_vertices.len());
        assert!(mesh.boundary_vertices.iter().all(|&v| mesh.surface_neighbors(v).len() >= 3));
        let incidence: usize = (0..16).map(|v| mesh.vertex_elements(v).len()).sum();
        assert_eq!(incidence, 40);
    }
}
