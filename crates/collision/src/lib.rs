//! Collision of deformable bodies on the CPU: boundary queries, continuous and discrete detection, contacts.
//!
//! [`bvh`] is a wide tree of boxes that is built once and refit every time things move.

pub mod bvh;
pub mod ccd;
pub mod contact;
pub mod crossing;
pub mod predicates;
