//! The nearest triangle of a sheet.

use std::ops::ControlFlow;

use glam::{DVec3, Vec3};

use super::mesh::ClothMesh;
use crate::bvh::{NearestQueue, NearestVisitor, Tree};

/// The foot of a point on a sheet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    /// The point, metres.
    pub point: DVec3,
    /// Unit normal of the triangle.
    pub normal: DVec3,
}

struct Visitor<'a> {
    mesh: &'a ClothMesh,
    x: &'a [Vec3],
    triangles: &'a [u32],
    p: DVec3,
    reach_squared: f64,
    found: Option<u32>,
}

impl NearestVisitor for Visitor<'_> {
    fn distance_squared(&mut self, id: u32) -> f64 {
        let corners = corners(self.mesh, self.x, self.triangles[id as usize]);
        closest(self.p, corners).distance_squared(self.p)
    }

    fn visit(&mut self, id: u32, _: f64) -> ControlFlow<()> {
        self.found = Some(self.triangles[id as usize]);
        ControlFlow::Break(())
    }

    fn radius_squared(&self) -> f64 {
        self.reach_squared
    }
}

/// The nearest of `triangles` within `reach` of `p`, whose boxes `tree` holds in this order; none that has no area.
pub(super) fn nearest(
    mesh: &ClothMesh,
    x: &[Vec3],
    triangles: &[u32],
    tree: &Tree,
    p: DVec3,
    reach: f64,
) -> Option<Foot> {
    let mut visitor = Visitor { mesh, x, triangles, p, reach_squared: reach * reach, found: None };
    tree.nearest(p, &mut NearestQueue::default(), &mut visitor);
    let triangle = visitor.found?;
    let corners = corners(mesh, x, triangle);
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize()?;
    Some(Foot { point: closest(p, corners), normal })
}

fn corners(mesh: &ClothMesh, x: &[Vec3], t: u32) -> [DVec3; 3] {
    mesh.triangles[t as usize].map(|v| x[v as usize].as_dvec3())
}

/// The closest point of a triangle (C. Ericson, "Real-Time Collision Detection", 2005, section 5.1.5).
fn closest(p: DVec3, [a, b, c]: [DVec3; 3]) -> DVec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
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
    a + ab * (vb / sum) + ac * (vc / sum)
}
