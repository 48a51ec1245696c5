//! Which parts of a cloth cannot cross themselves, whatever is inside them.
//!
//! Let the triangles of a node form a disk, and all face the same side of a plane. Projected onto that plane the disk is an
//! immersion but for branch points, so that the turns at its border add up to `2π(1 + b)` with `b ≥ 0` counted over branch
//! points inside and fans of more than a full turn at the border. A projected border that does not meet itself turns by
//! `±2π`: then `b = 0`, the projection covers no point twice, and the disk does not cross itself. Both conditions are needed:
//! a long strip that winds up like a flat spiral stair has a narrow cone, and its border meets itself.
//!
//! Then nor does it come near itself, but for what has a vertex in common, if seen in the same way all heights of its triangles are larger
//! than a **clearance**, and so are the distances of vertices of the border to sides of it that do not end there. For distances are not
//! less than they are seen, and what is disjoint in the plane is nearest at a vertex `p` and an edge that does not end there.
//! The way from `p` to it either enters a triangle at `p`, which it leaves through the opposite side, after a height; or leaves the
//! disk at `p` and meets a side of the border that does not end at `p`.
//!
//! Whether a node is a disk depends on the mesh alone; the projection is looked at when a traversal comes by.
//!
//! Source: P. Volino, N. Magnenat-Thalmann, "Efficient self-collision detection on smoothly discretized surface
//! animations", Eurographics 1994; the argument for triangles is ours.

use std::cmp::Ordering;
use std::ops::Range;

use glam::{DVec2, Vec3};

use super::mesh::ClothMesh;
use super::tree::{ClothTree, NONE};

/// The border of a node as a loop of vertices in [`ClothTree::borders`]; empty where the node is not a disk.
pub(super) type Region = Range<u32>;

/// What is gathered bottom-up about the triangles of a node.
struct Patch {
    /// Edges with one triangle of the patch, in its direction; by their vertices, ascending.
    border: Vec<[u32; 2]>,
    vertices: i64,
    edges: i64,
    triangles: i64,
    /// The sheet; [`NONE`] for several.
    sheet: u32,
    /// No edge has more than two triangles, or two that run the same way.
    sound: bool,
}

/// The regions of all nodes, and their borders one after the other.
pub(super) fn regions(mesh: &ClothMesh, tree: &ClothTree) -> (Vec<Region>, Vec<u32>) {
    let mut patches: Vec<Option<Patch>> = (0..tree.nodes.len()).map(|_| None).collect();
    let (mut regions, mut borders) = (vec![0..0; tree.nodes.len()], Vec::new());
    for n in (0..tree.nodes.len()).rev() {
        let patch = match tree.children(n as u32) {
            None => leaf_patch(mesh, tree.leaves[tree.nodes[n].leaf as usize].triangles),
            Some([l, r]) => {
                let (a, b) = (patches[l as usize].take(), patches[r as usize].take());
                join(a.expect("children come later"), b.expect("children come later"))
            }
        };
        let euler = patch.vertices - patch.edges + patch.triangles;
        if patch.sound && patch.sheet != NONE && euler == 1 {
            let start = borders.len() as u32;
            if append_loop(&patch.border, &mut borders) {
                regions[n] = start..borders.len() as u32;
            } else {
                borders.truncate(start as usize);
            }
        }
        patches[n] = Some(patch);
    }
    (regions, borders)
}

fn undirected([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

fn leaf_patch(mesh: &ClothMesh, triangles: [u32; 2]) -> Patch {
    let mut leaf: Option<Patch> = None;
    for t in triangles.into_iter().filter(|&t| t != NONE) {
        let [a, b, c] = mesh.triangles[t as usize];
        let mut border = vec![[a, b], [b, c], [c, a]];
        border.sort_unstable_by_key(|&e| undirected(e));
        let manifold = mesh.triangle_edges[t as usize].iter().all(|&e| mesh.triangles_at(e).len() <= 2);
        let one =
            Patch { border, vertices: 3, edges: 3, triangles: 1, sheet: mesh.sheet_of(t), sound: manifold };
        leaf = Some(match leaf {
            None => one,
            Some(first) => join(first, one),
        });
    }
    leaf.expect("a leaf has a triangle")
}

fn join(a: Patch, b: Patch) -> Patch {
    let mut border = Vec::with_capacity(a.border.len() + b.border.len());
    let (mut shared, mut sound) = (0, a.sound && b.sound);
    let (mut i, mut j) = (0, 0);
    while i < a.border.len() && j < b.border.len() {
        match undirected(a.border[i]).cmp(&undirected(b.border[j])) {
            Ordering::Less => {
                border.push(a.border[i]);
                i += 1;
            }
            Ordering::Greater => {
                border.push(b.border[j]);
                j += 1;
            }
            Ordering::Equal => {
                sound &= a.border[i] != b.border[j];
                shared += 1;
                i += 1;
                j += 1;
            }
        }
    }
    border.extend_from_slice(&a.border[i..]);
    border.extend_from_slice(&b.border[j..]);
    let ends = |p: &Patch| -> Vec<u32> {
        let mut v = p.border.as_flattened().to_vec();
        v.sort_unstable();
        v.dedup();
        v
    };
    let (u, v) = (ends(&a), ends(&b));
    let common = u.iter().filter(|x| v.binary_search(x).is_ok()).count() as i64;
    Patch {
        border,
        vertices: a.vertices + b.vertices - common,
        edges: a.edges + b.edges - shared,
        triangles: a.triangles + b.triangles,
        sheet: if a.sheet == b.sheet { a.sheet } else { NONE },
        sound,
    }
}

/// Appends the border as one loop of vertices; false where it is not one.
fn append_loop(border: &[[u32; 2]], out: &mut Vec<u32>) -> bool {
    if border.len() < 3 {
        return false;
    }
    let mut by_start = border.to_vec();
    by_start.sort_unstable();
    if by_start.windows(2).any(|w| w[0][0] == w[1][0]) {
        return false;
    }
    let start = by_start[0][0];
    let mut at = start;
    for step in 0..border.len() {
        let Ok(k) = by_start.binary_search_by_key(&at, |e| e[0]) else { return false };
        if step > 0 && at == start {
            return false;
        }
        out.push(at);
        at = by_start[k][1];
    }
    at == start
}

/// Memory of [`is_simple`].
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    points: Vec<DVec2>,
    sides: Vec<Side>,
}

/// A side of a border: which, and the ranges of its coordinates.
#[derive(Clone, Copy, Debug)]
struct Side {
    low: DVec2,
    high: DVec2,
    index: u32,
}

/// Whether a loop of vertices, seen along `axis`, does not meet itself; in doubt, not. With a `clearance`, metres, whether in addition
/// no vertex comes within it of a side that does not end there.
pub(super) fn is_simple(
    border: &[u32],
    x: &[Vec3],
    axis: Vec3,
    clearance: f64,
    scratch: &mut Scratch,
) -> bool {
    let n = border.len();
    let Scratch { points, sides } = scratch;
    let (u, v) = axis.as_dvec3().normalize().any_orthonormal_pair();
    // Turned, so that the sides of a rectangle do not line up with the sweep.
    let (u, v) = (0.8 * u + 0.6 * v, 0.8 * v - 0.6 * u);
    let origin = x[border[0] as usize].as_dvec3();
    points.clear();
    points.extend(border.iter().map(|&i| {
        let p = x[i as usize].as_dvec3() - origin;
        DVec2::new(p.dot(u), p.dot(v))
    }));
    let extent = points.iter().fold(0.0f64, |m, p| m.max(p.abs().max_element()));
    // Far above the rounding of the projection, far below what has a meaning.
    let slack = 1e-12 * extent;
    let wide = slack + clearance;
    let next = |i: u32| if i as usize + 1 == n { 0 } else { i + 1 };
    let ends = |i: u32| (points[i as usize], points[next(i) as usize]);
    sides.clear();
    sides.extend((0..n as u32).map(|index| {
        let (a, b) = ends(index);
        Side { low: a.min(b), high: a.max(b), index }
    }));
    sides.sort_unstable_by(|s, t| s.low.x.total_cmp(&t.low.x).then(s.index.cmp(&t.index)));
    for (k, s) in sides.iter().enumerate() {
        let (a, b) = ends(s.index);
        for t in sides[k + 1..].iter().take_while(|t| t.low.x - wide <= s.high.x) {
            if s.high.y + wide < t.low.y || t.high.y + wide < s.low.y {
                continue;
            }
            let (c, d) = ends(t.index);
            let far = |p: DVec2, q: DVec2, r: DVec2| clearance == 0.0 || is_far(p, q, r, clearance);
            let apart = if next(s.index) == t.index {
                opens(a, b, d, slack, extent) && far(a, c, d) && far(d, a, b)
            } else if next(t.index) == s.index {
                opens(c, d, b, slack, extent) && far(c, a, b) && far(b, c, d)
            } else {
                disjoint(a, b, c, d, slack * extent)
                    && far(a, c, d)
                    && far(b, c, d)
                    && far(c, a, b)
                    && far(d, a, b)
            };
            if !apart {
                return false;
            }
        }
    }
    extent > 0.0
}

/// Whether the segments `ab` and `bc` have only `b` in common.
fn opens(a: DVec2, b: DVec2, c: DVec2, slack: f64, extent: f64) -> bool {
    let (p, q) = (a - b, c - b);
    let long = p.length() > slack && q.length() > slack;
    long && (p.perp_dot(q).abs() > slack * extent || p.dot(q) < 0.0)
}

/// Whether a point is farther from a segment than the clearance.
fn is_far(p: DVec2, a: DVec2, b: DVec2, clearance: f64) -> bool {
    let (ab, ap) = (b - a, p - a);
    let along = (ap.dot(ab) / ab.length_squared()).clamp(0.0, 1.0);
    ap.distance_squared(along * ab) > clearance * clearance
}

fn disjoint(a: DVec2, b: DVec2, c: DVec2, d: DVec2, slack: f64) -> bool {
    let one_side = |p: DVec2, q: DVec2, r: DVec2, s: DVec2| {
        let (u, v) = ((q - p).perp_dot(r - p), (q - p).perp_dot(s - p));
        (u > slack && v > slack) || (u < -slack && v < -slack)
    };
    if one_side(a, b, c, d) || one_side(c, d, a, b) {
        return true;
    }
    // On one line, and clear of each other along it.
    let along = (b - a) + (d - c).dot(b - a).signum() * (d - c);
    let range = |p: DVec2, q: DVec2| (p.dot(along).min(q.dot(along)), p.dot(along).max(q.dot(along)));
    let ((s0, s1), (t0, t1)) = (range(a, b), range(c, d));
    s1 + slack < t0 || t1 + slack < s0
}
