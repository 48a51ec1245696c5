// Neo-Hookean tetrahedron, split so that both constraints vanish at rest, solved as a 2×2 block.
//
// With F = D_s D_m⁻¹, J = det F, Lamé parameters μ and λ and rest volume V:
//
//     C_D = √(tr FᵀF + J² - 4J)    C_D ∇_F C_D = F + (J - 2) cof F =: P    α_D = 1/(μV)
//     C_H = J - 1                  ∇_F C_H = cof F                         α_H = 1/(λV)
//
// ½C_D²/α_D + ½C_H²/α_H is the energy of Macklin & Müller, "A constraint-based formulation of stable Neo-Hookean
// materials" (MIG 2021), with their λ' = λ + μ, up to a constant; its linearisation is Hooke's law with μ and λ. Their
// constraints do not vanish at rest and pull against each other there; these leave the rest pose alone.
//
// Near rest C_D² and P cancel. With E = (D_s - D_m) D_m⁻¹, the Green strain G = ½(E + Eᵀ + EᵀE),
// c₂(G) = ½(tr²G - |G|²), d = 2 tr G + 4 c₂ + 8 det G = J² - 1 and j = J - 1 = d/(2 + j):
//
//     C_D² = j² + 2 (j tr G - 4 c₂ - 8 det G)/(2 + j)  (= 2|G|² to leading order)    P = cof F (2G + j² I)/J
//
// vanish exactly where G does, so that a body at rest stays at rest and a rotated one is at rest to rounding.
//
// The 2×2 block, with k = (μVh², λVh²) in place of compliances, which may be infinite (ν = 0), and A_ij = Σ w ∇C_i·∇C_j:
// (I + k (1+γ) A) Δλ = -(k C + λ + k γ ∇C·(x - x_prev)), γ = damping time / h (Macklin et al. 2016, equation 26).
// Its determinant is at least 1.
//
// Collapse. The energy has a local minimum at F = 0; uniform scaling by less than t = μ/(2μ+λ) falls into it. There
// (|F| < 2t) the deviatoric constraint is C_D = |F - R|, α_D = 1/(2μV), R the rotation nearest to F.

fn solve(slot: u32) {
    var element = load_element(slot);
    let x0 = positions[element.particles.x];
    let x1 = positions[element.particles.y];
    let x2 = positions[element.particles.z];
    let x3 = positions[element.particles.w];
    var strain = strain_of(element, mat3x3(x1.xyz - x0.xyz, x2.xyz - x0.xyz, x3.xyz - x0.xyz));
    let t = element.mu * 2.0 / (element.mu * 2.0 + element.lambda);
    if square(strain.f) < t * t {
        strain.p = strain.f - nearest_rotation(strain.f);
        strain.c2 = square(strain.p);
        element.mu *= 2.0;
    }

    // A deviatoric gradient without direction gets no stiffness: only its multiplier is given up.
    let c_d = sqrt(strain.c2);
    var per_c = 0.0;
    var k_d = 0.0;
    if strain.c2 > 1e-30 {
        per_c = 1.0 / c_d;
        k_d = element.mu * (params.h * params.h);
    }
    let k_h = element.lambda * (params.h * params.h);

    let d = nodal(strain.p * per_c, element);
    let h = nodal(strain.cof, element);
    let d0 = -(d[0] + d[1] + d[2]);
    let h0 = -(h[0] + h[1] + h[2]);
    var a_dd = x0.w * dot(d0, d0) + x1.w * dot(d[0], d[0]) + x2.w * dot(d[1], d[1]) + x3.w * dot(d[2], d[2]);
    var a_dh = x0.w * dot(d0, h0) + x1.w * dot(d[0], h[0]) + x2.w * dot(d[1], h[1]) + x3.w * dot(d[2], h[2]);
    var a_hh = x0.w * dot(h0, h0) + x1.w * dot(h[0], h[0]) + x2.w * dot(h[1], h[1]) + x3.w * dot(h[2], h[2]);
    let lambda = multiplier_pair(slot);
    var r_d = k_d * c_d + lambda.x;
    var r_h = k_h * strain.j + lambda.y;
    if DAMPED {
        let gamma = element.damping / params.h;
        let m0 = x0.xyz - previous[element.particles.x].xyz;
        let m1 = x1.xyz - previous[element.particles.y].xyz;
        let m2 = x2.xyz - previous[element.particles.z].xyz;
        let m3 = x3.xyz - previous[element.particles.w].xyz;
        r_d += k_d * gamma * (dot(d0, m0) + dot(d[0], m1) + dot(d[1], m2) + dot(d[2], m3));
        r_h += k_h * gamma * (dot(h0, m0) + dot(h[0], m1) + dot(h[1], m2) + dot(h[2], m3));
        a_dd *= gamma + 1.0;
        a_dh *= gamma + 1.0;
        a_hh *= gamma + 1.0;
    }
    let m_dd = k_d * a_dd;
    let m_dh = k_d * a_dh;
    let m_hd = k_h * a_dh;
    let m_hh = k_h * a_hh;
    let det = max(m_dd * m_hh - m_dh * m_hd, 0.0) + m_dd + m_hh + 1.0;
    let per_det = -1.0 / det;
    let delta_d = ((m_hh + 1.0) * r_d - m_dh * r_h) * per_det;
    let delta_h = ((m_dd + 1.0) * r_h - m_hd * r_d) * per_det;

    store_multiplier_pair(slot, lambda + vec2(delta_d, delta_h));
    place(element.particles.x, x0, x0.xyz + d0 * (x0.w * delta_d) + h0 * (x0.w * delta_h));
    place(element.particles.y, x1, x1.xyz + d[0] * (x1.w * delta_d) + h[0] * (x1.w * delta_h));
    place(element.particles.z, x2, x2.xyz + d[1] * (x2.w * delta_d) + h[1] * (x2.w * delta_h));
    place(element.particles.w, x3, x3.xyz + d[2] * (x3.w * delta_d) + h[2] * (x3.w * delta_h));
}
