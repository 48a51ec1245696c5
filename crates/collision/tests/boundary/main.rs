//! Boundary queries against brute force, stored answers, and themselves in other dress.

mod detection;
mod folded;
mod fuzz;
mod invariance;
mod modes;
mod refinement;
mod stored;
