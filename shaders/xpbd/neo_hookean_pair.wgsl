// Neo-Hookean tetrahedron as two constraints, one after the other.
//
//     C_D = √(tr FᵀF)          ∇_F C_D = F / C_D     α_D = 1/(μV)
//     C_H = det F - (1 + μ/λ') ∇_F C_H = cof F       α_H = 1/(λ'V)      λ' = λ + μ
//
// Source: M. Macklin, M. Müller, "A constraint-based formulation of stable Neo-Hookean materials" (MIG 2021). With
// their λ equal to λ' above, the linearisation is Hooke's law with the Lamé parameters μ and λ.

// Particles of an element, displaced or not: x_i, and the inverse masses.
struct Corners {
    x0: vec3<f32>,
    x1: vec3<f32>,
    x2: vec3<f32>,
    x3: vec3<f32>,
    w: vec4<f32>,
}

// x - x_prev of the same particles.
var<private> moved: array<vec3<f32>, 4>;

fn deformation(x: Corners, element: Element) -> mat3x3<f32> {
    return mat3x3(x.x1 - x.x0, x.x2 - x.x0, x.x3 - x.x0) * transpose(element.inverse);
}

// Solves one constraint of stiffness `k` (its inverse compliance times h²), with gradients `g` at particles 1 to 3.
fn solve_one(
    k: f32,
    c: f32,
    g: mat3x3<f32>,
    gamma: f32,
    x: ptr<function, Corners>,
    before: Corners,
    multiplier: ptr<function, f32>,
) {
    let g0 = -(g[0] + g[1] + g[2]);
    let w = (*x).w;
    var a = w.x * dot(g0, g0) + w.y * dot(g[0], g[0]) + w.z * dot(g[1], g[1]) + w.w * dot(g[2], g[2]);
    var r = k * c + *multiplier;
    if DAMPED {
        let along0 = dot(g0, moved[0] + ((*x).x0 - before.x0));
        let along1 = dot(g[0], moved[1] + ((*x).x1 - before.x1));
        let along2 = dot(g[1], moved[2] + ((*x).x2 - before.x2));
        let along3 = dot(g[2], moved[3] + ((*x).x3 - before.x3));
        r += k * gamma * (along0 + along1 + along2 + along3);
        a *= gamma + 1.0;
    }
    let delta = -r / (k * a + 1.0);
    *multiplier += delta;
    (*x).x0 += g0 * (w.x * delta);
    (*x).x1 += g[0] * (w.y * delta);
    (*x).x2 += g[1] * (w.z * delta);
    (*x).x3 += g[2] * (w.w * delta);
}

fn solve(slot: u32) {
    let element = load_element(slot);
    let p0 = positions[element.particles.x];
    let p1 = positions[element.particles.y];
    let p2 = positions[element.particles.z];
    let p3 = positions[element.particles.w];
    let before = Corners(p0.xyz, p1.xyz, p2.xyz, p3.xyz, vec4(p0.w, p1.w, p2.w, p3.w));
    var x = before;
    let lambda = element.lambda + element.mu;
    var gamma = 0.0;
    if DAMPED {
        gamma = element.damping / params.h;
        moved[0] = x.x0 - previous[element.particles.x].xyz;
        moved[1] = x.x1 - previous[element.particles.y].xyz;
        moved[2] = x.x2 - previous[element.particles.z].xyz;
        moved[3] = x.x3 - previous[element.particles.w].xyz;
    }
    var multipliers = multiplier_pair(slot);
    var multiplier = multipliers.x;

    var f = deformation(x, element);
    let c2 = square(f);
    let c_d = sqrt(c2);
    var per_c = 0.0;
    var k_d = 0.0;
    if c2 > 1e-30 {
        per_c = 1.0 / c_d;
        k_d = element.mu * (params.h * params.h);
    }
    solve_one(k_d, c_d, nodal(f * per_c, element), gamma, &x, before, &multiplier);
    multipliers.x = multiplier;

    multiplier = multipliers.y;
    f = deformation(x, element);
    let cof = cofactors(f);
    let c_h = dot(f[0], cof[0]) - 1.0 - element.mu / lambda;
    solve_one(lambda * (params.h * params.h), c_h, nodal(cof, element), gamma, &x, before, &multiplier);
    multipliers.y = multiplier;

    store_multiplier_pair(slot, multipliers);
    place(element.particles.x, p0, x.x0);
    place(element.particles.y, p1, x.x1);
    place(element.particles.z, p2, x.x2);
    place(element.particles.w, p3, x.x3);
}
