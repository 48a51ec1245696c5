//! Boundary queries against brute force, stored answers, and themselves in other dress.

mod bodies;
mod detection;
mod folded;
mod invariance;
mod modes;
mod stored;
