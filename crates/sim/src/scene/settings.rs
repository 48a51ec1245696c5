//! The sections of a scene that hold for all of it: `[simulation]`, `[collision]`, `[output]`.

use serde::{Deserialize, Serialize};

/// `[simulation]`: time, gravity and the solver's effort.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Simulation {
    /// Name of the scene; by default that of its file.
    pub name: String,
    /// One line about it, shown by `gordian scenes`.
    pub description: String,
    /// Length of a frame, seconds.
    pub frame_s: f64,
    /// Number of frames.
    pub frames: u32,
    /// Substeps a frame, at least 1.
    pub substeps: u32,
    /// Solver iterations a substep, at least 1.
    pub iterations: u32,
    /// Gravity, metres per second squared. "Up" in this scene is against it (+y where it is zero).
    pub gravity_m_s2: [f64; 3],
    /// Velocity damping rate, per second: velocities shrink by `exp(-rate t)`.
    pub damping_per_s: f64,
    /// Seed of everything random (the turns of copies); the same seed gives the same scene.
    pub seed: u64,
}

impl Default for Simulation {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            frame_s: 1.0 / 60.0,
            frames: 120,
            substeps: 20,
            iterations: 2,
            gravity_m_s2: [0.0, -9.81, 0.0],
            damping_per_s: 0.0,
            seed: 0,
        }
    }
}

/// Which boundary point a penetrating vertex is sent to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryMode {
    /// The end of the shortest path to the boundary inside the body (Chen et al. 2023).
    #[default]
    Geodesic,
    /// The closest boundary point of the body it is in, whatever lies between.
    Euclidean,
    /// The closest boundary point in the rest shape.
    RestShape,
}

/// How the shortest path is searched for. All give the same answer; `auto` is the fastest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryMethod {
    /// Floods a few elements, then takes the tree.
    #[default]
    Auto,
    /// Best-first through the elements round the point.
    Flood,
    /// Candidates from the tree, feasible regions and element traversal, as in the paper.
    Traversal,
}

/// `[collision]`: what is detected and how it is resolved.
///
/// Lengths here are relative to the mean length of the bodies' surface edges, so that a scene may be scaled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Collision {
    /// Whether bodies collide at all, with each other and with colliders.
    pub enabled: bool,
    /// Bodies pass through each other and through themselves before this time, seconds; colliders always hold.
    pub start_s: f64,
    /// Whether a body collides with itself.
    pub self_collision: bool,
    /// Which boundary point a penetrating vertex is sent to: `geodesic`, `euclidean` or `rest_shape`.
    pub mode: QueryMode,
    /// How the shortest path is searched for: `auto`, `flood` or `traversal`.
    pub method: QueryMethod,
    /// Rejection of candidates by their feasible region.
    pub culling: bool,
    /// Continuous detection for the vertices that are outside at the start of a substep.
    pub ccd: bool,
    /// Edge-edge pairs in continuous detection.
    /// Edges that already go through a body, with neither end inside it, leave along shortest paths too.
    pub edge_edge: bool,
    /// Projects all vertices and the centroids of all tetrahedra, not the boundary alone: for bodies whose cores have
    /// crossed.
    pub recovery: bool,
    /// Distance that contacts keep, in mean surface edges.
    pub thickness_edges: f64,
    /// How far one contact moves a penetrating vertex in one frame at most, in mean surface edges.
    pub max_depenetration_edges: f64,
    /// How far all contacts of a penetrating vertex together move it, in units of what one of them may. In recovery a vertex
    /// may have dozens of contacts (its own, and those of the centroids round it). Low, crossed cores stall, because
    /// what pushes them apart is cut off; without a limit, soft elements are turned inside out.
    pub max_shift_ratio: f64,
    /// Part of its velocity that a penetrating vertex loses in a frame, 0 to 1.
    pub penetrating_damping: f64,
    /// Restitution, 0 (no bounce) to 1.
    pub restitution: f64,
    /// Whether velocities that still approach at a contact are cancelled after the substep.
    pub velocity_pass: bool,
    /// Another `mode` from some time on, to see what the one does to a state that the other has kept sound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub later: Option<Later>,
}

/// `collision.later`: the query mode from `start_s` on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Later {
    /// When it begins, seconds.
    pub start_s: f64,
    /// The mode from then on.
    pub mode: QueryMode,
}

impl Default for Collision {
    fn default() -> Self {
        Self {
            enabled: true,
            start_s: 0.0,
            self_collision: true,
            mode: QueryMode::Geodesic,
            method: QueryMethod::Auto,
            culling: true,
            ccd: true,
            edge_edge: true,
            recovery: false,
            thickness_edges: 1e-3,
            max_depenetration_edges: 1.0,
            max_shift_ratio: 4.0,
            penetrating_damping: 0.3,
            restitution: 0.0,
            velocity_pass: true,
            later: None,
        }
    }
}

/// File format of recorded frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    /// VTK XML unstructured grids, one a frame, and a `.pvd` that lists them with their times.
    #[default]
    Vtu,
    /// Surfaces as PLY, one a frame.
    Ply,
    /// One USD text file with a time sample a frame.
    Usda,
    /// One PC2 point cache and the OBJ mesh that it moves.
    Pc2,
    /// No frames.
    None,
}

/// `[output]`: what is written while running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Format of the frames: `vtu`, `ply`, `usda`, `pc2`, or `none` for no frames.
    pub format: OutputFormat,
    /// Every how many frames one is written; 1 for all of them. The last frame is always written.
    pub every: u32,
    /// Whether the velocities are written too, where the format has room for them.
    pub velocities: bool,
    /// Every how many frames a checkpoint is written; 0 for never.
    pub checkpoint_every: u32,
}

impl Default for Output {
    fn default() -> Self {
        Self { format: OutputFormat::Vtu, every: 1, velocities: true, checkpoint_every: 0 }
    }
}
