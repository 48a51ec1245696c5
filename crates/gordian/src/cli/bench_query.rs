//! `gordian bench query`: boundary queries against stored answers, with their times and work.

use std::path::{Path, PathBuf};

use gordian::collision::workbench::queries::{Cost, QueryFigures, measure};
use gordian::mesh::io::npz::Workload;
use gordian::mesh::io::write_atomically;
use miette::{IntoDiagnostic, WrapErr, miette};
use serde::Serialize;

use super::{Outcome, fault};

/// Measures boundary queries on workloads: agreement with their stored answers, microseconds and work a query.
///
/// A workload is an archive of a rest pose, a deformed pose, tetrahedra, and queries with the answers of a brute force. A
/// shorter answer counts only if an independent search confirms its path. Exit status: 0 done; 1 answers are longer or
/// missing although the stored path is valid; 2 error.
#[derive(clap::Args)]
pub struct Args {
    /// Workloads (.npz).
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Number of CPU threads. The answers do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Rounds, of which the fastest counts.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Writes the figures as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The figures of a file; work and microseconds are a query.
#[derive(Serialize)]
struct Row {
    file: String,
    queries: usize,
    equal: usize,
    shorter_valid: usize,
    longer: usize,
    missing: usize,
    us_mean: f64,
    us_p50: f64,
    us_p99: f64,
    us_max: f64,
    triangles: f64,
    traversals: f64,
    elements: f64,
    dcd_us_per_vertex: f64,
    refit_ms: f64,
    threads: usize,
}

pub fn bench(args: &Args) -> miette::Result<Outcome> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.into()).build();
    let pool = pool.map_err(|e| miette!("{} threads cannot be started: {e}", args.threads))?;
    say!("microseconds and work a query; {} threads, fastest of {} rounds", args.threads, args.rounds);
    say!(
        "{:<24} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  {:>9} {:>8} {:>8}",
        "",
        "queries",
        "equal",
        "shorter",
        "longer",
        "missing",
        "p50",
        "p99",
        "max",
        "triangles",
        "walks",
        "elements"
    );
    let mut outcome = Outcome::Clean;
    let mut rows = Vec::new();
    for file in &args.files {
        let workload = Workload::read(file).map_err(fault::mesh)?;
        let figures = pool.install(|| measure(&workload, args.rounds)).into_diagnostic();
        let figures = figures.wrap_err_with(|| file.display().to_string())?;
        print(file, &figures);
        if figures.missing > 0 || figures.differences.iter().any(|d| d.reason == "the stored path is valid") {
            outcome = Outcome::Intersecting;
        }
        rows.push(Row::new(file, &figures));
    }
    if let Some(path) = &args.json {
        write_atomically(path, |out| Ok(serde_json::to_writer_pretty(out, &rows)?)).map_err(fault::mesh)?;
    }
    Ok(outcome)
}

impl Row {
    fn new(file: &Path, f: &QueryFigures) -> Self {
        Row {
            file: file.display().to_string(),
            queries: f.queries,
            equal: f.equal,
            shorter_valid: f.shorter_valid,
            longer: f.longer,
            missing: f.missing,
            us_mean: f.culled.us.mean,
            us_p50: f.culled.us.p50,
            us_p99: f.culled.us.p99,
            us_max: f.culled.us.max,
            triangles: f.culled.triangles,
            traversals: f.culled.traversals,
            elements: f.culled.elements,
            dcd_us_per_vertex: f.dcd_us_per_vertex,
            refit_ms: f.refit_ms,
            threads: f.threads,
        }
    }
}

fn print(file: &Path, f: &QueryFigures) {
    let name = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
    say!(
        "{name:<24} {:>8} {:>8} {:>8} {:>8} {:>8}",
        f.queries,
        f.equal,
        f.shorter_valid,
        f.longer,
        f.missing
    );
    let way = |label: &str, cost: &Cost| {
        say!(
            "  {label:<22} mean {:>30.2} µs {:>16.2} {:>8.2} {:>8.1}  {:>9.1} {:>8.2} {:>8.1}",
            cost.us.mean,
            cost.us.p50,
            cost.us.p99,
            cost.us.max,
            cost.triangles,
            cost.traversals,
            cost.elements
        );
    };
    way("culling, warm", &f.culled);
    way("no culling, warm", &f.unculled);
    say!("  {:<22} mean {:>30.2} µs", "culling, cold", f.cold_us_mean);
    say!(
        "  detection {:.2} µs a boundary vertex; refit {:.2} ms, rebuild {:.1} ms; {} fallbacks, {} local folds, {} unresolved",
        f.dcd_us_per_vertex,
        f.refit_ms,
        f.rebuild_ms,
        f.culled.total.fallbacks,
        f.culled.total.local_folds,
        f.culled.total.unresolved
    );
    for d in &f.differences {
        let length = |l: Option<f64>| l.map_or("none".into(), |l| format!("{l:.6e}"));
        say!(
            "    vertex {} in tetrahedron {}: {} for the stored {}: {}",
            d.vertex,
            d.tet,
            length(d.found),
            length(d.stored),
            d.reason
        );
    }
}
