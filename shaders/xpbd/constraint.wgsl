// The entry points of every constraint kernel. It is put behind the kernel's own file, which declares
// `blocks`, `solve(slot)` and `energy_of(slot)`; a slot counts from the start of the bound slice.

// Constraints that a dispatch works on; `gpu/spans.rs` declares the same struct.
struct Span {
    first: u32,
    len: u32,
    // Threads in a row of the grid; in `walk` zero where the constraints come one after the other.
    row: u32,
    // Where the partial energies of the dispatch start.
    partial: u32,
}

@group(1) @binding(1) var<storage, read_write> lambdas: array<f32>;
@group(1) @binding(2) var<storage, read> spans: array<Span>;
@group(1) @binding(3) var<storage, read_write> partials: array<f32>;

// The multiplier of a constraint that has one; each substep starts it at zero.
fn multiplier(slot: u32) -> f32 {
    if params.first == 1u {
        return 0.0;
    }
    return lambdas[slot];
}

fn store_multiplier(slot: u32, lambda: f32) {
    lambdas[slot] = lambda;
}

// The multipliers of a constraint that has two: lanes of the first, then lanes of the second, block by block.
fn multiplier_pair(slot: u32) -> vec2<f32> {
    if params.first == 1u {
        return vec2(0.0);
    }
    let i = slot + slot / LANES * LANES;
    return vec2(lambdas[i], lambdas[i + LANES]);
}

fn store_multiplier_pair(slot: u32, lambda: vec2<f32>) {
    let i = slot + slot / LANES * LANES;
    lambdas[i] = lambda.x;
    lambdas[i + LANES] = lambda.y;
}

// a / b; nothing where b is not positive.
fn quotient(a: f32, b: f32) -> f32 {
    if b > 0.0 {
        return a / b;
    }
    return 0.0;
}

// Puts particle `p`, of inverse mass `w`, to `x`. Particles of infinite mass are never written: constraints of one
// colour may share them.
fn place(p: u32, w: f32, x: vec3<f32>) {
    if w > 0.0 {
        positions[p] = vec4(x, w);
    }
}

// ½ C²/α, joule; a rigid constraint stores none.
fn constraint_energy(c: f32, compliance: f32) -> f32 {
    return quotient(c * c * 0.5, compliance);
}

// One colour: no two of its constraints share a movable particle.
@compute @workgroup_size(WG)
fn project(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x + id.y * spans[0].row;
    if i < spans[0].len {
        solve(spans[0].first + i);
    }
}

// One workgroup: short colours, with a barrier behind each, and ranges whose constraints come one after the other.
@compute @workgroup_size(WG)
fn walk(@builtin(local_invocation_index) local: u32) {
    for (var s = 0u; s < arrayLength(&spans); s++) {
        let first = spans[s].first;
        let len = spans[s].len;
        if spans[s].row > 0u {
            for (var i = local; i < len; i += WG) {
                solve(first + i);
            }
        } else if local == 0u {
            for (var i = 0u; i < len; i++) {
                solve(first + i);
            }
        }
        storageBarrier();
    }
}

var<workgroup> sums: array<f32, WG>;

// Elastic energy, joule: each workgroup writes the sum over its constraints, always added in the same order.
@compute @workgroup_size(WG)
fn energy(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = id.x + id.y * spans[0].row;
    var sum = 0.0;
    if i < spans[0].len {
        sum = energy_of(spans[0].first + i);
    }
    sums[local] = sum;
    workgroupBarrier();
    for (var half = WG / 2u; half > 0u; half /= 2u) {
        if local < half {
            sums[local] += sums[local + half];
        }
        workgroupBarrier();
    }
    if local == 0u {
        partials[spans[0].partial + group.x + group.y * (spans[0].row / WG)] = sums[0];
    }
}
