//! NumPy archives: poses, and query workloads with their answers.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::Path;

use glam::{DVec3, Vec3};
use npyz::npz::NpzArchive;

use super::npy::{Array, format_error};
use super::{MeshError, RawMesh, io_error};

/// A set of boundary queries with their answers, as measured by a double-precision brute force.
///
/// Array names: `rest`, `deformed` f32 `[n,3]`; `tets` u32 `[m,4]`; `faces` u32 `[f,3]`, `face_tet` u32 `[f]`;
/// `query_vertex`, `query_tet` u32 `[q]`, `found` u8 `[q]`, `closest` f64 `[q,3]`, `distance` f64 `[q]`, `face` `[q]`.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Rest pose, one position a vertex.
    pub rest: Vec<Vec3>,
    /// The tangled pose.
    pub deformed: Vec<Vec3>,
    /// Tetrahedra, positive in the rest pose.
    pub tets: Vec<[u32; 4]>,
    /// Boundary faces, outward, in the archive's own order.
    pub faces: Vec<[u32; 3]>,
    /// The tetrahedron of each boundary face.
    pub face_tet: Vec<u32>,
    /// The queries.
    pub queries: Vec<WorkloadQuery>,
}

/// One query: the shortest path to the boundary of a vertex inside a tetrahedron that is not its own.
#[derive(Clone, Copy, Debug)]
pub struct WorkloadQuery {
    /// The vertex whose position is asked about.
    pub vertex: u32,
    /// A tetrahedron that strictly contains it and is not incident to it.
    pub tet: u32,
    /// Whether the brute force found a valid path.
    pub found: bool,
    /// Its end on the boundary.
    pub closest: DVec3,
    /// Its length.
    pub distance: f64,
    /// The boundary face it ends on (index into [`Workload::faces`]).
    pub face: u32,
}

impl Workload {
    /// Reads a workload archive.
    pub fn read(path: &Path) -> Result<Self, MeshError> {
        let file = File::open(path).map_err(io_error(path))?;
        let mut archive = Archive::new(path, BufReader::new(file))?;
        let vertex = archive.indices("query_vertex")?;
        let tet = archive.indices("query_tet")?;
        let found = archive.indices("found")?;
        let closest = archive.get("closest")?.points(path)?;
        let distance = archive.get("distance")?.floats();
        let face = archive.indices("face")?;
        let n = vertex.len();
        if [tet.len(), found.len(), closest.len(), distance.len(), face.len()] != [n; 5] {
            return Err(archive.error("the query arrays differ in length"));
        }
        let queries = (0..n)
            .map(|i| WorkloadQuery {
                vertex: vertex[i],
                tet: tet[i],
                found: found[i] != 0,
                closest: closest[i],
                distance: distance[i],
                face: face[i],
            })
            .collect();
        let rest = archive.points("rest")?;
        let vertices = rest.len();
        Ok(Workload {
            deformed: archive.points("deformed")?,
            tets: archive.get("tets")?.elements(path, "tetrahedron", vertices)?,
            faces: archive.get("faces")?.elements(path, "triangle", vertices)?,
            face_tet: archive.indices("face_tet")?,
            rest,
            queries,
        })
    }
}

/// Whether these bytes begin an archive.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Reads a mesh: positions `rest` (else `positions`) `[n,3]`, and `tets` `[m,4]` or, when there are none,
/// `triangles` (else `faces`) `[m,3]`; any number types.
pub(crate) fn read(path: &Path, bytes: &[u8]) -> Result<RawMesh, MeshError> {
    let mut archive = Archive::new(path, Cursor::new(bytes))?;
    let mut raw =
        RawMesh { positions: archive.first(&["rest", "positions"])?.points(path)?, ..RawMesh::default() };
    let count = raw.positions.len();
    if archive.has("tets") {
        raw.tets = archive.get("tets")?.elements(path, "tetrahedron", count)?;
    } else if archive.has("triangles") || archive.has("faces") {
        raw.triangles = archive.first(&["triangles", "faces"])?.elements(path, "triangle", count)?;
    }
    Ok(raw)
}

/// Reads a pose: the array `name`, else `deformed`, else `positions`; `[n,3]`.
pub(crate) fn read_pose(path: &Path, bytes: &[u8], name: Option<&str>) -> Result<Vec<DVec3>, MeshError> {
    let mut archive = Archive::new(path, Cursor::new(bytes))?;
    match name {
        Some(name) => archive.get(name)?.points(path),
        None => archive.first(&["deformed", "positions"])?.points(path),
    }
}

/// Whether the file is an archive with a pose besides the rest pose that [`read`] takes.
pub(crate) fn holds_pose(path: &Path) -> Result<bool, MeshError> {
    let archive = Archive::new(path, BufReader::new(File::open(path).map_err(io_error(path))?))?;
    Ok(archive.has("rest") && archive.has("deformed"))
}

/// An open archive that tells its path in every error.
struct Archive<'a, R: Read + Seek> {
    path: &'a Path,
    npz: NpzArchive<R>,
}

impl<'a, R: Read + Seek> Archive<'a, R> {
    fn new(path: &'a Path, input: R) -> Result<Self, MeshError> {
        Ok(Archive { path, npz: NpzArchive::new(input).map_err(io_error(path))? })
    }

    fn error(&self, message: impl Into<String>) -> MeshError {
        format_error(self.path, message)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.npz.array_names().map(str::to_string).collect();
        names.sort_unstable();
        names
    }

    fn has(&self, name: &str) -> bool {
        self.npz.array_names().any(|n| n == name)
    }

    fn get(&mut self, name: &str) -> Result<Array, MeshError> {
        self.first(&[name])
    }

    /// The first of these arrays that is there.
    fn first(&mut self, names: &[&str]) -> Result<Array, MeshError> {
        let Some(name) = names.iter().find(|n| self.has(n)) else {
            let wanted = names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" or ");
            let found = self.names().join(", ");
            return Err(self.error(format!("the archive has no array {wanted}; it has: {found}")));
        };
        let file = self.npz.zip_archive().by_name(&npyz::npz::file_name_from_array_name(name));
        let file =
            file.map_err(|e| format_error(self.path, format!("array `{name}` cannot be read: {e}")))?;
        Array::read(self.path, &format!("array `{name}`"), file)
    }

    /// Indices; a negative one says "none" and becomes `u32::MAX`.
    fn indices(&mut self, name: &str) -> Result<Vec<u32>, MeshError> {
        let integers = self.get(name)?.integers(self.path)?;
        Ok(integers.into_iter().map(|i| u32::try_from(i).unwrap_or(u32::MAX)).collect())
    }

    fn points(&mut self, name: &str) -> Result<Vec<Vec3>, MeshError> {
        Ok(self.get(name)?.points(self.path)?.into_iter().map(|p| p.as_vec3()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TetTopology, testdata};

    #[test]
    fn workloads_load_and_their_boundary_is_ours() {
        for name in ["noodle_helix", "beam_coil", "ball_half", "octopus_squash"] {
            let Some(path) = testdata::path(&format!("workloads/{name}.npz")) else { return };
            let w = Workload::read(&path).unwrap();
            let topo = TetTopology::new(w.rest.len(), &w.tets);
            let sorted = |faces: &[[u32; 3]]| {
                let mut all: Vec<[u32; 3]> = faces
                    .iter()
                    .map(|f| {
                        let k = (0..3).min_by_key(|&k| f[k]).unwrap();
                        [f[k], f[(k + 1) % 3], f[(k + 2) % 3]]
                    })
                    .collect();
                all.sort_unstable();
                all
            };
            assert_eq!(sorted(&topo.faces), sorted(&w.faces), "{name}");
            assert!(topo.defects.is_empty());
            assert!(!w.queries.is_empty());
        }
    }
}
