//! Boundary queries against brute force, stored answers, and themselves in other dress.

mod detection;
mod folded;
mod found;
mod fuzz;
mod invariance;
mod modes;
mod own;
mod refinement;
mod stored;
