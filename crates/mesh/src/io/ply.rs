//! PLY, text and binary in both byte orders: vertices, faces, triangle strips; tetrahedra where a file has
//! them.
//!
//! Elements and properties come in any order and of any type, as the header says. A reader of our own: the
//! header's counts are not trusted, and nothing is stored that is not asked for (`ply-rs-bw` makes a map of
//! every element).
//!
//! Source: G. Turk, "The PLY polygon file format" (1994).

use std::path::Path;

use glam::DVec3;

use super::scalar::{ByteOrder, Scalar};
use super::scan::{Scanner, show};
use super::{MeshError, RawMesh, vertex_index};

/// Whether these bytes begin such a file.
pub(super) fn sniff(bytes: &[u8]) -> bool {
    bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r")
}

/// Reads the vertices and the elements that are lists of them.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<RawMesh, MeshError> {
    let mut scanner = Scanner::new(path, bytes);
    let header = Header::read(&mut scanner)?;
    let mut body = Body { scanner, order: header.order, raw: RawMesh::default(), list: Vec::new() };
    body.scanner.set_binary(header.order.is_some());
    for element in &header.elements {
        body.element(element)?;
    }
    Ok(body.raw)
}

/// A property of an element.
#[derive(Debug)]
struct Property {
    name: Vec<u8>,
    kind: Scalar,
    /// For lists: the type of the number of items.
    list: Option<Scalar>,
}

/// An element: what each of its `count` items holds.
#[derive(Debug)]
struct Element {
    name: Vec<u8>,
    count: u64,
    properties: Vec<Property>,
}

impl Element {
    fn property(&self, names: &[&[u8]]) -> Option<usize> {
        self.properties.iter().position(|p| names.contains(&p.name.as_slice()))
    }

    /// Bytes of an item in a binary file, unless it holds lists.
    fn stride(&self) -> Option<usize> {
        self.properties.iter().map(|p| if p.list.is_none() { Some(p.kind.size()) } else { None }).sum()
    }
}

struct Header {
    /// `None` for text.
    order: Option<ByteOrder>,
    elements: Vec<Element>,
}

impl Header {
    fn read(scanner: &mut Scanner) -> Result<Self, MeshError> {
        scanner.line();
        let mut order = None;
        let mut elements: Vec<Element> = Vec::new();
        loop {
            let Some(line) = scanner.line() else { return Err(scanner.ends_early("`end_header`")) };
            let words: Vec<&[u8]> = super::fields::split(line).collect();
            match *words.as_slice() {
                [] | [b"comment" | b"obj_info", ..] => {}
                [b"format", name, ..] => order = Some(Self::format(scanner, name)?),
                [b"element", name, count] => {
                    let count = std::str::from_utf8(count).ok().and_then(|c| c.parse().ok());
                    let count =
                        count.ok_or_else(|| scanner.error("an element's count should be a whole number"))?;
                    elements.push(Element { name: name.to_vec(), count, properties: Vec::new() });
                }
                [b"property", ref words @ ..] => {
                    let Some(element) = elements.last_mut() else {
                        return Err(scanner.error("a property stands before any element"));
                    };
                    element.properties.push(Self::property(scanner, words)?);
                }
                [b"end_header", ..] => break,
                _ => return Err(scanner.error(format!("`{}` is not expected in a header", show(line)))),
            }
        }
        let order = order.ok_or_else(|| scanner.error("the header has no `format`"))?;
        Ok(Header { order, elements })
    }

    fn format(scanner: &Scanner, name: &[u8]) -> Result<Option<ByteOrder>, MeshError> {
        match name {
            b"ascii" => Ok(None),
            b"binary_little_endian" => Ok(Some(ByteOrder::Little)),
            b"binary_big_endian" => Ok(Some(ByteOrder::Big)),
            _ => Err(scanner.error(format!("the format `{}` is not known", show(name)))),
        }
    }

    fn property(scanner: &Scanner, words: &[&[u8]]) -> Result<Property, MeshError> {
        let scalar = |name: &[u8]| {
            scalar(name).ok_or_else(|| scanner.error(format!("`{}` is no type of numbers", show(name))))
        };
        match *words {
            [b"list", length, kind, name] => {
                let length = scalar(length)?;
                if matches!(length, Scalar::F32 | Scalar::F64) {
                    return Err(scanner.error("the length of a list should be of a whole-number type"));
                }
                Ok(Property { name: name.to_vec(), kind: scalar(kind)?, list: Some(length) })
            }
            [kind, name] => Ok(Property { name: name.to_vec(), kind: scalar(kind)?, list: None }),
            _ => Err(scanner.error("a property is `property TYPE NAME` or `property list TYPE TYPE NAME`")),
        }
    }
}

fn scalar(name: &[u8]) -> Option<Scalar> {
    Some(match name {
        b"char" | b"int8" => Scalar::I8,
        b"uchar" | b"uint8" => Scalar::U8,
        b"short" | b"int16" => Scalar::I16,
        b"ushort" | b"uint16" => Scalar::U16,
        b"int" | b"int32" => Scalar::I32,
        b"uint" | b"uint32" => Scalar::U32,
        b"int64" | b"longlong" => Scalar::I64,
        b"uint64" | b"ulonglong" => Scalar::U64,
        b"float" | b"float32" => Scalar::F32,
        b"double" | b"float64" => Scalar::F64,
        _ => return None,
    })
}

/// What is made of a list of vertices.
#[derive(Clone, Copy)]
enum Cell {
    Polygon,
    /// Several strips, each ended by -1.
    Strips,
    Tetrahedron,
}

struct Body<'a> {
    scanner: Scanner<'a>,
    order: Option<ByteOrder>,
    raw: RawMesh,
    /// The list that was read last.
    list: Vec<i64>,
}

impl Body<'_> {
    fn element(&mut self, element: &Element) -> Result<(), MeshError> {
        let lists: [&[u8]; 2] = [b"vertex_indices", b"vertex_index"];
        let cell = match element.name.as_slice() {
            b"vertex" => return self.vertices(element),
            b"face" => Cell::Polygon,
            b"tristrips" => Cell::Strips,
            b"tet" | b"tetra" | b"tetrahedron" | b"cell" => Cell::Tetrahedron,
            _ => return self.skip(element),
        };
        match element.property(&lists) {
            Some(list) if element.properties[list].list.is_some() => self.cells(element, list, cell),
            // A face may hold other things than its vertices; a file of faces without any is another matter.
            _ if element.count > 0 => {
                let name = String::from_utf8_lossy(&element.name);
                let message =
                    format!("the element `{name}` has no list `vertex_indices`, and is passed over");
                self.raw.warnings.push(message);
                self.skip(element)
            }
            _ => Ok(()),
        }
    }

    fn vertices(&mut self, element: &Element) -> Result<(), MeshError> {
        let axes = [b"x", b"y", b"z"].map(|name| element.property(&[name]));
        let [Some(x), Some(y), Some(z)] = axes else {
            return Err(self.scanner.error("the vertices have no properties `x`, `y` and `z`"));
        };
        if [x, y, z].iter().any(|&i| element.properties[i].list.is_some()) {
            return Err(self.scanner.error("the vertices' `x`, `y` and `z` should be numbers, not lists"));
        }
        if let (Some(order), Some(stride)) = (self.order, element.stride()) {
            let rows = self.scanner.take_items(element.count, stride, "another vertex")?;
            let column = |i: usize| {
                let at: usize = element.properties[..i].iter().map(|p| p.kind.size()).sum();
                let size = element.properties[i].kind.size();
                let bytes: Vec<u8> =
                    rows.chunks_exact(stride).flat_map(|row| &row[at..at + size]).copied().collect();
                element.properties[i].kind.floats(order, &bytes)
            };
            let (x, y, z) = (column(x), column(y), column(z));
            self.raw.positions.extend(x.into_iter().zip(y).zip(z).map(|((x, y), z)| DVec3::new(x, y, z)));
            return Ok(());
        }
        self.raw.positions.reserve(self.scanner.plausible(element.count, 6));
        for _ in 0..element.count {
            let mut position = DVec3::ZERO;
            for (i, property) in element.properties.iter().enumerate() {
                match [x, y, z].iter().position(|&axis| axis == i) {
                    Some(axis) => position[axis] = self.number(property.kind)?,
                    None => self.skip_property(property)?,
                }
            }
            self.raw.positions.push(position);
        }
        Ok(())
    }

    fn cells(&mut self, element: &Element, list: usize, cell: Cell) -> Result<(), MeshError> {
        for index in 0..element.count {
            for (i, property) in element.properties.iter().enumerate() {
                if i == list {
                    self.read_list(property)?;
                    self.cell(cell, index)?;
                } else {
                    self.skip_property(property)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the cell of the list that was read last. Numbers beyond the vertices are found once all are
    /// known.
    fn cell(&mut self, cell: Cell, index: u64) -> Result<(), MeshError> {
        let path = self.scanner.path();
        let vertex = |what, id| vertex_index(path, what, index as usize, id, u32::MAX as usize);
        match cell {
            Cell::Tetrahedron => match *self.list.as_slice() {
                [a, b, c, d] => {
                    let [a, b, c, d] = [a, b, c, d].map(|id| vertex("tetrahedron", id));
                    self.raw.tets.push([a?, b?, c?, d?]);
                }
                _ => self.raw.pass_over("cells that are no tetrahedra", 1),
            },
            Cell::Polygon => {
                if self.list.len() < 3 {
                    self.raw.pass_over("faces with less than three corners", 1);
                }
                let ids: Result<Vec<u32>, MeshError> =
                    self.list.iter().map(|&id| vertex("triangle", id)).collect();
                self.raw.push_polygon(&ids?);
            }
            Cell::Strips => {
                for strip in self.list.split(|&id| id == -1) {
                    for (k, corners) in strip.windows(3).enumerate() {
                        // Every other triangle of a strip runs backwards.
                        let (b, c) = if k % 2 == 0 { (1, 2) } else { (2, 1) };
                        let corner = |i: usize| vertex("triangle", corners[i]);
                        self.raw.triangles.push([corner(0)?, corner(b)?, corner(c)?]);
                    }
                }
            }
        }
        Ok(())
    }

    fn skip(&mut self, element: &Element) -> Result<(), MeshError> {
        let what = match element.name.as_slice() {
            b"edge" => "lines",
            _ => "elements of other kinds",
        };
        if element.count > 0 {
            self.raw.pass_over(what, usize::try_from(element.count).unwrap_or(usize::MAX));
        }
        match (self.order, element.stride()) {
            (_, Some(0)) => {}
            (Some(_), Some(stride)) => {
                self.scanner.take_items(element.count, stride, "another element")?;
            }
            _ => {
                for _ in 0..element.count {
                    for property in &element.properties {
                        self.skip_property(property)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn skip_property(&mut self, property: &Property) -> Result<(), MeshError> {
        let count = match property.list {
            Some(length) => self.length(length)?,
            None => 1,
        };
        match self.order {
            Some(_) => self.scanner.take_items(count, property.kind.size(), "a property").map(|_| ()),
            None => {
                for _ in 0..count {
                    self.scanner.expect("a property")?;
                }
                Ok(())
            }
        }
    }

    /// The length of a list.
    fn length(&mut self, kind: Scalar) -> Result<u64, MeshError> {
        let length = self.integer(kind)?;
        u64::try_from(length).map_err(|_| self.scanner.error(format!("a list cannot hold {length} items")))
    }

    fn read_list(&mut self, property: &Property) -> Result<(), MeshError> {
        let length = match property.list {
            Some(kind) => self.length(kind)?,
            None => 1,
        };
        self.list.clear();
        for _ in 0..length {
            let item = self.integer(property.kind)?;
            self.list.push(item);
        }
        Ok(())
    }

    fn integer(&mut self, kind: Scalar) -> Result<i64, MeshError> {
        let Some(order) = self.order else { return self.scanner.i64("a vertex of a face") };
        let bytes = self.scanner.take(kind.size(), "a whole number")?;
        kind.integer(order, bytes)
            .ok_or_else(|| self.scanner.error("a list of vertices should be of a whole-number type"))
    }

    fn number(&mut self, kind: Scalar) -> Result<f64, MeshError> {
        let Some(order) = self.order else {
            let mut value = [self.scanner.f64("a coordinate")?];
            kind.round(&mut value);
            return Ok(value[0]);
        };
        let bytes = self.scanner.take(kind.size(), "a coordinate")?;
        Ok(kind.floats(order, bytes)[0])
    }
}
