//! Pairs: kept lists, conservation, friction, and cloth beside volumes.

use glam::{DVec3, Quat, Vec3};
use proptest::prelude::*;

use super::super::{ClothDetector, ClothMesh, Proximity, Search};
use super::shapes::{Cloth, flat};
use crate::contact::ContactMaterial;

fn search<'a>(
    x: &'a [Vec3],
    start: &'a [Vec3],
    outside: &'a [bool],
    friction: &'a [ContactMaterial],
) -> Search<'a> {
    Search {
        x,
        start,
        reach: 0.02,
        valid_side: None,
        drop: None,
        solid_hits: &[],
        outside,
        room: 0.1,
        friction,
    }
}

/// Displacements that are no pattern.
fn scatter(k: usize, by: f32) -> Vec3 {
    let wave = |a: f32| (a * (k as f32 + 0.3)).sin();
    by * Vec3::new(wave(12.989), wave(78.233), wave(37.719))
}

/// Two flat sheets `gap` apart that have slid against each other by `slide` since the start of a step.
struct Sliding {
    mesh: ClothMesh,
    start: Vec<Vec3>,
    x: Vec<Vec3>,
    inv_mass: Vec<f32>,
    pairs: Proximity,
}

fn sliding(mu: f32, slide: f32) -> Sliding {
    let below = flat(8, 8, Quat::IDENTITY, Vec3::ZERO);
    let above = flat(6, 6, Quat::from_rotation_z(0.3), Vec3::new(0.013, 0.021, 0.012));
    let n = below.x.len();
    let both = below.and(&above);
    let start = both.x.clone();
    let mut x = start.clone();
    x[n..].iter_mut().enumerate().for_each(|(k, p)| *p += Vec3::new(slide, 0.0, -0.006) + scatter(k, 2e-4));
    let mut detector = ClothDetector::new(&both.mesh, &both.rest);
    detector.refit(&both.mesh, &x);
    detector.find_near(&both.mesh, &x, 0.02, 0.005);
    let mut pairs = Proximity::default();
    let (outside, friction) = (vec![true; x.len()], [ContactMaterial::friction(mu); 2]);
    pairs.find(&both.mesh, &detector, &search(&x, &start, &outside, &friction));
    let inv_mass = (0..x.len()).map(|k| if k < n { 3.0 } else { 7.0 }).collect();
    Sliding { mesh: both.mesh, start, x, inv_mass, pairs }
}

#[test]
fn pushes_friction_and_calm_change_no_momentum() {
    let Sliding { mesh, start, mut x, inv_mass, mut pairs } = sliding(0.4, 0.004);
    assert_eq!(mesh.sheet_count, 2);
    assert!(pairs.len() > 50, "{}", pairs.len());
    let before = x.clone();
    let mut shift = vec![Vec3::ZERO; x.len()];
    for _ in 0..5 {
        pairs.project(&mut x, &start, &mut shift, &inv_mass, 0.012);
    }
    assert!(pairs.pushed() > 20);
    let mut v: Vec<Vec3> =
        x.iter().zip(&start).zip(&shift).map(|((x, s), d)| (*x - *s - *d) * 60.0).collect();
    let thrown = v.clone();
    pairs.calm(&mut v, &inv_mass);
    for (from, to) in [(&before, &x), (&thrown, &v)] {
        let change = |k: usize| (to[k] - from[k]).as_dvec3() / f64::from(inv_mass[k]);
        let total: DVec3 = (0..from.len()).map(change).sum();
        let amount: f64 = (0..from.len()).map(|k| change(k).length()).sum();
        assert!(amount > 0.0 && total.length() < 1e-5 * amount, "{total} of {amount}");
    }
}

#[test]
fn friction_holds_a_small_slide_and_shortens_a_long_one() {
    // By how much the upper sheet slides on in the end, of what it slid without friction.
    let left = |mu: f32, slide: f32| {
        let Sliding { start, mut x, inv_mass, mut pairs, .. } = sliding(mu, slide);
        let mut shift = vec![Vec3::ZERO; x.len()];
        for _ in 0..5 {
            pairs.project(&mut x, &start, &mut shift, &inv_mass, 0.012);
        }
        let mean = |of: &[Vec3], from: usize, to: usize| {
            of[from..to].iter().map(|p| p.x).sum::<f32>() / (to - from) as f32
        };
        let moved: Vec<Vec3> = x.iter().zip(&start).zip(&shift).map(|((x, s), d)| *x - *s - *d).collect();
        (mean(&moved, 81, moved.len()) - mean(&moved, 0, 81)) / slide
    };
    let free = [0.001, 0.01].map(|slide| left(0.0, slide));
    assert!(free.iter().all(|f| (f - 1.0).abs() < 0.1), "{free:?}");
    assert!(left(0.6, 0.001) < 0.5 * free[0], "{}", left(0.6, 0.001));
    // An approach of 6 mm is cancelled: of a slide of 10 mm friction takes about its coefficient times that.
    let (low, high) = (left(0.05, 0.01) / free[1], left(0.2, 0.01) / free[1]);
    assert!(high < low && low < 1.0 && high > 0.75, "{low} {high}");
}

/// Corners of a block, its surface outward.
fn block(low: Vec3, high: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corner =
        |k: usize| Vec3::from_array([0, 1, 2].map(|a| if k >> a & 1 == 1 { high[a] } else { low[a] }));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    ((0..8).map(corner).collect(), triangles.collect())
}

/// A sheet over a block, and two blocks that touch: only what is cloth has pairs, and they push it out and up.
#[test]
fn surfaces_of_volumes_hold_cloth_off_and_leave_each_other_alone() {
    let sheet = flat(8, 8, Quat::from_rotation_z(0.2), Vec3::new(0.0, 0.0, 0.004));
    let (mut x, mut surfaces) = (sheet.x.clone(), Vec::new());
    for at in [Vec3::new(-0.31, -0.17, -0.3), Vec3::new(0.0, -0.17, -0.3)] {
        let (corners, triangles) = block(at, at + Vec3::new(0.305, 0.3, 0.3));
        surfaces.extend(triangles.iter().map(|t| t.map(|v| v + x.len() as u32)));
        x.extend(corners);
    }
    let mesh = ClothMesh::with_solids(x.len(), &sheet.mesh.triangles, &surfaces);
    assert!(mesh.is_solid(mesh.first_solid) && !mesh.is_solid_vertex(0) && mesh.is_solid_vertex(90));
    let mut detector = ClothDetector::new(&mesh, &x);
    detector.refit(&mesh, &x);
    detector.find_pairs(&mesh, &x, 0.0);
    detector.find_near(&mesh, &x, 0.02, 0.005);
    assert!(detector.find_hits(&mesh, &x).is_empty() && detector.solid_hits().is_empty());
    let (outside, friction) = (vec![true; x.len()], vec![ContactMaterial::SMOOTH; 3]);
    let mut pairs = Proximity::default();
    pairs.find(&mesh, &detector, &search(&x, &x, &outside, &friction));
    assert!(pairs.len() > 20);
    let (before, mut shift) = (x.clone(), vec![Vec3::ZERO; x.len()]);
    let inv_mass = vec![1.0; x.len()];
    (0..20).for_each(|_| pairs.project(&mut x, &before, &mut shift, &inv_mass, 0.01));
    for (v, (a, b)) in x.iter().zip(&before).enumerate() {
        let up = a.z - b.z;
        assert!(if mesh.is_solid_vertex(v as u32) { up <= 0.0 } else { up >= -1e-6 }, "vertex {v}: {up}");
    }

    // Pressed a little way into the corners, edges cross without a vertex inside; the way back is the way it came.
    let mut pressed = before.clone();
    pressed[..81].iter_mut().for_each(|p| p.z -= 0.0041);
    detector.refit(&mesh, &pressed);
    detector.find_near(&mesh, &pressed, 0.02, 0.005);
    detector.find_pairs(&mesh, &pressed, 0.0);
    detector.find_hits(&mesh, &pressed);
    let hits = detector.solid_hits().to_vec();
    assert!(!hits.is_empty());
    pairs.find(
        &mesh,
        &detector,
        &Search { solid_hits: &hits, ..search(&pressed, &pressed, &outside, &friction) },
    );
    let mut x = pressed.clone();
    (0..50).for_each(|_| pairs.project(&mut x, &pressed, &mut shift, &inv_mass, 0.002));
    detector.refit(&mesh, &x);
    detector.find_pairs(&mesh, &x, 0.0);
    detector.find_hits(&mesh, &x);
    assert!(
        detector.solid_hits().len() < hits.len() / 4,
        "{} of {}",
        detector.solid_hits().len(),
        hits.len()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A cloth that shakes and falls: what is found among kept lists is what looking at everything finds, in the same order, at every step.
    #[test]
    fn kept_lists_give_all_that_everything_tested_gives(
        wave in 0f32..4.0, by in 0f32..0.004, fall in -0.1f32..0.1, seed in 0usize..1000,
    ) {
        let mut cloth = Cloth::grid(19, 13, |p| {
            let q = wave * p;
            Vec3::new((3.0 * q.x).sin() * 0.3, (2.0 * q.y + q.x).cos() * 0.3, 0.2 * (5.0 * q.y).sin())
        });
        let (outside, friction) = (vec![true; cloth.x.len()], [ContactMaterial::SMOOTH]);
        let mut detector = cloth.detector();
        let (mut kept, mut known) = (0, 0);
        for step in 0..12 {
            cloth.x.iter_mut().enumerate().for_each(|(k, p)| *p += scatter(k + seed + 977 * step, by) + Vec3::splat(fall));
            let search = search(&cloth.x, &cloth.x, &outside, &friction);
            if detector.knows_near(&cloth.x, search.reach) {
                kept += 1;
            } else {
                detector.refit(&cloth.mesh, &cloth.x);
                detector.find_near(&cloth.mesh, &cloth.x, search.reach, 0.01);
            }
            let mut pairs = Proximity::default();
            pairs.find(&cloth.mesh, &detector, &search);
            let found: Vec<_> = pairs.within(&cloth.x, f32::INFINITY).collect();
            prop_assert_eq!(found, everything(&cloth.mesh, &search));
            if detector.knows_crossings(&cloth.x) {
                known += 1;
                prop_assert_eq!(detector.find_known_hits(&cloth.mesh, &cloth.x).to_vec(), cloth.hits());
            }
        }
        prop_assert!(by > 0.0005 || kept.min(known) > 6, "{} of 12 kept, {} with crossings at {}", kept, known, by);
    }

    /// Regions that the search passes over are clear of themselves: steep, pressed together, with a slit, and at every reach.
    #[test]
    fn nothing_near_is_passed_over(
        wave in 0f32..2.0, slope in -3f32..3.0, narrow in 0.2f32..1.0, reach in 0.002f32..0.09, by in 0f32..0.02, seed in 0usize..1000,
    ) {
        let whole = Cloth::grid(20, 14, |p| p);
        // Quads between the tenth and the eleventh column are left out, but for those at one end, and what is beyond moves up.
        let slit = |v: u32| whole.rest[v as usize].y < 0.5 && (whole.rest[v as usize].x - 0.05).abs() < 0.06;
        let triangles: Vec<_> =
            whole.mesh.triangles.iter().filter(|t| !t.iter().all(|&v| slit(v))).copied().collect();
        let x = whole.rest.iter().enumerate().map(|(k, p)| {
            let closed = if p.x > 0.05 && p.y < 0.45 { p.x - 0.095 } else { p.x };
            let z = slope * closed + 0.3 * (2.0 * wave * p.y).sin() * (wave * p.x).cos();
            Vec3::new(narrow * closed, p.y, z) + scatter(k + seed, by)
        });
        let cloth = Cloth::new(whole.rest.clone(), x.collect(), &triangles);
        let (outside, friction) = (vec![true; cloth.x.len()], [ContactMaterial::SMOOTH]);
        let search = Search { reach, ..search(&cloth.x, &cloth.x, &outside, &friction) };
        let mut detector = cloth.detector();
        detector.refit(&cloth.mesh, &cloth.x);
        detector.find_near(&cloth.mesh, &cloth.x, reach, 0.002);
        let mut pairs = Proximity::default();
        pairs.find(&cloth.mesh, &detector, &search);
        let found: Vec<_> = pairs.within(&cloth.x, f32::INFINITY).collect();
        prop_assert_eq!(found, everything(&cloth.mesh, &search));
        prop_assert_eq!(detector.find_known_hits(&cloth.mesh, &cloth.x).to_vec(), cloth.hits());
    }
}

/// All pairs of features that have no vertex in common.
fn everything(mesh: &ClothMesh, search: &Search) -> Vec<([u32; 4], [f32; 4], Vec3)> {
    let mut near = ClothDetector::new(mesh, search.x);
    near.take_all_for_near(mesh);
    let mut pairs = Proximity::default();
    pairs.find(mesh, &near, search);
    pairs.within(search.x, f32::INFINITY).collect()
}
