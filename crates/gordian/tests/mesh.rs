//! `gordian mesh`: bodies by number of vertices, surfaces filled, and no body that crosses itself.

use std::path::Path;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use gordian::collision::bvh::{Aabb, Tree};
use gordian::collision::crossing::SelfCrossings;
use gordian::mesh::generate::{self, Generated, Generator, Kind};
use gordian::mesh::{TetTopology, io};

fn gordian(folder: &Path, arguments: &[&str]) -> Assert {
    let mut command = Command::cargo_bin("gordian").unwrap();
    command.current_dir(folder).env("NO_COLOR", "1").args(arguments).assert()
}

fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

fn stderr(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

#[test]
fn bodies_do_not_cross_themselves_at_rest() {
    for (kind, vertices) in [
        (Kind::SquishyBall, 12_000),
        (Kind::Octopus, 5000),
        (Kind::Noodle, 8000),
        (Kind::Knot, 2000),
        (Kind::NestedKnots, 4000),
        (Kind::ThinBeam, 3000),
        (Kind::Bowl, 3000),
    ] {
        let mut generator = Generator::new(kind);
        generator.set("vertices", f64::from(vertices)).unwrap();
        let Generated::Tets(mesh) = generator.build().unwrap() else { panic!("a volume") };
        let faces = TetTopology::new(mesh.positions.len(), &mesh.tets).faces;
        let x: Vec<_> = mesh.positions.iter().map(|p| p.as_vec3()).collect();
        let boxes: Vec<Aabb> = faces.iter().map(|f| Aabb::of_simplex(&x, f)).collect();
        let mut crossings = SelfCrossings::default();
        let pairs = crossings.find(&faces, &x, &Tree::build(&boxes));
        assert!(pairs.is_empty(), "{}: {} pairs of triangles meet", kind.name(), pairs.len());
    }
}

#[test]
fn a_number_of_vertices_is_an_option_and_the_shapes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let made =
        gordian(folder.path(), &["mesh", "squishy-ball", "--vertices", "12000", "-o", "b.msh"]).code(0);
    let text = stdout(&made);
    let count: f64 = text.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!((count / 12e3 - 1.0).abs() <= 0.05, "{text}");
    assert!(text.contains("dihedral angles ") && text.contains("radius ratio"), "{text}");
    assert_eq!(io::load_tets(folder.path().join("b.msh")).unwrap().mesh.positions.len() as f64, count);
    let told = |arguments: &[&str]| stderr(&gordian(folder.path(), arguments).code(2));
    let e = told(&["mesh", "rod", "segments=9", "--vertices", "500", "-o", "r.msh"]);
    assert!(e.contains("`vertices` and `segments`"), "{e}");
    assert!(told(&["mesh", "octopus", "--vertices", "10", "-o", "o.msh"]).contains("nearest has"));
    assert!(told(&["mesh", "octopus", "--vertices", "0", "-o", "o.msh"]).contains("--vertices"));
}

#[test]
fn surfaces_are_filled_from_files_and_open_ones_refused() {
    let folder = tempfile::tempdir().unwrap();
    let ball = generate::sphere(0.1, 10).unwrap();
    let faces = TetTopology::new(ball.positions.len(), &ball.tets).faces;
    let at = |name: &str| folder.path().join(name);
    io::write_obj(at("s.obj"), &ball.positions, &faces).unwrap();
    io::write_ply(at("s.ply"), &ball.positions, &faces).unwrap();
    let mut stl = String::from("solid s\n");
    for f in &faces {
        stl += "facet normal 0 0 0\nouter loop\n";
        for p in f.map(|v| ball.positions[v as usize]) {
            stl += &format!("vertex {:e} {:e} {:e}\n", p.x, p.y, p.z);
        }
        stl += "endloop\nendfacet\n";
    }
    std::fs::write(at("s.stl"), stl + "endsolid s\n").unwrap();
    let fill = |surface: &str, edge: &str, code: i32| {
        gordian(folder.path(), &["mesh", "tet", surface, "--edge", edge, "-o", "body.msh"]).code(code)
    };
    for name in ["s.obj", "s.ply", "s.stl"] {
        let made = fill(name, "0.02", 0);
        let text = stdout(&made);
        assert!(text.contains("dihedral angles") && text.contains("largest distance"), "{text}");
        assert_eq!(stderr(&made), "", "{name}");
        let body = io::load_tets(at("body.msh")).unwrap().mesh;
        assert!((body.volume() / ball.volume() - 1.0).abs() < 0.03);
    }
    io::write_obj(at("open.obj"), &ball.positions, &faces[1..]).unwrap();
    let error = stderr(&fill("open.obj", "0.02", 2));
    assert!(error.contains("open: it has 1 border") && error.contains("gordian check"), "{error}");
    let error = stderr(&fill("s.obj", "1e-9", 2));
    assert!(error.contains("smallest edge that fits"), "{error}");
    let error = stderr(&fill("s.obj", "10", 2));
    assert!(error.contains("smaller edge"), "{error}");
    let error = stderr(&fill("none.obj", "0.1", 2));
    assert!(error.contains("none.obj"), "{error}");
}
