//! Primitives in order of their distance from a point.

use std::ops::ControlFlow;

use glam::{DVec3, Vec3, Vec4};

use super::cones::Cones;
use super::queue::{MinQueue, NodeKey, NodeQueue, pack, unpack};
use super::stab::{round_down, round_up};
use super::{Aabb, ChildKind, Node, Tree, WIDTH, lanes};

/// What a nearest search asks of its caller.
pub trait NearestVisitor {
    /// Squared distance to primitive `id`; infinite or not a number to pass it over.
    fn distance_squared(&mut self, id: u32) -> f64;

    /// Squared distances to at most [`WIDTH`] primitives, for visitors that are faster with several. Each primitive whose
    /// box lies within the radius is asked for once.
    #[inline]
    fn distances_squared(&mut self, ids: &[u32], out: &mut [f64; WIDTH]) {
        for (&id, d) in ids.iter().zip(out) {
            *d = self.distance_squared(id);
        }
    }

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
    nodes: NodeQueue,
    primitives: MinQueue,
    stack: Vec<u32>,
    sorted: Vec<u128>,
}

/// A point in double precision between two neighbouring single precision ones, as splats.
struct PointBounds {
    low: [Vec4; 3],
    high: [Vec4; 3],
}

impl PointBounds {
    fn new(p: DVec3) -> Self {
        let splat = |v: Vec3| v.to_array().map(Vec4::splat);
        PointBounds { low: splat(round_down(p)), high: splat(round_up(p)) }
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

    /// Of the children of `mask` that lie within the visitor's radius, tells `open` the nodes with their distances, and `found` the
    /// primitives with their own.
    #[inline(always)]
    fn enter<V: NearestVisitor>(
        &self,
        mask: u32,
        distances: Vec4,
        visitor: &mut V,
        mut open: impl FnMut(f32, u32),
        mut found: impl FnMut(f64, u32),
    ) {
        let (mut ids, mut count) = ([0; WIDTH], 0);
        let radius = visitor.radius_squared();
        for lane in lanes(mask) {
            // An empty lane is infinitely far, or not a number.
            if (distances[lane] as f64) < radius {
                match self.children[lane].get() {
                    ChildKind::Node(c) => open(distances[lane], c),
                    ChildKind::Primitive(id) => {
                        ids[count] = id;
                        count += 1;
                    }
                    ChildKind::None => {}
                }
            }
        }
        if count > 0 {
            let mut exact = [f64::INFINITY; WIDTH];
            visitor.distances_squared(&ids[..count], &mut exact);
            let radius = visitor.radius_squared();
            for (&id, &d) in ids[..count].iter().zip(&exact).filter(|&(_, &d)| d < radius) {
                found(d, id);
            }
        }
    }
}

impl Tree {
    /// Visits primitives strictly best first: nodes and primitives wait in queues, ordered by distance.
    pub fn nearest<V: NearestVisitor>(&self, p: DVec3, queue: &mut NearestQueue, visitor: &mut V) {
        self.search(p, queue, visitor, |_, _| 15);
    }

    /// As [`Tree::nearest`], but passes over the subtrees in which nothing faces `p`; `cones` were refit to this tree.
    pub fn nearest_facing<V: NearestVisitor>(
        &self,
        p: DVec3,
        cones: &Cones,
        queue: &mut NearestQueue,
        visitor: &mut V,
    ) {
        let rounded = p.as_vec3();
        self.search(p, queue, visitor, |index, node| cones.facing(index, node, rounded));
    }

    /// As [`Tree::nearest`], where the radius is small and most of what it holds is going to be visited: nodes are entered in any
    /// order, and what they hold is sorted once. Passes over the subtrees that do not meet the box `within`.
    pub fn nearest_in<V: NearestVisitor>(
        &self,
        p: DVec3,
        within: &Aabb,
        queue: &mut NearestQueue,
        visitor: &mut V,
    ) {
        let bounds = PointBounds::new(p);
        let NearestQueue { stack, sorted, .. } = queue;
        stack.clear();
        sorted.clear();
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index as usize];
            let distances = node.distances_squared(&bounds);
            let open = |_, child| stack.push(child);
            node.enter(node.overlap_mask(within), distances, visitor, open, |d, id| sorted.push(pack(d, id)));
        }
        sorted.sort_unstable();
        for (d, id) in sorted.iter().map(|&entry| unpack(entry)) {
            if d >= visitor.radius_squared() || visitor.visit(id, d).is_break() {
                return;
            }
        }
    }

    /// Boxes of the subtrees within `radius` of `p` over which [`Tree::nearest_facing`] passes, the largest ones. For pictures.
    pub fn passed_over(&self, p: DVec3, cones: &Cones, radius: f64) -> Vec<Aabb> {
        let (bounds, rounded) = (PointBounds::new(p), p.as_vec3());
        let (mut found, mut stack) = (Vec::new(), vec![0]);
        while let Some(index) = stack.pop() {
            let Some(node) = self.nodes.get(index) else { continue };
            let (facing, distances) = (cones.facing(index, node, rounded), node.distances_squared(&bounds));
            for lane in 0..WIDTH {
                // An empty lane is not near: its distance is not a number, or infinite.
                let near = (distances[lane] as f64) < radius * radius;
                if !near {
                    continue;
                }
                match node.children[lane].get() {
                    ChildKind::None => {}
                    _ if facing >> lane & 1 == 0 => found.push(node.child_box(lane)),
                    ChildKind::Node(c) => stack.push(c as usize),
                    ChildKind::Primitive(_) => {}
                }
            }
        }
        found
    }

    /// `mask` tells which children of a node count.
    #[inline]
    fn search<V: NearestVisitor>(
        &self,
        p: DVec3,
        queue: &mut NearestQueue,
        visitor: &mut V,
        mask: impl Fn(usize, &Node) -> u32,
    ) {
        let bounds = PointBounds::new(p);
        let NearestQueue { nodes, primitives, .. } = queue;
        nodes.clear();
        primitives.clear();
        // The nearest child of the last node is often the next one: it need not go through the queue.
        let mut next = (!self.nodes.is_empty()).then_some(NodeKey::new(0.0, 0));
        loop {
            let first = match next.take() {
                Some(key) => Some(nodes.push_pop(key)),
                None => nodes.pop(),
            };
            // Of a node and a primitive at the same distance the node comes first: it may hold one with a smaller id.
            if let Some((key, id)) = primitives.peek()
                && first.is_none_or(|node| key < node.distance())
            {
                if key >= visitor.radius_squared() || visitor.visit(id, key).is_break() {
                    return;
                }
                primitives.pop();
                next = first;
                continue;
            }
            let Some(first) = first else { return };
            if first.distance() >= visitor.radius_squared() {
                return;
            }
            let node = &self.nodes[first.index()];
            let distances = node.distances_squared(&bounds);
            let open = |distance, child| {
                let key = NodeKey::new(distance, child);
                match next {
                    Some(nearest) if nearest <= key => nodes.push(key),
                    _ => next.replace(key).into_iter().for_each(|other| nodes.push(other)),
                }
            };
            node.enter(mask(first.index(), node), distances, visitor, open, |d, id| primitives.push(d, id));
        }
    }
}
