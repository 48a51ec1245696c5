//! Orderings along a space-filling curve: what is near in space becomes near in memory.

use glam::DVec3;
use rayon::prelude::*;

/// Sorts points along a Hilbert curve through their bounding box, 21 bits an axis.
///
/// Returns `order` with `order[new] = old`. Ties (equal cells) keep the given order, so the result does
/// not depend on the number of threads. The curve is invariant under uniform scaling and translation up
/// to rounding. Non-finite points are not expected.
pub fn hilbert_order(points: &[DVec3]) -> Vec<u32> {
    let (low, high) =
        points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), &p| (l.min(p), h.max(p)));
    let extent = (high - low).max_element();
    let scale = if extent > 0.0 { ((1u32 << 21) - 1) as f64 / extent } else { 0.0 };
    let mut keyed: Vec<(u64, u32)> = points
        .par_iter()
        .enumerate()
        .map(|(i, &p)| {
            let c = (p - low) * scale;
            (hilbert_key([c.x as u32, c.y as u32, c.z as u32]), i as u32)
        })
        .collect();
    keyed.par_sort_unstable();
    keyed.into_iter().map(|(_, i)| i).collect()
}

/// The inverse of a permutation: `inverse[order[i]] = i`.
pub fn inverse(order: &[u32]) -> Vec<u32> {
    let mut inv = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        inv[old as usize] = new as u32;
    }
    inv
}

/// Position along the Hilbert curve of a cell of 21 bits an axis.
///
/// Source: J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707 (2004), axes to transpose.
pub fn hilbert_key(mut x: [u32; 3]) -> u64 {
    const BITS: u32 = 21;
    let top = 1u32 << (BITS - 1);
    let mut q = top;
    while q > 1 {
        let p = q - 1;
        for i in 0..3 {
            if x[i] & q != 0 {
                x[0] ^= p;
            } else {
                let t = (x[0] ^ x[i]) & p;
                x[0] ^= t;
                x[i] ^= t;
            }
        }
        q >>= 1;
    }
    x[1] ^= x[0];
    x[2] ^= x[1];
    let mut t = 0;
    let mut q = top;
    while q > 1 {
        if x[2] & q != 0 {
            t ^= q - 1;
        }
        q >>= 1;
    }
    let mut key = 0u64;
    for bit in (0..BITS).rev() {
        for xi in x {
            key = key << 1 | ((xi ^ t) >> bit & 1) as u64;
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_visits_every_cell_and_moves_one_step_at_a_time() {
        let n = 8u32;
        let mut cells: Vec<[u32; 3]> = (0..n * n * n).map(|i| [i % n, i / n % n, i / (n * n)]).collect();
        cells.sort_by_key(|&c| hilbert_key(c));
        for w in cells.windows(2) {
            let step: u32 = (0..3).map(|k| w[0][k].abs_diff(w[1][k])).sum();
            assert_eq!(step, 1, "{:?} to {:?}", w[0], w[1]);
        }
    }

    #[test]
    fn order_is_a_permutation_that_scaling_does_not_change() {
        let points: Vec<DVec3> = (0..500u32)
            .map(|i| DVec3::new((i * 37 % 101) as f64, (i * 53 % 97) as f64, (i * 71 % 89) as f64))
            .collect();
        let order = hilbert_order(&points);
        let mut seen = order.clone();
        seen.sort_unstable();
        assert!(seen.iter().copied().eq(0..500));
        let scaled: Vec<DVec3> = points.iter().map(|&p| p * 1024.0).collect();
        assert_eq!(order, hilbert_order(&scaled));
        assert_eq!(inverse(&inverse(&order)), order);
    }
}
