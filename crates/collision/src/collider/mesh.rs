//! The closed triangle mesh as a collider.
//!
//! Signed distance by the closest triangle and the **angle-weighted pseudonormal** of the feature (face, edge or
//! vertex) on which the closest point lies: its sign is right for every closed, consistently oriented surface.
//! Source: Bærentzen & Aanæs 2005, "Signed distance computation using the angle weighted pseudonormal".

use super::{Entry, Scratch, Surface};
use crate::bvh::{Aabb, NearestVisitor, Tree};
use crate::contact::closest::closest_on_triangle;
use crate::contact::unit;
use glam::{DVec3, Vec3};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A closed triangle mesh, ready for queries. Built once; independent of its pose.
#[derive(Clone, Debug)]
pub struct MeshCollider {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    tree: Tree,
    /// Normals of the faces, and pseudonormals of their edges (0,1), (1,2), (2,0), unit length.
    face_normals: Vec<[DVec3; 4]>,
    vertex_normals: Vec<DVec3>,
    turned: bool,
    dropped: usize,
}

/// Why a mesh cannot be a collider. Vertices and triangles are those of the caller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshColliderError {
    /// There is no triangle with an area.
    #[error("the mesh has no triangle")]
    Empty,
    /// A vertex is not finite.
    #[error("vertex {vertex} is not finite")]
    NonFinite {
        /// The vertex.
        vertex: u32,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} uses vertex {vertex}, but there are {count} vertices")]
    Index {
        /// The triangle.
        triangle: u32,
        /// What it names.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// Edges with one triangle.
    #[error(
        "the mesh is open: {}, {}; close the holes",
        counted(.edges, "edge belongs to one triangle only", "edges belong to one triangle only"), first(.edges)
    )]
    Open {
        /// The open edges, in the direction of their triangle, ascending.
        edges: Vec<[u32; 2]>,
    },
    /// Edges with two triangles that run through them in the same direction.
    #[error(
        "the triangles are not oriented alike: at {}, {}; make the winding consistent",
        counted(.edges, "edge", "edges"), first(.edges)
    )]
    Winding {
        /// The edges, ascending.
        edges: Vec<[u32; 2]>,
    },
    /// Edges with more than two triangles.
    #[error(
        "the mesh is not a manifold: {}, {}",
        counted(.edges, "edge belongs to more than two triangles", "edges belong to more than two triangles"), first(.edges)
    )]
    Overused {
        /// The edges, ascending.
        edges: Vec<[u32; 2]>,
    },
}

fn counted(edges: &[[u32; 2]], one: &str, many: &str) -> String {
    if edges.len() == 1 { format!("1 {one}") } else { format!("{} {many}", edges.len()) }
}

/// The first of some edges in words.
fn first(edges: &[[u32; 2]]) -> String {
    edges.first().map_or(String::new(), |[a, b]| format!("the first between the vertices {a} and {b}"))
}

impl MeshCollider {
    /// Builds the collider of a closed surface; positions in metres, in the collider's frame.
    ///
    /// Vertices at the very same place are taken as one (surfaces from STL repeat them), triangles that then repeat a
    /// vertex are dropped (see [`MeshCollider::dropped`]), and a surface that is inside out as a whole is turned (see
    /// [`MeshCollider::turned`]).
    ///
    /// # Errors
    /// The mesh is empty, not finite, not closed, or not consistently oriented; see [`MeshColliderError`].
    pub fn new(positions: &[DVec3], triangles: &[[u32; 3]]) -> Result<Self, MeshColliderError> {
        if let Some(vertex) = positions.iter().position(|p| !p.as_vec3().is_finite()) {
            return Err(MeshColliderError::NonFinite { vertex: vertex as u32 });
        }
        for (t, &vertex) in triangles.iter().enumerate().flat_map(|(t, v)| v.iter().map(move |v| (t, v))) {
            if vertex as usize >= positions.len() {
                let (triangle, count) = (t as u32, positions.len());
                return Err(MeshColliderError::Index { triangle, vertex, count });
            }
        }
        let positions: Vec<Vec3> = positions.iter().map(|p| p.as_vec3()).collect();
        let first = weld(&positions);
        let mut kept: Vec<[u32; 3]> = triangles
            .iter()
            .map(|t| t.map(|v| first[v as usize]))
            .filter(|&[a, b, c]| a != b && b != c && c != a)
            .collect();
        if kept.is_empty() {
            return Err(MeshColliderError::Empty);
        }
        check_closed(&kept)?;
        let volume: f64 = kept
            .iter()
            .map(|t| {
                let [a, b, c] =
                    t.map(|v| (positions[v as usize] - positions[kept[0][0] as usize]).as_dvec3());
                a.dot(b.cross(c))
            })
            .sum();
        let turned = volume < 0.0;
        if turned {
            kept.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let boxes: Vec<Aabb> = kept.iter().map(|t| Aabb::of_simplex(&positions, t)).collect();
        let (face_normals, vertex_normals) = pseudonormals(&positions, &kept);
        let dropped = triangles.len() - kept.len();
        let tree = Tree::build(&boxes);
        Ok(MeshCollider { positions, triangles: kept, tree, face_normals, vertex_normals, turned, dropped })
    }

    /// The same surface with inside and outside exchanged: a container.
    pub fn inverted(mut self) -> Self {
        for t in &mut self.triangles {
            t.swap(1, 2);
        }
        for n in &mut self.face_normals {
            *n = [-n[0], -n[3], -n[2], -n[1]];
        }
        self.vertex_normals.iter_mut().for_each(|n| *n = -*n);
        self
    }

    /// Whether the surface was given inside out.
    pub fn turned(&self) -> bool {
        self.turned
    }

    /// How many triangles repeated a vertex and were dropped.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Triangles in use, outward.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Vertices in use, each once, ascending by index.
    pub fn vertices(&self) -> impl Iterator<Item = Vec3> + '_ {
        let mut used = vec![false; self.positions.len()];
        self.triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
        (0..used.len()).filter(move |&v| used[v]).map(|v| self.positions[v])
    }

    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|v| self.positions[v as usize].as_dvec3())
    }

    /// Distance to the box around the mesh.
    pub(super) fn distance_bound(&self, p: DVec3) -> f64 {
        self.tree.bounds().distance_squared(p).sqrt()
    }

    pub(super) fn surface(&self, p: DVec3, scratch: &mut Scratch) -> Surface {
        struct Nearest<'a> {
            mesh: &'a MeshCollider,
            p: DVec3,
            best: f64,
            triangle: u32,
        }
        impl NearestVisitor for Nearest<'_> {
            fn distance_squared(&mut self, id: u32) -> f64 {
                let tri = self.mesh.corners(id);
                let w = closest_on_triangle(self.p, tri).weights;
                let d = (tri[0] * w[0] + tri[1] * w[1] + tri[2] * w[2] - self.p).length_squared();
                self.best = self.best.min(d);
                d
            }
            fn visit(&mut self, id: u32, _: f64) -> ControlFlow<()> {
                self.triangle = id;
                ControlFlow::Break(())
            }
            fn radius_squared(&self) -> f64 {
                // Equal distances pass, so that the lowest triangle wins.
                self.best.next_up()
            }
        }
        let mut nearest = Nearest { mesh: self, p, best: f64::INFINITY, triangle: 0 };
        self.tree.nearest(p, &mut scratch.queue, &mut nearest);
        self.surface_at(p, nearest.triangle)
    }

    /// Signed distance by the closest point of one triangle.
    fn surface_at(&self, p: DVec3, triangle: u32) -> Surface {
        let corners = self.corners(triangle);
        let w = closest_on_triangle(p, corners).weights;
        let normals = &self.face_normals[triangle as usize];
        let vertex = |k: usize| self.vertex_normals[self.triangles[triangle as usize][k] as usize];
        let pseudo = match w.map(|w| w > 0.0) {
            [true, true, true] => normals[0],
            [true, true, false] => normals[1],
            [false, true, true] => normals[2],
            [true, false, true] => normals[3],
            [true, ..] => vertex(0),
            [_, true, _] => vertex(1),
            _ => vertex(2),
        };
        let r = p - corners[0] * w[0] - corners[1] * w[1] - corners[2] * w[2];
        let length = r.length();
        let sign = if r.dot(pseudo) < 0.0 { -1.0 } else { 1.0 };
        let size = (corners[1] - corners[0]).length().max((corners[2] - corners[0]).length());
        // On the surface up to rounding the joining line says nothing.
        let normal = if length > 1e-9 * size { r * (sign / length) } else { pseudo };
        Surface { distance: sign * length, normal }
    }

    /// First triangle that the segment crosses from its front.
    pub(super) fn cast(&self, a: DVec3, b: DVec3, stack: &mut Vec<u32>) -> Option<Entry> {
        let (low, high) = (a.min(b), a.max(b));
        let down = |v: f64| if (v as f32) as f64 > v { (v as f32).next_down() } else { v as f32 };
        let up = |v: f64| if ((v as f32) as f64) < v { (v as f32).next_up() } else { v as f32 };
        let query = Aabb {
            min: Vec3::from_array(low.to_array().map(down)),
            max: Vec3::from_array(high.to_array().map(up)),
        };
        let mut best: Option<(f64, u32)> = None;
        self.tree.overlap(&query, stack, |id| {
            if let Some(t) = self.crossing(a, b, id)
                && best.is_none_or(|(s, other)| (t, id) < (s, other))
            {
                best = Some((t, id));
            }
        });
        best.map(|(at, id)| Entry { at, point: a + (b - a) * at, normal: self.face_normals[id as usize][0] })
    }

    /// Parameter at which the segment crosses the triangle from front to back, its rim included.
    ///
    /// The side of an edge is computed once for both of its triangles (from the lower to the higher vertex, then signed), so
    /// that no segment slips through between neighbours.
    fn crossing(&self, a: DVec3, b: DVec3, triangle: u32) -> Option<f64> {
        let ids = self.triangles[triangle as usize];
        let corners = self.corners(triangle);
        let d = b - a;
        for k in 0..3 {
            let l = (k + 1) % 3;
            let (low, high, sign) = if ids[k] < ids[l] { (k, l, 1.0) } else { (l, k, -1.0) };
            if sign * (corners[low] - a).cross(corners[high] - a).dot(d) > 0.0 {
                return None;
            }
        }
        let n = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let fall = -d.dot(n);
        let height = (a - corners[0]).dot(n);
        (fall > 0.0 && height >= 0.0 && height <= fall).then(|| height / fall)
    }
}

/// For each vertex the first one at the same place.
fn weld(positions: &[Vec3]) -> Vec<u32> {
    // Adding zero makes -0 and 0 one place.
    let key = |v: u32| (positions[v as usize] + Vec3::ZERO).to_array().map(f32::to_bits);
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_by_key(|&v| (key(v), v));
    let mut first: Vec<u32> = (0..positions.len() as u32).collect();
    for group in order.chunk_by(|&a, &b| key(a) == key(b)) {
        for &v in group {
            first[v as usize] = group[0];
        }
    }
    first
}

/// Every edge has two triangles that run through it in opposite directions.
fn check_closed(triangles: &[[u32; 3]]) -> Result<(), MeshColliderError> {
    let mut uses: BTreeMap<[u32; 2], [u32; 2]> = BTreeMap::new();
    for t in triangles {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            uses.entry([a.min(b), a.max(b)]).or_default()[usize::from(a > b)] += 1;
        }
    }
    let (mut open, mut winding, mut overused) = (Vec::new(), Vec::new(), Vec::new());
    for (edge, n) in uses {
        match n {
            [1, 1] => {}
            [1, 0] => open.push(edge),
            [0, 1] => open.push([edge[1], edge[0]]),
            [2, 0] | [0, 2] => winding.push(edge),
            _ => overused.push(edge),
        }
    }
    if !open.is_empty() {
        open.sort_unstable();
        Err(MeshColliderError::Open { edges: open })
    } else if !overused.is_empty() {
        Err(MeshColliderError::Overused { edges: overused })
    } else if !winding.is_empty() {
        Err(MeshColliderError::Winding { edges: winding })
    } else {
        Ok(())
    }
}

/// Normals of faces and their edges, and of vertices (weighted by the angle of each face at the vertex).
fn pseudonormals(positions: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<[DVec3; 4]>, Vec<DVec3>) {
    let mut edges: BTreeMap<[u32; 2], DVec3> = BTreeMap::new();
    let mut vertices = vec![DVec3::ZERO; positions.len()];
    let mut faces = Vec::with_capacity(triangles.len());
    for t in triangles {
        let p = t.map(|v| positions[v as usize].as_dvec3());
        let n = unit((p[1] - p[0]).cross(p[2] - p[0]));
        for k in 0..3 {
            let (u, v) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
            vertices[t[k] as usize] += n * u.cross(v).length().atan2(u.dot(v));
            *edges.entry(edge_key(t, k)).or_default() += n;
        }
        faces.push([n; 4]);
    }
    for (t, normals) in triangles.iter().zip(&mut faces) {
        for k in 0..3 {
            normals[k + 1] = unit(edges[&edge_key(t, k)]);
        }
    }
    (faces, vertices.into_iter().map(unit).collect())
}

fn edge_key(t: &[u32; 3], k: usize) -> [u32; 2] {
    let (a, b) = (t[k], t[(k + 1) % 3]);
    [a.min(b), a.max(b)]
}
