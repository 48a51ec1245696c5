//! Pairs of leaves near each other: the tree against itself, without the regions that cannot cross themselves.

use glam::Vec3;
use rayon::prelude::*;

use super::dop::Margin;
use super::mesh::ClothMesh;
use super::region::{self, Scratch};
use super::tree::ClothTree;

/// Work is cut into at least this many tasks before it is handed to threads, whatever their number.
const TASKS: usize = 128;

/// Trees with fewer nodes are walked by one thread: sharing them out costs more than it saves.
const SMALL: usize = 1 << 13;

/// A reach is widened by this for rounding.
const CLEARLY: f32 = 1.001;

#[derive(Clone, Copy, Debug)]
enum Task {
    Within(u32),
    Between(u32, u32),
}

/// What a traversal did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairCounters {
    /// Pairs of leaves that were found.
    pub leaf_pairs: u64,
    /// Pairs of nodes whose volumes were compared.
    pub volume_tests: u64,
    /// Regions that were skipped because they cannot cross themselves.
    pub culled_regions: u64,
    /// Borders that met themselves in projection, where the cone was narrow enough.
    pub crossing_borders: u64,
}

impl PairCounters {
    fn add(&mut self, other: &PairCounters) {
        self.leaf_pairs += other.leaf_pairs;
        self.volume_tests += other.volume_tests;
        self.culled_regions += other.culled_regions;
        self.crossing_borders += other.crossing_borders;
    }
}

/// Within what distance two nodes count as near.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach<'a> {
    /// Metres.
    pub base: f32,
    /// What is within it counts too, and not only what may cross.
    pub near: Option<Near<'a>>,
}

/// What a search for all that is near knows of each node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near<'a> {
    /// What the node adds to the reach, metres.
    pub slack: &'a [f32],
    /// The smallest height of the triangles under it, metres.
    pub height: &'a [f32],
}

impl Reach<'_> {
    /// What may cross, and where boxes come within `base` metres of each other.
    pub fn crossing(base: f32) -> Self {
        Reach { base, near: None }
    }

    #[inline]
    fn of(&self, a: u32, b: u32) -> f32 {
        self.base + self.near.map_or(0.0, |n| n.slack[a as usize] + n.slack[b as usize])
    }
}

/// What one traversal needs.
struct Walk<'a> {
    tree: &'a ClothTree,
    x: &'a [Vec3],
    reach: Reach<'a>,
    culling: bool,
}

/// What a traversal finds.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// Pairs of leaves.
    pub pairs: Vec<[u32; 2]>,
    pub counters: PairCounters,
}

impl Found {
    fn clear(&mut self) {
        self.pairs.clear();
        self.counters = PairCounters::default();
    }
}

/// Finds every pair of different leaves - and where all that is near is asked for, of equal ones - whose volumes come within the reach of each other, but for pairs within a region that
/// cannot cross itself - or, where all that is near is asked for, come near itself - and pairs of surfaces of volumes, each once. The order does not depend on the number of threads.
pub(super) fn leaf_pairs(
    mesh: &ClothMesh,
    tree: &ClothTree,
    x: &[Vec3],
    reach: &Reach,
    culling: bool,
    out: &mut Found,
) {
    debug_assert_eq!(mesh.vertex_count, x.len());
    out.clear();
    if tree.nodes.is_empty() {
        return;
    }
    let walk = Walk { tree, x, reach: *reach, culling };
    let mut scratch = Scratch::default();
    let mut stack = vec![Task::Within(0)];
    if tree.nodes.len() < SMALL {
        while let Some(task) = stack.pop() {
            walk.step(task, &mut stack, out, &mut scratch);
        }
    } else {
        while !stack.is_empty() && stack.len() < TASKS {
            let mut next = Vec::with_capacity(2 * TASKS);
            for task in stack {
                walk.step(task, &mut next, out, &mut scratch);
            }
            stack = next;
        }
        let found: Vec<Found> = stack
            .par_iter()
            .map_init(Scratch::default, |scratch, &task| {
                let (mut stack, mut found) = (vec![task], Found::default());
                while let Some(task) = stack.pop() {
                    walk.step(task, &mut stack, &mut found, scratch);
                }
                found
            })
            .collect();
        for part in found {
            out.pairs.extend_from_slice(&part.pairs);
            out.counters.add(&part.counters);
        }
    }
    out.counters.leaf_pairs = out.pairs.len() as u64;
}

/// The nodes at which a search with culling stops: those whose triangles cannot cross each other, but none below another.
pub(super) fn skipped(tree: &ClothTree, x: &[Vec3]) -> Vec<u32> {
    let walk = Walk { tree, x, reach: Reach::crossing(0.0), culling: true };
    let (mut scratch, mut counters) = (Scratch::default(), PairCounters::default());
    let mut found = Vec::new();
    let mut stack: Vec<u32> = if tree.nodes.is_empty() { Vec::new() } else { vec![0] };
    while let Some(n) = stack.pop() {
        let Some([l, r]) = tree.children(n).filter(|_| !tree.nodes[n as usize].solid) else { continue };
        if walk.is_clear(n, &mut scratch, &mut counters) {
            found.push(n);
        } else {
            stack.extend([r, l]);
        }
    }
    found
}

impl Walk<'_> {
    #[inline]
    fn step(&self, task: Task, push: &mut Vec<Task>, out: &mut Found, scratch: &mut Scratch) {
        let nodes = &self.tree.nodes;
        match task {
            Task::Within(n) => {
                let children = self.tree.children(n);
                if nodes[n as usize].solid || children.is_none() && self.reach.near.is_none() {
                    return;
                }
                if self.culling && self.is_clear(n, scratch, &mut out.counters) {
                    out.counters.culled_regions += 1;
                    return;
                }
                let Some([l, r]) = children else {
                    out.pairs.push([nodes[n as usize].leaf; 2]);
                    return;
                };
                push.push(Task::Within(l));
                push.push(Task::Within(r));
                self.between(l, r, push, out);
            }
            Task::Between(a, b) => {
                let (down_a, down_b) = (self.tree.children(a), self.tree.children(b));
                match (down_a, down_b) {
                    (None, None) => unreachable!("leaves are not pushed"),
                    (Some(_), Some(_)) if nodes[a as usize].dop.size() < nodes[b as usize].dop.size() => {
                        down_b.into_iter().flatten().for_each(|c| self.between(a, c, push, out));
                    }
                    (Some(down), _) => down.into_iter().for_each(|c| self.between(c, b, push, out)),
                    (None, Some(down)) => {
                        down.into_iter().for_each(|c| self.between(a, c, push, out));
                    }
                }
            }
        }
    }

    #[inline]
    fn between(&self, a: u32, b: u32, push: &mut Vec<Task>, out: &mut Found) {
        let (p, q) = (&self.tree.nodes[a as usize], &self.tree.nodes[b as usize]);
        out.counters.volume_tests += 1;
        if (p.solid && q.solid) || !p.dop.overlaps_within(&q.dop, &Margin::new(self.reach.of(a, b))) {
            return;
        }
        if p.right == 0 && q.right == 0 {
            out.pairs.push([p.leaf.min(q.leaf), p.leaf.max(q.leaf)]);
        } else {
            push.push(Task::Between(a, b));
        }
    }

    /// Whether the triangles under a node cannot cross each other, nor come within the reach of each other where that is asked for.
    fn is_clear(&self, n: u32, scratch: &mut Scratch, counters: &mut PairCounters) -> bool {
        let region = &self.tree.regions[n as usize];
        let node = &self.tree.nodes[n as usize];
        if region.is_empty() || !node.cone.is_narrow() {
            return false;
        }
        let clearance = match &self.reach.near {
            Some(near) => {
                let clearance = CLEARLY * self.reach.of(n, n);
                // Seen along the axis, heights shrink by the cosine at most.
                if near.height[n as usize] * node.cone.cos <= clearance {
                    return false;
                }
                clearance
            }
            None => 0.0,
        };
        let border = &self.tree.borders[region.start as usize..region.end as usize];
        let simple = region::is_simple(border, self.x, node.cone.axis, f64::from(clearance), scratch);
        counters.crossing_borders += u64::from(!simple);
        simple
    }
}
