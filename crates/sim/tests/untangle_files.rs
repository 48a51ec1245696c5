//! Sheets from files: borders, holes, several parts, vertices in any order and unused ones.

use std::fmt::Write;

use glam::DVec3;
use gordian_mesh::io;
use gordian_sim::cloth::untangle::untangle;
use gordian_sim::scene::ClothResponse;

/// An OBJ file of grids of quads: size, where a quad is left out, and where its points are.
struct Part {
    n: usize,
    hole: fn(usize, usize) -> bool,
    at: fn(f64, f64) -> DVec3,
}

/// Writes the parts with their vertices in a scattered order, and an unused vertex in the middle.
fn obj(parts: &[Part]) -> String {
    let mut points = Vec::new();
    let mut faces = Vec::new();
    for part in parts {
        let (first, side) = (points.len(), part.n + 1);
        for k in 0..side * side {
            let unit = |i: usize| i as f64 / part.n as f64 - 0.5;
            points.push((part.at)(unit(k % side), unit(k / side)));
        }
        for k in 0..part.n * part.n {
            let (i, j) = (k % part.n, k / part.n);
            if !(part.hole)(i, j) {
                let v = first + j * side + i;
                faces.push([v, v + 1, v + side + 1, v + side]);
            }
        }
    }
    let unused = points.len() / 2;
    points.insert(unused, DVec3::splat(7.0));
    let count = points.len();
    // A stride that has no divisor in common with the count visits every vertex once.
    let stride = (3..).find(|s| gcd(*s, count) == 1).unwrap();
    let place = |v: usize| (if v >= unused { v + 1 } else { v }) * stride % count;
    let mut lines = vec![DVec3::ZERO; count];
    points.iter().enumerate().for_each(|(v, p)| lines[v * stride % count] = *p);
    let mut text = String::new();
    lines.iter().for_each(|p| writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap());
    for f in faces {
        let [a, b, c, d] = f.map(|v| place(v) + 1);
        writeln!(text, "f {a} {b} {c} {d}").unwrap();
    }
    text
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn whole(_: usize, _: usize) -> bool {
    false
}

/// Untangles a file, writes it and reads it again; crossings before, after, and the largest displacement in edges.
fn round_trip(name: &str, text: &str) -> (u64, u64, f64) {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("in.obj"), folder.path().join("out.obj"));
    std::fs::write(&path, text).unwrap();
    let mesh = io::load_surface(&path).unwrap().mesh;
    let done = untangle(&mesh, ClothResponse::Icm, 200, |_| true).unwrap();
    io::write_obj(&out, &done.positions, &mesh.triangles).unwrap();
    let back = io::load_surface(&out).unwrap().mesh;
    assert_eq!(back.triangles, mesh.triangles, "{name}: the order is that of the file");
    assert_eq!(back.positions.len(), mesh.positions.len(), "{name}: nothing is dropped");
    let far = |i: usize| done.positions[i].distance(mesh.positions[i]);
    let largest = (0..mesh.positions.len()).map(far).fold(0.0, f64::max);
    // But for the rounding of positions of about one.
    assert!((largest - done.largest.0).abs() < 1e-12, "{name}: the largest displacement is told");
    assert!((largest - far(done.largest.1 as usize)).abs() < 1e-12, "{name}: and of which vertex");
    let unused = mesh.positions.iter().position(|p| *p == DVec3::splat(7.0)).unwrap();
    assert_eq!(done.positions[unused], DVec3::splat(7.0), "{name}: an unused vertex stays");
    let [a, b] = [mesh.triangles[0][0], mesh.triangles[0][1]].map(|v| mesh.positions[v as usize]);
    (done.crossings[0], done.crossings[1], largest / a.distance(b))
}

#[test]
fn files_with_borders_holes_and_several_parts_come_apart_in_their_order() {
    // A sheet with a corner folded over, whose tip dips through: the contour ends at the border.
    let corner = Part {
        n: 20,
        hole: whole,
        at: |u, v| {
            let over = (u + v - 0.45).max(0.0);
            let wave = (std::f64::consts::PI * over / (0.3 * 2f64.sqrt())).sin();
            DVec3::new(u - over, v - over, 0.1 * wave)
        },
    };
    // Two parts: a flat one with a hole, and one whose bump comes through beside the hole.
    let plate = Part {
        n: 16,
        hole: |i, j| (7..9).contains(&i) && (7..9).contains(&j),
        at: |u, v| DVec3::new(u, v, 0.0),
    };
    let bump = Part {
        n: 14,
        hole: whole,
        at: |u, v| {
            let d = (u - 0.2).powi(2) + (v - 0.13).powi(2);
            DVec3::new(0.9 * u + 0.011, 0.9 * v + 0.1 * u, 0.1 * (-d / 0.02).exp() - 0.06)
        },
    };
    // Three parts, one of them cut by both others at their borders.
    let left = Part { n: 9, hole: whole, at: |u, v| DVec3::new(0.4 * u - 0.42, 0.5 * v, 0.1 * u + 0.031) };
    let right =
        Part { n: 9, hole: whole, at: |u, v| DVec3::new(0.4 * u + 0.43, 0.5 * v + 0.01, -0.1 * u + 0.027) };
    let cases = [
        ("corner", obj(&[corner]), 3.0),
        ("hole", obj(&[plate, bump]), 3.0),
        (
            "parts",
            obj(&[
                Part { n: 18, hole: whole, at: |u, v| DVec3::new(u, v, 0.05 * (9.0 * v).sin()) },
                left,
                right,
            ]),
            3.0,
        ),
    ];
    for (name, text, most) in cases {
        let (before, after, edges) = round_trip(name, &text);
        println!("{name}: {before} -> {after}, {edges:.2} edges");
        assert!(before > 5, "{name}: {before} at the start");
        assert_eq!(after, 0, "{name}");
        assert!(edges < most, "{name}: {edges} edges");
    }
}
