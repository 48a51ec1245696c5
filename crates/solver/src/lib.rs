//! XPBD for deformable bodies: in `wgpu` compute shaders on any vendor's GPU, and the same kernels on the CPU.
//!
//! A [`Model`] says what is simulated, in the user's order. [`CpuSolver`] and [`GpuSolver`] stand
//! behind one [`Solver`] trait, share one plan (particle order, colouring) and one conformance suite.
//! This crate knows nothing of files, scenes or collisions.

mod colour;
pub mod cpu;
pub mod gpu;
pub mod model;
pub mod plan;
pub mod solver;

pub use cpu::CpuSolver;
pub use gpu::GpuSolver;
pub use model::{Bend, Distance, Elasticity, Material, Model, ModelError, Tet, Volume};
pub use plan::{Colouring, Plan};
pub use solver::{AdapterInfo, Solver, SolverError, StageTimes, Target};
