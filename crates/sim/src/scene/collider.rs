//! `[[collider]]`: what bodies collide with and nothing moves but its own motion.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Friction, Motion, tagged::tagged};

/// `[[collider]]`: an obstacle, standing or moving.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collider {
    /// Its name, for messages and overrides.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What it is.
    pub shape: Shape,
    /// Friction against bodies; without it, that of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<Friction>,
    /// Motions over time, carried out in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motion: Vec<Motion>,
}

tagged! {
    /// The shape of a collider.
    pub enum Shape {
        /// A half space.
        "plane" => Plane(PlaneShape),
        /// A solid ball.
        "sphere" => Sphere(SphereShape),
        /// A cylinder with round ends.
        "capsule" => Capsule(CapsuleShape),
        /// A solid box.
        "box" => Box(BoxShape),
        /// The inside of a sphere: bodies stay within it, below the rim.
        "bowl" => Bowl(BowlShape),
        /// A closed triangle mesh.
        "mesh" => Mesh(MeshShape),
    }
}

/// The half space below a plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlaneShape {
    /// Direction out of the solid half; its length does not matter.
    pub normal: [f64; 3],
    /// A point of the plane, metres.
    pub point_m: [f64; 3],
}

impl Default for PlaneShape {
    fn default() -> Self {
        Self { normal: [0.0, 1.0, 0.0], point_m: [0.0; 3] }
    }
}

/// A solid ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SphereShape {
    /// Its centre, metres.
    #[serde(default)]
    pub center_m: [f64; 3],
    /// Its radius, metres.
    pub radius_m: f64,
}

/// All points within a radius of a segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapsuleShape {
    /// One end of the segment, metres.
    pub start_m: [f64; 3],
    /// The other end, metres.
    pub end_m: [f64; 3],
    /// The radius, metres.
    pub radius_m: f64,
}

/// A solid box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Its centre, metres.
    #[serde(default)]
    pub center_m: [f64; 3],
    /// Its edge lengths, metres.
    pub size_m: [f64; 3],
    /// Turn about its centre: x, then y, then z, degrees.
    #[serde(default)]
    pub rotate_deg: [f64; 3],
}

/// The inside of a sphere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BowlShape {
    /// Centre of the sphere, metres.
    #[serde(default)]
    pub center_m: [f64; 3],
    /// Its radius, metres.
    pub radius_m: f64,
}

/// A closed triangle mesh, outward.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshShape {
    /// The file: OBJ, PLY, STL, or a tetrahedral mesh whose boundary is taken. Relative to the scene file.
    pub mesh: PathBuf,
    /// Scale about the origin of the file.
    #[serde(default = "one")]
    pub scale: f64,
    /// Turn about the origin of the file: x, then y, then z, degrees.
    #[serde(default)]
    pub rotate_deg: [f64; 3],
    /// Displacement, metres.
    #[serde(default)]
    pub translate_m: [f64; 3],
}

fn one() -> f64 {
    1.0
}
