// Dihedral angle between the triangles (x0, x1, x2) and (x1, x0, x3): C = θ - rest, 0 when flat.
//
//     e = x1 - x0    n1 = e×(x2 - x0)    n2 = (x3 - x0)×e    θ = atan2((n1×n2)·e/|e|, n1·n2)
//     u1 = n1/|n1|², u2 = n2/|n2|²    ∇2 = |e| u1,  ∇3 = |e| u2
//     ∇0 = ((x2-x1)·e u1 + (x3-x1)·e u2)/|e|,  ∇1 = -((x2-x0)·e u1 + (x3-x0)·e u2)/|e|
//
// up to one sign for all four. Nothing is divided by the sine of θ, so the gradients are well defined for flat and for
// folded pairs; a pair with a triangle without area has none and is left alone.
// Source: R. Bridson, S. Marino, R. Fedkiw, "Simulation of clothing with folds and wrinkles" (SCA 2003), section 4.

const PI: f32 = 3.14159265;

// `plan.rs` declares the same struct.
struct BendBlock {
    particles: array<array<u32, 16>, 4>,
    rest: array<f32, 16>,
    compliance: array<f32, 16>,
}

@group(1) @binding(0) var<storage, read> blocks: array<BendBlock>;

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

// Angle of the vector (x, y) in (-π, π], accurate to 3e-7 (the built-in function promises 4096 ulp); 0 at the origin.
// Source: Cephes `atanf` (S. Moshier): range reduction at tan(π/8) and a polynomial in the square.
fn angle_of(y: f32, x: f32) -> f32 {
    let ax = abs(x);
    let ay = abs(y);
    let steep = ax < ay;
    let t = min(ax, ay) / max(max(ax, ay), 1.1754944e-38);
    let reduce = t > 0.41421356;
    let u = select(t, (t - 1.0) / (t + 1.0), reduce);
    let z = u * u;
    let p = ((z * 8.0537445e-2 - 1.3877686e-1) * z + 1.9977711e-1) * z - 3.333295e-1;
    var a = p * z * u + u;
    a = select(a, a + PI * 0.25, reduce);
    a = select(a, PI * 0.5 - a, steep);
    a = select(a, PI - a, x < 0.0);
    return select(a, -a, y < 0.0);
}

struct Fold {
    // Angle minus rest angle, in (-π, π].
    c: f32,
    gradients: mat4x3<f32>,
}

fn fold(rest: f32, x: mat4x3<f32>) -> Fold {
    let e = x[1] - x[0];
    let a0 = x[2] - x[0];
    let b0 = x[3] - x[0];
    let a1 = x[2] - x[1];
    let b1 = x[3] - x[1];
    let n1 = cross(e, a0);
    let n2 = cross(b0, e);
    let q1 = dot(n1, n1);
    let q2 = dot(n2, n2);
    let length2 = dot(e, e);
    // Twice the area against the edges it is made of: below rounding it has no direction.
    let least = length2 * 1e-12;
    if !(q1 > max(dot(a0, a0) * least, 0.0) && q2 > max(dot(b0, b0) * least, 0.0)) {
        return Fold(0.0, mat4x3<f32>());
    }
    let length = sqrt(length2);
    let u1 = n1 * (1.0 / q1);
    let u2 = n2 * (1.0 / q2);
    let per_length = 1.0 / length;

    var c = angle_of(dot(cross(n1, n2), e) * per_length, dot(n1, n2)) - rest;
    if c > PI {
        c -= 2.0 * PI;
    }
    if c < -PI {
        c += 2.0 * PI;
    }
    let gradients = mat4x3(
        u1 * (-dot(a1, e) * per_length) + u2 * (-dot(b1, e) * per_length),
        u1 * (dot(a0, e) * per_length) + u2 * (dot(b0, e) * per_length),
        u1 * -length,
        u2 * -length,
    );
    return Fold(c, gradients);
}

fn solve(slot: u32) {
    let b = slot / LANES;
    let lane = slot % LANES;
    let corners = load_corners(particles_of(slot));
    let at = fold(blocks[b].rest[lane], corners.x);
    let compliance = blocks[b].compliance[lane] * (1.0 / (params.h * params.h));
    solve_one(slot, corners, at.c, at.gradients, 0.0, compliance, 0.0);
}

fn energy_of(slot: u32) -> f32 {
    let b = slot / LANES;
    let lane = slot % LANES;
    let at = fold(blocks[b].rest[lane], load_corners(particles_of(slot)).x);
    return constraint_energy(at.c, blocks[b].compliance[lane]);
}
