//! What a solver owes to physics on any adapter; closed forms of elasticity are in `physics.rs`.

use glam::{DVec3, Quat, Vec3};
use gordian_solver::{Bend, Distance, Elasticity, Material, Model, Target, Volume};

use crate::Factory;
use crate::common::*;

/// Substep for which a wave in a body of these elements runs `ratio` edges: c h / ℓ with c = √(E/ρ).
pub fn wave_step(ratio: f64, edge: f64, density: f64, material: &Material) -> f32 {
    (ratio * edge / (material.young_pa as f64 / density).sqrt()) as f32
}

pub fn rest_is_exact(make: &Factory) {
    for poisson in [0.0, 0.3, 0.49] {
        let material = material(Elasticity::NeoHookean, poisson);
        let mut model = block([4, 3, 5], 0.07, 1e3, material);
        model
            .rest_positions
            .iter_mut()
            .for_each(|p| *p = Quat::from_rotation_x(0.4) * *p + Vec3::new(1.3, -0.7, 0.2));
        model.positions = model.rest_positions.clone();
        let h = wave_step(2.0, 0.07, 1e3, &material);
        for iterations in [1, 3] {
            let mut solver = make(&model).unwrap();
            for _ in 0..50 {
                substep(&mut *solver, h, Vec3::ZERO, iterations);
            }
            assert_eq!(positions(&mut *solver, &model), model.rest_positions, "ν = {poisson}");
            assert!(velocities(&mut *solver, &model).iter().all(|v| *v == Vec3::ZERO));
            assert_eq!(solver.elastic_energy().unwrap(), 0.0);
        }
    }
}

pub fn free_flight_is_exact(make: &Factory) {
    let mut noise = Noise(7);
    let n = 300;
    let mut model = Model {
        positions: (0..n).map(|_| noise.vector() * 100.0).collect(),
        velocities: (0..n).map(|_| noise.vector() * 1e-3).collect(),
        inverse_masses: vec![1.0; n],
        ..Model::default()
    };
    model.rest_positions = model.positions.clone();
    let mut solver = make(&model).unwrap();
    for _ in 0..100 {
        substep(&mut *solver, 1e-4, Vec3::ZERO, 1);
    }
    // A velocity that is below the rounding of the positions within a substep is not lost.
    assert_eq!(velocities(&mut *solver, &model), model.velocities);

    let gravity = Vec3::new(0.0, 0.0, -9.81);
    let mut solver = make(&model).unwrap();
    for _ in 0..100 {
        substep(&mut *solver, 1e-2, gravity, 1);
    }
    let x = positions(&mut *solver, &model);
    for i in 0..n {
        // x = x0 + v t + ½ g t (t + h) for the symplectic Euler step.
        let wanted = model.positions[i] + model.velocities[i] + gravity * (0.5 * 1.0 * 1.01);
        assert!((x[i] - wanted).length() < 1e-3, "{} instead of {wanted}", x[i]);
    }
}

pub fn kinematic_particles_follow_their_targets(make: &Factory) {
    let mut model = block([3, 3, 6], 0.1, 1e3, material(Elasticity::NeoHookean, 0.3));
    let held: Vec<u32> = (0..32).collect();
    held.iter().for_each(|&p| model.inverse_masses[p as usize] = 0.0);
    let mut solver = make(&model).unwrap();
    let (h, gravity) = (0.01, Vec3::new(0.0, 0.0, -9.81));
    let mut before = model.positions.clone();
    for step in 1..=60 {
        // The first half of the held particles turns, the second gets no target and stays.
        let turn = Quat::from_rotation_z(0.02 * step as f32);
        let targets: Vec<Target> = held[..16]
            .iter()
            .map(|&particle| Target { particle, position: turn * model.positions[particle as usize] })
            .collect();
        solver.begin_substep(h, gravity, &targets).unwrap();
        solver.iterate().unwrap();
        solver.iterate().unwrap();
        solver.end_substep(None).unwrap();
        let (x, v) = (positions(&mut *solver, &model), velocities(&mut *solver, &model));
        for t in &targets {
            let p = t.particle as usize;
            assert_eq!(x[p], t.position);
            assert!((v[p] - (x[p] - before[p]) / h).length() <= 1e-4 * (1.0 + v[p].length()), "{}", v[p]);
        }
        for &p in &held[16..] {
            assert_eq!((x[p as usize], v[p as usize]), (model.positions[p as usize], Vec3::ZERO));
        }
        before = x;
    }
    let x = positions(&mut *solver, &model);
    assert!(x.iter().all(|p| p.is_finite()));
    let top = x.len() - 1;
    assert!((x[top] - model.positions[top]).length() > 0.02, "the rest of the body follows");
}

/// Models of one body for each kind of constraint, in a strained pose.
pub fn strained() -> Vec<(&'static str, Model)> {
    let mut noise = Noise(3);
    let mut models = Vec::new();
    let kinds = [
        ("neo-hookean", Elasticity::NeoHookean),
        ("neo-hookean pair", Elasticity::NeoHookeanPair),
        ("volume", Elasticity::Volume),
    ];
    for (name, elasticity) in kinds {
        models.push((name, block([2, 2, 2], 0.1, 1e3, material(elasticity, 0.3))));
    }
    let bare = || {
        let mut model = block([2, 2, 2], 0.1, 1e3, material(Elasticity::NeoHookean, 0.3));
        let tets = std::mem::take(&mut model.tets);
        (model, tets)
    };
    let (mut springs, tets) = bare();
    let (mut volumes, _) = bare();
    let (mut folds, _) = bare();
    for t in &tets {
        let [a, b, c, d] = t.particles;
        for (a, b) in [(a, b), (a, c), (a, d), (b, c), (b, d), (c, d)] {
            let rest_m = springs.positions[a as usize].distance(springs.positions[b as usize]);
            springs.distances.push(Distance { particles: [a, b], rest_m, compliance: 1e-3 });
        }
        let rest_m3 = 0.001 / 6.0;
        volumes.volumes.push(Volume { particles: t.particles, rest_m3, compliance: 1e-7 });
    }
    // A strip of the grid's triangles in the plane z = 0, flat at rest.
    for y in 0..2 {
        for x in 0..2 {
            let at = |i: u32, j: u32| x + i + 3 * (y + j);
            folds.bends.push(Bend {
                particles: [at(0, 0), at(1, 1), at(0, 1), at(1, 0)],
                rest_rad: 0.0,
                compliance: 0.05,
            });
        }
    }
    models.extend([("distance", springs), ("volume constraint", volumes), ("bend", folds)]);
    for (_, model) in &mut models {
        model.positions.iter_mut().for_each(|p| *p += noise.vector() * 0.02);
    }
    models
}

pub fn momentum_is_conserved(make: &Factory) {
    for (name, mut model) in strained() {
        // One correction: no force and no torque, up to the rounding of the positions. The order of the corrections
        // matters little here, and for a single constraint not at all.
        let centre = model.positions.iter().sum::<Vec3>() / model.positions.len() as f32;
        model.positions.iter_mut().for_each(|p| *p -= centre);
        for single in [true, false] {
            let mut model = model.clone();
            if single {
                model.tets.truncate(1);
                model.distances.truncate(1);
                model.volumes.truncate(1);
                model.bends.truncate(1);
            }
            let mut solver = make(&model).unwrap();
            solver.begin_substep(0.01, Vec3::ZERO, &[]).unwrap();
            solver.iterate().unwrap();
            let x = positions(&mut *solver, &model);
            let (mut push, mut turn, mut size, mut rounding) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0);
            for i in 0..x.len() {
                let mass = 1.0 / model.inverse_masses[i] as f64;
                let from = model.positions[i].as_dvec3();
                let change = mass * (x[i].as_dvec3() - from);
                push += change;
                turn += from.cross(change);
                size += change.length();
                rounding += mass * from.length() * f32::EPSILON as f64;
            }
            assert!(size > 0.0, "{name}: nothing has moved");
            assert!(push.length() < 1e-5 * size + rounding, "{name}: {push} of {size}");
            // The pair solves its second constraint where the first has moved it.
            if single && name != "neo-hookean pair" {
                assert!(turn.length() < (1e-5 * size + rounding) * 0.2, "{name}: {turn} of {size}");
            }
            solver.end_substep(None).unwrap();
            let before = momentum(&model, &velocities(&mut *solver, &model));
            for _ in 0..100 {
                substep(&mut *solver, 0.01, Vec3::ZERO, 2);
            }
            let v = velocities(&mut *solver, &model);
            let scale: f64 =
                v.iter().zip(&model.inverse_masses).map(|(v, w)| v.length() as f64 / *w as f64).sum();
            let change = (momentum(&model, &v) - before).length();
            assert!(change < 1e-4 * (scale + size / 0.01), "{name}: {change} of {scale}");
        }
    }
}

pub fn every_constraint_relaxes(make: &Factory) {
    for (name, mut model) in strained() {
        model.damping_per_s = 2.0;
        let mut solver = make(&model).unwrap();
        let before = solver.elastic_energy().unwrap();
        for _ in 0..1500 {
            substep(&mut *solver, 0.005, Vec3::ZERO, 2);
        }
        let after = solver.elastic_energy().unwrap();
        assert!(before > 0.0 && after < 1e-3 * before, "{name}: {after} J of {before} J are left");
    }
}

pub fn material_damping_slows_strain_only(make: &Factory) {
    for elasticity in [Elasticity::NeoHookean, Elasticity::NeoHookeanPair, Elasticity::Volume] {
        let run = |damping_s: f32| {
            let mut model = block([2, 2, 4], 0.1, 1e3, Material { damping_s, ..material(elasticity, 0.3) });
            for (p, v) in model.rest_positions.iter().zip(&mut model.velocities) {
                *v = Vec3::new(0.0, 0.5, 0.0) + (*p - Vec3::new(0.1, 0.1, 0.2)) * 0.5;
            }
            let mut solver = make(&model).unwrap();
            for _ in 0..100 {
                substep(&mut *solver, 0.002, Vec3::ZERO, 4);
            }
            let v = velocities(&mut *solver, &model);
            let mass: f64 = model.inverse_masses.iter().map(|&w| 1.0 / w as f64).sum();
            let mean = momentum(&model, &v) / mass;
            let inner: Vec<Vec3> = v.iter().map(|v| *v - mean.as_vec3()).collect();
            (mean, kinetic_energy(&model, &inner) + solver.elastic_energy().unwrap())
        };
        let ((free_mean, free), (damped_mean, damped)) = (run(0.0), run(0.02));
        for mean in [free_mean, damped_mean] {
            assert!((mean - DVec3::Y * 0.5).length() < 1e-3, "{elasticity:?}: mean velocity {mean}");
        }
        // Volume constraints alone resist, and damp, changes of volume only.
        let most = if elasticity == Elasticity::Volume { 0.8 } else { 0.7 };
        assert!(damped < most * free, "{elasticity:?}: {damped} J damped, {free} J not");
    }
}

pub fn the_same_run_gives_the_same_bits(make: &Factory) {
    let mut model = block([9, 8, 7], 0.1, 1e3, material(Elasticity::NeoHookean, 0.4));
    let mut noise = Noise(11);
    model.positions.iter_mut().for_each(|p| *p += noise.vector() * 0.05);
    let run = || {
        let mut solver = make(&model).unwrap();
        for _ in 0..20 {
            substep(&mut *solver, 0.005, Vec3::new(0.0, 0.0, -9.81), 2);
        }
        (positions(&mut *solver, &model), velocities(&mut *solver, &model), solver.elastic_energy().unwrap())
    };
    assert_eq!(run(), run());
}

pub fn scales_do_not_matter(make: &Factory) {
    // Lengths by s, stiffness by s, time by √s: the same dimensionless problem (ρ g L / E, g t² / L).
    let run = |s: f64| {
        let stiff = Material { young_pa: (2e4 * s) as f32, ..material(Elasticity::NeoHookean, 0.4) };
        let mut model = block([2, 2, 6], 0.1 * s, 1e3, stiff);
        model.inverse_masses[..9].fill(0.0);
        let mut solver = make(&model).unwrap();
        for _ in 0..200 {
            substep(&mut *solver, (0.004 * s.sqrt()) as f32, Vec3::new(3.0, 0.0, -9.81), 2);
        }
        positions(&mut *solver, &model).iter().map(|p| p.as_dvec3() / s).collect::<Vec<_>>()
    };
    let metre = run(1.0);
    let moved = metre.iter().map(|p| p.z).fold(0.0, f64::max) - 0.6;
    assert!(moved.abs() > 0.01, "something happens");
    for s in [1e-3, 1e3] {
        for (a, b) in metre.iter().zip(run(s)) {
            assert!((*a - b).length() < 1e-3 * 0.6, "{a} at 1 m, {b} at {s} m");
        }
    }
}
