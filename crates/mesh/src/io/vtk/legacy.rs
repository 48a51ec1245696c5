//! VTK legacy files, versions 2.0 to 5.1, text and binary (which is always big-endian).

use std::path::Path;

use glam::DVec3;

use super::{Cells, add_cells, cell};
use crate::io::npy::format_error;
use crate::io::scalar::{ByteOrder, Scalar};
use crate::io::scan::{Scanner, show};
use crate::io::{MeshError, RawMesh};

/// Whether these bytes begin such a file.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    bytes.starts_with(b"# vtk DataFile")
}

/// Reads an unstructured grid or a surface.
pub(crate) fn read(path: &Path, bytes: &[u8]) -> Result<RawMesh, MeshError> {
    let mut file = File { scanner: Scanner::new(path, bytes), binary: false };
    file.scanner.line();
    file.scanner.line();
    let encoding = file.scanner.expect("ASCII or BINARY")?;
    file.binary = match encoding.to_ascii_uppercase().as_slice() {
        b"ASCII" => false,
        b"BINARY" => true,
        _ => return Err(file.scanner.error("ASCII or BINARY was expected on the third line")),
    };
    file.scanner.set_binary(file.binary);

    let mut parts = Parts::default();
    while let Some(token) = file.scanner.token() {
        let keyword = String::from_utf8_lossy(token).to_ascii_uppercase();
        match keyword.as_str() {
            "DATASET" => file.dataset()?,
            "POINTS" => parts.points = file.points()?,
            "CELLS" => parts.cells = file.cells()?,
            "CELL_TYPES" => parts.types = Some(file.cell_types()?),
            "VERTICES" => parts.faces.push((cell::VERTEX, file.cells()?)),
            "LINES" => parts.faces.push((cell::LINE, file.cells()?)),
            "POLYGONS" => parts.faces.push((cell::POLYGON, file.cells()?)),
            "TRIANGLE_STRIPS" => parts.faces.push((cell::STRIP, file.cells()?)),
            "FIELD" => file.skip_field()?,
            "METADATA" => file.skip_metadata(),
            // What follows belongs to points and cells that have been read.
            "POINT_DATA" | "CELL_DATA" => break,
            _ => return Err(file.scanner.error(format!("`{}` is no keyword of a VTK mesh", show(token)))),
        }
    }
    parts.into_mesh(path)
}

/// What the sections held.
#[derive(Default)]
struct Parts {
    points: Vec<DVec3>,
    cells: Cells,
    types: Option<Vec<i64>>,
    /// Cells of a surface, all of one type.
    faces: Vec<(u8, Cells)>,
}

impl Parts {
    fn into_mesh(self, path: &Path) -> Result<RawMesh, MeshError> {
        let count = self.points.len();
        let mut raw = RawMesh { positions: self.points, ..RawMesh::default() };
        for (kind, cells) in &self.faces {
            add_cells(path, &mut raw, count, cells, |_| *kind)?;
        }
        let types = self.types.unwrap_or_default();
        if types.len() != self.cells.len() {
            let message = format!("{} cells, but {} cell types", self.cells.len(), types.len());
            return Err(format_error(path, message));
        }
        add_cells(path, &mut raw, count, &self.cells, |i| u8::try_from(types[i]).unwrap_or(u8::MAX))?;
        Ok(raw)
    }
}

struct File<'a> {
    scanner: Scanner<'a>,
    binary: bool,
}

impl File<'_> {
    fn dataset(&mut self) -> Result<(), MeshError> {
        let kind = self.scanner.expect("the kind of data set")?;
        match kind.to_ascii_uppercase().as_slice() {
            b"UNSTRUCTURED_GRID" | b"POLYDATA" => Ok(()),
            _ => Err(MeshError::WrongKind {
                path: self.scanner.path().to_path_buf(),
                message: format!(
                    "a VTK data set of kind {} has no tetrahedra or triangles; save it as an unstructured grid",
                    show(kind)
                ),
            }),
        }
    }

    /// `POINTS n type`
    fn points(&mut self) -> Result<Vec<DVec3>, MeshError> {
        let count = self.scanner.u64("the number of points")?;
        let scalar = self.scalar()?;
        let flat = self.floats(count.saturating_mul(3), scalar, "the points")?;
        Ok(flat.as_chunks::<3>().0.iter().map(|&p| DVec3::from_array(p)).collect())
    }

    /// `CELLS n size`, then either `k v1 … vk` for each cell (until version 4), or the arrays OFFSETS and CONNECTIVITY.
    fn cells(&mut self) -> Result<Cells, MeshError> {
        let first = self.scanner.u64("the number of cells")?;
        let second = self.scanner.u64("the size of the cells")?;
        let mut ahead = self.scanner.clone();
        if ahead.token().is_some_and(|t| t.eq_ignore_ascii_case(b"OFFSETS")) {
            self.scanner = ahead;
            let scalar = self.scalar()?;
            let offsets = self.integers(first, scalar, "the cells' offsets")?;
            let token = self.scanner.expect("CONNECTIVITY")?;
            if !token.eq_ignore_ascii_case(b"CONNECTIVITY") {
                return Err(self.scanner.error(format!("CONNECTIVITY was expected, not `{}`", show(token))));
            }
            let scalar = self.scalar()?;
            let vertices = self.integers(second, scalar, "the cells' vertices")?;
            return Ok(Cells { offsets, vertices });
        }
        let rows = self.integers(second, Scalar::I32, "the cells")?;
        self.rows(first, &rows)
    }

    /// Cells as rows, each with the number of its vertices in front.
    fn rows(&self, count: u64, rows: &[i64]) -> Result<Cells, MeshError> {
        let mut cells = Cells { offsets: vec![0], vertices: Vec::with_capacity(rows.len()) };
        let mut rest = rows;
        while let Some((&size, after)) = rest.split_first() {
            let size = usize::try_from(size).ok().filter(|&s| s <= after.len());
            let Some(size) = size else {
                let message = format!("cell {} has more vertices than the section holds", cells.len());
                return Err(self.scanner.error(message));
            };
            let (vertices, after) = after.split_at(size);
            cells.vertices.extend(vertices);
            cells.offsets.push(cells.vertices.len() as i64);
            rest = after;
        }
        if cells.len() as u64 != count {
            return Err(self.scanner.error(format!("{} cells where {count} are announced", cells.len())));
        }
        Ok(cells)
    }

    /// `CELL_TYPES n`
    fn cell_types(&mut self) -> Result<Vec<i64>, MeshError> {
        let count = self.scanner.u64("the number of cell types")?;
        self.integers(count, Scalar::I32, "the cell types")
    }

    /// The name of a number type.
    fn scalar(&mut self) -> Result<Scalar, MeshError> {
        let token = self.scanner.expect("a number type")?;
        Ok(match token.to_ascii_lowercase().as_slice() {
            b"char" | b"signed_char" | b"vtktypeint8" => Scalar::I8,
            b"unsigned_char" | b"vtktypeuint8" => Scalar::U8,
            b"short" | b"vtktypeint16" => Scalar::I16,
            b"unsigned_short" | b"vtktypeuint16" => Scalar::U16,
            // Legacy files hold vtkIdType as `int`, whatever it is in memory.
            b"int" | b"vtkidtype" | b"vtktypeint32" => Scalar::I32,
            b"unsigned_int" | b"vtktypeuint32" => Scalar::U32,
            b"long" | b"vtktypeint64" | b"long_long" => Scalar::I64,
            b"unsigned_long" | b"vtktypeuint64" | b"unsigned_long_long" => Scalar::U64,
            b"float" => Scalar::F32,
            b"double" => Scalar::F64,
            _ => {
                return Err(self
                    .scanner
                    .error(format!("`{}` is no type of numbers that is read", show(token))));
            }
        })
    }

    /// The bytes of a binary array, which begin on the next line.
    fn bytes(&mut self, count: u64, scalar: Scalar, what: &str) -> Result<&[u8], MeshError> {
        self.scanner.line();
        self.scanner.take_items(count, scalar.size(), what)
    }

    fn floats(&mut self, count: u64, scalar: Scalar, what: &str) -> Result<Vec<f64>, MeshError> {
        if self.binary {
            return Ok(scalar.floats(ByteOrder::Big, self.bytes(count, scalar, what)?));
        }
        let mut numbers = Vec::with_capacity(self.scanner.plausible(count, 2));
        for _ in 0..count {
            numbers.push(self.scanner.f64(what)?);
        }
        scalar.round(&mut numbers);
        Ok(numbers)
    }

    fn integers(&mut self, count: u64, scalar: Scalar, what: &str) -> Result<Vec<i64>, MeshError> {
        if self.binary {
            let numbers = scalar.integers(ByteOrder::Big, self.bytes(count, scalar, what)?);
            return numbers.ok_or_else(|| {
                self.scanner.error(format!("{what} should be whole numbers, not {scalar:?}"))
            });
        }
        let mut numbers = Vec::with_capacity(self.scanner.plausible(count, 2));
        for _ in 0..count {
            numbers.push(self.scanner.i64(what)?);
        }
        Ok(numbers)
    }

    /// `FIELD name n`, then n arrays of `name components tuples type` and their values.
    fn skip_field(&mut self) -> Result<(), MeshError> {
        self.scanner.expect("the field's name")?;
        let arrays = self.scanner.u64("the field's number of arrays")?;
        for _ in 0..arrays {
            let mut name = self.scanner.expect("an array's name")?;
            while name == b"METADATA" {
                self.skip_metadata();
                name = self.scanner.expect("an array's name")?;
            }
            let components = self.scanner.u64("an array's components")?;
            let count = self.scanner.u64("an array's size")?.saturating_mul(components);
            let mut ahead = self.scanner.clone();
            match ahead.token().unwrap_or_default().to_ascii_lowercase().as_slice() {
                b"string" => {
                    self.scanner = ahead;
                    self.skip_strings(count)?;
                }
                b"bit" if self.binary => {
                    self.scanner = ahead;
                    self.bytes(count.div_ceil(8), Scalar::U8, "an array")?;
                }
                b"bit" => {
                    self.scanner = ahead;
                    self.floats(count, Scalar::U8, "an array")?;
                }
                _ => {
                    let scalar = self.scalar()?;
                    self.floats(count, scalar, "an array")?;
                }
            }
        }
        Ok(())
    }

    /// Strings are a line each in text; in binary files a length of 1, 2, 4 or 8 bytes (its two greatest bits say
    /// which) stands before each.
    fn skip_strings(&mut self, count: u64) -> Result<(), MeshError> {
        self.scanner.line();
        for _ in 0..count {
            if !self.binary {
                if self.scanner.line().is_none() {
                    return Err(self.scanner.ends_early("a string"));
                }
                continue;
            }
            let first = self.scanner.take(1, "a string")?[0];
            let more = self.scanner.take([7, 3, 1, 0][first as usize >> 6], "a string")?;
            let length = more.iter().fold(u64::from(first & 0x3f), |n, &b| n << 8 | u64::from(b));
            self.scanner.take_items(length, 1, "a string")?;
        }
        Ok(())
    }

    /// Information on an array, up to an empty line.
    fn skip_metadata(&mut self) {
        self.scanner.line();
        while self.scanner.line().is_some_and(|line| !line.trim_ascii().is_empty()) {}
    }
}
