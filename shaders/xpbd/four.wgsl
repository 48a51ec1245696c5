// Constraints over four particles. Positions, gradients and displacements of the four are the columns of one matrix.

struct Corners {
    particles: vec4<u32>,
    x: mat4x3<f32>,
    // Inverse masses.
    w: vec4<f32>,
}

fn load_corners(particles: vec4<u32>) -> Corners {
    let x0 = positions[particles.x];
    let x1 = positions[particles.y];
    let x2 = positions[particles.z];
    let x3 = positions[particles.w];
    return Corners(particles, mat4x3(x0.xyz, x1.xyz, x2.xyz, x3.xyz), vec4(x0.w, x1.w, x2.w, x3.w));
}

// x - x_prev.
fn displacement(corners: Corners) -> mat4x3<f32> {
    let p = corners.particles;
    return corners.x - mat4x3(previous[p.x].xyz, previous[p.y].xyz, previous[p.z].xyz, previous[p.w].xyz);
}

// Puts the particles to `x`.
fn store_corners(corners: Corners, x: mat4x3<f32>) {
    place(corners.particles.x, corners.w.x, x[0]);
    place(corners.particles.y, corners.w.y, x[1]);
    place(corners.particles.z, corners.w.z, x[2]);
    place(corners.particles.w, corners.w.w, x[3]);
}

// Edges from particle 0 to the others.
fn edges_of(x: mat4x3<f32>) -> mat3x3<f32> {
    return mat3x3(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
}

// Σ a·b.
fn along(a: mat4x3<f32>, b: mat4x3<f32>) -> f32 {
    return dot(a[0], b[0]) + dot(a[1], b[1]) + dot(a[2], b[2]) + dot(a[3], b[3]);
}

// Σ w a·b.
fn weighted(w: vec4<f32>, a: mat4x3<f32>, b: mat4x3<f32>) -> f32 {
    return w.x * dot(a[0], b[0]) + w.y * dot(a[1], b[1]) + w.z * dot(a[2], b[2]) + w.w * dot(a[3], b[3]);
}

// Displacements along gradients, each by its own length.
fn stretch(g: mat4x3<f32>, by: vec4<f32>) -> mat4x3<f32> {
    return mat4x3(g[0] * by.x, g[1] * by.y, g[2] * by.z, g[3] * by.w);
}

// One constraint with one multiplier, in compliance form (XPBD, equations 18 and 26):
// Δλ = -(C + α̃ λ + γ ∇C·moved) / ((1+γ) Σ w |∇C|² + α̃); nothing where the denominator is zero. The sum is taken to
// be at least `least`.
fn solve_one(
    slot: u32,
    corners: Corners,
    c: f32,
    gradients: mat4x3<f32>,
    least: f32,
    compliance: f32,
    gamma: f32,
) {
    let lambda = multiplier(slot);
    var a = max(weighted(corners.w, gradients, gradients), least);
    var r = c + compliance * lambda;
    if DAMPED {
        r += gamma * along(gradients, displacement(corners));
        a *= gamma + 1.0;
    }
    let delta = quotient(-r, a + compliance);
    store_multiplier(slot, lambda + delta);
    store_corners(corners, corners.x + stretch(gradients, corners.w * delta));
}
