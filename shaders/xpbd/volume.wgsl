// Volume of a tetrahedron: C = 6 (V - V0).
//
//     6 V = d1·(d2×d3), d_k = x_k - x_0    ∇1 = d2×d3, ∇2 = d3×d1, ∇3 = d1×d2, ∇0 = -(∇1+∇2+∇3)
//     Δλ = -(C + α̃ λ + γ ∇C·(x - x_prev)) / ((1+γ) Σ w |∇C|² + α̃)    α̃ = α/h²
//
// Where the particles lie almost in a line, ∇C vanishes and a Newton step is far too long: the denominator is kept
// above that of a tetrahedron with |∇C| = S/32, S = |d1|² + |d2|² + |d3|². This slows such steps and no others.
//
// Source: M. Macklin, M. Müller, N. Chentanez, "XPBD" (MIG 2016), equations 18 and 26.

// `plan.rs` declares the same struct.
struct VolumeBlock {
    particles: array<array<u32, 16>, 4>,
    rest: array<f32, 16>,
    compliance: array<f32, 16>,
    damping: array<f32, 16>,
}

@group(1) @binding(0) var<storage, read> blocks: array<VolumeBlock>;

fn particles_of(slot: u32) -> vec4<u32> {
    let b = slot / LANES;
    let lane = slot % LANES;
    return vec4(
        blocks[b].particles[0][lane],
        blocks[b].particles[1][lane],
        blocks[b].particles[2][lane],
        blocks[b].particles[3][lane],
    );
}

fn solve(slot: u32) {
    let b = slot / LANES;
    let lane = slot % LANES;
    let corners = load_corners(particles_of(slot));
    let d = edges_of(corners.x);
    let g1 = cross(d[1], d[2]);
    let g2 = cross(d[2], d[0]);
    let g3 = cross(d[0], d[1]);
    let c = dot(d[0], g1) - blocks[b].rest[lane];
    let g = mat4x3(-(g1 + g2 + g3), g1, g2, g3);
    let compliance = blocks[b].compliance[lane] * (1.0 / (params.h * params.h));
    let spread = (dot(d[0], d[0]) + dot(d[1], d[1]) + dot(d[2], d[2])) * (1.0 / 32.0);
    let least = (corners.w.x + corners.w.y + corners.w.z + corners.w.w) * (spread * spread);
    let gamma = blocks[b].damping[lane] * (1.0 / params.h);
    solve_one(slot, corners, c, g, least, compliance, gamma);
}

fn energy_of(slot: u32) -> f32 {
    let b = slot / LANES;
    let lane = slot % LANES;
    let d = edges_of(load_corners(particles_of(slot)).x);
    let c = dot(d[0], cross(d[1], d[2])) - blocks[b].rest[lane];
    return constraint_energy(c, blocks[b].compliance[lane]);
}
