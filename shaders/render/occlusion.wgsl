// Ambient occlusion from the depth of the picture (McGuire et al. 2011, "The Alchemy screen-space ambient obscurance").

@group(1) @binding(0) var depth_map: texture_2d<f32>;   // of depths, which GLSL reads so alone
@group(1) @binding(1) var raw: texture_2d<f32>;

const SAMPLES: f32 = 14.0;
const GOLDEN: f32 = 2.3999632;

@vertex
fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

fn depth_at(pixel: vec2i) -> f32 {
    let last = vec2i(frame.viewport.xy) - 1;
    return textureLoad(depth_map, clamp(pixel, vec2i(0), last), 0).r;
}

fn place(pixel: vec2i) -> vec3f {
    let last = vec2i(frame.viewport.xy) - 1;
    let at = clamp(pixel, vec2i(0), last);
    let ndc = ((vec2f(at) + 0.5) / frame.viewport.xy * 2.0 - 1.0) * vec2f(1.0, -1.0);
    let p = frame.inverse_view_proj * vec4f(ndc, depth_at(at), 1.0);
    return p.xyz / p.w;
}

// The shorter of two differences: the one that does not cross a silhouette.
fn shorter(a: vec3f, b: vec3f) -> vec3f {
    return select(b, a, dot(a, a) < dot(b, b));
}

@fragment
fn gather(@builtin(position) clip: vec4f) -> @location(0) vec4f {
    let pixel = vec2i(clip.xy);
    if depth_at(pixel) >= 1.0 {
        return vec4f(1.0);
    }
    let p = place(pixel);
    let dx = shorter(place(pixel + vec2i(1, 0)) - p, p - place(pixel - vec2i(1, 0)));
    let dy = shorter(place(pixel + vec2i(0, 1)) - p, p - place(pixel - vec2i(0, 1)));
    let normal = normalize(cross(dy, dx));
    let reach = frame.eye.w;
    // Pixels that the reach spans here.
    let near = frame.view_proj * vec4f(p, 1.0);
    let radius = min(reach * frame.viewport.y * frame.grid.w / near.w, 0.25 * frame.viewport.y);
    let turn = noise(clip.xy) * 6.2831853;
    var sum = 0.0;
    for (var i = 0.0; i < SAMPLES; i += 1.0) {
        let r = (i + 0.5) / SAMPLES;
        let angle = i * GOLDEN + turn;
        let v = place(pixel + vec2i(r * radius * vec2f(cos(angle), sin(angle)))) - p;
        let d2 = dot(v, v);
        let inside = max(1.0 - d2 / (reach * reach), 0.0);
        sum += inside * max(dot(v, normal) - 0.02 * reach, 0.0) / (sqrt(d2) + 1e-3 * reach);
    }
    return vec4f(max(1.0 - 2.0 * sum / SAMPLES, 0.0));
}

// Mean of a few pixels about, those of a nearby depth alone.
@fragment
fn smoothed(@builtin(position) clip: vec4f) -> @location(0) vec4f {
    let pixel = vec2i(clip.xy);
    if depth_at(pixel) >= 1.0 {
        return vec4f(1.0);
    }
    let p = place(pixel);
    let last = vec2i(frame.viewport.xy) - 1;
    var sum = 0.0;
    var weight = 0.0;
    for (var y = -2; y <= 2; y += 1) {
        for (var x = -2; x <= 2; x += 1) {
            let at = clamp(pixel + vec2i(x, y), vec2i(0), last);
            let d = length(place(at) - p) / frame.eye.w;
            let w = exp(-16.0 * d * d);
            sum += w * textureLoad(raw, at, 0).r;
            weight += w;
        }
    }
    return vec4f(sum / weight);
}
