use super::*;

fn layout() -> Arc<Layout> {
    let span = |name: &str, particles| BodySpan { name: name.into(), particles };
    Arc::new(Layout {
        bodies: vec![span("a", 0..4), span("b", 4..8)],
        tets: vec![[0, 1, 2, 3], [4, 5, 6, 7]],
        surface: vec![[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1], [5, 6, 7], [4, 7, 6], [4, 5, 7], [4, 6, 5]],
        cloth: 0,
    })
}

fn scene(format: &str) -> Scene {
    let text =
        format!("[output]\nformat = \"{format}\"\nevery = 2\n[[body]]\ngenerator = {{ kind = \"box\" }}");
    Scene::parse(&text, "two tets").unwrap()
}

fn positions(frame: u32) -> Vec<Vec3> {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let shift = Vec3::new(0.1 * frame as f32, 1e-9, 0.0);
    (0..8).map(|i| corners[i % 4] + shift + Vec3::X * (i / 4) as f32 * 3.0).collect()
}

/// Records frames up to `last`; then, if `resumed` says so, goes on from an earlier one to the same end.
fn run(folder: &Path, format: &str, last: u32, resumed: Option<u32>) {
    let mut recorder = Recorder::new(folder, &scene(format), layout(), None).unwrap();
    let velocities = vec![Vec3::Y; 8];
    let go = |recorder: &mut Recorder, frames: std::ops::RangeInclusive<u32>| {
        for frame in frames {
            if recorder.wants(frame, frame == last) {
                recorder.record(frame, &positions(frame), &velocities).unwrap();
            }
        }
    };
    go(&mut recorder, 0..=last);
    if let Some(after) = resumed {
        let mut recorder = Recorder::new(folder, &scene(format), layout(), Some(after)).unwrap();
        go(&mut recorder, after + 1..=last);
    }
}

/// Names and contents of a folder.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap());
    let mut all: Vec<_> =
        entries.map(|e| (e.file_name().into_string().unwrap(), std::fs::read(e.path()).unwrap())).collect();
    all.sort();
    all
}

#[test]
fn a_resumed_recording_equals_the_one_that_never_stopped() {
    for format in ["vtu", "ply", "usda", "pc2"] {
        let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        run(a.path(), format, 7, None);
        for after in [0, 3, 4, 7] {
            run(b.path(), format, 7, Some(after));
            assert!(contents(a.path()) == contents(b.path()), "{format} after {after}");
        }
    }
}

#[test]
fn frames_can_be_read_again() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "vtu", 3, None);
    let names: Vec<String> = contents(folder.path()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["two_tets.pvd", "two_tets_000000.vtu", "two_tets_000002.vtu", "two_tets_000003.vtu"]);
    let mesh = gordian_mesh::io::load_tets(folder.path().join("two_tets_000003.vtu")).unwrap().mesh;
    assert_eq!(mesh.tets, layout().tets);
    assert_eq!(mesh.positions, positions(3).iter().map(|p| p.as_dvec3()).collect::<Vec<_>>());
    let pvd = std::fs::read_to_string(folder.path().join("two_tets.pvd")).unwrap();
    assert!(pvd.contains("two_tets_000002.vtu") && pvd.contains("0.05"), "{pvd}");

    run(folder.path(), "ply", 0, None);
    let mesh = gordian_mesh::io::load_surface(folder.path().join("two_tets_000000.ply")).unwrap().mesh;
    assert_eq!((mesh.positions.len(), mesh.triangles), (8, layout().surface.clone()));
}

#[test]
fn a_point_cache_has_its_header_and_its_samples() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "pc2", 5, None);
    let bytes = std::fs::read(folder.path().join("two_tets.pc2")).unwrap();
    assert_eq!(&bytes[..12], b"POINTCACHE2\0");
    let int = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((int(12), int(16), float(20), float(24), int(28)), (1, 8, 0.0, 2.0, 3));
    assert_eq!(bytes.len(), 32 + 3 * 8 * 12, "frames 0, 2 and 4");
    assert_eq!(float(32 + 8 * 12), positions(2)[0].x);
    assert_eq!(
        gordian_mesh::io::load_surface(folder.path().join("two_tets.obj")).unwrap().mesh.positions.len(),
        8
    );
}

#[test]
fn usd_text_is_closed_after_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::new(folder.path(), &scene("usda"), layout(), None).unwrap();
    for frame in 0..3 {
        recorder.record(frame, &positions(frame), &[Vec3::ZERO; 8]).unwrap();
        let text = std::fs::read_to_string(recorder.entry().unwrap()).unwrap();
        assert!(text.starts_with("#usda 1.0\n"));
        for pair in ["()", "[]", "{}"] {
            let count = |c: char| text.matches(c).count();
            assert_eq!(count(pair.chars().next().unwrap()), count(pair.chars().nth(1).unwrap()), "{pair}");
        }
        assert!(text.contains(&format!("    endTimeCode = {frame} ")), "{text}");
        assert_eq!(
            text.matches("]: [").count() + text.lines().filter(|l| l.contains(": [(")).count(),
            frame as usize + 1
        );
        assert!(text.contains("timeCodesPerSecond = 60\n") && text.contains("upAxis = \"Y\""));
    }
    let text = std::fs::read_to_string(recorder.entry().unwrap()).unwrap();
    let sample = text.lines().find(|l| l.trim_start().starts_with("1: [")).unwrap();
    let numbers: Vec<f32> = sample
        .split_once('[')
        .unwrap()
        .1
        .split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | 'e')))
        .filter(|w| !w.is_empty())
        .map(|w| w.parse().unwrap())
        .collect();
    assert_eq!(numbers, bytemuck::cast_slice::<Vec3, f32>(&positions(1)), "every bit comes back");
}

#[test]
fn particles_are_found_in_their_bodies() {
    let layout = layout();
    assert_eq!(layout.particles(), 8);
    assert_eq!(layout.locate(5).map(|(b, v)| (b.name.as_str(), v)), Some(("b", 1)));
    assert_eq!(layout.locate(3).map(|(b, v)| (b.name.as_str(), v)), Some(("a", 3)));
    assert_eq!(layout.locate(8), None);
}

#[test]
fn names_become_safe_file_names() {
    assert_eq!(file_name("two spheres/π"), "two_spheres_π");
    assert_eq!(file_name("../x"), "_x");
    assert_eq!(file_name(""), "scene");
}

#[test]
fn a_folder_is_claimed_by_one_run_of_a_name_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/out");
    let first = FolderLock::take(&out, "two tets").unwrap();
    let refused = FolderLock::take(&out, "two tets").unwrap_err();
    assert!(matches!(&refused, FolderLockError::Taken { folder, .. } if *folder == out), "{refused}");
    let other = FolderLock::take(&out, "a ball").expect("another name writes other files");
    drop((other, first));
    if cfg!(unix) {
        assert!(!folder.path().join("new").exists(), "nothing was written, nothing is left");
    }
    let again = FolderLock::take(&out, "two tets").unwrap();
    std::fs::write(out.join("two_tets_000001.vtu"), "").unwrap();
    drop(again);
    if cfg!(unix) {
        assert_eq!(contents(&out).len(), 1, "a frame, and no lock");
    }
}

/// Threads take the claim over and over; it is removed and made anew under their feet, and yet no two ever hold it.
#[test]
fn a_claim_is_held_once_however_often_it_changes_hands() {
    use std::sync::atomic::{AtomicU32, Ordering};
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let (holders, taken) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    if let Ok(claim) = FolderLock::take(&out, "s") {
                        assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                        std::thread::yield_now();
                        holders.fetch_sub(1, Ordering::SeqCst);
                        taken.fetch_add(1, Ordering::SeqCst);
                        drop(claim);
                    }
                }
            });
        }
    });
    assert!(taken.into_inner() > 0);
}

#[test]
fn frames_that_a_longer_run_left_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    for (format, files, first) in [("vtu", 2, 6), ("ply", 2, 6)] {
        run(folder.path(), format, 8, None);
        // Of another scene, of another kind.
        for other in ["two_tetsy_000009", "two_tets_9", "two_tets_000009x", "other_000009"] {
            std::fs::write(folder.path().join(format!("{other}.{format}")), "").unwrap();
        }
        let recorder = |after| Recorder::new(folder.path(), &scene(format), layout(), after).unwrap();
        assert_eq!(recorder(None).left_over(8), None, "{format}: all are written again");
        assert_eq!(recorder(None).left_over(4), Some(LeftOver { files, first }), "{format}");
        assert_eq!(
            recorder(Some(6)).left_over(7),
            Some(LeftOver { files: 1, first: 8 }),
            "{format}: 6 is kept"
        );
        // Frame 5 is the last one; 6 and 8 are left.
        assert_eq!(recorder(None).left_over(5), Some(LeftOver { files, first }), "{format}");
    }
    for format in ["usda", "pc2"] {
        run(folder.path(), format, 8, None);
        let recorder = Recorder::new(folder.path(), &scene(format), layout(), None).unwrap();
        assert_eq!(recorder.left_over(4), None, "{format}: one file, begun anew");
    }
}
