//! Small limits, bad input, a lost device.

use glam::Vec3;
use gordian_solver::gpu::{GpuOptions, GpuSolver};
use gordian_solver::{Elasticity, Model, Solver, SolverError, Target};

use crate::models::{self, adapter, every_kind};
use crate::{bits, run};

#[test]
fn small_bindings_and_grids_in_two_dimensions_change_no_bit() {
    let Some(adapter) = adapter("chunking") else { return };
    for (name, model) in every_kind() {
        let n = model.positions.len();
        let plain = run(&mut GpuSolver::new(&model, &adapter).unwrap(), n, 6).unwrap();
        let energy = |solver: &mut GpuSolver| solver.elastic_energy().unwrap();
        let expected = energy(&mut GpuSolver::new(&model, &adapter).unwrap());
        // The device itself refuses a binding or a grid beyond these limits.
        let small =
            GpuOptions { max_binding_bytes: Some(6400), max_workgroups: Some(3), ..Default::default() };
        let all = [
            small.clone(),
            GpuOptions { max_binding_bytes: Some(12_800), short_colour: u32::MAX, ..Default::default() },
            GpuOptions { max_binding_bytes: Some(16_000), max_workgroups: Some(5), ..Default::default() },
            GpuOptions { short_colour: 1, ..small },
            GpuOptions { short_colour: u32::MAX, ..Default::default() },
            GpuOptions { workgroup: 16, ..Default::default() },
            GpuOptions { workgroup: 256, ..Default::default() },
        ];
        // All of them once, the first two with every kernel.
        let some = if name == "neo_hookean" { &all[..] } else { &all[..2] };
        for options in some {
            let mut solver = GpuSolver::with_options(&model, &adapter, options).unwrap();
            let there = energy(&mut solver);
            assert!((there - expected).abs() <= 1e-6 * expected, "{name}, {options:?}: {there} J");
            let state = run(&mut solver, n, 6).unwrap();
            for k in 0..2 {
                assert_eq!(bits(&state[k]), bits(&plain[k]), "{name}, {options:?}");
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_limit() {
    let Some(adapter) = adapter("models beyond the limits") else { return };
    let model = models::block([7, 5, 6], Elasticity::NeoHookean);
    for (limit, what) in [(4800, "positions"), (1600, "positions"), (256, "positions")] {
        let options = GpuOptions { max_binding_bytes: Some(limit), ..Default::default() };
        match GpuSolver::with_options(&model, &adapter, &options) {
            Err(SolverError::TooLarge { what: there, needed, limit: at, .. }) => {
                assert_eq!(there, what);
                assert!(needed > at, "{needed} {at}");
            }
            other => panic!("{other:?}"),
        }
    }
    // The particles fit, but not one group of elements that starts at an aligned offset.
    let small = models::block([1, 1, 1], Elasticity::NeoHookean);
    let options = GpuOptions { max_binding_bytes: Some(1024), ..Default::default() };
    let refused = GpuSolver::with_options(&small, &adapter, &options);
    assert!(matches!(refused, Err(SolverError::TooLarge { what: "neo_hookean", .. })), "{refused:?}");

    let odd = GpuOptions { workgroup: 48, ..Default::default() };
    assert!(matches!(GpuSolver::with_options(&model, &adapter, &odd), Err(SolverError::Device { .. })));
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let Some(adapter) = adapter("bad input") else { return };
    let model = models::block([2, 2, 2], Elasticity::NeoHookean);
    let n = model.positions.len();
    let mut solver = GpuSolver::new(&model, &adapter).unwrap();
    assert!(matches!(solver.iterate(), Err(SolverError::NotBegun)));
    assert!(matches!(solver.end_substep(None), Err(SolverError::NotBegun)));
    let mut short = vec![Vec3::ZERO; n - 1];
    for error in [
        solver.read_positions(&mut short).unwrap_err(),
        solver.write_positions(&short).unwrap_err(),
        solver.begin_substep(0.0, Vec3::ZERO, &[]).unwrap_err(),
        solver.begin_substep(f32::NAN, Vec3::ZERO, &[]).unwrap_err(),
        solver.begin_substep(1e-3, Vec3::INFINITY, &[]).unwrap_err(),
        solver.begin_substep(1e-3, Vec3::ZERO, &[target(1, Vec3::ZERO)]).unwrap_err(),
        solver.begin_substep(1e-3, Vec3::ZERO, &[target(n as u32, Vec3::ZERO)]).unwrap_err(),
        solver.begin_substep(1e-3, Vec3::ZERO, &[target(0, Vec3::NAN)]).unwrap_err(),
    ] {
        assert!(matches!(error, SolverError::Model(_)), "{error}");
    }
    assert!(matches!(solver.iterate(), Err(SolverError::NotBegun)));
    let mut x = vec![Vec3::ZERO; n];
    solver.read_positions(&mut x).unwrap();
    assert_eq!(bits(&x), bits(&model.positions));
}

fn target(particle: u32, position: Vec3) -> Target {
    Target { particle, position }
}

#[test]
fn a_model_without_particles_or_constraints_runs() {
    let Some(adapter) = adapter("empty models") else { return };
    let mut solver = GpuSolver::new(&Model::default(), &adapter).unwrap();
    run(&mut solver, 0, 2).unwrap();
    assert_eq!(solver.elastic_energy().unwrap(), 0.0);

    let one = Model {
        rest_positions: vec![Vec3::ZERO],
        positions: vec![Vec3::ONE],
        velocities: vec![Vec3::X],
        inverse_masses: vec![1.0],
        ..Model::default()
    };
    let mut solver = GpuSolver::new(&one, &adapter).unwrap();
    let [x, v] = run(&mut solver, 1, 100).unwrap();
    assert!((v[0] - Vec3::new(1.0, -0.981, 0.0)).length() < 1e-5, "{v:?}");
    assert!((x[0] - Vec3::new(1.1, 1.0 - 0.981 * 0.05 * 1.01, 1.0)).length() < 1e-5, "{x:?}");
}

#[test]
fn times_are_told_for_solving_and_transfer() {
    let Some(adapter) = adapter("times of stages") else { return };
    let (_, model) = every_kind().swap_remove(0);
    let mut solver = GpuSolver::new(&model, &adapter).unwrap();
    run(&mut solver, model.positions.len(), 5).unwrap();
    let times = solver.take_times().unwrap().unwrap();
    assert!(times.solve_ms > 0.0 && times.transfer_ms > 0.0, "{times:?}");
    let times = solver.take_times().unwrap().unwrap();
    assert_eq!((times.solve_ms, times.transfer_ms), (0.0, 0.0));
}

#[test]
fn long_runs_without_reading_are_possible() {
    let Some(adapter) = adapter("long runs without reading") else { return };
    let model = models::cloth(2);
    let n = model.positions.len();
    let mut solver = GpuSolver::new(&model, &adapter).unwrap();
    let mut reading = GpuSolver::new(&model, &adapter).unwrap();
    // More passes than there is room for timestamps.
    let whole = run(&mut solver, n, 3000).unwrap();
    let mut last = None;
    for _ in 0..30 {
        last = Some(run(&mut reading, n, 100).unwrap());
    }
    assert_eq!(Some(whole), last);
}
