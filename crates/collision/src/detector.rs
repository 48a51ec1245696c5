//! The boundary queries of a scene: which points are inside, and which way is out.
//!
//! All bodies of a scene are one mesh. [`Detector::new`] sorts it for speed once; after that, every time the
//! positions change: [`Detector::refit`], [`Detector::penetrations`], [`Detector::boundary_points`]. Ids are
//! the user's everywhere at this face.

use std::cell::RefCell;

use glam::{DVec3, Vec3};
use gordian_mesh::TetTopology;
use rayon::prelude::*;

use crate::bvh::{Aabb, Item, PackedTree, Tree};
use crate::dcd::{self, Cores, DcdCounters, DcdOptions, Penetration, PointId, PointSet};
use crate::facing::Facing;
use crate::immersion::{Fold, Immersion};
use crate::path::{
    self, BoundaryPoint, Found, Own, OwnVertices, PathAnswer, PathCounters, PathOptions, PathQuery,
    PathScratch, Pose, Query, QueryMode,
};
use crate::sorted::SortedMesh;

/// Boundary queries on a deforming tetrahedral mesh; see the module documentation.
#[derive(Clone, Debug)]
pub struct Detector {
    mesh: SortedMesh,
    rest: Vec<Vec3>,
    positions: Vec<Vec3>,
    immersion: Immersion,
    faces: Tree,
    /// Over the boundary vertices.
    boundary: PackedTree,
    /// Where all points are asked about in every pose.
    cores: Option<Cores>,
    facing: Facing,
    rest_faces: Tree,
}

/// Why a detector does not take some positions.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionsError {
    /// There are more or fewer than vertices.
    #[error("{got} positions are given, but the mesh has {wanted} vertices")]
    Length {
        /// How many were given.
        got: usize,
        /// How many vertices there are.
        wanted: usize,
    },
    /// One is not finite.
    #[error("the position of vertex {vertex} is {position}, which is not finite")]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// What was given.
        position: Vec3,
    },
}

/// One finite position a vertex.
fn check_positions(positions: &[Vec3], wanted: usize) -> Result<(), PositionsError> {
    if positions.len() != wanted {
        return Err(PositionsError::Length { got: positions.len(), wanted });
    }
    match positions.iter().position(|p| !p.is_finite()) {
        Some(vertex) => Err(PositionsError::NotFinite { vertex, position: positions[vertex] }),
        None => Ok(()),
    }
}

/// What a refit did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RefitReport {
    /// Tetrahedra of zero or negative volume.
    pub inverted: usize,
    /// Whether the tree over the boundary faces had decayed so far that it was built anew.
    pub rebuilt: bool,
}

thread_local! {
    static SCRATCH: RefCell<PathScratch> = RefCell::default();
}

impl Detector {
    /// A detector for `topology`, in the pose `rest` (metres, one position per vertex), which also is what
    /// [`QueryMode::RestShape`] refers to. Positions that are wrong are an error.
    pub fn try_new(topology: &TetTopology, rest: &[Vec3]) -> Result<Self, PositionsError> {
        check_positions(rest, topology.vertex_count as usize)?;
        Ok(Self::new(topology, rest))
    }

    /// As [`Detector::try_new`], for positions that are known to be finite, one a vertex.
    ///
    /// # Panics
    ///
    /// Where `rest` is longer or shorter.
    pub fn new(topology: &TetTopology, rest: &[Vec3]) -> Self {
        let mesh = SortedMesh::new(topology, rest);
        let mut sorted = Vec::new();
        mesh.gather(rest, &mut sorted);
        let (faces, boundary) = (face_tree(&mesh, &sorted), boundary_tree(&mesh, &sorted));
        let (mut immersion, mut facing) = (Immersion::default(), Facing::default());
        immersion.update(&mesh, &sorted);
        facing.update_normals(&mesh, &sorted);
        facing.update_cones(&mesh, &immersion.near_fold, &faces);
        let rest_faces = faces.clone();
        Detector {
            rest: sorted.clone(),
            immersion,
            rest_faces,
            positions: sorted,
            faces,
            boundary,
            cores: None,
            facing,
            mesh,
        }
    }

    /// Says whether all vertices or centroids will be asked about in many poses ([`PointSet::AllVertices`] and the like): trees
    /// over them are then kept from pose to pose, or else built for each question. Answers are the same.
    pub fn keep_cores(&mut self, keep: bool) {
        match (keep, &self.cores) {
            (true, None) => self.cores = Some(Cores::build(&self.mesh, &self.positions)),
            (false, Some(_)) => self.cores = None,
            _ => {}
        }
    }

    /// Takes new positions (metres, in the user's vertex order) and brings the trees over boundary faces and boundary
    /// vertices up to date; one that motion has made slow is built anew. Positions that are wrong are an error, and the
    /// detector stays as it was.
    pub fn try_refit(&mut self, positions: &[Vec3]) -> Result<RefitReport, PositionsError> {
        check_positions(positions, self.mesh.vertex_order.len())?;
        Ok(self.refit(positions))
    }

    /// As [`Detector::try_refit`], for positions that are known to be finite, one a vertex: what is not finite is not found by
    /// any query.
    ///
    /// # Panics
    ///
    /// Where `positions` is longer or shorter.
    pub fn refit(&mut self, positions: &[Vec3]) -> RefitReport {
        self.mesh.gather(positions, &mut self.positions);
        let Detector { mesh, positions, immersion, faces, boundary, cores, facing, .. } = self;
        // Each side has parts that one thread does alone.
        let ((), rebuilt) = rayon::join(
            || immersion.update(mesh, positions),
            || {
                boundary.refit(|v| Aabb::of_points([positions[v as usize]]));
                if boundary.wants_rebuild() {
                    *boundary = boundary_tree(mesh, positions);
                }
                facing.update_normals(mesh, positions);
                faces.refit(|f| mesh.face_box(positions, f));
                let rebuild = faces.wants_rebuild();
                if rebuild {
                    *faces = face_tree(mesh, positions);
                }
                rebuild
            },
        );
        facing.update_cones(mesh, &immersion.near_fold, faces);
        if let Some(cores) = cores {
            cores.refit(mesh, positions);
        }
        RefitReport { inverted: immersion.inverted_count, rebuilt }
    }

    /// Whether tetrahedron `t` has zero or negative volume in the present pose.
    pub fn is_inverted(&self, t: u32) -> bool {
        self.immersion.inverted[self.mesh.element_rank[t as usize] as usize]
    }

    /// Whether vertex `v` is one of an inverted tetrahedron at the boundary: what looks like a collision there may be the inversion.
    pub fn beside_inverted(&self, v: u32) -> bool {
        let rank = self.mesh.vertex_rank[v as usize] as usize;
        self.immersion.on_inverted_boundary.get(rank).is_some_and(|&flag| flag)
    }

    /// Number of tetrahedra of zero or negative volume in the present pose.
    pub fn inverted_count(&self) -> usize {
        self.immersion.inverted_count
    }

    /// All pairs of a point of `points` and a tetrahedron that strictly contains it and is not incident to it, sorted
    /// by point and tetrahedron; `out` is overwritten. Decided exactly. In parallel, same result for any number of
    /// threads.
    pub fn penetrations(
        &self,
        points: PointSet,
        options: DcdOptions,
        out: &mut Vec<Penetration>,
    ) -> DcdCounters {
        let scene = dcd::Scene {
            mesh: &self.mesh,
            positions: &self.positions,
            boundary: &self.boundary,
            cores: self.cores.as_ref(),
            inverted: &self.immersion.inverted,
            excluded: &self.immersion.on_inverted_boundary,
        };
        scene.detect(points, options, out)
    }

    /// Where a point of the mesh is.
    pub fn position(&self, point: PointId) -> DVec3 {
        match point {
            PointId::Vertex(v) => self.positions[self.mesh.vertex_rank[v as usize] as usize].as_dvec3(),
            PointId::Centroid(t) => {
                let element = self.mesh.elements[self.mesh.element_rank[t as usize] as usize];
                dcd::centroid(element.vertices.map(|v| self.positions[v as usize].as_dvec3()))
            }
        }
    }

    /// The query for a penetration.
    pub fn query(&self, penetration: &Penetration) -> PathQuery {
        PathQuery {
            point: self.position(penetration.point),
            tet: penetration.tet,
            own: match penetration.point {
                PointId::Vertex(v) => Own::Vertex(v),
                PointId::Centroid(t) => Own::Tet(t),
            },
        }
    }

    /// The boundary point that `options` asks for.
    pub fn boundary_point(
        &self,
        query: &PathQuery,
        options: &PathOptions,
        scratch: &mut PathScratch,
    ) -> PathAnswer {
        let (pose, internal) = self.internal(query);
        let mut counters = PathCounters::default();
        let mut local_fold = false;
        let found = match options.mode {
            QueryMode::Geodesic => {
                let found;
                (found, local_fold) = path::shortest_path(&pose, &internal, options, scratch, &mut counters);
                found
            }
            QueryMode::Euclidean => path::euclidean(&pose, &internal, scratch, &mut counters),
            QueryMode::RestShape => {
                path::rest_shape(&pose, &self.rest_pose(), &internal, scratch, &mut counters)
            }
        };
        PathAnswer { end: found.map(|f| self.boundary_point_of(query.point, &f)), local_fold, counters }
    }

    /// Boxes (low and high corner, metres) of the groups of boundary faces nearer than `radius` metres to a query's point over
    /// which the search through the tree passes, because none of their faces can hold the nearest point: they face away. None
    /// without culling, or where nothing is culled because the pose is folded there. For pictures.
    pub fn passed_over(&self, query: &PathQuery, options: &PathOptions, radius: f64) -> Vec<[Vec3; 2]> {
        let (pose, internal) = self.internal(query);
        let culls = options.culling && options.mode == QueryMode::Geodesic;
        if !culls || pose.folds[internal.element as usize] != Fold::Clear {
            return Vec::new();
        }
        let boxes = pose.faces.passed_over(internal.point, pose.cones, radius);
        boxes.into_iter().map(|b| [b.min, b.max]).collect()
    }

    /// Answers for all `penetrations`, in their order; `out` is overwritten. Returns the work done. In parallel, same
    /// result for any number of threads.
    pub fn boundary_points(
        &self,
        penetrations: &[Penetration],
        options: &PathOptions,
        out: &mut Vec<PathAnswer>,
    ) -> PathCounters {
        let order = self.order(penetrations);
        let answers: Vec<PathAnswer> = order
            .par_iter()
            // Hard queries lie next to each other: what is handed to a thread must be little.
            .with_min_len(16)
            .with_max_len(64)
            .map(|&(_, i)| {
                let query = self.query(&penetrations[i as usize]);
                SCRATCH.with_borrow_mut(|scratch| self.boundary_point(&query, options, scratch))
            })
            .collect();
        out.clear();
        out.resize(penetrations.len(), PathAnswer::default());
        for (&(_, i), answer) in order.iter().zip(answers) {
            out[i as usize] = answer;
        }
        let mut total = PathCounters::default();
        for answer in &*out {
            total += answer.counters;
        }
        total
    }

    /// Neighbours one after the other: what one query reads, the next one finds in the cache. Ranks, and where they are from.
    fn order(&self, penetrations: &[Penetration]) -> Vec<(u32, u32)> {
        let mut order: Vec<(u32, u32)> = penetrations
            .iter()
            .enumerate()
            .map(|(i, p)| (self.mesh.element_rank[p.tet as usize], i as u32))
            .collect();
        order.par_sort_unstable();
        order
    }

    /// The penetrations in the order in which [`Detector::boundary_points`] answers them.
    pub(crate) fn in_order(&self, penetrations: &[Penetration]) -> Vec<Penetration> {
        self.order(penetrations).into_iter().map(|(_, i)| penetrations[i as usize]).collect()
    }

    /// The current pose, and the query in internal ids.
    pub(crate) fn internal(&self, query: &PathQuery) -> (Pose<'_>, Query) {
        let own = match query.own {
            Own::Nothing => [u32::MAX; 4],
            Own::Vertex(v) => [self.mesh.vertex_rank[v as usize]; 4],
            Own::Edge(e) => {
                let [a, b] = e.map(|v| self.mesh.vertex_rank[v as usize]);
                [a, b, a, a]
            }
            Own::Tet(t) => self.mesh.elements[self.mesh.element_rank[t as usize] as usize].vertices,
        };
        let element = self.mesh.element_rank[query.tet as usize];
        (self.pose(), Query { point: query.point, element, own: OwnVertices(own) })
    }

    fn pose(&self) -> Pose<'_> {
        Pose {
            mesh: &self.mesh,
            positions: &self.positions,
            folds: &self.immersion.folds,
            near_fold: &self.immersion.near_fold,
            inverted: &self.immersion.inverted_tree,
            faces: &self.faces,
            cones: &self.facing.cones,
        }
    }

    fn rest_pose(&self) -> Pose<'_> {
        Pose { positions: &self.rest, faces: &self.rest_faces, ..self.pose() }
    }

    /// The found point in the current pose, in the user's ids.
    fn boundary_point_of(&self, from: DVec3, found: &Found) -> BoundaryPoint {
        let vertices = self.mesh.faces[found.face as usize].vertices;
        let relative = vertices.map(|v| self.positions[v as usize].as_dvec3() - from);
        let path = found.closest.point(relative);
        BoundaryPoint {
            face: self.mesh.face_order[found.face as usize],
            barycentric: found.closest.barycentric(),
            position: from + path,
            distance: path.length(),
            feature: found.closest.feature,
        }
    }
}

fn boundary_tree(mesh: &SortedMesh, positions: &[Vec3]) -> PackedTree {
    let point = |&v: &u32| Item::point(v, positions[v as usize].as_dvec3());
    PackedTree::build(mesh.boundary_vertices.iter().map(point).collect())
}

fn face_tree(mesh: &SortedMesh, positions: &[Vec3]) -> Tree {
    let boxes: Vec<_> = (0..mesh.faces.len() as u32).map(|f| mesh.face_box(positions, f)).collect();
    Tree::build(&boxes)
}
