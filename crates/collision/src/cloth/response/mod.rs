//! Responses to contours: how far and where to each vertex moves in a frame so that the cloth comes apart.
//!
//! All stand behind one trait, [`Response`], and get the same: the pose, its hits and its contours. What they give is a
//! [`Displacement`]: a correction of positions that is carried out over the iterations of a frame and never becomes velocity.
//! Where no vertex is held it leaves the centre of mass where it is.

mod buffet;
mod depth;
mod displacement;
mod icm;
mod kikuchi;
mod order;
mod ye;

use glam::Vec3;

use super::{ClothMesh, Contours, Hit};

pub use buffet::Buffet;
pub use displacement::Displacement;
pub use icm::{Icm, gradient};
pub use kikuchi::{Kikuchi, separation};
pub use order::Order;
pub use ye::Ye;

/// What a response sees of a frame.
#[derive(Clone, Copy)]
pub struct Tangle<'a> {
    /// The topology.
    pub mesh: &'a ClothMesh,
    /// Positions at which the hits were found, metres.
    pub x: &'a [Vec3],
    /// Inverse masses, per kilogram; zero for what is held.
    pub inv_mass: &'a [f32],
    /// The hits.
    pub hits: &'a [Hit],
    /// The contours they form.
    pub contours: &'a Contours,
    /// How far a vertex moves in a frame: response strength times edge length, metres.
    pub step: f32,
    /// Thickness of the cloth, metres.
    pub thickness: f32,
    /// Number of the frame: all that a response may take its time from.
    pub frame: u32,
}

/// A way to take crossing cloth apart.
pub trait Response: Send + std::fmt::Debug {
    /// Its name in scenes and tables.
    fn name(&self) -> &'static str;

    /// Adds to `out` what each vertex shall move by in this frame.
    fn displace(&mut self, tangle: &Tangle, out: &mut Displacement);

    /// How many contours it has kicked out of a stall so far.
    fn kicks(&self) -> u64 {
        0
    }

    /// Whether a push of proximity between both sides of a contour is dropped where it works against the displacement.
    fn drops_pushes(&self) -> bool {
        true
    }

    /// On which side of triangles things that come near them belong; `None` where the side is that of the start of the step.
    fn valid_side(&self) -> Option<&Order> {
        None
    }
}

/// No response.
#[derive(Clone, Copy, Debug, Default)]
pub struct Off;

impl Response for Off {
    fn name(&self) -> &'static str {
        "off"
    }

    fn displace(&mut self, _: &Tangle, _: &mut Displacement) {}
}
