//! Where in the text of a scene a key stands.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Place, SceneError, SceneErrorKind, overrides};

/// The text that a scene was read from, with the overrides that were applied to it.
#[derive(Debug)]
pub(crate) struct Source {
    /// The scene file, or the name of a built-in scene.
    pub file: String,
    /// What the files that it names are relative to.
    pub folder: PathBuf,
    /// Its text.
    pub text: Arc<str>,
    /// Overrides, `path=value`. A value that came from number `i` has the empty span at `text.len() + 1 + i`.
    pub overrides: Vec<String>,
}

/// One step of a key path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    Key(String),
    Index(usize),
}

/// Splits `body[0].material.young_pa`.
pub(crate) fn segments(path: &str) -> Vec<Segment> {
    let mut out = Vec::new();
    for part in path.split('.').filter(|p| !p.is_empty() && *p != "?") {
        let (name, mut rest) = match part.find('[') {
            Some(at) => part.split_at(at),
            None => (part, ""),
        };
        if !name.is_empty() {
            out.push(Segment::Key(name.to_owned()));
        }
        while let Some((index, tail)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
            if let Ok(index) = index.parse() {
                out.push(Segment::Index(index));
            }
            rest = tail;
        }
    }
    out
}

/// What a key path leads to.
pub(crate) struct Found<'a, 'i> {
    /// Span of the key, for entries of tables.
    pub key: Option<Range<usize>>,
    /// The value; none for the document itself.
    pub value: Option<&'a Spanned<DeValue<'i>>>,
    /// Whether all of the path was there, or only the start of it.
    pub complete: bool,
}

/// Follows a key path as far as it leads.
pub(crate) fn find<'a, 'i>(root: &'a DeTable<'i>, path: &[Segment]) -> Found<'a, 'i> {
    let mut found = Found { key: None, value: None, complete: true };
    for segment in path {
        let next = match (segment, found.value) {
            (Segment::Key(name), None) => entry(root, name),
            (Segment::Key(name), Some(v)) => v.get_ref().as_table().and_then(|t| entry(t, name)),
            (Segment::Index(i), Some(v)) => v.get_ref().as_array().and_then(|a| a.get(*i)).map(|v| (None, v)),
            (Segment::Index(_), None) => None,
        };
        let Some((key, value)) = next else {
            found.complete = false;
            return found;
        };
        found = Found { key, value: Some(value), complete: true };
    }
    found
}

impl Source {
    /// The document with the overrides in it.
    pub fn document(&self) -> Result<Spanned<DeTable<'_>>, SceneError> {
        let mut root = DeTable::parse(&self.text).map_err(|e| {
            // A span at the end of the text may reach past it, which would read as an override.
            let end = self.text.len();
            let span = e.span().map_or(0..0, |s| s.start.min(end)..s.end.min(end));
            let message = e.message().lines().collect::<Vec<_>>().join(", ");
            self.error_in(SceneErrorKind::Syntax, "", span, message)
        })?;
        for (i, text) in self.overrides.iter().enumerate() {
            let mark = self.text.len() + 1 + i;
            overrides::apply(root.get_mut(), text, mark..mark)?;
        }
        Ok(root)
    }

    /// An error about the value at `key`.
    pub fn error(&self, kind: SceneErrorKind, key: &str, message: String) -> SceneError {
        let span = match self.document() {
            Ok(root) => find(root.get_ref(), &segments(key)).value.map_or(0..0, |v| v.span()),
            Err(_) => 0..0,
        };
        self.error_in(kind, key, span, message)
    }

    /// An error about the text in `span`, or about the override that it stands for.
    pub fn error_in(
        &self,
        kind: SceneErrorKind,
        key: &str,
        span: Range<usize>,
        message: String,
    ) -> SceneError {
        let mut error = SceneError::without_source(kind, &self.file, key, message);
        if let Some(i) = self.override_of(&span) {
            error.file = format!("--set {}", self.overrides[i]);
        } else if span != (0..0) {
            let (line, column) = line_column(&self.text, span.start);
            error.place = Some(Box::new(Place { line, column, span, text: self.text.clone() }));
        }
        error
    }

    /// Which override a span stands for.
    pub fn override_of(&self, span: &Range<usize>) -> Option<usize> {
        span.start.checked_sub(self.text.len() + 1).filter(|&i| i < self.overrides.len())
    }
}

type Entry<'a, 'i> = (Option<Range<usize>>, &'a Spanned<DeValue<'i>>);

fn entry<'a, 'i>(table: &'a DeTable<'i>, name: &str) -> Option<Entry<'a, 'i>> {
    table.get_key_value(name).map(|(k, v)| (Some(k.span()), v))
}

/// Line and column, from 1, of a byte; columns count characters.
pub(crate) fn line_column(text: &str, byte: usize) -> (usize, usize) {
    let mut at = byte.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_split() {
        let key = |s: &str| Segment::Key(s.into());
        assert_eq!(
            segments("body[12].pin[0].at"),
            [key("body"), Segment::Index(12), key("pin"), Segment::Index(0), key("at")]
        );
        assert_eq!(segments("gravity[2]"), [key("gravity"), Segment::Index(2)]);
        assert_eq!(segments("."), []);
    }

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let text = "a\nµµb\n";
        assert_eq!(line_column(text, 0), (1, 1));
        assert_eq!(line_column(text, text.find('b').unwrap()), (2, 3));
        assert_eq!(line_column(text, 99), (3, 1));
    }
}
