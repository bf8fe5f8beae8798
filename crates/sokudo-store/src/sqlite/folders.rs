//! The folders that lead to a store: made, and given to whom they belong, only through
//! what is held open. Whoever exchanges names in them leads nobody elsewhere: a link in
//! the place of a new folder is not entered, and nothing but what was just made is given
//! away.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, Gid, Mode, OFlags, Stat, Uid, fchown, fstat, fsync, mkdirat, openat, statat,
    unlinkat,
};
use rustix::io::Errno;

/// Rights of others to write into a folder, as all have in one such as `/tmp`.
const SHARED: u32 = 0o022;

/// How a folder is entered that we have made.
const ENTERING: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Whom what root makes in somebody's folder belongs to.
#[derive(Clone, Copy, Debug)]
struct Heir(Uid, Gid);

/// A folder held open, and which folders above it are new.
pub(super) struct Folders {
    innermost: OwnedFd,
    /// New folders as parent and name, the outermost first.
    made: Vec<(OwnedFd, OsString)>,
    heir: Option<Heir>,
}

impl Folders {
    /// Opens a folder, and makes it and those above it where they are missing: for their
    /// owner alone, because runs hold serial numbers and paths.
    pub(super) fn make(folder: &Path) -> io::Result<Self> {
        let mut missing = Vec::new();
        let mut at = folder;
        let there = loop {
            match openat(
                CWD,
                at,
                OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
                Mode::empty(),
            ) {
                Ok(there) => break there,
                Err(Errno::NOENT) => {
                    let (Some(name), Some(above)) = (at.file_name(), at.parent()) else {
                        return Err(Errno::NOENT.into());
                    };
                    missing.push(name);
                    at = above;
                }
                Err(errno) => return Err(errno.into()),
            }
        };
        let mut folders = Self {
            heir: heir_of(&there)?,
            innermost: there,
            made: Vec::new(),
        };
        for name in missing.into_iter().rev() {
            if let Err(error) = folders.enter(name) {
                folders.remove();
                return Err(error);
            }
        }
        Ok(folders)
    }

    /// Makes a folder in the innermost one, which it becomes.
    fn enter(&mut self, name: &OsStr) -> io::Result<()> {
        let inner = match mkdirat(&self.innermost, name, Mode::RWXU) {
            Ok(()) => {
                let inner = adopt(&self.innermost, name, self.heir)?;
                let above = std::mem::replace(&mut self.innermost, inner);
                self.made.push((above, name.to_owned()));
                return Ok(());
            }
            // Another sokudo has been faster, or somebody else.
            Err(Errno::EXIST) => openat(&self.innermost, name, ENTERING, Mode::empty())?,
            Err(errno) => return Err(errno.into()),
        };
        self.heir = heir_of(&inner)?;
        self.innermost = inner;
        Ok(())
    }

    pub(super) fn innermost(&self) -> &OwnedFd {
        &self.innermost
    }

    /// Gives a file that was just made, and has no name that anybody could exchange, to whom
    /// it belongs. That it cannot be done is no reason to keep nothing.
    pub(super) fn bequeath(&self, file: &impl AsFd) {
        if let Some(Heir(user, group)) = self.heir {
            let _ = fchown(file, Some(user), Some(group));
        }
    }

    /// New names survive a power cut. Some file systems cannot be told so, and need not be.
    pub(super) fn sync(&self) {
        for folder in self
            .made
            .iter()
            .map(|(above, _)| above)
            .chain([&self.innermost])
        {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let _ = openat(folder, ".", flags, Mode::empty()).map(fsync);
        }
    }

    /// Takes the new folders away again, but one that holds something by now.
    pub(super) fn remove(&self) {
        for (above, name) in self.made.iter().rev() {
            let _ = unlinkat(above, name, AtFlags::REMOVEDIR);
        }
    }
}

/// Opens a folder that was made a moment ago, and gives it to its heir. Whatever else the
/// name leads to by now stays whose it is.
fn adopt(above: &impl AsFd, name: &OsStr, heir: Option<Heir>) -> io::Result<OwnedFd> {
    let folder = openat(above, name, ENTERING, Mode::empty())?;
    let Some(Heir(user, group)) = heir else {
        return Ok(folder);
    };
    // Root has other folders, and one that is made just now holds nothing.
    let is_roots = Uid::from_raw(fstat(&folder)?.st_uid).is_root();
    if !is_roots || !is_empty(&folder)? {
        return Err(exchanged());
    }
    let _ = fchown(&folder, Some(user), Some(group));
    Ok(folder)
}

fn is_empty(folder: &impl AsFd) -> io::Result<bool> {
    for entry in Dir::read_from(folder)? {
        if !matches!(entry?.file_name().to_bytes(), b"." | b"..") {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Owner to give a file that root creates in `folder`: the folder's owner. `None` where root's
/// own files belong: a folder of root, or one that all share (sticky), such as `/tmp`.
fn heir_of(folder: &impl AsFd) -> io::Result<Option<Heir>> {
    let status = fstat(folder)?;
    let owner = Uid::from_raw(status.st_uid);
    let is_shared = status.st_mode & SHARED != 0;
    let inherits = rustix::process::geteuid().is_root() && !owner.is_root() && !is_shared;
    Ok(inherits.then(|| Heir(owner, Gid::from_raw(status.st_gid))))
}

/// Whether a name in a folder leads to this very file.
pub(super) fn leads_to(folder: &impl AsFd, name: &OsStr, file: &impl AsFd) -> bool {
    let identity = |status: Stat| (status.st_dev, status.st_ino);
    let named = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map(identity);
    named.is_ok() && named == fstat(file).map(identity)
}

/// Somebody has put something else in the place of what was made.
pub(super) fn exchanged() -> io::Error {
    io::Error::other("somebody is renaming files in its folder")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, chown, symlink};

    /// A folder of nobody's, and what an attacker would like to have.
    fn folder_of_nobody() -> Option<(tempfile::TempDir, Heir)> {
        if !rustix::process::geteuid().is_root() {
            eprintln!("SKIPPED: only root can give anything away");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        chown(folder.path(), Some(65_534), Some(65_534)).unwrap();
        let heir = Heir(Uid::from_raw(65_534), Gid::from_raw(65_534));
        Some((folder, heir))
    }

    fn held(path: &Path) -> OwnedFd {
        openat(CWD, path, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap()
    }

    /// The exchange happens between the making and the giving: always, not by chance.
    #[test]
    fn what_takes_the_place_of_a_new_folder_is_not_given_away() {
        let Some((folder, heir)) = folder_of_nobody() else {
            return;
        };
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("precious/inner")).unwrap();
        fs::write(at("file"), "root's").unwrap();
        symlink("precious", at("link")).unwrap();
        let above = held(folder.path());
        let adopted = |name: &str| adopt(&above, name.as_ref(), Some(heir)).is_ok();
        for name in ["precious", "link", "file"] {
            assert!(!adopted(name), "{name}");
        }
        for name in ["precious", "precious/inner", "file"] {
            assert_eq!(at(name).metadata().unwrap().uid(), 0, "{name}");
        }
        fs::create_dir(at("new")).unwrap();
        assert!(adopted("new"));
        assert_eq!(at("new").metadata().unwrap().uid(), 65_534);
    }

    #[test]
    fn what_root_makes_in_somebodys_folder_is_theirs_and_in_a_shared_one_is_not() {
        let Some((folder, _)) = folder_of_nobody() else {
            return;
        };
        let path = folder.path().join("a/b");
        let made = Folders::make(&path).unwrap();
        for path in [folder.path().join("a"), path.clone()] {
            assert_eq!(path.metadata().unwrap().uid(), 65_534);
        }
        made.remove();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let open = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o1777);
        fs::set_permissions(folder.path(), open).unwrap();
        Folders::make(&path).unwrap();
        assert_eq!(path.metadata().unwrap().uid(), 0);
    }
}
