//! The directory that a tree of files is made in: created exclusively, named for what it
//! is, and removed whatever happens.
//!
//! Everything in it is reached from its open descriptor, so that a name that is exchanged
//! meanwhile is not followed; links are removed and never followed, and what is mounted
//! below it is left alone. It is marked as ours and locked while it is in use, and `sokudo
//! clean` finds those that nobody has locked.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FlockOperation, Mode, OFlags, StatxFlags, flock, mkdirat, openat, statx, unlinkat,
};
use rustix::io::Errno;
use sokudo_model::{Bytes, FileTree, TreeContents};
use sokudo_words::Text;

use super::names;
use crate::mark::{self, FilePurpose};
use crate::own_name::{DIRECTORY_PREFIX, with_own_name};
use crate::removal::{InodeIdentity, MakingGuard, Vanishing, remove_from};
use crate::stage_error::StageError;
use crate::test_file::{free_space_needed, remedy};

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
    path: PathBuf,
    _known: Option<Vanishing>,
}

/// Why there is no directory of our own, or no files in it.
#[derive(Debug, sokudo_words::Error)]
pub enum TreeError {
    /// The directory does not let us.
    #[error("no directory for files can be made in {directory}: {source}; {remedy}", directory = directory.display(), remedy = Text::from(*remedy))]
    Create {
        /// Parent that the directory was to be made in.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
        /// What the user can do.
        remedy: &'static str,
    },
    /// The file system is too full.
    #[error("{directory} has {free} free, but {files} files need up to {needed}; use fewer or smaller files, or make room", directory = directory.display())]
    NoSpace {
        /// Parent whose file system lacks bytes.
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
        /// Parent whose file system lacks inodes.
        directory: PathBuf,
        /// Free for this user.
        free: u64,
        /// How many would be made.
        needed: u64,
    },
    /// What is not a tree of files.
    #[error("{name}: there are no files to {operation}; name how many", operation = Text::from(*operation))]
    #[fault(usage)]
    NoTree {
        /// Name of the workload that has no tree.
        name: String,
        /// What was to be done to them.
        operation: &'static str,
    },
    /// No thread could be started.
    #[error(transparent)]
    Stage(#[from] StageError),
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
        let (handle, path, known) = with_own_name(parent, DIRECTORY_PREFIX, |path| {
            let name = path.file_name().unwrap_or_default();
            let making = MakingGuard::begin();
            mkdirat(&parent_handle, name, Mode::RWXU)?;
            let handle = enter(&parent_handle, name, OFlags::DIRECTORY)?;
            let known = making.know(&path, &handle);
            Ok((handle, path, known))
        })
        .map_err(failed)?;
        // Marks it as in use; without locks it merely looks abandoned.
        let _ = flock(&handle, FlockOperation::NonBlockingLockExclusive);
        // Without attributes only its name speaks for it.
        let _ = mark::begin(&handle, FilePurpose::Test, 0..=0);
        Ok(Self {
            _known: known,
            handle,
            parent: parent_handle,
            path,
        })
    }

    /// Path of the directory, below the parent that was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn handle(&self) -> &File {
        &self.handle
    }

    /// Removes all that is in it.
    ///
    /// # Errors
    /// When the file system does not allow it.
    pub fn empty(&self) -> io::Result<()> {
        empty(&self.handle)
    }
}

impl Drop for OwnDirectory {
    fn drop(&mut self) {
        // Nothing can be done about a failure here; `sokudo clean` finds it.
        let _ = self.empty();
        let name = self.path.file_name().unwrap_or_default();
        let _ = InodeIdentity::of(&self.handle)
            .and_then(|identity| remove_from(&self.parent, name, identity, AtFlags::REMOVEDIR));
    }
}

fn open_directory(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(sokudo_sys::folder_of(path)?, ".", flags, Mode::empty())?.into())
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

/// Opens what lies in a directory itself: behind no link, and on no other mount.
pub(crate) fn enter(directory: &impl AsFd, name: &OsStr, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let inner: File = openat(directory, name, flags, Mode::empty())?.into();
    // What is held open stays where it is, whatever is mounted over its name now.
    if mount_of(&inner)? != mount_of(directory)? {
        return Err(io::ErrorKind::CrossesDevices.into());
    }
    Ok(inner)
}

/// By which mount something was reached.
#[derive(Debug, PartialEq, Eq)]
enum MountIdentity {
    /// A bind mount has another number, although it shows the same device.
    Number(u64),
    /// What kernels before 5.8 tell.
    Device(u32, u32),
}

fn mount_of(held: &impl AsFd) -> io::Result<MountIdentity> {
    let status = statx(held, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID)?;
    // Files of an overlay have other devices than its directories.
    Ok(match status.stx_mask & StatxFlags::MNT_ID.bits() {
        0 => MountIdentity::Device(status.stx_dev_major, status.stx_dev_minor),
        _ => MountIdentity::Number(status.stx_mnt_id),
    })
}

fn name_of(name: &CStr) -> &OsStr {
    OsStr::from_bytes(name.to_bytes())
}

fn is_entry(name: &CStr) -> bool {
    !matches!(name.to_bytes(), b"." | b"..")
}

/// Removes everything in a directory of ours.
///
/// # Errors
/// When something is mounted in it, or the file system does not allow it.
pub(crate) fn empty(directory: &impl AsFd) -> io::Result<()> {
    empty_so_deep(directory, DEPTH_MAX)
}

fn empty_so_deep(directory: &impl AsFd, depth: u32) -> io::Result<()> {
    for _ in 0..PASSES_MAX {
        let mut removed = 0;
        for entry in Dir::read_from(directory)? {
            let entry = entry?;
            if is_entry(entry.file_name()) {
                remove_entry(directory, name_of(entry.file_name()), depth)?;
                removed += 1;
            }
        }
        if removed == 0 {
            return Ok(());
        }
    }
    Err(io::ErrorKind::DirectoryNotEmpty.into())
}

fn remove_entry(directory: &impl AsFd, name: &OsStr, depth: u32) -> io::Result<()> {
    match unlinkat(directory, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        Err(Errno::ISDIR | Errno::PERM) if depth > 0 => {}
        Err(errno) => return Err(errno.into()),
    }
    let subdirectory = enter(directory, name, OFlags::DIRECTORY)?;
    empty_so_deep(&subdirectory, depth - 1)?;
    let identity = InodeIdentity::of(&subdirectory)?;
    remove_from(directory, name, identity, AtFlags::REMOVEDIR)
}

/// The name of something in a directory of ours that we cannot have put there: it has no
/// name of a tree's, or is mounted there.
///
/// # Errors
/// When the directory cannot be read.
pub(crate) fn foreign(directory: &File) -> io::Result<Option<String>> {
    let mut subdirectories = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = name_of(entry.file_name());
        if !is_entry(entry.file_name()) || names::may_be_a_file(name.as_bytes()) {
            continue;
        }
        match enter(directory, name, OFlags::DIRECTORY) {
            Ok(inner) if names::may_be_a_directory(name.as_bytes()) => {
                subdirectories.push((name.to_owned(), inner));
            }
            _ => return Ok(Some(name.to_string_lossy().into_owned())),
        }
    }
    for (name, inner) in subdirectories {
        for entry in Dir::read_from(&inner)? {
            let entry = entry?;
            let inner_name = name_of(entry.file_name());
            if is_entry(entry.file_name()) && !names::may_be_a_file(inner_name.as_bytes()) {
                let path = Path::new(&name).join(inner_name);
                return Ok(Some(path.to_string_lossy().into_owned()));
            }
        }
    }
    Ok(None)
}

/// What all files in a directory take.
pub(crate) fn occupied(directory: &impl AsFd) -> io::Result<Bytes> {
    occupied_so_deep(directory, DEPTH_MAX)
}

fn occupied_so_deep(directory: &impl AsFd, depth: u32) -> io::Result<Bytes> {
    let mut sum = Bytes(0);
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        if !is_entry(entry.file_name()) {
            continue;
        }
        let stat = rustix::fs::statat(directory, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
        sum.0 += u64::try_from(stat.st_blocks).unwrap_or(0) * 512;
        if depth > 0
            && let Ok(inner) = enter(directory, name_of(entry.file_name()), OFlags::DIRECTORY)
        {
            sum.0 += occupied_so_deep(&inner, depth - 1)?.0;
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;
    use crate::left_behind::{Search, left_behind};

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

    /// No tree of ours is so deep.
    #[test]
    fn what_lies_deeper_than_ours_is_counted_as_far_as_that_and_stays() {
        let parent = tempfile::tempdir().unwrap();
        let own = OwnDirectory::create(parent.path(), &[]).unwrap();
        let path = own.path().to_owned();
        std::fs::create_dir_all(path.join("00000/1/2/3")).unwrap();
        let files = [path.join("00000/file"), path.join("00000/1/2/3/file")];
        for file in &files {
            std::fs::write(file, vec![1; 1 << 20]).unwrap();
            std::fs::File::open(file).unwrap().sync_all().unwrap();
        }
        // What the file system has taken for them, which may compress.
        let blocks = |name: &str| path.join(name).metadata().unwrap().blocks() * 512;
        let ours = ["00000", "00000/file", "00000/1", "00000/1/2"].map(blocks);
        assert_eq!(occupied(&own.handle).unwrap(), Bytes(ours.iter().sum()));
        assert!(empty(&own.handle).is_err());
        assert!(files[1].exists());
    }

    #[test]
    fn one_in_use_is_not_left_behind_and_one_of_a_dead_process_is() {
        let parent = tempfile::tempdir().unwrap();
        let own = OwnDirectory::create(parent.path(), &[]).unwrap();
        assert!(left_behind(parent.path(), Search::All).is_empty());
        std::fs::write(own.path().join("0000000000a"), vec![1; 5000]).unwrap();
        let other = OwnDirectory::create(parent.path(), &[]).unwrap();
        assert_ne!(own.path(), other.path());
        drop(other);
        // A killed process: the lock is gone, the directory is not.
        flock(&own.handle, FlockOperation::Unlock).unwrap();
        let found = left_behind(parent.path(), Search::All);
        assert_eq!(found.len(), 1);
        assert!(found[0].size.0 >= 5000, "{}", found[0].size);
        found[0].remove().unwrap();
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    /// Its name is exchanged for a directory of somebody else's.
    #[test]
    fn what_has_taken_its_name_stays() {
        let parent = tempfile::tempdir().unwrap();
        let own = OwnDirectory::create(parent.path(), &[]).unwrap();
        let path = own.path().to_owned();
        std::fs::rename(&path, parent.path().join("away")).unwrap();
        std::fs::create_dir(&path).unwrap();
        drop(own);
        assert!(path.exists());
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
