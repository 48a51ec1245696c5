//! New boxes for an old topology, and how good the topology still is.

use std::ops::Range;

use super::{Aabb, ChildKind, Node, Tree};

/// Largest subtree that one task refits.
pub(super) const BLOCK: usize = 256;

/// A rebuild pays when the boxes cost this many times what they cost at the build.
const REBUILD_AT: f64 = 1.6;

/// Cuts the tree into the maximal subtrees of at most [`BLOCK`] nodes and the nodes above them.
pub(super) fn partition(nodes: &[Node]) -> (Vec<Range<u32>>, Vec<u32>) {
    // Depth first order: the subtree of a node ends where that of its last child node ends.
    let mut end = vec![0u32; nodes.len()];
    for i in (0..nodes.len()).rev() {
        end[i] = i as u32 + 1;
        for child in nodes[i].children {
            if let ChildKind::Node(c) = child.get() {
                end[i] = end[i].max(end[c as usize]);
            }
        }
    }
    let (mut blocks, mut spine) = (Vec::new(), Vec::new());
    let mut i = 0;
    while i < nodes.len() {
        if end[i] as usize - i <= BLOCK {
            blocks.push(i as u32..end[i]);
            i = end[i] as usize;
        } else {
            spine.push(i as u32);
            i += 1;
        }
    }
    (blocks, spine)
}

impl Tree {
    /// Recomputes every box, `bound(i)` being that of primitive `i`. In parallel; the result does not depend on
    /// the number of threads.
    pub fn refit(&mut self, bound: impl Fn(u32) -> Aabb + Sync) {
        self.area = refit_blocks(&mut self.nodes, 0, &self.blocks, &bound);
        for &i in self.spine.iter().rev() {
            for lane in 0..super::WIDTH {
                let b = match self.nodes[i as usize].children[lane].get() {
                    ChildKind::Node(c) => self.nodes[c as usize].own_box(),
                    ChildKind::Primitive(p) => bound(p),
                    ChildKind::None => continue,
                };
                self.nodes[i as usize].set_box(lane, &b);
            }
            self.area += self.nodes[i as usize].half_area();
        }
    }

    /// Cost of a query by the surface area heuristic: the expected number of boxes that a random line meets,
    /// given that it meets the whole. Independent of scale.
    pub fn cost(&self) -> f64 {
        let cost = self.area / self.bounds().half_area();
        if cost.is_finite() { cost } else { 1.0 }
    }

    /// The present cost relative to that at the build: 1 when fresh, larger when motion has torn the boxes apart.
    pub fn decay(&self) -> f64 {
        if self.cost_at_build > 0.0 { self.cost() / self.cost_at_build } else { 1.0 }
    }

    /// Whether motion has made the topology so bad that a rebuild pays.
    pub fn wants_rebuild(&self) -> bool {
        self.decay() > REBUILD_AT
    }
}

/// Refits the subtrees `blocks` of `nodes`, whose first node has index `base`. Returns the sum of half the surface areas,
/// added up in an order that depends on the blocks alone.
fn refit_blocks<F: Fn(u32) -> Aabb + Sync>(
    nodes: &mut [Node],
    base: u32,
    blocks: &[Range<u32>],
    bound: &F,
) -> f64 {
    match blocks {
        [] => 0.0,
        [block] => refit_subtree(
            &mut nodes[(block.start - base) as usize..(block.end - base) as usize],
            block.start,
            bound,
        ),
        _ => {
            let (left, right) = blocks.split_at(blocks.len() / 2);
            let cut = right[0].start;
            let (low, high) = nodes.split_at_mut((cut - base) as usize);
            let (a, b) = rayon::join(
                || refit_blocks(low, base, left, bound),
                || refit_blocks(high, cut, right, bound),
            );
            a + b
        }
    }
}

fn refit_subtree(nodes: &mut [Node], base: u32, bound: &impl Fn(u32) -> Aabb) -> f64 {
    let mut area = 0.0;
    for i in (0..nodes.len()).rev() {
        let children = nodes[i].children;
        for (lane, child) in children.into_iter().enumerate() {
            let b = match child.get() {
                ChildKind::Node(c) => nodes[(c - base) as usize].own_box(),
                ChildKind::Primitive(p) => bound(p),
                ChildKind::None => continue,
            };
            nodes[i].set_box(lane, &b);
        }
        area += nodes[i].half_area();
    }
    area
}
