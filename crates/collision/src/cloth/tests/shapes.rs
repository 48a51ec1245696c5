//! Cloths and poses that tests share.

use glam::{Quat, Vec3};
use gordian_mesh::generate::cloth_grid;

use super::super::{ClothDetector, ClothMesh, Contours, Hit};

/// A mesh, its rest pose and a pose.
pub struct Cloth {
    pub mesh: ClothMesh,
    pub rest: Vec<Vec3>,
    pub x: Vec<Vec3>,
}

impl Cloth {
    pub fn new(rest: Vec<Vec3>, x: Vec<Vec3>, triangles: &[[u32; 3]]) -> Self {
        Cloth { mesh: ClothMesh::new(x.len(), triangles), rest, x }
    }

    /// A grid of `n` × `m` quads of side 0.1 in the plane z = 0, bent by `bend`.
    pub fn grid(n: u32, m: u32, bend: impl Fn(Vec3) -> Vec3) -> Self {
        let sheet = cloth_grid(0.1 * n as f64, 0.1 * m as f64, n, m).unwrap();
        let rest: Vec<Vec3> = sheet.positions.iter().map(|p| p.as_vec3()).collect();
        let x = rest.iter().map(|&p| bend(p)).collect();
        Cloth::new(rest, x, &sheet.triangles)
    }

    /// Both cloths as one.
    pub fn and(&self, other: &Cloth) -> Self {
        let shift = self.x.len() as u32;
        let mut triangles = self.mesh.triangles.clone();
        triangles.extend(other.mesh.triangles.iter().map(|t| t.map(|v| v + shift)));
        let join = |a: &[Vec3], b: &[Vec3]| [a, b].concat();
        Cloth::new(join(&self.rest, &other.rest), join(&self.x, &other.x), &triangles)
    }

    pub fn detector(&self) -> ClothDetector {
        ClothDetector::new(&self.mesh, &self.rest)
    }

    pub fn hits(&self) -> Vec<Hit> {
        let mut detector = self.detector();
        detector.refit(&self.mesh, &self.x);
        detector.find_pairs(&self.mesh, &self.x, 0.0);
        detector.find_hits(&self.mesh, &self.x).to_vec()
    }

    pub fn contours(&self) -> (Vec<Hit>, Contours) {
        let hits = self.hits();
        let mut contours = Contours::default();
        contours.trace(&self.mesh, &self.x, &hits);
        (hits, contours)
    }
}

/// A flat sheet of `n` × `m` quads, turned and moved off the grid of other sheets.
pub fn flat(n: u32, m: u32, turn: Quat, center: Vec3) -> Cloth {
    Cloth::grid(n, m, move |p| turn * p + center)
}

/// The tangled starts: the lower half folded back behind the upper one, with a ridge that pokes through it.
///
/// `n` quads a side of length 0.1; `ridge` from 0 to 1 along the width to the height of the ridge there.
pub fn folded(n: u32, gap: f32, ridge: impl Fn(f32) -> f32) -> Cloth {
    let sheet = cloth_grid(0.1 * n as f64, 0.1 * n as f64, n, n).unwrap();
    let rest: Vec<Vec3> = sheet.positions.iter().map(|p| p.as_vec3()).collect();
    let half = (n - 1) / 2;
    let width = 0.1 * n as f32;
    let x = (0..rest.len() as u32)
        .map(|v| {
            let (i, j) = (v % (n + 1), v / (n + 1));
            let along = 0.1 * i as f32;
            if j <= half {
                Vec3::new(along, -0.1 * j as f32, if j == half { -0.5 * gap } else { 0.0 })
            } else {
                let s = 0.1 * (j - half) as f32;
                let t = (s - 1.2) / 0.3;
                let z = -gap + ridge(along / width) * (-t * t).exp();
                Vec3::new(along, -0.1 * half as f32 + s, z)
            }
        })
        .collect();
    Cloth::new(rest, x, &sheet.triangles)
}
