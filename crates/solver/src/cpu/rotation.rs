//! The rotation nearest to a matrix, for matrices of any rank and sign.
//!
//! Source: M. Müller, J. Bender, N. Chentanez, M. Macklin, "A robust method to extract the rotational part of
//! deformations" (MIG 2016): a quaternion is turned by ω = Σ rᵢ×fᵢ / (|Σ rᵢ·fᵢ| + ε) until it rests. The turn is the
//! normalised quaternion (1, ω/2), which has the same fixed points as the exponential and needs no trigonometry.

use super::lanes::{M3, Real, V3, along, square};

/// Iterations; rarely computed, and a rotation that is not yet at rest serves as well.
const ITERATIONS: usize = 16;

/// The rotation nearest to `f` (the identity for the zero matrix), up to a limited number of iterations.
#[inline(always)]
pub(crate) fn nearest_rotation<R: Real>(f: &M3<R>) -> M3<R> {
    let size = square(f).sqrt();
    let floor = (size * 1e-6).max(f32::MIN_POSITIVE);
    let mut q = V3::zero();
    let mut s = R::splat(1.0);
    for _ in 0..ITERATIONS {
        let r = rotation(s, q);
        let turn = r[0].cross(f[0]) + r[1].cross(f[1]) + r[2].cross(f[2]);
        let along = along(&r, f).abs() + floor;
        let half = turn * (R::splat(0.5) / along);
        // (1, half) * (s, q), normalised; a turn is at most a half circle however long `half` is.
        let t = s - half.dot(q);
        let v = q + half * s + half.cross(q);
        let per = R::splat(1.0) / (t * t + v.dot(v)).sqrt();
        s = t * per;
        q = v * per;
    }
    rotation(s, q)
}

/// Columns of the rotation of the unit quaternion `(s, q)`.
#[inline(always)]
fn rotation<R: Real>(s: R, q: V3<R>) -> M3<R> {
    let (x2, y2, z2) = (q.x * 2.0, q.y * 2.0, q.z * 2.0);
    let (xx, yy, zz) = (q.x * x2, q.y * y2, q.z * z2);
    let (xy, xz, yz) = (q.x * y2, q.x * z2, q.y * z2);
    let (sx, sy, sz) = (s * x2, s * y2, s * z2);
    let one = R::splat(1.0);
    [
        V3 { x: one - yy - zz, y: xy + sz, z: xz - sy },
        V3 { x: xy - sz, y: one - xx - zz, z: yz + sx },
        V3 { x: xz + sy, y: yz - sx, z: one - xx - yy },
    ]
}

#[cfg(test)]
mod tests {
    use glam::{Mat3, Quat, Vec3};

    use super::super::lanes::Portable;
    use super::*;

    fn nearest(m: Mat3) -> Mat3 {
        let f = [m.x_axis, m.y_axis, m.z_axis].map(|c| V3 {
            x: Portable([c.x]),
            y: Portable([c.y]),
            z: Portable([c.z]),
        });
        let [x, y, z] = nearest_rotation(&f).map(|c| Vec3::new(c.x.0[0], c.y.0[0], c.z.0[0]));
        Mat3::from_cols(x, y, z)
    }

    #[test]
    fn of_a_stretched_rotation_it_is_the_rotation() {
        for angle in [0.0, 0.3, 1.0, 2.0, 3.0] {
            for axis in [Vec3::X, Vec3::new(0.6, 0.0, 0.8), Vec3::new(1.0, 1.0, 1.0).normalize()] {
                for size in [1e-15, 1e-3, 1.0, 1e12] {
                    let r = Mat3::from_quat(Quat::from_axis_angle(axis, angle));
                    let stretch = Mat3::from_diagonal(Vec3::new(1.0, 0.8, 1.3) * size);
                    let got = nearest(r * stretch);
                    assert!(got.abs_diff_eq(r, 1e-2), "{angle} {axis} {size}: {got} instead of {r}");
                }
            }
        }
    }

    #[test]
    fn it_is_a_rotation_for_any_rank_and_sign() {
        let columns = [Vec3::ZERO, Vec3::X, -Vec3::X, Vec3::Y, Vec3::new(1.0, -2.0, 0.5), Vec3::splat(1e-20)];
        for a in columns {
            for b in columns {
                for c in columns {
                    let r = nearest(Mat3::from_cols(a, b, c));
                    assert!((r * r.transpose()).abs_diff_eq(Mat3::IDENTITY, 1e-5), "{a} {b} {c}: {r}");
                    assert!((r.determinant() - 1.0).abs() < 1e-5);
                }
            }
        }
        assert_eq!(nearest(Mat3::ZERO), Mat3::IDENTITY);
    }
}
