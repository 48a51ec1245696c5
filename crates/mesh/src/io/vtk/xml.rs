//! VTK XML files: unstructured grids (`.vtu`) and surfaces (`.vtp`).
//!
//! The XML is read by `quick-xml`, event by event: a file whose numbers are appended as raw bytes is no XML as a
//! whole, and a reader that stops in front of them is what it needs.

use std::borrow::Cow;
use std::path::Path;

use glam::DVec3;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::data_array::{Content, DataArray, Encoding};
use super::{Cells, add_cells, cell};
use crate::io::npy::format_error;
use crate::io::scalar::{ByteOrder, Scalar};
use crate::io::scan::Scanner;
use crate::io::{MeshError, RawMesh};

/// Whether these bytes begin such a file.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1024)];
    head.trim_ascii_start().starts_with(b"<") && head.windows(8).any(|w| w == b"<VTKFile")
}

/// Reads an unstructured grid or a surface; its pieces are put one behind the other.
pub(crate) fn read(path: &Path, bytes: &[u8]) -> Result<RawMesh, MeshError> {
    let (file, pieces) = parse(path, bytes)?;
    let mut raw = RawMesh::default();
    for piece in &pieces {
        piece.add_to(&mut raw, &file, bytes)?;
    }
    Ok(raw)
}

/// A part of the mesh with its own points.
#[derive(Default)]
struct Piece<'a> {
    points: u64,
    cells: u64,
    /// Each with the element that it stands in: `Points`, `Cells`, `Polys` …
    arrays: Vec<(String, DataArray<'a>)>,
}

impl<'a> Piece<'a> {
    fn get(&self, group: &str, name: &str) -> Option<&DataArray<'a>> {
        self.arrays.iter().find(|(g, a)| g == group && (name.is_empty() || a.name == name)).map(|(_, a)| a)
    }

    fn add_to(&self, raw: &mut RawMesh, file: &Encoding<'a>, whole: &'a [u8]) -> Result<(), MeshError> {
        let fail = |message: String| format_error(file.path, message);
        let flat = match self.get("Points", "") {
            Some(points) => points.floats(file, whole)?,
            None => Vec::new(),
        };
        let (points, rest) = flat.as_chunks::<3>();
        if points.len() as u64 != self.points || !rest.is_empty() {
            let message =
                format!("{} coordinates of points, where {} points are announced", flat.len(), self.points);
            return Err(fail(message));
        }
        let count = points.len();
        raw.positions.extend(points.iter().map(|&p| DVec3::from_array(p)));

        let groups = [
            ("Verts", cell::VERTEX),
            ("Lines", cell::LINE),
            ("Strips", cell::STRIP),
            ("Polys", cell::POLYGON),
        ];
        for (group, kind) in groups {
            add_cells(file.path, raw, count, &self.cells(group, file, whole)?, |_| kind)?;
        }
        let cells = self.cells("Cells", file, whole)?;
        let types = match self.get("Cells", "types") {
            Some(types) => types.integers(file, whole)?,
            None => Vec::new(),
        };
        if cells.len() as u64 != self.cells || types.len() as u64 != self.cells {
            let message = format!(
                "{} cells with {} types, where {} cells are announced",
                cells.len(),
                types.len(),
                self.cells
            );
            return Err(fail(message));
        }
        add_cells(file.path, raw, count, &cells, |i| u8::try_from(types[i]).unwrap_or(u8::MAX))
    }

    /// The arrays `offsets` (where each cell ends) and `connectivity`.
    fn cells(&self, group: &str, file: &Encoding<'a>, whole: &'a [u8]) -> Result<Cells, MeshError> {
        let (Some(ends), Some(vertices)) = (self.get(group, "offsets"), self.get(group, "connectivity"))
        else {
            return Ok(Cells::default());
        };
        let mut offsets = vec![0];
        offsets.extend(ends.integers(file, whole)?);
        Ok(Cells { offsets, vertices: vertices.integers(file, whole)? })
    }
}

/// The elements of the file, up to the appended data.
struct Parser<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    file: Encoding<'a>,
    pieces: Vec<Piece<'a>>,
    /// Names of the open elements.
    open: Vec<String>,
    /// The array whose text is awaited: its group, itself, and whether it is base64.
    array: Option<(String, DataArray<'a>, bool)>,
}

fn parse<'a>(path: &'a Path, bytes: &'a [u8]) -> Result<(Encoding<'a>, Vec<Piece<'a>>), MeshError> {
    let file =
        Encoding { path, order: ByteOrder::Little, header: Scalar::U32, compressed: false, appended: None };
    let mut parser = Parser { path, bytes, file, pieces: Vec::new(), open: Vec::new(), array: None };
    let mut reader = Reader::from_reader(bytes);
    loop {
        let before = reader.buffer_position() as usize;
        let event = reader.read_event();
        let at = reader.buffer_position() as usize;
        match event {
            Err(e) => return Err(parser.error(reader.error_position() as usize, e.to_string())),
            Ok(Event::Eof) if parser.open.is_empty() => break,
            Ok(Event::Eof) => {
                let name = parser.open.pop().unwrap_or_default();
                return Err(
                    parser.error(bytes.len(), format!("the file ends inside <{name}>; is it complete?"))
                );
            }
            Ok(Event::Start(tag)) if tag.name().as_ref() == "AppendedData" => {
                let base64 = parser.attribute(&tag, before, "encoding")?.as_deref() == Some("base64");
                let rest = &bytes[at..];
                let Some(start) = rest.iter().position(|&b| b == b'_') else {
                    return Err(parser.error(at, "the appended data do not begin with `_`"));
                };
                parser.file.appended = Some((&rest[start + 1..], base64));
                break;
            }
            Ok(Event::Start(tag)) => {
                parser.start(&tag, before)?;
                parser.open.push(tag.name().as_ref().to_string());
            }
            Ok(Event::Empty(tag)) => {
                parser.start(&tag, before)?;
                parser.end_array(tag.name().as_ref());
            }
            Ok(Event::Text(text)) => {
                if let Cow::Borrowed(text) = text.into_inner() {
                    parser.text(text, before)?;
                }
            }
            Ok(Event::End(tag)) => {
                parser.end_array(tag.name().as_ref());
                parser.open.pop();
            }
            Ok(_) => {}
        }
    }
    if parser.pieces.is_empty() {
        return Err(parser.error(bytes.len(), "the file has no <Piece> of a mesh"));
    }
    Ok((parser.file, parser.pieces))
}

impl<'a> Parser<'a> {
    fn error(&self, at: usize, message: impl Into<String>) -> MeshError {
        Scanner::new(self.path, self.bytes).error_at(at, message)
    }

    fn attribute<'t>(
        &self,
        tag: &'t BytesStart,
        at: usize,
        name: &str,
    ) -> Result<Option<Cow<'t, str>>, MeshError> {
        let attribute = tag.try_get_attribute(name).map_err(|e| self.error(at, e.to_string()))?;
        let value = attribute.map(|a| a.normalized_value(XmlVersion::Implicit1_0)).transpose();
        value.map_err(|e| self.error(at, e.to_string()))
    }

    fn number(&self, tag: &BytesStart, at: usize, name: &str) -> Result<u64, MeshError> {
        match self.attribute(tag, at, name)? {
            None => Ok(0),
            Some(value) => value.trim().parse().map_err(|_| {
                self.error(at, format!("{name} should be a whole number from 0, not `{value}`"))
            }),
        }
    }

    /// The element `tag` begins at `at`.
    fn start(&mut self, tag: &BytesStart, at: usize) -> Result<(), MeshError> {
        match tag.name().as_ref() {
            "VTKFile" => self.vtk_file(tag, at),
            "Piece" => {
                let points = self.number(tag, at, "NumberOfPoints")?;
                let cells = self.number(tag, at, "NumberOfCells")?;
                self.pieces.push(Piece { points, cells, arrays: Vec::new() });
                Ok(())
            }
            "DataArray" => self.data_array(tag, at),
            _ => Ok(()),
        }
    }

    fn vtk_file(&mut self, tag: &BytesStart, at: usize) -> Result<(), MeshError> {
        let kind = self.attribute(tag, at, "type")?.unwrap_or_default();
        if kind != "UnstructuredGrid" && kind != "PolyData" {
            let message = format!(
                "a VTK file of type {kind} is not read; save it as one .vtu (UnstructuredGrid) or .vtp (PolyData)"
            );
            return Err(MeshError::WrongKind { path: self.path.to_path_buf(), message });
        }
        if self.attribute(tag, at, "byte_order")?.as_deref() == Some("BigEndian") {
            self.file.order = ByteOrder::Big;
        }
        if self.attribute(tag, at, "header_type")?.as_deref() == Some("UInt64") {
            self.file.header = Scalar::U64;
        }
        match self.attribute(tag, at, "compressor")?.as_deref() {
            None | Some("") => {}
            Some("vtkZLibDataCompressor") => self.file.compressed = true,
            Some(other) => {
                let message =
                    format!("compression by {other} is not read; save it with zlib or without compression");
                return Err(self.error(at, message));
            }
        }
        Ok(())
    }

    /// An array of points or cells; others are passed over.
    fn data_array(&mut self, tag: &BytesStart, at: usize) -> Result<(), MeshError> {
        let group = self.open.last().cloned().unwrap_or_default();
        if !["Points", "Cells", "Verts", "Lines", "Strips", "Polys"].contains(&group.as_str()) {
            return Ok(());
        }
        let name = self.attribute(tag, at, "Name")?.unwrap_or_default().to_string();
        let kind = self.attribute(tag, at, "type")?.unwrap_or_default();
        let scalar = match kind.as_ref() {
            "Int8" => Scalar::I8,
            "UInt8" => Scalar::U8,
            "Int16" => Scalar::I16,
            "UInt16" => Scalar::U16,
            "Int32" => Scalar::I32,
            "UInt32" => Scalar::U32,
            "Int64" => Scalar::I64,
            "UInt64" => Scalar::U64,
            "Float32" => Scalar::F32,
            "Float64" => Scalar::F64,
            _ => return Err(self.error(at, format!("`{kind}` is no type of numbers that is read"))),
        };
        let format = self.attribute(tag, at, "format")?.unwrap_or(Cow::Borrowed("ascii"));
        let (content, base64) = match format.as_ref() {
            "ascii" => (Content::Text("", at), false),
            "binary" => (Content::Base64(""), true),
            "appended" => (Content::Appended(self.number(tag, at, "offset")?), false),
            _ => return Err(self.error(at, format!("`{format}` is no format of an array"))),
        };
        self.array = Some((group, DataArray { name, scalar, content }, base64));
        Ok(())
    }

    /// Text of the open element, at `at`.
    fn text(&mut self, text: &'a str, at: usize) -> Result<(), MeshError> {
        // Other elements inside an array, such as `InformationKey`, have text of their own.
        if text.trim_ascii().is_empty() || self.open.last().is_none_or(|name| name != "DataArray") {
            return Ok(());
        }
        match self.array.as_mut().map(|(_, array, base64)| (&mut array.content, *base64)) {
            Some((content @ Content::Base64(""), true)) => *content = Content::Base64(text),
            Some((content @ Content::Text("", _), false)) => *content = Content::Text(text, at),
            Some(_) => return Err(self.error(at, "the text of an array is in several parts")),
            None => {}
        }
        Ok(())
    }

    /// The element `name` ends.
    fn end_array(&mut self, name: &str) {
        if name == "DataArray"
            && let (Some((group, array, _)), Some(piece)) = (self.array.take(), self.pieces.last_mut())
        {
            piece.arrays.push((group, array));
        }
    }
}
