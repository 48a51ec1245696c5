//! Where a pose is no immersion: inverted elements, and boundary edges that wrap round themselves.
//!
//! An edge **wraps** when the dihedral angles of the elements between its two boundary faces add up to more than 360°:
//! every element may be positive, and yet the surface passes through the material beside it.

use glam::{DVec3, Vec3};
use gordian_mesh::Neighbor;
use rayon::prelude::*;

use crate::predicates::{Sign, orient3d};
use crate::sorted::SortedMesh;

/// Flags of a pose, in internal ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Immersion {
    /// Elements that are not positive.
    pub inverted: Vec<bool>,
    /// Elements that are not positive or lie round an edge that wraps.
    pub folded: Vec<bool>,
    /// Vertices of folded elements.
    pub near_folded: Vec<bool>,
    /// Vertices of elements that are not positive and have a boundary face.
    pub on_inverted_boundary: Vec<bool>,
    pub inverted_count: usize,
    /// Whether any flag is set.
    folded_somewhere: bool,
}

/// Elements or edges handled by one task.
const CHUNK: usize = 2048;

impl Immersion {
    pub fn update(&mut self, mesh: &SortedMesh, positions: &[Vec3]) {
        let at = |v: u32| positions[v as usize].as_dvec3();
        self.inverted.resize(mesh.elements.len(), false);
        self.inverted_count = self
            .inverted
            .par_chunks_mut(CHUNK)
            .zip(mesh.elements.par_chunks(CHUNK))
            .map(|(flags, elements)| {
                for (flag, element) in flags.iter_mut().zip(elements) {
                    let [a, b, c, d] = element.vertices.map(at);
                    *flag = orient3d(a, b, c, d) != Sign::Positive;
                }
                flags.iter().filter(|&&flag| flag).count()
            })
            .sum();
        let wrapped: Vec<u32> = mesh
            .fans
            .par_chunks(CHUNK)
            .flat_map_iter(|fans| {
                fans.iter()
                    .filter(|fan| wraps(fan.edge.map(at), mesh.fan_apices(fan).iter().map(|&v| at(v))))
                    .map(|fan| fan.face)
            })
            .collect();

        let folded_somewhere = self.inverted_count > 0 || !wrapped.is_empty();
        if folded_somewhere || self.folded_somewhere || self.folded.len() != mesh.elements.len() {
            self.folded.clone_from(&self.inverted);
            self.near_folded.clear();
            self.near_folded.resize(positions.len(), false);
            self.on_inverted_boundary.clear();
            self.on_inverted_boundary.resize(positions.len(), false);
            self.mark(mesh, &wrapped);
        }
        self.folded_somewhere = folded_somewhere;
    }

    fn mark(&mut self, mesh: &SortedMesh, wrapped: &[u32]) {
        for &packed in wrapped {
            let (face, k) = (packed / 3, packed as usize % 3);
            mesh.walk_fan(face, k, |element, _| self.folded[element as usize] = true);
        }
        for (t, element) in mesh.elements.iter().enumerate() {
            if self.folded[t] {
                for v in element.vertices {
                    self.near_folded[v as usize] = true;
                }
            }
            if self.inverted[t]
                && element.neighbors.iter().any(|link| matches!(link.get(), Neighbor::Boundary(_)))
            {
                for v in element.vertices {
                    self.on_inverted_boundary[v as usize] = true;
                }
            }
        }
    }
}

/// Whether positive elements round the edge, with these vertices opposite to it in order, wrap.
///
/// Seen along the edge the apices turn one way, less than 180° at a time. Behind the plane of the first they
/// lie between 180° and 360°; one that is in front again has gone past 360°.
fn wraps([a, b]: [DVec3; 2], apices: impl Iterator<Item = DVec3>) -> bool {
    let mut apices = apices;
    let Some(first) = apices.next() else { return false };
    // Into the material: boundary faces run counter-clockwise seen from outside.
    let normal = (first - a).cross(b - a);
    let mut behind = false;
    for apex in apices {
        let side = normal.dot(apex - a);
        if behind && side >= 0.0 {
            return true;
        }
        behind |= side < 0.0;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fan_wraps_beyond_a_full_turn() {
        let edge = [DVec3::Z, DVec3::ZERO];
        let fan = |step: f64, count: i32| {
            wraps(
                edge,
                (0..=count).map(|i| {
                    let angle = (step * i as f64).to_radians();
                    DVec3::new(angle.cos(), angle.sin(), 0.3)
                }),
            )
        };
        for count in 1..4 {
            assert!(!fan(100.0, count), "{} degrees", 100 * count);
        }
        assert!(fan(100.0, 4) && fan(170.0, 3) && fan(91.0, 4) && fan(80.0, 5));
        assert!(!fan(80.0, 4) && !fan(179.0, 2) && !fan(59.9, 6));
    }
}
