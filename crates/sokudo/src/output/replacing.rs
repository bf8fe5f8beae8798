//! A file whose contents change all at once: whoever looks sees all of the old or all of
//! the new, and where the new cannot be written, the old stays.
//!
//! Only what can be renamed is replaced: regular files, in folders that we may write to.

use std::fs::{File, Metadata, OpenOptions, remove_file, rename};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

/// Rights of a new file, of which the umask takes some away.
const NEW_FILE_MODE: u32 = 0o666;

/// What could not be done.
pub(super) enum Fault {
    /// Nothing may be put in the place of the file, which can still be written itself.
    NotReplaceable,
    /// The new cannot be written; the old is as it was.
    Unwritten(io::Error),
}

/// Replaces all that a file holds, or makes it.
///
/// # Errors
/// When nothing was changed.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    // What links lead to is replaced, not the link.
    let there = path.metadata().ok();
    let path = match (&there, path.symlink_metadata()) {
        (Some(there), _) if !there.is_file() => return Err(Fault::NotReplaceable),
        (Some(_), _) => path.canonicalize().map_err(|_| Fault::NotReplaceable)?,
        (None, Ok(_)) => return Err(Fault::NotReplaceable),
        (None, Err(_)) => path.to_owned(),
    };
    let mut draft = Draft::beside(&path, there.as_ref())?;
    draft
        .file
        .write_all(bytes)
        // Some file systems tell only here that they are full.
        .and_then(|()| draft.file.sync_all())
        .map_err(Fault::Unwritten)?;
    // Another file may be mounted in its place.
    rename(&draft.name, &path).map_err(|_| Fault::NotReplaceable)
}

/// The new contents on their way.
struct Draft {
    file: File,
    name: PathBuf,
}

impl Draft {
    /// With the rights and the owner of the file that is there.
    fn beside(path: &Path, there: Option<&Metadata>) -> Result<Self, Fault> {
        let not_replaceable = |_| Fault::NotReplaceable;
        let mode = there.map_or(NEW_FILE_MODE, MetadataExt::mode) & 0o777;
        let name = path.file_name().ok_or(Fault::NotReplaceable)?;
        let hidden = format!(".sokudo-{}-{}", std::process::id(), name.to_string_lossy());
        let name = path.with_file_name(hidden);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&name)
            .map_err(not_replaceable)?;
        let draft = Self { file, name };
        if let Some(there) = there {
            let ours = draft.file.metadata().map_err(not_replaceable)?;
            if (ours.uid(), ours.gid()) != (there.uid(), there.gid()) {
                fchown(&draft.file, Some(there.uid()), Some(there.gid()))
                    .map_err(not_replaceable)?;
            }
            draft
                .file
                .set_permissions(there.permissions())
                .map_err(not_replaceable)?;
        }
        Ok(draft)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After the renaming it is gone.
        let _ = remove_file(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_keeps_its_rights_and_its_links_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "a longer text than the new one").unwrap();
        fs::set_permissions(at("file"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", at("link")).unwrap();
        assert!(replace(&at("link"), b"new").is_ok());
        assert!(replace(&at("another"), b"first").is_ok());
        assert_eq!(fs::read(at("file")).unwrap(), b"new");
        assert_eq!(at("file").metadata().unwrap().mode() & 0o777, 0o640);
        assert_eq!(fs::read(at("another")).unwrap(), b"first");
        assert_eq!(names(folder.path()), ["another", "file", "link"]);
    }

    #[test]
    fn what_is_no_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let dangling = folder.path().join("dangling");
        symlink("nothing", &dangling).unwrap();
        for path in [Path::new("/dev/null"), folder.path(), &dangling] {
            assert!(matches!(replace(path, b"x"), Err(Fault::NotReplaceable)));
        }
        assert_eq!(names(folder.path()), ["dangling"]);
    }
}
