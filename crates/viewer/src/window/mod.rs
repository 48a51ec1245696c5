//! The window: a scene that runs, and panels to play with it.
//!
//! [`App`] is all of it but the window itself: it takes input from egui and draws through a [`Screen`], so that tests drive it
//! without a display. [`open`] gives it a window.

mod app;
mod browser;
mod controls;
mod driver;
mod inspector;
mod measure;
mod messages;
mod pace;
mod record;
mod recording;
mod scenes;
mod screen;
mod style;
mod thumbnails;
mod tune;
mod viewport;
mod winit_loop;

pub use app::App;
pub use driver::{Opened, Shown};
pub use screen::Screen;
pub use winit_loop::{WindowError, open};
