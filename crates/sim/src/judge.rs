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
    counted: Vec<[u32; 2]>,
}

impl Judge {
    /// For surfaces that start at `x`, metres.
    pub fn new(topology: &TetTopology, x: &[Vec3]) -> Self {
        Judge {
            tree: Tree::build(&boxes(topology, x)),
            crossings: SelfCrossings::default(),
            counted: Vec::new(),
        }
    }

    /// Pairs of surface triangles that pass through each other at the positions `x`, metres. `counts` says
    /// of two particles whether what they belong to is meant to collide.
    pub fn crossing_pairs(
        &mut self,
        topology: &TetTopology,
        x: &[Vec3],
        counts: impl Fn(u32, u32) -> bool,
    ) -> &[[u32; 2]] {
        self.tree.refit(|f| Aabb::of_simplex(x, &topology.faces[f as usize]));
        if self.tree.wants_rebuild() {
            self.tree = Tree::build(&boxes(topology, x));
        }
        let pairs = self.crossings.find(&topology.faces, x, &self.tree);
        let crossing = pairs.iter().filter(|p| p.meeting == Meeting::Crossing).map(|p| p.faces);
        self.counted.clear();
        self.counted.extend(crossing.filter(|faces| {
            let [a, b] = faces.map(|f| topology.faces[f as usize][0]);
            counts(a, b)
        }));
        &self.counted
    }

    /// The pairs that were counted last.
    pub fn counted(&self) -> &[[u32; 2]] {
        &self.counted
    }
}

fn boxes(topology: &TetTopology, x: &[Vec3]) -> Vec<Aabb> {
    topology.faces.par_iter().map(|f| Aabb::of_simplex(x, f)).collect()
}
