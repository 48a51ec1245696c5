//! VTK files: the legacy format (`.vtk`, [`legacy`]) and the XML format (`.vtu` and `.vtp`, [`xml`]). Here is what
//! both share: cells as offsets into a list of vertices, and what becomes of each type of cell.
//!
//! Readers of our own: `vtkio` 0.7 misses 64-bit integers and does not check indices.
//!
//! Source: "VTK File Formats" (VTK documentation), and `vtkCellType.h` for the numbers of the cell types.

use std::path::Path;

use super::npy::format_error;
use super::{MeshError, RawMesh, vertex_index};

mod base64;
mod data_array;
pub(crate) mod legacy;
pub(crate) mod xml;

/// Cells by their vertices: cell `i` has those from `offsets[i]` to before `offsets[i + 1]`.
#[derive(Default)]
struct Cells {
    offsets: Vec<i64>,
    vertices: Vec<i64>,
}

impl Cells {
    /// Number of cells.
    fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// The vertices of cell `i`; `None` when the offsets do not go up or lead out of the list.
    fn get(&self, i: usize) -> Option<&[i64]> {
        let start = usize::try_from(self.offsets[i]).ok()?;
        let end = usize::try_from(self.offsets[i + 1]).ok()?;
        self.vertices.get(start..end)
    }
}

/// Cell types; the numbers are VTK's.
mod cell {
    pub const VERTEX: u8 = 1;
    pub const LINE: u8 = 3;
    pub const TRIANGLE: u8 = 5;
    pub const STRIP: u8 = 6;
    pub const POLYGON: u8 = 7;
    pub const PIXEL: u8 = 8;
    pub const QUAD: u8 = 9;
    pub const TETRA: u8 = 10;
}

/// Adds cells whose vertices are numbered from 0 among the `points` newest positions of `raw`.
///
/// `kind` gives the type of each cell.
fn add_cells(
    path: &Path,
    raw: &mut RawMesh,
    points: usize,
    cells: &Cells,
    kind: impl Fn(usize) -> u8,
) -> Result<(), MeshError> {
    let total = u32::try_from(raw.positions.len())
        .map_err(|_| format_error(path, "more points than can be numbered"))?;
    let base = total - points as u32;
    let mut ids = Vec::new();
    for i in 0..cells.len() {
        let Some(vertices) = cells.get(i) else {
            return Err(format_error(
                path,
                format!("cell {i} has offsets that lead out of its list of vertices"),
            ));
        };
        let kind = kind(i);
        let (element, size) = match kind {
            cell::TETRA => ("tetrahedron", 4),
            cell::TRIANGLE => ("triangle", 3),
            cell::QUAD | cell::PIXEL => ("quadrangle", 4),
            cell::POLYGON | cell::STRIP => ("polygon", vertices.len()),
            _ => {
                raw.pass_over(other_name(kind), 1);
                continue;
            }
        };
        if vertices.len() != size {
            let message = format!("cell {i} is a {element} with {} vertices", vertices.len());
            return Err(format_error(path, message));
        }
        ids.clear();
        for &vertex in vertices {
            // Below `total`.
            ids.push(base + vertex_index(path, element, i, vertex, points)?);
        }
        match (kind, ids.as_slice()) {
            (cell::TETRA, &[a, b, c, d]) => raw.tets.push([a, b, c, d]),
            (cell::PIXEL, &[a, b, c, d]) => raw.push_polygon(&[a, b, d, c]),
            (cell::STRIP, ids) => {
                for (k, t) in ids.windows(3).enumerate() {
                    raw.triangles.push(if k % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
                }
            }
            (_, ids) => raw.push_polygon(ids),
        }
    }
    Ok(())
}

/// What cells that are passed over are called.
fn other_name(kind: u8) -> &'static str {
    match kind {
        0 => "empty cells",
        1 | 2 => "points",
        3 | 4 => "lines",
        11 | 12 => "hexahedra",
        13 => "prisms",
        14 => "pyramids",
        15 | 16 => "prisms",
        21 | 35 | 68 | 75 => "higher-order lines",
        22 | 34 | 69 | 76 => "higher-order triangles",
        23 | 28 | 30 | 70 | 77 => "higher-order quadrangles",
        36 => "higher-order polygons",
        24 | 71 | 78 => "higher-order tetrahedra",
        25 | 29 | 33 | 72 | 79 => "higher-order hexahedra",
        26 | 31 | 32 | 73 | 80 => "higher-order prisms",
        27 | 37 | 74 | 81 => "higher-order pyramids",
        41 | 42 => "polyhedra",
        _ => "cells of an unknown type",
    }
}
