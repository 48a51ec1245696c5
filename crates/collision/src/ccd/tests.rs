//! Detection of a boundary against itself.

use std::collections::BTreeSet;

use glam::{DVec3, Vec3, Vec3Swizzles};
use gordian_mesh::TetTopology;
use proptest::prelude::*;

use super::*;

/// A unit cube of five tetrahedra (bit i of a corner's index is its coordinate i), `n` of them as separate bodies.
fn cubes(n: u32) -> TetTopology {
    let one = [[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]];
    let tets: Vec<[u32; 4]> = (0..n).flat_map(|i| one.map(|t| t.map(|v| v + 8 * i))).collect();
    TetTopology::new(8 * n as usize, &tets)
}

fn corner(v: u32) -> Vec3 {
    Vec3::new((v & 1) as f32, (v >> 1 & 1) as f32, (v >> 2 & 1) as f32)
}

/// Positions of `cubes`, one placement a cube.
fn place(n: u32, placement: impl Fn(u32, Vec3) -> Vec3) -> Vec<Vec3> {
    (0..8 * n).map(|v| placement(v / 8, corner(v % 8))).collect()
}

fn detect(topology: &TetTopology, start: &[Vec3], end: &[Vec3]) -> Detection {
    let active = vec![true; start.len()];
    let mut detection = Detection::new();
    let motion = Motion { start, end, active: &active };
    detection.detect(topology, &motion, 0.0, &mut BroadPhase::new(topology, start));
    detection
}

/// Vertices of many cubes on a jittered grid, before and after a step.
fn motion() -> impl Strategy<Value = (Vec<Vec3>, Vec<Vec3>, Vec<bool>, f32)> {
    let step = || prop_oneof![Just(0.0f32), -0.5f32..0.5, (-2i32..3).prop_map(|i| i as f32 * 0.5)];
    let vector = || [step(), step(), step()].prop_map(Vec3::from_array);
    let n = 12;
    (
        prop::collection::vec(vector(), n * 8),
        prop::collection::vec(vector(), n * 8),
        prop::collection::vec(prop::bool::weighted(0.7), n * 8),
        prop_oneof![Just(0.0f32), 0.0f32..0.3],
    )
        .prop_map(move |(jitter, step, active, thickness)| {
            let start: Vec<Vec3> = place(n as u32, |i, p| {
                p + Vec3::new((i % 3) as f32, (i / 3 % 2) as f32, (i / 6) as f32) * 1.25
            });
            let start: Vec<Vec3> = start.iter().zip(&jitter).map(|(p, j)| p + j * 0.5).collect();
            let end = start.iter().zip(&step).map(|(p, s)| p + s).collect();
            (start, end, active, thickness)
        })
}

/// Whether the boxes round two simplices come within `thickness` of each other at one of a few times: these pairs
/// are to be found, in whatever frame the boxes are swept.
fn near(start: &[Vec3], end: &[Vec3], a: &[u32], b: &[u32], thickness: f64) -> bool {
    [0.0, 0.25, 0.5, 0.75, 1.0].into_iter().any(|t| {
        let at = |v: u32| start[v as usize].as_dvec3().lerp(end[v as usize].as_dvec3(), t);
        let bound = |ids: &[u32]| {
            let points = ids.iter().map(|&v| at(v));
            points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)))
        };
        let (a, b) = (bound(a), bound(b));
        (a.0 - b.1).max(b.0 - a.1).max_element() <= thickness
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_pair_is_missed((start, end, active, thickness) in motion()) {
        let topology = cubes(12);
        let motion = Motion { start: &start, end: &end, active: &active };
        let mut broad = BroadPhase::new(&topology, &start);
        broad.update(&topology, &motion, thickness);
        let near = |a: &[u32], b: &[u32]| near(&start, &end, a, b, f64::from(thickness));
        let found = broad.vertex_face().to_vec();
        prop_assert!(found.windows(2).all(|w| w[0] < w[1]), "a pair twice, or out of order");
        let mut hits = 0;
        for &v in &topology.boundary_vertices {
            for (f, face) in topology.faces.iter().enumerate() {
                let pair = [v, f as u32];
                if active[v as usize] && !face.contains(&v) {
                    let is_found = found.binary_search(&pair).is_ok();
                    prop_assert!(is_found || !near(&[v], face), "{pair:?}");
                    let (s, e) = ([v, face[0], face[1], face[2]].map(|v| start[v as usize].as_dvec3()),
                        [v, face[0], face[1], face[2]].map(|v| end[v as usize].as_dvec3()));
                    hits += u64::from(vertex_face(&s, &e).is_some());
                }
            }
        }
        for [v, f] in found {
            prop_assert!(active[v as usize] && !topology.faces[f as usize].contains(&v));
        }
        let found = broad.edge_edge().to_vec();
        prop_assert!(found.windows(2).all(|w| w[0] < w[1]), "a pair twice, or out of order");
        for (i, e) in topology.edges.iter().enumerate() {
            for (j, f) in topology.edges.iter().enumerate().skip(i + 1) {
                let ids = [e.vertices[0], e.vertices[1], f.vertices[0], f.vertices[1]];
                let shared = ids[..2].iter().any(|v| ids[2..].contains(v));
                if ids.iter().all(|&v| active[v as usize]) && !shared {
                    let is_found = found.binary_search(&[i as u32, j as u32]).is_ok();
                    prop_assert!(is_found || !near(&ids[..2], &ids[2..]), "edges {i} {j}");
                    let at = |x: &[Vec3]| ids.map(|v| x[v as usize].as_dvec3());
                    hits += u64::from(edge_edge(&at(&start), &at(&end)).is_some());
                }
            }
        }
        let mut detection = Detection::new();
        detection.narrow(&topology, &motion, &broad);
        prop_assert_eq!(detection.counters().hits, hits);
        for hit in detection.vertex_face() {
            prop_assert!((hit.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        for hit in detection.edge_edge() {
            prop_assert!((hit.normal.length() - 1.0).abs() < 1e-5);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Asked again and again for other end positions, within half the thickness of the first, a detection tells each hit once, and
    /// in all those that one that is made anew for each end would tell.
    #[test]
    fn more_is_what_is_new((start, end, active, thickness) in motion(), seed in any::<u64>()) {
        let topology = cubes(12);
        let thickness = thickness + 0.05;
        let (mut broad, mut detection) = (BroadPhase::new(&topology, &start), Detection::new());
        let mut random = crate::workbench::random::Random::new(seed);
        let (mut told, mut wanted) = (BTreeSet::new(), BTreeSet::new());
        for round in 0..4 {
            let mut shake = |size: f64| Vec3::from_array([0; 3].map(|_| random.between(-size, size) as f32));
            let size = if round == 0 { 0.0 } else { 0.28 * f64::from(thickness) };
            let end: Vec<Vec3> = end.iter().map(|p| p + shake(size)).collect();
            let motion = Motion { start: &start, end: &end, active: &active };
            if round == 0 {
                detection.detect(&topology, &motion, thickness, &mut broad);
            } else {
                let any = detection.detect_more(&topology, &motion, &broad);
                prop_assert_eq!(any, detection.contacts(&topology, 0.0).next().is_some());
            }
            let pairs = |d: &Detection| -> Vec<(u8, [u32; 2])> {
                let faces = d.vertex_face().iter().map(|h| (0, [h.vertex, h.face]));
                faces.chain(d.edge_edge().iter().map(|h| (1, h.edges))).collect()
            };
            for pair in pairs(&detection) {
                prop_assert!(told.insert(pair), "{pair:?} twice");
            }
            let mut anew = Detection::new();
            anew.detect(&topology, &motion, 0.0, &mut BroadPhase::new(&topology, &start));
            wanted.extend(pairs(&anew));
        }
        prop_assert_eq!(told, wanted);
    }
}

/// A few vertices that leap at every step are looked up alone: against what rests, and against each other.
#[test]
fn a_few_strays_do_not_cost_all_the_lists() {
    let n = 64;
    let topology = cubes(n);
    let mut x = place(n, |i, p| p + Vec3::new((i % 4) as f32, (i / 4 % 4) as f32, (i / 16) as f32) * 1.02);
    let active = vec![true; x.len()];
    let mut kept = BroadPhase::new(&topology, &x);
    let mut strays_met = 0;
    for step in 0..40usize {
        let start = x.clone();
        for (v, p) in x.iter_mut().enumerate() {
            *p += Vec3::new(0.3, 0.1, -0.2) + 1e-3 * Vec3::splat((v * 5 + step) as f32).map(f32::sin);
        }
        // Neighbours that stay together, and one that goes its own way.
        let leap = Vec3::new((step as f32).sin(), (step as f32 * 0.7).cos(), 0.4);
        for v in [100, 101, 102, 103, 260] {
            x[v] += if v == 260 { leap.zxy() } else { leap };
        }
        let motion = Motion { start: &start, end: &x, active: &active };
        kept.update(&topology, &motion, 0.01);
        let mut new = BroadPhase::new(&topology, &start);
        new.update(&topology, &motion, 0.01);
        assert_eq!(kept.vertex_face(), new.vertex_face(), "step {step}");
        assert_eq!(kept.edge_edge(), new.edge_edge(), "step {step}");
        strays_met += new.vertex_face().iter().filter(|p| (100..104).contains(&p[0]) || p[0] == 260).count();
    }
    assert!(strays_met > 100, "{strays_met} pairs of strays");
    assert!(kept.tree_queries() <= 4, "{} of 40 steps asked the trees", kept.tree_queries());
}

/// What a broad phase remembers saves work and changes nothing: small steps, steps with a common motion, leaps, a thickness
/// that grows, and a vertex that leaves its surroundings alone.
#[test]
fn lists_that_are_kept_give_the_pairs_of_new_ones() {
    let n = 27;
    let topology = cubes(n);
    let mut x = place(n, |i, p| p + Vec3::new((i % 3) as f32, (i / 3 % 3) as f32, (i / 9) as f32) * 1.02);
    let active: Vec<bool> = (0..x.len()).map(|v| v % 11 != 5).collect();
    let mut kept = BroadPhase::new(&topology, &x);
    let mut pairs = 0;
    for step in 0..60u32 {
        let wave = |v: usize| {
            Vec3::new((v * 7 + 1) as f32, (v * 3 + 2) as f32, (v * 5) as f32 + step as f32)
                .to_array()
                .map(f32::sin)
        };
        let size = if step % 20 == 19 { 0.5 } else { 0.004 };
        let common = Vec3::new(0.7, -0.2, 0.1) * if step > 30 { 100.0 } else { 1.0 };
        let start = x.clone();
        for (v, p) in x.iter_mut().enumerate() {
            *p += common + size * Vec3::from_array(wave(v));
        }
        if step % 7 == 6 {
            x[step as usize] += Vec3::X;
        }
        let thickness = [0.0, 0.01, 0.005][step as usize % 3];
        let motion = Motion { start: &start, end: &x, active: &active };
        kept.update(&topology, &motion, thickness);
        let mut new = BroadPhase::new(&topology, &start);
        new.update(&topology, &motion, thickness);
        assert_eq!(kept.vertex_face(), new.vertex_face(), "step {step}");
        assert_eq!(kept.edge_edge(), new.edge_edge(), "step {step}");
        pairs += new.vertex_face().len();
    }
    assert!(pairs > 1000, "{pairs} pairs");
    // Every step moves by the common motion, most of an edge: only what differs from it may cost.
    assert!(kept.tree_queries() < 45, "{} of 60 steps asked the trees", kept.tree_queries());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let n = 64;
    let topology = cubes(n);
    let place_at = |gap: f32| {
        place(n, |i, p| {
            let cell = Vec3::new((i % 4) as f32, (i / 4 % 4) as f32, (i / 16) as f32);
            p * 0.9 + cell * gap + Vec3::from_array((cell * 7.31 + p * 3.7).to_array().map(f32::sin)) * 0.1
        })
    };
    let (start, end) = (place_at(1.2), place_at(0.8));
    let active: Vec<bool> = (0..start.len()).map(|v| v % 17 != 3).collect();
    let with = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let mut detection = Detection::new();
            let motion = Motion { start: &start, end: &end, active: &active };
            detection.detect(&topology, &motion, 0.01, &mut BroadPhase::new(&topology, &start));
            (detection.vertex_face().to_vec(), detection.edge_edge().to_vec(), detection.counters())
        })
    };
    let one = with(1);
    assert!(one.0.len() > 50 && one.1.len() > 500, "{} {}", one.0.len(), one.1.len());
    assert_eq!(one, with(2));
    assert_eq!(one, with(3));
}

#[test]
fn a_cube_that_drops_on_another_hits_it_from_outside_once_a_vertex() {
    let topology = cubes(2);
    // The upper cube is smaller, off the centre, and falls through the upper face, 0.2 deep.
    let at = |height: f32| place(2, |i, p| if i == 0 { p } else { p * 0.5 + Vec3::new(0.2, 0.15, height) });
    let (start, end) = (at(1.2), at(0.8));
    let found = detect(&topology, &start, &end);
    let lower: Vec<u32> = found.vertex_face().iter().map(|h| h.vertex).collect();
    assert_eq!(lower, [8, 9, 10, 11], "the lower corners of the upper cube, each once");
    for hit in found.vertex_face() {
        assert_eq!(hit.normal, Vec3::Z);
        assert!((hit.toi - 0.5).abs() < 1e-6, "{}", hit.toi);
        let face = topology.faces[hit.face as usize];
        let foot: Vec3 = (0..3).map(|k| corner(face[k]) * hit.weights[k] as f32).sum();
        let expected = start[hit.vertex as usize].with_z(1.0);
        assert!((foot - expected).length() < 1e-5);
    }
    // Only the diagonal of the upper face meets the edges of the upper cube.
    for hit in found.edge_edge() {
        let upper = hit.edges.map(|e| topology.edges[e as usize].vertices[0] >= 8);
        assert_ne!(upper[0], upper[1]);
        assert_eq!(hit.normal, if upper[0] { Vec3::Z } else { -Vec3::Z });
    }
    // The way back out is free: no hit may hold the cube inside.
    let out = detect(&topology, &end, &start);
    assert_eq!((out.vertex_face(), out.edge_edge()), (&[][..], &[][..]));
    assert!(out.counters().hits > 0);
}

#[test]
fn a_vertex_keeps_both_walls_of_a_corner_and_one_face_of_a_flat_region() {
    // A wall stands on a floor that goes on beneath it; a cube's corner flies into both.
    let topology = cubes(3);
    let at = |offset: Vec3| {
        place(3, |i, p| match i {
            0 => p * Vec3::new(8.0, 4.0, 1.0) - Vec3::X * 4.0,
            1 => p * Vec3::new(1.0, 4.0, 4.0) + Vec3::new(-1.0, 0.0, 1.0),
            _ => p * 0.5 + offset,
        })
    };
    let (start, end) = (at(Vec3::new(0.25, 1.75, 1.5)), at(Vec3::new(-0.5, 1.75, 0.9)));
    let found = detect(&topology, &start, &end);
    let normals: Vec<Vec3> =
        found.vertex_face().iter().filter(|h| h.vertex == 16).map(|h| h.normal).collect();
    assert_eq!(normals, [Vec3::X, Vec3::Z], "the wall first, then the floor");
    // Exactly through the diagonal of the floor, which two coplanar faces share: one hit is enough.
    let centre = Vec3::new(-2.0, 1.0, 0.0);
    let (start, end) = (at(centre + Vec3::Z * 1.5), at(centre + Vec3::Z * 0.5));
    let found = detect(&topology, &start, &end);
    assert_eq!(found.vertex_face().iter().filter(|h| h.vertex == 16).count(), 1);
}

#[test]
fn edges_that_cross_make_an_edge_edge_hit_alone() {
    // Two beams that cross at a right angle; no vertex comes near the other.
    let topology = cubes(2);
    let at = |height: f32, tilt: f32| {
        place(2, |i, p| {
            let p = p - 0.5;
            if i == 0 {
                // Turned by 45° about its axis: an edge on top, at height 0.5.
                Vec3::new(p.x * 8.0, (p.y - p.z) * 0.5, (p.y + p.z) * 0.5)
            } else {
                Vec3::new((p.x - p.z) * 0.5, p.y * 8.0 + tilt, (p.x + p.z) * 0.5 + height)
            }
        })
    };
    let (start, end) = (at(1.125, 0.0), at(0.875, 0.1));
    let found = detect(&topology, &start, &end);
    assert_eq!(found.vertex_face(), &[]);
    assert_eq!(found.edge_edge().len(), 1);
    let hit = found.edge_edge()[0];
    assert_eq!(hit.edges.map(|e| topology.edges[e as usize].vertices[0] / 8), [0, 1]);
    assert_eq!(hit.normal, -Vec3::Z);
    assert!(hit.toi <= 0.5 && hit.toi > 0.5 - 1e-6);
    // Pulling the tangled beams apart again is not a hit.
    let out = detect(&topology, &end, &start);
    assert_eq!((out.vertex_face(), out.edge_edge()), (&[][..], &[][..]));
    // Inactive vertices take no part.
    let active = vec![false; start.len()];
    let mut none = Detection::new();
    let motion = Motion { start: &start, end: &end, active: &active };
    none.detect(&topology, &motion, 1.0, &mut BroadPhase::new(&topology, &start));
    assert_eq!((none.vertex_face(), none.edge_edge()), (&[][..], &[][..]));
}

/// A step that blew up is for the caller to stop; detection neither panics nor hangs on it.
#[test]
fn poisoned_positions_do_no_harm() {
    let start = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.25, 0.25, 1.0)];
    for poison in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308] {
        for i in 0..4 {
            for k in 0..3 {
                let mut end = start.map(|p| -p);
                end[i][k] = poison;
                vertex_face(&start, &end);
                edge_edge(&start, &end);
                vertex_face(&end, &end);
                edge_edge(&end, &end);
            }
        }
    }
}
