//! Numbers as binary files hold them: a type, a byte order, bytes.

/// A number type of a binary array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

/// Which byte of a number comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

/// Calls `convert` on each number of `bytes`; a rest that is no whole number is ignored.
fn each<const N: usize, T>(bytes: &[u8], order: ByteOrder, convert: impl Fn([u8; N]) -> T) -> Vec<T> {
    let numbers = bytes.as_chunks::<N>().0.iter();
    match order {
        ByteOrder::Little => numbers.map(|&b| convert(b)).collect(),
        ByteOrder::Big => numbers
            .map(|&b| {
                let mut b = b;
                b.reverse();
                convert(b)
            })
            .collect(),
    }
}

impl Scalar {
    /// Bytes of one number.
    pub(crate) fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// The numbers of `bytes` in double precision.
    pub(crate) fn floats(self, order: ByteOrder, bytes: &[u8]) -> Vec<f64> {
        match self {
            Scalar::I8 => each(bytes, order, |b| f64::from(i8::from_le_bytes(b))),
            Scalar::U8 => each(bytes, order, |b| f64::from(u8::from_le_bytes(b))),
            Scalar::I16 => each(bytes, order, |b| f64::from(i16::from_le_bytes(b))),
            Scalar::U16 => each(bytes, order, |b| f64::from(u16::from_le_bytes(b))),
            Scalar::I32 => each(bytes, order, |b| f64::from(i32::from_le_bytes(b))),
            Scalar::U32 => each(bytes, order, |b| f64::from(u32::from_le_bytes(b))),
            Scalar::I64 => each(bytes, order, |b| i64::from_le_bytes(b) as f64),
            Scalar::U64 => each(bytes, order, |b| u64::from_le_bytes(b) as f64),
            Scalar::F32 => each(bytes, order, |b| f64::from(f32::from_le_bytes(b))),
            Scalar::F64 => each(bytes, order, f64::from_le_bytes),
        }
    }

    /// The integer at the beginning of `bytes`, as [`Scalar::integers`]; `None` also where there are too few bytes.
    #[inline]
    pub(crate) fn integer(self, order: ByteOrder, bytes: &[u8]) -> Option<i64> {
        let mut raw = [0; 8];
        let given = bytes.get(..self.size())?;
        raw[..given.len()].copy_from_slice(given);
        if order == ByteOrder::Big {
            raw[..given.len()].reverse();
        }
        let wide = u64::from_le_bytes(raw);
        Some(match self {
            Scalar::I8 => i64::from(wide as i8),
            Scalar::I16 => i64::from(wide as i16),
            Scalar::I32 => i64::from(wide as i32),
            Scalar::I64 => wide as i64,
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => i64::try_from(wide).unwrap_or(i64::MAX),
            Scalar::F32 | Scalar::F64 => return None,
        })
    }

    /// Rounds numbers that were read as text to what this type holds, as if they had been written in binary.
    pub(crate) fn round(self, numbers: &mut [f64]) {
        if self == Scalar::F32 {
            for x in numbers {
                *x = f64::from(*x as f32);
            }
        }
    }

    /// The numbers of `bytes` as integers (those beyond `i64` as its largest, which no index is); `None` for
    /// floating-point types.
    pub(crate) fn integers(self, order: ByteOrder, bytes: &[u8]) -> Option<Vec<i64>> {
        Some(match self {
            Scalar::I8 => each(bytes, order, |b| i64::from(i8::from_le_bytes(b))),
            Scalar::U8 => each(bytes, order, |b| i64::from(u8::from_le_bytes(b))),
            Scalar::I16 => each(bytes, order, |b| i64::from(i16::from_le_bytes(b))),
            Scalar::U16 => each(bytes, order, |b| i64::from(u16::from_le_bytes(b))),
            Scalar::I32 => each(bytes, order, |b| i64::from(i32::from_le_bytes(b))),
            Scalar::U32 => each(bytes, order, |b| i64::from(u32::from_le_bytes(b))),
            Scalar::I64 => each(bytes, order, i64::from_le_bytes),
            Scalar::U64 => each(bytes, order, |b| i64::try_from(u64::from_le_bytes(b)).unwrap_or(i64::MAX)),
            Scalar::F32 | Scalar::F64 => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_byte_orders_give_the_same_numbers() {
        assert_eq!(Scalar::F32.floats(ByteOrder::Little, &1.5f32.to_le_bytes()), [1.5]);
        assert_eq!(Scalar::F32.floats(ByteOrder::Big, &1.5f32.to_be_bytes()), [1.5]);
        assert_eq!(Scalar::I16.integers(ByteOrder::Big, &(-2i16).to_be_bytes()), Some(vec![-2]));
        assert_eq!(Scalar::U64.integers(ByteOrder::Little, &u64::MAX.to_le_bytes()), Some(vec![i64::MAX]));
        assert_eq!(Scalar::F64.integers(ByteOrder::Little, &[0; 8]), None);
        assert_eq!(Scalar::I16.integer(ByteOrder::Big, &(-2i16).to_be_bytes()), Some(-2));
        assert_eq!(Scalar::U16.integer(ByteOrder::Little, &65_000u16.to_le_bytes()), Some(65_000));
        assert_eq!(Scalar::I64.integer(ByteOrder::Little, &[255; 8]), Some(-1));
        assert_eq!(Scalar::U64.integer(ByteOrder::Big, &[255; 8]), Some(i64::MAX));
        assert_eq!(Scalar::I32.integer(ByteOrder::Big, &[0; 3]), None);
        assert_eq!(Scalar::I32.floats(ByteOrder::Big, &[0, 0, 0, 7, 9]), [7.0]);
    }
}
