//! The plane against brute force: every boundary edge, and a segment cut into the pieces that lie in triangles.

use std::f64::consts::TAU;

use proptest::prelude::*;

use super::*;

/// A strip of squares, `n` long and `m` wide, bent by `map`.
fn strip(n: u32, m: u32, map: impl Fn(DVec2) -> DVec2) -> (PlaneMesh, Vec<Vec2>) {
    let at = |i: u32, j: u32| i * (m + 1) + j;
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..m {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend(if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
        }
    }
    let points = (0..=n).flat_map(|i| (0..=m).map(move |j| DVec2::new(i as f64, j as f64)));
    (PlaneMesh::new(&triangles), points.map(|p| map(p).as_vec2()).collect())
}

/// A strip wound into a ring that laps over itself, or a spiral.
fn ring(n: u32, m: u32, radius: f64, turns: f64, growth: f64) -> (PlaneMesh, Vec<Vec2>) {
    strip(n, m, |p| {
        let angle = p.x / n as f64 * turns * TAU;
        // Minus: along, then inwards, is counter-clockwise.
        let r = radius + growth * angle / TAU - p.y;
        DVec2::new(r * angle.cos(), r * angle.sin())
    })
}

/// Parameters of the part of the segment `p + t d` inside a triangle.
fn interval(corners: [DVec2; 3], p: DVec2, d: DVec2) -> (f64, f64) {
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for i in 0..3 {
        let (a, b) = (corners[i], corners[(i + 1) % 3]);
        let normal = (b - a).perp();
        let (offset, slope) = (normal.dot(p - a), normal.dot(d));
        let slack = 1e-12 * normal.length() * (1.0 + d.length());
        if slope.abs() <= slack {
            if offset < -slack {
                return (1.0, 0.0);
            }
        } else if slope > 0.0 {
            enter = enter.max((-offset - slack) / slope);
        } else {
            leave = leave.min((-offset - slack) / slope);
        }
    }
    (enter, leave)
}

/// Nearest boundary point that triangles joined by edges lead to, their pieces of the segment joined end to end.
fn brute_force(mesh: &PlaneMesh, x: &[Vec2], p: DVec2, start: u32, own: u32) -> f64 {
    let corners = |t: u32| mesh.triangles[t as usize].map(|v| x[v as usize].as_dvec2());
    let mut best = f64::INFINITY;
    for (t, i) in mesh.boundary() {
        let [a, b] = edge(mesh.triangles[t as usize], i);
        if a == own || b == own {
            continue;
        }
        let (a, b) = (x[a as usize].as_dvec2(), x[b as usize].as_dvec2());
        let along = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        let d = a + (b - a) * along - p;
        if d.length() >= best {
            continue;
        }
        let (mut seen, mut waiting) = (vec![start], vec![start]);
        while let Some(u) = waiting.pop() {
            if u == t {
                best = d.length();
                break;
            }
            let here = interval(corners(u), p, d);
            for &v in mesh.neighbors[u as usize].iter().filter(|&&v| v != NONE) {
                let there = interval(corners(v), p, d);
                let meet = there.0 <= there.1 + 1e-9 && there.0 <= here.1 + 1e-9 && here.0 <= there.1 + 1e-9;
                if meet && !seen.contains(&v) {
                    seen.push(v);
                    waiting.push(v);
                }
            }
        }
    }
    best
}

fn check(mesh: &PlaneMesh, x: &[Vec2]) -> usize {
    let mut asked = 0;
    for v in 0..x.len() as u32 {
        let p = x[v as usize].as_dvec2();
        for t in mesh.containing(x, v) {
            let found = mesh.shortest_path(x, p, t, Some(v)).unwrap();
            let right = brute_force(mesh, x, p, t, v);
            assert!(
                (found.distance - right).abs() <= 1e-9 * (1.0 + right),
                "{v} in {t}: {found:?} for {right}"
            );
            let ends = found.edge.map(|v| x[v as usize].as_dvec2());
            assert!((ends[0].lerp(ends[1], found.along) - found.position).length() < 1e-9);
            asked += 1;
        }
    }
    asked
}

fn positive(mesh: &PlaneMesh, x: &[Vec2]) -> bool {
    let corners = |t: &[u32; 3]| t.map(|v| x[v as usize].as_dvec2());
    mesh.triangles.iter().map(corners).all(|[a, b, c]| orient2d(a, b, c) == Sign::Positive)
}

#[test]
fn a_ring_that_laps_over_itself() {
    let (mesh, x) = ring(40, 4, 9.0, 1.3, 1.5);
    assert!(positive(&mesh, &x));
    assert!(check(&mesh, &x) > 20);
}

#[test]
fn from_a_convex_body_the_way_out_is_the_nearest_side() {
    let (mesh, x) = strip(8, 6, |p| p);
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        let p = triangle.iter().map(|&v| x[v as usize].as_dvec2()).sum::<DVec2>() / 3.0;
        let right = p.min(DVec2::new(8.0, 6.0) - p).min_element();
        let found = mesh.shortest_path(&x, p, t as u32, None).unwrap();
        assert!((found.distance - right).abs() < 1e-12);
    }
    assert_eq!(mesh.boundary().count(), 28);
}

#[test]
fn an_inverted_triangle_inside_leaves_a_way_out() {
    let (mesh, mut x) = strip(6, 6, |p| p);
    // A vertex in the middle goes two squares over.
    x[3 * 7 + 3].x += 2.2;
    assert!(!positive(&mesh, &x));
    for t in 0..mesh.triangles.len() as u32 {
        let [a, b, c] = mesh.triangles[t as usize].map(|v| x[v as usize].as_dvec2());
        if orient2d(a, b, c) == Sign::Positive {
            let p = (a + b + c) / 3.0;
            let found = mesh.shortest_path(&x, p, t, None).unwrap();
            assert!(found.distance <= 1e-9 + p.min(DVec2::splat(6.0) - p).min_element() * 4.0, "{found:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_spirals(n in 20u32..50, m in 1u32..5, turns in 1.05f64..2.2, growth in 0.1f64..4.0, more in 2.0f64..6.0) {
        let (mesh, x) = ring(n, m, m as f64 + more, turns, growth);
        prop_assume!(positive(&mesh, &x));
        check(&mesh, &x);
    }
}
