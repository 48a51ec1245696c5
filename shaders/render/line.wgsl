// Lines of a width in pixels, and what is hidden of them faintly.

struct Line {
    @location(0) start: vec3f,
    @location(1) start_colour: vec4f,
    @location(2) end: vec3f,
    @location(3) end_colour: vec4f,
    @location(4) width: f32,
    @location(5) start_cloth: vec4f,   // normal of the cloth that it lies on; w: 1 on cloth
    @location(6) end_cloth: vec4f,
}

struct Point {
    @builtin(position) clip: vec4f,
    @location(0) colour: vec4f,
    @location(1) across: f32,
    @location(2) position: vec3f,
    @location(3) half_width: f32,
}

override HIDDEN: f32 = 1.0;

// Nearer by a little, so that a line on a surface is not lost in it; cloth itself is drawn nearer. A tenth more than cloth: its
// normals are rounded.
fn lifted(p: vec3f, cloth: vec4f) -> vec4f {
    let to_eye = frame.eye.xyz - p;
    let on_cloth = towards_eye(p, cloth.xyz) * cloth.w * 1.1;
    return frame.view_proj * vec4f(p + to_eye * 0.0015 + on_cloth, 1.0);
}

@vertex
fn vertex(@builtin(vertex_index) i: u32, line: Line) -> Point {
    var ends = array(lifted(line.start, line.start_cloth), lifted(line.end, line.end_cloth));
    // An end behind the eye moves to just in front of it.
    for (var k = 0; k < 2; k += 1) {
        let other = ends[1 - k];
        if ends[k].w < 1e-6 && other.w > 1e-6 {
            let t = (1e-6 - ends[k].w) / (other.w - ends[k].w);
            ends[k] = mix(ends[k], other, t);
        }
    }
    let at_end = i >= 2u;
    let side = select(-1.0, 1.0, (i & 1u) == 1u);
    let pixels = frame.viewport.xy * 0.5;
    let a = ends[0].xy / ends[0].w * pixels;
    let b = ends[1].xy / ends[1].w * pixels;
    let along = select(vec2f(1.0, 0.0), normalize(b - a), distance(a, b) > 1e-6);
    // One pixel more on each side for its soft rim.
    let half_width = 0.5 * line.width * frame.viewport.z;
    let offset = vec2f(-along.y, along.x) * side * (half_width + 1.0) / pixels;
    let corner = ends[select(0, 1, at_end)];
    let clip = vec4f(corner.xy + offset * corner.w, corner.zw);
    let position = select(line.start, line.end, at_end);
    return Point(clip, select(line.start_colour, line.end_colour, at_end), side * (half_width + 1.0), position, half_width);
}

@fragment
fn fragment(in: Point) -> @location(0) vec4f {
    if cut_away(in.position) {
        discard;
    }
    let cover = clamp(in.half_width + 0.5 - abs(in.across), 0.0, 1.0) * min(2.0 * in.half_width, 1.0);
    return vec4f(in.colour.rgb, in.colour.a * cover * HIDDEN);
}
