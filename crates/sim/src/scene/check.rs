//! `[[check]]`: what a scene is known to do, as figures that a run can be held to.

use serde::{Deserialize, Serialize};

/// `[[check]]`: a figure of the run, summed up over a span of time, and the bounds that it keeps.
///
/// `gordian run` says of each whether it holds, and ends with status 1 if one does not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// What is looked at.
    pub what: Figure,
    /// Name of the body that a figure of a single body is about; by default of all bodies the worst, or the first.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// How the figures of the frames become one.
    #[serde(default)]
    pub over: Over,
    /// Frames that end before this time do not count, seconds.
    #[serde(default)]
    pub start_s: f64,
    /// Frames that end after this time do not count, seconds; by default all do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_s: Option<f64>,
    /// The figure is this or less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// The figure is this or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// What that means, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
}

/// A figure of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// Boundary vertices inside a tetrahedron that is not theirs.
    PenetratingVertices,
    /// Pairs of surface triangles that cross, of volumes and of cloth.
    IntersectingTrianglePairs,
    /// Tetrahedra of negative volume.
    InvertedTetrahedra,
    /// Queries without a valid path.
    UnresolvedQueries,
    /// Contacts between bodies, found continuously or inside.
    Contacts,
    /// Contacts with colliders.
    ColliderContacts,
    /// Kinetic energy, as a part of the highest of the run so far.
    KineticEnergyOfPeak,
    /// Kinetic energy, joule.
    KineticEnergyJ,
    /// How far the body is from its rest shape: root mean square over its vertices once the best rigid motion is taken off, as a part
    /// of the diagonal of the rest shape's bounding box.
    ShapeError,
    /// Height of the mean of the body's vertices above the origin, metres ("up" is against gravity).
    HeightM,
    /// Upwards speed of the mean of the body's vertices, metres per second.
    #[serde(rename = "rising_speed_m_s")]
    RisingSpeedMS,
    /// Extent of the body upwards, metres.
    ThicknessM,
    /// Speed of the fastest vertex, metres per second.
    #[serde(rename = "fastest_vertex_m_s")]
    FastestVertexMS,
}

/// How the figures of several frames become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// That of the last frame.
    #[default]
    End,
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// The mean.
    Mean,
}
