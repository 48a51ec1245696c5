//! Where tests and benchmarks find the data that is shared between checkouts and not part of this project.

use std::path::PathBuf;

/// The file `name` (such as `"meshes/bunny.msh"`) of the shared data folder: `$GORDIAN_SHARED`, else `shared`
/// beside the workspace.
///
/// # Panics
/// When it is missing and `CI` is set; elsewhere a missing file is told on standard error and is `None`.
pub fn path(name: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("GORDIAN_SHARED") {
        Some(dir) => PathBuf::from(dir),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    let file = root.join(name);
    if file.exists() {
        return Some(file);
    }
    let message = format!("test data {} is missing; set GORDIAN_SHARED to its folder", file.display());
    if std::env::var_os("CI").is_some() {
        panic!("{message}");
    }
    eprintln!("NOT TESTED: {message}");
    None
}
