//! Collision of deformable bodies: boundary queries, continuous and discrete detection, contacts.

pub mod ccd;
pub mod contact;
pub mod predicates;
