//! `.t`: lines `Vertex id x y z` and `Tet id a b c d`, where ids are any numbers from 0, sparse and in any
//! order.
//!
//! Attributes behind the numbers (`{…}`) and `#` comments are allowed; edges and faces are passed over.
//! Vertices are numbered as they stand in the file.

use std::collections::HashMap;
use std::path::Path;

use super::fields::Fields;
use super::scan::{Scanner, show};
use super::tags::TagMap;
use super::{MeshError, RawMesh};

/// Whether these bytes begin with a vertex.
pub(super) fn sniff(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"Vertex ")
}

/// Reads such a file.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<RawMesh, MeshError> {
    let mut raw = RawMesh::default();
    // First the vertices, so that a tetrahedron may stand before them, and one that uses an unknown vertex is
    // told with its line.
    let mut ids = Vec::new();
    let mut scanner = Scanner::new(path, bytes);
    while let Some(line) = scanner.line() {
        let mut fields = Fields::new(&scanner, line);
        match fields.next() {
            Some(b"Vertex") => {
                ids.push(fields.u64("the vertex's id")?);
                raw.positions.push(fields.point()?);
            }
            Some(b"Tet") | None => {}
            Some(b"Edge") => raw.pass_over("lines", 1),
            Some(b"Face") => raw.pass_over("faces", 1),
            Some([b'#', ..]) => {}
            Some(other) => {
                let message = format!("a line begins with `Vertex` or `Tet`, not `{}`", show(other));
                return Err(fields.error(message));
            }
        }
    }
    let map = TagMap::new(&ids).map_err(|e| twice(path, bytes).unwrap_or_else(|| scanner.error_at(0, e)))?;

    let mut scanner = Scanner::new(path, bytes);
    while let Some(line) = scanner.line() {
        let mut fields = Fields::new(&scanner, line);
        if fields.next() != Some(b"Tet") {
            continue;
        }
        fields.u64("the tetrahedron's id")?;
        let mut tet = [0; 4];
        for vertex in &mut tet {
            let id = fields.u64("a vertex of the tetrahedron")?;
            *vertex = map.get(id).ok_or_else(|| {
                fields.error(format!("a tetrahedron uses vertex {id}, which the file does not define"))
            })?;
        }
        raw.tets.push(tet);
    }
    Ok(raw)
}

/// The error about the first vertex whose id was there before, told at its line.
fn twice(path: &Path, bytes: &[u8]) -> Option<MeshError> {
    let mut seen = HashMap::new();
    let mut scanner = Scanner::new(path, bytes);
    while let Some(line) = scanner.line() {
        let mut fields = Fields::new(&scanner, line);
        if fields.next() != Some(b"Vertex") {
            continue;
        }
        let id = fields.u64("the vertex's id").ok()?;
        if let Some(first) = seen.insert(id, fields.mark()) {
            let first = scanner.line_of(first);
            return Some(scanner.error(format!("vertex {id} is defined twice, first in line {first}")));
        }
    }
    None
}
