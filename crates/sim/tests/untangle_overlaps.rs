//! What lies on itself without crossing is tangled, too.

use glam::DVec3;
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
