//! `gordian bench ccd`: continuous collision queries against exact answers, with their times.

use std::path::PathBuf;

use gordian::collision::workbench::ccd_sets::{CcdFigures, CcdKind, measure, read, sets_in};
use gordian::mesh::io::write_atomically;
use miette::IntoDiagnostic;
use serde::Serialize;

use super::{Outcome, fault};

/// Measures continuous collision queries on sets with exact answers: misses, false hits, microseconds a query.
///
/// A set is a folder with the folders `vertex-face` and `edge-edge`, full of .csv files of eight rows a query. Exit status:
/// 0 done; 1 a hit was missed; 2 error.
#[derive(clap::Args)]
pub struct Args {
    /// Sets, or folders of sets.
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Rounds, of which the fastest counts, query by query.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Writes the figures as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The figures of the queries of one kind in a set.
#[derive(Serialize)]
struct Row {
    set: String,
    kind: &'static str,
    queries: usize,
    hits: usize,
    false_negatives: usize,
    false_positives: usize,
    us_mean: f64,
    us_max: f64,
}

pub fn bench(args: &Args) -> miette::Result<Outcome> {
    say!(
        "{:<28} {:<11} {:>8} {:>6} {:>7} {:>6} {:>6} {:>9} {:>8}",
        "set",
        "kind",
        "queries",
        "hits",
        "missed",
        "false",
        "exact",
        "mean µs",
        "max µs"
    );
    let mut rows = Vec::new();
    for folder in &args.folders {
        for set in sets_in(folder).into_diagnostic()? {
            for kind in CcdKind::ALL {
                let queries = read(&set, kind).into_diagnostic()?;
                if queries.is_empty() {
                    continue;
                }
                let figures = measure(&set, kind, &queries, args.rounds);
                print(&figures);
                rows.push(Row::from(&figures));
            }
        }
    }
    let missed: usize = rows.iter().map(|r| r.false_negatives).sum();
    let asked: usize = rows.iter().map(|r| r.queries).sum();
    let time: f64 = rows.iter().map(|r| r.us_mean * r.queries as f64).sum();
    say!(
        "{:<28} {:<11} {asked:>8} {:>6} {missed:>7} {:>6} {:>6} {:>9.3} {:>8.2}",
        "all",
        "",
        rows.iter().map(|r| r.hits).sum::<usize>(),
        rows.iter().map(|r| r.false_positives).sum::<usize>(),
        "",
        time / asked.max(1) as f64,
        rows.iter().map(|r| r.us_max).fold(0.0, f64::max)
    );
    if let Some(path) = &args.json {
        write_atomically(path, |out| Ok(serde_json::to_writer_pretty(out, &rows)?)).map_err(fault::mesh)?;
    }
    Ok(if missed > 0 { Outcome::Intersecting } else { Outcome::Clean })
}

fn print(f: &CcdFigures) {
    say!(
        "{:<28} {:<11} {:>8} {:>6} {:>7} {:>6} {:>6} {:>9.3} {:>8.2}",
        f.set,
        f.kind.name(),
        f.queries,
        f.hits,
        f.false_negatives,
        f.false_positives,
        f.exact,
        f.us_mean,
        f.us_max
    );
}

impl From<&CcdFigures> for Row {
    fn from(f: &CcdFigures) -> Self {
        Row {
            set: f.set.clone(),
            kind: f.kind.name(),
            queries: f.queries,
            hits: f.hits,
            false_negatives: f.false_negatives,
            false_positives: f.false_positives,
            us_mean: f.us_mean,
            us_max: f.us_max,
        }
    }
}
