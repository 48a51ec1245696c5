//! Which boxes meet a box.

use super::{Aabb, ChildKind, Tree, lanes};

impl Tree {
    /// Calls `visit` for each primitive whose closed box meets `query`, in the order of the tree.
    /// `stack` is scratch; its content does not matter.
    #[inline]
    pub fn overlap(&self, query: &Aabb, stack: &mut Vec<u32>, mut visit: impl FnMut(u32)) {
        stack.clear();
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(i) = stack.pop() {
            let node = &self.nodes[i as usize];
            for lane in lanes(node.overlap_mask(query)) {
                match node.children[lane].get() {
                    ChildKind::Node(c) => stack.push(c),
                    ChildKind::Primitive(id) => visit(id),
                    ChildKind::None => {}
                }
            }
        }
    }
}
