//! Geodesic spheres, and balls of tetrahedra inside them.
//!
//! The **frequency** of a geodesic sphere says into how many parts each edge of an icosahedron is cut. Its
//! vertices are named by a face of the icosahedron and three whole numbers that add up to the frequency,
//! their weights at the face's corners. A sphere of frequency n f holds the vertices of that of frequency f.

use glam::DVec3;

use super::layers::{add_layer, coloring, split_octahedron};
use crate::TetMesh;

/// The angle between neighbouring corners of an icosahedron, in radians: atan 2.
pub(super) const EDGE_ANGLE: f64 = 1.1071487177940904;

/// Corners of the faces of an icosahedron, counter-clockwise from outside; see [`corner`].
const FACES: [[u32; 3]; 20] = [
    [0, 1, 2],
    [0, 2, 3],
    [0, 3, 4],
    [0, 4, 5],
    [0, 5, 1],
    [1, 6, 2],
    [2, 6, 7],
    [2, 7, 3],
    [3, 7, 8],
    [3, 8, 4],
    [4, 8, 9],
    [4, 9, 5],
    [5, 9, 10],
    [5, 10, 1],
    [1, 10, 6],
    [11, 7, 6],
    [11, 8, 7],
    [11, 9, 8],
    [11, 10, 9],
    [11, 6, 10],
];

/// A corner of an icosahedron in the unit sphere: 0 on top, two rings of five, 11 at the bottom.
fn corner(c: u32) -> DVec3 {
    let (height, radius) = (0.2f64.sqrt(), 0.8f64.sqrt());
    let ring = |turn: f64, z: f64| {
        let (sin, cos) = (turn * std::f64::consts::TAU / 5.0).sin_cos();
        DVec3::new(radius * cos, z, -radius * sin)
    };
    match c {
        0 => DVec3::Y,
        11 => DVec3::NEG_Y,
        1..6 => ring(f64::from(c - 1), height),
        _ => ring(f64::from(c - 6) + 0.5, -height),
    }
}

/// A geodesic sphere of one frequency, with numbers for its vertices.
pub(super) struct Geodesic {
    pub frequency: u32,
    /// The edges of the icosahedron, ends ascending.
    edges: Vec<[u32; 2]>,
}

impl Geodesic {
    pub fn new(frequency: u32) -> Self {
        let mut edges: Vec<[u32; 2]> = FACES
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        Geodesic { frequency, edges }
    }

    /// Number of vertices.
    pub fn len(&self) -> u32 {
        10 * self.frequency * self.frequency + 2
    }

    /// The number of a vertex: first the corners, then the edges, then the faces.
    pub fn id(&self, face: usize, weights: [u32; 3]) -> u32 {
        let f = self.frequency;
        let used: Vec<usize> = (0..3).filter(|&k| weights[k] > 0).collect();
        match *used.as_slice() {
            [k] => FACES[face][k],
            [k, l] => {
                let (a, b) = (FACES[face][k], FACES[face][l]);
                let edge = [a.min(b), a.max(b)];
                let index = self.edges.binary_search(&edge).expect("an edge of the icosahedron") as u32;
                // Counted from the end with the smaller number.
                let along = if a < b { weights[l] } else { weights[k] };
                12 + index * (f - 1) + along - 1
            }
            _ => {
                let [i, j, _] = weights;
                // Row i - 1 follows rows of f - 2, f - 3 … points.
                let row = (i - 1) * (f - 2) - (i - 1) * i.saturating_sub(2) / 2;
                12 + 30 * (f - 1) + face as u32 * ((f - 1) * (f - 2) / 2) + row + j - 1
            }
        }
    }

    /// The direction of a vertex. Along the edges of the icosahedron vertices are equally far apart.
    fn direction(face: usize, weights: [u32; 3]) -> DVec3 {
        let frequency = f64::from(weights.iter().sum::<u32>());
        // From the corner with the smaller number to the larger, so that both faces of an edge agree.
        let mut terms = [0, 1, 2].map(|k| (FACES[face][k], weights[k]));
        terms.sort_unstable();
        let weighted = terms.map(|(c, w)| (EDGE_ANGLE * f64::from(w) / frequency).sin() * corner(c));
        (weighted[0] + weighted[1] + weighted[2]).normalize()
    }

    /// The directions of all vertices.
    pub fn directions(&self) -> Vec<DVec3> {
        let mut out = vec![DVec3::ZERO; self.len() as usize];
        let f = self.frequency;
        for face in 0..20 {
            for i in 0..=f {
                for j in 0..=f - i {
                    let weights = [i, j, f - i - j];
                    out[self.id(face, weights) as usize] = Self::direction(face, weights);
                }
            }
        }
        out
    }

    /// The triangles as a face and the weights of their corners, counter-clockwise from outside.
    pub fn triangles(&self) -> impl Iterator<Item = (usize, [[u32; 3]; 3])> + use<> {
        let f = self.frequency;
        (0..20).flat_map(move |face| {
            (0..f).flat_map(move |i| {
                (0..f - i).flat_map(move |j| {
                    let k = f - 1 - i - j;
                    let up = [[i + 1, j, k], [i, j + 1, k], [i, j, k + 1]];
                    let down = (k > 0).then(|| [[i + 1, j + 1, k - 1], [i, j + 1, k], [i + 1, j, k]]);
                    [Some(up), down].into_iter().flatten().map(move |t| (face, t))
                })
            })
        })
    }
}

/// A ball that grows from its surface inwards: fine outside, coarser inside.
pub(super) struct GradedBall {
    pub mesh: TetMesh,
    /// The vertices of the surface are the first of the mesh, numbered as in this sphere.
    pub surface: Geodesic,
}

/// A ball of `radius` with a surface of `frequency`: a layer of prisms, then layers that halve the frequency
/// while it is even, then a ball of one frequency.
pub(super) fn graded_ball(radius: f64, frequency: u32) -> GradedBall {
    let surface = Geodesic::new(frequency);
    let mut positions: Vec<DVec3> = surface.directions().iter().map(|d| radius * d).collect();
    let mut tets: Vec<[u32; 4]> = Vec::new();
    let mut shell = Shell { sphere: Geodesic::new(frequency), first: 0, radius };
    if frequency >= LEAST_PRISMS {
        let inner = shell.next(frequency, 0.9, &mut positions);
        let triangles: Vec<[u32; 3]> =
            shell.sphere.triangles().map(|(face, t)| t.map(|w| shell.sphere.id(face, w))).collect();
        let colors = coloring(shell.sphere.len() as usize, &triangles);
        add_layer(&mut tets, &triangles, &colors, false, |v| inner.first + v, |v| shell.first + v);
        shell = inner;
    }
    while shell.sphere.frequency.is_multiple_of(2) && shell.sphere.frequency >= 2 * LEAST_FREQUENCY {
        let inner = shell.next(shell.sphere.frequency / 2, 1.35, &mut positions);
        for (face, coarse) in inner.sphere.triangles() {
            let [a, b, c] = coarse.map(|w| inner.first + inner.sphere.id(face, w));
            let fine = |p: [u32; 3], q: [u32; 3]| {
                shell.first + shell.sphere.id(face, [0, 1, 2].map(|k| p[k] + q[k]))
            };
            let [p, q, r] = coarse;
            let (above_a, above_b, above_c) = (fine(p, p), fine(q, q), fine(r, r));
            let (ab, bc, ca) = (fine(p, q), fine(q, r), fine(r, p));
            tets.extend([[a, above_a, ab, ca], [b, above_b, bc, ab], [c, above_c, ca, bc]]);
            tets.extend(split_octahedron([[a, bc], [b, ca], [c, ab]], &positions));
        }
        shell = inner;
    }
    fill_ball(&shell, &mut positions, &mut tets);
    let mut mesh = TetMesh { positions, tets };
    mesh.orient();
    GradedBall { mesh, surface }
}

/// Number of vertices of [`graded_ball`].
pub(super) fn graded_ball_len(frequency: u32) -> u64 {
    let sphere = |f: u32| 10 * u64::from(f) * u64::from(f) + 2;
    let mut f = frequency;
    let mut count = sphere(f);
    if f >= LEAST_PRISMS {
        count += sphere(f);
    }
    while f.is_multiple_of(2) && f >= 2 * LEAST_FREQUENCY {
        f /= 2;
        count += sphere(f);
    }
    count + 1 + (1..f).map(sphere).sum::<u64>()
}

const LEAST_FREQUENCY: u32 = 3;
const LEAST_PRISMS: u32 = 6;

/// A sphere of vertices in a ball under construction.
struct Shell {
    sphere: Geodesic,
    /// Its first vertex.
    first: u32,
    radius: f64,
}

impl Shell {
    /// The next shell inwards, `apart` edges of this one.
    fn next(&self, frequency: u32, apart: f64, positions: &mut Vec<DVec3>) -> Shell {
        let edge = EDGE_ANGLE * self.radius / f64::from(self.sphere.frequency);
        let (sphere, first) = (Geodesic::new(frequency), positions.len() as u32);
        let radius = self.radius - apart * edge;
        positions.extend(sphere.directions().iter().map(|d| radius * d));
        Shell { sphere, first, radius }
    }
}

/// Fills the inside of a shell: each pyramid from the centre to a face of the icosahedron is cut by planes
/// parallel to its sides into tetrahedra and octahedra, then its layers are bent to spheres.
fn fill_ball(shell: &Shell, positions: &mut Vec<DVec3>, tets: &mut Vec<[u32; 4]>) {
    let f = shell.sphere.frequency;
    let center = positions.len() as u32;
    positions.push(DVec3::ZERO);
    // Shells from the centre outwards; the last is the given one.
    let mut shells = Vec::with_capacity(f as usize);
    for k in 1..f {
        let sphere = Geodesic::new(k);
        let (first, radius) = (positions.len() as u32, shell.radius * f64::from(k) / f64::from(f));
        positions.extend(sphere.directions().iter().map(|d| radius * d));
        shells.push(Shell { sphere, first, radius });
    }
    let vertex = |face: usize, w: [u32; 3]| match w.iter().sum::<u32>() {
        0 => center,
        k if k == f => shell.first + shell.sphere.id(face, w),
        k => shells[k as usize - 1].first + shells[k as usize - 1].sphere.id(face, w),
    };
    for face in 0..20 {
        for i in 0..f {
            for j in 0..f - i {
                for k in 0..f - i - j {
                    let at = |d: [u32; 3]| vertex(face, [i + d[0], j + d[1], k + d[2]]);
                    let ends = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(at);
                    tets.push([at([0; 3]), ends[0], ends[1], ends[2]]);
                    let room = f - 1 - i - j - k;
                    if room >= 1 {
                        let sums = [[0, 1, 1], [1, 0, 1], [1, 1, 0]].map(at);
                        tets.extend(split_octahedron([0, 1, 2].map(|a| [ends[a], sums[a]]), positions));
                        if room >= 2 {
                            tets.push([sums[0], sums[1], sums[2], at([1; 3])]);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TetTopology;
    use crate::quality::TetQuality;

    #[test]
    fn graded_balls_are_sound_round_and_of_good_shape() {
        for frequency in [1, 2, 3, 4, 6, 9, 12, 24] {
            let ball = graded_ball(1.0, frequency);
            assert_eq!(ball.mesh.positions.len() as u64, graded_ball_len(frequency));
            let topology = TetTopology::new(ball.mesh.positions.len(), &ball.mesh.tets);
            assert!(topology.defects.is_empty());
            assert_eq!(topology.unreferenced_vertices().count(), 0);
            let [v, e, f] = [topology.boundary_vertices.len(), topology.edges.len(), topology.faces.len()]
                .map(|n| n as i64);
            assert_eq!((v - e + f, topology.component_count), (2, 1));
            assert_eq!(topology.boundary_vertices, (0..ball.surface.len()).collect::<Vec<_>>());
            let quality = TetQuality::measure(&ball.mesh);
            assert!(
                quality.min_dihedral.0 > 20.0 && quality.max_dihedral.0 < 130.0,
                "{frequency}: {} {}",
                quality.min_dihedral.0,
                quality.max_dihedral.0
            );
        }
    }
}
