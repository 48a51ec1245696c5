// What all passes of a picture share. Colours are linear until `encode`; lengths are metres.

struct Frame {
    view_proj: mat4x4f,
    inverse_view_proj: mat4x4f,
    light_proj: mat4x4f,
    eye: vec4f,        // w: reach of ambient occlusion, metres
    light: vec4f,      // towards the light; w: widest penumbra, in widths of the shadow map
    up: vec4f,         // w: number of shadow samples
    clip: vec4f,       // what lies where dot(xyz, p) > w is cut away
    viewport: vec4f,   // width, height, pixels a point, 1 where ambient occlusion is on
    key: vec4f,        // light from the light; w: by how much cloth is drawn nearer to the eye, metres
    sky: vec4f,        // light from above
    bounce: vec4f,     // light from below
    backdrop_top: vec4f,
    backdrop_bottom: vec4f,
    ground: vec4f,     // colour of ground; w: 1 to draw a grid
    grid: vec4f,       // spacing, radius of the fade, strength of the lines; w: 1 / tan(half the field of view) / 2
    centre: vec4f,     // of the scene; w: width of the shadow map, metres
}

@group(0) @binding(0) var<uniform> frame: Frame;

fn encode(linear: vec3f) -> vec3f {
    let c = clamp(linear, vec3f(0.0), vec3f(1.0));
    return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, 12.92 * c, c <= vec3f(0.0031308));
}

fn decode(srgb: vec3f) -> vec3f {
    return select(pow((srgb + 0.055) / 1.055, vec3f(2.4)), srgb / 12.92, srgb <= vec3f(0.04045));
}

fn cut_away(p: vec3f) -> bool {
    return dot(frame.clip.xyz, p) > frame.clip.w;
}

// Interleaved gradient noise (Jimenez 2014): between 0 and 1, evenly spread over every few pixels.
fn noise(pixel: vec2f) -> f32 {
    return fract(52.9829189 * fract(dot(floor(pixel), vec2f(0.06711056, 0.00583715))));
}

// An sRGB colour, off by less than a step of eight bits, so that slow gradients do not fall into bands.
fn dithered(srgb: vec3f, pixel: vec2f) -> vec3f {
    return srgb + (noise(pixel) - 0.5) / 255.0;
}

// How far a point of cloth with this unit normal is drawn towards the eye; with the normal zero, at least as far as with any.
fn towards_eye(p: vec3f, normal: vec3f) -> vec3f {
    let to_eye = frame.eye.xyz - p;
    let distance = length(to_eye);
    let ray = to_eye / distance;
    let slant = max(abs(dot(ray, normal)), 0.25);
    return ray * min(frame.key.w / slant, 0.5 * distance);
}
