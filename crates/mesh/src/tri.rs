//! The triangle mesh: cloth, and the surfaces of colliders.

use glam::DVec3;

/// A triangle mesh: vertices in file order and triangles, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions in metres, in file order; a vertex that no triangle uses stays in place.
    pub positions: Vec<DVec3>,
    /// Triangles, in file order.
    pub triangles: Vec<[u32; 3]>,
}
