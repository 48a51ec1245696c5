//! A run that is resumed from a checkpoint equals the run that never stopped, bit for bit.

use gordian_sim::{AdapterChoice, Checkpoint, CheckpointError, Scene, SimError, World};

const TWO_BALLS: &str = "
    [simulation]
    substeps = 5
    [[body]]
    name = \"left\"
    generator = { kind = \"sphere\", radius = 0.5, resolution = 6 }
    translate_m = [-0.45, 0.6, 0]
    velocity_m_s = [3, 0, 0]
    [[body]]
    name = \"right\"
    generator = { kind = \"sphere\", radius = 0.5, resolution = 6 }
    translate_m = [0.5, 0.55, 0.1]
    [[collider]]
    shape = { kind = \"plane\" }
    motion = [{ kind = \"translate\", velocity_m_s = [0, 0.5, 0] }]
";

fn run(world: &mut World, frames: u32) -> Vec<u64> {
    (0..frames).map(|_| world.step_frame().unwrap().position_hash).collect()
}

#[test]
fn a_resumed_run_equals_the_one_that_never_stopped() {
    let scene = Scene::parse(TWO_BALLS, "two balls").unwrap();
    let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
    let mut hashes = run(&mut world, 3);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.checkpoint");
    world.checkpoint(&scene).write(&path).unwrap();
    hashes.extend(run(&mut world, 4));

    let mut resumed = World::new(&scene, &AdapterChoice::Cpu).unwrap();
    resumed.resume(&scene, &Checkpoint::read(&path).unwrap()).unwrap();
    assert_eq!(resumed.frame(), 3);
    assert_eq!(run(&mut resumed, 4), hashes[3..]);
}

#[test]
fn checkpoints_of_other_scenes_and_meshes_are_refused() {
    let scene = Scene::parse(TWO_BALLS, "two balls").unwrap();
    let world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
    let checkpoint = world.checkpoint(&scene);

    let softer = Scene::parse_with(TWO_BALLS, "softer", &["body.left.material.young_pa=5e4".into()]).unwrap();
    let mut world = World::new(&softer, &AdapterChoice::Cpu).unwrap();
    let error = world.resume(&softer, &checkpoint).unwrap_err();
    assert!(matches!(error, SimError::Checkpoint(CheckpointError::OtherScene { .. })), "{error}");
    assert!(error.to_string().contains("young_pa"), "{error}");

    let mut other = checkpoint.clone();
    other.model_hash ^= 1;
    let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
    let error = world.resume(&scene, &other).unwrap_err();
    assert!(matches!(error, SimError::Checkpoint(CheckpointError::OtherModel { .. })), "{error}");
    assert_eq!(world.frame(), 0, "nothing was taken over");
}
