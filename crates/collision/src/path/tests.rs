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
