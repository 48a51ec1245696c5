// What the kernels over particles share. Put between `common.wgsl` and each of them.

@group(1) @binding(0) var<storage, read_write> velocities: array<vec4<f32>>;
// Positions that the prediction arrived at.
@group(1) @binding(1) var<storage, read_write> predicted: array<vec4<f32>>;
// The rank of each particle of the user.
@group(1) @binding(2) var<storage, read> ranks: array<u32>;
// Vectors from or to the host: three floats a particle, in the user's order.
@group(1) @binding(3) var<storage, read_write> exchange: array<f32>;

// Where a kinematic particle goes; `gpu/layout.rs` declares the same struct.
struct Goal {
    position: vec3<f32>,
    // Its rank.
    particle: u32,
}

@group(1) @binding(4) var<storage, read> goals: array<Goal>;

// The particle of a thread.
fn particle_of(id: vec3<u32>) -> u32 {
    return id.x + id.y * params.particle_row;
}

fn incoming(i: u32) -> vec3<f32> {
    return vec3(exchange[3u * i], exchange[3u * i + 1u], exchange[3u * i + 2u]);
}

fn send(i: u32, v: vec3<f32>) {
    exchange[3u * i] = v.x;
    exchange[3u * i + 1u] = v.y;
    exchange[3u * i + 2u] = v.z;
}
