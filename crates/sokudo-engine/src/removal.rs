//! Removes what we have made, and nothing that has taken its name: the name is looked up
//! in a folder that is held open, and must lead to the very file or directory.
//!
//! All that is to vanish with this process is known here as well, so that a process that
//! is ended at once removes it, or says what it leaves.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat, fstat, linkat, openat, statat, unlinkat};

/// Making a file or directory takes no longer where a file system answers.
const MAKING_MAX: Duration = Duration::from_secs(5);
const LOOK_PAUSE: Duration = Duration::from_millis(1);

/// What tells one file or directory from another, whatever its names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InodeIdentity {
    device: u64,
    inode: u64,
}

impl InodeIdentity {
    pub(crate) fn of(held: &impl AsFd) -> io::Result<Self> {
        Ok(Self::from(&fstat(held)?))
    }
}

impl From<&Stat> for InodeIdentity {
    fn from(status: &Stat) -> Self {
        Self {
            device: status.st_dev,
            inode: status.st_ino,
        }
    }
}

/// Where something has its name: the folder is held open, so that nobody who exchanges
/// folders leads us elsewhere.
#[derive(Debug)]
pub(crate) struct DirectoryEntry {
    folder: OwnedFd,
    name: OsString,
}

impl DirectoryEntry {
    /// The place that a path names now.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        Ok(Self {
            folder: sokudo_sys::folder_of(folder)?,
            name: name.to_owned(),
        })
    }

    /// Makes a file there, where nothing has the name yet.
    pub(crate) fn create(&self, mode: u32) -> io::Result<File> {
        sokudo_sys::create_in(&self.folder, &self.name, mode)
    }

    /// Makes a file in the same folder that has no name yet, for its owner alone.
    pub(crate) fn create_unnamed(&self) -> io::Result<File> {
        create_unnamed(&self.folder, Path::new("."))
    }

    /// Gives such a file this name, where nothing has it yet.
    pub(crate) fn link(&self, unnamed: &File) -> io::Result<()> {
        let held = format!("/proc/self/fd/{}", unnamed.as_raw_fd());
        let follow = AtFlags::SYMLINK_FOLLOW;
        Ok(linkat(CWD, held, &self.folder, &self.name, follow)?)
    }

    /// Removes the name, if it leads to this.
    pub(crate) fn remove(&self, identity: InodeIdentity, flags: AtFlags) -> io::Result<()> {
        remove_from(&self.folder, &self.name, identity, flags)
    }
}

/// Makes a file without a name in a folder, for its owner alone.
pub(crate) fn create_unnamed(from: impl AsFd, folder: &Path) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(openat(from, folder, flags, Mode::RUSR | Mode::WUSR)?.into())
}

/// Removes a name from a folder, if it leads to this. Without a link or mount between:
/// nothing is followed.
pub(crate) fn remove_from(
    folder: &impl AsFd,
    name: &OsStr,
    identity: InodeIdentity,
    flags: AtFlags,
) -> io::Result<()> {
    let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if InodeIdentity::from(&found) != identity {
        return Err(io::Error::other("its name points to something else by now"));
    }
    Ok(unlinkat(folder, name, flags)?)
}

/// Removes the name of a file that is held open, if it still leads to it.
///
/// # Errors
/// When it does not, or the system does not allow it.
pub fn remove_held(path: &Path, held: &File) -> io::Result<()> {
    DirectoryEntry::of(path)?.remove(InodeIdentity::of(held)?, AtFlags::empty())
}

/// What is to vanish with this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovalEntry {
    /// What it is called until it has vanished.
    pub number: u64,
    /// Where it is, from the root.
    pub path: PathBuf,
    pub(crate) identity: InodeIdentity,
    is_directory: bool,
}

/// How the lines begin.
const MADE: &str = "made";
const OVER: &str = "over";

/// What another process has to know to remove it if this one cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemovalNews {
    /// It is there now.
    Made(RemovalEntry),
    /// It has vanished, or stays.
    Over(u64),
}

impl RemovalNews {
    /// In one line, without its end.
    pub fn line(&self) -> String {
        match self {
            Self::Made(entry) => {
                let InodeIdentity { device, inode } = entry.identity;
                let path = entry.path.as_os_str().as_bytes();
                let path: String = path.iter().map(|byte| format!("{byte:02x}")).collect();
                let (number, is_directory) = (entry.number, entry.is_directory);
                format!("{MADE} {number} {device} {inode} {is_directory} {path}")
            }
            Self::Over(number) => format!("{OVER} {number}"),
        }
    }

    /// `None` if the line says nothing of the kind.
    pub fn parse(line: &str) -> Option<Self> {
        match line.split(' ').collect::<Vec<_>>()[..] {
            [MADE, number, device, inode, is_directory, path] => {
                let path = (0..path.len() / 2 + path.len() % 2).map(|index| {
                    let digits = path.get(2 * index..2 * index + 2)?;
                    u8::from_str_radix(digits, 16).ok()
                });
                let path = PathBuf::from(OsString::from_vec(path.collect::<Option<_>>()?));
                let entry = RemovalEntry {
                    number: number.parse().ok()?,
                    identity: InodeIdentity {
                        device: device.parse().ok()?,
                        inode: inode.parse().ok()?,
                    },
                    is_directory: is_directory.parse().ok()?,
                    path,
                };
                entry.path.is_absolute().then_some(Self::Made(entry))
            }
            [OVER, number] => Some(Self::Over(number.parse().ok()?)),
            _ => None,
        }
    }
}

/// Is told of what is to vanish, before anything is written to it.
type Heir = Box<dyn FnMut(&RemovalNews) + Send>;

struct All {
    next: u64,
    known: Vec<RemovalEntry>,
    heir: Option<Heir>,
}

static ALL: Mutex<All> = Mutex::new(All {
    next: 0,
    known: Vec::new(),
    heir: None,
});

impl All {
    fn tell(&mut self, news: &RemovalNews) {
        if let Some(heir) = &mut self.heir {
            heir(news);
        }
    }
}

/// Has this told of all that is to vanish with this process, now and from now on, so that
/// another one can remove it. It must not make or remove anything itself.
pub fn tell_removals(heir: impl FnMut(&RemovalNews) + Send + 'static) {
    let mut all = all();
    all.heir = Some(Box::new(heir));
    for entry in all.known.clone() {
        all.tell(&RemovalNews::Made(entry));
    }
}

/// Held while something is made that is to vanish.
static MAKING: Mutex<()> = Mutex::new(());

fn all() -> MutexGuard<'static, All> {
    // A list of names is whole after every statement.
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something that is to vanish, known as long as this lives.
#[derive(Debug)]
pub(crate) struct Vanishing(u64);

/// While something that is to vanish is made: whoever ends the process waits until it is
/// known.
#[derive(Debug)]
pub(crate) struct MakingGuard {
    _nobody_leaves: MutexGuard<'static, ()>,
}

impl MakingGuard {
    pub(crate) fn begin() -> Self {
        Self {
            _nobody_leaves: MAKING.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Makes it known. `None` where the system does not say what it is.
    pub(crate) fn know(&self, path: &Path, held: &File) -> Option<Vanishing> {
        let identity = InodeIdentity::of(held).ok()?;
        let is_directory = held.metadata().ok()?.is_dir();
        // Whoever is told of it may be in another directory.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut all = all();
        let number = all.next;
        all.next += 1;
        let entry = RemovalEntry {
            number,
            path,
            identity,
            is_directory,
        };
        all.known.push(entry.clone());
        all.tell(&RemovalNews::Made(entry));
        Some(Vanishing(number))
    }
}

impl Drop for Vanishing {
    fn drop(&mut self) {
        let mut all = all();
        all.known.retain(|known| known.number != self.0);
        all.tell(&RemovalNews::Over(self.0));
    }
}

/// For a process that is ended at once, and by this: removes the files that were to vanish
/// with it, and gives what it leaves. Directories of files stay, because emptying them takes
/// its time. Nothing is made any more that would have to vanish.
pub fn vanish() -> Vec<PathBuf> {
    std::mem::forget(making_in_time());
    let known = all().known.clone();
    removed_or_left(known)
}

/// `None` where something has been made for so long that it may never end: a file system
/// hangs. What lies on others is removed all the same.
fn making_in_time() -> Option<MutexGuard<'static, ()>> {
    let deadline = Instant::now() + MAKING_MAX;
    loop {
        match MAKING.try_lock() {
            Ok(making) => return Some(making),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return None,
            Err(TryLockError::WouldBlock) => thread::sleep(LOOK_PAUSE),
        }
    }
}

fn removed_or_left(known: Vec<RemovalEntry>) -> Vec<PathBuf> {
    known
        .into_iter()
        .filter(|it| {
            let removed = |entry: DirectoryEntry| entry.remove(it.identity, AtFlags::empty());
            it.is_directory || DirectoryEntry::of(&it.path).and_then(removed).is_err()
        })
        .map(|it| it.path)
        .filter(|path| path.symlink_metadata().is_ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_taken_a_name_is_not_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let held = File::create(&path).unwrap();
        std::fs::rename(&path, directory.path().join("away")).unwrap();
        std::fs::write(&path, "mine").unwrap();
        assert!(remove_held(&path, &held).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
        std::fs::rename(directory.path().join("away"), &path).unwrap();
        remove_held(&path, &held).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn what_is_named_last_takes_no_name_that_is_there() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let entry = DirectoryEntry::of(&path).unwrap();
        let Ok(unnamed) = entry.create_unnamed() else {
            eprintln!("SKIPPED: files without names cannot be made here");
            return;
        };
        std::fs::write(&path, "mine").unwrap();
        let taken = entry.link(&unnamed).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
        std::fs::remove_file(&path).unwrap();
        entry.link(&unnamed).unwrap();
        entry
            .remove(InodeIdentity::of(&unnamed).unwrap(), AtFlags::empty())
            .unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_link_is_not_removed_for_what_it_leads_to() {
        let directory = tempfile::tempdir().unwrap();
        let (path, link) = (directory.path().join("file"), directory.path().join("link"));
        let held = File::create(&path).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(remove_held(&link, &held).is_err());
        assert!(link.is_symlink() && path.exists());
    }

    /// The folder is exchanged after it was opened: always, not by chance.
    #[test]
    fn an_exchanged_folder_is_not_entered() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir(at("folder")).unwrap();
        std::fs::create_dir(at("other")).unwrap();
        let held = File::create(at("folder/file")).unwrap();
        std::fs::write(at("other/file"), "mine").unwrap();
        let entry = DirectoryEntry::of(&at("folder/file")).unwrap();
        std::fs::rename(at("folder"), at("away")).unwrap();
        std::fs::rename(at("other"), at("folder")).unwrap();
        let identity = InodeIdentity::of(&held).unwrap();
        entry.remove(identity, AtFlags::empty()).unwrap();
        assert!(!at("away/file").exists());
        assert_eq!(std::fs::read_to_string(at("folder/file")).unwrap(), "mine");
    }

    #[test]
    fn what_another_process_is_told_of_is_understood_whatever_its_name() {
        let made = |path: &[u8]| {
            RemovalNews::Made(RemovalEntry {
                number: 7,
                path: PathBuf::from(OsStr::from_bytes(path)),
                identity: InodeIdentity {
                    device: u64::MAX,
                    inode: 0,
                },
                is_directory: true,
            })
        };
        for news in [made(b"/a b\n\xff"), RemovalNews::Over(8)] {
            assert_eq!(RemovalNews::parse(&news.line()), Some(news));
        }
        for line in [
            &made(b"relative").line(),
            "made 1 2 3 true 2f6",
            "made 1 2 3 true zz",
            "made 1 2 3 perhaps 2f61",
            "made 1 2",
            "over x",
            "",
        ] {
            assert_eq!(RemovalNews::parse(line), None, "{line}");
        }
    }

    #[test]
    fn what_is_to_vanish_is_removed_and_what_stays_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let file = File::create(at("file")).unwrap();
        std::fs::create_dir(at("tree")).unwrap();
        let tree = File::open(at("tree")).unwrap();
        let making = MakingGuard::begin();
        let known =
            [("file", &file), ("tree", &tree)].map(|(name, held)| making.know(&at(name), held));
        drop(making);
        // Other tests have files of their own.
        let mine = || -> Vec<PathBuf> {
            let mut known = all().known.clone();
            known.retain(|known| known.path.starts_with(directory.path()));
            removed_or_left(known)
        };
        assert_eq!(mine(), [at("tree")]);
        assert!(!at("file").exists());
        drop(known);
        assert!(mine().is_empty());
    }
}
