//! Each setting that changes live does something in a world that runs.

use gordian_sim::scene::{ClothResponse, QueryMode};
use gordian_sim::{AdapterChoice, Scene, World};

type Change = (&'static str, fn(&mut Scene));

/// Positions after some frames, and two more with the change.
fn run(scene: &Scene, before: u32, change: Option<&Change>) -> Vec<glam::Vec3> {
    let mut world = World::new(scene, &AdapterChoice::Cpu).unwrap();
    let step = |world: &mut World, frames| {
        for _ in 0..frames {
            world.step_frame().unwrap();
        }
    };
    step(&mut world, before);
    if let Some((name, change)) = change {
        let mut changed = scene.clone();
        change(&mut changed);
        assert_ne!(changed, *scene, "{name}");
        assert!(world.tune(scene, &changed), "{name} is live");
    }
    step(&mut world, 2);
    world.positions().to_vec()
}

fn act(scene: &Scene, before: u32, changes: &[Change]) {
    let without = run(scene, before, None);
    for change in changes {
        assert!(run(scene, before, Some(change)) != without, "{} does nothing", change.0);
    }
}

/// Two balls that overlap slide over the ground, and a third falls on them.
const BALLS: &str = "
[simulation]
substeps = 4
[[body]]
generator = { kind = \"sphere\", radius = 0.5, resolution = 6 }
clearance_m = 0.001
velocity_m_s = [1, 0, 0]
[[body]]
generator = { kind = \"sphere\", radius = 0.5, resolution = 6 }
clearance_m = 0.001
translate_m = [0.7, 0, 0.05]
velocity_m_s = [1, 0, 0]
[[body]]
generator = { kind = \"sphere\", radius = 0.5, resolution = 6 }
translate_m = [0.35, 1.39, 0]
velocity_m_s = [1, -2, 0.5]
[[collider]]
shape = { kind = \"plane\" }
";

#[test]
fn settings_of_volumes_act() {
    let scene = Scene::parse(BALLS, "balls").unwrap();
    act(
        &scene,
        1,
        &[
            ("substeps", |s| s.simulation.substeps = 7),
            ("iterations", |s| s.simulation.iterations = 5),
            ("gravity", |s| s.simulation.gravity_m_s2[1] = -3.0),
            ("collisions", |s| s.collision.enabled = false),
            ("continuous detection", |s| s.collision.ccd = false),
            ("edge-edge pairs", |s| s.collision.edge_edge = false),
            ("recovery", |s| s.collision.recovery = true),
            ("velocity pass", |s| s.collision.velocity_pass = false),
            ("distance of contacts", |s| s.collision.thickness_edges = 0.1),
            ("restitution", |s| s.collision.restitution = 0.9),
            ("depenetration", |s| s.collision.max_depenetration_edges = 0.1),
            ("damping of what is inside", |s| s.collision.penetrating_damping = 0.9),
            ("friction", |s| {
                s.body[0].friction.static_ = 1.0;
                s.body[0].friction.dynamic = 1.0;
            }),
            ("kinetic friction", |s| s.body[1].friction.dynamic = 0.0),
        ],
    );
    let culling: Change = ("culling", |s| s.collision.culling = false);
    assert_eq!(run(&scene, 1, Some(&culling)), run(&scene, 1, None), "the same paths are found");
}

#[test]
fn what_a_path_is_acts_where_a_body_is_in_itself() {
    // It is out of itself after a frame or two.
    let scene = Scene::open("tangled_noodle", &["simulation.substeps=6".into()]).unwrap();
    act(
        &scene,
        0,
        &[
            ("self-collision", |s| s.collision.self_collision = false),
            ("euclidean", |s| s.collision.mode = QueryMode::Euclidean),
            ("rest shape", |s| s.collision.mode = QueryMode::RestShape),
        ],
    );
}

/// Two sheets that cross, and a third just above one of them.
const SHEETS: &str = "
[simulation]
substeps = 1
iterations = 8
[cloth]
searches = 1
[[body]]
generator = { kind = \"cloth\", width = 1.0, height = 1.0, nx = 12, ny = 12 }
fabric = { bend_n_m = 0.002 }
rotate_deg = [-90, 0, 0]
[[body]]
generator = { kind = \"cloth\", width = 1.0, height = 1.0, nx = 11, ny = 11 }
fabric = { bend_n_m = 0.002 }
rotate_deg = [-80, 8, 0]
translate_m = [0.03, 0.02, 0.01]
[[body]]
generator = { kind = \"cloth\", width = 0.8, height = 0.8, nx = 9, ny = 9 }
fabric = { bend_n_m = 0.002 }
rotate_deg = [-90, 20, 0]
translate_m = [0.0, 0.15, 0.0]
velocity_m_s = [0, -3, 0]
[[collider]]
shape = { kind = \"sphere\", center_m = [0, -0.62, 0], radius_m = 0.6 }
";

#[test]
fn settings_of_cloth_act() {
    let scene = Scene::parse(SHEETS, "sheets").unwrap();
    act(
        &scene,
        3,
        &[
            ("off", |s| s.cloth.response = ClothResponse::Off),
            ("kikuchi", |s| s.cloth.response = ClothResponse::Kikuchi),
            ("ye", |s| s.cloth.response = ClothResponse::Ye),
            ("buffet", |s| s.cloth.response = ClothResponse::Buffet),
            ("strength", |s| s.cloth.strength = 0.2),
            ("thickness", |s| s.cloth.thickness_edges = 0.3),
            ("layers kept apart", |s| s.cloth.proximity = false),
            ("searches", |s| s.cloth.searches = 8),
            ("smoothing", |s| s.cloth.smoothing = 0.0),
            ("speed limit", |s| s.cloth.speed_limit_edges = 0.1),
            ("friction", |s| {
                s.body[0].friction.static_ = 2.0;
                s.body[0].friction.dynamic = 2.0;
            }),
        ],
    );
    let culled: Change = ("culling", |s| s.cloth.culling = false);
    assert_eq!(run(&scene, 1, Some(&culled)), run(&scene, 1, None), "the same crossings are found");
}
