//! Feasible regions: whether a candidate can be the closest boundary point at all.
//!
//! A boundary point s is the closest one only if no neighbouring point of the boundary is closer. For s at a vertex that
//! is a condition on each edge there, for s inside an edge on its two faces; s inside a face always passes.
//! Source: Chen et al. 2023, section 3.7.

use glam::DVec3;

use super::{Feature, Found, Pose};
use crate::immersion::Fold;
use crate::sorted::Face;

/// How much closer a neighbour must be, relative to the edge that leads to it, before s is ruled out: far above
/// the rounding of the test, so that the right answer never is.
const EPSILON: f64 = 1e-6;

/// Far more than rounding, relative to the product of three lengths.
const SURELY: f64 = 1e-9;

/// Whether `p` surely lies outside the planes of all boundary faces at the candidate's feature. Then it lies outside the
/// material there: the elements round the feature fill what is between those faces once (`embedded`), and a closed curve on a
/// sphere has, for every point on its inner side, an arc that has the point on its inner side too. So a
/// path that ends there comes through an inverted element.
pub(super) fn seen_from_outside(pose: &Pose, p: DVec3, candidate: &Found, embedded: bool) -> bool {
    let face = &pose.mesh.faces[candidate.face as usize];
    let outside = |vertices: &[u32; 3]| {
        let [a, b, c] = pose.triangle_from(p, vertices);
        let m = a.abs().max(b.abs()).max(c.abs());
        a.dot(b.cross(c)) < -SURELY * (m.x * m.y * m.z)
    };
    let local = embedded && face.owns & Face::PINCHED == 0;
    match candidate.closest.feature {
        Feature::Face => pose.folds[face.element as usize] != Fold::Folded && outside(&face.vertices),
        Feature::Edge(k) => {
            let other = &pose.mesh.faces[face.neighbors[k as usize] as usize];
            local && outside(&face.vertices) && outside(&other.vertices)
        }
        Feature::Vertex(k) => {
            let v = face.vertices[k as usize];
            let ring = pose.mesh.surface_neighbors(v);
            local && (0..ring.len()).all(|i| outside(&[v, ring[i], ring[(i + 1) % ring.len()]]))
        }
    }
}

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
