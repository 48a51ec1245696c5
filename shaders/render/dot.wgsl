// Dots of a radius in pixels with a pale rim, and what is hidden of them faintly. The rims of all dots are drawn before their cores:
// they set dots off from what is behind them, and not from each other, so that many together keep their colour.

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
// Radius of what is drawn, in radii of the dot.
override PART: f32 = 1.0;
override RIM: bool = false;

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
    let cover = clamp(in.radius * PART + 0.5 - r, 0.0, 1.0);
    if cover <= 0.0 || cut_away(in.position) {
        discard;
    }
    if RIM {
        return vec4f(1.0, 1.0, 1.0, 0.8 * in.colour.a * cover);
    }
    return vec4f(in.colour.rgb, in.colour.a * cover * HIDDEN);
}
