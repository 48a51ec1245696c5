//! The floating-point stage: subdivision in time with bounds on the rounding error.
//!
//! An interval of time is dropped when the Bernstein coefficients of one condition of the
//! [system](super::system) show it violated throughout; a hit is certain when the cubic changes sign over the
//! interval while all quadratics of one axis strictly agree in sign. What neither rule settles is split in
//! half, down to a limit, and then left to the [exact stage](super::exact). Every decision is
//! taken outside the rounding error, so both answers are proofs.
//!
//! Nearly always one axis decides, the one that sees most of the points' plane; the others are asked
//! only when the plane turns edge-on.

use super::conditions::{
    AllConditions, Conditions, Doubt, Errors, Projection, Range, Verified, halve, range,
};
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

/// Halvings after which the filter gives up on whether there is a contact.
const FINEST: u32 = 44;
/// Halvings after which a certain contact is not located any better.
const LOCATED: u32 = 34;
/// Halvings below an interval on which the cubic is nothing but rounding error; the other conditions
/// may still exclude a hit there.
const BELOW_NOISE: u32 = 4;
/// Intervals visited before the exact stage is cheaper.
const BUDGET: u32 = 160;

/// A time not later than the first contact, if there is any; an error where that is within rounding.
#[inline]
pub(super) fn first_hit<const N: usize>(
    d: &Differences<f64, N>,
    shape: &Shape<N>,
) -> Result<Option<f64>, Doubt<N>> {
    let errors = Errors::new(d);
    let cubic = d.cubic(shape);
    if range(&cubic, errors.cubic) != Range::Unknown {
        return Ok(None);
    }
    let widest = Projection::widest(d, shape);
    match Search::new(&errors).interval(&cubic, errors.cubic, &widest, Interval::WHOLE) {
        Verdict::Miss => return Ok(None),
        Verdict::Hit(t) => return Ok(Some(t)),
        Verdict::Doubt => {}
    }
    let conditions = AllConditions::new(d, shape);
    if !widest.is_steady(&errors) {
        match Search::new(&errors).interval(&cubic, errors.cubic, &conditions, Interval::WHOLE) {
            Verdict::Miss => return Ok(None),
            Verdict::Hit(t) => return Ok(Some(t)),
            Verdict::Doubt => {}
        }
    }
    Err(Doubt { cubic, conditions, errors })
}

/// An interval of time of length `2^-level`.
#[derive(Clone, Copy)]
struct Interval {
    level: u32,
    begin: f64,
    /// Level at which the search below it gives up.
    limit: u32,
}

impl Interval {
    const WHOLE: Interval = Interval { level: 0, begin: 0.0, limit: FINEST };

    fn halves(self) -> (Self, Self) {
        let left = Interval { level: self.level + 1, ..self };
        // Half of `2^-level`, written by its exponent.
        let half = f64::from_bits(u64::from(1022 - self.level) << 52);
        (left, Interval { begin: self.begin + half, ..left })
    }
}

struct Search<'a> {
    errors: &'a Errors,
    visited: u32,
}

impl<'a> Search<'a> {
    fn new(errors: &'a Errors) -> Self {
        Search { errors, visited: 0 }
    }

    /// The first hit in an interval, over which the coefficients of the cubic are known up to `error`.
    fn interval(
        &mut self,
        cubic: &[f64; 4],
        error: f64,
        conditions: &impl Conditions,
        time: Interval,
    ) -> Verdict {
        self.visited += 1;
        if range(cubic, error) != Range::Unknown {
            return Verdict::Miss;
        }
        match conditions.verify(self.errors, time.level) {
            Verified::Violated => return Verdict::Miss,
            Verified::Certain
                if cubic[0].abs().min(cubic[3].abs()) > error && (cubic[0] > 0.0) != (cubic[3] > 0.0) =>
            {
                return Verdict::Hit(self.first_root(cubic, error, time).unwrap_or(time.begin));
            }
            _ => {}
        }
        let noise = largest(cubic) <= error;
        let limit = if noise { time.limit.min(time.level + BELOW_NOISE) } else { time.limit };
        if time.level >= limit || self.visited > BUDGET {
            return Verdict::Doubt;
        }
        let error = error + halving_error(cubic);
        let (left, right) = halve(cubic);
        let (conditions_left, conditions_right) = conditions.halve();
        let (first, second) = Interval { limit, ..time }.halves();
        match self.interval(&left, error, &conditions_left, first) {
            Verdict::Miss => self.interval(&right, error, &conditions_right, second),
            found => found,
        }
    }

    /// A time not later than the first root of the cubic in an interval; `None` when there is none.
    fn first_root(&mut self, cubic: &[f64; 4], error: f64, time: Interval) -> Option<f64> {
        self.visited += 1;
        if range(cubic, error) != Range::Unknown {
            return None;
        }
        if time.level >= LOCATED || self.visited > 2 * BUDGET {
            return Some(time.begin);
        }
        let error = error + halving_error(cubic);
        let (left, right) = halve(cubic);
        let (first, second) = time.halves();
        self.first_root(&left, error, first).or_else(|| self.first_root(&right, error, second))
    }
}

fn largest(cubic: &[f64; 4]) -> f64 {
    cubic.iter().fold(0.0, |m, c| m.max(c.abs()))
}

/// What halving adds to the error: a rounding in each of three steps. It shrinks with the coefficients.
fn halving_error(cubic: &[f64; 4]) -> f64 {
    2.0 * f64::EPSILON * largest(cubic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_intervals_are_exact() {
        let (left, right) = Interval::WHOLE.halves();
        assert_eq!((left.begin, right.begin, right.level), (0.0, 0.5, 1));
        let (_, right) = Interval { level: 43, begin: 0.25, limit: 44 }.halves();
        assert_eq!(right.begin, 0.25 + 2f64.powi(-44));
    }
}
