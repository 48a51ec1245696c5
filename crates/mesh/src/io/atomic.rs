//! Files that are there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{MeshError, io_error};

/// Writes a file through a temporary one beside it, which takes its name when `write` has succeeded.
///
/// Who reads the path meanwhile sees the old file; when writing fails or the program is stopped, the old file
/// stays. Missing folders are created. Not synced to the disk: a power failure may lose the newest file.
///
/// Errors: [`MeshError::Io`] with `path`.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), MeshError> {
    let temporary = beside(path);
    let result = (|| {
        if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        let mut out = BufWriter::with_capacity(1 << 16, file);
        write(&mut out)?;
        out.into_inner().map_err(|e| e.into_error())?;
        fs::rename(&temporary, path)
    })();
    if result.is_err() {
        // It may not exist; the first error is the one to tell.
        let _ = fs::remove_file(&temporary);
    }
    result.map_err(io_error(path))
}

/// A name in the same folder (renaming is atomic only within one file system) that no other writer takes.
fn beside(path: &Path) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let unique = COUNTER.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}-{unique}.tmp", std::process::id()))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/er/file.txt");
        write_atomically(&path, |out| out.write_all(b"old")).unwrap();
        let e = write_atomically(&path, |out| {
            out.write_all(b"half of the new")?;
            Err(io::Error::other("the disk is full"))
        })
        .unwrap_err();
        assert!(e.to_string().contains("file.txt: the disk is full"), "{e}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        write_atomically(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }
}
