//! The command line from outside: exit status, files, and what is said where.

use std::path::Path;
use std::process::Stdio;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use gordian::sim::Report;

fn gordian(folder: &Path, arguments: &[&str]) -> Assert {
    let mut command = Command::cargo_bin("gordian").unwrap();
    command.current_dir(folder).env("NO_COLOR", "1").args(arguments).assert()
}

fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

fn stderr(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

fn report(path: &Path) -> Report {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The smallest run: a coarse ball on the CPU.
const DROP: &[&str] = &[
    "run",
    "drop",
    "--adapter",
    "cpu",
    "--set",
    "body.generator.resolution=5",
    "--set",
    "simulation.substeps=4",
];

fn with<'a>(base: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    base.iter().chain(more).copied().collect()
}

#[test]
fn a_run_leaves_frames_a_report_and_a_summary() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let run = gordian(folder.path(), &with(DROP, &["--frames", "3", "--report", "r.json"])).code(0);
    for frame in 0..=3 {
        assert!(at(&format!("out/drop/drop_{frame:06}.vtu")).is_file(), "frame {frame}");
    }
    assert!(at("out/drop/drop.pvd").is_file());
    let report = report(&at("r.json"));
    assert_eq!(report.frames.iter().map(|f| f.frame).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(report.settings["simulation"]["substeps"], 4);
    assert_eq!((report.scene.as_str(), report.bodies), ("drop", 1));
    assert!(report.frames[2].ms.output > 0.0 && report.frames[2].ms.total > report.frames[2].ms.output);
    let said = stdout(&run);
    for part in ["adapter", "contacts", "penetrating vertices", "solve", "drop.pvd", "r.json"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    let told = stderr(&run);
    assert!(
        told.starts_with("drop: 1 body, ") && told.lines().count() == 1,
        "no bar where no terminal is: {told}"
    );
}

#[test]
fn threads_and_checkpoints_change_no_bit() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let scene = &["--set", "body.clearance_m=0.01", "--out", "o", "--format", "ply"];
    let base = with(DROP, scene);
    gordian(
        folder.path(),
        &with(&base, &["--frames", "6", "--threads", "1", "--report", "a.json", "--checkpoint-every", "2"]),
    )
    .code(0);
    assert!(at("o/drop_000002.checkpoint").is_file() && at("o/drop_000006.checkpoint").is_file());
    gordian(folder.path(), &with(&base, &["--frames", "6", "--threads", "2", "--report", "b.json"])).code(0);
    gordian(
        folder.path(),
        &with(&base, &["--frames", "6", "--report", "c.json", "--resume", "o/drop_000002.checkpoint"]),
    )
    .code(0);
    let hashes = |name: &str| report(&at(name)).frames.iter().map(|f| f.position_hash).collect::<Vec<_>>();
    assert_eq!(hashes("a.json"), hashes("b.json"));
    assert_eq!(hashes("a.json")[2..], hashes("c.json"));
}

#[test]
fn a_checkpoint_of_another_scene_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let base = with(DROP, &["--out", "o", "--format", "none"]);
    let soft = ["--frames", "1", "--checkpoint-every", "1", "--set", "body.material.young_pa=1e5"];
    gordian(folder.path(), &with(&base, &soft)).code(0);
    let more =
        ["--frames", "2", "--set", "body.material.young_pa=2e5", "--resume", "o/drop_000001.checkpoint"];
    let told = stderr(&gordian(folder.path(), &with(&base, &more)).code(2));
    assert!(told.contains("another scene") && told.contains("young_pa = 100000.0"), "{told}");
    std::fs::write(folder.path().join("x"), "not one").unwrap();
    let told = stderr(&gordian(folder.path(), &with(&base, &["--resume", "x"])).code(2));
    assert!(told.contains("x: this is no checkpoint"), "{told}");
}

#[test]
fn c22_faults_are_told_with_file_line_key_and_advice() {
    let folder = tempfile::tempdir().unwrap();
    let scene = |text: &str| std::fs::write(folder.path().join("s.toml"), text).unwrap();
    let told = |arguments: &[&str]| stderr(&gordian(folder.path(), arguments).code(2));

    scene("[[body]]\nmehs = \"bunny.msh\"\n");
    let error = told(&["run", "s.toml"]);
    for part in ["body[0].mehs", "s.toml:2:1", "did you mean `mesh`?"] {
        assert!(error.contains(part), "{part} in {error}");
    }
    std::fs::write(folder.path().join("bunny.msh"), "").unwrap();
    scene("\n[[body]]\nmesh = \"buny.msh\"\n");
    let error = told(&["run", "s.toml"]);
    for part in ["body[0].mesh", "s.toml:3:8", "did you mean `bunny.msh`?"] {
        assert!(error.contains(part), "{part} in {error}");
    }
    let error = told(&["run", "octopus_dorp"]);
    assert!(error.contains("did you mean `octopus_drop`?"), "{error}");
    let error = told(&["run", "drop", "--set", "body.mehs=x"]);
    assert!(error.contains("--set body.mehs=x") && error.contains("did you mean `mesh`?"), "{error}");
    let error = told(&["run", "drop", "--adapter", "no such adapter"]);
    assert!(error.contains("no such adapter"), "{error}");
}

#[test]
fn meshes_are_generated_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["b.vtu", "b.msh", "b.ply", "b.obj"] {
        let made = gordian(folder.path(), &["mesh", "box", "nx=2", "ny=2", "nz=2", "-o", file]).code(0);
        assert!(
            stdout(&made).contains("27 vertices, 40 tetrahedra, 48 surface triangles"),
            "{}",
            stdout(&made)
        );
        let checked = gordian(folder.path(), &["check", file, "--json"]).code(0);
        let json: serde_json::Value = serde_json::from_str(&stdout(&checked)).unwrap();
        assert_eq!((&json["clean"], &json["mesh"]["vertices"]), (&true.into(), &27.into()), "{json}");
    }
    let told = |arguments: &[&str]| stderr(&gordian(folder.path(), arguments).code(2));
    assert!(told(&["mesh", "bxo", "-o", "b.vtu"]).contains("did you mean `box`?"));
    assert!(told(&["mesh", "sphere", "radiu=1", "-o", "b.vtu"]).contains("did you mean `radius`?"));
    assert!(told(&["mesh", "sphere", "radius", "-o", "b.vtu"]).contains("name=number"));
    let twice = ["mesh", "sphere", "--vertices", "500", "vertices=200", "-o", "b.vtu"];
    assert!(told(&twice).contains("beside `--vertices`"));
    assert!(
        told(&["mesh", "rod", "radius=0", "-o", "b.vtu"])
            .contains("`radius` must be finite and greater than 0")
    );
    let response = ["untangle", "b.msh", "-o", "c.msh", "--response", "ye"];
    assert!(told(&response).contains("--response is for cloth; b.msh holds a volume"));
    assert!(told(&["mesh", "box", "-o", "b.stp"]).contains(".vtu or .msh"));
    assert!(told(&["check", "c.vtu"]).contains("c.vtu"));
}

#[test]
fn a_tangled_mesh_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let coil = ["mesh", "coil", "rings=1", "segments=60", "-o", "c.vtu"];
    gordian(folder.path(), &coil).code(0);
    let checked = gordian(folder.path(), &["check", "c.vtu", "--json"]).code(1);
    let json: serde_json::Value = serde_json::from_str(&stdout(&checked)).unwrap();
    assert_eq!(json["clean"], false);
    assert!(!json["intersecting_triangle_pairs"].as_array().unwrap().is_empty());
    let said = stdout(&gordian(folder.path(), &["check", "c.vtu"]).code(1));
    assert!(said.contains("crossing pairs of triangles"), "{said}");
    // The same vertices in a pose without a tangle.
    gordian(folder.path(), &["mesh", "rod", "rings=1", "segments=60", "-o", "r.vtu"]).code(0);
    gordian(folder.path(), &["check", "c.vtu", "--pose", "r.vtu"]).code(0);
}

#[test]
fn benchmarks_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let base = [
        "bench",
        "drop",
        "--adapter",
        "cpu",
        "--frames",
        "2",
        "--warmup",
        "1",
        "--set",
        "body.generator.resolution=5",
    ];
    gordian(folder.path(), &with(&base, &["--json", "a.json"])).code(0);
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("a.json")).unwrap()).unwrap();
    for key in ["version", "commit", "machine", "threads"] {
        assert!(!json[key].is_null(), "{key}");
    }
    let scene = &json["scenes"][0];
    assert_eq!((&scene["scene"], &scene["frames"]), (&"drop".into(), &2.into()));
    assert!(scene["p50_ms"].as_f64().unwrap() <= scene["p99_ms"].as_f64().unwrap());
    let said = stdout(&gordian(folder.path(), &with(&base, &["--compare", "a.json"])).code(0));
    assert!(said.contains("in brackets") && said.contains("solve"), "{said}");
    let told = stderr(&gordian(folder.path(), &with(&base, &["--compare", "b.json"])).code(2));
    assert!(told.contains("b.json"), "{told}");
}

#[test]
fn scenes_and_adapters_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let said = stdout(&gordian(folder.path(), &["scenes"]).code(0));
    for name in [
        "octopus_drop",
        "two_spheres",
        "twisted_beam",
        "tangled_noodle",
        "cube_on_bend",
        "pressed_ball",
        "drop",
    ] {
        assert!(said.lines().any(|l| l.split_whitespace().next() == Some(name)), "{name} in {said}");
    }
    assert!(stdout(&gordian(folder.path(), &["adapters"]).code(0)).starts_with("cpu "));
    assert!(stdout(&gordian(folder.path(), &["mesh", "--help"]).code(0)).contains("squishy_ball"));
    gordian(folder.path(), &["rnu"]).code(2);
}

#[test]
fn a_screenshot_needs_no_display_and_nonsense_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let small = [
        "view",
        "drop",
        "--adapter",
        "cpu",
        "--set",
        "body.generator.resolution=4",
        "--frame",
        "1",
        "--camera",
        "-30,10,0.8",
        "--clip",
        "-x",
    ];
    gordian(folder.path(), &with(&small, &["--screenshot", "new/p.png", "--size", "96x64"])).code(0);
    let png = std::fs::read(folder.path().join("new/p.png")).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&png[16..24], &[0, 0, 0, 96, 0, 0, 0, 64], "width and height");
    for (arguments, expected) in [
        (["--overlay", "path"], "paths"),
        (["--size", "0x3"], "1280x720"),
        (["--size", "100000x3"], "16384"),
        (["--theme", "pink"], "dark"),
        (["--draw-with", "no such"], "no such"),
    ] {
        let run =
            gordian(folder.path(), &with(&small, &["--screenshot", "q.png", arguments[0], arguments[1]]));
        let run = run.code(2);
        assert!(stderr(&run).contains(expected), "{}", stderr(&run));
    }
    // From a checkpoint on, the same picture without the frames before; and none of before.
    let run = ["run", "drop", "--adapter", "cpu", "--set", "body.generator.resolution=4", "--out", "out"];
    gordian(folder.path(), &with(&run, &["--frames", "2", "--checkpoint-every", "2"])).code(0);
    let checkpoint = "out/drop_000002.checkpoint";
    let view =
        ["view", "drop", "--adapter", "cpu", "--set", "body.generator.resolution=4", "--size", "96x64"];
    gordian(folder.path(), &with(&view, &["--frame", "3", "--screenshot", "whole.png"])).code(0);
    let resumed = with(&view, &["--resume", checkpoint, "--screenshot", "resumed.png"]);
    gordian(folder.path(), &with(&resumed, &["--frame", "3"])).code(0);
    let [whole, there] =
        ["whole.png", "resumed.png"].map(|name| std::fs::read(folder.path().join(name)).unwrap());
    assert_eq!(whole, there);
    assert!(stdout(&gordian(folder.path(), &resumed).code(0)).contains("frame 2"));
    let run = gordian(folder.path(), &with(&resumed, &["--frame", "1"])).code(2);
    assert!(stderr(&run).contains("frame 2"), "{}", stderr(&run));
    // A surface is dropped as cloth, on the scene of a volume.
    gordian(folder.path(), &["mesh", "cloth", "nx=3", "ny=3", "-o", "sheet.obj"]).code(0);
    let sheet = ["view", "sheet.obj", "--adapter", "cpu", "--size", "96x64", "--screenshot", "sheet.png"];
    gordian(folder.path(), &sheet).code(0);
    let sheet = ["--set", "body.mesh=sheet.obj", "--set", "body.fabric={}", "--frames", "1"];
    gordian(folder.path(), &[&["run", "drop", "--adapter", "cpu"][..], &sheet].concat()).code(0);
    // Refused before the run, which would take minutes.
    for name in ["picture.jpg", "picture", "png"] {
        let run = gordian(folder.path(), &["view", "octopus_drop", "--screenshot", name]).code(2);
        assert!(stderr(&run).contains("PNG") && stderr(&run).contains(name), "{}", stderr(&run));
        assert!(!folder.path().join(name).exists());
    }
}

#[test]
fn the_window_says_what_to_do_where_there_is_no_display() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("gordian").unwrap();
    let command = command.current_dir(folder.path()).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let command = command.env_remove("WAYLAND_SOCKET").args(["view", "drop"]);
    if cfg!(target_os = "linux") {
        assert!(stderr(&command.assert().code(2)).contains("--screenshot"));
    }
}

/// Nothing to run is not nothing left: what the run ends with is told, and is the exit status, also after no frame.
#[test]
fn a_tangled_start_is_told_without_a_frame() {
    let folder = tempfile::tempdir().unwrap();
    let run =
        ["run", "tangled_noodle", "--frames", "0", "--adapter", "cpu", "--format", "none", "--out", "out"];
    let said = stdout(&gordian(folder.path(), &run).code(1));
    assert!(said.contains("at the end") && !said.contains("-0.00"), "{said}");
    let coil = ["helix_radius=0.25", "pitch=0.01", "turns=2", "swing=0.2", "radius=0.02", "-o", "coil.msh"];
    let mesh = [&["mesh", "coil"][..], &coil].concat();
    gordian(folder.path(), &mesh).code(0);
    gordian(folder.path(), &["untangle", "coil.msh", "-o", "out.msh", "--frames", "0"]).code(1);
}

/// What a person is likely to get wrong about files is told in their words.
#[test]
fn meshes_poses_and_empty_scenes_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    gordian(folder.path(), &["mesh", "sphere", "resolution=5", "-o", "ball.msh"]).code(0);
    let said = stderr(&gordian(folder.path(), &["run", "ball.msh"]).code(2));
    assert!(said.contains("is a mesh, not a scene") && said.contains("body.mesh=ball.msh"), "{said}");

    at("empty.toml", "[simulation]\nframes = 1\n");
    let said = stderr(&gordian(folder.path(), &["run", "empty.toml", "--adapter", "cpu"]).code(0));
    assert!(said.contains("warning: the scene has no body"), "{said}");
    at("single.toml", "[body]\nmesh = \"ball.msh\"\n");
    let said = stderr(&gordian(folder.path(), &["run", "single.toml"]).code(2));
    assert!(said.contains("is a table; it must be a list") && said.contains("[[body]]"), "{said}");

    for (set, expected) in [
        ("simulation.frames=1.5", "is 1.5; it must be a whole number from 0 to 4294967295"),
        ("collision.recovery=yes", "is \"yes\"; it must be true or false"),
        ("body.material=3", "is 3; it must be a table of keys"),
        ("body.translate_m=[1,0]", "has 2 values; it must be a list of 3 values"),
        ("body.material.young_pa=1e300", "is 1e300; its size must be below 3.4"),
        ("body.translate_m=[1e300,0,0]", "body[0].translate_m[0]: is 1e300"),
        ("body.fit_m=1e-20", "too small for single precision"),
    ] {
        let said = stderr(&gordian(folder.path(), &with(DROP, &["--frames", "0", "--set", set])).code(2));
        assert!(said.contains(expected), "{set}: {said}");
    }
    let said = stderr(&gordian(folder.path(), &with(DROP, &["--size", "paper"])).code(2));
    assert!(said.contains("no size `paper`"), "{said}");
}

#[test]
fn an_archive_with_a_pose_is_not_taken_silently_at_rest() {
    let Some(helix) = gordian::mesh::testdata::path("workloads/noodle_helix.npz") else { return };
    let helix = helix.to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let check = gordian(folder.path(), &["check", helix]).code(0);
    assert!(stderr(&check).contains("the rest pose is taken") && stderr(&check).contains("--pose"));
    let untangle = ["untangle", helix, "--pose", helix, "-o", "o.vtu", "--frames", "0", "--json", "-"];
    let untangle = gordian(folder.path(), &untangle).code(1);
    let told: serde_json::Value = serde_json::from_str(&stdout(&untangle)).unwrap();
    assert_eq!(told["before"]["intersecting_triangle_pairs"], 2446, "as the workload's own figures say");
    let said = stderr(&untangle);
    assert!(!said.contains("note") && said.contains("2446 -> 2446 crossing pairs"), "{said}");
}

/// Nobody reads any more: the work goes on and its files are written.
#[test]
fn closed_pipes_end_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let run = with(DROP, &["--frames", "1", "--report", "r.json"]);
    let bench = ["bench", "drop", "--adapter", "cpu", "--frames", "1", "--warmup", "0", "--json", "b.json"];
    for args in [
        &run[..],
        &bench,
        &["scenes"],
        &["scenes", "drop"],
        &["mesh", "box", "-o", "b.vtu"],
        &["check", "b.vtu"],
    ] {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("gordian"));
        command.current_dir(folder.path()).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?}");
    }
    assert_eq!(report(&folder.path().join("r.json")).frames.len(), 1);
    assert!(folder.path().join("b.json").exists());
}

#[test]
fn what_cannot_be_written_is_told_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("there")).unwrap();
    let run =
        gordian(folder.path(), &with(DROP, &["--frames", "1", "--report", "there", "--out", "o"])).code(2);
    assert!(stderr(&run).contains("there") && !folder.path().join("o").exists(), "{}", stderr(&run));
    // Among the frames a report must not be taken for one of them.
    for report in ["o/drop.pvd", "o/drop_000001.vtu", "o/drop.usda", "./o/drop_000001.checkpoint"] {
        let run = gordian(folder.path(), &with(DROP, &["--frames", "1", "--report", report, "--out", "o"]));
        assert!(stderr(&run.code(2)).contains("a frame") && !folder.path().join("o").exists());
    }
    gordian(folder.path(), &["mesh", "sphere", "resolution=4", "-o", "ball.msh"]).code(0);
    gordian(folder.path(), &["untangle", "ball.msh", "-o", "there.msh/x.msh"]).code(0);
    gordian(folder.path(), &["untangle", "ball.msh", "-o", "ball.msh/x.msh"]).code(2);
}

#[test]
fn a_report_may_go_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let run = gordian(folder.path(), &with(DROP, &["--frames", "2", "--report", "-"])).code(0);
    let report: Report = serde_json::from_str(&stdout(&run)).unwrap();
    assert_eq!(report.frames.len(), 2);
    assert!(stderr(&run).contains("at the end"), "the summary does not mix with it");
}

#[test]
fn a_run_is_held_to_the_checks_of_its_scene() {
    let folder = tempfile::tempdir().unwrap();
    let scene = |bound: &str| {
        let text = format!(
            "[simulation]\nframes = 3\nsubsteps = 2\n[[body]]\nname = \"b\"\ngenerator = {{ kind = \"box\", nx = 1, ny = 1, nz = 1 }}\n\
             [[check]]\nwhat = \"rising_speed_m_s\"\nbody = \"b\"\nat_most = {bound}\nabout = \"it falls\"\n"
        );
        std::fs::write(folder.path().join("s.toml"), text).unwrap();
    };
    let run = ["run", "s.toml", "--adapter", "cpu", "--report", "r.json"];
    scene("-0.4");
    let said = stdout(&gordian(folder.path(), &run).code(0));
    assert!(said.contains("check      holds: rising_speed_m_s of b at the end is -0.49"), "{said}");
    assert!(report(&folder.path().join("r.json")).checks[0].holds);
    scene("-0.6");
    let said = stdout(&gordian(folder.path(), &run).code(1));
    assert!(said.contains("FAILS") && said.contains("it falls"), "{said}");
    let part = stdout(&gordian(folder.path(), &with(&run, &["--frames", "2"])).code(0));
    assert!(
        part.contains(
            "not judged: rising_speed_m_s of b at the end, at most -0.6 (it falls); it takes frame 3"
        ) && !part.contains("FAILS"),
        "a part shows nothing about the whole: {part}"
    );
    let told = report(&folder.path().join("r.json"));
    assert!(told.checks.is_empty() && told.not_judged[0].frames == Some([3, 3]));
    std::fs::write(folder.path().join("s.toml"), "[[check]]\nwhat = \"contacts\"\n").unwrap();
    assert!(stderr(&gordian(folder.path(), &run).code(2)).contains("neither `at_most` nor `at_least`"));
}

/// Every command that writes, over what it reads and over what it writes beside it, by the same name, another one, a link.
#[test]
fn no_output_is_written_over_an_input_or_another_output() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let tetrahedron = "Vertex 1 0 0 0\nVertex 2 1 0 0\nVertex 3 0 1 0\nVertex 4 0 0 1\nTet 1 1 2 3 4\n";
    std::fs::write(at("one.t"), tetrahedron).unwrap();
    std::fs::write(at("m.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
        .unwrap();
    std::fs::write(at("one.vtu"), "").unwrap();
    gordian(folder.path(), &["mesh", "box", "nx=1", "ny=1", "nz=1", "-o", "b.msh"]).code(0);
    gordian(folder.path(), &["mesh", "box", "nx=1", "ny=1", "nz=1", "-o", "b.vtu"]).code(0);
    std::fs::write(at("s.toml"), "[simulation]\nframes = 1\n[[body]]\nmesh = \"b.msh\"\n").unwrap();
    std::fs::hard_link(at("s.toml"), at("hard.toml")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(at("s.toml"), at("soft.toml")).unwrap();
    #[cfg(not(unix))]
    std::fs::hard_link(at("s.toml"), at("soft.toml")).unwrap();
    let all: [&[&str]; 14] = [
        &["run", "s.toml", "--report", "s.toml"],
        &["run", "s.toml", "--report", "./s.toml"],
        &["run", "s.toml", "--report", "hard.toml"],
        &["run", "s.toml", "--report", "soft.toml"],
        &["run", "s.toml", "--report", "b.msh"],
        &["check", "b.vtu", "--vtu", "b.vtu"],
        &["check", "b.msh", "--vtu", "b.msh"],
        &["check", "b.msh", "--vtu", "new.obj"],
        &["untangle", "m.obj", "-o", "m.obj"],
        &["untangle", "m.obj", "-o", "new.obj", "--json", "new.obj"],
        &["untangle", "m.obj", "-o", "new.obj", "--json", "m.obj"],
        &["untangle", "b.msh", "--pose", "b.vtu", "-o", "b.vtu"],
        &["mesh", "tet", "m.obj", "--edge", "0.5", "-o", "m.obj"],
        &["bench", "s.toml", "--frames", "1", "--json", "s.toml"],
    ];
    let files = || {
        let mut there: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
        there.sort();
        there.into_iter().map(|p| (std::fs::read(&p).ok(), p)).collect::<Vec<_>>()
    };
    let before = files();
    for arguments in all {
        let told = stderr(&gordian(folder.path(), arguments).code(2));
        assert!(told.contains("written over") || told.contains("ends in .vtu"), "{arguments:?}: {told}");
        assert!(files() == before, "{arguments:?} changed a file");
    }
    let told = stderr(&gordian(folder.path(), &["run", "s.toml", "--out", "s.toml"]).code(2));
    assert!(told.contains("s.toml is a file") && !told.contains("os error"), "{told}");
}

/// A resumed or shortened run judges what it covers, and names the rest; what it judges counts.
#[test]
fn a_part_of_a_run_is_held_to_the_checks_that_it_covers() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "[simulation]\nframes = 4\nsubsteps = 2\nframe_s = 0.1\n\
        [[body]]\ngenerator = { kind = \"box\", nx = 1, ny = 1, nz = 1 }\n\
        [[check]]\nabout = \"end\"\nwhat = \"rising_speed_m_s\"\nat_least = 0\n\
        [[check]]\nabout = \"all\"\nwhat = \"contacts\"\nover = \"max\"\nat_most = 0\n\
        [[check]]\nabout = \"early\"\nwhat = \"contacts\"\nover = \"mean\"\nend_s = 0.2\nat_most = 0\n\
        [[check]]\nabout = \"late\"\nwhat = \"height_m\"\nover = \"min\"\nstart_s = 0.3\nat_most = 0\n\
        [[check]]\nabout = \"peak\"\nwhat = \"kinetic_energy_of_peak\"\nat_least = 1\n";
    std::fs::write(folder.path().join("s.toml"), scene).unwrap();
    let run = ["run", "s.toml", "--adapter", "cpu", "--out", "o", "--report", "r.json"];
    for (more, status, judged) in [
        (&["--checkpoint-every", "2"][..], 1, &["end", "all", "early", "late", "peak"][..]),
        (&["--frames", "2"], 0, &["early"]),
        (&["--resume", "o/s_000002.checkpoint"], 1, &["end", "late"]),
        (&["--resume", "o/s_000002.checkpoint", "--frames", "3"], 0, &[]),
    ] {
        let said = stdout(&gordian(folder.path(), &with(&run, more)).code(status));
        let report = report(&folder.path().join("r.json"));
        let found: Vec<&str> = report.checks.iter().map(|v| v.check.about.as_str()).collect();
        assert_eq!(found, judged, "{more:?}: {said}");
        for name in ["end", "all", "early", "late", "peak"] {
            let line =
                said.lines().find(|l| l.starts_with("check") && l.contains(&format!("({name})"))).unwrap();
            assert_eq!(line.contains("not judged"), !judged.contains(&name), "{more:?}: {line}");
            assert_eq!(report.not_judged.iter().any(|u| u.check.about == name), !judged.contains(&name));
        }
    }
}

/// Two runs into one folder would write their frames over each other's.
#[test]
fn a_folder_takes_one_run_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let claim = gordian::sim::record::FolderLock::take(at("o"), "drop").unwrap();
    let run = with(DROP, &["--frames", "1", "--out", "o"]);
    for more in [&["--format", "usda"][..], &["--format", "none", "--checkpoint-every", "1"]] {
        let told = stderr(&gordian(folder.path(), &with(&run, more)).code(2));
        assert!(told.contains("o: another run") && told.contains("--out"), "{told}");
    }
    assert_eq!(std::fs::read_dir(at("o")).unwrap().count(), 1, "the lock alone");
    // What writes nothing there is in nobody's way.
    gordian(folder.path(), &with(&run, &["--format", "none"])).code(0);
    drop(claim);
    let told = stderr(&gordian(folder.path(), &run).code(0));
    assert!(!told.contains("note:"), "{told}");
    let files = || {
        let mut all: Vec<String> = std::fs::read_dir(at("o"))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .filter(|name| cfg!(unix) || !name.ends_with(".lock"))
            .collect();
        all.sort();
        all
    };
    assert_eq!(files(), ["drop.pvd", "drop_000000.vtu", "drop_000001.vtu"], "no litter");
    // The frames of a longer run before are told, and stay.
    std::fs::write(at("o/drop_000002.vtu"), "").unwrap();
    std::fs::write(at("o/drop_000007.vtu"), "").unwrap();
    let told = stderr(&gordian(folder.path(), &run).code(0));
    assert!(
        told.contains("o keeps 2 frames of an earlier run") && told.contains("from frame 2 on"),
        "{told}"
    );
    assert_eq!(files().len(), 5);
    // A scene that cannot be run leaves nothing behind.
    std::fs::write(at("s.toml"), "[[body]]\nmesh = \"none.msh\"\n").unwrap();
    gordian(folder.path(), &["run", "s.toml", "--out", "a/b"]).code(2);
    assert!(cfg!(not(unix)) || !at("a").exists());
}
