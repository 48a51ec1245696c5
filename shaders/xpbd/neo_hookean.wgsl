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
// It is solved by elimination; both pivots are at least 1, since A is positive semidefinite.
//
// Beyond any material. The energy has a local minimum at F = 0; uniform scaling by less than t = μ/(2μ+λ) falls
// into it. And J² grows as |F|⁶, too steep for Gauss-Seidel. Where |F| < 2t or |F| > 30, the deviatoric constraint is
// therefore C_D = |F - R|, α_D = 1/(2μV), R the rotation nearest to F; where |F| > 30 there is no hydrostatic one, and what it has
// pushed in this substep is forgotten.

fn solve(slot: u32) {
    let corners = load_corners(particles_of(slot));
    var element = load_element(slot);
    var strain = strain_of(element, edges_of(corners.x));
    let size2 = square(strain.f);
    let t = element.mu * 2.0 / (element.mu * 2.0 + element.lambda);
    if size2 < t * t || size2 > 900.0 {
        strain.p = strain.f - nearest_rotation(strain.f);
        strain.c2 = square(strain.p);
        element.mu *= 2.0;
        if size2 > 900.0 {
            element.lambda = 0.0;
            // Its multiplier is given up where it is: along gradients that have grown as |F|² it would throw the element apart.
            strain.cof = mat3x3f();
        }
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
    var a_dd = weighted(corners.w, d, d);
    var a_dh = weighted(corners.w, d, h);
    var a_hh = weighted(corners.w, h, h);
    let lambda = multiplier_pair(slot);
    var r_d = k_d * c_d + lambda.x;
    var r_h = k_h * strain.j + lambda.y;
    if DAMPED {
        let gamma = element.damping * (1.0 / params.h);
        let moved = displacement(corners);
        r_d += k_d * gamma * along(d, moved);
        r_h += k_h * gamma * along(h, moved);
        a_dd *= gamma + 1.0;
        a_dh *= gamma + 1.0;
        a_hh *= gamma + 1.0;
    }
    let m_dd = k_d * a_dd;
    let m_dh = k_d * a_dh;
    let m_hd = k_h * a_dh;
    let m_hh = k_h * a_hh;
    let per_h = 1.0 / (m_hh + 1.0);
    let schur = max(m_dd - m_dh * (m_hd * per_h), 0.0) + 1.0;
    let delta_d = (m_dh * (r_h * per_h) - r_d) / schur;
    let delta_h = -(r_h + m_hd * delta_d) * per_h;

    store_multiplier_pair(slot, lambda + vec2(delta_d, delta_h));
    store_corners(corners, corners.x + stretch(d, corners.w * delta_d) + stretch(h, corners.w * delta_h));
}
