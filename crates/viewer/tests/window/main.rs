//! The window without a display: input as egui gives it, pictures read back from the device.
#![cfg(feature = "window")]

mod desk;
mod effects;
mod layout;
mod scenes;
mod thread;
mod touch;
mod tune;
