//! A tangled start comes out untangled, and does not without contact.

use gordian_collision::bvh::{Aabb, Tree};
use gordian_collision::crossing::{Meeting, SelfCrossings};
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

/// Pairs of surface triangles that cross.
fn crossings(world: &World) -> usize {
    let (x, faces) = (world.positions(), &world.topology().faces);
    let boxes: Vec<Aabb> = faces.iter().map(|f| Aabb::of_simplex(x, f)).collect();
    let mut crossings = SelfCrossings::default();
    crossings.find(faces, x, &Tree::build(&boxes));
    crossings.count(Meeting::Crossing)
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

fn comes_out_clean(overrides: &[&str]) {
    let Some(mut world) = workload("noodle_helix", overrides) else { return };
    assert_eq!(crossings(&world), 2446, "the tangle that it starts from");
    let (reports, fastest) = run(&mut world, 80);
    let last = reports.last().unwrap();
    assert_eq!((last.penetrating_vertices, last.inverted_tetrahedra, crossings(&world)), (0, 0, 0));
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
    assert!(reports.last().unwrap().penetrating_vertices > 4000);
    assert!(crossings(&world) > 2000);
}
