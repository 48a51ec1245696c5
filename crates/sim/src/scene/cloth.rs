//! What a scene says about cloth: `[cloth]`, and `fabric` of a body.

use serde::{Deserialize, Serialize};

/// How crossing cloth is taken apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClothResponse {
    /// Not at all.
    Off,
    /// Intersection contour minimisation (Volino & Magnenat-Thalmann 2006).
    #[default]
    Icm,
    /// Triangle by triangle along the smaller depth (Kikuchi & Kanai 2025).
    Kikuchi,
    /// By the type of contour (Ye et al. 2017).
    Ye,
    /// Layers in their order (Buffet et al. 2019); for several sheets.
    Buffet,
}

/// `[cloth]`: how cloth collides with itself and other cloth, and is untangled.
///
/// Lengths are in mean edges of the cloth, so that a scene may be scaled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cloth {
    /// How crossings are undone: `off`, `icm`, `kikuchi`, `ye` or `buffet`.
    pub response: ClothResponse,
    /// How far a vertex is moved in one frame to undo crossings, in mean edges.
    pub strength: f64,
    /// Distance that layers keep, in mean edges.
    pub thickness_edges: f64,
    /// Whether layers are kept apart at all.
    pub proximity: bool,
    /// In how many even parts of the iterations close pairs are searched for; a search after the first is left out where nothing
    /// can have come near since the last.
    pub searches: u32,
    /// Part of its velocity that each particle takes over from the mean of its neighbours in every substep, 0 to 1.
    pub smoothing: f64,
    /// Farthest that a particle moves in a frame, in mean edges; 0 for no limit.
    pub speed_limit_edges: f64,
    /// Whether regions that cannot cross themselves are skipped in the search. The crossings found are the same.
    pub culling: bool,
}

impl Default for Cloth {
    fn default() -> Self {
        Self {
            response: ClothResponse::Icm,
            strength: 1.0,
            thickness_edges: 0.1,
            proximity: true,
            searches: 5,
            smoothing: 1.0,
            speed_limit_edges: 0.5,
            culling: true,
        }
    }
}

/// `fabric` of a body: it is a sheet of cloth, from a file with triangles or the generator `cloth`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fabric {
    /// Mass per area, kilograms per square metre.
    pub density_kg_m2: f64,
    /// Stiffness along the warp, newton per metre of width.
    pub warp_n_m: f64,
    /// Stiffness along the weft, across the warp, newton per metre of width.
    pub weft_n_m: f64,
    /// Stiffness against shear between both, newton per metre of width.
    pub shear_n_m: f64,
    /// Flexural rigidity, newton metre.
    pub bend_n_m: f64,
    /// Direction of the warp in the mesh at rest, before it is placed.
    pub warp: [f64; 3],
    /// A start that is folded through itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fold: Option<Fold>,
}

impl Default for Fabric {
    fn default() -> Self {
        Self {
            density_kg_m2: 0.2,
            warp_n_m: 1e4,
            weft_n_m: 1e4,
            shear_n_m: 5e3,
            bend_n_m: 1e-2,
            warp: [1.0, 0.0, 0.0],
            fold: None,
        }
    }
}

/// The height of the ridge along a fold, over the width from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ridge {
    /// `sin(πu)`: one closed contour.
    #[default]
    Closed,
    /// `½ + ½cos(πu)`: one open contour, both ends at a border.
    Open,
    /// `1 + 0.4 sin(3πu)`: two contours from border to border.
    Hard,
    /// `1`: two straight contours from border to border.
    Straight,
}

impl Ridge {
    /// Height at `u`, in units of the ridge's.
    pub fn height(self, u: f64) -> f64 {
        use std::f64::consts::PI;
        match self {
            Ridge::Closed => (PI * u).sin(),
            Ridge::Open => 0.5 + 0.5 * (PI * u).cos(),
            Ridge::Hard => 1.0 + 0.4 * (3.0 * PI * u).sin(),
            Ridge::Straight => 1.0,
        }
    }
}

/// `fold` of a fabric: a flat sheet in the plane z = 0 starts folded back behind itself, with a ridge that pokes through the
/// upper half. All lengths before the body is scaled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fold {
    /// Shape of the ridge: `closed`, `open`, `hard` or `straight`.
    pub ridge: Ridge,
    /// Distance of the fold from the first row, metres.
    pub at_m: f64,
    /// Distance between the layers, metres.
    pub gap_m: f64,
    /// Height of the ridge, metres.
    pub height_m: f64,
    /// Distance of the ridge from the fold, metres.
    pub ridge_at_m: f64,
    /// Width of the ridge, metres.
    pub width_m: f64,
}

impl Default for Fold {
    fn default() -> Self {
        Self { ridge: Ridge::Closed, at_m: 2.4, gap_m: 0.01, height_m: 0.15, ridge_at_m: 1.2, width_m: 0.3 }
    }
}
