//! One line of a text file as fields between white space: for formats where the end of a line means something.

use super::MeshError;
use super::scan::{Scanner, parse_f64, parse_i64, show};

/// What is left of a line. Errors point to the line that `scanner` read last.
pub(crate) struct Fields<'s, 'a> {
    scanner: &'s Scanner<'a>,
    rest: &'a [u8],
}

impl<'s, 'a> Fields<'s, 'a> {
    /// The fields of `line`, which `scanner` has just read.
    pub(crate) fn new(scanner: &'s Scanner<'a>, line: &'a [u8]) -> Self {
        Fields { scanner, rest: line }
    }

    /// The next field, if the line has one.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<&'a [u8]> {
        next_field(&mut self.rest)
    }

    /// The next field, of which `what` says what it should be.
    #[inline]
    pub(crate) fn expect(&mut self, what: &str) -> Result<&'a [u8], MeshError> {
        self.next().ok_or_else(|| self.error(format!("the line ends where {what} was expected")))
    }

    /// The next field as a floating-point number.
    #[inline]
    pub(crate) fn f64(&mut self, what: &str) -> Result<f64, MeshError> {
        let field = self.expect(what)?;
        parse_f64(field).ok_or_else(|| self.not_a("number", what, field))
    }

    /// The next three fields as floating-point numbers.
    #[inline]
    pub(crate) fn point(&mut self) -> Result<glam::DVec3, MeshError> {
        Ok(glam::DVec3::new(self.f64("x")?, self.f64("y")?, self.f64("z")?))
    }

    /// The next field as an integer from 0.
    #[inline]
    pub(crate) fn u64(&mut self, what: &str) -> Result<u64, MeshError> {
        let field = self.expect(what)?;
        let value = parse_i64(field).and_then(|i| u64::try_from(i).ok());
        value.ok_or_else(|| self.not_a("whole number from 0", what, field))
    }

    /// The byte at which this line begins.
    pub(crate) fn mark(&self) -> usize {
        self.scanner.mark()
    }

    /// An error about this line.
    pub(crate) fn error(&self, message: impl Into<String>) -> MeshError {
        self.scanner.error(message)
    }

    fn not_a(&self, kind: &str, what: &str, field: &[u8]) -> MeshError {
        self.error(format!("{what} should be a {kind}, not `{}`", show(field)))
    }
}

/// The fields of a line.
pub(crate) fn split(mut line: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || next_field(&mut line))
}

#[inline]
fn next_field<'a>(line: &mut &'a [u8]) -> Option<&'a [u8]> {
    let start = line.iter().position(|b| !b.is_ascii_whitespace())?;
    let rest = &line[start..];
    let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
    *line = &rest[end..];
    Some(&rest[..end])
}
