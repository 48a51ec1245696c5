//! A `DataArray` of a VTK XML file: numbers as text, base64 or raw bytes, in the element or appended to the file,
//! compressed or not.

use std::io::Read;
use std::path::Path;

use super::base64::Base64;
use crate::io::MeshError;
use crate::io::npy::format_error;
use crate::io::scalar::{ByteOrder, Scalar};
use crate::io::scan::Scanner;

/// What holds for all arrays of a file.
#[derive(Clone, Copy)]
pub(super) struct Encoding<'a> {
    pub(super) path: &'a Path,
    pub(super) order: ByteOrder,
    /// Type of the numbers before the data: `U32` or `U64`.
    pub(super) header: Scalar,
    pub(super) compressed: bool,
    /// What is appended, from behind the underscore, and whether it is base64.
    pub(super) appended: Option<(&'a [u8], bool)>,
}

/// An array that has not been decoded yet.
pub(super) struct DataArray<'a> {
    pub(super) name: String,
    pub(super) scalar: Scalar,
    pub(super) content: Content<'a>,
}

/// Where its numbers are.
pub(super) enum Content<'a> {
    /// Text in the element, which stands at this place of the file.
    Text(&'a str, usize),
    /// Base64 in the element.
    Base64(&'a str),
    /// At this offset of the appended data.
    Appended(u64),
}

/// The rest of some binary data.
enum Source<'a> {
    Raw(&'a [u8]),
    Base64(Base64<'a>),
}

impl Source<'_> {
    fn take(&mut self, count: u64) -> Option<Vec<u8>> {
        let count = usize::try_from(count).ok()?;
        match self {
            Source::Raw(bytes) => Some(bytes.split_off(..count)?.to_vec()),
            Source::Base64(text) => text.take(count),
        }
    }
}

impl<'a> DataArray<'a> {
    /// All numbers in double precision.
    pub(super) fn floats(&self, file: &Encoding<'a>, whole: &'a [u8]) -> Result<Vec<f64>, MeshError> {
        match self.content {
            Content::Text(text, at) => {
                let mut numbers = self.text(file, whole, text, at, Scanner::f64)?;
                self.scalar.round(&mut numbers);
                Ok(numbers)
            }
            _ => Ok(self.scalar.floats(file.order, &self.bytes(file)?)),
        }
    }

    /// All numbers as integers.
    pub(super) fn integers(&self, file: &Encoding<'a>, whole: &'a [u8]) -> Result<Vec<i64>, MeshError> {
        match self.content {
            Content::Text(text, at) => self.text(file, whole, text, at, Scanner::i64),
            _ => self
                .scalar
                .integers(file.order, &self.bytes(file)?)
                .ok_or_else(|| self.error(file, format!("should hold whole numbers, not {:?}", self.scalar))),
        }
    }

    /// Numbers as text. `at` is the place of `text` in the `whole` file, for errors.
    fn text<T>(
        &self,
        file: &Encoding<'a>,
        whole: &'a [u8],
        text: &str,
        at: usize,
        number: impl Fn(&mut Scanner<'a>, &str) -> Result<T, MeshError>,
    ) -> Result<Vec<T>, MeshError> {
        let what = format!("a number of the array `{}`", self.name);
        let mut scanner = Scanner::new(file.path, &whole[..at + text.len()]);
        scanner.seek(at);
        let mut numbers = Vec::new();
        scanner.skip_space();
        while !scanner.rest().is_empty() {
            numbers.push(number(&mut scanner, &what)?);
            scanner.skip_space();
        }
        Ok(numbers)
    }

    fn error(&self, file: &Encoding, message: impl std::fmt::Display) -> MeshError {
        format_error(file.path, format!("the array `{}` {message}", self.name))
    }

    /// The bytes of the numbers.
    fn bytes(&self, file: &Encoding<'a>) -> Result<Vec<u8>, MeshError> {
        let mut source = match self.content {
            Content::Text(..) => unreachable!("text has no bytes"),
            Content::Base64(text) => Source::Base64(Base64::new(text.as_bytes())),
            Content::Appended(offset) => {
                let Some((appended, base64)) = file.appended else {
                    return Err(self.error(file, "is appended, but the file ends before any appended data"));
                };
                let offset = usize::try_from(offset).unwrap_or(usize::MAX);
                let Some(rest) = appended.get(offset..) else {
                    return Err(self.error(file, "lies behind the end of the file; is it complete?"));
                };
                if base64 { Source::Base64(Base64::new(rest)) } else { Source::Raw(rest) }
            }
        };
        let bytes = if file.compressed {
            self.inflate(file, &mut source)
        } else {
            self.words(file, &mut source, 1).and_then(|size| source.take(size[0]))
        };
        bytes.ok_or_else(|| self.error(file, "ends early or is damaged; is the file complete?"))
    }

    /// Numbers of the header.
    fn words(&self, file: &Encoding, source: &mut Source, count: u64) -> Option<Vec<u64>> {
        let bytes = source.take(count.checked_mul(file.header.size() as u64)?)?;
        let words = file.header.integers(file.order, &bytes)?;
        words.into_iter().map(|w| u64::try_from(w).ok()).collect()
    }

    /// Compressed blocks: `number, size, size of the last, compressed size of each`, then the blocks.
    fn inflate(&self, file: &Encoding, source: &mut Source) -> Option<Vec<u8>> {
        let [blocks, size, last] = self.words(file, source, 3)?[..] else { return None };
        let compressed = self.words(file, source, blocks)?;
        let mut bytes = Vec::new();
        for (i, &length) in compressed.iter().enumerate() {
            let wanted = if i + 1 == compressed.len() && last > 0 { last } else { size };
            let before = bytes.len() as u64;
            let block = source.take(length)?;
            flate2::read::ZlibDecoder::new(&block[..]).take(wanted).read_to_end(&mut bytes).ok()?;
            if bytes.len() as u64 - before != wanted {
                return None;
            }
        }
        Some(bytes)
    }
}
