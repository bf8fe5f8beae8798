//! A file whose contents change all at once: whoever looks sees all of the old or all of
//! the new, and where the new cannot be written, the old stays.
//!
//! Only what can be renamed is replaced: regular files of one name, in folders that we may
//! write to. A file of several names would lose all but one of them, so it is written in
//! place. The folder is held open, and the file in it must be the one that was looked at:
//! root replaces nothing that somebody else has put there meanwhile.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Stat, fstat, renameat, statat, unlinkat};
use sokudo_engine::{NamedEntry, create_in};
use sokudo_words::text;

/// Rights of a new file, of which the umask takes some away.
const NEW_FILE_MODE: u32 = 0o666;

/// What could not be done.
pub(super) enum ReplaceFault {
    /// Nothing may be put in the place of the file, which can still be written itself.
    NotReplaceable,
    /// The new cannot be written; the old is as it was.
    Unwritten(io::Error),
}

/// Replaces all that a file holds, or makes it.
///
/// # Errors
/// When nothing was changed.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), ReplaceFault> {
    // What links lead to is replaced, not the link.
    let entry = NamedEntry::of(path).map_err(ReplaceFault::Unwritten)?;
    let there = entry.there.as_ref().map(fstat).transpose();
    let there = there.map_err(|errno| ReplaceFault::Unwritten(errno.into()))?;
    let is_alone = |it: &Stat| {
        it.st_nlink == 1 && FileType::from_raw_mode(it.st_mode) == FileType::RegularFile
    };
    match there.as_ref().is_none_or(is_alone) && entry.is_named_so() {
        true => put(&entry, bytes),
        false => Err(ReplaceFault::NotReplaceable),
    }
}

fn put(entry: &NamedEntry, bytes: &[u8]) -> Result<(), ReplaceFault> {
    // What is given the rights and the owner of another file must not take the place of a third.
    if !entry.is_named_so() {
        return Err(ReplaceFault::Unwritten(io::Error::other(text!(
            "somebody is renaming files in its folder"
        ))));
    }
    let mut draft = OutputDraft::beside(entry)?;
    draft
        .file
        .write_all(bytes)
        // Some file systems tell only here that they are full.
        .and_then(|()| draft.file.sync_all())
        .map_err(ReplaceFault::Unwritten)?;
    // Another file may be mounted in its place.
    renameat(&entry.folder, &draft.name, &entry.folder, &entry.name)
        .map_err(|_| ReplaceFault::NotReplaceable)
}

/// The new contents on their way.
struct OutputDraft<'a> {
    file: File,
    folder: &'a OwnedFd,
    name: OsString,
}

impl<'a> OutputDraft<'a> {
    /// With the rights and the owner of the file that is there.
    fn beside(entry: &'a NamedEntry) -> Result<Self, ReplaceFault> {
        let not_replaceable = |_| ReplaceFault::NotReplaceable;
        let there = entry.there.as_ref().map(fstat).transpose();
        let there = there.map_err(|_| ReplaceFault::NotReplaceable)?;
        let mode = there.map_or(NEW_FILE_MODE, |there| there.st_mode & 0o777);
        let mut name = OsString::from(format!(".sokudo-{}-", std::process::id()));
        name.push(&entry.name);
        let draft = Self {
            file: create_in(&entry.folder, &name, mode).map_err(not_replaceable)?,
            folder: &entry.folder,
            name,
        };
        if let Some(there) = there {
            let ours = draft.file.metadata().map_err(not_replaceable)?;
            if (ours.uid(), ours.gid()) != (there.st_uid, there.st_gid) {
                fchown(&draft.file, Some(there.st_uid), Some(there.st_gid))
                    .map_err(not_replaceable)?;
            }
            let rights = Permissions::from_mode(there.st_mode & 0o7777);
            draft
                .file
                .set_permissions(rights)
                .map_err(not_replaceable)?;
        }
        Ok(draft)
    }
}

impl Drop for OutputDraft<'_> {
    fn drop(&mut self) {
        // After the renaming it is gone, or the name is another's.
        if leads_to(self.folder, &self.name, &self.file) {
            let _ = unlinkat(self.folder, &self.name, AtFlags::empty());
        }
    }
}

fn leads_to(folder: &OwnedFd, name: &OsStr, file: &File) -> bool {
    let named = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    let held = fstat(file);
    matches!((named, held), (Ok(named), Ok(held))
        if (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

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
    fn a_file_of_several_names_keeps_them() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "old").unwrap();
        fs::hard_link(at("file"), at("other")).unwrap();
        assert!(matches!(
            replace(&at("file"), b"new"),
            Err(ReplaceFault::NotReplaceable)
        ));
        assert_eq!(fs::read(at("other")).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["file", "other"]);
    }

    /// The exchange happens after the look: always, not by chance. The file that is there
    /// then is root's, and would be given to whom the first one belonged.
    #[test]
    fn what_has_taken_the_name_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "looked at").unwrap();
        let entry = NamedEntry::of(&at("file")).unwrap();
        fs::rename(at("file"), at("away")).unwrap();
        fs::write(at("file"), "precious").unwrap();
        assert!(matches!(put(&entry, b"x"), Err(ReplaceFault::Unwritten(_))));
        symlink("away", at("link")).unwrap();
        fs::rename(at("link"), at("file")).unwrap();
        assert!(matches!(put(&entry, b"x"), Err(ReplaceFault::Unwritten(_))));
        fs::remove_file(at("file")).unwrap();
        assert!(matches!(put(&entry, b"x"), Err(ReplaceFault::Unwritten(_))));
        assert_eq!(fs::read(at("away")).unwrap(), b"looked at");
        assert_eq!(names(folder.path()), ["away"]);
    }

    #[test]
    fn what_is_no_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        for path in [Path::new("/dev/null"), folder.path()] {
            assert!(matches!(
                replace(path, b"x"),
                Err(ReplaceFault::NotReplaceable)
            ));
        }
        assert!(names(folder.path()).is_empty());
    }
}
