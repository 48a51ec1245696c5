//! Generated meshes against closed forms: volumes, areas, angles, topology, invariance.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use gordian_mesh::generate::{self, Ball, GenerateError, Generated, Generator, Kind, Strand};
use gordian_mesh::manifold::{nonmanifold_edges, nonmanifold_vertices};
use gordian_mesh::quality::TetQuality;
use gordian_mesh::{TetMesh, TetTopology, signed_volume};

/// Checks what every generated volume must be, and returns its Euler characteristic and topology.
fn sound(mesh: &TetMesh) -> (i64, TetTopology) {
    assert!((0..mesh.tets.len()).all(|t| signed_volume(mesh.corners(t)) > 0.0));
    let topology = TetTopology::new(mesh.positions.len(), &mesh.tets);
    assert!(topology.defects.is_empty());
    assert_eq!(topology.unreferenced_vertices().count(), 0);
    assert_eq!(nonmanifold_edges(&topology), Vec::<[u32; 2]>::new());
    assert_eq!(nonmanifold_vertices(&topology), Vec::<u32>::new());
    let [v, e, f] =
        [topology.boundary_vertices.len(), topology.edges.len(), topology.faces.len()].map(|n| n as i64);
    (v - e + f, topology)
}

fn boundary_area(mesh: &TetMesh, topology: &TetTopology) -> f64 {
    let area = |f: &[u32; 3]| {
        let [a, b, c] = f.map(|v| mesh.positions[v as usize]);
        0.5 * (b - a).cross(c - a).length()
    };
    topology.faces.iter().map(area).sum()
}

fn assert_near(value: f64, expected: f64, relative: f64) {
    assert!((value - expected).abs() <= relative * expected.abs(), "{value} is not {expected}");
}

fn assert_good_angles(mesh: &TetMesh) {
    let quality = TetQuality::measure(mesh);
    let (least, most) = (quality.min_dihedral.0, quality.max_dihedral.0);
    assert!(least > 10.0 && most < 160.0, "dihedral angles of {least} to {most} degrees");
}

#[test]
fn a_box_has_its_volume_and_area_and_no_preferred_diagonal() {
    let mesh = generate::box_mesh(DVec3::new(2.0, 1.0, 3.0), [4, 2, 6]).unwrap();
    let (euler, topology) = sound(&mesh);
    assert_eq!((euler, topology.component_count), (2, 1));
    assert_eq!((mesh.positions.len(), mesh.tets.len()), (5 * 3 * 7, 5 * 4 * 2 * 6));
    assert_near(mesh.volume(), 6.0, 1e-14);
    assert_near(boundary_area(&mesh, &topology), 22.0, 1e-14);
    let quality = TetQuality::measure(&mesh);
    assert_near(quality.min_dihedral.0, 2.0f64.sqrt().atan().to_degrees(), 1e-12);
    assert_near(quality.max_dihedral.0, 90.0, 1e-12);
    // Face diagonals with rising and falling slope in each coordinate plane.
    let mut slopes = [[0; 2]; 3];
    for e in &topology.edges {
        let d = mesh.positions[e.vertices[0] as usize] - mesh.positions[e.vertices[1] as usize];
        for (axis, slope) in slopes.iter_mut().enumerate() {
            let product = d[(axis + 1) % 3] * d[(axis + 2) % 3];
            if product != 0.0 {
                slope[(product > 0.0) as usize] += 1;
            }
        }
    }
    for [falling, rising] in slopes {
        assert!(falling > 0 && falling == rising, "{slopes:?}");
    }
}

#[test]
fn odd_and_thin_boxes_and_beams_are_sound() {
    for cells in [[1, 1, 1], [1, 3, 2], [5, 1, 1]] {
        let mesh = generate::box_mesh(DVec3::ONE, cells).unwrap();
        assert_eq!(sound(&mesh).0, 2);
        assert_near(mesh.volume(), 1.0, 1e-14);
    }
    let beam = generate::beam(DVec3::new(0.5, 0.1, 0.21), 3).unwrap();
    assert_eq!(sound(&beam).0, 2);
    assert_eq!(beam.tets.len(), 5 * 15 * 3 * 6);
    assert_near(beam.volume(), 0.5 * 0.1 * 0.21, 1e-13);
}

#[test]
fn cloth_has_its_area_faces_up_and_alternates() {
    let mesh = generate::cloth_grid(2.0, 3.0, 4, 6).unwrap();
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (35, 48));
    let mut area = 0.0;
    let (mut rising, mut falling) = (0, 0);
    for t in &mesh.triangles {
        let p = t.map(|v| mesh.positions[v as usize]);
        let normal = 0.5 * (p[1] - p[0]).cross(p[2] - p[0]);
        assert_eq!((normal.x, normal.y), (0.0, 0.0));
        assert!(normal.z > 0.0);
        area += normal.z;
        for k in 0..3 {
            let d = p[(k + 1) % 3] - p[k];
            rising += (d.x * d.y > 0.0) as u32;
            falling += (d.x * d.y < 0.0) as u32;
        }
    }
    assert_near(area, 6.0, 1e-14);
    assert_eq!((rising, falling), (24, 24));
    assert_eq!(mesh.positions[0], DVec3::new(-1.0, -1.5, 0.0));
    assert_eq!(mesh.positions[34], DVec3::new(1.0, 1.5, 0.0));
}

/// Area of a regular polygon in a circle of radius 1.
fn polygon(corners: f64) -> f64 {
    0.5 * corners * (TAU / corners).sin()
}

#[test]
fn a_straight_rod_is_a_prism_over_a_polygon() {
    for rings in [1, 2, 4] {
        let segments = 10 * rings;
        let mesh = generate::rod_along_curve(generate::line(1.0), 0.1, rings, segments).unwrap();
        let (euler, topology) = sound(&mesh);
        assert_eq!((euler, topology.component_count), (2, 1));
        assert_eq!(mesh.tets.len() as u32, 18 * rings * rings * segments);
        let corners = f64::from(6 * rings);
        let cap = 0.01 * polygon(corners);
        assert_near(mesh.volume(), cap, 1e-12);
        let side = 0.1 * 2.0 * corners * (PI / corners).sin();
        assert_near(boundary_area(&mesh, &topology), side + 2.0 * cap, 1e-12);
        let quality = TetQuality::measure(&mesh);
        assert!(quality.min_dihedral.0 > 30.0 && quality.max_dihedral.0 < 125.0, "{quality:?}");
        assert!(quality.max_edge < 2.0 * quality.min_edge);
    }
}

#[test]
fn a_bent_rod_keeps_its_volume_by_the_theorem_of_pappus() {
    // Three quarters of a torus in 300 segments; mitred sections and chords lose 1e-4 of the volume.
    let arc = |t: f64| DVec3::new((1.5 * PI * t).cos(), (1.5 * PI * t).sin(), 0.0);
    let mesh = generate::rod_along_curve(arc, 0.05, 2, 300).unwrap();
    assert_eq!(sound(&mesh).0, 2);
    assert_near(mesh.volume(), 0.0025 * polygon(12.0) * 1.5 * PI, 2e-4);
}

#[test]
fn curves_that_cross_themselves_give_poses_of_one_mesh() {
    let (radius, rings, segments) = (0.02, 2, 400);
    let rest = generate::rod_along_curve(generate::line(3.0), radius, rings, segments).unwrap();
    let coil = generate::coil(0.25, 0.0, 2.0, 0.2);
    let posed = generate::rod_along_curve(coil, radius, rings, segments).unwrap();
    assert_eq!(rest.tets, posed.tets);
    sound(&posed);
}

#[test]
fn frames_do_not_twist_the_rod() {
    // Along a planar curve a rotation-minimising frame keeps the angle to the plane: each fibre stays at its
    // height.
    let wave = |t: f64| DVec3::new(4.0 * t, (TAU * t).sin(), 0.0);
    let mesh = generate::rod_along_curve(wave, 0.05, 1, 200).unwrap();
    for v in 0..7 {
        let heights = mesh.positions.iter().skip(v).step_by(7).map(|p| p.z);
        let (low, high) = heights.fold((f64::MAX, f64::MIN), |(l, h), z| (l.min(z), h.max(z)));
        assert!(high - low < 1e-12, "fibre {v} swings by {}", high - low);
    }
}

#[test]
fn too_tight_or_broken_curves_are_refused() {
    let arc = |t: f64| 0.04 * DVec3::new((PI * t).cos(), (PI * t).sin(), 0.0);
    let tight = generate::rod_along_curve(arc, 0.05, 2, 40);
    assert!(matches!(tight, Err(GenerateError::CurveTooTight { .. })), "{tight:?}");
    let back = generate::rod_along_points(&[DVec3::ZERO, DVec3::X, DVec3::ZERO], 0.1, 1);
    assert!(matches!(back, Err(GenerateError::CurveTooTight { segment: 1 })), "{back:?}");
    let point = generate::rod_along_points(&[DVec3::ZERO, DVec3::X, DVec3::X], 0.1, 1);
    assert_eq!(point, Err(GenerateError::CurveDegenerate { point: 1 }));
    let nan = generate::rod_along_curve(|t| DVec3::splat(f64::NAN * t), 0.1, 1, 4);
    assert!(matches!(nan, Err(GenerateError::CurveDegenerate { .. })), "{nan:?}");
}

#[test]
fn a_sphere_lies_on_its_sphere_and_its_volume_converges_with_the_square_of_the_spacing() {
    let mut errors = Vec::new();
    for resolution in [8, 16, 32] {
        let mesh = generate::sphere(0.5, resolution).unwrap();
        let (euler, topology) = sound(&mesh);
        assert_eq!((euler, topology.component_count), (2, 1));
        for &v in &topology.boundary_vertices {
            assert_near(mesh.positions[v as usize].length(), 0.5, 1e-8);
        }
        assert_good_angles(&mesh);
        let quality = TetQuality::measure(&mesh);
        assert!(quality.min_radius_ratio.0 > 0.3, "{quality:?}");
        errors.push(1.0 - mesh.volume() / (PI / 6.0));
        assert!(boundary_area(&mesh, &topology) < PI);
    }
    for w in errors.windows(2) {
        assert!(w[0] > 0.0 && (3.5..4.5).contains(&(w[0] / w[1])), "{errors:?}");
    }
}

#[test]
fn the_smallest_spheres_are_sound() {
    for resolution in 3..8 {
        let mesh = generate::sphere(1.0, resolution).unwrap();
        assert_eq!(sound(&mesh).0, 2);
        assert_good_angles(&mesh);
    }
}

#[test]
fn the_octopus_is_one_closed_surface_of_genus_0_at_every_resolution() {
    for resolution in [24, 30, 38, 50] {
        let mesh = generate::octopus(1.0, resolution).unwrap();
        let (euler, topology) = sound(&mesh);
        assert_eq!((euler, topology.component_count), (2, 1), "resolution {resolution}");
        assert_good_angles(&mesh);
    }
}

#[test]
fn a_squishy_ball_and_a_bent_body_are_one_closed_surface_of_genus_0() {
    let ball = generate::squishy_ball(1.0, 40, 30).unwrap();
    let bent = generate::bent_body(0.4, 0.25, 60.0, 5).unwrap();
    for mesh in [ball, bent] {
        let (euler, topology) = sound(&mesh);
        assert_eq!((euler, topology.component_count), (2, 1));
        assert_good_angles(&mesh);
    }
}

#[test]
fn a_stuffed_torus_has_genus_1_and_the_volume_of_pappus() {
    let torus = |p: DVec3| DVec3::new(p.truncate().length() - 1.0, p.z, 0.0).length() - 0.3;
    let bounds = [DVec3::new(-1.3, -1.3, -0.3), DVec3::new(1.3, 1.3, 0.3)];
    let mesh = generate::stuff(torus, bounds, 0.1).unwrap();
    let (euler, topology) = sound(&mesh);
    assert_eq!((euler, topology.component_count), (0, 1));
    assert_near(mesh.volume(), TAU * PI * 0.09, 0.02);
}

#[test]
fn stuffing_is_sound_whatever_the_shape() {
    // Unions of balls and strands with a hole: gaps, crotches and creases of every width, and parts that the
    // spacing does not resolve.
    let mut state = 7u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    for case in 0..40 {
        let mut point = || DVec3::new(random(), random(), random());
        let strands: Vec<Strand> = (0..3).map(|_| Strand::new(&[point(), point()], &[0.08, 0.15])).collect();
        let balls: Vec<Ball> = (0..3).map(|_| Ball { center: point(), radius: 0.2 }).collect();
        let hole = Ball { center: point(), radius: 0.25 };
        let value = |p: DVec3| {
            let solid = balls.iter().map(|b| b.distance(p)).chain(strands.iter().map(|s| s.distance(p)));
            solid.fold(f64::INFINITY, f64::min).max(-hole.distance(p))
        };
        let mesh = generate::stuff(value, [DVec3::splat(-0.2), DVec3::splat(1.2)], 0.07).unwrap();
        sound(&mesh);
        let quality = TetQuality::measure(&mesh);
        let (least, most) = (quality.min_dihedral.0, quality.max_dihedral.0);
        assert!(least > 10.0 && most < 160.0, "case {case}: {least} to {most}");
    }
}

#[test]
fn a_function_that_is_zero_on_lattice_points_or_infinite_outside_is_filled() {
    // A cube whose faces lie on the lattice, as a step function with a jump, and as a distance.
    let bounds = [DVec3::splat(-0.5), DVec3::splat(0.5)];
    let distance = |p: DVec3| p.abs().max_element() - 0.5;
    let jump = |p: DVec3| if distance(p) <= 0.0 { -1.0 } else { f64::INFINITY };
    let smooth = generate::stuff(distance, bounds, 0.125).unwrap();
    let stepped = generate::stuff(jump, bounds, 0.125).unwrap();
    for mesh in [smooth, stepped] {
        assert_eq!(sound(&mesh).0, 2);
        assert_near(mesh.volume(), 1.0, 1e-6);
    }
}

#[test]
fn stuffing_refuses_what_it_cannot_fill() {
    let bounds = [DVec3::ZERO, DVec3::ONE];
    assert!(matches!(generate::stuff(|_| f64::NAN, bounds, 0.1), Err(GenerateError::NotFinite { .. })));
    assert!(matches!(generate::stuff(|_| -1.0, bounds, 0.1), Err(GenerateError::LeavesBounds { .. })));
    assert_eq!(generate::stuff(|_| 1.0, bounds, 0.1), Err(GenerateError::Nothing { spacing: 0.1 }));
    assert!(matches!(generate::stuff(|_| 1.0, bounds, 1e-6), Err(GenerateError::TooLarge { .. })));
    for spacing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = generate::stuff(|_| 1.0, bounds, spacing);
        assert!(matches!(refused, Err(GenerateError::Parameter { name: "spacing", .. })));
    }
}

/// A generator of the kind, coarse, with every length times `scale`.
fn scaled(kind: Kind, scale: f64) -> Generated {
    let mut generator = Generator::new(kind);
    for p in kind.parameters() {
        let value = if p.name == "resolution" { (0.6 * p.default).ceil() } else { p.default };
        let length = p.about.contains("metres");
        generator.set(p.name, if length { value * scale } else { value }).unwrap();
    }
    generator.build().unwrap()
}

#[test]
fn scaling_by_a_power_of_two_scales_every_bit() {
    let parts = |generated: Generated| match generated {
        Generated::Tets(m) => (m.positions, m.tets.into_flattened()),
        Generated::Triangles(m) => (m.positions, m.triangles.into_flattened()),
    };
    for kind in Kind::ALL {
        let (small, elements) = parts(scaled(kind, 1.0 / 1024.0));
        let (large, same) = parts(scaled(kind, 4096.0));
        assert_eq!(elements, same, "{}", kind.name());
        assert!(small.iter().zip(&large).all(|(&p, &q)| p * 1024.0 == q / 4096.0), "{}", kind.name());
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| generate::octopus(1.0, 30).unwrap())
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn generators_are_known_by_name_and_refuse_by_name() {
    for kind in Kind::ALL {
        assert_eq!(Kind::from_name(kind.name()), Ok(kind));
        let error = Generator::new(kind).set("colour", 1.0).unwrap_err().to_string();
        assert!(error.contains(kind.name()) && error.contains(kind.parameters()[0].name), "{error}");
    }
    assert_eq!(Kind::from_name("squishy-ball"), Ok(Kind::SquishyBall));
    assert!(Kind::from_name("sphre").unwrap_err().to_string().contains("sphere"));
}

#[test]
fn extreme_parameters_neither_panic_nor_take_forever() {
    for kind in Kind::ALL {
        for p in kind.parameters() {
            for value in [0.0, -1.0, 1e300, 1e-300, f64::INFINITY, f64::NAN] {
                let mut generator = Generator::new(kind);
                if let Err(e) = generator.set(p.name, value).and_then(|()| generator.build()) {
                    assert!(!e.to_string().is_empty());
                    // A curve that is none has one parameter to blame, which is told.
                    assert!(
                        !matches!(e, GenerateError::CurveDegenerate { .. }),
                        "{} {}: {e}",
                        kind.name(),
                        p.name
                    );
                }
            }
        }
    }
}

#[test]
fn a_parameter_out_of_its_range_is_told_by_its_name() {
    for (kind, name, value) in [
        (Kind::Rod, "radius", 0.0),
        (Kind::Rod, "length", 0.0),
        (Kind::Helix, "radius", -1.0),
        (Kind::Helix, "turns", 0.0),
        (Kind::Coil, "swing", f64::NAN),
        (Kind::Trefoil, "size", 0.0),
        (Kind::Box, "nx", 1e10),
    ] {
        let mut generator = Generator::new(kind);
        let refused = generator.set(name, value).and_then(|()| generator.build());
        let Err(GenerateError::Parameter { name: told, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(told, name);
    }
}
