// The rotation nearest to a matrix, for matrices of any rank and sign.
//
// Source: M. Müller, J. Bender, N. Chentanez, M. Macklin, "A robust method to extract the rotational part of
// deformations" (MIG 2016): a quaternion is turned by ω = Σ rᵢ×fᵢ / (|Σ rᵢ·fᵢ| + ε) until it rests. The turn is the
// normalised quaternion (1, ω/2), which has the same fixed points as the exponential and needs no trigonometry.

const ROTATION_ITERATIONS: u32 = 16;

// The rotation nearest to `f` (the identity for the zero matrix), up to a limited number of iterations.
fn nearest_rotation(f: mat3x3<f32>) -> mat3x3<f32> {
    let floor = max(sqrt(square(f)) * 1e-6, 1.1754944e-38);
    var q = vec3(0.0);
    var s = 1.0;
    for (var i = 0u; i < ROTATION_ITERATIONS; i++) {
        let r = rotation(s, q);
        let turn = cross(r[0], f[0]) + cross(r[1], f[1]) + cross(r[2], f[2]);
        let along = abs(dot(r[0], f[0]) + dot(r[1], f[1]) + dot(r[2], f[2])) + floor;
        let half = turn * (0.5 / along);
        // (1, half) * (s, q), normalised; a turn is at most a half circle however long `half` is.
        let t = s - dot(half, q);
        let v = q + half * s + cross(half, q);
        let per = 1.0 / sqrt(t * t + dot(v, v));
        s = t * per;
        q = v * per;
    }
    return rotation(s, q);
}

// The rotation of the unit quaternion `(s, q)`.
fn rotation(s: f32, q: vec3<f32>) -> mat3x3<f32> {
    let q2 = q * 2.0;
    let xx = q.x * q2.x;
    let yy = q.y * q2.y;
    let zz = q.z * q2.z;
    let xy = q.x * q2.y;
    let xz = q.x * q2.z;
    let yz = q.y * q2.z;
    let sq = s * q2;
    return mat3x3(
        vec3(1.0 - yy - zz, xy + sq.z, xz - sq.y),
        vec3(xy - sq.z, 1.0 - xx - zz, yz + sq.x),
        vec3(xz + sq.y, yz - sq.x, 1.0 - xx - yy),
    );
}
