//! Which boxes hold a point.

use glam::{DVec3, Vec3, Vec4};

use super::{ChildKind, Node, Tree, lanes};

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
