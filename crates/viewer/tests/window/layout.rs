//! Where things are in windows of all sizes.

use egui::{Key, Rect};

use super::desk::{Desk, SIZE, ball};

#[test]
fn every_size_of_the_window_is_survived() {
    let mut desk = Desk::unseen();
    desk.open("two_spheres");
    for size in [[1, 1], [64, 40], [1600, 300], [300, 900], SIZE] {
        desk.size = size;
        desk.pass(Vec::new());
        desk.pass(Vec::new());
    }
    assert_eq!(desk.app.errors().count(), 0);
}

/// At the smallest size that is common.
#[test]
fn the_pace_of_the_simulation_is_seen_in_a_window_of_1280_by_720() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::unseen();
    desk.size = [1280, 720];
    desk.open(&ball(folder.path()));
    desk.key(Key::Period);
    desk.until(|d| d.shown().snapshot.frame == 1);
    desk.key(Key::Comma);
    desk.until(|d| d.shown().substep == 1);
    desk.pass(Vec::new());
    for text in ["frame    1+1", "real time"] {
        let at = desk.texts.iter().rfind(|t| t.0.contains(text)).unwrap_or_else(|| panic!("no `{text}`")).1;
        assert!(at.left() > 270.0 && at.right() < 950.0 && at.bottom() < 720.0, "`{text}` at {at}");
    }
}

#[test]
fn measurements_stay_within_their_panel_and_leave_the_picture_its_room() {
    let mut desk = Desk::unseen();
    desk.size = [1440, 1600];
    desk.open("two_spheres");
    desk.key(Key::Period);
    desk.until(|d| d.shown().snapshot.frame == 1);
    for _ in 0..3 {
        desk.pass(Vec::new());
    }
    let place = |text: &str| {
        desk.texts.iter().find(|t| t.0.starts_with(text)).unwrap_or_else(|| panic!("no `{text}`")).1
    };
    let left = place("Measure").left();
    assert!(left > 1440.0 - 400.0, "{left}");
    let beside = desk.texts.iter().filter(|t| t.1.left() >= left - 30.0);
    for (text, at) in beside {
        assert!(at.right() <= 1440.0, "`{text}` is cut off: {at}");
    }
    let stages = gordian_sim::Stage::ALL.map(|s| s.name().replace('_', " "));
    let legend: Vec<_> =
        desk.texts.iter().filter(|t| stages.iter().any(|s| t.0.starts_with(&format!("{s} ")))).collect();
    assert!(
        legend.len() > 2 && legend.iter().any(|t| t.1.top() > legend[0].1.bottom()),
        "it wraps: {legend:?}"
    );
    assert!(place("frame    1").right() < left, "the bar below is seen");
}

/// From the smallest size that the window may have.
#[test]
fn a_narrow_window_keeps_its_controls_and_its_clock_in_one_piece() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::unseen();
    desk.open(&ball(folder.path()));
    desk.key(Key::Period);
    desk.until(|d| d.shown().snapshot.frame == 1);
    desk.key(Key::Comma);
    desk.until(|d| d.shown().substep == 1);
    for size in [[480, 320], [560, 400], [640, 480], [700, 500]] {
        desk.size = size;
        desk.pass(Vec::new());
        desk.pass(Vec::new());
        let window = Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(size[0] as f32, size[1] as f32));
        for text in ["Play", "Frame", "Substep", "Reset", "real time"] {
            assert!(window.contains_rect(desk.place(text)), "{text} at {size:?}: {}", desk.place(text));
        }
        let clock = desk.texts.iter().find(|t| t.0.contains("frame    1+1"));
        let clock = clock.unwrap_or_else(|| panic!("it is not seen at {size:?}: {:?}", desk.texts));
        assert!(clock.0.contains("0.0") && clock.0.contains("real time"), "{}", clock.0);
        assert!(window.contains_rect(clock.1), "{size:?}: {}", clock.1);
        assert!(clock.1.height() < 1.5 * desk.place("Play").height(), "one line: {}", clock.1);
        assert!(desk.place("Play").top() > 0.6 * window.height(), "most is picture");
    }
}

#[test]
fn the_first_frame_moves_nothing_in_the_settings() {
    for scene in ["two_spheres", "tangled_cloth"] {
        let mut desk = Desk::unseen();
        desk.size = [1000, 1200];
        desk.open(scene);
        desk.rest();
        let before = [desk.place("Record"), desk.place("Play")];
        desk.key(Key::Period);
        desk.until(|d| d.shown().snapshot.frame == 1);
        desk.rest();
        assert_eq!([desk.place("Record"), desk.place("Play")], before, "{scene} {:?}", desk.texts);
    }
}
