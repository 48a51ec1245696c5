//! Closed forms of elasticity and conservation, on the CPU solver (the oracle for the others).

use glam::{DVec3, Quat, Vec3};
use gordian_solver::{CpuSolver, Elasticity, Material, Model, Solver};

mod common;
use common::*;

/// 1 MPa, stiff enough that what it does in a substep is far above the rounding of positions.
fn stiff(elasticity: Elasticity, poisson: f32) -> Material {
    Material { young_pa: 1e6, ..material(elasticity, poisson) }
}

const KINDS: [Elasticity; 2] = [Elasticity::NeoHookean, Elasticity::NeoHookeanPair];
const EDGE: f64 = 0.1;
const DENSITY: f64 = 1e3;
const CELLS: [u32; 3] = [2, 2, 6];

fn bar(material: Material) -> Model {
    block(CELLS, EDGE, DENSITY, material)
}

/// Forces on the particles of both ends of a bar along z that a traction (pascal) pulls apart.
fn end_forces(model: &Model, traction: f64) -> Vec<Vec3> {
    let mut forces = vec![Vec3::ZERO; model.positions.len()];
    let top = model.rest_positions.iter().map(|p| p.z).fold(0.0, f32::max);
    for t in &model.tets {
        for skip in 0..4 {
            let face: Vec<u32> = (0..4).filter(|&k| k != skip).map(|k| t.particles[k]).collect();
            for (z, sign) in [(0.0, -1.0), (top, 1.0)] {
                if face.iter().all(|&p| model.rest_positions[p as usize].z == z) {
                    // Each such face is half a square of the grid.
                    let share = (sign * traction * EDGE * EDGE / 6.0) as f32;
                    face.iter().for_each(|&p| forces[p as usize].z += share);
                }
            }
        }
    }
    forces
}

/// Runs with constant forces until motion has died away.
fn settle(model: &Model, forces: &[Vec3], h: f32, iterations: usize, seconds: f32) -> Vec<Vec3> {
    let mut model = model.clone();
    model.damping_per_s = 40.0;
    let mut solver = CpuSolver::new(&model).unwrap();
    let mut v = vec![Vec3::ZERO; forces.len()];
    for _ in 0..(seconds / h) as usize {
        solver.read_velocities(&mut v).unwrap();
        for i in 0..v.len() {
            v[i] += forces[i] * (h * model.inverse_masses[i]);
        }
        solver.write_velocities(&v).unwrap();
        substep(&mut solver, h, Vec3::ZERO, iterations);
    }
    positions(&mut solver, &model)
}

/// Axial and lateral stretch of a Neo-Hookean bar under a nominal axial stress: the roots of
/// P_z = μ (a + (J-2) b²) + λ (J-1) b² - T and P_x = μ (b + (J-2) a b) + λ (J-1) a b, J = a b².
fn uniaxial(material: &Material, traction: f64) -> (f64, f64) {
    let (mu, lambda) = material.lame();
    let bisect = |f: &dyn Fn(f64) -> f64| {
        let (mut low, mut high) = (0.5, 2.0);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if f(middle) < 0.0 { low = middle } else { high = middle }
        }
        low
    };
    let lateral = |a: f64| {
        bisect(&|b: f64| {
            let j = a * b * b;
            mu * (b + (j - 2.0) * a * b) + lambda * (j - 1.0) * a * b
        })
    };
    let a = bisect(&|a: f64| {
        let b = lateral(a);
        let j = a * b * b;
        mu * (a + (j - 2.0) * b * b) + lambda * (j - 1.0) * b * b - traction
    });
    (a, lateral(a))
}

/// Mean axial and lateral stretch of a bar, from the outermost particles.
fn stretches(model: &Model, x: &[Vec3]) -> (f64, f64) {
    let extent = |axis: usize| {
        let rest = |i: usize| model.rest_positions[i].to_array()[axis];
        let far = (0..x.len()).map(rest).fold(0.0, f32::max);
        let mean = |at: f32| {
            let on: Vec<f64> =
                (0..x.len()).filter(|&i| rest(i) == at).map(|i| x[i].to_array()[axis] as f64).collect();
            on.iter().sum::<f64>() / on.len() as f64
        };
        (mean(far) - mean(0.0)) / far as f64
    };
    (extent(2), 0.5 * (extent(0) + extent(1)))
}

/// Checks a bar under tension against the closed form, to a fraction of its strain.
fn check_end_load(
    elasticity: Elasticity,
    poisson: f32,
    load: f64,
    h: f32,
    iterations: usize,
    tolerance: f64,
) {
    let material = stiff(elasticity, poisson);
    let model = bar(material);
    let traction = load * material.young_pa as f64;
    let x = settle(&model, &end_forces(&model, traction), h, iterations, 0.3);
    let (axial, lateral) = stretches(&model, &x);
    let (a, b) = uniaxial(&material, traction);
    let what = format!("{elasticity:?}, ν = {poisson}, load {load} E");
    assert!((axial - a).abs() < tolerance * (a - 1.0), "{what}: {axial} instead of {a}");
    assert!((lateral - b).abs() < tolerance * (a - 1.0), "{what}: {lateral} instead of {b}");
    if load < 0.05 {
        // Hooke's law: Poisson's ratio itself, up to the second order of the strain.
        let ratio = (1.0 - lateral) / (axial - 1.0);
        assert!((ratio - poisson as f64).abs() < 0.02, "{what}: ratio {ratio}");
    }
}

#[test]
fn a_bar_under_end_load_stretches_and_thins_as_the_closed_form_says() {
    for poisson in [0.0, 0.3, 0.45] {
        // c h / ℓ = 0.16: what is left of the error falls as its square and does not depend on the iterations, since the
        // gradient that a multiplier was found with changes within a substep.
        for load in [0.02, 0.2] {
            check_end_load(Elasticity::NeoHookean, poisson, load, 5e-4, 4, 0.006);
        }
        // c h / ℓ = 0.05: the pair's rest pose shrinks by a strain of about 0.4 (c h / ℓ)².
        check_end_load(Elasticity::NeoHookeanPair, poisson, 0.2, 1.5e-4, 4, 0.01);
    }
}

/// Mean displacement of the free end of a bar that hangs from its other end, and the closed form ρ g L²/(2E).
fn sag(h: f32, iterations: usize) -> (f64, f64) {
    // Without lateral contraction the clamped end does not disturb the closed form.
    let material = stiff(Elasticity::NeoHookean, 0.0);
    let mut model = bar(material);
    let (nodes, length, gravity) = (9, 0.6, 20.0);
    model.inverse_masses[..nodes].fill(0.0);
    let weights: Vec<Vec3> = model
        .inverse_masses
        .iter()
        .map(|&w| if w > 0.0 { Vec3::Z * (gravity as f32 / w) } else { Vec3::ZERO })
        .collect();
    let x = settle(&model, &weights, h, iterations, 0.5);
    let end = x.len() - nodes..x.len();
    let moved = end.map(|i| (x[i].z - model.positions[i].z) as f64).sum::<f64>() / nodes as f64;
    (moved, DENSITY * gravity * length * length / (2.0 * material.young_pa as f64))
}

#[test]
fn a_bar_under_its_own_weight_sags_as_the_closed_form_says_for_any_iterations_and_substeps() {
    let error = |h, iterations| {
        let (moved, wanted) = sag(h, iterations);
        (moved / wanted - 1.0).abs()
    };
    // c h / ℓ from 0.16 to 0.63.
    for (h, iterations) in [(2e-3, 4), (2e-3, 16), (2e-3, 64), (1e-3, 4), (1e-3, 16), (5e-4, 4), (5e-4, 16)] {
        let error = error(h, iterations);
        assert!(error < 0.005, "h = {h} s, {iterations} iterations: off by {error}");
    }
    // One iteration is too soft, the less so the shorter the substep.
    let one = [2e-3, 1e-3, 5e-4].map(|h| error(h, 1));
    assert!(one[0] < 0.2 && one[1] < 0.5 * one[0] && one[2] < 0.5 * one[1], "{one:?}");
}

#[test]
fn a_free_bar_vibrates_at_the_frequency_of_the_closed_form() {
    // First longitudinal mode, cos(π z / L), of a free bar without lateral contraction: half a period is L/c.
    let material = material(Elasticity::NeoHookean, 0.0);
    let mut model = bar(material);
    let length = 0.6;
    let mode: Vec<f64> =
        model.positions.iter().map(|p| (std::f64::consts::PI * p.z as f64 / length).cos()).collect();
    for (v, m) in model.velocities.iter_mut().zip(&mode) {
        *v = Vec3::Z * (0.1 * m) as f32;
    }
    let mut solver = CpuSolver::new(&model).unwrap();
    let h = 1e-3;
    let mut before = 0.0;
    for step in 1.. {
        substep(&mut solver, h, Vec3::ZERO, 8);
        let x = positions(&mut solver, &model);
        let moved: f64 = (0..x.len())
            .map(|i| mode[i] * (x[i].z - model.positions[i].z) as f64 / model.inverse_masses[i] as f64)
            .sum();
        if before > 0.0 && moved <= 0.0 {
            let half = (step as f64 - 1.0 + before / (before - moved)) * h as f64;
            let wanted = length / (material.young_pa as f64 / DENSITY).sqrt();
            // Six linear elements a half wave with lumped masses are a little slow: 1 - π²/24/36 and the lateral ones.
            assert!((half / wanted - 1.0).abs() < 0.03, "{half} s instead of {wanted} s");
            return;
        }
        before = moved;
        assert!(step < 10_000, "it does not swing back");
    }
}

#[test]
fn a_rotated_body_at_rest_stays_at_rest_to_rounding() {
    for angle in [0.3, 1.0, 2.5] {
        let material = material(Elasticity::NeoHookean, 0.4);
        let mut model = bar(material);
        let turn = Quat::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), angle);
        model.positions.iter_mut().for_each(|p| *p = turn * *p);
        let h = (EDGE / (material.young_pa as f64 / DENSITY).sqrt()) as f32;
        let mut solver = CpuSolver::new(&model).unwrap();
        for _ in 0..3000 {
            substep(&mut solver, h, Vec3::ZERO, 1);
        }
        let x = positions(&mut solver, &model);
        let furthest = x.iter().zip(&model.positions).map(|(x, p)| x.distance(*p)).fold(0.0, f32::max);
        // 95 seconds in which roundings push it about; its shape is what has to stay.
        assert!(furthest < 0.05 * EDGE as f32, "angle {angle}: {furthest} m");
        for ratio in volume_ratios(&model, &x) {
            assert!((ratio - 1.0).abs() < 1e-5, "angle {angle}: {ratio}");
        }
        let mu_volume = material.lame().0 * 24.0 * EDGE.powi(3);
        let energy =
            solver.elastic_energy().unwrap() + kinetic_energy(&model, &velocities(&mut solver, &model));
        assert!(energy < 1e-10 * mu_volume, "angle {angle}: {energy} J");
    }
}

#[test]
fn rotation_loses_no_more_than_the_integrator_does() {
    // Implicit Euler on positions turns by atan(ω h) in a substep and loses (ω h)²/2 of the angular momentum: first order
    // in h over a given time, so half the step loses half.
    let loss = |h: f32| {
        let mut model = bar(Material { young_pa: 1e5, ..material(Elasticity::NeoHookean, 0.3) });
        let centre = Vec3::new(0.1, 0.1, 0.3);
        let omega = Vec3::new(2.0, 0.5, 1.0);
        for i in 0..model.positions.len() {
            model.positions[i] -= centre;
            model.velocities[i] = omega.cross(model.positions[i]);
        }
        let mut solver = CpuSolver::new(&model).unwrap();
        let before = angular_momentum(&model, &model.positions, &model.velocities);
        for _ in 0..(1.0 / h) as usize {
            substep(&mut solver, h, Vec3::ZERO, 2);
        }
        let (x, v) = (positions(&mut solver, &model), velocities(&mut solver, &model));
        let after = angular_momentum(&model, &x, &v);
        assert!(after.angle_between(before) < 0.02, "the axis turns by {}", after.angle_between(before));
        1.0 - after.length() / before.length()
    };
    let (long, short) = (loss(2e-3), loss(1e-3));
    let omega2 = 5.25;
    assert!(long > 0.0 && long < 1.2 * omega2 * 2e-3, "{long}");
    assert!(short > 0.0 && short < 0.6 * long, "{long} and {short}");
}

#[test]
fn energy_never_rises_in_a_damped_free_run() {
    for elasticity in KINDS {
        let mut model = bar(Material { damping_s: 2e-3, ..material(elasticity, 0.4) });
        let mut noise = Noise(9);
        for i in 0..model.positions.len() {
            model.positions[i] = model.positions[i] * Vec3::new(1.2, 0.9, 1.1) + noise.vector() * 0.005;
            model.velocities[i] = Vec3::new(0.0, 0.0, model.positions[i].x) + noise.vector() * 0.1;
        }
        let mut solver = CpuSolver::new(&model).unwrap();
        let mut last = f64::INFINITY;
        let mut first = None;
        for step in 0..400 {
            substep(&mut solver, 1e-3, Vec3::ZERO, 8);
            let energy =
                kinetic_energy(&model, &velocities(&mut solver, &model)) + solver.elastic_energy().unwrap();
            let first = *first.get_or_insert(energy);
            assert!(
                energy <= last + 1e-6 * first,
                "{elasticity:?}, substep {step}: {energy} J after {last} J"
            );
            last = energy;
        }
        assert!(last < 0.7 * first.unwrap(), "{elasticity:?}: {last} J of {first:?} J");
    }
}

#[test]
fn the_order_of_elements_and_particles_does_not_matter() {
    let mut model = bar(material(Elasticity::NeoHookean, 0.4));
    // Irregular, so that no two keys along the curve are equal.
    let mut noise = Noise(12);
    model.rest_positions.iter_mut().for_each(|p| *p += noise.vector() * 0.01);
    model.positions = model.rest_positions.iter().map(|p| *p * Vec3::new(1.1, 1.0, 0.9)).collect();
    model.inverse_masses[..9].fill(0.0);
    let (n, m) = (model.positions.len(), model.tets.len());
    let (particle, element) = (|i: usize| (i * 17 + 5) % n, |i: usize| (i * 25 + 7) % m);
    assert!(n % 17 != 0 && m % 5 != 0, "both are permutations");
    let mut shuffled = model.clone();
    for i in 0..n {
        shuffled.rest_positions[particle(i)] = model.rest_positions[i];
        shuffled.positions[particle(i)] = model.positions[i];
        shuffled.inverse_masses[particle(i)] = model.inverse_masses[i];
    }
    for i in 0..m {
        // An even permutation of the corners keeps the orientation.
        let [a, b, c, d] = model.tets[i].particles.map(|p| particle(p as usize) as u32);
        shuffled.tets[element(i)].particles = if i % 2 == 0 { [b, c, a, d] } else { [d, c, b, a] };
    }
    let run = |model: &Model| {
        let mut solver = CpuSolver::new(model).unwrap();
        for _ in 0..100 {
            substep(&mut solver, 0.005, Vec3::Z * -9.81, 2);
        }
        positions(&mut solver, model)
    };
    let (plain, other) = (run(&model), run(&shuffled));
    for i in 0..n {
        let difference = plain[i].distance(other[particle(i)]);
        assert!(difference < 1e-4 * EDGE as f32, "particle {i}: {difference} m");
    }
}

#[test]
fn linear_momentum_is_kept_to_rounding_in_free_flight() {
    let mut model = block([4, 4, 4], EDGE, DENSITY, material(Elasticity::NeoHookean, 0.45));
    let mut noise = Noise(13);
    for i in 0..model.positions.len() {
        model.positions[i] += noise.vector() * 0.02;
        model.velocities[i] = noise.vector();
    }
    let mut solver = CpuSolver::new(&model).unwrap();
    let before = momentum(&model, &model.velocities);
    let (h, steps) = (2e-3, 500);
    for _ in 0..steps {
        substep(&mut solver, h, Vec3::ZERO, 2);
    }
    let change: DVec3 = momentum(&model, &velocities(&mut solver, &model)) - before;
    // A position of 0.4 m rounds to 1.5e-8 m; each rounding becomes velocity; they add up as a random walk.
    let mass = 1.0 / model.inverse_masses.iter().cloned().fold(0.0, f32::max) as f64;
    let walk = mass * 1.5e-8 / h as f64 * ((steps * 2 * model.tets.len() * 4) as f64).sqrt();
    assert!(change.length() < 10.0 * walk, "{change}, expected at most {walk}");
}
