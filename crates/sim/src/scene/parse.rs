//! From text to a scene, with the place of every fault.

use std::path::PathBuf;
use std::sync::Arc;

use serde_path_to_error as path_error;
use toml::de::{DeTable, DeValue, Deserializer, ValueDeserializer};
use toml::{Spanned, de};

use super::error::did_you_mean;
use super::locate::{Segment, Source, find, segments};
use super::tagged::Tagged;
use super::{Body, Fabric, Generator, Material, Motion, Region, Scene, SceneError, SceneErrorKind, Shape};

pub(super) fn parse(
    text: &str,
    file: &str,
    name: &str,
    folder: PathBuf,
    overrides: &[String],
) -> Result<Scene, SceneError> {
    // Editors of some systems put a byte order mark in front; it is no part of the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = Source { file: file.to_owned(), folder, text: text.into(), overrides: overrides.to_vec() };
    let root = source.document()?;
    let mut scene: Scene = match path_error::deserialize(Deserializer::from(root.clone())) {
        Ok(scene) => scene,
        Err(error) => return Err(explain(&source, root.get_ref(), error)),
    };
    drop(root);
    if scene.simulation.name.is_empty() {
        scene.simulation.name = name.to_owned();
    }
    scene.source = Some(Arc::new(source));
    scene.validate()?;
    Ok(scene)
}

/// Turns what `serde` says into file, line, key and advice.
fn explain(source: &Source, root: &DeTable<'_>, error: path_error::Error<de::Error>) -> SceneError {
    let path = key_path(error.path());
    let (path, error) = match sharpen(root, &path) {
        Some((inner, error)) => (join(&path, &inner), error),
        None => (path, error.into_inner()),
    };
    let message = error.message();
    let span = error.span().unwrap_or(0..0);
    match Complaint::of(message) {
        Complaint::UnknownKey { word, choices } => {
            let table = path.strip_suffix(word).unwrap_or(&path).trim_end_matches('.');
            let path = join(table, word);
            let span = find(root, &segments(&path)).key.unwrap_or(span);
            let mut e =
                source.error_in(SceneErrorKind::UnknownKey, &path, span, format!("unknown key `{word}`"));
            e.hint = Some(elsewhere(table, word).unwrap_or_else(|| advice("key", word, &choices)));
            e
        }
        Complaint::UnknownWord { word, choices } => {
            let mut e = source.error_in(SceneErrorKind::Value, &path, span, format!("unknown word `{word}`"));
            e.hint = Some(advice("word", word, &choices));
            e
        }
        Complaint::MissingKey { key } => {
            let what = if path.is_empty() { "the scene" } else { &path };
            source.error_in(SceneErrorKind::MissingKey, &path, span, format!("{what} needs a key `{key}`"))
        }
        Complaint::WrongType { got, wanted } => {
            let found = match message.starts_with("invalid length") {
                true => format!("has {got} values"),
                false => format!("is {}", describe(got)),
            };
            let message = format!("{found}; it must be {}", demand(wanted));
            let mut e = source.error_in(SceneErrorKind::Value, &path, span, message);
            if got == "map" && wanted == "a sequence" {
                e.hint = Some(format!("write `[[{path}]]`, once for each"));
            }
            e
        }
        Complaint::Other => source.error_in(SceneErrorKind::Value, &path, span, message.to_owned()),
    }
}

/// What was found, as a person would write it: `integer `3`` is `3`.
fn describe(got: &str) -> String {
    match got {
        "map" => "a table".into(),
        "sequence" => "a list".into(),
        _ if got.starts_with("string ") => got["string ".len()..].into(),
        _ => got.split('`').nth(1).unwrap_or(got).into(),
    }
}

/// What was wanted, without the words of the language that this is written in.
fn demand(wanted: &str) -> String {
    match wanted {
        "u8" => "a whole number from 0 to 255".into(),
        "u16" => "a whole number from 0 to 65535".into(),
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "u64" | "usize" => format!("a whole number from 0 to {}", i64::MAX),
        "f32" | "f64" => "a number".into(),
        "a boolean" => "true or false".into(),
        "a string" | "path string" => "text in quotes".into(),
        "a sequence" => "a list".into(),
        _ if wanted.starts_with("struct ") => "a table of keys, `{ key = value, … }`".into(),
        _ if wanted.contains("enum ") => "a table with a `kind`, or one of its words".into(),
        _ => match wanted.strip_prefix("an array of length ") {
            Some(length) => format!("a list of {length} values"),
            None => wanted.into(),
        },
    }
}

/// Where a key of a body belongs that is beside its place: volumes and cloth are made of different things.
fn elsewhere(table: &str, word: &str) -> Option<String> {
    let within = table.strip_prefix("body[")?.split_once(']')?.1.trim_start_matches('.');
    if !["", "material", "fabric"].contains(&within) {
        return None;
    }
    let has = |section: toml::Table| section.contains_key(word);
    let keys = |of: Result<toml::Table, toml::ser::Error>| of.unwrap_or_default();
    // A fold is left out where there is none.
    let (home, of) = match () {
        _ if has(keys(toml::Table::try_from(Material::default()))) => ("material", "a volume"),
        _ if word == "fold" || has(keys(toml::Table::try_from(Fabric::default()))) => ("fabric", "cloth"),
        _ if within.is_empty() => return None,
        _ if has(keys(toml::Table::try_from(Body::default()))) => {
            return Some(format!("`{word}` is a key of the body itself"));
        }
        _ => return None,
    };
    Some(format!("`{word}` is a key of `{home}`, which says what {of} is made of"))
}

fn advice(what: &str, word: &str, choices: &[&str]) -> String {
    did_you_mean(word, choices.iter().copied()).unwrap_or_else(|| match choices {
        [] => format!("no {what} is known here"),
        _ => format!("known here: {}", choices.join(", ")),
    })
}

/// The complaints of `serde` that deserve advice.
enum Complaint<'a> {
    UnknownKey { word: &'a str, choices: Vec<&'a str> },
    UnknownWord { word: &'a str, choices: Vec<&'a str> },
    MissingKey { key: &'a str },
    WrongType { got: &'a str, wanted: &'a str },
    Other,
}

impl<'a> Complaint<'a> {
    /// The wording is part of `serde`'s interface (`Error::unknown_field` and its siblings).
    fn of(message: &'a str) -> Self {
        let mut quoted = message.split('`').skip(1).step_by(2);
        let invalid = ["invalid type: ", "invalid value: ", "invalid length "];
        let wrong = invalid.iter().find_map(|start| message.strip_prefix(start)?.split_once(", expected "));
        if message.starts_with("unknown field") {
            Self::UnknownKey { word: quoted.next().unwrap_or(""), choices: quoted.collect() }
        } else if message.starts_with("unknown variant") {
            Self::UnknownWord { word: quoted.next().unwrap_or(""), choices: quoted.collect() }
        } else if message.starts_with("missing field") {
            Self::MissingKey { key: quoted.next().unwrap_or("") }
        } else if let Some((got, wanted)) = wrong {
            Self::WrongType { got, wanted }
        } else {
            Self::Other
        }
    }
}

/// Reads a tagged table again, kind by kind, to find the place inside it; see [`Tagged`].
fn sharpen(root: &DeTable<'_>, path: &str) -> Option<(String, de::Error)> {
    let steps = segments(path);
    let name = steps.iter().rev().find_map(|step| match step {
        Segment::Key(name) => Some(name.as_str()),
        Segment::Index(_) => None,
    })?;
    let probe = match name {
        "generator" | "pose_generator" => Generator::probe,
        "shape" => Shape::probe,
        "at" => Region::probe,
        "motion" => Motion::probe,
        _ => return None,
    };
    let value = find(root, &steps).value?;
    let mut table = value.get_ref().as_table()?.clone();
    let kind = table.get("kind")?.get_ref().as_str()?.to_owned();
    table.remove("kind");
    let keys = ValueDeserializer::from(Spanned::new(value.span(), DeValue::Table(table)));
    let error = probe(&kind, keys)?;
    Some((key_path(error.path()), error.into_inner()))
}

fn key_path(path: &path_error::Path) -> String {
    match path.to_string() {
        p if p == "." => String::new(),
        p => p,
    }
}

fn join(a: &str, b: &str) -> String {
    match (a, b) {
        ("", _) => b.to_owned(),
        (_, "") => a.to_owned(),
        _ => format!("{a}.{b}"),
    }
}
