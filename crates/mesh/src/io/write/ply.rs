//! Stanford PLY.

use std::io::Write;
use std::path::Path;

use super::{Points, write_le};
use crate::io::{MeshError, write_atomically};

/// Writes a surface as binary PLY (the least byte first), positions in the precision they are given in.
///
/// Errors: [`MeshError::Io`].
pub fn write_ply<'a>(
    path: impl AsRef<Path>,
    points: impl Into<Points<'a>>,
    triangles: &[[u32; 3]],
) -> Result<(), MeshError> {
    let points = points.into();
    let real = match points {
        Points::F32(_) => "float",
        Points::F64(_) => "double",
    };
    write_atomically(path.as_ref(), |out| {
        write!(out, "ply\nformat binary_little_endian 1.0\nelement vertex {}\n", points.len())?;
        for axis in ["x", "y", "z"] {
            writeln!(out, "property {real} {axis}")?;
        }
        write!(
            out,
            "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
            triangles.len()
        )?;
        points.values().write(out)?;
        for t in triangles {
            out.write_all(&[3])?;
            write_le(t, out)?;
        }
        Ok(())
    })
}
