//! A contact as an energy, for implicit integrators: E = ½ k g² while g < 0.
//!
//! g = (p - s)·n - thickness is the signed distance of a particle to the plane of the face on which its shortest path
//! ends (Chen et al. 2023, section 4: E = ½ k ((p - s)·n)²). s may be any point of that plane, so with the foot of
//! the perpendicular, s = Σ b_j f_j, the gradient is exactly ∇_p g = n and ∇_j g = -b_j n: forces sum to zero,
//! and so do their torques. With β = (1, -b_0, -b_1, -b_2) and γ = (0, ∇b_0, ∇b_1, ∇b_2), the gradients of the barycentric
//! weights in the plane, the second derivative is
//!
//! ∂²g/∂x_i∂x_j = -β_j n γ_iᵀ - β_i γ_j nᵀ - g (γ_i·γ_j) n nᵀ.

use glam::{DMat3, DVec3};

/// Energy of one contact with its derivatives by the particle (0) and the vertices of the face (1, 2, 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// g, metres; the other fields are zero unless it is negative.
    pub gap: f64,
    /// E, joule.
    pub energy: f64,
    /// ∂E/∂x_i, newton; the force is its negative.
    pub gradient: [DVec3; 4],
    /// ∂²E/∂x_i∂x_j, newton per metre: block `[i][j]`. Symmetric, in general indefinite.
    pub hessian: [[DMat3; 4]; 4],
    /// The positive semidefinite part k ∇g ∇gᵀ alone (Gauss-Newton), for solvers that need one.
    pub gauss_newton: [[DMat3; 4]; 4],
}

/// Penalty energy of particle `x[0]` against the outward face `x[1], x[2], x[3]` (metres).
///
/// `stiffness`: newton per metre. `thickness`: distance to keep, metres. `None` if the face has no area.
pub fn vertex_face_penalty(x: [DVec3; 4], stiffness: f64, thickness: f64) -> Option<Penalty> {
    let [p, a, b, c] = x;
    let (u, v) = (b - a, c - a);
    let area_normal = u.cross(v);
    let area2 = area_normal.length_squared();
    if area2 <= 1e-28 * u.length_squared() * v.length_squared() {
        return None;
    }
    let n = area_normal / area2.sqrt();
    let gap = (p - a).dot(n) - thickness;
    let zero = [[DMat3::ZERO; 4]; 4];
    let mut out = Penalty { gap, energy: 0.0, gradient: [DVec3::ZERO; 4], hessian: zero, gauss_newton: zero };
    if gap >= 0.0 {
        return Some(out);
    }
    let (gb, gc) = (v.cross(area_normal) / area2, area_normal.cross(u) / area2);
    let (wb, wc) = ((p - a).dot(gb), (p - a).dot(gc));
    let beta = [1.0, wb + wc - 1.0, -wb, -wc];
    let gamma = [DVec3::ZERO, -gb - gc, gb, gc];
    // The thickness is constant: in the second derivative of the distance stands the distance itself.
    let distance = gap + thickness;
    out.energy = 0.5 * stiffness * gap * gap;
    for i in 0..4 {
        out.gradient[i] = n * (stiffness * gap * beta[i]);
        for j in 0..4 {
            let first = outer(n, n) * (beta[i] * beta[j]);
            let second = outer(n, gamma[i]) * beta[j]
                + outer(gamma[j], n) * beta[i]
                + outer(n, n) * (distance * gamma[i].dot(gamma[j]));
            out.gauss_newton[i][j] = first * stiffness;
            out.hessian[i][j] = (first - second * gap) * stiffness;
        }
    }
    Some(out)
}

/// a bᵀ.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    const K: f64 = 3.0;

    proptest! {
        /// Gradient and Hessian by central differences; no force and no torque on the whole.
        #[test]
        fn derivatives(p in point(), a in point(), b in point(), c in point(), thickness in 0.0..0.5f64) {
            let x = [p, a, b, c];
            prop_assume!((b - a).cross(c - a).length() > 0.5);
            let here = vertex_face_penalty(x, K, thickness).unwrap();
            // The second derivative jumps at zero.
            prop_assume!(here.gap < -1e-3 || here.gap > 1e-3);
            let e = 1e-5;
            let moved = |i: usize, k: usize, by: f64| {
                let mut y = x;
                y[i][k] += by;
                vertex_face_penalty(y, K, thickness).unwrap()
            };
            for i in 0..4 {
                for k in 0..3 {
                    let (plus, minus) = (moved(i, k, e), moved(i, k, -e));
                    let slope = (plus.energy - minus.energy) / (2.0 * e);
                    prop_assert!((slope - here.gradient[i][k]).abs() < 1e-6 * (1.0 + here.gradient[i].length()), "gradient {i} {k}");
                    for j in 0..4 {
                        let slope = (plus.gradient[j] - minus.gradient[j]) / (2.0 * e);
                        let column = here.hessian[j][i].col(k);
                        prop_assert!((slope - column).length() < 1e-4 * (1.0 + column.length()), "hessian {j} {i} {k}");
                    }
                }
            }
            prop_assert!(here.gradient.iter().sum::<DVec3>().length() < 1e-12);
            let torque: DVec3 = (0..4).map(|i| x[i].cross(here.gradient[i])).sum();
            prop_assert!(torque.length() < 1e-10);
            for i in 0..4 {
                for j in 0..4 {
                    let d = here.hessian[i][j] - here.hessian[j][i].transpose();
                    prop_assert!((0..3).all(|k| d.col(k).length() < 1e-9));
                }
            }
        }

        /// The Gauss-Newton part has no negative direction.
        #[test]
        fn gauss_newton_is_positive(x in [point(), point(), point(), point()], d in [point(), point(), point(), point()]) {
            prop_assume!((x[2] - x[1]).cross(x[3] - x[1]).length() > 0.5);
            let e = vertex_face_penalty(x, K, 0.0).unwrap();
            let mut sum = 0.0;
            for i in 0..4 {
                for j in 0..4 {
                    sum += d[i].dot(e.gauss_newton[i][j] * d[j]);
                }
            }
            prop_assert!(sum >= -1e-9);
        }
    }

    #[test]
    fn closed_form_and_no_area() {
        let x = [DVec3::new(0.25, 0.25, -0.5), DVec3::ZERO, DVec3::X, DVec3::Y];
        let e = vertex_face_penalty(x, 8.0, 0.0).unwrap();
        assert_eq!((e.gap, e.energy, e.gradient[0]), (-0.5, 1.0, DVec3::NEG_Z * 4.0));
        assert_eq!(vertex_face_penalty([DVec3::ZERO, DVec3::X, DVec3::X, DVec3::Y], 1.0, 0.0), None);
        let above = vertex_face_penalty([DVec3::Z, DVec3::ZERO, DVec3::X, DVec3::Y], 1.0, 0.0).unwrap();
        assert_eq!((above.gap, above.energy), (1.0, 0.0));
    }
}
