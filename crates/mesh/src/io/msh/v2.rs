//! Nodes and elements of MSH 2.x.

use super::{Builder, Encoding, Kind, Scanner, element_type};
use crate::io::MeshError;
use crate::io::scalar::{ByteOrder, Scalar};

/// Bytes of a node in a binary file: its tag and three coordinates.
const NODE: usize = 4 + 3 * 8;

/// The number of nodes, then `tag x y z` each.
pub(super) fn nodes(scanner: &mut Scanner, encoding: Encoding, mesh: &mut Builder) -> Result<(), MeshError> {
    let count = scanner.u64("the number of nodes")?;
    match encoding.binary {
        None => {
            let room = scanner.plausible(count, 8);
            mesh.raw.positions.reserve(room);
            mesh.tags.reserve(room);
            for _ in 0..count {
                let tag = scanner.u64("a node's tag")?;
                let x = scanner.f64("a node's x")?;
                let y = scanner.f64("a node's y")?;
                let z = scanner.f64("a node's z")?;
                mesh.push_node(tag, [x, y, z]);
            }
        }
        Some(order) => {
            scanner.line();
            let bytes = scanner.take_items(count, NODE, "the nodes")?;
            for node in bytes.as_chunks::<NODE>().0 {
                let p = Scalar::F64.floats(order, &node[4..]);
                let tag = u64::from(u32_at(order, node, 0));
                mesh.push_node(tag, [p[0], p[1], p[2]]);
            }
        }
    }
    mesh.number_nodes(scanner)
}

/// The number of elements, then `tag type number-of-tags tags… nodes…` each.
pub(super) fn elements(
    scanner: &mut Scanner,
    encoding: Encoding,
    mesh: &mut Builder,
) -> Result<(), MeshError> {
    let count = scanner.u64("the number of elements")?;
    match encoding.binary {
        None => text_elements(scanner, count, mesh),
        Some(order) => binary_elements(scanner, order, count, mesh),
    }
}

fn text_elements(scanner: &mut Scanner, count: u64, mesh: &mut Builder) -> Result<(), MeshError> {
    for _ in 0..count {
        scanner.u64("an element's tag")?;
        let (kind, size) = element_type(scanner.i64("an element's type")?);
        if let Kind::Other(what) = kind {
            mesh.raw.pass_over(what, 1);
            scanner.line();
            continue;
        }
        let tags = scanner.u64("an element's number of tags")?;
        for _ in 0..tags {
            scanner.expect("an element's tag")?;
        }
        let mut nodes = [0; 4];
        for node in &mut nodes[..size] {
            *node = scanner.u64("an element's node")?;
        }
        mesh.push_element(scanner, kind, &nodes[..size])?;
    }
    Ok(())
}

/// In blocks: `type, number of elements, number of tags`, then `tag, tags…, nodes…` each, all of four bytes.
fn binary_elements(
    scanner: &mut Scanner,
    order: ByteOrder,
    count: u64,
    mesh: &mut Builder,
) -> Result<(), MeshError> {
    scanner.line();
    let mut found = 0;
    while found < count {
        let header = scanner.take(12, "a block of elements")?;
        let number = u32_at(order, header, 0);
        let follow = u64::from(u32_at(order, header, 4));
        let tags = u32_at(order, header, 8) as usize;
        let (kind, size) = element_type(i64::from(number));
        if size == 0 {
            return Err(scanner.error(format!("element type {number} is not known; save the file as text")));
        }
        if follow == 0 || follow > count - found {
            return Err(
                scanner.error(format!("a block of {follow} elements where {} are left", count - found))
            );
        }
        let stride = 4 * (1 + tags + size);
        let block = scanner.take_items(follow, stride, "the elements")?;
        found += follow;
        if let Kind::Other(what) = kind {
            mesh.raw.pass_over(what, follow as usize);
            continue;
        }
        for element in block.chunks_exact(stride) {
            let mut nodes = [0; 4];
            for (k, node) in nodes[..size].iter_mut().enumerate() {
                *node = u64::from(u32_at(order, element, 4 * (1 + tags + k)));
            }
            mesh.push_element(scanner, kind, &nodes[..size])?;
        }
    }
    Ok(())
}

fn u32_at(order: ByteOrder, bytes: &[u8], at: usize) -> u32 {
    let b = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
    match order {
        ByteOrder::Little => u32::from_le_bytes(b),
        ByteOrder::Big => u32::from_be_bytes(b),
    }
}
