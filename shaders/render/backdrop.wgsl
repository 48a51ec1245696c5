// What is behind everything.

struct Point {
    @builtin(position) clip: vec4f,
    @location(0) height: f32,
}

@vertex
fn vertex(@builtin(vertex_index) i: u32) -> Point {
    let p = vec2f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0);
    return Point(vec4f(p, 1.0, 1.0), p.y * 0.5 + 0.5);
}

@fragment
fn fragment(in: Point) -> @location(0) vec4f {
    let colour = mix(frame.backdrop_bottom.rgb, frame.backdrop_top.rgb, in.height);
    return vec4f(dithered(colour, in.clip.xy), 1.0);
}
