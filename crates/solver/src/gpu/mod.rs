//! The solver in `wgpu` compute shaders.
//!
//! One kernel a file in `shaders/xpbd/`, with a twin of the same name in [`cpu`](crate::cpu). [`adapter`] lists and
//! chooses adapters; [`GpuSolver`] is the [`Solver`](crate::Solver).

pub mod adapter;
mod batch;
mod device;
mod exchange;
mod kernels;
mod layout;
mod particles;
#[cfg(test)]
mod shader_tests;
mod solver;
mod spans;
mod targets;
mod timing;

pub use adapter::{Adapter, AdapterChoice, adapters, choose};
pub use device::GpuOptions;
pub use solver::GpuSolver;
