//! Gordian: a deformable-body simulator that starts from any state, tangled or not, and comes out untangled.
//!
//! This crate is the library face: one name for the parts that a program needs.
//!
//! ```
//! use gordian::sim::{Scene, position_hash};
//!
//! let scene = Scene::parse("[[body]]\ngenerator = { kind = \"box\", nx = 2, ny = 2, nz = 2 }", "a box")?;
//! let bodies = scene.place()?.bodies;
//! assert_eq!(bodies[0].start.len(), 27);
//! # Ok::<(), gordian::sim::SceneError>(())
//! ```
//!
//! The parts: [`mesh`] topology, file formats and generators; [`collision`] detection, shortest paths to the boundary and contacts;
//! [`solver`] XPBD on the GPU and the CPU; [`sim`] scenes, the step, reports and recording; [`untangle`] one mesh
//! without a scene; [`viewer`] pictures.

#![forbid(unsafe_code)]

pub use gordian_collision as collision;
pub use gordian_mesh as mesh;
pub use gordian_sim as sim;
pub use gordian_sim::untangle;
pub use gordian_solver as solver;
pub use gordian_viewer as viewer;

/// The examples of the documents compile.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../../docs/handbook.md")]
    mod handbook {}
}
