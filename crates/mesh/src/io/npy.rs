//! NumPy arrays (`.npy`): a header in text, then numbers.
//!
//! A reader of our own: `npyz` multiplies the sizes of a header without a check, and parses its text by
//! recursion, so that a broken file could stop the program.

use std::io::Read;
use std::path::Path;

use glam::DVec3;

use super::scalar::{ByteOrder, Scalar};
use super::{MeshError, RawMesh, io_error};

/// An array in memory, still as bytes.
pub(crate) struct Array {
    /// Its name, for errors: `array "rest"`, or empty for a file of its own.
    name: String,
    shape: Vec<u64>,
    scalar: Scalar,
    order: ByteOrder,
    /// Whether columns are stored one behind the other (Fortran's order), not rows.
    columns_first: bool,
    data: Vec<u8>,
}

/// Whether these bytes begin an `.npy` file.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x93NUMPY")
}

/// Reads an `.npy` file of positions, `[n,3]`.
pub(crate) fn read(path: &Path, bytes: &[u8]) -> Result<RawMesh, MeshError> {
    let array = Array::read(path, "the array", bytes)?;
    Ok(RawMesh { positions: array.points(path)?, ..RawMesh::default() })
}

impl Array {
    /// Reads one array from `input`; `name` is for errors.
    pub(crate) fn read(path: &Path, name: &str, mut input: impl Read) -> Result<Self, MeshError> {
        let fail = |message: String| format_error(path, format!("{name} {message}"));
        let mut magic = [0; 8];
        input.read_exact(&mut magic).map_err(io_error(path))?;
        if !sniff(&magic) {
            return Err(fail("is no NumPy array".into()));
        }
        let mut length = [0; 4];
        let length_bytes = if magic[6] == 1 { 2 } else { 4 };
        input.read_exact(&mut length[..length_bytes]).map_err(io_error(path))?;
        let length = u64::from(u32::from_le_bytes(length));
        let mut header = Vec::new();
        input.by_ref().take(length.min(1 << 16)).read_to_end(&mut header).map_err(io_error(path))?;
        let header = String::from_utf8_lossy(&header);
        let Header { scalar, order, columns_first, shape } = parse_header(&header)
            .ok_or_else(|| fail(format!("is not a plain array of numbers: {}", header.trim())))?;

        let bytes = shape.iter().try_fold(scalar.size() as u64, |n, &k| n.checked_mul(k));
        let bytes = bytes.ok_or_else(|| fail(format!("has an impossible shape {shape:?}")))?;
        let mut data = Vec::new();
        input.take(bytes).read_to_end(&mut data).map_err(io_error(path))?;
        if data.len() as u64 != bytes {
            return Err(fail(format!("ends early: {} of {bytes} bytes; is the file complete?", data.len())));
        }
        Ok(Array { name: name.to_string(), shape, scalar, order, columns_first, data })
    }

    /// The numbers in double precision, whatever type they have.
    pub(crate) fn floats(&self) -> Vec<f64> {
        self.scalar.floats(self.order, &self.data)
    }

    /// The integers.
    pub(crate) fn integers(&self, path: &Path) -> Result<Vec<i64>, MeshError> {
        self.scalar.integers(self.order, &self.data).ok_or_else(|| {
            format_error(path, format!("{} should hold whole numbers, not {:?}", self.name, self.scalar))
        })
    }

    /// The positions of an `[n,3]` array.
    pub(crate) fn points(&self, path: &Path) -> Result<Vec<DVec3>, MeshError> {
        Ok(self.rows(path, self.floats())?.into_iter().map(DVec3::from_array).collect())
    }

    /// The rows of an `[n,K]` array of vertex indices below `count`.
    pub(crate) fn elements<const K: usize>(
        &self,
        path: &Path,
        element: &'static str,
        count: usize,
    ) -> Result<Vec<[u32; K]>, MeshError> {
        let rows: Vec<[i64; K]> = self.rows(path, self.integers(path)?)?;
        let mut elements = Vec::with_capacity(rows.len());
        for (index, row) in rows.into_iter().enumerate() {
            let mut ids = [0; K];
            for (id, vertex) in ids.iter_mut().zip(row) {
                *id = super::vertex_index(path, element, index, vertex, count)?;
            }
            elements.push(ids);
        }
        Ok(elements)
    }

    /// The rows of an `[n,K]` array of these numbers.
    fn rows<const K: usize, T: Copy>(&self, path: &Path, numbers: Vec<T>) -> Result<Vec<[T; K]>, MeshError> {
        let n = numbers.len() / K;
        match self.shape[..] {
            [_, k] if k == K as u64 && self.columns_first => {
                Ok((0..n).map(|i| std::array::from_fn(|k| numbers[k * n + i])).collect())
            }
            [_, k] if k == K as u64 => Ok(numbers.as_chunks().0.to_vec()),
            _ => Err(format_error(
                path,
                format!("{} has shape {:?}; [n, {K}] is wanted", self.name, self.shape),
            )),
        }
    }
}

pub(crate) fn format_error(path: &Path, message: impl Into<String>) -> MeshError {
    MeshError::Format { path: path.to_path_buf(), at: None, message: message.into() }
}

/// What the header of an array says.
struct Header {
    scalar: Scalar,
    order: ByteOrder,
    columns_first: bool,
    shape: Vec<u64>,
}

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }`.
fn parse_header(header: &str) -> Option<Header> {
    let value = |key: &str| Some(header.split_once(key)?.1.trim_start().strip_prefix(':')?.trim_start());
    let descr = value("'descr'")?.strip_prefix('\'')?.split_once('\'')?.0;
    let (order, kind) = descr.split_at_checked(1)?;
    let order = match order {
        "<" | "|" => ByteOrder::Little,
        ">" => ByteOrder::Big,
        _ => return None,
    };
    let scalar = match kind {
        "i1" => Scalar::I8,
        "u1" | "b1" => Scalar::U8,
        "i2" => Scalar::I16,
        "u2" => Scalar::U16,
        "i4" => Scalar::I32,
        "u4" => Scalar::U32,
        "i8" => Scalar::I64,
        "u8" => Scalar::U64,
        "f4" => Scalar::F32,
        "f8" => Scalar::F64,
        _ => return None,
    };
    let inside = value("'shape'")?.strip_prefix('(')?.split_once(')')?.0;
    let sizes = inside.split(',').map(str::trim).filter(|s| !s.is_empty());
    let shape: Vec<u64> = sizes.map(|s| s.parse().ok()).collect::<Option<_>>()?;
    let columns_first = !value("'fortran_order'")?.starts_with("False");
    Some(Header { scalar, order, columns_first, shape })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An `.npy` file of version 1.
    pub(crate) fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(data);
        file
    }

    #[test]
    fn arrays_of_both_orders_are_read() {
        let path = Path::new("a.npy");
        let p: Vec<u8> = [1.0f64, 2.0, 3.0, -4.0, 5.5, 0.1].iter().flat_map(|x| x.to_be_bytes()).collect();
        let raw = read(path, &npy(">f8", "(2, 3)", &p)).unwrap();
        assert_eq!(raw.positions, [DVec3::new(1.0, 2.0, 3.0), DVec3::new(-4.0, 5.5, 0.1)]);
    }

    #[test]
    fn columns_first_is_the_same_array() {
        let path = Path::new("a.npy");
        let file = |order: &str, data: [u8; 6]| {
            let file = npy("|u1", "(2, 3)", &data);
            let text = file.windows(5).position(|w| w == b"False").unwrap();
            [&file[..text], order.as_bytes(), &file[text + 5..]].concat()
        };
        let rows = read(path, &file("False", [1, 2, 3, 4, 5, 6])).unwrap();
        let columns = read(path, &file(" True", [1, 4, 2, 5, 3, 6])).unwrap();
        assert_eq!(rows.positions, columns.positions);
        assert_eq!(rows.positions[1], DVec3::new(4.0, 5.0, 6.0));
    }

    #[test]
    fn broken_headers_are_told() {
        let path = Path::new("a.npy");
        for (descr, shape, part) in [
            ("<f4", "(2, 3)", "ends early"),
            ("<f4", "(18446744073709551615, 3)", "impossible shape"),
            ("<f4", "(99999999999, 3)", "ends early"),
            ("<f4", "(4,)", "[n, 3] is wanted"),
            ("|O", "(1, 3)", "plain array"),
            ("<f4", "(1, -3)", "plain array"),
        ] {
            let e = read(path, &npy(descr, shape, &[0; 16])).err().unwrap().to_string();
            assert!(e.contains(part), "{e}");
        }
        assert!(read(path, b"\x93NUMPY\x01").is_err());
    }
}
