//! A **wide tree** of boxes over any kind of primitive: triangles, tetrahedra, swept edges.
//!
//! Every node holds the boxes of up to [`WIDTH`] children side by side, so that one SIMD comparison tests
//! them all. A child is another node or one primitive, whose box is stored like any other; a node whose
//! children are all primitives is what other trees call a leaf.
//!
//! The topology is built once by the surface area heuristic ([`Tree::build`]); when things move,
//! [`Tree::refit`] recomputes the boxes bottom-up, and [`Tree::decay`] says when a rebuild pays.
//! Boxes are single precision and hold what they bound exactly: nothing is ever missed by rounding.
//!
//! Traversals, one file each: [`Tree::stab`] (boxes that hold a point), [`Tree::overlap`] (boxes that meet a box),
//! [`Tree::nearest`] (primitives in order of distance), [`Tree::self_pairs`] and [`Tree::pairs_with`] (boxes that meet each
//! other). What is few and moves far is held by a [`PackedTree`].

use glam::Vec4;

mod aabb;
mod build;
mod cones;
mod nearest;
mod overlap;
mod packed;
mod pairs;
pub(crate) mod queue;
mod refit;
mod stab;
mod validate;

pub use aabb::Aabb;
pub use cones::{Cone, Cones};
pub use nearest::{NearestQueue, NearestVisitor};
pub use packed::{EightBoxes, Item, PackedStack, PackedTree};
pub use validate::TreeDefect;

/// Children of a node.
pub const WIDTH: usize = 4;

/// A tree of boxes; see the module documentation.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Depth first: a node comes before its subtree, and a subtree is a contiguous range.
    nodes: Vec<Node>,
    /// Maximal subtrees of at most [`refit::BLOCK`] nodes, ascending: the units of parallel work.
    blocks: Vec<std::ops::Range<u32>>,
    /// The nodes above the blocks, ascending.
    spine: Vec<u32>,
    primitive_count: u32,
    /// Sum of half the surface areas of all boxes.
    area: f64,
    cost_at_build: f64,
}

/// Boxes of the children as structure of arrays: lane `i` belongs to child `i`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Node {
    min: [Vec4; 3],
    max: [Vec4; 3],
    children: [Child; WIDTH],
}

/// What a lane of a node holds: nothing, a node, or a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Child(u32);

impl Child {
    const NONE: Child = Child(u32::MAX);
    const PRIMITIVE: u32 = 1 << 31;
    /// Ids stay below this, which leaves one bit to traversals.
    const LIMIT: u32 = 1 << 30;

    fn node(index: usize) -> Child {
        assert!(index < Self::LIMIT as usize, "tree too large for 32-bit links");
        Child(index as u32)
    }

    fn primitive(id: u32) -> Child {
        Child(id | Self::PRIMITIVE)
    }

    #[inline]
    fn get(self) -> ChildKind {
        if self.0 & Self::PRIMITIVE == 0 {
            ChildKind::Node(self.0)
        } else if self == Self::NONE {
            ChildKind::None
        } else {
            ChildKind::Primitive(self.0 & !Self::PRIMITIVE)
        }
    }
}

enum ChildKind {
    None,
    Node(u32),
    Primitive(u32),
}

impl Node {
    const EMPTY: Node =
        Node { min: [Vec4::INFINITY; 3], max: [Vec4::NEG_INFINITY; 3], children: [Child::NONE; WIDTH] };

    #[inline]
    fn set_box(&mut self, lane: usize, b: &Aabb) {
        for axis in 0..3 {
            self.min[axis][lane] = b.min[axis];
            self.max[axis][lane] = b.max[axis];
        }
    }

    #[inline]
    fn child_box(&self, lane: usize) -> Aabb {
        Aabb {
            min: glam::Vec3::new(self.min[0][lane], self.min[1][lane], self.min[2][lane]),
            max: glam::Vec3::new(self.max[0][lane], self.max[1][lane], self.max[2][lane]),
        }
    }

    /// The box around all children.
    #[inline]
    fn own_box(&self) -> Aabb {
        Aabb {
            min: glam::Vec3::from_array(self.min.map(Vec4::min_element)),
            max: glam::Vec3::from_array(self.max.map(Vec4::max_element)),
        }
    }

    /// Half the surface areas of the children's boxes, summed.
    #[inline]
    fn half_area(&self) -> f64 {
        let e = [0, 1, 2].map(|axis| (self.max[axis] - self.min[axis]).max(Vec4::ZERO));
        (e[0] * e[1] + e[1] * e[2] + e[2] * e[0]).element_sum() as f64
    }

    /// Bit `i` is set when the box of child `i` meets the closed box `b`.
    #[inline]
    fn overlap_mask(&self, b: &Aabb) -> u32 {
        let mut mask = u32::MAX;
        for axis in 0..3 {
            mask &= self.min[axis].cmple(Vec4::splat(b.max[axis])).bitmask();
            mask &= self.max[axis].cmpge(Vec4::splat(b.min[axis])).bitmask();
        }
        mask
    }
}

impl Tree {
    /// Number of primitives.
    pub fn len(&self) -> usize {
        self.primitive_count as usize
    }

    /// Whether there is no primitive.
    pub fn is_empty(&self) -> bool {
        self.primitive_count == 0
    }

    /// The box around everything.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, Node::own_box)
    }
}

/// The set bits of a lane mask, ascending.
#[inline]
pub(crate) fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            lane
        })
    })
}

#[cfg(test)]
mod tests;
