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
    /// owner, so that a search may look at it once; where the boundary is no manifold every face is an owner.
    pub owns: u32,
}

/// The elements round a boundary edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fan {
    pub edge: [u32; 2],
    /// Three times the face with which the fan begins, plus the number of the edge there.
    pub face: u32,
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
    pub face_rank: Vec<u32>,
    /// Component of each element.
    pub element_component: Vec<u32>,
    /// Boundary vertices, ascending.
    pub boundary_vertices: Vec<u32>,
    /// The boundary edges of three or more elements: fewer cannot wrap.
    pub fans: Vec<Fan>,
    fan_apices: Vec<u32>,
    vertex_element_start: Vec<u32>,
    vertex_elements: Vec<u32>,
    surface_neighbor_start: Vec<u32>,
    surface_neighbors: Vec<u32>,
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
        let face_rank = inverse(&face_order);
        let elements = tets
            .par_iter()
            .zip(&topology.neighbors)
            .map(|(&vertices, &neighbors)| Element { vertices, neighbors })
            .collect();
        let owners = owners(&topology);
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
        let (surface_neighbor_start, surface_neighbors) =
            compressed((0..rest.len() as u32).map(|v| surface_neighbors(&topology, v).into_iter()));
        let mut mesh = SortedMesh {
            elements,
            faces,
            vertex_order,
            element_order,
            face_order,
            vertex_rank,
            element_rank,
            face_rank,
            element_component,
            boundary_vertices: topology.boundary_vertices,
            fans: Vec::new(),
            fan_apices: Vec::new(),
            vertex_element_start,
            vertex_elements,
            surface_neighbor_start,
            surface_neighbors,
        };
        mesh.find_fans();
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
                    fans.push(Fan {
                        edge,
                        face: (3 * f + k) as u32,
                        start: start as u32,
                        count: count as u32,
                    });
                } else {
                    all.truncate(start);
                }
            }
        }
        assert!(u32::try_from(all.len()).is_ok(), "mesh too large for 32-bit offsets");
        (self.fans, self.fan_apices) = (fans, all);
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

    /// Elements that use vertex `v`, ascending.
    pub fn vertex_elements(&self, v: u32) -> &[u32] {
        let v = v as usize;
        &self.vertex_elements
            [self.vertex_element_start[v] as usize..self.vertex_element_start[v + 1] as usize]
    }

    /// Vertices joined to `v` by a boundary edge, ascending.
    #[inline]
    pub fn surface_neighbors(&self, v: u32) -> &[u32] {
        let v = v as usize;
        &self.surface_neighbors
            [self.surface_neighbor_start[v] as usize..self.surface_neighbor_start[v + 1] as usize]
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

    pub fn element_box(&self, positions: &[Vec3], t: u32) -> Aabb {
        Aabb::of_simplex(positions, &self.elements[t as usize].vertices)
    }

    pub fn face_box(&self, positions: &[Vec3], f: u32) -> Aabb {
        Aabb::of_simplex(positions, &self.faces[f as usize].vertices)
    }
}

/// Ownership bits of each face; see [`Face::owns`].
fn owners(topology: &TetTopology) -> Vec<u32> {
    let mut owns = vec![0u32; topology.faces.len()];
    for edge in &topology.edges {
        for &f in &edge.faces[..1] {
            for k in 0..3 {
                if topology.faces[f as usize][k] == edge.vertices[0]
                    && topology.faces[f as usize][(k + 1) % 3] == edge.vertices[1]
                {
                    owns[f as usize] |= 1 << k;
                }
            }
        }
    }
    for &v in &topology.boundary_vertices {
        let fan = topology.vertex_faces(v);
        let owners = if is_one_fan(topology, v) { &fan[..1] } else { fan };
        for &f in owners {
            for k in 0..3 {
                if topology.faces[f as usize][k] == v {
                    owns[f as usize] |= 8 << k;
                }
            }
        }
    }
    owns
}

/// Whether the boundary faces round `v` form one cycle.
fn is_one_fan(topology: &TetTopology, v: u32) -> bool {
    let fan = topology.vertex_faces(v);
    let mut f = fan[0];
    for steps in 1..=fan.len() {
        let Some(k) = topology.faces[f as usize].iter().position(|&u| u == v) else { return false };
        f = topology.face_neighbors[f as usize][k];
        if f == fan[0] {
            return steps == fan.len();
        }
    }
    false
}

fn surface_neighbors(topology: &TetTopology, v: u32) -> Vec<u32> {
    let mut all: Vec<u32> = topology
        .vertex_faces(v)
        .iter()
        .flat_map(|&f| topology.faces[f as usize])
        .filter(|&u| u != v)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
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
            assert_eq!(mesh.face_rank[g] as usize, f);
        }
        let owned: u32 = mesh.faces.iter().map(|f| f.owns.count_ones()).sum();
        assert_eq!(owned as usize, user.edges.len() + user.boundary_vertices.len());
        assert!(mesh.boundary_vertices.iter().all(|&v| mesh.surface_neighbors(v).len() >= 3));
        let incidence: usize = (0..16).map(|v| mesh.vertex_elements(v).len()).sum();
        assert_eq!(incidence, 40);
    }
}
