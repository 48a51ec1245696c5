//! An eight-armed body whose curled arms collide with each other when it is dropped.

use std::f64::consts::TAU;

use glam::DVec3;

use super::solids::{Solid, Strand, smooth_union};
use super::{GenerateError, at_least, positive};
use crate::TetMesh;

/// The coarsest resolution.
pub(super) const LEAST: u32 = 24;
const ARMS: u32 = 8;
/// Points along the axis of an arm.
const JOINTS: u32 = 40;

/// An octopus about `size` metres wide and 0.6 of it high, y up, with about `resolution` edges along its
/// width.
///
/// A mantle carries eight tapered arms that run outwards and down and curl up at their ends, in pairs that
/// turn towards each other. No parts overlap at rest: the boundary is one closed surface of genus 0. Arms are
/// at least two and a half spacings thick, so that none falls apart; from a resolution of 50 on the shape no
/// longer depends on it.
pub fn octopus(size: f64, resolution: u32) -> Result<TetMesh, GenerateError> {
    at_least("resolution", resolution, LEAST, "at least 24")?;
    let spacing = size / f64::from(resolution);
    octopus_solid(size, spacing)?.fill(spacing)
}

/// What [`octopus`] fills at a spacing.
pub(super) fn octopus_solid(size: f64, spacing: f64) -> Result<Solid, GenerateError> {
    positive("size", size)?;
    let arms: Vec<Strand> = (0..ARMS).map(|k| arm(k, size, spacing)).collect();
    let (center, half) = (DVec3::new(0.0, 0.2, 0.0) * size, DVec3::new(0.17, 0.21, 0.17) * size);
    let bounds = arms
        .iter()
        .map(Strand::bounds)
        .fold([center - half, center + half], |[l, h], [a, b]| [l.min(a), h.max(b)]);
    let value = move |p: DVec3| {
        let arms = arms.iter().fold(f64::INFINITY, |least, a| a.distance_below(p, least));
        smooth_union(ellipsoid(p - center, half), arms, 0.05 * size)
    };
    // Arms taper by 0.053 a metre; the mantle's value is no distance, but changes more slowly than 2.
    Ok(Solid::new(value, 2.0, bounds))
}

/// Close to the signed distance from an ellipsoid around the origin (I. Quilez, "Ellipsoid SDF").
fn ellipsoid(p: DVec3, half: DVec3) -> f64 {
    let (k, g) = ((p / half).length(), (p / (half * half)).length());
    if g > 0.0 { k * (k - 1.0) / g } else { -half.min_element() }
}

/// Arm `k`: its axis by integrating a direction that first sinks, then curls upwards and sideways.
fn arm(k: u32, size: f64, spacing: f64) -> Strand {
    let azimuth = TAU * f64::from(k) / f64::from(ARMS);
    let length = 0.62 * size;
    // Pairs turn towards each other; every other pair curls more.
    let sideways = if k & 1 == 0 { 1.0 } else { -1.0 };
    let curl = if k & 2 == 0 { 4.4 } else { 3.6 };
    let (sin, cos) = azimuth.sin_cos();
    let (outward, across) = (DVec3::new(cos, 0.0, sin), DVec3::new(-sin, 0.0, cos));
    let mut point = 0.08 * size * outward + 0.06 * size * DVec3::Y;
    let (mut points, mut radii) = (vec![point], Vec::new());
    for j in 0..JOINTS {
        // At the middle of the step: the slope goes from -40 degrees over level to beyond upright.
        let s = (f64::from(j) + 0.5) / f64::from(JOINTS);
        let pitch = -0.7 + 0.9 * s + curl * s * s * s;
        let yaw = 0.25 * sideways * s * s;
        let ahead = outward * yaw.cos() + across * yaw.sin();
        point += length / f64::from(JOINTS) * (ahead * pitch.cos() + DVec3::Y * pitch.sin());
        points.push(point);
    }
    for j in 0..=JOINTS {
        let s = f64::from(j) / f64::from(JOINTS);
        radii.push(((0.058 - 0.033 * s) * size).max(1.25 * spacing));
    }
    Strand::new(&points, &radii)
}
