//! Functions that are negative inside a solid, for [`stuff`](super::stuff).

use glam::DVec3;

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
