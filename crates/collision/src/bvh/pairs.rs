//! Which boxes meet each other: a tree against itself, and against another.

use rayon::prelude::*;

use super::{Aabb, Child, ChildKind, Tree, WIDTH, lanes};

/// Work is cut into at least this many tasks before it is handed to threads, whatever their number.
const TASKS: usize = 256;

/// Nodes whose pairs are found by one task.
const CHUNK: usize = 64;

/// A lane of a node, packed.
type Lane = u32;

/// All pairs between a lane of the first tree and a lane of the second, whose boxes are known to meet.
type Task = [Lane; 2];

impl Tree {
    fn child(&self, lane: Lane) -> Child {
        self.nodes[lane as usize / WIDTH].children[lane as usize % WIDTH]
    }

    fn lane_box(&self, lane: Lane) -> Aabb {
        self.nodes[lane as usize / WIDTH].child_box(lane as usize % WIDTH)
    }

    /// Appends every pair `[i, j]`, `i < j`, of primitives whose closed boxes meet and that `keep(i, j)` lets pass,
    /// each once. In parallel; the order does not depend on the number of threads.
    pub fn self_pairs(&self, keep: impl Fn(u32, u32) -> bool + Sync, out: &mut Vec<[u32; 2]>) {
        let found: Vec<Vec<[u32; 2]>> = (0..self.nodes.len())
            .into_par_iter()
            .step_by(CHUNK)
            .with_max_len(1)
            .map(|start| {
                let (mut stack, mut pairs) = (Vec::new(), Vec::new());
                for node in start..self.nodes.len().min(start + CHUNK) {
                    self.pairs_of(node, &mut stack, |i, j| {
                        let [i, j] = [i.min(j), i.max(j)];
                        if keep(i, j) {
                            pairs.push([i, j]);
                        }
                    });
                }
                pairs
            })
            .collect();
        out.reserve(found.iter().map(Vec::len).sum());
        for pairs in found {
            out.extend_from_slice(&pairs);
        }
    }

    /// Emits the pairs of the primitives of node `first` with each other and with those of later nodes: the few boxes of
    /// a node go down the tree together. `stack` is scratch.
    #[inline]
    fn pairs_of(&self, first: usize, stack: &mut Vec<[u32; 2]>, mut emit: impl FnMut(u32, u32)) {
        let node = &self.nodes[first];
        let mut ids = [0; WIDTH];
        let (mut primitives, mut bounds) = (0, Aabb::EMPTY);
        for (lane, child) in node.children.into_iter().enumerate() {
            if let ChildKind::Primitive(id) = child.get() {
                ids[lane] = id;
                primitives |= 1 << lane;
                bounds = bounds.union(node.child_box(lane));
            }
        }
        stack.clear();
        if primitives != 0 {
            stack.push([0, self.nodes.len() as u32]);
        }
        // A node, and the end of its subtree.
        while let Some([i, end]) = stack.pop() {
            let other = &self.nodes[i as usize];
            let mut end = end;
            let meeting = other.overlap_mask(&bounds);
            // Backwards: the subtree of a child ends where that of the next one begins.
            for lane in (0..WIDTH).rev() {
                let meets = meeting >> lane & 1 != 0;
                match other.children[lane].get() {
                    ChildKind::Node(c) => {
                        if meets && end as usize > first {
                            stack.push([c, end]);
                        }
                        end = c;
                    }
                    ChildKind::Primitive(id) if meets && i as usize >= first => {
                        let mut mask = node.overlap_mask(&other.child_box(lane)) & primitives;
                        if i as usize == first {
                            mask &= (1 << lane) - 1;
                        }
                        lanes(mask).for_each(|k| emit(ids[k], id));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Appends every pair `[i, j]` of a primitive of this tree and one of `other` whose closed boxes meet and that
    /// `keep(i, j)` lets pass, each once. In parallel; the order does not depend on the number of threads.
    pub fn pairs_with(&self, other: &Tree, keep: impl Fn(u32, u32) -> bool + Sync, out: &mut Vec<[u32; 2]>) {
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return;
        }
        for i in 0..WIDTH as Lane {
            for j in lanes(other.nodes[0].overlap_mask(&self.lane_box(i))) {
                run(self, other, [i, j as Lane], &keep, out);
            }
        }
    }
}

fn run(a: &Tree, b: &Tree, root: Task, keep: &(impl Fn(u32, u32) -> bool + Sync), out: &mut Vec<[u32; 2]>) {
    let emit = |pairs: &mut Vec<[u32; 2]>, i: u32, j: u32| {
        if keep(i, j) {
            pairs.push([i, j]);
        }
    };
    // Breadth first until there is enough to share out; what is found on the way is already in order.
    let mut tasks = vec![root];
    while !tasks.is_empty() && tasks.len() < TASKS {
        let mut next = Vec::new();
        for task in tasks {
            step(a, b, task, &mut next, &mut |i, j| emit(out, i, j));
        }
        tasks = next;
    }
    let found: Vec<Vec<[u32; 2]>> = tasks
        .par_iter()
        .map(|&task| {
            let (mut stack, mut pairs) = (vec![task], Vec::new());
            while let Some(task) = stack.pop() {
                step(a, b, task, &mut stack, &mut |i, j| emit(&mut pairs, i, j));
            }
            pairs
        })
        .collect();
    out.reserve(found.iter().map(Vec::len).sum());
    for pairs in found {
        out.extend_from_slice(&pairs);
    }
}

/// Does one task: emits pairs of primitives, or pushes smaller tasks.
#[inline]
fn step(a: &Tree, b: &Tree, [i, j]: Task, push: &mut Vec<Task>, emit: &mut impl FnMut(u32, u32)) {
    let (box_a, box_b) = (a.lane_box(i), b.lane_box(j));
    match (a.child(i).get(), b.child(j).get()) {
        (ChildKind::Primitive(p), ChildKind::Primitive(q)) => emit(p, q),
        (ChildKind::Node(c), ChildKind::Primitive(_)) => open(a, c, &box_b, |l| [l, j], push),
        (ChildKind::Primitive(_), ChildKind::Node(c)) => open(b, c, &box_a, |l| [i, l], push),
        (ChildKind::Node(c), ChildKind::Node(d)) => {
            if box_a.half_area() >= box_b.half_area() {
                open(a, c, &box_b, |l| [l, j], push)
            } else {
                open(b, d, &box_a, |l| [i, l], push)
            }
        }
        (ChildKind::None, _) | (_, ChildKind::None) => {}
    }
}

fn open(tree: &Tree, node: u32, other: &Aabb, task: impl Fn(Lane) -> Task, push: &mut Vec<Task>) {
    for lane in lanes(tree.nodes[node as usize].overlap_mask(other)) {
        push.push(task(node * WIDTH as u32 + lane as u32));
    }
}
