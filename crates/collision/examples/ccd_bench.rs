//! Runs the narrow-phase CCD queries over sets in the form `SET/{edge-edge,vertex-face}/*.csv` and prints, per set,
//! agreement with the stored answers and the time per query.
//!
//! `cargo run --release -p gordian-collision --example ccd_bench [DIR…]`

use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::DVec3;
use gordian_collision::ccd::{CcdCounters, edge_edge_counted, vertex_face_counted};

/// Start and end of the four points, and whether they meet.
type Query = ([DVec3; 4], [DVec3; 4], bool);

fn read(path: &Path) -> Vec<Query> {
    let text = std::fs::read_to_string(path).expect("readable file");
    let rows: Vec<(DVec3, bool)> = text
        .lines()
        .map(|line| {
            let f: Vec<&str> = line.split(',').collect();
            let number =
                |k: usize| f[k].parse::<f64>().expect("number") / f[k + 1].parse::<f64>().expect("number");
            (DVec3::new(number(0), number(2), number(4)), f[6] == "1")
        })
        .collect();
    rows.chunks_exact(8)
        .map(|q| (std::array::from_fn(|i| q[i].0), std::array::from_fn(|i| q[4 + i].0), q[0].1))
        .collect()
}

fn main() {
    let mut sets: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if sets.is_empty() {
        let root = gordian_mesh::testdata::path("ccd").expect("a folder of sets");
        sets = std::fs::read_dir(root).expect("readable folder").map(|d| d.expect("entry").path()).collect();
        sets.sort();
    }
    println!("{:<26} {:<11} queries  hits  miss false  exact  mean µs   max µs", "set", "kind");
    let mut total = [0usize; 5];
    let (mut time, mut worst) = (0.0f64, 0.0f64);
    for set in &sets {
        for kind in ["vertex-face", "edge-edge"] {
            let Ok(dir) = std::fs::read_dir(set.join(kind)) else { continue };
            let mut files: Vec<PathBuf> = dir.map(|d| d.expect("entry").path()).collect();
            files.sort();
            let queries: Vec<Query> = files.iter().flat_map(|f| read(f)).collect();
            let ask = |q: &Query, counters: &mut CcdCounters| match kind {
                "vertex-face" => vertex_face_counted(&q.0, &q.1, counters).is_some(),
                _ => edge_edge_counted(&q.0, &q.1, counters).is_some(),
            };
            let mut counters = CcdCounters::default();
            let answers: Vec<bool> = queries.iter().map(|q| ask(q, &mut counters)).collect();
            let missed = queries.iter().zip(&answers).filter(|(q, a)| q.2 && !**a).count();
            let wrong = queries.iter().zip(&answers).filter(|(q, a)| !q.2 && **a).count();
            // Each query on its own, the best of several repetitions: the machine's noise is not the query's time.
            let (mut sum, mut max) = (0.0, 0.0f64);
            for q in &queries {
                let best = (0..20)
                    .map(|_| {
                        let begin = Instant::now();
                        std::hint::black_box(ask(std::hint::black_box(q), &mut CcdCounters::default()));
                        begin.elapsed().as_secs_f64() * 1e6
                    })
                    .fold(f64::INFINITY, f64::min);
                sum += best;
                max = max.max(best);
            }
            println!(
                "{:<26} {kind:<11} {:>7} {:>5} {missed:>5} {wrong:>5} {:>6} {:>8.3} {max:>8.2}",
                set.file_name().unwrap_or_default().to_string_lossy(),
                queries.len(),
                counters.hits,
                counters.exact,
                sum / queries.len() as f64,
            );
            for (t, x) in total.iter_mut().zip([
                queries.len(),
                counters.hits as usize,
                missed,
                wrong,
                counters.exact as usize,
            ]) {
                *t += x;
            }
            time += sum;
            worst = worst.max(max);
        }
    }
    let [queries, hits, missed, wrong, exact] = total;
    println!(
        "{:<38} {queries:>7} {hits:>5} {missed:>5} {wrong:>5} {exact:>6} {:>8.3} {worst:>8.2}",
        "all",
        time / queries.max(1) as f64
    );
}
