//! Intersection contour minimisation: the contour gets shorter until it is gone.
//!
//! An edge with unit direction E pierces a triangle with unit normal N at a point P of a contour. For each triangle `i` beside the
//! edge, `R_i` points from P along the contour, into that triangle. When the edge moves by D against the pierced triangle, P moves by
//! `D - (D·N)/(E·N) E`, and the contour becomes shorter by `D·Σ [R_i - (E·R_i)/(E·N) N]`; when the triangle moves by D, by
//! `D·Σ (E·R_i)/(E·N) N`. The direction of steepest descent of their relative motion is the difference,
//!
//! ```text
//! G = Σ_i [R_i - 2 (E·R_i)/(E·N) N]
//! ```
//!
//! which is even in E and in N. Per contour the gradients are summed with the sign of their side, so that a whole layer moves
//! one way: `H = h0 G/√(|G|² + g0²)`; an edge moves by `+H` on one side and `-H` on the other, the triangle it pierces the opposite
//! way.
//!
//! A contour that is nearly straight is as long wherever it lies: G vanishes though the cloth is far from untangled, the more so the finer
//! the cloth, as a fine sheet bends little from hit to hit. What tells then is the whole of the cloth, not the contour: the
//! shallowest **region** beside it ([`depth`](super::depth)) is what has come through, and is pulled back, along the normals of what it
//! pierces, by a part of its depth in a frame, and by a step at least. All of it moves, and the rest of both layers less and less as far
//! away as it is deep, so that the fabric has no reason to bend it back, and it takes as many frames in fine cloth as in coarse cloth.
//! Where there is no such region the contour gets a kick at random in every tenth frame.
//!
//! Source: P. Volino, N. Magnenat-Thalmann, "Resolving surface collisions through intersection contour minimization",
//! ACM Transactions on Graphics 25 (2006). The sums per contour and the constants follow a public demonstration; regions and kicks are ours.

use glam::{DVec3, Vec3};

use super::depth::{Flood, Shallowest};
use super::{Displacement, Response, Tangle};
use crate::cloth::{ClothMesh, Contour, Hit};

/// Below this length the sum of gradients counts in part; from the demonstration.
const G0: f64 = 4.0;

/// Cosine of edge and normal below which the growth of the gradient is bent: at 1/20 an edge lies within 3° of the plane.
const LEAST_COS: f64 = 0.05;

/// A contour of at least [`LONG`] hits with a gradient under this a hit is **stuck**: nearly straight, so that it is as long wherever it
/// lies.
const STRAIGHT: f64 = 0.1;
const LONG: usize = 24;

/// What part of its depth a region is pulled back in a frame, where that is more than a step.
const PULL: f64 = 0.25;

/// A stuck contour that bounds no region is kicked in every frame that this divides.
const KICK_EVERY: u32 = 10;

/// How far a kick goes, in steps (standard deviation along each axis).
const KICK: f64 = 2.0;

/// The response; see the module documentation.
#[derive(Clone, Debug, Default)]
pub struct Icm {
    kicks: u64,
    flood: Flood,
    /// By contour: its displacement, and whether it is stuck.
    steps: Vec<(DVec3, bool)>,
}

impl Icm {
    /// The response.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Response for Icm {
    fn name(&self) -> &'static str {
        "icm"
    }

    fn displace(&mut self, tangle: &Tangle, out: &mut Displacement) {
        let Self { kicks, flood, steps } = self;
        steps.clear();
        steps.extend(tangle.contours.all.iter().map(|contour| {
            let g = contour_gradient(tangle, contour);
            let hits = tangle.contours.hits(contour).len();
            (damped(tangle, g), hits >= LONG && g.length() < STRAIGHT * hits as f64)
        }));
        if steps.iter().any(|(_, stuck)| *stuck) {
            flood.run(tangle, |c| steps[c].1);
        }
        for (c, &(mut h, stuck)) in steps.iter().enumerate() {
            if stuck && let Some(region) = flood.shallowest(c as u32) {
                h += pull(tangle, &region);
                for (v, layer, weight) in flood.all(c as u32) {
                    out.push(v, h * weight * f64::from(layer));
                    out.mark(v, c as u32, layer);
                }
                out.finish(tangle.inv_mass);
                continue;
            }
            if stuck && tangle.frame.is_multiple_of(KICK_EVERY) {
                h += KICK * f64::from(tangle.step) * gaussian(tangle.frame, c as u32);
                *kicks += 1;
            }
            separate(tangle, c as u32, h, out);
        }
    }

    fn kicks(&self) -> u64 {
        self.kicks
    }
}

/// The displacement H of a contour, metres.
pub(super) fn loop_step(tangle: &Tangle, contour: &Contour) -> DVec3 {
    damped(tangle, contour_gradient(tangle, contour))
}

/// The displacement that a gradient gives.
fn damped(tangle: &Tangle, g: DVec3) -> DVec3 {
    g * (f64::from(tangle.step) / (g.length_squared() + G0 * G0).sqrt())
}

/// What pulls a region back through its contour: at an angle of sine `s` a move by `h` takes the contour `h/s` along the cloth.
fn pull(tangle: &Tangle, region: &Shallowest) -> DVec3 {
    let edges = (PULL * f64::from(region.rings) * region.sine).max(1.0);
    region.way * (edges * f64::from(tangle.step))
}

/// Sum of the gradients of a contour, each with the sign of its side.
pub(super) fn contour_gradient(tangle: &Tangle, contour: &Contour) -> DVec3 {
    let (hits, sides) = (tangle.contours.hits(contour), tangle.contours.sides(contour));
    let one = |(&h, &side): (&u32, &i8)| {
        f64::from(side) * gradient(tangle.mesh, tangle.x, &tangle.hits[h as usize], 2.0)
    };
    hits.iter().zip(sides).map(one).sum()
}

/// Moves both sides of a contour apart: edges of side +1 and what edges of side -1 pierce by `h`, the others by `-h`; each hit spread
/// over its vertices so that the point itself moves by that.
pub(super) fn separate(tangle: &Tangle, c: u32, h: DVec3, out: &mut Displacement) {
    let contour = &tangle.contours.all[c as usize];
    for (&k, &side) in tangle.contours.hits(contour).iter().zip(tangle.contours.sides(contour)) {
        let hit = &tangle.hits[k as usize];
        let edge = tangle.mesh.edges[hit.edge as usize].vertices;
        spread(tangle.inv_mass, &edge, &[1.0 - hit.along, hit.along], h * f64::from(side), out);
        let corners = tangle.mesh.triangles[hit.triangle as usize];
        spread(tangle.inv_mass, &corners, &hit.weights, h * f64::from(-side), out);
        edge.iter().for_each(|&v| out.mark(v, c, side));
        corners.iter().for_each(|&v| out.mark(v, c, -side));
    }
    out.finish(tangle.inv_mass);
}

fn spread(inv_mass: &[f32], vertices: &[u32], weights: &[f64], h: DVec3, out: &mut Displacement) {
    let w = |k: usize| f64::from(inv_mass[vertices[k] as usize]);
    let sum: f64 = (0..vertices.len()).map(|k| weights[k] * weights[k] * w(k)).sum();
    if sum > 0.0 {
        for k in 0..vertices.len() {
            out.push(vertices[k], h * (weights[k] * w(k) / sum));
        }
    }
}

/// The gradient of a hit, G above with `coefficient` instead of 2: 1 is the part of the edge.
///
/// A triangle beside the edge that lies in the plane of the pierced one has no direction and adds nothing.
pub fn gradient(mesh: &ClothMesh, x: &[Vec3], hit: &Hit, coefficient: f64) -> DVec3 {
    let at = |v: u32| x[v as usize].as_dvec3();
    let [a, b, c] = mesh.triangles[hit.triangle as usize].map(at);
    let [p, q] = mesh.edges[hit.edge as usize].vertices.map(at);
    let (Some(n), Some(e)) = ((b - a).cross(c - a).try_normalize(), (q - p).try_normalize()) else {
        return DVec3::ZERO;
    };
    let cos = e.dot(n);
    // 1/cos, bent to zero where it would explode.
    let inverse = cos / (cos * cos + LEAST_COS * LEAST_COS * (-(cos / LEAST_COS).powi(2)).exp());
    let mut g = DVec3::ZERO;
    for &s in mesh.triangles_at(hit.edge) {
        let apex = at(mesh.opposite(s, hit.edge)) - p;
        let inward = apex - e * apex.dot(e);
        let Some(m) = e.cross(apex).try_normalize() else { continue };
        let Some(r) = m.cross(n).try_normalize() else { continue };
        let r = if r.dot(inward) < 0.0 { -r } else { r };
        g += r - coefficient * e.dot(r) * inverse * n;
    }
    g
}

/// Three numbers of a normal distribution that depend on frame and contour alone (SplitMix64, Box and Muller).
fn gaussian(frame: u32, contour: u32) -> DVec3 {
    let mut state = (u64::from(frame) << 32) | u64::from(contour);
    let mut unit = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    DVec3::from_array(std::array::from_fn(|_| {
        let radius = (-2.0 * (1.0 - unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * unit()).cos()
    }))
}
