//! Scenes, the step loop, reports, recording and checkpoints.
//!
//! A [`Scene`] says what there is and how it is simulated; it is read from TOML.
//!
//! ```no_run
//! use gordian_sim::{AdapterChoice, Layout, Recorder, Scene, World};
//!
//! let scene = Scene::open("octopus_drop", &[])?;
//! let mut world = World::new(&scene, &AdapterChoice::Auto)?;
//! let mut recorder = Recorder::new("out", &scene, Layout::of(&world).into(), None)?;
//! for frame in 1..=scene.simulation.frames {
//!     let report = world.step_frame()?;
//!     recorder.record(frame, world.positions(), world.velocities())?;
//!     println!("{frame}: {} contacts", report.contacts.total());
//! }
//! # Ok::<(), gordian_sim::SimError>(())
//! ```

#![forbid(unsafe_code)]

pub mod adapter;
pub mod body;
mod body_check;
mod build;
pub mod check;
pub mod checkpoint;
pub mod cloth;
mod collide;
pub mod error;
mod judge;
mod knots;
mod live;
mod obstacle;
mod pierced;
pub mod record;
pub mod report;
pub mod scene;
mod step;
pub mod untangle;
mod world;

pub use adapter::AdapterChoice;
pub use check::{Checks, Unjudged, Verdict};
pub use checkpoint::{Checkpoint, CheckpointError};
pub use error::SimError;
pub use gordian_solver::Colouring;
pub use live::OpenFrame;
pub use record::{BodySpan, Layout, Recorder};
pub use report::{Contacts, FrameReport, Report, Stage, StageTimes, position_hash};
pub use scene::{Scene, SceneError, SceneErrorKind};
pub use world::{BodyInfo, World};
