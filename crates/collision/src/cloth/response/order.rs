//! On which side of which sheet things belong.

use glam::Vec3;

use crate::bvh::{Aabb, Tree};
use crate::cloth::ClothMesh;
use crate::cloth::foot::nearest;

/// The side within one sheet, where nothing else is known: its backs touch.
const WITHIN: i8 = -1;

/// For each pair of sheets of cloth the side of the first on which the second lies, +1 that of the normals.
#[derive(Clone, Debug, Default)]
pub struct Order {
    sheets: usize,
    side: Vec<i8>,
}

impl Order {
    /// Two sheets lie as most vertices of the second lie to the nearest triangles of the first, at the positions `start`.
    pub fn new(mesh: &ClothMesh, start: &[Vec3]) -> Self {
        let n = mesh.sheet_count as usize;
        let mut order = Order { sheets: n, side: vec![WITHIN; n * n] };
        if n < 2 {
            return order;
        }
        let trees: Vec<(Vec<u32>, Tree)> =
            (0..n as u32).map(|sheet| sheet_tree(mesh, start, sheet)).collect();
        for a in (0..n).filter(|&a| !mesh.is_solid_sheet(a as u32)) {
            let mut votes = vec![0i64; n];
            for v in 0..mesh.vertex_count {
                let b = mesh.sheet[v];
                if b == u32::MAX || b as usize == a || mesh.is_solid_sheet(b) {
                    continue;
                }
                let (triangles, tree) = &trees[a];
                if let Some(foot) = nearest(mesh, start, triangles, tree, start[v].as_dvec3(), f64::INFINITY)
                {
                    let height = (start[v].as_dvec3() - foot.point).dot(foot.normal);
                    votes[b as usize] += if height > 0.0 { 1 } else { -1 };
                }
            }
            for (b, vote) in votes.into_iter().enumerate().filter(|&(b, _)| b != a) {
                order.side[a * n + b] = if vote >= 0 { 1 } else { -1 };
            }
        }
        order
    }

    /// The side of sheet `a` on which sheet `b` lies.
    pub fn side(&self, a: u32, b: u32) -> i8 {
        self.side[a as usize * self.sheets + b as usize]
    }

    /// On which side of triangle `t` the triangle `s` belongs, and on which side of `s` the triangle `t`.
    pub fn sides(&self, mesh: &ClothMesh, s: u32, t: u32) -> [i8; 2] {
        let (a, b) = (mesh.sheet_of(s), mesh.sheet_of(t));
        [self.side(b, a), self.side(a, b)]
    }
}

/// The triangles of a sheet and a tree over them.
pub(super) fn sheet_tree(mesh: &ClothMesh, x: &[Vec3], sheet: u32) -> (Vec<u32>, Tree) {
    let all = 0..mesh.triangles.len() as u32;
    let triangles: Vec<u32> = all.filter(|&t| mesh.is_proper(t) && mesh.sheet_of(t) == sheet).collect();
    let boxes: Vec<Aabb> = triangles.iter().map(|&t| bound(mesh, x, t)).collect();
    let tree = Tree::build(&boxes);
    (triangles, tree)
}

/// The box of a triangle.
pub(super) fn bound(mesh: &ClothMesh, x: &[Vec3], t: u32) -> Aabb {
    let [a, b, c] = mesh.triangles[t as usize].map(|v| x[v as usize]);
    Aabb { min: a.min(b).min(c), max: a.max(b).max(c) }
}
