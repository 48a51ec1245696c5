//! The tree over cloth: one leaf for each quad or pair of triangles, an 18-plane volume and a normal cone in every node.
//!
//! Nodes lie depth first, so that a subtree is a contiguous range. The topology is made once, from a layout in which
//! neighbours in the cloth are neighbours in space (the rest pose); [`ClothTree::refit`] follows the motion bottom-up, in
//! parallel, in blocks that do not depend on the number of threads.

use glam::Vec3;

use super::boxes::LeafBoxes;
use super::dop::Dop;
use super::mesh::ClothMesh;
use super::region::Region;

/// No triangle, no edge.
pub(super) const NONE: u32 = u32::MAX;

/// Largest subtree that one task refits.
const BLOCK: usize = 512;

/// Cones are kept clear of a right angle by this much of its cosine: far more than rounding in single precision.
const CONE_MARGIN: f32 = 1e-2;

/// Axes whose sum is shorter than this are opposite: the direction of the sum would be rounding.
const OPPOSITE: f32 = 0.05;

/// One or two neighbouring triangles, with the vertices and edges that belong to this leaf and to no other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// Its triangles; the second may be [`NONE`].
    pub triangles: [u32; 2],
    /// The edges that it owns, padded with [`NONE`].
    pub edges: [u32; 5],
    /// The vertices that it owns, padded with [`NONE`].
    pub vertices: [u32; 4],
}

/// A cone of directions. Sine and cosine are both kept: each is exact where the other is not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cone {
    /// Unit axis.
    pub axis: Vec3,
    /// Cosine of the half angle; negative where directions lie further apart than a right angle, or there are none.
    pub cos: f32,
    /// Sine of the half angle.
    sin: f32,
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Node {
    pub dop: Dop,
    /// Holds the normals.
    pub cone: Cone,
    /// The second child (the first is the next node); 0 for a leaf.
    pub right: u32,
    /// The leaf.
    pub leaf: u32,
    /// Whether all under it are surfaces of volumes.
    pub solid: bool,
}

const _: () = assert!(size_of::<Node>() == 128);

/// A bounding volume hierarchy of cloth; see the module documentation.
#[derive(Clone, Debug, Default)]
pub(super) struct ClothTree {
    pub nodes: Vec<Node>,
    pub leaves: Vec<Leaf>,
    /// What belongs to each leaf, at the positions where it was [boxed](Self::box_leaves) last.
    pub boxes: Vec<LeafBoxes>,
    /// When each leaf was boxed last, and the present time.
    boxed: Vec<u32>,
    now: u32,
    /// For each node whether its triangles form a disk, and the border of that.
    pub regions: Vec<Region>,
    /// The borders of all regions, one after the other.
    pub borders: Vec<u32>,
    /// Maximal subtrees of at most [`BLOCK`] nodes, and the nodes above them.
    blocks: Vec<std::ops::Range<u32>>,
    spine: Vec<u32>,
}

impl ClothTree {
    /// A tree for `mesh`, with an order taken from `layout`: one position a vertex.
    pub fn new(mesh: &ClothMesh, layout: &[Vec3]) -> Self {
        assert_eq!(layout.len(), mesh.vertex_count, "one position a vertex");
        let pairs = pair_up(mesh, layout);
        let middle = |pair: &[u32; 2]| {
            let of =
                |t: u32| mesh.triangles[t as usize].iter().map(|&v| layout[v as usize]).sum::<Vec3>() / 3.0;
            if pair[1] == NONE { of(pair[0]) } else { 0.5 * (of(pair[0]) + of(pair[1])) }
        };
        let item = |(i, pair): (usize, &[u32; 2])| Item {
            middle: middle(pair),
            pair: i as u32,
            sheet: mesh.sheet_of(pair[0]),
            solid: mesh.is_solid(pair[0]),
        };
        let mut items: Vec<Item> = pairs.iter().enumerate().map(item).collect();
        let mut tree = ClothTree::default();
        if items.is_empty() {
            return tree;
        }
        let mut order = Vec::with_capacity(items.len());
        tree.nodes.reserve(2 * items.len());
        split(&mut items, &mut tree.nodes, &mut order);
        tree.leaves = own(mesh, order.iter().map(|&i| pairs[i as usize]));
        tree.boxes = vec![LeafBoxes::NONE; tree.leaves.len()];
        tree.boxed = vec![0; tree.leaves.len()];
        tree.partition();
        (tree.regions, tree.borders) = super::region::regions(mesh, &tree);
        tree
    }

    /// The children of an inner node.
    #[inline]
    pub fn children(&self, node: u32) -> Option<[u32; 2]> {
        let right = self.nodes[node as usize].right;
        (right != 0).then_some([node + 1, right])
    }

    /// Volumes and cones for the positions `x`. The result does not depend on the number of threads.
    pub fn refit(&mut self, mesh: &ClothMesh, x: &[Vec3]) {
        let ClothTree { nodes, leaves, blocks, spine, .. } = self;
        refit_blocks(nodes, 0, blocks, &|leaf| bound(mesh, &leaves[leaf as usize], x));
        for &i in spine.iter().rev() {
            let right = nodes[i as usize].right as usize;
            let merged = merge(&nodes[i as usize + 1], &nodes[right]);
            let node = &mut nodes[i as usize];
            (node.dop, node.cone) = merged;
        }
    }

    /// Fills in a value for every node: of a leaf what `of` says, else what `join` makes of those of its children.
    pub fn gather(&self, out: &mut Vec<f32>, join: impl Fn(f32, f32) -> f32, of: impl Fn(&Leaf) -> f32) {
        out.resize(self.nodes.len(), 0.0);
        for n in (0..self.nodes.len()).rev() {
            out[n] = match self.children(n as u32) {
                Some([l, r]) => join(out[l as usize], out[r as usize]),
                None => of(&self.leaves[self.nodes[n].leaf as usize]),
            };
        }
    }

    /// Boxes for the leaves in `pairs`, at the positions `x`: few of all, where regions are skipped.
    pub fn box_leaves(&mut self, mesh: &ClothMesh, x: &[Vec3], pairs: &[[u32; 2]]) {
        self.now = self.now.wrapping_add(1);
        for &leaf in pairs.as_flattened() {
            let leaf = leaf as usize;
            if std::mem::replace(&mut self.boxed[leaf], self.now) != self.now {
                self.boxes[leaf] = LeafBoxes::of(mesh, &self.leaves[leaf], x);
            }
        }
    }

    fn partition(&mut self) {
        let mut end = vec![0u32; self.nodes.len()];
        for i in (0..self.nodes.len()).rev() {
            end[i] = match self.nodes[i].right {
                0 => i as u32 + 1,
                right => end[right as usize],
            };
        }
        let mut i = 0;
        while i < self.nodes.len() {
            if end[i] as usize - i <= BLOCK {
                self.blocks.push(i as u32..end[i]);
                i = end[i] as usize;
            } else {
                self.spine.push(i as u32);
                i += 1;
            }
        }
    }
}

/// Joins triangles in pairs across their longest edges, as the two of a quad are; what is left stays alone.
fn pair_up(mesh: &ClothMesh, layout: &[Vec3]) -> Vec<[u32; 2]> {
    let mut inner: Vec<(f32, u32)> = (0..mesh.edges.len() as u32)
        .filter(|&e| mesh.triangles_at(e).len() == 2)
        .map(|e| {
            let [a, b] = mesh.edges[e as usize].vertices;
            (layout[a as usize].distance_squared(layout[b as usize]), e)
        })
        .collect();
    inner.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut partner = vec![NONE; mesh.triangles.len()];
    for (_, e) in inner {
        if let &[s, t] = mesh.triangles_at(e)
            && partner[s as usize] == NONE
            && partner[t as usize] == NONE
        {
            partner[s as usize] = t;
            partner[t as usize] = s;
        }
    }
    (0..mesh.triangles.len() as u32)
        .filter(|&t| mesh.is_proper(t) && partner[t as usize] > t)
        .map(|t| [t, partner[t as usize]])
        .collect()
}

/// A leaf to be.
#[derive(Clone, Copy)]
struct Item {
    middle: Vec3,
    pair: u32,
    sheet: u32,
    solid: bool,
}

/// Builds the subtree of `items`: sheets apart first, then by halves along the longest side of the box.
fn split(items: &mut [Item], nodes: &mut Vec<Node>, order: &mut Vec<u32>) {
    let index = nodes.len();
    let solid = items.iter().all(|i| i.solid);
    nodes.push(Node { dop: Dop::EMPTY, cone: Cone::NONE, right: 0, leaf: NONE, solid });
    if let [item] = *items {
        nodes[index].leaf = order.len() as u32;
        order.push(item.pair);
        return;
    }
    let several = items.iter().any(|i| i.sheet != items[0].sheet);
    let half = if several { split_sheets(items) } else { halve(items) };
    let (left, right) = items.split_at_mut(half);
    split(left, nodes, order);
    nodes[index].right = nodes.len() as u32;
    split(right, nodes, order);
}

/// Sorts by sheet; where to cut: between cloth and surfaces of volumes, else between two sheets, as near to the middle as it gets.
fn split_sheets(items: &mut [Item]) -> usize {
    items.sort_unstable_by_key(|i| (i.solid, i.sheet, i.pair));
    let solid = items.partition_point(|i| !i.solid);
    if solid > 0 && solid < items.len() {
        return solid;
    }
    let middle = items.len() / 2;
    let cuts = (1..items.len()).filter(|&k| items[k - 1].sheet != items[k].sheet);
    cuts.min_by_key(|k| k.abs_diff(middle)).expect("there are several sheets")
}

fn halve(items: &mut [Item]) -> usize {
    let bounds = |(l, h): (Vec3, Vec3), i: &Item| (l.min(i.middle), h.max(i.middle));
    let (low, high) = items.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), bounds);
    let size = high - low;
    let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
    let half = items.len() / 2;
    items.select_nth_unstable_by(half, |a, b| {
        a.middle[axis].total_cmp(&b.middle[axis]).then(a.pair.cmp(&b.pair))
    });
    half
}

/// Gives every edge and vertex to the first leaf that has it.
fn own(mesh: &ClothMesh, pairs: impl Iterator<Item = [u32; 2]>) -> Vec<Leaf> {
    let (mut edge_taken, mut vertex_taken) = (vec![false; mesh.edges.len()], vec![false; mesh.vertex_count]);
    pairs
        .map(|triangles| {
            let mut leaf = Leaf { triangles, edges: [NONE; 5], vertices: [NONE; 4] };
            let (mut edges, mut vertices) = (0, 0);
            for &t in triangles.iter().filter(|&&t| t != NONE) {
                for e in mesh.triangle_edges[t as usize] {
                    if !std::mem::replace(&mut edge_taken[e as usize], true) {
                        leaf.edges[edges] = e;
                        edges += 1;
                    }
                }
                for v in mesh.triangles[t as usize] {
                    if !std::mem::replace(&mut vertex_taken[v as usize], true) {
                        leaf.vertices[vertices] = v;
                        vertices += 1;
                    }
                }
            }
            leaf
        })
        .collect()
}

type Bound = (Dop, Cone);

fn bound(mesh: &ClothMesh, leaf: &Leaf, x: &[Vec3]) -> Bound {
    let corners = |t: u32| mesh.triangles[t as usize].map(|v| x[v as usize]);
    let first = corners(leaf.triangles[0]);
    let (dop, cone) = (Dop::of(first), Cone::of(first));
    if leaf.triangles[1] == NONE {
        return (dop, cone);
    }
    let second = corners(leaf.triangles[1]);
    (dop.union(&Dop::of(second)), cone.join(&Cone::of(second)))
}

fn merge(a: &Node, b: &Node) -> Bound {
    (a.dop.union(&b.dop), a.cone.join(&b.cone))
}

impl Cone {
    const NONE: Cone = Cone { axis: Vec3::Z, cos: -1.0, sin: 0.0 };

    /// The normal of one triangle.
    fn of([a, b, c]: [Vec3; 3]) -> Cone {
        match (b - a).cross(c - a).try_normalize() {
            Some(axis) => Cone { axis, cos: 1.0, sin: 0.0 },
            None => Cone::NONE,
        }
    }

    /// A cone about the direction between both axes that holds both cones: the half angle is half the angle between the axes and
    /// the larger half angle.
    #[inline]
    fn join(&self, other: &Cone) -> Cone {
        // Rises with the angle, and tells angles apart near zero and near a right angle alike.
        let width = |c: &Cone| c.sin - c.cos;
        let wider = if width(self) >= width(other) { self } else { other };
        let sum = self.axis + other.axis;
        let length = sum.length();
        // Written so that a NaN gives no cone.
        if !(self.is_narrow() && other.is_narrow() && length > OPPOSITE) {
            return Cone::NONE;
        }
        let (cos, sin) = (0.5 * length, 0.5 * (self.axis - other.axis).length());
        Cone {
            axis: sum / length,
            // Rounding must not narrow the cone.
            cos: cos * wider.cos - sin * wider.sin - 4e-6,
            sin: sin * wider.cos + cos * wider.sin + 1e-6,
        }
    }

    /// Whether all directions lie within less than a right angle of the axis.
    #[inline]
    pub fn is_narrow(&self) -> bool {
        self.cos > CONE_MARGIN
    }
}

fn refit_blocks<F: Fn(u32) -> Bound + Sync>(
    nodes: &mut [Node],
    base: u32,
    blocks: &[std::ops::Range<u32>],
    bound: &F,
) {
    match blocks {
        [] => {}
        [block] => {
            let (from, to) = ((block.start - base) as usize, (block.end - base) as usize);
            refit_subtree(&mut nodes[from..to], block.start, bound);
        }
        _ => {
            let (left, right) = blocks.split_at(blocks.len() / 2);
            let cut = right[0].start;
            let (low, high) = nodes.split_at_mut((cut - base) as usize);
            rayon::join(|| refit_blocks(low, base, left, bound), || refit_blocks(high, cut, right, bound));
        }
    }
}

fn refit_subtree(nodes: &mut [Node], base: u32, bound: &impl Fn(u32) -> Bound) {
    for i in (0..nodes.len()).rev() {
        let merged = match nodes[i].right {
            0 => bound(nodes[i].leaf),
            right => merge(&nodes[i + 1], &nodes[(right - base) as usize]),
        };
        (nodes[i].dop, nodes[i].cone) = merged;
    }
}

#[cfg(test)]
impl ClothTree {
    /// Calls `visit` for all leaves under a node.
    fn leaves_under(&self, node: u32, mut visit: impl FnMut(u32)) {
        let mut stack = vec![node];
        while let Some(n) = stack.pop() {
            match self.children(n) {
                Some([l, r]) => stack.extend([r, l]),
                None => visit(self.nodes[n as usize].leaf),
            }
        }
    }

    /// Checks that every node holds what is under it.
    pub fn validate(&self, mesh: &ClothMesh, x: &[Vec3]) {
        (0..self.nodes.len() as u32).for_each(|n| {
            let node = self.nodes[n as usize];
            self.leaves_under(n, |leaf| {
                for &t in self.leaves[leaf as usize].triangles.iter().filter(|&&t| t != NONE) {
                    let corners = mesh.triangles[t as usize].map(|v| x[v as usize]);
                    assert_eq!(node.dop.union(&Dop::of(corners)), node.dop, "node {n} holds triangle {t}");
                    if node.cone.is_narrow() {
                        let normal = Cone::of(corners).axis;
                        let cos = normal.dot(node.cone.axis);
                        assert!(
                            cos >= node.cone.cos - 1e-5,
                            "node {n}, triangle {t}: {cos}, {:?}",
                            node.cone
                        );
                    }
                }
            });
        });
    }
}
