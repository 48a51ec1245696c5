// Neo-Hookean tetrahedron as two constraints, one after the other.
//
//     C_D = √(tr FᵀF)          ∇_F C_D = F / C_D     α_D = 1/(μV)
//     C_H = det F - (1 + μ/λ') ∇_F C_H = cof F       α_H = 1/(λ'V)      λ' = λ + μ
//
// Source: M. Macklin, M. Müller, "A constraint-based formulation of stable Neo-Hookean materials" (MIG 2021). With
// their λ equal to λ' above, the linearisation is Hooke's law with the Lamé parameters μ and λ.

fn solve(slot: u32) {
    let corners = load_corners(particles_of(slot));
    let element = load_element(slot);
    let lambda = element.lambda + element.mu;
    var x = corners.x;
    var gamma = 0.0;
    var moved = mat4x3<f32>();
    if DAMPED {
        gamma = element.damping * (1.0 / params.h);
        moved = displacement(corners);
    }
    var multipliers = multiplier_pair(slot);

    var f = edges_of(x) * transpose(element.inverse);
    let c2 = square(f);
    let c_d = sqrt(c2);
    var per_c = 0.0;
    var k_d = 0.0;
    if c2 > 1e-30 {
        per_c = 1.0 / c_d;
        k_d = element.mu * (params.h * params.h);
    }
    var g = nodal(f * per_c, element);
    var delta = multiplier_change(k_d, c_d, g, corners.w, gamma, moved, multipliers.x);
    multipliers.x += delta;
    let change = stretch(g, corners.w * delta);
    x += change;
    moved += change;

    f = edges_of(x) * transpose(element.inverse);
    let cof = cofactor(f);
    let c_h = dot(f[0], cof[0]) - 1.0 - element.mu / lambda;
    g = nodal(cof, element);
    let k_h = lambda * (params.h * params.h);
    delta = multiplier_change(k_h, c_h, g, corners.w, gamma, moved, multipliers.y);
    multipliers.y += delta;
    x += stretch(g, corners.w * delta);

    store_multiplier_pair(slot, multipliers);
    store_corners(corners, x);
}

// Δλ with stiffness `k = 1/α̃`: -(k C + λ + k γ ∇C·moved) / (k (1+γ) Σ w |∇C|² + 1).
fn multiplier_change(
    k: f32,
    c: f32,
    g: mat4x3<f32>,
    w: vec4<f32>,
    gamma: f32,
    moved: mat4x3<f32>,
    lambda: f32,
) -> f32 {
    var r = k * c + lambda;
    var stiffness = k;
    if DAMPED {
        r = k * (c + gamma * along(g, moved)) + lambda;
        stiffness = k * (gamma + 1.0);
    }
    return -r / (stiffness * weighted(w, g, g) + 1.0);
}
