//! The numbers that the systems are built over: `f64` for the filter, big integers for the exact stage.

use num_bigint::BigInt;

use super::system::Differences;

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

/// For differences alone, whose size is known beforehand.
impl Number for i128 {
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
        self * i128::from(factor)
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

/// The differences of points as integers over one common power of two, which changes no sign of a
/// homogeneous polynomial.
pub(super) fn differences<const N: usize>(
    start: &[[f64; 3]; 4],
    end: &[[f64; 3]; 4],
    small: impl FnOnce(&[[i128; 3]; 4], &[[i128; 3]; 4]) -> Differences<i128, N>,
    large: impl FnOnce(&[[BigInt; 3]; 4], &[[BigInt; 3]; 4]) -> Differences<BigInt, N>,
) -> Differences<BigInt, N> {
    let parts = |p: &[[f64; 3]; 4]| p.map(|v| v.map(split));
    let (start, end) = (parts(start), parts(end));
    let nonzero = || start.iter().chain(&end).flatten().filter(|(m, _)| *m != 0);
    let lowest = nonzero().map(|(_, e)| *e).min().unwrap_or(0);
    let bits = |(m, e): &(i64, i32)| 64 - m.unsigned_abs().leading_zeros() as i32 + e - lowest;
    if nonzero().map(bits).max().unwrap_or(0) < 126 {
        let integer = |(m, e): (i64, i32)| if m == 0 { 0 } else { i128::from(m) << (e - lowest) };
        let integers = |p: [[(i64, i32); 3]; 4]| p.map(|v| v.map(integer));
        let d = small(&integers(start), &integers(end));
        Differences(d.0.map(|v| v.map(|x| x.map(BigInt::from))))
    } else {
        let integer = |(m, e): (i64, i32)| BigInt::from(m) << if m == 0 { 0 } else { e - lowest };
        let integers = |p: [[(i64, i32); 3]; 4]| p.map(|v| v.map(integer));
        large(&integers(start), &integers(end))
    }
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
    use super::super::system;
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
    fn differences_share_one_scale_whatever_their_size() {
        for (tiny, shift) in [(0.125, 0), (2f64.powi(-300), 297)] {
            let start = [[0.75, -2.0, 0.0], [tiny, 1.0, 3.0], [0.0; 3], [0.0; 3]];
            let d = differences(&start, &start, system::vertex_face, system::vertex_face);
            let expected: [BigInt; 3] = [-6, 24, 24].map(|x| BigInt::from(x) << shift);
            assert_eq!(d.0[0][0], [&expected[0] + 1, expected[1].clone(), expected[2].clone()]);
            assert_eq!(d.0[1][1], [-6, 16, 0].map(|x| -> BigInt { BigInt::from(x) << shift }));
        }
    }
}
