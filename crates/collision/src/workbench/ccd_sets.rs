//! Sets of continuous collision queries with exact answers: agreement and times.
//!
//! A set is a folder with the folders `vertex-face` and `edge-edge`, each full of `.csv` files: eight rows a query (four points
//! at the start, then at the end), each three fractions, numerator and denominator, and whether they meet.

use std::path::{Path, PathBuf};

use glam::DVec3;

use super::WorkbenchError;
use super::clock::fastest;
use crate::ccd::{CcdCounters, edge_edge_counted, vertex_face_counted};

/// What meets what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CcdKind {
    /// The four points are a vertex and a triangle.
    VertexFace,
    /// The four points are two edges.
    EdgeEdge,
}

impl CcdKind {
    /// Both.
    pub const ALL: [CcdKind; 2] = [CcdKind::VertexFace, CcdKind::EdgeEdge];

    /// The name of its folder.
    pub fn name(self) -> &'static str {
        match self {
            CcdKind::VertexFace => "vertex-face",
            CcdKind::EdgeEdge => "edge-edge",
        }
    }
}

/// A query with its answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CcdQuery {
    /// The four points at the start.
    pub start: [DVec3; 4],
    /// The four points at the end.
    pub end: [DVec3; 4],
    /// Whether they meet in between.
    pub hit: bool,
}

impl CcdQuery {
    fn ask(&self, kind: CcdKind, counters: &mut CcdCounters) -> bool {
        match kind {
            CcdKind::VertexFace => vertex_face_counted(&self.start, &self.end, counters).is_some(),
            CcdKind::EdgeEdge => edge_edge_counted(&self.start, &self.end, counters).is_some(),
        }
    }
}

/// The figures of the queries of one kind in a set.
#[derive(Clone, Debug)]
pub struct CcdFigures {
    /// Name of the set's folder.
    pub set: String,
    /// What meets what.
    pub kind: CcdKind,
    /// Number of queries.
    pub queries: usize,
    /// Those that are told to meet.
    pub hits: usize,
    /// Those that meet, and are not told to.
    pub false_negatives: usize,
    /// Those that are told to meet, and do not.
    pub false_positives: usize,
    /// Those that the filters left to exact arithmetic.
    pub exact: usize,
    /// Microseconds a query, mean; each is the fastest of several rounds.
    pub us_mean: f64,
    /// The slowest query, microseconds.
    pub us_max: f64,
}

/// The sets in `folder`: itself, or the folders in it that are sets, by name.
///
/// Errors: [`WorkbenchError::Io`]; [`WorkbenchError::Content`] when there is none.
pub fn sets_in(folder: &Path) -> Result<Vec<PathBuf>, WorkbenchError> {
    let is_set = |path: &Path| CcdKind::ALL.iter().any(|kind| path.join(kind.name()).is_dir());
    if is_set(folder) {
        return Ok(vec![folder.to_owned()]);
    }
    let mut sets = entries(folder)?;
    sets.retain(|path| is_set(path));
    if sets.is_empty() {
        return Err(WorkbenchError::Content {
            place: folder.display().to_string(),
            message: "no set: neither a folder `vertex-face` nor a folder `edge-edge` is in it".into(),
        });
    }
    Ok(sets)
}

/// The queries of one kind in a set, file by file in the order of their names; none where there is no such folder.
///
/// Errors: [`WorkbenchError::Io`]; [`WorkbenchError::Content`] names the line.
pub fn read(set: &Path, kind: CcdKind) -> Result<Vec<CcdQuery>, WorkbenchError> {
    let folder = set.join(kind.name());
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut queries = Vec::new();
    for file in entries(&folder)?.iter().filter(|f| f.extension().is_some_and(|e| e == "csv")) {
        read_file(file, &mut queries)?;
    }
    Ok(queries)
}

/// Answers the queries and times them.
pub fn measure(set: &Path, kind: CcdKind, queries: &[CcdQuery], rounds: u32) -> CcdFigures {
    let mut counters = CcdCounters::default();
    let answers: Vec<bool> = queries.iter().map(|q| q.ask(kind, &mut counters)).collect();
    let count = |hit: bool, told: bool| {
        queries.iter().zip(&answers).filter(|(q, a)| q.hit == hit && **a == told).count()
    };
    let time = |q: &CcdQuery| {
        fastest(rounds, || {
            std::hint::black_box(std::hint::black_box(q).ask(kind, &mut CcdCounters::default()));
        }) * 1e6
    };
    let times: Vec<f64> = queries.iter().map(time).collect();
    CcdFigures {
        set: set.file_name().unwrap_or(set.as_os_str()).to_string_lossy().into_owned(),
        kind,
        queries: queries.len(),
        hits: counters.hits as usize,
        false_negatives: count(true, false),
        false_positives: count(false, true),
        exact: counters.exact as usize,
        us_mean: times.iter().sum::<f64>() / times.len().max(1) as f64,
        us_max: times.iter().copied().fold(0.0, f64::max),
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, WorkbenchError> {
    let io = |source| WorkbenchError::Io { path: folder.to_owned(), source };
    let all = std::fs::read_dir(folder).map_err(io)?;
    let mut paths: Vec<PathBuf> = all.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>().map_err(io)?;
    paths.sort();
    Ok(paths)
}

fn read_file(file: &Path, queries: &mut Vec<CcdQuery>) -> Result<(), WorkbenchError> {
    let text = std::fs::read_to_string(file)
        .map_err(|source| WorkbenchError::Io { path: file.to_owned(), source })?;
    let content = |line: usize, message: &str| WorkbenchError::Content {
        place: format!("{}:{}", file.display(), line + 1),
        message: message.into(),
    };
    let mut rows = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let row = row(line).ok_or_else(|| content(i, "not three fractions and an answer"))?;
        rows.push(row);
    }
    if rows.len() % 8 != 0 {
        return Err(content(rows.len(), "the last query has fewer than eight rows"));
    }
    queries.extend(rows.chunks_exact(8).map(|rows| CcdQuery {
        start: std::array::from_fn(|i| rows[i].0),
        end: std::array::from_fn(|i| rows[4 + i].0),
        hit: rows[0].1,
    }));
    Ok(())
}

/// A point and an answer. Every number is a double as a fraction, so that the division is exact.
fn row(line: &str) -> Option<(DVec3, bool)> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let &[nx, dx, ny, dy, nz, dz, hit] = fields.as_slice() else { return None };
    let fraction = |n: &str, d: &str| {
        let x = n.parse::<f64>().ok()? / d.parse::<f64>().ok()?;
        x.is_finite().then_some(x)
    };
    let hit = match hit {
        "1" | "true" | "True" => true,
        "0" | "false" | "False" => false,
        _ => return None,
    };
    Some((DVec3::new(fraction(nx, dx)?, fraction(ny, dy)?, fraction(nz, dz)?), hit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_fractions() {
        assert_eq!(row("1,2,-3,4,0,1,1"), Some((DVec3::new(0.5, -0.75, 0.0), true)));
        for bad in ["1,2,3,4,5,6", "1,0,3,4,5,6,0", "a,1,1,1,1,1,0", "1,1,1,1,1,1,2", "1,1,1,1,1,1,1,1"] {
            assert_eq!(row(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_file_that_is_cut_is_told_with_its_line() {
        let folder = std::env::temp_dir().join(format!("gordian-ccd-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("edge-edge")).unwrap();
        std::fs::write(folder.join("edge-edge/a.csv"), "1,2,3,4,5,6,0\n".repeat(9)).unwrap();
        let error = read(&folder, CcdKind::EdgeEdge).unwrap_err().to_string();
        assert!(error.contains("a.csv:10: the last query"), "{error}");
        std::fs::write(folder.join("edge-edge/a.csv"), "1,2,3,4,5,6,0\n".repeat(8)).unwrap();
        assert_eq!(read(&folder, CcdKind::EdgeEdge).unwrap().len(), 1);
        assert_eq!(sets_in(&folder).unwrap(), std::slice::from_ref(&folder));
        assert!(sets_in(&folder.join("edge-edge")).is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
