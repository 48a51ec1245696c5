//! A place in a file that is being read: tokens, lines and numbers of a text, bytes of a binary file, and
//! errors that say where. Counts in a header are never trusted: memory grows with what the file really holds.

use std::path::Path;

use super::{Location, MeshError};

/// A place in the bytes of a file. Text is read as bytes: no line is ever copied.
#[derive(Clone)]
pub(crate) struct Scanner<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    at: usize,
    /// Where the thing that was read last began: errors point there.
    mark: usize,
    /// Whether errors give a byte offset instead of a line.
    binary: bool,
}

impl<'a> Scanner<'a> {
    /// The beginning of `bytes`, the content of `path`.
    pub(crate) fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        Scanner { path, bytes, at: 0, mark: 0, binary: false }
    }

    /// Whether errors give a byte offset (binary data) or a line.
    pub(crate) fn set_binary(&mut self, binary: bool) {
        self.binary = binary;
    }

    /// The file.
    pub(crate) fn path(&self) -> &'a Path {
        self.path
    }

    /// Bytes read so far.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Where the thing that was read last began: for errors that come later.
    pub(crate) fn mark(&self) -> usize {
        self.mark
    }

    /// Goes to a place, at most the end.
    pub(crate) fn seek(&mut self, at: usize) {
        self.at = at.min(self.bytes.len());
        self.mark = self.at;
    }

    /// What has not been read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// `count`, but no more than the rest of the file can hold at `bytes_each` or more: for reserving memory.
    pub(crate) fn plausible(&self, count: u64, bytes_each: usize) -> usize {
        count.min((self.rest().len() / bytes_each.max(1) + 1) as u64) as usize
    }

    /// An error about what was read last.
    pub(crate) fn error(&self, message: impl Into<String>) -> MeshError {
        self.error_at(self.mark, message)
    }

    /// An error about the byte `at`, told by its line when the file is text.
    pub(crate) fn error_at(&self, at: usize, message: impl Into<String>) -> MeshError {
        let at = at.min(self.bytes.len());
        let location = if self.binary { Location::Byte(at as u64) } else { Location::Line(self.line_of(at)) };
        MeshError::Format { path: self.path.to_path_buf(), at: Some(location), message: message.into() }
    }

    /// The line of the byte `at` of a text file, from 1.
    pub(crate) fn line_of(&self, at: usize) -> usize {
        1 + self.bytes[..at.min(self.bytes.len())].iter().filter(|&&b| b == b'\n').count()
    }

    /// An error about the end of the file.
    pub(crate) fn ends_early(&self, wanted: &str) -> MeshError {
        self.error_at(self.bytes.len(), format!("the file ends where {wanted} was expected; is it complete?"))
    }

    /// Passes over white space.
    pub(crate) fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(rest.len());
    }

    /// The rest of the line without its end (LF or CR LF); `None` at the end of the file.
    pub(crate) fn line(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        self.mark = self.at;
        let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += (end + 1).min(rest.len());
        let line = &rest[..end];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// The next run of characters that are no white space, on this line or a later one; `None` at the end.
    #[inline]
    pub(crate) fn token(&mut self) -> Option<&'a [u8]> {
        self.skip_space();
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        self.mark = self.at;
        let end = rest.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(rest.len());
        self.at += end;
        Some(&rest[..end])
    }

    /// The next token, of which `what` says what it should be.
    #[inline]
    pub(crate) fn expect(&mut self, what: &str) -> Result<&'a [u8], MeshError> {
        match self.token() {
            Some(token) => Ok(token),
            None => Err(self.ends_early(what)),
        }
    }

    /// The next token as a floating-point number (`nan` and `inf` are numbers here; the loader refuses them).
    #[inline]
    pub(crate) fn f64(&mut self, what: &str) -> Result<f64, MeshError> {
        let token = self.expect(what)?;
        parse_f64(token).ok_or_else(|| self.not_a("number", what, token))
    }

    /// The next token as an integer.
    #[inline]
    pub(crate) fn i64(&mut self, what: &str) -> Result<i64, MeshError> {
        let token = self.expect(what)?;
        parse_i64(token).ok_or_else(|| self.not_a("whole number", what, token))
    }

    /// The next token as an integer from 0.
    #[inline]
    pub(crate) fn u64(&mut self, what: &str) -> Result<u64, MeshError> {
        let token = self.expect(what)?;
        let value = parse_i64(token).and_then(|i| u64::try_from(i).ok());
        value.ok_or_else(|| self.not_a("whole number from 0", what, token))
    }

    fn not_a(&self, kind: &str, what: &str, token: &[u8]) -> MeshError {
        self.error(format!("{what} should be a {kind}, not `{}`", show(token)))
    }

    /// The next `count` bytes of binary data.
    pub(crate) fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], MeshError> {
        self.mark = self.at;
        match self.rest().get(..count) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => Err(self.ends_early(what)),
        }
    }

    /// The next `count` items of `size` bytes of binary data.
    pub(crate) fn take_items(&mut self, count: u64, size: usize, what: &str) -> Result<&'a [u8], MeshError> {
        let bytes = usize::try_from(count).ok().and_then(|n| n.checked_mul(size));
        self.take(bytes.unwrap_or(usize::MAX), what)
    }
}

/// A number as text; `None` when it is none.
#[inline]
pub(crate) fn parse_f64(token: &[u8]) -> Option<f64> {
    std::str::from_utf8(token).ok()?.parse().ok()
}

/// A whole number as text; `None` when it is none or does not fit.
#[inline]
pub(crate) fn parse_i64(token: &[u8]) -> Option<i64> {
    let (negative, digits) = match token {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 {
        // Longer ones may not fit: the library's parser is exact and slower.
        return std::str::from_utf8(token).ok()?.parse().ok();
    }
    let mut value = 0i64;
    for &d in digits {
        if !d.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(d - b'0');
    }
    Some(if negative { -value } else { value })
}

/// Bytes of a file for an error message: at most 40 characters, control characters escaped.
pub(crate) fn show(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]);
    let mut shown: String = text.chars().flat_map(|c| c.escape_debug()).collect();
    if bytes.len() > 40 {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_tokens_and_numbers_know_their_place() {
        let mut s = Scanner::new(Path::new("x"), b"one 2\r\n\n -3.5e2\tnan\n99999999999999999999 z");
        assert_eq!(s.token(), Some(&b"one"[..]));
        assert_eq!(s.u64("a count").unwrap(), 2);
        assert_eq!(s.line(), Some(&b""[..]));
        assert_eq!(s.f64("x").unwrap(), -350.0);
        assert!(s.f64("x").unwrap().is_nan());
        let e = s.i64("a tag").unwrap_err().to_string();
        assert!(e.contains("line 4") && e.contains("a tag") && e.contains("9999"), "{e}");
        let e = s.u64("a tag").unwrap_err().to_string();
        assert!(e.contains("`z`"), "{e}");
        let e = s.u64("a tag").unwrap_err().to_string();
        assert!(e.contains("ends where a tag was expected"), "{e}");
    }

    #[test]
    fn whole_numbers_are_exact_to_the_end_of_their_range() {
        for i in [0, -1, 7, i64::MAX, i64::MIN, 999_999_999_999_999_999, 1_000_000_000_000_000_000] {
            assert_eq!(parse_i64(i.to_string().as_bytes()), Some(i));
        }
        for bad in ["", "-", "+", "1.0", "0x1", "9223372036854775808", "１"] {
            assert_eq!(parse_i64(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn a_header_cannot_reserve_more_than_the_file_holds() {
        let mut s = Scanner::new(Path::new("x"), &[0; 100]);
        assert_eq!(s.plausible(u64::MAX, 10), 11);
        assert_eq!(s.plausible(3, 10), 3);
        assert!(s.take_items(u64::MAX, 8, "nodes").is_err());
        assert_eq!(s.take_items(2, 8, "nodes").unwrap().len(), 16);
    }
}
