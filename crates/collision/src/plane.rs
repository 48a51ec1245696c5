//! Shortest path to the boundary in the plane: the same query for triangle meshes in two dimensions.
//!
//! A point p lies in a triangle e of a mesh that may overlap itself. A segment from p to a boundary point s is a valid path when a
//! sequence of triangles, each joined to the next by an edge, contains it from e to one that owns s; the shortest valid segment is the
//! answer. As in space, a best-first flood from e is exact where the pose is an immersion; where it meets an inverted
//! triangle, or an edge that is nearer than the one which led to it, every boundary edge is tested by a walk
//! along the line instead.
//! Source: Chen, Diaz, Yuksel, "Shortest Path to Boundary for Self-Intersecting Meshes", ACM TOG 42(4), 2023.

use std::collections::BTreeMap;

use glam::{DVec2, Vec2};

use crate::bvh::queue::MinQueue;
use crate::predicates::{Sign, orient2d};

#[cfg(test)]
mod tests;

/// A triangle mesh in the plane.
#[derive(Clone, Debug)]
pub struct PlaneMesh {
    /// Counter-clockwise at rest.
    triangles: Vec<[u32; 3]>,
    /// Across the edge opposite each vertex; `u32::MAX` at the boundary.
    neighbors: Vec<[u32; 3]>,
}

/// A point of the boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanePoint {
    /// The triangle that owns the boundary edge.
    pub triangle: u32,
    /// The edge's two vertices.
    pub edge: [u32; 2],
    /// How far along the edge, 0 to 1.
    pub along: f64,
    /// The point.
    pub position: DVec2,
    /// Its distance from the query point, in metres.
    pub distance: f64,
}

const NONE: u32 = u32::MAX;

impl PlaneMesh {
    /// A mesh of triangles, counter-clockwise at rest. An edge of more than two triangles counts as boundary in the later ones.
    pub fn new(triangles: &[[u32; 3]]) -> Self {
        let mut neighbors = vec![[NONE; 3]; triangles.len()];
        let mut open = BTreeMap::new();
        for (t, &triangle) in triangles.iter().enumerate() {
            for i in 0..3 {
                let [a, b] = edge(triangle, i);
                // The neighbour runs along the edge the other way.
                match open.remove(&(b, a)) {
                    Some((u, j)) => {
                        neighbors[t][i] = u as u32;
                        let others: &mut [u32; 3] = &mut neighbors[u];
                        others[j] = t as u32;
                    }
                    None => {
                        open.insert((a, b), (t, i));
                    }
                }
            }
        }
        PlaneMesh { triangles: triangles.to_vec(), neighbors }
    }

    /// The boundary edges: a triangle and the number of the vertex opposite.
    pub fn boundary(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        let edges = (0..self.triangles.len()).flat_map(|t| (0..3).map(move |i| (t as u32, i)));
        edges.filter(|&(t, i)| self.neighbors[t as usize][i] == NONE)
    }

    /// The triangles that strictly contain vertex `v` and do not use it, ascending; exact.
    pub fn containing(&self, positions: &[Vec2], v: u32) -> Vec<u32> {
        let p = positions[v as usize].as_dvec2();
        let inside = |t: &u32| {
            let triangle = self.triangles[*t as usize];
            let [a, b, c] = triangle.map(|u| positions[u as usize].as_dvec2());
            let sides = [orient2d(a, b, p), orient2d(b, c, p), orient2d(c, a, p)];
            !triangle.contains(&v) && sides[0] != Sign::Zero && sides == [sides[0]; 3]
        };
        (0..self.triangles.len() as u32).filter(inside).collect()
    }

    /// The end of the shortest path from `p`, strictly inside `triangle`, to the boundary. Edges that use the vertex `own` are no
    /// answer. `None` when no valid path leads anywhere.
    pub fn shortest_path(
        &self,
        positions: &[Vec2],
        p: DVec2,
        triangle: u32,
        own: Option<u32>,
    ) -> Option<PlanePoint> {
        let pose = Pose { mesh: self, positions, p, own };
        match pose.flood(triangle) {
            Flood::Reached(t, i) => Some(pose.boundary_point(t, i)),
            Flood::Nothing => None,
            Flood::Folded => pose.by_line(triangle),
        }
    }
}

/// From the first to the second, counter-clockwise, opposite vertex `i`.
fn edge(triangle: [u32; 3], i: usize) -> [u32; 2] {
    [triangle[(i + 1) % 3], triangle[(i + 2) % 3]]
}

enum Flood {
    Reached(u32, usize),
    Nothing,
    Folded,
}

/// A mesh in a pose, seen from a point.
struct Pose<'a> {
    mesh: &'a PlaneMesh,
    positions: &'a [Vec2],
    p: DVec2,
    own: Option<u32>,
}

impl Pose<'_> {
    fn seen(&self, v: u32) -> DVec2 {
        self.positions[v as usize].as_dvec2() - self.p
    }

    fn ends(&self, t: u32, i: usize) -> [DVec2; 2] {
        edge(self.mesh.triangles[t as usize], i).map(|v| self.seen(v))
    }

    fn boundary_point(&self, t: u32, i: usize) -> PlanePoint {
        let ends = self.ends(t, i);
        let (s, along) = closest(ends);
        let edge = edge(self.mesh.triangles[t as usize], i);
        PlanePoint { triangle: t, edge, along, position: self.p + s, distance: s.length() }
    }

    fn is_own(&self, t: u32, i: usize) -> bool {
        self.own.is_some_and(|v| edge(self.mesh.triangles[t as usize], i).contains(&v))
    }

    /// Enters triangles in the order of the distance of the edge that leads into them.
    fn flood(&self, triangle: u32) -> Flood {
        let mut queue = MinQueue::default();
        let mut entered = std::collections::BTreeSet::new();
        let mut best: Option<(f64, u32, usize)> = None;
        let mut next = Some((0.0, triangle));
        while let Some((key, t)) = next.take().or_else(|| queue.pop()) {
            if let Some((_, t, i)) = best.filter(|b| b.0 <= key) {
                return Flood::Reached(t, i);
            }
            if !entered.insert(t) {
                continue;
            }
            let [a, b, c] = self.mesh.triangles[t as usize].map(|v| self.positions[v as usize].as_dvec2());
            if orient2d(a, b, c) != Sign::Positive {
                return Flood::Folded;
            }
            for i in 0..3 {
                let neighbor = self.mesh.neighbors[t as usize][i];
                if neighbor != NONE && entered.contains(&neighbor) {
                    continue;
                }
                let ends = self.ends(t, i);
                let d = closest(ends).0.length_squared();
                let (k, size) = (key.sqrt(), (ends[0] - ends[1]).length());
                // On an immersion nothing beyond an edge is nearer than the edge.
                if key - d > 1e-12 * k * (k + size) {
                    return Flood::Folded;
                }
                if neighbor != NONE {
                    queue.push(d, neighbor);
                } else if self.is_own(t, i) {
                    if d == 0.0 {
                        return Flood::Folded;
                    }
                } else if best.is_none_or(|b| d < b.0) {
                    best = Some((d, t, i));
                }
            }
        }
        best.map_or(Flood::Nothing, |(_, t, i)| Flood::Reached(t, i))
    }

    /// Boundary edges in the order of their distance, each tested by a walk.
    fn by_line(&self, triangle: u32) -> Option<PlanePoint> {
        let mut all: Vec<PlanePoint> = self
            .mesh
            .boundary()
            .filter(|&(t, i)| !self.is_own(t, i))
            .map(|(t, i)| self.boundary_point(t, i))
            .collect();
        all.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        all.into_iter().find(|s| self.reaches(triangle, s))
    }

    /// Whether a chain of triangles leads from `triangle` to one that owns the candidate's feature, each joined to the next by an edge
    /// that the line passes. Through an inverted triangle the line runs backwards, so it is followed both ways.
    fn reaches(&self, triangle: u32, candidate: &PlanePoint) -> bool {
        let d = candidate.position - self.p;
        let [a, b] = candidate.edge;
        let feature: &[u32] = match candidate.along {
            x if x < 1e-9 => &[a],
            x if x > 1.0 - 1e-9 => &[b],
            _ => &[a, b],
        };
        if d == DVec2::ZERO {
            return false;
        }
        let mut entered = std::collections::BTreeSet::from([triangle]);
        let mut waiting = vec![triangle];
        while let Some(t) = waiting.pop() {
            if feature.iter().all(|v| self.mesh.triangles[t as usize].contains(v)) {
                return true;
            }
            for i in 0..3 {
                let neighbor = self.mesh.neighbors[t as usize][i];
                let [from, to] = self.ends(t, i).map(|w| orient2d(DVec2::ZERO, d, w));
                if neighbor != NONE && (from != to || from == Sign::Zero) && entered.insert(neighbor) {
                    waiting.push(neighbor);
                }
            }
        }
        false
    }
}

/// The point of a segment that is closest to the origin, and how far along it is.
fn closest([a, b]: [DVec2; 2]) -> (DVec2, f64) {
    let e = b - a;
    let along = (-a.dot(e) / e.length_squared()).clamp(0.0, 1.0);
    if along.is_nan() || along == 0.0 {
        (a, 0.0)
    } else if along == 1.0 {
        (b, 1.0)
    } else {
        (a + e * along, along)
    }
}
