// Depth alone: of the light for shadows, of the eye for ambient occlusion.

struct Point {
    @builtin(position) clip: vec4f,
    @location(0) position: vec3f,
}

@vertex
fn from_light(@location(0) position: vec3f) -> Point {
    return Point(frame.light_proj * vec4f(position, 1.0), position);
}

@vertex
fn from_eye(@location(0) position: vec3f) -> Point {
    return Point(frame.view_proj * vec4f(position, 1.0), position);
}

@vertex
fn sheet_from_eye(@location(0) position: vec3f, @location(1) normal: vec3f) -> Point {
    return Point(frame.view_proj * vec4f(position + towards_eye(position, normalize(normal)), 1.0), position);
}

@fragment
fn fragment(in: Point) {
    if cut_away(in.position) {
        discard;
    }
}

// Of what is never cut: ground, and the cuts themselves.
@fragment
fn whole(in: Point) {}
