//! A tree of boxes over triangles, for the nearest point of a surface and for its winding number.

use glam::DVec3;

use crate::TriMesh;

/// Triangles of a leaf, at most.
const LEAF: usize = 4;

/// A tree over the triangles of a surface.
///
/// Each node halves its triangles along the longest side of the box of their centres, so that the depth is
/// logarithmic whatever the surface.
pub struct TriangleTree {
    nodes: Vec<Node>,
    /// Corners, in the order of the leaves.
    pub(super) corners: Vec<[DVec3; 3]>,
    /// The triangle of each.
    ids: Vec<u32>,
}

/// A node and what far points see of it.
pub(super) struct Node {
    low: DVec3,
    high: DVec3,
    /// Triangles `first..first + count` in the order of the leaves.
    pub first: u32,
    pub count: u32,
    /// The second child, or 0 for a leaf; the first child is the next node.
    pub second: u32,
    /// Sum of the area vectors, outwards.
    pub area: DVec3,
    /// Centre of the triangles, weighted by area, and the radius around it that holds them all.
    pub center: DVec3,
    pub radius: f64,
}

/// The point of a surface that is nearest to another point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Its distance.
    pub distance: f64,
    /// Where it is.
    pub point: DVec3,
    /// On which triangle.
    pub triangle: u32,
}

impl TriangleTree {
    /// A tree over all triangles of `surface`. There must be one at least.
    pub fn new(surface: &TriMesh) -> Self {
        assert!(!surface.triangles.is_empty(), "a tree has triangles");
        let corners = |t: u32| surface.triangles[t as usize].map(|v| surface.positions[v as usize]);
        let mut ids: Vec<u32> = (0..surface.triangles.len() as u32).collect();
        let centers: Vec<DVec3> = ids.iter().map(|&t| corners(t).iter().sum::<DVec3>() / 3.0).collect();
        let mut tree = TriangleTree { nodes: Vec::new(), corners: Vec::new(), ids: Vec::new() };
        // (first, count, the parent whose second child this is)
        let mut open = vec![(0, ids.len(), None::<usize>)];
        while let Some((first, count, parent)) = open.pop() {
            let part = &mut ids[first..first + count];
            let node = tree.nodes.len();
            if let Some(parent) = parent {
                tree.nodes[parent].second = node as u32;
            }
            tree.nodes.push(Node::over(part.iter().map(|&t| corners(t)), first, count));
            if count <= LEAF {
                continue;
            }
            let fold = |f: fn(DVec3, DVec3) -> DVec3| {
                part.iter().map(|&t| centers[t as usize]).reduce(f).expect("a part has triangles")
            };
            let extent = fold(DVec3::max) - fold(DVec3::min);
            let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).expect("three axes");
            let half = count / 2;
            part.select_nth_unstable_by(half, |&a, &b| {
                centers[a as usize][axis].total_cmp(&centers[b as usize][axis]).then(a.cmp(&b))
            });
            // The first child comes off the stack next, right behind its parent.
            open.push((first + half, count - half, Some(node)));
            open.push((first, half, None));
        }
        tree.corners = ids.iter().map(|&t| corners(t)).collect();
        tree.ids = ids;
        tree
    }

    /// The triangle at a place in the order of the leaves.
    pub(super) fn id(&self, i: usize) -> u32 {
        self.ids[i]
    }

    pub(super) fn node(&self, n: u32) -> &Node {
        &self.nodes[n as usize]
    }

    /// The nearest point of the surface to `p`.
    pub fn nearest(&self, p: DVec3) -> Nearest {
        let mut best = Nearest { distance: f64::INFINITY, point: p, triangle: 0 };
        let mut least = f64::INFINITY;
        let mut open = Stack::new((self.nodes[0].distance_squared(p), 0u32));
        while let Some((bound, n)) = open.pop() {
            if bound >= least {
                continue;
            }
            let node = &self.nodes[n as usize];
            if node.second > 0 {
                let children = [n + 1, node.second].map(|c| (self.nodes[c as usize].distance_squared(p), c));
                let [near, far] =
                    if children[0].0 <= children[1].0 { children } else { [children[1], children[0]] };
                open.push(far);
                open.push(near);
                continue;
            }
            for i in node.first as usize..(node.first + node.count) as usize {
                let point = closest_on_triangle(p, self.corners[i]);
                let squared = point.distance_squared(p);
                if squared < least {
                    least = squared;
                    best = Nearest { distance: squared.sqrt(), point, triangle: self.ids[i] };
                }
            }
        }
        best
    }
}

/// Nodes that are still to be looked at. Every node halves its triangles, so that at most one more for each of
/// the 32 levels is open.
pub(super) struct Stack<T> {
    items: [T; 40],
    len: usize,
}

impl<T: Copy> Stack<T> {
    pub fn new(first: T) -> Self {
        Stack { items: [first; 40], len: 1 }
    }

    pub fn push(&mut self, item: T) {
        self.items[self.len] = item;
        self.len += 1;
    }

    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        Some(self.items[self.len])
    }
}

impl Node {
    fn over(triangles: impl Iterator<Item = [DVec3; 3]> + Clone, first: usize, count: usize) -> Self {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (mut area, mut center, mut weight) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for [a, b, c] in triangles.clone() {
            (low, high) = (low.min(a).min(b).min(c), high.max(a).max(b).max(c));
            let vector = 0.5 * (b - a).cross(c - a);
            area += vector;
            weight += vector.length();
            center += vector.length() * (a + b + c) / 3.0;
        }
        let center = if weight > 0.0 { center / weight } else { 0.5 * (low + high) };
        let radius = triangles.flatten().map(|p| p.distance_squared(center)).fold(0.0, f64::max).sqrt();
        Node { low, high, first: first as u32, count: count as u32, second: 0, area, center, radius }
    }

    fn distance_squared(&self, p: DVec3) -> f64 {
        (self.low - p).max(p - self.high).max(DVec3::ZERO).length_squared()
    }
}

/// The point of a triangle nearest to `p`. Source: C. Ericson, "Real-Time Collision Detection" (2005), 5.1.5.
fn closest_on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> DVec3 {
    let (ab, ac) = (b - a, c - a);
    let ap = p - a;
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    if sum > 0.0 { a + ab * (vb / sum) + ac * (vc / sum) } else { a }
}
