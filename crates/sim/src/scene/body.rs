//! `[[body]]`: a deformable body, or an array of copies of one.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Fabric, Generator, Motion, tagged::tagged};

/// `[[body]]`: a deformable volume, or a sheet of cloth where it has a `fabric`.
///
/// It comes from a file or from a generator; the mesh is scaled, then turned, then lifted or displaced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Body {
    /// Its name, for messages, overrides and output.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// A file with tetrahedra. Relative to the scene file. Either this or `generator`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<PathBuf>,
    /// A mesh made on the spot. Either this or `mesh`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator: Option<Generator>,
    /// Starting pose: a file with the same vertices in the same order (any mesh format, or `.npz` with an array
    /// `deformed` or `positions`). Relative to the scene file. It is placed as the mesh is. By default the mesh itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pose: Option<PathBuf>,
    /// Starting pose from a generator, one whose mesh has the same tetrahedra: a straight `rod` may start as a `coil`
    /// of the same `radius`, `rings` and `segments`. Instead of `pose`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pose_generator: Option<Generator>,
    /// Which shape is at rest: the `file` (or generator), or the `pose`.
    pub rest: Rest,
    /// Scale about the origin of the mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Scales the mesh so that the largest side of its bounding box is this long, metres. Instead of `scale`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit_m: Option<f64>,
    /// Moves the centre of the mesh's bounding box to the origin first, so that it turns about it.
    pub center: bool,
    /// Turn about the origin: x, then y, then z, degrees.
    pub rotate_deg: [f64; 3],
    /// Lifts the body so that its lowest vertex is this far above the origin, metres ("up" is against gravity).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clearance_m: Option<f64>,
    /// The same in heights of the body itself: 0.5 drops it from half its height. Instead of `clearance_m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clearance_heights: Option<f64>,
    /// Displacement, metres; comes last.
    pub translate_m: [f64; 3],
    /// Velocity at the start, metres per second.
    pub velocity_m_s: [f64; 3],
    /// Angular velocity at the start about the centre of the body's bounding box, degrees per second.
    pub angular_velocity_deg_s: [f64; 3],
    /// Material of a volume.
    pub material: Material,
    /// Makes it a sheet of cloth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fabric: Option<Fabric>,
    /// Friction. Between two bodies the mean of both holds.
    pub friction: Friction,
    /// What holds it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pin: Vec<Pin>,
    /// Makes an array of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<Copies>,
}

impl Default for Body {
    fn default() -> Self {
        Self {
            name: String::new(),
            mesh: None,
            generator: None,
            pose: None,
            pose_generator: None,
            rest: Rest::File,
            scale: None,
            fit_m: None,
            center: false,
            rotate_deg: [0.0; 3],
            clearance_m: None,
            clearance_heights: None,
            translate_m: [0.0; 3],
            velocity_m_s: [0.0; 3],
            angular_velocity_deg_s: [0.0; 3],
            material: Material::default(),
            fabric: None,
            friction: Friction::default(),
            pin: Vec::new(),
            copies: None,
        }
    }
}

/// Which shape is at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rest {
    /// The mesh file, or the generator.
    #[default]
    File,
    /// The starting pose; its tetrahedra must have positive volumes.
    Pose,
}

/// How a body resists deformation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaterialModel {
    /// Neo-Hookean, split so that both constraints vanish at rest.
    #[default]
    NeoHookean,
    /// Neo-Hookean as in Macklin & Müller 2021.
    NeoHookeanPair,
    /// Springs along the edges, and a volume constraint on each tetrahedron.
    MassSpring,
}

/// `material` of a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Material {
    /// Model: `neo_hookean`, `neo_hookean_pair` or `mass_spring`.
    pub model: MaterialModel,
    /// Young's modulus, pascal.
    pub young_pa: f64,
    /// Poisson's ratio, 0 to below 0.5 (above 0.25 for `neo_hookean`).
    pub poisson: f64,
    /// Density, kilograms per cubic metre.
    pub density_kg_m3: f64,
    /// Damping time of the strain rate, seconds; 0 for none.
    pub damping_s: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            model: MaterialModel::NeoHookean,
            young_pa: 1e5,
            poisson: 0.4,
            density_kg_m3: 1000.0,
            damping_s: 0.0,
        }
    }
}

/// Coulomb friction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Friction {
    /// Coefficient of static friction.
    #[serde(rename = "static")]
    pub static_: f64,
    /// Coefficient of kinetic friction, not above the static one.
    pub dynamic: f64,
}

impl Default for Friction {
    /// 0.1 for both, as in most scenes of Chen et al. 2023.
    fn default() -> Self {
        Self { static_: 0.1, dynamic: 0.1 }
    }
}

/// `[[body.pin]]`: vertices that are held, or moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Which vertices.
    pub at: Region,
    /// Motions over time, carried out in their order; without any, the vertices stay where they start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motion: Vec<Motion>,
}

tagged! {
    /// A choice of vertices of one body.
    pub enum Region {
        /// All of them.
        "all" => All(AllRegion),
        /// By index, in file order from 0.
        "vertices" => Vertices(VerticesRegion),
        /// Those in an axis-aligned box, at the start.
        "box" => Box(BoxRegion),
        /// Those in a sphere, at the start.
        "sphere" => Sphere(SphereRegion),
        /// Those in a part of the bounding box of the mesh at rest, before it is placed.
        "fraction" => Fraction(FractionRegion),
    }
}

/// All vertices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllRegion {}

/// Vertices by index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerticesRegion {
    /// Indices in file order, from 0.
    pub indices: Vec<u32>,
}

/// A box in the scene, border included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoxRegion {
    /// Its low corner, metres.
    pub min_m: [f64; 3],
    /// Its high corner, metres.
    pub max_m: [f64; 3],
}

/// A sphere in the scene, border included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SphereRegion {
    /// Its centre, metres.
    pub center_m: [f64; 3],
    /// Its radius, metres.
    pub radius_m: f64,
}

/// A part of the bounding box of the mesh, border included: `max = [0.1, 1, 1]` is a tenth of it at low x.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FractionRegion {
    /// Low corner, 0 to 1 along each axis of the file.
    pub min: [f64; 3],
    /// High corner, 0 to 1 along each axis of the file.
    pub max: [f64; 3],
}

impl Default for FractionRegion {
    fn default() -> Self {
        Self { min: [0.0; 3], max: [1.0; 3] }
    }
}

/// `copies` of a body: an array that fills a box, the first copy where the body is placed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// How many along x, y and z.
    pub count: [u32; 3],
    /// Distance between neighbours along x, y and z, metres.
    pub spacing_m: [f64; 3],
    /// Whether each copy gets a turn of its own, at random, about the centre of its bounding box.
    #[serde(default)]
    pub random_turn: bool,
    /// Greatest random displacement along each axis, metres.
    #[serde(default)]
    pub jitter_m: f64,
}
