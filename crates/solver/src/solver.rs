//! The face of both solvers: the stages of a substep, and the transfers between them.

use glam::Vec3;

use crate::plan::Colouring;

/// Where a kinematic particle is at the end of the substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The particle; its inverse mass must be zero.
    pub particle: u32,
    /// Its position at the end of the substep, metres.
    pub position: Vec3,
}

/// What computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterInfo {
    /// Name of the adapter, or the instruction set of the CPU solver.
    pub name: String,
    /// `"cpu"`, or the graphics interface.
    pub backend: String,
    /// Whether this is a GPU emulated in software.
    pub software: bool,
}

/// Why a stage could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// The model is not sound.
    #[error(transparent)]
    Model(#[from] crate::ModelError),
    /// There is no adapter; the message says what was looked for and what to install.
    #[error("{0}")]
    NoAdapter(String),
    /// The model does not fit the adapter's limits.
    #[error("{what} needs {needed} bytes, but adapter {adapter} allows {limit}")]
    TooLarge {
        /// Which buffer.
        what: &'static str,
        /// Its size.
        needed: u64,
        /// The limit.
        limit: u64,
        /// The adapter.
        adapter: String,
    },
    /// `iterate` or `end_substep` without `begin_substep` before it.
    #[error("no substep has begun")]
    NotBegun,
    /// The device was lost or refused a command.
    #[error("adapter {adapter}: {message}")]
    Device {
        /// The adapter.
        adapter: String,
        /// What it said.
        message: String,
    },
}

/// What the device itself spent, milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// Prediction, constraints and velocities.
    pub solve_ms: f64,
    /// Vectors over particles on their way between host and device.
    pub transfer_ms: f64,
}

/// One solver, CPU or GPU. All particle arrays are in the user's order; lengths are the number of particles.
///
/// A substep is `begin_substep`, then `iterate` as often as wanted (with `read_positions`, corrections and
/// `write_positions` in between where there are contacts), then `end_substep`.
/// The state between two substeps is positions and velocities alone.
pub trait Solver {
    /// What computes.
    fn adapter(&self) -> &AdapterInfo;

    /// Which constraints are solved at once.
    fn colouring(&self) -> &Colouring;

    /// Predicts: `v += h g; x_prev = x; x += h v`; kinematic particles go to their targets; multipliers become zero.
    ///
    /// `h`: seconds. `gravity`: metres per second squared. A kinematic particle without a target stays.
    fn begin_substep(&mut self, h: f32, gravity: Vec3, targets: &[Target]) -> Result<(), SolverError>;

    /// Projects every elastic constraint once, colour by colour.
    fn iterate(&mut self) -> Result<(), SolverError>;

    /// Copies the positions out, metres.
    fn read_positions(&mut self, out: &mut [Vec3]) -> Result<(), SolverError>;

    /// Replaces the positions, metres.
    fn write_positions(&mut self, positions: &[Vec3]) -> Result<(), SolverError>;

    /// Ends the substep: `v = (x - x_prev - shift) / h`, then damping. Computed as `v += (x - x̂ - shift) / h` from the
    /// predicted position x̂, so that a particle on which nothing acts keeps its velocity exactly. `shift` is the part of the displacement
    /// of this substep that must not become velocity (depenetration), metres; `None` for none.
    fn end_substep(&mut self, shift: Option<&[Vec3]>) -> Result<(), SolverError>;

    /// Copies the velocities out, metres per second.
    fn read_velocities(&mut self, out: &mut [Vec3]) -> Result<(), SolverError>;

    /// Replaces the velocities, metres per second.
    fn write_velocities(&mut self, velocities: &[Vec3]) -> Result<(), SolverError>;

    /// Elastic energy of the present positions, joule.
    fn elastic_energy(&mut self) -> Result<f64, SolverError>;

    /// What was spent since the last call, for a solver whose stages run behind the calls that start them; it waits
    /// until they are done. `None` where each stage is over when its call returns, so that a caller's own clock is
    /// right.
    fn take_times(&mut self) -> Result<Option<StageTimes>, SolverError> {
        Ok(None)
    }
}
