//! Checks that a tree is what it claims to be.

use super::{Aabb, ChildKind, Tree};

/// What is wrong with a tree.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TreeDefect {
    /// A box does not hold what lies below it.
    #[error("the box of child {lane} of node {node} does not hold its content")]
    Box {
        /// The node.
        node: u32,
        /// Its child.
        lane: usize,
    },
    /// A primitive is not in the tree exactly once.
    #[error("primitive {id} is in the tree {count} times")]
    Primitive {
        /// The primitive.
        id: u32,
        /// How often it is found.
        count: u32,
    },
    /// A node is not reached from the root exactly once, or comes before its parent.
    #[error("node {node} is not in its place")]
    Node {
        /// The node.
        node: u32,
    },
}

impl Tree {
    /// Checks that every primitive and node is there once, that nodes come after their parents, and that each box
    /// holds its content, `bound(i)` being the box of primitive `i` at the last refit.
    pub fn validate(&self, bound: impl Fn(u32) -> Aabb) -> Result<(), TreeDefect> {
        let mut primitives = vec![0u32; self.len()];
        let mut nodes = vec![0u32; self.nodes.len()];
        if let Some(root) = nodes.first_mut() {
            *root = 1;
        }
        for (n, node) in self.nodes.iter().enumerate() {
            for (lane, child) in node.children.into_iter().enumerate() {
                let content = match child.get() {
                    ChildKind::None => Aabb::EMPTY,
                    ChildKind::Primitive(p) => {
                        primitives[p as usize] += 1;
                        bound(p)
                    }
                    ChildKind::Node(c) if c as usize > n => {
                        nodes[c as usize] += 1;
                        self.nodes[c as usize].own_box()
                    }
                    ChildKind::Node(c) => return Err(TreeDefect::Node { node: c }),
                };
                if !node.child_box(lane).contains_box(&content) {
                    return Err(TreeDefect::Box { node: n as u32, lane });
                }
            }
        }
        if let Some(n) = nodes.iter().position(|&c| c != 1) {
            return Err(TreeDefect::Node { node: n as u32 });
        }
        match primitives.iter().position(|&c| c != 1) {
            Some(p) => Err(TreeDefect::Primitive { id: p as u32, count: primitives[p] }),
            None => Ok(()),
        }
    }
}
