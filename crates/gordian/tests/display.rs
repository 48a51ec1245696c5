//! The window on a virtual display: it opens, takes keys, survives being resized and hidden, and closes cleanly.
//!
//! Needs `Xvfb` and `xdotool` (see `scripts/setup`); without them nothing is tested, except where `CI` is set.
#![cfg(all(feature = "window", target_os = "linux"))]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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
        .args(["-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"])
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

fn wait<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "{what} took more than a minute");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn the_window_opens_takes_keys_is_resized_hidden_and_closed_in_a_long_frame() {
    if !there_is("Xvfb") || !there_is("xdotool") {
        return;
    }
    let (_server, display) = display();
    let folder = tempfile::tempdir().unwrap();
    // A frame that takes minutes, so that closing falls into it.
    let scene =
        "[simulation]\nsubsteps = 100000\n[[body]]\ngenerator = { kind = \"sphere\", resolution = 5 }\n";
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
    let window = wait("opening", || {
        assert!(program.0.try_wait().unwrap().is_none(), "it ended by itself");
        xdotool(&display, &["search", "--onlyvisible", "--name", "^Gordian$"]).filter(|w| !w.is_empty())
    });
    let mut act = |arguments: &[&str]| {
        xdotool(&display, arguments);
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
    xdotool(&display, &["windowquit", &window]);
    let status = wait("closing", || program.0.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
}
