//! The tree against a loop over all boxes.

use std::ops::ControlFlow;

use glam::{DVec3, Vec3};
use proptest::prelude::*;

use super::*;

/// Boxes of very different sizes, points among them, many on common coordinates.
fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
    let coordinate = prop_oneof![(-8i32..8).prop_map(|i| i as f32), -8.0f32..8.0];
    let corner = [coordinate.clone(), coordinate.clone(), coordinate].prop_map(Vec3::from_array);
    let size =
        prop_oneof![Just(Vec3::ZERO), [0.0f32..1.0, 0.0f32..1.0, 0.0f32..4.0].prop_map(Vec3::from_array)];
    prop::collection::vec((corner, size).prop_map(|(min, size)| Aabb { min, max: min + size }), 0..300)
}

fn points() -> impl Strategy<Value = Vec<Vec3>> {
    let coordinate = prop_oneof![(-8i32..8).prop_map(|i| i as f32), -9.0f32..9.0];
    prop::collection::vec(
        [coordinate.clone(), coordinate.clone(), coordinate].prop_map(Vec3::from_array),
        1..20,
    )
}

struct Collect<'a> {
    boxes: &'a [Aabb],
    p: DVec3,
    radius: f64,
    found: Vec<(f64, u32)>,
}

impl NearestVisitor for Collect<'_> {
    fn distance_squared(&mut self, id: u32) -> f64 {
        self.boxes[id as usize].distance_squared(self.p)
    }
    fn visit(&mut self, id: u32, d: f64) -> ControlFlow<()> {
        self.found.push((d, id));
        ControlFlow::Continue(())
    }
    fn radius_squared(&self) -> f64 {
        self.radius
    }
}

fn check_against_loops(tree: &Tree, boxes: &[Aabb], points: &[Vec3]) {
    let all = || 0..boxes.len() as u32;
    let mut stack = Vec::new();
    for &p in points {
        let mut found = Vec::new();
        tree.stab(p, &mut stack, |i| found.push(i));
        found.sort_unstable();
        let wanted: Vec<u32> = all().filter(|&i| boxes[i as usize].contains(p)).collect();
        assert_eq!(found, wanted, "boxes that hold {p}");

        let query = Aabb { min: p, max: p + Vec3::new(1.0, 0.0, 2.0) };
        found = Vec::new();
        tree.overlap(&query, &mut stack, |i| found.push(i));
        found.sort_unstable();
        let wanted: Vec<u32> = all().filter(|&i| boxes[i as usize].overlaps(&query)).collect();
        assert_eq!(found, wanted, "boxes that meet {query:?}");

        // A point that single precision does not hold.
        let p = p.as_dvec3() * 1.000_000_000_1 + DVec3::splat(1e-9);
        for radius in [f64::INFINITY, 2.0] {
            let mut visitor = Collect { boxes, p, radius, found: Vec::new() };
            tree.nearest(p, &mut NearestQueue::default(), &mut visitor);
            let mut wanted: Vec<(f64, u32)> =
                all().map(|i| (boxes[i as usize].distance_squared(p), i)).collect();
            wanted.retain(|w| w.0 < radius);
            wanted.sort_by(|a, b| a.partial_cmp(b).unwrap());
            assert_eq!(visitor.found, wanted, "boxes near {p}");

            // The same in any order of the nodes; what does not meet the box may be left out, and all else must be there.
            visitor.found.clear();
            tree.nearest_in(p, &query, &mut NearestQueue::default(), &mut visitor);
            assert!(visitor.found.is_sorted() && visitor.found.iter().all(|w| wanted.contains(w)));
            let meets = |w: &&(f64, u32)| boxes[w.1 as usize].overlaps(&query);
            assert!(
                wanted.iter().filter(meets).all(|w| visitor.found.contains(w)),
                "boxes in {query:?} near {p}"
            );
            visitor.found.clear();
            tree.nearest_in(p, &Aabb::EVERYTHING, &mut NearestQueue::default(), &mut visitor);
            assert_eq!(visitor.found, wanted, "boxes near {p}, sorted at the end");
        }
    }
    let mut pairs = Vec::new();
    tree.self_pairs(|i, j| (i + j) % 7 != 0, &mut pairs);
    pairs.sort_unstable();
    let mut wanted = Vec::new();
    for i in all() {
        for j in i + 1..boxes.len() as u32 {
            if (i + j) % 7 != 0 && boxes[i as usize].overlaps(&boxes[j as usize]) {
                wanted.push([i, j]);
            }
        }
    }
    assert_eq!(pairs, wanted);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_traversal_finds_what_a_loop_finds(boxes in boxes(), points in points()) {
        let tree = Tree::build(&boxes);
        tree.validate(|i| boxes[i as usize]).unwrap();
        check_against_loops(&tree, &boxes, &points);
    }

    #[test]
    fn a_refit_tree_finds_the_same(boxes in boxes(), points in points(), shift in -3.0f32..3.0) {
        let mut tree = Tree::build(&boxes);
        let moved: Vec<Aabb> = boxes
            .iter()
            .enumerate()
            .map(|(i, b)| {
                let by = Vec3::new(shift * (i % 5) as f32, shift, (i % 3) as f32);
                Aabb { min: b.min + by, max: b.max + by }
            })
            .collect();
        tree.refit(|i| moved[i as usize]);
        tree.validate(|i| moved[i as usize]).unwrap();
        check_against_loops(&tree, &moved, &points);
    }

    #[test]
    fn pairs_between_two_trees(a in boxes(), b in boxes()) {
        let (tree_a, tree_b) = (Tree::build(&a), Tree::build(&b));
        let mut pairs = Vec::new();
        tree_a.pairs_with(&tree_b, |_, _| true, &mut pairs);
        pairs.sort_unstable();
        let wanted: Vec<[u32; 2]> = (0..a.len() as u32)
            .flat_map(|i| (0..b.len() as u32).map(move |j| [i, j]))
            .filter(|&[i, j]| a[i as usize].overlaps(&b[j as usize]))
            .collect();
        prop_assert_eq!(pairs, wanted);
    }
}

/// A field of small boxes, large enough for many blocks.
fn field(n: u32) -> Vec<Aabb> {
    (0..n)
        .map(|i| {
            let p = Vec3::new((i % 97) as f32, (i / 97 % 89) as f32 * 1.1, (i / 8633) as f32 * 0.9);
            Aabb { min: p, max: p + Vec3::splat(1.05) }
        })
        .collect()
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let boxes = field(20_000);
    let with = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let mut tree = Tree::build(&boxes);
            tree.refit(|i| boxes[i as usize].inflate(0.01));
            let mut pairs = Vec::new();
            tree.self_pairs(|_, _| true, &mut pairs);
            (pairs, tree.cost().to_bits(), tree.blocks.len())
        })
    };
    let one = with(1);
    assert!(one.2 > 20, "{} blocks", one.2);
    assert_eq!(one, with(2));
    assert_eq!(one, with(3));
}

#[test]
fn scaling_by_a_power_of_two_keeps_the_topology() {
    let boxes = field(3000);
    let children = |scale: f32| {
        let scaled: Vec<Aabb> =
            boxes.iter().map(|b| Aabb { min: b.min * scale, max: b.max * scale }).collect();
        Tree::build(&scaled).nodes.iter().map(|n| n.children).collect::<Vec<_>>()
    };
    assert_eq!(children(1.0), children(2f32.powi(-40)));
    assert_eq!(children(1.0), children(2f32.powi(30)));
}

#[test]
fn cost_grows_when_primitives_are_shuffled_and_not_when_they_are_scaled() {
    let boxes = field(5000);
    let mut tree = Tree::build(&boxes);
    assert_eq!(tree.decay(), 1.0);
    tree.refit(|i| Aabb { min: boxes[i as usize].min * 8.0, max: boxes[i as usize].max * 8.0 });
    assert_eq!(tree.decay(), 1.0);
    tree.refit(|i| boxes[(i as usize * 1237) % boxes.len()]);
    assert!(tree.wants_rebuild(), "{}", tree.decay());
}

#[test]
fn poisoned_and_empty_boxes_are_passed_over_and_poison_nothing() {
    let mut boxes = field(500);
    boxes[17] = Aabb::EMPTY;
    boxes[18] = Aabb::of_points([Vec3::NAN, Vec3::NAN, Vec3::NAN]);
    boxes[19] = Aabb { min: Vec3::splat(f32::NAN), max: Vec3::splat(f32::NAN) };
    let tree = Tree::build(&boxes);
    let mut found = Vec::new();
    for i in 0..500u32 {
        tree.stab(boxes[i as usize].min, &mut Vec::new(), |j| found.push(j));
        let expected = !(17..20).contains(&i);
        assert_eq!(found.contains(&i), expected, "box {i}");
        found.clear();
    }
}

#[test]
fn many_equal_boxes_and_no_box() {
    let tree = Tree::build(&[]);
    assert!(tree.is_empty() && tree.bounds().is_empty());
    tree.validate(|_| Aabb::EMPTY).unwrap();
    let boxes = vec![Aabb { min: Vec3::ONE, max: Vec3::ONE }; 1000];
    let tree = Tree::build(&boxes);
    tree.validate(|i| boxes[i as usize]).unwrap();
    let mut count = 0;
    tree.stab(Vec3::ONE, &mut Vec::new(), |_| count += 1);
    assert_eq!(count, 1000);
    assert_eq!(tree.cost(), 1.0);
}

#[test]
fn inflated_boxes_are_rounded_outward() {
    let b = Aabb { min: Vec3::splat(1e6), max: Vec3::splat(1e6) }.inflate(1e-3);
    assert!(b.min.x < 1e6 && b.max.x > 1e6);
    assert!(Aabb::EMPTY.inflate(1.0).is_empty());
}
