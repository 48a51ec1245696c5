//! Gmsh MSH 4.1.

use std::io::{self, Write};
use std::path::Path;

use super::{Points, print_all, write_le};
use crate::io::{MeshError, write_atomically};

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MshEncoding {
    /// Text: larger, readable by people and by every program.
    Text,
    /// Bytes, the least first.
    Binary,
}

/// Writes a mesh as MSH 4.1: one entity of triangles and one of tetrahedra; node `i` has the tag `i + 1`.
///
/// Single-precision positions are widened, exactly: the format knows double precision only.
///
/// Errors: [`MeshError::Io`].
pub fn write_msh41<'a>(
    path: impl AsRef<Path>,
    points: impl Into<Points<'a>>,
    tets: &[[u32; 4]],
    triangles: &[[u32; 3]],
    encoding: MshEncoding,
) -> Result<(), MeshError> {
    let points = points.into();
    write_atomically(path.as_ref(), |out| {
        let mut out = Msh { out, binary: encoding == MshEncoding::Binary };
        out.header()?;
        out.nodes(points, !triangles.is_empty() && !tets.is_empty(), if tets.is_empty() { 2 } else { 3 })?;
        out.elements(tets, triangles)
    })
}

struct Msh<W> {
    out: W,
    binary: bool,
}

impl<W: Write> Msh<W> {
    fn header(&mut self) -> io::Result<()> {
        write!(self.out, "$MeshFormat\n4.1 {} 8\n", u8::from(self.binary))?;
        if self.binary {
            write_le(&[1i32], &mut self.out)?;
            writeln!(self.out)?;
        }
        writeln!(self.out, "$EndMeshFormat")
    }

    /// All nodes on one entity. Gmsh knows no entity but those of the nodes' blocks: `both` adds an empty block for
    /// the triangles beside the tetrahedra.
    fn nodes(&mut self, points: Points, both: bool, dimension: i32) -> io::Result<()> {
        let count = points.len() as u64;
        writeln!(self.out, "$Nodes")?;
        self.sizes(&[1 + u64::from(both), count, count.min(1), count])?;
        if both {
            self.entity([2, 1, 0], 0)?;
        }
        self.entity([dimension, 1, 0], count)?;
        for tag in 1..=count {
            self.sizes(&[tag])?;
        }
        for i in 0..points.len() {
            let p = match points {
                Points::F32(p) => p[i].as_dvec3(),
                Points::F64(p) => p[i],
            };
            if self.binary {
                write_le(&p.to_array(), &mut self.out)?;
            } else {
                print_all(p.to_array(), &mut self.out)?;
                writeln!(self.out)?;
            }
        }
        if self.binary {
            writeln!(self.out)?;
        }
        writeln!(self.out, "$EndNodes")
    }

    fn elements(&mut self, tets: &[[u32; 4]], triangles: &[[u32; 3]]) -> io::Result<()> {
        let count = (tets.len() + triangles.len()) as u64;
        let blocks = u64::from(!tets.is_empty()) + u64::from(!triangles.is_empty());
        writeln!(self.out, "$Elements")?;
        self.sizes(&[blocks, count, count.min(1), count])?;
        self.block([2, 1, 2], triangles, 1)?;
        self.block([3, 1, 4], tets, 1 + triangles.len() as u64)?;
        if self.binary {
            writeln!(self.out)?;
        }
        writeln!(self.out, "$EndElements")
    }

    fn block<const K: usize>(&mut self, entity: [i32; 3], elements: &[[u32; K]], tag: u64) -> io::Result<()> {
        if elements.is_empty() {
            return Ok(());
        }
        self.entity(entity, elements.len() as u64)?;
        for (tag, ids) in (tag..).zip(elements) {
            let mut row = [tag; 5];
            for (number, &id) in row[1..].iter_mut().zip(ids) {
                *number = u64::from(id) + 1;
            }
            self.sizes(&row[..K + 1])?;
        }
        Ok(())
    }

    /// The line before a block: three `int` and a `size_t`.
    fn entity(&mut self, [a, b, c]: [i32; 3], count: u64) -> io::Result<()> {
        if self.binary {
            write_le(&[a, b, c], &mut self.out)?;
            return self.sizes(&[count]);
        }
        writeln!(self.out, "{a} {b} {c} {count}")
    }

    /// A line of `size_t`.
    fn sizes(&mut self, numbers: &[u64]) -> io::Result<()> {
        if self.binary {
            return write_le(numbers, &mut self.out);
        }
        for (k, number) in numbers.iter().enumerate() {
            write!(self.out, "{}{number}", if k > 0 { " " } else { "" })?;
        }
        writeln!(self.out)
    }
}
