//! A deformable body as the world takes it, and how bodies become one model for the solver.

use std::ops::Range;

use glam::{DVec3, Vec3};
use gordian_collision::cloth::ClothMesh;
use gordian_mesh::{TetMesh, TriMesh};
use gordian_solver::{Distance, Elasticity, Material, Model, Tet};

use crate::cloth::{self, Fabric};
use crate::scene::{self, MaterialModel, Motion};

/// Coulomb friction coefficients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Friction {
    /// Static coefficient.
    pub fixed: f32,
    /// Kinetic coefficient.
    pub kinetic: f32,
}

impl From<&scene::Friction> for Friction {
    fn from(f: &scene::Friction) -> Self {
        Friction { fixed: f.static_ as f32, kinetic: f.dynamic as f32 }
    }
}

/// A volumetric body or a sheet of cloth: everything in the order of its mesh file, positions in metres.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name in reports and messages.
    pub name: String,
    /// Rest pose: the shape in which its elements are at rest. One position a vertex.
    pub rest: Vec<Vec3>,
    /// Where it starts, tangled or not; as many as `rest`.
    pub positions: Vec<Vec3>,
    /// Velocities at the start, metres per second; as many as `rest`.
    pub velocities: Vec<Vec3>,
    /// Tetrahedra, positive in the rest pose.
    pub tets: Vec<[u32; 4]>,
    /// Triangles of a sheet of cloth; none of a volume.
    pub triangles: Vec<[u32; 3]>,
    /// What a sheet of cloth is made of.
    pub fabric: Option<Fabric>,
    /// Elastic material of a volume. [`Elasticity::Volume`] makes it a mass-spring body: its edges become springs.
    pub material: Material,
    /// Density, kilograms per cubic metre.
    pub density: f32,
    /// Friction against everything.
    pub friction: Friction,
    /// Vertices that do not move by themselves.
    pub pins: Vec<PinGroup>,
}

/// As a scene gives it.
pub(crate) fn material_of(m: &scene::Material) -> Material {
    Material {
        elasticity: match m.model {
            MaterialModel::NeoHookean => Elasticity::NeoHookean,
            MaterialModel::NeoHookeanPair => Elasticity::NeoHookeanPair,
            MaterialModel::MassSpring => Elasticity::Volume,
        },
        young_pa: m.young_pa as f32,
        poisson: m.poisson as f32,
        damping_s: m.damping_s as f32,
    }
}

/// Vertices that are held, or carried along a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct PinGroup {
    /// The vertices, of the body.
    pub vertices: Vec<u32>,
    /// Motions over time, carried out in their order; none to hold.
    pub motion: Vec<Motion>,
}

impl Body {
    /// A volume at rest in the shape of `mesh`, with the material and the friction that a scene gives by default. What else it shall
    /// be is set in its fields.
    pub fn volume(name: impl Into<String>, mesh: &TetMesh) -> Self {
        Body { tets: mesh.tets.clone(), ..Self::plain(name.into(), &mesh.positions) }
    }

    /// A sheet of cloth at rest in the shape of `mesh`, with the fabric and the friction that a scene gives by default.
    pub fn cloth(name: impl Into<String>, mesh: &TriMesh) -> Self {
        let fabric = Some(Fabric::from(&scene::Fabric::default()));
        Body { triangles: mesh.triangles.clone(), fabric, ..Self::plain(name.into(), &mesh.positions) }
    }

    fn plain(name: String, positions: &[DVec3]) -> Self {
        let rest: Vec<Vec3> = positions.iter().map(|p| p.as_vec3()).collect();
        let material = scene::Material::default();
        Body {
            name,
            positions: rest.clone(),
            velocities: vec![Vec3::ZERO; rest.len()],
            rest,
            tets: Vec::new(),
            triangles: Vec::new(),
            fabric: None,
            density: material.density_kg_m3 as f32,
            material: material_of(&material),
            friction: Friction::from(&scene::Friction::default()),
            pins: Vec::new(),
        }
    }
}

/// Six times the volume of a tetrahedron, in double precision.
pub(crate) fn det6(p: [Vec3; 4]) -> f64 {
    let [a, b, c, d] = p.map(|v| v.as_dvec3());
    (b - a).cross(c - a).dot(d - a)
}

/// Appends `body` to `model`; returns the particles it was given.
///
/// A particle's mass is a quarter of the mass of each tetrahedron that uses it, or a third of that of each triangle. A vertex
/// without an element has no mass of its own and stays where it is.
pub(crate) fn append(model: &mut Model, body: &Body) -> Range<u32> {
    let first = model.positions.len() as u32;
    let mut masses = vec![0f64; body.rest.len()];
    let mut volumes = Vec::with_capacity(body.tets.len());
    for tet in &body.tets {
        let volume = det6(tet.map(|v| body.rest[v as usize])) / 6.0;
        volumes.push(volume);
        for &v in tet {
            masses[v as usize] += volume.abs() * body.density as f64 / 4.0;
        }
    }
    if let Some(fabric) = &body.fabric {
        cloth::masses(fabric, &body.rest, &body.triangles, &mut masses);
    }
    let mut inverse: Vec<f32> =
        masses.iter().map(|&m| if m > 0.0 { (1.0 / m) as f32 } else { 0.0 }).collect();
    for &pin in body.pins.iter().flat_map(|p| &p.vertices) {
        inverse[pin as usize] = 0.0;
    }
    model.rest_positions.extend_from_slice(&body.rest);
    model.positions.extend_from_slice(&body.positions);
    model.velocities.extend_from_slice(&body.velocities);
    model.inverse_masses.extend_from_slice(&inverse);
    let material = model.materials.len() as u32;
    model.materials.push(body.material);
    model.tets.extend(body.tets.iter().map(|t| Tet { particles: t.map(|v| v + first), material }));
    if body.material.elasticity == Elasticity::Volume {
        springs(model, body, first, &volumes);
    }
    if let Some(fabric) = &body.fabric {
        let mesh = ClothMesh::new(body.rest.len(), &body.triangles);
        cloth::constrain(model, fabric, &body.rest, &mesh, first);
    }
    first..model.positions.len() as u32
}

/// Springs along the edges of a mass-spring body.
///
/// A network of central forces with `Σ k L² = 6 E V` over isotropic directions has Young's modulus `E` (and
/// Poisson's ratio 1/4), so each edge takes `k = E Σ V_t / L²` over the tetrahedra `t` round it.
fn springs(model: &mut Model, body: &Body, first: u32, volumes: &[f64]) {
    const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let mut shares: Vec<([u32; 2], f64)> = body
        .tets
        .iter()
        .zip(volumes)
        .flat_map(|(tet, &volume)| {
            EDGES.map(|[i, j]| ([tet[i].min(tet[j]), tet[i].max(tet[j])], volume.abs()))
        })
        .collect();
    shares.sort_by_key(|s| s.0);
    for edge in shares.chunk_by(|a, b| a.0 == b.0) {
        let [a, b] = edge[0].0;
        let length = (body.rest[a as usize].as_dvec3() - body.rest[b as usize].as_dvec3()).length();
        let volume: f64 = edge.iter().map(|e| e.1).sum();
        let stiffness = body.material.young_pa as f64 * volume / (length * length);
        model.distances.push(Distance {
            particles: [a + first, b + first],
            rest_m: length as f32,
            compliance: (1.0 / stiffness) as f32,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masses_add_up_and_springs_are_unique() {
        let rest = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE, Vec3::splat(9.0)];
        let body = Body {
            name: "two".into(),
            positions: rest.clone(),
            velocities: vec![Vec3::ZERO; rest.len()],
            tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
            triangles: Vec::new(),
            fabric: None,
            material: Material {
                elasticity: Elasticity::Volume,
                young_pa: 1e5,
                poisson: 0.25,
                damping_s: 0.0,
            },
            density: 1000.0,
            friction: Friction::default(),
            pins: vec![PinGroup { vertices: vec![4], motion: Vec::new() }],
            rest,
        };
        let mut model = Model::default();
        append(&mut model, &body);
        assert_eq!(append(&mut model, &body), 6..12);
        assert_eq!(model.distances.len(), 18);
        assert_eq!(model.inverse_masses[4], 0.0, "pinned");
        assert_eq!(model.inverse_masses[5], 0.0, "no tetrahedron");
        let total: f64 =
            body.tets.iter().map(|t| det6(t.map(|v| body.rest[v as usize])).abs() / 6.0 * 1000.0).sum();
        let held: f64 = (0..4).map(|i| 1.0 / model.inverse_masses[i] as f64).sum();
        let of_pin = det6([1, 2, 3, 4].map(|v| body.rest[v])).abs() / 24.0 * 1000.0;
        assert!((held + of_pin - total).abs() < 1e-4 * total);
    }
}
