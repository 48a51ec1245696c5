//! Writers of one mesh in the dialects of VTK, for tests only.

use std::io::Write;

/// All of them are single-precision numbers; seen along z, a convex polygon, so that fans fill its parts.
pub const POINTS: [[f64; 3]; 6] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.125],
    [1.5, 1.0, -0.0],
    [1.0, 2.0, 0.25],
    [0.0, 2.0, 0.0625],
    [7.888609052210118e-31, 0.5, -0.125],
];

/// Cells with their types: two tetrahedra, a triangle, a line, a quadrangle, a pixel, a strip, a pentagon, a point.
pub const CELLS: [(u8, &[i64]); 9] = [
    (10, &[0, 1, 2, 3]),
    (5, &[0, 1, 2]),
    (3, &[4, 5]),
    (9, &[0, 1, 2, 3]),
    (10, &[3, 2, 1, 4]),
    (8, &[0, 1, 3, 2]),
    (6, &[0, 1, 2, 3, 4]),
    (7, &[1, 2, 3, 4, 5]),
    (1, &[5]),
];

fn offsets() -> Vec<i64> {
    CELLS
        .iter()
        .scan(0, |end, (_, ids)| {
            *end += ids.len() as i64;
            Some(*end)
        })
        .collect()
}

fn connectivity() -> Vec<i64> {
    CELLS.iter().flat_map(|(_, ids)| ids.iter().copied()).collect()
}

fn types() -> Vec<i64> {
    CELLS.iter().map(|(kind, _)| i64::from(*kind)).collect()
}

/// Numbers of a type as text, or as bytes with the least or the greatest first.
fn numbers(values: impl IntoIterator<Item = f64>, kind: &str, big: Option<bool>) -> Vec<u8> {
    let mut out = Vec::new();
    for v in values {
        let mut bytes = match (big, kind.to_lowercase().as_str()) {
            (None, "float" | "float32") => format!("{} ", v as f32).into_bytes(),
            (None, _) => format!("{v} ").into_bytes(),
            (_, "float" | "float32") => (v as f32).to_le_bytes().to_vec(),
            (_, "double" | "float64") => v.to_le_bytes().to_vec(),
            (_, "int" | "int32") => (v as i32).to_le_bytes().to_vec(),
            (_, "uint32") => (v as u32).to_le_bytes().to_vec(),
            (_, "uint16") => (v as u16).to_le_bytes().to_vec(),
            (_, "int8") => (v as i8).to_le_bytes().to_vec(),
            (_, "uint8") => (v as u8).to_le_bytes().to_vec(),
            (_, "vtktypeint64" | "int64") => (v as i64).to_le_bytes().to_vec(),
            (_, "uint64") => (v as u64).to_le_bytes().to_vec(),
            _ => unreachable!("{kind}"),
        };
        if big == Some(true) {
            bytes.reverse();
        }
        out.extend(bytes);
    }
    out
}

fn floats(values: Vec<i64>) -> Vec<f64> {
    values.into_iter().map(|v| v as f64).collect()
}

pub fn legacy(version: &str, binary: bool, real: &str) -> Vec<u8> {
    let big = binary.then_some(true);
    let mut out = Vec::new();
    let encoding = if binary { "BINARY" } else { "ASCII" };
    write!(
        out,
        "# vtk DataFile Version {version}\nPOINTS of a title\n{encoding}\nDATASET UNSTRUCTURED_GRID\n"
    )
    .unwrap();
    if version.starts_with('5') {
        write!(out, "FIELD FieldData 4\nflags 1 11 bit\n").unwrap();
        out.extend(if binary { b"\x05\xff\n".to_vec() } else { b"1 0 1 0 1 0 1 0 1 0 1\n".to_vec() });
        writeln!(out, "names 1 2 string").unwrap();
        let long = "POINTS".repeat(40);
        if binary {
            out.extend([0xc3]);
            out.extend(b"a\nb");
            out.extend([0x80 | (long.len() >> 8) as u8, long.len() as u8]);
            out.extend(long.as_bytes());
            out.extend(b"\n");
        } else {
            write!(out, "a b\n{long}\n").unwrap();
        }
        write!(out, "METADATA\nCOMPONENT_NAMES\nCELLS\n\nTIME 1 1 double\n").unwrap();
        out.extend(numbers([1.5], "double", big));
        write!(out, "\nids 3 2 vtktypeint64\n").unwrap();
        out.extend(numbers([1.0; 6], "vtktypeint64", big));
        writeln!(out).unwrap();
    }
    writeln!(out, "POINTS {} {real}", POINTS.len()).unwrap();
    out.extend(numbers(POINTS.into_iter().flatten(), real, big));
    let (count, size) = (CELLS.len(), connectivity().len());
    if version.starts_with('5') {
        write!(out, "\nMETADATA\nINFORMATION 1\nNAME L2 LOCATION vtk\nDATA 2 0 1\n\n").unwrap();
        write!(out, "CELLS {} {size}\nOFFSETS vtktypeint64\n", count + 1).unwrap();
        out.extend(numbers(floats([vec![0], offsets()].concat()), "vtktypeint64", big));
        write!(out, "\nCONNECTIVITY vtktypeint64\n").unwrap();
        out.extend(numbers(floats(connectivity()), "vtktypeint64", big));
    } else {
        writeln!(out, "\nCELLS {count} {}", size + count).unwrap();
        let rows = CELLS.iter().flat_map(|(_, ids)| [&[ids.len() as i64], *ids].concat()).collect();
        out.extend(numbers(floats(rows), "int", big));
    }
    writeln!(out, "\nCELL_TYPES {count}").unwrap();
    out.extend(numbers(floats(types()), "int", big));
    write!(out, "\nPOINT_DATA {}\nSCALARS whatever this is\n", POINTS.len()).unwrap();
    out
}

/// Where the arrays of an XML file stand.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    Ascii,
    Inline { zlib: bool },
    Appended { base64: bool, zlib: bool },
}

pub struct Xml {
    pub form: Form,
    pub big: bool,
    pub header: &'static str,
    pub integer: &'static str,
    /// Points in a block when compressed; small, so that there are several blocks.
    pub block: usize,
    pub appended: Vec<u8>,
}

impl Xml {
    fn words(&self, words: &[usize]) -> Vec<u8> {
        numbers(words.iter().map(|&w| w as f64), self.header, Some(self.big))
    }

    /// The header and the data, as the streams that are encoded one by one.
    fn streams(&self, data: &[u8], zlib: bool) -> Vec<Vec<u8>> {
        if !zlib {
            return vec![[self.words(&[data.len()]), data.to_vec()].concat()];
        }
        let blocks: Vec<Vec<u8>> = data
            .chunks(self.block)
            .map(|b| {
                let mut z = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
                z.write_all(b).unwrap();
                z.finish().unwrap()
            })
            .collect();
        let mut header = vec![blocks.len(), self.block, data.len() % self.block];
        header.extend(blocks.iter().map(Vec::len));
        vec![self.words(&header), blocks.concat()]
    }

    fn array(&mut self, name: &str, kind: &str, values: Vec<f64>) -> String {
        let data = numbers(values.iter().copied(), kind, Some(self.big));
        let mut tag = format!("<DataArray type=\"{kind}\" Name=\"{name}\"");
        match self.form {
            Form::Ascii => {
                let text = String::from_utf8(numbers(values, kind, None)).unwrap();
                let information = "<InformationKey name=\"L2\"><Value>0 7</Value></InformationKey>";
                format!("{tag} format=\"ascii\">\n{text}\n{information}\n</DataArray>\n")
            }
            Form::Inline { zlib } => {
                let text: String = self.streams(&data, zlib).iter().map(|s| base64(s)).collect();
                format!("{tag} format=\"binary\">\n {text}\n</DataArray>\n")
            }
            Form::Appended { base64: encode, zlib } => {
                tag += &format!(" format=\"appended\" offset=\"{}\"/>\n", self.appended.len());
                for stream in self.streams(&data, zlib) {
                    self.appended.extend(if encode { base64(&stream).into_bytes() } else { stream });
                }
                tag
            }
        }
    }

    pub fn file(mut self, real: &str) -> Vec<u8> {
        let zlib = matches!(self.form, Form::Inline { zlib: true } | Form::Appended { zlib: true, .. });
        let compressor = if zlib { "compressor=\"vtkZLibDataCompressor\"" } else { "" };
        let order = if self.big { "BigEndian" } else { "LittleEndian" };
        let integer = self.integer;
        let mut body = String::from("<PointData>\n");
        body += &self.array("unused", "Int8", vec![0.0; 6]);
        body += "</PointData>\n<Points>\n";
        body += &self.array("Points", real, POINTS.into_iter().flatten().collect());
        body += "</Points>\n<Cells>\n";
        body += &self.array("connectivity", integer, floats(connectivity()));
        body += &self.array("offsets", integer, floats(offsets()));
        body += &self.array("types", "UInt8", floats(types()));
        let mut out = format!(
            "<?xml version=\"1.0\"?>\n<!-- a comment -->\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
             byte_order=\"{order}\" header_type=\"{}\" {compressor}>\n<UnstructuredGrid>\n\
             <Piece NumberOfPoints=\"6\" NumberOfCells=\"9\">\n{body}</Cells>\n</Piece>\n</UnstructuredGrid>\n",
            self.header
        )
        .into_bytes();
        if let Form::Appended { base64, .. } = self.form {
            let encoding = if base64 { "base64" } else { "raw" };
            write!(out, "<AppendedData encoding=\"{encoding}\">\n   _").unwrap();
            out.extend(&self.appended);
            write!(out, "\n</AppendedData>\n").unwrap();
        }
        writeln!(out, "</VTKFile>").unwrap();
        out
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let mut three = [0; 3];
        three[..group.len()].copy_from_slice(group);
        let value = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for k in 0..4 {
            let digit = DIGITS[(value >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= group.len() { digit as char } else { '=' });
        }
    }
    text
}

pub fn xml(form: Form) -> Xml {
    Xml { form, big: false, header: "UInt32", integer: "Int64", block: 40, appended: Vec::new() }
}
