//! The collision stages of a substep on the tangled poses of the shared workloads: refit, DCD of all boundary vertices, the
//! shortest paths of all penetrations, and one projection of their contacts; and the same with one idea left out at a time. With
//! as many threads as `RAYON_NUM_THREADS` says.

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use glam::Vec3;
use gordian_benches::Tangle;
use gordian_collision::bvh::{Aabb, Item, PackedTree, Tree};
use gordian_collision::contact::{ContactMaterial, Projection};
use gordian_collision::{DcdOptions, PathMethod, PathOptions, PointSet};

fn stages(c: &mut Criterion) {
    let mut group = c.benchmark_group("collision");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for name in Tangle::NAMES {
        let Some(mut tangle) = Tangle::load(name) else { continue };
        group.throughput(Throughput::Elements(tangle.topology.tets.len() as u64));
        group.bench_function(BenchmarkId::new("refit", name), |b| {
            b.iter(|| tangle.detector.refit(&tangle.positions));
        });
        group.throughput(Throughput::Elements(tangle.topology.boundary_vertices.len() as u64));
        group.bench_function(BenchmarkId::new("dcd", name), |b| {
            let mut found = Vec::new();
            b.iter(|| {
                tangle.detector.penetrations(PointSet::BoundaryVertices, DcdOptions::default(), &mut found)
            });
        });
        group.throughput(Throughput::Elements(tangle.penetrations.len() as u64));
        group.bench_function(BenchmarkId::new("shortest_path", name), |b| {
            let mut answers = Vec::new();
            b.iter(|| {
                tangle.detector.boundary_points(&tangle.penetrations, &PathOptions::default(), &mut answers)
            });
        });
        let inv_mass = vec![1.0; tangle.positions.len()];
        group.throughput(Throughput::Elements(tangle.contacts.len() as u64));
        group.bench_function(BenchmarkId::new("contact_colouring", name), |b| {
            b.iter(|| tangle.contacts.prepare(&inv_mass));
        });
        let materials = [ContactMaterial::SMOOTH];
        group.bench_function(BenchmarkId::new("contact_projection", name), |b| {
            let projection = Projection {
                x_prev: &tangle.positions,
                inv_mass: &inv_mass,
                materials: &materials,
                max_push: f32::INFINITY,
                max_shift: f32::INFINITY,
                hold_depth: 0.0,
            };
            let mut shift = vec![Vec3::ZERO; tangle.positions.len()];
            b.iter_batched_ref(
                || tangle.positions.clone(),
                |x| tangle.contacts.project(x, &mut shift, &projection),
                criterion::BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

/// What each idea of the boundary query brings: the search without it, and what detection would cost with a tree over elements.
fn ablation(c: &mut Criterion) {
    let mut group = c.benchmark_group("ablation");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for name in Tangle::NAMES {
        let Some(tangle) = Tangle::load(name) else { continue };
        let whole = PathOptions::default();
        group.throughput(Throughput::Elements(tangle.penetrations.len() as u64));
        for (left_out, options) in [
            ("nothing", whole),
            ("culling", PathOptions { culling: false, ..whole }),
            ("flood", PathOptions { method: PathMethod::Traversal, ..whole }),
            ("tree", PathOptions { method: PathMethod::Flood, ..whole }),
        ] {
            group.bench_function(BenchmarkId::new(format!("path_without_{left_out}"), name), |b| {
                let mut answers = Vec::new();
                b.iter(|| tangle.detector.boundary_points(&tangle.penetrations, &options, &mut answers));
            });
        }
        let (tets, positions) = (&tangle.topology.tets, &tangle.positions);
        let vertices = &tangle.topology.boundary_vertices;
        let points = || vertices.iter().map(|&v| Item::point(v, positions[v as usize].as_dvec3())).collect();
        group.throughput(Throughput::Elements(vertices.len() as u64));
        group.bench_function(BenchmarkId::new("tree_over_points_build", name), |b| {
            b.iter(|| PackedTree::build(points()));
        });
        let bound = |t: u32| Aabb::of_simplex(positions, &tets[t as usize]);
        let boxes: Vec<Aabb> = (0..tets.len() as u32).map(bound).collect();
        let mut elements = Tree::build(&boxes);
        group.bench_function(BenchmarkId::new("tree_over_elements_refit", name), |b| {
            b.iter(|| elements.refit(bound));
        });
        group.bench_function(BenchmarkId::new("tree_over_elements_stab", name), |b| {
            let (mut stack, mut hits) = (Vec::new(), 0u64);
            b.iter(|| {
                vertices.iter().for_each(|&v| elements.stab(positions[v as usize], &mut stack, |_| hits += 1))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, stages, ablation);
criterion_main!(benches);
