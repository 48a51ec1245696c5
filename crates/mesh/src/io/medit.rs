//! Medit `.mesh`, the text form of INRIA's mesh format.
//!
//! Keywords, each with a count and rows of numbers; the last number of a row is a reference and is passed over.
//! Vertices are numbered from 1. The binary form `.meshb` is not read.
//!
//! Source: P. Frey, "MEDIT: an interactive mesh visualization software", INRIA RT-0253 (2001), appendix.

use std::path::Path;

use glam::DVec3;

use super::scan::{Scanner, show};
use super::{MeshError, RawMesh, vertex_index};

/// Whether these bytes begin such a file, text or binary.
pub(super) fn sniff(bytes: &[u8]) -> bool {
    is_binary(bytes) || bytes.trim_ascii_start().starts_with(b"MeshVersionFormatted")
}

/// A binary file begins with the number 1, then the version, in either byte order.
fn is_binary(bytes: &[u8]) -> bool {
    matches!(bytes, [1, 0, 0, 0, 1..=4, 0, 0, 0, ..] | [0, 0, 0, 1, 0, 0, 0, 1..=4, ..])
}

/// Reads a text file.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<RawMesh, MeshError> {
    if is_binary(bytes) {
        let message = "binary .meshb is not read; save it as text .mesh (with Gmsh: `gmsh FILE.meshb -save -o FILE.mesh`)";
        return Err(MeshError::WrongKind { path: path.to_path_buf(), message: message.to_string() });
    }
    let mut scanner = Scanner::new(path, bytes);
    if token(&mut scanner) != Some(b"MeshVersionFormatted") {
        return Err(scanner.error("`MeshVersionFormatted` was expected first; is it a Medit mesh?"));
    }
    scanner.u64("the version")?;
    let mut raw = RawMesh::default();
    while let Some(keyword) = token(&mut scanner) {
        match keyword {
            b"End" => break,
            b"Dimension" => match scanner.u64("the dimension")? {
                3 => {}
                other => return Err(scanner.error(format!("the mesh has dimension {other}; 3 is read"))),
            },
            b"Vertices" => {
                let count = count(&mut scanner)?;
                raw.positions.reserve(scanner.plausible(count, 8));
                for _ in 0..count {
                    let x = number(&mut scanner)?;
                    let (y, z) = (number(&mut scanner)?, number(&mut scanner)?);
                    raw.positions.push(DVec3::new(x, y, z));
                    reference(&mut scanner)?;
                }
            }
            b"Triangles" => {
                cells(&mut scanner, &mut raw, "triangle", |raw, [a, b, c]| raw.triangles.push([a, b, c]))?
            }
            b"Quadrilaterals" => {
                cells(&mut scanner, &mut raw, "quadrilateral", |raw, ids: [u32; 4]| raw.push_polygon(&ids))?;
            }
            b"Tetrahedra" => cells(&mut scanner, &mut raw, "tetrahedron", |raw, ids| raw.tets.push(ids))?,
            b"Edges" => pass_over(&mut scanner, &mut raw, Some("lines"))?,
            b"Hexahedra" | b"Hexaedra" => pass_over(&mut scanner, &mut raw, Some("hexahedra"))?,
            b"Prisms" | b"Pentahedra" => pass_over(&mut scanner, &mut raw, Some("prisms"))?,
            b"Pyramids" => pass_over(&mut scanner, &mut raw, Some("pyramids"))?,
            b"TetrahedraP2" => pass_over(&mut scanner, &mut raw, Some("second-order tetrahedra"))?,
            b"TrianglesP2" => pass_over(&mut scanner, &mut raw, Some("second-order triangles"))?,
            [first, ..] if first.is_ascii_alphabetic() => pass_over(&mut scanner, &mut raw, None)?,
            other => {
                let message = format!("a keyword was expected, not `{}`; a count may be wrong", show(other));
                return Err(scanner.error(message));
            }
        }
    }
    Ok(raw)
}

/// The next token that is no comment.
fn token<'a>(scanner: &mut Scanner<'a>) -> Option<&'a [u8]> {
    loop {
        let before = scanner.at();
        let token = scanner.token()?;
        if !token.starts_with(b"#") {
            return Some(token);
        }
        scanner.seek(before);
        scanner.skip_space();
        scanner.line();
    }
}

/// Leaves the scanner before the next token that is no comment.
fn skip_comments(scanner: &mut Scanner) {
    scanner.skip_space();
    while scanner.rest().starts_with(b"#") {
        scanner.line();
        scanner.skip_space();
    }
}

fn count(scanner: &mut Scanner) -> Result<u64, MeshError> {
    skip_comments(scanner);
    scanner.u64("a count")
}

fn number(scanner: &mut Scanner) -> Result<f64, MeshError> {
    skip_comments(scanner);
    scanner.f64("a coordinate")
}

/// The last number of a row.
fn reference(scanner: &mut Scanner) -> Result<(), MeshError> {
    skip_comments(scanner);
    scanner.i64("a reference").map(|_| ())
}

/// Reads cells of `K` vertices each.
fn cells<const K: usize>(
    scanner: &mut Scanner,
    raw: &mut RawMesh,
    element: &'static str,
    mut push: impl FnMut(&mut RawMesh, [u32; K]),
) -> Result<(), MeshError> {
    let count = count(scanner)?;
    for index in 0..count {
        let mut ids = [0; K];
        for id in &mut ids {
            skip_comments(scanner);
            let number = scanner.i64("a vertex of the element")?;
            // Where the vertices come later, the loader checks.
            let known = if raw.positions.is_empty() { u32::MAX as usize } else { raw.positions.len() };
            *id = vertex_index(scanner.path(), element, index as usize, number.saturating_sub(1), known)
                .map_err(|_| {
                    scanner.error(format!(
                        "{element} {index} uses vertex {number}; the file has {} vertices, counted from 1",
                        raw.positions.len()
                    ))
                })?;
        }
        push(raw, ids);
        reference(scanner)?;
    }
    Ok(())
}

/// Passes over a section: all numbers up to the next keyword. `what` counts them as cells, in the plural.
fn pass_over(scanner: &mut Scanner, raw: &mut RawMesh, what: Option<&'static str>) -> Result<(), MeshError> {
    if let Some(what) = what {
        let count = count(scanner)?;
        raw.pass_over(what, usize::try_from(count).unwrap_or(usize::MAX));
    }
    loop {
        skip_comments(scanner);
        match scanner.rest().first() {
            Some(first) if !first.is_ascii_alphabetic() => scanner.token(),
            _ => return Ok(()),
        };
    }
}
