//! Times the detection of a boundary against itself on query workloads: crossing triangle pairs of the deformed pose, and CCD of
//! a small motion that starts from it and from the rest pose.
//!
//! `cargo run --release -p gordian-collision --example surface_bench [FILE.npz…]`

use std::path::PathBuf;
use std::time::Instant;

use glam::Vec3;
use gordian_collision::bvh::{Aabb, Tree};
use gordian_collision::ccd::{BroadPhase, Detection, Motion};
use gordian_collision::crossing::{Meeting, SelfCrossings};
use gordian_mesh::TetTopology;
use gordian_mesh::io::npz::Workload;

/// The best of several repetitions, in milliseconds.
fn best(mut work: impl FnMut()) -> f64 {
    let time = |_| {
        let begin = Instant::now();
        work();
        begin.elapsed().as_secs_f64() * 1e3
    };
    (0..7).map(time).fold(f64::INFINITY, f64::min)
}

fn main() {
    let mut files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        let names = ["noodle_helix", "beam_coil", "ball_half", "octopus_squash"];
        files = names
            .iter()
            .filter_map(|n| gordian_mesh::testdata::path(&format!("workloads/{n}.npz")))
            .collect();
    }
    println!("{} threads", rayon::current_num_threads());
    for file in files {
        let w = Workload::read(&file).expect("a readable workload");
        let topology = TetTopology::new(w.rest.len(), &w.tets);
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        println!("{name}: {} faces, {} edges", topology.faces.len(), topology.edges.len());

        let boxes: Vec<Aabb> = topology.faces.iter().map(|f| Aabb::of_simplex(&w.deformed, f)).collect();
        let tree = Tree::build(&boxes);
        let mut crossings = SelfCrossings::default();
        let ms = best(|| {
            crossings.find(&topology.faces, &w.deformed, &tree);
        });
        let counts = [Meeting::Crossing, Meeting::Coplanar, Meeting::Touching].map(|m| crossings.count(m));
        println!("  crossing, coplanar, touching {counts:?}: {ms:.1} ms");

        let mean_edge = topology
            .edges
            .iter()
            .map(|e| f64::from(w.rest[e.vertices[0] as usize].distance(w.rest[e.vertices[1] as usize])))
            .sum::<f64>()
            / topology.edges.len() as f64;
        let active = vec![true; w.rest.len()];
        for (pose, start) in [("rest", &w.rest), ("deformed", &w.deformed)] {
            // A tenth of an edge, different from vertex to vertex.
            let step = |v: usize| {
                let phase = v as f32 * Vec3::new(1.1, 2.3, 3.7);
                Vec3::from_array(phase.to_array().map(f32::sin)) * (0.1 * mean_edge as f32)
            };
            let end: Vec<Vec3> = start.iter().enumerate().map(|(v, &p)| p + step(v)).collect();
            let motion = Motion { start, end: &end, active: &active };
            let mut broad = BroadPhase::new(&topology, start);
            let mut found = Detection::new();
            let broad_ms = best(|| broad.update(&topology, &motion, 0.0));
            let narrow_ms = best(|| found.narrow(&topology, &motion, &broad));
            println!(
                "  CCD from {pose}: broad {broad_ms:.1} ms, narrow {narrow_ms:.1} ms; candidates {} + {}, {:?}, kept {} + {}",
                broad.vertex_face().len(),
                broad.edge_edge().len(),
                found.counters(),
                found.vertex_face().len(),
                found.edge_edge().len(),
            );
        }
    }
}
