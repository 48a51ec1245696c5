// Surfaces of bodies and colliders, and the cuts through bodies.

struct Vertex {
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) colour: vec4f,   // sRGB; a: opacity
}

struct Point {
    @builtin(position) clip: vec4f,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) colour: vec4f,
}

fn placed(v: Vertex) -> Point {
    return Point(frame.view_proj * vec4f(v.position, 1.0), v.position, v.normal, v.colour);
}

@vertex
fn vertex(v: Vertex) -> Point {
    return placed(v);
}

// Cloth collides by its vertices; between them a triangle dips into a round collider. It is drawn nearer by about as much, as
// far as depth goes: its outline stays, and what dips deeper is seen to.
@vertex
fn sheet(v: Vertex) -> Point {
    var out = placed(v);
    let lifted = frame.view_proj * vec4f(v.position + towards_eye(v.position, normalize(v.normal)), 1.0);
    out.clip.z = lifted.z / lifted.w * out.clip.w;
    return out;
}

fn seen(in: Point, front: bool) -> vec4f {
    let n = normalize(in.normal);
    let normal = select(-n, n, front);
    // The inside of a surface is seen only through a cut that does not close, and in what is turned inside out.
    let albedo = decode(in.colour.rgb) * select(0.35, 1.0, front);
    return vec4f(encode(shade(albedo, in.position, normal, in.clip.xy, 0.12)), in.colour.a);
}

@fragment
fn fragment(in: Point, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    if cut_away(in.position) {
        discard;
    }
    return seen(in, front);
}

// Cloth: both sides are outside; the back is a little darker.
@fragment
fn two_sided(in: Point, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    if cut_away(in.position) {
        discard;
    }
    let n = normalize(in.normal);
    let normal = select(-n, n, front);
    let albedo = decode(in.colour.rgb) * select(0.7, 1.0, front);
    // What is drawn above a collider is not in its shadow.
    let place = in.position + normal * frame.key.w;
    return vec4f(encode(shade(albedo, place, normal, in.clip.xy, 0.03)), in.colour.a);
}

// Of what a clip plane does not cut.
@fragment
fn whole(in: Point, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    return seen(in, front);
}

// A cut: as bright from every side, so that it reads like a drawing.
@fragment
fn section(in: Point) -> @location(0) vec4f {
    let light = mix(0.55, 0.95, openness(in.clip.xy));
    return vec4f(encode(decode(in.colour.rgb) * light), in.colour.a);
}
