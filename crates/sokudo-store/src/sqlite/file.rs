//! The file of a store: whether there is one that can be opened, and making it so that
//! only its owner can read it.

use std::fs::{DirBuilder, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{
    DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, chown,
};
use std::path::{Path, PathBuf};

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

/// Makes the file, empty, and its folder: for its owner alone, because runs hold serial
/// numbers and paths. What root makes below somebody's folder belongs to that person.
pub(super) fn make(path: &Path) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let missing: Vec<PathBuf> = folder
        .ancestors()
        .take_while(|it| it.symlink_metadata().is_err())
        .map(Path::to_owned)
        .collect();
    let refused = |path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Folder { path, source }
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(refused(folder))?;
    let is_new = path.symlink_metadata().is_err();
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(refused(path))?;
    let made = missing.into_iter().chain(is_new.then(|| path.to_owned()));
    give_to_owner(&Vec::from_iter(made));
    Ok(())
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
