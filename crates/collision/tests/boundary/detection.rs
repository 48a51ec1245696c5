//! Penetrations against a loop over all points and tetrahedra.

use gordian_collision::{DcdOptions, Penetration, PointId, PointSet};
use proptest::prelude::*;

use gordian_collision::workbench::bodies::{Body, Coil, coil, lattice_blocks, plain_coil};
use gordian_collision::workbench::oracle::Oracle;

/// What a loop finds.
fn expected(body: &Body, points: PointSet) -> Vec<Penetration> {
    let topology = body.topology();
    let oracle = Oracle::new(&topology, &body.pose);
    let vertex = |v: u32| {
        let inside = oracle.containing(oracle.positions[v as usize], &[v]);
        inside.into_iter().map(move |tet| Penetration { point: PointId::Vertex(v), tet })
    };
    let centroid = |t: u32| {
        let own = topology.tets[t as usize];
        let p = own.iter().map(|&v| oracle.positions[v as usize]).sum::<glam::DVec3>() * 0.25;
        let inside = oracle.containing(p, &own);
        inside.into_iter().map(move |tet| Penetration { point: PointId::Centroid(t), tet })
    };
    let all: Vec<u32> = (0..topology.vertex_count).collect();
    let tets = 0..topology.tets.len() as u32;
    match points {
        PointSet::BoundaryVertices => topology.boundary_vertices.iter().flat_map(|&v| vertex(v)).collect(),
        PointSet::AllVertices => all.into_iter().flat_map(vertex).collect(),
        PointSet::Vertices(ids) => ids.iter().flat_map(|&v| vertex(v)).collect(),
        PointSet::Centroids => tets.flat_map(centroid).collect(),
        PointSet::AllVerticesAndCentroids => {
            all.into_iter().flat_map(vertex).chain(tets.flat_map(centroid)).collect()
        }
    }
}

fn check(body: &Body, points: PointSet) -> usize {
    let mut found = vec![Penetration { point: PointId::Vertex(0), tet: 0 }];
    // Inverted elements are tested as any other; which points are left out next to them has a test of its own.
    body.detector().penetrations(points, DcdOptions { skip_inverted: false }, &mut found);
    let wanted = expected(body, points);
    assert_eq!(found, wanted);
    // The same from trees that have come here from another pose.
    let mut detector = body.detector();
    let squashed: Vec<_> = body.pose.iter().map(|p| glam::Vec3::new(p.y * 3.0, -p.x, p.z * 0.1)).collect();
    detector.refit(&squashed);
    detector.keep_cores(true);
    detector.refit(&body.pose);
    let counters = detector.penetrations(points, DcdOptions { skip_inverted: false }, &mut found);
    assert_eq!(found, wanted);
    assert_eq!(counters.skipped, 0);
    found.len()
}

#[test]
fn every_point_set_of_a_coil() {
    let body = plain_coil();
    assert!(check(&body, PointSet::BoundaryVertices) > 100);
    assert!(check(&body, PointSet::AllVerticesAndCentroids) > 700);
    check(&body, PointSet::Vertices(&[3, 4, 100, 201]));
    check(&body, PointSet::Vertices(&[]));
}

#[test]
fn a_point_on_a_face_an_edge_or_a_vertex_is_not_inside() {
    assert_eq!(check(&lattice_blocks([1.0, 2.0, 0.0].into()), PointSet::AllVertices), 0);
    for offset in [[0.5, 0.5, 0.0], [0.5, 0.25, 0.0], [1.0, 0.0, 0.25], [0.5, 0.25, 0.125]] {
        check(&lattice_blocks(offset.into()), PointSet::AllVerticesAndCentroids);
    }
}

#[test]
fn vertices_of_inverted_boundary_elements_are_left_out_if_asked() {
    let mut body = plain_coil();
    // Pulls one vertex through its neighbours.
    let v = 2 * 41 * 4 + 20;
    let towards = body.pose[v + 41] - body.pose[v];
    body.pose[v] += towards * 3.0;
    let topology = body.topology();
    let detector = body.detector();
    assert!(detector.inverted_count() > 0);
    let excluded: Vec<u32> = (0..topology.faces.len())
        .filter(|&f| detector.is_inverted(topology.face_tet[f]))
        .flat_map(|f| topology.tets[topology.face_tet[f] as usize])
        .collect();
    assert!(!excluded.is_empty());
    let mut found = Vec::new();
    let counters = detector.penetrations(PointSet::BoundaryVertices, DcdOptions::default(), &mut found);
    let mut wanted = expected(&body, PointSet::BoundaryVertices);
    let all = wanted.len();
    wanted.retain(|p| !matches!(p.point, PointId::Vertex(v) if excluded.contains(&v)));
    assert_eq!(found, wanted);
    assert!(wanted.len() < all && counters.skipped > 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_coils(
        along in 8u32..20,
        width in 1u32..4,
        height in 1u32..3,
        radius in 0.5f64..2.0,
        turns in 0.8f64..2.5,
        pitch in 0.0f64..0.9,
        jitter in 0.0f64..1.0,
        seed: u64,
    ) {
        check(&coil(Coil { cells: [along, width, height], radius, turns, pitch, jitter, seed }), PointSet::AllVertices);
    }
}
