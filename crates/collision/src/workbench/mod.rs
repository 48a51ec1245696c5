//! What measures and tests this crate: figures of whole files of queries, and the slow search that decides who is right.
//!
//! - [`oracle`]: the definition of a shortest path, executed without a tree, a flood or any shortcut.
//! - [`queries`]: boundary queries of a workload, agreement with its stored answers, times and work.
//! - [`ccd_sets`]: files of continuous collision queries with exact answers, agreement and times.
//! - [`clock`]: how times are taken.
//! - [`fuzz`]: random queries against the oracle, on the bodies of [`tangles`] and [`bodies`]; failures are made small.
//!
//! The command line, the benchmarks and the tests call the same code, so that they speak of the same figures.

pub mod bodies;
pub mod ccd_sets;
pub mod clock;
pub mod fuzz;
pub mod oracle;
pub mod queries;
pub mod random;
pub mod tangles;

/// A file that cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum WorkbenchError {
    /// The system says no.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The content is not what it should be.
    #[error("{place}: {message}")]
    Content {
        /// The file, with the line where there is one.
        place: String,
        /// What is wrong.
        message: String,
    },
}
