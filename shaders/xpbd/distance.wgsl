// Distance of two particles: C = |x0 - x1| - rest.
//
//     n = (x0 - x1)/|x0 - x1|    ∇0 = n, ∇1 = -n    Δλ = -(C + α̃ λ) / (w0 + w1 + α̃)    α̃ = α/h²
//
// Coincident particles have no direction and are left where they are.
// Source: M. Macklin, M. Müller, N. Chentanez, "XPBD" (MIG 2016), equation 18.

// `plan.rs` declares the same struct.
struct DistanceBlock {
    particles: array<array<u32, 16>, 2>,
    rest: array<f32, 16>,
    compliance: array<f32, 16>,
}

@group(1) @binding(0) var<storage, read> blocks: array<DistanceBlock>;

fn solve(slot: u32) {
    let b = slot / LANES;
    let lane = slot % LANES;
    let p0 = blocks[b].particles[0][lane];
    let p1 = blocks[b].particles[1][lane];
    let x0 = positions[p0];
    let x1 = positions[p1];
    let d = x0.xyz - x1.xyz;
    let r = sqrt(dot(d, d));
    var n = vec3(0.0);
    if r > 0.0 {
        n = d * (1.0 / r);
    }
    let c = r - blocks[b].rest[lane];
    let compliance = blocks[b].compliance[lane] * (1.0 / (params.h * params.h));

    let lambda = multiplier(slot);
    let a = x0.w * dot(n, n) + x1.w * dot(n, n);
    let delta = quotient(-(c + compliance * lambda), a + compliance);
    store_multiplier(slot, lambda + delta);
    place(p0, x0.w, x0.xyz + n * (x0.w * delta));
    place(p1, x1.w, x1.xyz - n * (x1.w * delta));
}

fn energy_of(slot: u32) -> f32 {
    let b = slot / LANES;
    let lane = slot % LANES;
    let d = positions[blocks[b].particles[0][lane]].xyz - positions[blocks[b].particles[1][lane]].xyz;
    return constraint_energy(sqrt(dot(d, d)) - blocks[b].rest[lane], blocks[b].compliance[lane]);
}
