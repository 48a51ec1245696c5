//! Tetrahedral and triangle meshes: topology, boundary, orderings, file formats and generators.
//!
//! A [`TetMesh`] is what a file or a generator gives: positions in metres (double precision, in file
//! order) and tetrahedra. [`TetTopology`] is what the solver and the collision code walk: neighbours
//! across faces and the oriented **boundary** (the faces that belong to one tetrahedron only).
//!
//! Invariants of this crate: the vertex order of a file is the user's order and is never changed;
//! nothing drops a vertex; nothing that a file holds panics.

#![forbid(unsafe_code)]

pub mod doctor;
mod elements;
pub mod fill;
pub mod generate;
pub mod io;
pub mod manifold;
pub mod memory;
pub mod order;
pub mod quality;
#[doc(hidden)]
pub mod testdata;
pub mod tet;
pub mod topology;
pub mod tri;
pub mod tri_topology;

pub use tet::{TetMesh, signed_volume};
pub use topology::{BoundaryEdge, LOCAL_FACES, Neighbor, TetTopology, TopologyDefect, TopologyError};
pub use tri::TriMesh;
