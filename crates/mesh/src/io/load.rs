//! What is checked of every mesh, whatever its format: the way in for user data.

use std::path::{Path, PathBuf};

use glam::DVec3;

use super::format::{read_bytes, read_content};
use super::{Loaded, MeshError, RawMesh, npz, read_raw, vertex_index};
use crate::elements::{is_flat_tet, is_flat_triangle, repeated, unused};
use crate::{TetMesh, TriMesh};

/// How many elements a warning names.
const NAMED: usize = 5;

/// Most vertices and elements of a mesh: what the 32-bit links of [`crate::TetTopology`] can number.
const MOST_VERTICES: usize = (1 << 31) - 1;
const MOST_ELEMENTS: usize = (1 << 29) - 1;

/// Loads a volume: positive tetrahedra (turned round where the file has them negative) over finite positions,
/// the vertices in file order and none dropped.
///
/// Warnings: re-oriented, flat and repeated tetrahedra, vertices that no tetrahedron uses, cells passed over.
///
/// Errors: the file cannot be read; no tetrahedra in it (a surface, say); an index out of range
/// ([`MeshError::IndexOutOfRange`]); a position that is not finite ([`MeshError::NonFinite`]).
pub fn load_tets(path: impl AsRef<Path>) -> Result<Loaded<TetMesh>, MeshError> {
    let path = path.as_ref();
    tets_of(path, read_raw(path)?)
}

/// Loads a surface: triangles over finite positions, the vertices in file order and none dropped.
///
/// Warnings: degenerate and repeated triangles (kept), vertices that no triangle uses, cells passed over.
///
/// Errors: as [`load_tets`], with triangles wanted.
pub fn load_surface(path: impl AsRef<Path>) -> Result<Loaded<TriMesh>, MeshError> {
    let path = path.as_ref();
    surface_of(path, read_raw(path)?)
}

/// Loads a pose of a mesh of `vertex_count` vertices: positions only, from any mesh format, or from a NumPy
/// archive (array `deformed`, else `positions`; or as the path says: `file.npz#rest`).
///
/// Errors: as [`load_tets`], and [`MeshError::WrongKind`] when the number of vertices differs.
pub fn load_pose(path: impl AsRef<Path>, vertex_count: usize) -> Result<Vec<DVec3>, MeshError> {
    let (path, array) = split_array(path.as_ref());
    let bytes = read_bytes(&path)?;
    let positions = if npz::sniff(&bytes) {
        npz::read_pose(&path, &bytes, array.as_deref())?
    } else {
        read_content(&path, &bytes)?.positions
    };
    if positions.len() != vertex_count {
        let message = format!(
            "the pose has {} vertices, but the mesh has {vertex_count}; a pose must be of the same mesh",
            positions.len()
        );
        return Err(MeshError::WrongKind { path, message });
    }
    check_finite(&path, &positions)?;
    Ok(positions)
}

/// A line for people where a mesh is read from an archive that holds a deformed pose beside the rest pose: loading takes the rest
/// pose, which is not what everyone expects. None for all other files.
pub fn beside_pose(path: impl AsRef<Path>) -> Option<String> {
    let path = path.as_ref();
    let holds = npz::holds_pose(path).unwrap_or(false);
    holds.then(|| format!("{}: the rest pose is taken; a pose `deformed` is beside it", path.display()))
}

/// `file.npz#rest` as the file and the array; a file of that very name wins.
fn split_array(path: &Path) -> (PathBuf, Option<String>) {
    if let Some((file, array)) = path.to_str().and_then(|p| p.rsplit_once(".npz#"))
        && !path.exists()
    {
        return (PathBuf::from(format!("{file}.npz")), Some(array.to_string()));
    }
    (path.to_path_buf(), None)
}

/// Checks what `path` held and takes its tetrahedra.
pub(super) fn tets_of(path: &Path, mut raw: RawMesh) -> Result<Loaded<TetMesh>, MeshError> {
    if raw.tets.is_empty() {
        let message = if raw.triangles.is_empty() {
            format!("no tetrahedra in it; {}", contents(&raw))
        } else {
            format!(
                "a surface (triangles: {}, tetrahedra: 0) where a volume is wanted; fill it with tetrahedra first, \
                 or use it as cloth or as a collider (`gordian mesh tet` fills)",
                raw.triangles.len()
            )
        };
        return Err(MeshError::WrongKind { path: path.to_path_buf(), message });
    }
    check(path, &raw.positions, &raw.tets, "tetrahedron")?;
    let mut warnings = std::mem::take(&mut raw.warnings);
    let mut other = std::mem::take(&mut raw.other);
    if !raw.triangles.is_empty() {
        other.insert(0, ("triangles", raw.triangles.len()));
    }
    warn_other(&mut warnings, &other, "tetrahedra");

    let mut mesh = TetMesh { positions: raw.positions, tets: raw.tets };
    let flipped: Vec<usize> = mesh.orient().into_iter().map(|t| t as usize).collect();
    warn(
        &mut warnings,
        &flipped,
        "tetrahedron was negative and is turned round",
        "tetrahedra were negative and are turned round",
    );
    let flat: Vec<usize> = (0..mesh.tets.len()).filter(|&t| is_flat_tet(mesh.corners(t))).collect();
    warn(&mut warnings, &flat, "tetrahedron has no volume", "tetrahedra have no volume");
    let repeated = repeated(&mesh.tets);
    warn(&mut warnings, &repeated, "tetrahedron is there before", "tetrahedra are there before");
    let unused = unused(mesh.positions.len(), &mesh.tets);
    warn(
        &mut warnings,
        &unused,
        "vertex belongs to no tetrahedron and is kept",
        "vertices belong to no tetrahedron and are kept",
    );
    Ok(Loaded { mesh, warnings })
}

/// Checks what `path` held and takes its triangles.
pub(super) fn surface_of(path: &Path, mut raw: RawMesh) -> Result<Loaded<TriMesh>, MeshError> {
    if raw.triangles.is_empty() {
        let message = if raw.tets.is_empty() {
            format!("no triangles in it; {}", contents(&raw))
        } else {
            format!(
                "a volume (tetrahedra: {}, triangles: 0) where a surface is wanted; use it as a volume, or save its \
                 boundary as triangles",
                raw.tets.len()
            )
        };
        return Err(MeshError::WrongKind { path: path.to_path_buf(), message });
    }
    check(path, &raw.positions, &raw.triangles, "triangle")?;
    let mut warnings = std::mem::take(&mut raw.warnings);
    let mut other = std::mem::take(&mut raw.other);
    if !raw.tets.is_empty() {
        other.insert(0, ("tetrahedra", raw.tets.len()));
    }
    warn_other(&mut warnings, &other, "triangles");

    let mesh = TriMesh { positions: raw.positions, triangles: raw.triangles };
    let flat = |t: &[u32; 3]| is_flat_triangle(t.map(|v| mesh.positions[v as usize]));
    let flat: Vec<usize> = (0..mesh.triangles.len()).filter(|&t| flat(&mesh.triangles[t])).collect();
    warn(&mut warnings, &flat, "triangle has no area", "triangles have no area");
    let repeated = repeated(&mesh.triangles);
    warn(&mut warnings, &repeated, "triangle is there before", "triangles are there before");
    let unused = unused(mesh.positions.len(), &mesh.triangles);
    warn(
        &mut warnings,
        &unused,
        "vertex belongs to no triangle and is kept",
        "vertices belong to no triangle and are kept",
    );
    Ok(Loaded { mesh, warnings })
}

/// What is in a file that has not what is wanted.
fn contents(raw: &RawMesh) -> String {
    if raw.positions.is_empty() {
        return "the file has no vertices".to_string();
    }
    let mut parts = vec![format!("vertices: {}", raw.positions.len())];
    if raw.tets.is_empty() && raw.triangles.is_empty() && raw.other.is_empty() {
        return format!("the file has vertices ({}), but no cells", raw.positions.len());
    }
    parts.extend(raw.other.iter().map(|(what, n)| format!("{what}: {n}")));
    let linear = if raw.other.iter().any(|(what, _)| what.contains("order")) {
        "; save the mesh with first-order elements"
    } else if raw.other.is_empty() {
        ""
    } else {
        "; split its cells into simplices"
    };
    format!("what the file has is {}{linear}", parts.join(", "))
}

/// Indices, sizes and positions.
fn check<const K: usize>(
    path: &Path,
    positions: &[DVec3],
    elements: &[[u32; K]],
    element: &'static str,
) -> Result<(), MeshError> {
    if positions.len() > MOST_VERTICES || elements.len() > MOST_ELEMENTS {
        let message = format!(
            "too large: {} vertices and {} elements, at most {MOST_VERTICES} and {MOST_ELEMENTS} can be numbered",
            positions.len(),
            elements.len()
        );
        return Err(MeshError::WrongKind { path: path.to_path_buf(), message });
    }
    for (index, ids) in elements.iter().enumerate() {
        for &id in ids {
            vertex_index(path, element, index, i64::from(id), positions.len())?;
        }
    }
    check_finite(path, positions)
}

fn check_finite(path: &Path, positions: &[DVec3]) -> Result<(), MeshError> {
    match positions.iter().position(|p| !p.is_finite()) {
        None => Ok(()),
        Some(vertex) => {
            Err(MeshError::NonFinite { path: path.to_path_buf(), vertex, position: positions[vertex] })
        }
    }
}

fn warn_other(warnings: &mut Vec<String>, other: &[(&'static str, usize)], used: &str) {
    if !other.is_empty() {
        let parts: Vec<String> = other.iter().map(|(what, n)| format!("{what} ({n})")).collect();
        warnings.push(format!("only the {used} are used; passed over: {}", parts.join(", ")));
    }
}

/// One line about all of `which`, naming the first few (numbered from 0).
fn warn(warnings: &mut Vec<String>, which: &[usize], one: &str, many: &str) {
    let names: Vec<String> = which.iter().take(NAMED).map(usize::to_string).collect();
    let more = if which.len() > NAMED { ", …" } else { "" };
    match which.len() {
        0 => {}
        1 => warnings.push(format!("1 {one}: {}", names[0])),
        n => warnings.push(format!("{n} {many}: {}{more}", names.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube_corners() -> Vec<DVec3> {
        (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect()
    }

    fn tets(tets: &[[u32; 4]]) -> Result<Loaded<TetMesh>, MeshError> {
        let raw = RawMesh { positions: cube_corners(), tets: tets.to_vec(), ..RawMesh::default() };
        tets_of(Path::new("cube.msh"), raw)
    }

    #[test]
    fn negative_flat_repeated_and_unused_are_told_once_each() {
        let loaded = tets(&[[0, 1, 2, 4], [0, 2, 1, 4], [1, 2, 3, 0], [4, 4, 1, 2]]).unwrap();
        assert_eq!(loaded.mesh.positions, cube_corners());
        assert_eq!(loaded.mesh.tets[..2], [[0, 1, 2, 4], [0, 2, 4, 1]]);
        assert_eq!(
            loaded.warnings,
            [
                "1 tetrahedron was negative and is turned round: 1",
                "2 tetrahedra have no volume: 2, 3",
                "1 tetrahedron is there before: 1",
                "3 vertices belong to no tetrahedron and are kept: 5, 6, 7",
            ]
        );
    }

    #[test]
    fn flatness_does_not_depend_on_scale_or_place() {
        for scale in [1e-30, 1.0, 1e30] {
            let at = DVec3::new(0.3, -0.7, 1.1) * scale;
            let corner = |x: f64, y: f64, z: f64| at + DVec3::new(x, y, z) * scale;
            // In one plane up to rounding, then lifted by a millionth of an edge.
            let flat = |z| {
                [corner(0.0, 0.0, 0.0), corner(1.0, 0.0, 0.0), corner(0.0, 1.0, 0.0), corner(0.3, 0.3, z)]
            };
            assert!(is_flat_tet(flat(0.0)), "{scale}");
            assert!(!is_flat_tet(flat(1e-6)), "{scale}");
            assert!(is_flat_triangle([at, at, at]));
            assert!(!is_flat_triangle([at, corner(1.0, 0.0, 0.0), corner(1.0, 1e-6, 0.0)]));
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused_with_its_place() {
        let e = tets(&[[0, 1, 2, 4], [0, 1, 2, 8]]).unwrap_err().to_string();
        assert_eq!(e, "cube.msh: tetrahedron 1 uses vertex 8, but the file has 8 vertices (counted from 0)");
        let e = tets(&[]).unwrap_err().to_string();
        assert!(e.contains("no tetrahedra in it; the file has vertices (8), but no cells"), "{e}");
        let empty = tets_of(Path::new("x"), RawMesh::default()).unwrap_err().to_string();
        assert!(empty.contains("no vertices"), "{empty}");
        let mut positions = cube_corners();
        positions[5].y = f64::INFINITY;
        let raw = RawMesh { positions, triangles: vec![[0, 1, 2]], ..RawMesh::default() };
        let e = surface_of(Path::new("x"), raw.clone()).unwrap_err();
        assert!(matches!(e, MeshError::NonFinite { vertex: 5, .. }), "{e}");
        let e = tets_of(Path::new("x.obj"), raw).unwrap_err().to_string();
        assert!(
            e.contains("a surface (triangles: 1, ") && e.contains("fill it with tetrahedra first"),
            "{e}"
        );
    }

    #[test]
    fn poses_come_from_any_format_and_must_fit() {
        use crate::io::npy::tests::npy;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pose.npy");
        let bytes: Vec<u8> = [0.5f32; 6].iter().flat_map(|x| x.to_le_bytes()).collect();
        std::fs::write(&path, npy("<f4", "(2, 3)", &bytes)).unwrap();
        assert_eq!(load_pose(&path, 2).unwrap(), [DVec3::splat(0.5); 2]);
        let e = load_pose(&path, 3).unwrap_err().to_string();
        assert!(e.contains("2 vertices, but the mesh has 3"), "{e}");
    }

    #[test]
    fn workload_archives_are_bodies_and_poses() {
        let Some(path) = crate::testdata::path("workloads/noodle_helix.npz") else { return };
        let w = npz::Workload::read(&path).unwrap();
        let rest: Vec<DVec3> = w.rest.iter().map(|p| p.as_dvec3()).collect();
        let deformed: Vec<DVec3> = w.deformed.iter().map(|p| p.as_dvec3()).collect();
        let loaded = load_tets(&path).unwrap();
        assert_eq!(loaded.mesh, TetMesh { positions: rest.clone(), tets: w.tets });
        assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
        let named = |name: &str| format!("{}#{name}", path.display());
        assert_eq!(load_pose(&path, rest.len()).unwrap(), deformed);
        assert_eq!(load_pose(named("rest"), rest.len()).unwrap(), rest);
        let e = load_pose(named("rset"), rest.len()).unwrap_err().to_string();
        assert!(e.contains("no array `rset`; it has: ") && e.contains(", rest,"), "{e}");
    }
}
