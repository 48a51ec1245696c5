//! The surface of bodies as it is drawn: smooth, with creases where the body had them at the start.

use glam::Vec3;
use gordian_mesh::TetTopology;
use rayon::prelude::*;

/// Faces that meet under a larger angle do not share a normal: cosine of 40°.
const CREASE: f32 = 0.766;

/// A boundary whose vertices are split along creases. The split is made once, so that shading does not flicker.
#[derive(Clone, Debug)]
pub struct Surface {
    /// Faces, as indices of split vertices.
    pub faces: Vec<[u32; 3]>,
    /// The particle of each split vertex.
    pub particle: Vec<u32>,
    start: Vec<u32>,
    around: Vec<u32>,
}

impl Surface {
    /// Splits the boundary of `topology` in the pose `positions`.
    pub fn new(topology: &TetTopology, positions: &[Vec3]) -> Self {
        let normals: Vec<Vec3> =
            topology.faces.par_iter().map(|f| face_normal(positions, f).normalize_or_zero()).collect();
        let mut surface = Surface {
            faces: vec![[0; 3]; topology.faces.len()],
            particle: Vec::new(),
            start: vec![0],
            around: Vec::new(),
        };
        let mut group: Vec<usize> = Vec::new();
        for &v in &topology.boundary_vertices {
            let fan = topology.vertex_faces(v);
            group.clear();
            group.extend(0..fan.len());
            // Joined across each edge that is no crease.
            for i in 0..fan.len() {
                for n in topology.face_neighbors[fan[i] as usize] {
                    let Some(j) = fan.iter().position(|&f| f == n) else { continue };
                    if normals[fan[i] as usize].dot(normals[n as usize]) > CREASE && group[i] != group[j] {
                        let (keep, drop) = (group[i].min(group[j]), group[i].max(group[j]));
                        group.iter_mut().filter(|g| **g == drop).for_each(|g| *g = keep);
                    }
                }
            }
            for root in 0..fan.len() {
                if group[root] != root {
                    continue;
                }
                let split = surface.particle.len() as u32;
                surface.particle.push(v);
                for i in (0..fan.len()).filter(|&i| group[i] == root) {
                    let face = fan[i] as usize;
                    surface.around.push(fan[i]);
                    for k in 0..3 {
                        if topology.faces[face][k] == v {
                            surface.faces[face][k] = split;
                        }
                    }
                }
                surface.start.push(surface.around.len() as u32);
            }
        }
        surface
    }

    /// Normals of the split vertices, not of unit length: the mean of the faces around, weighted by their areas.
    /// `faces`: the faces as particles.
    pub fn normals(&self, positions: &[Vec3], faces: &[[u32; 3]]) -> Vec<Vec3> {
        let flat: Vec<Vec3> = faces.par_iter().map(|f| face_normal(positions, f)).collect();
        (0..self.particle.len())
            .into_par_iter()
            .map(|v| {
                let fan = &self.around[self.start[v] as usize..self.start[v + 1] as usize];
                let sum: Vec3 = fan.iter().map(|&f| flat[f as usize]).sum();
                // Small bodies have small areas: unit length keeps them clear of the smallest numbers.
                sum.try_normalize().unwrap_or(Vec3::Y)
            })
            .collect()
    }
}

/// Twice the area of a face, along its normal.
fn face_normal(positions: &[Vec3], face: &[u32; 3]) -> Vec3 {
    let [a, b, c] = face.map(|v| positions[v as usize]);
    (b - a).cross(c - a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_has_sharp_edges_and_a_ball_none() {
        use gordian_mesh::generate::{Generated, Generator, Kind};
        let build = |kind: &str| {
            let generator = Generator::new(Kind::from_name(kind).unwrap());
            let Ok(Generated::Tets(mesh)) = generator.build() else { panic!("{kind} is a volume") };
            let positions: Vec<Vec3> = mesh.positions.iter().map(|p| p.as_vec3()).collect();
            (TetTopology::new(positions.len(), &mesh.tets), positions)
        };
        let (topology, positions) = build("box");
        let surface = Surface::new(&topology, &positions);
        for n in surface.normals(&positions, &topology.faces) {
            assert!(n.abs().max_element() > 0.9999, "along an axis: {n}");
        }
        let (topology, positions) = build("sphere");
        let surface = Surface::new(&topology, &positions);
        assert_eq!(surface.particle.len(), topology.boundary_vertices.len(), "no vertex is split");
        let normals = surface.normals(&positions, &topology.faces);
        for (n, &p) in normals.iter().zip(&surface.particle) {
            assert!(n.dot(positions[p as usize].normalize()) > 0.95, "radial");
        }
        for (face, split) in topology.faces.iter().zip(&surface.faces) {
            assert_eq!(*face, split.map(|s| surface.particle[s as usize]));
        }
    }
}
