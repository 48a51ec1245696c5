// Volume of a tetrahedron: C = 6 (V - V0).
//
//     6 V = d1·(d2×d3), d_k = x_k - x_0    ∇1 = d2×d3, ∇2 = d3×d1, ∇3 = d1×d2, ∇0 = -(∇1+∇2+∇3)
//     Δλ = -(C + α̃ λ + γ ∇C·(x - x_prev)) / ((1+γ) Σ w |∇C|² + α̃)    α̃ = α/h²
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
    let p = particles_of(slot);
    let x0 = positions[p.x];
    let x1 = positions[p.y];
    let x2 = positions[p.z];
    let x3 = positions[p.w];
    let d1 = x1.xyz - x0.xyz;
    let d2 = x2.xyz - x0.xyz;
    let d3 = x3.xyz - x0.xyz;
    let g1 = cross(d2, d3);
    let g2 = cross(d3, d1);
    let g3 = cross(d1, d2);
    let g0 = -(g1 + g2 + g3);
    let c = dot(d1, g1) - blocks[b].rest[lane];
    let compliance = blocks[b].compliance[lane] / (params.h * params.h);

    let lambda = multiplier(slot);
    var a = x0.w * dot(g0, g0) + x1.w * dot(g1, g1) + x2.w * dot(g2, g2) + x3.w * dot(g3, g3);
    var r = c + compliance * lambda;
    if DAMPED {
        let gamma = blocks[b].damping[lane] / params.h;
        let along0 = dot(g0, x0.xyz - previous[p.x].xyz);
        let along1 = dot(g1, x1.xyz - previous[p.y].xyz);
        let along2 = dot(g2, x2.xyz - previous[p.z].xyz);
        let along3 = dot(g3, x3.xyz - previous[p.w].xyz);
        r += gamma * (along0 + along1 + along2 + along3);
        a *= gamma + 1.0;
    }
    let delta = multiplier_change(r, a + compliance);
    store_multiplier(slot, lambda + delta);
    place(p.x, x0, x0.xyz + g0 * (x0.w * delta));
    place(p.y, x1, x1.xyz + g1 * (x1.w * delta));
    place(p.z, x2, x2.xyz + g2 * (x2.w * delta));
    place(p.w, x3, x3.xyz + g3 * (x3.w * delta));
}

fn energy_of(slot: u32) -> f32 {
    let b = slot / LANES;
    let lane = slot % LANES;
    let p = particles_of(slot);
    let x0 = positions[p.x].xyz;
    let d1 = positions[p.y].xyz - x0;
    let d2 = positions[p.z].xyz - x0;
    let d3 = positions[p.w].xyz - x0;
    let c = dot(d1, cross(d2, d3)) - blocks[b].rest[lane];
    return constraint_energy(c, blocks[b].compliance[lane]);
}
