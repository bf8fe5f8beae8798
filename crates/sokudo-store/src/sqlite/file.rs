//! The file of a store: whether there is one that can be opened, and making it so that
//! only its owner can read it.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RenameFlags, Uid, fstat, linkat, openat, readlinkat, renameat_with,
    unlinkat,
};
use rustix::io::Errno;
use sokudo_words::{Text, text};

use super::folders::{Folders, exchanged, leads_to};
use crate::StoreError;

/// The smallest page that a database of SQLite consists of.
const DATABASE_BYTES_MIN: u64 = 512;

/// What there is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathState {
    Nothing,
    /// A file that may be written.
    ToWrite,
    /// A file that may only be read.
    ToRead,
}

/// Looks without opening what might never answer, such as a pipe.
pub(super) fn look(path: &Path) -> Result<PathState, StoreError> {
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(PathState::Nothing),
        Err(error) => return Err(unusable(path, &error)),
    };
    if let Some(what) = other_kind(&metadata) {
        return Err(StoreError::NoFile {
            path: path.to_owned(),
            what,
        });
    }
    // A store comes into being whole, so that an empty file is somebody else's.
    if metadata.len() == 0 {
        return Err(StoreError::Empty(path.to_owned()));
    }
    // SQLite takes a scrap of a file for an empty one, and would write over it.
    if (1..DATABASE_BYTES_MIN).contains(&metadata.len()) {
        return Err(StoreError::Damaged {
            store: Text::name(path.display().to_string()),
            reason: "it is shorter than any database".into(),
        });
    }
    match OpenOptions::new().read(true).write(true).open(path) {
        Ok(_) => Ok(PathState::ToWrite),
        Err(_) => OpenOptions::new()
            .read(true)
            .open(path)
            .map(|_| PathState::ToRead)
            .map_err(|error| unusable(path, &error)),
    }
}

/// `application_id` of our databases: "sokd".
pub(super) const APPLICATION: u32 = 0x736f_6b64;

/// Where a database says what kind of file it is, and whose.
/// <https://www.sqlite.org/fileformat.html>
const MAGIC: &[u8] = b"SQLite format 3\0";
const APPLICATION_AT: usize = 68;

/// Whether a file is a store, so that nothing else is written into it.
pub(super) fn is_store(path: &Path) -> bool {
    let mut header = [0; APPLICATION_AT + 4];
    let is_file = path.metadata().is_ok_and(|it| it.is_file());
    is_file
        && File::open(path)
            .and_then(|mut file| file.read_exact(&mut header))
            .is_ok()
        && header.starts_with(MAGIC)
        && header[APPLICATION_AT..] == APPLICATION.to_be_bytes()
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
pub(super) fn create(path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
    let refused = |path: &Path, source| StoreError::Folder {
        path: path.to_owned(),
        source,
    };
    let path = &destination(path).map_err(|error| refused(path, error))?;
    refuse_left_overs(path)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let Some(name) = path.file_name() else {
        return Err(refused(path, io::ErrorKind::IsADirectory.into()));
    };
    let folders = Folders::make(folder).map_err(|error| refused(folder, error))?;
    let placed = DatabaseDraft::filled(&folders, name, bytes).and_then(|draft| draft.put(name));
    match &placed {
        Ok(_) => folders.sync(),
        Err(_) => folders.remove(),
    }
    placed.map_err(|error| refused(path, error))
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

/// Where a link leads that leads to nothing yet. One of somebody else's is not followed:
/// it would have root make a file wherever that person likes.
fn destination(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // As many as the kernel follows.
    for _ in 0..40 {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(link) = rustix::fs::open(&path, flags, Mode::empty()) else {
            break;
        };
        let Ok(target) = readlinkat(&link, "", Vec::new()) else {
            break;
        };
        let owner = Uid::from_raw(fstat(&link)?.st_uid);
        if !owner.is_root() && owner != rustix::process::geteuid() {
            return Err(io::Error::other("it is another user's link to nothing"));
        }
        let target = OsString::from_vec(target.into_bytes());
        path = path.parent().unwrap_or(Path::new("/")).join(target);
    }
    Ok(path)
}

/// A file that has no place yet.
struct DatabaseDraft<'a> {
    file: File,
    folders: &'a Folders,
    /// Its name, where the file system knows no files without one.
    name: Option<OsString>,
}

impl<'a> DatabaseDraft<'a> {
    /// One in the folder of the store that holds these bytes, for its owner alone.
    fn filled(folders: &'a Folders, name: &OsStr, bytes: &[u8]) -> io::Result<Self> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let nameless = openat(folders.innermost(), ".", flags, Mode::RUSR | Mode::WUSR);
        let mut draft = match nameless {
            Ok(file) => Self {
                file: file.into(),
                folders,
                name: None,
            },
            Err(_) => Self::named(folders, name)?,
        };
        draft.file.write_all(bytes)?;
        draft.file.sync_all()?;
        folders.bequeath(&draft.file);
        Ok(draft)
    }

    fn named(folders: &'a Folders, name: &OsStr) -> io::Result<Self> {
        let mut name = name.to_owned();
        name.push(format!(".new-{}", std::process::id()));
        let flags =
            OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
        let file = openat(folders.innermost(), &name, flags, Mode::RUSR | Mode::WUSR)?;
        Ok(Self {
            file: file.into(),
            folders,
            name: Some(name),
        })
    }

    /// Gives it a name that nothing has; whether nothing had it.
    fn put(&self, name: &OsStr) -> io::Result<bool> {
        let folder = self.folders.innermost();
        let put =
            match &self.name {
                None => {
                    let open = format!("/proc/self/fd/{}", self.file.as_raw_fd());
                    linkat(CWD, open, folder, name, AtFlags::SYMLINK_FOLLOW)
                }
                // File systems have links or can rename without replacing, if not both.
                Some(own) => renameat_with(folder, own, folder, name, RenameFlags::NOREPLACE)
                    .or_else(|error| match error {
                        Errno::EXIST => Err(error),
                        _ => linkat(folder, own, folder, name, AtFlags::empty()),
                    }),
            };
        match put {
            Ok(()) if !leads_to(folder, name, &self.file) => Err(exchanged()),
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for DatabaseDraft<'_> {
    fn drop(&mut self) {
        let folder = self.folders.innermost();
        // After a renaming it is gone.
        if let Some(name) = &self.name
            && leads_to(folder, name, &self.file)
        {
            let _ = unlinkat(folder, name, AtFlags::empty());
        }
    }
}

fn unusable(path: &Path, error: &io::Error) -> StoreError {
    StoreError::Database {
        store: Text::name(path.display().to_string()),
        reason: text!("{error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What file systems without nameless files or links, such as those of USB sticks, get.
    #[test]
    fn a_draft_with_a_name_leaves_it_behind_in_no_case() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::make(folder.path()).unwrap();
        let path = folder.path().join("runs.db");
        let name = OsStr::new("runs.db");
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        let draft = DatabaseDraft::named(&folders, name).unwrap();
        assert_eq!(names(), 1);
        drop(draft);
        assert_eq!(names(), 0);
        for is_first in [true, false] {
            let mut draft = DatabaseDraft::named(&folders, name).unwrap();
            draft.file.write_all(&[u8::from(is_first)]).unwrap();
            assert_eq!(draft.put(name).unwrap(), is_first);
            drop(draft);
            assert_eq!(names(), 1);
            assert_eq!(std::fs::read(&path).unwrap(), [1]);
        }
    }

    /// Whoever owns the folder may rename the draft away before it gets its place.
    #[test]
    fn a_file_of_somebody_elses_does_not_pass_for_the_draft() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::make(folder.path()).unwrap();
        let name = OsStr::new("runs.db");
        let draft = DatabaseDraft::named(&folders, name).unwrap();
        let own = folder.path().join(draft.name.as_ref().unwrap());
        std::fs::rename(&own, folder.path().join("away")).unwrap();
        std::fs::write(&own, "another").unwrap();
        assert!(draft.put(name).is_err());
    }

    #[test]
    fn root_follows_no_link_of_somebody_elses_to_nothing() {
        if !rustix::process::geteuid().is_root() {
            eprintln!("SKIPPED: only root can make links of others");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        let elsewhere = folder.path().join("elsewhere");
        std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
        assert_eq!(destination(&link).unwrap(), elsewhere);
        std::os::unix::fs::lchown(&link, Some(65_534), None).unwrap();
        assert!(create(&link, &[0; 512]).is_err());
        assert!(!elsewhere.exists());
    }

    /// Somebody exchanges the new folder and the new file for what is root's, all the time.
    #[test]
    fn nobody_gets_what_is_roots_by_exchanging_names() {
        use std::os::unix::fs::{MetadataExt, chown, symlink};
        if !rustix::process::geteuid().is_root() {
            eprintln!("SKIPPED: only root can give anything away");
            return;
        }
        let roots = tempfile::tempdir().unwrap();
        let precious = roots.path().join("runs.db");
        std::fs::write(&precious, "root's").unwrap();
        let home = tempfile::tempdir().unwrap();
        chown(home.path(), Some(65_534), Some(65_534)).unwrap();
        let (folder, away) = (home.path().join("sokudo"), home.path().join("away"));
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    let _ = std::fs::rename(&folder, &away);
                    let _ = symlink(roots.path(), &folder);
                    let _ = std::fs::remove_file(&folder);
                    let _ = std::fs::rename(&away, &folder);
                }
            });
            for _ in 0..300 {
                let _ = create(&folder.join("runs.db"), &[0; 512]);
                let _ = std::fs::remove_dir_all(&folder);
                let _ = std::fs::remove_dir_all(&away);
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        for path in [roots.path(), &precious] {
            assert_eq!(path.metadata().unwrap().uid(), 0, "{}", path.display());
        }
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "root's");
        assert_eq!(std::fs::read_dir(roots.path()).unwrap().count(), 1);
    }
}
