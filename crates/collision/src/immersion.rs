//! Where a pose is no immersion: inverted elements, and boundary edges and vertices that wrap round themselves.
//!
//! A boundary edge **wraps** when the dihedral angles of the elements between its two faces add up to more than
//! 360°; a boundary vertex when the faces round it, seen from it, cross each other. Every element may be positive,
//! and yet the surface passes through the material right beside it.
//!
//! Not looked for: positive elements that go twice round an edge inside the body.

use glam::{DVec3, Vec3, Vec3A};
use gordian_mesh::Neighbor;
use gordian_mesh::topology::Link;
use rayon::prelude::*;

use crate::bvh::{Item, PackedTree};
use crate::predicates::{Sign, orient3d};
use crate::sorted::SortedMesh;

/// How an element stands to the folded ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Fold {
    /// It touches none.
    #[default]
    Clear,
    /// It has such a vertex ([`Immersion::near_fold`]).
    Near,
    /// It is one.
    Folded,
}

/// Flags of a pose, in internal ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Immersion {
    /// Elements that are not positive.
    pub inverted: Vec<bool>,
    /// How each element stands to the **folded** ones, which are not positive, and to what wraps.
    pub folds: Vec<Fold>,
    /// Vertices of folded elements, vertices that wrap, and the ends of edges that do. Round all others, and round the edges
    /// between them, the elements fill what is between their boundary faces once.
    pub near_fold: Vec<bool>,
    /// Vertices of elements that are not positive and have a boundary face.
    pub on_inverted_boundary: Vec<bool>,
    pub inverted_count: usize,
    /// The elements that are not positive.
    pub inverted_tree: PackedTree,
    /// Whether any flag is set.
    folded_somewhere: bool,
}

/// Elements or edges handled by one task.
const CHUNK: usize = 512;

impl Immersion {
    pub fn update(&mut self, mesh: &SortedMesh, positions: &[Vec3]) {
        self.inverted.resize(mesh.elements.len(), false);
        self.inverted_count = self
            .inverted
            .par_chunks_mut(CHUNK)
            .zip(mesh.elements.par_chunks(CHUNK))
            .map(|(flags, elements)| {
                for (flag, element) in flags.iter_mut().zip(elements) {
                    let [a, b, c, d] = element.vertices.map(|v| positions[v as usize]);
                    *flag = !surely_positive(a, b, c, d) && {
                        let [a, b, c, d] = [a, b, c, d].map(|p| p.as_dvec3());
                        orient3d(a, b, c, d) != Sign::Positive
                    };
                }
                flags.iter().filter(|&&flag| flag).count()
            })
            .sum();
        let bounds = |t: u32| Item { id: t, bounds: mesh.element_box(positions, t) };
        let inverted = (0..mesh.elements.len() as u32).filter(|&t| self.inverted[t as usize]);
        let build = || {
            PackedTree::build(match self.inverted_count {
                0 => Vec::new(),
                _ => inverted.map(bounds).collect(),
            })
        };
        let (tree, (wrapped, crossed)) =
            rayon::join(build, || (wrapped_edges(mesh, positions), crossed_vertices(mesh, positions)));
        self.inverted_tree = tree;
        let folded_somewhere = self.inverted_count > 0 || !wrapped.is_empty() || !crossed.is_empty();
        if folded_somewhere || self.folded_somewhere || self.folds.len() != mesh.elements.len() {
            self.mark(mesh, positions.len(), &wrapped, &crossed);
        }
        self.folded_somewhere = folded_somewhere;
    }

    fn mark(&mut self, mesh: &SortedMesh, vertex_count: usize, wrapped: &[[u32; 2]], crossed: &[u32]) {
        let Immersion { inverted, folds, near_fold, on_inverted_boundary, .. } = self;
        for flags in [&mut *near_fold, &mut *on_inverted_boundary] {
            flags.clear();
            flags.resize(vertex_count, false);
        }
        folds.clear();
        folds.extend(inverted.iter().map(|&flag| if flag { Fold::Folded } else { Fold::Clear }));
        for (element, _) in mesh.elements.iter().zip(&*folds).filter(|&(_, &fold)| fold == Fold::Folded) {
            element.vertices.iter().for_each(|&v| near_fold[v as usize] = true);
        }
        crossed.iter().chain(wrapped.iter().flatten()).for_each(|&v| near_fold[v as usize] = true);
        for ((element, fold), &inverted) in mesh.elements.iter().zip(folds).zip(&*inverted) {
            if *fold == Fold::Clear && element.vertices.iter().any(|&v| near_fold[v as usize]) {
                *fold = Fold::Near;
            }
            let on_boundary = |link: &Link| matches!(link.get(), Neighbor::Boundary(_));
            if inverted && element.neighbors.iter().any(on_boundary) {
                element.vertices.iter().for_each(|&v| on_inverted_boundary[v as usize] = true);
            }
        }
    }
}

/// The boundary edges round which the elements wrap.
fn wrapped_edges(mesh: &SortedMesh, positions: &[Vec3]) -> Vec<[u32; 2]> {
    let at = |v: u32| positions[v as usize].as_dvec3();
    mesh.fans
        .par_chunks(CHUNK)
        .flat_map_iter(|fans| {
            fans.iter()
                .filter(|fan| wraps(fan.edge.map(at), mesh.fan_apices(fan).iter().map(|&v| at(v))))
                .map(|fan| fan.edge)
        })
        .collect()
}

/// The boundary vertices whose ring of faces crosses itself.
fn crossed_vertices(mesh: &SortedMesh, positions: &[Vec3]) -> Vec<u32> {
    let at = |v: u32| positions[v as usize].as_dvec3();
    mesh.rings
        .par_chunks(CHUNK)
        .flat_map_iter(|rings| {
            let (mut ring, mut normals) = (Vec::new(), Vec::new());
            rings.iter().filter_map(move |r| {
                let center = at(r.center);
                ring.clear();
                ring.extend(mesh.ring_vertices(r).iter().map(|&v| at(v) - center));
                crosses_itself(&ring, &mut normals).then_some(r.center)
            })
        })
        .collect()
}

/// Whether single precision is enough to see that an element is positive. The bound is that of [`orient3d`] for its unit
/// roundoff, and so large that no product underflows noticeably.
#[inline]
fn surely_positive(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> bool {
    let [a, b, c, d] = [a, b, c, d].map(Vec3A::from);
    let (p, q, r) = (a - d, b - d, c - d);
    let m = p.abs().max(q.abs()).max(r.abs());
    let bound = 3e-6 * (m.x * m.y * m.z);
    // det(a-d, b-d, c-d) = -det(b-a, c-a, d-a).
    -p.cross(q).dot(r) > bound && bound > 1e-30
}

/// Whether positive elements round the edge, with these vertices opposite to it in order, wrap.
///
/// Seen along the edge the apices turn one way, less than 180° at a time. Behind the plane of the first they
/// lie between 180° and 360°; one that is in front again has gone past 360°.
fn wraps([a, b]: [DVec3; 2], apices: impl Iterator<Item = DVec3>) -> bool {
    let mut apices = apices;
    let Some(first) = apices.next() else { return false };
    // Into the material: boundary faces run counter-clockwise seen from outside.
    let normal = (first - a).cross(b - a);
    let mut behind = false;
    for apex in apices {
        let side = normal.dot(apex - a);
        if behind && side >= 0.0 {
            return true;
        }
        behind |= side < 0.0;
    }
    false
}

/// Whether a ring of vectors, seen from the origin, crosses itself; `normals` is scratch.
fn crosses_itself(ring: &[DVec3], normals: &mut Vec<DVec3>) -> bool {
    let n = ring.len();
    if n < 4 {
        return false;
    }
    let next = |i: usize| if i + 1 == n { 0 } else { i + 1 };
    // Nearly always the ring is seen counter-clockwise from the tip of its mean normal: then counting turns is enough.
    normals.clear();
    normals.extend((0..n).map(|i| ring[i].cross(ring[next(i)])));
    let mean: DVec3 = normals.iter().sum();
    if normals.iter().all(|normal| normal.dot(mean) > 0.0) {
        return wraps([DVec3::ZERO, -mean], ring.iter().copied());
    }
    (0..n).any(|i| {
        (i + 2..n).any(|j| next(j) != i && arcs_meet([ring[i], ring[next(i)]], [ring[j], ring[next(j)]]))
    })
}

/// Whether the cones spanned by two pairs of vectors meet.
fn arcs_meet(a: [DVec3; 2], b: [DVec3; 2]) -> bool {
    let (m, n) = (a[0].cross(a[1]), b[0].cross(b[1]));
    let (b_sides, a_sides) = (b.map(|x| m.dot(x)), a.map(|x| n.dot(x)));
    if b_sides[0] * b_sides[1] > 0.0 || a_sides[0] * a_sides[1] > 0.0 {
        return false;
    }
    let on_a = a[0] * a_sides[1].abs() + a[1] * a_sides[0].abs();
    let on_b = b[0] * b_sides[1].abs() + b[1] * b_sides[0].abs();
    on_a.dot(on_b) >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crosses_itself(ring: &[DVec3]) -> bool {
        super::crosses_itself(ring, &mut Vec::new())
    }

    #[test]
    fn what_single_precision_calls_positive_is_positive() {
        let mut random = crate::workbench::random::Random::new(7);
        let mut sure = 0;
        for round in 0..100_000 {
            let scale = [1.0, 1e-12, 1e-20, 1e12][round % 4];
            let mut point = || Vec3::from_array([0; 3].map(|_| (random.between(-1.0, 1.0) * scale) as f32));
            let [a, b, c] = [point(), point(), point()];
            // Every other one is nearly flat.
            let d = if round % 8 < 4 { point() } else { a + (b - a) * 0.3 + (c - a) * 0.4 };
            if surely_positive(a, b, c, d) {
                let [a, b, c, d] = [a, b, c, d].map(|p| p.as_dvec3());
                assert_eq!(orient3d(a, b, c, d), Sign::Positive, "{a} {b} {c} {d}");
                sure += 1;
            }
        }
        assert!(sure > 10_000);
    }

    #[test]
    fn a_fan_wraps_beyond_a_full_turn() {
        let edge = [DVec3::Z, DVec3::ZERO];
        let fan = |step: f64, count: i32| {
            wraps(
                edge,
                (0..=count).map(|i| {
                    let angle = (step * i as f64).to_radians();
                    DVec3::new(angle.cos(), angle.sin(), 0.3)
                }),
            )
        };
        for count in 1..4 {
            assert!(!fan(100.0, count), "{} degrees", 100 * count);
        }
        assert!(fan(100.0, 4) && fan(170.0, 3) && fan(91.0, 4) && fan(80.0, 5));
        assert!(!fan(80.0, 4) && !fan(179.0, 2) && !fan(59.9, 6));
    }

    #[test]
    fn a_ring_crosses_itself_when_it_turns_twice_or_is_tangled() {
        let spin = |degrees: &[f64], height: f64| -> Vec<DVec3> {
            let at = |d: &f64| DVec3::new(d.to_radians().cos(), d.to_radians().sin(), height);
            degrees.iter().map(at).collect()
        };
        for height in [-2.0, -0.1, 0.0, 0.1, 2.0] {
            assert!(!crosses_itself(&spin(&[0.0, 60.0, 120.0, 180.0, 240.0, 300.0], height)), "{height}");
            assert!(
                crosses_itself(&spin(&[0.0, 100.0, 200.0, 300.0, 420.0, 540.0, 640.0], height)),
                "{height}"
            );
        }
        // A bow tie, and a saddle, which goes up and down but never meets itself.
        assert!(crosses_itself(&[
            DVec3::new(1.0, 1.0, 1.0),
            DVec3::new(-1.0, -1.0, 1.0),
            DVec3::new(-1.0, 1.0, 1.0),
            DVec3::new(1.0, -1.0, 1.0),
        ]));
        let mut saddle = spin(&[0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0], 0.0);
        saddle.iter_mut().enumerate().for_each(|(i, p)| {
            p.z = if i % 4 == 0 {
                3.0
            } else if i % 4 == 2 {
                -3.0
            } else {
                0.0
            }
        });
        assert!(!crosses_itself(&saddle));
    }
}
