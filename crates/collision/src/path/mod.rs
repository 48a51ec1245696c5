//! Shortest path from a point inside a tetrahedral mesh to the boundary of a mesh that may intersect itself.
//!
//! A point p lies in the tetrahedron e. A segment from p to a boundary point s is a **valid path** when a
//! sequence of face-adjacent tetrahedra, from e to one that owns s, contains it; the shortest valid segment is the
//! shortest path, and only the Euclidean closest point of each boundary face needs testing
//! (Chen, Diaz, Yuksel, "Shortest Path to Boundary for Self-Intersecting Meshes", ACM TOG 42(4), 2023).
//!
//! Two ways to find it, and a mix of both:
//!
//! - **Flood** (`flood.rs`): elements are entered in the order of the distance of the face that leads into them. Where
//!   the pose is an immersion (no inverted element, no boundary edge that wraps round itself), the
//!   ball round p up to the boundary lifts uniquely, and an element's part of it is convex, so each
//!   face that is entered has a straight valid path; the first boundary face to come up is the answer.
//! - **Traversal** (`traversal.rs`): the paper's. Boundary faces come from a tree, strictly best first; what a local look
//!   at its neighbours rules out is culled (`feasible.rs`), and the rest is tested by a walk through the
//!   elements along the segment (`walk.rs`).
//! - **Auto** (`auto.rs`): floods a few elements, which ends most queries, then traverses beyond the flood's radius.
//!
//! Where the pose is no immersion (`immersion.rs`), each of these holds only so far: up to where the ball round the point lifts, up to
//! the nearest inverted element, up to what is the query's own. `auto.rs` says why; beyond, the traversal follows the paper's rule for
//! inverted elements: nothing is culled, and the walk follows the line both ways and past both ends. A flood that meets
//! a face nearer than the one that led to it has found a fold that no flag tells of; then nothing is taken for granted at all.
//!
//! All distances are in double precision; side tests are exact.

use glam::{DVec3, Vec3};

use crate::bvh::{Cones, NearestQueue, PackedTree, Tree};
use crate::immersion::Fold;
use crate::sorted::SortedMesh;

mod auto;
mod closest;
mod feasible;
mod flood;
mod four;
mod lanes;
mod reference;
mod traversal;
mod visited;
mod walk;

pub(crate) use auto::shortest_path;
pub(crate) use closest::Closest;
pub(crate) use reference::{euclidean, rest_shape};

/// A point whose path to the boundary is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathQuery {
    /// The point, in the current pose.
    pub point: DVec3,
    /// A tetrahedron that strictly contains it.
    pub tet: u32,
    /// What the point belongs to: boundary faces of its own are never an answer.
    pub own: Own,
}

/// What a query point belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Own {
    /// Nothing of the mesh.
    #[default]
    Nothing,
    /// It is this vertex: faces that use it are left out.
    Vertex(u32),
    /// It lies on the edge between these vertices: faces that use either are left out.
    Edge([u32; 2]),
    /// It moves with this tetrahedron (its centroid, say): faces that share a vertex with it are left out.
    Tet(u32),
}

/// How the geodesic path is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathMethod {
    /// A short flood, then the tree.
    #[default]
    Auto,
    /// The tree alone.
    Traversal,
    /// The flood alone.
    Flood,
}

/// Which boundary point is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueryMode {
    /// The end of the shortest valid path.
    #[default]
    Geodesic,
    /// The closest boundary point of the component that the point is inside of, valid path or not (what is done where
    /// self-intersections are not taken into account).
    Euclidean,
    /// The closest boundary point in the rest pose, carried to the current pose.
    RestShape,
}

/// Options of a path search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathOptions {
    /// Which boundary point is asked for.
    pub mode: QueryMode,
    /// How it is searched ([`QueryMode::Geodesic`] only). All methods give the same answers.
    pub method: PathMethod,
    /// Rules candidates out by their feasible region before they are walked to. The answers are the same without.
    pub culling: bool,
}

impl Default for PathOptions {
    fn default() -> Self {
        PathOptions { mode: QueryMode::Geodesic, method: PathMethod::Auto, culling: true }
    }
}

/// The feature of a face on which a point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The face's vertex of this number, 0 to 2.
    Vertex(u8),
    /// The inside of the edge from the face's vertex of this number to the next.
    Edge(u8),
    /// The inside of the face.
    Face,
}

/// A point of the boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundaryPoint {
    /// The boundary face.
    pub face: u32,
    /// Weights of the face's vertices; they sum to one.
    pub barycentric: [f64; 3],
    /// The point, in the current pose.
    pub position: DVec3,
    /// Its distance from the query point, in metres, in the current pose.
    pub distance: f64,
    /// Where on the face it lies.
    pub feature: Feature,
}

/// The answer to a [`PathQuery`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PathAnswer {
    /// The end of the path; `None` when there is no valid one (counted as unresolved).
    pub end: Option<BoundaryPoint>,
    /// The point's own boundary face was reached at distance zero: the mesh is folded locally (by inverted elements
    /// or an edge that wraps round itself), and what looks like a contact is none.
    pub local_fold: bool,
    /// The work that was done.
    pub counters: PathCounters,
}

/// Work done by path searches; sums over queries are meaningful.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathCounters {
    /// Distances to boundary faces that were computed.
    pub triangles: u64,
    /// Candidates that were ruled out by their feasible region.
    pub culled: u64,
    /// Walks from a point towards a candidate.
    pub traversals: u64,
    /// Elements entered, by walks and floods.
    pub elements: u64,
    /// Side tests that needed exact arithmetic.
    pub exact_tests: u64,
    /// Queries that met something that is no immersion, and fell back to the paper's rule.
    pub fallbacks: u64,
    /// Queries whose own face was reached at distance zero.
    pub local_folds: u64,
    /// Queries without an answer.
    pub unresolved: u64,
}

impl std::ops::AddAssign for PathCounters {
    fn add_assign(&mut self, o: Self) {
        self.triangles += o.triangles;
        self.culled += o.culled;
        self.traversals += o.traversals;
        self.elements += o.elements;
        self.exact_tests += o.exact_tests;
        self.fallbacks += o.fallbacks;
        self.local_folds += o.local_folds;
        self.unresolved += o.unresolved;
    }
}

/// Memory that path searches reuse: keep one per thread.
#[derive(Debug, Default)]
pub struct PathScratch {
    queue: NearestQueue,
    flood: flood::FloodScratch,
    walk: walk::WalkScratch,
}

/// A pose of the mesh, in internal ids.
#[derive(Clone, Copy)]
pub(crate) struct Pose<'a> {
    pub mesh: &'a SortedMesh,
    pub positions: &'a [Vec3],
    /// How each element stands to those round which the pose is no immersion.
    pub folds: &'a [Fold],
    /// Vertices of such elements.
    pub near_fold: &'a [bool],
    /// The elements that are not positive.
    pub inverted: &'a PackedTree,
    /// Over the boundary faces.
    pub faces: &'a Tree,
    /// Which way they face.
    pub cones: &'a Cones,
}

impl Pose<'_> {
    /// Position of a vertex as seen from `p`.
    #[inline]
    fn from(&self, p: DVec3, v: u32) -> DVec3 {
        self.positions[v as usize].as_dvec3() - p
    }

    // `array::map` is not always inlined where it matters, so these spell it out.

    #[inline]
    fn triangle_from(&self, p: DVec3, &[a, b, c]: &[u32; 3]) -> [DVec3; 3] {
        [self.from(p, a), self.from(p, b), self.from(p, c)]
    }

    #[inline]
    fn tetrahedron(&self, &[a, b, c, d]: &[u32; 4]) -> [Vec3; 4] {
        let at = |v: u32| self.positions[v as usize];
        [at(a), at(b), at(c), at(d)]
    }

    #[inline]
    fn tetrahedron_from(&self, p: DVec3, &[a, b, c, d]: &[u32; 4]) -> [DVec3; 4] {
        [self.from(p, a), self.from(p, b), self.from(p, c), self.from(p, d)]
    }
}

/// A query in internal ids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query {
    pub point: DVec3,
    pub element: u32,
    pub own: OwnVertices,
}

/// The vertices whose faces are left out; unused places repeat the first or are `u32::MAX`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnVertices(pub [u32; 4]);

impl OwnVertices {
    #[inline]
    fn touch(&self, face: &[u32; 3]) -> bool {
        self.0.iter().any(|v| face.contains(v))
    }
}

/// A boundary face with the point of it that is closest to the query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub face: u32,
    pub closest: Closest,
}

/// What stands in the way of a flood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Obstacle {
    /// The query's element is not positive.
    Inverted,
    /// A face lies nearer than the one that led to it.
    Wrapped,
    /// The query's own boundary is at distance zero.
    LocalFold,
}

#[cfg(test)]
mod tests;
