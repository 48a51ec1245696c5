//! One iteration of the elastic solver, and one transfer of all positions, on the CPU and on the software adapter.
//!
//! Throughput is in tetrahedra (iteration) or bytes (transfer) a second: a time for a million tetrahedra is its inverse.

use std::hint::black_box;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use glam::Vec3;
use gordian_benches::block;
use gordian_solver::gpu::{self, AdapterChoice};
use gordian_solver::{CpuSolver, GpuSolver, Model, Solver};

/// Cells along an edge of the block: 46,305 and 1,026,895 tetrahedra.
const CELLS: [u32; 2] = [21, 59];

fn solvers(model: &Model) -> Vec<(&'static str, Box<dyn Solver>)> {
    let adapter = gpu::choose(&AdapterChoice::Software).unwrap_or_else(|e| panic!("{e}"));
    vec![
        ("cpu", Box::new(CpuSolver::new(model).expect("a sound model"))),
        ("software", Box::new(GpuSolver::new(model, &adapter).unwrap_or_else(|e| panic!("{e}")))),
    ]
}

fn iteration(c: &mut Criterion) {
    let mut group = c.benchmark_group("iteration");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for cells in CELLS {
        let model = block(cells);
        group.throughput(Throughput::Elements(4 * model.tets.len() as u64));
        let mut positions = vec![Vec3::ZERO; model.positions.len()];
        for (name, mut solver) in solvers(&model) {
            solver.begin_substep(1e-3, Vec3::ZERO, &[]).expect("runs");
            group.bench_function(format!("{name}/{}", model.tets.len()), |b| {
                b.iter(|| {
                    for _ in 0..4 {
                        solver.iterate().expect("runs");
                    }
                    // Work that was only queued is not done yet.
                    solver.read_positions(black_box(&mut positions)).expect("runs");
                });
            });
        }
    }
    group.finish();
}

fn transfer(c: &mut Criterion) {
    let mut group = c.benchmark_group("transfer");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    let model = block(CELLS[1]);
    let mut positions = model.positions.clone();
    group.throughput(Throughput::Bytes(2 * size_of_val(&positions[..]) as u64));
    for (name, mut solver) in solvers(&model) {
        solver.begin_substep(1e-3, Vec3::ZERO, &[]).expect("runs");
        group.bench_function(format!("{name}/{} particles, out and in", positions.len()), |b| {
            b.iter(|| {
                solver.read_positions(&mut positions).expect("runs");
                solver.write_positions(&positions).expect("runs");
            });
        });
    }
    group.finish();
}

criterion_group!(benches, iteration, transfer);
criterion_main!(benches);
