//! Feasible regions: whether a candidate can be the closest boundary point at all.
//!
//! A boundary point s is the closest one only if no neighbouring point of the boundary is closer. For s at a vertex that
//! is a condition on each edge there, for s inside an edge on its two faces; s inside a face always passes.
//! Source: Chen et al. 2023, section 3.7.

use glam::DVec3;

use super::{Feature, Found, Pose};

/// How much closer a neighbour must be, relative to the edge that leads to it, before s is ruled out: far above
/// the rounding of the test, so that the right answer never is.
const EPSILON: f64 = 1e-6;

/// Whether the candidate passes; `p` is the query point.
pub(super) fn feasible(pose: &Pose, p: DVec3, candidate: &Found) -> bool {
    let face = &pose.mesh.faces[candidate.face as usize];
    match candidate.closest.feature {
        Feature::Face => true,
        Feature::Vertex(k) => {
            let a = pose.from(p, face.vertices[k as usize]);
            pose.mesh.surface_neighbors(face.vertices[k as usize]).iter().all(|&neighbor| {
                let edge = pose.from(p, neighbor) - a;
                a.dot(edge) >= -EPSILON * edge.length_squared()
            })
        }
        Feature::Edge(k) => {
            let k = k as usize;
            let (i, j) = (face.vertices[k], face.vertices[(k + 1) % 3]);
            let (a, b) = (pose.from(p, i), pose.from(p, j));
            // The face's own side is settled: its closest point is on the edge.
            let other = &pose.mesh.faces[face.neighbors[k] as usize].vertices;
            let Some(&apex) = other.iter().find(|&&v| v != i && v != j) else { return true };
            let (edge, c) = (b - a, pose.from(p, apex) - a);
            let length_squared = edge.length_squared();
            // Towards the apex in the plane of the other face, at right angles to the edge.
            let inward = c - edge * (c.dot(edge) / length_squared);
            let depth = (-a).dot(inward);
            // Comparisons that a degenerate face turns into NaN must pass.
            !(depth > 0.0 && depth * depth > EPSILON * EPSILON * length_squared * inward.length_squared())
        }
    }
}
