//! A triangular prism cut into three tetrahedra along given diagonals.

/// Cuts the prism with triangles `p` (bottom) and `q` (top, `q[i]` above `p[i]`) into three positive
/// tetrahedra.
///
/// `diagonal[i]` says for the quad over the edge from `i` to `i + 1` whether its diagonal starts at the
/// bottom of `i` (true) or of `i + 1` (false). The prism is positive when `p`, seen from `q`, runs
/// counter-clockwise. `None` when the diagonals run in a cycle, which no three tetrahedra fill (Schönhardt).
pub(super) fn split_prism(p: [u32; 3], q: [u32; 3], diagonal: [bool; 3]) -> Option<[[u32; 4]; 3]> {
    // Without a cycle one bottom vertex carries the diagonals of both of its quads.
    let i = (0..3).find(|&i| diagonal[i] && !diagonal[(i + 2) % 3])?;
    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
    let top = [p[i], q[i], q[j], q[k]];
    Some(if diagonal[j] {
        [top, [p[i], p[j], p[k], q[k]], [p[i], p[j], q[k], q[j]]]
    } else {
        [top, [p[i], p[j], p[k], q[j]], [p[i], p[k], q[k], q[j]]]
    })
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::{TetMesh, TetTopology};

    #[test]
    fn every_choice_of_diagonals_fills_the_prism_or_is_a_cycle() {
        let positions = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)]
            .map(|(x, y, z)| DVec3::new(x as f64, y as f64, z as f64))
            .to_vec();
        for bits in 0..8u32 {
            let diagonal = [0, 1, 2].map(|i| bits >> i & 1 == 1);
            let cut = split_prism([0, 1, 2], [3, 4, 5], diagonal);
            if bits == 0 || bits == 7 {
                assert_eq!(cut, None);
                continue;
            }
            let mesh = TetMesh { positions: positions.clone(), tets: cut.unwrap().to_vec() };
            assert!((0..3).all(|t| crate::signed_volume(mesh.corners(t)) > 0.0), "{diagonal:?}");
            assert!((mesh.volume() - 0.5).abs() < 1e-15);
            let topology = TetTopology::new(6, &mesh.tets);
            assert!(topology.defects.is_empty());
            assert_eq!((topology.faces.len(), topology.edges.len()), (8, 12));
            for i in 0..3u32 {
                let j = (i + 1) % 3;
                let ends = if diagonal[i as usize] { [i, j + 3] } else { [j, i + 3] };
                assert!(topology.edges.iter().any(|e| ends.iter().all(|v| e.vertices.contains(v))));
            }
        }
    }
}
