//! The commands that measure and test the collision handling, from outside.

use std::path::Path;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use gordian::mesh::{TetTopology, io, testdata};
use serde_json::Value;

fn gordian(folder: &Path, arguments: &[&str]) -> Assert {
    let mut command = Command::cargo_bin("gordian").unwrap();
    command.current_dir(folder).env("NO_COLOR", "1").args(arguments).assert()
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn bench_query_compares_with_the_stored_answers() {
    let Some(file) = testdata::path("workloads/noodle_helix.npz") else { return };
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["bench", "query", file.to_str().unwrap(), "--rounds", "1", "--json", "q.json"];
    gordian(folder.path(), &arguments).code(0);
    let rows = json(&folder.path().join("q.json"));
    let row = &rows[0];
    let mut wanted = vec![
        "file",
        "queries",
        "equal",
        "shorter_valid",
        "longer",
        "missing",
        "us_mean",
        "us_p50",
        "us_p99",
        "us_max",
        "triangles",
        "traversals",
        "elements",
        "dcd_us_per_vertex",
        "refit_ms",
        "threads",
    ];
    wanted.sort_unstable();
    let mut found = keys(row);
    found.sort_unstable();
    assert_eq!(found, wanted);
    assert_eq!((row["queries"].as_u64(), row["equal"].as_u64()), (Some(4214), Some(4214)));
    assert!(
        row["us_p50"].as_f64() <= row["us_p99"].as_f64() && row["us_p99"].as_f64() <= row["us_max"].as_f64()
    );
    assert!(row["us_mean"].as_f64().unwrap() > 0.0 && row["refit_ms"].as_f64().unwrap() > 0.0);
}

#[test]
fn bench_ccd_compares_with_the_exact_answers() {
    let Some(sets) = testdata::path("ccd") else { return };
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["bench", "ccd", sets.to_str().unwrap(), "--rounds", "1", "--json", "c.json"];
    gordian(folder.path(), &arguments).code(0);
    let rows = json(&folder.path().join("c.json"));
    let sum = |key: &str| rows.as_array().unwrap().iter().map(|r| r[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("queries"), sum("hits")), (2324, 279));
    assert_eq!((sum("false_negatives"), sum("false_positives")), (0, 0));
    assert!(rows.as_array().unwrap().iter().all(|r| r["us_max"].as_f64() >= r["us_mean"].as_f64()));
}

#[test]
fn what_cannot_be_measured_is_an_error_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    for kind in ["query", "ccd"] {
        let run = gordian(folder.path(), &["bench", kind, "nowhere"]).code(2);
        let said = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert!(said.contains("nowhere"), "{said}");
    }
}

#[test]
fn fuzz_says_what_it_asked() {
    let folder = tempfile::tempdir().unwrap();
    let run = gordian(folder.path(), &["fuzz", "boundary", "--seconds", "1", "--seed", "1000"]).code(0);
    let said = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert!(said.contains("queries on") && said.contains("seeds 1000 to"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Of pairs that share no vertex there are as many as exact arithmetic counts.
#[test]
fn check_counts_the_crossings_of_the_workloads() {
    let folder = tempfile::tempdir().unwrap();
    for (name, crossing, clean_else) in [
        ("noodle_helix", Some(2446), true),
        ("beam_coil", Some(16_502), true),
        ("octopus_squash", None, false),
    ] {
        let Some(file) = testdata::path(&format!("workloads/{name}.npz")) else { return };
        let file = file.to_str().unwrap();
        let arguments = ["check", file, "--pose", file, "--json", "--vtu", "found.vtu"];
        let run = gordian(folder.path(), &arguments).code(1);
        let found: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
        let count = |key: &str| found[key].as_array().unwrap().len();
        if let Some(crossing) = crossing {
            let mesh = io::load_tets(file).unwrap().mesh;
            let faces = TetTopology::new(mesh.positions.len(), &mesh.tets).faces;
            let pairs: Vec<[usize; 2]> =
                serde_json::from_value(found["intersecting_triangle_pairs"].clone()).unwrap();
            let apart = |&&[f, g]: &&[usize; 2]| faces[f].iter().all(|v| !faces[g].contains(v));
            assert_eq!(pairs.iter().filter(apart).count(), crossing, "{name}");
        }
        assert_eq!(
            count("coplanar_triangle_pairs") + count("touching_triangle_pairs") == 0,
            clean_else,
            "{name}"
        );
        assert_eq!(count("penetrating_vertices"), count("penetration_depths_m"));
        assert!(count("penetrating_vertices") > 100 && found["max_depth_m"].as_f64().unwrap() > 0.0);
        assert!(folder.path().join("found.vtu").is_file());
        // The rest pose is clean.
        gordian(folder.path(), &["check", file]).code(0);
    }
}

#[test]
fn culling_changes_no_bit_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["bench", "culling", "--frames", "12", "--resolution", "12", "--svg", "c.svg"];
    let run = gordian(folder.path(), &arguments).code(0);
    let said = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert!(said.contains("the same in every frame"), "{said}");
    assert!(std::fs::read_to_string(folder.path().join("c.svg")).unwrap().ends_with("</svg>\n"));
}
