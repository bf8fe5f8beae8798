//! The file of a store: whether there is one that can be opened, and making it so that
//! only its owner can read it.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, remove_dir, remove_file};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{
    DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, chown,
};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, linkat, renameat_with};
use rustix::io::Errno;

use crate::StoreError;

/// The smallest page that a database of SQLite consists of.
const DATABASE_BYTES_MIN: u64 = 512;

/// What there is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum There {
    /// Nothing yet.
    Nothing,
    /// A file that may be written.
    ToWrite,
    /// A file that may only be read.
    ToRead,
}

/// Looks without opening what might never answer, such as a pipe.
pub(super) fn look(path: &Path) -> Result<There, StoreError> {
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(There::Nothing),
        Err(error) => return Err(unusable(path, &error)),
    };
    if let Some(what) = other_kind(&metadata) {
        return Err(StoreError::NoFile {
            path: path.to_owned(),
            what,
        });
    }
    // SQLite takes a scrap of a file for an empty one, and would write over it.
    if (1..DATABASE_BYTES_MIN).contains(&metadata.len()) {
        return Err(StoreError::Damaged {
            store: path.display().to_string(),
            reason: "it is shorter than any database".to_owned(),
        });
    }
    match OpenOptions::new().read(true).write(true).open(path) {
        Ok(_) => Ok(There::ToWrite),
        Err(_) => OpenOptions::new()
            .read(true)
            .open(path)
            .map(|_| There::ToRead)
            .map_err(|error| unusable(path, &error)),
    }
}

fn other_kind(metadata: &Metadata) -> Option<&'static str> {
    let kind = metadata.file_type();
    if kind.is_file() {
        None
    } else if kind.is_dir() {
        Some("directory")
    } else if kind.is_fifo() {
        Some("pipe (FIFO)")
    } else if kind.is_block_device() {
        Some("block device")
    } else if kind.is_char_device() {
        Some("character device")
    } else {
        Some("special file")
    }
}

/// Makes the file with all of these bytes, and its folder: for their owner alone, because
/// runs hold serial numbers and paths. What root makes below somebody's folder belongs to
/// that person. Where it fails, nothing of it is left behind.
///
/// Gives whether it is ours: another sokudo may have made one in the meantime.
pub(super) fn place(path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
    let path = &destination(path);
    refuse_left_overs(path)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let missing: Vec<PathBuf> = folder
        .ancestors()
        .take_while(|it| it.symlink_metadata().is_err())
        .map(Path::to_owned)
        .collect();
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    let refused = |path: &Path, source| StoreError::Folder {
        path: path.to_owned(),
        source,
    };
    let placed = made
        .map_err(|error| refused(folder, error))
        .and_then(|()| Draft::filled(path, bytes).map_err(|error| refused(path, error)))
        .and_then(|draft| draft.put(path).map_err(|error| refused(path, error)));
    if placed.is_err() {
        for folder in &missing {
            // One that holds something by now stays.
            let _ = remove_dir(folder);
        }
    }
    let is_ours = placed?;
    sync(folder);
    missing.iter().filter_map(|it| it.parent()).for_each(sync);
    let made = missing.into_iter().chain(is_ours.then(|| path.clone()));
    give_to_owner(&Vec::from_iter(made));
    Ok(is_ours)
}

/// A journal whose file is gone would be rolled back into the next one.
fn refuse_left_overs(path: &Path) -> Result<(), StoreError> {
    for ending in ["-journal", "-wal"] {
        let left = with_ending(path, ending);
        if left.exists() && !path.exists() {
            return Err(StoreError::LeftOver { path: left });
        }
    }
    Ok(())
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Where a link leads that leads to nothing yet.
fn destination(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // As many as the kernel follows.
    for _ in 0..40 {
        let Ok(target) = path.read_link() else { break };
        path = path.parent().unwrap_or(Path::new("/")).join(target);
    }
    path
}

/// A file that has no place yet.
struct Draft {
    file: File,
    /// Its name, where the file system knows no files without one.
    name: Option<PathBuf>,
}

impl Draft {
    /// One on the same file system that holds these bytes, for its owner alone.
    fn filled(path: &Path, bytes: &[u8]) -> io::Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("/"));
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let nameless = rustix::fs::open(folder, flags, Mode::RUSR | Mode::WUSR);
        let mut draft = match nameless {
            Ok(file) => Self {
                file: file.into(),
                name: None,
            },
            Err(_) => Self::named(path)?,
        };
        draft.file.write_all(bytes)?;
        draft.file.sync_all()?;
        Ok(draft)
    }

    fn named(path: &Path) -> io::Result<Self> {
        let name = with_ending(path, &format!(".new-{}", std::process::id()));
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600);
        Ok(Self {
            file: file.open(&name)?,
            name: Some(name),
        })
    }

    /// Puts it at a path where there is nothing; whether there was nothing.
    fn put(&self, path: &Path) -> io::Result<bool> {
        let put = match &self.name {
            None => {
                let open = format!("/proc/self/fd/{}", self.file.as_raw_fd());
                linkat(CWD, open, CWD, path, AtFlags::SYMLINK_FOLLOW)
            }
            // File systems have links or can rename without replacing, if not both.
            Some(name) => {
                renameat_with(CWD, name, CWD, path, RenameFlags::NOREPLACE).or_else(|error| {
                    match error {
                        Errno::EXIST => Err(error),
                        _ => linkat(CWD, name, CWD, path, AtFlags::empty()),
                    }
                })
            }
        };
        match put {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // After a renaming it is gone.
            let _ = remove_file(name);
        }
    }
}

/// A new name in a folder survives a power cut. Some file systems cannot be told so, and
/// need not be.
fn sync(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// The made ones are the innermost first, then the file. That it cannot be done is no
/// reason to keep nothing.
fn give_to_owner(made: &[PathBuf]) {
    let Some(above) = made
        .iter()
        .filter_map(|path| path.parent())
        .min_by_key(|path| path.components().count())
    else {
        return;
    };
    let Ok(owner) = above.metadata() else { return };
    // In a folder such as /tmp that all share, it stays with who made it.
    let is_shared = owner.permissions().mode() & 0o022 != 0;
    for path in made {
        let is_roots = path.symlink_metadata().is_ok_and(|it| it.uid() == 0);
        if is_roots && owner.uid() != 0 && !is_shared {
            let _ = chown(path, Some(owner.uid()), Some(owner.gid()));
        }
    }
}

fn unusable(path: &Path, error: &io::Error) -> StoreError {
    StoreError::Database {
        store: path.display().to_string(),
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What file systems without nameless files or links, such as those of USB sticks, get.
    #[test]
    fn a_draft_with_a_name_leaves_it_behind_in_no_case() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        let draft = Draft::named(&path).unwrap();
        assert_eq!(names(), 1);
        drop(draft);
        assert_eq!(names(), 0);
        for is_first in [true, false] {
            let mut draft = Draft::named(&path).unwrap();
            draft.file.write_all(&[u8::from(is_first)]).unwrap();
            assert_eq!(draft.put(&path).unwrap(), is_first);
            drop(draft);
            assert_eq!(names(), 1);
            assert_eq!(std::fs::read(&path).unwrap(), [1]);
        }
    }
}
