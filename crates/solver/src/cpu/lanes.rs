//! Lanes: `N` constraints computed side by side, written once and compiled for each instruction set.
//!
//! A [`F`] is `[f32; N]` with the operators of a number; loops over its lanes become vector instructions where the
//! enclosing function enables them. Products are never contracted with sums, so that every lane has the bits of the
//! same expression in plain `f32`: results depend neither on `N` nor on the instruction set.

use std::array::from_fn;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `N` numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct F<const N: usize>(pub [f32; N]);

/// `N` truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask<const N: usize>(pub [bool; N]);

macro_rules! operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<const N: usize> $trait for F<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                F(from_fn(|l| self.0[l] $op b.0[l]))
            }
        }
        impl<const N: usize> $trait<f32> for F<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: f32) -> Self {
                F(from_fn(|l| self.0[l] $op b))
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

impl<const N: usize> Neg for F<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        F(self.0.map(|a| -a))
    }
}

impl<const N: usize> F<N> {
    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(a: f32) -> Self {
        F([a; N])
    }

    /// Zero in every lane.
    pub const ZERO: Self = F([0.0; N]);

    /// `N` lanes of a field, from `lane` on.
    #[inline(always)]
    pub fn load(field: &[f32], lane: usize) -> Self {
        let part = &field[lane..lane + N];
        F(from_fn(|l| part[l]))
    }

    /// Square root, correctly rounded.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        F(self.0.map(f32::sqrt))
    }

    /// The larger of both; `b` where `self` is no number.
    #[inline(always)]
    pub fn max(self, b: f32) -> Self {
        F(self.0.map(|a| if a > b { a } else { b }))
    }

    /// Magnitude.
    #[inline(always)]
    pub fn abs(self) -> Self {
        F(self.0.map(f32::abs))
    }

    /// `self < b`, lane by lane.
    #[inline(always)]
    pub fn lt(self, b: Self) -> Mask<N> {
        Mask(from_fn(|l| self.0[l] < b.0[l]))
    }

    /// `self > b`, lane by lane.
    #[inline(always)]
    pub fn gt(self, b: f32) -> Mask<N> {
        Mask(from_fn(|l| self.0[l] > b))
    }
}

impl<const N: usize> Mask<N> {
    /// `yes` where true, `no` elsewhere.
    #[inline(always)]
    pub fn select(self, yes: F<N>, no: F<N>) -> F<N> {
        F(from_fn(|l| if self.0[l] { yes.0[l] } else { no.0[l] }))
    }

    /// As [`select`](Self::select), component by component.
    #[inline(always)]
    pub fn select3(self, yes: V3<N>, no: V3<N>) -> V3<N> {
        V3 { x: self.select(yes.x, no.x), y: self.select(yes.y, no.y), z: self.select(yes.z, no.z) }
    }

    /// Both.
    #[inline(always)]
    pub fn and(self, b: Self) -> Self {
        Mask(from_fn(|l| self.0[l] & b.0[l]))
    }

    /// Whether any lane is true.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0.iter().fold(false, |a, &b| a | b)
    }

    /// Whether all lanes are true.
    #[inline(always)]
    pub fn all(self) -> bool {
        self.0.iter().fold(true, |a, &b| a & b)
    }
}

/// `N` vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct V3<const N: usize> {
    /// First components.
    pub x: F<N>,
    /// Second components.
    pub y: F<N>,
    /// Third components.
    pub z: F<N>,
}

/// `N` matrices, by columns.
pub type M3<const N: usize> = [V3<N>; 3];

impl<const N: usize> V3<N> {
    /// Zero in every lane.
    pub const ZERO: Self = V3 { x: F::ZERO, y: F::ZERO, z: F::ZERO };

    /// Vectors from three consecutive fields.
    #[inline(always)]
    pub fn load<const L: usize>(fields: &[[f32; L]], lane: usize) -> Self {
        V3 { x: F::load(&fields[0], lane), y: F::load(&fields[1], lane), z: F::load(&fields[2], lane) }
    }

    /// Inner product.
    #[inline(always)]
    pub fn dot(self, b: Self) -> F<N> {
        self.x * b.x + self.y * b.y + self.z * b.z
    }

    /// Vector product.
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        V3 { x: self.y * b.z - self.z * b.y, y: self.z * b.x - self.x * b.z, z: self.x * b.y - self.y * b.x }
    }
}

impl<const N: usize> Add for V3<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        V3 { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z }
    }
}

impl<const N: usize> Sub for V3<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        V3 { x: self.x - b.x, y: self.y - b.y, z: self.z - b.z }
    }
}

impl<const N: usize> Neg for V3<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        V3 { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl<const N: usize> Mul<F<N>> for V3<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: F<N>) -> Self {
        V3 { x: self.x * s, y: self.y * s, z: self.z * s }
    }
}

/// `Σ_k columns[k] * weights[k]`.
#[inline(always)]
pub fn combine<const N: usize>(columns: &M3<N>, weights: V3<N>) -> V3<N> {
    columns[0] * weights.x + columns[1] * weights.y + columns[2] * weights.z
}

/// Angle of the vector `(x, y)` in (-π, π], accurate to 3e-7; 0 at the origin.
///
/// Source: Cephes `atanf` (S. Moshier): range reduction at tan(π/8) and a polynomial in the square.
#[inline(always)]
pub fn atan2<const N: usize>(y: F<N>, x: F<N>) -> F<N> {
    use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    let (ax, ay) = (x.abs(), y.abs());
    let steep = ax.lt(ay);
    let (low, high) = (steep.select(ax, ay), steep.select(ay, ax));
    let t = low / high.max(f32::MIN_POSITIVE);
    let reduce = t.gt(0.414_213_56);
    let u = reduce.select((t - 1.0) / (t + 1.0), t);
    let z = u * u;
    let p = ((z * 8.053_744_5e-2 - 1.387_768_6e-1) * z + 1.997_771_1e-1) * z - 3.333_295e-1;
    let a = p * z * u + u;
    let a = reduce.select(a + FRAC_PI_4, a);
    let a = steep.select(-a + FRAC_PI_2, a);
    let a = x.lt(F::ZERO).select(-a + PI, a);
    y.lt(F::ZERO).select(-a, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atan2_agrees_with_double_precision_all_the_way_round() {
        for i in -2000..=2000 {
            let a = i as f64 / 2000.0 * std::f64::consts::PI;
            for r in [1e-12, 1.0, 1e12] {
                let (y, x) = ((r * a.sin()) as f32, (r * a.cos()) as f32);
                let got = atan2(F([y; 4]), F([x; 4])).0[2] as f64;
                let want = (y as f64).atan2(x as f64);
                assert!((got - want).abs() < 3e-7, "{y} {x}: {got} instead of {want}");
            }
        }
        assert_eq!(atan2(F([0.0; 1]), F([0.0; 1])).0, [0.0]);
    }
}
