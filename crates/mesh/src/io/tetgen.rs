//! TetGen: points in `NAME.node`, tetrahedra in `NAME.ele`, triangles in `NAME.face`.
//!
//! Each file begins with a line of counts; then a line for each item, which begins with its number. Points
//! are numbered from 0 or 1, as the first says; any other numbers work too. `#` comments, attributes and
//! markers are passed over. Of whichever file is given, the others of the same name beside it are found: an
//! `.ele` or `.face` file needs its `.node` file; a `.node` file takes its `.ele` file, or else its `.face`
//! file.
//!
//! Source: H. Si, "TetGen user's manual 1.5", section 5.2.

use std::path::Path;

use super::fields::Fields;
use super::format::read_bytes;
use super::scan::{Scanner, show};
use super::tags::TagMap;
use super::{MeshError, RawMesh};

/// Reads the mesh that the given file is a part of.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<RawMesh, MeshError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    // Beside FOO.NODE lies FOO.ELE.
    let upper = path.extension().is_some_and(|e| e.to_string_lossy() != extension);
    let beside = |name: &str| path.with_extension(if upper { name.to_uppercase() } else { name.to_string() });
    let mut raw = RawMesh::default();
    match extension.as_str() {
        "node" => {
            let map = points(path, bytes, &mut raw)?;
            let [ele, face] = ["ele", "face"].map(beside);
            if ele.exists() {
                elements(&ele, &read_bytes(&ele)?, &map, &mut raw)?;
            } else if face.exists() {
                elements(&face, &read_bytes(&face)?, &map, &mut raw)?;
            } else {
                let message = format!("there is no {} beside it: points only", file_name(&ele));
                raw.warnings.push(message);
            }
        }
        _ => {
            let node = beside("node");
            if !node.exists() {
                let message =
                    format!("its points should be in {} beside it, which is missing", file_name(&node));
                return Err(MeshError::WrongKind { path: path.to_path_buf(), message });
            }
            let map = points(&node, &read_bytes(&node)?, &mut raw)?;
            elements(path, bytes, &map, &mut raw)?;
        }
    }
    Ok(raw)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The next line that holds something besides a comment.
fn data_line<'a>(scanner: &mut Scanner<'a>) -> Option<&'a [u8]> {
    loop {
        let line = scanner.line()?;
        let line = line.split(|&b| b == b'#').next().unwrap_or_default().trim_ascii();
        if !line.is_empty() {
            return Some(line);
        }
    }
}

/// Reads `count` lines, each by `item`, and refuses more of them.
fn items<'a>(
    scanner: &mut Scanner<'a>,
    count: u64,
    what: &str,
    mut item: impl FnMut(Fields<'_, 'a>) -> Result<(), MeshError>,
) -> Result<(), MeshError> {
    for _ in 0..count {
        let Some(line) = data_line(scanner) else { return Err(scanner.ends_early(what)) };
        item(Fields::new(scanner, line))?;
    }
    match data_line(scanner) {
        None => Ok(()),
        Some(line) => {
            let shown = show(line);
            Err(scanner.error(format!("{count} lines were announced, and here is one more: `{shown}`")))
        }
    }
}

/// `count dimension attributes markers`, then `number x y z …`.
fn points(path: &Path, bytes: &[u8], raw: &mut RawMesh) -> Result<TagMap, MeshError> {
    let mut scanner = Scanner::new(path, bytes);
    let Some(header) = data_line(&mut scanner) else {
        return Err(scanner.ends_early("the number of points"));
    };
    let mut fields = Fields::new(&scanner, header);
    let count = fields.u64("the number of points")?;
    let dimension = fields.u64("the dimension")?;
    if dimension != 3 {
        return Err(fields.error(format!("the points have dimension {dimension}; 3 is read")));
    }
    let room = scanner.plausible(count, 8);
    raw.positions.reserve(room);
    let mut numbers = Vec::with_capacity(room);
    items(&mut scanner, count, "another point", |mut fields| {
        numbers.push(fields.u64("the point's number")?);
        raw.positions.push(fields.point()?);
        Ok(())
    })?;
    TagMap::new(&numbers).map_err(|e| scanner.error_at(0, e))
}

/// Tetrahedra (`count corners attributes`, then `number a b c d …`) or triangles (`count markers`, then
/// `number a b c …`), told by the extension.
fn elements(path: &Path, bytes: &[u8], map: &TagMap, raw: &mut RawMesh) -> Result<(), MeshError> {
    let triangles = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("face"));
    let mut scanner = Scanner::new(path, bytes);
    let Some(header) = data_line(&mut scanner) else {
        return Err(scanner.ends_early("the number of elements"));
    };
    let mut fields = Fields::new(&scanner, header);
    let count = fields.u64("the number of elements")?;
    if !triangles {
        match fields.next() {
            None | Some(b"4") => {}
            Some(b"10") => {
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                raw.pass_over("second-order tetrahedra", count);
                return Ok(());
            }
            Some(other) => {
                return Err(fields.error(format!("tetrahedra have 4 corners here, not `{}`", show(other))));
            }
        }
    }
    items(&mut scanner, count, "another element", |mut fields| {
        fields.u64("the element's number")?;
        let mut vertex = || {
            let number = fields.u64("a corner of the element")?;
            let unknown = || {
                fields.error(format!("an element uses point {number}, which the .node file does not define"))
            };
            map.get(number).ok_or_else(unknown)
        };
        if triangles {
            raw.triangles.push([vertex()?, vertex()?, vertex()?]);
        } else {
            raw.tets.push([vertex()?, vertex()?, vertex()?, vertex()?]);
        }
        Ok(())
    })
}
