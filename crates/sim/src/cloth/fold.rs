//! The tangled start: a sheet folded back behind itself, with a ridge that pokes through.

use glam::DVec3;

use crate::scene::Fold;

/// Where the vertices of a flat sheet in the plane z = 0 start: rows at `y` above the lowest up to the fold hang down in the plane, the
/// rows behind it come up again behind them.
pub(crate) fn folded(fold: &Fold, rest: &[DVec3]) -> Vec<DVec3> {
    let low = rest.iter().fold(DVec3::INFINITY, |l, p| l.min(*p));
    let high = rest.iter().fold(DVec3::NEG_INFINITY, |h, p| h.max(*p));
    let width = (high.x - low.x).max(f64::MIN_POSITIVE);
    // Rows are found by their place; a millionth of the fold tells them apart from rounding.
    let slack = 1e-6 * fold.at_m;
    rest.iter()
        .map(|p| {
            let (x, y) = (p.x - low.x, p.y - low.y);
            if y < fold.at_m - slack {
                return DVec3::new(x, -y, 0.0);
            }
            if y <= fold.at_m + slack {
                return DVec3::new(x, -y, -0.5 * fold.gap_m);
            }
            let s = y - fold.at_m;
            let t = (s - fold.ridge_at_m) / fold.width_m;
            let z = -fold.gap_m + fold.height_m * fold.ridge.height(x / width) * (-t * t).exp();
            DVec3::new(x, -fold.at_m + s, z)
        })
        .collect()
}
