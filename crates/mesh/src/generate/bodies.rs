//! Bodies that are filled where a function is negative: a sphere, a bent body.

use std::f64::consts::TAU;

use glam::DVec3;

use super::solids::{Ball, Solid, Strand};
use super::{GenerateError, at_least, positive};
use crate::TetMesh;

/// A ball of `radius` metres around the origin, with about `resolution` edges along its diameter.
///
/// Vertices of the boundary lie on the sphere to rounding. Dihedral angles between 10 and 160 degrees.
pub fn sphere(radius: f64, resolution: u32) -> Result<TetMesh, GenerateError> {
    at_least("resolution", resolution, 3, "at least 3")?;
    sphere_solid(radius)?.fill(2.0 * radius / f64::from(resolution))
}

/// What [`sphere`] fills.
pub(super) fn sphere_solid(radius: f64) -> Result<Solid, GenerateError> {
    positive("radius", radius)?;
    let ball = Ball { center: DVec3::ZERO, radius };
    Ok(Solid::new(move |p| ball.distance(p), 1.0, [DVec3::splat(-radius), DVec3::splat(radius)]))
}

/// A round bar of `thickness` metres bent to an open ring of `radius` (of its axis) that stands upright in
/// the xy plane, its `gap` degrees wide opening on top, with about `resolution` edges across its thickness.
///
/// The shape on which a body dropped into the opening shows whether paths to the boundary follow the deformed
/// or the rest shape.
pub fn bent_body(radius: f64, thickness: f64, gap: f64, resolution: u32) -> Result<TetMesh, GenerateError> {
    at_least("resolution", resolution, 3, "at least 3")?;
    bent_solid(radius, thickness, gap)?.fill(thickness / f64::from(resolution))
}

/// What [`bent_body`] fills.
pub(super) fn bent_solid(radius: f64, thickness: f64, gap: f64) -> Result<Solid, GenerateError> {
    positive("radius", radius)?;
    positive("thickness", thickness)?;
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
    let bounds = strand.bounds();
    Ok(Solid::new(move |p| strand.distance(p), 1.0, bounds))
}
