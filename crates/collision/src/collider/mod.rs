//! Colliders: rigid obstacles that deformable bodies touch, static or moving.
//!
//! A [`Collider`] is a [`Shape`] in its own frame and its [`Pose`] at the start and at the end of the substep. Every
//! shape answers two questions in its frame: the **signed distance** to its surface with the outward normal
//! ([`Shape::surface`]; exact, negative inside), and where a segment that starts outside enters first
//! ([`Shape::cast`]).
//!
//! A particle is kept at least `thickness` outside. If its path over the substep, seen from the collider, enters the
//! shape, it is caught *on its side of entry*: a fast particle does not tunnel through a thin box, and what
//! ends deep inside does not leave by the far side. A particle that starts the substep inside leaves along the
//! gradient, by a limited depth a substep. Displacement becomes velocity only as far as it cancels an approach, and
//! friction acts against the moving surface; see [`crate::contact`].
//!
//! [`ColliderSet`] has the stages of a [`ContactSet`](crate::contact::ContactSet), on the same arrays. Contacts with
//! colliders need no colours: every contact has one particle, and those of one particle are neighbours.
//!
//! The reverse contact, a corner of a collider that pokes into a face of a body, is found by the discrete detection
//! of the body: give it the points of [`Collider::corners`], and add what lies inside by
//! [`ContactSet::add_point`](crate::contact::ContactSet::add_point) and
//! [`Contact::path_of_point`](crate::contact::Contact::path_of_point).

mod mesh;
mod pose;
mod set;
mod shape;

pub use mesh::{MeshCollider, MeshColliderError};
pub use pose::Pose;
pub use set::ColliderSet;
pub use shape::{Entry, Scratch, Shape, ShapeError, Surface};

use glam::{DVec3, Vec3};

/// A rigid obstacle; see the module documentation.
#[derive(Clone, Debug)]
pub struct Collider {
    /// What it looks like, in its own frame.
    pub shape: Shape,
    /// Where it is at the start of the substep.
    pub start: Pose,
    /// Where it is at the end of the substep.
    pub end: Pose,
    /// Distance that particles keep from it, metres.
    pub thickness: f32,
    /// Index into [`crate::contact::Projection::materials`].
    pub material: u8,
}

impl Collider {
    /// A collider at rest, of material 0 and no thickness.
    pub fn new(shape: Shape, pose: Pose) -> Self {
        Collider { shape, start: pose, end: pose, thickness: 0.0, material: 0 }
    }

    /// The next substep: it moves from where it was at the end of the last one to `pose`.
    pub fn advance(&mut self, pose: Pose) {
        self.start = self.end;
        self.end = pose;
    }

    /// Its corners, in its own frame: those of a box, the vertices of a mesh; empty for what has none.
    pub fn corners(&self) -> Vec<DVec3> {
        self.shape.corners()
    }

    /// A point given in its frame, at the start and at the end of the substep, metres.
    pub fn point(&self, local: DVec3) -> [Vec3; 2] {
        [self.start.to_world(local).as_vec3(), self.end.to_world(local).as_vec3()]
    }
}

#[cfg(test)]
mod tests;
