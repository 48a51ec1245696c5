//! What lies on itself without crossing is tangled, too.

use glam::{DQuat, DVec3};
use gordian_mesh::generate::cloth_grid;
use gordian_mesh::{TetMesh, TriMesh};
use gordian_sim::scene::ClothResponse;
use gordian_sim::untangle;

/// Two tetrahedra in one place that share no vertex: four pairs of faces lie on each other, and none crosses.
#[test]
fn a_volume_on_itself_comes_apart_or_is_told() {
    let corner = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let mesh = TetMesh { positions: [corner, corner].concat(), tets: vec![[0, 1, 2, 3], [4, 5, 6, 7]] };
    let done = untangle::volume(&mesh, None, 0, |_| true).unwrap();
    assert_eq!((done.overlaps, done.is_clean(), done.frames), ([4, 4], false, 0));
    let done = untangle::volume(&mesh, None, 100, |_| true).unwrap();
    assert!(done.is_clean() && done.overlaps == [4, 0], "{:?}", done.overlaps);
}

/// Two sheets in one place.
#[test]
fn sheets_on_each_other_come_apart() {
    let sheet = cloth_grid(1.0, 1.0, 6, 6).unwrap();
    let n = sheet.positions.len() as u32;
    let triangles = sheet.triangles.iter().flat_map(|t| [*t, t.map(|v| v + n)]).collect();
    let mesh = TriMesh { positions: [sheet.positions.clone(), sheet.positions].concat(), triangles };
    assert!(!untangle::cloth(&mesh, ClothResponse::Icm, 0, |_| true).unwrap().is_clean());
    let done = untangle::cloth(&mesh, ClothResponse::Icm, 50, |_| true).unwrap();
    assert!(done.is_clean() && done.overlaps[0] > 0, "{:?}", done.overlaps);
}

/// What lies on itself parts by its thickness, a fiftieth of an edge, wherever it lies and however it is numbered.
#[test]
fn what_lies_on_itself_parts_by_its_thickness() {
    let sheet = cloth_grid(4.0, 3.0, 4, 3).unwrap();
    let triangle = TriMesh { positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
    let turns = [
        DQuat::IDENTITY,
        DQuat::from_rotation_x(1.1),
        DQuat::from_rotation_y(0.7) * DQuat::from_rotation_z(2.0),
    ];
    for (name, one, twin) in [
        ("triangle", &triangle, [0u32, 1, 2].to_vec()),
        ("renumbered triangle", &triangle, [1, 2, 0].to_vec()),
        ("sheet", &sheet, (0..sheet.positions.len() as u32).collect()),
        ("reversed sheet", &sheet, (0..sheet.positions.len() as u32).rev().collect()),
    ] {
        for turn in turns {
            let n = one.positions.len() as u32;
            // Vertex `v` of the copy lies where vertex `twin[v]` of the first does.
            let copy = twin.iter().map(|&v| one.positions[v as usize]);
            let place = |v: u32| twin.iter().position(|&w| w == v).unwrap() as u32;
            let mesh = TriMesh {
                positions: one.positions.iter().copied().chain(copy).map(|p| turn * p + DVec3::ONE).collect(),
                triangles: one.triangles.iter().flat_map(|t| [*t, t.map(|v| n + place(v))]).collect(),
            };
            let done = untangle::cloth(&mesh, ClothResponse::Icm, 50, |_| true).unwrap();
            assert!(done.is_clean() && done.overlaps[0] > 0, "{name}: {:?}", done.overlaps);
            assert!(done.largest.0 < 0.05, "{name}, {turn}: {}", done.largest.0);
        }
    }
}
