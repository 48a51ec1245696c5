//! The query modes tell each other apart (Chen et al. 2023, figure 22): by paths in the rest shape a cube climbs, by shortest paths
//! it slides down.

use gordian_sim::{AdapterChoice, Scene, World};

/// Height of the cube's centre, metres: when it first touches, the highest after that, and at the end.
fn heights(mode: &str) -> [f64; 3] {
    let overrides = [format!("collision.mode={mode}")];
    let scene = Scene::load_with("../../scenes/cube_on_bend.toml", &overrides).unwrap();
    let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
    let cube = world.bodies().iter().find(|b| b.name == "cube").unwrap().particles.clone();
    let height = |world: &World| {
        let x = &world.positions()[cube.start as usize..cube.end as usize];
        x.iter().map(|p| p.y as f64).sum::<f64>() / x.len() as f64
    };
    let (mut touch, mut highest) = (None, f64::NEG_INFINITY);
    for _ in 0..16 {
        let before = height(&world);
        let report = world.step_frame().unwrap();
        if touch.is_none() && report.contacts.dcd > 0 {
            touch = Some(before);
        }
        if touch.is_some() {
            highest = highest.max(height(&world));
        }
    }
    [touch.expect("it touches"), highest, height(&world)]
}

#[test]
fn by_shortest_paths_a_cube_slides_down_a_bent_body() {
    let [touch, highest, end] = heights("geodesic");
    assert!(highest <= touch, "it rose from {touch} m to {highest} m");
    assert!(end < touch - 0.05, "it went from {touch} m to {end} m");
}

#[test]
fn by_paths_in_the_rest_shape_it_climbs() {
    let [touch, highest, _] = heights("rest_shape");
    assert!(highest > touch + 0.005, "it rose from {touch} m to {highest} m only");
}
