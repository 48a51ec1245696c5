// Planes to stand on: a grid that fades into the backdrop, and shadows.

struct Point {
    @builtin(position) clip: vec4f,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) cell: vec2f,
}

@vertex
fn vertex(@location(0) position: vec3f, @location(1) normal: vec3f, @location(2) cell: vec2f) -> Point {
    return Point(frame.view_proj * vec4f(position, 1.0), position, normal, cell);
}

// Coverage of lines at whole numbers, one pixel wide.
fn lines(at: vec2f) -> f32 {
    let width = max(fwidth(at), vec2f(1e-6));
    let d = abs(fract(at - 0.5) - 0.5) / width;
    // Where lines would run together they turn into a tone, and then into nothing.
    let fade = 1.0 - smoothstep(0.15, 0.5, max(width.x, width.y));
    return (1.0 - min(min(d.x, d.y), 1.0)) * fade;
}

@fragment
fn fragment(in: Point) -> @location(0) vec4f {
    let fine = lines(in.cell);
    let coarse = lines(in.cell / 5.0);
    let strength = frame.grid.z * frame.ground.w * max(fine * 0.5, coarse);
    let albedo = frame.ground.rgb * (1.0 - strength);
    let distance = length(in.position - frame.centre.xyz) / frame.grid.y;
    let seen_from_above = dot(in.normal, frame.eye.xyz - in.position) > 0.0;
    var opacity = 1.0 - smoothstep(0.25, 1.0, distance);
    if !seen_from_above {
        opacity *= 0.15;
    }
    let colour = encode(shade(albedo, in.position, in.normal, in.clip.xy, 0.0));
    return vec4f(dithered(colour, in.clip.xy), opacity);
}
