//! What is simulated: particles, materials and constraints, in the user's order.

use glam::Vec3;

/// How a tetrahedron resists deformation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elasticity {
    /// Neo-Hookean, split so that both constraints vanish at rest and solved as a 2×2 block (the default).
    NeoHookean,
    /// Neo-Hookean as in Macklin & Müller 2021: deviatoric and hydrostatic constraint, one after the other.
    NeoHookeanPair,
    /// Volume constraint only; the edges of the body come as [`Distance`] constraints (mass-spring).
    Volume,
}

/// Elastic material of a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Model.
    pub elasticity: Elasticity,
    /// Young's modulus, pascal. For [`Elasticity::Volume`] the stiffness of the volume constraint.
    pub young_pa: f32,
    /// Poisson's ratio, in `[0, 0.5)`.
    pub poisson: f32,
    /// Strain-rate damping time, seconds: the constraint damping of XPBD (Macklin et al. 2016, eq. 26) with
    /// `beta = damping_s / compliance`. Zero for none.
    pub damping_s: f32,
}

/// A tetrahedral element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tet {
    /// Particles; positive volume in the rest pose.
    pub particles: [u32; 4],
    /// Index into [`Model::materials`].
    pub material: u32,
}

/// `C = |x0 - x1| - rest`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Particles.
    pub particles: [u32; 2],
    /// Rest length, metres.
    pub rest_m: f32,
    /// Compliance, metres per newton (the inverse of a spring's stiffness).
    pub compliance: f32,
}

/// `C = 6 (V - V0)` of a tetrahedron, for mass-spring bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    /// Particles.
    pub particles: [u32; 4],
    /// Rest volume, cubic metres.
    pub rest_m3: f32,
    /// Compliance of `C` (per joule).
    pub compliance: f32,
}

/// Dihedral angle between two triangles `(p0, p1, p2)` and `(p1, p0, p3)` that share the edge `p0 p1`: `C = angle - rest`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// Particles: the two of the edge, then the two opposite it.
    pub particles: [u32; 4],
    /// Rest angle, radians; 0 is flat.
    pub rest_rad: f32,
    /// Compliance, radians per newton metre.
    pub compliance: f32,
}

/// Everything that a solver is built from. All indices and all orders are the user's.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Positions in which the constraints on tetrahedra are at rest, metres.
    pub rest_positions: Vec<Vec3>,
    /// Positions at the start, metres.
    pub positions: Vec<Vec3>,
    /// Velocities at the start, metres per second.
    pub velocities: Vec<Vec3>,
    /// Inverse masses, per kilogram. Zero for a particle that only its [`Target`](crate::Target) moves.
    pub inverse_masses: Vec<f32>,
    /// Materials that the elements name.
    pub materials: Vec<Material>,
    /// Tetrahedral elements.
    pub tets: Vec<Tet>,
    /// Distance constraints.
    pub distances: Vec<Distance>,
    /// Volume constraints.
    pub volumes: Vec<Volume>,
    /// Bending constraints.
    pub bends: Vec<Bend>,
    /// Velocity damping rate, per second: `v *= exp(-rate h)` at the end of a substep.
    pub damping_per_s: f32,
}

/// Why a [`Model`] cannot be solved; each names the particle or the element.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The arrays over particles differ in length.
    #[error("{array} has {len} entries, but the model has {particles} particles")]
    Length {
        /// Which array.
        array: &'static str,
        /// Its length.
        len: usize,
        /// Number of particles.
        particles: usize,
    },
    /// A constraint names a particle that is not there.
    #[error("{constraint} {index} names particle {particle}, but there are {particles}")]
    Index {
        /// Kind of constraint.
        constraint: &'static str,
        /// Which one.
        index: usize,
        /// The particle it names.
        particle: u32,
        /// Number of particles.
        particles: usize,
    },
    /// A value outside its range.
    #[error("{what} {index}: {message}")]
    Value {
        /// Kind of thing.
        what: &'static str,
        /// Which one.
        index: usize,
        /// What is wrong.
        message: String,
    },
}
