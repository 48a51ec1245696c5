//! Local improvement of a tetrahedral mesh: vertices around the worst tetrahedra move where the worst gets
//! better.
//!
//! A hill climb on the smallest shape of a vertex's star (L. Freitag, C. Ollivier-Gooch, "Tetrahedral mesh
//! improvement using swapping and smoothing", 1997), with the volume-length ratio for the shape: it is as
//! cheap as a volume, smooth, and small for bad angles and for short edges alike (measured here against the
//! smallest dihedral sine: the same angles, and radius ratios twice as good at the worst). Vertices of the
//! surface stay on it. Nothing ever gets worse: a move that does not raise the worst shape of its star is not
//! made, so positive tetrahedra stay positive.

use glam::DVec3;

use crate::topology::incidence;
use crate::{TetMesh, quality::volume_length_ratio};

/// Stars whose worst shape is above this are left alone; the lattice's own tetrahedra have 0.92.
const GOOD: f64 = 0.6;
const SWEEPS: usize = 6;

/// The surface on which marked vertices stay.
pub(super) struct Surface<'a> {
    pub implicit: &'a dyn Fn(DVec3) -> f64,
    /// For each vertex, whether it lies on the surface.
    pub on_surface: &'a [bool],
    /// A length of the order of the edges, in metres.
    pub spacing: f64,
}

/// Improves `mesh` in a fixed order of vertices.
pub(super) fn improve(mesh: &mut TetMesh, surface: &Surface) {
    let (start, list) = incidence(mesh.positions.len(), &mesh.tets);
    let mut shapes: Vec<f64> = (0..mesh.tets.len()).map(|t| volume_length_ratio(mesh.corners(t))).collect();
    // Vertices whose star has changed since they were last looked at.
    let mut changed = vec![true; mesh.positions.len()];
    for _ in 0..SWEEPS {
        let mut moved = false;
        for v in 0..mesh.positions.len() {
            let star = &list[start[v] as usize..start[v + 1] as usize];
            let worst = star.iter().map(|&t| shapes[t as usize]).fold(f64::INFINITY, f64::min);
            if std::mem::take(&mut changed[v]) && worst < GOOD && climb(mesh, surface, v, star, worst) {
                moved = true;
                for &t in star {
                    shapes[t as usize] = volume_length_ratio(mesh.corners(t as usize));
                    for w in mesh.tets[t as usize] {
                        changed[w as usize] = true;
                    }
                }
            }
        }
        if !moved {
            break;
        }
    }
}

/// Moves vertex `v` to the best of a few places around it, with shrinking steps. Returns whether it moved.
fn climb(mesh: &mut TetMesh, surface: &Surface, v: usize, star: &[u32], worst: f64) -> bool {
    let mut best = (worst, mesh.positions[v]);
    let plane = if surface.on_surface[v] {
        match surface.tangent_plane(best.1) {
            Some(plane) => Some(plane),
            None => return false,
        }
    } else {
        None
    };
    for step in [0.2, 0.1, 0.05] {
        let from = best.1;
        let directions = match &plane {
            // Six directions in the plane, or along the axes.
            Some(p) => [p.u, -p.u, 0.5 * p.u + p.v, -0.5 * p.u - p.v, p.v - 0.5 * p.u, 0.5 * p.u - p.v],
            None => [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z],
        };
        for direction in directions {
            let mut place = from + step * surface.spacing * direction;
            let mut shape = worst_above(mesh, v, star, place, best.0);
            if let (Some(plane), Some(_)) = (&plane, shape) {
                // Only a move that is worth it is brought back to the surface.
                shape = surface.project(plane, place).and_then(|p| {
                    place = p;
                    worst_above(mesh, v, star, p, best.0)
                });
            }
            if let Some(shape) = shape {
                best = (shape, place);
            }
        }
    }
    mesh.positions[v] = best.1;
    best.0 > worst
}

/// The worst shape of the star with `v` at `place`, if it is greater than `bound`. Leaves `v` anywhere.
fn worst_above(mesh: &mut TetMesh, v: usize, star: &[u32], place: DVec3, bound: f64) -> Option<f64> {
    mesh.positions[v] = place;
    let mut worst = f64::INFINITY;
    for &t in star {
        worst = worst.min(volume_length_ratio(mesh.corners(t as usize)));
        if worst <= bound {
            return None;
        }
    }
    Some(worst)
}

/// The function's slope at a point of the surface, and two unit vectors across it.
struct TangentPlane {
    slope: DVec3,
    u: DVec3,
    v: DVec3,
}

impl Surface<'_> {
    /// By central differences; `None` where the function has no slope.
    fn tangent_plane(&self, p: DVec3) -> Option<TangentPlane> {
        let delta = 1e-4 * self.spacing;
        let slope = DVec3::from_array(DVec3::AXES.map(|axis| {
            ((self.implicit)(p + delta * axis) - (self.implicit)(p - delta * axis)) / (2.0 * delta)
        }));
        let (u, v) = slope.try_normalize()?.any_orthonormal_pair();
        Some(TangentPlane { slope, u, v })
    }

    /// The point of the surface above or below `point`, along the slope, if it is close by.
    fn project(&self, plane: &TangentPlane, point: DVec3) -> Option<DVec3> {
        let along = plane.slope / plane.slope.length_squared();
        let mut p = point;
        // Newton steps with the slope kept: each gains digits while the surface turns little within a step.
        for _ in 0..12 {
            let step = -(self.implicit)(p) * along;
            p += step;
            if step.length() < 1e-9 * self.spacing {
                return ((p - point).length() < 0.2 * self.spacing).then_some(p);
            }
        }
        None
    }
}
