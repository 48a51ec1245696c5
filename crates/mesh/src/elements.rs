//! What can be wrong with single elements: flat, there before; and vertices without any.

use glam::DVec3;
use rayon::prelude::*;

use crate::signed_volume;

/// Whether a volume is zero up to the rounding of its computation (relative to its own edges).
pub(crate) fn is_flat_tet([a, b, c, d]: [DVec3; 4]) -> bool {
    let scale = (b - a).length() * (c - a).length() * (d - a).length();
    let volume = 6.0 * signed_volume([a, b, c, d]).abs();
    volume.is_nan() || volume <= 8.0 * f64::EPSILON * scale
}

/// Whether an area is zero up to the rounding of its computation (relative to its own edges).
pub(crate) fn is_flat_triangle([a, b, c]: [DVec3; 3]) -> bool {
    let (u, v) = (b - a, c - a);
    let area = u.cross(v).length();
    area.is_nan() || area <= 4.0 * f64::EPSILON * u.length() * v.length()
}

/// Elements whose vertices, in any order, are those of an earlier element; ascending.
pub(crate) fn repeated<const K: usize>(elements: &[[u32; K]]) -> Vec<usize> {
    let key = |(t, ids): (usize, &[u32; K])| {
        let mut ids = *ids;
        ids.sort_unstable();
        (ids, t)
    };
    let mut keys: Vec<([u32; K], usize)> = elements.par_iter().enumerate().map(key).collect();
    keys.par_sort_unstable();
    let again = |w: &[([u32; K], usize)]| (w[0].0 == w[1].0).then_some(w[1].1);
    let mut found: Vec<usize> = keys.windows(2).filter_map(again).collect();
    found.sort_unstable();
    found
}

/// Vertices that no element uses; ascending.
pub(crate) fn unused<const K: usize>(count: usize, elements: &[[u32; K]]) -> Vec<usize> {
    let mut used = vec![false; count];
    for &id in elements.as_flattened() {
        used[id as usize] = true;
    }
    (0..count).filter(|&v| !used[v]).collect()
}
