//! Polynomials with integer coefficients, and their real roots as intervals with dyadic ends.

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use crate::predicates::Sign;

/// A polynomial in the power basis, lowest power first, without leading zeros; empty for zero.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Polynomial(Vec<BigInt>);

/// The sign of an integer.
pub(super) fn sign(x: &BigInt) -> Sign {
    match x.sign() {
        num_bigint::Sign::Minus => Sign::Negative,
        num_bigint::Sign::NoSign => Sign::Zero,
        num_bigint::Sign::Plus => Sign::Positive,
    }
}

impl Polynomial {
    fn new(mut c: Vec<BigInt>) -> Self {
        while c.last().is_some_and(Zero::is_zero) {
            c.pop();
        }
        Polynomial(c)
    }

    /// From Bernstein coefficients over \[0, 1\], degree at most 3.
    pub fn from_bernstein(b: &[BigInt]) -> Self {
        // Power coefficient k is binomial(d, k) times the k-th forward difference at 0.
        let degree = b.len() - 1;
        let mut row = b.to_vec();
        let mut c = Vec::with_capacity(b.len());
        let mut binomial = 1u32;
        for k in 0..=degree {
            c.push(&row[0] * binomial);
            for i in 0..degree - k {
                row[i] = &row[i + 1] - &row[i];
            }
            binomial = binomial * (degree - k) as u32 / (k as u32 + 1);
        }
        Polynomial::new(c)
    }

    /// Positive multiples of the Bernstein coefficients over \[0, 1\] (the common factor is the factorial of the degree).
    fn to_bernstein(&self) -> Vec<BigInt> {
        let d = self.degree();
        let binomial = |n: usize, k: usize| (0..k).fold(1u32, |b, i| b * (n - i) as u32 / (i as u32 + 1));
        let factorial = (1..=d as u32).product::<u32>();
        (0..=d)
            .map(|j| (0..=j).map(|i| &self.0[i] * (factorial * binomial(j, i) / binomial(d, i))).sum())
            .collect()
    }

    /// Whether all coefficients vanish.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// `2^(shift * degree)` times the value at `n / 2^shift`.
    fn at(&self, n: &BigInt, shift: u32) -> BigInt {
        let d = self.degree();
        let mut value = BigInt::zero();
        for (i, c) in self.0.iter().enumerate().rev() {
            value = value * n + (c << (shift as usize * (d - i)));
        }
        value
    }

    /// The sign just after `n / 2^shift`: that of the first derivative which does not vanish there.
    fn sign_after(&self, n: &BigInt, shift: u32) -> Sign {
        match sign(&self.at(n, shift)) {
            Sign::Zero if !self.is_zero() => self.derivative().sign_after(n, shift),
            s => s,
        }
    }

    fn derivative(&self) -> Self {
        Polynomial(self.0.iter().enumerate().skip(1).map(|(i, c)| c * i).collect())
    }

    /// Quotient and remainder of a positive or negative multiple of `self` by `divisor`.
    fn divide(&self, divisor: &Self) -> (Self, Self) {
        let mut rest = self.0.clone();
        let (lead, low) = divisor.0.split_last().expect("division by the zero polynomial");
        let mut quotient = vec![BigInt::zero(); (rest.len() + 1).saturating_sub(divisor.0.len())];
        while rest.len() >= divisor.0.len() {
            let top = rest.pop().expect("as long as the divisor");
            let offset = rest.len() - low.len();
            rest.iter_mut().for_each(|c| *c *= lead);
            quotient.iter_mut().for_each(|c| *c *= lead);
            for (c, d) in rest[offset..].iter_mut().zip(low) {
                *c -= &top * d;
            }
            quotient[offset] = top;
        }
        (Polynomial::new(quotient), Polynomial::new(rest))
    }

    /// A greatest common divisor, up to a constant factor.
    fn gcd(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            let r = a.divide(&b).1;
            a = std::mem::replace(&mut b, r);
        }
        a
    }

    /// A polynomial with the same roots, all simple.
    fn square_free(&self) -> Self {
        let common = self.gcd(&self.derivative());
        if common.degree() == 0 { self.clone() } else { self.divide(&common).0 }
    }

    /// Sign changes in the coefficients of the Bernstein form, zeros left out.
    fn variations(b: &[BigInt]) -> usize {
        let mut signs = b.iter().map(sign).filter(|s| !s.is_zero());
        let Some(mut last) = signs.next() else { return 0 };
        signs.filter(|&s| std::mem::replace(&mut last, s) != s).count()
    }

    /// All distinct roots in \[0, 1\], ascending, of the polynomial with Bernstein coefficients `b`, not all zero, degree at
    /// most 3.
    ///
    /// Method: Vincent, Collins, Akritas: bisection until the Bernstein form has at most one sign change.
    pub fn roots(b: &[BigInt]) -> Vec<Root> {
        // A multiple root is never isolated: only where that takes long are they made simple.
        let (mut found, mut power) = (Vec::new(), None);
        if isolate(b, BigInt::zero(), 0, PATIENCE, &mut found).is_none() {
            let simple = Polynomial::from_bernstein(b).square_free();
            found.clear();
            isolate(&simple.to_bernstein(), BigInt::zero(), 0, u32::MAX, &mut found)
                .expect("bisection isolates simple roots");
            power = Some(simple);
        }
        let mut roots = Vec::new();
        if b[0].is_zero() {
            roots.push(Root::exact(0, 0));
        }
        if !found.is_empty() {
            let p = power.unwrap_or_else(|| Polynomial::from_bernstein(b));
            roots.extend(found.into_iter().map(|(low, high, shift)| Root::new(p.clone(), low, high, shift)));
        }
        if b[b.len() - 1].is_zero() {
            roots.push(Root::exact(1, 0));
        }
        roots
    }
}

/// Halvings before multiple roots are suspected.
const PATIENCE: u32 = 12;

/// Appends the isolating intervals of the roots inside the open interval `(n, n + 1) / 2^shift`; `None` when it takes more
/// than `depth` halvings.
fn isolate(
    b: &[BigInt],
    n: BigInt,
    shift: u32,
    depth: u32,
    found: &mut Vec<(BigInt, BigInt, u32)>,
) -> Option<()> {
    match Polynomial::variations(b) {
        0 => {}
        1 => found.push((n.clone(), n + 1, shift)),
        _ if depth == 0 => return None,
        _ => {
            // De Casteljau without the halves, which scales each row by 2: rows are brought to one scale.
            let d = b.len() - 1;
            let mut row = b.to_vec();
            let (mut left, mut right) = (vec![&row[0] << d], vec![&row[d] << d]);
            for k in 1..=d {
                for i in 0..=d - k {
                    row[i] = &row[i] + &row[i + 1];
                }
                left.push(&row[0] << (d - k));
                right.push(&row[d - k] << (d - k));
            }
            right.reverse();
            let (n, shift) = (n * 2, shift + 1);
            let middle: BigInt = &n + 1;
            isolate(&left, n, shift, depth - 1, found)?;
            if right[0].is_zero() {
                found.push((middle.clone(), middle.clone(), shift));
            }
            isolate(&right, middle, shift, depth - 1, found)?;
        }
    }
    Some(())
}

/// A root of a polynomial: an open interval `(low, high) / 2^shift` that holds no other, or the exact value when
/// `low == high`.
#[derive(Clone, Debug)]
pub(super) struct Root {
    polynomial: Polynomial,
    low: BigInt,
    high: BigInt,
    shift: u32,
    /// Values at the ends, at one scale; of opposite sign unless the root is exact.
    at_low: BigInt,
    at_high: BigInt,
    /// Logarithm of the number of parts that the next refinement tries.
    stride: u32,
}

impl Root {
    /// An exact dyadic time `n / 2^shift`.
    pub fn exact(n: i64, shift: u32) -> Self {
        let n = BigInt::from(n);
        Root::new(Polynomial(Vec::new()), n.clone(), n, shift)
    }

    fn new(polynomial: Polynomial, low: BigInt, high: BigInt, shift: u32) -> Self {
        let (at_low, at_high) = (polynomial.at(&low, shift), polynomial.at(&high, shift));
        let mut root = Root { polynomial, low, high, shift, at_low, at_high, stride: 2 };
        // An end may be another root of the polynomial.
        while !root.is_exact() && (root.at_low.is_zero() || root.at_high.is_zero()) {
            root.bisect();
        }
        root
    }

    fn is_exact(&self) -> bool {
        self.low == self.high
    }

    /// Halves the interval.
    fn bisect(&mut self) {
        let scale = self.polynomial.degree();
        self.shift += 1;
        self.low <<= 1;
        self.high <<= 1;
        let middle: BigInt = (&self.low + &self.high) / 2;
        let value = self.polynomial.at(&middle, self.shift);
        self.at_low <<= scale;
        self.at_high <<= scale;
        let low_sign = self.polynomial.sign_after(&self.low, self.shift);
        match sign(&value) {
            Sign::Zero => {
                (self.low, self.high) = (middle.clone(), middle);
                (self.at_low, self.at_high) = (BigInt::zero(), BigInt::zero());
            }
            s if s == low_sign => (self.low, self.at_low) = (middle, value),
            _ => (self.high, self.at_high) = (middle, value),
        }
    }

    /// Narrows the interval to about `2^-bits` at once if an approximation to the polynomial, of any scale, tells where
    /// the root is.
    pub fn expect_near(&mut self, approximation: impl Fn(f64) -> f64, bits: u32) {
        if self.is_exact() || bits <= self.shift {
            return;
        }
        let (mut low, mut high) = (self.floor(&self.low), self.floor(&self.high));
        let rising = approximation(high) > approximation(low);
        for _ in 0..bits {
            let middle = 0.5 * (low + high);
            if (approximation(middle) > 0.0) == rising {
                high = middle;
            } else {
                low = middle;
            }
        }
        let part = (low * (1u64 << bits) as f64) as i64;
        let (low, high) = (BigInt::from(part - 1), BigInt::from(part + 2));
        let finer = bits - self.shift;
        if low > &self.low << finer && high < &self.high << finer {
            let (at_low, at_high) = (self.polynomial.at(&low, bits), self.polynomial.at(&high, bits));
            if !at_low.is_zero() && sign(&at_low) == -sign(&at_high) {
                (self.low, self.high, self.shift) = (low, high, bits);
                (self.at_low, self.at_high) = (at_low, at_high);
                self.stride = bits / 2;
            }
        }
    }

    /// Narrows the interval: quadratic interval refinement (Abbott 2006), which doubles the number of known bits once
    /// the polynomial is nearly linear.
    fn refine(&mut self) {
        if self.is_exact() {
            return;
        }
        if self.stride <= 1 {
            self.bisect();
            self.stride = 2;
            return;
        }
        let (s, d) = (self.stride as usize, self.polynomial.degree());
        let shift = self.shift + self.stride;
        let step = &self.high - &self.low;
        // Linear interpolation names one of 2^s parts, each `step` long at the finer scale.
        let part: BigInt = (&self.at_low << s) / (&self.at_low - &self.at_high);
        let part = part.min((BigInt::from(1) << s) - 1);
        let low = (&self.low << s) + part * &step;
        let high = &low + &step;
        let (at_low, at_high) = (self.polynomial.at(&low, shift), self.polynomial.at(&high, shift));
        let (sign_low, sign_high) = (sign(&at_low), sign(&at_high));
        if sign_low.is_zero() || sign_high.is_zero() {
            let exact = if sign_low.is_zero() { low } else { high };
            (self.low, self.high, self.shift) = (exact.clone(), exact, shift);
            (self.at_low, self.at_high) = (BigInt::zero(), BigInt::zero());
        } else if sign_low != sign_high {
            (self.low, self.high, self.shift) = (low, high, shift);
            (self.at_low, self.at_high) = (at_low, at_high);
            self.stride = (self.stride * 2).min(64);
        } else {
            // The root is before or after the part: keep that side, which costs nothing.
            let same_as_low = sign_low == sign(&self.at_low);
            self.at_low <<= s * d;
            self.at_high <<= s * d;
            self.low <<= s;
            self.high <<= s;
            self.shift = shift;
            if same_as_low {
                (self.low, self.at_low) = (high, at_high);
            } else {
                (self.high, self.at_high) = (low, at_low);
            }
            self.stride /= 2;
        }
    }

    /// Whether the interval is longer than `2^-bits`.
    fn wider_than(&self, bits: u32) -> bool {
        let length = &self.high - &self.low;
        !length.is_zero() && length.bits() as i64 > i64::from(self.shift) - i64::from(bits)
    }

    /// Times not later and not earlier than the root, less than `2^-bits` apart but for the rounding to `f64`.
    pub fn bounds(&mut self, bits: u32) -> (f64, f64) {
        while self.wider_than(bits) {
            self.refine();
        }
        (
            self.floor(&self.low),
            if self.is_exact() && self.low.bits() <= 53 {
                self.floor(&self.low)
            } else {
                self.floor(&self.high).next_up()
            },
        )
    }

    /// A time not later than the root, as far as it is known.
    pub fn low(&self) -> f64 {
        self.floor(&self.low)
    }

    /// `n / 2^shift` rounded towards zero.
    fn floor(&self, n: &BigInt) -> f64 {
        let excess = n.bits().saturating_sub(53) as i32;
        let mantissa = (n >> excess).to_f64().expect("53 bits fit");
        // In two factors: the power alone may underflow.
        let exponent = excess - self.shift as i32;
        mantissa * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
    }

    /// The exact sign of another polynomial at the root.
    pub fn sign_of(&mut self, g: &Polynomial) -> Sign {
        if g.is_zero() {
            return Sign::Zero;
        }
        if self.is_exact() {
            return sign(&g.at(&self.low, self.shift));
        }
        let mut common_excluded = false;
        loop {
            if self.is_exact() {
                return sign(&g.at(&self.low, self.shift));
            }
            if let Some(s) = self.sign_over(g) {
                return s;
            }
            if !common_excluded && !self.wider_than(60) {
                let common = self.polynomial.gcd(g);
                // The ends are no roots of the polynomial, hence none of its divisor.
                if common.degree() > 0 {
                    let ends = [&self.low, &self.high].map(|n| sign(&common.at(n, self.shift)));
                    if ends[0] != ends[1] {
                        return Sign::Zero;
                    }
                }
                common_excluded = true;
            }
            self.refine();
        }
    }

    /// The sign of `g` if it is the same throughout the interval, ends included.
    fn sign_over(&self, g: &Polynomial) -> Option<Sign> {
        let ends = sign(&g.at(&self.low, self.shift));
        if ends.is_zero() || sign(&g.at(&self.high, self.shift)) != ends {
            return None;
        }
        match g.degree() {
            0 | 1 => Some(ends),
            2 => {
                // The middle Bernstein coefficient, the polar form at both ends.
                let (k, c) = (self.shift as usize, &g.0);
                let polar = (&c[0] << (2 * k + 1))
                    + ((&c[1] * (&self.low + &self.high)) << k)
                    + ((&c[2] * &self.low * &self.high) << 1);
                (sign(&polar) == ends).then_some(ends)
            }
            _ => unreachable!("conditions are quadratic at most"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poly(c: &[i64]) -> Polynomial {
        Polynomial::new(c.iter().map(|&x| BigInt::from(x)).collect())
    }

    fn product(a: &Polynomial, b: &Polynomial) -> Polynomial {
        let mut c = vec![BigInt::zero(); a.0.len() + b.0.len() - 1];
        for (i, x) in a.0.iter().enumerate() {
            for (j, y) in b.0.iter().enumerate() {
                c[i + j] += x * y;
            }
        }
        Polynomial::new(c)
    }

    #[test]
    fn bernstein_and_power_form_agree() {
        for c in [&[5, -3, 2, 7][..], &[1, 4, -9], &[2, -5], &[3]] {
            let factorial: i64 = (1..c.len() as i64).product();
            let scaled: Vec<i64> = c.iter().map(|x| x * factorial).collect();
            assert_eq!(Polynomial::from_bernstein(&poly(c).to_bernstein()), poly(&scaled));
        }
    }

    #[test]
    fn roots_are_found_once_each_and_in_order() {
        // Factors (b t - a) have the root a / b; repeated ones, the ends of the range and roots outside included.
        let factors = [(0, 1), (1, 1), (1, 3), (1, 2), (2, 3), (3, 2), (-1, 4), (1, 1 << 40), (333, 1000)];
        for x in factors {
            for y in factors {
                for z in factors {
                    let linear = |(a, b): (i64, i64)| poly(&[-a, b]);
                    let p = product(&product(&linear(x), &linear(y)), &linear(z));
                    let mut expected: Vec<f64> = [x, y, z]
                        .iter()
                        .map(|&(a, b)| a as f64 / b as f64)
                        .filter(|r| (0.0..=1.0).contains(r))
                        .collect();
                    expected.sort_by(f64::total_cmp);
                    expected.dedup();
                    let mut roots = Polynomial::roots(&p.to_bernstein());
                    assert_eq!(roots.len(), expected.len(), "{x:?} {y:?} {z:?}");
                    for (root, &e) in roots.iter_mut().zip(&expected) {
                        let (t, above) = root.bounds(50);
                        assert!(t <= e && e <= above && above - t <= 2f64.powi(-49), "{t} {above} for {e}");
                        for w in factors {
                            let at = w.1 as f64 * e - w.0 as f64;
                            let s = root.sign_of(&product(&linear(w), &poly(&[1, 1])));
                            assert_eq!(s, Sign::of(if at.abs() < 1e-14 { 0.0 } else { at }), "{w:?} at {e}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn signs_are_exact_next_to_an_irrational_root() {
        // The root of 2 t^2 - 1 against rational numbers that agree with it to 18 digits, and against itself.
        let mut root = Polynomial::roots(&poly(&[-1, 0, 2]).to_bernstein()).remove(0);
        let near = 707_106_781_186_547_524;
        let scale = 1_000_000_000_000_000_000;
        assert_eq!(root.sign_of(&poly(&[-near, scale])), Sign::Positive);
        assert_eq!(root.sign_of(&poly(&[-near - 1, scale])), Sign::Negative);
        assert_eq!(root.sign_of(&poly(&[3, 0, -6])), Sign::Zero);
        assert_eq!(root.sign_of(&poly(&[])), Sign::Zero);
    }
}
