//! How far a body is from the surface that it fills.

use glam::DVec3;
use rayon::prelude::*;

use super::tree::TriangleTree;
use crate::TriMesh;

/// The largest distance, sampled, between a surface and the boundary of the body that fills it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// From points of the surface to the body's boundary, in metres, and where: large where something of the
    /// surface is missing.
    pub of_surface: (f64, DVec3),
    /// From points of the body's boundary to the surface, in metres, and where: large where something is too
    /// much.
    pub of_body: (f64, DVec3),
}

impl Deviation {
    /// The larger of both: a lower bound of the Hausdorff distance, close to it.
    pub fn largest(&self) -> f64 {
        self.of_surface.0.max(self.of_body.0)
    }

    /// Measures from points at most half an `edge` apart.
    pub(super) fn measure(surface: &TriMesh, tree: &TriangleTree, boundary: &TriMesh, edge: f64) -> Self {
        let of_body = largest(boundary, tree, edge);
        let of_surface = largest(surface, &TriangleTree::new(boundary), edge);
        Deviation { of_surface, of_body }
    }
}

/// The largest distance from points of `from` to the surface of `tree`, and the first point that has it.
fn largest(from: &TriMesh, tree: &TriangleTree, edge: f64) -> (f64, DVec3) {
    /// A large triangle has as many points along a side at most.
    const MOST: f64 = 64.0;
    let points = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| from.positions[v as usize]);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let n = (2.0 * longest / edge).ceil().clamp(1.0, MOST) as u32;
        (0..=n).flat_map(move |i| {
            (0..=n - i).map(move |j| {
                let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(n));
                a + u * (b - a) + v * (c - a)
            })
        })
    };
    let farther = |x: (f64, DVec3), y: (f64, DVec3)| if y.0 > x.0 { y } else { x };
    let each: Vec<(f64, DVec3)> = from
        .triangles
        .par_iter()
        .map(|t| points(t).map(|p| (tree.nearest(p).distance, p)).fold((-1.0, DVec3::ZERO), farther))
        .collect();
    each.into_iter().fold((-1.0, DVec3::ZERO), farther)
}
