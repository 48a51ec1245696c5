//! The floating-point stage: subdivision in time with bounds on the rounding error.
//!
//! An interval of time is dropped when the Bernstein coefficients of one condition of the
//! [system](super::system) show it violated throughout; a hit is certain when the cubic changes sign over the
//! interval while all quadratics of one axis strictly agree in sign. What neither rule settles is split in
//! half, down to a limit, and then left to the [exact stage](super::exact). Every decision is
//! taken outside the rounding error, so both answers are proofs.

use super::system::{Differences, Shape};

/// What the filter found.
enum Verdict {
    /// No contact during the step.
    Miss,
    /// Contact, and none before this time.
    Hit(f64),
    /// Within rounding error of a contact that may or may not be one.
    Doubt,
}

/// Halvings after which a certain hit is not located any better: `2^-44` of a step.
const FINEST: u32 = 44;
/// Halvings below an interval on which the cubic is nothing but rounding error; the other conditions
/// may still exclude a hit there.
const BELOW_NOISE: u32 = 4;
/// Intervals visited before the exact stage is cheaper.
const BUDGET: u32 = 160;

/// Unit roundoff.
const U: f64 = f64::EPSILON / 2.0;
/// Far above the error of an operation that underflows (`2^-1075`), far below anything else.
const TINY: f64 = f64::MIN_POSITIVE;

/// Bounds on the magnitude of the terms, from which the error bounds follow; `level` counts the halvings.
///
/// With `m` the largest difference per axis, a scaled quadratic is a sum of terms of total magnitude `4 m_j m_k` with at
/// most 5 roundings each, the scaled cubic one of `36 m_x m_y m_z` with at most 10. Halving adds one
/// rounding per de Casteljau step. The constants are rounded up for the second order.
struct Errors {
    line: [f64; 3],
    quadratic: [f64; 3],
    cubic: f64,
}

impl Errors {
    fn new<const N: usize>(d: &Differences<f64, N>) -> Self {
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
            cubic: U * (pair[2] * m[2]) + TINY * (m[0] + m[1] + m[2]),
        }
    }
    fn line(&self, level: u32, axis: usize) -> f64 {
        self.line[axis] * f64::from(2 + 2 * level)
    }
    fn quadratic(&self, level: u32, axis: usize) -> f64 {
        self.quadratic[axis] * f64::from(22 + 9 * level)
    }
    fn cubic(&self, level: u32) -> f64 {
        self.cubic * f64::from(370 + 110 * level)
    }
}

/// Signs that a polynomial takes over an interval, as far as its coefficients and the error bound tell.
#[derive(Clone, Copy, PartialEq)]
enum Range {
    Positive,
    Negative,
    Unknown,
}

#[inline(always)]
fn range<const C: usize>(c: &[f64; C], error: f64) -> Range {
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
fn halve<const C: usize>(c: &[f64; C]) -> ([f64; C], [f64; C]) {
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

/// The conditions beside the cubic, over an interval.
#[derive(Clone)]
pub(super) struct Conditions<const N: usize> {
    quadratics: [[[f64; 3]; N]; 3],
    lines: [[[f64; 2]; N]; 3],
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

impl<const N: usize> Conditions<N> {
    fn new(d: &Differences<f64, N>, shape: &Shape<N>) -> Self {
        Conditions {
            quadratics: [0, 1, 2].map(|axis| std::array::from_fn(|i| d.quadratic(shape, i, axis))),
            lines: [0, 1, 2].map(|axis| d.0.each_ref().map(|v| [v[0][axis], v[1][axis]])),
        }
    }

    fn verify(&self, errors: &Errors, level: u32) -> Verified {
        let mut certain = false;
        for axis in 0..3 {
            let error = errors.line(level, axis);
            let first = range(&self.lines[axis][0], error);
            if first != Range::Unknown && self.lines[axis][1..].iter().all(|c| range(c, error) == first) {
                return Verified::Violated;
            }
            let error = errors.quadratic(level, axis);
            let (mut positive, mut negative) = (0, 0);
            for c in &self.quadratics[axis] {
                match range(c, error) {
                    Range::Positive => positive += 1,
                    Range::Negative => negative += 1,
                    Range::Unknown => {}
                }
            }
            if positive > 0 && negative > 0 {
                return Verified::Violated;
            }
            certain |= positive == N || negative == N;
        }
        if certain { Verified::Certain } else { Verified::Open }
    }

    /// The conditions over `[low, high]`, by blossoming.
    fn restrict(&self, low: f64, high: f64) -> Self {
        let mut part = self.clone();
        let blend = |c: &[f64], t: f64| c[0] * (1.0 - t) + c[1] * t;
        for axis in 0..3 {
            for i in 0..N {
                let c = &self.quadratics[axis][i];
                let polar = |s: f64, t: f64| blend(&[blend(&c[..2], s), blend(&c[1..], s)], t);
                part.quadratics[axis][i] = [polar(low, low), polar(low, high), polar(high, high)];
                let c = &self.lines[axis][i];
                part.lines[axis][i] = [blend(c, low), blend(c, high)];
            }
        }
        part
    }

    fn halve(&self) -> (Self, Self) {
        let (mut left, mut right) = (self.clone(), self.clone());
        for axis in 0..3 {
            for i in 0..N {
                (left.quadratics[axis][i], right.quadratics[axis][i]) = halve(&self.quadratics[axis][i]);
                (left.lines[axis][i], right.lines[axis][i]) = halve(&self.lines[axis][i]);
            }
        }
        (left, right)
    }
}

struct Search {
    errors: Errors,
    visited: u32,
}

/// A query in doubt, as far as floating point knows it.
pub(super) struct Doubt<const N: usize> {
    conditions: Conditions<N>,
    errors: Errors,
}

impl<const N: usize> Doubt<N> {
    /// Rounding of one evaluation between two times, in units of that of a halving, rounded up.
    const LEVEL: u32 = 8;

    /// What the conditions say throughout the interval from `low` to `high`.
    pub fn verify(&self, low: f64, high: f64) -> Verified {
        self.conditions.restrict(low, high).verify(&self.errors, Self::LEVEL)
    }

    /// Whether the quadratic and the linear condition `i` of an axis may have roots during the step.
    pub fn may_vanish(&self, i: usize, axis: usize) -> (bool, bool) {
        let (quadratic, line) = (&self.conditions.quadratics[axis][i], &self.conditions.lines[axis][i]);
        (
            range(quadratic, self.errors.quadratic(0, axis)) == Range::Unknown,
            range(line, self.errors.line(0, axis)) == Range::Unknown,
        )
    }

    /// The axis along which the plane of the points projects best at time `t`, and whether it surely projects one to one.
    pub fn best_axis(&self, t: f64) -> (usize, bool) {
        let at = self.conditions.restrict(t, t);
        let ratio = [0, 1, 2].map(|axis| {
            let normal: f64 = at.quadratics[axis].iter().map(|c| c[0]).sum();
            normal.abs() / (self.errors.quadratic(Self::LEVEL, axis) * (N + 1) as f64)
        });
        let best = (0..3).fold(0, |best, axis| if ratio[axis] > ratio[best] { axis } else { best });
        (best, ratio[best] > 1.0)
    }

    /// An axis along which the plane surely projects one to one throughout the step.
    pub fn steady_axis(&self) -> Option<usize> {
        (0..3).find(|&axis| {
            let normal = [0, 1, 2].map(|c| self.conditions.quadratics[axis].iter().map(|q| q[c]).sum());
            range::<3>(&normal, self.errors.quadratic(Self::LEVEL, axis) * (N + 1) as f64) != Range::Unknown
        })
    }
}

/// A time not later than the first contact, if there is any; an error where that is within rounding.
#[inline]
pub(super) fn first_hit<const N: usize>(
    d: &Differences<f64, N>,
    shape: &Shape<N>,
) -> Result<Option<f64>, Doubt<N>> {
    let errors = Errors::new(d);
    let cubic = d.cubic(shape);
    if range(&cubic, errors.cubic(0)) != Range::Unknown {
        return Ok(None);
    }
    let mut search = Search { errors, visited: 0 };
    let conditions = Conditions::new(d, shape);
    match search.interval(&cubic, &conditions, 0, 0.0, FINEST) {
        Verdict::Miss => Ok(None),
        Verdict::Hit(t) => Ok(Some(t)),
        Verdict::Doubt => Err(Doubt { conditions, errors: search.errors }),
    }
}

impl Search {
    /// The first hit in the interval of length `2^-level` that begins at `begin`.
    fn interval<const N: usize>(
        &mut self,
        cubic: &[f64; 4],
        conditions: &Conditions<N>,
        level: u32,
        begin: f64,
        limit: u32,
    ) -> Verdict {
        self.visited += 1;
        let error = self.errors.cubic(level);
        if range(cubic, error) != Range::Unknown {
            return Verdict::Miss;
        }
        match conditions.verify(&self.errors, level) {
            Verified::Violated => return Verdict::Miss,
            Verified::Certain
                if cubic[0].abs().min(cubic[3].abs()) > error && (cubic[0] > 0.0) != (cubic[3] > 0.0) =>
            {
                return Verdict::Hit(self.first_root(cubic, level, begin).unwrap_or(begin));
            }
            _ => {}
        }
        let noise = cubic.iter().all(|c| c.abs() <= error);
        let limit = if noise { limit.min(level + BELOW_NOISE) } else { limit };
        if level >= limit || self.visited > BUDGET {
            return Verdict::Doubt;
        }
        let (left, right) = halve(cubic);
        let (conditions_left, conditions_right) = conditions.halve();
        match self.interval(&left, &conditions_left, level + 1, begin, limit) {
            Verdict::Miss => {}
            found => return found,
        }
        let middle = begin + half_length(level);
        self.interval(&right, &conditions_right, level + 1, middle, limit)
    }

    /// A time not later than the first root of the cubic in an interval; `None` when there is none.
    fn first_root(&mut self, cubic: &[f64; 4], level: u32, begin: f64) -> Option<f64> {
        self.visited += 1;
        if range(cubic, self.errors.cubic(level)) != Range::Unknown {
            return None;
        }
        if level >= FINEST || self.visited > 2 * BUDGET {
            return Some(begin);
        }
        let (left, right) = halve(cubic);
        self.first_root(&left, level + 1, begin)
            .or_else(|| self.first_root(&right, level + 1, begin + half_length(level)))
    }
}

/// Half of `2^-level`.
fn half_length(level: u32) -> f64 {
    f64::from_bits(u64::from(1022 - level) << 52)
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
        assert_eq!((half_length(0), half_length(3)), (0.5, 0.0625));
    }
}
