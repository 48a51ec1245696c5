//! Pictures of a simulation, with or without a display.
//!
//! A [`Snapshot`] is the state of a world at one moment; [`compose()`] makes triangles, lines and dots of it, and the [`Renderer`]
//! draws them with soft shadows and ambient occlusion on any adapter, a software one included.
//!
//! ```no_run
//! use gordian_sim::{AdapterChoice, Scene, World};
//! use gordian_viewer::{CameraChoice, DrawWith, Gpu, Look, Model, Overlays, Shot, Snapshot};
//!
//! let scene = Scene::open("octopus_drop", &[])?;
//! let mut world = World::new(&scene, &AdapterChoice::Auto)?;
//! let model = Model::of(&world, scene.up().as_vec3());
//! let snapshot = Snapshot::inspect(&mut world, Overlays::default())?;
//! let mut shot = Shot::new(&Gpu::offscreen(&DrawWith::Auto)?)?;
//! let image = shot.take(&model, &snapshot, &Look::default(), &CameraChoice::default(), [1280, 720])?;
//! image.write_png("octopus.png")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod buffers;
pub mod camera;
pub mod clip;
pub mod compose;
mod files;
pub mod geometry;
pub mod gpu;
pub mod image;
mod marks;
pub mod overlay;
pub mod pick;
mod pipelines;
pub mod renderer;
mod shaders;
pub mod sheets;
pub mod shot;
pub mod snapshot;
mod solids;
pub mod surface;
mod targets;
pub mod theme;
#[cfg(feature = "window")]
pub mod window;

pub use camera::{Camera, CameraChoice};
pub use clip::ClipChoice;
pub use compose::{Look, compose};
pub use files::{is_mesh, open};
pub use geometry::{ClipPlane, Geometry};
pub use gpu::{DrawWith, Gpu, GpuError};
pub use image::Image;
pub use overlay::{Overlay, Overlays};
pub use renderer::{Quality, Renderer, View};
pub use shot::Shot;
pub use snapshot::{Interest, Model, Snapshot};
pub use theme::Theme;
