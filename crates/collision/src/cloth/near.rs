//! What may come near: vertices at triangles and edges at edges, in lists that are kept from step to step.
//!
//! Most of what is near in one step is near in the next. Every vertex has a **slack**, how far it may go from where it was when the
//! lists were made. Lists of all that is within a reach and the slack of both hold whatever comes within the reach, as long as no vertex
//! leaves its slack (L. Verlet 1967, as in [`ccd`](crate::ccd)), up to a translation that all share, for that changes no distance.
//! Whether a list still holds is a pass over the vertices; only where it does not, the tree is asked again. Cloth at rest has
//! a few vertices that are thrown and pushed back in every step: they get more slack than the others.
//!
//! Lists are in the order of the mesh. What is taken from them is all that is near, in that order, whatever their age and slack: it
//! depends on the positions alone. A region that cannot cross itself may well be near itself: what the search passes over is clear
//! of itself by the reach and the slack, which asks for more ([`region`](super::region)).

use glam::Vec3;
use rayon::prelude::*;

use super::boxes::bits;
use super::mesh::ClothMesh;
use super::pairs::{self, Found, Reach, leaf_pairs};
use super::tree::{ClothTree, Leaf, NONE};
use crate::bvh::Aabb;

/// Pairs of leaves that one task takes at a time.
const CHUNK: usize = 1024;

/// A vertex that has left its slack gets this many times the way it went ...
const MORE: f32 = 2.0;
/// ... unless it is one of more than one in this many: then all of them are on their way.
const FEW: usize = 4;
/// The most slack, in units of the least; what would need more does not come back.
const MOST: f32 = 24.0;

/// Sine below which lines count as parallel and triangles as needles: distances are not trusted there, boxes are.
const THIN: f32 = 0.03;

/// Lists of features that have no vertex in common and that belong not both to surfaces of volumes.
#[derive(Clone, Debug, Default)]
pub(super) struct Near {
    /// Pairs of a vertex and a triangle, ascending.
    pub vertex_triangle: Vec<[u32; 2]>,
    /// Pairs of edges, each with the lower one first, ascending.
    pub edge_edge: Vec<[u32; 2]>,
    /// Pairs of a triangle and an edge that may cross, ascending; where they are listed.
    pub triangle_edge: Vec<[u32; 2]>,
    /// Where the vertices were when the lists were made.
    anchors: Vec<Vec3>,
    /// What distances between features may be wrong by, metres.
    pub rounding: f32,
    /// The reach, metres, and the slack of each vertex of the mesh and of all under each node of the tree.
    reach: f32,
    slack: Vec<f32>,
    node_slack: Vec<f32>,
    /// The smallest height of the triangles under each node, metres.
    node_height: Vec<f32>,
    /// Whether many had left their slack when the lists were made, whether nothing has been taken from the lists since the search that
    /// made them, and whether they were made without slack for that reason.
    strayed: bool,
    unused: bool,
    serves_once: bool,
    /// Whether crossings are listed.
    crossings: bool,
    /// Vertices that have left their slack, and how far they went, metres: when the lists are made again, and before where crossings
    /// were looked for.
    strays: Vec<(u32, f32)>,
    thrown: Vec<(u32, f32)>,
    /// How often lists were made.
    pub made: u64,
    leaves: Found,
    chunks: Vec<Chunk>,
}

#[derive(Clone, Debug, Default)]
struct Chunk {
    vertex_triangle: Vec<[u32; 2]>,
    edge_edge: Vec<[u32; 2]>,
    triangle_edge: Vec<[u32; 2]>,
}

impl Near {
    /// As [`holds`](Self::holds), and keeps in mind that they do.
    pub fn serve(&mut self, vertices: &[u32], x: &[Vec3], reach: f32) -> bool {
        let holds = self.holds(vertices, x, reach);
        if holds && !self.crossings && !self.unused {
            // They last: crossings are worth listing.
            return false;
        }
        self.unused &= !holds;
        holds
    }

    /// As [`holds_crossings`](Self::holds_crossings); where a few vertices have left their slack, they get more when the lists are made again.
    pub fn serve_crossings(&mut self, vertices: &[u32], x: &[Vec3]) -> bool {
        let holds = self.holds_crossings(vertices, x);
        if !holds && self.crossings && self.thrown.is_empty() {
            self.note_strays(vertices, x);
            if self.strays.len() * FEW <= vertices.len() {
                std::mem::swap(&mut self.thrown, &mut self.strays);
            }
        }
        holds
    }

    /// Whether crossings are listed, and all of those at the positions `x` of `vertices`. They are not where the lists before did not last:
    /// crossings are looked for where a step ends.
    pub fn holds_crossings(&self, vertices: &[u32], x: &[Vec3]) -> bool {
        self.crossings && self.holds(vertices, x, 0.0)
    }

    /// Whether the lists hold all within `reach` metres at the positions `x` of `vertices`.
    pub fn holds(&self, vertices: &[u32], x: &[Vec3], reach: f32) -> bool {
        if self.made == 0 || reach > self.reach {
            return false;
        }
        let shift = self.shift(vertices, x);
        let rounding = 4.0 * f32::EPSILON * shift.length();
        vertices.par_iter().enumerate().with_min_len(4 * CHUNK).all(|(i, &v)| {
            let by = (x[v as usize] - self.anchors[i] - shift).length();
            by + rounding <= self.slack[v as usize]
        })
    }

    /// Collects the vertices that have left their slack.
    fn note_strays(&mut self, vertices: &[u32], x: &[Vec3]) {
        let shift = self.shift(vertices, x);
        let Near { strays, slack, anchors, .. } = self;
        let far = |(&v, a): (&u32, &Vec3)| (v, (x[v as usize] - *a - shift).length());
        strays.clear();
        strays.extend(vertices.iter().zip(&*anchors).map(far).filter(|&(v, far)| far > slack[v as usize]));
    }

    /// The translation that vertices have in common since the lists were made, as good as any.
    fn shift(&self, vertices: &[u32], x: &[Vec3]) -> Vec3 {
        let sum: Vec3 = vertices.iter().zip(&self.anchors).map(|(&v, a)| x[v as usize] - *a).sum();
        sum / vertices.len().max(1) as f32
    }

    /// Gives all vertices the slack `least`, and more to those that have left that or theirs; none at all when they are many.
    fn give_slack(&mut self, mesh: &ClothMesh, vertices: &[u32], x: &[Vec3], least: f32) {
        if self.anchors.len() != vertices.len() {
            self.slack = vec![least; mesh.vertex_count];
            return;
        }
        self.slack.iter_mut().for_each(|s| *s = s.max(least));
        self.note_strays(vertices, x);
        if self.strays.len() * FEW > vertices.len() {
            // The next search of the same step may find the cloth where it is, though the next step will not.
            self.serves_once = self.unused && (self.serves_once || self.strayed);
            self.slack.fill(if self.serves_once { 0.0 } else { least });
            self.strayed = true;
            return;
        }
        (self.strayed, self.serves_once) = (false, false);
        for &(v, far) in &self.strays {
            self.slack[v as usize] = if MORE * far <= MOST * least { MORE * far } else { least };
        }
        for &(v, far) in &self.thrown {
            let slack = &mut self.slack[v as usize];
            *slack = slack.max(if MORE * far <= MOST * least { MORE * far } else { least });
        }
    }

    /// Makes lists that hold all within `reach`, each vertex with a slack of at least `least` metres; `tree` refit at `x`.
    pub fn make(
        &mut self,
        mesh: &ClothMesh,
        tree: &mut ClothTree,
        vertices: &[u32],
        x: &[Vec3],
        [reach, least]: [f32; 2],
        culling: bool,
    ) {
        self.give_slack(mesh, vertices, x, least);
        self.thrown.clear();
        self.made += 1;
        self.crossings = !self.unused;
        self.unused = true;
        self.reach = reach;
        self.anchors.clear();
        self.anchors.extend(vertices.iter().map(|&v| x[v as usize]));
        let farthest = tree.nodes.first().map_or(0.0, |root| root.dop.farthest());
        // Differences of positions are rounded at the distance from the origin, and distances in what is made of them.
        let rounding = 32.0 * f32::EPSILON * farthest + 1e-3 * (reach + least);
        let of_leaf = |leaf: &Leaf| leaf.triangles.into_iter().filter(|&t| t != NONE);
        let corners = |t: u32| mesh.triangles[t as usize];
        tree.gather(&mut self.node_slack, f32::max, |leaf| {
            of_leaf(leaf).flat_map(corners).map(|v| self.slack[v as usize]).fold(0.0, f32::max)
        });
        tree.gather(&mut self.node_height, f32::min, |leaf| {
            of_leaf(leaf).map(|t| height(corners(t).map(|v| x[v as usize]))).fold(f32::INFINITY, f32::min)
        });
        let near = pairs::Near { slack: &self.node_slack, height: &self.node_height };
        let within = Reach { base: reach + rounding, near: Some(near) };
        leaf_pairs(mesh, tree, x, &within, culling, &mut self.leaves);
        tree.box_leaves(mesh, x, &self.leaves.pairs);

        self.rounding = rounding;
        let Near { leaves, chunks, vertex_triangle, edge_edge, triangle_edge, slack, crossings, .. } = self;
        let crossing = crossings.then_some(rounding);
        let margins = Margins { reach: reach + rounding, crossing, slack };
        let tasks = leaves.pairs.len().div_ceil(CHUNK);
        chunks.resize_with(chunks.len().max(tasks), Chunk::default);
        chunks[..tasks].par_iter_mut().zip(leaves.pairs.par_chunks(CHUNK)).for_each(|(chunk, leaves)| {
            chunk.vertex_triangle.clear();
            chunk.edge_edge.clear();
            chunk.triangle_edge.clear();
            leaves.iter().for_each(|&leaves| leaf_pair(mesh, tree, x, &margins, leaves, chunk));
        });
        vertex_triangle.clear();
        edge_edge.clear();
        triangle_edge.clear();
        for chunk in &chunks[..tasks] {
            vertex_triangle.extend_from_slice(&chunk.vertex_triangle);
            edge_edge.extend_from_slice(&chunk.edge_edge);
            triangle_edge.extend_from_slice(&chunk.triangle_edge);
        }
        for list in [vertex_triangle, edge_edge, triangle_edge] {
            list.par_sort_unstable();
        }
    }
}

/// How far points may have come closer to each other, metres: a bound for all of which nothing is known but the box that holds
/// their displacements.
pub(super) fn approach(displacements: Aabb) -> f32 {
    if displacements.is_empty() { 0.0 } else { (displacements.max - displacements.min).length() }
}

/// Within what distance two features are listed.
struct Margins<'a> {
    reach: f32,
    /// Within what distance edges are listed at the triangles that they may cross, where they are listed.
    crossing: Option<f32>,
    slack: &'a [f32],
}

impl Margins<'_> {
    /// The slack of what has these vertices.
    fn largest(&self, vertices: impl IntoIterator<Item = u32>) -> f32 {
        vertices.into_iter().map(|v| self.slack[v as usize]).fold(0.0, f32::max)
    }
}

/// The smallest height of a triangle; zero where there is none.
fn height([a, b, c]: [Vec3; 3]) -> f32 {
    let (u, w) = (b - a, c - a);
    let longest = u.length_squared().max(w.length_squared()).max(b.distance_squared(c));
    let height = u.cross(w).length() / longest.sqrt();
    if height.is_nan() { 0.0 } else { height }
}

/// What is within the margins between two leaves, or within one.
fn leaf_pair(
    mesh: &ClothMesh,
    tree: &ClothTree,
    x: &[Vec3],
    margins: &Margins,
    [a, b]: [u32; 2],
    out: &mut Chunk,
) {
    let of_leaf = |leaf: u32| {
        let corners = tree.boxes[leaf as usize].corners;
        margins.largest(corners.as_flattened().iter().copied().filter(|&v| v != NONE))
    };
    let slack = of_leaf(a) + of_leaf(b);
    let margin = margins.reach + slack;
    let both = [(a, b), (b, a)];
    for &(a, b) in &both[..if a == b { 1 } else { 2 }] {
        let (of, leaf) = (&tree.boxes[a as usize], &tree.leaves[a as usize]);
        let (other, other_leaf) = (&tree.boxes[b as usize], &tree.leaves[b as usize]);
        for (k, &t) in other_leaf.triangles.iter().enumerate().filter(|&(_, &t)| t != NONE) {
            for lane in bits(of.vertices_near_triangle(other, k, margin)) {
                let (v, corners) = (leaf.vertices[lane], mesh.triangles[t as usize]);
                let margin = margins.reach + margins.slack[v as usize] + margins.largest(corners);
                if near_triangle(x[v as usize], corners.map(|v| x[v as usize]), margin) {
                    out.vertex_triangle.push([v, t]);
                }
            }
            let Some(crossing) = margins.crossing else { continue };
            for lane in bits(of.edges_near_triangle(other, k, crossing + slack)) {
                let (e, corners) = (leaf.edges[lane], mesh.triangles[t as usize]);
                let ends = mesh.edges[e as usize].vertices;
                let margin = crossing + margins.largest(ends) + margins.largest(corners);
                if may_pierce(ends.map(|v| x[v as usize]), corners.map(|v| x[v as usize]), margin) {
                    out.triangle_edge.push([t, e]);
                }
            }
        }
    }
    let (of, leaf) = (&tree.boxes[a as usize], &tree.leaves[a as usize]);
    let (other, other_leaf) = (&tree.boxes[b as usize], &tree.leaves[b as usize]);
    for (k, &e) in leaf.edges.iter().take_while(|&&e| e != NONE).enumerate() {
        for lane in bits(other.edges_near_edge(of, k, margin)) {
            let f = other_leaf.edges[lane];
            let [p, q] = [e, f].map(|e| mesh.edges[e as usize].vertices);
            let margin = margins.reach + margins.largest(p) + margins.largest(q);
            let at = |ends: [u32; 2]| ends.map(|v| x[v as usize]);
            if (a != b || e < f) && near_edge(at(p), at(q), margin) {
                out.edge_edge.push([e.min(f), e.max(f)]);
            }
        }
    }
}

/// Whether a point may lie within `margin` of a triangle; never says no where it does.
fn near_triangle(p: Vec3, [a, b, c]: [Vec3; 3], margin: f32) -> bool {
    let (u, w, d) = (b - a, c - a, p - a);
    let n = u.cross(w);
    let (area2, longest) = (n.length_squared(), u.length_squared().max(w.length_squared()));
    if area2.is_nan() || area2 <= THIN * THIN * longest * longest {
        return true;
    }
    let margin = margin * 1.0001;
    // The distance to the plane, and within the plane to the lines along the sides, to where the triangle is not.
    let (height, beta, gamma) = (n.dot(d), d.cross(w).dot(n), u.cross(d).dot(n));
    let far = |outside: f32, side: Vec3| {
        outside < 0.0 && outside * outside > margin * margin * area2 * side.length_squared()
    };
    height * height <= margin * margin * area2
        && !far(beta, w)
        && !far(gamma, u)
        && !far(area2 - beta - gamma, c - b)
}

/// The plane of a triangle, for edges that may come within a margin of it.
pub(super) struct Plane {
    point: Vec3,
    normal: Vec3,
    /// Square of the margin, in units of the normal; infinite for a needle, which has no plane.
    margin2: f32,
}

impl Plane {
    #[inline]
    pub fn of([a, b, c]: [Vec3; 3], margin: f32) -> Self {
        let (u, w) = (b - a, c - a);
        let normal = u.cross(w);
        let (area2, longest) = (normal.length_squared(), u.length_squared().max(w.length_squared()));
        let thin = area2.is_nan() || area2 <= THIN * THIN * longest * longest;
        let margin = margin * 1.0001;
        Plane { point: a, normal, margin2: if thin { f32::INFINITY } else { margin * margin * area2 } }
    }

    /// Whether both ends lie on the same side, farther than the margin; in doubt, not.
    #[inline]
    pub fn clears(&self, ends: [Vec3; 2]) -> bool {
        let [p, q] = ends.map(|e| self.normal.dot(e - self.point));
        let nearest = if p > 0.0 { p.min(q) } else { -p.max(q) };
        nearest > 0.0 && nearest * nearest > self.margin2
    }
}

/// Whether an edge may come within `margin` of a triangle; never says no where it does.
fn may_pierce(ends: [Vec3; 2], corners: [Vec3; 3], margin: f32) -> bool {
    let plane = Plane::of(corners, margin);
    if plane.margin2 == f32::INFINITY {
        return true;
    }
    if plane.clears(ends) {
        return false;
    }
    let [a, b, c] = corners;
    let (u, w, n) = (b - a, c - a, plane.normal);
    let area2 = n.length_squared();
    let [p, q] = ends.map(|e| {
        let d = e - a;
        let (beta, gamma) = (d.cross(w).dot(n), u.cross(d).dot(n));
        [beta, gamma, area2 - beta - gamma]
    });
    // Both ends beyond the same side of the triangle.
    let beyond = |k: usize, side: Vec3| {
        let d = -p[k].max(q[k]);
        d > 0.0 && d * d > plane.margin2 * side.length_squared()
    };
    !(beyond(0, w) || beyond(1, u) || beyond(2, c - b))
}

/// Whether two edges may come within `margin` of each other; never says no where they do.
///
/// Source: C. Ericson, "Real-Time Collision Detection", 2005, section 5.1.9.
fn near_edge([p, q]: [Vec3; 2], [r, s]: [Vec3; 2], margin: f32) -> bool {
    let (u, w, d) = (q - p, s - r, p - r);
    let (uu, ww, uw) = (u.length_squared(), w.length_squared(), u.dot(w));
    let determinant = uu * ww - uw * uw;
    if determinant.is_nan() || determinant <= THIN * THIN * uu * ww {
        return true;
    }
    let (ud, wd) = (u.dot(d), w.dot(d));
    let along = ((uw * wd - ud * ww) / determinant).clamp(0.0, 1.0);
    let other = (uw * along + wd) / ww;
    let along = match other {
        t if t < 0.0 => (-ud / uu).clamp(0.0, 1.0),
        t if t > 1.0 => ((uw - ud) / uu).clamp(0.0, 1.0),
        _ => along,
    };
    let apart = d + along * u - other.clamp(0.0, 1.0) * w;
    apart.length_squared() <= margin * margin * 1.0002
}

#[cfg(test)]
impl Near {
    /// Everything, wherever it is.
    pub fn everything(mesh: &ClothMesh, vertices: &[u32]) -> Self {
        let triangles = (0..mesh.triangles.len() as u32).filter(|&t| mesh.is_proper(t));
        let edges = 0..mesh.edges.len() as u32;
        let solid_edge = |e: u32| mesh.is_solid(mesh.triangles_at(e)[0]);
        let ends = |e: u32| mesh.edges[e as usize].vertices;
        let at = |v: u32| triangles.clone().map(move |t| [v, t]);
        let beside = |e: u32| (e + 1..edges.end).map(move |f| [e, f]);
        Near {
            anchors: vec![Vec3::ZERO; vertices.len()],
            reach: f32::INFINITY,
            slack: vec![f32::INFINITY; mesh.vertex_count],
            made: 1,
            crossings: true,
            vertex_triangle: vertices
                .iter()
                .flat_map(|&v| at(v))
                .filter(|&[v, t]| !mesh.triangles[t as usize].contains(&v))
                .filter(|&[v, t]| !(mesh.is_solid_vertex(v) && mesh.is_solid(t)))
                .collect(),
            edge_edge: edges
                .clone()
                .flat_map(beside)
                .filter(|&[e, f]| !ends(e).iter().any(|v| ends(f).contains(v)))
                .filter(|&[e, f]| !(solid_edge(e) && solid_edge(f)))
                .collect(),
            triangle_edge: triangles
                .clone()
                .flat_map(|t| edges.clone().map(move |e| [t, e]))
                .filter(|&[t, e]| !(solid_edge(e) && mesh.is_solid(t)))
                .collect(),
            ..Near::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        [-1f32..1.0, -1f32..1.0, -0.1f32..0.1].prop_map(Vec3::from_array)
    }

    proptest! {
        /// Whatever two points of both say about the distance, neither test denies.
        #[test]
        fn nothing_near_is_denied(
            p in [point(), point(), point(), point(), point()],
            r in 0f32..1.0, s in 0f32..1.0, t in 0f32..1.0, thin in 0f32..1.0,
        ) {
            let [a, b, c, d, e] = p;
            let c = a.lerp(c, thin * thin);
            let apart = a.lerp(b, s).distance(c.lerp(d, t));
            prop_assert!(near_edge([a, b], [c, d], apart));
            let apart = d.distance(a + t * (b - a).lerp(c - a, s));
            prop_assert!(near_triangle(d, [a, b, c], apart));
            let apart = d.lerp(e, r).distance(a + t * (b - a).lerp(c - a, s));
            prop_assert!(may_pierce([d, e], [a, b, c], apart));
        }

        #[test]
        fn what_is_far_is_denied(p in [point(), point()], far in 0.4f32..1.0) {
            let away = Vec3::new(0.0, 0.0, far);
            let square = [Vec3::ZERO, Vec3::X, Vec3::Y];
            prop_assert!(!near_triangle(p[0] + away, square, 0.9 * (far - 0.1)));
            let edge = [p[0] + away, p[0] + away + Vec3::Y];
            prop_assert!(!near_edge([Vec3::ZERO, Vec3::X], edge, 0.9 * (far - 0.1)));
            prop_assert!(!may_pierce(edge, square, 0.9 * (far - 0.1)));
        }
    }
}
