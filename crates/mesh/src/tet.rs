//! The tetrahedral mesh as a file or a generator gives it.

use glam::DVec3;

/// A tetrahedral mesh: vertices in file order and tetrahedra as four vertex indices.
///
/// A tetrahedron `[a, b, c, d]` is **positive** when `det(b-a, c-a, d-a) > 0`; every reader and
/// generator of this crate returns positive tetrahedra (see [`TetMesh::orient`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Vertex positions in metres, in file order; a vertex that no tetrahedron uses stays in place.
    pub positions: Vec<DVec3>,
    /// Tetrahedra, in file order.
    pub tets: Vec<[u32; 4]>,
}

/// Signed volume of the tetrahedron `[a, b, c, d]`, in cubic metres: `det(b-a, c-a, d-a) / 6`.
pub fn signed_volume([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a) / 6.0
}

impl TetMesh {
    /// The four corner positions of tetrahedron `t`.
    pub fn corners(&self, t: usize) -> [DVec3; 4] {
        self.tets[t].map(|v| self.positions[v as usize])
    }

    /// Turns negative tetrahedra round by swapping their last two vertices, and returns which ones.
    /// Tetrahedra of zero volume are left alone.
    pub fn orient(&mut self) -> Vec<u32> {
        let mut flipped = Vec::new();
        for t in 0..self.tets.len() {
            if signed_volume(self.corners(t)) < 0.0 {
                self.tets[t].swap(2, 3);
                flipped.push(t as u32);
            }
        }
        flipped
    }

    /// Sum of the signed volumes, in cubic metres.
    pub fn volume(&self) -> f64 {
        (0..self.tets.len()).map(|t| signed_volume(self.corners(t))).sum()
    }
}
