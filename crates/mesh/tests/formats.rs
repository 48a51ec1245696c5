//! What is written is read again bit by bit, and the shared meshes load as their list says.

use glam::{DVec3, Vec3};
use gordian_mesh::io::{self, DataArray, MshEncoding, Points, Values, Vtu};
use gordian_mesh::{TetMesh, testdata};
use proptest::prelude::*;

/// Vertices and tetrahedra of the shared meshes, from their README.
const SHARED: [(&str, usize, usize); 6] = [
    ("bunny.msh", 4_670, 19_379),
    ("octocat.msh", 6_133, 21_426),
    ("dolphin.msh", 8_111, 36_304),
    ("rod300x33.msh", 13_333, 50_511),
    ("link.msh", 491, 1_499),
    ("octopus.vtk", 3_225, 11_866),
];

#[test]
fn shared_volumes_load_as_listed() {
    for (name, vertices, tets) in SHARED {
        let Some(path) = testdata::path(&format!("meshes/{name}")) else { return };
        let loaded = io::load_tets(&path).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((loaded.mesh.positions.len(), loaded.mesh.tets.len()), (vertices, tets), "{name}");
        let volumes = (0..tets).map(|t| gordian_mesh::signed_volume(loaded.mesh.corners(t)));
        assert_eq!(volumes.filter(|&v| v > 0.0).count(), tets, "{name}");
        eprintln!("{name}: {:?}", loaded.warnings);
    }
}

/// A mesh of random finite positions of every size, subnormal ones and negative zeros among them, and random
/// elements of four and of three different vertices.
fn any_mesh() -> impl Strategy<Value = (Vec<DVec3>, Vec<[u32; 4]>, Vec<[u32; 3]>)> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    let number = || prop_oneof![-1.0..1.0f64, NORMAL | SUBNORMAL | ZERO | POSITIVE | NEGATIVE];
    let point = (number(), number(), number()).prop_map(|(x, y, z)| DVec3::new(x, y, z));
    prop::collection::vec(point, 4..40).prop_flat_map(|points| {
        let n = points.len() as u32;
        let ids = move |k: usize| {
            Just((0..n).collect::<Vec<u32>>()).prop_shuffle().prop_map(move |v| v[..k].to_vec())
        };
        let tets = prop::collection::vec(ids(4).prop_map(|v| v.try_into().unwrap()), 0..30);
        let triangles = prop::collection::vec(ids(3).prop_map(|v| v.try_into().unwrap()), 0..30);
        (Just(points), tets, triangles)
    })
}

fn bits(points: &[DVec3]) -> Vec<[u64; 3]> {
    points.iter().map(|p| p.to_array().map(f64::to_bits)).collect()
}

/// Positions as a simulation stores them.
fn single(points: &[DVec3]) -> Vec<Vec3> {
    points.iter().map(|p| p.clamp(DVec3::splat(-1e38), DVec3::splat(1e38)).as_vec3()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn msh_round_trips((points, tets, triangles) in any_mesh()) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mesh.msh");
        let single = single(&points);
        let widened: Vec<DVec3> = single.iter().map(|p| p.as_dvec3()).collect();
        for encoding in [MshEncoding::Text, MshEncoding::Binary] {
            io::write_msh41(&path, &points, &tets, &triangles, encoding).unwrap();
            let raw = io::read_raw(&path).unwrap();
            prop_assert_eq!(bits(&raw.positions), bits(&points));
            prop_assert_eq!((&raw.tets, &raw.triangles), (&tets, &triangles));
            io::write_msh41(&path, &single, &tets, &triangles, encoding).unwrap();
            prop_assert_eq!(bits(&io::read_raw(&path).unwrap().positions), bits(&widened));
        }
    }

    #[test]
    fn vtu_round_trips((points, tets, triangles) in any_mesh()) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mesh.vtu");
        let single = single(&points);
        let widened: Vec<DVec3> = single.iter().map(|p| p.as_dvec3()).collect();
        for double in [false, true] {
            let stored: Points = if double { (&points).into() } else { (&single).into() };
            let cells: Vec<u32> = (0..(tets.len() + triangles.len()) as u32).collect();
            io::write_vtu(&path, &Vtu {
                triangles: &triangles,
                point_data: vec![DataArray::vectors("velocity <&\">", &single)],
                cell_data: vec![DataArray::scalars("id", Values::U32(&cells))],
                time: Some(0.1),
                ..Vtu::volume(stored, &tets)
            }).unwrap();
            let raw = io::read_raw(&path).unwrap();
            prop_assert_eq!(bits(&raw.positions), bits(if double { &points } else { &widened }));
            prop_assert_eq!((&raw.tets, &raw.triangles), (&tets, &triangles));
        }
    }

    #[test]
    fn surfaces_round_trip((points, _, triangles) in any_mesh()) {
        let dir = tempfile::tempdir().unwrap();
        let single = single(&points);
        for name in ["mesh.ply", "mesh.obj"] {
            let path = dir.path().join(name);
            let write = |stored: Points| match name {
                "mesh.ply" => io::write_ply(&path, stored, &triangles),
                _ => io::write_obj(&path, stored, &triangles),
            };
            write((&points).into()).unwrap();
            let raw = io::read_raw(&path).unwrap();
            prop_assert_eq!(bits(&raw.positions), bits(&points));
            prop_assert_eq!(&raw.triangles, &triangles);
            write((&single).into()).unwrap();
            let raw = io::read_raw(&path).unwrap();
            let again: Vec<Vec3> = raw.positions.iter().map(|p| p.as_vec3()).collect();
            let same = again.iter().zip(&single).all(|(a, b)| a.to_array().map(f32::to_bits) == b.to_array().map(f32::to_bits));
            prop_assert!(same && again.len() == single.len());
        }
    }
}

#[test]
fn a_written_volume_loads_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("one.msh");
    let mesh =
        TetMesh { positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], tets: vec![[0, 1, 2, 3]] };
    io::write_msh41(&path, &mesh.positions, &mesh.tets, &[], MshEncoding::Binary).unwrap();
    assert_eq!(io::load_tets(&path).unwrap().mesh, mesh);
}
