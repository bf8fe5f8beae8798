//! Test files, and directories of them, that a killed process has left behind: found, told
//! apart from what only looks like them, and removed.
//!
//! What counts is the mark on the inode ([`crate::mark`]), and, where we have given a name
//! of ours, that very name. What has only the name is told as doubtful, for its owner to
//! decide. Nothing is followed and no mount is entered: neither links nor what somebody has
//! mounted there.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, flock, openat, statat,
};
use rustix::io::Errno;
use sokudo_model::Bytes;

use crate::mark::{FilePurpose, NotOurs, is_unfinished, standing};
use crate::own_name::{DIRECTORY_PREFIX, FILE_PREFIX, is_own_name};
use crate::removal::{InodeIdentity, RemovalEntry, remove_from};
use crate::tree::{empty, enter, foreign, occupied};

/// How a folder is opened.
const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// What has a name of ours.
    Named,
    /// Every file, because a job's file has the name that its user gave it.
    All,
}

/// A test file, or a directory of test files, that a killed process has left behind.
#[derive(Clone, Debug)]
pub struct LeftBehind {
    /// Path below the directory that was searched.
    pub path: PathBuf,
    /// Bytes allocated on the file system, of a directory's files together.
    pub size: Bytes,
    /// Why it may not be ours, although it has such a name; `None` if it is.
    pub doubt: Option<NotOurs>,
    folder: Rc<File>,
    identity: InodeIdentity,
}

impl LeftBehind {
    /// Removes it, if it is still what was found.
    ///
    /// # Errors
    /// When it is not, somebody uses it or has put something into it, or the directory does
    /// not allow it.
    pub fn remove(&self) -> io::Result<()> {
        let name = self.path.file_name().unwrap_or_default();
        let handle = open(&self.folder, name)?;
        let is_same = InodeIdentity::of(&handle)? == self.identity;
        if !is_same || judged(&handle, name) != Some(self.doubt) {
            return Err(io::ErrorKind::ResourceBusy.into());
        }
        let _claimed = Claim::of(&handle).ok_or(io::ErrorKind::ResourceBusy)?;
        if !handle.metadata()?.is_dir() {
            return remove_from(&self.folder, name, self.identity, AtFlags::empty());
        }
        // Nothing is removed of a directory that holds what is not ours.
        if let Some(name) = foreign(&handle)? {
            return Err(io::Error::other(format!(
                "it holds {name}, which sokudo has not put there; move that away first"
            )));
        }
        empty(&handle)?;
        remove_from(&self.folder, name, self.identity, AtFlags::REMOVEDIR)
    }
}

/// Removes what a process that has ended could not: if it is still the very file or directory
/// that it has told of, and by its mark still ours. Without a mark its name must be ours, too.
///
/// # Errors
/// `InvalidData` when it is not; or when somebody uses it or has put something into it, or the
/// directory does not allow it.
pub fn remove_for_dead(entry: &RemovalEntry) -> io::Result<()> {
    let not_ours = || io::Error::from(io::ErrorKind::InvalidData);
    let path = entry.path.clone();
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(not_ours());
    };
    let folder = openat(CWD, parent, FOLDER, Mode::empty())?;
    let folder = Rc::new(File::from(folder));
    let handle = match open(&folder, name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    if InodeIdentity::of(&handle)? != entry.identity {
        return Err(not_ours());
    }
    let doubt = judged(&handle, name).ok_or_else(not_ours)?;
    let metadata = handle.metadata()?;
    // It is marked before anything is written to it.
    if doubt == Some(NotOurs::Unmarked) && metadata.is_file() && metadata.len() > 0 {
        return Err(not_ours());
    }
    let left = LeftBehind {
        size: Bytes(metadata.len()),
        identity: entry.identity,
        path,
        doubt,
        folder,
    };
    left.remove()
}

/// Test files, and directories of them, in `directory` that no living process holds.
pub fn left_behind(directory: &Path, search: Search) -> Vec<LeftBehind> {
    let Ok(folder) = openat(CWD, directory, FOLDER, Mode::empty()) else {
        return Vec::new();
    };
    let folder = Rc::new(File::from(folder));
    let Ok(entries) = Dir::read_from(&*folder) else {
        return Vec::new();
    };
    let mut found: Vec<LeftBehind> = entries
        .flatten()
        .filter(|entry| {
            let name = name_of(entry.file_name());
            has_own_name(name) || search == Search::All && is_file(&folder, entry)
        })
        .filter_map(|entry| {
            let name = name_of(entry.file_name());
            let handle = open(&folder, name).ok()?;
            let doubt = judged(&handle, name)?;
            let metadata = handle.metadata().ok()?;
            let size = match metadata.is_dir() {
                true => occupied(&handle).unwrap_or_default(),
                false => Bytes(std::os::unix::fs::MetadataExt::blocks(&metadata) * 512),
            };
            let _claimed = Claim::of(&handle)?;
            Some(LeftBehind {
                path: directory.join(name),
                size,
                doubt,
                folder: Rc::clone(&folder),
                identity: InodeIdentity::of(&handle).ok()?,
            })
        })
        .collect();
    found.sort_by(|left, right| left.path.cmp(&right.path));
    found
}

fn name_of(name: &CStr) -> &OsStr {
    OsStr::from_bytes(name.to_bytes())
}

fn has_own_name(name: &OsStr) -> bool {
    is_own_name(name, FILE_PREFIX) || is_own_name(name, DIRECTORY_PREFIX)
}

/// Others, such as a pipe, might notice that they are opened.
fn is_file(folder: &File, entry: &rustix::fs::DirEntry) -> bool {
    match entry.file_type() {
        FileType::Unknown => statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|status| FileType::from_raw_mode(status.st_mode) == FileType::RegularFile),
        kind => kind == FileType::RegularFile,
    }
}

/// Opens a file or directory that lies in this folder itself.
fn open(folder: &File, name: &OsStr) -> io::Result<File> {
    enter(folder, name, OFlags::NONBLOCK)
}

/// Why it may not be ours, if that is all that speaks against it; `None` if it is not ours.
fn judged(handle: &File, name: &OsStr) -> Option<Option<NotOurs>> {
    use std::os::unix::fs::MetadataExt;
    let metadata = handle.metadata().ok()?;
    let prefix = match (metadata.is_dir(), metadata.is_file()) {
        (true, _) => DIRECTORY_PREFIX,
        (_, true) => FILE_PREFIX,
        _ => return None,
    };
    let has_own_name = is_own_name(name, prefix);
    let is_users = metadata.uid() == rustix::process::geteuid().as_raw();
    match standing(handle) {
        // It has the name that its user gave it.
        Ok(FilePurpose::Removed) if metadata.is_file() => {
            Some(is_unfinished(handle).then_some(NotOurs::Unfinished))
        }
        Ok(FilePurpose::Test) if has_own_name => Some(None),
        Err(why @ (NotOurs::Unmarked | NotOurs::Unmarkable)) if has_own_name && is_users => {
            Some(Some(why))
        }
        _ => None,
    }
}

/// No other living process holds it, as long as this lives.
struct Claim<'h>(&'h File);

impl<'h> Claim<'h> {
    /// `None` where one does. Without locks it merely looks abandoned.
    fn of(handle: &'h File) -> Option<Self> {
        let locked = flock(handle, FlockOperation::NonBlockingLockExclusive);
        (locked != Err(Errno::WOULDBLOCK)).then_some(Self(handle))
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        // A program that is just being started holds a copy of the handle, which would keep it
        // locked for a moment after it was closed here.
        let _ = flock(self.0, FlockOperation::Unlock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mark;
    use crate::own_name::own_name;
    use std::fs;

    const FILE: &str = "sokudo-test-file-1-0.safe-to-delete";
    const TREE: &str = "sokudo-files-1-0.safe-to-delete";

    fn found(directory: &Path) -> Vec<LeftBehind> {
        left_behind(directory, Search::All)
    }

    /// A marked file; `None`, said loudly, where there are no marks.
    fn marked(path: &Path, purpose: FilePurpose) -> Option<File> {
        let file = File::create_new(path).unwrap();
        match mark::begin(&file, purpose, 0..=100) {
            Ok(()) => Some(file),
            Err(_) => {
                eprintln!("SKIPPED: no attributes here");
                None
            }
        }
    }

    #[test]
    fn only_exact_names_are_ours() {
        assert!(is_own_name(FILE.as_ref(), FILE_PREFIX));
        assert!(is_own_name(own_name(FILE_PREFIX, 7).as_ref(), FILE_PREFIX));
        assert!(is_own_name(TREE.as_ref(), DIRECTORY_PREFIX));
        for name in [
            "sokudo-test-file-.safe-to-delete",
            "sokudo-test-file-1.safe-to-delete",
            "sokudo-test-file-1-.safe-to-delete",
            "sokudo-test-file-1-0-2.safe-to-delete",
            "sokudo-test-file-results of 1-0.safe-to-delete",
            "sokudo-test-file-1-0.safe-to-delete.bak",
            "my-sokudo-test-file-1-0.safe-to-delete",
        ] {
            assert!(!is_own_name(name.as_ref(), FILE_PREFIX), "{name}");
        }
    }

    #[test]
    fn a_name_without_a_mark_is_doubtful_and_removed_only_as_that() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        fs::write(&path, "mine").unwrap();
        fs::write(directory.path().join("other"), "mine").unwrap();
        let found = found(directory.path());
        assert_eq!(found.len(), 1);
        assert!(found[0].doubt.is_some());
        found[0].remove().unwrap();
        assert!(!path.exists());
        assert!(directory.path().join("other").exists());
    }

    #[test]
    fn a_marked_file_that_its_user_has_filled_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        let Some(file) = marked(&path, FilePurpose::Test) else {
            return;
        };
        let found_before = found(directory.path());
        assert!(found_before[0].doubt.is_none());
        file.set_len(101).unwrap();
        assert!(found(directory.path()).is_empty());
        assert!(found_before[0].remove().is_err(), "it was found before");
        assert!(path.exists());
    }

    #[test]
    fn a_jobs_file_that_is_to_be_removed_is_found_by_its_mark_and_one_that_stays_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let Some(file) = marked(&at("data"), FilePurpose::Removed) else {
            return;
        };
        marked(&at("kept"), FilePurpose::Kept);
        // Who renames a test file wants it.
        marked(&at("renamed"), FilePurpose::Test);
        // Its user may have put something of his own under his name since the job was killed.
        let doubts = || {
            found(directory.path())
                .iter()
                .map(|it| it.doubt)
                .collect::<Vec<_>>()
        };
        assert_eq!(doubts(), [Some(NotOurs::Unfinished)]);
        mark::finish(&file, FilePurpose::Removed).unwrap();
        drop(file);
        assert_eq!(doubts(), [None]);
        assert!(left_behind(directory.path(), Search::Named).is_empty());
        found(directory.path())[0].remove().unwrap();
        assert!(!at("data").exists());
    }

    #[test]
    fn what_was_claimed_is_free_again_though_a_program_being_started_holds_a_copy() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        let file = File::create(&path).unwrap();
        let copy = file.try_clone().unwrap();
        let claimed = Claim::of(&file).unwrap();
        assert!(found(directory.path()).is_empty());
        drop(claimed);
        drop(file);
        assert_eq!(found(directory.path()).len(), 1);
        drop(copy);
    }

    #[test]
    fn what_takes_the_name_after_the_search_is_not_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        fs::write(&path, "left").unwrap();
        let found = found(directory.path());
        fs::rename(&path, directory.path().join("away")).unwrap();
        fs::write(&path, "mine").unwrap();
        assert!(found[0].remove().is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }

    #[test]
    fn links_are_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        for (name, target) in [(FILE, "/etc/passwd"), (TREE, "/etc")] {
            std::os::unix::fs::symlink(target, directory.path().join(name)).unwrap();
        }
        assert!(found(directory.path()).is_empty());
    }

    #[test]
    fn of_a_directory_that_holds_something_of_the_users_nothing_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(TREE).join(name);
        fs::create_dir_all(at("00000")).unwrap();
        fs::write(at("00000/0000000001abc"), "").unwrap();
        fs::write(at("00000/thesis.odt"), "mine").unwrap();
        let found = found(directory.path());
        let message = found[0].remove().unwrap_err().to_string();
        assert!(message.contains("thesis.odt"), "{message}");
        assert!(at("00000/0000000001abc").exists());
        fs::remove_file(at("00000/thesis.odt")).unwrap();
        found[0].remove().unwrap();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_mounted_there_is_neither_entered_nor_emptied() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir_all(at("precious")).unwrap();
        fs::write(at("precious/0000000001"), "mine").unwrap();
        for (mounted, kept) in [(TREE.to_owned(), 0), (format!("{TREE}/00000"), 1)] {
            fs::create_dir_all(at(&mounted)).unwrap();
            // A bind mount: the same file system, and so the same device number.
            let mount = |program: &str, arguments: &[&Path]| {
                let status = std::process::Command::new(program).args(arguments).status();
                status.is_ok_and(|status| status.success())
            };
            if !mount(
                "mount",
                &[Path::new("--bind"), &at("precious"), &at(&mounted)],
            ) {
                eprintln!("SKIPPED: nothing can be mounted here");
                return;
            }
            let found = found(directory.path());
            let removed = found.iter().map(LeftBehind::remove).any(|it| it.is_ok());
            // Programs that other tests start may still hold what was open in it.
            assert!(mount("umount", &[Path::new("--lazy"), &at(&mounted)]));
            assert_eq!(found.len(), kept, "{mounted}");
            assert!(!removed);
            assert_eq!(fs::read(at("precious/0000000001")).unwrap(), b"mine");
        }
    }
}
