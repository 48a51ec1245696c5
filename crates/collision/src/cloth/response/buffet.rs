//! Layers in their order: vertices on the wrong side of another sheet move to the surface half-way between both.
//!
//! The **field** of a sheet at a point is the signed distance to the plane of its nearest triangle, positive on the side on which
//! the other sheet belongs. A sheet counts only where the foot lies on it: a point beyond its border by more than an edge is
//! nowhere. For a vertex with a negative field, `F = f_other - f_own - thickness/2` vanishes half a thickness past the mean surface of both
//! layers; `f_own` is measured against the vertex's own layer as it stands. Newton's method, in steps of length 0.3, finds it.
//! Both layers are treated alike, each by half of the way. Which side is right is known from the start ([`Order`]); within one sheet
//! there is nothing to order, and no response.
//!
//! Source: T. Buffet, D. Rohmer, L. Barthe, L. Boissieux, M.-P. Cani, "Implicit Untangling", SIGGRAPH 2019, equations 5, 7 and 13,
//! section 6.3.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::order::{Order, bound, sheet_tree};
use super::{Displacement, Response, Tangle};
use crate::bvh::Tree;
use crate::cloth::ClothMesh;
use crate::cloth::foot::nearest;

/// Length of a Newton step, of the full one.
const NEWTON: f64 = 0.3;
/// Steps of a frame; 0.7¹² leaves a hundredth of the way.
const STEPS: usize = 12;
/// How far a foot is looked for, in steps of the response.
const REACH: f64 = 10.0;

/// The response; see the module documentation.
#[derive(Debug, Default)]
pub struct Buffet {
    order: Order,
    sheets: Vec<(Vec<u32>, Tree)>,
}

impl Buffet {
    /// The response for cloth that starts at `start`.
    pub fn new(mesh: &ClothMesh, start: &[Vec3]) -> Self {
        let sheets = match mesh.sheet_count {
            0 | 1 => Vec::new(),
            n => (0..n).map(|s| sheet_tree(mesh, start, s)).collect(),
        };
        Buffet { order: Order::new(mesh, start), sheets }
    }
}

impl Response for Buffet {
    fn name(&self) -> &'static str {
        "buffet"
    }

    fn displace(&mut self, tangle: &Tangle, out: &mut Displacement) {
        if tangle.hits.is_empty() || self.sheets.is_empty() {
            return;
        }
        let (mesh, x) = (tangle.mesh, tangle.x);
        for (triangles, tree) in &mut self.sheets {
            tree.refit(|i| bound(mesh, x, triangles[i as usize]));
        }
        let this = &*self;
        let moves: Vec<Option<DVec3>> =
            (0..mesh.vertex_count as u32).into_par_iter().map(|v| this.step_of(tangle, v)).collect();
        for (c, contour) in tangle.contours.all.iter().enumerate() {
            for (&h, &side) in tangle.contours.hits(contour).iter().zip(tangle.contours.sides(contour)) {
                let hit = &tangle.hits[h as usize];
                mesh.edges[hit.edge as usize].vertices.iter().for_each(|&v| out.mark(v, c as u32, side));
                mesh.triangles[hit.triangle as usize].iter().for_each(|&v| out.mark(v, c as u32, -side));
            }
        }
        for (v, by) in moves.into_iter().enumerate() {
            if let Some(by) = by {
                out.push(v as u32, by);
            }
        }
        out.finish(tangle.inv_mass);
    }
}

impl Buffet {
    /// Where a vertex on the wrong side moves.
    fn step_of(&self, tangle: &Tangle, v: u32) -> Option<DVec3> {
        let (mesh, x) = (tangle.mesh, tangle.x);
        let own = mesh.sheet[v as usize];
        if own == u32::MAX || mesh.is_solid_sheet(own) || tangle.inv_mass[v as usize] == 0.0 {
            return None;
        }
        let (p0, step) = (x[v as usize].as_dvec3(), f64::from(tangle.step));
        let own_normal = vertex_normal(mesh, x, v);
        let mut total: Option<DVec3> = None;
        let others = |&(s, _): &(usize, _)| s as u32 != own && !mesh.is_solid_sheet(s as u32);
        for (other, (triangles, tree)) in self.sheets.iter().enumerate().filter(others) {
            let Some(foot) = nearest(mesh, x, triangles, tree, p0, REACH * step) else { continue };
            let offset = p0 - foot.point;
            let height = offset.dot(foot.normal);
            // Beside the sheet: the foot is on its border and the point lies beyond it.
            if (offset - height * foot.normal).length() > step {
                continue;
            }
            let n = foot.normal * f64::from(self.order.side(other as u32, own));
            if offset.dot(n) >= 0.0 {
                continue;
            }
            let m = own_normal * f64::from(self.order.side(own, other as u32));
            let gradient = n - m;
            if gradient.length_squared() < 1e-2 {
                continue;
            }
            let mut p = p0;
            for _ in 0..STEPS {
                let field = (p - foot.point).dot(n) - (p - p0).dot(m) - 0.5 * f64::from(tangle.thickness);
                p -= NEWTON * field / gradient.length_squared() * gradient;
            }
            *total.get_or_insert(DVec3::ZERO) += p - p0;
        }
        total.map(|by| by.clamp_length_max(step))
    }
}

/// Normal of a vertex, weighted by area.
fn vertex_normal(mesh: &ClothMesh, x: &[Vec3], v: u32) -> DVec3 {
    let normal = |&t: &u32| {
        let [a, b, c] = mesh.triangles[t as usize].map(|v| x[v as usize].as_dvec3());
        (b - a).cross(c - a)
    };
    mesh.triangles_of(v).iter().map(normal).sum::<DVec3>().normalize_or_zero()
}
