//! Edges that go through a body with neither end inside it.
//!
//! Bodies may cross although no vertex of one is inside another: edges alone go in and come out again. Detection at vertices is blind
//! to that, and continuous detection to whatever has crossed already. But a point of an edge is a point of the mesh like any other,
//! and its shortest path leads out, as those of centroids do in recovery (Chen et al. 2023, section 4.3).
//!
//! Which edges pierce which faces is taken from the crossings that are counted at the end of a frame; in each substep of the next one,
//! each that still goes in and out asks for the point halfway.

use glam::{DVec3, Vec3};
use gordian_collision::crossing::{Meeting, segment_triangle};
use gordian_collision::predicates::{Sign, orient3d};
use gordian_collision::{Detector, Own, PathQuery};
use gordian_mesh::TetTopology;
use gordian_mesh::topology::Neighbor;

/// A point of an edge inside a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EdgePoint {
    /// The edge's vertices, ascending.
    pub edge: [u32; 2],
    /// How far along it is, in \[0, 1\].
    pub parameter: f64,
    /// Where that is, metres.
    pub position: DVec3,
    /// A tetrahedron that strictly contains it, and uses neither end.
    pub tet: u32,
}

impl EdgePoint {
    pub fn query(&self) -> PathQuery {
        PathQuery { point: self.position, tet: self.tet, own: Own::Edge(self.edge) }
    }
}

/// The edges and the faces that they pierced when a frame ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pierced {
    /// Edge and face, ascending.
    pairs: Vec<([u32; 2], u32)>,
    /// Where one edge passes its faces: how far along, and whether it goes in.
    passes: Vec<(f64, bool, u32)>,
    /// Whether the pairs are those of the end of the last frame.
    pub known: bool,
}

impl Pierced {
    /// Takes over crossing pairs of faces at the positions `x`.
    pub fn take(&mut self, topology: &TetTopology, x: &[Vec3], crossings: &[[u32; 2]]) {
        self.known = true;
        self.pairs.clear();
        let at = |v: u32| x[v as usize].as_dvec3();
        for &[f, g] in crossings {
            for (of, face) in [(f, g), (g, f)] {
                let [a, b, c] = topology.faces[of as usize];
                let corners = topology.faces[face as usize].map(at);
                let pierces = |e: &[u32; 2]| segment_triangle(&e.map(at), &corners) == Meeting::Crossing;
                let edges = [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
                self.pairs.extend(edges.into_iter().filter(pierces).map(|e| (e, face)));
            }
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }

    /// The points halfway between where an edge goes in and where it comes out, at the positions `x`, to which `detector` was refit.
    ///
    /// Next to inverted elements nothing tells a crossing from the inversion itself, so that edges there are left out as vertices are.
    pub fn points(
        &mut self,
        topology: &TetTopology,
        x: &[Vec3],
        detector: &Detector,
        out: &mut Vec<EdgePoint>,
    ) {
        out.clear();
        let at = |v: u32| x[v as usize].as_dvec3();
        for group in self.pairs.chunk_by(|a, b| a.0 == b.0) {
            let edge = group[0].0;
            if edge.iter().any(|&v| detector.beside_inverted(v)) {
                continue;
            }
            let ends = edge.map(at);
            self.passes.clear();
            for &(_, face) in group {
                let corners = topology.faces[face as usize].map(at);
                if segment_triangle(&ends, &corners) == Meeting::Crossing {
                    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
                    let [before, after] = ends.map(|p| normal.dot(p - corners[0]));
                    self.passes.push((
                        before / (before - after),
                        before > after,
                        topology.face_tet[face as usize],
                    ));
                }
            }
            self.passes.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
            for pass in self.passes.windows(2) {
                let [(enter, true, tet), (leave, false, _)] = *pass else { continue };
                let parameter = 0.5 * (enter + leave);
                let position = ends[0].lerp(ends[1], parameter);
                let Some(tet) = holder(topology, x, tet, position) else { continue };
                if !topology.tets[tet as usize].iter().any(|v| edge.contains(v)) {
                    out.push(EdgePoint { edge, parameter, position, tet });
                }
            }
        }
    }
}

/// Elements on the way to the one that holds a point: it lies no further in than half an edge.
const MOST_STEPS: usize = 64;

/// The element that strictly contains `p`, looked for from `tet` on, from neighbour to neighbour across the face behind which the
/// point lies.
fn holder(topology: &TetTopology, x: &[Vec3], mut tet: u32, p: DVec3) -> Option<u32> {
    for _ in 0..MOST_STEPS {
        let corners = topology.tets[tet as usize].map(|v| x[v as usize].as_dvec3());
        let outside = (0..4).find(|&i| {
            let mut c = corners;
            c[i] = p;
            orient3d(c[0], c[1], c[2], c[3]) != Sign::Positive
        });
        let Some(face) = outside else { return Some(tet) };
        let Neighbor::Tet(next) = topology.neighbors[tet as usize][face].get() else { return None };
        tet = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use glam::Quat;
    use gordian_collision::{PathOptions, PathScratch};
    use gordian_mesh::generate::box_mesh;

    use super::*;

    /// Two long boxes that cross at a right angle, turned: no vertex of one is inside the other.
    fn cross() -> (TetTopology, Vec<Vec3>) {
        let one = box_mesh(DVec3::new(1.0, 0.2, 0.2), [1, 1, 1]).unwrap();
        let turn = [Quat::from_rotation_x(0.3), Quat::from_rotation_x(-0.4) * Quat::from_rotation_z(1.5)];
        let x = turn.iter().flat_map(|q| one.positions.iter().map(|p| *q * p.as_vec3())).collect();
        let n = one.positions.len() as u32;
        let tets: Vec<[u32; 4]> =
            (0..2).flat_map(|k| one.tets.iter().map(move |t| t.map(|v| v + k * n))).collect();
        (TetTopology::new(2 * n as usize, &tets), x)
    }

    fn crossings(topology: &TetTopology, x: &[Vec3]) -> Vec<[u32; 2]> {
        let corners = |f: usize| topology.faces[f].map(|v| x[v as usize].as_dvec3());
        let apart = |f: usize, g: usize| topology.faces[f].iter().all(|v| !topology.faces[g].contains(v));
        let n = topology.faces.len();
        (0..n)
            .flat_map(|f| (f + 1..n).map(move |g| [f, g]))
            .filter(|&[f, g]| apart(f, g))
            .filter(|&[f, g]| {
                let meeting = gordian_collision::crossing::triangle_triangle(&corners(f), &corners(g));
                meeting == Meeting::Crossing
            })
            .map(|pair| pair.map(|f| f as u32))
            .collect()
    }

    #[test]
    fn edges_that_go_through_a_body_ask_from_inside_it() {
        let (topology, x) = cross();
        let mut detector = Detector::new(&topology, &x);
        detector.refit(&x);
        let mut inside = Vec::new();
        detector.penetrations(Default::default(), Default::default(), &mut inside);
        assert!(inside.is_empty(), "no vertex is inside");
        let (mut pierced, mut points) = (Pierced::default(), Vec::new());
        pierced.take(&topology, &x, &crossings(&topology, &x));
        pierced.points(&topology, &x, &detector, &mut points);
        assert!(points.len() >= 4, "{points:?}");
        for p in &points {
            let [a, b] = p.edge.map(|v| x[v as usize].as_dvec3());
            assert!((a.lerp(b, p.parameter) - p.position).length() < 1e-12);
            let body = |v: u32| v < x.len() as u32 / 2;
            assert_ne!(body(p.edge[0]), body(topology.tets[p.tet as usize][0]), "inside the other body");
            let answer =
                detector.boundary_point(&p.query(), &PathOptions::default(), &mut PathScratch::default());
            let end = answer.end.expect("there is a way out");
            assert!(end.distance > 0.0 && end.distance < 0.15, "not further than half the box is wide");
        }
        // Apart, the same edges ask for nothing.
        let n = x.len() / 2;
        let apart: Vec<Vec3> =
            x.iter().enumerate().map(|(i, p)| if i < n { *p } else { *p + Vec3::Z }).collect();
        detector.refit(&apart);
        pierced.points(&topology, &apart, &detector, &mut points);
        assert!(points.is_empty());
    }
}
