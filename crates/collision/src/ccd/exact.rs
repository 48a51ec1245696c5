//! The exact stage: the [system](super::system) in integer arithmetic, for what the filter leaves in doubt.
//!
//! The times at which contact can begin are the roots of the cubic or, when the four points stay coplanar, the start
//! and the roots of the other conditions. Each is an algebraic number, held as a root of a polynomial in an interval, and
//! the conditions are tested there by their exact signs. Work is bounded by the separation of roots: the
//! intervals shrink quadratically, and common roots are recognised by a common divisor.

use num_bigint::BigInt;
use num_traits::Zero;

use super::conditions::{Doubt, Verified};
use super::polynomial::{Polynomial, Root};
use super::system::{Differences, Shape};
use crate::predicates::Sign;

/// Roots are known to `2^-44` of a step before exact signs are asked for.
const FINEST: u32 = 44;
/// Width within which floating point is expected to know a root.
const NEAR: u32 = 40;
/// Distance in time below which two contacts need not be told apart.
const CLOSE: f64 = 1.0 / (1u64 << 40) as f64;
/// Width at which most roots can be told from contacts already.
const COARSE: u32 = 8;

struct System<'a, const N: usize> {
    d: &'a Differences<BigInt, N>,
    shape: &'a Shape<N>,
    /// The same in floating point: it answers whatever is not degenerate.
    doubt: &'a Doubt<N>,
    /// Quadratics, built when first asked for.
    quadratics: [[Option<Polynomial>; N]; 3],
    /// Components of the plane's normal, likewise.
    normals: [Option<Polynomial>; 3],
}

/// A time not later than the first contact, if there is any.
pub(super) fn first_hit<const N: usize>(
    d: &Differences<BigInt, N>,
    shape: &Shape<N>,
    doubt: &Doubt<N>,
) -> Option<f64> {
    let quadratics = std::array::from_fn(|_| std::array::from_fn(|_| None));
    let mut system = System { d, shape, doubt, quadratics, normals: [None, None, None] };
    let cubic = d.cubic(shape);
    if !vanishes(&cubic) {
        return Polynomial::roots(&cubic).into_iter().find_map(|mut root| {
            root.expect_near(|t| doubt.cubic_at(t), NEAR);
            system.holds_at(&mut root).then(|| root.bounds(FINEST).0)
        });
    }
    if system.holds_at(&mut Root::exact(0, 0)) {
        return Some(0.0);
    }
    // Ascending by a lower bound, so that most of those after the first contact need not be looked at.
    let mut roots: Vec<Root> = system.events();
    roots.sort_by(|a, b| a.low().total_cmp(&b.low()));
    let mut first: Option<f64> = None;
    let mut close = f64::NEG_INFINITY;
    for mut root in roots {
        match first {
            Some(t) if root.low() >= t => break,
            // Roots that lie together need not be told apart: the earliest bound holds for all.
            Some(t) if root.bounds(FINEST).0 > close => first = Some(t.min(root.low())),
            _ if system.holds_at(&mut root) => {
                let t = root.bounds(FINEST).0;
                first = Some(first.map_or(t, |f| f.min(t)));
                close = t - CLOSE;
            }
            _ => {}
        }
    }
    first
}

fn vanishes(bernstein: &[BigInt]) -> bool {
    bernstein.iter().all(Zero::is_zero)
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

    /// The component of the plane's normal along an axis, up to a constant factor.
    fn normal(&mut self, axis: usize) -> &Polynomial {
        let (d, shape) = (self.d, self.shape);
        self.normals[axis].get_or_insert_with(|| Polynomial::from_bernstein(&d.normal(shape, axis)))
    }

    /// Whether the quadratics of an axis weakly agree in sign.
    fn agree(&mut self, axis: usize, time: &mut Root) -> bool {
        let (low, high) = time.bounds(FINEST);
        let known = self.doubt.signs(axis, low, high);
        let (mut positive, mut negative) = (false, false);
        for i in 0..N {
            match known[i].unwrap_or_else(|| time.sign_of(self.quadratic(i, axis))) {
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
        for bits in [COARSE, FINEST] {
            let (low, high) = time.bounds(bits);
            match self.doubt.verify(low, high) {
                Verified::Violated => return false,
                Verified::Certain => return true,
                Verified::Open => {}
            }
        }
        // One axis along which the plane projects one to one is enough.
        let (best, sure) = self.doubt.best_axis(time.low());
        for axis in [best, (best + 1) % 3, (best + 2) % 3] {
            if (axis == best && sure) || !time.sign_of(self.normal(axis)).is_zero() {
                return self.agree(axis, time);
            }
        }
        (0..3).all(|axis| self.boxes_meet(axis, time) && self.agree(axis, time))
    }

    /// The times at which contact can begin while the points stay coplanar.
    fn events(&mut self) -> Vec<Root> {
        let (doubt, steady) = (self.doubt, self.doubt.steady_axis());
        let mut events = Vec::new();
        let mut add = |bernstein: &[BigInt], approximation: &dyn Fn(f64) -> f64| {
            if !vanishes(bernstein) {
                let from = events.len();
                events.extend(Polynomial::roots(bernstein));
                events[from..].iter_mut().for_each(|root: &mut Root| root.expect_near(approximation, NEAR));
            }
        };
        for axis in steady.map_or(0..3, |axis| axis..axis + 1) {
            for i in 0..N {
                let (quadratic, line) = doubt.may_vanish(i, axis);
                if quadratic {
                    add(&self.d.quadratic(self.shape, i, axis), &|t| doubt.quadratic_at(i, axis, t));
                }
                if line && steady.is_none() {
                    let ends = self.d.0[i].each_ref().map(|end| end[axis].clone());
                    add(&ends, &|t| doubt.line_at(i, axis, t));
                }
            }
        }
        events
    }
}
