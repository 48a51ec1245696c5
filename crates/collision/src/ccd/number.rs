//! The numbers that the systems are built over: `f64` for the filter, big integers for the exact stage.

use num_bigint::BigInt;

/// A ring element; the operations take references because big integers are not `Copy`.
pub(super) trait Number: Sized {
    fn add(&self, other: &Self) -> Self;
    fn sub(&self, other: &Self) -> Self;
    fn mul(&self, other: &Self) -> Self;
    /// The product with a small integer.
    fn times(&self, factor: i32) -> Self;
}

impl Number for f64 {
    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        self * other
    }
    #[inline(always)]
    fn times(&self, factor: i32) -> Self {
        self * f64::from(factor)
    }
}

impl Number for BigInt {
    fn add(&self, other: &Self) -> Self {
        self + other
    }
    fn sub(&self, other: &Self) -> Self {
        self - other
    }
    fn mul(&self, other: &Self) -> Self {
        self * other
    }
    fn times(&self, factor: i32) -> Self {
        self * factor
    }
}

/// The points as integers over one common power of two: `result * 2^e = points` exactly for some `e`.
///
/// The common scale changes no sign of a homogeneous polynomial.
pub(super) fn integers<const N: usize>(points: [&[[f64; 3]; N]; 2]) -> [[[BigInt; 3]; N]; 2] {
    let lowest =
        points.iter().flat_map(|p| p.iter().flatten()).filter(|x| **x != 0.0).map(|&x| split(x).1).min();
    let lowest = lowest.unwrap_or(0);
    points.map(|p| {
        p.map(|v| {
            v.map(|x| {
                let (mantissa, exponent) = split(x);
                BigInt::from(mantissa) << (exponent - lowest).max(0)
            })
        })
    })
}

/// `x = mantissa * 2^exponent` with an odd mantissa; zero is `(0, 0)`.
fn split(x: f64) -> (i64, i32) {
    debug_assert!(x.is_finite());
    let bits = x.to_bits();
    let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, (bits & ((1 << 52) - 1)) as i64);
    let (mantissa, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros();
    let mantissa = mantissa >> zeros;
    (if x < 0.0 { -mantissa } else { mantissa }, exponent + zeros as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_loses_nothing() {
        for x in [0.0, 1.0, -0.1, 3.5e300, -5e-324, f64::MIN_POSITIVE, 6.0, f64::MAX] {
            let (m, e) = split(x);
            assert!(m == 0 || m & 1 == 1);
            // In two factors, since 2^-1074 alone cannot scale a number up.
            assert_eq!(m as f64 * 2f64.powi(e / 2) * 2f64.powi(e - e / 2), x);
        }
    }

    #[test]
    fn integers_share_one_scale() {
        let p = [[0.75, -2.0, 0.0]];
        let [a, b] = integers([&p, &[[0.125, 1.0, 3.0]]]);
        assert_eq!(a[0], [6, -16, 0].map(BigInt::from));
        assert_eq!(b[0], [1, 8, 24].map(BigInt::from));
    }
}
