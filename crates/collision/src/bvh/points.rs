//! A tree over points that is made anew for every pose.
//!
//! Points are cheap to sort: halving them along the widest axis, again and again, costs less than it costs to keep a tree over the
//! elements between them up to date, and never decays. The tree is complete, so that it needs no links.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};
use wide::f32x8;

use super::{Aabb, lanes};

/// Eight boxes as structure of arrays.
#[derive(Clone, Copy, Debug)]
pub struct EightBoxes {
    min: [f32x8; 3],
    max: [f32x8; 3],
}

impl EightBoxes {
    /// Number of boxes.
    pub const LEN: usize = 8;

    /// At most [`EightBoxes::LEN`] boxes; the rest are empty.
    #[inline]
    pub fn new(boxes: impl IntoIterator<Item = Aabb>) -> Self {
        let (mut min, mut max) = ([[f32::INFINITY; 8]; 3], [[f32::NEG_INFINITY; 8]; 3]);
        for (lane, b) in boxes.into_iter().enumerate() {
            for axis in 0..3 {
                min[axis][lane] = b.min[axis];
                max[axis][lane] = b.max[axis];
            }
        }
        EightBoxes { min: min.map(f32x8::new), max: max.map(f32x8::new) }
    }

    /// Bit `i` is set when box `i` meets the closed box `b`.
    #[inline]
    pub fn overlap_mask(&self, b: &Aabb) -> u32 {
        let on = |axis: usize| {
            self.min[axis].simd_le(f32x8::splat(b.max[axis]))
                & self.max[axis].simd_ge(f32x8::splat(b.min[axis]))
        };
        (on(0) & on(1) & on(2)).to_bitmask()
    }

    /// The box around all.
    fn bounds(&self) -> Aabb {
        let reduce =
            |v: f32x8, pick: fn(f32, f32) -> f32| v.to_array().into_iter().reduce(pick).unwrap_or(f32::NAN);
        Aabb {
            min: Vec3::from_array(self.min.map(|v| reduce(v, f32::min))),
            max: Vec3::from_array(self.max.map(|v| reduce(v, f32::max))),
        }
    }
}

/// A point of a tree: its id, and the box of the single precision points next to it (one point, where that is exact).
#[derive(Clone, Copy, Debug)]
pub struct TreePoint {
    /// What the caller knows it by.
    pub id: u32,
    /// Holds the point.
    pub bounds: Aabb,
}

impl TreePoint {
    /// The point `id` at `p`.
    #[inline]
    pub fn new(id: u32, p: DVec3) -> Self {
        TreePoint { id, bounds: Aabb { min: round_down(p), max: round_up(p) } }
    }

    fn cmp_along(&self, axis: usize, other: &TreePoint) -> Ordering {
        self.bounds.min[axis].total_cmp(&other.bounds.min[axis]).then(self.id.cmp(&other.id))
    }
}

/// A balanced tree over points.
#[derive(Clone, Debug, Default)]
pub struct PointTree {
    /// Eight a leaf.
    points: Vec<TreePoint>,
    /// Level by level, leaves first: each the boxes of its points or of eight nodes below.
    nodes: Vec<EightBoxes>,
    /// Where each level starts.
    levels: Vec<u32>,
}

/// What fewer points are sorted by one task.
const TASK: usize = 4096;

impl PointTree {
    /// Builds a tree; ids must differ. The same for any number of threads.
    pub fn build(mut points: Vec<TreePoint>) -> PointTree {
        assert!(u32::try_from(points.len()).is_ok(), "too many points for 32-bit links");
        halve(&mut points);
        let mut nodes: Vec<EightBoxes> = points
            .chunks(EightBoxes::LEN)
            .map(|leaf| EightBoxes::new(leaf.iter().map(|p| p.bounds)))
            .collect();
        let mut levels = vec![0];
        let mut below = 0..nodes.len();
        while below.len() > 1 {
            levels.push(below.end as u32);
            for start in below.clone().step_by(EightBoxes::LEN) {
                let end = below.end.min(start + EightBoxes::LEN);
                let node = EightBoxes::new(nodes[start..end].iter().map(EightBoxes::bounds));
                nodes.push(node);
            }
            below = below.end..nodes.len();
        }
        PointTree { points, nodes, levels }
    }

    /// Calls `visit` for each point that the closed box may hold: all whose own box meets it. `stack` is scratch.
    #[inline]
    pub fn overlap(&self, query: &Aabb, stack: &mut Vec<(u32, u32)>, mut visit: impl FnMut(&TreePoint)) {
        stack.clear();
        if !self.nodes.is_empty() {
            stack.push((self.levels.len() as u32 - 1, 0));
        }
        while let Some((level, i)) = stack.pop() {
            let node = &self.nodes[(self.levels[level as usize] + i) as usize];
            let hit = lanes(node.overlap_mask(query)).map(|lane| i as usize * EightBoxes::LEN + lane);
            if level == 0 {
                hit.for_each(|point| visit(&self.points[point]));
            } else {
                stack.extend(hit.map(|child| (level - 1, child as u32)));
            }
        }
    }
}

/// Sorts points so that each subtree is a half, by the widest axis, of what its surroundings hold.
fn halve(points: &mut [TreePoint]) {
    if points.len() <= EightBoxes::LEN {
        return;
    }
    // What a child of the node over these points holds when it is full.
    let mut unit = EightBoxes::LEN;
    while unit * EightBoxes::LEN < points.len() {
        unit *= EightBoxes::LEN;
    }
    let middle = points.len().div_ceil(unit) / 2 * unit;
    let bounds = points.iter().fold(Aabb::EMPTY, |b, p| b.union(p.bounds));
    let axis = (bounds.max - bounds.min).max_position();
    points.select_nth_unstable_by(middle, |a, b| a.cmp_along(axis, b));
    let (left, right) = points.split_at_mut(middle);
    if left.len() + right.len() > TASK {
        rayon::join(|| halve(left), || halve(right));
    } else {
        halve(left);
        halve(right);
    }
}

/// The largest single precision point that is not above `p` in any coordinate.
#[inline]
pub(super) fn round_down(p: DVec3) -> Vec3 {
    Vec3::from_array(p.to_array().map(|x| {
        let nearest = x as f32;
        if nearest as f64 > x { nearest.next_down() } else { nearest }
    }))
}

/// The smallest single precision point that is not below `p` in any coordinate.
#[inline]
pub(super) fn round_up(p: DVec3) -> Vec3 {
    -round_down(-p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points() -> impl Strategy<Value = Vec<DVec3>> {
        let coordinate = prop_oneof![(-8i32..8).prop_map(f64::from), -8.0f64..8.0, Just(1e-9), Just(3e30)];
        let point = [coordinate.clone(), coordinate.clone(), coordinate].prop_map(DVec3::from_array);
        prop_oneof![prop::collection::vec(point.clone(), 0..40), prop::collection::vec(point, 0..1300)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn a_box_finds_its_points(points in points(), min in [-9.0f32..8.0, -9.0f32..8.0, -9.0f32..8.0], size in 0.0f32..6.0) {
            let tree = PointTree::build(points.iter().enumerate().map(|(i, &p)| TreePoint::new(i as u32, p)).collect());
            let query = Aabb { min: Vec3::from_array(min).round(), max: Vec3::from_array(min).round() + size };
            let mut found = Vec::new();
            tree.overlap(&query, &mut Vec::new(), |p| found.push(p.id));
            found.sort_unstable();
            // What single precision cannot tell apart may be found too, but nothing may be missed.
            let slack = query.inflate(2e-6);
            let within = |b: &Aabb, p: &DVec3| b.distance_squared(*p) == 0.0;
            let all = |b: Aabb| (0..points.len() as u32).filter(|&i| within(&b, &points[i as usize])).collect::<Vec<_>>();
            prop_assert!(all(query).iter().all(|i| found.contains(i)));
            prop_assert!(found.iter().all(|i| all(slack).contains(i)));
            prop_assert!(found.is_sorted_by(|a, b| a < b));
        }
    }

    #[test]
    fn points_are_bounded_tightly() {
        for x in [0.1, 0.5, -0.1, 1e-300, -1e-300, 1e300, 16777217.0] {
            let b = TreePoint::new(0, DVec3::splat(x)).bounds;
            assert!(b.min.x as f64 <= x && x <= b.max.x as f64 && b.max.x <= b.min.x.next_up());
        }
    }
}
