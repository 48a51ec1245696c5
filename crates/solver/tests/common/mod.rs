//! Bodies for tests, and small helpers round a solver.
#![allow(dead_code, reason = "each test program uses some of these")]

use glam::{DVec3, Vec3};
use gordian_solver::{Elasticity, Material, Model, Solver, Tet};

/// A soft rubber: 10 kPa.
pub fn material(elasticity: Elasticity, poisson: f32) -> Material {
    Material { elasticity, young_pa: 1e4, poisson, damping_s: 0.0 }
}

/// A block of `cells` cubes with the given edge, six tetrahedra each (Kuhn), at rest; masses are those of the elements,
/// shared by their particles, for `density` in kg/m³.
pub fn block(cells: [u32; 3], edge: f64, density: f64, material: Material) -> Model {
    let [nx, ny, nz] = cells;
    let id = |at: [u32; 3]| at[0] + (nx + 1) * (at[1] + (ny + 1) * at[2]);
    let mut model = Model::default();
    for z in 0..=nz {
        for y in 0..=ny {
            for x in 0..=nx {
                model.rest_positions.push((DVec3::new(x as f64, y as f64, z as f64) * edge).as_vec3());
            }
        }
    }
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                for (axes, odd) in KUHN {
                    let mut at = [x, y, z];
                    let mut particles = [id(at); 4];
                    for (corner, axis) in particles[1..].iter_mut().zip(axes) {
                        at[axis] += 1;
                        *corner = id(at);
                    }
                    if odd {
                        particles.swap(2, 3);
                    }
                    model.tets.push(Tet { particles, material: 0 });
                }
            }
        }
    }
    model.positions = model.rest_positions.clone();
    model.velocities = vec![Vec3::ZERO; model.positions.len()];
    let mut masses = vec![0.0; model.positions.len()];
    for t in &model.tets {
        for p in t.particles {
            masses[p as usize] += density * edge.powi(3) / 24.0;
        }
    }
    model.inverse_masses = masses.iter().map(|m| (1.0 / m) as f32).collect();
    model.materials.push(material);
    model
}

const KUHN: [([usize; 3], bool); 6] = [
    ([0, 1, 2], false),
    ([0, 2, 1], true),
    ([1, 0, 2], true),
    ([1, 2, 0], false),
    ([2, 0, 1], false),
    ([2, 1, 0], true),
];

/// One tetrahedron, its right angle at the origin.
pub fn tetrahedron(edge: f32, material: Material) -> Model {
    let rest = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|p| p * edge);
    Model {
        rest_positions: rest.to_vec(),
        positions: rest.to_vec(),
        velocities: vec![Vec3::ZERO; 4],
        inverse_masses: vec![1.0; 4],
        materials: vec![material],
        tets: vec![Tet { particles: [0, 1, 2, 3], material: 0 }],
        ..Model::default()
    }
}

/// One substep.
pub fn substep(solver: &mut dyn Solver, h: f32, gravity: Vec3, iterations: usize) {
    solver.begin_substep(h, gravity, &[]).expect("begins");
    for _ in 0..iterations {
        solver.iterate().expect("iterates");
    }
    solver.end_substep(None).expect("ends");
}

/// Positions, in the user's order.
pub fn positions(solver: &mut dyn Solver, model: &Model) -> Vec<Vec3> {
    let mut out = vec![Vec3::NAN; model.positions.len()];
    solver.read_positions(&mut out).expect("reads");
    out
}

/// Velocities, in the user's order.
pub fn velocities(solver: &mut dyn Solver, model: &Model) -> Vec<Vec3> {
    let mut out = vec![Vec3::NAN; model.positions.len()];
    solver.read_velocities(&mut out).expect("reads");
    out
}

/// Volumes of the elements against their rest volumes.
pub fn volume_ratios(model: &Model, positions: &[Vec3]) -> Vec<f64> {
    let six = |x: &[Vec3], t: &Tet| {
        let [a, b, c, d] = t.particles.map(|p| x[p as usize].as_dvec3());
        (b - a).cross(c - a).dot(d - a)
    };
    model.tets.iter().map(|t| six(positions, t) / six(&model.rest_positions, t)).collect()
}

/// Kinetic energy, joule; particles without inverse mass do not count.
pub fn kinetic_energy(model: &Model, velocities: &[Vec3]) -> f64 {
    let of = |(v, &w): (&Vec3, &f32)| {
        if w > 0.0 { 0.5 * v.as_dvec3().length_squared() / w as f64 } else { 0.0 }
    };
    velocities.iter().zip(&model.inverse_masses).map(of).sum()
}

/// Linear momentum.
pub fn momentum(model: &Model, velocities: &[Vec3]) -> DVec3 {
    velocities.iter().zip(&model.inverse_masses).map(|(v, &w)| v.as_dvec3() / w as f64).sum()
}

/// Angular momentum about the origin.
pub fn angular_momentum(model: &Model, positions: &[Vec3], velocities: &[Vec3]) -> DVec3 {
    let of = |((x, v), &w): ((&Vec3, &Vec3), &f32)| x.as_dvec3().cross(v.as_dvec3()) / w as f64;
    positions.iter().zip(velocities).zip(&model.inverse_masses).map(of).sum()
}

/// Pseudo-random numbers in [-1, 1): a fixed sequence for each seed (splitmix64).
pub struct Noise(pub u64);

impl Noise {
    /// The next number.
    pub fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
    /// A vector with such components.
    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}
