//! One number for the content of a mesh.

use glam::DVec3;
use xxhash_rust::xxh3::Xxh3;

use super::RawMesh;
use crate::{TetMesh, TriMesh};

/// Hash (xxh3) of the raw bits of the positions and of the elements, both in file order.
///
/// Equal for the same mesh whatever the format, the encoding or the line ends of its file; independent of the
/// machine. `-0.0` and `0.0` differ.
pub fn mesh_hash(positions: &[DVec3], tets: &[[u32; 4]], triangles: &[[u32; 3]]) -> u64 {
    let mut hash = Xxh3::new();
    for count in [positions.len(), tets.len(), triangles.len()] {
        hash.update(&(count as u64).to_le_bytes());
    }
    for p in positions {
        for x in p.to_array() {
            hash.update(&x.to_bits().to_le_bytes());
        }
    }
    for id in tets.as_flattened().iter().chain(triangles.as_flattened()) {
        hash.update(&id.to_le_bytes());
    }
    hash.digest()
}

impl RawMesh {
    /// [`mesh_hash`] of everything in it.
    pub fn mesh_hash(&self) -> u64 {
        mesh_hash(&self.positions, &self.tets, &self.triangles)
    }
}

impl TetMesh {
    /// [`mesh_hash`](fn@mesh_hash) of it.
    pub fn mesh_hash(&self) -> u64 {
        mesh_hash(&self.positions, &self.tets, &[])
    }
}

impl TriMesh {
    /// [`mesh_hash`](fn@mesh_hash) of it.
    pub fn mesh_hash(&self) -> u64 {
        mesh_hash(&self.positions, &[], &self.triangles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_counts_and_so_does_what_it_belongs_to() {
        let p = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let base = mesh_hash(&p, &[[0, 1, 2, 3]], &[]);
        let mut moved = p;
        moved[2].y = f64::from_bits(moved[2].y.to_bits() + 1);
        assert_ne!(base, mesh_hash(&moved, &[[0, 1, 2, 3]], &[]));
        assert_ne!(base, mesh_hash(&p, &[[0, 1, 3, 2]], &[]));
        assert_ne!(mesh_hash(&p, &[[0; 4]; 3], &[]), mesh_hash(&p, &[], &[[0; 3]; 4]));
    }
}
