//! Milliseconds an iteration on the CPU, with 1 and 2 threads, and on every graphics adapter, for a block of tetrahedra.
//!
//! `cargo run --release -p gordian-solver --example iteration -- [CELLS]`: a block of CELLS³ cubes, six tetrahedra each.

use std::time::Instant;

use glam::Vec3;
use gordian_solver::gpu::{GpuSolver, adapters};
use gordian_solver::{CpuSolver, Elasticity, Material, Model, Solver, Tet};

/// A block of `n`³ cubes of 1 cm, six tetrahedra each, slightly sheared so that there is something to solve.
fn block(n: u32, elasticity: Elasticity, damping_s: f32) -> Model {
    let id = |x: u32, y: u32, z: u32| x + (n + 1) * (y + (n + 1) * z);
    let mut model = Model::default();
    for i in 0..(n + 1).pow(3) {
        let (x, y, z) = (i % (n + 1), i / (n + 1) % (n + 1), i / (n + 1).pow(2));
        let rest = Vec3::new(x as f32, y as f32, z as f32) * 0.01;
        model.rest_positions.push(rest);
        model.positions.push(rest + Vec3::X * (0.05 * rest.y));
    }
    let particles = model.positions.len();
    model.velocities = vec![Vec3::ZERO; particles];
    model.inverse_masses = vec![1.0e3; particles];
    model.materials.push(Material { elasticity, young_pa: 1e5, poisson: 0.4, damping_s });
    for i in 0..n.pow(3) {
        let cell = [i % n, i / n % n, i / n.pow(2)];
        for (axes, odd) in [
            ([0, 1, 2], false),
            ([0, 2, 1], true),
            ([1, 0, 2], true),
            ([1, 2, 0], false),
            ([2, 0, 1], false),
            ([2, 1, 0], true),
        ] {
            let mut at = cell;
            let mut particles = [id(at[0], at[1], at[2]); 4];
            for (corner, axis) in particles[1..].iter_mut().zip(axes) {
                at[axis] += 1;
                *corner = id(at[0], at[1], at[2]);
            }
            if odd {
                particles.swap(2, 3);
            }
            model.tets.push(Tet { particles, material: 0 });
        }
    }
    model
}

fn main() {
    let n: u32 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(43);
    for (name, elasticity, damping_s) in [
        ("neo_hookean", Elasticity::NeoHookean, 0.0),
        ("neo_hookean, damped", Elasticity::NeoHookean, 1e-3),
        ("neo_hookean_pair", Elasticity::NeoHookeanPair, 0.0),
        ("volume", Elasticity::Volume, 0.0),
    ] {
        let model = block(n, elasticity, damping_s);
        let start = Instant::now();
        let mut solver = CpuSolver::new(&model).expect("the model is sound");
        let built = start.elapsed().as_secs_f64();
        let tets = model.tets.len();
        println!(
            "{name}: {tets} tetrahedra, {}, built in {built:.2} s, {} bytes a tetrahedron",
            solver.adapter().name,
            solver.bytes() / tets
        );
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let ms = pool.install(|| fastest(&mut solver, 30));
            println!("  {threads} threads: {ms:.2} ms an iteration, {:.1} a million", ms * 1e6 / tets as f64);
        }
        for adapter in adapters() {
            let mut solver = GpuSolver::new(&model, &adapter).expect("the model fits");
            let [ms, transfer] = fastest_on_gpu(&mut solver, model.positions.len());
            println!(
                "  {} ({}): {ms:.2} ms an iteration, {:.1} a million; positions out and in {transfer:.2} ms; \
                 {} bytes a tetrahedron",
                adapter.info().name,
                adapter.info().backend,
                ms * 1e6 / tets as f64,
                solver.device_bytes() / tets as u64
            );
        }
    }
}

/// The fastest of `rounds` iterations, milliseconds.
fn fastest(solver: &mut CpuSolver, rounds: usize) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        solver.begin_substep(1e-3, Vec3::ZERO, &[]).expect("a substep");
        let start = Instant::now();
        solver.iterate().expect("an iteration");
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
        solver.end_substep(None).expect("a substep");
    }
    best
}

/// The fastest iteration (the mean of five that are submitted at once), and the fastest way of the positions out and
/// in, milliseconds.
fn fastest_on_gpu(solver: &mut GpuSolver, particles: usize) -> [f64; 2] {
    let mut x = vec![Vec3::ZERO; particles];
    let mut best = [f64::INFINITY; 2];
    for _ in 0..10 {
        solver.begin_substep(1e-3, Vec3::ZERO, &[]).expect("a substep");
        for _ in 0..5 {
            solver.iterate().expect("an iteration");
        }
        let times = solver.take_times().expect("times").unwrap_or_default();
        best[0] = best[0].min(times.solve_ms / 5.0);
        let start = Instant::now();
        solver.read_positions(&mut x).expect("positions");
        solver.write_positions(&x).expect("positions");
        solver.finish().expect("positions");
        best[1] = best[1].min(start.elapsed().as_secs_f64() * 1e3);
        solver.end_substep(None).expect("a substep");
    }
    best
}
