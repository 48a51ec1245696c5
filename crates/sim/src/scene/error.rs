//! Errors in scenes: where, what, and what was probably meant.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// What kind of fault a scene has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SceneErrorKind {
    /// The scene file, or a file that it names, cannot be read.
    File,
    /// The text is not TOML.
    Syntax,
    /// A key that the format does not have.
    UnknownKey,
    /// A key that must be given is not.
    MissingKey,
    /// A value of the wrong type, or a word that is not among the choices.
    Value,
    /// A value out of its range, or two that do not go together.
    Range,
    /// An override whose path leads nowhere.
    Override,
    /// A mesh, pose or region that does not fit the scene.
    Content,
}

/// A fault in a scene: file, line and key, what is wrong, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// Kind of fault.
    pub kind: SceneErrorKind,
    /// The scene file, the name of a built-in scene, or the override.
    pub file: String,
    /// Where in the text; none where the fault is an override, or the scene was made in code.
    pub place: Option<Box<Place>>,
    /// The key, such as `body[0].material.young_pa`; empty for faults of the whole file.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What to do, or what was probably meant.
    pub hint: Option<String>,
}

/// A place in the text of a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column, in characters from 1.
    pub column: usize,
    /// Bytes of `text` that are at fault.
    pub span: Range<usize>,
    /// The text of the whole scene.
    pub text: Arc<str>,
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(place) = &self.place {
            write!(f, ":{}:{}", place.line, place.column)?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneError {}

impl SceneError {
    pub(crate) fn unreadable(path: &Path, error: std::io::Error) -> Self {
        let mut e =
            Self::without_source(SceneErrorKind::File, &path.display().to_string(), "", error.to_string());
        e.hint = similar_file(path);
        e
    }

    /// A scene file that is no UTF-8.
    pub(crate) fn not_text(path: &Path, error: &std::string::FromUtf8Error) -> Self {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let line = 1 + bytes[..at].iter().filter(|&&b| b == b'\n').count();
        let message = format!("is not UTF-8 text: byte {at} (in line {line}) is 0x{:02x}", bytes[at]);
        Self::without_source(SceneErrorKind::File, &path.display().to_string(), "", message)
            .with_hint("a scene is a TOML file; save it as UTF-8")
    }

    pub(crate) fn without_source(kind: SceneErrorKind, file: &str, key: &str, message: String) -> Self {
        Self { kind, file: file.to_owned(), place: None, key: key.to_owned(), message, hint: None }
    }

    /// The same error with advice.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// "did you mean" for a file that is not there, from the names in its folder.
pub(crate) fn similar_file(path: &Path) -> Option<String> {
    if path.exists() {
        return None;
    }
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Some(format!("there is no folder {}", folder.display()));
    }
    let names: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    did_you_mean(&path.file_name()?.to_string_lossy(), names.iter().map(String::as_str))
}

/// "did you mean `x`?" with the choice nearest to `word`, if one is near enough.
pub fn did_you_mean<'a>(word: &str, choices: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, choices).map(|choice| format!("did you mean `{choice}`?"))
}

/// The choice nearest to `word` by edit distance, ties by name; none further than a third of its letters (at least 1).
fn nearest<'a>(word: &str, choices: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    choices
        .into_iter()
        .map(|choice| (edit_distance(&word.to_lowercase(), &choice.to_lowercase()), choice))
        .filter(|&(distance, _)| distance <= limit)
        .min()
        .map(|(_, choice)| choice)
        .or(None)
}

/// Edit distance where swapping two neighbours counts as one (optimal string alignment).
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let width = b.len() + 1;
    let mut d = vec![0; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            d[i * width + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = usize::from(a[i - 1] != b[j - 1]);
                let mut best = (d[(i - 1) * width + j] + 1)
                    .min(d[i * width + j - 1] + 1)
                    .min(d[(i - 1) * width + j - 1] + change);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(d[(i - 2) * width + j - 2] + 1);
                }
                best
            };
        }
    }
    d[a.len() * width + b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (a, b, n) in
            [("src", "scr", 1), ("mesh", "mehs", 1), ("", "ab", 2), ("kitten", "sitting", 3), ("x", "x", 0)]
        {
            assert_eq!(edit_distance(a, b), n, "{a} {b}");
            assert_eq!(edit_distance(b, a), n, "{b} {a}");
        }
    }

    #[test]
    fn only_near_words_are_suggested() {
        let keys = ["mesh", "material", "generator"];
        assert_eq!(nearest("mehs", keys), Some("mesh"));
        assert_eq!(nearest("Generator", keys), Some("generator"));
        assert_eq!(nearest("colour", keys), None);
    }
}
