//! Building: a binary tree by the surface area heuristic (the `bvh` crate), collapsed into a wide one.

use bvh::aabb::{Aabb as BinaryAabb, Bounded};
use bvh::bounding_hierarchy::{BHShape, BoundingHierarchy};
use bvh::bvh::{Bvh, BvhNode};
use nalgebra::Point3;
use rayon::prelude::*;

use super::{Aabb, Child, Node, Tree, WIDTH, refit};

/// A box as the `bvh` crate wants it.
struct Shape(BinaryAabb<f64, 3>);

impl Bounded<f64, 3> for Shape {
    fn aabb(&self) -> BinaryAabb<f64, 3> {
        self.0
    }
}

impl BHShape<f64, 3> for Shape {
    fn set_bh_node_index(&mut self, _: usize) {}
    fn bh_node_index(&self) -> usize {
        0
    }
}

impl Tree {
    /// Builds a tree over `boxes`; primitive `i` is `boxes[i]`.
    ///
    /// Deterministic, and the same topology after scaling by a power of two. Empty boxes and boxes that are
    /// not finite are kept as primitives (they may become proper ones in a refit) and never found before.
    pub fn build(boxes: &[Aabb]) -> Tree {
        assert!(boxes.len() < Child::LIMIT as usize, "too many primitives for 32-bit links");
        if boxes.is_empty() {
            return Tree::default();
        }
        let binary = Bvh::build_par(&mut shapes(boxes));
        let mut tree = Tree { primitive_count: boxes.len() as u32, ..Tree::default() };
        tree.nodes = collapse(&binary.nodes);
        drop(binary);
        (tree.blocks, tree.spine) = refit::partition(&tree.nodes);
        tree.refit(|i| boxes[i as usize]);
        tree.cost_at_build = tree.cost();
        tree
    }
}

/// The boxes moved and scaled into the unit cube: the builder's own epsilon is an absolute length. The scale is a
/// power of two, so that nothing is rounded.
fn shapes(boxes: &[Aabb]) -> Vec<Shape> {
    let usable = |b: &Aabb| !b.is_empty() && b.min.is_finite() && b.max.is_finite();
    let all = boxes.iter().filter(|b| usable(b)).fold(Aabb::EMPTY, |a, b| a.union(*b));
    let origin = if all.is_empty() { glam::DVec3::ZERO } else { all.min.as_dvec3() };
    let extent = (all.max.as_dvec3() - origin).max_element();
    let scale = if extent > 0.0 { (-extent.log2().floor()).exp2() } else { 1.0 };
    boxes
        .par_iter()
        .map(|b| {
            let b = if usable(b) { *b } else { Aabb { min: origin.as_vec3(), max: origin.as_vec3() } };
            let place = |v: glam::Vec3| Point3::from(((v.as_dvec3() - origin) * scale).to_array());
            Shape(BinaryAabb::with_bounds(place(b.min), place(b.max)))
        })
        .collect()
}

/// Turns binary nodes into wide ones, depth first. Small subtrees become one node of primitives; elsewhere the
/// child with the largest surface is opened until the node is full. Boxes are left empty for the refit.
fn collapse(binary: &[BvhNode<f64, 3>]) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(binary.len() / WIDTH + 1);
    // A binary node to turn into a wide one, and the lane that waits for its index.
    let mut pending: Vec<(usize, Option<(usize, usize)>)> = vec![(0, None)];
    while let Some((root, parent)) = pending.pop() {
        let index = nodes.len();
        nodes.push(Node::EMPTY);
        if let Some((node, lane)) = parent {
            let node: &mut Node = &mut nodes[node];
            node.children[lane] = Child::node(index);
        }
        let mut open = [(0, 0.0); WIDTH];
        open[0] = (root, f64::INFINITY);
        let mut count = 1;
        while count < WIDTH {
            let inner = (0..count).filter(|&i| matches!(binary[open[i].0], BvhNode::Node { .. }));
            let Some(widest) = inner.reduce(|a, b| if open[b].1 > open[a].1 { b } else { a }) else { break };
            let BvhNode::Node { child_l_index, child_r_index, child_l_aabb, child_r_aabb, .. } =
                &binary[open[widest].0]
            else {
                unreachable!("only inner nodes are opened")
            };
            // Left in place, right after it: the lanes keep the binary tree's order.
            open.copy_within(widest + 1..count, widest + 2);
            open[widest] = (*child_l_index, child_l_aabb.surface_area());
            open[widest + 1] = (*child_r_index, child_r_aabb.surface_area());
            count += 1;
        }
        for lane in (0..count).rev() {
            match binary[open[lane].0] {
                BvhNode::Leaf { shape_index, .. } => {
                    nodes[index].children[lane] = Child::primitive(shape_index as u32);
                }
                BvhNode::Node { .. } => pending.push((open[lane].0, Some((index, lane)))),
            }
        }
    }
    nodes
}
