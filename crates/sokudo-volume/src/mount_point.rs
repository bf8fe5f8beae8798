//! A mount point that nobody but root can exchange: between the look at it, the mount and the
//! giving away lie the seconds that `mkfs` takes.

use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Gid, Mode, OFlags, StatxAttributes, StatxFlags, Uid};

use sokudo_words::text;

use crate::error::{VolumeError, unusable};

/// Rights of others to write into a folder.
const SHARED: u32 = 0o022;
/// In such a folder each removes and renames only what is his.
const STICKY: u32 = 0o1000;

/// Where a path leads, without links: what is shown is what is done.
///
/// # Errors
/// When a link of another user's leads there, or `..` stands behind what is not there yet.
pub fn mount_point(path: &Path) -> Result<PathBuf, VolumeError> {
    let failed = |source| unusable(path, source);
    let whole = std::path::absolute(path).map_err(failed)?;
    let above = whole.ancestors().find(|it| it.symlink_metadata().is_ok());
    let above = above.unwrap_or(Path::new("/"));
    let rest = whole.strip_prefix(above).unwrap_or(Path::new(""));
    if rest.components().any(|it| it == Component::ParentDir) {
        return Err(failed(io::ErrorKind::NotFound.into()));
    }
    let held = sokudo_sys::folder_of(above).map_err(failed)?;
    let real = Path::new("/proc/self/fd").join(held.as_raw_fd().to_string());
    let real = real.read_link().map_err(failed)?;
    Ok(real.components().chain(rest.components()).collect())
}

/// Refuses a mount point if anybody but root, or who runs this, could exchange it or a folder
/// above it.
///
/// # Errors
/// The folder that is to blame.
pub(crate) fn is_roots_alone(mount_point: &Path) -> Result<(), VolumeError> {
    let us = rustix::process::geteuid().as_raw();
    let is_ours = |it: &fs::Metadata| it.uid() == 0 || it.uid() == us;
    let ways: Vec<&Path> = mount_point.ancestors().collect();
    for way in ways.windows(2) {
        let (inner, folder) = (way[0].symlink_metadata(), way[1].symlink_metadata());
        let Ok(folder) = folder else { continue };
        let is_kept = folder.mode() & STICKY != 0 && inner.is_ok_and(|inner| is_ours(&inner));
        let is_closed = folder.mode() & SHARED == 0 || is_kept;
        if !folder.is_dir() || !is_ours(&folder) || !is_closed {
            return Err(VolumeError::Exchangeable {
                mount_point: mount_point.to_owned(),
                folder: way[1].to_owned(),
            });
        }
    }
    Ok(())
}

/// Makes the folder and those above it, whatever the umask, so that root alone writes there.
pub(crate) fn make_folder(at: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o755).create(at)
}

/// Gives away what is mounted there, and no folder that is not mounted.
pub(crate) fn give(at: &Path, user: u32, group: u32) -> Result<(), VolumeError> {
    let failed = |source| unusable(at, source);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let held = rustix::fs::open(at, flags, Mode::empty());
    let held = held.map_err(|errno| failed(errno.into()))?;
    let found = rustix::fs::statx(&held, "", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS);
    let found = found.map_err(|errno| failed(errno.into()))?;
    if !found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT) {
        return Err(failed(io::Error::other(text!("nothing is mounted there"))));
    }
    let (user, group) = (Uid::from_raw(user), Gid::from_raw(group));
    rustix::fs::fchown(&held, Some(user), Some(group)).map_err(|errno| failed(errno.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    fn opened_to(folder: &Path, mode: u32) {
        fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_mount_point_that_another_user_could_exchange_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let above = directory.path().canonicalize().unwrap();
        let (folder, at) = (above.join("folder"), above.join("folder/a/b"));
        fs::create_dir_all(&folder).unwrap();
        is_roots_alone(&at).unwrap();
        for mode in [0o777, 0o775, 0o757, 0o1777] {
            opened_to(&folder, mode);
            let refused = is_roots_alone(&at).unwrap_err();
            assert!(
                matches!(refused, VolumeError::Exchangeable { folder: it, .. } if it == folder)
            );
        }
        // What we have made in a folder like /tmp nobody else can rename.
        fs::create_dir_all(&at).unwrap();
        is_roots_alone(&at).unwrap();
        opened_to(&folder, 0o755);
        opened_to(&folder.join("a"), 0o775);
        assert!(is_roots_alone(&at).is_err());
        // The last one may be anybody's: what is mounted hides it.
        is_roots_alone(&folder.join("a")).unwrap();
    }

    #[test]
    fn a_folder_of_another_user_is_refused_and_his_link_not_followed() {
        if !rustix::process::geteuid().is_root() {
            eprintln!("SKIPPED: only root can give anything away");
            return;
        }
        let directory = tempfile::tempdir().unwrap();
        let above = directory.path().canonicalize().unwrap();
        let (his, precious) = (above.join("his"), above.join("precious"));
        fs::create_dir_all(his.join("real")).unwrap();
        fs::create_dir(&precious).unwrap();
        symlink(&precious, his.join("link")).unwrap();
        for path in [&his, &his.join("real"), &his.join("link")] {
            std::os::unix::fs::lchown(path, Some(65_534), Some(65_534)).unwrap();
        }
        assert!(mount_point(&his.join("link/sbin")).is_err());
        let at = mount_point(&his.join("real/new")).unwrap();
        assert_eq!(at, his.join("real/new"));
        assert!(is_roots_alone(&at).is_err());
        // Our own link is followed, once.
        symlink(&precious, above.join("ours")).unwrap();
        let at = mount_point(&above.join("ours/new")).unwrap();
        assert_eq!(at, precious.join("new"));
        is_roots_alone(&at).unwrap();
        chown(&above, Some(65_534), None).unwrap();
        assert!(is_roots_alone(&at).is_err());
    }

    #[test]
    fn a_folder_that_is_no_mount_is_not_given_away() {
        let directory = tempfile::tempdir().unwrap();
        let owner = directory.path().metadata().unwrap().uid();
        assert!(give(directory.path(), 65_534, 65_534).is_err());
        assert_eq!(directory.path().metadata().unwrap().uid(), owner);
    }
}
