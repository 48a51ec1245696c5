//! collision
