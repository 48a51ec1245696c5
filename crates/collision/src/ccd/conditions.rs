//! The conditions of the [system](super::system) over an interval of time, with bounds on their rounding errors.

use super::system::{Differences, Shape};
use crate::predicates::Sign;

/// Unit roundoff.
const U: f64 = f64::EPSILON / 2.0;
/// Far above the error of an operation that underflows (`2^-1075`), far below anything else.
const TINY: f64 = f64::MIN_POSITIVE;

/// Bounds on rounding errors.
///
/// With `m` the largest difference per axis, a scaled quadratic is a sum of terms of total magnitude `4 m_j m_k` with at
/// most 5 roundings each, the scaled cubic one of `36 m_x m_y m_z` with at most 10. Each halving adds one
/// rounding per de Casteljau step. The constants are rounded up for the second order.
pub(super) struct Errors {
    line: [f64; 3],
    quadratic: [f64; 3],
    /// Of the coefficients of the cubic over the whole step.
    pub cubic: f64,
}

impl Errors {
    pub fn new<const N: usize>(d: &Differences<f64, N>) -> Self {
        let mut m = [0.0f64; 3];
        for v in d.0.iter().flatten() {
            for k in 0..3 {
                m[k] = m[k].max(v[k].abs());
            }
        }
        let pair = [m[1] * m[2], m[2] * m[0], m[0] * m[1]];
        Errors {
            line: m.map(|x| U * x + TINY),
            quadratic: pair.map(|x| U * x + TINY),
            cubic: 370.0 * (U * (pair[2] * m[2]) + TINY * (1.0 + m[0] + m[1] + m[2])),
        }
    }

    /// Of a linear condition after `level` halvings.
    fn line(&self, level: u32, axis: usize) -> f64 {
        self.line[axis] * f64::from(2 + 2 * level)
    }

    /// Of a quadratic condition after `level` halvings.
    fn quadratic(&self, level: u32, axis: usize) -> f64 {
        self.quadratic[axis] * f64::from(22 + 9 * level)
    }
}

/// Signs that a polynomial takes over an interval, as far as its coefficients and the error bound tell.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Range {
    Positive,
    Negative,
    Unknown,
}

#[inline(always)]
pub(super) fn range<const C: usize>(c: &[f64; C], error: f64) -> Range {
    let (mut low, mut high) = (c[0], c[0]);
    for &x in &c[1..] {
        low = low.min(x);
        high = high.max(x);
    }
    if low > error {
        Range::Positive
    } else if high < -error {
        Range::Negative
    } else {
        Range::Unknown
    }
}

/// De Casteljau's halving of a polynomial in Bernstein form.
#[inline(always)]
pub(super) fn halve<const C: usize>(c: &[f64; C]) -> ([f64; C], [f64; C]) {
    let (mut left, mut right) = (*c, *c);
    for k in 1..C {
        // `right[i]` holds row `k - 1` of the triangle; row `k` has `C - k` entries.
        for i in 0..C - k {
            right[i] = 0.5 * (right[i] + right[i + 1]);
        }
        left[k] = right[0];
    }
    (left, right)
}

/// What the conditions beside the cubic say over an interval.
pub(super) enum Verified {
    /// One of them fails throughout: no contact.
    Violated,
    /// Wherever the points are coplanar, they are in contact.
    Certain,
    /// Within rounding error.
    Open,
}

/// Conditions over an interval of time.
pub(super) trait Conditions: Sized {
    /// What they say throughout the interval, reached by `level` halvings.
    fn verify(&self, errors: &Errors, level: u32) -> Verified;
    /// The same over the first and the second half.
    fn halve(&self) -> (Self, Self);
}

/// The quadratics of one axis: enough where the plane of the points is not seen edge-on.
#[derive(Clone, Debug)]
pub(super) struct Projection<const N: usize> {
    axis: usize,
    quadratics: [[f64; 3]; N],
}

impl<const N: usize> Projection<N> {
    pub fn new(d: &Differences<f64, N>, shape: &Shape<N>, axis: usize) -> Self {
        let mut quadratics = [[0.0; 3]; N];
        for (i, c) in quadratics.iter_mut().enumerate() {
            *c = d.quadratic(shape, i, axis);
        }
        Projection { axis, quadratics }
    }

    /// Along the axis that sees most of the plane in the middle of the step.
    pub fn widest(d: &Differences<f64, N>, shape: &Shape<N>) -> Self {
        let side = |(i, j): (usize, usize)| {
            [0, 1, 2].map(|k| (d.0[i][0][k] + d.0[i][1][k]) - (d.0[j][0][k] + d.0[j][1][k]))
        };
        let [u, v] = shape.sides.map(side);
        let normal = [0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            (u[i] * v[j] - u[j] * v[i]).abs()
        });
        let axis = if normal[0] >= normal[1] && normal[0] >= normal[2] {
            0
        } else if normal[1] >= normal[2] {
            1
        } else {
            2
        };
        Projection::new(d, shape, axis)
    }

    /// Component of the plane's normal along the axis, and a bound on its error.
    fn normal(&self, errors: &Errors, level: u32) -> ([f64; 3], f64) {
        let mut sum = [0.0; 3];
        for c in &self.quadratics {
            for k in 0..3 {
                sum[k] += c[k];
            }
        }
        (sum, errors.quadratic(level, self.axis) * (N + 1) as f64)
    }

    /// Whether the plane is surely never seen edge-on.
    pub fn is_steady(&self, errors: &Errors) -> bool {
        let (normal, error) = self.normal(errors, LEVEL);
        range(&normal, error) != Range::Unknown
    }

    /// Over `[low, high]`, by blossoming.
    fn restrict(&self, low: f64, high: f64) -> Self {
        let blend = |a: f64, b: f64, t: f64| a * (1.0 - t) + b * t;
        let polar = |c: &[f64; 3], s, t| blend(blend(c[0], c[1], s), blend(c[1], c[2], s), t);
        let over = |c: &[f64; 3]| [polar(c, low, low), polar(c, low, high), polar(c, high, high)];
        Projection { axis: self.axis, quadratics: self.quadratics.each_ref().map(over) }
    }
}

impl<const N: usize> Conditions for Projection<N> {
    #[inline]
    fn verify(&self, errors: &Errors, level: u32) -> Verified {
        let error = errors.quadratic(level, self.axis);
        let (mut positive, mut negative) = (0, 0);
        for c in &self.quadratics {
            match range(c, error) {
                Range::Positive => positive += 1,
                Range::Negative => negative += 1,
                Range::Unknown => {}
            }
        }
        if positive > 0 && negative > 0 {
            Verified::Violated
        } else if positive == N || negative == N {
            Verified::Certain
        } else {
            Verified::Open
        }
    }

    #[inline]
    fn halve(&self) -> (Self, Self) {
        let (mut left, mut right) = (self.clone(), self.clone());
        for i in 0..N {
            (left.quadratics[i], right.quadratics[i]) = halve(&self.quadratics[i]);
        }
        (left, right)
    }
}

/// All conditions: the quadratics of every axis, and that the boxes meet.
#[derive(Clone, Debug)]
pub(super) struct AllConditions<const N: usize> {
    projections: [Projection<N>; 3],
    lines: [[[f64; 2]; N]; 3],
}

impl<const N: usize> AllConditions<N> {
    pub fn new(d: &Differences<f64, N>, shape: &Shape<N>) -> Self {
        AllConditions {
            projections: [0, 1, 2].map(|axis| Projection::new(d, shape, axis)),
            lines: [0, 1, 2].map(|axis| d.0.each_ref().map(|v| [v[0][axis], v[1][axis]])),
        }
    }

    /// Over `[low, high]`.
    fn restrict(&self, low: f64, high: f64) -> Self {
        let blend = |c: &[f64; 2], t: f64| c[0] * (1.0 - t) + c[1] * t;
        AllConditions {
            projections: self.projections.each_ref().map(|p| p.restrict(low, high)),
            lines: self.lines.each_ref().map(|axis| axis.each_ref().map(|c| [blend(c, low), blend(c, high)])),
        }
    }
}

impl<const N: usize> Conditions for AllConditions<N> {
    fn verify(&self, errors: &Errors, level: u32) -> Verified {
        let mut certain = false;
        for axis in 0..3 {
            let error = errors.line(level, axis);
            let first = range(&self.lines[axis][0], error);
            if first != Range::Unknown && self.lines[axis][1..].iter().all(|c| range(c, error) == first) {
                return Verified::Violated;
            }
            match self.projections[axis].verify(errors, level) {
                Verified::Violated => return Verified::Violated,
                Verified::Certain => certain = true,
                Verified::Open => {}
            }
        }
        if certain { Verified::Certain } else { Verified::Open }
    }

    fn halve(&self) -> (Self, Self) {
        let (mut left, mut right) = (self.clone(), self.clone());
        for axis in 0..3 {
            (left.projections[axis], right.projections[axis]) = self.projections[axis].halve();
            for i in 0..N {
                (left.lines[axis][i], right.lines[axis][i]) = halve(&self.lines[axis][i]);
            }
        }
        (left, right)
    }
}

/// Rounding of one evaluation between two times, in units of that of a halving, rounded up.
const LEVEL: u32 = 8;

/// A query that the filter left in doubt, as far as floating point knows it.
pub(super) struct Doubt<const N: usize> {
    pub cubic: [f64; 4],
    pub conditions: AllConditions<N>,
    pub errors: Errors,
}

impl<const N: usize> Doubt<N> {
    /// What the conditions say throughout the interval from `low` to `high`.
    pub fn verify(&self, low: f64, high: f64) -> Verified {
        self.conditions.restrict(low, high).verify(&self.errors, LEVEL)
    }

    /// Signs of the quadratics of an axis throughout the interval from `low` to `high`, where floating point tells them.
    pub fn signs(&self, axis: usize, low: f64, high: f64) -> [Option<Sign>; N] {
        let error = self.errors.quadratic(LEVEL, axis);
        self.conditions.projections[axis].restrict(low, high).quadratics.map(|c| match range(&c, error) {
            Range::Positive => Some(Sign::Positive),
            Range::Negative => Some(Sign::Negative),
            Range::Unknown => None,
        })
    }

    /// Whether the quadratic and the linear condition `i` of an axis may have roots during the step.
    pub fn may_vanish(&self, i: usize, axis: usize) -> (bool, bool) {
        let quadratic = &self.conditions.projections[axis].quadratics[i];
        let line = &self.conditions.lines[axis][i];
        (
            range(quadratic, self.errors.quadratic(0, axis)) == Range::Unknown,
            range(line, self.errors.line(0, axis)) == Range::Unknown,
        )
    }

    /// The cubic at time `t`, approximately.
    pub fn cubic_at(&self, t: f64) -> f64 {
        let ([a, b, c, d], s) = (self.cubic, 1.0 - t);
        s * s * (s * a + 3.0 * t * b) + t * t * (3.0 * s * c + t * d)
    }

    /// A quadratic condition at time `t`, approximately.
    pub fn quadratic_at(&self, i: usize, axis: usize, t: f64) -> f64 {
        let ([a, b, c], s) = (self.conditions.projections[axis].quadratics[i], 1.0 - t);
        s * (s * a + 2.0 * t * b) + t * t * c
    }

    /// A linear condition at time `t`, approximately.
    pub fn line_at(&self, i: usize, axis: usize, t: f64) -> f64 {
        let [a, b] = self.conditions.lines[axis][i];
        (1.0 - t) * a + t * b
    }

    /// The axis along which the plane of the points projects best at time `t`, and whether it surely projects one to one.
    pub fn best_axis(&self, t: f64) -> (usize, bool) {
        let ratio = self.conditions.projections.each_ref().map(|p| {
            let (normal, error) = p.restrict(t, t).normal(&self.errors, LEVEL);
            normal[0].abs() / error
        });
        let best = (0..3).fold(0, |best, axis| if ratio[axis] > ratio[best] { axis } else { best });
        (best, ratio[best] > 1.0)
    }

    /// An axis along which the plane surely projects one to one throughout the step.
    pub fn steady_axis(&self) -> Option<usize> {
        self.conditions.projections.iter().position(|p| p.is_steady(&self.errors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_keeps_the_polynomial() {
        let c = [1.0, -3.0, 5.0, 2.0];
        let value = |c: &[f64; 4], t: f64| {
            let s = 1.0 - t;
            c[0] * s * s * s + 3.0 * c[1] * s * s * t + 3.0 * c[2] * s * t * t + c[3] * t * t * t
        };
        let (left, right) = halve(&c);
        for i in 0..=8 {
            let t = f64::from(i) / 8.0;
            assert!((value(&left, t) - value(&c, t / 2.0)).abs() < 1e-14);
            assert!((value(&right, t) - value(&c, 0.5 + t / 2.0)).abs() < 1e-14);
        }
    }

    #[test]
    fn restriction_to_a_half_is_halving() {
        let p = Projection { axis: 0, quadratics: [[1.0, -4.0, 2.0], [3.0, 5.0, -7.0], [0.0, 0.5, 1.0]] };
        let (left, right) = p.halve();
        assert_eq!(p.restrict(0.0, 0.5).quadratics, left.quadratics);
        assert_eq!(p.restrict(0.5, 1.0).quadratics, right.quadratics);
    }
}
