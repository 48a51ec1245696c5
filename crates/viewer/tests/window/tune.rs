//! Settings that are changed, the speed, and the scene that is saved.

use std::time::{Duration, Instant};

use egui::{Key, Modifiers, PointerButton, vec2};
use gordian_sim::World;
use gordian_viewer::window::App;

use super::desk::{Desk, ball_with};

#[test]
fn the_changed_scene_is_saved_as_a_file_that_opens() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::unseen();
    desk.size = [640, 1500];
    desk.open("tangled_cloth");
    desk.app.browse_folder(folder.path());
    desk.pass(Vec::new());
    desk.key(Key::Escape);
    desk.unfold("Tune");
    desk.click("kikuchi");
    assert_eq!(desk.app.draft().unwrap().cloth.response, gordian_sim::scene::ClothResponse::Kikuchi);
    // What needs a restart is kept by one.
    desk.unfold("fabric of sheet");
    let stiff = desk.app.draft().unwrap().body[0].fabric.clone().unwrap().warp_n_m;
    turn(&mut desk, "warp N/m", 40.0);
    let stiffer = |a: &App| a.draft().unwrap().body[0].fabric.clone().unwrap().warp_n_m > 1.1 * stiff;
    assert!(stiffer(&desk.app));
    let old = desk.shown().world;
    desk.key(Key::R);
    desk.until(|d| d.app.shown().is_some_and(|s| s.world > old));
    assert!(stiffer(&desk.app), "the change is lost");
    desk.chord(Modifiers::COMMAND, Key::S);
    desk.pass(Vec::new());
    desk.click("Save");
    let path = folder.path().join("tangled_cloth_changed.toml");
    assert!(path.is_file(), "{:?}", desk.app.errors().collect::<Vec<_>>());
    let saved = gordian_sim::Scene::load(&path).unwrap();
    assert_eq!(saved, *desk.app.draft().unwrap());
    // It runs, and as what was changed in the window does.
    let run = |desk: &mut Desk| {
        desk.key(Key::Period);
        desk.until(|d| d.shown().snapshot.frame == 1);
        desk.shown().snapshot.positions.clone()
    };
    let live = run(&mut desk);
    let before = desk.shown().world;
    desk.app.open(&path.display().to_string());
    desk.until(|d| d.app.shown().is_some_and(|s| s.world > before));
    assert_eq!(run(&mut desk), live);
}

/// Drags the number in front of a label.
fn turn(desk: &mut Desk, label: &str, by: f32) {
    let number = desk.place(label).left_center() - vec2(25.0, 0.0);
    desk.drag(PointerButton::Primary, number, vec2(by, 0.0));
    desk.pass(Vec::new());
}

/// A soft ball above the ground, and a sheet above it.
const BOTH: &str = "
[simulation]
substeps = 4
iterations = 4
[cloth]
speed_limit_edges = 1
[[body]]
name = \"ball\"
generator = { kind = \"sphere\", radius = 0.5, resolution = 4 }
clearance_m = 0.02
[[body]]
name = \"sheet\"
generator = { kind = \"cloth\", width = 1.0, height = 1.0, nx = 8, ny = 8 }
rotate_deg = [-90, 0, 0]
translate_m = [0, 1.1, 0]
fabric = { bend_n_m = 0.002 }
[[collider]]
shape = { kind = \"plane\" }
";

/// Each number, switch and choice, in a scene that runs: what it is about changes, at once where it can, and else by a restart.
#[test]
fn every_control_moves_its_setting_and_what_needs_a_restart_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("both.toml");
    std::fs::write(&path, BOTH).unwrap();
    let mut desk = Desk::unseen();
    desk.size = [600, 2200];
    desk.open(&path.display().to_string());
    desk.unfold("Tune");
    desk.unfold("friction of ball");
    let built = desk.app.scene().unwrap().clone();
    desk.key(Key::Space);
    let numbers = [
        "substeps a frame",
        "iterations a substep",
        "gravity m/s²",
        "distance of contacts, edges",
        "restitution",
        "depenetration, edges a frame",
        "damping of what is inside",
        "kinetic",
        "static",
        "strength, edges a frame",
        "thickness, edges",
        "searches a substep",
        "smoothing of velocities",
        "speed limit, edges a frame (0: none)",
    ];
    let switches = [
        "collisions",
        "self-collision",
        "continuous detection",
        "edge-edge pairs",
        "recovery",
        "culling by feasible region",
        "velocity pass",
        "layers, and cloth and volumes, kept apart",
        "culling of regions that cannot cross themselves",
        "euclidean",
        "rest shape",
        "geodesic",
        "flood",
        "traversal",
        "auto",
        "off",
        "kikuchi",
        "ye",
        "buffet",
        "icm",
    ];
    let draft = |desk: &Desk| desk.app.draft().unwrap().clone();
    for label in numbers {
        let before = draft(&desk);
        turn(&mut desk, label, 30.0);
        if draft(&desk) == before {
            turn(&mut desk, label, -60.0);
        }
        assert_ne!(draft(&desk), before, "{label}");
    }
    for label in switches {
        let before = draft(&desk);
        desk.click(label);
        assert_ne!(draft(&desk), before, "{label}");
    }
    let now = draft(&desk);
    now.validate().unwrap();
    assert_eq!(World::tuned(&built, &now), now, "all of these change live");
    assert!(!desk.says("Restart with the changes"));
    // Back to what is stable, and it still runs.
    let frame = desk.shown().snapshot.frame;
    desk.until(|d| d.shown().snapshot.frame > frame);

    desk.unfold("material of ball");
    desk.unfold("fabric of sheet");
    let restarting = [
        "velocity damping 1/s",
        "Young's modulus Pa",
        "Poisson's ratio",
        "density kg/m³",
        "damping s",
        "warp N/m",
        "weft N/m",
        "shear N/m",
        "bending N m",
        "density kg/m²",
    ];
    for label in restarting {
        let before = draft(&desk);
        turn(&mut desk, label, 30.0);
        assert_ne!(draft(&desk), before, "{label}");
        assert!(desk.says("Restart with the changes"), "{label}");
    }
    let (wanted, world) = (draft(&desk), desk.shown().world);
    desk.click("Restart with the changes");
    desk.until(|d| d.app.shown().is_some_and(|s| s.world > world));
    assert_eq!(*desk.app.scene().unwrap(), wanted);
    desk.pass(Vec::new());
    assert!(!desk.says("Restart with the changes"), "they hold");
    assert_eq!(desk.app.errors().count(), 0);
}

fn choose_speed(desk: &mut Desk, from: &str, to: &str) {
    desk.click(from);
    desk.pass(Vec::new());
    desk.pass(Vec::new());
    desk.click(to);
    desk.pass(Vec::new());
    desk.pass(Vec::new());
    let written = |text: &str| desk.texts.iter().any(|t| t.0 == text);
    assert!(written(to) && !written(from), "the list is closed");
}

/// Frames are seconds long, so that a busy machine is no slower than what is asked for.
#[test]
fn the_speed_that_is_chosen_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::unseen();
    desk.key(Key::H);
    desk.open(&ball_with(folder.path(), "frame_s = 2.0"));
    let substeps = |d: &Desk| d.shown().snapshot.frame * 4 + d.shown().substep;
    choose_speed(&mut desk, "real time", "as fast as it goes");
    let begun = Instant::now();
    desk.key(Key::Space);
    desk.until(|d| d.shown().snapshot.frame >= 20);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?} for 40 s", begun.elapsed());

    // Half a second a substep, the first at once.
    for (from, to, speed) in [("as fast as it goes", "×0.25", 0.25), ("×0.25", "×2", 2.0)] {
        choose_speed(&mut desk, from, to);
        desk.key(Key::Space);
        // The substep under way may still end.
        std::thread::sleep(Duration::from_millis(300));
        desk.pass(Vec::new());
        desk.key(Key::Space);
        let (begun, first) = (Instant::now(), substeps(&desk));
        desk.until(|d| begun.elapsed() > Duration::from_millis(2200) || substeps(d) > first + 40);
        let (done, allowed) = (substeps(&desk) - first, begun.elapsed().as_secs_f64() * speed / 0.5);
        assert!(f64::from(done) <= allowed + 2.0, "{done} substeps at {to} in {:?}", begun.elapsed());
        // Time passes substep by substep, also where a frame takes long.
        assert!(f64::from(done) >= (allowed - 2.0).min(1.0), "{done} substeps at {to}");
    }
}
