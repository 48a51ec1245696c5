//! A toy ball: a core with long thin strands all around.
//!
//! Strands and core are one structured mesh. The core's surface is a geodesic sphere; a strand stands on the
//! hexagon of triangles round a vertex of it (a pentagon at twelve) and is a stack of layers of prisms, so
//! that a strand is one or a few edges thick and still of good shape.

use glam::DVec3;

use super::geodesic::{EDGE_ANGLE, graded_ball, graded_ball_len};
use super::layers::{add_layer, coloring};
use super::{GenerateError, at_least, fits, positive};
use crate::TetMesh;

/// Radius of the core, in parts of the whole.
const CORE: f64 = 0.4;
/// Length of a strand's layers in edges of its section, unless a number of vertices asks for another.
const LAYER: f64 = 1.6;
/// Most rings of vertices round the axis of a strand.
const MOST_RINGS: u32 = 64;
/// Most strands: 10 n² + 2 for n = 100.
const MOST_STRANDS: f64 = 100_002.0;

/// A toy ball of outer `radius` metres around the origin: a core of 0.4 of the radius with soft tapered
/// strands that stand out all around, with about `resolution` edges along its diameter.
///
/// The number of strands is the nearest to `strands` among 12, 42, 92, 162, 252, … (10 n² + 2), evenly
/// spread: over the corners of a geodesic sphere. Strands are at least two edges thick and get thicker in
/// edges with the resolution.
pub fn squishy_ball(radius: f64, strands: u32, resolution: u32) -> Result<TetMesh, GenerateError> {
    at_least("resolution", resolution, 12, "at least 12")?;
    let side = side(strands)?;
    let edge = 2.0 / f64::from(resolution);
    let of = |rings| Shape { side, rings, layers: 1 };
    // The edge of the core's surface nearest to the wanted one.
    let miss = |rings: &u32| (of(*rings).edge() / edge).ln().abs();
    let rings = (1..=MOST_RINGS).min_by(|a, b| miss(a).total_cmp(&miss(b))).expect("there is a ring");
    let layers = (of(rings).slenderness() / LAYER).round().max(4.0);
    Shape { side, rings, layers: layers as u32 }.build(radius)
}

/// As [`squishy_ball`], with about `vertices` vertices; as many strands as fit if `strands` is `None`.
///
/// Errors: `Vertices` when no mesh comes within 5 %.
pub(super) fn squishy_ball_of(
    radius: f64,
    strands: Option<u32>,
    vertices: u32,
) -> Result<TetMesh, GenerateError> {
    let sides = match strands {
        Some(strands) => side(strands)?..side(strands)? + 1,
        None => 2..9,
    };
    let wanted = f64::from(vertices);
    let mut best = (f64::INFINITY, None);
    let mut nearest = (f64::INFINITY, 0);
    for side in sides {
        for rings in 1..=MOST_RINGS {
            let shape = |layers| Shape { side, rings, layers };
            let per_layer = (shape(1).vertices() - shape(0).vertices()) as f64;
            let layers = ((wanted - shape(0).vertices() as f64) / per_layer).round().max(4.0);
            let shape = shape(layers as u32);
            let error = (shape.vertices() as f64 / wanted - 1.0).abs();
            let stretch = shape.slenderness() / layers / LAYER;
            // Flatter or longer layers have angles near the limits.
            if !(0.3..2.4).contains(&stretch) {
                continue;
            }
            if error < nearest.0 {
                nearest = (error, shape.vertices());
            }
            let score = stretch.ln().abs() + 5.0 * error;
            if error <= 0.05 && score < best.0 {
                best = (score, Some(shape));
            }
        }
    }
    match best.1 {
        Some(shape) => shape.build(radius),
        None => Err(GenerateError::Vertices { wanted: vertices.into(), nearest: nearest.1 }),
    }
}

/// The n for which 10 n² + 2 is nearest to the number of strands.
fn side(strands: u32) -> Result<u32, GenerateError> {
    at_least("strands", strands, 1, "at least 1")?;
    let strands = f64::from(strands);
    if strands > MOST_STRANDS {
        return Err(GenerateError::Parameter { name: "strands", value: strands, rule: "at most 100,002" });
    }
    let count = |n: f64| 10.0 * n * n + 2.0;
    let low = ((strands - 2.0).max(0.0) / 10.0).sqrt().floor().max(1.0);
    Ok(if strands - count(low) <= count(low + 1.0) - strands { low } else { low + 1.0 } as u32)
}

/// The whole numbers that make up a ball.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Strands along an edge of the icosahedron.
    side: u32,
    /// Rings of vertices in a strand's section.
    rings: u32,
    /// Layers of prisms of a strand.
    layers: u32,
}

impl Shape {
    /// Edges of the core's surface between the axes of neighbouring strands: strands take up two thirds, or
    /// a little less so that the frequency is even and the core can be coarser inside.
    fn apart(&self) -> u32 {
        let apart = 3 * self.rings;
        apart + (apart * self.side) % 2
    }

    fn frequency(&self) -> u32 {
        self.apart() * self.side
    }

    /// An edge of the core's surface, in parts of the ball's radius.
    fn edge(&self) -> f64 {
        CORE * EDGE_ANGLE / f64::from(self.frequency())
    }

    fn vertices(&self) -> u64 {
        let (side, rings) = (u64::from(self.side), u64::from(self.rings));
        let section = |corners: u64| 1 + corners * rings * (rings + 1) / 2;
        let sections = 12 * section(5) + (10 * side * side - 10) * section(6);
        graded_ball_len(self.frequency()) + u64::from(self.layers) * sections
    }

    fn build(&self, radius: f64) -> Result<TetMesh, GenerateError> {
        positive("radius", radius)?;
        fits("tetrahedra", 6.0 * self.vertices() as f64)?;
        let core = graded_ball(CORE, self.frequency());
        let surface = &core.surface;
        let triangles: Vec<[u32; 3]> =
            surface.triangles().map(|(face, t)| t.map(|w| surface.id(face, w))).collect();
        let fans = crate::topology::incidence(surface.len() as usize, &triangles);
        let colors = coloring(surface.len() as usize, &triangles);
        let heights = self.heights();
        let mut strands = Strands { shape: *self, heights, triangles, fans, colors, mesh: core.mesh };
        let step = self.apart();
        let coarse = super::geodesic::Geodesic::new(self.side);
        let mut done = vec![false; coarse.len() as usize];
        for (face, triangle) in coarse.triangles() {
            for w in triangle {
                if !std::mem::replace(&mut done[coarse.id(face, w) as usize], true) {
                    strands.add(surface.id(face, w.map(|n| step * n)));
                }
            }
        }
        let mut mesh = strands.mesh;
        mesh.orient();
        // Made in units of the radius: scaled here, so that scaling by a power of two is exact.
        mesh.positions.iter_mut().for_each(|p| *p *= radius);
        Ok(mesh)
    }

    /// The radius of a strand's section, in parts of its base's, at the part `t` of its length: a fillet, then
    /// a gentle taper.
    fn taper(&self, t: f64) -> f64 {
        let widths = (1.0 - CORE) / (self.edge() * f64::from(self.rings));
        (0.75 + 0.25 * (-1.2 * t * widths).exp()) * (1.0 - 0.2 * t)
    }

    /// A strand's length in edges of its sections, from its base to each of some places of its length.
    fn lengths(&self) -> Vec<f64> {
        const PIECES: u32 = 512;
        let mut sum = 0.0;
        let piece = |i: u32| {
            let middle = (f64::from(i) + 0.5) / f64::from(PIECES);
            sum += (1.0 - CORE) / f64::from(PIECES) / (self.edge() * self.taper(middle));
            sum
        };
        std::iter::once(0.0).chain((0..PIECES).map(piece)).collect()
    }

    /// A strand's length in edges of its sections.
    fn slenderness(&self) -> f64 {
        *self.lengths().last().expect("there are places")
    }

    /// Where a strand's layers end, in parts of its length: each is as long as the others in edges of its
    /// section.
    fn heights(&self) -> Vec<f64> {
        let lengths = self.lengths();
        let whole = self.slenderness();
        (1..=self.layers)
            .map(|layer| {
                let wanted = whole * f64::from(layer) / f64::from(self.layers);
                let i = lengths.partition_point(|&l| l < wanted).clamp(1, lengths.len() - 1);
                let part = (wanted - lengths[i - 1]) / (lengths[i] - lengths[i - 1]);
                ((i - 1) as f64 + part.min(1.0)) / (lengths.len() - 1) as f64
            })
            .collect()
    }
}

/// The ball while strands are added.
struct Strands {
    shape: Shape,
    heights: Vec<f64>,
    /// The core's surface.
    triangles: Vec<[u32; 3]>,
    /// The triangles round each of its vertices.
    fans: (Vec<u32>, Vec<u32>),
    colors: Vec<u8>,
    mesh: TetMesh,
}

impl Strands {
    /// Stacks layers on the triangles within some rings of `site`.
    fn add(&mut self, site: u32) {
        let Shape { rings, layers, .. } = self.shape;
        let (start, list) = &self.fans;
        let fan = |v: u32| &list[start[v as usize] as usize..start[v as usize + 1] as usize];
        // Vertices ring by ring.
        let mut base = vec![site];
        let mut ring = vec![0];
        for i in 0.. {
            if i == base.len() || ring[i] == rings {
                break;
            }
            for &t in fan(base[i]) {
                for v in self.triangles[t as usize] {
                    if !base.contains(&v) {
                        base.push(v);
                        ring.push(ring[i] + 1);
                    }
                }
            }
        }
        let mut triangles: Vec<u32> = base.iter().flat_map(|&v| fan(v).iter().copied()).collect();
        triangles.sort_unstable();
        triangles.dedup();
        let local = |v: u32| base.iter().position(|&b| b == v).map(|i| i as u32);
        let disc: Vec<[u32; 3]> = triangles
            .iter()
            .filter_map(|&t| {
                let [a, b, c] = self.triangles[t as usize].map(local);
                Some([a?, b?, c?])
            })
            .collect();
        let colors: Vec<u8> = base.iter().map(|&v| self.colors[v as usize]).collect();
        let axis = self.mesh.positions[site as usize].normalize();
        let across: Vec<DVec3> = base
            .iter()
            .zip(&ring)
            .map(|(&v, &k)| {
                let p = self.mesh.positions[v as usize];
                (p - p.dot(axis) * axis).normalize_or_zero() * f64::from(k) / f64::from(rings)
            })
            .collect();
        let width = self.shape.edge() * f64::from(rings);
        let mut below = base.clone();
        for (layer, &t) in (1..).zip(&self.heights) {
            let center = axis * (CORE + (1.0 - CORE) * t);
            let first = self.mesh.positions.len() as u32;
            // The last layer is drawn in: the tips are rounded.
            let size = width * self.shape.taper(t) * if layer == layers { 0.85 } else { 1.0 };
            self.mesh.positions.extend(across.iter().map(|&a| center + size * a));
            let above: Vec<u32> = (first..first + base.len() as u32).collect();
            add_layer(
                &mut self.mesh.tets,
                &disc,
                &colors,
                layer % 2 == 0,
                |v| below[v as usize],
                |v| above[v as usize],
            );
            below = above;
        }
    }
}
