// Dots of a radius in pixels with a pale rim, and what is hidden of them faintly.

struct Mark {
    @location(0) position: vec3f,
    @location(1) colour: vec4f,
    @location(2) radius: f32,
    @location(3) cloth: f32,   // 1 on cloth, which is drawn nearer to the eye
}

struct Point {
    @builtin(position) clip: vec4f,
    @location(0) colour: vec4f,
    @location(1) at: vec2f,
    @location(2) position: vec3f,
    @location(3) radius: f32,
}

override HIDDEN: f32 = 1.0;

@vertex
fn vertex(@builtin(vertex_index) i: u32, mark: Mark) -> Point {
    let corner = vec2f(f32(i & 1u), f32(i >> 1u)) * 2.0 - 1.0;
    let to_eye = frame.eye.xyz - mark.position;
    let on_cloth = towards_eye(mark.position, vec3f(0.0)) * mark.cloth;
    let centre = frame.view_proj * vec4f(mark.position + to_eye * 0.003 + on_cloth, 1.0);
    let radius = mark.radius * frame.viewport.z;
    let at = corner * (radius + 1.0);
    let clip = vec4f(centre.xy + at / (frame.viewport.xy * 0.5) * centre.w, centre.zw);
    return Point(clip, mark.colour, at, mark.position, radius);
}

@fragment
fn fragment(in: Point) -> @location(0) vec4f {
    let r = length(in.at);
    let cover = clamp(in.radius + 0.5 - r, 0.0, 1.0);
    if cover <= 0.0 || cut_away(in.position) {
        discard;
    }
    // Only what is seen has a rim.
    let rim = smoothstep(0.62 * in.radius, 0.82 * in.radius, r) * f32(HIDDEN == 1.0);
    return vec4f(mix(in.colour.rgb, vec3f(1.0), rim * 0.8), in.colour.a * cover * HIDDEN);
}
