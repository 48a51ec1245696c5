//! Reading and writing meshes. One file per format; each reader gives a [`RawMesh`], and the checks that
//! every format needs (indices, non-finite positions, orientation) are made here, once.

use std::path::{Path, PathBuf};

use glam::DVec3;

mod atomic;
mod dott;
mod fields;
mod format;
mod hash;
mod load;
mod medit;
mod msh;
mod npy;
pub mod npz;
mod obj;
mod ply;
mod polygon;
mod scalar;
mod scan;
mod stl;
mod tags;
mod tetgen;
mod vtk;
mod write;

pub use atomic::{check_writable, write_atomically};
pub use format::{extensions, format_list, read_raw};
pub use hash::mesh_hash;
pub use load::{beside_pose, load_pose, load_surface, load_tets};
pub use write::{
    DataArray, MshEncoding, Points, Values, Vtu, write_msh41, write_obj, write_ply, write_pvd, write_vtu,
};

/// Why a mesh could not be read or written. Each message names the file, where in it, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The content is not what the format says.
    #[error("{}{}: {message}", path.display(), at.map(|l| format!(", {l}")).unwrap_or_default())]
    Format {
        /// The file.
        path: PathBuf,
        /// Where in it.
        at: Option<Location>,
        /// What is wrong and what to do.
        message: String,
    },
    /// A vertex that is not a number or infinite.
    #[error("{}: vertex {vertex} has a position that is not finite ({position}); repair the mesh", path.display())]
    NonFinite {
        /// The file.
        path: PathBuf,
        /// The vertex, in file order, from 0.
        vertex: usize,
        /// What it holds.
        position: DVec3,
    },
    /// An element that names a vertex which the file does not have.
    #[error("{}: {element} {index} uses vertex {vertex}, but the file has {count} vertices (counted from 0)", path.display())]
    IndexOutOfRange {
        /// The file.
        path: PathBuf,
        /// "tetrahedron" or "triangle".
        element: &'static str,
        /// The element, in file order, from 0.
        index: usize,
        /// The vertex it names.
        vertex: i64,
        /// Number of vertices.
        count: usize,
    },
    /// The file has none of the elements that are wanted; the message says what it has, and what to do.
    #[error("{}: {message}", path.display())]
    WrongKind {
        /// The file.
        path: PathBuf,
        /// What was found and what to do.
        message: String,
    },
}

/// Where in a file something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// A line of a text file, from 1.
    Line(usize),
    /// A byte offset of a binary file.
    Byte(u64),
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Location::Line(l) => write!(f, "line {l}"),
            Location::Byte(b) => write!(f, "byte {b}"),
        }
    }
}

/// Everything of interest that a file holds, before it is known what the caller wants of it.
#[derive(Clone, Debug, Default)]
pub struct RawMesh {
    /// Vertices, in file order.
    pub positions: Vec<DVec3>,
    /// Tetrahedra, as vertex indices from 0 in file order; not yet checked against the vertex count.
    pub tets: Vec<[u32; 4]>,
    /// Triangles (polygons already cut into triangles), likewise.
    pub triangles: Vec<[u32; 3]>,
    /// Other cells that were passed over: what they are (in the plural), and how many.
    pub other: Vec<(&'static str, usize)>,
    /// What the reader has to say beyond that, one line each.
    pub warnings: Vec<String>,
}

impl RawMesh {
    /// Counts cells that are passed over; `what` in the plural.
    pub(crate) fn pass_over(&mut self, what: &'static str, count: usize) {
        match self.other.iter_mut().find(|(name, _)| *name == what) {
            // A count may come from a header, before anything was read.
            Some((_, n)) => *n = n.saturating_add(count),
            None => self.other.push((what, count)),
        }
    }
}

/// `vertex` as an index below `count`; the error names the element. `element` is "tetrahedron" or "triangle".
pub(crate) fn vertex_index(
    path: &Path,
    element: &'static str,
    index: usize,
    vertex: i64,
    count: usize,
) -> Result<u32, MeshError> {
    match u32::try_from(vertex) {
        Ok(v) if (v as usize) < count => Ok(v),
        _ => Err(MeshError::IndexOutOfRange { path: path.to_path_buf(), element, index, vertex, count }),
    }
}

/// A mesh with what its reader had to say about it.
#[derive(Clone, Debug)]
pub struct Loaded<M> {
    /// The mesh.
    pub mesh: M,
    /// One line each, for people: re-oriented elements, passed-over cells, unreferenced vertices, duplicates.
    pub warnings: Vec<String>,
}

pub(crate) fn io_error(path: &Path) -> impl Fn(std::io::Error) -> MeshError + '_ {
    move |source| MeshError::Io { path: path.to_path_buf(), source }
}
