//! Figures as people read them.

use gordian::sim::scene::Check;
use gordian::sim::{Unjudged, Verdict};
use serde::Serialize;
use serde_json::Value;

/// `n` with the word for one or for many.
pub fn count(n: u64, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

/// A mean of counts: whole where it is large.
pub fn mean(sum: u64, of: usize) -> String {
    let mean = sum as f64 / of.max(1) as f64;
    if sum == 0 || mean >= 100.0 { format!("{mean:.0}") } else { format!("{mean:.1}") }
}

/// A number with the digits that matter.
pub fn number(x: f64) -> String {
    match x.abs() {
        a if a == 0.0 || (a.fract() == 0.0 && a < 1e15) => format!("{x}"),
        a if (1e-3..1e6).contains(&a) => format!("{x:.6}"),
        _ => format!("{x:.6e}"),
    }
}

/// A key as words, the unit of it in brackets.
pub fn key(key: &str) -> String {
    let (words, unit) = [("_m3", " (m³)"), ("_m2", " (m²)"), ("_m", " (m)"), ("_deg", " (°)")]
        .into_iter()
        .find_map(|(suffix, unit)| Some((key.strip_suffix(suffix)?, unit)))
        .unwrap_or((key, ""));
    words.replace('_', " ") + unit
}

/// A figure; what does not exist is said so.
pub fn value(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.into(),
        Value::Number(n) if n.is_f64() => number(n.as_f64().unwrap_or(f64::NAN)),
        other => other.to_string(),
    }
}

/// An enumeration's value as it stands in a scene.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| Some(v.as_str()?.to_owned())).unwrap_or_default()
}

/// A check with what came out: `penetrating_vertices at the end is 0, at most 0 (nothing is left inside)`.
pub fn check(verdict: &Verdict) -> String {
    let check = &verdict.check;
    let came = verdict.value.map_or("was not reached".to_owned(), |v| format!("is {}", figure(v, check)));
    format!("{} {came}{}", subject(check), bounds(check))
}

/// A check that a part of a run shows nothing of, with the frames that it takes.
pub fn unjudged(unjudged: &Unjudged) -> String {
    let frames = match unjudged.frames {
        None => "the whole run".to_owned(),
        Some([first, last]) if first == last => format!("frame {last}"),
        Some([first, last]) => format!("frames {first} to {last}"),
    };
    format!("{}{}; it takes {frames}", subject(&unjudged.check), bounds(&unjudged.check))
}

/// What is looked at, and when.
fn subject(check: &Check) -> String {
    let body = if check.body.is_empty() { String::new() } else { format!(" of {}", check.body) };
    let over = match word(&check.over).as_str() {
        "end" => "at the end".to_owned(),
        over => over.to_owned(),
    };
    format!("{}{body} {over}", word(&check.what))
}

/// What the figure is held to, and what that means.
fn bounds(check: &Check) -> String {
    let least = check.at_least.map_or(String::new(), |b| format!(", at least {}", exact(b)));
    let most = check.at_most.map_or(String::new(), |b| format!(", at most {}", exact(b)));
    let about = if check.about.is_empty() { String::new() } else { format!(" ({})", check.about) };
    format!("{least}{most}{about}")
}

/// A figure with so many digits that they, too, keep the bounds, or do not.
fn figure(value: f64, check: &Check) -> String {
    let holds = |v: f64| check.at_most.is_none_or(|b| v <= b) && check.at_least.is_none_or(|b| v >= b);
    let short = number(value);
    match short.parse() {
        Ok(read) if holds(read) == holds(value) => short,
        _ => exact(value),
    }
}

/// A number with all of its digits.
fn exact(x: f64) -> String {
    if x == 0.0 || (1e-6..1e15).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is printed, read again, keeps the bounds exactly where the figure does.
    #[test]
    fn the_digits_that_are_shown_say_why_a_check_fails() {
        for (value, bounds) in [
            (1.0000001192092896, "at_most = 1"),
            (1.0, "at_most = 1"),
            (0.99999999, "at_least = 1"),
            (1e-7, "at_most = 0"),
            (0.1 + 0.2, "at_most = 0.3\nat_least = 0.3"),
            (123456.7890123, "at_least = 123456.7890124"),
            (-0.4999999999, "at_most = -0.5"),
        ] {
            let text = format!("[[check]]\nwhat = \"thickness_m\"\n{bounds}\n");
            let check = gordian::sim::Scene::parse(&text, "s").unwrap().check.remove(0);
            let within =
                |v: f64| check.at_most.is_none_or(|b| v <= b) && check.at_least.is_none_or(|b| v >= b);
            let shown: f64 = figure(value, &check).parse().unwrap();
            assert_eq!(within(shown), within(value), "{value} is shown as {shown}, {bounds}");
        }
    }
}
