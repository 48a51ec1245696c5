//! Discrete collision detection: which tetrahedra hold a point that does not belong to them.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use crate::bvh::Tree;
use crate::predicates::{Sign, orient3d};
use crate::sorted::SortedMesh;

/// The points to test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PointSet<'a> {
    /// Every boundary vertex.
    #[default]
    BoundaryVertices,
    /// Every vertex that a tetrahedron uses.
    AllVertices,
    /// These vertices; each index must be one of the mesh.
    Vertices(&'a [u32]),
    /// The centroid of every tetrahedron.
    Centroids,
    /// Every vertex and every centroid: what recovers bodies whose cores have crossed (Chen et al. 2023, section 4.3).
    AllVerticesAndCentroids,
}

/// A point of the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PointId {
    /// This vertex.
    Vertex(u32),
    /// The centroid of this tetrahedron.
    Centroid(u32),
}

/// A point inside a tetrahedron that is not its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Penetration {
    /// The point.
    pub point: PointId,
    /// A tetrahedron that strictly contains it. It does not use the vertex; if the point is a centroid, it shares no
    /// vertex with the centroid's tetrahedron.
    pub tet: u32,
}

/// Options of the detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DcdOptions {
    /// Leaves out the vertices of inverted boundary tetrahedra, and the centroids of inverted tetrahedra: the inversion
    /// itself makes them overlap, and nothing tells that from a collision (Chen et al. 2023, section 3.5).
    pub skip_inverted: bool,
}

impl Default for DcdOptions {
    fn default() -> Self {
        DcdOptions { skip_inverted: true }
    }
}

/// Work done by a detection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DcdCounters {
    /// Points tested.
    pub points: u64,
    /// Points left out next to inverted elements.
    pub skipped: u64,
    /// Tetrahedra whose box holds a point.
    pub boxes: u64,
    /// Tetrahedra tested exactly.
    pub tests: u64,
}

impl std::ops::AddAssign for DcdCounters {
    fn add_assign(&mut self, o: Self) {
        self.points += o.points;
        self.skipped += o.skipped;
        self.boxes += o.boxes;
        self.tests += o.tests;
    }
}

/// What the detection reads, in internal ids.
pub(crate) struct Scene<'a> {
    pub mesh: &'a SortedMesh,
    pub positions: &'a [Vec3],
    /// Over the elements.
    pub elements: &'a Tree,
    pub inverted: &'a [bool],
    /// Vertices of inverted boundary elements.
    pub excluded: &'a [bool],
}

/// Points handled by one task.
const CHUNK: usize = 512;

impl Scene<'_> {
    /// Finds the penetrations of `points`, sorted, in the user's ids.
    pub fn detect(&self, points: PointSet, options: DcdOptions, out: &mut Vec<Penetration>) -> DcdCounters {
        out.clear();
        let mesh = self.mesh;
        let mut counters = DcdCounters::default();
        let skip = options.skip_inverted;
        let vertices = |ids: &[u32], out: &mut Vec<Penetration>, counters: &mut DcdCounters| {
            self.collect(ids, out, counters, |task, v| task.vertex(v, skip));
        };
        match points {
            PointSet::BoundaryVertices => vertices(&mesh.boundary_vertices, out, &mut counters),
            PointSet::Vertices(ids) => {
                let mut ranks: Vec<u32> = ids.iter().map(|&v| mesh.vertex_rank[v as usize]).collect();
                ranks.sort_unstable();
                ranks.dedup();
                vertices(&ranks, out, &mut counters);
            }
            PointSet::AllVertices | PointSet::AllVerticesAndCentroids => {
                let used: Vec<u32> = (0..self.positions.len() as u32)
                    .filter(|&v| !mesh.vertex_elements(v).is_empty())
                    .collect();
                vertices(&used, out, &mut counters);
            }
            PointSet::Centroids => {}
        }
        if matches!(points, PointSet::Centroids | PointSet::AllVerticesAndCentroids) {
            let all: Vec<u32> = (0..mesh.elements.len() as u32).collect();
            self.collect(&all, out, &mut counters, |task, t| task.centroid(t, skip));
        }
        out.par_sort_unstable();
        counters
    }

    fn collect(
        &self,
        ids: &[u32],
        out: &mut Vec<Penetration>,
        counters: &mut DcdCounters,
        test: impl Fn(&mut Task, u32) + Sync,
    ) {
        let found: Vec<(Vec<Penetration>, DcdCounters)> = ids
            .par_chunks(CHUNK)
            .map(|ids| {
                let mut task = Task {
                    scene: self,
                    found: Vec::new(),
                    counters: DcdCounters::default(),
                    stack: Vec::new(),
                };
                for &id in ids {
                    test(&mut task, id);
                }
                (task.found, task.counters)
            })
            .collect();
        for (part, count) in found {
            out.extend_from_slice(&part);
            *counters += count;
        }
    }
}

/// The centroid of a tetrahedron.
pub(crate) fn centroid(corners: [DVec3; 4]) -> DVec3 {
    (corners[0] + corners[1] + corners[2] + corners[3]) * 0.25
}

struct Task<'a> {
    scene: &'a Scene<'a>,
    found: Vec<Penetration>,
    counters: DcdCounters,
    stack: Vec<u32>,
}

impl Task<'_> {
    fn vertex(&mut self, v: u32, skip_inverted: bool) {
        self.counters.points += 1;
        if skip_inverted && self.scene.excluded[v as usize] {
            self.counters.skipped += 1;
            return;
        }
        let p = self.scene.positions[v as usize];
        let point = PointId::Vertex(self.scene.mesh.vertex_order[v as usize]);
        self.stab(p, p.as_dvec3(), point, |element| element.contains(&v));
    }

    fn centroid(&mut self, t: u32, skip_inverted: bool) {
        self.counters.points += 1;
        if skip_inverted && self.scene.inverted[t as usize] {
            self.counters.skipped += 1;
            return;
        }
        let own = self.scene.mesh.elements[t as usize].vertices;
        let p = centroid(own.map(|v| self.scene.positions[v as usize].as_dvec3()));
        let point = PointId::Centroid(self.scene.mesh.element_order[t as usize]);
        self.stab(p.as_vec3(), p, point, |element| element.iter().any(|v| own.contains(v)));
    }

    fn stab(&mut self, rounded: Vec3, p: DVec3, point: PointId, incident: impl Fn(&[u32; 4]) -> bool) {
        let Task { scene, found, counters, stack } = self;
        scene.elements.stab(rounded, stack, |t| {
            counters.boxes += 1;
            let vertices = &scene.mesh.elements[t as usize].vertices;
            if incident(vertices) {
                return;
            }
            counters.tests += 1;
            if strictly_contains(vertices.map(|v| scene.positions[v as usize].as_dvec3()), p) {
                found.push(Penetration { point, tet: scene.mesh.element_order[t as usize] });
            }
        });
    }
}

/// Whether `p` lies strictly inside the tetrahedron, positive or inverted; exact. Never inside a flat one.
pub(crate) fn strictly_contains(corners: [DVec3; 4], p: DVec3) -> bool {
    let w = corners.map(|x| x - p);
    let m = w[0].abs().max(w[1].abs()).max(w[2].abs()).max(w[3].abs());
    // The bound of `predicates::orient3d`, over all four vertices.
    let bound = 5.4e-15 * (m.x * m.y * m.z);
    let (n01, n23) = (w[0].cross(w[1]), w[2].cross(w[3]));
    // Six times the volume over each face, outward: positive when p is inside of it.
    let volumes = [n23.dot(w[1]), -n23.dot(w[0]), n01.dot(w[3]), -n01.dot(w[2])];
    if volumes.iter().all(|&v| v > bound) || volumes.iter().all(|&v| v < -bound) {
        return true;
    }
    if volumes.iter().any(|&v| v > bound) && volumes.iter().any(|&v| v < -bound) {
        return false;
    }
    exactly_contains(corners, p)
}

#[cold]
#[inline(never)]
fn exactly_contains(corners: [DVec3; 4], p: DVec3) -> bool {
    let signs = gordian_mesh::LOCAL_FACES.map(|f| {
        let [a, b, c] = f.map(|k| corners[k]);
        orient3d(a, b, c, p)
    });
    signs[0] != Sign::Zero && signs.iter().all(|&s| s == signs[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coordinate() -> impl Strategy<Value = f64> {
        prop_oneof![(-2i32..3).prop_map(f64::from), (-2.0f32..2.0).prop_map(f64::from)]
    }

    fn corner() -> impl Strategy<Value = DVec3> {
        [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn the_filter_agrees_with_the_exact_test(c in [corner(), corner(), corner(), corner()], p in corner(), k in 0usize..4) {
            prop_assert_eq!(strictly_contains(c, p), exactly_contains(c, p));
            prop_assert!(!strictly_contains(c, c[k]));
            let middle = centroid(c);
            prop_assert_eq!(strictly_contains(c, middle), exactly_contains(c, middle));
            // On a face, an edge: never inside.
            prop_assert!(!exactly_contains(c, (c[0] + c[1]) * 0.5));
        }
    }

    #[test]
    fn inside_is_inside_whichever_way_the_tetrahedron_is_turned() {
        let c = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        assert!(strictly_contains(c, DVec3::splat(0.2)));
        assert!(strictly_contains([c[1], c[0], c[2], c[3]], DVec3::splat(0.2)));
        assert!(!strictly_contains(c, DVec3::splat(0.4)));
        assert!(!strictly_contains(c, DVec3::new(0.2, 0.2, 0.0)));
        assert!(!strictly_contains(
            [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE - DVec3::Z],
            DVec3::splat(0.2)
        ));
    }
}
