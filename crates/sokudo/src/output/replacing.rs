//! A file whose contents change all at once: whoever looks sees all of the old or all of
//! the new, and where the new cannot be written, the old stays.
//!
//! Only what can be renamed is replaced: regular files of one name, in folders that we may
//! write to. A file of several names would lose all but one of them, so it is written in
//! place. The folder is held open, and the file in it must be the one that was looked at:
//! root replaces nothing that somebody else has put there meanwhile.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, openat, renameat, statat, unlinkat};
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
    let flags = OFlags::PATH.bits().cast_signed();
    let there = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .ok();
    let metadata = there.as_ref().and_then(|there| there.metadata().ok());
    match (&metadata, path.symlink_metadata()) {
        (Some(there), _) if !there.is_file() || there.nlink() > 1 => {
            return Err(ReplaceFault::NotReplaceable);
        }
        (None, Ok(_)) => return Err(ReplaceFault::NotReplaceable),
        _ => {}
    }
    let place = OutputLocation::of(path, there.as_ref())?;
    put(&place, metadata.as_ref(), bytes)
}

fn put(place: &OutputLocation, there: Option<&Metadata>, bytes: &[u8]) -> Result<(), ReplaceFault> {
    // What is given the rights and the owner of another file must not take the place of a third.
    if !place.holds(there) {
        return Err(ReplaceFault::Unwritten(io::Error::other(text!(
            "somebody exchanges names in its folder"
        ))));
    }
    let mut draft = OutputDraft::beside(place, there)?;
    draft
        .file
        .write_all(bytes)
        // Some file systems tell only here that they are full.
        .and_then(|()| draft.file.sync_all())
        .map_err(ReplaceFault::Unwritten)?;
    // Another file may be mounted in its place.
    renameat(&place.folder, &draft.name, &place.folder, &place.name)
        .map_err(|_| ReplaceFault::NotReplaceable)
}

/// Where a file has its name: the folder is held open.
struct OutputLocation {
    folder: OwnedFd,
    name: OsString,
}

impl OutputLocation {
    /// The place of an open file, whatever links led there; of one that is not there, the
    /// place that its path names.
    fn of(path: &Path, there: Option<&File>) -> Result<Self, ReplaceFault> {
        let real = match there {
            Some(file) => PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
                .read_link()
                .map_err(|_| ReplaceFault::NotReplaceable)?,
            None => path.to_owned(),
        };
        let name = real.file_name().ok_or(ReplaceFault::NotReplaceable)?;
        let folder = match real.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(CWD, folder, flags, Mode::empty());
        Ok(Self {
            folder: folder.map_err(|_| ReplaceFault::NotReplaceable)?,
            name: name.to_owned(),
        })
    }

    /// Whether the name leads to this, or to nothing where there was nothing.
    fn holds(&self, there: Option<&Metadata>) -> bool {
        let found = statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW).ok();
        found.map(|found| (found.st_dev, found.st_ino))
            == there.map(|there| (there.dev(), there.ino()))
    }
}

/// The new contents on their way.
struct OutputDraft<'a> {
    file: File,
    folder: &'a OwnedFd,
    name: OsString,
}

impl<'a> OutputDraft<'a> {
    /// With the rights and the owner of the file that is there.
    fn beside(place: &'a OutputLocation, there: Option<&Metadata>) -> Result<Self, ReplaceFault> {
        let not_replaceable = |_| ReplaceFault::NotReplaceable;
        let mode = there.map_or(NEW_FILE_MODE, MetadataExt::mode) & 0o777;
        let mut name = OsString::from(format!(".sokudo-{}-", std::process::id()));
        name.push(&place.name);
        let flags =
            OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = openat(&place.folder, &name, flags, Mode::from_raw_mode(mode));
        let draft = Self {
            file: file.map_err(|_| ReplaceFault::NotReplaceable)?.into(),
            folder: &place.folder,
            name,
        };
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
        let there = File::open(at("file")).unwrap();
        let metadata = there.metadata().unwrap();
        let Ok(place) = OutputLocation::of(&at("file"), Some(&there)) else {
            panic!("there is a place");
        };
        fs::rename(at("file"), at("away")).unwrap();
        fs::write(at("file"), "precious").unwrap();
        assert!(matches!(
            put(&place, Some(&metadata), b"x"),
            Err(ReplaceFault::Unwritten(_))
        ));
        symlink("away", at("link")).unwrap();
        fs::rename(at("link"), at("file")).unwrap();
        assert!(matches!(
            put(&place, Some(&metadata), b"x"),
            Err(ReplaceFault::Unwritten(_))
        ));
        fs::remove_file(at("file")).unwrap();
        assert!(matches!(
            put(&place, Some(&metadata), b"x"),
            Err(ReplaceFault::Unwritten(_))
        ));
        assert_eq!(fs::read(at("away")).unwrap(), b"looked at");
        assert_eq!(names(folder.path()), ["away"]);
    }

    #[test]
    fn what_is_no_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let dangling = folder.path().join("dangling");
        symlink("nothing", &dangling).unwrap();
        for path in [Path::new("/dev/null"), folder.path(), &dangling] {
            assert!(matches!(
                replace(path, b"x"),
                Err(ReplaceFault::NotReplaceable)
            ));
        }
        assert_eq!(names(folder.path()), ["dangling"]);
    }
}
