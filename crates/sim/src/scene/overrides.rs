//! Overrides from the command line: `path=value` into the document of a scene.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::error::did_you_mean;
use super::{SceneError, SceneErrorKind, place};

/// Keys of which only one may be given: setting one removes the others beside it.
const EXCLUSIVE: [&[&str]; 4] = [
    &["mesh", "generator"],
    &["pose", "pose_generator"],
    &["scale", "fit_m"],
    &["clearance_m", "clearance_heights"],
];

/// Keys that name files.
const FILES: [&str; 2] = ["mesh", "pose"];

/// Keys of lists of tables.
const LISTS: [&str; 5] = ["body", "collider", "pin", "motion", "check"];

/// Sets one value. `span` marks it as coming from the override.
pub(super) fn apply<'i>(
    root: &mut DeTable<'i>,
    text: &'i str,
    span: std::ops::Range<usize>,
) -> Result<(), SceneError> {
    let fail = |message: String| {
        SceneError::without_source(SceneErrorKind::Override, &format!("--set {text}"), "", message)
    };
    let Some((path, value)) = text.split_once('=') else {
        return Err(fail("an override is `path=value`, such as `collision.recovery=true`".into()));
    };
    // `body[0].mesh` is how messages name a key, and means `body.0.mesh`.
    let keys: Vec<&str> = path.trim().split(['.', '[']).map(|k| k.trim().trim_end_matches(']')).collect();
    if keys.iter().any(|k| k.is_empty()) {
        return Err(fail(format!("`{path}` is not a path of keys joined by dots")));
    }
    let value = placed(value_of(keys[keys.len() - 1], value.trim()), &span);
    set(root, &keys, Spanned::new(span, value)).map_err(|(message, hint)| {
        let mut error = fail(message);
        error.hint = hint;
        error
    })
}

type Fault = (String, Option<String>);

/// A value as TOML, or else as text; files become absolute.
fn value_of<'i>(key: &str, text: &'i str) -> DeValue<'i> {
    let value = match DeValue::parse(text) {
        Ok(value) => value.into_inner(),
        Err(_) => DeValue::String(text.into()),
    };
    if FILES.contains(&key)
        && let DeValue::String(file) = &value
        && let Ok(absolute) = std::path::absolute(Path::new(file.as_ref()))
    {
        return DeValue::String(absolute.to_string_lossy().into_owned().into());
    }
    value
}

/// The value with everything in it at the place of the override: its own places are in the text of the override, not of the scene.
fn placed<'i>(value: DeValue<'i>, span: &std::ops::Range<usize>) -> DeValue<'i> {
    let inner = |v: Spanned<DeValue<'i>>| Spanned::new(span.clone(), placed(v.into_inner(), span));
    match value {
        DeValue::Array(list) => DeValue::Array(list.into_iter().map(inner).collect()),
        DeValue::Table(table) => {
            let entry = |(key, v): (Spanned<_>, _)| (Spanned::new(span.clone(), key.into_inner()), inner(v));
            DeValue::Table(table.into_iter().map(entry).collect())
        }
        plain => plain,
    }
}

fn set<'i>(table: &mut DeTable<'i>, keys: &[&'i str], value: Spanned<DeValue<'i>>) -> Result<(), Fault> {
    let (key, rest) = (keys[0], &keys[1..]);
    for group in EXCLUSIVE.iter().filter(|group| group.contains(&key)) {
        group.iter().filter(|&&other| other != key).for_each(|other| drop(table.remove(*other)));
    }
    if key == "fabric" {
        // What makes a body cloth takes the place of what the volume was made of.
        table.remove("material");
    }
    let span = value.span();
    if rest.is_empty() {
        table.remove(key);
        table.insert(Spanned::new(span, key.into()), value);
        return Ok(());
    }
    if !table.contains_key(key) {
        let empty = match LISTS.contains(&key) {
            true => DeValue::Array(Default::default()),
            false => DeValue::Table(Default::default()),
        };
        table.insert(Spanned::new(span.clone(), key.into()), Spanned::new(span.clone(), empty));
    }
    let inner = table.get_mut(key).expect("just inserted");
    match inner.get_mut() {
        DeValue::Table(inner) => set(inner, rest, value),
        DeValue::Array(list) => {
            let (index, rest) = choose(key, list, rest)?;
            if index == list.len() {
                list.push(Spanned::new(span, DeValue::Table(Default::default())));
            }
            let entry = list.get_mut(index).expect("chosen, or just pushed");
            match entry.get_mut() {
                _ if rest.is_empty() => *entry = value,
                DeValue::Table(inner) => return set(inner, rest, value),
                _ => return Err((format!("`{key}` is a list of values; it has no keys"), None)),
            }
            Ok(())
        }
        _ => Err((format!("`{key}` is a value; it has no keys"), None)),
    }
}

/// The entry of a list that a path means, and the rest of the path.
fn choose<'k, 's>(
    key: &str,
    list: &DeArray<'_>,
    rest: &'k [&'s str],
) -> Result<(usize, &'k [&'s str]), Fault> {
    let count = list.len();
    if let Ok(index) = rest[0].parse::<usize>() {
        return match index < count || (index == 0 && LISTS.contains(&key)) {
            true => Ok((index, &rest[1..])),
            false => Err((format!("there is no `{key}` {index}: there are {count}, counted from 0"), None)),
        };
    }
    let names: Vec<&str> = list.iter().map(|entry| name_of(entry.get_ref())).collect();
    let is_called = |(index, name): (usize, &&str)| match key {
        "body" => place::name_of(index, name) == rest[0],
        _ => *name == rest[0],
    };
    if rest.len() > 1
        && let Some(index) = names.iter().enumerate().position(is_called)
    {
        return Ok((index, &rest[1..]));
    }
    match count {
        0 | 1 => Ok((0, rest)),
        _ => {
            let known: Vec<String> = (0..count)
                .map(|i| match names[i] {
                    "" => format!("{key}.{i}"),
                    name => format!("{key}.{name}"),
                })
                .collect();
            let hint =
                did_you_mean(rest[0], names).unwrap_or_else(|| format!("say one of {}", known.join(", ")));
            Err((
                format!("there are {count} entries of `{key}`, and none is named `{}`", rest[0]),
                Some(hint),
            ))
        }
    }
}

fn name_of<'a>(entry: &'a DeValue<'_>) -> &'a str {
    entry.as_table().and_then(|t| t.get("name")?.get_ref().as_str()).unwrap_or("")
}
