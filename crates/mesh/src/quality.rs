//! Shape of tetrahedra and triangles: dihedral angles, radius ratio, edge lengths.
//!
//! Source of the measures: J. Shewchuk, "What is a good linear finite element?" (2002), table 7.

use glam::DVec3;
use rayon::prelude::*;

use crate::{LOCAL_FACES, TetMesh, TriMesh};

/// The six edges of a tetrahedron as local vertices; edge `i` is opposite edge `5 - i`.
pub const LOCAL_EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// The six dihedral angles of a tetrahedron at [`LOCAL_EDGES`], in degrees.
///
/// Of a flat tetrahedron they are 0 and 180; of one with coincident vertices they are not a number. The sign
/// of the volume does not matter.
pub fn dihedral_angles(corners: [DVec3; 4]) -> [f64; 6] {
    let normals = face_normals(corners);
    LOCAL_EDGES.map(|[i, j]| {
        // The two faces at edge ij are those opposite the other two vertices.
        let [k, l] = others(i, j);
        let (m, n) = (normals[k], normals[l]);
        let denominator = m.length() * n.length();
        if denominator > 0.0 { m.cross(n).length().atan2(-m.dot(n)).to_degrees() } else { f64::NAN }
    })
}

/// Three times the inscribed over the circumscribed radius: 1 for the regular tetrahedron, 0 for a flat one,
/// negative for an inverted one.
pub fn radius_ratio(corners: [DVec3; 4]) -> f64 {
    let [a, b, c] = [1, 2, 3].map(|k| corners[k] - corners[0]);
    let six_volume = a.cross(b).dot(c);
    let double_area: f64 = face_normals(corners).iter().map(|n| n.length()).sum();
    // Circumradius |a² (b×c) + b² (c×a) + c² (a×b)| / 12V, inradius 3V / area.
    let lift =
        a.length_squared() * b.cross(c) + b.length_squared() * c.cross(a) + c.length_squared() * a.cross(b);
    let ratio = 6.0 * six_volume * six_volume.abs() / (double_area * lift.length());
    if ratio.is_finite() { ratio } else { 0.0 }
}

/// Volume over the cube of the root mean square edge, 1 for the regular tetrahedron: 0 for a degenerate one,
/// negative for an inverted one.
///
/// Cheap and smooth: what mesh improvement maximises. Source: V. Parthasarathy et al., "A comparison of
/// tetrahedron quality measures" (1994).
pub fn volume_length_ratio(corners: [DVec3; 4]) -> f64 {
    let six_volume = (corners[1] - corners[0]).cross(corners[2] - corners[0]).dot(corners[3] - corners[0]);
    let squares = LOCAL_EDGES.map(|[i, j]| (corners[i] - corners[j]).length_squared());
    let mean = squares.iter().sum::<f64>() / 6.0;
    if mean > 0.0 { std::f64::consts::SQRT_2 * six_volume / (mean * mean.sqrt()) } else { 0.0 }
}

/// Twice the outward area vectors of the faces opposite each vertex.
fn face_normals(corners: [DVec3; 4]) -> [DVec3; 4] {
    LOCAL_FACES.map(|[i, j, k]| (corners[j] - corners[i]).cross(corners[k] - corners[i]))
}

/// The two local vertices that edge `ij` does not use.
fn others(i: usize, j: usize) -> [usize; 2] {
    let mut rest = (0..4).filter(|&k| k != i && k != j);
    [rest.next().expect("four vertices"), rest.next().expect("four vertices")]
}

/// Shape statistics of a tetrahedral mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct TetQuality {
    /// Number of dihedral angles in each bin of ten degrees, from 0-10 to 170-180.
    pub dihedral_histogram: [u64; 18],
    /// The smallest dihedral angle, in degrees, and its tetrahedron. `(180, None)` for a mesh without
    /// tetrahedra.
    pub min_dihedral: (f64, Option<u32>),
    /// The largest dihedral angle, in degrees, and its tetrahedron. `(0, None)` for a mesh without
    /// tetrahedra.
    pub max_dihedral: (f64, Option<u32>),
    /// The smallest radius ratio (see [`radius_ratio`]) and its tetrahedron.
    pub min_radius_ratio: (f64, Option<u32>),
    /// Tetrahedra with coincident vertices, whose angles are not defined and not counted above.
    pub degenerate: u64,
    /// Shortest edge, in metres; 0 without tetrahedra.
    pub min_edge: f64,
    /// Longest edge, in metres.
    pub max_edge: f64,
    /// Mean edge length, in metres, each tetrahedron's six edges counted.
    pub mean_edge: f64,
    /// Sum of the signed volumes, in cubic metres.
    pub volume: f64,
}

impl TetQuality {
    /// Measures a mesh. The result does not depend on the number of threads.
    pub fn measure(mesh: &TetMesh) -> Self {
        const CHUNK: usize = 4096;
        let parts: Vec<Sums> = (0..mesh.tets.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|c| {
                let mut sums = Sums::default();
                for t in c * CHUNK..((c + 1) * CHUNK).min(mesh.tets.len()) {
                    sums.add(t as u32, mesh.corners(t));
                }
                sums
            })
            .collect();
        let mut all = Sums::default();
        for part in &parts {
            all.merge(part);
        }
        let edges = 6 * mesh.tets.len();
        TetQuality {
            dihedral_histogram: all.histogram,
            min_dihedral: all.min_dihedral,
            max_dihedral: all.max_dihedral,
            min_radius_ratio: all.min_ratio,
            degenerate: all.degenerate,
            min_edge: if edges > 0 { all.min_edge } else { 0.0 },
            max_edge: all.max_edge,
            mean_edge: if edges > 0 { all.edge_sum / edges as f64 } else { 0.0 },
            volume: all.volume,
        }
    }
}

/// What [`TetQuality::measure`] gathers in one chunk.
struct Sums {
    histogram: [u64; 18],
    min_dihedral: (f64, Option<u32>),
    max_dihedral: (f64, Option<u32>),
    min_ratio: (f64, Option<u32>),
    degenerate: u64,
    min_edge: f64,
    max_edge: f64,
    edge_sum: f64,
    volume: f64,
}

impl Default for Sums {
    fn default() -> Self {
        Sums {
            histogram: [0; 18],
            min_dihedral: (180.0, None),
            max_dihedral: (0.0, None),
            min_ratio: (1.0, None),
            degenerate: 0,
            min_edge: f64::INFINITY,
            max_edge: 0.0,
            edge_sum: 0.0,
            volume: 0.0,
        }
    }
}

impl Sums {
    fn add(&mut self, t: u32, corners: [DVec3; 4]) {
        self.volume += crate::signed_volume(corners);
        for [i, j] in LOCAL_EDGES {
            let length = (corners[i] - corners[j]).length();
            self.min_edge = self.min_edge.min(length);
            self.max_edge = self.max_edge.max(length);
            self.edge_sum += length;
        }
        let ratio = radius_ratio(corners);
        if ratio < self.min_ratio.0 || self.min_ratio.1.is_none() {
            self.min_ratio = (ratio, Some(t));
        }
        let angles = dihedral_angles(corners);
        if angles.iter().any(|a| a.is_nan()) {
            self.degenerate += 1;
            return;
        }
        for angle in angles {
            self.histogram[((angle / 10.0) as usize).min(17)] += 1;
            if angle < self.min_dihedral.0 || self.min_dihedral.1.is_none() {
                self.min_dihedral = (angle, Some(t));
            }
            if angle > self.max_dihedral.0 || self.max_dihedral.1.is_none() {
                self.max_dihedral = (angle, Some(t));
            }
        }
    }

    fn merge(&mut self, other: &Sums) {
        for (bin, count) in self.histogram.iter_mut().zip(other.histogram) {
            *bin += count;
        }
        let first = |a: &mut (f64, Option<u32>), b: (f64, Option<u32>), less: bool| {
            if b.1.is_some() && (a.1.is_none() || if less { b.0 < a.0 } else { b.0 > a.0 }) {
                *a = b;
            }
        };
        first(&mut self.min_dihedral, other.min_dihedral, true);
        first(&mut self.max_dihedral, other.max_dihedral, false);
        first(&mut self.min_ratio, other.min_ratio, true);
        self.degenerate += other.degenerate;
        self.min_edge = self.min_edge.min(other.min_edge);
        self.max_edge = self.max_edge.max(other.max_edge);
        self.edge_sum += other.edge_sum;
        self.volume += other.volume;
    }
}

/// Shape statistics of a triangle mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct TriQuality {
    /// The smallest angle, in degrees, and its triangle. `(180, None)` for a mesh without triangles.
    pub min_angle: (f64, Option<u32>),
    /// The largest angle, in degrees, and its triangle. `(0, None)` for a mesh without triangles.
    pub max_angle: (f64, Option<u32>),
    /// Triangles with coincident corners, whose angles are not defined and not counted above.
    pub degenerate: u64,
    /// Shortest edge, in metres; 0 without triangles.
    pub min_edge: f64,
    /// Longest edge, in metres.
    pub max_edge: f64,
    /// Mean edge length, in metres, each triangle's three edges counted.
    pub mean_edge: f64,
    /// Sum of the areas, in square metres.
    pub area: f64,
}

impl TriQuality {
    /// Measures a mesh.
    pub fn measure(mesh: &TriMesh) -> Self {
        let mut quality = TriQuality {
            min_angle: (180.0, None),
            max_angle: (0.0, None),
            degenerate: 0,
            min_edge: f64::INFINITY,
            max_edge: 0.0,
            mean_edge: 0.0,
            area: 0.0,
        };
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            let corners = triangle.map(|v| mesh.positions[v as usize]);
            let sides = [0, 1, 2].map(|k| corners[(k + 1) % 3] - corners[k]);
            for side in sides {
                let length = side.length();
                quality.min_edge = quality.min_edge.min(length);
                quality.max_edge = quality.max_edge.max(length);
                quality.mean_edge += length;
            }
            quality.area += 0.5 * sides[0].cross(sides[1]).length();
            if sides.contains(&DVec3::ZERO) {
                quality.degenerate += 1;
                continue;
            }
            for k in 0..3 {
                let (u, v) = (sides[k], -sides[(k + 2) % 3]);
                let angle = u.cross(v).length().atan2(u.dot(v)).to_degrees();
                if angle < quality.min_angle.0 || quality.min_angle.1.is_none() {
                    quality.min_angle = (angle, Some(t as u32));
                }
                if angle > quality.max_angle.0 || quality.max_angle.1.is_none() {
                    quality.max_angle = (angle, Some(t as u32));
                }
            }
        }
        match 3 * mesh.triangles.len() {
            0 => quality.min_edge = 0.0,
            edges => quality.mean_edge /= edges as f64,
        }
        quality
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regular() -> [DVec3; 4] {
        [(1, 1, 1), (-1, -1, 1), (-1, 1, -1), (1, -1, -1)]
            .map(|(x, y, z)| DVec3::new(x as f64, y as f64, z as f64))
    }

    #[test]
    fn regular_tetrahedron_has_the_known_angle_and_ratio_one() {
        let expected = (1.0f64 / 3.0).acos().to_degrees();
        for angle in dihedral_angles(regular()) {
            assert!((angle - expected).abs() < 1e-12);
        }
        let [a, b, c, d] = regular();
        let sign = if crate::signed_volume([a, b, c, d]) > 0.0 { 1.0 } else { -1.0 };
        assert!((radius_ratio([a, b, c, d]) - sign).abs() < 1e-14);
        assert!((radius_ratio([a, b, d, c]) + sign).abs() < 1e-14);
        assert!((volume_length_ratio([a, b, c, d]) - sign).abs() < 1e-14);
    }

    #[test]
    fn corner_of_a_cube_has_three_right_angles() {
        let corner = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let angles = dihedral_angles(corner);
        let slope = 2.0f64.sqrt().atan().to_degrees();
        for (angle, expected) in angles.iter().zip([90.0, 90.0, 90.0, slope, slope, slope]) {
            assert!((angle - expected).abs() < 1e-12, "{angles:?}");
        }
        // Inradius 1 / (3 + √3), circumradius √3 / 2.
        let expected = 3.0 / (3.0 + 3.0f64.sqrt()) / (3.0f64.sqrt() / 2.0);
        assert!((radius_ratio(corner) - expected).abs() < 1e-14);
    }

    #[test]
    fn flat_and_coincident_tetrahedra_do_not_poison_the_statistics() {
        let positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y, DVec3::Z, DVec3::ZERO];
        let mesh = TetMesh { positions, tets: vec![[0, 1, 2, 4], [0, 1, 2, 3], [0, 5, 1, 2]] };
        let quality = TetQuality::measure(&mesh);
        assert_eq!(quality.degenerate, 1);
        assert_eq!(quality.min_dihedral, (0.0, Some(1)));
        assert_eq!(quality.max_dihedral, (180.0, Some(1)));
        assert_eq!(quality.dihedral_histogram.iter().sum::<u64>(), 12);
        assert_eq!(quality.min_edge, 0.0);
        assert!((quality.volume - 1.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn triangles_have_the_known_angles() {
        let positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X];
        let mesh = TriMesh { positions, triangles: vec![[0, 1, 2], [1, 3, 2]] };
        let quality = TriQuality::measure(&mesh);
        assert!((quality.min_angle.0 - 45.0).abs() < 1e-12 && quality.min_angle.1 == Some(0));
        assert!((quality.max_angle.0 - 90.0).abs() < 1e-12 && quality.max_angle.1 == Some(0));
        assert_eq!((quality.degenerate, quality.min_edge, quality.area), (1, 0.0, 0.5));
        assert!((quality.mean_edge - (2.0 + 3.0 * 2.0f64.sqrt()) / 6.0).abs() < 1e-15);
    }
}
