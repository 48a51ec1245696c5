//! The exact stage: the [system](super::system) in integer arithmetic, for what the filter leaves in doubt.
//!
//! The times at which contact can begin are the roots of the cubic or, when the four points stay coplanar, the start
//! and the roots of the other conditions. Each is an algebraic number, held as a root of a polynomial in an interval, and
//! the conditions are tested there by their exact signs. Work is bounded by the separation of roots: the
//! intervals shrink quadratically, and common roots are recognised by a common divisor.

use num_bigint::BigInt;

use super::number::Number;
use super::polynomial::{Polynomial, Root};
use super::system::{Differences, Shape};
use crate::predicates::Sign;

/// Relative width to which a time of impact is located: `2^-44` of a step.
const FINEST: u32 = 44;

struct System<'a, const N: usize> {
    d: &'a Differences<BigInt, N>,
    shape: &'a Shape<N>,
    /// Quadratics, built when first asked for.
    quadratics: [[Option<Polynomial>; N]; 3],
}

/// A time not later than the first contact, if there is any.
pub(super) fn first_hit<const N: usize>(d: &Differences<BigInt, N>, shape: &Shape<N>) -> Option<f64> {
    let mut system = System { d, shape, quadratics: std::array::from_fn(|_| std::array::from_fn(|_| None)) };
    let cubic = Polynomial::from_bernstein(&d.cubic(shape));
    if !cubic.is_zero() {
        return cubic
            .roots()
            .into_iter()
            .find_map(|mut root| system.holds_at(&mut root).then(|| root.lower_bound(FINEST)));
    }
    if system.holds_at(&mut Root::exact(0, 0)) {
        return Some(0.0);
    }
    system
        .events()
        .into_iter()
        .flat_map(Polynomial::roots)
        .filter_map(|mut root| system.holds_at(&mut root).then(|| root.lower_bound(FINEST)))
        .min_by(f64::total_cmp)
}

impl<const N: usize> System<'_, N> {
    fn quadratic(&mut self, i: usize, axis: usize) -> &Polynomial {
        let (d, shape) = (self.d, self.shape);
        self.quadratics[axis][i]
            .get_or_insert_with(|| Polynomial::from_bernstein(&d.quadratic(shape, i, axis)))
    }

    fn line(&self, i: usize, axis: usize) -> Polynomial {
        let [start, end] = &self.d.0[i];
        Polynomial::from_bernstein(&[start[axis].clone(), end[axis].clone()])
    }

    /// The sum of the quadratics of an axis: the component of the plane's normal.
    fn normal(&self, axis: usize) -> Polynomial {
        let sum = (0..N)
            .map(|i| self.d.quadratic(self.shape, i, axis))
            .reduce(|a, b| [0, 1, 2].map(|c| a[c].add(&b[c])))
            .expect("N > 0");
        Polynomial::from_bernstein(&sum)
    }

    /// Whether the quadratics of an axis weakly agree in sign.
    fn agree(&mut self, axis: usize, time: &mut Root) -> bool {
        let (mut positive, mut negative) = (false, false);
        for i in 0..N {
            match time.sign_of(self.quadratic(i, axis)) {
                Sign::Positive => positive = true,
                Sign::Negative => negative = true,
                Sign::Zero => {}
            }
            if positive && negative {
                return false;
            }
        }
        true
    }

    /// Whether the bounding boxes meet in an axis.
    fn boxes_meet(&self, axis: usize, time: &mut Root) -> bool {
        let first = time.sign_of(&self.line(0, axis));
        first.is_zero() || (1..N).any(|i| time.sign_of(&self.line(i, axis)) != first)
    }

    /// Whether the points, coplanar at that time, are in contact.
    fn holds_at(&mut self, time: &mut Root) -> bool {
        // One axis along which the plane projects one to one is enough.
        for axis in 0..3 {
            if !time.sign_of(&self.normal(axis)).is_zero() {
                return self.agree(axis, time);
            }
        }
        (0..3).all(|axis| self.boxes_meet(axis, time) && self.agree(axis, time))
    }

    /// The polynomials at whose roots a condition can begin to hold while the points stay coplanar.
    fn events(&mut self) -> Vec<Polynomial> {
        let mut events = Vec::new();
        for axis in 0..3 {
            for i in 0..N {
                events.push(self.quadratic(i, axis).clone());
                events.push(self.line(i, axis));
            }
        }
        events.retain(|p| !p.is_zero());
        events
    }
}
