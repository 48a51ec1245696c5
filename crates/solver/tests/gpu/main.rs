//! The solver on a graphics adapter: against the solver on the CPU, against itself, and at its limits.

mod agreement;
mod limits;
mod models;

use glam::Vec3;
use gordian_solver::{Solver, SolverError, Target};

/// Runs substeps of a millisecond with two iterations each; returns positions and velocities.
fn run(solver: &mut dyn Solver, particles: usize, substeps: usize) -> Result<[Vec<Vec3>; 2], SolverError> {
    for _ in 0..substeps {
        solver.begin_substep(1e-3, Vec3::new(0.0, -9.81, 0.0), &[] as &[Target])?;
        solver.iterate()?;
        solver.iterate()?;
        solver.end_substep(None)?;
    }
    let mut state = [vec![Vec3::ZERO; particles], vec![Vec3::ZERO; particles]];
    solver.read_positions(&mut state[0])?;
    solver.read_velocities(&mut state[1])?;
    Ok(state)
}

/// The bits of vectors: equal means equal to the last bit, signs of zeros included.
fn bits(vectors: &[Vec3]) -> Vec<[u32; 3]> {
    vectors.iter().map(|v| v.to_array().map(f32::to_bits)).collect()
}
