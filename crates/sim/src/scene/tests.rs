//! The scene format as a whole: round trips, overrides, and every fault with its line and advice.

use super::*;

use super::EVERY_KEY as FULL;

fn fails(text: &str) -> SceneError {
    match Scene::parse(text, "s.toml") {
        Ok(scene) => panic!("was read: {scene:?}"),
        Err(error) => error,
    }
}

/// The line of the error and its text.
fn told(text: &str) -> (usize, String) {
    let error = fails(text);
    (error.place.as_ref().expect("a line").line, error.to_string())
}

fn set(text: &str, overrides: &[&str]) -> Result<Scene, SceneError> {
    let overrides: Vec<String> = overrides.iter().map(|s| s.to_string()).collect();
    Scene::parse_with(text, "s.toml", &overrides)
}

const BALL: &str = "[[body]]\ngenerator = { kind = \"sphere\", radius = 2 }\n";

#[test]
fn a_scene_survives_being_written_and_read() {
    for text in [FULL, BALL, ""] {
        let scene = Scene::parse(text, "full").unwrap();
        let again = Scene::parse(&scene.to_toml(), "other").unwrap();
        assert_eq!(scene, again);
        assert_eq!(scene.fingerprint(), again.fingerprint());
    }
}

#[test]
fn the_full_scene_uses_every_key() {
    // All keys that a scene with every option set is written with are in the text that it was read from.
    let written = Scene::parse(FULL, "full").unwrap().to_toml();
    for line in written.lines() {
        let key = line.split('=').next().unwrap().trim().trim_matches(['[', ']']);
        let key = key.rsplit('.').next().unwrap();
        assert!(FULL.contains(key), "`{key}` is missing in full.toml");
    }
}

#[test]
fn the_fingerprint_is_of_what_changes_the_result() {
    let base = set(FULL, &[]).unwrap().fingerprint();
    for same in ["simulation.frames=7", "simulation.name=x", "output.every=3", "output.format=ply"] {
        assert_eq!(set(FULL, &[same]).unwrap().fingerprint(), base, "{same}");
    }
    for other in ["simulation.substeps=7", "body.noodle.material.young_pa=5", "collision.ccd=false"] {
        assert_ne!(set(FULL, &[other]).unwrap().fingerprint(), base, "{other}");
    }
}

#[test]
fn c22_a_misspelt_key_is_told_with_line_and_what_was_meant() {
    let (line, text) = told("[[body]]\nmehs = \"a.msh\"\n");
    assert_eq!(line, 2);
    assert_eq!(text, "s.toml:2:1: body[0].mehs: unknown key `mehs`; did you mean `mesh`?");

    let (line, text) = told("\n[colision]\n");
    assert_eq!(
        (line, text.as_str()),
        (2, "s.toml:2:2: colision: unknown key `colision`; did you mean `collision`?")
    );

    let (line, text) = told("[[body]]\ngenerator = { kind = \"box\" }\n[body.material]\nyuong_pa = 3\n");
    assert_eq!(line, 4);
    assert!(
        text.ends_with("body[0].material.yuong_pa: unknown key `yuong_pa`; did you mean `young_pa`?"),
        "{text}"
    );
}

#[test]
fn keys_of_tagged_tables_are_found_too() {
    let (line, text) =
        told("[[collider]]\nshape = { kind = \"sphere\",\n radius_m = 1.0,\n centre_m = [0, 0, 0] }\n");
    assert_eq!(line, 4);
    assert!(text.contains("collider[0].shape.centre_m: unknown key"), "{text}");
    assert!(text.contains("did you mean `center_m`?"), "{text}");

    let pin = "[[body]]\ngenerator.kind = \"box\"\n[[body.pin]]\nat.kind = \"all\"\n[[body.pin.motion]]\nkind = \"rotate\"\n";
    let (line, text) = told(&format!("{pin}axis = [0, 0, 1]\nspeed_deg_s = \"fast\"\n"));
    assert_eq!(line, 8, "{text}");
    assert!(text.contains("body[0].pin[0].motion[0].speed_deg_s: is \""), "{text}");

    let (line, text) = told(&format!("{pin}speed_deg_s = 1\n"));
    assert_eq!(line, 5, "{text}");
    assert!(text.contains("needs a key `axis`"), "{text}");

    let (line, text) = told("[[body]]\ngenerator = { kind = \"box\",\n nx = \"many\" }\n");
    assert_eq!(line, 3, "{text}");
    assert!(text.contains("body[0].generator.nx: is "), "{text}");

    let (line, text) = told("[[body]]\ngenerator = { kind = \"box\",\n nw = 3 }\n");
    assert_eq!(line, 3, "{text}");
    assert!(text.contains("body[0].generator.nw: unknown key `nw`; did you mean `nx`?"), "{text}");

    let (_, text) = told("[[body]]\ngenerator = { kind = \"spere\" }\n");
    assert!(
        text.contains("2:22: body[0].generator.kind: unknown word `spere`; did you mean `sphere`?"),
        "{text}"
    );

    let (line, text) = told("[[collider]]\n\n[collider.shape]\nkind = \"shpere\"\nradius_m = 1\n");
    assert_eq!(line, 4, "{text}");
    assert!(text.contains("unknown word `shpere`; did you mean `sphere`?"), "{text}");

    let (_, text) = told("[[collider]]\nshape = { radius_m = 1 }\n");
    assert!(text.contains("collider[0].shape needs a key `kind`"), "{text}");
}

#[test]
fn words_types_and_syntax_are_told_with_their_line() {
    let (line, text) = told("[collision]\nmode = \"euclidian\"\n");
    assert_eq!(
        (line, text.as_str()),
        (2, "s.toml:2:8: collision.mode: unknown word `euclidian`; did you mean `euclidean`?")
    );
    let (line, text) = told("[simulation]\nframes = \"many\"\n");
    assert_eq!(line, 2);
    assert!(text.contains("simulation.frames: is \"many\"; it must be a whole number"), "{text}");
    let (line, text) = told("[simulation]\nframes = -1\n");
    assert_eq!(line, 2);
    assert!(text.contains("simulation.frames: is -"), "{text}");
    let (line, text) = told("[simulation]\ngravity_m_s2 = [0, 1]\n");
    assert_eq!(line, 2);
    assert!(text.contains("simulation.gravity_m_s2: has 2 values; it must be a list of 3 values"), "{text}");
    assert_eq!(told("[simulation]\n\nframes = = 1\n").0, 3);
    assert_eq!(fails("[simulation\n").kind, SceneErrorKind::Syntax);
    assert_eq!(fails("[simulation]\nframes = 1\nframes = 2\n").place.unwrap().line, 3);
    let (_, text) = told(
        "[[body]]\ngenerator = { kind = \"box\" }\nfriction = { static = 1, dynamic = 0.5, kinetic = 1 }",
    );
    assert!(
        text.contains("body[0].friction.kinetic: unknown key `kinetic`; known here: static, dynamic"),
        "{text}"
    );
}

#[test]
fn every_range_is_checked_and_told_with_its_line() {
    let body = |more: &str| format!("[[body]]\ngenerator = {{ kind = \"box\" }}\n{more}\n");
    let pin = |more: &str| body(&format!("[[body.pin]]\nat = {{ kind = \"all\" }}\nmotion = [{{ {more} }}]"));
    let at = |more: &str| body(&format!("[[body.pin]]\nat = {{ {more} }}"));
    let collider = |more: &str| format!("[[collider]]\nshape = {{ {more} }}\n");
    let cases: &[(String, usize, &str)] = &[
        ("[simulation]\nframe_s = 0".into(), 2, "simulation.frame_s: is 0; it must be above 0"),
        ("[simulation]\nsubsteps = 0".into(), 2, "simulation.substeps: is 0; it must be at least 1"),
        ("[simulation]\niterations = 0".into(), 2, "simulation.iterations"),
        (
            "[simulation]\ngravity_m_s2 = [0, nan, 0]".into(),
            2,
            "simulation.gravity_m_s2[1]: is NaN, not a finite",
        ),
        ("[simulation]\ndamping_per_s = -0.5".into(), 2, "must not be negative"),
        ("[collision]\nthickness_edges = -1".into(), 2, "must not be negative"),
        ("[collision]\nmax_depenetration_edges = 0".into(), 2, "must be above 0"),
        ("[collision]\npenetrating_damping = 1.5".into(), 2, "must be from 0 to 1"),
        ("[collision]\nrestitution = nan".into(), 2, "must be from 0 to 1"),
        ("[output]\nevery = 0".into(), 2, "must be at least 1"),
        ("\n[[body]]".into(), 2, "body[0]: a body needs a mesh; give `mesh"),
        (body("mesh = \"x.msh\""), 2, "not from both"),
        (body("rest = \"pose\""), 3, "no `pose` is given"),
        (body("scale = 0"), 3, "body[0].scale"),
        (body("scale = 1\nfit_m = 1"), 4, "body[0].fit_m: is given beside `scale`"),
        (body("clearance_m = 1\nclearance_heights = 1"), 4, "beside `clearance_m`"),
        (body("fit_m = inf"), 3, "not a finite number"),
        (body("translate_m = [0, 0, inf]"), 3, "body[0].translate_m[2]"),
        (body("\n[body.material]\ndensity_kg_m3 = -1"), 5, "body[0].material.density_kg_m3: is -1"),
        (body("material = { young_pa = 0 }"), 3, "body[0].material.young_pa"),
        (body("material = { poisson = 0.5 }"), 3, "from 0 to below 0.5"),
        (body("material = { poisson = nan }"), 3, "from 0 to below 0.5"),
        (body("material = { poisson = 0.2 }"), 3, "take `model = \"neo_hookean_pair\"`"),
        (body("friction = { static = 0.1, dynamic = 0.2 }"), 3, "above the static coefficient"),
        (body("friction = { dynamic = -1 }"), 3, "body[0].friction.dynamic: is -1"),
        (body("copies = { count = [2, 0, 2], spacing_m = [1, 1, 1] }"), 3, "body[0].copies.count[1]"),
        (at("kind = \"vertices\", indices = []"), 4, "body[0].pin[0].at.indices: is empty"),
        (
            at("kind = \"box\", min_m = [0, 0, 0], max_m = [1, -1, 1]"),
            4,
            "max_m[1]: is -1, below 0 of `min_m`",
        ),
        (at("kind = \"sphere\", center_m = [0, 0, 0], radius_m = 0"), 4, "at.radius_m"),
        (pin("kind = \"rotate\", axis = [0, 0, 0], speed_deg_s = 1"), 5, "motion[0].axis: is zero"),
        (
            pin("kind = \"translate\", velocity_m_s = [0, 0, 1], start_s = 2, end_s = 1"),
            5,
            "before the start at 2",
        ),
        (pin("kind = \"keyframes\", keys = []"), 5, "keys: is empty"),
        (
            pin("kind = \"keyframes\", keys = [{ time_s = 1 }, { time_s = 1 }]"),
            5,
            "keys[1].time_s: is not after",
        ),
        (collider("kind = \"plane\", normal = [0, 0, 0]"), 2, "which is no direction"),
        (collider("kind = \"bowl\", radius_m = -1"), 2, "collider[0].shape.radius_m"),
        (collider("kind = \"box\", size_m = [1, 0, 1]"), 2, "size_m[1]"),
        (collider("kind = \"mesh\", mesh = \"x.obj\", scale = 0"), 2, "shape.scale"),
        (
            collider("kind = \"capsule\", start_m = [0, 0, 0], end_m = [0, nan, 0], radius_m = 1"),
            2,
            "end_m[1]",
        ),
        (body("name = \"a\"") + &body("name = \"a\""), 6, "body[1].name: `a` is the name of body[0] already"),
        (body("name = \"3\""), 3, "numbers mean places"),
    ];
    for (text, line, message) in cases {
        let (found, told) = told(text);
        assert_eq!((found, true), (*line, told.contains(message)), "{text}\n{told}");
    }
}

#[test]
fn overrides_reach_every_place() {
    let scene = set(
        FULL,
        &[
            "simulation.frames=3",
            "collision.mode=rest_shape",
            "body.noodle.fit_m = 4.0",
            "body.1.friction.static=0.9",
            "body.noodle.pin.0.motion.0.speed_deg_s=12",
            "body.noodle.translate_m.1=7",
            "output={ every = 5 }",
        ],
    )
    .unwrap();
    assert_eq!(scene.simulation.frames, 3);
    assert_eq!(scene.collision.mode, QueryMode::RestShape);
    assert_eq!((scene.body[0].fit_m, scene.body[0].scale), (Some(4.0), None), "one excludes the other");
    assert_eq!(scene.body[1].friction.static_, 0.9);
    assert_eq!(scene.body[0].translate_m[1], 7.0);
    assert_eq!(scene.output, Output { every: 5, ..Output::default() });
    match &scene.body[0].pin[0].motion[0] {
        Motion::Rotate(m) => assert_eq!(m.speed_deg_s, 12.0),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_only_body_needs_no_number_and_a_mesh_replaces_a_generator() {
    let scene = set(BALL, &["body.mesh=here.msh", "body.material.young_pa=7"]).unwrap();
    let body = &scene.body[0];
    assert_eq!(
        body.mesh,
        Some(std::path::absolute("here.msh").unwrap()),
        "relative to the current directory"
    );
    assert_eq!((&body.generator, body.material.young_pa), (&None, 7.0));
    let scene = set("", &["body.generator.kind=box", "collider.shape.kind=plane"]).unwrap();
    assert_eq!((scene.body.len(), scene.collider.len()), (1, 1), "lists that are not there are begun");
}

#[test]
fn faults_of_overrides_name_the_override() {
    let told = |text: &str, o: &str| set(text, &["simulation.frames=3", o]).unwrap_err().to_string();
    assert_eq!(
        told(BALL, "body.mehs=x"),
        "--set body.mehs=x: body[0].mehs: unknown key `mehs`; did you mean `mesh`?"
    );
    let text = told(BALL, "simulation.substeps=0");
    let inside = told(BALL, "body.material={ young_pa = 1e5, poisson = 0.9 }");
    assert!(
        inside.starts_with("--set body.material={"),
        "a fault within a table is placed there too: {inside}"
    );
    assert_eq!(
        told(BALL, "body[0].mehs=x"),
        told(BALL, "body.0.mehs=x").replace("body.0.mehs=x", "body[0].mehs=x")
    );
    assert_eq!(text, "--set simulation.substeps=0: simulation.substeps: is 0; it must be at least 1");
    assert!(
        told(BALL, "simulation.substeps=many")
            .contains("--set simulation.substeps=many: simulation.substeps: is \"many\"")
    );
    assert!(told(BALL, "simulation.substeps").contains("an override is `path=value`"));
    assert!(told(BALL, "simulation..x=1").contains("is not a path"));
    assert!(told(BALL, "simulation.frames.x=1").contains("`frames` is a value; it has no keys"));
    assert!(told(BALL, "body.3.fit_m=1").contains("there is no `body` 3: there are 1"));
    assert!(told(FULL, "body.nodle.fit_m=1").ends_with("none is named `nodle`; did you mean `noodle`?"));
    assert!(told(FULL, "body.fit_m=1").ends_with("say one of body.noodle, body.pile, body.sheet"));
    assert!(told(BALL, "=1").contains("is not a path"));
}

#[test]
fn checks_that_no_run_can_meet_are_refused() {
    let told =
        |check: &str| Scene::parse(&format!("{BALL}\n[[check]]\n{check}"), "s").unwrap_err().to_string();
    let figure = "what = \"contacts\"\n";
    assert!(told(figure).contains("always hold"));
    assert!(told(&format!("{figure}at_least = 2\nat_most = 1")).contains("never holds"));
    assert!(
        told(&format!("{figure}at_least = 2\nstart_s = 1\nend_s = 0.5")).contains("no frame would count")
    );
    for fine in ["at_least = 2\nat_most = 2", "at_least = 2\nstart_s = 1\nend_s = 1"] {
        Scene::parse(&format!("{BALL}\n[[check]]\n{figure}{fine}"), "s").unwrap();
    }
}

#[test]
fn dialects_of_text_give_the_same_scene() {
    let base = Scene::parse(FULL, "s").unwrap();
    assert_eq!(Scene::parse(&FULL.replace('\n', "\r\n"), "s").unwrap(), base);
    assert_eq!(Scene::parse(&format!("\u{feff}{FULL}"), "s").unwrap(), base);
}

#[test]
fn files_are_relative_to_the_scene_and_a_missing_scene_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ball.toml");
    std::fs::write(&path, BALL).unwrap();
    let scene = Scene::load(&path).unwrap();
    assert_eq!(scene.simulation.name, "ball");
    assert_eq!(scene.resolve(Path::new("a/b.msh")), folder.path().join("a/b.msh"));
    let error = Scene::load(folder.path().join("bal.toml")).unwrap_err();
    assert_eq!(error.kind, SceneErrorKind::File);
    assert!(error.to_string().ends_with("did you mean `ball.toml`?"), "{error}");
}

#[test]
fn errors_of_scenes_made_in_code_have_no_line() {
    let mut scene = Scene::default();
    scene.simulation.substeps = 0;
    let error = scene.validate().unwrap_err();
    assert_eq!((&error.place, error.key.as_str()), (&None, "simulation.substeps"));
}

#[test]
fn keys_of_volumes_and_of_cloth_are_told_apart() {
    for (body, key, advice) in [
        (
            "warp_n_m = 1",
            "body[0].warp_n_m",
            "`warp_n_m` is a key of `fabric`, which says what cloth is made of",
        ),
        (
            "young_pa = 1",
            "body[0].young_pa",
            "`young_pa` is a key of `material`, which says what a volume is made of",
        ),
        ("material = { bend_n_m = 1 }", "body[0].material.bend_n_m", "is a key of `fabric`"),
        ("fabric = { poisson = 0.3 }", "body[0].fabric.poisson", "is a key of `material`"),
        (
            "fabric = { velocity_m_s = [0, 0, 0] }",
            "body[0].fabric.velocity_m_s",
            "is a key of the body itself",
        ),
        (
            "fabric = {}\nmaterial.young_pa = 1e4",
            "body[0].material",
            "`fabric` alone says what cloth is made of",
        ),
        ("material = { yung_pa = 1 }", "body[0].material.yung_pa", "did you mean `young_pa`?"),
    ] {
        let error = fails(&format!("[[body]]\ngenerator = {{ kind = \"cloth\" }}\n{body}\n"));
        assert_eq!(error.key, key, "{error}");
        assert!(error.hint.as_ref().is_some_and(|hint| hint.contains(advice)), "{error}");
    }
}

/// A volume becomes cloth by an override alone; what is left of its material is not.
#[test]
fn a_fabric_takes_the_place_of_a_material() {
    let volume = format!("{BALL}material = {{ young_pa = 3e4 }}\n");
    let cloth = set(&volume, &["body.generator={ kind = \"cloth\" }", "body.fabric.bend_n_m=1e-3"]).unwrap();
    assert_eq!(cloth.body[0].material, Material::default());
    assert!(!cloth.place().unwrap().bodies[0].triangles.is_empty());
    let error = set("[[body]]\ngenerator = { kind = \"cloth\" }\nfabric = {}", &["body.material.young_pa=1"]);
    assert_eq!(error.unwrap_err().key, "body[0].material");
}

/// A body without a name is called `body` and its number in messages; that is an address as any other.
#[test]
fn a_body_without_a_name_can_be_addressed() {
    let check = "[[check]]\nwhat = \"height_m\"\nat_least = 0\n";
    for (text, at) in [(BALL.to_owned(), "body0"), (format!("{BALL}{BALL}"), "body1")] {
        let index = text.matches("[[body]]").count() - 1;
        let scene = set(&text, &[&format!("body.{at}.fit_m=3")]).unwrap();
        assert_eq!(scene.body[index].fit_m, Some(3.0));
        assert_eq!(scene.place().unwrap().bodies[index].name, at);
        Scene::parse(&format!("{text}{check}body = \"{at}\"\n"), "s").unwrap();
        assert!(fails(&format!("{text}{check}body = \"body9\"\n")).message.contains("no body named"));
    }
    let twice = fails(&format!("{BALL}name = \"body1\"\n{BALL}"));
    assert!(twice.message.contains("`body1` is the name of body[0] already"), "{twice}");
}
