//! Generated meshes: blocks, rods along curves, cloth, and anything that a function says is inside.
//!
//! Lengths are metres. Every tetrahedron is positive and every triangle counter-clockwise seen from outside.
//! The same parameters give the same bits, and scaling all lengths by a power of two scales every position
//! exactly.
//!
//! [`stuff`] fills a function's interior (Labelle & Shewchuk 2007); [`rod_along_curve`] sweeps a disc;
//! [`box_mesh`] cuts a grid. [`Generator`] names them all with numbers as parameters, for scene files and the
//! command line.

use glam::DVec3;

use crate::memory;

mod bodies;
mod bowl;
mod curves;
mod generator;
mod geodesic;
mod grid;
mod improve;
mod kind;
mod knots;
mod lattice;
mod layers;
mod noodle;
mod octopus;
mod prism;
mod rod;
mod solids;
mod squishy_ball;
mod stuff;

pub use bodies::{bent_body, sphere};
pub use bowl::bowl;
pub use curves::{coil, helix, line, trefoil};
pub use generator::{Generated, Generator};
pub use grid::{beam, box_mesh, cloth_grid};
pub use kind::{Kind, Parameter};
pub use knots::{nested_knots, overhand};
pub use noodle::noodle;
pub use octopus::octopus;
pub use rod::{rod_along_curve, rod_along_points};
pub use solids::{Ball, Strand, smooth_union};
pub use squishy_ball::squishy_ball;
pub use stuff::{stuff, stuff_distance};

/// Why a mesh could not be generated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// A parameter out of its range.
    #[error("`{name}` must be {rule}, not {}", shown(*value))]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// The mesh would exceed what 32-bit indices hold.
    #[error("the mesh would have {count:.3e} {what}, at most {limit:.1e} are possible; take a coarser one")]
    TooLarge {
        /// "tetrahedra", "triangles", "vertices" or "lattice points".
        what: &'static str,
        /// How many there would be.
        count: f64,
        /// How many there may be.
        limit: f64,
    },
    /// The mesh would exceed the memory.
    #[error(
        "the mesh would have about {count:.1e} {what} and need about {:.1} GB; {:.1} GB are free for it: take a coarser one",
        needs / 1e9, allowed / 1e9
    )]
    Memory {
        /// "tetrahedra", "vertices" and the like.
        what: &'static str,
        /// How many there would be.
        count: f64,
        /// Bytes that it would take.
        needs: f64,
        /// Bytes that may be taken.
        allowed: f64,
    },
    /// The rod folds into itself because its curve bends too tightly.
    #[error(
        "the curve bends tighter than the rod's radius at segment {segment}; a thinner rod or a smoother curve does"
    )]
    CurveTooTight {
        /// The first segment with an inverted tetrahedron, from 0.
        segment: u32,
    },
    /// Two neighbouring points of a curve coincide or are not finite.
    #[error("points {point} and {} of the curve coincide or are not finite", point + 1)]
    CurveDegenerate {
        /// The first of both, from 0.
        point: usize,
    },
    /// The function is not a number somewhere.
    #[error("the function to fill is not a number at ({}, {}, {})", at.x, at.y, at.z)]
    NotFinite {
        /// Where.
        at: DVec3,
    },
    /// The inside reaches the edge of the given bounds.
    #[error("the inside reaches its bounds at ({}, {}, {}); larger bounds do", at.x, at.y, at.z)]
    LeavesBounds {
        /// Where.
        at: DVec3,
    },
    /// Nothing is inside at this spacing.
    #[error(
        "no lattice point lies inside at spacing {spacing}; a smaller spacing does, or the function is positive everywhere"
    )]
    Nothing {
        /// The lattice spacing, in metres.
        spacing: f64,
    },
    /// No mesh of a kind has about the wanted number of vertices.
    #[error("no mesh with these parameters has about {wanted} vertices; the nearest has {nearest}")]
    Vertices {
        /// What was asked for.
        wanted: u64,
        /// The number of vertices of the mesh that comes nearest.
        nearest: u64,
    },
    /// Two parameters say the same thing.
    #[error("`vertices` and `{name}` both say how fine the mesh is; give one of them")]
    TwiceFine {
        /// The parameter beside `vertices`.
        name: &'static str,
    },
    /// No generator has this name.
    #[error("there is no generator `{name}`; there are {known}")]
    UnknownKind {
        /// What was asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// The generator has no such parameter.
    #[error("generator `{kind}` has no parameter `{name}`; it has {known}")]
    UnknownParameter {
        /// The generator.
        kind: &'static str,
        /// What was asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
}

/// Lengths that single precision holds with room for a scene round them, metres: bodies are simulated in it.
const LENGTHS: std::ops::Range<f64> = 1e-30..1e30;

/// A length: positive, and of a size that can be simulated.
fn positive(name: &'static str, value: f64) -> Result<f64, GenerateError> {
    if !(value > 0.0 && value.is_finite()) {
        Err(GenerateError::Parameter { name, value, rule: "finite and greater than 0" })
    } else if !LENGTHS.contains(&value) {
        let rule = "from 1e-30 to below 1e30, which single precision holds";
        Err(GenerateError::Parameter { name, value, rule })
    } else {
        Ok(value)
    }
}

/// A number as people read it: not with hundreds of digits.
fn shown(x: f64) -> String {
    if x != 0.0 && !(1e-6..1e15).contains(&x.abs()) { format!("{x:e}") } else { x.to_string() }
}

/// A count: at least `least`.
fn at_least(name: &'static str, value: u32, least: u32, rule: &'static str) -> Result<u32, GenerateError> {
    if value >= least { Ok(value) } else { Err(GenerateError::Parameter { name, value: value.into(), rule }) }
}

/// Bytes for each tetrahedron of a grid or a rod, with its part of the vertices and of the topology that its boundary is taken from.
const PER_TETRAHEDRON: f64 = 150.0;

/// Bytes for each vertex of a filled function: its tetrahedra, their shapes and incidences, and cut points.
const PER_FILLED_VERTEX: f64 = 700.0;

/// How many of anything [`TetTopology`](crate::TetTopology) cannot index any more.
const MOST: f64 = (1u32 << 29) as f64;

/// Refuses what could not be indexed, and what the memory does not hold.
fn fits(what: &'static str, count: f64) -> Result<(), GenerateError> {
    if count >= MOST || count.is_nan() {
        return Err(GenerateError::TooLarge { what, count, limit: MOST });
    }
    holds(what, count, count * PER_TETRAHEDRON)
}

/// Refuses what the memory does not hold.
fn holds(what: &'static str, count: f64, needs: f64) -> Result<(), GenerateError> {
    match memory::exceeded(needs) {
        Some(allowed) => Err(GenerateError::Memory { what, count, needs, allowed }),
        None => Ok(()),
    }
}
