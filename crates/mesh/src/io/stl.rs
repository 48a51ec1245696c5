//! STL, text and binary: three corners a triangle.
//!
//! STL has no vertices. Corners with **exactly** equal coordinates become one vertex, numbered by first use;
//! corners that differ in the last digit stay apart, since any tolerance would be a guess about the model's
//! scale (the mesh's border loops show the cracks). `-0` and `0` are equal. Normals are passed over: the
//! order of corners counts.
//!
//! Source: M. Burns, "Automated Fabrication" (1993), section 6.5.

use std::path::Path;

use glam::DVec3;
use rayon::prelude::*;

use super::fields::Fields;
use super::scalar::{ByteOrder, Scalar};
use super::scan::{Scanner, show};
use super::{MeshError, RawMesh};

/// Bytes before the triangles of a binary file: a text of 80 and their number.
const HEADER: usize = 84;
/// Bytes of a triangle: its normal, three corners, an attribute.
const TRIANGLE: usize = 50;

/// Whether these bytes are such a file: it begins as the text form does, or is as long as its count says.
pub(super) fn sniff(bytes: &[u8]) -> bool {
    is_text(bytes)
        || count(bytes).is_some_and(|n| n > 0 && bytes.len() as u64 == HEADER as u64 + n * TRIANGLE as u64)
}

/// The number of triangles in the header of a binary file.
fn count(bytes: &[u8]) -> Option<u64> {
    let number = Scalar::U32.integer(ByteOrder::Little, bytes.get(80..)?)?;
    u64::try_from(number).ok()
}

/// Binary files may begin with `solid` too, but hold no `facet` next.
fn is_text(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    let begins = text.get(..5).is_some_and(|t| t.eq_ignore_ascii_case(b"solid"));
    let mut lines = text.split(|&b| b == b'\n').skip(1).map(<[u8]>::trim_ascii_start);
    begins && lines.find(|l| !l.is_empty()).is_some_and(|l| starts(l, b"facet") || starts(l, b"endsolid"))
}

fn starts(line: &[u8], word: &[u8]) -> bool {
    line.get(..word.len()).is_some_and(|l| l.eq_ignore_ascii_case(word))
}

/// Reads the triangles.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<RawMesh, MeshError> {
    let mut scanner = Scanner::new(path, bytes);
    let mut warnings = Vec::new();
    let corners = if is_text(bytes) { text(scanner)? } else { binary(&mut scanner, &mut warnings)? };
    if corners.len() / 3 >= u32::MAX as usize / 3 {
        let message = format!("{} triangles are more than can be numbered", corners.len() / 3);
        return Err(MeshError::WrongKind { path: path.to_path_buf(), message });
    }
    Ok(RawMesh { warnings, ..weld(&corners) })
}

fn binary(scanner: &mut Scanner, warnings: &mut Vec<String>) -> Result<Vec<DVec3>, MeshError> {
    scanner.set_binary(true);
    let header = scanner.take(HEADER, "the header")?;
    let count = count(header).unwrap_or(0);
    let triangles = scanner.take_items(count, TRIANGLE, "another triangle")?;
    if !scanner.rest().is_empty() {
        warnings.push(format!("{} bytes behind the {count} triangles are passed over", scanner.rest().len()));
    }
    let mut corners = Vec::with_capacity(triangles.len() / TRIANGLE * 3);
    for triangle in triangles.as_chunks::<TRIANGLE>().0 {
        let float = |i: usize| {
            let at = 12 + 4 * i;
            f64::from(f32::from_le_bytes([
                triangle[at],
                triangle[at + 1],
                triangle[at + 2],
                triangle[at + 3],
            ]))
        };
        corners.extend((0..3).map(|k| DVec3::new(float(3 * k), float(3 * k + 1), float(3 * k + 2))));
    }
    Ok(corners)
}

fn text(mut scanner: Scanner) -> Result<Vec<DVec3>, MeshError> {
    let mut corners = Vec::new();
    // Corners of the loop that is being read; none outside.
    let mut open = None;
    while let Some(line) = scanner.line() {
        let mut fields = Fields::new(&scanner, line);
        let Some(keyword) = fields.next() else { continue };
        match keyword.to_ascii_lowercase().as_slice() {
            b"vertex" => {
                let Some(count) = &mut open else {
                    return Err(fields.error("a vertex stands outside of any loop"));
                };
                *count += 1;
                corners.push(fields.point()?);
            }
            b"outer" if open.is_none() => open = Some(0),
            b"endloop" => match open.take() {
                Some(3) => {}
                Some(n) => return Err(fields.error(format!("a facet has {n} vertices, not 3"))),
                None => return Err(fields.error("`endloop` stands outside of any loop")),
            },
            b"solid" | b"endsolid" | b"facet" | b"endfacet" if open.is_none() => {}
            _ => return Err(fields.error(format!("`{}` is not expected here", show(keyword)))),
        }
    }
    if open.is_some() {
        return Err(scanner.ends_early("`endloop`"));
    }
    Ok(corners)
}

/// One vertex for all corners of equal coordinates, numbered by first use.
fn weld(corners: &[DVec3]) -> RawMesh {
    // Adding zero turns -0 into 0; then equal numbers have equal bits.
    let key = |p: DVec3| p.to_array().map(|x| (x + 0.0).to_bits());
    let mut sorted: Vec<([u64; 3], u32)> =
        corners.par_iter().enumerate().map(|(i, &p)| (key(p), i as u32)).collect();
    sorted.par_sort_unstable();
    let mut first = vec![0u32; corners.len()];
    for group in sorted.chunk_by(|a, b| a.0 == b.0) {
        for &(_, corner) in group {
            first[corner as usize] = group[0].1;
        }
    }
    drop(sorted);
    let mut raw = RawMesh::default();
    // In the place of each first corner: its vertex.
    let mut vertex = vec![0u32; corners.len()];
    for (i, &p) in corners.iter().enumerate() {
        if first[i] as usize == i {
            vertex[i] = raw.positions.len() as u32;
            raw.positions.push(p);
        }
    }
    raw.triangles = first.as_chunks::<3>().0.iter().map(|t| t.map(|c| vertex[c as usize])).collect();
    raw
}
