//! Gmsh MSH 2.2 and 4.1, text and binary, both byte orders.
//!
//! A reader of our own: `mshio` reads 4.1 only, and trusts the counts of the header. What the sections hold is
//! read by [`v2`] and [`v4`]; here is what both share: the header, the walk over the sections, and the nodes'
//! **tags**, which are any numbers, sparse and in any order. Vertices are numbered as they stand in the file.
//!
//! Source: Gmsh reference manual, "MSH file format" and "MSH file format version 2 (Legacy)".

use std::path::Path;

use glam::DVec3;

use super::scalar::ByteOrder;
use super::scan::{Scanner, parse_f64, show};
use super::tags::TagMap;
use super::{MeshError, RawMesh};

mod v2;
mod v4;

/// Whether these bytes begin with a section of such a file.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    [&b"$MeshFormat"[..], b"$Comments", b"$PhysicalNames", b"$NOD"].iter().any(|s| text.starts_with(s))
}

/// Reads a file of version 2.x or 4.1.
pub(crate) fn read(path: &Path, bytes: &[u8]) -> Result<RawMesh, MeshError> {
    let mut scanner = Scanner::new(path, bytes);
    let mut encoding = None;
    let mut mesh = Builder::default();
    while let Some(section) = scanner.token() {
        let Some(name) = section.strip_prefix(b"$") else {
            return Err(
                scanner.error(format!("a section such as `$Nodes` was expected, not `{}`", show(section)))
            );
        };
        if name == b"NOD" || name == b"ELM" {
            return Err(scanner.error("MSH 1 is not read; save it as 4.1 or 2.2"));
        }
        if name == b"ParametricNodes" {
            return Err(scanner.error("$ParametricNodes is not read; save it without parametric coordinates"));
        }
        scanner.line();
        match (name, encoding) {
            (b"MeshFormat", _) => encoding = Some(header(&mut scanner)?),
            (b"Nodes" | b"Elements", None) => {
                return Err(scanner.error("the section comes before $MeshFormat"));
            }
            (b"Nodes", Some(e)) if e.version == Version::V2 => v2::nodes(&mut scanner, e, &mut mesh)?,
            (b"Nodes", Some(e)) => v4::nodes(&mut scanner, e, &mut mesh)?,
            (b"Elements", Some(e)) if e.version == Version::V2 => v2::elements(&mut scanner, e, &mut mesh)?,
            (b"Elements", Some(e)) => v4::elements(&mut scanner, e, &mut mesh)?,
            _ => {
                skip_section(&mut scanner, name)?;
                continue;
            }
        }
        end_section(&mut scanner, name)?;
    }
    if encoding.is_none() {
        return Err(scanner.error("there is no $MeshFormat section; is it a Gmsh file?"));
    }
    Ok(mesh.raw)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    V2,
    V4,
}

/// What the header says of the sections.
#[derive(Clone, Copy)]
struct Encoding {
    version: Version,
    /// `None` for text.
    binary: Option<ByteOrder>,
    /// Bytes of a `size_t` in binary files.
    size: usize,
}

/// `version file-type data-size`, and a one in binary files, which tells their byte order.
fn header(scanner: &mut Scanner) -> Result<Encoding, MeshError> {
    let token = scanner.expect("a version")?;
    let version = match parse_f64(token) {
        Some(4.1) => Version::V4,
        Some(v) if (2.0..3.0).contains(&v) => Version::V2,
        _ => {
            let shown = if token == b"4" { "4.0".into() } else { show(token) };
            return Err(scanner.error(format!("MSH {shown} is not read; save it as 4.1 or 2.2")));
        }
    };
    let binary = match scanner.u64("the file type")? {
        0 => false,
        1 => true,
        other => return Err(scanner.error(format!("file type {other} is neither 0 (text) nor 1 (binary)"))),
    };
    let size = scanner.u64("the data size")?;
    if !binary {
        return Ok(Encoding { version, binary: None, size: 8 });
    }
    if size != 8 && (size != 4 || version == Version::V2) {
        return Err(scanner.error(format!("a data size of {size} is not read; save it with 8")));
    }
    scanner.line();
    scanner.set_binary(true);
    let order = match scanner.take(4, "the byte order mark")? {
        [1, 0, 0, 0] => ByteOrder::Little,
        [0, 0, 0, 1] => ByteOrder::Big,
        other => return Err(scanner.error(format!("the byte order mark is {other:?}; a 1 was expected"))),
    };
    Ok(Encoding { version, binary: Some(order), size: size as usize })
}

fn end_section(scanner: &mut Scanner, name: &[u8]) -> Result<(), MeshError> {
    let wanted = format!("$End{}", String::from_utf8_lossy(name));
    let token = scanner.expect(&wanted)?;
    if token != wanted.as_bytes() {
        return Err(
            scanner.error(format!("{wanted} was expected, not `{}`; a count may be wrong", show(token)))
        );
    }
    Ok(())
}

/// Passes over a section of any content.
fn skip_section(scanner: &mut Scanner, name: &[u8]) -> Result<(), MeshError> {
    let end = [b"$End", name].concat();
    let start = scanner.at();
    let rest = scanner.rest();
    let mut from = 0;
    while let Some(found) = rest[from..].iter().position(|&b| b == b'$') {
        from += found;
        let after = rest.get(from + end.len());
        if rest[from..].starts_with(&end) && after.is_none_or(u8::is_ascii_whitespace) {
            scanner.seek(start + from + end.len());
            return Ok(());
        }
        from += 1;
    }
    let (name, end) = (String::from_utf8_lossy(name), String::from_utf8_lossy(&end));
    Err(scanner.error_at(start, format!("the section ${name} has no {end}; is the file complete?")))
}

/// What is done with an element type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tetrahedron,
    /// Triangles and quadrangles.
    Polygon,
    /// Passed over and counted.
    Other(&'static str),
}

/// An element type: its kind, and its number of nodes (0 where this reader does not know it).
fn element_type(number: i64) -> (Kind, usize) {
    use Kind::Other;
    match number {
        4 => (Kind::Tetrahedron, 4),
        2 => (Kind::Polygon, 3),
        3 => (Kind::Polygon, 4),
        15 => (Other("points"), 1),
        1 => (Other("lines"), 2),
        5 => (Other("hexahedra"), 8),
        6 => (Other("prisms"), 6),
        7 => (Other("pyramids"), 5),
        8 => (Other("second-order lines"), 3),
        9 => (Other("second-order triangles"), 6),
        10 => (Other("second-order quadrangles"), 9),
        11 => (Other("second-order tetrahedra"), 10),
        12 => (Other("second-order hexahedra"), 27),
        13 => (Other("second-order prisms"), 18),
        14 => (Other("second-order pyramids"), 14),
        16 => (Other("second-order quadrangles"), 8),
        17 => (Other("second-order hexahedra"), 20),
        18 => (Other("second-order prisms"), 15),
        19 => (Other("second-order pyramids"), 13),
        20 => (Other("third-order triangles"), 9),
        21 => (Other("third-order triangles"), 10),
        22 => (Other("fourth-order triangles"), 12),
        23 => (Other("fourth-order triangles"), 15),
        24 => (Other("fifth-order triangles"), 15),
        25 => (Other("fifth-order triangles"), 21),
        26 => (Other("third-order lines"), 4),
        27 => (Other("fourth-order lines"), 5),
        28 => (Other("fifth-order lines"), 6),
        29 => (Other("third-order tetrahedra"), 20),
        30 => (Other("fourth-order tetrahedra"), 35),
        31 => (Other("fifth-order tetrahedra"), 56),
        92 => (Other("third-order hexahedra"), 64),
        93 => (Other("fourth-order hexahedra"), 125),
        _ => (Other("cells of an unknown type"), 0),
    }
}

/// The mesh while its sections are read.
#[derive(Default)]
struct Builder {
    raw: RawMesh,
    tags: Vec<u64>,
    map: TagMap,
}

impl Builder {
    fn push_node(&mut self, tag: u64, position: [f64; 3]) {
        self.tags.push(tag);
        self.raw.positions.push(DVec3::from_array(position));
    }

    /// After the nodes of a section: numbers them.
    fn number_nodes(&mut self, scanner: &Scanner) -> Result<(), MeshError> {
        let fail = |e| scanner.error(format!("$Nodes: {e}"));
        self.map = TagMap::new(&self.tags).map_err(fail)?;
        Ok(())
    }

    /// Adds an element given by node tags. `scanner` stands behind it.
    fn push_element(&mut self, scanner: &Scanner, kind: Kind, nodes: &[u64]) -> Result<(), MeshError> {
        let mut ids = [0; 4];
        let ids = &mut ids[..nodes.len()];
        for (id, &tag) in ids.iter_mut().zip(nodes) {
            *id = self.map.get(tag).ok_or_else(|| {
                if self.tags.is_empty() {
                    return scanner.error("the section $Elements comes before $Nodes");
                }
                scanner.error(format!("an element uses node {tag}, which the file does not define"))
            })?;
        }
        match *ids {
            [a, b, c, d] if kind == Kind::Tetrahedron => self.raw.tets.push([a, b, c, d]),
            _ => self.raw.push_polygon(ids),
        }
        Ok(())
    }

    /// Tells that a section holds another number of things than its header says.
    fn check_count(&mut self, what: &str, said: u64, found: u64) {
        if said != found {
            self.raw.warnings.push(format!("the file says {said} {what}, and holds {found}"));
        }
    }
}
