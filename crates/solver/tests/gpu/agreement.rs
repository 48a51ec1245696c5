//! The same results as on the CPU, and the same as before.

use glam::Vec3;
use gordian_solver::gpu::GpuSolver;
use gordian_solver::{CpuSolver, Elasticity, Solver, Target};

use crate::models::{self, adapter};
use crate::{bits, run};

/// Rounding differs between the two (a device may contract products and sums, and its division and square root are
/// not correctly rounded), and the difference grows with the substeps.
const TOLERANCE: f32 = 2e-4;

fn largest_difference(a: &[Vec3], b: &[Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn every_constraint_does_what_it_does_on_the_cpu() {
    let Some(adapter) = adapter("agreement with the CPU solver") else { return };
    for (name, model) in models::every_kind() {
        let n = model.positions.len();
        let (mut gpu, mut cpu) = (GpuSolver::new(&model, &adapter).unwrap(), CpuSolver::new(&model).unwrap());
        let (before, expected) = (gpu.elastic_energy().unwrap(), cpu.elastic_energy().unwrap());
        assert!((before - expected).abs() <= 1e-5 * expected, "{name}: {before} J, not {expected} J");
        assert!(expected > 0.0, "{name}: the test needs a deformed start");

        let [x, v] = run(&mut gpu, n, 20).unwrap();
        let [y, u] = run(&mut cpu, n, 20).unwrap();
        let moved = largest_difference(&y, &model.positions);
        assert!(moved > 2e-3, "{name}: the test needs motion, not {moved} m");
        let (dx, dv) = (largest_difference(&x, &y), largest_difference(&v, &u));
        println!("{name}: {dx:.1e} m of {moved:.1e} m, {dv:.1e} m/s");
        // An edge is 1 cm long, and a velocity of one edge a substep is 10 m/s.
        assert!(dx <= TOLERANCE * 0.01, "{name}: positions differ by {dx} m");
        assert!(dv <= TOLERANCE * 10.0, "{name}: velocities differ by {dv} m/s");

        let (energy, expected) = (gpu.elastic_energy().unwrap(), cpu.elastic_energy().unwrap());
        assert!((energy - expected).abs() <= 1e-3 * before, "{name}: {energy} J, not {expected} J");
    }
}

#[test]
fn far_from_rest_and_collapsed_elements_do_what_they_do_on_the_cpu() {
    let Some(adapter) = adapter("inverted and collapsed elements") else { return };
    for (name, squash) in [
        ("inverted", Vec3::new(-0.8, 1.0, 1.1)),
        ("stretched", Vec3::new(4.0, 0.5, 2.0)),
        ("torn", Vec3::new(40.0, 1.5, 2.0)),
        ("flat", Vec3::new(1.0, 0.0, 1.0)),
        ("collapsed", Vec3::new(0.02, 0.03, 0.025)),
        ("a point", Vec3::ZERO),
    ] {
        for elasticity in [Elasticity::NeoHookean, Elasticity::NeoHookeanPair] {
            let mut model = models::block([2, 1, 1], elasticity);
            for (x, w) in model.positions.iter_mut().zip(&mut model.inverse_masses) {
                *x *= squash;
                *w = 1000.0;
            }
            let n = model.positions.len();
            let (mut gpu, mut cpu) =
                (GpuSolver::new(&model, &adapter).unwrap(), CpuSolver::new(&model).unwrap());
            let [x, _] = run(&mut gpu, n, 2).unwrap();
            let [y, _] = run(&mut cpu, n, 2).unwrap();
            let size = y.iter().map(|y| y.length()).fold(0.01, f32::max);
            assert!(x.iter().all(|x| x.is_finite()), "{name} {elasticity:?}: {x:?}");
            if squash == Vec3::ZERO {
                // Which way a point unfolds is decided by rounding.
                continue;
            }
            let difference = largest_difference(&x, &y);
            println!("{name} {elasticity:?}: {difference:.1e} of {size:.1e} m");
            assert!(difference <= 1e-3 * size, "{name} {elasticity:?}: {difference} m of {size} m");
        }
    }
}

#[test]
fn a_body_at_rest_stays_exactly_at_rest_however_stiff() {
    let Some(adapter) = adapter("a body at rest") else { return };
    let mut model = models::block([6, 5, 4], Elasticity::NeoHookean);
    model.inverse_masses.fill(1000.0);
    // Away from the origin, where differences of positions are rounded differently in every element.
    for x in model.rest_positions.iter_mut() {
        *x += Vec3::new(3.7, -11.3, 0.123);
    }
    model.positions = model.rest_positions.clone();
    // Speed of sound times substep over edge: c h / ℓ = 2 with c² = E V/m, m = 0.001 kg for ℓ³ = 1e-6 m³.
    let (h, edge, density) = (1e-3_f32, 0.01, 1000.0);
    model.materials.iter_mut().for_each(|m| m.young_pa = density * (2.0 * edge / h).powi(2));
    let mut solver = GpuSolver::new(&model, &adapter).unwrap();
    for _ in 0..10 {
        solver.begin_substep(h, Vec3::ZERO, &[]).unwrap();
        solver.iterate().unwrap();
        solver.end_substep(None).unwrap();
    }
    let mut x = vec![Vec3::ONE; model.positions.len()];
    solver.read_positions(&mut x).unwrap();
    assert_eq!(bits(&x), bits(&model.positions));
    solver.read_velocities(&mut x).unwrap();
    assert!(x.iter().all(|&v| v == Vec3::ZERO));
    assert_eq!(solver.elastic_energy().unwrap(), 0.0);
}

#[test]
fn a_run_repeats_bit_for_bit_on_several_devices_at_once() {
    let Some(adapter) = adapter("repeatability") else { return };
    for (name, model) in models::every_kind() {
        let once = || run(&mut GpuSolver::new(&model, &adapter).unwrap(), model.positions.len(), 8).unwrap();
        let first = once();
        let others: Vec<_> = std::thread::scope(|scope| {
            let threads = [(); 3].map(|_| scope.spawn(once));
            threads.map(|thread| thread.join().unwrap()).into()
        });
        for other in &others {
            for k in 0..2 {
                assert_eq!(bits(&first[k]), bits(&other[k]), "{name}");
            }
        }
    }
}

#[test]
fn a_run_resumed_from_positions_and_velocities_equals_the_run_that_went_on() {
    let Some(adapter) = adapter("resuming") else { return };
    let (_, mut model) = models::every_kind().swap_remove(0);
    let n = model.positions.len();
    let mut solver = GpuSolver::new(&model, &adapter).unwrap();
    let [x, v] = run(&mut solver, n, 5).unwrap();
    let whole = run(&mut solver, n, 5).unwrap();

    let mut again = GpuSolver::new(&model, &adapter).unwrap();
    run(&mut again, n, 3).unwrap();
    again.write_positions(&x).unwrap();
    again.write_velocities(&v).unwrap();
    assert_eq!(run(&mut again, n, 5).unwrap(), whole, "written into a solver that was elsewhere");

    (model.positions, model.velocities) = (x, v);
    let mut fresh = GpuSolver::new(&model, &adapter).unwrap();
    assert_eq!(run(&mut fresh, n, 5).unwrap(), whole, "a new solver");
}

#[test]
fn targets_shifts_and_corrections_do_what_they_do_on_the_cpu() {
    let Some(adapter) = adapter("targets and shifts") else { return };
    let (_, model) = models::every_kind().swap_remove(0);
    let n = model.positions.len();
    let held: Vec<u32> = (0..n as u32).filter(|&i| model.inverse_masses[i as usize] == 0.0).collect();
    let drive = |solver: &mut dyn Solver| {
        let mut x = vec![Vec3::ZERO; n];
        let mut v = vec![Vec3::ZERO; n];
        for step in 1..=10 {
            // Every other held particle is moved, the rest stay.
            let to = |&i: &u32| {
                let position = model.positions[i as usize] + Vec3::new(0.0, 2e-4 * step as f32, 0.0);
                Target { particle: i, position }
            };
            let targets: Vec<Target> =
                if step % 3 == 0 { Vec::new() } else { held.iter().step_by(2).map(to).collect() };
            solver.begin_substep(1e-3, Vec3::NEG_Y, &targets).unwrap();
            solver.iterate().unwrap();
            solver.read_positions(&mut x).unwrap();
            let shift: Vec<Vec3> = (0..n).map(|i| Vec3::splat(1e-5 * (i % 7) as f32)).collect();
            for i in 0..n {
                if model.inverse_masses[i] > 0.0 {
                    x[i] += shift[i];
                }
            }
            solver.write_positions(&x).unwrap();
            solver.iterate().unwrap();
            solver.end_substep((step % 2 == 0).then_some(&shift[..])).unwrap();
            solver.read_velocities(&mut v).unwrap();
            v[5] += Vec3::X * 0.01;
            solver.write_velocities(&v).unwrap();
        }
        solver.read_positions(&mut x).unwrap();
        solver.read_velocities(&mut v).unwrap();
        [x, v]
    };
    let [x, v] = drive(&mut GpuSolver::new(&model, &adapter).unwrap());
    let [y, u] = drive(&mut CpuSolver::new(&model).unwrap());
    let (dx, dv) = (largest_difference(&x, &y), largest_difference(&v, &u));
    println!("{dx:.1e} m, {dv:.1e} m/s");
    assert!(dx <= TOLERANCE * 0.01 && dv <= TOLERANCE * 10.0, "{dx} m, {dv} m/s");
    for &i in &held {
        assert_eq!(x[i as usize], y[i as usize], "a kinematic particle goes exactly where it is told");
    }
}
