//! The directory that a tree of files is made in: created exclusively, named for what it
//! is, and removed whatever happens.
//!
//! Everything in it is reached from its open descriptor, so that a name that is exchanged
//! meanwhile is not followed; links are removed and never followed, and what is mounted
//! below it is left alone. It is locked while it is in use, and `sokudo clean` finds
//! those that nobody has locked.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FlockOperation, Mode, OFlags, flock, mkdirat, openat, unlinkat};
use rustix::io::Errno;
use sokudo_model::{Bytes, FileTree, TreeContents};

use crate::test_file::{LeftBehind, free_space_needed, remedy};

/// What the directory is called, around the process number and a counter.
const NAME_PREFIX: &str = "sokudo-files-";
const NAME_SUFFIX: &str = ".safe-to-delete";

/// Names to try before giving up: others are taken only if a process number came round
/// again.
const NAMES_MAX: u32 = 100;

/// Files lie at most so deep below the directory: in it, or in its subdirectories.
const DEPTH_MAX: u32 = 2;

/// Emptying is tried so often: a file system may list only a part of a directory of which
/// entries vanish.
const PASSES_MAX: u32 = 1_000;

/// File systems give out room in pieces of about this size.
const PIECE_BYTES: u64 = 4096;

/// What an entry and its inode take at most, on the file systems of Linux.
const ENTRY_BYTES: u64 = 1024;

/// A directory of our own. Dropping it removes it with all that is in it.
pub struct OwnDirectory {
    handle: File,
    parent: File,
    name: CString,
    path: PathBuf,
}

/// Why there is no directory of our own, or no files in it.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The directory does not let us.
    #[error("no directory for files can be made in {directory}: {source}; {remedy}", directory = directory.display())]
    Create {
        /// Where.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
        /// What the user can do.
        remedy: &'static str,
    },
    /// The file system is too full.
    #[error("{directory} has {free} free, but {files} files need up to {needed}; use fewer or smaller files, or make room", directory = directory.display())]
    NoSpace {
        /// Where.
        directory: PathBuf,
        /// Free for this user.
        free: Bytes,
        /// How many files there would be.
        files: u64,
        /// What they may take, with a margin.
        needed: Bytes,
    },
    /// The file system has room for data but not for more files.
    #[error("{directory} can hold {free} more files, but {needed} are to be made; use fewer files, or another file system", directory = directory.display())]
    NoInodes {
        /// Where.
        directory: PathBuf,
        /// Free for this user.
        free: u64,
        /// How many would be made.
        needed: u64,
    },
    /// What is not a tree of files.
    #[error("{name}: there are no files to {operation}; name how many", operation = operation)]
    NoTree {
        /// The workload.
        name: String,
        /// What was to be done to them.
        operation: &'static str,
    },
}

impl OwnDirectory {
    /// Makes one in `parent`, after checking that the files of `trees` have room there,
    /// one tree at a time.
    ///
    /// # Errors
    /// When there is too little room or the directory does not allow it.
    pub fn create(parent: &Path, trees: &[FileTree]) -> Result<Self, TreeError> {
        let failed = |source: io::Error| TreeError::Create {
            directory: parent.to_owned(),
            remedy: remedy(&source),
            source,
        };
        for tree in trees {
            check_room(parent, tree)?;
        }
        let parent_handle = open_directory(parent).map_err(failed)?;
        let process = std::process::id();
        for number in 0..NAMES_MAX {
            let name = format!("{NAME_PREFIX}{process}-{number}{NAME_SUFFIX}");
            let path = parent.join(&name);
            let name = CString::new(name).map_err(|error| failed(error.into()))?;
            match mkdirat(&parent_handle, name.as_c_str(), Mode::RWXU) {
                Ok(()) => {}
                Err(Errno::EXIST) => continue,
                Err(errno) => return Err(failed(errno.into())),
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let handle = openat(&parent_handle, name.as_c_str(), flags, Mode::empty())
                .map_err(|errno| failed(errno.into()))?;
            // Marks it as in use; without locks it merely looks abandoned.
            let _ = flock(&handle, FlockOperation::NonBlockingLockExclusive);
            return Ok(Self {
                handle: handle.into(),
                parent: parent_handle,
                name,
                path,
            });
        }
        Err(failed(io::ErrorKind::AlreadyExists.into()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The open directory.
    pub(super) fn handle(&self) -> &File {
        &self.handle
    }

    /// Removes all that is in it.
    ///
    /// # Errors
    /// When the file system does not allow it.
    pub fn empty(&self) -> io::Result<()> {
        let device = self.handle.metadata()?.dev();
        empty(&self.handle, device, DEPTH_MAX)
    }
}

impl Drop for OwnDirectory {
    fn drop(&mut self) {
        // Nothing can be done about a failure here; `sokudo clean` finds it.
        let _ = self.empty();
        let _ = unlinkat(&self.parent, self.name.as_c_str(), AtFlags::REMOVEDIR);
    }
}

fn open_directory(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

fn check_room(parent: &Path, tree: &FileTree) -> Result<(), TreeError> {
    let Ok(statistics) = rustix::fs::statvfs(parent) else {
        // What is in the way is told when the directory is made.
        return Ok(());
    };
    let bytes_each = match tree.contents {
        TreeContents::Bytes { max, .. } => u64::from(max).next_multiple_of(PIECE_BYTES),
        TreeContents::HardLinks | TreeContents::SymbolicLinks => 0,
    };
    let bytes = tree.files.saturating_mul(bytes_each + ENTRY_BYTES);
    let needed = free_space_needed(Bytes(bytes));
    let free = Bytes(statistics.f_bavail.saturating_mul(statistics.f_frsize));
    if free < needed {
        return Err(TreeError::NoSpace {
            directory: parent.to_owned(),
            free,
            files: tree.files,
            needed,
        });
    }
    // File systems without a fixed number of files say 0 of 0.
    let counts_files = statistics.f_files > 0 && tree.contents != TreeContents::HardLinks;
    let files = tree.files.saturating_add(u64::from(tree.directories));
    if counts_files && statistics.f_favail < files {
        return Err(TreeError::NoInodes {
            directory: parent.to_owned(),
            free: statistics.f_favail,
            needed: files,
        });
    }
    Ok(())
}

/// Removes everything in a directory that lies on this device, so many levels deep.
fn empty(directory: &impl AsFd, device: u64, depth: u32) -> io::Result<()> {
    for _ in 0..PASSES_MAX {
        let mut removed = 0;
        for entry in Dir::read_from(directory)? {
            let entry = entry?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                remove_entry(directory, entry.file_name(), device, depth)?;
                removed += 1;
            }
        }
        if removed == 0 {
            return Ok(());
        }
    }
    Err(io::ErrorKind::DirectoryNotEmpty.into())
}

fn remove_entry(directory: &impl AsFd, name: &CStr, device: u64, depth: u32) -> io::Result<()> {
    match unlinkat(directory, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        Err(Errno::ISDIR | Errno::PERM) if depth > 0 => {}
        Err(errno) => return Err(errno.into()),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let subdirectory: File = openat(directory, name, flags, Mode::empty())?.into();
    if subdirectory.metadata()?.dev() != device {
        return Err(io::ErrorKind::CrossesDevices.into());
    }
    empty(&subdirectory, device, depth - 1)?;
    Ok(unlinkat(directory, name, AtFlags::REMOVEDIR)?)
}

/// Directories of ours in `directory` that no living process holds.
pub(crate) fn abandoned_directories(directory: &Path) -> Vec<LeftBehind> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    let ours = |name: &str| name.starts_with(NAME_PREFIX) && name.ends_with(NAME_SUFFIX);
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(ours))
        .filter_map(|entry| {
            let path = entry.path();
            let handle = claim(&path)?;
            Some(LeftBehind {
                size: occupied(&handle, DEPTH_MAX).unwrap_or_default(),
                path,
            })
        })
        .collect()
}

/// Opens a directory of this user that nobody has locked, and locks it.
fn claim(path: &Path) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle: File = rustix::fs::open(path, flags, Mode::empty()).ok()?.into();
    let mine = handle.metadata().ok()?.uid() == rustix::process::geteuid().as_raw();
    let locked = flock(&handle, FlockOperation::NonBlockingLockExclusive);
    (mine && locked != Err(Errno::WOULDBLOCK)).then_some(handle)
}

/// What all files in a directory take.
fn occupied(directory: &impl AsFd, depth: u32) -> io::Result<Bytes> {
    let mut sum = Bytes(0);
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        if matches!(entry.file_name().to_bytes(), b"." | b"..") {
            continue;
        }
        let stat = rustix::fs::statat(directory, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
        sum.0 += u64::try_from(stat.st_blocks).unwrap_or(0) * 512;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if depth > 0
            && let Ok(inner) = openat(directory, entry.file_name(), flags, Mode::empty())
        {
            sum.0 += occupied(&inner, depth - 1)?.0;
        }
    }
    Ok(sum)
}

/// Removes a directory that was left behind, if nobody has taken it up since.
pub(crate) fn remove_abandoned(path: &Path) -> io::Result<()> {
    let handle = claim(path).ok_or(io::ErrorKind::ResourceBusy)?;
    let device = handle.metadata()?.dev();
    empty(&handle, device, DEPTH_MAX)?;
    std::fs::remove_dir(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::left_behind;

    #[test]
    fn it_is_gone_with_all_that_is_in_it() {
        let parent = tempfile::tempdir().unwrap();
        let own = OwnDirectory::create(parent.path(), &[]).unwrap();
        let outside = parent.path().join("outside");
        std::fs::write(&outside, "mine").unwrap();
        std::fs::create_dir_all(own.path().join("00000")).unwrap();
        std::fs::write(own.path().join("00000/file"), "x").unwrap();
        std::os::unix::fs::symlink(&outside, own.path().join("link")).unwrap();
        std::os::unix::fs::symlink(parent.path(), own.path().join("00000/up")).unwrap();
        drop(own);
        let left: Vec<_> = std::fs::read_dir(parent.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!(std::fs::read_to_string(outside).unwrap(), "mine");
    }

    #[test]
    fn one_in_use_is_not_left_behind_and_one_of_a_dead_process_is() {
        let parent = tempfile::tempdir().unwrap();
        let own = OwnDirectory::create(parent.path(), &[]).unwrap();
        assert_eq!(left_behind(parent.path()), []);
        std::fs::write(own.path().join("file"), vec![1; 5000]).unwrap();
        let other = OwnDirectory::create(parent.path(), &[]).unwrap();
        assert_ne!(own.path(), other.path());
        drop(other);
        // A killed process: the lock is gone, the directory is not.
        flock(&own.handle, FlockOperation::Unlock).unwrap();
        let found = left_behind(parent.path());
        assert_eq!(found.len(), 1);
        assert!(found[0].size.0 >= 5000, "{}", found[0].size);
        found[0].remove().unwrap();
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn directories_of_others_and_links_are_not_taken_for_ours() {
        let parent = tempfile::tempdir().unwrap();
        std::fs::create_dir(parent.path().join("sokudo-files-of-mine")).unwrap();
        let link = parent.path().join("sokudo-files-1-0.safe-to-delete");
        std::os::unix::fs::symlink("/etc", link).unwrap();
        assert_eq!(left_behind(parent.path()), []);
    }

    #[test]
    fn too_little_room_is_told_before_anything_is_made() {
        let parent = tempfile::tempdir().unwrap();
        let tree = FileTree {
            files: 1 << 40,
            contents: TreeContents::Bytes {
                min: 0,
                max: 1 << 30,
            },
            directories: 0,
            names: sokudo_model::TreeNames::NumberFirst,
            order: sokudo_model::TreeOrder::Numbered,
            sync_each: false,
        };
        let error = OwnDirectory::create(parent.path(), &[tree]).err().unwrap();
        assert!(matches!(error, TreeError::NoSpace { .. }), "{error}");
        let missing = OwnDirectory::create(Path::new("/no/such/place"), &[tree])
            .err()
            .unwrap();
        assert!(
            missing.to_string().contains("name a directory that exists"),
            "{missing}"
        );
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
