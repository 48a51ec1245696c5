//! Bodies, states and settings that a program gives: what is wrong with them is an error with its place, never a panic.

use glam::{DVec3, Vec3};
use gordian_mesh::generate::{box_mesh, cloth_grid};
use gordian_sim::body::{Body, PinGroup};
use gordian_sim::{AdapterChoice, Scene, SimError, World};

fn volume() -> Body {
    Body::volume("block", &box_mesh(DVec3::ONE, [2, 2, 2]).unwrap())
}

fn sheet() -> Body {
    Body::cloth("sheet", &cloth_grid(1.0, 1.0, 3, 3).unwrap())
}

fn world(body: Body) -> Result<World, SimError> {
    World::with_bodies(&Scene::default(), &[body], &AdapterChoice::Cpu)
}

#[test]
fn bodies_of_meshes_fall_as_they_are() {
    for body in [volume(), sheet()] {
        let mut world = world(body).unwrap();
        for _ in 0..6 {
            world.step_frame().unwrap();
        }
        // Free fall: g t² / 2 after a tenth of a second.
        let sunk = world.positions()[0].y - world.rest_positions()[0].y;
        assert!((sunk + 9.81 * 0.005).abs() < 0.003, "{sunk}");
    }
}

#[test]
fn a_body_that_cannot_be_is_an_error_that_names_what_of_it() {
    type Change = fn(&mut Body);
    let volumes: [(&str, Change); 16] = [
        ("positions", |b| b.positions.truncate(26)),
        ("velocities", |b| b.velocities.push(Vec3::ZERO)),
        ("rest position", |b| b.rest[3].x = f32::NAN),
        ("position", |b| b.positions[3].x = f32::INFINITY),
        ("velocity", |b| b.velocities[3].z = f32::NAN),
        ("tetrahedron 1", |b| b.tets[1][2] = 27),
        ("tetrahedron 5", |b| b.tets[5][0] = u32::MAX),
        ("tetrahedron 2", |b| b.tets[2][1] = b.tets[2][0]),
        ("pin group 0", |b| b.pins.push(PinGroup { vertices: vec![0, 27], motion: Vec::new() })),
        ("triangles", |b| b.triangles.push([0, 1, 2])),
        ("density", |b| b.density = f32::NAN),
        ("density", |b| b.density = -1.0),
        ("friction.fixed", |b| b.friction.fixed = f32::NAN),
        ("friction.kinetic", |b| b.friction.kinetic = -0.1),
        ("material.poisson", |b| b.material.poisson = 0.5),
        ("material.young_pa", |b| b.material.young_pa = f32::NAN),
    ];
    let sheets: [(&str, Change); 6] = [
        ("triangle 2", |b| b.triangles[2][0] = 1000),
        ("triangles", |b| b.fabric = None),
        ("fabric.density", |b| b.fabric.as_mut().unwrap().density = -0.2),
        ("fabric.stiffness[1]", |b| b.fabric.as_mut().unwrap().stiffness[1] = f64::NAN),
        ("fabric.bend", |b| b.fabric.as_mut().unwrap().bend = -1.0),
        ("fabric.warp", |b| b.fabric.as_mut().unwrap().warp = DVec3::ZERO),
    ];
    let all = volumes.map(|c| (volume(), c)).into_iter().chain(sheets.map(|c| (sheet(), c)));
    for (mut body, (what, change)) in all {
        let name = body.name.clone();
        change(&mut body);
        let error = world(body).err().unwrap_or_else(|| panic!("{what} is taken")).to_string();
        assert!(error.contains(what) && error.contains(&name), "{what}: {error}");
    }
}

#[test]
fn settings_made_in_code_are_held_to_their_ranges() {
    type Change = fn(&mut Scene);
    let changes: [(&str, Change); 4] = [
        ("simulation.substeps", |s| s.simulation.substeps = 0),
        ("simulation.iterations", |s| s.simulation.iterations = 0),
        ("simulation.frame_s", |s| s.simulation.frame_s = f64::NAN),
        ("collision.restitution", |s| s.collision.restitution = 2.0),
    ];
    for (key, change) in changes {
        let mut scene = Scene::default();
        change(&mut scene);
        match World::with_bodies(&scene, &[volume()], &AdapterChoice::Cpu) {
            Err(SimError::Scene(error)) => assert_eq!(error.key, key),
            Err(other) => panic!("{key}: {other}"),
            Ok(_) => panic!("{key} is taken"),
        }
    }
}

#[test]
fn a_state_that_does_not_fit_changes_nothing() {
    let mut world = world(volume()).unwrap();
    world.step_frame().unwrap();
    let (x, v) = (world.positions().to_vec(), world.velocities().to_vec());
    assert!(!world.is_free(99));
    let beyond = [(0, Vec3::ONE), (99, Vec3::ZERO)];
    assert!(matches!(
        world.set_positions(beyond.into_iter()),
        Err(SimError::NoParticle { particle: 99, particles: 27 })
    ));
    assert!(matches!(world.set_velocities(beyond.into_iter()), Err(SimError::NoParticle { .. })));
    let nan = [(0, Vec3::NAN)];
    assert!(matches!(world.set_positions(nan.into_iter()), Err(SimError::StateNotFinite { .. })));
    assert!(matches!(world.restore(0, &x[1..], &v), Err(SimError::Length { got: 26, wanted: 27, .. })));
    assert!(matches!(world.restore(0, &x, &v[1..]), Err(SimError::Length { .. })));
    assert!(matches!(world.restore(0, &x, &[Vec3::NAN; 27]), Err(SimError::StateNotFinite { .. })));
    assert_eq!((world.positions(), world.velocities(), world.frame()), (&x[..], &v[..], 1));
    world.step_frame().unwrap();
}

#[test]
fn a_frame_that_is_over_is_not_advanced() {
    let mut world = world(volume()).unwrap();
    let mut frame = world.begin_frame();
    while world.advance(&mut frame).unwrap().is_none() {}
    let x = world.positions().to_vec();
    assert!(matches!(world.advance(&mut frame), Err(SimError::FrameOver)));
    assert_eq!((world.positions(), world.frame()), (&x[..], 1));
}

/// One mistake of a kind each: what puts a body where single precision loses it is named, or the mesh that is flat.
#[test]
fn a_shape_that_rounding_loses_is_laid_to_the_key_that_does_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let tet = |x: &str, y: &str, z: &str| {
        format!("Vertex 1 0 0 0\nVertex 2 {x} 0 0\nVertex 3 0 {y} 0\nVertex 4 0 0 {z}\nTet 1 1 2 3 4\n")
    };
    let huge = file("huge.t", &tet("1e39", "1", "1"));
    let flat = file("flat.t", &tet("1", "1", "0"));
    let far = file(
        "far.t",
        "Vertex 1 1e10 0 0\nVertex 2 10000000001 0 0\nVertex 3 1e10 1 0\nVertex 4 1e10 0 1\nTet 1 1 2 3 4\n",
    );
    let block = "generator = { kind = \"box\", nx = 1, ny = 1, nz = 1 }\n";
    let cases = [
        (format!("{block}translate_m = [1e10, 0, 0]"), "body[0].translate_m", "single precision"),
        (format!("{block}clearance_m = 1e30"), "body[0].clearance_m", "single precision"),
        (
            format!("{block}copies = {{ count = [2, 1, 1], spacing_m = [1e10, 0, 0] }}"),
            "body[0].copies.spacing_m",
            "single precision",
        ),
        (format!("{block}scale = 1e-30"), "body[0].scale", "too small"),
        (format!("mesh = '{huge}'"), "body[0].mesh", "single precision"),
        (format!("mesh = '{far}'"), "body[0].mesh", "center = true"),
        (format!("mesh = '{flat}'"), "body[0].mesh", "remove it; `gordian check"),
        (format!("{block}material = {{ poisson = 0.4999999999 }}"), "body[0].material.poisson", "single"),
    ];
    for (text, key, words) in cases {
        let scene = Scene::parse(&format!("[[body]]\n{text}\n"), "s.toml");
        let error = match scene.map_err(SimError::from).and_then(|s| World::new(&s, &AdapterChoice::Cpu)) {
            Err(SimError::Scene(error)) => error,
            Err(other) => panic!("{text}: {other}"),
            Ok(_) => panic!("{text} is taken"),
        };
        assert_eq!(error.key, key, "{error}");
        assert!(error.to_string().contains(words) && error.place.is_some(), "{error}");
    }
}

/// What would not fit into memory is refused in no time, with the numbers and the key.
#[test]
fn what_memory_does_not_hold_is_refused_before_it_is_built() {
    let cases = [
        (
            "generator = { kind = \"box\", nx = 2, ny = 2, nz = 2 }\ncopies = { count = [1000, 1000, 1000], spacing_m = [2, 2, 2] }",
            "body[0].copies.count",
        ),
        (
            "generator = { kind = \"box\", nx = 2, ny = 2, nz = 2 }\ncopies = { count = [4000000000, 4000000000, 4000000000], spacing_m = [2, 2, 2] }",
            "body[0].copies.count",
        ),
        ("generator = { kind = \"box\", nx = 2000, ny = 400, nz = 400 }", "body[0].generator"),
        ("generator = { kind = \"coil\", segments = 1000000000 }", "body[0].generator"),
        ("generator = { kind = \"octopus\", vertices = 4000000000 }", "body[0].generator"),
        ("fabric = {}\ngenerator = { kind = \"cloth\", nx = 100000, ny = 100000 }", "body[0].generator"),
    ];
    for (text, key) in cases {
        let begun = std::time::Instant::now();
        let error = Scene::parse(&format!("[[body]]\n{text}\n"), "s.toml")
            .and_then(|scene| scene.place())
            .err()
            .unwrap_or_else(|| panic!("{text} is taken"));
        assert!(error.key.starts_with(key) && error.place.is_some(), "{error}");
        let words = error.to_string();
        assert!(words.contains("GB") || words.contains("are possible"), "{error}");
        assert!(begun.elapsed().as_secs() < 5, "{text} takes long");
    }
}
