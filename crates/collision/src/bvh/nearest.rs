//! Primitives in order of their distance from a point.

use std::ops::ControlFlow;

use glam::{DVec3, Vec4};

use super::queue::MinQueue;
use super::{Child, ChildKind, Node, Tree, WIDTH};

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
    queue: MinQueue,
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

/// Marks a primitive that waits by its exact distance. What waits by its box has the smaller number and so comes first
/// at equal distance, since it may turn out to have a smaller id.
const EXACT: u32 = 1 << 30;

impl Tree {
    /// Visits primitives strictly best first: nodes and primitives wait in one queue, ordered by distance.
    pub fn nearest<V: NearestVisitor>(&self, p: DVec3, queue: &mut NearestQueue, visitor: &mut V) {
        let bounds = PointBounds::new(p);
        let queue = &mut queue.queue;
        queue.clear();
        let mut next = (!self.nodes.is_empty()).then_some((0.0, 0));
        while let Some((mut key, child)) = next.take().or_else(|| queue.pop()) {
            if key >= visitor.radius_squared() {
                return;
            }
            let i = match Child(child & !EXACT).get() {
                ChildKind::Node(i) => i,
                ChildKind::Primitive(id) => {
                    if child & EXACT == 0 {
                        // So far it waited by its box.
                        let exact = visitor.distance_squared(id);
                        let first = queue.is_first(exact, child | EXACT);
                        if !first && exact < visitor.radius_squared() {
                            queue.push(exact, child | EXACT);
                        }
                        if !(first && exact < visitor.radius_squared()) {
                            continue;
                        }
                        key = exact;
                    }
                    match visitor.visit(id, key) {
                        ControlFlow::Continue(()) => continue,
                        ControlFlow::Break(()) => return,
                    }
                }
                ChildKind::None => continue,
            };
            let node = &self.nodes[i as usize];
            let distances = node.distances_squared(&bounds);
            for lane in 0..WIDTH {
                // An empty lane is infinitely far, or not a number.
                let bound = distances[lane] as f64;
                if bound < visitor.radius_squared() {
                    queue.push(bound, node.children[lane].0);
                }
            }
        }
    }
}
