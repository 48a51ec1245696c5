//! Neighbours across the edges of a triangle mesh, its borders and its orientation, whatever the mesh is
//! like.

use rayon::prelude::*;

/// What lies across an edge of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// Nothing: the edge is on the border.
    Border,
    /// One triangle that runs through the edge the other way round, as neighbours of an oriented surface do.
    Twin(HalfEdge),
    /// One triangle that runs through the edge the same way: one of both is turned over.
    Turned(HalfEdge),
    /// Several: the edge is non-manifold.
    Several,
}

/// Edge `side` of a triangle, from its vertex `side` to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HalfEdge {
    /// The triangle.
    pub triangle: u32,
    /// The edge: 0, 1 or 2.
    pub side: u8,
}

impl HalfEdge {
    fn index(self) -> usize {
        3 * self.triangle as usize + self.side as usize
    }

    fn next(self) -> Self {
        HalfEdge { side: (self.side + 1) % 3, ..self }
    }
}

/// Topology of a triangle mesh, non-manifold places included.
#[derive(Clone, Debug)]
pub struct TriTopology {
    /// Triangles, as in the mesh.
    pub triangles: Vec<[u32; 3]>,
    /// For each triangle, what lies across its edges `(0,1)`, `(1,2)`, `(2,0)`.
    pub across: Vec<[Across; 3]>,
    /// Number of edges, each counted once.
    pub edge_count: usize,
    /// Edges with three triangles or more, as vertices in ascending order; ascending.
    pub nonmanifold_edges: Vec<[u32; 2]>,
    /// Vertices where several fans of triangles meet and no non-manifold edge ends; ascending.
    pub nonmanifold_vertices: Vec<u32>,
    /// The border as closed loops of vertices, each in the direction of its triangles; ordered by their first
    /// edge. The surface is cut at non-manifold edges and at edges between triangles of different
    /// orientation; a loop that runs along such cuts alone is left out.
    pub border_loops: Vec<Vec<u32>>,
    /// For each triangle its connected component across edges (two triangles an edge), numbered by their
    /// first triangle.
    pub component: Vec<u32>,
    /// Number of components.
    pub component_count: u32,
    /// Triangles to turn over so that all neighbours agree, as few as possible in each component; ascending.
    pub to_turn: Vec<u32>,
    /// Whether turning those makes all neighbours agree; a Möbius strip has no such choice.
    pub orientable: bool,
}

impl TriTopology {
    /// Builds the topology of `triangles` over `vertex_count` vertices.
    ///
    /// Every index must be below `vertex_count`. Edges of a triangle that names a vertex twice are counted as
    /// any other.
    ///
    /// # Panics
    ///
    /// Where an index is not below `vertex_count`.
    pub fn new(vertex_count: usize, triangles: &[[u32; 3]]) -> Self {
        assert!(triangles.len() < 1 << 30, "mesh too large for 32-bit half-edges");
        assert!(triangles.as_flattened().iter().all(|&v| (v as usize) < vertex_count), "vertex out of range");
        let vertex = |h: HalfEdge| triangles[h.triangle as usize][h.side as usize];
        let ends = |h: HalfEdge| [vertex(h), vertex(h.next())];
        let mut records: Vec<([u32; 2], HalfEdge)> = (0..triangles.len() as u32)
            .into_par_iter()
            .flat_map_iter(|triangle| (0..3).map(move |side| HalfEdge { triangle, side }))
            .map(|h| {
                let [a, b] = ends(h);
                ([a.min(b), a.max(b)], h)
            })
            .collect();
        records.par_sort_unstable();
        let mut across = vec![[Across::Border; 3]; triangles.len()];
        let mut nonmanifold_edges = Vec::new();
        let mut edge_count = 0;
        for group in records.chunk_by(|a, b| a.0 == b.0) {
            edge_count += 1;
            let mut set = |h: HalfEdge, what| across[h.triangle as usize][h.side as usize] = what;
            match *group {
                [_] => {}
                [(_, g), (_, h)] => {
                    let what = if ends(g) == ends(h) { Across::Turned } else { Across::Twin };
                    set(g, what(h));
                    set(h, what(g));
                }
                _ => {
                    nonmanifold_edges.push(group[0].0);
                    group.iter().for_each(|&(_, h)| set(h, Across::Several));
                }
            }
        }
        drop(records);
        let mut topology = TriTopology {
            triangles: triangles.to_vec(),
            across,
            edge_count,
            nonmanifold_edges,
            nonmanifold_vertices: Vec::new(),
            border_loops: Vec::new(),
            component: Vec::new(),
            component_count: 0,
            to_turn: Vec::new(),
            orientable: true,
        };
        topology.border_loops = topology.walk_borders();
        topology.orient();
        topology.nonmanifold_vertices = topology.pinched_vertices(vertex_count);
        topology
    }

    /// Whether every edge has exactly two triangles.
    pub fn is_closed(&self) -> bool {
        self.across.as_flattened().iter().all(|a| matches!(a, Across::Twin(_) | Across::Turned(_)))
    }

    fn across(&self, h: HalfEdge) -> Across {
        self.across[h.triangle as usize][h.side as usize]
    }

    fn half_edges(&self) -> impl Iterator<Item = HalfEdge> + use<> {
        (0..self.triangles.len() as u32)
            .flat_map(|triangle| (0..3).map(move |side| HalfEdge { triangle, side }))
    }

    /// The next open edge round the end of an open edge: each has one successor and one predecessor, so that
    /// the walk comes back to where it began.
    fn next_open(&self, h: HalfEdge) -> HalfEdge {
        let mut h = h.next();
        while let Across::Twin(twin) = self.across(h) {
            h = twin.next();
        }
        h
    }

    fn walk_borders(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; 3 * self.triangles.len()];
        let mut loops = Vec::new();
        for start in self.half_edges().filter(|&h| self.across(h) == Across::Border) {
            if seen[start.index()] {
                continue;
            }
            let mut vertices = Vec::new();
            let mut h = start;
            while !seen[h.index()] {
                seen[h.index()] = true;
                vertices.push(self.triangles[h.triangle as usize][h.side as usize]);
                h = self.next_open(h);
            }
            loops.push(vertices);
        }
        loops
    }

    /// Components, and which triangles of each disagree with the others.
    fn orient(&mut self) {
        const NONE: u32 = u32::MAX;
        self.component = vec![NONE; self.triangles.len()];
        let mut turned = vec![false; self.triangles.len()];
        let mut members = Vec::new();
        for seed in 0..self.triangles.len() as u32 {
            if self.component[seed as usize] != NONE {
                continue;
            }
            members.clear();
            members.push(seed);
            self.component[seed as usize] = self.component_count;
            let mut next = 0;
            while next < members.len() {
                let t = members[next] as usize;
                next += 1;
                for across in self.across[t] {
                    let (other, differs) = match across {
                        Across::Twin(h) => (h.triangle, false),
                        Across::Turned(h) => (h.triangle, true),
                        Across::Border | Across::Several => continue,
                    };
                    let wanted = turned[t] ^ differs;
                    if self.component[other as usize] == NONE {
                        self.component[other as usize] = self.component_count;
                        turned[other as usize] = wanted;
                        members.push(other);
                    } else if turned[other as usize] != wanted {
                        self.orientable = false;
                    }
                }
            }
            self.component_count += 1;
            let count = members.iter().filter(|&&t| turned[t as usize]).count();
            let fewer = 2 * count <= members.len();
            self.to_turn.extend(members.iter().copied().filter(|&t| turned[t as usize] == fewer));
        }
        self.to_turn.sort_unstable();
    }

    fn pinched_vertices(&self, vertex_count: usize) -> Vec<u32> {
        // Corners of triangles, joined round their vertex across edges of two triangles: a fan each.
        let mut parent: Vec<u32> = (0..3 * self.triangles.len() as u32).collect();
        fn root(parent: &mut [u32], mut c: u32) -> u32 {
            while parent[c as usize] != c {
                parent[c as usize] = parent[parent[c as usize] as usize];
                c = parent[c as usize];
            }
            c
        }
        for h in self.half_edges() {
            let (Across::Twin(g) | Across::Turned(g)) = self.across(h) else { continue };
            for from in [h, h.next()] {
                let v = self.triangles[h.triangle as usize][from.side as usize];
                let on = |side: u8| self.triangles[g.triangle as usize][side as usize] == v;
                let to = if on(g.side) { g } else { g.next() };
                let (a, b) = (root(&mut parent, from.index() as u32), root(&mut parent, to.index() as u32));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        let mut fan = vec![u32::MAX; vertex_count];
        let mut pinched = vec![false; vertex_count];
        for c in 0..parent.len() as u32 {
            let v = self.triangles[c as usize / 3][c as usize % 3] as usize;
            let r = root(&mut parent, c);
            pinched[v] |= fan[v] != u32::MAX && fan[v] != r;
            fan[v] = r;
        }
        for v in self.nonmanifold_edges.as_flattened() {
            pinched[*v as usize] = false;
        }
        (0..vertex_count as u32).filter(|&v| pinched[v as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn a_sheet_has_one_border_and_a_sheet_with_a_hole_two() {
        let sheet = generate::cloth_grid(1.0, 1.0, 5, 4).unwrap();
        let topology = TriTopology::new(sheet.positions.len(), &sheet.triangles);
        assert!(!topology.is_closed() && topology.orientable && topology.to_turn.is_empty());
        assert_eq!(topology.border_loops.len(), 1);
        assert_eq!(topology.border_loops[0].len(), 18);
        assert_eq!(sheet.positions.len() + sheet.triangles.len() - topology.edge_count, 1);

        // Quad (2, 1) of the grid is in the middle.
        let mut triangles = sheet.triangles.clone();
        triangles.drain(2 * (2 + 5)..2 * (2 + 5) + 2);
        let topology = TriTopology::new(sheet.positions.len(), &triangles);
        let mut lengths: Vec<usize> = topology.border_loops.iter().map(Vec::len).collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [4, 18]);
        assert!(topology.nonmanifold_vertices.is_empty());
        // Without its diagonal neighbour (3, 2) too, both holes meet in a vertex.
        triangles.drain(2 * (3 + 10) - 2..2 * (3 + 10));
        let topology = TriTopology::new(sheet.positions.len(), &triangles);
        assert_eq!(topology.nonmanifold_vertices, [3 + 6 * 2]);
        let mut lengths: Vec<usize> = topology.border_loops.iter().map(Vec::len).collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [8, 18]);
    }

    #[test]
    fn turned_triangles_are_found_and_a_moebius_strip_has_no_sides() {
        let sheet = generate::cloth_grid(1.0, 1.0, 6, 6).unwrap();
        let mut triangles = sheet.triangles;
        for t in [3, 17, 18, 40] {
            triangles[t].swap(0, 1);
        }
        let topology = TriTopology::new(49, &triangles);
        assert!(topology.orientable);
        assert_eq!((topology.to_turn.as_slice(), topology.component_count), (&[3, 17, 18, 40][..], 1));

        // Five triangles round the strip: the smallest Möbius strip.
        let strip: Vec<[u32; 3]> = (0..5).map(|i| [i, (i + 1) % 5, (i + 2) % 5]).collect();
        let topology = TriTopology::new(5, &strip);
        assert!(!topology.orientable && !topology.is_closed());
    }

    #[test]
    fn a_closed_surface_has_no_border_and_the_boundary_of_a_volume_is_one() {
        let ball = generate::sphere(1.0, 5).unwrap();
        let boundary = crate::TetTopology::new(ball.positions.len(), &ball.tets).faces;
        let topology = TriTopology::new(ball.positions.len(), &boundary);
        assert!(topology.is_closed() && topology.border_loops.is_empty() && topology.to_turn.is_empty());
        assert_eq!(topology.edge_count, boundary.len() * 3 / 2);
        assert_eq!(topology.component_count, 1);
    }
}
