//! Figures as people read them.

use gordian::sim::Verdict;
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
    let body = if check.body.is_empty() { String::new() } else { format!(" of {}", check.body) };
    let over = match word(&check.over).as_str() {
        "end" => "at the end".to_owned(),
        over => over.to_owned(),
    };
    let came = verdict.value.map_or("was not reached".to_owned(), |v| format!("is {}", number(v)));
    let least = check.at_least.map_or(String::new(), |b| format!(", at least {}", number(b)));
    let most = check.at_most.map_or(String::new(), |b| format!(", at most {}", number(b)));
    let about = if check.about.is_empty() { String::new() } else { format!(" ({})", check.about) };
    format!("{}{body} {over} {came}{least}{most}{about}", word(&check.what))
}
