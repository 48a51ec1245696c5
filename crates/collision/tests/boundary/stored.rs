//! Against the answers stored with the shared workloads, which a double-precision brute force gave.
//!
//! On the poses with inverted elements that brute force walks forward only, with a tolerance, so each difference is
//! judged by the oracle: a shorter path of ours must be valid, and a longer one is right only if the stored one is not.

use gordian_collision::{
    DcdOptions, Own, PathCounters, PathQuery, PathScratch, Penetration, PointId, PointSet,
};
use gordian_mesh::io::npz::Workload;
use gordian_mesh::testdata;

use gordian_collision::workbench::bodies::{Body, every_option};
use gordian_collision::workbench::oracle::{Candidate, Oracle};

fn load(name: &str) -> Option<(Workload, Body)> {
    let workload = Workload::read(&testdata::path(&format!("workloads/{name}.npz"))?).unwrap();
    let body =
        Body { tets: workload.tets.clone(), rest: workload.rest.clone(), pose: workload.deformed.clone() };
    Some((workload, body))
}

/// Queries whose answer is shorter than the stored one, and longer.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Differences {
    shorter: usize,
    longer: usize,
}

fn compare(name: &str, counters: impl Fn(&PathCounters)) -> Option<Differences> {
    let (workload, body) = load(name)?;
    let topology = body.topology();
    let oracle = Oracle::new(&topology, &body.pose);
    let detector = body.detector();
    let mut scratch = PathScratch::default();
    let mut result = None;
    for options in every_option() {
        let mut total = PathCounters::default();
        let mut differences = Differences { shorter: 0, longer: 0 };
        for q in &workload.queries {
            let query = PathQuery {
                point: body.pose[q.vertex as usize].as_dvec3(),
                tet: q.tet,
                own: Own::Vertex(q.vertex),
            };
            let answer = detector.boundary_point(&query, &options, &mut scratch);
            total += answer.counters;
            let end = answer.end.unwrap_or_else(|| panic!("{name} {options:?}: no answer to {q:?}"));
            if (end.distance - q.distance).abs() <= 1e-6 * q.distance {
                continue;
            }
            let candidate = |distance: f64, face: u32, point: glam::DVec3| {
                let near = oracle.candidates(query.point, &[q.vertex], distance * (1.0 + 1e-6));
                let same = |c: &&Candidate| c.face == face && (c.point - point).length() <= 1e-6 * distance;
                *near.iter().find(same).unwrap_or_else(|| panic!("{name}: {q:?} is no closest point"))
            };
            if end.distance < q.distance {
                let ours = candidate(end.distance, end.face, end.position);
                assert!(
                    oracle.valid(query.point, q.tet, &ours, 1e-12),
                    "{name} {options:?} {q:?} {answer:?}"
                );
                differences.shorter += 1;
            } else {
                let face =
                    topology.faces.iter().position(|f| sorted(*f) == sorted(workload.faces[q.face as usize]));
                let stored = candidate(q.distance, face.unwrap() as u32, q.closest);
                assert!(
                    !oracle.valid(query.point, q.tet, &stored, 1e-6),
                    "{name} {options:?} {q:?} {answer:?}"
                );
                differences.longer += 1;
            }
        }
        counters(&total);
        assert_eq!(total.unresolved, 0);
        let first = result.get_or_insert(differences);
        assert_eq!(*first, differences, "{name}: the methods agree");
    }
    result
}

fn sorted(mut face: [u32; 3]) -> [u32; 3] {
    face.sort_unstable();
    face
}

fn immersion(name: &str) {
    let found = compare(name, |c| assert_eq!((c.fallbacks, c.local_folds), (0, 0)));
    assert!(found.is_none_or(|d| d == Differences { shorter: 0, longer: 0 }), "{found:?}");
}

#[test]
fn noodle_helix() {
    immersion("noodle_helix");
}

#[test]
fn beam_coil() {
    immersion("beam_coil");
}

#[test]
fn ball_half() {
    // 132 inverted elements, 346 vertices and edges that wrap.
    let found = compare("ball_half", |_| {});
    assert!(found.is_none_or(|d| d == Differences { shorter: 9, longer: 0 }), "{found:?}");
}

#[test]
fn octopus_squash() {
    // 1,935 inverted elements. The four stored paths that are shorter pass through no chain of elements.
    let found = compare("octopus_squash", |_| {});
    assert!(found.is_none_or(|d| d == Differences { shorter: 60, longer: 4 }), "{found:?}");
}

#[test]
fn detection_finds_the_stored_pairs() {
    for name in ["noodle_helix", "beam_coil", "ball_half", "octopus_squash"] {
        let Some((workload, body)) = load(name) else { return };
        let detector = body.detector();
        let mut found = Vec::new();
        detector.penetrations(PointSet::BoundaryVertices, DcdOptions::default(), &mut found);
        let mut stored: Vec<Penetration> = workload
            .queries
            .iter()
            .map(|q| Penetration { point: PointId::Vertex(q.vertex), tet: q.tet })
            .collect();
        stored.sort_unstable();
        // Poses with inverted elements: the archives keep only the pairs for which the brute force found a path.
        if detector.inverted_count() == 0 {
            assert_eq!(found, stored, "{name}");
        }
        assert!(stored.iter().all(|p| found.binary_search(p).is_ok()), "{name}");
    }
}
