//! Cloth as it is drawn: all sheets of a world, seen from both sides.

use glam::Vec3;

/// Triangles of cloth and their own vertices.
#[derive(Clone, Debug, Default)]
pub struct Sheets {
    /// Triangles over the particles of the world.
    pub triangles: Vec<[u32; 3]>,
    /// Particles in use, ascending.
    pub particles: Vec<u32>,
    /// The triangles over `particles`.
    pub faces: Vec<[u32; 3]>,
    /// Edges over the particles of the world, each once.
    pub edges: Vec<[u32; 2]>,
}

impl Sheets {
    /// The sheets of these triangles.
    pub fn new(triangles: &[[u32; 3]]) -> Self {
        let mut particles: Vec<u32> = triangles.iter().flatten().copied().collect();
        particles.sort_unstable();
        particles.dedup();
        let rank = |v: u32| particles.partition_point(|&p| p < v) as u32;
        let faces = triangles.iter().map(|t| t.map(rank)).collect();
        let sides = triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
        let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        Sheets { triangles: triangles.to_vec(), particles, faces, edges }
    }

    /// Place of a particle of the world among those in use.
    pub fn rank(&self, particle: u32) -> Option<usize> {
        self.particles.binary_search(&particle).ok()
    }

    /// Unit normals of the particles in use: the mean of the triangles around, weighted by their areas.
    pub fn normals(&self, positions: &[Vec3]) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.particles.len()];
        for (triangle, face) in self.triangles.iter().zip(&self.faces) {
            let [a, b, c] = triangle.map(|v| positions[v as usize]);
            let normal = (b - a).cross(c - a);
            for &v in face {
                normals[v as usize] += normal;
            }
        }
        normals.iter().map(|n| n.try_normalize().unwrap_or(Vec3::Y)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_of_two_triangles_among_other_particles() {
        let positions = [Vec3::splat(9.0), Vec3::ZERO, Vec3::X, Vec3::splat(8.0), Vec3::X + Vec3::Z, Vec3::Z];
        let sheets = Sheets::new(&[[1, 5, 4], [1, 4, 2]]);
        assert_eq!(sheets.particles, [1, 2, 4, 5]);
        assert_eq!(sheets.faces, [[0, 3, 2], [0, 2, 1]]);
        assert_eq!(sheets.edges.len(), 5);
        assert_eq!(sheets.normals(&positions), [Vec3::Y; 4]);
    }
}
