//! What is written is no input, and nothing is written twice.

use std::path::{Path, PathBuf};

use miette::miette;

/// A file with what it is to the command, such as "the scene".
pub struct Role<'a>(pub &'a str, pub &'a Path);

/// Refuses an output that is the same file as an input or as another output, links included. Devices, pipes and `-` (standard
/// output) hold nothing that could be lost.
pub fn check_outputs(inputs: &[Role], outputs: &[Role]) -> miette::Result<()> {
    for (i, output) in outputs.iter().enumerate() {
        for other in inputs.iter().chain(&outputs[..i]) {
            if same_file(output.1, other.1) {
                return Err(miette!(
                    help = "name another file for it",
                    "{}: {} would be written over {}",
                    output.1.display(),
                    output.0,
                    other.0
                ));
            }
        }
    }
    Ok(())
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (identity(a), identity(b)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

/// What two names of one file have in common.
#[derive(PartialEq)]
enum Identity {
    /// Device and number, of a file that is there.
    #[cfg(unix)]
    Inode(u64, u64),
    Path(PathBuf),
}

fn identity(path: &Path) -> Option<Identity> {
    if path == Path::new("-") {
        return None;
    }
    match std::fs::metadata(path) {
        Ok(there) if !there.is_file() => None,
        #[cfg(unix)]
        Ok(there) => {
            use std::os::unix::fs::MetadataExt;
            Some(Identity::Inode(there.dev(), there.ino()))
        }
        #[cfg(not(unix))]
        Ok(_) => std::fs::canonicalize(path).ok().map(Identity::Path),
        // It will be made: its folder may be there.
        Err(_) => {
            let whole = std::path::absolute(path).ok()?;
            let folder = whole.parent().and_then(|f| std::fs::canonicalize(f).ok());
            Some(Identity::Path(match (folder, whole.file_name()) {
                (Some(folder), Some(name)) => folder.join(name),
                _ => whole,
            }))
        }
    }
}
