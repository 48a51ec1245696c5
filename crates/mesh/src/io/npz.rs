//! NumPy archives: poses, and query workloads with their answers.

use std::path::Path;

use glam::{DVec3, Vec3};
use npyz::npz::NpzArchive;

use super::{MeshError, io_error};

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
        let mut archive = Archive::open(path)?;
        let vertex: Vec<u32> = archive.array("query_vertex")?;
        let tet: Vec<u32> = archive.array("query_tet")?;
        let found: Vec<u8> = archive.array("found")?;
        let closest: Vec<f64> = archive.array("closest")?;
        let distance: Vec<f64> = archive.array("distance")?;
        let face = archive.indices("face")?;
        let n = vertex.len();
        if [tet.len(), found.len(), closest.len() / 3, distance.len(), face.len()] != [n; 5] {
            return Err(archive.error("the query arrays differ in length"));
        }
        let queries = (0..n)
            .map(|i| WorkloadQuery {
                vertex: vertex[i],
                tet: tet[i],
                found: found[i] != 0,
                closest: DVec3::from_slice(&closest[3 * i..]),
                distance: distance[i],
                face: face[i],
            })
            .collect();
        Ok(Workload {
            rest: archive.points("rest")?,
            deformed: archive.points("deformed")?,
            tets: archive.groups("tets")?,
            faces: archive.groups("faces")?,
            face_tet: archive.array("face_tet")?,
            queries,
        })
    }
}

/// An open archive that tells its path in every error.
struct Archive<'a> {
    path: &'a Path,
    npz: NpzArchive<std::io::BufReader<std::fs::File>>,
}

impl<'a> Archive<'a> {
    fn open(path: &'a Path) -> Result<Self, MeshError> {
        Ok(Archive { path, npz: NpzArchive::open(path).map_err(io_error(path))? })
    }

    fn error(&self, message: impl Into<String>) -> MeshError {
        MeshError::Format { path: self.path.to_path_buf(), at: None, message: message.into() }
    }

    fn array<T: npyz::Deserialize>(&mut self, name: &str) -> Result<Vec<T>, MeshError> {
        let path = self.path;
        let error = |message| MeshError::Format { path: path.to_path_buf(), at: None, message };
        let file = self.npz.by_name(name).map_err(io_error(path))?;
        let file = file.ok_or_else(|| error(format!("the archive has no array `{name}`")))?;
        let descr = file.dtype().descr();
        file.into_vec().map_err(|e| error(format!("array `{name}` of type {descr} cannot be read: {e}")))
    }

    /// Indices stored as u32 or i32 (where a negative one says "none" and becomes `u32::MAX`).
    fn indices(&mut self, name: &str) -> Result<Vec<u32>, MeshError> {
        match self.array::<u32>(name) {
            Ok(v) => Ok(v),
            Err(_) => Ok(self
                .array::<i32>(name)?
                .into_iter()
                .map(|i| u32::try_from(i).unwrap_or(u32::MAX))
                .collect()),
        }
    }

    fn points(&mut self, name: &str) -> Result<Vec<Vec3>, MeshError> {
        let flat: Vec<f32> = self.array(name)?;
        Ok(flat.chunks_exact(3).map(Vec3::from_slice).collect())
    }

    fn groups<const K: usize>(&mut self, name: &str) -> Result<Vec<[u32; K]>, MeshError> {
        let flat: Vec<u32> = self.array(name)?;
        if flat.len() % K != 0 {
            return Err(self.error(format!("array `{name}` does not have {K} columns")));
        }
        Ok(flat.chunks_exact(K).map(|c| std::array::from_fn(|i| c[i])).collect())
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
