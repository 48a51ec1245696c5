//! Which reader reads a file.

use std::path::Path;

use super::{MeshError, RawMesh, io_error};
use super::{dott, medit, msh, npy, npz, obj, ply, stl, tetgen, vtk};

/// A mesh format that can be read.
pub(super) struct Format {
    /// Its name, for people.
    name: &'static str,
    /// Extensions without the dot, in lower case.
    extensions: &'static [&'static str],
    /// Whether these bytes are certainly the beginning of such a file.
    sniff: fn(&[u8]) -> bool,
    /// The reader; the bytes are those of the whole file, the path is for errors and files beside it.
    read: fn(&Path, &[u8]) -> Result<RawMesh, MeshError>,
}

/// For formats that have no sign of their own: the extension decides.
fn no_sign(_: &[u8]) -> bool {
    false
}

/// One line per format.
#[rustfmt::skip]
const FORMATS: &[Format] = &[
    Format { name: "Gmsh MSH", extensions: &["msh"], sniff: msh::sniff, read: msh::read },
    Format { name: "VTK legacy", extensions: &["vtk"], sniff: vtk::legacy::sniff, read: vtk::legacy::read },
    Format { name: "VTK XML", extensions: &["vtu", "vtp"], sniff: vtk::xml::sniff, read: vtk::xml::read },
    Format { name: "TetGen", extensions: &["node", "ele", "face"], sniff: no_sign, read: tetgen::read },
    Format { name: "Vertex/Tet lines", extensions: &["t"], sniff: dott::sniff, read: dott::read },
    Format { name: "Medit", extensions: &["mesh", "meshb"], sniff: medit::sniff, read: medit::read },
    Format { name: "Wavefront OBJ", extensions: &["obj"], sniff: no_sign, read: obj::read },
    Format { name: "PLY", extensions: &["ply"], sniff: ply::sniff, read: ply::read },
    Format { name: "STL", extensions: &["stl"], sniff: stl::sniff, read: stl::read },
    Format { name: "NumPy archive", extensions: &["npz"], sniff: npz::sniff, read: npz::read },
    Format { name: "NumPy array", extensions: &["npy"], sniff: npy::sniff, read: npy::read },
];

/// The formats that can be read, with their extensions: for help texts and errors.
pub fn format_list() -> String {
    let one = |f: &Format| format!("{} (.{})", f.name, f.extensions.join(", ."));
    FORMATS.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// The extensions of these formats, without the dot, in lower case.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().flat_map(|f| f.extensions).copied()
}

/// The content of a file.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, MeshError> {
    std::fs::read(path).map_err(io_error(path))
}

/// Reads what a mesh file holds, whatever its format: told by its first bytes, else by its extension.
///
/// Indices are not checked yet, nor whether positions are finite; [`load_tets`](super::load_tets) and
/// [`load_surface`](super::load_surface) do that.
pub fn read_raw(path: impl AsRef<Path>) -> Result<RawMesh, MeshError> {
    let path = path.as_ref();
    read_content(path, &read_bytes(path)?)
}

/// [`read_raw`] of bytes that were read before.
pub(super) fn read_content(path: &Path, bytes: &[u8]) -> Result<RawMesh, MeshError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let named = FORMATS.iter().find(|f| f.extensions.contains(&extension.as_str()));
    let Some(format) = FORMATS.iter().find(|f| (f.sniff)(bytes)).or(named) else {
        let message = if bytes.is_empty() {
            "the file is empty".to_string()
        } else {
            format!("not a mesh format that is read; save it as one of: {}", format_list())
        };
        return Err(MeshError::WrongKind { path: path.to_path_buf(), message });
    };
    let mut raw = (format.read)(path, bytes)?;
    if let Some(named) = named.filter(|n| n.name != format.name) {
        raw.warnings.push(format!("named as {}, but holds {}; read as that", named.name, format.name));
    }
    Ok(raw)
}
