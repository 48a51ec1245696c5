//! Surfaces filled with tetrahedra: closed forms, borders, overlaps, scale.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use gordian_mesh::fill::{FillError, FillOptions, Filled, Remark, TriangleTree, fill_surface};
use gordian_mesh::generate;
use gordian_mesh::quality::TetQuality;
use gordian_mesh::{TetMesh, TetTopology, TriMesh, signed_volume};

fn boundary(mesh: TetMesh) -> TriMesh {
    let triangles = TetTopology::new(mesh.positions.len(), &mesh.tets).faces;
    TriMesh { positions: mesh.positions, triangles }
}

fn ball(radius: f64, at: DVec3) -> TriMesh {
    let mut surface = boundary(generate::sphere(radius, 12).unwrap());
    surface.positions.iter_mut().for_each(|p| *p += at);
    surface
}

fn cube(size: f64) -> TriMesh {
    boundary(generate::box_mesh(DVec3::splat(size), [1; 3]).unwrap())
}

/// A torus with an axis of radius 1 and a tube of 0.3, `around` times `across` quads.
fn torus(around: u32, across: u32) -> TriMesh {
    let id = |i: u32, j: u32| (i % around) * across + j % across;
    let mut surface = TriMesh::default();
    for i in 0..around {
        for j in 0..across {
            let (s, c) = (TAU * f64::from(i) / f64::from(around)).sin_cos();
            let (t, d) = (TAU * f64::from(j) / f64::from(across)).sin_cos();
            let out = 1.0 + 0.3 * d;
            surface.positions.push(DVec3::new(out * c, out * s, 0.3 * t));
            surface.triangles.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
            surface.triangles.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
        }
    }
    surface
}

fn joined(parts: &[TriMesh]) -> TriMesh {
    let mut all = TriMesh::default();
    for part in parts {
        let first = all.positions.len() as u32;
        all.positions.extend(&part.positions);
        all.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}

fn turned(mut surface: TriMesh) -> TriMesh {
    surface.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    surface
}

fn fill(surface: &TriMesh, edge: f64) -> Filled {
    let filled = fill_surface(surface, &FillOptions::new(edge)).unwrap();
    let mesh = &filled.mesh;
    assert!((0..mesh.tets.len()).all(|t| signed_volume(mesh.corners(t)) > 0.0));
    let quality = TetQuality::measure(mesh);
    let (least, most) = (quality.min_dihedral.0, quality.max_dihedral.0);
    assert!(least > 10.0 && most < 160.0, "dihedral angles of {least} to {most} degrees");
    let ratio = quality.mean_edge / edge;
    assert!((0.85..1.15).contains(&ratio), "edges of {ratio} times the wanted length");
    filled
}

fn near(value: f64, expected: f64, relative: f64) {
    assert!((value / expected - 1.0).abs() < relative, "{value} is not {expected}");
}

#[test]
fn a_ball_a_box_and_a_torus_have_their_volumes_and_stay_close() {
    let sphere = ball(1.0, DVec3::new(0.3, 0.2, 0.1));
    let enclosed = {
        let t = |t: &[u32; 3]| t.map(|v| sphere.positions[v as usize]);
        sphere.triangles.iter().map(t).map(|[a, b, c]| signed_volume([DVec3::ZERO, a, b, c])).sum::<f64>()
    };
    let filled = fill(&sphere, 0.15);
    assert_eq!(filled.remarks, []);
    near(filled.mesh.volume(), enclosed, 0.01);
    assert!(filled.deviation.largest() < 0.3 * 0.15, "{:?}", filled.deviation);

    // Sharp edges and corners are cut by less than an edge.
    let filled = fill(&cube(1.0), 0.1);
    assert_eq!(filled.remarks, []);
    near(filled.mesh.volume(), 1.0, 0.02);
    assert!(filled.deviation.of_surface.0 < 0.06, "{:?}", filled.deviation);
    assert!(filled.deviation.of_body.0 < 0.03, "{:?}", filled.deviation);

    let filled = fill(&torus(60, 24), 0.1);
    assert_eq!(filled.remarks, []);
    near(filled.mesh.volume(), TAU * PI * 0.09, 0.03);
    let topology = TetTopology::new(filled.mesh.positions.len(), &filled.mesh.tets);
    let [v, e, f] =
        [topology.boundary_vertices.len(), topology.edges.len(), topology.faces.len()].map(|n| n as i64);
    assert_eq!(v - e + f, 0);
}

#[test]
fn scale_changes_nothing() {
    let at = |scale: f64| {
        let mut surface = torus(40, 16);
        surface.positions.iter_mut().for_each(|p| *p *= scale);
        fill(&surface, 0.12 * scale)
    };
    let metres = at(1.0);
    for scale in [1e-3, 1e3] {
        let other = at(scale);
        assert_eq!(other.mesh.tets, metres.mesh.tets);
        // Rounding changes which of two equally good moves improves a shape.
        near(other.mesh.volume(), metres.mesh.volume() * scale.powi(3), 1e-3);
        near(other.deviation.largest(), metres.deviation.largest() * scale, 0.2);
    }
    let scale = 1.0 / 1024.0;
    let other = at(scale);
    assert!(other.mesh.positions.iter().zip(&metres.mesh.positions).all(|(&p, &q)| p == q * scale));
    assert_eq!(other.deviation.largest(), metres.deviation.largest() * scale);
}

#[test]
fn an_open_surface_is_refused_with_the_place_of_its_border() {
    let mut surface = ball(1.0, DVec3::ZERO);
    let top = (0..surface.positions.len())
        .max_by(|&a, &b| surface.positions[a].z.total_cmp(&surface.positions[b].z))
        .unwrap() as u32;
    surface.triangles.retain(|t| !t.contains(&top));
    match fill_surface(&surface, &FillOptions::new(0.1)).unwrap_err() {
        FillError::Open { borders: 1, edges, length, at, vertex } => {
            assert!(edges >= 4 && at.z > 0.9 && at.truncate().length() < 0.1);
            assert!(length > 0.5 && length < 2.0);
            assert!(surface.positions[vertex as usize].z > 0.8);
        }
        e => panic!("{e}"),
    }
    let e = fill_surface(&surface, &FillOptions::new(0.1)).unwrap_err().to_string();
    assert!(e.contains("open: it has 1 border, the longest of"), "{e}");
    // A fin on a closed surface.
    let mut finned = cube(1.0);
    let [a, b, _] = finned.triangles[0];
    finned.positions.push(DVec3::splat(2.0));
    finned.triangles.push([a, b, 8]);
    let refused = fill_surface(&finned, &FillOptions::new(0.1));
    assert!(matches!(refused, Err(FillError::Open { .. } | FillError::Fins { .. })), "{refused:?}");
    let nothing = TriMesh::default();
    assert_eq!(fill_surface(&nothing, &FillOptions::new(0.1)), Err(FillError::Empty));
}

#[test]
fn doubled_and_overlapping_parts_are_filled_as_their_union() {
    let sphere = ball(1.0, DVec3::ZERO);
    let once = fill(&sphere, 0.2);
    let twice = fill(&joined(&[sphere.clone(), sphere.clone()]), 0.2);
    near(twice.mesh.volume(), once.mesh.volume(), 1e-3);
    assert!(matches!(twice.remarks[..], [Remark::Overlaps { winding: 2, .. }]), "{:?}", twice.remarks);

    let pair = joined(&[sphere, ball(1.0, DVec3::new(1.0, 0.0, 0.0))]);
    let filled = fill(&pair, 0.2);
    // Two balls of radius 1 at distance 1 share a lens of 5 π / 12.
    near(filled.mesh.volume(), 8.0 / 3.0 * PI - 5.0 / 12.0 * PI, 0.05);
    match filled.remarks[..] {
        [Remark::Overlaps { winding: 2, at }] => assert!(at.length() < 1.1 && (at - DVec3::X).length() < 1.1),
        _ => panic!("{:?}", filled.remarks),
    }
}

#[test]
fn cavities_stay_and_parts_that_face_the_wrong_way_are_turned() {
    let shell = joined(&[ball(1.0, DVec3::ZERO), turned(ball(0.5, DVec3::ZERO))]);
    let expected = 4.0 / 3.0 * PI * (1.0 - 0.125);
    let filled = fill(&shell, 0.16);
    assert_eq!(filled.remarks, []);
    near(filled.mesh.volume(), expected, 0.04);
    // The whole inside out, and one of two balls.
    let filled = fill(&turned(shell), 0.16);
    assert_eq!(filled.remarks, [Remark::InsideOut(2)]);
    near(filled.mesh.volume(), expected, 0.04);
    let apart = joined(&[ball(1.0, DVec3::ZERO), turned(ball(0.5, 3.0 * DVec3::X))]);
    let filled = fill(&apart, 0.16);
    assert_eq!(filled.remarks, [Remark::InsideOut(1)]);
    near(filled.mesh.volume(), 4.0 / 3.0 * PI * 1.125, 0.04);
    // Single triangles.
    let mut mixed = cube(1.0);
    mixed.triangles[3].swap(0, 1);
    let filled = fill(&mixed, 0.2);
    assert_eq!(filled.remarks, [Remark::TurnedOver(1)]);
}

#[test]
fn what_an_edge_cannot_resolve_is_told_or_refused() {
    // Two balls with a thin neck between them fall apart.
    let neck = {
        let balls = [generate::Ball { center: DVec3::ZERO, radius: 1.0 }];
        let strand = generate::Strand::new(&[DVec3::ZERO, 3.4 * DVec3::X], &[0.12, 0.12]);
        let other = generate::Ball { center: 3.4 * DVec3::X, radius: 1.0 };
        let value = |p: DVec3| balls[0].distance(p).min(other.distance(p)).min(strand.distance(p));
        let bounds = [DVec3::splat(-1.0), DVec3::new(4.4, 1.0, 1.0)];
        boundary(generate::stuff(value, bounds, 0.08).unwrap())
    };
    assert_eq!(fill(&neck, 0.1).remarks, []);
    let coarse = fill(&neck, 0.55);
    match coarse.remarks[..] {
        [Remark::TopologyLost { parts: [1, 2], handles: [0, 0] }] => {}
        _ => panic!("{:?}", coarse.remarks),
    }
    assert!(coarse.remarks[0].to_string().contains("1 closed part and 0 handles"));

    let speck = ball(0.01, DVec3::ZERO);
    let e = fill_surface(&speck, &FillOptions::new(1.0)).unwrap_err();
    assert_eq!(e, FillError::TooCoarse { edge: 1.0 });
    match fill_surface(&speck, &FillOptions::new(1e-6)).unwrap_err() {
        FillError::TooFine { vertices, least, needs, allowed, .. } => {
            assert!(vertices > 1e12 && needs > allowed && least > 1e-5 && least < 1e-3);
        }
        e => panic!("{e}"),
    }
    for edge in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(fill_surface(&speck, &FillOptions::new(edge)).is_err());
    }
}

#[test]
fn a_klein_bottle_has_no_inside() {
    // Figure-eight immersion: a strip whose ends are joined turned.
    let (around, across) = (40u32, 16u32);
    let id = |i: u32, j: u32| {
        let j = if i >= around { (across - j) % across } else { j % across };
        (i % around) * across + j
    };
    let mut surface = TriMesh::default();
    for i in 0..around {
        for j in 0..across {
            let (u, v) = (TAU * f64::from(i) / f64::from(around), TAU * f64::from(j) / f64::from(across));
            let (s, c) = (0.5 * u).sin_cos();
            let out = 2.0 + c * v.sin() - s * (2.0 * v).sin();
            surface.positions.push(DVec3::new(
                out * u.cos(),
                out * u.sin(),
                s * v.sin() + c * (2.0 * v).sin(),
            ));
            surface.triangles.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
            surface.triangles.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
        }
    }
    assert_eq!(fill_surface(&surface, &FillOptions::new(0.2)), Err(FillError::OneSided));
}

#[test]
fn distances_and_winding_numbers_equal_sums_over_all_triangles() {
    let surface = joined(&[torus(30, 12), ball(0.2, DVec3::new(0.0, 0.0, 0.1))]);
    let tree = TriangleTree::new(&surface);
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64 * 3.0 - 1.5
    };
    let corners = |t: &[u32; 3]| t.map(|v| surface.positions[v as usize]);
    for _ in 0..300 {
        let p = DVec3::new(random(), random(), random() * 0.5);
        let exact: f64 = surface
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = corners(t).map(|q| q - p);
                let [x, y, z] = [a.length(), b.length(), c.length()];
                let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
                2.0 * a.dot(b.cross(c)).atan2(below)
            })
            .sum::<f64>()
            / (4.0 * PI);
        assert!((tree.winding(p) - exact).abs() < 0.05, "{} {exact}", tree.winding(p));
        let nearest = tree.nearest(p);
        // Dense points of every triangle are no nearer, and the best of them is hardly farther.
        let mut least = f64::INFINITY;
        for t in &surface.triangles {
            let [a, b, c] = corners(t);
            for i in 0..=8 {
                for j in 0..=8 - i {
                    let q = a + (b - a) * (f64::from(i) / 8.0) + (c - a) * (f64::from(j) / 8.0);
                    least = least.min(q.distance(p));
                }
            }
        }
        assert!(nearest.distance <= least + 1e-12 && least < nearest.distance + 0.03);
        assert!((nearest.point.distance(p) - nearest.distance).abs() < 1e-12);
    }
}
