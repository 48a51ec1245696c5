//! Wavefront OBJ: the vertices and the faces.
//!
//! A reader of our own, because the vertex order of the file is the user's order: only `v` lines make
//! vertices, whatever texture coordinates and normals a face names (`v`, `v/vt`, `v//vn`, `v/vt/vn`). Indices
//! count from 1, or, when negative, back from the last vertex so far. Polygons are cut into triangles. A line
//! that ends with `\` goes on in the next one.
//!
//! Source: Alias|Wavefront, "Advanced Visualizer manual", appendix B1.

use std::path::Path;

use super::fields::Fields;
use super::scan::{Scanner, parse_i64, show};
use super::{MeshError, RawMesh};

/// Reads the vertices and faces.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<RawMesh, MeshError> {
    let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut scanner = Scanner::new(path, bytes);
    scanner.seek(start);
    let mut mesh = Mesh::default();
    while let Some(line) = scanner.line() {
        let Some(before) = line.strip_suffix(b"\\") else {
            mesh.line(Fields::new(&scanner, line))?;
            continue;
        };
        // Errors in a continued line point to its first part.
        let first = scanner.clone();
        let mut joined = before.to_vec();
        while let Some(more) = scanner.line() {
            joined.push(b' ');
            match more.strip_suffix(b"\\") {
                Some(part) => joined.extend_from_slice(part),
                None => {
                    joined.extend_from_slice(more);
                    break;
                }
            }
        }
        mesh.line(Fields::new(&first, &joined))?;
    }
    mesh.finish(&scanner)
}

#[derive(Default)]
struct Mesh {
    raw: RawMesh,
    polygon: Vec<u32>,
    /// The greatest vertex used so far, and the byte at which: a face may come before its vertices.
    greatest: (u32, usize),
    faces: usize,
    /// Lines that begin with something unknown: how many, the first of them, and the byte at which.
    unknown: Option<(usize, String, usize)>,
}

impl Mesh {
    fn line(&mut self, mut fields: Fields) -> Result<(), MeshError> {
        let Some(keyword) = fields.next() else { return Ok(()) };
        match keyword {
            // Weights and colours behind the coordinates are passed over.
            b"v" => self.raw.positions.push(fields.point()?),
            b"f" | b"fo" => self.face(fields)?,
            b"l" => self.raw.pass_over("lines", 1),
            b"p" => self.raw.pass_over("points", 1),
            b"curv" | b"curv2" | b"surf" => self.raw.pass_over("free-form curves and surfaces", 1),
            [b'#', ..] | b"vt" | b"vn" | b"vp" | b"g" | b"o" | b"s" | b"mg" | b"mtllib" | b"usemtl" => {}
            b"usemap" | b"maplib" | b"bevel" | b"c_interp" | b"d_interp" | b"lod" | b"shadow_obj" => {}
            b"trace_obj" | b"cstype" | b"deg" | b"bmat" | b"step" | b"parm" | b"trim" | b"hole" => {}
            b"scrv" | b"sp" | b"end" | b"con" | b"ctech" | b"stech" | b"call" | b"csh" => {}
            other => self.unknown.get_or_insert_with(|| (0, show(other), fields.mark())).0 += 1,
        }
        Ok(())
    }

    fn face(&mut self, mut fields: Fields) -> Result<(), MeshError> {
        self.polygon.clear();
        let count = self.raw.positions.len() as i64;
        while let Some(field) = fields.next() {
            if field.starts_with(b"#") {
                break;
            }
            let vertex = field.split(|&b| b == b'/').next().unwrap_or_default();
            let Some(number) = parse_i64(vertex) else {
                return Err(fields.error(format!(
                    "a corner of a face should be `v`, `v/vt` or `v/vt/vn`, not `{}`",
                    show(field)
                )));
            };
            let index = if number < 0 { count.saturating_add(number) } else { number - 1 };
            let Ok(index) = u32::try_from(index) else {
                let message = match number {
                    0 => "vertices are counted from 1, but a face uses vertex 0".to_string(),
                    _ => format!("a face uses vertex {number}, but there are {count} vertices before it"),
                };
                return Err(fields.error(message));
            };
            if index >= self.greatest.0 {
                self.greatest = (index, fields.mark());
            }
            self.polygon.push(index);
        }
        if self.polygon.len() < 3 {
            return Err(
                fields.error(format!("a face needs three corners or more, not {}", self.polygon.len()))
            );
        }
        self.faces += 1;
        self.raw.push_polygon(&self.polygon);
        Ok(())
    }

    fn finish(mut self, scanner: &Scanner) -> Result<RawMesh, MeshError> {
        let (vertex, at) = self.greatest;
        let count = self.raw.positions.len();
        if self.faces > 0 && vertex as usize >= count {
            let message =
                format!("a face uses vertex {}, but the file has {count} vertices", u64::from(vertex) + 1);
            return Err(scanner.error_at(at, message));
        }
        if let Some((lines, example, at)) = self.unknown {
            if count == 0 {
                let message = format!(
                    "`{example}` is nothing of the format OBJ, and there is no vertex: is it an OBJ file?"
                );
                return Err(scanner.error_at(at, message));
            }
            let first = scanner.line_of(at);
            self.raw.warnings.push(match lines {
                1 => format!("line {first} begins with `{example}`, which is nothing of the format OBJ, and is passed over"),
                _ => format!("{lines} lines begin with nothing of the format OBJ, and are passed over; the first is line {first}, `{example}`"),
            });
        }
        Ok(self.raw)
    }
}
