//! Where the boundary of a tetrahedral mesh is no surface: edges with several fans of tetrahedra, and
//! vertices at which sheets touch.

use crate::TetTopology;

/// Edges that more than one boundary edge runs through (several fans of tetrahedra meet there), as vertices
/// in ascending order, each once, ascending.
pub fn nonmanifold_edges(topology: &TetTopology) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = topology
        .edges
        .iter()
        .map(|e| [e.vertices[0].min(e.vertices[1]), e.vertices[0].max(e.vertices[1])])
        .collect();
    edges.sort_unstable();
    let mut shared: Vec<[u32; 2]> = edges.windows(2).filter(|w| w[0] == w[1]).map(|w| w[0]).collect();
    shared.dedup();
    shared
}

/// Boundary vertices whose boundary faces form more than one fan (sheets that touch in a point), ascending.
pub fn nonmanifold_vertices(topology: &TetTopology) -> Vec<u32> {
    // The vertex for which a face was visited last, so that even a vertex of very many faces takes linear
    // time.
    let mut visited = vec![u32::MAX; topology.faces.len()];
    let mut fan = Vec::new();
    let is_pinched = |&v: &u32| {
        let faces = topology.vertex_faces(v);
        visited[faces[0] as usize] = v;
        fan.clear();
        fan.push(faces[0]);
        let mut next = 0;
        while next < fan.len() {
            let f = fan[next] as usize;
            next += 1;
            for k in 0..3 {
                // Across the two edges that hold v.
                let edge = [topology.faces[f][k], topology.faces[f][(k + 1) % 3]];
                let g = topology.face_neighbors[f][k];
                if edge.contains(&v) && visited[g as usize] != v {
                    visited[g as usize] = v;
                    fan.push(g);
                }
            }
        }
        fan.len() < faces.len()
    };
    topology.boundary_vertices.iter().copied().filter(is_pinched).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tetrahedra_that_share_an_edge_or_a_vertex_are_pinched_there() {
        let edge = TetTopology::new(6, &[[0, 1, 2, 3], [0, 1, 4, 5]]);
        assert_eq!(nonmanifold_edges(&edge), [[0, 1]]);
        assert_eq!(nonmanifold_vertices(&edge), [0, 1]);
        let vertex = TetTopology::new(7, &[[0, 1, 2, 3], [0, 4, 5, 6]]);
        assert!(nonmanifold_edges(&vertex).is_empty());
        assert_eq!(nonmanifold_vertices(&vertex), [0]);
        let face = TetTopology::new(5, &[[0, 1, 2, 3], [0, 2, 1, 4]]);
        assert!(nonmanifold_edges(&face).is_empty() && nonmanifold_vertices(&face).is_empty());
    }
}
