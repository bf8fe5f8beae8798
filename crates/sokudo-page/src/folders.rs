//! Directories to choose from, as far as the user of this process may read them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use serde::Serialize;
use sokudo_words::Error;

/// A longer list is searched by typing.
const ENTRIES_MAX: usize = 2_000;
/// Files among which directories are looked for.
const LOOKED_AT_MAX: usize = 50_000;
/// As long as Linux has paths.
const PATH_BYTES_MAX: usize = 4_096;

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FolderListing {
    path: String,
    parent: Option<String>,
    folders: Vec<Folder>,
    writable: bool,
    /// There are more, or some whose names are no text.
    is_cut: bool,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Folder {
    name: String,
    path: String,
}

#[derive(Debug, Error)]
pub(crate) enum FolderError {
    #[error("{path} is not a full path; type one such as /mnt/data")]
    NotAbsolute { path: String },
    #[error("{path} may not be read by this user; type its path, or choose another")]
    Forbidden { path: String },
    #[error("{path} is not a directory; choose another")]
    NotThere { path: String },
    #[error("{path} cannot be read: {reason}; choose another")]
    Failed { path: String, reason: io::Error },
}

impl FolderError {
    pub(crate) const fn status(&self) -> StatusCode {
        match self {
            Self::NotAbsolute { .. } => StatusCode::BAD_REQUEST,
            Self::Forbidden { .. } => StatusCode::FORBIDDEN,
            Self::NotThere { .. } => StatusCode::NOT_FOUND,
            Self::Failed { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        }
    }

    /// Of a directory that does not answer.
    pub(crate) fn late(path: &str) -> Self {
        Self::Failed {
            path: path.to_owned(),
            reason: io::ErrorKind::TimedOut.into(),
        }
    }

    fn new(path: &str, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::PermissionDenied => Self::Forbidden { path },
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::NotThere { path },
            _ => Self::Failed {
                path,
                reason: error,
            },
        }
    }
}

/// Where browsing begins: the home of this process's user if it may be read. Started as root and
/// then another user, it is often still root's.
pub(crate) fn home() -> String {
    let home = std::env::var("HOME").unwrap_or_default();
    match home.starts_with('/') && fs::read_dir(&home).is_ok() {
        true => home,
        false => "/".to_owned(),
    }
}

/// Whether a test file could be made there.
fn may_be_written(folder: &Path) -> bool {
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok()
}

/// Lists the directories in one, in order of their names.
///
/// # Errors
/// When it is none, or may not be read.
pub(crate) fn list(path: &str) -> Result<FolderListing, FolderError> {
    if !path.starts_with('/') || path.len() > PATH_BYTES_MAX || path.contains('\0') {
        return Err(FolderError::NotAbsolute {
            path: path.chars().take(PATH_BYTES_MAX).collect(),
        });
    }
    let failed = |error| FolderError::new(path, error);
    let folder = fs::canonicalize(path).map_err(failed)?;
    let mut folders = Vec::new();
    let mut is_cut = false;
    for (number, entry) in fs::read_dir(&folder).map_err(failed)?.enumerate() {
        if number >= LOOKED_AT_MAX || folders.len() >= ENTRIES_MAX {
            is_cut = true;
            break;
        }
        let Ok(entry) = entry else { continue };
        if !leads_to_directory(&entry) {
            continue;
        }
        match (entry.file_name().into_string(), text(&entry.path())) {
            (Ok(name), Some(path)) => folders.push(Folder { name, path }),
            _ => is_cut = true,
        }
    }
    folders.sort();
    Ok(FolderListing {
        parent: folder.parent().and_then(text),
        path: text(&folder).unwrap_or_else(|| path.to_owned()),
        writable: may_be_written(&folder),
        folders,
        is_cut,
    })
}

fn leads_to_directory(entry: &fs::DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| {
        kind.is_dir() || kind.is_symlink() && fs::metadata(entry.path()).is_ok_and(|it| it.is_dir())
    })
}

fn text(path: &Path) -> Option<String> {
    PathBuf::from(path).into_os_string().into_string().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_listed_and_files_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("b")).unwrap();
        fs::create_dir(at("<script>alert(1)<")).unwrap();
        fs::write(at("file"), "").unwrap();
        std::os::unix::fs::symlink("b", at("link")).unwrap();
        std::os::unix::fs::symlink("file", at("other")).unwrap();
        let path = folder.path().to_str().unwrap();
        let found = list(path).unwrap();
        let names: Vec<&str> = found.folders.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["<script>alert(1)<", "b", "link"]);
        assert!(!found.is_cut);
        let above = list(&format!("{path}/b/..")).unwrap();
        assert_eq!(above.path, found.path);
    }

    #[test]
    fn what_is_no_directory_is_refused() {
        for (path, status) in [
            ("", 400),
            ("tmp", 400),
            ("~", 400),
            ("/\0", 400),
            ("/no/such/directory", 404),
            ("/dev/null", 404),
        ] {
            let error = list(path).unwrap_err();
            assert_eq!(error.status(), status, "{path}: {error}");
        }
    }

    #[test]
    fn more_than_a_person_reads_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..=ENTRIES_MAX {
            fs::create_dir(folder.path().join(number.to_string())).unwrap();
        }
        let found = list(folder.path().to_str().unwrap()).unwrap();
        assert_eq!((found.folders.len(), found.is_cut), (ENTRIES_MAX, true));
    }
}
