//! Closest point and rest shape, as others choose a boundary point.

use glam::{DMat3, DVec3};
use gordian_collision::{PathOptions, PointId, PointSet, QueryMode};

use gordian_collision::workbench::bodies::{lattice_blocks, plain_coil};
use gordian_collision::workbench::oracle::Oracle;

fn options(mode: QueryMode) -> PathOptions {
    PathOptions { mode, ..PathOptions::default() }
}

#[test]
fn euclidean_is_the_closest_of_all_faces_of_the_component() {
    for body in [plain_coil(), lattice_blocks([1.5, 0.5, 0.25].into())] {
        let topology = body.topology();
        let oracle = Oracle::new(&topology, &body.pose);
        let (found, answers) = body.answers(PointSet::BoundaryVertices, &options(QueryMode::Euclidean));
        assert!(!found.is_empty());
        for (p, answer) in found.iter().zip(&answers) {
            let PointId::Vertex(v) = p.point else { panic!() };
            let component = |t: u32| topology.vertex_component[topology.tets[t as usize][0] as usize];
            let all = oracle.candidates(oracle.positions[v as usize], &[v], f64::INFINITY);
            let face_component = |f: u32| component(topology.face_tet[f as usize]);
            let right = all.iter().find(|c| face_component(c.face) == component(p.tet)).unwrap();
            let end = answer.end.unwrap();
            assert!(
                (end.distance - right.distance).abs() <= 1e-12 * (1.0 + right.distance),
                "{end:?} {right:?}"
            );
            assert_eq!(face_component(end.face), component(p.tet));
        }
    }
}

#[test]
fn rest_shape_is_the_closest_face_of_the_rest_pose_carried_over() {
    let body = plain_coil();
    let topology = body.topology();
    let (now, rest) = (Oracle::new(&topology, &body.pose), Oracle::new(&topology, &body.rest));
    let (found, answers) = body.answers(PointSet::BoundaryVertices, &options(QueryMode::RestShape));
    let (_, geodesic) = body.answers(PointSet::BoundaryVertices, &options(QueryMode::Geodesic));
    let mut longer = 0;
    for ((p, answer), best) in found.iter().zip(&answers).zip(&geodesic) {
        let PointId::Vertex(v) = p.point else { panic!() };
        let tet = topology.tets[p.tet as usize];
        let corner = |oracle: &Oracle| tet.map(|v| oracle.positions[v as usize]);
        let [a, b, c, d] = corner(&now);
        let weights = DMat3::from_cols(b - a, c - a, d - a).inverse() * (now.positions[v as usize] - a);
        let [a, b, c, d] = corner(&rest);
        let point = a + DMat3::from_cols(b - a, c - a, d - a) * weights;
        let right = rest.candidates(point, &[v], f64::INFINITY)[0];
        let end = answer.end.unwrap();
        let on_face = |oracle: &Oracle| {
            let corners = topology.faces[end.face as usize].map(|v| oracle.positions[v as usize]);
            (0..3).map(|k| corners[k] * end.barycentric[k]).sum::<DVec3>()
        };
        assert!(((on_face(&rest) - point).length() - right.distance).abs() <= 1e-9, "{end:?} {right:?}");
        assert!((on_face(&now) - end.position).length() <= 1e-12 * (1.0 + end.position.length()));
        assert!(((now.positions[v as usize] - end.position).length() - end.distance).abs() <= 1e-12);
        // A path through the rest shape is never shorter than the shortest one.
        let best = best.end.unwrap().distance;
        assert!(end.distance >= best * (1.0 - 1e-12));
        longer += (end.distance > best * 1.01) as usize;
    }
    assert!(longer > 0, "the bar bends, so some paths must differ");
}
