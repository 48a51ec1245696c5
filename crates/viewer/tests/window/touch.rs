//! The pointer and keys on the picture: grab, orbit, pan, zoom, frame, cut.

use egui::{
    Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Rect, TouchPhase, pos2, vec2,
};
use gordian_viewer::window::Shown;

use super::desk::{Desk, SIZE, ball, button, differ};

#[test]
fn a_drag_moves_the_ball_and_its_velocity_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new();
    // Nothing but the picture, so that places are known.
    desk.key(Key::H);
    desk.open(&ball(folder.path()));
    desk.key(Key::A);
    let centre = |s: &Shown| {
        let x = &s.snapshot.positions;
        x.iter().sum::<glam::Vec3>() / x.len() as f32
    };
    let before = centre(&desk.shown());
    desk.key(Key::Space);
    let middle = pos2(SIZE[0] as f32 / 2.0, SIZE[1] as f32 / 2.0 - 10.0);
    desk.pass(vec![Event::PointerMoved(middle)]);
    desk.pass(vec![button(middle, PointerButton::Primary, true)]);
    for i in 1..=20 {
        desk.pass(vec![Event::PointerMoved(middle + vec2(6.0 * i as f32, 0.0))]);
    }
    desk.until(|d| (centre(&d.shown()) - before).length() > 0.05);
    let end = middle + vec2(120.0, 0.0);
    desk.pass(vec![button(end, PointerButton::Primary, false)]);
    let released = desk.shown().snapshot.frame;
    desk.until(|d| d.shown().snapshot.frame > released + 2);
    let s = desk.shown();
    let fastest = s.snapshot.velocities.iter().map(|v| v.length()).fold(0.0, f32::max);
    assert!(fastest > 0.01, "what was pulled goes on: {fastest}");
}

#[test]
fn overlays_change_the_picture_and_a_drag_beside_the_bodies_turns_the_camera() {
    let mut desk = Desk::new();
    desk.key(Key::H);
    desk.open("tangled_noodle");
    let with = desk.see();
    desk.key(Key::Num1);
    let without = desk.see();
    assert!(differ(&with, &without) > 50, "penetrating vertices");
    for (key, pixels, what) in [(Key::Num5, 1000, "wires"), (Key::Num7, 5000, "the colouring")] {
        desk.key(key);
        let with = desk.see();
        assert!(differ(&without, &with) > pixels, "{what}");
        desk.key(key);
        let again = desk.see();
        assert_eq!(differ(&without, &again), 0, "{what} off");
    }
    // These are looked up by the simulation.
    desk.key(Key::Num4);
    desk.until(|d| !d.shown().snapshot.paths.is_empty());
    assert!(differ(&without, &desk.see()) > 50, "paths");
    desk.key(Key::Num4);
    desk.key(Key::Num8);
    desk.until(|d| !d.shown().snapshot.culled.is_empty());
    assert!(differ(&without, &desk.see()) > 50, "culled boxes");
    desk.key(Key::Num8);
    desk.key(Key::C);
    let cut = desk.see();
    assert!(differ(&without, &cut) > 1000, "clip plane");
    desk.turn();
    let turned = desk.see();
    assert!(differ(&cut, &turned) > 1000, "turned");
}

/// Where the middle of the ball is seen, where nothing but the bar is shown.
fn seen(desk: &Desk, at: glam::Vec3) -> egui::Pos2 {
    let bar = desk.place("Play").top() - 10.0;
    let view = Rect::from_min_max(pos2(0.0, 0.0), pos2(SIZE[0] as f32, bar));
    desk.app.place_of(at, view).expect("it is before the eye")
}

#[test]
fn the_picture_is_dragged_along_zoomed_under_the_pointer_and_framed() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new();
    desk.key(Key::H);
    desk.open(&ball(folder.path()));
    desk.key(Key::A);
    let (middle, side) = (glam::Vec3::ZERO, glam::Vec3::Y * 0.4);
    let start = seen(&desk, middle);
    let corner = pos2(40.0, 40.0);
    let near = |a: egui::Pos2, b: egui::Pos2| assert!(a.distance(b) < 4.0, "{a} {b}");
    // It follows the pointer.
    desk.drag(PointerButton::Middle, corner, vec2(120.0, 60.0));
    near(seen(&desk, middle), start + vec2(120.0, 60.0));
    desk.pass(vec![Event::ModifiersChanged(Modifiers::SHIFT)]);
    desk.drag(PointerButton::Primary, corner, vec2(-70.0, 20.0));
    desk.pass(vec![Event::ModifiersChanged(Modifiers::NONE)]);
    near(seen(&desk, middle), start + vec2(50.0, 80.0));
    // What is under the pointer stays there, and the rest moves away from it.
    let (at, apart) = (seen(&desk, middle), seen(&desk, middle).distance(seen(&desk, side)));
    let wheel = Event::MouseWheel {
        unit: MouseWheelUnit::Line,
        delta: vec2(0.0, 2.0),
        phase: TouchPhase::Move,
        source: MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    };
    desk.pass(vec![Event::PointerMoved(at)]);
    desk.pass(vec![wheel]);
    desk.rest();
    near(seen(&desk, middle), at);
    let factor = seen(&desk, middle).distance(seen(&desk, side)) / apart;
    assert!(factor > 1.2 && factor < 3.0, "{factor}");
    // All in view again, in the middle.
    desk.key(Key::A);
    near(seen(&desk, middle), start);
    // The vertex that is clicked, in the middle and nearer.
    let bar = desk.place("Play").top() - 10.0;
    desk.click_at(start + vec2(50.0, -40.0));
    let vertex = desk.app.selected().expect("there is the ball");
    let vertex = desk.shown().snapshot.positions[vertex as usize];
    let before = seen(&desk, vertex);
    desk.key(Key::F);
    near(seen(&desk, vertex), pos2(SIZE[0] as f32 / 2.0, bar / 2.0));
    assert!(before.distance(start) > 20.0);
    // Without a vertex, all of it.
    desk.key(Key::A);
    desk.click_at(corner);
    assert_eq!(desk.app.selected(), None);
    desk.turn();
    desk.key(Key::F);
    near(seen(&desk, middle), start);
}

#[test]
fn the_clip_plane_is_chosen_turned_and_comes_back_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new();
    desk.size = [1000, 700];
    desk.open(&ball(folder.path()));
    desk.rest();
    let whole = desk.see();
    desk.click("clip plane");
    desk.rest();
    let along_x = desk.see();
    desk.click("z");
    desk.rest();
    let along_z = desk.see();
    desk.click("z");
    desk.rest();
    let other_side = desk.see();
    for (a, b, what) in
        [(&whole, &along_x, "x"), (&along_x, &along_z, "z"), (&along_z, &other_side, "the other side")]
    {
        assert!(differ(a, b) > 1000, "{what}");
    }
    desk.key(Key::C);
    desk.rest();
    let off = desk.see();
    assert!(differ(&off, &other_side) > 1000);
    desk.key(Key::C);
    assert_eq!(differ(&desk.see(), &other_side), 0, "along z as before");
}

/// What is inside lies behind a surface: its mark is clicked.
#[test]
fn a_click_on_the_mark_of_what_is_inside_chooses_it() {
    let mut desk = Desk::unseen();
    desk.key(Key::H);
    desk.open("tangled_noodle");
    desk.key(Key::A);
    let snapshot = desk.shown().snapshot;
    let inside: Vec<u32> = snapshot.penetrating.iter().map(|p| p.0).collect();
    let place = |desk: &Desk, v: u32| seen(desk, snapshot.positions[v as usize]);
    for &vertex in inside.iter().step_by(inside.len() / 5) {
        let at = place(&desk, vertex);
        desk.click_at(at);
        let chosen = desk.app.selected().expect("there is a mark");
        assert!(inside.contains(&chosen) && place(&desk, chosen).distance(at) < 6.5, "{chosen} for {vertex}");
        // Else it would be a double click.
        desk.rest();
    }
}
