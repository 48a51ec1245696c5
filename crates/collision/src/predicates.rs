//! Exact signs of orientation determinants of `f64` points.
//!
//! Each predicate evaluates its determinant once in `f64` and compares it with a bound on the rounding
//! error, which decides all but nearly degenerate inputs; the rest goes to Shewchuk's adaptive expansions
//! (crate `robust`). The answer is the sign of the exact determinant of the points as given. Simulator
//! positions are `f32` and convert to `f64` without loss, so their signs are exact too.
//!
//! Range: finite coordinates, zero or of magnitude `1e-90` to `1e90`, so that no product over- or underflows
//! (every `f32`, subnormal ones included, lies inside).
//!
//! Source: J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
//! Predicates", Discrete & Computational Geometry 18 (1997); the semi-static bound follows O. Devillers and
//! S. Pion, "Efficient exact geometric predicates for Delaunay triangulations", ALENEX 2003.

use glam::{DVec2, DVec3};
use robust::{Coord, Coord3D};

/// The sign of an exact value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
pub enum Sign {
    /// Less than zero.
    Negative = -1,
    /// Exactly zero.
    Zero = 0,
    /// Greater than zero.
    Positive = 1,
}

impl Sign {
    /// The sign of a number; a NaN counts as zero.
    #[inline]
    pub fn of(value: f64) -> Self {
        if value > 0.0 {
            Sign::Positive
        } else if value < 0.0 {
            Sign::Negative
        } else {
            Sign::Zero
        }
    }

    /// Whether the value is exactly zero.
    #[inline]
    pub fn is_zero(self) -> bool {
        self == Sign::Zero
    }

    /// The sign as -1, 0 or 1.
    #[inline]
    pub fn as_i32(self) -> i32 {
        self as i32
    }
}

impl std::ops::Neg for Sign {
    type Output = Sign;
    #[inline]
    fn neg(self) -> Sign {
        match self {
            Sign::Negative => Sign::Positive,
            Sign::Zero => Sign::Zero,
            Sign::Positive => Sign::Negative,
        }
    }
}

/// Sign of `det(b-a, c-a, d-a)`, six times the signed volume of the tetrahedron `abcd`: positive when `d` lies
/// on the side of the triangle `abc` from which it is seen counter-clockwise.
#[inline]
pub fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    orient3d_counted(a, b, c, d, &mut 0)
}

/// [`orient3d`], which adds 1 to `fallbacks` when the floating-point filter could not decide.
#[inline]
pub fn orient3d_counted(a: DVec3, b: DVec3, c: DVec3, d: DVec3, fallbacks: &mut u64) -> Sign {
    let (p, q, r) = (a - d, b - d, c - d);
    let det = p.cross(q).dot(r);
    let m = p.abs().max(q.abs()).max(r.abs());
    // Six terms, each at most m.x m.y m.z and each with 8 roundings: three differences, product, difference of
    // the minor, product, two sums. 6 * 8 * 2^-53 = 5.33e-15, rounded up for the second order.
    let bound = 5.4e-15 * (m.x * m.y * m.z);
    // det(a-d, b-d, c-d) = -det(b-a, c-a, d-a).
    if det > bound {
        return Sign::Negative;
    }
    if det < -bound {
        return Sign::Positive;
    }
    *fallbacks += 1;
    orient3d_exact(a, b, c, d)
}

#[cold]
#[inline(never)]
fn orient3d_exact(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    let [a, b, c, d] = [a, b, c, d].map(|p| Coord3D { x: p.x, y: p.y, z: p.z });
    -Sign::of(robust::orient3d(a, b, c, d))
}

/// Sign of `det(b-a, c-a)`, twice the signed area of the triangle `abc`: positive when it runs counter-clockwise.
#[inline]
pub fn orient2d(a: DVec2, b: DVec2, c: DVec2) -> Sign {
    orient2d_counted(a, b, c, &mut 0)
}

/// [`orient2d`], which adds 1 to `fallbacks` when the floating-point filter could not decide.
#[inline]
pub fn orient2d_counted(a: DVec2, b: DVec2, c: DVec2, fallbacks: &mut u64) -> Sign {
    let (p, q) = (a - c, b - c);
    let det = p.perp_dot(q);
    let m = p.abs().max(q.abs());
    // Two terms with 4 roundings each: 2 * 4 * 2^-53 = 8.9e-16.
    let bound = 9e-16 * (m.x * m.y);
    if det > bound {
        return Sign::Positive;
    }
    if det < -bound {
        return Sign::Negative;
    }
    *fallbacks += 1;
    orient2d_exact(a, b, c)
}

#[cold]
#[inline(never)]
fn orient2d_exact(a: DVec2, b: DVec2, c: DVec2) -> Sign {
    let [a, b, c] = [a, b, c].map(|p| Coord { x: p.x, y: p.y });
    Sign::of(robust::orient2d(a, b, c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;
    use num_traits::Signed;
    use proptest::prelude::*;

    fn exact(x: f64) -> BigRational {
        BigRational::from_float(x).unwrap()
    }

    fn sign_of(x: BigRational) -> Sign {
        if x.is_positive() {
            Sign::Positive
        } else if x.is_negative() {
            Sign::Negative
        } else {
            Sign::Zero
        }
    }

    /// `det(b-a, c-a, d-a)` by cofactors, in rational arithmetic.
    fn oracle3(p: [DVec3; 4]) -> Sign {
        let [a, b, c, d] = p.map(|v| v.to_array().map(exact));
        let sub = |u: &[BigRational; 3], v: &[BigRational; 3]| [0, 1, 2].map(|i| &u[i] - &v[i]);
        let (u, v, w) = (sub(&b, &a), sub(&c, &a), sub(&d, &a));
        let minor = |i: usize, j: usize| &v[i] * &w[j] - &v[j] * &w[i];
        sign_of(&u[0] * minor(1, 2) + &u[1] * minor(2, 0) + &u[2] * minor(0, 1))
    }

    fn oracle2(p: [DVec2; 3]) -> Sign {
        let [a, b, c] = p.map(|v| v.to_array().map(exact));
        sign_of((&b[0] - &a[0]) * (&c[1] - &a[1]) - (&b[1] - &a[1]) * (&c[0] - &a[0]))
    }

    /// Coordinates that make determinants vanish or nearly so: small grids, neighbours of grid values, floats.
    fn coordinate() -> impl Strategy<Value = f64> {
        prop_oneof![
            (-3i32..4).prop_map(f64::from),
            (-8i32..9, -2i64..3).prop_map(|(k, ulps)| {
                let x = f64::from(k) * 0.1;
                f64::from_bits((x.to_bits() as i64 + if x == 0.0 { 0 } else { ulps }) as u64)
            }),
            (-1e3f32..1e3).prop_map(f64::from),
            (any::<i8>(), -120i32..60).prop_map(|(m, e)| f64::from(m) * 2f64.powi(e)),
        ]
    }

    fn point() -> impl Strategy<Value = DVec3> {
        [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]

        #[test]
        fn orient3d_has_the_sign_of_the_exact_determinant(p in [point(), point(), point(), point()]) {
            let s = orient3d(p[0], p[1], p[2], p[3]);
            prop_assert_eq!(s, oracle3(p));
            prop_assert_eq!(orient3d(p[1], p[0], p[2], p[3]), -s);
            prop_assert_eq!(orient3d(p[1], p[2], p[0], p[3]), s);
        }

        /// A point computed to lie in the plane misses it by roundings only.
        #[test]
        fn orient3d_is_exact_next_to_the_plane(a in point(), b in point(), c in point(), s in 0f64..1.0, t in 0f64..1.0) {
            let d = a + (b - a) * s + (c - a) * t;
            prop_assert_eq!(orient3d(a, b, c, d), oracle3([a, b, c, d]));
            let [a, b, c, d] = [a, b, c, d].map(|p| p.truncate());
            prop_assert_eq!(orient2d(a, b, c), oracle2([a, b, c]));
            let on = a + (b - a) * s;
            prop_assert_eq!(orient2d(a, b, on), oracle2([a, b, on]));
            prop_assert_eq!(orient2d(a, b, d), oracle2([a, b, d]));
        }
    }

    #[test]
    fn orientation_of_the_unit_tetrahedron_is_positive() {
        assert_eq!(orient3d(DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z), Sign::Positive);
        assert_eq!(orient2d(DVec2::ZERO, DVec2::X, DVec2::Y), Sign::Positive);
    }

    #[test]
    fn only_doubtful_signs_reach_the_exact_stage() {
        let mut fallbacks = 0;
        let s = orient3d_counted(DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, &mut fallbacks);
        assert_eq!((s, fallbacks), (Sign::Positive, 0));
        let s = orient3d_counted(DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE - DVec3::Z, &mut fallbacks);
        assert_eq!((s, fallbacks), (Sign::Zero, 1));
        let s = orient2d_counted(DVec2::ZERO, DVec2::ONE, DVec2::splat(2.0), &mut fallbacks);
        assert_eq!((s, fallbacks), (Sign::Zero, 2));
    }
}
