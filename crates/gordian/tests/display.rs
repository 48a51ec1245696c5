//! The window on a virtual display: it opens, takes keys, survives being resized and hidden, and closes cleanly.
//!
//! Needs `Xvfb` and `xdotool` (see `scripts/setup`); without them nothing is tested, except where `CI` is set.
#![cfg(all(feature = "window", target_os = "linux"))]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use x11rb::protocol::xproto::{ClientMessageEvent, ConnectionExt, EventMask};
use x11rb::wrapper::ConnectionExt as _;

/// How long closing may take, whatever the simulation does: it takes about a second; the rest is for a machine that is busy.
const CLOSING: Duration = Duration::from_secs(10);

/// Ends the process when the test does, however it does.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn there_is(program: &str) -> bool {
    let found =
        Command::new(program).arg("-help").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "{program} is missing; see scripts/setup");
    found
}

/// A display of its own; returns its name.
fn display() -> (Running, String) {
    let mut child = Command::new("Xvfb")
        // Without `-noreset` it starts anew, and lets nobody in meanwhile, whenever the last program leaves: xdotool, before
        // the window is there.
        .args(["-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut number = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut number).unwrap();
    (Running(child), format!(":{}", number.trim()))
}

fn xdotool(display: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new("xdotool").env("DISPLAY", display).args(arguments).output().unwrap();
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Asks the window to close, as a window manager does. (Not by `xdotool windowquit`, which older versions of it lack.)
fn close(display: &str, window: &str) {
    let (server, _) = x11rb::connect(Some(display)).unwrap();
    let atom = |name: &str| server.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom;
    let window = window.parse().unwrap();
    let data = [atom("WM_DELETE_WINDOW"), x11rb::CURRENT_TIME, 0, 0, 0];
    let event = ClientMessageEvent::new(32, window, atom("WM_PROTOCOLS"), data);
    server.send_event(false, window, EventMask::NO_EVENT, event).unwrap().check().unwrap();
    server.sync().unwrap();
}

fn wait<T>(what: &str, at_most: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + at_most;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "{what} took more than {at_most:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn the_window_opens_takes_keys_is_resized_hidden_and_closed_in_a_long_frame() {
    // Minutes, of many substeps.
    play_and_close("substeps = 100000");
}

#[test]
fn the_window_closes_in_a_long_substep() {
    // Minutes, of one substep.
    play_and_close("substeps = 1\niterations = 10000000");
}

/// Closing falls into the first frame of a scene with these settings.
fn play_and_close(settings: &str) {
    if !there_is("Xvfb") || !there_is("xdotool") {
        return;
    }
    let (_server, display) = display();
    let folder = tempfile::tempdir().unwrap();
    let scene =
        format!("[simulation]\n{settings}\n[[body]]\ngenerator = {{ kind = \"sphere\", resolution = 5 }}\n");
    std::fs::write(folder.path().join("long.toml"), scene).unwrap();
    let child = Command::new(assert_cmd::cargo::cargo_bin("gordian"))
        .current_dir(folder.path())
        .env("DISPLAY", &display)
        .env_remove("WAYLAND_DISPLAY")
        .args(["view", "long.toml", "--adapter", "cpu"])
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let mut program = Running(child);
    let window = wait("opening", Duration::from_secs(60), || {
        assert!(program.0.try_wait().unwrap().is_none(), "it ended by itself");
        xdotool(&display, &["search", "--onlyvisible", "--name", "^Gordian$"]).filter(|w| !w.is_empty())
    });
    let mut act = |arguments: &[&str]| {
        assert!(xdotool(&display, arguments).is_some(), "xdotool {arguments:?}");
        std::thread::sleep(Duration::from_millis(400));
        assert!(program.0.try_wait().unwrap().is_none(), "it ended at {arguments:?}");
    };
    act(&["windowfocus", &window]);
    act(&["key", "space"]);
    act(&["windowsize", &window, "700", "420"]);
    act(&["windowunmap", &window]);
    act(&["windowmap", &window]);
    act(&["windowsize", &window, "1500", "900"]);
    act(&[
        "mousemove",
        "--window",
        &window,
        "600",
        "300",
        "mousedown",
        "1",
        "mousemove_relative",
        "80",
        "10",
        "mouseup",
        "1",
    ]);
    act(&["key", "c"]);
    close(&display, &window);
    let status = wait("closing", CLOSING, || program.0.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
}
