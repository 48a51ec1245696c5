//! Triangle pairs against exact rational clipping, and the surfaces with known counts.

use num_rational::BigRational;
use num_traits::{Signed, Zero};
use proptest::prelude::*;

use super::*;
use crate::bvh::Aabb;

type Rational3 = [BigRational; 3];

fn exact(p: DVec3) -> Rational3 {
    p.to_array().map(|x| BigRational::from_float(x).unwrap())
}
fn sub(a: &Rational3, b: &Rational3) -> Rational3 {
    [0, 1, 2].map(|i| &a[i] - &b[i])
}
fn cross(a: &Rational3, b: &Rational3) -> Rational3 {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &a[i] * &b[j] - &a[j] * &b[i])
}
fn dot(a: &Rational3, b: &Rational3) -> BigRational {
    (0..3).map(|i| &a[i] * &b[i]).sum()
}
fn normal(t: &[Rational3; 3]) -> Rational3 {
    cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]))
}

/// Sutherland-Hodgman: the part of a convex polygon where `distance >= 0`.
fn clip(polygon: Vec<Rational3>, distance: impl Fn(&Rational3) -> BigRational) -> Vec<Rational3> {
    let mut out = Vec::new();
    for i in 0..polygon.len() {
        let (a, b) = (&polygon[i], &polygon[(i + 1) % polygon.len()]);
        let (da, db) = (distance(a), distance(b));
        if !da.is_negative() {
            out.push(a.clone());
        }
        if (da.is_positive() && db.is_negative()) || (da.is_negative() && db.is_positive()) {
            let t = &da / (&da - &db);
            out.push([0, 1, 2].map(|k| &a[k] + &t * (&b[k] - &a[k])));
        }
    }
    out
}

/// Clips `s` by the plane of `t` from both sides and by the edges of `t`; what is left is the common set.
fn common(s: &[Rational3; 3], t: &[Rational3; 3]) -> Vec<Rational3> {
    let n = normal(t);
    let height = |p: &Rational3| dot(&n, &sub(p, &t[0]));
    let mut polygon = clip(s.to_vec(), height);
    polygon = clip(polygon, |p| -height(p));
    for k in 0..3 {
        let inward = cross(&n, &sub(&t[(k + 1) % 3], &t[k]));
        polygon = clip(polygon, |p| dot(&inward, &sub(p, &t[k])));
    }
    polygon
}

/// Both triangles must have an area.
fn oracle(s: &[DVec3; 3], t: &[DVec3; 3]) -> Meeting {
    let (s, t) = (s.map(exact), t.map(exact));
    let set = common(&s, &t);
    let Some(first) = set.first() else { return Meeting::Apart };
    let has_area = set.iter().any(|p| {
        set.iter().any(|q| !dot(&normal(&[first.clone(), p.clone(), q.clone()]), &normal(&t)).is_zero())
    });
    if has_area {
        return Meeting::Coplanar;
    }
    let has_length = set.iter().any(|p| p != first);
    let straddles = |s: &[Rational3; 3], t: &[Rational3; 3]| {
        let h: Vec<BigRational> = s.iter().map(|p| dot(&normal(t), &sub(p, &t[0]))).collect();
        h.iter().any(Signed::is_positive) && h.iter().any(Signed::is_negative)
    };
    if has_length && straddles(&s, &t) && straddles(&t, &s) { Meeting::Crossing } else { Meeting::Touching }
}

fn triangle() -> impl Strategy<Value = [DVec3; 3]> {
    let coordinate =
        || prop_oneof![4 => (-2i32..3).prop_map(f64::from), 1 => (-2.0f32..2.0).prop_map(f64::from)];
    let point = || [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array);
    [point(), point(), point()]
}

fn has_area(t: &[DVec3; 3]) -> bool {
    (0..3).any(|k| !orient2d_along(k, t[0], t[1], t[2]).is_zero())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn pairs_meet_as_exact_clipping_says(s in triangle(), t in triangle()) {
        prop_assume!(has_area(&s) && has_area(&t));
        let expected = oracle(&s, &t);
        prop_assert_eq!(triangle_triangle(&s, &t), expected);
        prop_assert_eq!(triangle_triangle(&t, &s), expected);
        prop_assert_eq!(triangle_triangle(&[s[1], s[0], s[2]], &[t[2], t[0], t[1]]), expected);
        prop_assert_eq!(triangle_triangle(&s.map(|p| p * 1024.0), &t.map(|p| p * 1024.0)), expected);
    }

    /// What triangles share besides a corner, or an edge, is what exact clipping leaves beyond it.
    #[test]
    fn neighbours_meet_as_exact_clipping_says(s in triangle(), w in triangle()) {
        let [v, p, q] = s;
        let beyond = |t: &[DVec3; 3]| match oracle(&s, t) {
            meeting @ (Meeting::Coplanar | Meeting::Crossing) => meeting,
            _ => Meeting::Apart,
        };
        let [a, b, _] = w;
        prop_assume!(has_area(&s) && has_area(&[v, a, b]) && has_area(&[v, p, a]));
        let expected = beyond(&[v, a, b]);
        for (s, t) in [([p, q], [a, b]), ([q, p], [a, b]), ([b, a], [p, q]), ([a, b], [q, p])] {
            prop_assert_eq!(triangles_at_a_corner(v, s, t), expected);
        }
        // In the plane of s, but for roundings.
        let flat = [a, b].map(|c| v + (p - v) * c.x + (q - v) * c.y);
        if has_area(&[v, flat[0], flat[1]]) {
            prop_assert_eq!(triangles_at_a_corner(v, [p, q], flat), beyond(&[v, flat[0], flat[1]]));
        }
        for c in [a, flat[0]] {
            if has_area(&[v, p, c]) {
                let expected = beyond(&[v, p, c]);
                prop_assert_eq!(triangles_at_an_edge([v, p], q, c), expected);
                prop_assert_eq!(triangles_at_an_edge([p, v], c, q), expected);
            }
        }
    }

    /// Corners of `t` computed into the plane of `s` miss it by roundings.
    #[test]
    fn nearly_coplanar_pairs_are_exact(s in triangle(), w in [[-1.0f64..2.0, -1.0..2.0], [-1.0..2.0, -1.0..2.0], [-1.0..2.0, -1.0..2.0]]) {
        let t = w.map(|[u, v]| s[0] + (s[1] - s[0]) * u + (s[2] - s[0]) * v);
        prop_assume!(has_area(&s) && has_area(&t));
        prop_assert_eq!(triangle_triangle(&s, &t), oracle(&s, &t));
    }

    /// A segment is a triangle without area; pushed out of its line it pierces as the triangle crosses.
    #[test]
    fn segments_meet_triangles_as_degenerate_triangles_do(s in triangle(), t in triangle()) {
        prop_assume!(has_area(&t));
        let meeting = segment_triangle(&[s[0], s[1]], &t);
        let degenerate = triangle_triangle(&[s[0], s[1], s[1]], &t);
        prop_assert_eq!(meeting == Meeting::Apart, degenerate == Meeting::Apart);
        prop_assert!(degenerate <= Meeting::Touching);
        let t_exact = t.map(exact);
        let set = common(&[exact(s[0]), exact(s[1]), exact(s[1])], &t_exact);
        prop_assert_eq!(set.is_empty(), meeting == Meeting::Apart);
        if meeting == Meeting::Crossing && has_area(&s) {
            prop_assert_eq!(triangle_triangle(&s, &t), Meeting::Crossing);
        }
    }
}

/// Two triangles that share a corner only, one through the other, in any order of their corners, and apart when one is turned away.
#[test]
fn a_bow_crosses_itself() {
    let x = [
        Vec3::ZERO,
        Vec3::new(2.0, -1.0, 0.0),
        Vec3::new(2.0, 1.0, 0.0),
        Vec3::new(1.0, 0.0, -1.0),
        Vec3::new(1.0, 0.0, 1.0),
    ];
    let turned = x.map(|p| if p.z == 0.0 { p } else { -p });
    let flat = x.map(|p| Vec3::new(p.x, p.y + 0.5 * p.z, 0.0));
    for f in [[0, 1, 2], [2, 0, 1], [1, 2, 0], [0, 2, 1]] {
        for g in [[0, 3, 4], [4, 0, 3], [3, 4, 0], [4, 3, 0]] {
            for (x, meeting) in
                [(&x, Meeting::Crossing), (&turned, Meeting::Apart), (&flat, Meeting::Coplanar)]
            {
                assert_eq!(faces_meet(x, f, g), meeting, "{f:?} {g:?}");
                assert_eq!(faces_meet(x, g, f), meeting, "{g:?} {f:?}");
            }
        }
    }
}

#[test]
fn faces_that_fold_flat_lie_on_each_other() {
    let x = [
        Vec3::ZERO,
        Vec3::X,
        Vec3::Y,
        Vec3::new(0.3, 0.5, 0.0),
        Vec3::new(0.3, -0.5, 0.0),
        Vec3::new(0.3, 0.5, 0.1),
    ];
    assert_eq!(faces_meet(&x, [0, 1, 2], [1, 0, 3]), Meeting::Coplanar);
    assert_eq!(faces_meet(&x, [0, 1, 2], [1, 0, 4]), Meeting::Apart);
    assert_eq!(faces_meet(&x, [0, 1, 2], [1, 0, 5]), Meeting::Apart);
    // The same face twice, and faces that are none.
    for (f, g) in
        [([0, 1, 2], [2, 0, 1]), ([0, 0, 1], [0, 1, 2]), ([0, 0, 1], [0, 2, 3]), ([0, 0, 0], [0, 1, 2])]
    {
        assert_eq!(faces_meet(&x, f, g), Meeting::Apart);
        assert_eq!(faces_meet(&x, g, f), Meeting::Apart);
    }
}

#[test]
fn degenerate_triangles_only_touch() {
    let t = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
    let segment = |a: DVec3, b: DVec3| [a, (a + b) / 2.0, b];
    let through = segment(DVec3::new(1.0, 1.0, -1.0), DVec3::new(1.0, 1.0, 1.0));
    assert_eq!(triangle_triangle(&through, &t), Meeting::Touching);
    assert_eq!(triangle_triangle(&t, &through), Meeting::Touching);
    let beside = through.map(|p| p + DVec3::X * 4.0);
    assert_eq!(triangle_triangle(&beside, &t), Meeting::Apart);
    let inside = segment(DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.5, 1.0, 0.0));
    assert_eq!(triangle_triangle(&inside, &t), Meeting::Touching);
    let crossing = segment(DVec3::new(1.0, 2.0, 0.0), DVec3::new(1.0, 0.0, 0.0));
    assert_eq!(triangle_triangle(&inside, &crossing), Meeting::Touching);
    assert_eq!(triangle_triangle(&through, &crossing), Meeting::Touching);
    let point = [DVec3::new(1.0, 1.0, 0.0); 3];
    assert_eq!(triangle_triangle(&point, &t), Meeting::Touching);
    assert_eq!(triangle_triangle(&point, &point), Meeting::Touching);
    assert_eq!(triangle_triangle(&point, &t.map(|p| p + DVec3::Z)), Meeting::Apart);
}

/// Counts of the shared surfaces in exact arithmetic, of pairs that share no vertex: (crossing, anything else).
#[test]
fn the_surfaces_of_the_workloads_cross_as_often_as_known() {
    for (name, crossing, others) in [
        ("noodle_helix", Some(2446), Some(false)),
        ("beam_coil", Some(16502), Some(false)),
        ("octopus_squash", None, Some(true)),
        ("ball_half", None, Some(true)),
    ] {
        let Some(path) = gordian_mesh::testdata::path(&format!("workloads/{name}.npz")) else { return };
        let w = gordian_mesh::io::npz::Workload::read(&path).unwrap();
        let boxes = |x: &[Vec3]| -> Vec<Aabb> { w.faces.iter().map(|f| Aabb::of_simplex(x, f)).collect() };
        let tree = Tree::build(&boxes(&w.deformed));
        let mut found = SelfCrossings::default();
        let begin = std::time::Instant::now();
        found.find(&w.faces, &w.deformed, &tree);
        let ms = begin.elapsed().as_secs_f64() * 1e3;
        let apart = |[f, g]: [u32; 2]| w.faces[f as usize].iter().all(|v| !w.faces[g as usize].contains(v));
        let [touching, coplanar, crossings] = [Meeting::Touching, Meeting::Coplanar, Meeting::Crossing]
            .map(|m| found.pairs().iter().filter(|p| p.meeting == m && apart(p.faces)).count());
        println!("{name}: {crossings} crossing, {coplanar} coplanar, {touching} touching, {ms:.1} ms");
        if let Some(expected) = crossing {
            assert_eq!(crossings, expected, "{name}");
        }
        if let Some(expected) = others {
            assert_eq!(coplanar + touching > 0, expected, "{name}");
        }
        let tree = Tree::build(&boxes(&w.rest));
        assert_eq!(found.find(&w.faces, &w.rest, &tree), &[], "{name} at rest");
    }
}
