//! Why a simulation cannot start or go on.

use std::path::PathBuf;

use gordian_mesh::io::MeshError;
use gordian_solver::{ModelError, SolverError};

use crate::{CheckpointError, SceneError};

/// Why a simulation cannot start or go on. User data never panics; each of these says where and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// The scene is at fault.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A mesh or a frame cannot be read or written.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A body cannot be solved: a value outside its range, such as a tetrahedron that is too flat.
    #[error("body `{body}`, {what} {index}: {message}")]
    Body {
        /// Name of the body.
        body: String,
        /// What of it: a tetrahedron, a position.
        what: &'static str,
        /// Which one, in the file order of the body, from 0.
        index: u32,
        /// What is wrong.
        message: String,
    },
    /// A part of a body that cannot be: an array of another length, a value outside its range.
    #[error("body `{body}`, {what}: {message}")]
    BodyValue {
        /// Name of the body.
        body: String,
        /// Which part of it, as in [`Body`](crate::body::Body).
        what: &'static str,
        /// What is wrong.
        message: String,
    },
    /// A state of another size than the world's.
    #[error("{what}: {got} are given, but the world has {wanted} particles")]
    Length {
        /// Positions or velocities.
        what: &'static str,
        /// How many were given.
        got: usize,
        /// How many there are.
        wanted: usize,
    },
    /// A value for a particle that is not finite.
    #[error("{what} of particle {particle} is {value}, which is not finite")]
    StateNotFinite {
        /// Position or velocity.
        what: &'static str,
        /// The particle, from 0.
        particle: u32,
        /// What was given.
        value: glam::Vec3,
    },
    /// A particle that is not there.
    #[error("there is no particle {particle}: the world has {particles} (counted from 0)")]
    NoParticle {
        /// What was asked for.
        particle: u32,
        /// How many there are.
        particles: usize,
    },
    /// More than 32-bit indices hold.
    #[error("there are {count} {what}; fewer than {limit} are possible")]
    TooMany {
        /// Particles, tetrahedra or triangles.
        what: &'static str,
        /// How many.
        count: usize,
        /// How many there may not be.
        limit: usize,
    },
    /// A frame that is done, or broke off, is advanced once more.
    #[error("this frame is over; begin another one")]
    FrameOver,
    /// The solver cannot be built or has failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// A checkpoint cannot be taken up.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A step gave a position or velocity that is not a finite number; the frame before is the last good one.
    #[error(
        "frame {frame}: vertex {vertex} of body `{body}` is no longer finite; frame {} is the last good one. \
         More substeps, a softer material or a smaller `max_depenetration_edges` may help", frame.saturating_sub(1)
    )]
    NonFinite {
        /// The frame that failed, from 1.
        frame: u32,
        /// Name of the body.
        body: String,
        /// The first such vertex, in the file order of its body, from 0.
        vertex: u32,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl From<ModelError> for SimError {
    fn from(error: ModelError) -> Self {
        SimError::Solver(error.into())
    }
}
