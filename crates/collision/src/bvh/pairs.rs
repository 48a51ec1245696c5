//! Which boxes meet each other: a tree against itself, and against another.

use rayon::prelude::*;

use super::{Aabb, Child, ChildKind, Tree, WIDTH, lanes};

/// Work is cut into at least this many tasks before it is handed to threads, whatever their number.
const TASKS: usize = 256;

/// A lane of a node, packed.
type Lane = u32;

#[derive(Clone, Copy)]
enum Task {
    /// All pairs within the subtree of a node of the first tree.
    Within(u32),
    /// All pairs between a lane of the first tree and a lane of the second, whose boxes are known to meet.
    Between(Lane, Lane),
}

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
        if !self.nodes.is_empty() {
            run(self, self, Task::Within(0), &|i: u32, j: u32| [i.min(j), i.max(j)], &keep, out);
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
                run(self, other, Task::Between(i, j as Lane), &|i, j| [i, j], &keep, out);
            }
        }
    }
}

fn run(
    a: &Tree,
    b: &Tree,
    root: Task,
    order: &(impl Fn(u32, u32) -> [u32; 2] + Sync),
    keep: &(impl Fn(u32, u32) -> bool + Sync),
    out: &mut Vec<[u32; 2]>,
) {
    let emit = |pairs: &mut Vec<[u32; 2]>, i: u32, j: u32| {
        let pair = order(i, j);
        if keep(pair[0], pair[1]) {
            pairs.push(pair);
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
fn step(a: &Tree, b: &Tree, task: Task, push: &mut Vec<Task>, emit: &mut impl FnMut(u32, u32)) {
    match task {
        Task::Within(n) => {
            let node = &a.nodes[n as usize];
            for lane in 0..WIDTH {
                if let ChildKind::Node(c) = node.children[lane].get() {
                    push.push(Task::Within(c));
                }
                let later = node.overlap_mask(&node.child_box(lane)) & !((2 << lane) - 1);
                for other in lanes(later) {
                    push.push(Task::Between(n * WIDTH as u32 + lane as u32, n * WIDTH as u32 + other as u32));
                }
            }
        }
        Task::Between(i, j) => {
            let (box_a, box_b) = (a.lane_box(i), b.lane_box(j));
            match (a.child(i).get(), b.child(j).get()) {
                (ChildKind::Primitive(p), ChildKind::Primitive(q)) => emit(p, q),
                (ChildKind::Node(c), ChildKind::Primitive(_)) => {
                    open(a, c, &box_b, |l| Task::Between(l, j), push)
                }
                (ChildKind::Primitive(_), ChildKind::Node(c)) => {
                    open(b, c, &box_a, |l| Task::Between(i, l), push)
                }
                (ChildKind::Node(c), ChildKind::Node(d)) => {
                    if box_a.half_area() >= box_b.half_area() {
                        open(a, c, &box_b, |l| Task::Between(l, j), push)
                    } else {
                        open(b, d, &box_a, |l| Task::Between(i, l), push)
                    }
                }
                (ChildKind::None, _) | (_, ChildKind::None) => {}
            }
        }
    }
}

fn open(tree: &Tree, node: u32, other: &Aabb, task: impl Fn(Lane) -> Task, push: &mut Vec<Task>) {
    for lane in lanes(tree.nodes[node as usize].overlap_mask(other)) {
        push.push(task(node * WIDTH as u32 + lane as u32));
    }
}
