//! Wavefront OBJ.

use std::io::Write;
use std::path::Path;

use super::Points;
use crate::io::{MeshError, write_atomically};

/// Writes a surface as OBJ: `v x y z` for each point, `f a b c` for each triangle.
///
/// Errors: [`MeshError::Io`].
pub fn write_obj<'a>(
    path: impl AsRef<Path>,
    points: impl Into<Points<'a>>,
    triangles: &[[u32; 3]],
) -> Result<(), MeshError> {
    let points = points.into();
    write_atomically(path.as_ref(), |out| {
        for i in 0..points.len() {
            out.write_all(b"v ")?;
            points.print(i, out)?;
            out.write_all(b"\n")?;
        }
        for t in triangles {
            let [a, b, c] = t.map(|id| u64::from(id) + 1);
            writeln!(out, "f {a} {b} {c}")?;
        }
        Ok(())
    })
}
