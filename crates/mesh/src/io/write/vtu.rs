//! VTK XML unstructured grids, as ParaView opens them.

use std::io::{self, Write};
use std::path::Path;

use super::{DataArray, Points, Values};
use crate::io::{MeshError, write_atomically};

/// What goes into a `.vtu` file. Cells are the tetrahedra, then the triangles; both may be there.
#[derive(Clone, Debug)]
pub struct Vtu<'a> {
    /// Positions, in metres.
    pub points: Points<'a>,
    /// Tetrahedra.
    pub tets: &'a [[u32; 4]],
    /// Triangles.
    pub triangles: &'a [[u32; 3]],
    /// Arrays with an entry for each point.
    pub point_data: Vec<DataArray<'a>>,
    /// Arrays with an entry for each cell, tetrahedra first.
    pub cell_data: Vec<DataArray<'a>>,
    /// The time of the frame in seconds, if it is one.
    pub time: Option<f64>,
}

impl<'a> Vtu<'a> {
    /// A volume without further data.
    pub fn volume(points: impl Into<Points<'a>>, tets: &'a [[u32; 4]]) -> Self {
        Vtu {
            points: points.into(),
            tets,
            triangles: &[],
            point_data: Vec::new(),
            cell_data: Vec::new(),
            time: None,
        }
    }

    /// A surface without further data.
    pub fn surface(points: impl Into<Points<'a>>, triangles: &'a [[u32; 3]]) -> Self {
        Vtu { triangles, ..Vtu::volume(points, &[]) }
    }
}

/// Writes an unstructured grid with its arrays as raw bytes behind the XML (`appended`, `raw`): the compact form,
/// written as fast as the disk takes it.
///
/// Errors: [`MeshError::Io`].
///
/// # Panics
/// When a data array has not one entry for each point or cell.
pub fn write_vtu(path: impl AsRef<Path>, grid: &Vtu) -> Result<(), MeshError> {
    let cells = grid.tets.len() + grid.triangles.len();
    for (arrays, count) in [(&grid.point_data, grid.points.len()), (&grid.cell_data, cells)] {
        for a in arrays {
            let entries = (a.values.len(), a.components * count);
            assert_eq!(entries.0, entries.1, "array `{}` must have an entry for each point or cell", a.name);
        }
    }
    // Signed, as VTK has its ids; ids are below 2^31.
    let connectivity = [grid.tets.as_flattened(), grid.triangles.as_flattened()].concat();
    let tet_ends = (1..=grid.tets.len() as i64).map(|i| 4 * i);
    let first = 4 * grid.tets.len() as i64;
    let ends: Vec<i64> = tet_ends.chain((1..=grid.triangles.len() as i64).map(|i| first + 3 * i)).collect();
    let mut types = vec![VTK_TETRA; grid.tets.len()];
    types.resize(cells, VTK_TRIANGLE);

    write_atomically(path.as_ref(), |out| {
        let mut xml = Appended { out, offset: 0, pending: Vec::new() };
        xml.line("<?xml version=\"1.0\"?>")?;
        xml.line(
            "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">",
        )?;
        xml.line("<UnstructuredGrid>")?;
        let time = grid.time.map(|t| [t]);
        if let Some(time) = &time {
            xml.line("<FieldData>")?;
            xml.array("TimeValue", "NumberOfTuples=\"1\"", Values::F64(time))?;
            xml.line("</FieldData>")?;
        }
        let points = grid.points.len();
        xml.line(&format!("<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">"))?;
        for (tag, arrays) in [("PointData", &grid.point_data), ("CellData", &grid.cell_data)] {
            xml.line(&format!("<{tag}>"))?;
            for a in arrays {
                let components = format!("NumberOfComponents=\"{}\"", a.components);
                xml.array(a.name, &components, a.values)?;
            }
            xml.line(&format!("</{tag}>"))?;
        }
        xml.line("<Points>")?;
        xml.array("Points", "NumberOfComponents=\"3\"", grid.points.values())?;
        xml.line("</Points>\n<Cells>")?;
        xml.array("connectivity", "", Values::I32(bytemuck::cast_slice(&connectivity)))?;
        xml.array("offsets", "", Values::I64(&ends))?;
        xml.array("types", "", Values::U8(&types))?;
        xml.line("</Cells>\n</Piece>\n</UnstructuredGrid>")?;
        xml.finish()
    })
}

impl Values<'_> {
    fn vtk_type(&self) -> &'static str {
        match self {
            Values::U8(_) => "UInt8",
            Values::I32(_) => "Int32",
            Values::U32(_) => "UInt32",
            Values::I64(_) => "Int64",
            Values::U64(_) => "UInt64",
            Values::F32(_) => "Float32",
            Values::F64(_) => "Float64",
        }
    }

    fn bytes(&self) -> u64 {
        let size = match self {
            Values::U8(_) => 1,
            Values::I32(_) | Values::U32(_) | Values::F32(_) => 4,
            Values::I64(_) | Values::U64(_) | Values::F64(_) => 8,
        };
        size * self.len() as u64
    }
}

const VTK_TRIANGLE: u8 = 5;
const VTK_TETRA: u8 = 10;

/// XML whose arrays come behind it, each as its length in bytes and its numbers.
struct Appended<'a, W> {
    out: W,
    offset: u64,
    pending: Vec<Values<'a>>,
}

impl<'a, W: Write> Appended<'a, W> {
    fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    fn array(&mut self, name: &str, attributes: &str, values: Values<'a>) -> io::Result<()> {
        let (name, offset) = (escape(name), self.offset);
        writeln!(
            self.out,
            "<DataArray type=\"{}\" Name=\"{name}\" {attributes} format=\"appended\" offset=\"{offset}\"/>",
            values.vtk_type()
        )?;
        self.offset += 8 + values.bytes();
        self.pending.push(values);
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        write!(self.out, "<AppendedData encoding=\"raw\">\n_")?;
        for values in &self.pending {
            self.out.write_all(&values.bytes().to_le_bytes())?;
            values.write(&mut self.out)?;
        }
        write!(self.out, "\n</AppendedData>\n</VTKFile>\n")
    }
}

/// Text as it may stand in an XML attribute.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}
