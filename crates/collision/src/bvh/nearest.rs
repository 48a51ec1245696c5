//! Primitives in order of their distance from a point.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use glam::{DVec3, Vec4};

use super::{ChildKind, Node, Tree, WIDTH};

/// What a nearest search asks of its caller.
pub trait NearestVisitor {
    /// Squared distance to primitive `id`; infinite or not a number to pass it over. Called once for each
    /// primitive whose box lies within the radius.
    fn distance_squared(&mut self, id: u32) -> f64;

    /// The next primitive; distances never fall from one call to the next, and equal ones come in ascending order of
    /// their ids. `Break` ends the search.
    fn visit(&mut self, id: u32, distance_squared: f64) -> ControlFlow<()>;

    /// Squared search radius: what is not nearer is left out. Read again and again, it may shrink at any time.
    fn radius_squared(&self) -> f64 {
        f64::INFINITY
    }
}

/// Scratch of [`Tree::nearest`]: keep one per thread.
#[derive(Clone, Debug, Default)]
pub struct NearestQueue {
    heap: BinaryHeap<Entry>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    key: f64,
    child: u32,
}

impl Eq for Entry {}

impl Ord for Entry {
    // Reversed: the heap's largest is the nearest. Nodes come before primitives of the same distance, since they may
    // hold one with a smaller id; a primitive's bit makes its number the larger.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.total_cmp(&self.key).then(other.child.cmp(&self.child))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A point in double precision between two neighbouring single precision ones, as splats.
struct PointBounds {
    low: [Vec4; 3],
    high: [Vec4; 3],
}

impl PointBounds {
    fn new(p: DVec3) -> Self {
        let nearest = p.as_vec3();
        let bound = |down: bool| {
            [0, 1, 2].map(|k| {
                let q = nearest[k];
                let outside = if down { q as f64 > p[k] } else { (q as f64) < p[k] };
                Vec4::splat(match (outside, down) {
                    (false, _) => q,
                    (true, true) => q.next_down(),
                    (true, false) => q.next_up(),
                })
            })
        };
        PointBounds { low: bound(true), high: bound(false) }
    }
}

impl Node {
    /// Lower bounds of the squared distances to the children's boxes; infinite for an empty lane.
    #[inline]
    fn distances_squared(&self, p: &PointBounds) -> Vec4 {
        let mut sum = Vec4::ZERO;
        for axis in 0..3 {
            let d = (self.min[axis] - p.high[axis]).max(p.low[axis] - self.max[axis]).max(Vec4::ZERO);
            sum += d * d;
        }
        // At most five roundings of 2^-24 each on the way.
        sum * (1.0 - 3.0 * f32::EPSILON)
    }
}

impl Tree {
    /// Visits primitives strictly best first: nodes and primitives wait in one queue, ordered by distance.
    pub fn nearest<V: NearestVisitor>(&self, p: DVec3, queue: &mut NearestQueue, visitor: &mut V) {
        let bounds = PointBounds::new(p);
        let heap = &mut queue.heap;
        heap.clear();
        if !self.nodes.is_empty() {
            heap.push(Entry { key: 0.0, child: 0 });
        }
        while let Some(Entry { key, child }) = heap.pop() {
            if key >= visitor.radius_squared() {
                return;
            }
            let i = match super::Child(child).get() {
                ChildKind::Node(i) => i,
                ChildKind::Primitive(id) => match visitor.visit(id, key) {
                    ControlFlow::Continue(()) => continue,
                    ControlFlow::Break(()) => return,
                },
                ChildKind::None => continue,
            };
            let node = &self.nodes[i as usize];
            let distances = node.distances_squared(&bounds);
            for lane in 0..WIDTH {
                let bound = distances[lane] as f64;
                if bound >= visitor.radius_squared() || bound.is_nan() {
                    continue;
                }
                let child = node.children[lane];
                let key = match child.get() {
                    ChildKind::Node(_) => bound,
                    ChildKind::Primitive(id) => visitor.distance_squared(id),
                    ChildKind::None => continue,
                };
                if key < visitor.radius_squared() {
                    heap.push(Entry { key, child: child.0 });
                }
            }
        }
    }
}
