//! Tracing and classes of contours.

use std::f32::consts::PI;

use glam::{Quat, Vec3};
use proptest::prelude::*;

use super::super::{Contours, End, Kind, canonical};
use super::shapes::{Cloth, flat, folded};

fn kinds(cloth: &Cloth) -> Vec<Kind> {
    cloth.contours().1.all.iter().map(|c| c.kind).collect()
}

fn pose(kind: Kind) -> Cloth {
    let c = canonical().into_iter().find(|c| c.kind == kind).unwrap();
    Cloth::new(c.rest, c.pose, &c.triangles)
}

#[test]
fn c19_each_of_the_seven_canonical_contours_is_told() {
    for c in canonical() {
        let cloth = Cloth::new(c.rest, c.pose, &c.triangles);
        let found = kinds(&cloth);
        // A ribbon that crosses itself has a contour with itself beside that with the sheet.
        let alone = !matches!(c.kind, Kind::Cross | Kind::FigureEight);
        assert!(found.contains(&c.kind), "{}: {found:?}", c.kind.name());
        assert!(!alone || found.len() == 1, "{}: {found:?}", c.kind.name());
    }
}

#[test]
fn the_tangled_starts_have_the_contours_they_are_made_for() {
    let of = |ridge: &dyn Fn(f32) -> f32| kinds(&folded(49, 0.01, ridge));
    assert_eq!(of(&|u| 0.15 * (PI * u).sin()), [Kind::Closed]);
    assert_eq!(of(&|u| 0.15 * (0.5 + 0.5 * (PI * u).cos())), [Kind::Bbii]);
    assert_eq!(of(&|u| 0.15 * (1.0 + 0.4 * (3.0 * PI * u).sin())).len(), 2);
}

#[test]
fn sides_change_where_the_pierced_triangle_changes_and_agree_with_the_sheets() {
    for kind in [Kind::Bbii, Kind::Bibi, Kind::Closed] {
        let cloth = pose(kind);
        let (hits, contours) = cloth.contours();
        let contour = &contours.all[0];
        let run = contours.hits(contour);
        let first =
            cloth.mesh.sheet[cloth.mesh.edges[hits[run[0] as usize].edge as usize].vertices[0] as usize];
        for (&h, &side) in run.iter().zip(contours.sides(contour)) {
            let edge = cloth.mesh.edges[hits[h as usize].edge as usize];
            let sheet = cloth.mesh.sheet[edge.vertices[0] as usize];
            assert_eq!(side == 1, sheet == first, "{}", kind.name());
        }
    }
}

#[test]
fn ends_are_where_they_seem_to_be() {
    let cloth = pose(Kind::Ll);
    let (_, contours) = cloth.contours();
    let Some([End::Loop(a), End::Loop(b)]) = contours.all[0].ends else {
        panic!("{:?}", contours.all[0].ends)
    };
    // The loops of the section vanish at 0.13 = 1.1 x².
    let x = |v: u32| cloth.rest[v as usize].x;
    assert!((x(a).abs() - 0.344).abs() < 0.11 && (x(b).abs() - 0.344).abs() < 0.11, "{} {}", x(a), x(b));
    assert!(x(a) * x(b) < 0.0);
}

#[test]
fn the_length_of_a_contour_is_that_of_the_curve() {
    // An upright sheet crosses a flat one along a straight line of 0.8.
    let cloth = flat(9, 9, Quat::IDENTITY, Vec3::ZERO).and(&flat(
        8,
        8,
        Quat::from_rotation_z(0.3) * Quat::from_rotation_x(1.3),
        Vec3::new(0.01, 0.02, 0.03),
    ));
    let (_, contours) = cloth.contours();
    assert_eq!(contours.all.len(), 1);
    assert!((contours.length() - 0.8).abs() < 1e-6, "{}", contours.length());
    assert_eq!(contours.all[0].kind, Kind::Bbii);
}

#[test]
fn a_contour_through_vertices_and_along_edges_is_not_torn() {
    // Grid lines of both sheets on each other: every hit is a tie.
    for center in [Vec3::ZERO, Vec3::new(0.05, 0.0, 0.0), Vec3::new(0.05, 0.05, 0.0)] {
        let upright = Cloth::grid(8, 8, |p| Vec3::new(p.x, 0.0, p.y) + center);
        let cloth = flat(12, 12, Quat::IDENTITY, Vec3::ZERO).and(&upright);
        let (_, contours) = cloth.contours();
        assert_eq!(contours.all.len(), 1, "{center}");
        assert!((contours.length() - 0.8).abs() < 1e-6, "{center}: {}", contours.length());
    }
}

#[test]
fn edges_of_three_triangles_make_contours_that_branch_and_all_are_told() {
    // Three half sheets on one line, pierced by a fourth sheet across the line.
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for j in 0..4u32 {
        points.push(Vec3::new(0.0, 0.0, 0.3 * j as f32));
    }
    for k in 0..3u32 {
        let a = 2.1 * k as f32 + 0.2;
        for j in 0..4u32 {
            points.push(Vec3::new(a.cos(), a.sin(), 0.3 * j as f32));
        }
        for j in 0..3u32 {
            let (p, q) = (4 + 4 * k + j, 4 + 4 * k + j + 1);
            triangles.extend([[j, p, q], [j, q, j + 1]]);
        }
    }
    let fins = Cloth::new(points.clone(), points, &triangles);
    let cloth = fins.and(&Cloth::grid(30, 30, |p| Vec3::new(p.x, p.y, 0.45 + 0.02 * p.x + 0.013 * p.y)));
    let (hits, contours) = cloth.contours();
    assert!(contours.all.iter().any(|c| c.kind == Kind::Junction));
    let told: usize = contours.all.iter().map(|c| contours.hits(c).len()).sum();
    assert_eq!(told, hits.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// The contours of two sheets, as sets of points, do not depend on how the triangles are numbered or turned.
    #[test]
    fn contours_do_not_depend_on_the_numbering(shift in 0usize..60, turn: bool) {
        let cloth = pose(Kind::Bibi);
        let mut triangles = cloth.mesh.triangles.clone();
        triangles.rotate_left(shift);
        if turn {
            triangles.iter_mut().for_each(|t| t.rotate_left(1));
        }
        let other = Cloth::new(cloth.rest.clone(), cloth.x.clone(), &triangles);
        let (a, b): (Contours, Contours) = (cloth.contours().1, other.contours().1);
        prop_assert_eq!(a.all.len(), b.all.len());
        prop_assert!((a.length() - b.length()).abs() < 1e-12);
        prop_assert_eq!(kinds(&cloth), kinds(&other));
    }
}
