//! The definition of a shortest path, executed: every boundary face, and a search through all elements that a line passes.
//!
//! Slow on purpose. It shares nothing with the queries it judges but the mesh topology and the exact sign of a determinant: no
//! tree, no flood, no culling, no owners of features, its own closest point of a triangle, its own line test.

use glam::DVec3;
use gordian_mesh::{LOCAL_FACES, Neighbor, TetTopology};

use crate::predicates::{Sign, orient3d};

/// A mesh in a pose, for slow questions.
#[derive(Clone, Debug)]
pub struct Oracle<'a> {
    /// The mesh.
    pub topology: &'a TetTopology,
    /// The pose, one position per vertex.
    pub positions: Vec<DVec3>,
}

/// The point of a face that is closest to a query.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// From the query.
    pub distance: f64,
    /// Boundary face of the topology.
    pub face: u32,
    /// The point.
    pub point: DVec3,
    /// Weights of the face's vertices in it.
    pub weights: [f64; 3],
}

impl<'a> Oracle<'a> {
    /// The mesh `topology` in the pose `positions`.
    pub fn new(topology: &'a TetTopology, positions: &[glam::Vec3]) -> Self {
        Oracle { topology, positions: positions.iter().map(|p| p.as_dvec3()).collect() }
    }

    /// Candidates on all faces without a vertex in `own`, nearest first, up to `radius`.
    pub fn candidates(&self, p: DVec3, own: &[u32], radius: f64) -> Vec<Candidate> {
        let mut all: Vec<Candidate> = (0..self.topology.faces.len())
            .filter(|&f| !self.topology.faces[f].iter().any(|v| own.contains(v)))
            .filter_map(|f| {
                let corners = self.topology.faces[f].map(|v| self.positions[v as usize]);
                let low = corners[0].min(corners[1]).min(corners[2]);
                let high = corners[0].max(corners[1]).max(corners[2]);
                if (low - p).max(p - high).max(DVec3::ZERO).length() > radius {
                    return None;
                }
                let weights = closest_weights(p, corners);
                let point = (0..3).map(|k| corners[k] * weights[k]).sum::<DVec3>();
                Some(Candidate { distance: (point - p).length(), face: f as u32, point, weights })
            })
            .collect();
        all.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.face.cmp(&b.face)));
        all
    }

    /// The nearest candidate with a valid path, by the paper's rule for inverted elements: the line through p and s leads
    /// from the tetrahedron to one that owns s.
    pub fn shortest(&self, p: DVec3, tet: u32, own: &[u32], radius: f64) -> Option<Candidate> {
        self.candidates(p, own, radius).into_iter().find(|c| self.valid(p, tet, c, 1e-12))
    }

    /// Whether a chain of tetrahedra leads from `tet` to one that owns the candidate's feature, each joined to the next by a
    /// face that the line through both points passes, up to `tolerance` of its size.
    pub fn valid(&self, p: DVec3, tet: u32, candidate: &Candidate, tolerance: f64) -> bool {
        let face = self.topology.faces[candidate.face as usize];
        let feature: Vec<u32> = (0..3).filter(|&k| candidate.weights[k] > 1e-9).map(|k| face[k]).collect();
        let d = candidate.point - p;
        if d.length() == 0.0 {
            return false;
        }
        let mut seen = std::collections::BTreeSet::from([tet]);
        let mut queue = vec![tet];
        while let Some(t) = queue.pop() {
            let vertices = self.topology.tets[t as usize];
            if feature.iter().all(|v| vertices.contains(v)) {
                return true;
            }
            for i in 0..4 {
                let Neighbor::Tet(u) = self.topology.neighbors[t as usize][i].get() else { continue };
                let corners = LOCAL_FACES[i].map(|k| self.positions[vertices[k] as usize] - p);
                if !seen.contains(&u) && passes(d, corners, tolerance) {
                    seen.insert(u);
                    queue.push(u);
                }
            }
        }
        false
    }

    /// Whether the segment from `p` leads there, forward and through positive tetrahedra alone: a path that no reading of the
    /// rule can deny.
    pub fn forward(&self, p: DVec3, tet: u32, candidate: &Candidate) -> bool {
        let face = self.topology.faces[candidate.face as usize];
        let feature: Vec<u32> = (0..3).filter(|&k| candidate.weights[k] > 1e-9).map(|k| face[k]).collect();
        let d = candidate.point - p;
        let mut seen = std::collections::BTreeSet::from([tet]);
        let mut queue = vec![tet];
        while let Some(t) = queue.pop() {
            let vertices = self.topology.tets[t as usize];
            let corners = vertices.map(|v| self.positions[v as usize]);
            if orient3d(corners[0], corners[1], corners[2], corners[3]) != Sign::Positive {
                continue;
            }
            if feature.iter().all(|v| vertices.contains(v)) {
                return true;
            }
            for i in 0..4 {
                let Neighbor::Tet(u) = self.topology.neighbors[t as usize][i].get() else { continue };
                let [a, b, c] = LOCAL_FACES[i].map(|k| corners[k] - p);
                // Leaves by a face that looks ahead, not behind the candidate.
                let outward = (b - a).cross(c - a);
                if !seen.contains(&u)
                    && outward.dot(d) > 0.0
                    && outward.dot(a) <= outward.dot(d)
                    && passes(d, [a, b, c], 0.0)
                {
                    seen.insert(u);
                    queue.push(u);
                }
            }
        }
        false
    }

    /// Whether `p` lies strictly inside tetrahedron `t`, of whatever sign; exact.
    pub fn contains(&self, t: u32, p: DVec3) -> bool {
        let corner = self.topology.tets[t as usize].map(|v| self.positions[v as usize]);
        let sides = LOCAL_FACES.map(|f| orient3d(corner[f[0]], corner[f[1]], corner[f[2]], p));
        sides == [Sign::Positive; 4] || sides == [Sign::Negative; 4]
    }

    /// All tetrahedra that strictly contain `p` and use none of `own`.
    pub fn containing(&self, p: DVec3, own: &[u32]) -> Vec<u32> {
        (0..self.topology.tets.len() as u32)
            .filter(|&t| {
                let vertices = self.topology.tets[t as usize];
                let corners = vertices.map(|v| self.positions[v as usize]);
                let low = corners.iter().copied().reduce(DVec3::min).unwrap();
                let high = corners.iter().copied().reduce(DVec3::max).unwrap();
                low.cmple(p).all()
                    && p.cmple(high).all()
                    && !vertices.iter().any(|v| own.contains(v))
                    && self.contains(t, p)
            })
            .collect()
    }
}

/// Whether the line through the origin in direction `d` passes the triangle.
fn passes(d: DVec3, [a, b, c]: [DVec3; 3], tolerance: f64) -> bool {
    let scale = d.length() * (b - a).length() * (c - a).length();
    let side = |x: DVec3, y: DVec3| d.dot(x.cross(y)) / scale;
    let sides = [side(a, b), side(b, c), side(c, a)];
    sides.iter().all(|&s| s >= -tolerance) || sides.iter().all(|&s| s <= tolerance)
}

/// Weights of the point of a triangle closest to `p`, by the regions of its corners, edges and inside.
/// Source: C. Ericson, "Real-Time Collision Detection", section 5.1.5.
fn closest_weights(p: DVec3, [a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return [1.0 - v, v, 0.0];
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return [1.0 - w, 0.0, w];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - w, w];
    }
    let v = vb / (va + vb + vc);
    let w = vc / (va + vb + vc);
    [1.0 - v - w, v, w]
}
