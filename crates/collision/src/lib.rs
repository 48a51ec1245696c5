//! Collision of deformable bodies: boundary queries, continuous and discrete detection, contacts.

pub mod contact;
pub mod predicates;
