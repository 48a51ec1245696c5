//! The same question in other dress has the same answer.

use glam::Vec3;
use gordian_collision::{DcdOptions, Detector, PathAnswer, PathOptions, Penetration, PointId, PointSet};

use gordian_collision::workbench::bodies::{Body, every_option, plain_coil};

fn answers(body: &Body) -> (Vec<Penetration>, Vec<PathAnswer>) {
    body.answers(PointSet::BoundaryVertices, &PathOptions::default())
}

fn transformed(body: &Body, map: impl Fn(Vec3) -> Vec3) -> Body {
    let all = |x: &[Vec3]| x.iter().map(|&p| map(p)).collect();
    Body { tets: body.tets.clone(), rest: all(&body.rest), pose: all(&body.pose) }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let body = plain_coil();
    let with = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let mut detector = body.detector();
            detector.refit(&body.pose);
            let mut found = Vec::new();
            let points = PointSet::AllVerticesAndCentroids;
            let dcd = detector.penetrations(points, DcdOptions::default(), &mut found);
            let all = every_option().map(|options| {
                let mut answers = Vec::new();
                let counters = detector.boundary_points(&found, &options, &mut answers);
                (answers, counters)
            });
            (found, dcd, all)
        })
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(5));
}

#[test]
fn scaling_by_a_power_of_two_scales_every_bit() {
    let body = plain_coil();
    let (found, first) = answers(&body);
    for exponent in [-20, -3, 10, 30] {
        let scale = 2f64.powi(exponent);
        let (scaled_found, scaled) = answers(&transformed(&body, |p| p * scale as f32));
        assert_eq!(found, scaled_found);
        for (a, b) in first.iter().zip(&scaled) {
            let (x, y) = (a.end.unwrap(), b.end.unwrap());
            assert_eq!((x.face, x.barycentric, x.feature), (y.face, y.barycentric, y.feature));
            assert_eq!((x.distance * scale).to_bits(), y.distance.to_bits());
            assert_eq!(x.position * scale, y.position);
            assert_eq!(a.counters, b.counters);
        }
    }
}

#[test]
fn a_millimetre_and_a_kilometre_are_alike() {
    let body = plain_coil();
    let (found, first) = answers(&body);
    for scale in [1e-3f32, 1e3] {
        let (scaled_found, scaled) = answers(&transformed(&body, |p| p * scale));
        // Rounding to single precision moves every vertex a little, so a pair may appear or vanish at a face.
        let mut common = 0;
        for (p, b) in scaled_found.iter().zip(&scaled) {
            let Ok(i) = found.binary_search(p) else { continue };
            common += 1;
            let (x, y) = (first[i].end.unwrap(), b.end.unwrap());
            assert!(
                (x.distance * scale as f64 - y.distance).abs() <= 1e-5 * scale as f64,
                "{p:?} {x:?} {y:?}"
            );
        }
        assert!(common + 2 >= found.len().max(scaled_found.len()), "{common} of {}", found.len());
    }
}

#[test]
fn a_translation_that_single_precision_holds_changes_no_distance() {
    let body = plain_coil();
    let (found, first) = answers(&body);
    // Coordinates are multiples of 2^-12 below 32, so these sums are exact.
    let (moved_found, moved) = answers(&transformed(&body, |p| p + Vec3::new(512.0, -256.0, 1000.5)));
    assert_eq!(found, moved_found);
    for (a, b) in first.iter().zip(&moved) {
        let (x, y) = (a.end.unwrap(), b.end.unwrap());
        assert!((x.distance - y.distance).abs() <= 1e-14 * x.distance, "{x:?} {y:?}");
    }
}

#[test]
fn numbering_changes_no_answer() {
    let body = plain_coil();
    let (n, m) = (body.rest.len(), body.tets.len());
    // Steps through all indices: coprime to both counts.
    let step = |i: usize, count: usize| (i * 7919 + 13) % count;
    assert!(n % 7919 != 0 && m % 7919 != 0);
    let mut numbered = Body { tets: vec![[0; 4]; m], rest: vec![Vec3::ZERO; n], pose: vec![Vec3::ZERO; n] };
    for v in 0..n {
        numbered.rest[step(v, n)] = body.rest[v];
        numbered.pose[step(v, n)] = body.pose[v];
    }
    for t in 0..m {
        let [a, b, c, d] = body.tets[t].map(|v| step(v as usize, n) as u32);
        // Even permutations keep the orientation.
        numbered.tets[step(t, m)] = if t % 2 == 0 { [b, c, a, d] } else { [d, c, b, a] };
    }
    let (found, first) = answers(&body);
    let (numbered_found, second) = answers(&numbered);
    assert_eq!(found.len(), numbered_found.len());
    for (p, a) in found.iter().zip(&first) {
        let PointId::Vertex(v) = p.point else { panic!() };
        let point = PointId::Vertex(step(v as usize, n) as u32);
        let image = Penetration { point, tet: step(p.tet as usize, m) as u32 };
        let i = numbered_found.binary_search(&image).unwrap();
        let (x, y) = (a.end.unwrap(), second[i].end.unwrap());
        assert!((x.distance - y.distance).abs() <= 1e-12 * x.distance);
        assert!((x.position - y.position).length() <= 1e-9, "{x:?} {y:?}");
    }
}

#[test]
fn a_refit_tree_and_a_fresh_one_answer_alike() {
    let body = plain_coil();
    let (found, first) = answers(&body);
    let fresh = Detector::new(&body.topology(), &body.pose);
    let (mut fresh_found, mut second) = (Vec::new(), Vec::new());
    fresh.penetrations(PointSet::BoundaryVertices, DcdOptions::default(), &mut fresh_found);
    fresh.boundary_points(&fresh_found, &PathOptions::default(), &mut second);
    assert_eq!(found, fresh_found);
    for (a, b) in first.iter().zip(&second) {
        let (x, y) = (a.end.unwrap(), b.end.unwrap());
        assert!((x.distance - y.distance).abs() <= 1e-14 * x.distance);
    }
}
