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
    if range(&cubic, errors.cubic(0)) != Range::Unknown {
        return Ok(None);
    }
    let widest = Projection::widest(d, shape);
    match Search::new(&errors).interval(&cubic, &widest, 0, 0.0, FINEST) {
        Verdict::Miss => return Ok(None),
        Verdict::Hit(t) => return Ok(Some(t)),
        Verdict::Doubt => {}
    }
    let conditions = AllConditions::new(d, shape);
    if !widest.is_steady(&errors) {
        match Search::new(&errors).interval(&cubic, &conditions, 0, 0.0, FINEST) {
            Verdict::Miss => return Ok(None),
            Verdict::Hit(t) => return Ok(Some(t)),
            Verdict::Doubt => {}
        }
    }
    Err(Doubt { conditions, errors })
}

struct Search<'a> {
    errors: &'a Errors,
    visited: u32,
}

impl<'a> Search<'a> {
    fn new(errors: &'a Errors) -> Self {
        Search { errors, visited: 0 }
    }

    /// The first hit in the interval of length `2^-level` that begins at `begin`.
    fn interval(
        &mut self,
        cubic: &[f64; 4],
        conditions: &impl Conditions,
        level: u32,
        begin: f64,
        limit: u32,
    ) -> Verdict {
        self.visited += 1;
        let error = self.errors.cubic(level);
        if range(cubic, error) != Range::Unknown {
            return Verdict::Miss;
        }
        match conditions.verify(self.errors, level) {
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
        if level >= LOCATED || self.visited > 2 * BUDGET {
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
    fn lengths_of_intervals_are_powers_of_two() {
        assert_eq!((half_length(0), half_length(3), half_length(43)), (0.5, 0.0625, 2f64.powi(-44)));
    }
}
