//! A tangled start comes out untangled, and does not without contact.

use gordian_mesh::testdata;
use gordian_sim::{AdapterChoice, FrameReport, Scene, World};

/// The pose `name` of the shared workloads, no gravity, a frame a substep so that every substep is seen: the limits that a
/// scene gives per frame are given per twentieth of a frame here.
fn workload(name: &str, overrides: &[&str]) -> Option<World> {
    let file = testdata::path(&format!("workloads/{name}.npz"))?;
    let text = format!(
        r#"
        [simulation]
        gravity_m_s2 = [0.0, 0.0, 0.0]
        frame_s = {}
        substeps = 1
        iterations = 3
        [collision]
        recovery = true
        max_depenetration_edges = 0.05
        penetrating_damping = {}
        [[body]]
        mesh = '{file}'
        pose = '{file}'
        material = {{ young_pa = 2e7, poisson = 0.4, density_kg_m3 = 1000.0 }}
        "#,
        1.0 / 1200.0,
        1.0 - 0.7f64.powf(1.0 / 20.0),
        file = file.display()
    );
    let overrides: Vec<String> = overrides.iter().map(|s| s.to_string()).collect();
    let scene = Scene::parse_with(&text, name, &overrides).unwrap();
    Some(World::new(&scene, &AdapterChoice::Cpu).unwrap())
}

/// What happened on the way: the report of each substep, and the longest way of a vertex in one, in mean edges.
fn run(world: &mut World, substeps: u32) -> (Vec<FrameReport>, f64) {
    let mut fastest = 0.0f32;
    let mut reports = Vec::new();
    for _ in 0..substeps {
        let before = world.positions().to_vec();
        reports.push(world.step_frame().unwrap());
        fastest = world.positions().iter().zip(&before).map(|(a, b)| a.distance(*b)).fold(fastest, f32::max);
    }
    (reports, fastest as f64 / world.bodies()[0].mean_edge)
}

/// Penetrating vertices, inverted tetrahedra and crossing triangles at the end of a frame.
fn left(report: &FrameReport) -> (u64, u64, u64) {
    let crossing = report.intersecting_triangle_pairs.expect("counted");
    (report.penetrating_vertices, report.inverted_tetrahedra, crossing)
}

fn comes_out_clean(overrides: &[&str]) {
    let Some(mut world) = workload("noodle_helix", overrides) else { return };
    let (reports, fastest) = run(&mut world, 80);
    assert_eq!(left(reports.last().unwrap()), (0, 0, 0));
    let inverted = reports.iter().map(|r| r.inverted_tetrahedra).max().unwrap();
    assert!(inverted <= 5, "{inverted} tetrahedra were inverted on the way");
    assert!(fastest * 20.0 <= 5.0, "a vertex moved {} edges a frame", fastest * 20.0);
}

#[test]
fn a_coiled_noodle_comes_out_untangled() {
    comes_out_clean(&[]);
}

#[test]
fn contact_alone_untangles_a_noodle_that_is_at_rest_in_its_tangle() {
    comes_out_clean(&["body.rest=pose"]);
}

#[test]
fn without_contact_it_stays_tangled() {
    let Some(mut world) = workload("noodle_helix", &["collision.enabled=false"]) else { return };
    let (reports, _) = run(&mut world, 10);
    let (penetrating, _, crossing) = left(reports.last().unwrap());
    assert!(penetrating > 4000 && crossing > 2000, "{penetrating} {crossing}");
}

/// 1,935 of its elements start inside out: they need iterations, and damping, for they let go what a flattened octopus stores.
const SQUASHED: [&str; 8] = [
    "simulation.frame_s=0.016666666666666666",
    "simulation.substeps=20",
    "simulation.iterations=24",
    "simulation.damping_per_s=15",
    "collision.penetrating_damping=0.3",
    "collision.max_depenetration_edges=5",
    "collision.max_shift_ratio=10",
    "body.material.young_pa=1e7",
];

#[test]
fn a_squashed_octopus_comes_out_untangled_within_a_hundred_substeps() {
    let Some(mut world) = workload("octopus_squash", &SQUASHED) else { return };
    let (reports, _) = run(&mut world, 5);
    assert_eq!(left(reports.last().unwrap()), (0, 0, 0));
}

#[test]
fn without_contact_a_squashed_octopus_is_still_tangled_then() {
    let control = [&SQUASHED[..], &["collision.enabled=false"]].concat();
    let Some(mut world) = workload("octopus_squash", &control) else { return };
    let (reports, _) = run(&mut world, 5);
    let (penetrating, _, crossing) = left(reports.last().unwrap());
    assert!(penetrating > 50 && crossing > 20, "{penetrating} {crossing}");
}

/// The paper's start for recovery: crossed cores of a body that came to rest in itself.
#[test]
fn a_noodle_that_fell_through_itself_comes_out_when_contact_begins() {
    let scene = Scene::load("../../scenes/noodle_recovered.toml").unwrap();
    let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
    let (reports, _) = run(&mut world, 36);
    let (penetrating, _, crossing) = left(reports.last().unwrap());
    assert!(penetrating > 200 && crossing > 400, "{penetrating} {crossing}");
    let (reports, _) = run(&mut world, 6);
    assert_eq!(left(reports.last().unwrap()), (0, 0, 0));
}
