//! Times the boundary queries on the shared workloads:
//! `cargo run --release --example query_bench [THREADS [NAME… | METHOD…]]`.
//!
//! For each pose: refit, detection and crossings of the surface in ms, and µs per query for each method, best of several rounds.

use std::time::Instant;

use gordian_collision::bvh::{Aabb, Tree};
use gordian_collision::crossing::{Meeting, SelfCrossings};
use gordian_collision::{
    DcdOptions, Detector, PathAnswer, PathMethod, PathOptions, Penetration, PointSet, QueryMode,
};
use gordian_mesh::io::npz::Workload;
use gordian_mesh::{TetTopology, testdata};

/// Rounds, of which the fastest counts.
fn rounds() -> usize {
    std::env::var("ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(7)
}

const METHODS: [(&str, PathOptions); 6] = [
    ("auto", geodesic(PathMethod::Auto, true)),
    ("flood", geodesic(PathMethod::Flood, true)),
    ("tree", geodesic(PathMethod::Traversal, true)),
    ("unculled", geodesic(PathMethod::Traversal, false)),
    ("euclid", PathOptions { mode: QueryMode::Euclidean, ..geodesic(PathMethod::Auto, true) }),
    ("rest", PathOptions { mode: QueryMode::RestShape, ..geodesic(PathMethod::Auto, true) }),
];

const fn geodesic(method: PathMethod, culling: bool) -> PathOptions {
    PathOptions { mode: QueryMode::Geodesic, method, culling }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let threads: usize = args.next().map_or(1, |t| t.parse().expect("number of threads"));
    let (methods, mut names): (Vec<String>, Vec<String>) =
        args.partition(|a| METHODS.iter().any(|(label, _)| label == a));
    if names.is_empty() {
        names = ["noodle_helix", "beam_coil", "ball_half", "octopus_squash"].map(String::from).to_vec();
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("thread pool");
    pool.install(|| names.iter().for_each(|name| bench(name, &methods)));
}

fn bench(name: &str, methods: &[String]) {
    let Some(path) = testdata::path(&format!("workloads/{name}.npz")) else { return };
    let workload = Workload::read(&path).expect("readable workload");
    let topology = TetTopology::new(workload.rest.len(), &workload.tets);
    let start = Instant::now();
    let mut detector = Detector::new(&topology, &workload.rest);
    println!("{name}: {} tetrahedra, {} faces", topology.tets.len(), topology.faces.len());
    println!("  build {:10.2} ms", start.elapsed().as_secs_f64() * 1e3);
    let mut report = None;
    let ms = best(|| report = Some(detector.refit(&workload.deformed))) * 1e3;
    println!("  refit {ms:10.2} ms  {report:?}");
    let (mut found, mut counters) = (Vec::<Penetration>::new(), None);
    let ms = best(|| {
        counters = Some(detector.penetrations(PointSet::BoundaryVertices, DcdOptions::default(), &mut found));
    }) * 1e3;
    let counters = counters.expect("ran");
    println!(
        "  dcd   {ms:10.2} ms  {:.2} µs a vertex, {:.1} boxes, {:.2} tests, {} found",
        ms * 1e3 / counters.points as f64,
        counters.boxes as f64 / counters.points as f64,
        counters.tests as f64 / counters.points as f64,
        found.len()
    );
    let boxes: Vec<Aabb> = workload.faces.iter().map(|f| Aabb::of_simplex(&workload.deformed, f)).collect();
    let (tree, mut surface) = (Tree::build(&boxes), SelfCrossings::default());
    let ms = best(|| {
        surface.find(&workload.faces, &workload.deformed, &tree);
    }) * 1e3;
    println!("  cross {ms:10.2} ms  {} pairs of faces cross", surface.count(Meeting::Crossing));
    let mut answers = Vec::<PathAnswer>::new();
    for (label, options) in &METHODS {
        if !methods.is_empty() && !methods.iter().any(|m| m == label) {
            continue;
        }
        let mut total = None;
        let seconds = best(|| total = Some(detector.boundary_points(&found, options, &mut answers)));
        let total = total.expect("ran");
        let per = |x: u64| x as f64 / found.len() as f64;
        println!(
            "  {label:8} {:7.2} µs  {:6.1} triangles {:5.1} culled {:5.2} walks {:6.1} elements  {} exact, {} fallbacks, {} folds, {} unresolved",
            seconds * 1e6 / found.len() as f64,
            per(total.triangles),
            per(total.culled),
            per(total.traversals),
            per(total.elements),
            total.exact_tests,
            total.fallbacks,
            total.local_folds,
            total.unresolved
        );
    }
}

/// Seconds of the fastest round.
fn best(mut run: impl FnMut()) -> f64 {
    let round = |run: &mut dyn FnMut()| {
        let begin = Instant::now();
        run();
        begin.elapsed().as_secs_f64()
    };
    (0..rounds()).map(|_| round(&mut run)).fold(f64::INFINITY, f64::min)
}
