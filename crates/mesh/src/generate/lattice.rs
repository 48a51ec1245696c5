//! The body-centred cubic lattice: the corners and the centres of a grid of cubes.
//!
//! Points lie in layers half a cube apart: even layers hold corners, odd layers centres, each layer `nx`
//! times `ny` points at `(i, j)` or `(i + ½, j + ½)`. Each point has 6 **long** edges (one spacing, to its
//! own kind) and 8 **short** ones (√3/2 of it). All tetrahedra are congruent: two long edges at right angles,
//! four short.

use glam::DVec3;

/// A box of the lattice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    origin: DVec3,
    /// Length of a long edge, in metres.
    pub spacing: f64,
    /// Points along x and y of a layer, and layers.
    pub n: [u32; 3],
}

impl Lattice {
    /// The lattice with `cubes` cubes along each axis around `center`.
    pub fn around(center: DVec3, spacing: f64, cubes: [u32; 3]) -> Self {
        let origin = center - 0.5 * spacing * DVec3::from_array(cubes.map(f64::from));
        Lattice { origin, spacing, n: [cubes[0] + 1, cubes[1] + 1, 2 * cubes[2] + 1] }
    }

    /// Number of points of a layer.
    pub fn layer(&self) -> u32 {
        self.n[0] * self.n[1]
    }

    /// Number of points.
    pub fn len(&self) -> u32 {
        self.layer() * self.n[2]
    }

    pub fn id(&self, [i, j, k]: [u32; 3]) -> u32 {
        (k * self.n[1] + j) * self.n[0] + i
    }

    pub fn cell(&self, id: u32) -> [u32; 3] {
        [id % self.n[0], id / self.n[0] % self.n[1], id / self.layer()]
    }

    pub fn position(&self, id: u32) -> DVec3 {
        let [i, j, k] = self.cell(id);
        let shift = if k & 1 == 1 { 0.5 } else { 0.0 };
        let cubes = DVec3::new(f64::from(i) + shift, f64::from(j) + shift, 0.5 * f64::from(k));
        self.origin + self.spacing * cubes
    }

    /// Whether the point lies in the outermost layer of the box, where some neighbours are missing.
    pub fn at_rim(&self, id: u32) -> bool {
        let cell = self.cell(id);
        (0..2).any(|a| cell[a] == 0 || cell[a] + 1 == self.n[a]) || cell[2] < 2 || cell[2] + 2 >= self.n[2]
    }

    /// The far ends of the point's edges that lead forward (each edge once, ids rising): three long ones,
    /// then four short.
    pub fn forward(&self, id: u32) -> impl Iterator<Item = u32> + use<> {
        let lattice = *self;
        let [i, j, k] = self.cell(id);
        let [(i0, i1), (j0, j1)] = [shorts(i, k), shorts(j, k)];
        [
            [i + 1, j, k],
            [i, j + 1, k],
            [i, j, k + 2],
            [i0, j0, k + 1],
            [i1, j0, k + 1],
            [i0, j1, k + 1],
            [i1, j1, k + 1],
        ]
        .into_iter()
        .filter(move |c| (0..3).all(|a| c[a] < lattice.n[a]))
        .map(move |c| lattice.id(c))
    }

    /// The positive tetrahedra whose first long edge leads forward from the centre `id`, four round each of
    /// three edges, as `[centre, centre, corner, corner]`: each tetrahedron of the lattice once.
    pub fn tets(&self, id: u32) -> impl Iterator<Item = [u32; 4]> + use<> {
        let lattice = *self;
        let [i, j, k] = self.cell(id);
        // A cube face's corners, counter-clockwise seen from the far centre.
        let faces = [
            ([i + 1, j, k], [[1, 0, 0], [1, 1, 0], [1, 1, 2], [1, 0, 2]]),
            ([i, j + 1, k], [[0, 1, 0], [0, 1, 2], [1, 1, 2], [1, 1, 0]]),
            ([i, j, k + 2], [[0, 0, 2], [1, 0, 2], [1, 1, 2], [0, 1, 2]]),
        ];
        let inside = move |c: &[u32; 3]| (0..3).all(|a| c[a] < lattice.n[a]);
        faces.into_iter().filter(move |_| k & 1 == 1).filter(move |(far, _)| inside(far)).flat_map(
            move |(far, ring)| {
                let ring = ring.map(|d| [i + d[0], j + d[1], k - 1 + d[2]]);
                (0..4)
                    .map(move |c| [ring[c], ring[(c + 1) % 4]])
                    .filter(move |pair| pair.iter().all(inside))
                    .map(move |[c, d]| [[i, j, k], far, c, d].map(|cell| lattice.id(cell)))
            },
        )
    }

    /// Whether the edge between two neighbours is a long one.
    pub fn is_long(&self, a: u32, b: u32) -> bool {
        // Short edges join a layer to the next.
        self.cell(a)[2] & 1 == self.cell(b)[2] & 1
    }
}

/// Along one axis the neighbours in the next layer of a point with index `i` in layer `k`: a centre has
/// the corners i, i + 1; a corner the centres i - 1 (out of range for 0), i.
fn shorts(i: u32, k: u32) -> (u32, u32) {
    let low = if k & 1 == 1 { i } else { i.wrapping_sub(1) };
    (low, low.wrapping_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TetTopology, quality, signed_volume};

    #[test]
    fn tetrahedra_are_congruent_positive_and_fit_together() {
        let lattice = Lattice::around(DVec3::ZERO, 1.0, [4, 3, 5]);
        let tets: Vec<[u32; 4]> = (0..lattice.len()).flat_map(|id| lattice.tets(id)).collect();
        for tet in &tets {
            let corners = tet.map(|v| lattice.position(v));
            assert!((signed_volume(corners) - 1.0 / 12.0).abs() < 1e-15);
            for angle in quality::dihedral_angles(corners) {
                assert!((angle - 60.0).abs() < 1e-12 || (angle - 90.0).abs() < 1e-12);
            }
        }
        let topology = TetTopology::new(lattice.len() as usize, &tets);
        assert!(topology.defects.is_empty());
        let euler = topology.boundary_vertices.len() + topology.faces.len() - topology.edges.len();
        assert_eq!(euler, 2);
    }

    #[test]
    fn forward_edges_are_the_edges_of_the_tetrahedra() {
        let lattice = Lattice::around(DVec3::ZERO, 1.0, [3, 3, 3]);
        let mut edges: Vec<[u32; 2]> = (0..lattice.len())
            .flat_map(|id| lattice.tets(id))
            .flat_map(|tet| quality::LOCAL_EDGES.map(|[i, j]| [tet[i].min(tet[j]), tet[i].max(tet[j])]))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let mut forward: Vec<[u32; 2]> =
            (0..lattice.len()).flat_map(|a| lattice.forward(a).map(move |b| [a, b])).collect();
        assert!(forward.iter().all(|[a, b]| a < b));
        forward.sort_unstable();
        assert!(edges.iter().all(|e| forward.binary_search(e).is_ok()));
        for [a, b] in forward {
            let length = (lattice.position(a) - lattice.position(b)).length();
            let expected = if lattice.is_long(a, b) { 1.0 } else { 0.75f64.sqrt() };
            assert!((length - expected).abs() < 1e-14);
        }
    }
}
