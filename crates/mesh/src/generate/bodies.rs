//! Bodies that [`stuff`] fills: a sphere, a ball with a soft fringe, a bent body.

use std::f64::consts::{PI, TAU};

use glam::DVec3;

use super::solids::{Ball, Strand, smooth_union};
use super::{GenerateError, at_least, positive, stuff};
use crate::TetMesh;

/// A ball of `radius` metres around the origin, with about `resolution` edges along its diameter.
///
/// Vertices of the boundary lie on the sphere to rounding. Dihedral angles between 10 and 160 degrees.
pub fn sphere(radius: f64, resolution: u32) -> Result<TetMesh, GenerateError> {
    positive("radius", radius)?;
    at_least("resolution", resolution, 3, "at least 3")?;
    let ball = Ball { center: DVec3::ZERO, radius };
    let spacing = 2.0 * radius / f64::from(resolution);
    stuff(|p| ball.distance(p), [DVec3::splat(-radius), DVec3::splat(radius)], spacing)
}

/// A toy ball of outer `radius` metres around the origin: a core of half the radius with `strands` soft
/// tapered strands that stand out all around, spread evenly (a Fibonacci lattice of directions), with about
/// `resolution` edges along its diameter.
///
/// Strands are at least two and a half spacings thick, so that none falls apart.
pub fn squishy_ball(radius: f64, strands: u32, resolution: u32) -> Result<TetMesh, GenerateError> {
    positive("radius", radius)?;
    at_least("strands", strands, 1, "at least 1")?;
    at_least("resolution", resolution, 12, "at least 12")?;
    let spacing = 2.0 * radius / f64::from(resolution);
    let core = Ball { center: DVec3::ZERO, radius: 0.5 * radius };
    // A strand takes up a third of the width of its share of the core's surface.
    let share = core.radius * (4.0 * PI / f64::from(strands)).sqrt();
    let root = (share / 3.0).min(0.25 * radius).max(1.25 * spacing);
    let tip = (0.75 * root).max(1.25 * spacing);
    let golden = PI * (3.0 - 5.0f64.sqrt());
    let strands: Vec<Strand> = (0..strands)
        .map(|i| {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(strands);
            let (sin, cos) = (golden * f64::from(i)).sin_cos();
            let direction = DVec3::new(cos * (1.0 - z * z).sqrt(), sin * (1.0 - z * z).sqrt(), z);
            let ends = [0.8 * core.radius * direction, (radius - tip) * direction];
            Strand::new(&ends, &[root, tip])
        })
        .collect();
    let value = |p: DVec3| {
        let fringe = strands.iter().fold(f64::INFINITY, |least, s| s.distance_below(p, least));
        smooth_union(core.distance(p), fringe, 0.5 * root)
    };
    stuff(value, [DVec3::splat(-radius), DVec3::splat(radius)], spacing)
}

/// A round bar of `thickness` metres bent to an open ring of `radius` (of its axis) that stands upright in
/// the xy plane, its `gap` degrees wide opening on top, with about `resolution` edges across its thickness.
///
/// The shape on which a body dropped into the opening shows whether paths to the boundary follow the deformed
/// or the rest shape.
pub fn bent_body(radius: f64, thickness: f64, gap: f64, resolution: u32) -> Result<TetMesh, GenerateError> {
    positive("radius", radius)?;
    positive("thickness", thickness)?;
    at_least("resolution", resolution, 3, "at least 3")?;
    if thickness >= 2.0 * radius {
        return Err(GenerateError::Parameter {
            name: "thickness",
            value: thickness,
            rule: "less than twice the radius",
        });
    }
    if !(0.0..360.0).contains(&gap) {
        return Err(GenerateError::Parameter { name: "gap", value: gap, rule: "in 0..360 degrees" });
    }
    let sweep = TAU - gap.to_radians();
    // From one lip of the opening down round to the other.
    let point = |t: f64| {
        let (sin, cos) = (0.25 * TAU + 0.5 * gap.to_radians() + sweep * t).sin_cos();
        DVec3::new(radius * cos, radius * sin, 0.0)
    };
    const SEGMENTS: u32 = 64;
    let points: Vec<DVec3> = (0..=SEGMENTS).map(|i| point(f64::from(i) / f64::from(SEGMENTS))).collect();
    let strand = Strand::new(&points, &[0.5 * thickness; SEGMENTS as usize + 1]);
    stuff(|p| strand.distance(p), strand.bounds(), thickness / f64::from(resolution))
}
