//! Which boxes hold a point, and which points of a group a box holds.

use glam::{DVec3, Vec3, Vec4};

use super::{Aabb, ChildKind, Node, Tree, lanes};

/// A few points near each other, which go down the tree together.
#[derive(Clone, Debug)]
pub struct PointGroup {
    /// Neighbouring single precision values below and above each coordinate: equal, where it is one itself.
    low: [[Vec4; 2]; 3],
    high: [[Vec4; 2]; 3],
    bounds: Aabb,
    len: usize,
}

impl Default for PointGroup {
    fn default() -> Self {
        // Unused lanes lie in no box.
        let (low, high) = ([[Vec4::INFINITY; 2]; 3], [[Vec4::NEG_INFINITY; 2]; 3]);
        PointGroup { low, high, bounds: Aabb::EMPTY, len: 0 }
    }
}

impl PointGroup {
    /// Most points in a group.
    pub const CAPACITY: usize = 8;

    /// Adds a point to a group that is not full.
    pub fn push(&mut self, p: DVec3) {
        let (low, high) = (round_down(p), round_up(p));
        for axis in 0..3 {
            self.low[axis][self.len / 4][self.len % 4] = low[axis];
            self.high[axis][self.len / 4][self.len % 4] = high[axis];
        }
        self.bounds = self.bounds.union(Aabb { min: low, max: high });
        self.len += 1;
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The box around the points.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Bit `i` is set when the box of child `lane` holds point `i`.
    #[inline]
    fn inside(&self, node: &Node, lane: usize) -> u32 {
        let mut masks = [u32::MAX; 2];
        for axis in 0..3 {
            let (min, max) = (Vec4::splat(node.min[axis][lane]), Vec4::splat(node.max[axis][lane]));
            for (half, mask) in masks.iter_mut().enumerate() {
                *mask &=
                    min.cmple(self.high[axis][half]).bitmask() & max.cmpge(self.low[axis][half]).bitmask();
            }
        }
        masks[0] | masks[1] << 4
    }
}

/// The largest single precision point that is not above `p` in any coordinate.
pub(super) fn round_down(p: DVec3) -> Vec3 {
    Vec3::from_array(p.to_array().map(|x| {
        let nearest = x as f32;
        if nearest as f64 > x { nearest.next_down() } else { nearest }
    }))
}

/// The smallest single precision point that is not below `p` in any coordinate.
pub(super) fn round_up(p: DVec3) -> Vec3 {
    -round_down(-p)
}

impl Node {
    /// Bit `i` is set when the closed box of child `i` holds the point, given as splats.
    #[inline]
    fn point_mask(&self, p: &[Vec4; 3]) -> u32 {
        let mut mask = u32::MAX;
        for axis in 0..3 {
            mask &= self.min[axis].cmple(p[axis]).bitmask() & self.max[axis].cmpge(p[axis]).bitmask();
        }
        mask
    }
}

impl Tree {
    /// Calls `visit(id, mask)` for each primitive whose closed box holds points of the group: bit `i` of the mask stands
    /// for the group's point `i`. In the order of the tree; `stack` is scratch.
    #[inline]
    pub fn stab_group(&self, group: &PointGroup, stack: &mut Vec<u32>, mut visit: impl FnMut(u32, u32)) {
        stack.clear();
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(i) = stack.pop() {
            let node = &self.nodes[i as usize];
            for lane in lanes(node.overlap_mask(&group.bounds)) {
                match node.children[lane].get() {
                    ChildKind::Node(c) => stack.push(c),
                    ChildKind::Primitive(id) => {
                        let mask = group.inside(node, lane);
                        if mask != 0 {
                            visit(id, mask);
                        }
                    }
                    ChildKind::None => {}
                }
            }
        }
    }

    /// Calls `visit` for each primitive whose closed box holds `p`, in the order of the tree.
    /// `stack` is scratch; its content does not matter.
    #[inline]
    pub fn stab(&self, p: Vec3, stack: &mut Vec<u32>, mut visit: impl FnMut(u32)) {
        let splat = [Vec4::splat(p.x), Vec4::splat(p.y), Vec4::splat(p.z)];
        stack.clear();
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(i) = stack.pop() {
            let node = &self.nodes[i as usize];
            for lane in lanes(node.point_mask(&splat)) {
                match node.children[lane].get() {
                    ChildKind::Node(c) => stack.push(c),
                    ChildKind::Primitive(id) => visit(id),
                    ChildKind::None => {}
                }
            }
        }
    }
}
