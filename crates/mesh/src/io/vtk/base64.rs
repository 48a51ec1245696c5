//! Base64 as it stands in VTK files: white space anywhere, and several streams, each with its own padding, one
//! behind the other.

/// A place in a base64 text.
pub(super) struct Base64<'a> {
    text: &'a [u8],
    /// Decoded, but not yet taken.
    ready: Vec<u8>,
}

impl<'a> Base64<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Base64 { text, ready: Vec::new() }
    }

    /// The next `count` bytes; `None` when the text ends before, or at a character that is none of base64.
    pub(super) fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        let mut bytes = std::mem::take(&mut self.ready);
        // Memory is reserved for what the text can hold, whatever is asked for.
        bytes.reserve(count.min(self.text.len() / 4 * 3));
        while bytes.len() < count {
            self.group(&mut bytes)?;
        }
        self.ready = bytes.split_off(count);
        Some(bytes)
    }

    /// Decodes the next four characters.
    fn group(&mut self, bytes: &mut Vec<u8>) -> Option<()> {
        let mut value = 0;
        let mut padding = 0;
        for _ in 0..4 {
            let mut c = *self.text.split_off_first()?;
            while c.is_ascii_whitespace() {
                c = *self.text.split_off_first()?;
            }
            let digit = match c {
                b'A'..=b'Z' => c - b'A',
                b'a'..=b'z' => c - b'a' + 26,
                b'0'..=b'9' => c - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                b'=' => 0,
                _ => return None,
            };
            if c == b'=' {
                padding += 1;
            } else if padding > 0 {
                return None;
            }
            value = value << 6 | u32::from(digit);
        }
        // Three is no padding: a group holds a byte at least.
        let decoded = 3usize.checked_sub(padding).filter(|&n| n > 0)?;
        bytes.extend(&value.to_be_bytes()[1..=decoded]);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_rfc_4648_decode() {
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE=", "fooba"),
            (" Zm9v\nYm Fy", "foobar"),
            ("Zg==Zm8=Zm9v", "ffofoo"),
        ] {
            assert_eq!(Base64::new(text.as_bytes()).take(bytes.len()).unwrap(), bytes.as_bytes());
            assert_eq!(Base64::new(text.as_bytes()).take(bytes.len() + 1), None);
        }
    }

    #[test]
    fn bytes_can_be_taken_in_any_portions() {
        let mut b = Base64::new(b"Zm9vYmFyZm9vYmFy/+8=");
        assert_eq!(b.take(1).unwrap(), b"f");
        assert_eq!(b.take(0).unwrap(), b"");
        assert_eq!(b.take(6).unwrap(), b"oobarf");
        assert_eq!(b.take(7).unwrap(), b"oobar\xff\xef");
        assert_eq!(b.take(1), None);
    }

    #[test]
    fn broken_text_is_none() {
        for text in ["Zm9", "Zm9*", "====", "Z===", "Zg=v"] {
            assert_eq!(Base64::new(text.as_bytes()).take(1), None, "{text}");
        }
    }
}
