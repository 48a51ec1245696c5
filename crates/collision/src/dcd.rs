//! Discrete collision detection: which tetrahedra hold a point that does not belong to them.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use crate::bvh::{Aabb, PointGroup, Tree, lanes};
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

/// Largest extent of a group of points, in extents of an element at one of them.
const GROUP_EXTENT: f32 = 1.0;

impl Scene<'_> {
    /// Finds the penetrations of `points`, sorted, in the user's ids.
    pub fn detect(&self, points: PointSet, options: DcdOptions, out: &mut Vec<Penetration>) -> DcdCounters {
        out.clear();
        let mesh = self.mesh;
        let mut counters = DcdCounters::default();
        let skip = options.skip_inverted;
        let vertices = |ids: &[u32], out: &mut Vec<Penetration>, counters: &mut DcdCounters| {
            let skipped = |v: u32| skip && self.excluded[v as usize];
            self.collect(ids, out, counters, |v| (!skipped(v)).then(|| self.vertex(v)));
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
            let skipped = |t: u32| skip && self.inverted[t as usize];
            self.collect(&all, out, &mut counters, |t| (!skipped(t)).then(|| self.centroid(t)));
        }
        out.par_sort_unstable();
        counters
    }

    /// Tests the points that `point` makes of the ids; `None` is left out.
    fn collect(
        &self,
        ids: &[u32],
        out: &mut Vec<Penetration>,
        counters: &mut DcdCounters,
        point: impl Fn(u32) -> Option<Point> + Sync,
    ) {
        let found: Vec<(Vec<Penetration>, DcdCounters)> = ids
            .par_chunks(CHUNK)
            .map(|ids| {
                let mut task = Task::new(self);
                for &id in ids {
                    task.counters.points += 1;
                    match point(id) {
                        Some(point) => task.add(point),
                        None => task.counters.skipped += 1,
                    }
                }
                task.test_group();
                (task.found, task.counters)
            })
            .collect();
        for (part, count) in found {
            out.extend_from_slice(&part);
            *counters += count;
        }
    }

    fn vertex(&self, v: u32) -> Point {
        let id = PointId::Vertex(self.mesh.vertex_order[v as usize]);
        let element = self.mesh.vertex_elements(v).first().copied();
        let extent = element.map_or(0.0, |t| extent(&self.mesh.element_box(self.positions, t)));
        Point { id, position: self.positions[v as usize].as_dvec3(), own: [v; 4], extent }
    }

    fn centroid(&self, t: u32) -> Point {
        let own = self.mesh.elements[t as usize].vertices;
        Point {
            id: PointId::Centroid(self.mesh.element_order[t as usize]),
            position: centroid(own.map(|v| self.positions[v as usize].as_dvec3())),
            own,
            extent: extent(&self.mesh.element_box(self.positions, t)),
        }
    }
}

/// The centroid of a tetrahedron.
pub(crate) fn centroid(corners: [DVec3; 4]) -> DVec3 {
    (corners[0] + corners[1] + corners[2] + corners[3]) * 0.25
}

fn extent(b: &Aabb) -> f32 {
    (b.max - b.min).max_element()
}

/// A point to test.
#[derive(Clone, Copy)]
struct Point {
    id: PointId,
    position: DVec3,
    /// Elements that use one of these vertices are its own.
    own: [u32; 4],
    /// Size of an element at the point.
    extent: f32,
}

/// Collects points that lie close together and takes them down the tree as one.
struct Task<'a> {
    scene: &'a Scene<'a>,
    group: PointGroup,
    points: Vec<Point>,
    found: Vec<Penetration>,
    counters: DcdCounters,
    stack: Vec<u32>,
}

impl<'a> Task<'a> {
    fn new(scene: &'a Scene<'a>) -> Self {
        Task {
            scene,
            group: PointGroup::default(),
            points: Vec::with_capacity(PointGroup::CAPACITY),
            found: Vec::new(),
            counters: DcdCounters::default(),
            stack: Vec::new(),
        }
    }

    fn add(&mut self, point: Point) {
        if self.points.len() == PointGroup::CAPACITY || !self.fits(&point) {
            self.test_group();
        }
        self.group.push(point.position);
        self.points.push(point);
    }

    fn fits(&self, point: &Point) -> bool {
        let rounded = point.position.as_vec3();
        let bounds = self.group.bounds().union(Aabb { min: rounded, max: rounded });
        self.points.first().is_none_or(|first| extent(&bounds) <= GROUP_EXTENT * first.extent)
    }

    fn test_group(&mut self) {
        let Task { scene, group, points, found, counters, stack } = self;
        scene.elements.stab_group(group, stack, |t, mask| {
            let vertices = &scene.mesh.elements[t as usize].vertices;
            for i in lanes(mask) {
                let point = &points[i];
                counters.boxes += 1;
                if vertices.iter().any(|v| point.own.contains(v)) {
                    continue;
                }
                counters.tests += 1;
                let at = |v: u32| scene.positions[v as usize].as_dvec3();
                let &[a, b, c, d] = vertices;
                let corners = [at(a), at(b), at(c), at(d)];
                if strictly_contains(corners, point.position) {
                    found.push(Penetration { point: point.id, tet: scene.mesh.element_order[t as usize] });
                }
            }
        });
        self.group = PointGroup::default();
        self.points.clear();
    }
}

/// Whether `p` lies strictly inside the tetrahedron, positive or inverted; exact. Never inside a flat one.
pub(crate) fn strictly_contains(corners: [DVec3; 4], p: DVec3) -> bool {
    let [a, b, c, d] = corners;
    let w = [a - p, b - p, c - p, d - p];
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
