//! Cloth: where it crosses itself, and how that is undone.
//!
//! Cloth has no inside, so that a crossing cannot be answered by pushing points out of something. What tells it is the
//! **contour**, the curve along which the cloth cuts through itself.
//!
//! [`ClothMesh`] is the topology of all cloth of a scene. [`ClothDetector`] follows its motion with a tree and finds the
//! [`Hit`]s, edges that pierce triangles; [`Contours`] joins them to curves and classifies those. A [`response`] says how the cloth
//! moves so that the curves vanish; [`Proximity`] keeps apart by the cloth's thickness what does not cross.
//! Surfaces of volumes may be among the sheets: cloth meets them, and they do not meet each other here.

mod boxes;
mod canonical;
mod contour;
mod dop;
mod foot;
mod hits;
mod layout;
mod mesh;
mod near;
mod pairs;
mod proximity;
mod region;
pub mod response;
mod ties;
mod tree;

pub use canonical::{Canonical, canonical};
pub use contour::{Contour, Contours, End, Kind};
pub use hits::{ClothDetector, Hit};
pub use layout::layout_of;
pub use mesh::{ClothMesh, Edge};
pub use pairs::PairCounters;
pub use proximity::{Proximity, Search};

#[cfg(test)]
mod tests;
