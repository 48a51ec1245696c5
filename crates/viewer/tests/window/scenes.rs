//! Scenes: the list, the browser, dropped files, errors.

use std::time::Duration;

use egui::{Event, Key, Modifiers, RawInput};
use gordian_sim::scene::SCENES;

use super::desk::{Desk, ball, differ};

#[test]
fn scenes_open_switch_play_and_step() {
    let mut desk = Desk::new();
    // High enough for the list of scenes.
    desk.size = [900, 200 + 100 * SCENES.len() as u32];
    let empty = desk.see();
    desk.pass(Vec::new());
    desk.click("two spheres");
    desk.until(|d| d.app.shown().is_some());
    let full = desk.see();
    assert!(differ(&empty, &full) > 5000, "the balls are seen");
    assert_eq!(desk.app.scene().unwrap().simulation.name, "two_spheres");
    desk.key(Key::Period);
    desk.until(|d| d.shown().snapshot.frame == 1);
    desk.key(Key::Comma);
    desk.until(|d| d.shown().substep == 1);
    desk.key(Key::R);
    desk.until(|d| d.app.shown().is_some_and(|s| s.world == 2 && s.snapshot.frame == 0));

    let folder = tempfile::tempdir().unwrap();
    desk.open(&ball(folder.path()));
    desk.until(|d| d.app.scene().is_some_and(|s| s.simulation.name == "ball"));
    desk.key(Key::Space);
    desk.until(|d| d.app.shown().is_some_and(|s| s.snapshot.frame >= 3));
    desk.key(Key::Space);
    assert!(desk.app.stop(Duration::from_secs(30)));
}

#[test]
fn a_broken_scene_shows_its_error_and_what_was_open_stays() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.toml");
    std::fs::write(&broken, "[simulation]\nsubstep = 3\n").unwrap();
    let mut desk = Desk::new();
    desk.open(&ball(folder.path()));
    desk.app.open(&broken.display().to_string());
    desk.until(|d| d.app.errors().count() > 0);
    let error = desk.app.errors().next().unwrap().to_owned();
    assert!(error.contains("substep") && error.contains("substeps"), "{error}");
    desk.pass(Vec::new());
    assert!(desk.texts.iter().any(|t| t.0.contains("substeps")), "it is seen");
    assert_eq!(desk.app.scene().unwrap().simulation.name, "ball");
    desk.click("close");
    desk.pass(Vec::new());
    assert_eq!(desk.app.errors().count(), 0);
}

#[test]
fn the_browser_goes_into_folders_says_what_is_in_a_scene_and_opens_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("inner")).unwrap();
    ball(&folder.path().join("inner"));
    std::fs::write(folder.path().join("inner/broken.toml"), "[simulation]\nsubstep = 3\n").unwrap();
    std::fs::write(folder.path().join("inner/notes.txt"), "").unwrap();
    let mut desk = Desk::new();
    desk.pass(Vec::new());
    desk.chord(Modifiers::COMMAND, Key::O);
    desk.pass(Vec::new());
    assert!(desk.says("Open a scene or a mesh"));
    desk.key(Key::Escape);
    desk.pass(Vec::new());
    assert!(!desk.says("Open a scene or a mesh"));

    desk.app.browse_folder(folder.path());
    desk.pass(Vec::new());
    desk.pass(Vec::new());
    desk.double_click("inner");
    desk.pass(Vec::new());
    assert!(desk.says("ball.toml") && desk.says("broken.toml") && !desk.says("notes.txt"));
    desk.click("broken.toml");
    desk.pass(Vec::new());
    assert!(desk.says("did you mean `substeps`"), "{:?}", desk.texts);
    desk.click("ball.toml");
    desk.pass(Vec::new());
    assert!(desk.says("one body"));
    // Its keys are not those of the window.
    desk.key(Key::Space);
    assert!(desk.app.scene().is_none());
    desk.click("Open");
    desk.until(|d| d.app.shown().is_some());
    assert_eq!(desk.app.scene().unwrap().simulation.name, "ball");
    assert!(!desk.says("Open a scene or a mesh"), "it is closed");

    // By typing: the first that fits is chosen, and Enter opens it.
    desk.app.browse_folder(&folder.path().join("inner"));
    desk.pass(Vec::new());
    desk.pass(vec![Event::Text("broken".into())]);
    assert!(!desk.says("ball.toml"));
    desk.key(Key::Enter);
    desk.until(|d| d.app.errors().count() > 0);
}

#[test]
fn scenes_are_listed_with_their_pictures() {
    let mut desk = Desk::new();
    // All of the list.
    desk.size = [900, 1600];
    desk.pass(Vec::new());
    desk.pass(Vec::new());
    let image = desk.see();
    let title = desk.texts.iter().find(|t| t.0 == "octopus drop").expect("it is in the list").1;
    // Left of the title.
    let colourful = |x: u32, y: u32| {
        let p = image.pixel(x, y);
        p[2] > p[0].saturating_add(60)
    };
    let (right, top) = (title.left() as u32, title.top() as u32);
    let blue =
        (0..right).flat_map(|x| (top..top + 45).map(move |y| (x, y))).filter(|&(x, y)| colourful(x, y));
    assert!(blue.count() > 200, "the octopus is blue");
}

/// A file as it is dropped.
#[derive(Debug)]
struct Dropped(std::path::PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &std::path::Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|e| e.to_string())
    }
}

fn drop_on(desk: &mut Desk, paths: &[&std::path::Path]) {
    let dropped = |p: &&std::path::Path| std::sync::Arc::new(Dropped(p.to_path_buf())) as _;
    desk.pass_with(RawInput { dropped_files: paths.iter().map(dropped).collect(), ..RawInput::default() });
}

#[test]
fn what_is_dropped_is_opened_and_what_cannot_be_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let scene = std::path::PathBuf::from(ball(folder.path()));
    let sheet = write("sheet.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
    let mut desk = Desk::new();
    desk.pass(Vec::new());
    // While it is held over the window, the window says what will happen.
    let held = egui::HoveredFile { path: Some(scene.clone()), ..egui::HoveredFile::default() };
    desk.pass_with(RawInput { hovered_files: vec![held], ..RawInput::default() });
    assert!(desk.says("drop to open ball.toml"));
    drop_on(&mut desk, &[&scene]);
    assert!(desk.says("opening ball.toml") && !desk.says("drop to open"));
    desk.until(|d| d.app.shown().is_some());
    assert_eq!(desk.app.scene().unwrap().simulation.name, "ball");
    // A mesh, with the browser open.
    desk.app.browse_folder(folder.path());
    desk.pass(Vec::new());
    drop_on(&mut desk, &[&sheet]);
    desk.until(|d| d.app.scene().is_some_and(|s| s.simulation.name == "sheet") && d.app.shown().is_some());
    assert!(desk.app.scene().unwrap().body[0].fabric.is_some());
    assert!(!desk.says("Open a scene or a mesh"), "the browser is closed");
    // Several: the first, and it is said.
    drop_on(&mut desk, &[&scene, &sheet]);
    desk.until(|d| d.app.scene().is_some_and(|s| s.simulation.name == "ball") && d.app.shown().is_some());
    assert!(desk.says("of 2 files") && desk.says("ball.toml is opened"), "{:?}", desk.texts);
    // What cannot be opened is named, and what was open stays.
    let broken = write("broken.toml", "[simulation]\nsubstep = 3\n");
    let notes = write("notes.txt", "remember the milk\n");
    let half = write("half.obj", "v 0 0\n");
    for (path, told) in [(&broken, "substeps"), (&notes, "scenes are TOML; meshes"), (&half, "half.obj")] {
        drop_on(&mut desk, &[path]);
        desk.until(|d| d.app.errors().any(|e| e.contains(told)));
        assert!(desk.says(told));
        assert!(!desk.app.is_opening());
    }
    assert_eq!(desk.app.scene().unwrap().simulation.name, "ball");
    // A folder is looked into.
    drop_on(&mut desk, &[folder.path()]);
    desk.pass(Vec::new());
    desk.pass(Vec::new());
    assert!(desk.says("Open a scene or a mesh") && desk.says("sheet.obj"), "{:?}", desk.texts);
}
