//! Collision of deformable bodies on the CPU: boundary queries, continuous and discrete detection, contacts.
//!
//! [`Detector`] answers the boundary queries of a scene: which points are inside ([`Detector::penetrations`]), and
//! the shortest path to the boundary of a mesh that may intersect itself ([`Detector::boundary_points`]).
//! [`bvh`] is a wide tree of boxes that is built once and refit every time things move.

pub mod bvh;
pub mod ccd;
pub mod cloth;
pub mod collider;
pub mod contact;
pub mod crossing;
mod dcd;
mod detector;
mod facing;
mod immersion;
mod path;
pub mod penalty;
pub mod plane;
pub mod predicates;
mod sorted;
pub mod workbench;

pub use dcd::{DcdCounters, DcdOptions, Penetration, PointId, PointSet};
pub use detector::{Detector, PositionsError, RefitReport};
pub use path::{
    BoundaryPoint, Feature, Own, PathAnswer, PathCounters, PathMethod, PathOptions, PathQuery, PathScratch,
    QueryMode,
};
