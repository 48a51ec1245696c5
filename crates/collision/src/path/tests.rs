//! The methods against each other, against brute force, and against stored answers.

use gordian_mesh::io::npz::{Workload, WorkloadQuery};
use gordian_mesh::{TetTopology, testdata};

use crate::*;

struct Case {
    workload: Workload,
    detector: Detector,
}

fn load(name: &str) -> Option<Case> {
    let workload = Workload::read(&testdata::path(&format!("workloads/{name}.npz"))?).unwrap();
    let topology = TetTopology::new(workload.rest.len(), &workload.tets);
    let mut detector = Detector::new(&topology, &workload.rest);
    detector.refit(&workload.deformed);
    Some(Case { workload, detector })
}

impl Case {
    fn query(&self, q: &WorkloadQuery) -> PathQuery {
        PathQuery {
            point: self.workload.deformed[q.vertex as usize].as_dvec3(),
            tet: q.tet,
            own: Own::Vertex(q.vertex),
        }
    }
}

/// All methods, with and without culling.
fn every_option() -> Vec<PathOptions> {
    let methods = [PathMethod::Auto, PathMethod::Flood, PathMethod::Traversal];
    let with = |culling| methods.map(|method| PathOptions { mode: QueryMode::Geodesic, method, culling });
    let mut all = with(true).to_vec();
    all.push(with(false)[2]);
    all
}

fn immersion_equals_stored_answers(name: &str) {
    let Some(case) = load(name) else { return };
    let mut scratch = PathScratch::default();
    for options in every_option() {
        let mut total = PathCounters::default();
        for q in &case.workload.queries {
            let answer = case.detector.boundary_point(&case.query(q), &options, &mut scratch);
            total += answer.counters;
            let end = answer.end.unwrap();
            assert!(
                (end.distance - q.distance).abs() <= 1e-6 * q.distance,
                "{name} {options:?} {q:?} {answer:?}"
            );
        }
        assert_eq!((total.fallbacks, total.unresolved, total.local_folds), (0, 0, 0));
    }
}

#[test]
fn noodle_helix_equals_stored_answers() {
    immersion_equals_stored_answers("noodle_helix");
}

#[test]
fn beam_coil_equals_stored_answers() {
    immersion_equals_stored_answers("beam_coil");
}

#[test]
fn detection_finds_the_stored_pairs() {
    for name in ["noodle_helix", "beam_coil", "ball_half", "octopus_squash"] {
        let Some(case) = load(name) else { return };
        let mut found = Vec::new();
        case.detector.penetrations(PointSet::BoundaryVertices, DcdOptions::default(), &mut found);
        let mut stored: Vec<Penetration> = case
            .workload
            .queries
            .iter()
            .map(|q| Penetration { point: PointId::Vertex(q.vertex), tet: q.tet })
            .collect();
        stored.sort_unstable();
        // The archives of the poses with inverted elements keep only queries that have a valid path.
        if case.detector.inverted_count() == 0 {
            assert_eq!(found, stored, "{name}");
        }
        assert!(stored.iter().all(|p| found.binary_search(p).is_ok()), "{name}");
    }
}

#[test]
fn probe() {
    for name in ["ball_half", "octopus_squash"] {
        let Some(case) = load(name) else { return };
        let mut scratch = PathScratch::default();
        let options = every_option();
        let mut total = vec![PathCounters::default(); 4];
        let mut differ = [0; 4];
        let (mut shorter, mut longer) = (0, 0);
        for (qi, q) in case.workload.queries.iter().enumerate() {
            let query = case.query(q);
            let line = case.detector.by_line(&query) / q.distance;
            shorter += (line < 1.0 - 1e-6) as u32;
            longer += (line > 1.0 + 1e-6) as u32;
            let mut d = Vec::new();
            for (k, o) in options.iter().enumerate() {
                let a = case.detector.boundary_point(&query, o, &mut scratch);
                total[k] += a.counters;
                let x = a.end.map(|e| e.distance / q.distance).unwrap_or(-1.0);
                differ[k] += ((x - line).abs() > 1e-6) as u32;
                d.push((x, a.counters.fallbacks, a.local_fold));
            }
            if d.iter().any(|x| (x.0 - line).abs() > 1e-6) {
                println!("{name} {qi} {d:?} line rule {line}");
            }
        }
        println!("{name} line shorter {shorter} longer {longer} differ {differ:?}");
        for t in total {
            println!("    {t:?}");
        }
    }
}
