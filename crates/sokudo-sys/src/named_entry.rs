//! Where a path leads for what is made or written there. Links of other users are followed only
//! to what belongs to them as well: whoever owns a folder could otherwise lead root elsewhere,
//! at any moment between two looks.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use rustix::fs::{
    AtFlags, CWD, FileType, FsWord, Mode, OFlags, Stat, fstat, fstatfs, openat, readlinkat, statat,
};
use rustix::io::Errno;
use sokudo_words::{Text, text};

use crate::reopen::reopen;

/// As many as the kernel follows (path_resolution(7)).
const LINKS_MAX: u32 = 40;

/// Rights of a new file, of which the umask takes some away.
const NEW_FILE_MODE: u32 = 0o666;

/// Rights of others to write into a folder.
const SHARED: u32 = 0o022;

/// `FUSE_SUPER_MAGIC` of linux/magic.h: whoever serves it says what he likes of its owners.
const FUSE: FsWord = 0x6573_5546;

/// A name in a folder that is held open.
#[derive(Debug)]
pub struct NamedEntry {
    pub folder: OwnedFd,
    pub name: OsString,
    /// What has the name, held by `O_PATH`; never a link that was not followed.
    pub there: Option<OwnedFd>,
}

impl NamedEntry {
    /// # Errors
    /// When a folder above it is missing, or a link of another user's leads to what is not his,
    /// or a file there has further names and somebody else may have given it this one.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut links = 0;
        // Who names a place from the root on need not be let into the folder where it is.
        let start = if path.is_absolute() { "/" } else { "." };
        let from = openat(CWD, start, folder_flags(), Mode::empty())?;
        let entry = find(from, path, &mut links)?;
        match entry.is_planted()? {
            true => Err(refused(text!(
                "it has several hard links, and another user may have made this one; name the file in a folder of its owner"
            ))),
            false => Ok(entry),
        }
    }

    /// Whether the name, not followed, leads to what is held, or to nothing where nothing is.
    pub fn is_named_so(&self) -> bool {
        let identity = |status: Stat| (status.st_dev, status.st_ino);
        let named = statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        let held = self.there.as_ref().map(fstat);
        match (named, held) {
            (Ok(named), Some(Ok(held))) => identity(named) == identity(held),
            (Err(Errno::NOENT), None) => true,
            _ => false,
        }
    }

    /// What is there, opened as `options` say whatever has its name by now; a new file, for
    /// reading and writing, where nothing was.
    ///
    /// # Errors
    /// Those of opening; where something has taken the place meanwhile; and where there is no
    /// `/proc`, as in a bare chroot.
    pub fn open_or_create(&self, options: &OpenOptions) -> io::Result<File> {
        match &self.there {
            Some(there) => reopen(there, options),
            None => create_in(&self.folder, &self.name, NEW_FILE_MODE),
        }
    }

    /// A file of several names that its owner has not put there.
    fn is_planted(&self) -> io::Result<bool> {
        let Some(there) = &self.there else {
            return Ok(false);
        };
        let (file, folder) = (fstat(there)?, fstat(&self.folder)?);
        let is_file = FileType::from_raw_mode(file.st_mode) == FileType::RegularFile;
        let is_open_to_others = folder.st_uid != 0 || folder.st_mode & SHARED != 0;
        let is_the_owners = folder.st_uid != 0 && file.st_uid == folder.st_uid;
        let is_root = rustix::process::geteuid().is_root();
        Ok(is_root && is_file && file.st_nlink > 1 && is_open_to_others && !is_the_owners)
    }
}

/// Makes a file of this name in a folder, where nothing has it yet.
///
/// # Errors
/// When something has it, be it a link, or the system does not allow it.
pub fn create_in(folder: &OwnedFd, name: &OsStr, mode: u32) -> io::Result<File> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR;
    let mode = Mode::from_raw_mode(mode);
    Ok(openat(folder, name, flags | OFlags::CLOEXEC, mode)?.into())
}

/// The folder that a path leads to, held open.
///
/// # Errors
/// As of `NamedPlace::of`, and when it is no folder.
pub fn folder_of(path: &Path) -> io::Result<OwnedFd> {
    let entry = NamedEntry::of(path)?;
    let folder = entry.there.ok_or(Errno::NOENT)?;
    Ok(openat(&folder, ".", folder_flags(), Mode::empty())?)
}

const fn folder_flags() -> OFlags {
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC)
}

fn find(from: OwnedFd, path: &Path, links: &mut u32) -> io::Result<NamedEntry> {
    let mut at = NamedEntry {
        there: Some(openat(&from, ".", folder_flags(), Mode::empty())?),
        folder: from,
        name: ".".into(),
    };
    for component in path.components() {
        let folder = at.there.ok_or(Errno::NOENT)?;
        let (folder, name) = match component {
            Component::CurDir => (folder, OsStr::new(".")),
            Component::ParentDir => (folder, OsStr::new("..")),
            Component::Normal(name) => (folder, name),
            Component::RootDir | Component::Prefix(_) => {
                let root = openat(CWD, "/", folder_flags(), Mode::empty())?;
                (root, OsStr::new("."))
            }
        };
        at = step(folder, name, links)?;
    }
    Ok(at)
}

fn step(folder: OwnedFd, name: &OsStr, links: &mut u32) -> io::Result<NamedEntry> {
    // As a folder first: only so is one mounted that is mounted on demand.
    let kept = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = openat(&folder, name, kept | OFlags::DIRECTORY, Mode::empty());
    let found = match found {
        Err(Errno::NOTDIR | Errno::LOOP) => openat(&folder, name, kept, Mode::empty()),
        found => found,
    };
    let entry = |folder, there| NamedEntry {
        folder,
        name: name.to_owned(),
        there,
    };
    let link = match found {
        Ok(there) => there,
        Err(Errno::NOENT) => return Ok(entry(folder, None)),
        Err(errno) => return Err(errno.into()),
    };
    let status = fstat(&link)?;
    if FileType::from_raw_mode(status.st_mode) != FileType::Symlink {
        return Ok(entry(folder, Some(link)));
    }
    *links += 1;
    if *links > LINKS_MAX {
        return Err(Errno::LOOP.into());
    }
    // Links of processes lead to what is open, and what they say is no path.
    let led = if fstatfs(&link)?.f_type == rustix::fs::PROC_SUPER_MAGIC {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let there = openat(&folder, name, flags, Mode::empty())?;
        entry(folder, Some(there))
    } else {
        let target = readlinkat(&link, "", Vec::new())?;
        find(
            folder,
            Path::new(OsStr::from_bytes(target.as_bytes())),
            links,
        )?
    };
    match may_be_followed(&link, &status, &led)? {
        true => Ok(led),
        false => Err(refused(text!(
            "{} is a link of another user's, which can lead elsewhere at any moment; name what it leads to",
            name.display()
        ))),
    }
}

fn may_be_followed(link: &OwnedFd, status: &Stat, led: &NamedEntry) -> io::Result<bool> {
    if rustix::process::geteuid().is_root() && fstatfs(link)?.f_type == FUSE {
        return Ok(false);
    }
    let owner = match &led.there {
        Some(there) => fstat(there)?.st_uid,
        None => fstat(&led.folder)?.st_uid,
    };
    Ok(is_trusted(status.st_uid) || owner == status.st_uid)
}

fn refused(why: Text) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}

/// Root, and who runs this.
fn is_trusted(user: u32) -> bool {
    user == 0 || user == rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::{MetadataExt, lchown, symlink};
    use std::path::PathBuf;

    /// A folder of nobody's with what he puts there, and what root has beside it.
    fn his_and_roots() -> Option<(tempfile::TempDir, PathBuf, PathBuf)> {
        if !rustix::process::geteuid().is_root() {
            eprintln!("SKIPPED: only root follows links of others");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let (his, precious) = (directory.path().join("his"), directory.path().join("root"));
        fs::create_dir_all(his.join("own")).unwrap();
        fs::create_dir(&precious).unwrap();
        fs::write(precious.join("file"), "root's").unwrap();
        symlink(precious.join("file"), his.join("to-file")).unwrap();
        symlink(&precious, his.join("to-folder")).unwrap();
        symlink(precious.join("new"), his.join("to-nothing")).unwrap();
        symlink("own", his.join("to-his")).unwrap();
        for name in ["", "own", "to-file", "to-folder", "to-nothing", "to-his"] {
            lchown(his.join(name), Some(65_534), Some(65_534)).unwrap();
        }
        Some((directory, his, precious))
    }

    #[test]
    fn links_of_others_lead_only_to_what_is_theirs() {
        let Some((directory, his, precious)) = his_and_roots() else {
            return;
        };
        for name in [
            "to-file",
            "to-folder",
            "to-folder/new",
            "to-nothing",
            "own/../to-file",
        ] {
            let refused = NamedEntry::of(&his.join(name)).unwrap_err();
            assert!(
                refused.to_string().contains("another user"),
                "{name}: {refused}"
            );
        }
        assert!(folder_of(&his.join("to-folder")).is_err());
        let entry = NamedEntry::of(&his.join("to-his/new")).unwrap();
        entry
            .open_or_create(OpenOptions::new().write(true))
            .unwrap();
        assert!(his.join("own/new").exists());
        // Our own are followed, also through what they say.
        symlink("root/../root", directory.path().join("ours")).unwrap();
        let entry = NamedEntry::of(&directory.path().join("ours/file")).unwrap();
        let file = entry.open_or_create(OpenOptions::new().read(true)).unwrap();
        let real = precious.join("file").metadata().unwrap();
        assert_eq!(file.metadata().unwrap().ino(), real.ino());
    }

    #[test]
    fn a_name_that_somebody_may_have_given_to_a_file_of_roots_is_refused() {
        let Some((_directory, his, precious)) = his_and_roots() else {
            return;
        };
        fs::hard_link(precious.join("file"), his.join("own/planted")).unwrap();
        assert!(NamedEntry::of(&his.join("own/planted")).is_err());
        NamedEntry::of(&precious.join("file")).unwrap();
    }

    /// The folder is exchanged after it was opened: always, not by chance.
    #[test]
    fn what_is_made_is_made_in_the_folder_that_was_found() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("folder")).unwrap();
        fs::create_dir(at("other")).unwrap();
        let entry = NamedEntry::of(&at("folder/file")).unwrap();
        fs::rename(at("folder"), at("away")).unwrap();
        symlink("other", at("folder")).unwrap();
        let options = OpenOptions::new().write(true).to_owned();
        entry
            .open_or_create(&options)
            .unwrap()
            .write_all(b"x")
            .unwrap();
        assert_eq!(fs::read(at("away/file")).unwrap(), b"x");
        assert!(!at("other/file").exists());
        // What has come to be there meanwhile is not opened.
        assert!(entry.open_or_create(&options).is_err());
    }

    #[test]
    fn what_processes_have_open_is_found_and_rings_of_links_are_not() {
        let directory = tempfile::tempdir().unwrap();
        let (reader, _writer) = io::pipe().unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&reader);
        let path = PathBuf::from(format!("/dev/fd/{number}"));
        let entry = NamedEntry::of(&path).unwrap();
        assert!(!entry.is_named_so());
        entry
            .open_or_create(OpenOptions::new().write(true))
            .unwrap();
        symlink("ring", directory.path().join("ring")).unwrap();
        assert!(NamedEntry::of(&directory.path().join("ring")).is_err());
    }
}
