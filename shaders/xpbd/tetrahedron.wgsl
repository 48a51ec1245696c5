// Neo-Hookean tetrahedra: their data, their strain and their energy. Put in front of each of the two
// kernels over them; the equations are in `neo_hookean.wgsl`.

// `plan.rs` declares the same struct.
struct TetBlock {
    particles: array<array<u32, 16>, 4>,
    // X1-X0, X2-X0, X3-X0: the columns of D_m.
    rest_edges: array<array<f32, 16>, 9>,
    // D_m⁻¹, row by row.
    rest_inverse: array<array<f32, 16>, 9>,
    mu_volume: array<f32, 16>,
    lambda_volume: array<f32, 16>,
    damping: array<f32, 16>,
}

@group(1) @binding(0) var<storage, read> blocks: array<TetBlock>;

struct Element {
    // D_m.
    edges: mat3x3<f32>,
    // The transpose of D_m⁻¹: column k is the rest gradient of the barycentric coordinate of particle k+1.
    inverse: mat3x3<f32>,
    // μV.
    mu: f32,
    // λV.
    lambda: f32,
    damping: f32,
}

fn particles_of(slot: u32) -> vec4<u32> {
    let b = slot / LANES;
    let lane = slot % LANES;
    return vec4(
        blocks[b].particles[0][lane],
        blocks[b].particles[1][lane],
        blocks[b].particles[2][lane],
        blocks[b].particles[3][lane],
    );
}

fn rest_edge(b: u32, k: u32, lane: u32) -> vec3<f32> {
    return vec3(
        blocks[b].rest_edges[k][lane],
        blocks[b].rest_edges[k + 1u][lane],
        blocks[b].rest_edges[k + 2u][lane],
    );
}

fn rest_row(b: u32, k: u32, lane: u32) -> vec3<f32> {
    return vec3(
        blocks[b].rest_inverse[k][lane],
        blocks[b].rest_inverse[k + 1u][lane],
        blocks[b].rest_inverse[k + 2u][lane],
    );
}

fn load_element(slot: u32) -> Element {
    let b = slot / LANES;
    let lane = slot % LANES;
    return Element(
        mat3x3(rest_edge(b, 0u, lane), rest_edge(b, 3u, lane), rest_edge(b, 6u, lane)),
        mat3x3(rest_row(b, 0u, lane), rest_row(b, 3u, lane), rest_row(b, 6u, lane)),
        blocks[b].mu_volume[lane],
        blocks[b].lambda_volume[lane],
        blocks[b].damping[lane],
    );
}

// What the constraints need to know of F.
struct Strain {
    f: mat3x3<f32>,
    // cof F.
    cof: mat3x3<f32>,
    // C_D ∇_F C_D.
    p: mat3x3<f32>,
    // C_D².
    c2: f32,
    // J - 1.
    j: f32,
}

// |M|².
fn square(m: mat3x3<f32>) -> f32 {
    return dot(m[0], m[0]) + dot(m[1], m[1]) + dot(m[2], m[2]);
}

fn cofactor(f: mat3x3<f32>) -> mat3x3<f32> {
    return mat3x3(cross(f[1], f[2]), cross(f[2], f[0]), cross(f[0], f[1]));
}

// The strain of an element with the edges `d`.
fn strain_of(element: Element, d: mat3x3<f32>) -> Strain {
    let u = d - element.edges;
    let e = u * transpose(element.inverse);
    var f = e;
    f[0].x += 1.0;
    f[1].y += 1.0;
    f[2].z += 1.0;
    let cof = cofactor(f);
    let det = dot(f[0], cof[0]);

    let g00 = e[0].x + dot(e[0], e[0]) * 0.5;
    let g11 = e[1].y + dot(e[1], e[1]) * 0.5;
    let g22 = e[2].z + dot(e[2], e[2]) * 0.5;
    let g01 = (e[1].x + e[0].y + dot(e[0], e[1])) * 0.5;
    let g02 = (e[2].x + e[0].z + dot(e[0], e[2])) * 0.5;
    let g12 = (e[2].y + e[1].z + dot(e[1], e[2])) * 0.5;
    let trace = g00 + g11 + g22;
    if !(det > 0.5 && trace < 4.5) {
        let p = f + cof * (det - 2.0);
        return Strain(f, cof, p, max(square(f) + (det - 4.0) * det, 0.0), det - 1.0);
    }

    let m0 = g11 * g22 - g12 * g12;
    let m1 = g02 * g12 - g01 * g22;
    let m2 = g01 * g12 - g02 * g11;
    let minors = m0 + (g00 * g22 - g02 * g02) + (g00 * g11 - g01 * g01);
    let higher = minors * 4.0 + (g00 * m0 + g01 * m1 + g02 * m2) * 8.0;
    let grown = trace * 2.0 + higher;
    let j = grown / (sqrt(max(grown + 1.0, 0.0)) + 1.0);

    let jj = j * j;
    let s01 = g01 * 2.0;
    let s02 = g02 * 2.0;
    let s12 = g12 * 2.0;
    let s = mat3x3(
        vec3(g00 * 2.0 + jj, s01, s02),
        vec3(s01, g11 * 2.0 + jj, s12),
        vec3(s02, s12, g22 * 2.0 + jj),
    );
    let c2 = max(jj + (j * trace - higher) * 2.0 / (j + 2.0), 0.0);
    return Strain(f, cof, (cof * s) * (1.0 / det), c2, j);
}

// Energy, joule, of either pair of constraints; at rest it is 0.
fn energy_of(slot: u32) -> f32 {
    let element = load_element(slot);
    let strain = strain_of(element, edges_of(load_corners(particles_of(slot)).x));
    return (element.mu * strain.c2 + element.lambda * strain.j * strain.j) * 0.5;
}

// Gradients at the four particles of a function of F whose gradient is `p`.
fn nodal(p: mat3x3<f32>, element: Element) -> mat4x3<f32> {
    let g = p * element.inverse;
    return mat4x3(-(g[0] + g[1] + g[2]), g[0], g[1], g[2]);
}
