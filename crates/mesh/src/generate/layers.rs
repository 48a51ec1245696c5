//! Layers of prisms between copies of a triangulation, and the octahedra that graded layers leave.

use glam::DVec3;

use super::prism::split_prism;

/// A number for each vertex so that the corners of every triangle have three different ones: greedy, in the
/// order of the vertices. Six or seven suffice on a surface of six triangles a vertex.
pub(super) fn coloring(vertex_count: usize, triangles: &[[u32; 3]]) -> Vec<u8> {
    let (start, list) = crate::topology::incidence(vertex_count, triangles);
    let mut colors = vec![u8::MAX; vertex_count];
    for v in 0..vertex_count {
        let mut taken = 0u64;
        for &t in &list[start[v] as usize..start[v + 1] as usize] {
            for w in triangles[t as usize] {
                if colors[w as usize] < 64 {
                    taken |= 1 << colors[w as usize];
                }
            }
        }
        colors[v] = taken.trailing_ones() as u8;
    }
    colors
}

/// One layer: each triangle becomes a prism of three tetrahedra, from its copy `bottom` to its copy `top`.
///
/// The diagonals follow `colors` (see [`coloring`]), rising in every other layer (`turned`), so that a stack
/// of layers has no preferred twist. Triangles are counter-clockwise seen from the top.
pub(super) fn add_layer(
    tets: &mut Vec<[u32; 4]>,
    triangles: &[[u32; 3]],
    colors: &[u8],
    turned: bool,
    bottom: impl Fn(u32) -> u32,
    top: impl Fn(u32) -> u32,
) {
    for triangle in triangles {
        // An order of the three corners gives diagonals without a cycle.
        let diagonal = [0, 1, 2].map(|i| {
            let (a, b) = (triangle[i] as usize, triangle[(i + 1) % 3] as usize);
            (colors[a] < colors[b]) != turned
        });
        let cut = split_prism(triangle.map(&bottom), triangle.map(&top), diagonal);
        tets.extend(cut.expect("an order of corners has no cycle"));
    }
}

/// An octahedron, given as three pairs of opposite corners, as four tetrahedra round its shortest diagonal.
/// Their orientation is left open.
pub(super) fn split_octahedron(pairs: [[u32; 2]; 3], positions: &[DVec3]) -> [[u32; 4]; 4] {
    let length = |[a, b]: [u32; 2]| positions[a as usize].distance_squared(positions[b as usize]);
    let mut axis = 0;
    for i in 1..3 {
        // Only clearly shorter ones, so that rounding does not choose among equals.
        if length(pairs[i]) < length(pairs[axis]) * (1.0 - 1e-9) {
            axis = i;
        }
    }
    let ([a, b], y, z) = (pairs[axis], pairs[(axis + 1) % 3], pairs[(axis + 2) % 3]);
    let ring = [y[0], z[0], y[1], z[1]];
    [0, 1, 2, 3].map(|i| [a, b, ring[i], ring[(i + 1) % 4]])
}
