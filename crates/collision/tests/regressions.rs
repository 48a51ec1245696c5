//! Inputs that broke other simulators, one test per case, named by its number.

use glam::DVec3;
use gordian_collision::ccd::{CcdCounters, edge_edge, edge_edge_counted, vertex_face, vertex_face_counted};
use gordian_collision::predicates::Sign;

const TRIANGLE: [DVec3; 3] =
    [DVec3::new(0.0, 0.0, 0.0), DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.0, 1.0, 0.0)];

/// A vertex that moves against the fixed [`TRIANGLE`].
fn against_triangle(from: DVec3, to: DVec3) -> ([DVec3; 4], [DVec3; 4]) {
    let [a, b, c] = TRIANGLE;
    ([from, a, b, c], [to, a, b, c])
}

/// C15, CCD degeneracies: parallel edges slide past each other in one plane and overlap for 0.3 < t < 0.7.
#[test]
fn c15_parallel_edges_that_slide_past_each_other_hit_when_they_first_touch() {
    // On one line: [0, 1] and [1 + 3/4, 2 + 3/4], which moves by -5 and meets the first from t = 0.15 on.
    let line = |x: f64, y: f64| [DVec3::new(x, y, 0.0), DVec3::new(x + 1.0, y, 0.0)];
    let pair = |p: [DVec3; 2], q: [DVec3; 2]| [p[0], p[1], q[0], q[1]];
    let hit =
        edge_edge(&pair(line(0.0, 0.0), line(1.75, 0.0)), &pair(line(0.0, 0.0), line(-3.25, 0.0))).unwrap();
    assert!(hit.toi <= 0.15 && hit.toi > 0.15 - 1e-9, "{}", hit.toi);
    assert_eq!(hit.side, Sign::Zero);
    // Side by side: y from 0.5 to -0.5 passes the other at t = 0.5 while x overlaps for 0.3 < t < 0.7.
    let hit =
        edge_edge(&pair(line(0.0, 0.0), line(2.5, 0.5)), &pair(line(0.0, 0.0), line(-2.5, -0.5))).unwrap();
    assert!(hit.toi <= 0.5 && hit.toi > 0.5 - 1e-9, "{}", hit.toi);
    // Turned within the plane, the first touch is an end on the other edge, at t = 0.3 exactly.
    let start = [DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.3, 0.0), DVec3::new(0.5, 1.3, 0.0)];
    let end = [DVec3::ZERO, DVec3::X, DVec3::new(0.5, -0.7, 0.0), DVec3::new(0.5, 0.3, 0.0)];
    let hit = edge_edge(&start, &end).unwrap();
    assert!(hit.toi <= 0.3 && hit.toi > 0.3 - 1e-9, "{}", hit.toi);
    // Parallel, in one plane, never on one line: no hit, however long they overlap.
    let apart = edge_edge(&pair(line(0.0, 0.0), line(2.5, 0.5)), &pair(line(0.0, 0.0), line(-2.5, 0.125)));
    assert_eq!(apart, None);
}

/// C15: start distance 0 and separating. The contact at the start is told with its time 0, the work stays bounded, and
/// the next step, which starts from where this one ended, is free.
#[test]
fn c15_a_start_that_touches_and_separates_does_not_get_stuck() {
    let on = DVec3::new(0.25, 0.25, 0.0);
    for direction in [DVec3::Z, -DVec3::Z, DVec3::new(0.1, 0.2, 1e-12), DVec3::new(1e3, 0.0, 1e3)] {
        let (start, end) = against_triangle(on, on + direction);
        let hit = vertex_face(&start, &end).unwrap();
        assert_eq!((hit.toi, hit.side), (0.0, Sign::Zero));
        let (start, end) = against_triangle(on + direction, on + direction * 2.0);
        assert_eq!(vertex_face(&start, &end), None);
    }
    let start = [DVec3::ZERO, DVec3::X, DVec3::new(0.5, -0.5, 0.0), DVec3::new(0.5, 0.5, 0.0)];
    let end = [DVec3::ZERO, DVec3::X, DVec3::new(0.5, -0.5, 1.0), DVec3::new(0.5, 0.5, 1.0)];
    let hit = edge_edge(&start, &end).unwrap();
    assert_eq!((hit.toi, hit.side), (0.0, Sign::Zero));
    let further = end.map(|p| if p.z > 0.0 { p + DVec3::Z } else { p });
    assert_eq!(edge_edge(&end, &further), None);
}

/// C15: a point that moves exactly along an edge.
#[test]
fn c15_a_point_along_an_edge_is_a_hit() {
    let (start, end) = against_triangle(DVec3::new(-1.0, 0.0, 0.0), DVec3::new(3.0, 0.0, 0.0));
    let hit = vertex_face(&start, &end).unwrap();
    assert!(hit.toi <= 0.25 && hit.toi > 0.25 - 1e-9, "{}", hit.toi);
    // Along the line of the edge, but ending before it.
    let (start, end) = against_triangle(DVec3::new(-1.0, 0.0, 0.0), DVec3::new(-1e-300, 0.0, 0.0));
    assert_eq!(vertex_face(&start, &end), None);
    // Through the edge, across the plane.
    let (start, end) = against_triangle(DVec3::new(0.5, 0.5, 1.0), DVec3::new(0.5, 0.5, -1.0));
    let hit = vertex_face(&start, &end).unwrap();
    assert!(hit.toi <= 0.5 && hit.toi > 0.5 - 1e-9 && hit.side == Sign::Positive);
    // Through a corner, and past it by one unit in the last place.
    let (start, end) = against_triangle(DVec3::Z, -DVec3::Z);
    assert!(vertex_face(&start, &end).is_some());
    let off = DVec3::new(-1e-300, 0.0, 0.0);
    let (start, end) = against_triangle(DVec3::Z + off, -DVec3::Z + off);
    assert_eq!(vertex_face(&start, &end), None);
}

/// C15: a zero-length edge behaves as a point against an edge.
#[test]
fn c15_a_zero_length_edge_is_a_point() {
    let cross = |x: f64| {
        let p = |z: f64| DVec3::new(x, 0.0, z);
        edge_edge(&[DVec3::ZERO, DVec3::X, p(1.0), p(1.0)], &[DVec3::ZERO, DVec3::X, p(-1.0), p(-1.0)])
    };
    for x in [0.0, 0.5, 1.0] {
        let hit = cross(x).unwrap();
        assert!(hit.toi <= 0.5 && hit.toi > 0.5 - 1e-9);
        assert!((hit.parameters[0] - x).abs() < 1e-9);
    }
    assert_eq!(cross(1.0 + f64::EPSILON), None);
    // Two points that meet, and a triangle that is one point.
    let both = edge_edge(
        &[DVec3::ZERO, DVec3::ZERO, DVec3::ONE, DVec3::ONE],
        &[DVec3::ONE, DVec3::ONE, DVec3::ZERO, DVec3::ZERO],
    );
    assert!((both.unwrap().toi - 0.5).abs() < 1e-9);
    let point = vertex_face(
        &[DVec3::ZERO, DVec3::X, DVec3::X, DVec3::X],
        &[DVec3::X * 2.0, DVec3::X, DVec3::X, DVec3::X],
    );
    assert!((point.unwrap().toi - 0.5).abs() < 1e-9);
}

/// C15: 1 m per step through a gap of 1 mm between two sheets; bounded work, and both are hit in their order.
#[test]
fn c15_a_fast_vertex_through_a_thin_gap_is_bounded_work() {
    let mut counters = CcdCounters::default();
    for (offset, scale) in [(0.0, 1.0), (0.1, 1e-3), (1e3, 1.0)] {
        let sheet = |z: f64| {
            [DVec3::new(-1.0, -1.0, z), DVec3::new(1.0, -1.0, z), DVec3::new(0.0, 1.0, z)]
                .map(|p| p * scale + DVec3::splat(offset))
        };
        let at = |z: f64| DVec3::new(0.125, 0.125, z) * scale + DVec3::splat(offset);
        let (from, to) = (at(0.5), at(-0.5));
        let mut last = 0.0;
        for z in [0.0005, -0.0005] {
            let [a, b, c] = sheet(z);
            let hit = vertex_face_counted(&[from, a, b, c], &[to, a, b, c], &mut counters).unwrap();
            assert!((hit.toi - (0.5 - z)).abs() < 1e-9 * (1.0 + offset / scale * 1e-6) && hit.toi > last);
            last = hit.toi;
        }
        // The vertex stops inside the gap: only the first sheet is hit.
        let [a, b, c] = sheet(-0.0005);
        assert_eq!(vertex_face_counted(&[from, a, b, c], &[at(0.0), a, b, c], &mut counters), None);
        let [p, q, _] = sheet(0.0005);
        let (r, s) = (at(0.5) - DVec3::Y * 2.0 * scale, at(0.5) + DVec3::Y * 2.0 * scale);
        let down = DVec3::Z * scale;
        assert!(edge_edge_counted(&[p, q, r, s], &[p, q, r - down, s - down], &mut counters).is_some());
    }
    assert_eq!(counters.exact, 0);
}

/// Positions from a program that are too few, too many or not finite: errors, and the detector stays as it was.
#[test]
fn positions_that_do_not_fit_a_detector_are_errors() {
    use glam::Vec3;
    use gordian_collision::{Detector, PositionsError};
    use gordian_mesh::TetTopology;
    let topology = TetTopology::new(4, &[[0, 1, 2, 3]]);
    let rest = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    for few in [&rest[..3], &[]] {
        let wrong = PositionsError::Length { got: few.len(), wanted: 4 };
        assert_eq!(Detector::try_new(&topology, few).unwrap_err(), wrong);
    }
    let mut detector = Detector::try_new(&topology, &rest).unwrap();
    let mut moved = rest;
    moved[3] = -Vec3::Z;
    assert_eq!(detector.try_refit(&moved).unwrap().inverted, 1);
    moved[2].y = f32::NAN;
    assert!(matches!(detector.try_refit(&moved), Err(PositionsError::NotFinite { vertex: 2, .. })));
    assert!(matches!(detector.try_refit(&moved[1..]), Err(PositionsError::Length { got: 3, wanted: 4 })));
    assert_eq!(detector.inverted_count(), 1);
}
