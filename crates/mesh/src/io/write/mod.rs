//! Writing meshes and frames. Every file is written whole or not at all (see [`write_atomically`]).
//!
//! What is written can be read again bit by bit: text formats print the shortest decimal that is the same number
//! in the precision in which it is stored.
//!
//! [`write_atomically`]: super::write_atomically

use std::io::{self, Write};

use bytemuck::Pod;
use glam::{DVec3, Vec3};

mod msh;
mod obj;
mod ply;
mod pvd;
mod vtu;

pub use msh::{MshEncoding, write_msh41};
pub use obj::write_obj;
pub use ply::write_ply;
pub use pvd::write_pvd;
pub use vtu::{Vtu, write_vtu};

/// Positions to write, in metres, in the precision in which they are stored.
#[derive(Clone, Copy, Debug)]
pub enum Points<'a> {
    /// Single precision: simulated positions.
    F32(&'a [Vec3]),
    /// Double precision: meshes from files and generators.
    F64(&'a [DVec3]),
}

impl Points<'_> {
    /// Number of points.
    pub fn len(&self) -> usize {
        match self {
            Points::F32(p) => p.len(),
            Points::F64(p) => p.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Prints `x y z` of point `i`.
    fn print(&self, i: usize, out: &mut impl Write) -> io::Result<()> {
        match self {
            Points::F32(p) => print_all(p[i].to_array(), out),
            Points::F64(p) => print_all(p[i].to_array(), out),
        }
    }

    fn values(&self) -> Values<'_> {
        match self {
            Points::F32(p) => Values::F32(bytemuck::cast_slice(p)),
            Points::F64(p) => Values::F64(bytemuck::cast_slice(p)),
        }
    }
}

impl<'a> From<&'a [Vec3]> for Points<'a> {
    fn from(p: &'a [Vec3]) -> Self {
        Points::F32(p)
    }
}

impl<'a> From<&'a Vec<Vec3>> for Points<'a> {
    fn from(p: &'a Vec<Vec3>) -> Self {
        Points::F32(p)
    }
}

impl<'a> From<&'a [DVec3]> for Points<'a> {
    fn from(p: &'a [DVec3]) -> Self {
        Points::F64(p)
    }
}

impl<'a> From<&'a Vec<DVec3>> for Points<'a> {
    fn from(p: &'a Vec<DVec3>) -> Self {
        Points::F64(p)
    }
}

/// Numbers of a data array.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the variants are named after their number types")]
pub enum Values<'a> {
    U8(&'a [u8]),
    I32(&'a [i32]),
    U32(&'a [u32]),
    I64(&'a [i64]),
    U64(&'a [u64]),
    F32(&'a [f32]),
    F64(&'a [f64]),
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Values::U8(v) => v.len(),
            Values::I32(v) => v.len(),
            Values::U32(v) => v.len(),
            Values::I64(v) => v.len(),
            Values::U64(v) => v.len(),
            Values::F32(v) => v.len(),
            Values::F64(v) => v.len(),
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Values::U8(v) => out.write_all(v),
            Values::I32(v) => write_le(v, out),
            Values::U32(v) => write_le(v, out),
            Values::I64(v) => write_le(v, out),
            Values::U64(v) => write_le(v, out),
            Values::F32(v) => write_le(v, out),
            Values::F64(v) => write_le(v, out),
        }
    }
}

/// A named array with one entry of `components` numbers for each point or each cell.
#[derive(Clone, Debug)]
pub struct DataArray<'a> {
    /// Its name.
    pub name: &'a str,
    /// Numbers per point or cell: 1 a scalar, 3 a vector.
    pub components: usize,
    /// The numbers.
    pub values: Values<'a>,
}

impl<'a> DataArray<'a> {
    /// One number for each point or cell.
    pub fn scalars(name: &'a str, values: Values<'a>) -> Self {
        DataArray { name, components: 1, values }
    }

    /// A vector for each point or cell, such as velocities in metres a second.
    pub fn vectors(name: &'a str, vectors: impl Into<Points<'a>>) -> Self {
        let values = match vectors.into() {
            Points::F32(p) => Values::F32(bytemuck::cast_slice(p)),
            Points::F64(p) => Values::F64(bytemuck::cast_slice(p)),
        };
        DataArray { name, components: 3, values }
    }
}

/// Writes numbers with the least byte first, on any machine.
fn write_le<T: Pod>(values: &[T], out: &mut impl Write) -> io::Result<()> {
    let bytes: &[u8] = bytemuck::cast_slice(values);
    if cfg!(target_endian = "little") {
        return out.write_all(bytes);
    }
    for number in bytes.chunks_exact(size_of::<T>()) {
        let mut number = number.to_vec();
        number.reverse();
        out.write_all(&number)?;
    }
    Ok(())
}

/// Prints numbers with blanks between, each as the shortest decimal that reads back as the same bits.
fn print_all<T: std::fmt::LowerExp + std::fmt::Display + Into<f64> + Copy>(
    numbers: [T; 3],
    out: &mut impl Write,
) -> io::Result<()> {
    for (k, number) in numbers.into_iter().enumerate() {
        if k > 0 {
            out.write_all(b" ")?;
        }
        let size = number.into().abs();
        // Without an exponent a very large or small number would be a long row of zeros.
        if size == 0.0 || (1e-5..1e15).contains(&size) {
            write!(out, "{number}")?;
        } else {
            write!(out, "{number:e}")?;
        }
    }
    Ok(())
}
