//! Scenes, the step loop, reports, recording and checkpoints.
//!
//! A [`Scene`] says what there is and how it is simulated; it is read from TOML.
//!
//! # The face of the world, as the command line takes it
//!
//! ```ignore
//! let scene = Scene::load("scenes/octopus_drop.toml")?;
//! let mut world = World::new(&scene, AdapterChoice::Auto)?;     // AdapterChoice: Auto | Cpu | Software | Name(String)
//! world.adapter() -> &AdapterInfo;                              // of gordian-solver
//! world.frame() -> u32;                                         // frames done so far
//! world.step_frame()? -> FrameReport;                           // one frame; SimError::NonFinite keeps the last good one
//! world.positions() -> &[Vec3];                                 // metres, all bodies one after the other, file order
//! world.velocities() -> &[Vec3];
//! world.layout() -> &Layout;                                    // what the recorder writes: tetrahedra, surface, bodies
//! world.save() -> Checkpoint;  world.restore(&Checkpoint)?;     // exact state between two frames
//! world.report() -> Report;                                     // the head of the report, without frames
//! ```

#![forbid(unsafe_code)]

pub mod adapter;
pub mod body;
mod build;
pub mod checkpoint;
mod collide;
pub mod error;
mod obstacle;
pub mod report;
pub mod scene;
mod step;
mod world;

pub use adapter::AdapterChoice;
pub use checkpoint::{Checkpoint, CheckpointError};
pub use error::SimError;
pub use report::{FrameReport, Report};
pub use scene::{Scene, SceneError, SceneErrorKind};
pub use world::{BodyInfo, World};
