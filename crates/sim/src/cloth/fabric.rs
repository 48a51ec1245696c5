//! From a fabric to masses and constraints.

use glam::{DVec3, Vec3};
use gordian_collision::cloth::ClothMesh;
use gordian_solver::{Bend, Distance, Model};

use crate::scene;

/// A fabric as the world takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabric {
    /// Kilograms per square metre.
    pub density: f64,
    /// Newton per metre of width: along the warp, along the weft, in shear.
    pub stiffness: [f64; 3],
    /// Flexural rigidity, newton metre.
    pub bend: f64,
    /// Direction of the warp in the rest pose.
    pub warp: DVec3,
}

impl From<&scene::Fabric> for Fabric {
    fn from(f: &scene::Fabric) -> Self {
        Fabric {
            density: f.density_kg_m2,
            stiffness: [f.warp_n_m, f.weft_n_m, f.shear_n_m],
            bend: f.bend_n_m,
            warp: f.warp.into(),
        }
    }
}

/// Mass of each vertex, kilograms: a third of that of each triangle round it.
pub(crate) fn masses(fabric: &Fabric, rest: &[Vec3], triangles: &[[u32; 3]], masses: &mut [f64]) {
    for t in triangles {
        let mass = fabric.density * area(t.map(|v| rest[v as usize].as_dvec3()));
        t.iter().for_each(|&v| masses[v as usize] += mass / 3.0);
    }
}

/// Appends springs along the edges and hinges across them; `first` is the first particle of the sheet.
///
/// An edge of length `L` with triangles of area `A` beside it has stiffness `E A / L²`, where E is the modulus in its direction:
/// the edges along the threads of a square grid get the modulus itself. A hinge has the energy
/// `½ D θ² 3 L² / A` (E. Grinspun et al., "Discrete Shells", SCA 2003). Edges of more than two triangles do not bend.
pub(crate) fn constrain(model: &mut Model, fabric: &Fabric, rest: &[Vec3], mesh: &ClothMesh, first: u32) {
    let at = |v: u32| rest[v as usize].as_dvec3();
    for (i, edge) in mesh.edges.iter().enumerate() {
        let [a, b] = edge.vertices;
        let beside = mesh.triangles_at(i as u32);
        let total: f64 = beside.iter().map(|&t| area(mesh.triangles[t as usize].map(at))).sum();
        let along = at(b) - at(a);
        let length = along.length();
        let stiffness = fabric.modulus(along) * total / (length * length);
        if stiffness > 0.0 && stiffness.is_finite() {
            model.distances.push(Distance {
                particles: [a + first, b + first],
                rest_m: length as f32,
                compliance: (1.0 / stiffness) as f32,
            });
        }
        // A triangle that is there twice lies on itself: there is no hinge between the two.
        if let &[s, t] = beside
            && mesh.opposite(s, i as u32) != mesh.opposite(t, i as u32)
            && fabric.bend > 0.0
            && total > 0.0
        {
            let rigidity = fabric.bend * 3.0 * length * length / total;
            model.bends.push(hinge(mesh, rest, i as u32, [s, t], first, 1.0 / rigidity));
        }
    }
}

/// The hinge over an edge, its rest angle that of the rest pose.
fn hinge(mesh: &ClothMesh, rest: &[Vec3], edge: u32, [s, t]: [u32; 2], first: u32, compliance: f64) -> Bend {
    let [mut a, mut b] = mesh.edges[edge as usize].vertices;
    // The first triangle runs from a to b.
    let tri = mesh.triangles[s as usize];
    if !(0..3).any(|k| tri[k] == a && tri[(k + 1) % 3] == b) {
        std::mem::swap(&mut a, &mut b);
    }
    let (c, d) = (mesh.opposite(s, edge), mesh.opposite(t, edge));
    let at = |v: u32| rest[v as usize].as_dvec3();
    let e = at(b) - at(a);
    let (n1, n2) = (e.cross(at(c) - at(a)), (at(d) - at(a)).cross(e));
    let angle = n1.cross(n2).dot(e.normalize_or_zero()).atan2(n1.dot(n2));
    Bend {
        particles: [a, b, c, d].map(|v| v + first),
        rest_rad: (angle as f32).clamp(-std::f32::consts::PI, std::f32::consts::PI),
        compliance: compliance as f32,
    }
}

impl Fabric {
    /// Modulus along a direction of the rest pose: `warp c⁴ + weft s⁴ + 4 shear c² s²`, with cosine and sine of the angle to the warp.
    fn modulus(&self, along: DVec3) -> f64 {
        let cos = along.normalize_or_zero().dot(self.warp.normalize_or_zero());
        let (c2, s2) = (cos * cos, (1.0 - cos * cos).max(0.0));
        let [warp, weft, shear] = self.stiffness;
        warp * c2 * c2 + weft * s2 * s2 + 4.0 * shear * c2 * s2
    }
}

fn area([a, b, c]: [DVec3; 3]) -> f64 {
    0.5 * (b - a).cross(c - a).length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gordian_mesh::generate::cloth_grid;

    #[test]
    fn a_sheet_has_its_mass_and_the_stiffness_of_its_threads() {
        let sheet = cloth_grid(2.0, 1.0, 8, 4).unwrap();
        let rest: Vec<Vec3> = sheet.positions.iter().map(|p| p.as_vec3()).collect();
        let fabric = Fabric { density: 0.3, stiffness: [900.0, 500.0, 100.0], bend: 0.02, warp: DVec3::X };
        let mut m = vec![0.0; rest.len()];
        masses(&fabric, &rest, &sheet.triangles, &mut m);
        assert!((m.iter().sum::<f64>() - 0.6).abs() < 1e-9);
        let mesh = ClothMesh::of(&sheet);
        let mut model = Model::default();
        constrain(&mut model, &fabric, &rest, &mesh, 7);
        assert_eq!(model.distances.len(), mesh.edges.len());
        // One column of warp threads carries the modulus times its width: springs in parallel, half at both borders.
        let across: f64 = model
            .distances
            .iter()
            .filter(|d| {
                let [a, b] = d.particles.map(|p| rest[p as usize - 7]);
                a.y == b.y && a.x.min(b.x) == -1.0
            })
            .map(|d| 1.0 / d.compliance as f64)
            .sum();
        assert!((across * 0.25 - 900.0).abs() < 0.1, "{across}");
        assert!(model.bends.iter().all(|b| b.rest_rad.abs() < 1e-6 && b.particles.iter().all(|&p| p >= 7)));
    }
}
