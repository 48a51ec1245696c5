//! Which way the boundary faces: normals of the faces, and the cones of them beside the tree.
//!
//! The cone of a face holds the inward normals at every point that the face owns (see [`Face::owns`]): its own, those across its
//! edges, and those all round its vertices. Where local reasoning does not hold (next to a fold, at a
//! vertex that is no manifold, at a face without area) it is full.

use glam::Vec3;
use rayon::prelude::*;

use crate::bvh::{Cone, Cones, Tree};
use crate::sorted::{Face, SortedMesh};

/// Normals and cones of a pose, in internal ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facing {
    /// Of each face, inward, of unit length; not a number where there is none.
    normals: Vec<Vec3>,
    /// Beside the tree over the faces.
    pub cones: Cones,
}

/// Faces handled by one task.
const CHUNK: usize = 1024;

impl Facing {
    /// The normals of a new pose.
    pub fn update_normals(&mut self, mesh: &SortedMesh, positions: &[Vec3]) {
        self.normals.resize(mesh.faces.len(), Vec3::ZERO);
        self.normals.par_chunks_mut(CHUNK).zip(mesh.faces.par_chunks(CHUNK)).for_each(|(normals, faces)| {
            for (normal, face) in normals.iter_mut().zip(faces) {
                *normal = inward_normal(face, positions);
            }
        });
    }

    /// The cones, once the normals are up to date. `faces` is the tree over the boundary faces; `near_fold` flags the vertices next to
    /// a fold.
    pub fn update_cones(&mut self, mesh: &SortedMesh, near_fold: &[bool], faces: &Tree) {
        let normals = &self.normals;
        self.cones.refit(faces, |f| cone(mesh, normals, near_fold, f));
    }
}

fn inward_normal(face: &Face, positions: &[Vec3]) -> Vec3 {
    let [a, b, c] = face.vertices.map(|v| positions[v as usize].as_dvec3());
    let (u, v) = (b - a, c - a);
    let n = v.cross(u);
    let squared = n.length_squared();
    // Below that the rounding of the product would turn the normal noticeably.
    if squared > 1e-20 * u.length_squared() * v.length_squared() {
        (n / squared.sqrt()).as_vec3()
    } else {
        Vec3::NAN
    }
}

#[inline]
fn cone(mesh: &SortedMesh, normals: &[Vec3], near_fold: &[bool], f: u32) -> Cone {
    let around = mesh.faces_around(f);
    let rays = || around.iter().map(|&g| normals[g as usize]);
    let near_fold = mesh.faces[f as usize].vertices.iter().any(|&v| near_fold[v as usize]);
    if around.is_empty() || near_fold {
        return Cone::FULL;
    }
    // A normal that is missing makes the sum no number, and the cone full.
    Cone::of(rays().sum(), rays())
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use gordian_mesh::TetTopology;
    use gordian_mesh::generate::box_mesh;

    use super::*;

    #[test]
    fn normals_point_into_the_body_and_rings_close() {
        let block = box_mesh(DVec3::splat(2.0), [3; 3]).unwrap();
        let rest: Vec<Vec3> = block.positions.iter().map(|p| p.as_vec3()).collect();
        let mesh = SortedMesh::new(&TetTopology::new(rest.len(), &block.tets), &rest);
        let mut positions = Vec::new();
        mesh.gather(&rest, &mut positions);
        for (f, face) in mesh.faces.iter().enumerate() {
            let n = inward_normal(face, &positions);
            let middle = face.vertices.iter().map(|&v| positions[v as usize]).sum::<Vec3>() / 3.0;
            assert!((n.length() - 1.0).abs() < 1e-6 && n.dot(middle) < 0.0);
            for v in face.vertices {
                let mut count = 0;
                assert!(mesh.walk_ring(f as u32, v, |g| {
                    assert!(mesh.faces[g as usize].vertices.contains(&v));
                    count += 1;
                    true
                }));
                assert_eq!(count + 1, mesh.surface_neighbors(v).len());
            }
        }
        let flat = Face { vertices: [0, 0, 1], ..mesh.faces[0] };
        assert!(inward_normal(&flat, &positions).is_nan());
        assert_eq!(Cone::of(Vec3::NAN, [Vec3::X, Vec3::NAN].into_iter()), Cone::FULL);
    }
}
