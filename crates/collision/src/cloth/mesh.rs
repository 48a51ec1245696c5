//! Topology of cloth: edges, what lies beside them, neighbours of vertices, sheets.

use gordian_mesh::TriMesh;

/// An edge, each once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its vertices, ascending.
    pub vertices: [u32; 2],
    /// Where its triangles stand in the mesh's list.
    first: u32,
    count: u32,
}

/// The topology of all cloth of a scene together: any triangles, with borders, holes, several sheets, and edges of more
/// than two triangles. A triangle that names a vertex twice keeps its number and is never found.
///
/// Surfaces of volumes may be among it, so that cloth meets them: **solid** sheets, which do not meet each other here.
#[derive(Clone, Debug, Default)]
pub struct ClothMesh {
    /// Number of vertices.
    pub vertex_count: usize,
    /// Triangles, in the user's order.
    pub triangles: Vec<[u32; 3]>,
    /// Edges, by their vertices, ascending.
    pub edges: Vec<Edge>,
    /// Edges of each triangle: from its vertex `k` to the next. Unused for triangles that name a vertex twice.
    pub triangle_edges: Vec<[u32; 3]>,
    /// For each vertex its sheet: the component across shared vertices, numbered by their first vertex; `u32::MAX` for a
    /// vertex without triangle.
    pub sheet: Vec<u32>,
    /// Number of sheets.
    pub sheet_count: u32,
    /// Triangles from here on are surfaces of volumes, outward.
    pub first_solid: u32,
    solid_sheet: Vec<bool>,
    edge_triangles: Vec<u32>,
    neighbours: Lists,
    vertex_triangles: Lists,
}

/// Several lists in one array.
#[derive(Clone, Debug, Default)]
struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// From pairs (list, item); a list keeps the order in which its items come.
    fn new(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; count + 1];
        pairs.clone().for_each(|(list, _)| starts[list as usize + 1] += 1);
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[count] as usize];
        for (list, item) in pairs {
            items[next[list as usize] as usize] = item;
            next[list as usize] += 1;
        }
        Lists { starts, items }
    }

    fn get(&self, list: u32) -> &[u32] {
        &self.items[self.starts[list as usize] as usize..self.starts[list as usize + 1] as usize]
    }
}

impl ClothMesh {
    /// Topology of `triangles` over `vertex_count` vertices; every index must be below that.
    ///
    /// # Panics
    ///
    /// Where an index is not.
    pub fn new(vertex_count: usize, triangles: &[[u32; 3]]) -> Self {
        Self::with_solids(vertex_count, triangles, &[])
    }

    /// As [`new`](Self::new), with surfaces of volumes, outward, that share no vertex with the cloth.
    ///
    /// # Panics
    ///
    /// Where an index is not below `vertex_count`.
    pub fn with_solids(vertex_count: usize, cloth: &[[u32; 3]], surfaces: &[[u32; 3]]) -> Self {
        let triangles = [cloth, surfaces].concat();
        assert!(triangles.len() < 1 << 30, "too many triangles for 32-bit links");
        assert!(triangles.as_flattened().iter().all(|&v| (v as usize) < vertex_count), "vertex out of range");
        let mut records: Vec<([u32; 2], u32, u8)> = Vec::with_capacity(3 * triangles.len());
        for (t, tri) in triangles.iter().enumerate().filter(|(_, t)| proper(t)) {
            for k in 0..3 {
                let (a, b) = (tri[k], tri[(k + 1) % 3]);
                records.push(([a.min(b), a.max(b)], t as u32, k as u8));
            }
        }
        records.sort_unstable();
        let mut edges = Vec::with_capacity(records.len() / 2 + 1);
        let mut triangle_edges = vec![[u32::MAX; 3]; triangles.len()];
        for group in records.chunk_by(|a, b| a.0 == b.0) {
            let first = edges.last().map_or(0, |e: &Edge| e.first + e.count);
            group.iter().for_each(|&(_, t, k)| triangle_edges[t as usize][k as usize] = edges.len() as u32);
            edges.push(Edge { vertices: group[0].0, first, count: group.len() as u32 });
        }
        let edge_triangles = records.iter().map(|r| r.1).collect();
        let ends = edges.iter().flat_map(|e: &Edge| {
            let [a, b] = e.vertices;
            [(a, b), (b, a)]
        });
        let neighbours = Lists::new(vertex_count, ends);
        let corners = triangles
            .iter()
            .enumerate()
            .filter(|(_, t)| proper(t))
            .flat_map(|(t, tri)| tri.map(|v| (v, t as u32)));
        let vertex_triangles = Lists::new(vertex_count, corners);
        let mut mesh = ClothMesh {
            vertex_count,
            triangles,
            edges,
            triangle_edges,
            sheet: Vec::new(),
            sheet_count: 0,
            first_solid: cloth.len() as u32,
            solid_sheet: Vec::new(),
            edge_triangles,
            neighbours,
            vertex_triangles,
        };
        mesh.find_sheets();
        mesh.solid_sheet = vec![false; mesh.sheet_count as usize];
        let sheet = |t: &[u32; 3]| mesh.sheet[t[0] as usize] as usize;
        for t in surfaces.iter().filter(|t| proper(t)) {
            mesh.solid_sheet[sheet(t)] = true;
        }
        let apart = cloth.iter().all(|t| !proper(t) || !mesh.solid_sheet[sheet(t)]);
        assert!(apart, "cloth shares a vertex with the surface of a volume");
        mesh
    }

    /// The topology of one mesh.
    pub fn of(mesh: &TriMesh) -> Self {
        Self::new(mesh.positions.len(), &mesh.triangles)
    }

    /// The triangles at an edge: one at a border, two inside, more where it is non-manifold.
    pub fn triangles_at(&self, edge: u32) -> &[u32] {
        let e = &self.edges[edge as usize];
        &self.edge_triangles[e.first as usize..(e.first + e.count) as usize]
    }

    /// Whether only one triangle lies at the edge.
    pub fn is_border(&self, edge: u32) -> bool {
        self.edges[edge as usize].count == 1
    }

    /// Vertices at the other ends of a vertex's edges.
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        self.neighbours.get(vertex)
    }

    /// Triangles round a vertex.
    pub fn triangles_of(&self, vertex: u32) -> &[u32] {
        self.vertex_triangles.get(vertex)
    }

    /// Whether a triangle has three different vertices.
    pub fn is_proper(&self, triangle: u32) -> bool {
        proper(&self.triangles[triangle as usize])
    }

    /// The vertex of `triangle` that is not on `edge`.
    pub fn opposite(&self, triangle: u32, edge: u32) -> u32 {
        let [a, b] = self.edges[edge as usize].vertices;
        let tri = self.triangles[triangle as usize];
        *tri.iter().find(|&&v| v != a && v != b).expect("the triangle lies at the edge")
    }

    /// Whether two triangles have a vertex in common.
    pub fn share_vertex(&self, s: u32, t: u32) -> bool {
        let t = self.triangles[t as usize];
        self.triangles[s as usize].iter().any(|v| t.contains(v))
    }

    /// The sheet of a triangle.
    pub fn sheet_of(&self, triangle: u32) -> u32 {
        self.sheet[self.triangles[triangle as usize][0] as usize]
    }

    /// Whether a sheet is the surface of a volume.
    pub fn is_solid_sheet(&self, sheet: u32) -> bool {
        self.solid_sheet[sheet as usize]
    }

    /// Whether a triangle belongs to the surface of a volume.
    pub fn is_solid(&self, triangle: u32) -> bool {
        triangle >= self.first_solid
    }

    /// Whether a vertex lies on the surface of a volume.
    pub fn is_solid_vertex(&self, vertex: u32) -> bool {
        self.sheet[vertex as usize] != u32::MAX && self.solid_sheet[self.sheet[vertex as usize] as usize]
    }

    /// Whether there are surfaces of volumes.
    pub fn has_solids(&self) -> bool {
        (self.first_solid as usize) < self.triangles.len()
    }

    fn find_sheets(&mut self) {
        self.sheet = vec![u32::MAX; self.vertex_count];
        let mut stack = Vec::new();
        for seed in 0..self.vertex_count as u32 {
            if self.sheet[seed as usize] != u32::MAX || self.triangles_of(seed).is_empty() {
                continue;
            }
            stack.push(seed);
            self.sheet[seed as usize] = self.sheet_count;
            while let Some(v) = stack.pop() {
                for &n in self.neighbours.get(v) {
                    if self.sheet[n as usize] == u32::MAX {
                        self.sheet[n as usize] = self.sheet_count;
                        stack.push(n);
                    }
                }
            }
            self.sheet_count += 1;
        }
    }
}

fn proper(t: &[u32; 3]) -> bool {
    t[0] != t[1] && t[1] != t[2] && t[2] != t[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use gordian_mesh::generate::cloth_grid;

    #[test]
    fn a_grid_has_the_edges_of_eulers_formula_and_one_sheet() {
        let mesh = ClothMesh::of(&cloth_grid(1.0, 1.0, 7, 4).unwrap());
        assert_eq!(mesh.vertex_count + mesh.triangles.len() - mesh.edges.len(), 1);
        let border = (0..mesh.edges.len() as u32).filter(|&e| mesh.is_border(e)).count();
        assert_eq!((border, mesh.sheet_count), (22, 1));
        for t in 0..mesh.triangles.len() as u32 {
            for e in mesh.triangle_edges[t as usize] {
                assert!(mesh.triangles_at(e).contains(&t));
                let [a, b] = mesh.edges[e as usize].vertices;
                assert!(mesh.neighbours(a).contains(&b) && mesh.neighbours(b).contains(&a));
                assert!(![a, b].contains(&mesh.opposite(t, e)));
            }
        }
    }

    #[test]
    fn odd_meshes_are_taken_as_they_are() {
        // Three triangles on one edge, one that names a vertex twice, a sheet of its own, a vertex without triangle.
        let mesh = ClothMesh::new(9, &[[0, 1, 2], [1, 0, 3], [0, 1, 4], [2, 2, 3], [5, 6, 7]]);
        let shared = mesh.triangle_edges[0][0];
        assert_eq!(mesh.triangles_at(shared), [0, 1, 2]);
        assert!(!mesh.is_proper(3) && mesh.triangle_edges[3] == [u32::MAX; 3]);
        assert_eq!(mesh.sheet_count, 2);
        assert_eq!((mesh.sheet_of(0), mesh.sheet_of(4), mesh.sheet[8]), (0, 1, u32::MAX));
    }
}
