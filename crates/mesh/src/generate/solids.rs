//! Functions that are negative inside a solid, for [`stuff`](super::stuff).

use glam::DVec3;

use super::stuff::Stuffing;
use super::{GenerateError, PER_FILLED_VERTEX, holds, stuff_distance};
use crate::{TetMesh, TetTopology};

/// The signed distance to a ball, in metres.
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    /// Its centre.
    pub center: DVec3,
    /// Its radius.
    pub radius: f64,
}

impl Ball {
    /// Signed distance of `p`, negative inside.
    pub fn distance(&self, p: DVec3) -> f64 {
        (p - self.center).length() - self.radius
    }
}

/// A tapered round strand along a polyline: a tentacle, a rope, a handle.
///
/// Between two points the radius runs linearly with the parameter of the closest point on the axis, which is
/// the signed distance where the strand is not tapered, and close to it where the taper is gentle. The ends
/// are round.
#[derive(Clone, Debug)]
pub struct Strand {
    segments: Vec<Segment>,
    /// The bounding box, radii included, of each [`BLOCK`] segments.
    blocks: Vec<[DVec3; 2]>,
    bounds: [DVec3; 2],
}

/// Segments that are passed over together.
const BLOCK: usize = 8;

#[derive(Clone, Copy, Debug)]
struct Segment {
    start: DVec3,
    axis: DVec3,
    inverse_squared_length: f64,
    radius: f64,
    growth: f64,
}

impl Strand {
    /// A strand through `points` with the radius of each.
    ///
    /// # Panics
    /// Unless there are two points or more and as many radii.
    pub fn new(points: &[DVec3], radii: &[f64]) -> Self {
        assert!(points.len() >= 2 && points.len() == radii.len(), "a strand has a radius for each point");
        let segments = points
            .windows(2)
            .zip(radii.windows(2))
            .map(|(p, r)| {
                let axis = p[1] - p[0];
                let squared = axis.length_squared();
                Segment {
                    start: p[0],
                    axis,
                    // A segment without length is a ball.
                    inverse_squared_length: if squared > 0.0 { 1.0 / squared } else { 0.0 },
                    radius: r[0],
                    growth: r[1] - r[0],
                }
            })
            .collect();
        // Each block with the first point of the next.
        let blocks: Vec<[DVec3; 2]> = (0..points.len() - 1)
            .step_by(BLOCK)
            .map(|i| {
                let range = i..(i + BLOCK + 1).min(points.len());
                range.fold(EMPTY, |b, k| join(b, [points[k] - radii[k], points[k] + radii[k]]))
            })
            .collect();
        let bounds = blocks.iter().fold(EMPTY, |b, &block| join(b, block));
        Strand { segments, blocks, bounds }
    }

    /// Its bounding box.
    pub fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }

    /// The smaller of `least` and the value at `p`; parts whose box is farther than `least` are not looked
    /// at.
    pub fn distance_below(&self, p: DVec3, least: f64) -> f64 {
        let far = |[low, high]: [DVec3; 2], least: f64| {
            let outside = (low - p).max(p - high).max(DVec3::ZERO);
            least < 0.0 && outside != DVec3::ZERO || outside.length_squared() > least * least
        };
        if far(self.bounds, least) {
            return least;
        }
        let mut best = least;
        for (block, &bounds) in self.segments.chunks(BLOCK).zip(&self.blocks) {
            if far(bounds, best) {
                continue;
            }
            for s in block {
                let d = p - s.start;
                let t = (d.dot(s.axis) * s.inverse_squared_length).clamp(0.0, 1.0);
                best = best.min((d - t * s.axis).length() - (s.radius + t * s.growth));
            }
        }
        best
    }

    /// The value at `p`, negative inside.
    pub fn distance(&self, p: DVec3) -> f64 {
        self.distance_below(p, f64::INFINITY)
    }
}

const EMPTY: [DVec3; 2] = [DVec3::INFINITY, DVec3::NEG_INFINITY];

/// The box around two boxes.
fn join(a: [DVec3; 2], b: [DVec3; 2]) -> [DVec3; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

/// The union of two solids with a fillet of about `width` metres where they meet.
///
/// Source: I. Quilez, "Smooth minimum" (quadratic polynomial); equals `a.min(b)` where they differ by `width`
/// or more.
pub fn smooth_union(a: f64, b: f64, width: f64) -> f64 {
    let h = (1.0 - (a - b).abs() / width).max(0.0);
    a.min(b) - 0.25 * h * h * width
}

/// A function to fill, with where and how fast it changes.
pub(super) struct Solid {
    value: Box<dyn Fn(DVec3) -> f64 + Sync>,
    /// The most it changes, a metre.
    slope: f64,
    bounds: [DVec3; 2],
}

impl Solid {
    pub fn new(value: impl Fn(DVec3) -> f64 + Sync + 'static, slope: f64, bounds: [DVec3; 2]) -> Self {
        Solid { value: Box::new(value), slope, bounds }
    }

    pub fn fill(&self, spacing: f64) -> Result<TetMesh, GenerateError> {
        stuff_distance(&self.value, self.slope, self.bounds, spacing)
    }
}

/// Fills `solid`, which may depend on the spacing, with about `vertices` vertices; `coarsest` is the largest
/// spacing that does the shape justice.
///
/// The number is nearly a power of the spacing: a secant on their logarithms, kept in its bracket, needs
/// three or four tries, of which all but the last two are small.
///
/// Errors: `Vertices` when no spacing comes within 5 %.
///
/// The solid is one closed surface of genus 0, and so is the mesh.
pub(super) fn fill_with(
    vertices: u32,
    coarsest: f64,
    solid: impl Fn(f64) -> Result<Solid, GenerateError>,
) -> Result<TetMesh, GenerateError> {
    const TRIES: u32 = 24;
    holds("vertices", vertices.into(), PER_FILLED_VERTEX * f64::from(vertices))?;
    let wanted = f64::from(vertices).ln();
    // The logarithm of the spacing, from the coarsest, and of the number it gives.
    let (mut spacing, mut last) = (0.0f64, None::<[f64; 2]>);
    let (mut coarser, mut finer) = (None::<f64>, None::<f64>);
    let mut nearest = (f64::INFINITY, 0);
    // The best within 5 %.
    let mut good: Option<(f64, Stuffing, Solid)> = None;
    for attempt in 1..=TRIES {
        let length = coarsest * spacing.exp();
        let solid = solid(length)?;
        let stuffing = Stuffing::new(&solid.value, Some(solid.slope), solid.bounds, length)?;
        let made = stuffing.mesh.positions.len();
        let count = (made as f64).ln();
        let error = (count - wanted).abs();
        if error < nearest.0 {
            nearest = (error, made as u64);
        }
        let least = good.as_ref().map_or(0.048, |g| g.0);
        if error < least {
            if !is_one_ball(&stuffing.mesh) {
                // Parts that nearly touch were joined: the lattice lies differently at another spacing.
                spacing = (spacing - 0.004).min(0.0);
                continue;
            }
            good = Some((error, stuffing, solid));
        }
        // Closer than 2 % would be luck: a step of the lattice changes some.
        if good.as_ref().is_some_and(|g| g.0 < 0.02 || attempt >= 8) {
            break;
        }
        if count < wanted {
            coarser = Some(spacing);
        } else if attempt == 1 {
            break;
        } else {
            finer = Some(spacing);
        }
        let power = match last {
            Some([s, c]) if s != spacing => ((c - count) / (spacing - s)).clamp(1.5, 3.5),
            _ => 2.7,
        };
        last = Some([spacing, count]);
        spacing += (count - wanted) / power;
        if let (Some(c), Some(f)) = (coarser, finer)
            && !(f < spacing && spacing < c)
        {
            spacing = 0.5 * (c + f);
        }
        spacing = spacing.min(0.0);
    }
    match good {
        Some((_, stuffing, solid)) => Ok(stuffing.improve(&solid.value)),
        None => Err(GenerateError::Vertices { wanted: vertices.into(), nearest: nearest.1 }),
    }
}

/// Whether the boundary is one surface of genus 0.
fn is_one_ball(mesh: &TetMesh) -> bool {
    let topology = TetTopology::new(mesh.positions.len(), &mesh.tets);
    let euler = topology.boundary_vertices.len() + topology.faces.len();
    topology.component_count == 1 && euler == topology.edges.len() + 2
}
