//! Geodesic answers on small folded bodies against the oracle.

use gordian_collision::{Own, PathOptions, PathQuery, PathScratch, PointId, PointSet};
use proptest::prelude::*;

use gordian_collision::workbench::bodies::{Body, Coil, coil, every_option, lattice_blocks, plain_coil};
use gordian_collision::workbench::oracle::Oracle;

/// Every penetration of the points, every option: the oracle's distance.
fn check(body: &Body, points: PointSet) -> usize {
    let topology = body.topology();
    let oracle = Oracle::new(&topology, &body.pose);
    let (found, first) = body.answers(points, &PathOptions::default());
    let detector = body.detector();
    for options in every_option() {
        let mut answers = Vec::new();
        detector.boundary_points(&found, &options, &mut answers);
        for ((penetration, answer), first) in found.iter().zip(&answers).zip(&first) {
            let own = match penetration.point {
                PointId::Vertex(v) => vec![v],
                PointId::Centroid(t) => topology.tets[t as usize].to_vec(),
            };
            let p = detector.position(penetration.point);
            let end = answer.end.unwrap_or_else(|| panic!("{options:?} {penetration:?}"));
            if options == PathOptions::default() {
                let right = oracle.shortest(p, penetration.tet, &own, end.distance * 1.001).unwrap();
                assert!(
                    (end.distance - right.distance).abs() <= 1e-9 * right.distance,
                    "{penetration:?} {answer:?} {right:?}"
                );
                let face = topology.faces[end.face as usize].map(|v| oracle.positions[v as usize]);
                let at = (0..3).map(|k| face[k] * end.barycentric[k]).sum::<glam::DVec3>();
                assert!((at - end.position).length() <= 1e-12 * (1.0 + at.length()));
                assert!(((p - at).length() - end.distance).abs() <= 1e-12 * (1.0 + at.length()));
            }
            let distance = first.end.unwrap().distance;
            assert!(
                (end.distance - distance).abs() <= 1e-12 * distance,
                "{options:?} {penetration:?} {answer:?}"
            );
        }
    }
    found.len()
}

#[test]
fn coil_of_boundary_vertices_and_centroids() {
    let body = plain_coil();
    assert_eq!(body.detector().inverted_count(), 0);
    assert!(check(&body, PointSet::BoundaryVertices) > 100);
    assert!(check(&body, PointSet::Centroids) > 500);
}

#[test]
fn blocks_on_a_lattice() {
    for offset in [[0.5, 0.0, 0.0], [1.5, 0.5, 0.25], [0.25, 0.25, 0.25], [2.0, 1.0, 0.5]] {
        let body = lattice_blocks(offset.into());
        check(&body, PointSet::AllVerticesAndCentroids);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_coils(
        along in 16u32..30,
        width in 1u32..4,
        height in 1u32..4,
        radius in 1.2f64..2.5,
        turns in 1.1f64..2.5,
        pitch in 0.2f64..0.9,
        jitter in 0.0f64..0.4,
        seed: u64,
    ) {
        // Some of these have inverted elements: the paper's rule holds there too.
        check(&coil(Coil { cells: [along, width, height], radius, turns, pitch, jitter, seed }), PointSet::BoundaryVertices);
    }
}

/// In a convex body the shortest path is the shortest line, and on a lattice it meets edges and vertices all the time.
#[test]
fn flood_and_traversal_on_a_convex_lattice() {
    let body = lattice_blocks([100.0, 0.0, 0.0].into());
    let topology = body.topology();
    let oracle = Oracle::new(&topology, &body.pose);
    let detector = body.detector();
    let mut scratch = PathScratch::default();
    for t in 0..320u32 {
        let corners = topology.tets[t as usize].map(|v| oracle.positions[v as usize]);
        for weights in [[0.25; 4], [0.5, 0.25, 0.125, 0.125], [0.125, 0.125, 0.25, 0.5]] {
            let p = (0..4).map(|k| corners[k] * weights[k]).sum::<glam::DVec3>();
            let right = 2.0 - p.abs().max_element();
            for options in every_option() {
                let query = PathQuery { point: p, tet: t, own: Own::Nothing };
                let answer = detector.boundary_point(&query, &options, &mut scratch);
                let end = answer.end.unwrap();
                assert!((end.distance - right).abs() <= 1e-12, "{options:?} {p} {answer:?}");
                assert_eq!(answer.counters.fallbacks, 0);
            }
        }
    }
}
