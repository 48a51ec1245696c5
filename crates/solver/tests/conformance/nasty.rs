//! Input that breaks solvers: nothing, too much of one thing, no direction, no volume.

use glam::{Vec3, vec3};
use gordian_solver::{Bend, Distance, Elasticity, Material, Model, Solver, Target, Volume};

use crate::Factory;
use crate::common::*;
use crate::motion::{strained, wave_step};

const GRAVITY: Vec3 = vec3(0.0, 0.0, -9.81);

fn assert_finite(name: &str, solver: &mut dyn Solver, model: &Model) {
    for (i, (x, v)) in positions(solver, model).iter().zip(velocities(solver, model)).enumerate() {
        assert!(x.is_finite() && v.is_finite(), "{name}: particle {i} at {x}, {v}");
    }
    let energy = solver.elastic_energy().unwrap();
    assert!(energy.is_finite() && energy >= 0.0, "{name}: {energy} J");
}

pub fn nothing_at_all(make: &Factory) {
    let model = Model::default();
    let mut solver = make(&model).unwrap();
    substep(&mut *solver, 0.01, GRAVITY, 2);
    assert_eq!(solver.elastic_energy().unwrap(), 0.0);
    assert!(positions(&mut *solver, &model).is_empty());
}

pub fn particles_without_constraints(make: &Factory) {
    // A body with particles before, between and after those of its elements.
    let mut model = block([2, 2, 2], 0.1, 1e3, material(Elasticity::NeoHookean, 0.3));
    let n = model.positions.len();
    for p in [vec3(-5.0, 0.0, 0.0), vec3(0.05, 0.05, 0.05), vec3(9.0, 9.0, 9.0)] {
        model.rest_positions.push(p);
        model.positions.push(p);
        model.velocities.push(Vec3::ZERO);
        model.inverse_masses.push(1.0);
    }
    model.inverse_masses[n + 2] = 0.0;
    let mut solver = make(&model).unwrap();
    for _ in 0..20 {
        substep(&mut *solver, 0.01, Vec3::ZERO, 2);
    }
    assert_eq!(positions(&mut *solver, &model), model.positions);
    for _ in 0..20 {
        substep(&mut *solver, 0.01, GRAVITY, 2);
    }
    let x = positions(&mut *solver, &model);
    let fallen = 0.5 * 9.81 * 0.2 * 0.21;
    for i in 0..n + 2 {
        assert!((x[i] - model.positions[i] + Vec3::Z * fallen).length() < 1e-4, "particle {i}: {}", x[i]);
    }
    assert_eq!(x[n + 2], model.positions[n + 2]);
}

pub fn one_tetrahedron(make: &Factory) {
    for elasticity in [Elasticity::NeoHookean, Elasticity::NeoHookeanPair, Elasticity::Volume] {
        let mut model = tetrahedron(0.1, material(elasticity, 0.3));
        model.positions[1].x = 0.15;
        let mut solver = make(&model).unwrap();
        for _ in 0..100 {
            substep(&mut *solver, 0.01, Vec3::ZERO, 2);
        }
        assert_finite("tetrahedron", &mut *solver, &model);
        let ratio = volume_ratios(&model, &positions(&mut *solver, &model))[0];
        assert!((ratio - 1.0).abs() < 0.1, "{elasticity:?}: {ratio}");
    }
}

pub fn everything_kinematic(make: &Factory) {
    for (name, mut model) in strained() {
        model.inverse_masses.fill(0.0);
        let mut solver = make(&model).unwrap();
        for _ in 0..3 {
            substep(&mut *solver, 0.01, GRAVITY, 2);
        }
        assert_eq!(positions(&mut *solver, &model), model.positions, "{name}");
        let targets: Vec<Target> = (0..model.positions.len())
            .map(|i| Target { particle: i as u32, position: model.positions[i] * 2.0 })
            .collect();
        solver.begin_substep(0.01, GRAVITY, &targets).unwrap();
        solver.iterate().unwrap();
        solver.end_substep(None).unwrap();
        let x = positions(&mut *solver, &model);
        assert!(targets.iter().all(|t| x[t.particle as usize] == t.position), "{name}");
        assert_finite(name, &mut *solver, &model);
    }
}

/// Particles on a sphere, each tied to the first particle by a spring of length 1.
fn spokes(n: usize, hub: f32) -> Model {
    let mut noise = Noise(2);
    let mut model = Model { positions: vec![Vec3::ZERO], inverse_masses: vec![hub], ..Model::default() };
    for i in 0..n {
        model.positions.push(noise.vector() + Vec3::X * 0.1);
        model.inverse_masses.push(1.0);
        model.distances.push(Distance { particles: [0, i as u32 + 1], rest_m: 1.0, compliance: 1e-3 });
    }
    model.rest_positions = model.positions.clone();
    model.velocities = vec![Vec3::ZERO; n + 1];
    model.damping_per_s = 1.0;
    model
}

pub fn a_hub_with_many_spokes(make: &Factory) {
    // More constraints on one particle than there are colours.
    let model = spokes(300, 0.1);
    let mut solver = make(&model).unwrap();
    let before = solver.elastic_energy().unwrap();
    for _ in 0..500 {
        substep(&mut *solver, 0.01, Vec3::ZERO, 4);
    }
    let after = solver.elastic_energy().unwrap();
    assert!(after < 1e-3 * before, "{after} J of {before} J");
    let v = velocities(&mut *solver, &model);
    assert!(momentum(&model, &v).length() < 1e-2, "{}, of 300 kg", momentum(&model, &v));
}

pub fn shared_kinematic_particles(make: &Factory) {
    // Constraints of one colour share a particle that does not move: nobody may write it.
    let model = spokes(3000, 0.0);
    let mut solver = make(&model).unwrap();
    for _ in 0..100 {
        substep(&mut *solver, 0.05, Vec3::ZERO, 1);
    }
    let x = positions(&mut *solver, &model);
    assert_eq!(x[0], Vec3::ZERO);
    for p in &x[1..] {
        assert!((p.length() - 1.0).abs() < 0.05, "{p}");
    }
}

pub fn tiny_and_huge_bodies(make: &Factory) {
    for edge in [1e-5, 1e4] {
        // The pair cannot be trusted with a long step.
        for (elasticity, ratio) in [(Elasticity::NeoHookean, 0.5), (Elasticity::NeoHookeanPair, 0.1)] {
            let material = material(elasticity, 0.3);
            let mut model = block([3, 3, 3], edge, 1e3, material);
            let mut noise = Noise(4);
            model.positions.iter_mut().for_each(|p| *p += noise.vector() * (0.2 * edge as f32));
            let h = wave_step(ratio, edge, 1e3, &material);
            model.damping_per_s = 0.2 * ratio as f32 / h;
            let mut solver = make(&model).unwrap();
            let before = solver.elastic_energy().unwrap();
            for _ in 0..400 {
                substep(&mut *solver, h, Vec3::ZERO, 2);
            }
            assert_finite("block", &mut *solver, &model);
            let after = solver.elastic_energy().unwrap();
            assert!(after < 1e-3 * before, "edge {edge} m, {elasticity:?}: {after} J of {before} J");
        }
    }
}

pub fn slivers(make: &Factory) {
    // Elements a thousand times flatter than wide.
    let material = material(Elasticity::NeoHookean, 0.3);
    let mut model = block([4, 4, 3], 0.1, 1e3, material);
    model.rest_positions.iter_mut().for_each(|p| p.z *= 1e-3);
    model.positions = model.rest_positions.clone();
    model.inverse_masses.iter_mut().for_each(|w| *w *= 1e3);
    let mut solver = make(&model).unwrap();
    for _ in 0..20 {
        substep(&mut *solver, 0.01, Vec3::ZERO, 2);
    }
    assert_eq!(positions(&mut *solver, &model), model.positions);
    let mut noise = Noise(6);
    model.positions.iter_mut().for_each(|p| *p += noise.vector() * 1e-3);
    model.damping_per_s = 10.0;
    let mut solver = make(&model).unwrap();
    for _ in 0..200 {
        substep(&mut *solver, 0.01, Vec3::ZERO, 2);
        assert_finite("slivers", &mut *solver, &model);
    }
}

pub fn collapsed_and_inverted_bodies_recover(make: &Factory) {
    let edge = 0.1;
    let tilt = vec3(0.3, 0.5, 0.7).normalize();
    for poisson in [0.0, 0.3, 0.45] {
        let material = material(Elasticity::NeoHookean, poisson);
        let h = wave_step(1.0, edge, 1e3, &material);
        let mut body = block([4, 4, 4], edge, 1e3, material);
        body.damping_per_s = 0.1 / h;
        let mut noise = Noise(5);
        let mut random = |size: f32| body.positions.iter().map(|_| noise.vector() * size).collect();
        let starts: [(&str, Vec<Vec3>); 8] = [
            ("random", random(0.2)),
            ("random, tiny", random(2e-4)),
            ("mirrored", body.positions.iter().map(|p| vec3(p.x, p.y, -p.z)).collect()),
            ("inverted through a point", body.positions.iter().map(|p| -*p).collect()),
            ("in a plane", body.positions.iter().map(|p| *p - tilt * tilt.dot(*p)).collect()),
            ("in a plane of the grid", body.positions.iter().map(|p| vec3(p.x, p.y, 0.0)).collect()),
            ("on a line", body.positions.iter().map(|p| vec3(p.x, 0.0, 0.0)).collect()),
            ("in a point", body.positions.iter().map(|_| Vec3::splat(0.2)).collect()),
        ];
        for (name, start) in starts {
            let model = Model { positions: start, ..body.clone() };
            let mut solver = make(&model).unwrap();
            for _ in 0..400 {
                substep(&mut *solver, h, Vec3::ZERO, 2);
            }
            assert_finite(name, &mut *solver, &model);
            let ratios = volume_ratios(&model, &positions(&mut *solver, &model));
            let worst = ratios.iter().fold(0.0f64, |m, r| m.max((r - 1.0).abs()));
            assert!(worst < 0.01, "ν = {poisson}, {name}: volume off by {worst}");
        }
    }
}

/// Contacts may tear an element in the middle of a substep. What was pushed before, along gradients of an element hundreds of times
/// smaller, must not be taken back along those of now: it would throw the corners many times further than it was torn.
pub fn what_is_torn_within_a_substep_is_not_thrown(make: &Factory) {
    let (edge, h) = (0.1, 1e-3);
    for (stretched, torn) in [(10.0, 200.0), (15.0, 40.0), (17.0, 1000.0)] {
        let mut model = tetrahedron(edge, material(Elasticity::NeoHookean, 0.4));
        model.positions.iter_mut().for_each(|p| *p *= stretched);
        let mut solver = make(&model).unwrap();
        solver.begin_substep(h, Vec3::ZERO, &[]).unwrap();
        solver.iterate().unwrap();
        let start: Vec<Vec3> = model.rest_positions.iter().map(|p| *p * torn).collect();
        solver.write_positions(&start).unwrap();
        solver.iterate().unwrap();
        for (x, start) in positions(&mut *solver, &model).iter().zip(&start) {
            let moved = x.distance(*start);
            assert!(moved <= torn * edge, "torn to {torn}: {moved} m");
        }
    }
}

pub fn constraints_without_direction(make: &Factory) {
    // Coincident ends, triangles without area, a volume in one point, an element in one point.
    let mut model = tetrahedron(0.1, material(Elasticity::NeoHookean, 0.3));
    model.tets.clear();
    model.positions = vec![Vec3::ONE; 4];
    model.distances.push(Distance { particles: [0, 1], rest_m: 0.1, compliance: 0.0 });
    model.volumes.push(Volume { particles: [0, 1, 2, 3], rest_m3: 1e-4, compliance: 0.0 });
    model.bends.push(Bend { particles: [0, 1, 2, 3], rest_rad: 0.5, compliance: 0.0 });
    let mut line = model.clone();
    line.distances.clear();
    line.positions = [0.0, 1.0, 0.25, 0.75].map(|s| vec3(0.3, 0.7, 1.1) * s).to_vec();
    for (name, model) in [("point", model), ("line", line)] {
        let mut solver = make(&model).unwrap();
        for _ in 0..10 {
            substep(&mut *solver, 0.01, Vec3::ZERO, 2);
        }
        assert_finite(name, &mut *solver, &model);
        for (x, start) in positions(&mut *solver, &model).iter().zip(&model.positions) {
            assert!((*x - *start).length() < 1e-5, "{name}: {x} from {start}");
        }
    }
}

pub fn rigid_constraints(make: &Factory) {
    // A chain without compliance hangs from a kinematic particle; the last link joins two kinematic ones.
    let n = 12;
    let mut model = Model::default();
    for i in 0..n {
        model.positions.push(vec3(i as f32 * 0.1, 0.0, 0.0));
    }
    model.rest_positions = model.positions.clone();
    model.velocities = vec![Vec3::ZERO; n];
    model.inverse_masses = vec![1.0; n];
    for held in [0, n - 2, n - 1] {
        model.inverse_masses[held] = 0.0;
    }
    for i in (0..n as u32 - 3).chain([n as u32 - 2]) {
        model.distances.push(Distance { particles: [i, i + 1], rest_m: 0.1, compliance: 0.0 });
    }
    model.distances.last_mut().unwrap().rest_m = 0.3;
    model.damping_per_s = 1.0;
    let mut solver = make(&model).unwrap();
    for _ in 0..2000 {
        substep(&mut *solver, 0.002, GRAVITY, 8);
    }
    assert_finite("chain", &mut *solver, &model);
    let x = positions(&mut *solver, &model);
    for i in 0..n - 3 {
        assert!((x[i].distance(x[i + 1]) - 0.1).abs() < 1e-3, "link {i}");
    }
    assert_eq!(x[n - 2..], model.positions[n - 2..]);
}

pub fn extreme_poses_stay_finite(make: &Factory) {
    let mut noise = Noise(8);
    for (name, model) in strained() {
        for size in [1e-7, 1e-3, 1e2, 1e4] {
            for h in [1e-4, 0.1] {
                let mut model = model.clone();
                model.damping_per_s = 1.0;
                model.positions.iter_mut().for_each(|p| *p = noise.vector() * size);
                model.materials = vec![Material { damping_s: 1e-3, ..model.materials[0] }];
                let mut solver = make(&model).unwrap();
                for _ in 0..30 {
                    substep(&mut *solver, h, Vec3::ZERO, 2);
                }
                assert_finite(&format!("{name}, size {size}, h {h}"), &mut *solver, &model);
            }
        }
    }
}
