//! A claim on what one run writes into a folder, so that no second one writes among it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The claim of one run on the files of its scene in a folder; it ends with this value, or with the process, however that ends.
///
/// It is a lock of the operating system on the file `.NAME.lock`, NAME being the scene's: scenes of different names write different files
/// and may share a folder. The file is removed with the claim, and so is the folder if it was made for it and has stayed empty.
#[derive(Debug)]
pub struct FolderLock {
    path: PathBuf,
    /// Folders that were made for it, the innermost first.
    made: Vec<PathBuf>,
    file: File,
}

/// Why a folder could not be claimed.
#[derive(Debug, thiserror::Error)]
pub enum FolderLockError {
    /// Another run writes the same files.
    #[error("{}: another run is writing the frames of `{name}` into this folder", folder.display())]
    Taken {
        /// The folder.
        folder: PathBuf,
        /// Name of the scene, as the files have it.
        name: String,
    },
    /// The system has no locks there; what is written would not be protected.
    #[error("{}: this folder cannot be locked against a second run: {source}", folder.display())]
    Unsupported {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder cannot be made, or nothing in it.
    #[error("{}: nothing can be written into this folder: {source}", folder.display())]
    Io {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl FolderLock {
    /// Claims what a run of the scene `name` writes into `folder`, which is made. Does not wait.
    pub fn take(folder: impl AsRef<Path>, name: &str) -> Result<Self, FolderLockError> {
        let (folder, name) = (folder.as_ref(), super::file_name(name));
        let made: Vec<PathBuf> = folder
            .ancestors()
            .take_while(|f| !f.as_os_str().is_empty() && !f.exists())
            .map(Into::into)
            .collect();
        let path = folder.join(format!(".{name}.lock"));
        let fail = |source| FolderLockError::Io { folder: folder.into(), source };
        loop {
            std::fs::create_dir_all(folder).map_err(fail)?;
            let file = match OpenOptions::new().write(true).create(true).truncate(false).open(&path) {
                Ok(file) => file,
                // The run before has just removed the folder that it had made.
                Err(error) if error.kind() == io::ErrorKind::NotFound && !folder.exists() => continue,
                Err(source) => return Err(fail(source)),
            };
            match file.try_lock() {
                // The run before may have removed the file between the two steps: then the lock is on nothing.
                Ok(()) if is_at(&file, &path) => return Ok(Self { path, made, file }),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(FolderLockError::Taken { folder: folder.into(), name });
                }
                Err(TryLockError::Error(source)) => {
                    let _ = std::fs::remove_file(&path);
                    return Err(FolderLockError::Unsupported { folder: folder.into(), source });
                }
            }
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Under the lock, so that nobody has it who does not see that it is gone; elsewhere that cannot be seen, and it stays.
        if cfg!(unix) {
            let _ = std::fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
        for folder in &self.made {
            // Fails, as it should, where something is in it.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// Whether the open file is the one that has this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let [open, named] = [file.metadata(), std::fs::metadata(path)];
    matches!((open, named), (Ok(a), Ok(b)) if (a.dev(), a.ino()) == (b.dev(), b.ino()))
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}
