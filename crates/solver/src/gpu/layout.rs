//! Plain structs that shaders declare in the same words.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// Constants of a substep.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(super) struct Params {
    /// Metres per second squared.
    pub gravity: [f32; 3],
    /// Length of the substep, seconds.
    pub h: f32,
    /// `exp(-rate h)`: what damping leaves of a velocity.
    pub keep: f32,
    /// 1 in the first iteration of a substep, else 0.
    pub first: u32,
    /// Number of particles.
    pub particles: u32,
    /// Number of kinematic particles that have a target.
    pub targets: u32,
    /// Threads in a row of the grid over particles.
    pub particle_row: u32,
    /// Threads in a row of the grid over targets.
    pub target_row: u32,
    /// A uniform has a multiple of 16 bytes.
    pub padding: [u32; 2],
}

/// Where a kinematic particle goes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(super) struct Goal {
    /// Metres.
    pub position: Vec3,
    /// Its rank.
    pub particle: u32,
}
