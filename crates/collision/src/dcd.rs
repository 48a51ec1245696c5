//! Discrete collision detection: which tetrahedra hold a point that does not belong to them.
//!
//! The points lie in a tree; blocks of a few elements, neighbours in memory and in space, are taken down the tree as one. So the
//! boxes of elements never leave the processor, and no tree over them has to be kept. The tree over the boundary vertices is
//! kept up to date, and so are those over all vertices and all centroids where they are asked about in every pose ([`Cores`]); any other
//! is built when it is needed.

use std::ops::Range;

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use crate::bvh::{Aabb, EightBoxes, Item, PackedStack, PackedTree, lanes};
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
    /// Over the boundary vertices.
    pub boundary: &'a PackedTree,
    pub cores: Option<&'a Cores>,
    pub inverted: &'a [bool],
    /// Vertices of inverted boundary elements.
    pub excluded: &'a [bool],
}

/// Trees over every vertex that a tetrahedron uses, and over every centroid.
#[derive(Clone, Debug)]
pub(crate) struct Cores {
    vertices: PackedTree,
    centroids: PackedTree,
}

impl Cores {
    pub fn build(mesh: &SortedMesh, positions: &[Vec3]) -> Self {
        Cores { vertices: used_vertices(mesh, positions), centroids: centroids(mesh, positions) }
    }

    /// Takes new positions; a tree that motion has made slow is built anew.
    pub fn refit(&mut self, mesh: &SortedMesh, positions: &[Vec3]) {
        let Cores { vertices, centroids: cores } = self;
        vertices.refit(|v| Item::point(v, positions[v as usize].as_dvec3()).bounds);
        if vertices.wants_rebuild() {
            *vertices = used_vertices(mesh, positions);
        }
        cores.refit(|t| Item::point(t, centroid_of(mesh, positions, t)).bounds);
        if cores.wants_rebuild() {
            *cores = centroids(mesh, positions);
        }
    }
}

fn used_vertices(mesh: &SortedMesh, positions: &[Vec3]) -> PackedTree {
    let used = (0..positions.len() as u32).filter(|&v| !mesh.vertex_elements(v).is_empty());
    PackedTree::build(used.map(|v| Item::point(v, positions[v as usize].as_dvec3())).collect())
}

fn centroids(mesh: &SortedMesh, positions: &[Vec3]) -> PackedTree {
    let all = 0..mesh.elements.len() as u32;
    PackedTree::build(all.map(|t| Item::point(t, centroid_of(mesh, positions, t))).collect())
}

fn centroid_of(mesh: &SortedMesh, positions: &[Vec3], t: u32) -> DVec3 {
    centroid(mesh.elements[t as usize].vertices.map(|v| positions[v as usize].as_dvec3()))
}

/// Elements handled by one task.
const CHUNK: usize = 2048;

/// Largest extent of a block of elements, in extents of its largest element.
const BLOCK_EXTENT: f32 = 4.0;

impl Scene<'_> {
    /// Finds the penetrations of `points`, sorted, in the user's ids.
    pub fn detect(&self, points: PointSet, options: DcdOptions, out: &mut Vec<Penetration>) -> DcdCounters {
        out.clear();
        let mut counters = DcdCounters::default();
        let skip = options.skip_inverted;
        match points {
            PointSet::BoundaryVertices => self.vertices(self.boundary, skip, out, &mut counters),
            PointSet::Vertices(ids) => {
                let mut ranks: Vec<u32> = ids.iter().map(|&v| self.mesh.vertex_rank[v as usize]).collect();
                ranks.sort_unstable();
                ranks.dedup();
                let points = ranks.into_iter().map(|v| Item::point(v, self.at(v))).collect();
                self.vertices(&PackedTree::build(points), skip, out, &mut counters);
            }
            PointSet::AllVertices | PointSet::AllVerticesAndCentroids => match self.cores {
                Some(kept) => self.vertices(&kept.vertices, skip, out, &mut counters),
                None => {
                    self.vertices(&used_vertices(self.mesh, self.positions), skip, out, &mut counters);
                }
            },
            PointSet::Centroids => {}
        }
        if matches!(points, PointSet::Centroids | PointSet::AllVerticesAndCentroids) {
            match self.cores {
                Some(kept) => self.centroids(&kept.centroids, skip, out, &mut counters),
                None => self.centroids(&centroids(self.mesh, self.positions), skip, out, &mut counters),
            }
        }
        out.par_sort_unstable_by_key(key);
        counters
    }

    fn at(&self, v: u32) -> DVec3 {
        self.positions[v as usize].as_dvec3()
    }

    fn vertices(
        &self,
        tree: &PackedTree,
        skip: bool,
        out: &mut Vec<Penetration>,
        counters: &mut DcdCounters,
    ) {
        let skipped = |v: u32| skip && self.excluded[v as usize];
        counters.points += tree.items().len() as u64;
        counters.skipped += tree.items().iter().filter(|i| skipped(i.id)).count() as u64;
        self.collect(tree, out, counters, |v, element| {
            let foreign = !element.contains(&v) && !skipped(v);
            foreign.then(|| (PointId::Vertex(self.mesh.vertex_order[v as usize]), self.at(v)))
        });
    }

    fn centroids(
        &self,
        tree: &PackedTree,
        skip: bool,
        out: &mut Vec<Penetration>,
        counters: &mut DcdCounters,
    ) {
        let own = |t: u32| self.mesh.elements[t as usize].vertices;
        let skipped = |t: u32| skip && self.inverted[t as usize];
        counters.points += tree.items().len() as u64;
        counters.skipped += tree.items().iter().filter(|i| skipped(i.id)).count() as u64;
        self.collect(tree, out, counters, |t, element| {
            let foreign = !own(t).iter().any(|v| element.contains(v)) && !skipped(t);
            let point = || centroid_of(self.mesh, self.positions, t);
            foreign.then(|| (PointId::Centroid(self.mesh.element_order[t as usize]), point()))
        });
    }

    /// Tests the points of a tree against all elements. For a point and the vertices of an element, `foreign` tells the point's
    /// name and position, unless the element is its own.
    fn collect(
        &self,
        tree: &PackedTree,
        out: &mut Vec<Penetration>,
        counters: &mut DcdCounters,
        foreign: impl Fn(u32, &[u32; 4]) -> Option<(PointId, DVec3)> + Sync,
    ) {
        let found: Vec<(Vec<Penetration>, DcdCounters)> = (0..self.mesh.elements.len())
            .into_par_iter()
            .step_by(CHUNK)
            .with_max_len(1)
            .map(|start| {
                let end = self.mesh.elements.len().min(start + CHUNK);
                let mut task = Task {
                    scene: self,
                    tree,
                    stack: Vec::new(),
                    found: Vec::new(),
                    counters: DcdCounters::default(),
                };
                task.test(start as u32..end as u32, &foreign);
                (task.found, task.counters)
            })
            .collect();
        for (part, count) in found {
            out.extend_from_slice(&part);
            *counters += count;
        }
    }
}

/// Sorts as the penetration does, in one word, which is compared without a branch.
fn key(penetration: &Penetration) -> u128 {
    let (kind, id) = match penetration.point {
        PointId::Vertex(v) => (0, v),
        PointId::Centroid(t) => (1, t),
    };
    kind << 64 | (id as u128) << 32 | penetration.tet as u128
}

/// The centroid of a tetrahedron.
pub(crate) fn centroid(corners: [DVec3; 4]) -> DVec3 {
    (corners[0] + corners[1] + corners[2] + corners[3]) * 0.25
}

fn extent(b: &Aabb) -> f32 {
    (b.max - b.min).max_element()
}

/// Takes elements down the tree.
struct Task<'a> {
    scene: &'a Scene<'a>,
    tree: &'a PackedTree,
    stack: PackedStack,
    found: Vec<Penetration>,
    counters: DcdCounters,
}

impl Task<'_> {
    /// Tests these elements, in blocks that are not much larger than their elements.
    fn test(&mut self, elements: Range<u32>, foreign: &impl Fn(u32, &[u32; 4]) -> Option<(PointId, DVec3)>) {
        let mut boxes = [Aabb::EMPTY; EightBoxes::LEN];
        let (mut count, mut bounds, mut largest) = (0, Aabb::EMPTY, 0.0);
        for t in elements.clone() {
            let b = self.scene.mesh.element_box(self.scene.positions, t);
            let (together, size) = (bounds.union(b), extent(&b).max(largest));
            if count == boxes.len() || (count > 0 && extent(&together) > BLOCK_EXTENT * size) {
                self.test_block(t - count as u32, &boxes[..count], &bounds, foreign);
                (count, bounds, largest) = (0, b, extent(&b));
            } else {
                (bounds, largest) = (together, size);
            }
            boxes[count] = b;
            count += 1;
        }
        self.test_block(elements.end - count as u32, &boxes[..count], &bounds, foreign);
    }

    /// Tests the elements from `first` on, which have these boxes.
    fn test_block(
        &mut self,
        first: u32,
        boxes: &[Aabb],
        bounds: &Aabb,
        foreign: &impl Fn(u32, &[u32; 4]) -> Option<(PointId, DVec3)>,
    ) {
        let Task { scene, tree, stack, found, counters } = self;
        let boxes = EightBoxes::new(boxes.iter().copied());
        tree.overlap(bounds, stack, |point| {
            for lane in lanes(boxes.overlap_mask(&point.bounds)) {
                counters.boxes += 1;
                let t = first + lane as u32;
                let vertices = &scene.mesh.elements[t as usize].vertices;
                let Some((id, position)) = foreign(point.id, vertices) else { continue };
                counters.tests += 1;
                let &[a, b, c, d] = vertices;
                if strictly_contains([scene.at(a), scene.at(b), scene.at(c), scene.at(d)], position) {
                    found.push(Penetration { point: id, tet: scene.mesh.element_order[t as usize] });
                }
            }
        });
    }
}

/// Whether `p` lies strictly inside the tetrahedron, positive or inverted; exact. Never inside a flat one.
pub(crate) fn strictly_contains(corners: [DVec3; 4], p: DVec3) -> bool {
    let [a, b, c, d] = corners;
    let w = [a - p, b - p, c - p, d - p];
    let m = w[0].abs().max(w[1].abs()).max(w[2].abs()).max(w[3].abs());
    // The bound of `predicates::orient3d`, over all four vertices.
    let bound = 5.4e-15 * (m.x * m.y * m.z);
    // Six times the volume over each face, outward: positive when p is inside of it.
    let n23 = w[2].cross(w[3]);
    let [v0, v1] = [n23.dot(w[1]), -n23.dot(w[0])];
    if v0.min(v1) < -bound && v0.max(v1) > bound {
        return false;
    }
    let n01 = w[0].cross(w[1]);
    let volumes = [v0, v1, n01.dot(w[3]), -n01.dot(w[2])];
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
