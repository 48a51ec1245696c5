//! The mesh doctor finds what was planted, names it, and finds nothing in sound meshes.

use glam::DVec3;
use gordian_mesh::doctor::{
    Elements, Problem, Severity, SurfaceReport, TetReport, examine_surface, examine_tets,
};
use gordian_mesh::generate::{self, Generated, Generator, Kind};
use gordian_mesh::{TetMesh, TetTopology, TriMesh, io, testdata};

fn found(findings: &[gordian_mesh::doctor::Finding], problem: Problem) -> Option<&Elements> {
    findings.iter().find(|f| f.problem == problem).map(|f| &f.elements)
}

fn problems(report: &TetReport) -> Vec<Problem> {
    report.findings.iter().map(|f| f.problem).collect()
}

fn surface_problems(report: &SurfaceReport) -> Vec<Problem> {
    report.findings.iter().map(|f| f.problem).collect()
}

#[test]
fn generated_meshes_are_healthy() {
    for kind in Kind::ALL {
        let mut generator = Generator::new(kind);
        if kind.parameters().iter().any(|p| p.name == "resolution") {
            generator.set("resolution", if kind == Kind::Octopus { 30.0 } else { 16.0 }).unwrap();
        }
        match generator.build().unwrap() {
            Generated::Tets(mesh) => {
                let report = examine_tets(&mesh);
                assert_eq!(report.findings, [], "{}", kind.name());
                assert_eq!((report.components, report.boundary_euler), (1, 2), "{}", kind.name());
                let filled = mesh.volume();
                // Its boundary is a closed surface of the same volume.
                let boundary = TetTopology::new(mesh.positions.len(), &mesh.tets).faces;
                let report = examine_surface(&TriMesh { positions: mesh.positions, triangles: boundary });
                assert!(report.closed && report.oriented && report.border_loops.is_empty());
                let enclosed = report.volume.unwrap();
                assert!((enclosed / filled - 1.0).abs() < 1e-10, "{enclosed} {filled}");
                assert_eq!(report.euler, 2);
                assert!(report.findings.iter().all(|f| f.problem == Problem::Unreferenced));
            }
            Generated::Triangles(mesh) => {
                let report = examine_surface(&mesh);
                assert_eq!(report.findings, []);
                assert!(!report.closed && report.oriented);
                assert_eq!((report.euler, report.components, report.border_loops.len()), (1, 1, 1));
            }
        }
    }
}

#[test]
fn planted_defects_of_a_volume_are_found_and_named() {
    let good = generate::box_mesh(DVec3::ONE, [2, 2, 2]).unwrap();

    let mut mesh = good.clone();
    mesh.tets[7].swap(1, 2);
    let report = examine_tets(&mesh);
    assert_eq!(found(&report.findings, Problem::Negative), Some(&Elements::Tets(vec![7])));
    assert!(found(&report.findings, Problem::FaceOrientation).is_some());

    let mut mesh = good.clone();
    let n = mesh.positions.len() as u32;
    mesh.positions.push(DVec3::splat(9.0));
    mesh.positions.push(mesh.positions[3]);
    let [a, b, c, d] = mesh.tets[11];
    mesh.tets.push([b, a, d, c]);
    mesh.tets.push([a, a, b, c]);
    let report = examine_tets(&mesh);
    assert_eq!(found(&report.findings, Problem::Unreferenced), Some(&Elements::Vertices(vec![n, n + 1])));
    assert_eq!(found(&report.findings, Problem::Coincident), Some(&Elements::Vertices(vec![n + 1])));
    assert_eq!(found(&report.findings, Problem::Duplicate), Some(&Elements::Tets(vec![40])));
    assert_eq!(found(&report.findings, Problem::RepeatedVertex), Some(&Elements::Tets(vec![41])));
    assert_eq!(report.components, 1);
    let Some(Elements::Tets(shared)) = found(&report.findings, Problem::FaceShared) else {
        panic!("{report:?}")
    };
    assert!(shared.contains(&11) && shared.contains(&40));

    // Gravest first.
    let severities: Vec<Severity> = report.findings.iter().map(|f| f.problem.severity()).collect();
    assert!(severities.is_sorted_by(|a, b| a >= b), "{severities:?}");

    let mut mesh = good;
    mesh.positions[13].y = f64::NAN;
    let report = examine_tets(&mesh);
    assert_eq!(found(&report.findings, Problem::NotFinite), Some(&Elements::Vertices(vec![13])));
}

#[test]
fn slivers_and_flat_tetrahedra_are_told_apart_at_every_scale() {
    for scale in [1e-9, 1.0, 1e9] {
        let at = |x: f64, y: f64, z: f64| scale * DVec3::new(x, y, z);
        // Four points of a square: lifted by 0.1 % of an edge, flat, and by 20 %; then a thin needle.
        let mut mesh = TetMesh::default();
        for lift in [1e-3, 0.0, 0.2] {
            let first = mesh.positions.len() as u32;
            let corners = [at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(1.0, 1.0, lift), at(0.0, 1.0, 0.0)];
            mesh.positions.extend(corners.map(|p| p + f64::from(first) * at(0.0, 0.0, 1.0)));
            mesh.tets.push([first, first + 1, first + 2, first + 3]);
        }
        let needle = [at(9.0, 0.0, 0.0), at(9.0, 1e-2, 0.0), at(9.0, 0.0, 1e-2), at(19.0, 0.0, 0.0)];
        mesh.positions.extend(needle);
        mesh.tets.push([12, 13, 14, 15]);
        mesh.orient();
        let report = examine_tets(&mesh);
        assert_eq!(found(&report.findings, Problem::Flat), Some(&Elements::Tets(vec![1])), "{scale}");
        assert_eq!(found(&report.findings, Problem::Sliver), Some(&Elements::Tets(vec![0, 3])), "{scale}");
        assert_eq!(problems(&report), [Problem::Flat, Problem::Sliver], "{scale}");
        assert_eq!(report.components, 4);
    }
}

#[test]
fn planted_defects_of_a_surface_are_found_and_named() {
    let good = generate::cloth_grid(1.0, 1.0, 6, 5).unwrap();
    let count = good.triangles.len() as u32;

    let mut mesh = good.clone();
    mesh.triangles[20].swap(0, 2);
    mesh.triangles[33].swap(0, 2);
    let report = examine_surface(&mesh);
    assert_eq!(surface_problems(&report), [Problem::TurnedOver]);
    assert_eq!(report.findings[0].elements, Elements::Triangles(vec![20, 33]));
    assert!(!report.oriented);

    let mut mesh = good.clone();
    let [a, b, c] = mesh.triangles[4];
    let n = mesh.positions.len() as u32;
    mesh.positions.push(DVec3::Z);
    mesh.triangles.extend([[b, c, a], [a, b, b], [a, b, n]]);
    let report = examine_surface(&mesh);
    assert_eq!(found(&report.findings, Problem::Duplicate), Some(&Elements::Triangles(vec![count])));
    assert_eq!(found(&report.findings, Problem::RepeatedVertex), Some(&Elements::Triangles(vec![count + 1])));
    let Some(Elements::Edges(edges)) = found(&report.findings, Problem::NonmanifoldEdge) else {
        panic!("{report:?}")
    };
    assert!(edges.contains(&[a.min(b), a.max(b)]), "{edges:?}");

    let ball = generate::sphere(1.0, 4).unwrap();
    let mut triangles = TetTopology::new(ball.positions.len(), &ball.tets).faces;
    triangles.iter_mut().for_each(|t| t.swap(0, 1));
    let report = examine_surface(&TriMesh { positions: ball.positions, triangles });
    assert!(report.closed && report.oriented && report.volume.unwrap() < 0.0);
    assert!(found(&report.findings, Problem::InsideOut).is_some());
}

#[test]
fn a_star_of_very_many_elements_takes_no_quadratic_time() {
    // A fan of 200,000 triangles round one vertex, and of as many tetrahedra round one edge.
    let n = 200_000u32;
    let ring = (0..n).map(|i| {
        let (sin, cos) = (f64::from(i) / f64::from(n) * std::f64::consts::TAU).sin_cos();
        DVec3::new(cos, sin, 0.0)
    });
    let positions: Vec<DVec3> = [DVec3::ZERO, DVec3::Z].into_iter().chain(ring).collect();
    let next = |i: u32| 2 + (i + 1) % n;
    let fan =
        TriMesh { positions: positions.clone(), triangles: (0..n).map(|i| [0, 2 + i, next(i)]).collect() };
    let report = examine_surface(&fan);
    assert_eq!((report.euler, report.border_loops.len(), report.border_loops[0].len()), (1, 1, n as usize));
    let tets = TetMesh { positions, tets: (0..n).map(|i| [0, 2 + i, next(i), 1]).collect() };
    assert_eq!(examine_tets(&tets).boundary_euler, 2);
}

#[test]
fn the_shared_meshes_have_no_errors() {
    let names = [
        "bunny.msh",
        "octocat.msh",
        "dolphin.msh",
        "rod300x33.msh",
        "link.msh",
        "octopus.t",
        "overhand_knot.t",
        "noodle.t",
        "armadillo_4k.node",
    ];
    for name in names {
        let Some(path) = testdata::path(&format!("meshes/{name}")) else { return };
        let mesh = io::load_tets(&path).unwrap().mesh;
        let report = examine_tets(&mesh);
        let q = &report.quality;
        eprintln!(
            "{name}: {} parts, Euler {}, dihedral {:.1} to {:.1}, ratio {:.3}, {:?}",
            report.components,
            report.boundary_euler,
            q.min_dihedral.0,
            q.max_dihedral.0,
            q.min_radius_ratio.0,
            report.findings.iter().map(|f| (f.problem.name(), f.elements.count())).collect::<Vec<_>>()
        );
        assert!(report.findings.iter().all(|f| f.problem.severity() < Severity::Error), "{name}");
    }
}
