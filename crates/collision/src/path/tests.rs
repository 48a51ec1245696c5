//! What cannot be seen from outside: walks to any candidate, and searches with and without shortcuts.

use glam::{DVec3, Vec3};
use gordian_mesh::generate::box_mesh;
use gordian_mesh::io::npz::Workload;
use gordian_mesh::{TetTopology, testdata};

use super::walk::{WalkEnd, WalkScratch, walk};
use super::*;
use crate::bvh::Tree;
use crate::immersion::Immersion;
use crate::workbench::bodies::every_option;
use crate::{DcdOptions, Detector, PointSet};

/// In a convex body every segment is a valid path; from these points on a lattice it meets edges and vertices exactly.
#[test]
fn walks_arrive_everywhere_in_a_convex_lattice() {
    let block = box_mesh(DVec3::splat(4.0), [4; 3]).unwrap();
    let rest: Vec<Vec3> = block.positions.iter().map(|p| p.as_vec3()).collect();
    let mesh = SortedMesh::new(&TetTopology::new(rest.len(), &block.tets), &rest);
    let (mut positions, mut immersion) = (Vec::new(), Immersion::default());
    mesh.gather(&rest, &mut positions);
    immersion.update(&mesh, &positions);
    let pose = Pose {
        mesh: &mesh,
        positions: &positions,
        folds: &immersion.folds,
        near_fold: &immersion.near_fold,
        inverted: &immersion.inverted_tree,
        faces: &Tree::default(),
        cones: &Cones::default(),
    };
    let mut scratch = WalkScratch::default();
    let mut counters = PathCounters::default();
    for t in (0..mesh.elements.len() as u32).step_by(3) {
        let corners = mesh.elements[t as usize].vertices.map(|v| positions[v as usize].as_dvec3());
        let point = crate::dcd::centroid(corners);
        let query = Query { point, element: t, own: OwnVertices([u32::MAX; 4]) };
        for face in &mesh.faces {
            let [a, b, c] = face.vertices.map(|v| pose.from(point, v));
            let third = (a + b + c) / 3.0;
            for (d, feature) in [(a, 1), ((a + b) * 0.5, 2), (a * 0.75 + b * 0.25, 2), (third, 3)] {
                let end =
                    walk(&pose, &query, d, &face.vertices[..feature], false, &mut scratch, &mut counters);
                assert_eq!(end, WalkEnd::Arrived, "from {point} to {}", point + d);
            }
        }
    }
    assert!(counters.exact_tests > 1000, "{counters:?}");
}

/// Local reasoning (ownership, culling, walks in one direction, the flood) changes no answer, next to folds or elsewhere.
#[test]
fn shortcuts_change_nothing_on_folded_poses() {
    for name in ["ball_half", "octopus_squash"] {
        let Some(path) = testdata::path(&format!("workloads/{name}.npz")) else { return };
        let workload = Workload::read(&path).unwrap();
        let mut detector =
            Detector::new(&TetTopology::new(workload.rest.len(), &workload.tets), &workload.rest);
        detector.refit(&workload.deformed);
        let mut scratch = PathScratch::default();
        for q in &workload.queries {
            let query = PathQuery {
                point: workload.deformed[q.vertex as usize].as_dvec3(),
                tet: q.tet,
                own: Own::Vertex(q.vertex),
            };
            let mut counters = PathCounters::default();
            let (pose, internal) = detector.internal(&query);
            let right = auto::by_line(&pose, &internal, &mut scratch, &mut counters).unwrap();
            for method in [PathMethod::Auto, PathMethod::Flood, PathMethod::Traversal] {
                let options = PathOptions { method, ..PathOptions::default() };
                let (found, _) = shortest_path(&pose, &internal, &options, &mut scratch, &mut counters);
                let (a, b) = (found.unwrap().closest.distance_squared, right.closest.distance_squared);
                assert!((a - b).abs() <= 1e-12 * b, "{name} {method:?} {q:?}: {} for {}", a.sqrt(), b.sqrt());
            }
        }
    }
}

/// The same on random tangles, most of which hold elements that are inverted or wrap: also where a line turns round.
#[test]
fn shortcuts_change_nothing_on_random_tangles() {
    let (mut scratch, mut compared, mut folded) = (PathScratch::default(), 0, 0);
    for seed in 500..580 {
        let body = crate::workbench::tangles::tangle(seed);
        let detector = body.detector();
        let mut found = Vec::new();
        detector.penetrations(PointSet::AllVerticesAndCentroids, DcdOptions::default(), &mut found);
        let stride = found.len().div_ceil(150).max(1);
        for penetration in found.iter().step_by(stride) {
            let query = detector.query(penetration);
            let mut counters = PathCounters::default();
            let (pose, internal) = detector.internal(&query);
            let right = auto::by_line(&pose, &internal, &mut scratch, &mut counters);
            let length = |found: Option<Found>| found.map(|f| f.closest.distance_squared.sqrt());
            for options in every_option() {
                let (found, _) = shortest_path(&pose, &internal, &options, &mut scratch, &mut counters);
                let (a, b) = (length(found), length(right));
                let same = match (a, b) {
                    (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * b + 1e-14 * query.point.abs().max_element(),
                    (a, b) => a == b,
                };
                assert!(same, "seed {seed} {options:?} {query:?}: {a:?} for {b:?}");
            }
            compared += 1;
            folded += (detector.inverted_count() > 0) as usize;
        }
    }
    assert!(compared > 4000 && folded > 500, "{compared} {folded}");
}

/// Where inverted elements lie in heaps, so that too many cover a line to look at all, answers are as right as elsewhere.
#[test]
fn heaps_of_inverted_elements_are_walked_through() {
    let block = box_mesh(DVec3::splat(6.0), [6; 3]).unwrap();
    let rest: Vec<Vec3> = block.positions.iter().map(|p| p.as_vec3()).collect();
    let mut random = crate::workbench::random::Random::new(6);
    let pose = rest.iter().map(|&p| p + 3.0 * random.offset().as_vec3()).collect();
    let body = crate::workbench::bodies::Body { tets: block.tets, rest, pose };
    let detector = body.detector();
    assert!(detector.inverted_count() > 300);
    let mut found = Vec::new();
    detector.penetrations(PointSet::AllVerticesAndCentroids, DcdOptions::default(), &mut found);
    for penetration in found.iter().step_by(found.len() / 60) {
        let query = detector.query(penetration);
        if let Err(failure) = crate::workbench::fuzz::check_query(&body, &query) {
            panic!("{failure:?}");
        }
    }
}

/// No path leads from one body to another: what lies all round the point but belongs to others is not walked to.
#[test]
fn other_bodies_are_not_walked_to() {
    let block = box_mesh(DVec3::splat(4.0), [4; 3]).unwrap();
    let one = block.positions.len() as u32;
    let with = |others: u32| {
        let (mut tets, mut x) = (Vec::new(), Vec::new());
        for k in 0..=others {
            tets.extend(block.tets.iter().map(|t| t.map(|v| v + k * one)));
            let (size, shift) = if k == 0 { (1.0, 0.0) } else { (0.1, 0.11 * f64::from(k)) };
            x.extend(block.positions.iter().map(|&p| (p * size + DVec3::splat(shift)).as_vec3()));
        }
        let topology = TetTopology::new(x.len(), &tets);
        let mut detector = Detector::new(&topology, &x);
        detector.refit(&x);
        let options = PathOptions { method: PathMethod::Traversal, culling: false, ..Default::default() };
        let point = DVec3::new(0.03, 0.05, 0.02);
        let held = |t: &[u32; 4]| crate::dcd::strictly_contains(t.map(|v| x[v as usize].as_dvec3()), point);
        let tet = tets.iter().position(held).unwrap() as u32;
        let query = PathQuery { point, tet, own: Own::Nothing };
        detector.boundary_point(&query, &options, &mut PathScratch::default())
    };
    let (alone, among) = (with(0), with(8));
    assert_eq!(alone.end.unwrap().position, among.end.unwrap().position);
    assert_eq!(alone.counters.traversals, among.counters.traversals);
}
