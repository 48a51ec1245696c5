//! What the face of a solver promises: checks, orders, the meaning of each stage.

use glam::{Mat3, Vec3};
use gordian_solver::{Bend, Distance, Elasticity, Material, Model, ModelError, SolverError, Target, Volume};

use crate::Factory;
use crate::common::*;

fn refusal(make: &Factory, what: &str, spoil: impl FnOnce(&mut Model)) -> ModelError {
    let mut model = tetrahedron(0.1, material(Elasticity::NeoHookean, 0.3));
    model.distances.push(Distance { particles: [0, 1], rest_m: 0.1, compliance: 0.0 });
    model.volumes.push(Volume { particles: [0, 1, 2, 3], rest_m3: 1e-4, compliance: 0.0 });
    model.bends.push(Bend { particles: [0, 1, 2, 3], rest_rad: 0.0, compliance: 0.0 });
    spoil(&mut model);
    match make(&model) {
        Err(SolverError::Model(error)) => error,
        Err(error) => panic!("{what}: {error}"),
        Ok(_) => panic!("{what} was taken"),
    }
}

pub fn unsound_models_are_refused_with_the_index(make: &Factory) {
    let error = refusal(make, "missing velocity", |m| _ = m.velocities.pop());
    assert_eq!(error, ModelError::Length { array: "velocities", len: 3, particles: 4 });
    let error = refusal(make, "unknown particle", |m| m.tets[0].particles[2] = 9);
    let wanted = ModelError::Index { constraint: "tetrahedron", index: 0, particle: 9, particles: 4 };
    assert_eq!(error, wanted);

    type Spoil = fn(&mut Model);
    let values: [(&str, usize, Spoil); 17] = [
        ("position", 2, |m| m.positions[2].y = f32::NAN),
        ("rest position", 1, |m| m.rest_positions[1].z = f32::INFINITY),
        ("velocity", 3, |m| m.velocities[3].x = f32::NAN),
        ("inverse mass", 0, |m| m.inverse_masses[0] = -1.0),
        ("inverse mass", 1, |m| m.inverse_masses[1] = f32::INFINITY),
        ("damping rate", 0, |m| m.damping_per_s = -0.1),
        ("material", 0, |m| m.materials[0].young_pa = 0.0),
        ("material", 0, |m| m.materials[0].poisson = 0.5),
        ("material", 0, |m| m.materials[0].damping_s = f32::NAN),
        ("tetrahedron", 0, |m| m.tets[0].material = 1),
        ("tetrahedron", 0, |m| m.tets[0].particles = [0, 1, 1, 3]),
        ("tetrahedron", 0, |m| m.tets[0].particles = [1, 0, 2, 3]),
        ("tetrahedron", 0, |m| m.rest_positions[3] = Vec3::new(0.03, 0.02, 0.0)),
        ("distance", 0, |m| m.distances[0].compliance = f32::NAN),
        ("distance", 0, |m| m.distances[0].particles = [2, 2]),
        ("volume", 0, |m| m.volumes[0].compliance = -1.0),
        ("bend", 0, |m| m.bends[0].rest_rad = 4.0),
    ];
    for (thing, which, spoil) in values {
        match refusal(make, thing, spoil) {
            ModelError::Value { what, index, message } => {
                assert_eq!((what, index), (thing, which), "{message}");
                assert!(!message.is_empty());
            }
            error => panic!("{thing}: {error}"),
        }
    }
}

pub fn arguments_are_checked(make: &Factory) {
    let mut model = tetrahedron(0.1, material(Elasticity::NeoHookean, 0.3));
    model.inverse_masses[1] = 0.0;
    let mut solver = make(&model).unwrap();
    let target = |particle, x| Target { particle, position: Vec3::splat(x) };
    for h in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(solver.begin_substep(h, Vec3::ZERO, &[]).is_err(), "{h} s");
    }
    assert!(solver.begin_substep(0.01, Vec3::NAN, &[]).is_err());
    assert!(solver.begin_substep(0.01, Vec3::ZERO, &[target(4, 0.0)]).is_err(), "no such particle");
    assert!(solver.begin_substep(0.01, Vec3::ZERO, &[target(0, 0.0)]).is_err(), "not kinematic");
    assert!(solver.begin_substep(0.01, Vec3::ZERO, &[target(1, f32::NAN)]).is_err(), "not finite");
    solver.begin_substep(0.01, Vec3::ZERO, &[target(1, 0.0)]).unwrap();
    assert!(solver.end_substep(Some(&[Vec3::ZERO; 3])).is_err());
    assert!(solver.read_positions(&mut [Vec3::ZERO; 5]).is_err());
    assert!(solver.write_positions(&[Vec3::ZERO; 3]).is_err());
    assert!(solver.read_velocities(&mut []).is_err());
    assert!(solver.write_velocities(&[Vec3::ZERO; 3]).is_err());
    // None of the refusals has changed anything.
    solver.end_substep(None).unwrap();
    assert!(!solver.adapter().name.is_empty() && !solver.adapter().backend.is_empty());
}

pub fn stages_come_in_order(make: &Factory) {
    let model = tetrahedron(0.1, material(Elasticity::NeoHookean, 0.3));
    let mut solver = make(&model).unwrap();
    assert!(matches!(solver.iterate(), Err(SolverError::NotBegun)));
    assert!(matches!(solver.end_substep(None), Err(SolverError::NotBegun)));
    substep(&mut *solver, 0.01, Vec3::ZERO, 1);
    assert!(matches!(solver.iterate(), Err(SolverError::NotBegun)));
}

pub fn order_is_the_users(make: &Factory) {
    // Far more particles than any block or workgroup, in an order that is nowhere near that of the curve.
    let mut model = block([5, 5, 5], 0.1, 1e3, material(Elasticity::NeoHookean, 0.3));
    let n = model.positions.len();
    let shuffled: Vec<usize> = (0..n).map(|i| i * 5 % n).collect();
    let mut new_index = vec![0; n];
    for (new, &old) in shuffled.iter().enumerate() {
        new_index[old] = new as u32;
    }
    let rest: Vec<Vec3> = shuffled.iter().map(|&old| model.rest_positions[old]).collect();
    model.rest_positions = rest.clone();
    model.positions = rest;
    model.tets.iter_mut().for_each(|t| t.particles = t.particles.map(|p| new_index[p as usize]));
    let mut noise = Noise(1);
    model.velocities = (0..n).map(|_| noise.vector()).collect();

    let mut solver = make(&model).unwrap();
    assert_eq!(positions(&mut *solver, &model), model.positions);
    assert_eq!(velocities(&mut *solver, &model), model.velocities);
    let x: Vec<Vec3> = (0..n).map(|_| noise.vector()).collect();
    let v: Vec<Vec3> = (0..n).map(|_| noise.vector()).collect();
    solver.write_positions(&x).unwrap();
    solver.write_velocities(&v).unwrap();
    assert_eq!(positions(&mut *solver, &model), x);
    assert_eq!(velocities(&mut *solver, &model), v);
}

pub fn shifts_do_not_become_velocity(make: &Factory) {
    let model = Model { tets: vec![], ..tetrahedron(0.1, material(Elasticity::NeoHookean, 0.3)) };
    let mut solver = make(&model).unwrap();
    let h = 0.125;
    solver.begin_substep(h, Vec3::ZERO, &[]).unwrap();
    let (push, part) = (Vec3::new(0.5, 0.0, -0.25), Vec3::new(0.25, 0.0, -0.25));
    let mut x = positions(&mut *solver, &model);
    x[2] += push;
    solver.write_positions(&x).unwrap();
    let mut shift = vec![Vec3::ZERO; 4];
    shift[2] = part;
    solver.end_substep(Some(&shift)).unwrap();
    let v = velocities(&mut *solver, &model);
    assert!((v[2] - (push - part) / h).length() < 1e-5, "{}", v[2]);
    assert_eq!([v[0], v[1], v[3]], [Vec3::ZERO; 3]);
    assert_eq!(positions(&mut *solver, &model), x);
}

pub fn velocity_damping_is_exponential(make: &Factory) {
    let mut model = Model { tets: vec![], ..tetrahedron(0.1, material(Elasticity::NeoHookean, 0.3)) };
    model.velocities = vec![Vec3::new(2.0, 0.0, 0.0); 4];
    model.damping_per_s = 1.5;
    let mut solver = make(&model).unwrap();
    for _ in 0..100 {
        substep(&mut *solver, 0.01, Vec3::ZERO, 1);
    }
    let v = velocities(&mut *solver, &model);
    assert!((v[0].x / (2.0 * (-1.5f32).exp()) - 1.0).abs() < 1e-4, "{}", v[0].x);
}

pub fn energy_is_analytic(make: &Factory) {
    // Uniform deformation of a block: volume times the energy density of the closed form.
    let f = Mat3::from_cols(Vec3::new(1.2, 0.0, 0.1), Vec3::new(-0.3, 0.9, 0.0), Vec3::new(0.0, 0.2, 0.8));
    let shapes = [
        ("rest", Mat3::IDENTITY),
        ("stretched", f),
        ("hardly strained", Mat3::from_diagonal(Vec3::new(1.0 + 1.0 / 1024.0, 1.0, 1.0))),
        ("inverted", Mat3::from_diagonal(Vec3::new(1.0, 1.0, -0.5))),
        ("turned", Mat3::from_rotation_y(2.0)),
    ];
    for elasticity in [Elasticity::NeoHookean, Elasticity::NeoHookeanPair] {
        for (name, f) in shapes {
            let mut model = block([3, 3, 4], 0.1, 1e3, material(elasticity, 0.4));
            model.positions.iter_mut().for_each(|p| *p = f * *p);
            let mut solver = make(&model).unwrap();
            let (mu, lambda) = model.materials[0].lame();
            let f = f.as_dmat3();
            let j = f.determinant();
            let square =
                (f.transpose() * f).col(0).x + (f.transpose() * f).col(1).y + (f.transpose() * f).col(2).z;
            let density = 0.5 * mu * (square + j * j - 4.0 * j) + 0.5 * lambda * (j - 1.0).powi(2);
            let volume = 36.0 * 0.1f64.powi(3);
            let energy = solver.elastic_energy().unwrap();
            let scale = (density * volume).max(1e-8 * mu * volume);
            assert!(
                (energy - density * volume).abs() < 2e-3 * scale,
                "{name}: {energy} J, {}",
                density * volume
            );
        }
    }
    // A spring, a volume and a fold, each stretched by a known amount.
    let mut model = tetrahedron(1.0, Material { young_pa: 30.0, ..material(Elasticity::Volume, 0.0) });
    model.distances.push(Distance { particles: [1, 2], rest_m: 1.0, compliance: 0.5 });
    model.volumes.push(Volume { particles: [0, 1, 2, 3], rest_m3: 0.5, compliance: 4.0 });
    model.bends.push(Bend { particles: [0, 1, 2, 3], rest_rad: 0.0, compliance: 2.0 });
    let mut model2 = model.clone();
    model2.positions[3].z = 2.0;
    let spring = 0.5 * (2.0f64.sqrt() - 1.0).powi(2) / 0.5;
    let volume = |v: f64| 0.5 * (6.0 * v - 3.0).powi(2) / 4.0;
    let bulk = |v: f64| 0.5 * 30.0 / 6.0 * (6.0 * v - 1.0).powi(2);
    let fold = 0.5 * (std::f64::consts::FRAC_PI_2).powi(2) / 2.0;
    for (model, v) in [(&model, 1.0 / 6.0), (&model2, 2.0 / 6.0)] {
        let energy = make(model).unwrap().elastic_energy().unwrap();
        let wanted = spring + volume(v) + bulk(v) + fold;
        assert!((energy / wanted - 1.0).abs() < 1e-5, "{energy} J instead of {wanted}");
    }
}
