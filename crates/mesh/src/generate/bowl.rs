//! A bowl with a thick wall.

use glam::DVec3;

use super::layers::add_layer;
use super::rod::Disc;
use super::{GenerateError, at_least, fits, positive};
use crate::TetMesh;

/// A bowl round the origin, open on top: the part of a spherical shell up to the `opening` angle (degrees,
/// from straight down; 90 is half a sphere), its outer `radius` and wall `thickness` in metres, with
/// `resolution` edges from the bottom to the rim.
pub fn bowl(radius: f64, thickness: f64, opening: f64, resolution: u32) -> Result<TetMesh, GenerateError> {
    check(radius, thickness, opening)?;
    at_least("resolution", resolution, 1, "at least 1")?;
    let edge = opening.to_radians() * radius / f64::from(resolution);
    let layers = (thickness / edge).round().max(1.0);
    fits("layers", layers)?;
    build(radius, thickness, opening, resolution, layers as u32)
}

/// As [`bowl`], with about `vertices` vertices. Errors: `Vertices` when no mesh comes within 5 %.
pub(super) fn bowl_of(
    radius: f64,
    thickness: f64,
    opening: f64,
    vertices: u32,
) -> Result<TetMesh, GenerateError> {
    check(radius, thickness, opening)?;
    let wanted = f64::from(vertices);
    let mut best = (f64::INFINITY, 0.0, [0, 0]);
    for layers in 1..=64u32 {
        // 1 + 3 n (n + 1) vertices a layer.
        let per_layer = wanted / f64::from(layers + 1);
        let rings = ((12.0 * per_layer - 3.0).max(0.0).sqrt() / 6.0 - 0.5).round().max(1.0);
        let count = (1.0 + 3.0 * rings * (rings + 1.0)) * f64::from(layers + 1);
        let error = (count / wanted - 1.0).abs();
        let shape = thickness / f64::from(layers) / (opening.to_radians() * radius / rings);
        // Outside 5 % only the count matters.
        let score = if error <= 0.05 { shape.ln().abs() } else { 1e6 * (1.0 + error) };
        if score < best.0 {
            best = (score, count, [rings as u32, layers]);
        }
    }
    let (score, count, [rings, layers]) = best;
    if score >= 1e6 {
        return Err(GenerateError::Vertices { wanted: vertices.into(), nearest: count as u64 });
    }
    build(radius, thickness, opening, rings, layers)
}

fn check(radius: f64, thickness: f64, opening: f64) -> Result<(), GenerateError> {
    positive("radius", radius)?;
    positive("thickness", thickness)?;
    if thickness > 0.5 * radius {
        let rule = "at most half the radius";
        return Err(GenerateError::Parameter { name: "thickness", value: thickness, rule });
    }
    if !(10.0..=120.0).contains(&opening) {
        return Err(GenerateError::Parameter {
            name: "opening",
            value: opening,
            rule: "in 10..=120 degrees",
        });
    }
    Ok(())
}

fn build(
    radius: f64,
    thickness: f64,
    opening: f64,
    rings: u32,
    layers: u32,
) -> Result<TetMesh, GenerateError> {
    let triangles = 6.0 * f64::from(rings) * f64::from(rings);
    fits("tetrahedra", 3.0 * triangles * f64::from(layers))?;
    let disc = Disc::new(rings);
    let per_layer = disc.offsets.len() as u32;
    let mut mesh = TetMesh::default();
    for layer in 0..=layers {
        let size = radius - thickness * f64::from(layer) / f64::from(layers);
        mesh.positions.extend(disc.offsets.iter().map(|&[u, v]| {
            let out = u.hypot(v);
            let (sin, cos) = (out * opening.to_radians()).sin_cos();
            let across = if out > 0.0 { sin / out } else { 0.0 };
            size * DVec3::new(u * across, -cos, v * across)
        }));
    }
    for layer in 0..layers {
        let (bottom, top) = (layer * per_layer, (layer + 1) * per_layer);
        add_layer(&mut mesh.tets, &disc.triangles, &disc.colors, layer % 2 == 0, |v| bottom + v, |v| top + v);
    }
    mesh.orient();
    Ok(mesh)
}
