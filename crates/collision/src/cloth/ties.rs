//! Orientation without ties: where points lie in one plane, a symbolic perturbation decides.
//!
//! Coordinate `j` of vertex `i` is thought to be larger by a positive amount that is smaller than any product of amounts that
//! come before it, in the order (0,x), (0,y), (0,z), (1,x) …. The determinant is then a polynomial in the amounts with
//! coefficients that are minors of the matrix; the first one that does not vanish, in order of the size of its amounts,
//! decides. Each product of amounts takes one coordinate of each vertex and each axis at most once; the last one left is a
//! constant, so that there always is an answer, and it is the one of a single perturbed position of all vertices:
//! answers of different calls agree with each other.
//!
//! Because a vertex with a lower index moves by more than all later ones together, sheets that lie exactly on each other come
//! out as separate, the earlier one displaced.
//!
//! Source: H. Edelsbrunner, E. P. Mücke, "Simulation of Simplicity", ACM Transactions on Graphics 9 (1990).

use glam::{DVec2, DVec3};

use crate::predicates::{Sign, orient2d, orient3d};

/// A point and the index of its vertex.
pub(super) type Labelled = (u32, DVec3);

/// Whether `det(b-a, c-a, d-a)` is positive, ties decided by the indices, which must differ.
#[inline]
pub(super) fn is_positive(a: Labelled, b: Labelled, c: Labelled, d: Labelled) -> bool {
    match orient3d(a.1, b.1, c.1, d.1) {
        Sign::Positive => true,
        Sign::Negative => false,
        Sign::Zero => tie([a, b, c, d]) == Sign::Positive,
    }
}

/// Whether the edge `pq` pierces the triangle `abc`; all five indices must differ.
#[inline]
pub(super) fn pierces(p: Labelled, q: Labelled, [a, b, c]: [Labelled; 3]) -> bool {
    if is_positive(a, b, c, p) == is_positive(a, b, c, q) {
        return false;
    }
    let turn = is_positive(p, q, a, b);
    turn == is_positive(p, q, b, c) && turn == is_positive(p, q, c, a)
}

/// The sign of four points in one plane.
#[cold]
#[inline(never)]
fn tie(mut points: [Labelled; 4]) -> Sign {
    // By ascending index; each swap turns the sign.
    let mut negate = false;
    for i in 1..4 {
        let mut j = i;
        while j > 0 && points[j - 1].0 > points[j].0 {
            points.swap(j - 1, j);
            negate = !negate;
            j -= 1;
        }
    }
    // det [p 1] of the four rows is the negative of the orientation.
    let rows = points.map(|(_, p)| p.to_array());
    for mask in 1u32..1 << 12 {
        if let Some(sign) = coefficient(&rows, mask)
            && !sign.is_zero()
        {
            return if negate { sign } else { -sign };
        }
    }
    unreachable!("the last coefficients are constants")
}

/// Sign of the coefficient of the amounts in `mask` (bit `3 row + axis`) in `det [p 1]`; none where two are of one row or axis.
fn coefficient(rows: &[[f64; 3]; 4], mask: u32) -> Option<Sign> {
    let (mut row_left, mut row_count) = ([0, 1, 2, 3], 4);
    let (mut axis_left, mut axis_count) = ([0, 1, 2], 3);
    let mut negate = false;
    let mut bits = mask;
    while bits != 0 {
        let bit = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        let row = row_left[..row_count].iter().position(|&r| r == bit / 3)?;
        let axis = axis_left[..axis_count].iter().position(|&a| a == bit % 3)?;
        negate ^= (row + axis) % 2 == 1;
        row_left.copy_within(row + 1..row_count, row);
        axis_left.copy_within(axis + 1..axis_count, axis);
        row_count -= 1;
        axis_count -= 1;
    }
    let at = |r: usize, a: usize| rows[row_left[r]][axis_left[a]];
    let sign = match axis_count {
        2 => {
            let corner = |r| DVec2::new(at(r, 0), at(r, 1));
            orient2d(corner(0), corner(1), corner(2))
        }
        1 => Sign::of(if at(0, 0) == at(1, 0) { 0.0 } else { at(0, 0) - at(1, 0) }),
        _ => Sign::Positive,
    };
    Some(if negate { -sign } else { sign })
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use num_traits::Signed;
    use proptest::prelude::*;

    /// `det(b-a, c-a, d-a)` with integer points moved by real amounts, each far smaller than the products before it.
    fn oracle(points: [(u32, [i64; 3]); 4]) -> bool {
        let mut order: Vec<u32> = points.iter().map(|p| p.0).collect();
        order.sort_unstable();
        // Amount k is 2^(-8 · 2^k); everything is scaled by 2^(8 · 2^12).
        const UNIT: u32 = 8 << 12;
        let moved = points.map(|(i, p)| {
            let rank = order.iter().position(|&o| o == i).unwrap() as u32;
            [0, 1, 2].map(|axis| {
                let k = 3 * rank + axis as u32;
                (BigInt::from(p[axis]) << UNIT) + (BigInt::from(1) << (UNIT - (8u32 << k)))
            })
        });
        let [a, b, c, d] = &moved;
        let sub = |u: &[BigInt; 3]| [0, 1, 2].map(|i| &u[i] - &a[i]);
        let (u, v, w) = (sub(b), sub(c), sub(d));
        let minor = |i: usize, j: usize| &v[i] * &w[j] - &v[j] * &w[i];
        let det = &u[0] * minor(1, 2) + &u[1] * minor(2, 0) + &u[2] * minor(0, 1);
        assert!(!det.is_negative() || det != BigInt::from(0));
        det.is_positive()
    }

    fn labelled((i, p): (u32, [i64; 3])) -> Labelled {
        (i, DVec3::from_array(p.map(|x| x as f64)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn ties_are_those_of_a_real_perturbation(
            p in [[-1i64..2, -1i64..2, -1i64..2], [-1i64..2, -1i64..2, -1i64..2], [-1i64..2, -1i64..2, -1i64..2],
                [-1i64..2, -1i64..2, -1i64..2]],
            order in Just([2u32, 7, 11, 30]).prop_shuffle(),
        ) {
            let points: [_; 4] = std::array::from_fn(|k| (order[k], p[k]));
            let [a, b, c, d] = points.map(labelled);
            let positive = is_positive(a, b, c, d);
            prop_assert_eq!(positive, oracle(points));
            // Swapping two turns the sign, also where all four points are one.
            prop_assert_ne!(positive, is_positive(b, a, c, d));
            prop_assert_ne!(positive, is_positive(a, b, d, c));
        }
    }

    #[test]
    fn coincident_points_have_an_orientation() {
        let p = |i| (i, DVec3::ZERO);
        assert_ne!(is_positive(p(0), p(1), p(2), p(3)), is_positive(p(1), p(0), p(2), p(3)));
    }
}
