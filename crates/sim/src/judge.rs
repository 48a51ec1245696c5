//! The judge at the end of a frame: what crosses.

use glam::Vec3;
use gordian_collision::bvh::{Aabb, Tree};
use gordian_collision::crossing::{Meeting, SelfCrossings};
use gordian_mesh::TetTopology;
use rayon::prelude::*;

/// Counts the crossings of the surfaces, by exact predicates. Keeps its memory and its tree.
pub(crate) struct Judge {
    tree: Tree,
    crossings: SelfCrossings,
}

impl Judge {
    /// For surfaces that start at `x`, metres.
    pub fn new(topology: &TetTopology, x: &[Vec3]) -> Self {
        Judge { tree: Tree::build(&boxes(topology, x)), crossings: SelfCrossings::default() }
    }

    /// Pairs of surface triangles that share no vertex and pass through each other at the positions `x`, metres. `counts` says
    /// of two particles whether what they belong to is meant to collide.
    pub fn crossing_pairs(
        &mut self,
        topology: &TetTopology,
        x: &[Vec3],
        counts: impl Fn(u32, u32) -> bool,
    ) -> u64 {
        self.tree.refit(|f| Aabb::of_simplex(x, &topology.faces[f as usize]));
        if self.tree.wants_rebuild() {
            self.tree = Tree::build(&boxes(topology, x));
        }
        let pairs = self.crossings.find(&topology.faces, x, &self.tree);
        let crossing = pairs.iter().filter(|p| p.meeting == Meeting::Crossing);
        crossing
            .filter(|p| {
                let [a, b] = p.faces.map(|f| topology.faces[f as usize][0]);
                counts(a, b)
            })
            .count() as u64
    }
}

fn boxes(topology: &TetTopology, x: &[Vec3]) -> Vec<Aabb> {
    topology.faces.par_iter().map(|f| Aabb::of_simplex(x, f)).collect()
}
