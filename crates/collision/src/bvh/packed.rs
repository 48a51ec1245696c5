//! A **packed tree**: small boxes or points, sorted by halving them along the widest axis, again and again.
//!
//! A few things are cheap to sort anew for every pose. Many are kept in their order and refitted, until motion has made it
//! bad. The tree is complete, so that it needs no links.

use glam::{DVec3, Vec3};
use rayon::prelude::*;
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

/// What a packed tree holds.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// What the caller knows it by.
    pub id: u32,
    /// Holds it.
    pub bounds: Aabb,
}

impl Item {
    /// A point. Rounding is monotonic: what is inside a box of single precision numbers is rounded to what is inside.
    #[inline]
    pub fn point(id: u32, p: DVec3) -> Self {
        let rounded = p.as_vec3();
        Item { id, bounds: Aabb { min: rounded, max: rounded } }
    }

    /// Sorts like the lower end on an axis, then like the id: in one word, which is compared without a branch.
    #[inline]
    fn key(&self, axis: usize) -> u64 {
        let bits = self.bounds.min[axis].to_bits();
        let ascending = bits ^ ((bits as i32 >> 31) as u32 | 1 << 31);
        (ascending as u64) << 32 | self.id as u64
    }
}

/// A balanced tree over points or small boxes.
#[derive(Clone, Debug, Default)]
pub struct PackedTree {
    /// Eight a leaf.
    items: Vec<Item>,
    /// Level by level, leaves first: each the boxes of its items or of eight nodes below.
    nodes: Vec<EightBoxes>,
    /// Where each level starts.
    levels: Vec<u32>,
    /// Sum of half the surface areas of all nodes' boxes, in that of the whole: what a query costs.
    cost: f64,
    cost_at_build: f64,
}

/// The stack of a traversal: levels and nodes.
pub type PackedStack = Vec<(u32, u32)>;

/// Fewer items are sorted, or bounded, by one task.
const TASK: usize = 4096;

impl PackedTree {
    /// Builds a tree; ids must differ. The same for any number of threads.
    pub fn build(mut items: Vec<Item>) -> PackedTree {
        assert!(u32::try_from(items.len()).is_ok(), "too many items for 32-bit links");
        halve(&mut items);
        let mut tree = PackedTree { items, ..PackedTree::default() };
        tree.bound();
        tree.cost_at_build = tree.cost;
        tree
    }

    /// New boxes for the same items in the same order, `bounds(id)` being that of item `id`.
    pub fn refit(&mut self, bounds: impl Fn(u32) -> Aabb + Sync) {
        self.items.par_iter_mut().with_min_len(TASK).for_each(|item| item.bounds = bounds(item.id));
        self.bound();
    }

    /// Whether motion has made the order so bad that building anew pays.
    pub fn wants_rebuild(&self) -> bool {
        self.cost > 1.6 * self.cost_at_build
    }

    /// Recomputes all nodes.
    fn bound(&mut self) {
        let PackedTree { items, nodes, levels, .. } = self;
        nodes.clear();
        let leaves = items.par_chunks(EightBoxes::LEN).with_min_len(TASK / EightBoxes::LEN);
        nodes.par_extend(leaves.map(|leaf| EightBoxes::new(leaf.iter().map(|i| i.bounds))));
        levels.clear();
        levels.push(0);
        let (mut below, mut area) = (0..nodes.len(), 0.0);
        while below.len() > 1 {
            levels.push(below.end as u32);
            for start in below.clone().step_by(EightBoxes::LEN) {
                let end = below.end.min(start + EightBoxes::LEN);
                let boxes = nodes[start..end].iter().map(EightBoxes::bounds);
                let node = EightBoxes::new(boxes.inspect(|b| area += b.half_area()));
                nodes.push(node);
            }
            below = below.end..nodes.len();
        }
        let whole = nodes.last().map_or(0.0, |root| root.bounds().half_area());
        self.cost = if whole > 0.0 { area / whole } else { 0.0 };
    }

    /// The items, in the order of the tree.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Calls `visit` for each item whose box meets the closed box `query`. `stack` is scratch.
    #[inline]
    pub fn overlap(&self, query: &Aabb, stack: &mut PackedStack, mut visit: impl FnMut(&Item)) {
        stack.clear();
        if !self.nodes.is_empty() {
            stack.push((self.levels.len() as u32 - 1, 0));
        }
        while let Some((level, i)) = stack.pop() {
            let node = &self.nodes[(self.levels[level as usize] + i) as usize];
            let hit = lanes(node.overlap_mask(query)).map(|lane| i as usize * EightBoxes::LEN + lane);
            if level == 0 {
                hit.for_each(|item| visit(&self.items[item]));
            } else {
                stack.extend(hit.map(|child| (level - 1, child as u32)));
            }
        }
    }
}

/// Sorts items so that each subtree is a half, by the widest axis, of what its surroundings hold.
fn halve(items: &mut [Item]) {
    if items.len() <= EightBoxes::LEN {
        return;
    }
    // What a child of the node over these items holds when it is full.
    let mut unit = EightBoxes::LEN;
    while unit * EightBoxes::LEN < items.len() {
        unit *= EightBoxes::LEN;
    }
    let middle = items.len().div_ceil(unit) / 2 * unit;
    let bounds = items.iter().fold(Aabb::EMPTY, |b, i| b.union(i.bounds));
    let axis = (bounds.max - bounds.min).max_position();
    items.select_nth_unstable_by_key(middle, |i| i.key(axis));
    let (left, right) = items.split_at_mut(middle);
    if left.len() + right.len() > TASK {
        rayon::join(|| halve(left), || halve(right));
    } else {
        halve(left);
        halve(right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn items() -> impl Strategy<Value = Vec<Item>> {
        let coordinate = prop_oneof![(-8i32..8).prop_map(f64::from), -8.0f64..8.0, Just(1e-9), Just(-3e30)];
        let point = [coordinate.clone(), coordinate.clone(), coordinate].prop_map(DVec3::from_array);
        let size = prop_oneof![3 => Just(0.0f32), 1 => 0.0f32..2.0];
        let item = (point, size).prop_map(|(p, size)| {
            let mut item = Item::point(0, p);
            item.bounds.max += size;
            item
        });
        let number = |items: Vec<Item>| (0..).zip(items).map(|(id, item)| Item { id, ..item }).collect();
        prop_oneof![prop::collection::vec(item.clone(), 0..40), prop::collection::vec(item, 0..1300)]
            .prop_map(number)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn a_box_finds_what_meets_it(items in items(), min in [-9i32..8, -9i32..8, -9i32..8], size in prop_oneof![Just(0.0f32), 0.0f32..6.0]) {
            let tree = PackedTree::build(items.clone());
            let min = Vec3::from_array(min.map(|x| x as f32));
            let query = Aabb { min, max: min + size };
            let mut found = Vec::new();
            tree.overlap(&query, &mut Vec::new(), |i| found.push(i.id));
            found.sort_unstable();
            let wanted: Vec<u32> = items.iter().filter(|i| i.bounds.overlaps(&query)).map(|i| i.id).collect();
            prop_assert_eq!(found, wanted);
            // The same things, elsewhere.
            let moved = |i: u32| items[(i as usize + 1) % items.len()].bounds;
            let mut tree = tree;
            tree.refit(moved);
            let mut found = Vec::new();
            tree.overlap(&query, &mut Vec::new(), |i| found.push(i.id));
            found.sort_unstable();
            let wanted: Vec<u32> = (0..items.len() as u32).filter(|&i| moved(i).overlaps(&query)).collect();
            prop_assert_eq!(found, wanted);
        }

        #[test]
        fn rounding_a_point_never_takes_it_out_of_a_box(p in -8.0f64..8.0, ulps in 0u32..3) {
            let rounded = Item::point(0, DVec3::splat(p)).bounds.min.x;
            let (mut low, mut high) = (rounded, rounded);
            (0..ulps).for_each(|_| (low, high) = (low.next_down(), high.next_up()));
            for x in [low, high] {
                prop_assert!(x as f64 > p || x <= rounded);
                prop_assert!((x as f64) < p || x >= rounded);
            }
        }
    }
}
