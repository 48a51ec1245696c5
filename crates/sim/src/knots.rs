//! Where a body is turned inside out, and which contacts would keep it so.

use gordian_collision::Detector;
use gordian_collision::contact::Contact;
use gordian_mesh::TetTopology;

/// Not in a knot.
const NONE: u32 = u32::MAX;

/// The **knots** of a pose: inverted tetrahedra that hang together by their vertices.
///
/// A vertex that has gone out through the face opposite to it turns their tetrahedron inside out. To detection it is outside then, and
/// comes from outside when the element drives it back in: what met there would hold the inversion for ever. So nothing meets within
/// a knot.
///
/// For recovery only. There all centroids ask whether they are inside, so that what passes through in a knot is found again; elsewhere
/// nothing would stop strands that are pressed together, whose elements turn over where they are pinched.
#[derive(Debug, Default)]
pub(crate) struct Knots {
    /// Knot of each vertex, known by its lowest vertex; empty where no tetrahedron is inverted.
    of: Vec<u32>,
    inverted: Vec<u32>,
}

impl Knots {
    /// Finds them in the pose of `detector`.
    pub fn find(&mut self, detector: &Detector, topology: &TetTopology, vertices: usize) {
        self.of.clear();
        if detector.inverted_count() == 0 {
            return;
        }
        self.inverted.clear();
        self.inverted.extend((0..topology.tets.len() as u32).filter(|&t| detector.is_inverted(t)));
        self.of.resize(vertices, NONE);
        // Sets that are joined tetrahedron by tetrahedron, the lowest vertex of each as its root.
        let tets = || self.inverted.iter().map(|&t| topology.tets[t as usize]);
        for v in tets().flatten() {
            self.of[v as usize] = v;
        }
        for tet in tets() {
            let roots = tet.map(|v| root(&mut self.of, v));
            let least = roots.into_iter().min().expect("four");
            roots.into_iter().for_each(|r| self.of[r as usize] = least);
        }
        for v in tets().flatten() {
            self.of[v as usize] = root(&mut self.of, v);
        }
    }

    /// There are none.
    pub fn clear(&mut self) {
        self.of.clear();
    }

    /// Whether both sides of a contact belong to one knot.
    pub fn join(&self, contact: &Contact) -> bool {
        if self.of.is_empty() {
            return false;
        }
        let of = |v: &u32| self.of[*v as usize];
        contact.first().iter().map(of).any(|a| a != NONE && contact.second().iter().map(of).any(|b| a == b))
    }
}

/// The root of the set that `v` belongs to; shortens the way to it.
fn root(of: &mut [u32], mut v: u32) -> u32 {
    while of[v as usize] != v {
        of[v as usize] = of[of[v as usize] as usize];
        v = of[v as usize];
    }
    v
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    /// A row of tetrahedra apart from each other; those of `inverted` have their top below their base.
    fn row(count: u32, inverted: &[u32]) -> (TetTopology, Vec<Vec3>) {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let at = |t: u32, c: Vec3| c + Vec3::X * 3.0 * t as f32;
        let rest: Vec<Vec3> = (0..count).flat_map(|t| corners.map(|c| at(t, c))).collect();
        let tets: Vec<[u32; 4]> = (0..count).map(|t| std::array::from_fn(|i| 4 * t + i as u32)).collect();
        let topology = TetTopology::new(rest.len(), &tets);
        let mut pose = rest;
        inverted.iter().for_each(|&t| pose[4 * t as usize + 3].z = -0.5);
        (topology, pose)
    }

    #[test]
    fn what_is_turned_inside_out_meets_nothing_of_itself_but_all_else() {
        let (topology, pose) = row(3, &[0, 2]);
        let mut detector = Detector::new(&topology, &pose);
        detector.refit(&pose);
        let mut knots = Knots::default();
        knots.find(&detector, &topology, pose.len());
        let meets = |vertex, face| Contact::path(vertex, face, Vec3::Z);
        assert!(knots.join(&meets(3, [0, 1, 2])), "the vertex that went out through the face opposite to it");
        assert!(!knots.join(&meets(7, [4, 5, 6])), "nothing is inverted there");
        assert!(!knots.join(&meets(3, [8, 9, 10])), "another knot");
        assert!(!knots.join(&meets(7, [0, 1, 2])), "from a sound element into a knot");
    }

    #[test]
    fn a_knot_reaches_as_far_as_inverted_elements_hang_together() {
        // A fan of three about the edge (0, 1), turned inside out by mirroring.
        let p = [
            [0.0, 0.0, 0.0],
            [0.0, 0.0, 1.0],
            [1.0, 0.0, 0.5],
            [0.6, 0.8, 0.5],
            [-0.3, 0.9, 0.5],
            [-1.0, 0.1, 0.5],
        ];
        let rest: Vec<Vec3> = p.iter().map(|&p| Vec3::from(p)).collect();
        let tets = [[0, 1, 2, 3], [0, 1, 3, 4], [0, 1, 4, 5]];
        let topology = TetTopology::new(rest.len(), &tets);
        let pose: Vec<Vec3> = rest.iter().map(|p| Vec3::new(-p.x, p.y, p.z)).collect();
        let mut detector = Detector::new(&topology, &rest);
        let mut knots = Knots::default();
        for (pose, joined) in [(&pose, true), (&rest, false)] {
            detector.refit(pose);
            assert_eq!(detector.inverted_count() > 0, joined);
            knots.find(&detector, &topology, pose.len());
            assert_eq!(
                knots.join(&Contact::path(5, [0, 2, 3], Vec3::Z)),
                joined,
                "first and last of the fan"
            );
        }
    }
}
