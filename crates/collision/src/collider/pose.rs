//! Rigid placement.

use glam::{DQuat, DVec3};

/// Placement of a rigid body: first the rotation, then the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Unit quaternion.
    pub rotation: DQuat,
    /// Where the origin of the body's frame is, metres.
    pub position: DVec3,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Pose = Pose { rotation: DQuat::IDENTITY, position: DVec3::ZERO };

    /// Not turned.
    pub fn at(position: DVec3) -> Self {
        Pose { position, ..Self::IDENTITY }
    }

    /// A point of the body's frame in the world.
    #[inline]
    pub fn to_world(&self, local: DVec3) -> DVec3 {
        self.rotation * local + self.position
    }

    /// A point of the world in the body's frame.
    #[inline]
    pub fn to_local(&self, world: DVec3) -> DVec3 {
        self.rotation.conjugate() * (world - self.position)
    }
}
