//! Files that are there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{MeshError, io_error};

/// Writes a file through a temporary one beside it, which takes its name when `write` has succeeded.
///
/// Who reads the path meanwhile sees the old file; when writing fails or the program is stopped, the old file
/// stays. Missing folders are created. A symbolic link stays one, and what it points to is replaced; a file that may not be
/// written is refused; a device or a pipe is written to as it is. Not synced to the disk: a power failure may lose the newest
/// file.
///
/// Errors: [`MeshError::Io`] with `path`.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), MeshError> {
    to_target(path, write).map_err(io_error(path))
}

/// Whether [`write_atomically`] could write to `path` now; nothing is left there. For what takes long to compute.
///
/// Errors: [`MeshError::Io`] with `path`.
pub fn check_writable(path: &Path) -> Result<(), MeshError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let result = match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(there) if there.is_file() && there.permissions().readonly() => {
            Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is write-protected"))
        }
        Ok(there) if !there.is_file() => OpenOptions::new().write(true).open(path).map(drop),
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => folder.map_or(Ok(()), fs::create_dir_all).and_then(|()| {
            let temporary = beside(path);
            OpenOptions::new().write(true).create_new(true).open(&temporary)?;
            fs::remove_file(&temporary)
        }),
    };
    result.map_err(io_error(path))
}

fn to_target(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(there) if there.is_file() => {
            if there.permissions().readonly() {
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is write-protected"));
            }
            replace(&fs::canonicalize(path)?, write)
        }
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // There is nothing to replace in a device or a pipe, and renaming would do away with it.
        Ok(_) => through(OpenOptions::new().write(true).open(path)?, write),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
                fs::create_dir_all(folder)?;
            }
            replace(path, write)
        }
        Err(e) => Err(e),
    }
}

fn replace(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let temporary = beside(path);
    let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let result = through(file, write).and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&temporary);
    }
    result
}

fn through(file: File, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    write(&mut out)?;
    out.into_inner().map_err(|e| e.into_error())?;
    Ok(())
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

    #[cfg(unix)]
    #[test]
    fn links_devices_and_pipes_stay_what_they_are() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        fs::write(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        write_atomically(&link, |out| out.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");

        write_atomically(Path::new("/dev/null"), |out| out.write_all(b"gone")).unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[test]
    fn a_write_protected_file_is_refused_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "old").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let e = write_atomically(&path, |out| out.write_all(b"new")).unwrap_err();
        assert!(e.to_string().contains("write-protected"), "{e}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn a_folder_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(write_atomically(dir.path(), |out| out.write_all(b"new")).is_err());
    }
}
