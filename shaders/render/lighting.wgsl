// Light: a key light with a soft shadow, a sky and what the floor returns, both dimmed by ambient occlusion.

@group(1) @binding(0) var shadow_map: texture_depth_2d;
@group(1) @binding(1) var shadow_sampler: sampler_comparison;
@group(1) @binding(2) var occlusion: texture_2d<f32>;
@group(1) @binding(3) var shadow_depth: texture_2d<f32>;   // the shadow map again: GLSL does not read single depths of a texture_depth_2d

// A turn by the golden angle. Sample `i` of `n` at √((i + 1/2) / n), each turned on from the last: evenly spread over a disc (Vogel's spiral).
const GOLDEN = mat2x2f(-0.73736888, 0.67549029, -0.67549029, -0.73736888);

// Part of the key light that reaches `p`. The penumbra widens with the distance to what throws the shadow
// (Fernando 2005, "Percentage-closer soft shadows").
fn lit(p: vec3f, normal: vec3f, pixel: vec2f) -> f32 {
    // An angle for each pixel, so that the few samples of neighbours do not make steps together.
    let turn = 6.2831853 * noise(pixel);
    let first = vec2f(cos(turn), sin(turn));
    let size = vec2f(textureDimensions(shadow_map));
    // Off the surface, so that it does not shade itself.
    let texel = frame.centre.w / size.x;
    let slope = 1.0 - max(dot(normal, frame.light.xyz), 0.0);
    let q = frame.light_proj * vec4f(p + normal * texel * (1.0 + 3.0 * slope), 1.0);
    let uv = q.xy * vec2f(0.5, -0.5) + 0.5;
    if any(uv < vec2f(0.0)) || any(uv > vec2f(1.0)) || q.z > 1.0 {
        return 1.0;
    }
    let n = frame.up.w;
    let widest = frame.light.w;
    var depth = 0.0;
    var blockers = 0.0;
    var direction = first;
    for (var i = 0.0; i < n; i += 2.0) {
        let at = clamp(uv + direction * sqrt((i + 0.5) / n) * widest * 0.5, vec2f(0.0), vec2f(1.0));
        direction = GOLDEN * (GOLDEN * direction);
        let d = textureLoad(shadow_depth, vec2i(min(at * size, size - 1.0)), 0).r;
        if d < q.z - 0.0005 {
            depth += d;
            blockers += 1.0;
        }
    }
    if blockers == 0.0 {
        return 1.0;
    }
    let gap = q.z - depth / blockers;
    let radius = clamp(gap * widest * 8.0, 1.5 / size.x, widest);
    var sum = 0.0;
    direction = first;
    for (var i = 0.0; i < n; i += 1.0) {
        let at = uv + direction * sqrt((i + 0.5) / n) * radius;
        sum += textureSampleCompareLevel(shadow_map, shadow_sampler, at, q.z - 0.0005);
        direction = GOLDEN * direction;
    }
    return sum / n;
}

fn openness(pixel: vec2f) -> f32 {
    if frame.viewport.w < 0.5 {
        return 1.0;
    }
    return textureLoad(occlusion, vec2i(pixel), 0).r;
}

// Bright light falls off towards white instead of being cut, so that bright bodies keep their shape.
fn shoulder(c: vec3f) -> vec3f {
    return select(c, 1.0 - 0.4 * exp((0.6 - c) / 0.4), c > vec3f(0.6));
}

// Colour of a surface under all lights.
fn shade(albedo: vec3f, p: vec3f, normal: vec3f, pixel: vec2f, gloss: f32) -> vec3f {
    let open = openness(pixel);
    let to_eye = normalize(frame.eye.xyz - p);
    let facing = dot(normal, frame.light.xyz);
    var key = 0.0;
    if facing > 0.0 {
        key = facing * lit(p, normal, pixel);
    }
    let height = 0.5 + 0.5 * dot(normal, frame.up.xyz);
    let ambient = mix(frame.bounce.rgb, frame.sky.rgb, height) * open;
    let middle = normalize(to_eye + frame.light.xyz);
    let highlight = gloss * key * pow(max(dot(normal, middle), 0.0), 40.0);
    let rim = gloss * 0.5 * pow(1.0 - max(dot(normal, to_eye), 0.0), 4.0) * open * height;
    return shoulder(albedo * (ambient + frame.key.rgb * key) + frame.key.rgb * highlight + frame.sky.rgb * rim);
}
