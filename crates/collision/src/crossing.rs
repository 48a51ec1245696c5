//! Where a surface passes through itself: exact intersection of triangle pairs.
//!
//! Two triangles **meet** when their closed point sets do. A pair that meets is told apart by how
//! ([`Meeting`]): surfaces pass through each other, lie on each other, or only touch. All decisions are signs
//! of orientation determinants ([`crate::predicates`]), so they are exact, and independent of scale and of the order of
//! vertices and triangles.
//!
//! [`SelfCrossings::find`] lists all pairs of a surface that meet in more than the corners and edges that they share
//! ([`faces_meet`]). It is what decides whether a pose is untangled.

use glam::{DVec2, DVec3, Vec3, Vec3Swizzles};
use rayon::prelude::*;

use crate::bvh::Tree;
use crate::predicates::{Sign, orient2d, orient3d};

/// How two closed point sets meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Meeting {
    /// They have no point in common.
    Apart,
    /// They meet, but neither passes through the other, and what they share has no area: a point or an edge on the other's
    /// face, edge or corner. A triangle without area only ever touches.
    Touching,
    /// They lie in one plane and share an area.
    Coplanar,
    /// They pass through each other: each has points strictly on both sides of the other along the segment that they
    /// share.
    Crossing,
}

/// How the triangles `s` and `t` meet.
pub fn triangle_triangle(s: &[DVec3; 3], t: &[DVec3; 3]) -> Meeting {
    let sides_s = sides(t, s);
    if one_side(sides_s) {
        return Meeting::Apart;
    }
    let sides_t = sides(s, t);
    if one_side(sides_t) {
        return Meeting::Apart;
    }
    let in_plane = |s: [Sign; 3]| s == [Sign::Zero; 3];
    if in_plane(sides_s) || in_plane(sides_t) {
        return in_one_plane(s, t, &[0, 1, 2]);
    }
    match interval_overlap(s, sides_s, t, sides_t) {
        Overlap::None => Meeting::Apart,
        Overlap::Interior if straddles(sides_s) && straddles(sides_t) => Meeting::Crossing,
        _ => Meeting::Touching,
    }
}

/// How the triangles `vpq` and `vab` meet besides in their common corner `v`: [`Crossing`](Meeting::Crossing) when they pass through each
/// other along a segment that begins there, [`Coplanar`](Meeting::Coplanar) when they lie on each other, else
/// [`Apart`](Meeting::Apart).
pub fn triangles_at_a_corner(v: DVec3, [p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> Meeting {
    let (s, t) = ([v, p, q], [v, a, b]);
    // Not of v itself: that would be zero, which takes exact arithmetic.
    let [above, below] = sides(&t, &[p, q]);
    if above == below && !above.is_zero() {
        return Meeting::Apart;
    }
    let [left, right] = sides(&s, &[a, b]);
    if [above, below, left, right] == [Sign::Zero; 4] {
        return match in_one_plane(&s, &t, &[0, 2]) {
            Meeting::Coplanar => Meeting::Coplanar,
            _ => Meeting::Apart,
        };
    }
    // Each opposite edge passes the other's plane, so that the line of both planes, which goes through v, enters both triangles at v:
    // on the same side, or one on either.
    let through = above == -below && left == -right && !above.is_zero() && !left.is_zero();
    if through && orient3d(p, q, v, a) == -above { Meeting::Crossing } else { Meeting::Apart }
}

/// How the triangles `uvp` and `vuq` meet besides in their common edge: [`Coplanar`](Meeting::Coplanar) when one is folded flat on the
/// other, else [`Apart`](Meeting::Apart).
pub fn triangles_at_an_edge([u, v]: [DVec3; 2], p: DVec3, q: DVec3) -> Meeting {
    if !orient3d(u, v, p, q).is_zero() {
        return Meeting::Apart;
    }
    let turns = |k| [p, q].map(|x| orient2d_along(k, u, v, x));
    match (0..3).map(turns).find(|t| !t.contains(&Sign::Zero)) {
        Some([a, b]) if a == b => Meeting::Coplanar,
        _ => Meeting::Apart,
    }
}

/// How two faces of a surface with vertices at `x` meet besides in what they share: in full if they share no vertex, at a corner
/// ([`triangles_at_a_corner`]), at an edge ([`triangles_at_an_edge`]), and not at all if all their vertices are the same.
pub fn faces_meet(x: &[Vec3], f: [u32; 3], g: [u32; 3]) -> Meeting {
    let at = |v: u32| x[v as usize].as_dvec3();
    let shared = [f.map(|v| g.contains(&v)), g.map(|v| f.contains(&v))];
    // From the first corner that is shared, or is not.
    let from = |one: bool| {
        let turn = |f: [u32; 3], shared: [bool; 3]| {
            let first = shared.iter().position(|&s| s == one).expect("one or two are shared");
            [0, 1, 2].map(|k| at(f[(first + k) % 3]))
        };
        (turn(f, shared[0]), turn(g, shared[1]))
    };
    match shared.map(|s| s.iter().filter(|&&s| s).count()) {
        [0, 0] => triangle_triangle(&f.map(at), &g.map(at)),
        [1, 1] => {
            let ([v, p, q], [_, a, b]) = from(true);
            triangles_at_a_corner(v, [p, q], [a, b])
        }
        [2, 2] => {
            let ([p, u, v], [q, ..]) = from(false);
            triangles_at_an_edge([u, v], p, q)
        }
        _ => Meeting::Apart,
    }
}

/// How the segment `s` meets the triangle `t`: crossing when it pierces the inside with both ends strictly off the plane;
/// a segment in the plane touches.
pub fn segment_triangle(s: &[DVec3; 2], t: &[DVec3; 3]) -> Meeting {
    let [p, q] = *s;
    let [a, b, c] = *t;
    let (above, below) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    if above == below && !above.is_zero() {
        return Meeting::Apart;
    }
    if above.is_zero() && below.is_zero() {
        return match in_one_plane(&[p, q, q], t, &[0, 1, 2]) {
            Meeting::Apart => Meeting::Apart,
            _ => Meeting::Touching,
        };
    }
    // The line pq passes the three edges on the same side.
    let turns = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
    if turns.contains(&Sign::Positive) && turns.contains(&Sign::Negative) {
        return Meeting::Apart;
    }
    let ends_off = !above.is_zero() && !below.is_zero();
    if ends_off && !turns.contains(&Sign::Zero) { Meeting::Crossing } else { Meeting::Touching }
}

/// Signs of `det(b-a, c-a, p-a)` for the points `p`. One normal serves them all; the error bound is that of
/// [`orient3d`], whose operations these are.
#[inline]
fn sides<const N: usize>(&[a, b, c]: &[DVec3; 3], points: &[DVec3; N]) -> [Sign; N] {
    let (u, v) = (b - a, c - a);
    let (n, m) = (u.cross(v), u.abs().max(v.abs()));
    points.map(|p| {
        let w = p - a;
        let det = n.dot(w);
        let m = m.max(w.abs());
        let bound = 5.4e-15 * (m.x * m.y * m.z);
        if det > bound {
            Sign::Positive
        } else if det < -bound {
            Sign::Negative
        } else {
            orient3d(a, b, c, p)
        }
    })
}

fn one_side(s: [Sign; 3]) -> bool {
    !s[0].is_zero() && s[0] == s[1] && s[1] == s[2]
}

fn straddles(s: [Sign; 3]) -> bool {
    s.contains(&Sign::Positive) && s.contains(&Sign::Negative)
}

/// How two intervals on a line overlap.
enum Overlap {
    None,
    Point,
    Interior,
}

/// The triangles meet the line that their planes share in one interval each.
///
/// Source: P. Guigue and O. Devillers, "Fast and Robust Triangle-Triangle Overlap Test Using Orientation Predicates",
/// Journal of Graphics Tools 8 (2003). Both triangles are turned so that the first vertex lies alone on its side, and
/// flipped so that this is the positive side of the other's plane; two more signs compare the ends.
fn interval_overlap(s: &[DVec3; 3], sides_s: [Sign; 3], t: &[DVec3; 3], sides_t: [Sign; 3]) -> Overlap {
    let (i, s_positive) = alone(sides_s);
    let (j, t_positive) = alone(sides_t);
    let [p1, mut q1, mut r1] = [s[i], s[(i + 1) % 3], s[(i + 2) % 3]];
    let [p2, mut q2, mut r2] = [t[j], t[(j + 1) % 3], t[(j + 2) % 3]];
    // Flipping a triangle changes the sides of the other.
    if !s_positive {
        std::mem::swap(&mut q2, &mut r2);
    }
    if !t_positive {
        std::mem::swap(&mut q1, &mut r1);
    }
    let (first, second) = (orient3d(p1, q1, p2, q2), orient3d(p1, r1, r2, p2));
    if first == Sign::Positive || second == Sign::Positive {
        Overlap::None
    } else if first.is_zero() || second.is_zero() {
        Overlap::Point
    } else {
        Overlap::Interior
    }
}

/// The vertex that lies alone on its side of a plane, and whether that is the positive one. Not all signs are zero, nor
/// all equal.
fn alone(s: [Sign; 3]) -> (usize, bool) {
    for sign in [Sign::Positive, Sign::Negative] {
        let on = (0..3).filter(|&i| s[i] == sign).count();
        if on == 1 {
            let i = s.iter().position(|&x| x == sign).expect("counted");
            return (i, sign == Sign::Positive);
        }
        if on == 2 {
            let i = s.iter().position(|&x| x != sign).expect("not all");
            return (i, sign == Sign::Negative);
        }
    }
    unreachable!("not all signs are zero")
}

/// How two triangles meet when the vertices of one lie in the plane of the other, or when one has no area. `edges` are those, by their
/// first corner, that may part them: all, or, when the first corner is common, the two that meet there.
fn in_one_plane(s: &[DVec3; 3], t: &[DVec3; 3], edges: &[usize]) -> Meeting {
    let areas = [s, t].map(|t| (0..3).map(|k| orient2d_along(k, t[0], t[1], t[2])).collect::<Vec<_>>());
    let flat = |area: &[Sign]| area.iter().all(|s| s.is_zero());
    if flat(&areas[0]) || flat(&areas[1]) {
        return if degenerate_meets(s, t) { Meeting::Touching } else { Meeting::Apart };
    }
    let axis = areas[0].iter().position(|s| !s.is_zero()).expect("has an area");
    let project = |t: &[DVec3; 3]| t.map(|p| along(axis, p));
    let (s, t) = (project(s), project(t));
    // Separating axes: for convex polygons in the plane the edges' own directions are enough.
    let mut touching = false;
    for (a, b) in [(&s, &t), (&t, &s)] {
        let inside = orient2d(a[0], a[1], a[2]);
        for &k in edges {
            let turns = b.map(|p| orient2d(a[k], a[(k + 1) % 3], p));
            if turns.iter().all(|&x| x == -inside) {
                return Meeting::Apart;
            }
            touching |= turns.iter().all(|&x| x != inside);
        }
    }
    if touching { Meeting::Touching } else { Meeting::Coplanar }
}

/// The point seen along a coordinate axis.
fn along(axis: usize, p: DVec3) -> DVec2 {
    match axis {
        0 => p.yz(),
        1 => p.zx(),
        _ => p.xy(),
    }
}

fn orient2d_along(axis: usize, a: DVec3, b: DVec3, c: DVec3) -> Sign {
    orient2d(along(axis, a), along(axis, b), along(axis, c))
}

/// Whether triangles meet of which at least one has no area: as the segments and triangles that they are.
fn degenerate_meets(s: &[DVec3; 3], t: &[DVec3; 3]) -> bool {
    let edges = |t: &[DVec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let has_area = |t: &[DVec3; 3]| (0..3).any(|k| !orient2d_along(k, t[0], t[1], t[2]).is_zero());
    let pierced =
        |s: &[DVec3; 3], t: &[DVec3; 3]| has_area(t) && edges(s).iter().any(|e| pierces_or_inside(e, t));
    pierced(s, t) || pierced(t, s) || edges(s).iter().any(|e| edges(t).iter().any(|f| segments_meet(e, f)))
}

/// Whether a segment meets a triangle that has an area, other than by meeting its edges.
fn pierces_or_inside(&[p, q]: &[DVec3; 2], t: &[DVec3; 3]) -> bool {
    let [a, b, c] = *t;
    let (above, below) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    let weakly_agree =
        |turns: [Sign; 3]| !(turns.contains(&Sign::Positive) && turns.contains(&Sign::Negative));
    if above.is_zero() {
        (0..3).all(|k| weakly_agree([(a, b), (b, c), (c, a)].map(|(u, v)| orient2d_along(k, u, v, p))))
    } else if above == -below {
        weakly_agree([orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)])
    } else {
        false
    }
}

/// Whether two closed segments meet, degenerate ones included: they lie in one plane, and in every projection
/// the boxes meet and each straddles the line of the other.
fn segments_meet(&[p0, p1]: &[DVec3; 2], &[q0, q1]: &[DVec3; 2]) -> bool {
    let boxes = p0.min(p1).cmple(q0.max(q1)).all() && q0.min(q1).cmple(p0.max(p1)).all();
    let straddle = |k, a, b, c, d| {
        let (s, t) = (orient2d_along(k, a, b, c), orient2d_along(k, a, b, d));
        s.is_zero() || t.is_zero() || s != t
    };
    boxes
        && orient3d(p0, p1, q0, q1).is_zero()
        && (0..3).all(|k| straddle(k, p0, p1, q0, q1) && straddle(k, q0, q1, p0, p1))
}

/// Two faces of a surface that meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FacePair {
    /// The faces, ascending.
    pub faces: [u32; 2],
    /// How they meet; never [`Meeting::Apart`].
    pub meeting: Meeting,
}

/// The pairs of faces of a surface that meet in more than what they share ([`faces_meet`]); keeps its memory between calls.
#[derive(Clone, Debug, Default)]
pub struct SelfCrossings {
    candidates: Vec<[u32; 2]>,
    pairs: Vec<FacePair>,
}

impl SelfCrossings {
    /// Finds the pairs at the positions `x` (metres, finite).
    ///
    /// `tree` holds one box a face, refit to `x` (boxes may be larger). In parallel; the result does not depend on the
    /// number of threads.
    pub fn find(&mut self, faces: &[[u32; 3]], x: &[Vec3], tree: &Tree) -> &[FacePair] {
        assert_eq!(faces.len(), tree.len(), "one box a face");
        let meet = |f: u32, g: u32| faces_meet(x, faces[f as usize], faces[g as usize]);
        self.candidates.clear();
        tree.self_pairs(|f, g| meet(f, g) != Meeting::Apart, &mut self.candidates);
        self.candidates.par_sort_unstable();
        self.candidates
            .par_iter()
            .map(|&faces| FacePair { faces, meeting: meet(faces[0], faces[1]) })
            .collect_into_vec(&mut self.pairs);
        &self.pairs
    }

    /// The pairs that the last call found, ascending.
    pub fn pairs(&self) -> &[FacePair] {
        &self.pairs
    }

    /// How many of them meet in that way.
    pub fn count(&self, meeting: Meeting) -> usize {
        self.pairs.iter().filter(|p| p.meeting == meeting).count()
    }
}

#[cfg(test)]
mod tests;
