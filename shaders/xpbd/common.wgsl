// What every kernel of the solver shares. It is put in front of each kernel's own file.
//
// Particles lie in the solver's order (rank). A vec4 holds a vector in xyz; in `positions`, w is the inverse mass.

// Threads a workgroup.
override WG: u32 = 64;
// Whether any constraint has a damping time; only then is `previous` read while constraints are solved.
override DAMPED: bool = false;
// Constraints a block; constraint `slot` is lane `slot % LANES` of block `slot / LANES`.
const LANES: u32 = 16;

// Constants of a substep; `gpu/layout.rs` declares the same struct.
struct Params {
    // Metres per second squared.
    gravity: vec3<f32>,
    // Length of the substep, seconds.
    h: f32,
    // exp(-rate h): what damping leaves of a velocity.
    keep: f32,
    // 1 in the first iteration of a substep: multipliers start at zero.
    first: u32,
    // Number of particles.
    particles: u32,
    // Number of kinematic particles that have a target.
    targets: u32,
    // Threads in a row of the grid over particles.
    particle_row: u32,
    // Threads in a row of the grid over targets.
    target_row: u32,
    padding: vec2<u32>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> positions: array<vec4<f32>>;
// Positions at the start of the substep; kept only where something is damped.
@group(0) @binding(2) var<storage, read_write> previous: array<vec4<f32>>;
