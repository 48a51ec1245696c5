//! Faults that others had, by their numbers: a whole kind each.

use glam::Vec3;
use gordian_sim::{AdapterChoice, Scene, World};

/// A world with one body of the mesh given in the `.t` format.
fn world(mesh: &str, gravity: f64) -> World {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("body.t");
    std::fs::write(&path, mesh).unwrap();
    let text = format!(
        "[simulation]\ngravity_m_s2 = [0.0, {gravity}, 0.0]\n[[body]]\nmesh = '{}'\nmaterial = {{ young_pa = 1e4 }}",
        path.display()
    );
    World::new(&Scene::parse(&text, "regression").unwrap(), &AdapterChoice::Cpu).unwrap()
}

/// Winding: a tetrahedron of negative volume, and the same with two ids swapped. Both load, the first with one warning that
/// names the element; both stay at rest, in the order of their files.
#[test]
fn c01_an_element_of_either_winding_stays_at_rest() {
    let vertices = "Vertex 1 0 0 0\nVertex 2 1 0 0\nVertex 3 0 0 1\nVertex 4 0 1 0\n";
    let positions = |element: &str, warnings: usize| {
        let mut world = world(&format!("{vertices}{element}\n"), 0.0);
        let about_winding =
            world.warnings().iter().filter(|w| w.contains("orient") || w.contains("negative")).count();
        assert_eq!(about_winding, warnings, "{:?}", world.warnings());
        let start = world.positions().to_vec();
        for _ in 0..60 {
            world.step_frame().unwrap();
        }
        let moved = world.positions().iter().zip(&start).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(moved < 1e-6, "{element}: moved by {moved} m");
        world.positions().to_vec()
    };
    let tets = [("Tet 1 1 2 3 4", [0, 1, 2, 3]), ("Tet 1 1 3 2 4", [0, 2, 1, 3])];
    let [a, b] = tets.map(|(element, order)| {
        let [p, q, r, s] = order.map(|i| [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::Y][i].as_dvec3());
        let negative = (q - p).cross(r - p).dot(s - p) < 0.0;
        positions(element, usize::from(negative))
    });
    assert_eq!(a, b);
}

/// A vertex of no element: reported, stays where it is while the others fall, is never NaN, and keeps its place in the order.
#[test]
fn c02_a_vertex_of_no_element_is_reported_and_stays() {
    let mesh =
        "Vertex 1 0 0 0\nVertex 2 1 0 0\nVertex 3 2 2 0\nVertex 4 0 1 0\nVertex 5 0 0 1\nTet 1 1 2 4 5\n";
    let mut world = world(mesh, -9.81);
    assert!(
        world.warnings().iter().any(|w| w.contains("vertex") || w.contains("vertices")),
        "{:?}",
        world.warnings()
    );
    let start = world.positions().to_vec();
    for _ in 0..20 {
        world.step_frame().unwrap();
    }
    for (v, (now, then)) in world.positions().iter().zip(&start).enumerate() {
        if v == 2 {
            assert_eq!(now, then);
        } else {
            assert!(
                (then.y - now.y - 0.5 * 9.81 / 9.0).abs() < 0.05,
                "vertex {v} fell by {}",
                then.y - now.y
            );
        }
    }
}

/// Non-manifold cloth: the same triangle twice, three triangles on one edge, a triangle with a repeated id. It loads, and bends
/// only where that is defined.
#[test]
fn c11_non_manifold_cloth_loads_and_falls() {
    let square = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\n";
    for faces in ["f 1 2 3\nf 1 2 3\n", "f 1 2 3\nf 2 4 3\nf 2 3 5\n", "f 1 2 3\nf 2 2 4\n"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloth.obj");
        std::fs::write(&path, format!("{square}{faces}")).unwrap();
        let text = format!("[[body]]\nmesh = '{}'\nfabric = {{}}", path.display());
        let scene = Scene::parse(&text, "non-manifold").unwrap();
        let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap_or_else(|e| panic!("{faces}{e}"));
        let height = world.positions()[0].y;
        world.step_frame().unwrap_or_else(|e| panic!("{faces}{e}"));
        assert!(world.positions()[0].y < height, "{faces}");
    }
}

/// Rods that fall on each other: contacts push some into others that met nothing on their own way. Asked for once a substep,
/// CCD let edges cross, a dozen at a time and for good.
#[test]
fn what_contacts_push_into_each_other_does_not_cross() {
    let text = r#"
        [simulation]
        frames = 90
        substeps = 8
        iterations = 2
        damping_per_s = 1.0
        seed = 3
        [[body]]
        generator = { kind = "rod", length = 0.6, radius = 0.03, rings = 1 }
        center = true
        clearance_m = 0.1
        copies = { count = [1, 6, 1], spacing_m = [0.2, 0.45, 0.2], random_turn = true }
        material = { young_pa = 1e5, poisson = 0.4, density_kg_m3 = 1000, damping_s = 0.002 }
        friction = { static = 0.1, dynamic = 0.1 }
        [[collider]]
        shape = { kind = "bowl", center_m = [0, 0.4, 0], radius_m = 0.4 }
    "#;
    let mut world = World::new(&Scene::parse(text, "rods").unwrap(), &AdapterChoice::Cpu).unwrap();
    let (mut crossing, mut contacts) = (0, 0);
    for frame in 0..90 {
        let report = world.step_frame().unwrap();
        contacts += report.contacts.ccd;
        crossing += report.intersecting_triangle_pairs.unwrap();
        if frame >= 70 {
            assert_eq!(report.penetrating_vertices, 0, "frame {frame}");
            assert_eq!(report.intersecting_triangle_pairs, Some(0), "frame {frame}");
        }
    }
    // 850 in all when CCD was asked once.
    assert!(contacts > 10_000 && crossing < 150, "{contacts} contacts, {crossing} crossing pairs");
}
