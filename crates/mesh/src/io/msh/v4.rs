//! Nodes and elements of MSH 4.1: both in blocks, one per entity of the geometry.

use super::{Builder, Encoding, Kind, Scanner, element_type};
use crate::io::MeshError;
use crate::io::scalar::Scalar;

/// Reads the numbers between a section's name and its end, as text or as bytes.
struct Numbers<'s, 'a> {
    scanner: &'s mut Scanner<'a>,
    encoding: Encoding,
}

impl Numbers<'_, '_> {
    /// A `size_t`: counts and tags.
    fn size(&mut self, what: &str) -> Result<u64, MeshError> {
        let Some(order) = self.encoding.binary else { return self.scanner.u64(what) };
        let scalar = if self.encoding.size == 4 { Scalar::U32 } else { Scalar::I64 };
        self.binary(scalar, order, what).and_then(|value| {
            u64::try_from(value).map_err(|_| {
                self.scanner.error(format!("{what} should be a whole number from 0, not {value}"))
            })
        })
    }

    /// An `int`: dimensions, entity tags and types.
    fn int(&mut self, what: &str) -> Result<i64, MeshError> {
        match self.encoding.binary {
            None => self.scanner.i64(what),
            Some(order) => self.binary(Scalar::I32, order, what),
        }
    }

    fn binary(
        &mut self,
        scalar: Scalar,
        order: crate::io::scalar::ByteOrder,
        what: &str,
    ) -> Result<i64, MeshError> {
        let bytes = self.scanner.take(scalar.size(), what)?;
        Ok(scalar.integers(order, bytes).unwrap_or_default()[0])
    }
}

/// `blocks nodes least-tag greatest-tag`, then blocks of `dimension entity parametric nodes`, all the tags, and all
/// the positions (with the entity's own coordinates behind, when parametric).
pub(super) fn nodes(scanner: &mut Scanner, encoding: Encoding, mesh: &mut Builder) -> Result<(), MeshError> {
    let before = mesh.tags.len();
    let mut numbers = Numbers { scanner, encoding };
    let blocks = numbers.size("the number of node blocks")?;
    let total = numbers.size("the number of nodes")?;
    numbers.size("the least node tag")?;
    numbers.size("the greatest node tag")?;
    for _ in 0..blocks {
        let dimension = numbers.int("an entity's dimension")?;
        numbers.int("an entity's tag")?;
        let parametric = numbers.int("an entity's parametric flag")? != 0;
        let count = numbers.size("a block's number of nodes")?;
        let columns = 3 + if parametric { dimension.clamp(0, 3) as usize } else { 0 };
        match encoding.binary {
            None => text_nodes(numbers.scanner, count, columns, mesh)?,
            Some(order) => {
                let size = if encoding.size == 4 { Scalar::U32 } else { Scalar::U64 };
                let tags = numbers.scanner.take_items(count, size.size(), "the nodes' tags")?;
                let tags = size.integers(order, tags).unwrap_or_default();
                let positions = numbers.scanner.take_items(count, 8 * columns, "the nodes' positions")?;
                let positions = Scalar::F64.floats(order, positions);
                for (&tag, p) in tags.iter().zip(positions.chunks_exact(columns)) {
                    mesh.push_node(tag as u64, [p[0], p[1], p[2]]);
                }
            }
        }
    }
    mesh.check_count("nodes", total, (mesh.tags.len() - before) as u64);
    mesh.number_nodes(numbers.scanner)
}

fn text_nodes(
    scanner: &mut Scanner,
    count: u64,
    columns: usize,
    mesh: &mut Builder,
) -> Result<(), MeshError> {
    let mut tags = Vec::with_capacity(scanner.plausible(count, 8));
    for _ in 0..count {
        tags.push(scanner.u64("a node's tag")?);
    }
    mesh.raw.positions.reserve(tags.len());
    mesh.tags.reserve(tags.len());
    for tag in tags {
        let x = scanner.f64("a node's x")?;
        let y = scanner.f64("a node's y")?;
        let z = scanner.f64("a node's z")?;
        for _ in 3..columns {
            scanner.expect("a node's coordinate on its entity")?;
        }
        mesh.push_node(tag, [x, y, z]);
    }
    Ok(())
}

/// `blocks elements least-tag greatest-tag`, then blocks of `dimension entity type elements` and the elements,
/// `tag nodes…` each.
pub(super) fn elements(
    scanner: &mut Scanner,
    encoding: Encoding,
    mesh: &mut Builder,
) -> Result<(), MeshError> {
    let mut numbers = Numbers { scanner, encoding };
    let blocks = numbers.size("the number of element blocks")?;
    let total = numbers.size("the number of elements")?;
    numbers.size("the least element tag")?;
    numbers.size("the greatest element tag")?;
    let mut found = 0u64;
    for _ in 0..blocks {
        numbers.int("an entity's dimension")?;
        numbers.int("an entity's tag")?;
        let number = numbers.int("a block's element type")?;
        let count = numbers.size("a block's number of elements")?;
        let (kind, size) = element_type(number);
        found = found.saturating_add(count);
        match encoding.binary {
            None => text_elements(numbers.scanner, kind, size, count, mesh)?,
            Some(_) if size == 0 => {
                let message = format!("element type {number} is not known; save the file as text");
                return Err(numbers.scanner.error(message));
            }
            Some(order) => {
                let tag = if encoding.size == 4 { Scalar::U32 } else { Scalar::U64 };
                let bytes = numbers.scanner.take_items(count, (1 + size) * tag.size(), "the elements")?;
                if let Kind::Other(what) = kind {
                    mesh.raw.pass_over(what, count as usize);
                    continue;
                }
                let rows = tag.integers(order, bytes).unwrap_or_default();
                for row in rows.chunks_exact(1 + size) {
                    let mut nodes = [0; 4];
                    for (node, &tag) in nodes.iter_mut().zip(&row[1..]) {
                        *node = tag as u64;
                    }
                    mesh.push_element(numbers.scanner, kind, &nodes[..size])?;
                }
            }
        }
    }
    mesh.check_count("elements", total, found);
    Ok(())
}

fn text_elements(
    scanner: &mut Scanner,
    kind: Kind,
    size: usize,
    count: u64,
    mesh: &mut Builder,
) -> Result<(), MeshError> {
    if let Kind::Other(what) = kind {
        // One a line; what is on it does not matter.
        scanner.line();
        for _ in 0..count {
            if scanner.line().is_none() {
                return Err(scanner.ends_early("an element"));
            }
        }
        mesh.raw.pass_over(what, count as usize);
        return Ok(());
    }
    for _ in 0..count {
        scanner.expect("an element's tag")?;
        let mut nodes = [0; 4];
        for node in &mut nodes[..size] {
            *node = scanner.u64("an element's node")?;
        }
        mesh.push_element(scanner, kind, &nodes[..size])?;
    }
    Ok(())
}
