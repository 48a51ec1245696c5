//! Cloth in the world: untangling, touching starts, repeatability.

use glam::{DVec3, Vec3};
use gordian_mesh::{TriMesh, generate::cloth_grid};
use gordian_sim::cloth::trial::tangled;
use gordian_sim::cloth::untangle::{calm_scene, unit_body, untangle};
use gordian_sim::scene::{ClothResponse, Ridge};
use gordian_sim::{AdapterChoice, Checkpoint, Scene, World};

#[test]
fn icm_takes_the_tangled_starts_apart_and_off_does_not() {
    for ridge in [Ridge::Closed, Ridge::Open] {
        let icm = tangled(ridge, ClothResponse::Icm, 40).unwrap();
        assert!(icm.clean_from.is_some_and(|f| f <= 15), "{ridge:?}: {icm:?}");
        // Nothing has slipped through, and the layers still lie on each other.
        for layers in [icm.layers, icm.layers_at_end] {
            assert!(layers.in_order() == Some(1.0) && layers.right > 200, "{ridge:?}: {icm:?}");
        }
    }
    let off = tangled(Ridge::Closed, ClothResponse::Off, 40).unwrap();
    assert!(off.left > 200, "{off:?}");
    assert!(off.layers_at_end.wrong > 200, "{off:?}");
}

#[test]
fn c20_touching_sheets_come_apart_to_their_thickness() {
    let sheet = cloth_grid(10.0, 10.0, 10, 10).unwrap();
    let one: Vec<Vec3> = sheet.positions.iter().map(|p| p.as_vec3()).collect();
    let n = one.len() as u32;
    let triangles =
        [sheet.triangles.clone(), sheet.triangles.iter().map(|t| t.map(|v| v + n)).collect()].concat();
    // The second sheet is moved within the plane, so that vertices lie in the middle of edges of the first.
    for shift in [Vec3::ZERO, Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.3, 0.2, 0.0)] {
        let x = [one.clone(), one.iter().map(|p| *p + shift).collect()].concat();
        let mut scene = calm_scene(ClothResponse::Icm);
        scene.cloth.thickness_edges = 0.1;
        let body = unit_body("sheets", x.clone(), x.clone(), triangles.clone());
        let mut world = World::with_bodies(&scene, &[body], &AdapterChoice::Cpu).unwrap();
        let mut last = u64::MAX;
        for _ in 0..60 {
            last = world.step_frame().unwrap().intersecting_triangle_pairs.unwrap();
        }
        assert_eq!(last, 0, "{shift}");
        let far = world.positions().iter().zip(&x).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(far < 0.5, "{shift}: {far}");
    }
}

#[test]
fn any_number_of_threads_and_a_checkpoint_give_the_same_bits() {
    let scene = Scene::open("tangled_cloth", &["simulation.frames=12".into()]).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
            (0..12).map(|_| world.step_frame().unwrap().position_hash).collect::<Vec<_>>()
        })
    };
    let wanted = run(1);
    assert_eq!(run(2), wanted);

    let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
    for _ in 0..5 {
        world.step_frame().unwrap();
    }
    let checkpoint: Checkpoint = world.checkpoint(&scene);
    let mut resumed = World::new(&scene, &AdapterChoice::Cpu).unwrap();
    resumed.resume(&scene, &checkpoint).unwrap();
    let rest: Vec<u64> = (5..12).map(|_| resumed.step_frame().unwrap().position_hash).collect();
    assert_eq!(rest, wanted[5..]);
}

/// A pin is given by the vertex's number in the file; texture seams make no vertices.
#[test]
fn c4_uv_seams_make_no_cracks_and_pins_are_where_they_are_said_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let mut obj = String::new();
    for v in 0..8 {
        obj += &format!("v {} {} {}\n", v & 1, (v >> 1) & 1, v >> 2);
    }
    (0..24).for_each(|k| obj += &format!("vt {} {}\n", k % 5, k / 5));
    let quads = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]];
    for (f, q) in quads.iter().enumerate() {
        let corner = |k: usize| format!("{}/{}", q[k], 4 * f + k + 1);
        obj += &format!("f {} {} {} {}\n", corner(0), corner(1), corner(2), corner(3));
    }
    std::fs::write(folder.path().join("cube.obj"), obj).unwrap();
    let text = "[simulation]\nsubsteps = 4\n[[body]]\nmesh = \"cube.obj\"\nfabric = {}\n\
        pin = [{ at = { kind = \"vertices\", indices = [6] } }]\n[[collider]]\nshape = { kind = \"plane\", point_m = [0, -0.5, 0] }\n";
    std::fs::write(folder.path().join("s.toml"), text).unwrap();
    let mut world =
        World::new(&Scene::load(folder.path().join("s.toml")).unwrap(), &AdapterChoice::Cpu).unwrap();
    assert_eq!(world.positions().len(), 8);
    for _ in 0..40 {
        world.step_frame().unwrap();
    }
    let x = world.positions();
    assert_eq!(x[6], Vec3::new(0.0, 1.0, 1.0), "held where vertex 7 of the file is");
    assert!(x[0].y < 0.5, "the others fall: {}", x[0]);
    for t in world.cloth().triangles() {
        for k in 0..3 {
            let length = x[t[k] as usize].distance(x[t[(k + 1) % 3] as usize]);
            assert!(length < 2.0, "no crack: {length}");
        }
    }
}

fn crossing_sheets(scale: f64, at: DVec3) -> TriMesh {
    let flat = cloth_grid(1.2, 1.2, 12, 12).unwrap();
    let bump = cloth_grid(1.2, 1.2, 12, 12).unwrap();
    let n = flat.positions.len() as u32;
    let mut mesh = flat;
    mesh.triangles.extend(bump.triangles.iter().map(|t| t.map(|v| v + n)));
    mesh.positions.extend(bump.positions.iter().map(|p| {
        let z = 0.12 * (-(p.x * p.x + p.y * p.y) / 0.05).exp() - 0.063;
        DVec3::new(0.9 * p.x + 0.021, 0.9 * p.y + 0.2 * p.x + 0.011, z)
    }));
    mesh.positions.iter_mut().for_each(|p| *p = *p * scale + at);
    mesh
}

#[test]
fn one_mesh_is_untangled_the_same_way_at_any_scale() {
    let mut largest = Vec::new();
    for scale in [1e-3, 1.0, 1e3] {
        let mesh = crossing_sheets(scale, DVec3::ZERO);
        let done = untangle(&mesh, ClothResponse::Icm, 100, |_| true).unwrap();
        assert!(done.crossings[0] > 10 && done.crossings[1] == 0, "{scale}: {:?}", done.crossings);
        assert_eq!(done.positions.len(), mesh.positions.len());
        largest.push(done.largest.0 / scale);
    }
    assert!(largest.iter().all(|l| (l - largest[1]).abs() < 0.3 * largest[1]), "{largest:?}");
    assert!(largest[1] < 0.3, "nothing moves far: {largest:?}");
    // A clean mesh comes back as it is.
    let clean =
        TriMesh { positions: crossing_sheets(1.0, DVec3::ONE).positions, triangles: vec![[0, 1, 13]] };
    let done = untangle(&clean, ClothResponse::Icm, 10, |_| true).unwrap();
    assert_eq!((done.positions, done.frames), (clean.positions, 0));
}

/// A sheet that lies on one that is held: with searches between the iterations, pairs that one search makes and the next replaces
/// have stopped something too.
#[test]
fn a_sheet_at_rest_gains_no_speed_however_often_its_neighbours_are_searched() {
    let text = "[simulation]\nsubsteps = 1\niterations = 10\n[cloth]\nthickness_edges = 0.2\n\
        [[body]]\nname = \"held\"\ngenerator = { kind = \"cloth\", width = 1.0, height = 1.0, nx = 9, ny = 9 }\n\
        rotate_deg = [-90, 0, 0]\nfabric = {}\npin = [{ at = { kind = \"all\" } }]\n\
        [[body]]\nname = \"lying\"\ngenerator = { kind = \"cloth\", width = 0.7, height = 0.7, nx = 7, ny = 7 }\n\
        rotate_deg = [-90, 10, 0]\ntranslate_m = [0, 0.03, 0]\nfabric = {}\n";
    for searches in [1, 2, 5, 10] {
        let set = [format!("cloth.searches={searches}")];
        let scene = Scene::parse_with(text, "s.toml", &set).unwrap();
        let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
        let (g, frame_s) = (9.81, scene.simulation.frame_s);
        for _ in 0..60 {
            world.step_frame().unwrap();
        }
        // At rest nothing is faster than what gravity gives in a step before the next push takes it.
        let fastest = world.velocities().iter().map(|v| v.length() as f64).fold(0.0, f64::max);
        assert!(fastest <= 1.01 * g * frame_s, "{searches} searches: {fastest} m/s");
    }
}

/// A sheet thinner than its way in one step falls on another: the gap is 2.5 thicknesses, the step twice the gap.
#[test]
fn thin_sheets_do_not_slip_through_between_two_searches() {
    let sheet = cloth_grid(8.0, 8.0, 8, 8).unwrap();
    let n = sheet.positions.len();
    let scene = calm_scene(ClothResponse::Icm);
    let gap = 2.5 * scene.cloth.thickness_edges as f32;
    let lower = sheet.positions.iter().map(|p| p.as_vec3());
    let upper = lower.clone().map(|p| p + Vec3::new(0.3, 0.2, gap));
    let x: Vec<Vec3> = lower.chain(upper).collect();
    let both = [0, n as u32].map(|first| sheet.triangles.iter().map(move |t| t.map(|v| v + first)));
    let mut body = unit_body("sheets", x.clone(), x, both.into_iter().flatten().collect());
    let speed = 2.0 * gap / scene.simulation.frame_s as f32;
    body.velocities[n..].fill(Vec3::new(0.0, 0.0, -speed));
    let mut world = World::with_bodies(&scene, &[body], &AdapterChoice::Cpu).unwrap();
    for _ in 0..5 {
        assert_eq!(world.step_frame().unwrap().intersecting_triangle_pairs, Some(0));
    }
    let (lower, upper) = world.positions().split_at(n);
    // Hardly tilted, so that what was above still is.
    for (below, above) in lower.iter().zip(upper) {
        assert!(above.z > below.z, "{below} {above}");
    }
}

#[test]
fn a_response_chosen_while_the_world_runs_takes_over() {
    let off = Scene::open("tangled_cloth", &["cloth.response=off".into()]).unwrap();
    let icm = Scene::open("tangled_cloth", &["cloth.response=icm".into()]).unwrap();
    let mut world = World::new(&off, &AdapterChoice::Cpu).unwrap();
    let crossing = |world: &mut World, frames: u32| {
        let last = (0..frames).map(|_| world.step_frame().unwrap()).last().unwrap();
        last.intersecting_triangle_pairs.unwrap()
    };
    assert!(crossing(&mut world, 10) > 100, "off leaves them");
    assert!(world.tune(&off, &icm));
    assert_eq!(crossing(&mut world, 15), 0, "and the other undoes them");
}

/// The claim of the dropped scenes, on less than a third of their frames: what is left when they have come down. See docs/cloth.md.
#[test]
fn dropped_cloth_ends_clean_with_icm_and_crossed_without() {
    for (name, crossed) in [("dropped_cloth", 10), ("two_sheets", 20)] {
        let left = |response: &str| {
            let scene = Scene::open(name, &[format!("cloth.response={response}")]).unwrap();
            let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
            let pairs = |_| world.step_frame().unwrap().intersecting_triangle_pairs.unwrap();
            (0..180).map(pairs).skip(160).collect::<Vec<u64>>()
        };
        let (icm, off) = (left("icm"), left("off"));
        assert!(icm.iter().all(|&n| n == 0), "{name}: {icm:?}");
        assert!(off.iter().all(|&n| n >= crossed), "{name}: {off:?}");
    }
}
