//! Collision of deformable bodies: boundary queries, continuous and discrete detection, contacts.

pub mod predicates;
