//! What holds for every step: rest stays at rest, same input gives same bits, scales do not matter, nothing spreads a NaN.

use glam::Vec3;
use gordian_sim::report::position_hash;
use gordian_sim::{AdapterChoice, Scene, SimError, World};

fn world(text: &str) -> World {
    World::new(&Scene::parse(text, "test").unwrap(), &AdapterChoice::Cpu).unwrap()
}

/// Two soft balls that fall on each other and on the ground.
const PILE: &str = r#"
    [simulation]
    substeps = 8
    iterations = 2
    [[body]]
    generator = { kind = "sphere", radius = 0.1, resolution = 4 }
    clearance_m = 0.01
    velocity_m_s = [0.0, -1.0, 0.0]
    [[body]]
    generator = { kind = "sphere", radius = 0.1, resolution = 4 }
    clearance_m = 0.23
    translate_m = [0.03, 0.0, 0.01]
    velocity_m_s = [0.0, -3.0, 0.0]
    [[collider]]
    shape = { kind = "plane" }
"#;

#[test]
fn a_body_at_rest_stays_at_rest_exactly() {
    // c h / ℓ = 2 with c = √(E/ρ): far beyond what the usual pair of constraints bears.
    for model in ["neo_hookean", "mass_spring"] {
        let text = format!(
            r#"
            [simulation]
            gravity_m_s2 = [0.0, 0.0, 0.0]
            substeps = 4
            iterations = 1
            [[body]]
            generator = {{ kind = "sphere", radius = 0.5, resolution = 5 }}
            material = {{ model = "{model}", young_pa = 1e3, density_kg_m3 = 1.0, poisson = 0.3 }}
            "#
        );
        let probe = world(&text);
        let h = 1.0 / 60.0 / 4.0;
        let young = (2.0 * probe.bodies()[0].mean_edge / h).powi(2);
        let scene = Scene::parse_with(&text, "rest", &[format!("body.material.young_pa={young}")]).unwrap();
        let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
        let start = world.positions().to_vec();
        for _ in 0..10 {
            world.step_frame().unwrap();
        }
        if model == "neo_hookean" {
            assert_eq!(position_hash(world.positions()), position_hash(&start));
        } else {
            let moved = world.positions().iter().zip(&start).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            assert!(moved < 1e-5, "{model} moved by {moved}");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = world(PILE);
            let reports: Vec<_> = (0..12).map(|_| world.step_frame().unwrap()).collect();
            assert!(reports.iter().any(|r| r.contacts.ccd > 0 && r.contacts.collider > 0), "they must touch");
            reports.iter().map(|r| r.position_hash).collect::<Vec<_>>()
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

#[test]
fn a_run_taken_up_in_the_middle_equals_the_run_that_never_stopped() {
    let mut whole = world(PILE);
    let mut first = world(PILE);
    for _ in 0..12 {
        whole.step_frame().unwrap();
    }
    for _ in 0..6 {
        first.step_frame().unwrap();
    }
    let mut second = world(PILE);
    second.restore(first.frame(), first.positions(), first.velocities()).unwrap();
    for _ in 0..6 {
        second.step_frame().unwrap();
    }
    assert_eq!(position_hash(second.positions()), position_hash(whole.positions()));
    assert_eq!(second.velocities(), whole.velocities());
}

#[test]
fn c12_scales_do_not_matter() {
    // Lengths times s; with the same density, E and g times s keep every dimensionless number: times stay.
    let run = |s: f64| {
        let scaled = [
            format!("simulation.gravity_m_s2=[0.0,{},0.0]", -9.81 * s),
            format!("body.0.scale={s}"),
            format!("body.1.scale={s}"),
            format!("body.0.clearance_m={}", 0.01 * s),
            format!("body.1.clearance_m={}", 0.23 * s),
            format!("body.0.velocity_m_s=[0.0,{},0.0]", -s),
            format!("body.1.velocity_m_s=[0.0,{},0.0]", -3.0 * s),
            format!("body.1.translate_m=[{},0.0,{}]", 0.03 * s, 0.01 * s),
            format!("body.0.material.young_pa={}", 1e5 * s * s),
            format!("body.1.material.young_pa={}", 1e5 * s * s),
        ];
        let scene = Scene::parse_with(PILE, "scaled", &scaled).unwrap();
        let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
        for _ in 0..10 {
            world.step_frame().unwrap();
        }
        world.positions().iter().map(|&p| p / s as f32).collect::<Vec<Vec3>>()
    };
    let metre = run(1.0);
    for s in [1e-3, 1e3] {
        let worst = run(s).iter().zip(&metre).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(worst < 1e-3 * 0.2, "at scale {s} a vertex is {worst} m off, of a ball of 0.2 m");
    }
}

#[test]
fn a_step_that_is_not_finite_names_its_vertex_and_keeps_the_last_good_frame() {
    let mut world = world(PILE);
    world.step_frame().unwrap();
    let good = world.positions().to_vec();
    let mut velocities = world.velocities().to_vec();
    let second_body = world.bodies()[1].particles.start;
    velocities[second_body as usize + 7].y = -f32::MAX;
    world.restore(1, &good, &velocities).unwrap();
    match world.step_frame() {
        Err(SimError::NonFinite { frame: 2, body, vertex }) => {
            assert_eq!(body, "body1");
            assert!(vertex < world.bodies()[1].particles.len() as u32);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(world.positions(), good);
}

#[test]
fn a_frame_by_substeps_is_the_frame_bit_by_bit() {
    let scene = Scene::open("drop", &["body.generator.resolution=5".into()]).unwrap();
    let mut whole = World::new(&scene, &AdapterChoice::Cpu).unwrap();
    let mut parts = World::new(&scene, &AdapterChoice::Cpu).unwrap();
    for _ in 0..3 {
        let report = whole.step_frame().unwrap();
        let mut frame = parts.begin_frame();
        let mut last = None;
        while last.is_none() {
            last = parts.advance(&mut frame).unwrap();
        }
        assert_eq!(frame.substeps(), scene.simulation.substeps);
        assert_eq!(last.unwrap().position_hash, report.position_hash);
    }
}

#[test]
fn what_can_change_live_acts_in_the_next_frame_and_the_rest_is_told() {
    let scene = Scene::open("drop", &["body.generator.resolution=4".into()]).unwrap();
    let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
    let mut changed = scene.clone();
    changed.simulation.gravity_m_s2 = [0.0, 3.0, 0.0];
    changed.simulation.substeps = 7;
    changed.collision.thickness_edges = 0.02;
    changed.collision.restitution = 0.5;
    changed.cloth.strength = 0.5;
    assert!(world.tune(&scene, &changed));
    world.step_frame().unwrap();
    let dt = scene.simulation.frame_s as f32;
    // Free flight: damping of 1 per second takes less than a fiftieth in a frame.
    for v in world.velocities() {
        assert!((v.y / (3.0 * dt) - 1.0).abs() < 0.02, "{v}");
    }
    changed.body[0].friction.static_ += 0.25;
    assert!(world.tune(&scene, &changed), "friction changes live");
    changed.body[0].material.young_pa *= 2.0;
    assert!(!world.tune(&scene, &changed), "a material needs a new world");
    let free = (0..world.positions().len() as u32).find(|&p| world.is_free(p)).unwrap();
    world.set_velocities([(free, glam::Vec3::X)].into_iter()).unwrap();
    world.set_positions([(free + 1, glam::Vec3::ONE)].into_iter()).unwrap();
    assert_eq!(world.velocities()[free as usize], glam::Vec3::X);
    assert_eq!(world.positions()[free as usize + 1], glam::Vec3::ONE);
}

#[test]
fn friction_that_changes_live_lets_go_of_what_it_held() {
    // Gravity is tilted by less than the angle of friction.
    let text = "[simulation]\nsubsteps = 10\niterations = 3\ngravity_m_s2 = [3, -9, 0]\n\
        [[body]]\ngenerator = { kind = \"box\", x = 0.4, y = 0.2, z = 0.4, nx = 2, ny = 1, nz = 2 }\ntranslate_m = [0, 0.1, 0]\n\
        friction = { static = 1, dynamic = 1 }\n[[collider]]\nshape = { kind = \"plane\" }\n";
    let scene = Scene::parse(text, "s.toml").unwrap();
    let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
    let along = |world: &World| {
        let v = world.velocities();
        v.iter().map(|v| v.x).sum::<f32>() / v.len() as f32
    };
    for _ in 0..40 {
        world.step_frame().unwrap();
    }
    assert!(along(&world).abs() < 0.05, "held: {}", along(&world));
    let mut slippery = scene.clone();
    slippery.body[0].friction.static_ = 0.0;
    slippery.body[0].friction.dynamic = 0.0;
    assert!(world.tune(&scene, &slippery));
    for _ in 0..20 {
        world.step_frame().unwrap();
    }
    let free = 3.0 * 20.0 * scene.simulation.frame_s as f32;
    assert!((along(&world) / free - 1.0).abs() < 0.1, "slides: {} of {free}", along(&world));
}
