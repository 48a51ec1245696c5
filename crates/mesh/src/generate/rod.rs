//! A round rod swept along a space curve.

use std::f64::consts::TAU;

use glam::DVec3;

use super::layers::add_layer;
use super::{GenerateError, at_least, fits, positive};
use crate::{TetMesh, signed_volume};

/// A rod of `radius` metres along `curve`, which is sampled at `segments + 1` points of equal arc length.
///
/// `curve` maps 0..=1 to metres. See [`rod_along_points`] for the cross-section; the vertices depend on
/// `rings` and `segments` alone, so that two curves give two poses of one mesh.
pub fn rod_along_curve(
    curve: impl Fn(f64) -> DVec3,
    radius: f64,
    rings: u32,
    segments: u32,
) -> Result<TetMesh, GenerateError> {
    at_least("segments", segments, 1, "at least 1")?;
    fits("tetrahedra", tet_count(rings, segments as usize))?;
    rod_along_points(&equal_arcs(curve, segments), radius, rings)
}

/// A rod of `radius` metres along a polyline, with one cross-section at each of `points`.
///
/// The cross-section is a triangular lattice of `rings` rings round the axis, ring k with 6 k vertices, bent
/// from a hexagon to a circle: 6 equal triangles meet at the axis, and all triangles are of nearly equal
/// size. Vertex `v` of section `s` has index `s (1 + 3 rings (rings + 1)) + v`; `v = 0` is on the axis, the
/// last `6 rings` are on the surface. Sections turn with a rotation-minimising frame (W. Wang et al.,
/// "Computation of rotation minimizing frames", 2008, double reflection) and stand in the bisecting plane of
/// their two segments. Between two sections each triangle is a prism of three tetrahedra; diagonals follow a
/// three-colouring of the lattice and alternate from segment to segment, so that the rod has no preferred
/// twist.
///
/// Errors: `CurveTooTight` where a tetrahedron would be inverted. The curve may cross itself.
pub fn rod_along_points(points: &[DVec3], radius: f64, rings: u32) -> Result<TetMesh, GenerateError> {
    positive("radius", radius)?;
    at_least("rings", rings, 1, "at least 1")?;
    if points.len() < 2 {
        return Err(GenerateError::Parameter {
            name: "points",
            value: points.len() as f64,
            rule: "at least 2 points",
        });
    }
    fits("tetrahedra", tet_count(rings, points.len() - 1))?;
    let disc = Disc::new(rings);
    let mut positions = Vec::with_capacity(disc.offsets.len() * points.len());
    for (center, [normal, binormal]) in points.iter().zip(frames(points)?) {
        positions
            .extend(disc.offsets.iter().map(|&[u, v]| *center + radius * u * normal + radius * v * binormal));
    }
    let per_section = disc.offsets.len() as u32;
    let segments = points.len() as u32 - 1;
    let mut tets = Vec::with_capacity(3 * disc.triangles.len() * segments as usize);
    for s in 0..segments {
        let (bottom, top) = (s * per_section, (s + 1) * per_section);
        let done = tets.len();
        add_layer(&mut tets, &disc.triangles, &disc.colors, s % 2 == 1, |v| bottom + v, |v| top + v);
        if tets[done..].iter().any(|tet| signed_volume(tet.map(|v| positions[v as usize])) <= 0.0) {
            return Err(GenerateError::CurveTooTight { segment: s });
        }
    }
    Ok(TetMesh { positions, tets })
}

fn tet_count(rings: u32, segments: usize) -> f64 {
    18.0 * f64::from(rings) * f64::from(rings) * segments as f64
}

/// The cross-section: a hexagonal patch of the triangular lattice bent to the unit disc.
pub(super) struct Disc {
    pub offsets: Vec<[f64; 2]>,
    /// A three-colouring: the corners of each triangle have three colours.
    pub colors: Vec<u8>,
    pub triangles: Vec<[u32; 3]>,
}

impl Disc {
    pub fn new(rings: u32) -> Self {
        // Axial coordinates of the six directions, counter-clockwise; d[s+1] - d[s] = d[s+2].
        const DIRECTIONS: [[i32; 2]; 6] = [[1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1], [1, -1]];
        let mut disc = Disc { offsets: vec![[0.0; 2]], colors: vec![0], triangles: Vec::new() };
        for k in 1..=rings {
            for side in 0..6usize {
                for i in 0..k {
                    let (corner, along) = (DIRECTIONS[side], DIRECTIONS[(side + 2) % 6]);
                    let [q, r] = [0, 1].map(|c| k as i32 * corner[c] + i as i32 * along[c]);
                    disc.colors.push((q - r).rem_euclid(3) as u8);
                    let (sin, cos) = (TAU * f64::from(side as u32 * k + i) / f64::from(6 * k)).sin_cos();
                    let radius = f64::from(k) / f64::from(rings);
                    disc.offsets.push([radius * cos, radius * sin]);
                }
            }
            let vertex = |ring: u32, side: u32, i: u32| match ring {
                0 => 0,
                _ => 1 + 3 * ring * (ring - 1) + (side * ring + i) % (6 * ring),
            };
            for side in 0..6 {
                for i in 0..k {
                    let (a, b) = (vertex(k, side, i), vertex(k, side, i + 1));
                    disc.triangles.push([a, b, vertex(k - 1, side, i)]);
                    if i + 1 < k {
                        disc.triangles.push([vertex(k - 1, side, i), b, vertex(k - 1, side, i + 1)]);
                    }
                }
            }
        }
        disc
    }
}

/// Two unit vectors across the curve at each point, right-handed with its direction.
pub(super) fn frames(points: &[DVec3]) -> Result<Vec<[DVec3; 2]>, GenerateError> {
    let mut chords = Vec::with_capacity(points.len() - 1);
    for (point, w) in points.windows(2).enumerate() {
        let direction = (w[1] - w[0]).try_normalize();
        chords.push(direction.ok_or(GenerateError::CurveDegenerate { point })?);
    }
    let tangent = |i: usize| {
        let before = chords[i.saturating_sub(1)];
        let after = chords[i.min(chords.len() - 1)];
        // Two opposite chords: the curve turns back on itself.
        (before + after).try_normalize().ok_or(GenerateError::CurveTooTight { segment: i as u32 })
    };
    let mut t = tangent(0)?;
    let mut normal = t.any_orthonormal_vector();
    let mut out = Vec::with_capacity(points.len());
    out.push([normal, t.cross(normal)]);
    for i in 1..points.len() {
        let next = tangent(i)?;
        // First reflection: in the plane between the two points; second: onto the next tangent.
        let reflect = |v: DVec3, axis: DVec3| v - 2.0 * v.dot(axis) * axis;
        let chord = chords[i - 1];
        let (carried, t_carried) = (reflect(normal, chord), reflect(t, chord));
        let turned = match (next - t_carried).try_normalize() {
            Some(axis) => reflect(carried, axis),
            None => carried,
        };
        // Rounding only: the reflections are isometries.
        normal = (turned - turned.dot(next) * next).normalize();
        t = next;
        out.push([normal, t.cross(normal)]);
    }
    Ok(out)
}

/// `segments + 1` points of nearly equal distance along `curve`, its ends included.
fn equal_arcs(curve: impl Fn(f64) -> DVec3, segments: u32) -> Vec<DVec3> {
    // Chords of this many samples a segment stand for the arc length.
    const OVERSAMPLING: u32 = 16;
    let n = (segments as usize) * OVERSAMPLING as usize;
    let parameter = |i: usize| i as f64 / n as f64;
    let mut length = Vec::with_capacity(n + 1);
    length.push(0.0);
    let mut last = curve(0.0);
    for i in 1..=n {
        let point = curve(parameter(i));
        length.push(length[i - 1] + (point - last).length());
        last = point;
    }
    let mut i = 0;
    (0..=segments)
        .map(|s| {
            if s == segments {
                return curve(1.0);
            }
            let target = length[n] * f64::from(s) / f64::from(segments);
            while i + 1 < n && length[i + 1] < target {
                i += 1;
            }
            let step = length[i + 1] - length[i];
            let part = if step > 0.0 { (target - length[i]) / step } else { 0.0 };
            curve((i as f64 + part) / n as f64)
        })
        .collect()
}

/// A rod of `radius` along `curve` with about `vertices` vertices and nearly regular prisms; with `rings`
/// rings if given.
///
/// Errors: `Vertices` when no rod comes within 5 %.
pub(super) fn rod_of(
    curve: impl Fn(f64) -> DVec3,
    radius: f64,
    rings: Option<u32>,
    vertices: u32,
) -> Result<TetMesh, GenerateError> {
    positive("radius", radius)?;
    let slenderness = curve_length(&curve) / radius;
    let wanted = f64::from(vertices);
    let (mut best, mut nearest) = ((f64::INFINITY, [0, 0]), (f64::INFINITY, 0));
    for rings in rings.map_or(1..=64, |r| r..=r) {
        let section = 1.0 + 3.0 * f64::from(rings) * (f64::from(rings) + 1.0);
        let segments = (wanted / section).round().max(2.0) - 1.0;
        let count = (segments + 1.0) * section;
        let error = (count / wanted - 1.0).abs();
        if error < nearest.0 {
            nearest = (error, count as u64);
        }
        let score = (slenderness * f64::from(rings) / segments).ln().abs();
        if error <= 0.05 && score < best.0 {
            best = (score, [rings, segments as u32]);
        }
    }
    let [rings, segments] = best.1;
    if segments == 0 {
        return Err(GenerateError::Vertices { wanted: vertices.into(), nearest: nearest.1 });
    }
    rod_along_curve(curve, radius, rings, segments)
}

/// The length of a curve, by chords of many samples.
pub(super) fn curve_length(curve: impl Fn(f64) -> DVec3) -> f64 {
    const SAMPLES: u32 = 4096;
    let point = |i: u32| curve(f64::from(i) / f64::from(SAMPLES));
    (0..SAMPLES).map(|i| (point(i + 1) - point(i)).length()).sum()
}
