//! Space curves for rods: maps from 0..=1 to metres.

use std::f64::consts::TAU;

use glam::DVec3;

/// A straight line of `length` along x, centred at the origin.
pub fn line(length: f64) -> impl Fn(f64) -> DVec3 {
    move |t| DVec3::new(length * (t - 0.5), 0.0, 0.0)
}

/// A helix of `turns` round the y axis with `radius`, rising `pitch` metres a turn, centred at the origin.
///
/// With a pitch under a rod's diameter the turns of the rod overlap.
pub fn helix(radius: f64, pitch: f64, turns: f64) -> impl Fn(f64) -> DVec3 {
    move |t| {
        let (sin, cos) = (TAU * turns * t).sin_cos();
        DVec3::new(radius * cos, pitch * turns * (t - 0.5), radius * sin)
    }
}

/// A helix as [`helix`] whose `radius` swings by `swing` (a part of the radius, under 1) five times in two
/// turns, so that neighbouring turns cross through each other again and again when the pitch is small: a
/// tangled start.
pub fn coil(radius: f64, pitch: f64, turns: f64, swing: f64) -> impl Fn(f64) -> DVec3 {
    move |t| {
        let angle = TAU * turns * t;
        let r = radius * (1.0 + swing * (2.5 * angle).sin());
        let (sin, cos) = angle.sin_cos();
        DVec3::new(r * cos, pitch * turns * (t - 0.5), r * sin)
    }
}

/// An open trefoil knot of outer radius about `3 size`, with a gap of `gap` (a part of its length) between
/// its ends.
pub fn trefoil(size: f64, gap: f64) -> impl Fn(f64) -> DVec3 {
    move |t| {
        let angle = TAU * (gap * 0.5 + (1.0 - gap) * t);
        let ((s1, c1), (s2, c2)) = (angle.sin_cos(), (2.0 * angle).sin_cos());
        size * DVec3::new(s1 + 2.0 * s2, -(3.0 * angle).sin(), c1 - 2.0 * c2)
    }
}
