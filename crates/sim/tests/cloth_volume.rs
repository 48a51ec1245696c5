//! Cloth and volumes: each holds the other off, and what starts inside comes out.

use glam::{DVec3, Vec3};
use gordian_sim::{AdapterChoice, Scene, World};

const BALL: &str = "generator = { kind = \"sphere\", radius = 0.4, resolution = 5 }\n\
    material = { young_pa = 2e4, poisson = 0.4, density_kg_m3 = 100 }";

fn world(text: &str) -> World {
    World::new(&Scene::parse(text, "s.toml").unwrap(), &AdapterChoice::Cpu).unwrap()
}

fn momentum(world: &World, body: usize, mass: &[f64]) -> DVec3 {
    let range = world.bodies()[body].particles.clone();
    range.map(|i| world.velocities()[i as usize].as_dvec3() * mass[i as usize]).sum()
}

/// A sheet is shot at a ball that floats: what the one loses the other gains.
#[test]
fn what_cloth_and_a_ball_give_each_other_adds_up_to_nothing() {
    let text = format!(
        "[simulation]\ngravity_m_s2 = [0, 0, 0]\nsubsteps = 4\niterations = 4\n\
         [cloth]\nsmoothing = 0\nspeed_limit_edges = 0\nthickness_edges = 0.2\n\
         [[body]]\nname = \"ball\"\n{BALL}\nfriction = {{ static = 0.4, dynamic = 0.3 }}\n\
         [[body]]\nname = \"sheet\"\ngenerator = {{ kind = \"cloth\", width = 1, height = 1, nx = 10, ny = 10 }}\n\
         rotate_deg = [-90, 15, 0]\ntranslate_m = [0.05, 0.5, 0.02]\nvelocity_m_s = [0.3, -1.5, 0]\n\
         fabric = {{ density_kg_m2 = 4 }}\n"
    );
    let mut world = world(&text);
    let mass: Vec<f64> = world.inverse_masses().iter().map(|&w| 1.0 / f64::from(w)).collect();
    let total = |w: &World| momentum(w, 0, &mass) + momentum(w, 1, &mass);
    let (before, ball) = (total(&world), momentum(&world, 0, &mass));
    for _ in 0..12 {
        let report = world.step_frame().unwrap();
        assert_eq!(report.penetrating_vertices, 0, "frame {}", report.frame);
    }
    let given = momentum(&world, 0, &mass) - ball;
    assert!(given.y < -0.1 * before.length(), "the ball is pushed: {given}");
    assert!(given.x > 0.0, "and dragged along: {given}");
    let lost = (total(&world) - before).length();
    assert!(lost < 1e-4 * before.length(), "{lost} of {}", before.length());
}

#[test]
fn a_sheet_drapes_over_a_ball_and_nothing_is_inside_at_rest() {
    let text = format!(
        "[simulation]\nsubsteps = 4\niterations = 4\n[cloth]\nthickness_edges = 0.2\nspeed_limit_edges = 1\n\
         [[body]]\nname = \"ball\"\n{BALL}\ntranslate_m = [0, 0.41, 0]\nfriction = {{ static = 0.5, dynamic = 0.4 }}\n\
         [[body]]\nname = \"sheet\"\ngenerator = {{ kind = \"cloth\", width = 1.2, height = 1.2, nx = 14, ny = 14 }}\n\
         rotate_deg = [-90, 20, 0]\ntranslate_m = [0.03, 0.95, 0.02]\n\
         fabric = {{ density_kg_m2 = 0.4, bend_n_m = 0.002 }}\nfriction = {{ static = 0.3, dynamic = 0.3 }}\n\
         [[collider]]\nshape = {{ kind = \"plane\" }}\n"
    );
    let mut world = world(&text);
    let (mut inside, mut crossing) = (0, 0);
    for frame in 0..120 {
        let report = world.step_frame().unwrap();
        if frame >= 100 {
            inside += report.penetrating_vertices;
            crossing += report.intersecting_triangle_pairs.unwrap();
        }
    }
    assert_eq!((inside, crossing), (0, 0));
    // It lies on the ball and hangs down beside it.
    let sheet = world.bodies()[1].particles.clone();
    let y: Vec<f32> = sheet.map(|i| world.positions()[i as usize].y).collect();
    let (low, high) = y.iter().fold((f32::MAX, f32::MIN), |(l, h), &y| (l.min(y), h.max(y)));
    assert!(high > 0.7 && low < 0.5, "{low} to {high}");
}

/// A sheet that starts through the upper part of a ball leaves at the top, the nearest way.
#[test]
fn cloth_inside_a_ball_comes_out_by_the_shortest_way() {
    let text = format!(
        "[simulation]\ngravity_m_s2 = [0, 0, 0]\nsubsteps = 4\niterations = 4\ndamping_per_s = 2\n\
         [cloth]\nthickness_edges = 0.2\n\
         [[body]]\nname = \"ball\"\n{BALL}\n\
         [[body]]\nname = \"sheet\"\ngenerator = {{ kind = \"cloth\", width = 1, height = 1, nx = 12, ny = 12 }}\n\
         rotate_deg = [-90, 15, 0]\ntranslate_m = [0.02, 0.27, 0.01]\nfabric = {{ density_kg_m2 = 0.4 }}\n"
    );
    let mut world = world(&text);
    let start = world.judge();
    assert!(start.penetrating_vertices > 5 && start.intersecting_triangle_pairs.unwrap() > 10);
    let mut left = (0, 0);
    for _ in 0..60 {
        let report = world.step_frame().unwrap();
        left = (report.penetrating_vertices, report.intersecting_triangle_pairs.unwrap());
    }
    assert_eq!(left, (0, 0));
    let sheet = world.bodies()[1].particles.clone();
    let nearest = sheet.min_by(|&a, &b| {
        let flat = |i: u32| world.positions()[i as usize].with_y(0.0).length();
        flat(a).total_cmp(&flat(b))
    });
    let middle = world.positions()[nearest.unwrap() as usize];
    assert!(middle.y > 0.35, "{middle}");
}

/// The corner of a box pokes through the middle of a coarse triangle: no vertex of the cloth is inside anything.
#[test]
fn a_corner_that_pokes_through_cloth_is_pulled_back() {
    let text = "[simulation]\ngravity_m_s2 = [0, 0, 0]\nsubsteps = 2\niterations = 4\ndamping_per_s = 2\n\
         [[body]]\nname = \"box\"\ngenerator = { kind = \"box\", x = 0.3, y = 0.3, z = 0.3, nx = 2, ny = 2, nz = 2 }\n\
         rotate_deg = [45, 0, 35.26]\ntranslate_m = [0.12, -0.22, 0.05]\n\
         material = { young_pa = 1e5, density_kg_m3 = 100 }\n\
         [[body]]\nname = \"sheet\"\ngenerator = { kind = \"cloth\", width = 1.2, height = 1.2, nx = 3, ny = 3 }\n\
         rotate_deg = [-90, 0, 0]\nfabric = { density_kg_m2 = 2 }\n";
    let mut world = world(text);
    let start = world.judge();
    assert_eq!(start.penetrating_vertices, 0);
    assert!(start.intersecting_triangle_pairs.unwrap() > 0);
    let top = |w: &World| w.positions()[..27].iter().map(|p| p.y).fold(f32::MIN, f32::max);
    let below = |w: &World| {
        let sheet = w.bodies()[1].particles.clone();
        sheet.map(|i| w.positions()[i as usize].y).fold(f32::MAX, f32::min)
    };
    assert!(top(&world) > below(&world));
    let mut left = u64::MAX;
    for _ in 0..40 {
        left = world.step_frame().unwrap().intersecting_triangle_pairs.unwrap();
    }
    assert_eq!(left, 0);
    assert!(top(&world) < below(&world) + 0.1, "on the side that it came from");
    let far = world.positions().iter().map(|p: &Vec3| p.length()).fold(0.0, f32::max);
    assert!(far < 1.2, "{far}");
}

/// The same falling sheet is held by the ball or falls through it, as `collision.enabled` says while the world runs.
#[test]
fn collisions_of_cloth_with_volumes_are_switched_while_the_world_runs() {
    let scene = |enabled: bool| {
        let text = format!(
            "[simulation]\nsubsteps = 4\niterations = 4\n[collision]\nenabled = {enabled}\n\
             [cloth]\nthickness_edges = 0.2\nspeed_limit_edges = 1\n\
             [[body]]\nname = \"ball\"\n{BALL}\npin = [{{ at = {{ kind = \"all\" }} }}]\n\
             [[body]]\nname = \"sheet\"\ngenerator = {{ kind = \"cloth\", width = 0.6, height = 0.6, nx = 7, ny = 7 }}\n\
             rotate_deg = [-90, 0, 0]\ntranslate_m = [0, 0.5, 0]\nfabric = {{}}\n"
        );
        Scene::parse(&text, "test").unwrap_or_else(|e| panic!("{e}"))
    };
    let height = |world: &World| {
        let sheet = world.bodies()[1].particles.clone();
        sheet.clone().map(|i| world.positions()[i as usize].y).sum::<f32>() / sheet.len() as f32
    };
    let run = |from: bool, to: bool| {
        let mut world = World::new(&scene(from), &AdapterChoice::Cpu).unwrap();
        assert!(world.tune(&scene(from), &scene(to)));
        for _ in 0..50 {
            world.step_frame().unwrap();
        }
        height(&world)
    };
    let (held, through) = (run(true, true), run(false, false));
    assert!(held > 0.0 && through < -0.4, "{held} {through}");
    assert_eq!([run(false, true), run(true, false)], [held, through]);
}
