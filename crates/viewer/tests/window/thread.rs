//! The window does not wait for the simulation.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use egui::{Event, Key, PointerButton, pos2};

use super::desk::{Desk, SIZE, ball, button, differ};

/// Stops the simulation's thread where it tells the window something.
#[derive(Default)]
struct Gate {
    closed: Mutex<bool>,
    waiting: AtomicBool,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut closed = self.closed.lock().unwrap();
        while *closed {
            self.waiting.store(true, Ordering::SeqCst);
            closed = self.changed.wait(closed).unwrap();
        }
        self.waiting.store(false, Ordering::SeqCst);
    }

    fn set(&self, closed: bool) {
        *self.closed.lock().unwrap() = closed;
        self.changed.notify_all();
    }

    fn holds(&self) -> bool {
        self.waiting.load(Ordering::SeqCst)
    }
}

#[test]
fn the_window_goes_on_while_the_simulation_does_not_and_closes_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Arc::new(Gate::default());
    let at = gate.clone();
    let mut desk = Desk::woken_by(move || at.pass());
    desk.key(Key::H);
    desk.open(&ball(folder.path()));
    desk.key(Key::A);
    desk.pass(Vec::new());
    let before = desk.see();
    gate.set(true);
    desk.key(Key::Period);
    desk.until(|_| gate.holds());
    // In the middle of a frame that takes for ever, all that the window does itself goes on.
    desk.turn();
    let turned = desk.see();
    assert!(differ(&before, &turned) > 1000, "turned");
    desk.key(Key::Num5);
    let wires = desk.see();
    assert!(differ(&turned, &wires) > 1000, "wires");
    desk.size = [700, 500];
    desk.pass(Vec::new());
    desk.key(Key::C);
    assert!(gate.holds() && desk.shown().snapshot.frame == 0);
    gate.set(false);
    desk.until(|d| d.shown().snapshot.frame == 1);
    // Once more, and close: were the window to wait for the frame, it would never return.
    gate.set(true);
    desk.key(Key::Period);
    desk.until(|_| gate.holds());
    assert!(!desk.app.stop(Duration::from_millis(1)), "the simulation has not ended");
    gate.set(false);
}

#[test]
fn the_window_has_threads_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new();
    desk.key(Key::H);
    desk.open(&ball(folder.path()));
    desk.key(Key::A);
    desk.pass(Vec::new());
    let before = desk.see();
    // Every thread that a simulation computes with is busy; in the end the test fails instead of hanging.
    let gate = Arc::new(Gate::default());
    gate.set(true);
    let busy = Arc::new(AtomicUsize::new(0));
    let (held, count) = (gate.clone(), busy.clone());
    rayon::spawn_broadcast(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        held.pass();
    });
    let watch = gate.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(200));
        watch.set(false);
    });
    desk.until(|_| busy.load(Ordering::SeqCst) == rayon::current_num_threads());
    desk.key(Key::C);
    let cut = desk.see();
    assert!(differ(&before, &cut) > 1000, "a cut is computed with several threads");
    let middle = pos2(SIZE[0] as f32 / 2.0, SIZE[1] as f32 / 2.0);
    desk.pass(vec![Event::PointerMoved(middle)]);
    desk.pass(vec![button(middle, PointerButton::Primary, true)]);
    desk.pass(vec![button(middle, PointerButton::Primary, false)]);
    assert!(*gate.closed.lock().unwrap(), "the window waited for the simulation's threads");
    gate.set(false);
}
