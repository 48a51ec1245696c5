//! The bodies of the experiments, by number of vertices: sound, of good shape, of the size asked for, and
//! knotted as they should be.

use glam::DVec3;
use gordian_mesh::generate::{self, GenerateError, Generated, Generator, Kind};
use gordian_mesh::manifold::{nonmanifold_edges, nonmanifold_vertices};
use gordian_mesh::quality::TetQuality;
use gordian_mesh::{TetMesh, TetTopology, signed_volume};

fn made(kind: Kind, parameters: &[(&str, f64)]) -> Result<TetMesh, GenerateError> {
    let mut generator = Generator::new(kind);
    for &(name, value) in parameters {
        generator.set(name, value)?;
    }
    match generator.build()? {
        Generated::Tets(mesh) => Ok(mesh),
        Generated::Triangles(_) => panic!("{} is no volume", kind.name()),
    }
}

/// One closed surface of genus 0, of positive tetrahedra with dihedral angles between 10 and 160 degrees.
fn assert_good(mesh: &TetMesh, what: &str) {
    assert!((0..mesh.tets.len()).all(|t| signed_volume(mesh.corners(t)) > 0.0), "{what}");
    let topology = TetTopology::new(mesh.positions.len(), &mesh.tets);
    assert!(topology.defects.is_empty(), "{what}");
    assert_eq!(topology.unreferenced_vertices().count(), 0, "{what}");
    assert!(nonmanifold_edges(&topology).is_empty() && nonmanifold_vertices(&topology).is_empty(), "{what}");
    let [v, e, f] =
        [topology.boundary_vertices.len(), topology.edges.len(), topology.faces.len()].map(|n| n as i64);
    assert_eq!((v - e + f, topology.component_count), (2, 1), "{what}");
    let quality = TetQuality::measure(mesh);
    let (least, most) = (quality.min_dihedral.0, quality.max_dihedral.0);
    assert!(least > 10.0 && most < 160.0, "{what}: dihedral angles of {least} to {most} degrees");
}

#[test]
fn bodies_have_the_vertices_asked_for_and_good_shapes() {
    let sizes: [(Kind, &[u32]); 12] = [
        (Kind::Octopus, &[3600, 5000]),
        (Kind::SquishyBall, &[4000, 20_000, 60_000]),
        (Kind::Noodle, &[3000, 40_000]),
        (Kind::Rod, &[1000, 10_000]),
        (Kind::Knot, &[1500, 10_000]),
        (Kind::NestedKnots, &[4000, 30_000]),
        (Kind::ThinBeam, &[2000, 30_000]),
        (Kind::Beam, &[1000, 8000]),
        (Kind::Box, &[1000, 5000]),
        (Kind::Bowl, &[1000, 10_000]),
        (Kind::Sphere, &[500, 5000]),
        (Kind::BentBody, &[1000, 5000]),
    ];
    for (kind, sizes) in sizes {
        for &vertices in sizes {
            let what = format!("{} of {vertices} vertices", kind.name());
            let mesh = made(kind, &[("vertices", vertices.into())]).unwrap();
            let count = mesh.positions.len() as f64;
            assert!((count / f64::from(vertices) - 1.0).abs() <= 0.05, "{what}: {count}");
            assert_good(&mesh, &what);
        }
    }
}

#[test]
fn any_number_of_vertices_in_the_range_of_a_kind_is_met() {
    for kind in [Kind::SquishyBall, Kind::Noodle, Kind::ThinBeam, Kind::Bowl] {
        let mut vertices = 5000.0f64;
        while vertices < 40_000.0 {
            let mesh = made(kind, &[("vertices", vertices.round())]).unwrap();
            let ratio = mesh.positions.len() as f64 / vertices;
            assert!((ratio - 1.0).abs() <= 0.05, "{} of {vertices}: {ratio}", kind.name());
            let quality = TetQuality::measure(&mesh);
            assert!(
                quality.min_dihedral.0 > 10.0 && quality.max_dihedral.0 < 160.0,
                "{} of {vertices}",
                kind.name()
            );
            vertices *= 1.23;
        }
    }
}

#[test]
fn a_cloth_has_the_vertices_asked_for() {
    let mut generator = Generator::new(Kind::Cloth);
    generator.set("height", 0.3).unwrap();
    generator.set("vertices", 5000.0).unwrap();
    let Generated::Triangles(mesh) = generator.build().unwrap() else { panic!("no cloth") };
    assert!((4750..=5250).contains(&mesh.positions.len()));
}

#[test]
fn impossible_and_double_requests_are_refused() {
    let told = |kind, parameters: &[(&str, f64)]| made(kind, parameters).unwrap_err().to_string();
    let e = told(Kind::Octopus, &[("vertices", 100.0)]);
    assert!(e.contains("has about 100 vertices; the nearest has"), "{e}");
    for (kind, fine) in [
        (Kind::SquishyBall, "resolution"),
        (Kind::Rod, "segments"),
        (Kind::ThinBeam, "across"),
        (Kind::Box, "ny"),
    ] {
        let e = told(kind, &[("vertices", 5000.0), (fine, 60.0)]);
        assert!(e.contains("`vertices`") && e.contains(fine), "{e}");
    }
    // Rings and vertices together leave the segments to be found.
    let rod = made(Kind::Rod, &[("rings", 1.0), ("vertices", 700.0)]).unwrap();
    assert_eq!(rod.positions.len(), 700);
    let e = told(Kind::Noodle, &[("length", 1000.0)]);
    assert!(e.contains("more than the coils hold"), "{e}");
    let e = told(Kind::Knot, &[("length", 0.1)]);
    assert!(e.contains("longer than its knot"), "{e}");
    let e = told(Kind::NestedKnots, &[("knots", 50.0)]);
    assert!(e.contains("fits on the next level's knot"), "{e}");
}

#[test]
fn a_squishy_ball_of_20000_vertices_has_more_than_a_hundred_slender_strands() {
    let mesh = made(Kind::SquishyBall, &[("vertices", 20_000.0)]).unwrap();
    // Boundary vertices at the tips, joined by edges: one group a strand.
    let topology = TetTopology::new(mesh.positions.len(), &mesh.tets);
    let groups = |height: f64| {
        let mut parent: Vec<u32> = (0..mesh.positions.len() as u32).collect();
        fn root(parent: &mut [u32], mut v: u32) -> u32 {
            while parent[v as usize] != v {
                parent[v as usize] = parent[parent[v as usize] as usize];
                v = parent[v as usize];
            }
            v
        }
        let high = |v: u32| mesh.positions[v as usize].length() > height;
        for e in &topology.edges {
            let [a, b] = e.vertices;
            if high(a) && high(b) {
                let (a, b) = (root(&mut parent, a), root(&mut parent, b));
                parent[a as usize] = b;
            }
        }
        let members: Vec<u32> = topology.boundary_vertices.iter().copied().filter(|&v| high(v)).collect();
        let mut roots: Vec<u32> = members.iter().map(|&v| root(&mut parent, v)).collect();
        roots.sort_unstable();
        roots.dedup();
        roots.len()
    };
    // The radius is 0.5, the core's 0.2: separate from just above the core to the tips.
    assert!(groups(0.23) >= 100, "{}", groups(0.23));
    assert_eq!(groups(0.23), groups(0.45));
    let volume = mesh.volume();
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 0.125;
    assert!(volume < 0.25 * ball, "strands and core fill {} of the ball", volume / ball);
}

#[test]
fn a_bowl_has_the_volume_of_its_shell_and_stands_open() {
    let mesh = generate::bowl(0.4, 0.04, 90.0, 60).unwrap();
    let shell = 2.0 / 3.0 * std::f64::consts::PI * (0.4f64.powi(3) - 0.36f64.powi(3));
    assert!((mesh.volume() / shell - 1.0).abs() < 2e-3, "{} {shell}", mesh.volume());
    let (low, high) = mesh.positions.iter().fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p.y), h.max(p.y)));
    assert!((low + 0.4).abs() < 1e-12 && high.abs() < 1e-12);
}

/// The determinant of the knot that a curve makes when its ends are joined far away: 1 for the unknot, 3 for
/// a trefoil, the product for knots on one rope. From the colouring matrix of a projection (R. Fox).
fn knot_determinant(points: &[DVec3]) -> f64 {
    // A generic view across the long axis.
    let (right, up, ahead) = {
        let ahead = DVec3::new(0.123, 0.456, 1.0).normalize();
        let right = (DVec3::X - DVec3::X.dot(ahead) * ahead).normalize();
        (right, ahead.cross(right), ahead)
    };
    let view: Vec<DVec3> = points.iter().map(|p| DVec3::new(p.dot(right), p.dot(up), p.dot(ahead))).collect();
    // Where each crossing lies along the curve: (under, over).
    let mut crossings: Vec<(f64, f64)> = Vec::new();
    for i in 0..view.len() - 1 {
        for j in i + 2..view.len() - 1 {
            let (p, r) = (view[i], view[i + 1] - view[i]);
            let (q, s) = (view[j], view[j + 1] - view[j]);
            let cross = r.x * s.y - r.y * s.x;
            let d = q - p;
            let (t, u) = ((d.x * s.y - d.y * s.x) / cross, (d.x * r.y - d.y * r.x) / cross);
            if (0.0..1.0).contains(&t) && (0.0..1.0).contains(&u) {
                let (a, b) = (i as f64 + t, j as f64 + u);
                let first_is_lower = p.z + t * r.z < q.z + u * s.z;
                crossings.push(if first_is_lower { (a, b) } else { (b, a) });
            }
        }
    }
    crossings.sort_by(|x, y| x.0.total_cmp(&y.0));
    let n = crossings.len();
    if n < 2 {
        return 1.0;
    }
    // Arcs run from one undercrossing to the next; the last joins the first.
    let arc = |at: f64| crossings.partition_point(|c| c.0 < at) % n;
    let mut matrix = vec![vec![0.0f64; n]; n];
    for (row, &(_, over)) in crossings.iter().enumerate() {
        matrix[row][arc(over)] += 2.0;
        matrix[row][row] -= 1.0;
        matrix[row][(row + 1) % n] -= 1.0;
    }
    // Any minor.
    let m = n - 1;
    let mut determinant = 1.0f64;
    for k in 0..m {
        let pivot = (k..m).max_by(|&a, &b| matrix[a][k].abs().total_cmp(&matrix[b][k].abs())).unwrap();
        matrix.swap(k, pivot);
        determinant *= matrix[k][k];
        if determinant == 0.0 {
            return 0.0;
        }
        for row in k + 1..m {
            let factor = matrix[row][k] / matrix[k][k];
            for column in k..m {
                matrix[row][column] -= factor * matrix[k][column];
            }
        }
    }
    determinant.abs()
}

/// The axis of a rod: the first vertex of each section.
fn axis(mesh: &TetMesh, rings: usize) -> Vec<DVec3> {
    mesh.positions.iter().copied().step_by(1 + 3 * rings * (rings + 1)).collect()
}

#[test]
fn knots_are_knots_and_others_are_none() {
    let determinant = |kind, parameters: &[(&str, f64)]| {
        let rings = [("rings", 1.0)];
        let mesh = made(kind, &[&rings[..], parameters].concat()).unwrap();
        knot_determinant(&axis(&mesh, 1)).round()
    };
    assert_eq!(determinant(Kind::Rod, &[]), 1.0);
    assert_eq!(determinant(Kind::Noodle, &[("length", 3.0), ("turns", 2.0)]), 1.0);
    assert_eq!(determinant(Kind::Knot, &[]), 3.0);
    assert_eq!(determinant(Kind::NestedKnots, &[("levels", 1.0)]), 3.0);
    // Two knots on the rope, and the rope knotted.
    assert_eq!(determinant(Kind::NestedKnots, &[("knots", 2.0)]), 27.0);
}

/// The smallest distance between points of the axis that are at least a half turn of the rod apart along it.
fn clearance(axis: &[DVec3], radius: f64) -> f64 {
    let step = axis[0].distance(axis[1]);
    let skip = (4.0 * radius / step).ceil() as usize;
    let mut least = f64::INFINITY;
    for i in 0..axis.len() {
        for j in i + skip..axis.len() {
            least = least.min(axis[i].distance(axis[j]));
        }
    }
    least
}

#[test]
fn knotted_and_coiled_rods_do_not_touch_themselves() {
    for (kind, radius) in [(Kind::Knot, 0.02), (Kind::NestedKnots, 0.02), (Kind::Noodle, 0.01)] {
        let mesh = made(kind, &[("rings", 1.0)]).unwrap();
        let clear = clearance(&axis(&mesh, 1), radius);
        assert!(clear > 2.2 * radius, "{}: {clear}", kind.name());
    }
}
