//! Another user as whom root opens files.
//!
//! Where somebody else names a path to a process of root, what stands there may be exchanged for a
//! link between any look at it and its opening. Opened as that somebody, it is nothing that he
//! could not have opened himself.

use std::io;
use std::thread;

use rustix::process::{Gid, Uid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use crate::error::MeasureError;
use sokudo_words::text;

/// Whose rights decide what may be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileUser {
    /// Number of the user.
    pub user: u32,
    /// Number of the group; no other is left.
    pub group: u32,
}

impl FileUser {
    /// Does something as that user, where there is one, in a thread of its own: only that one loses
    /// root's rights, and it ends with them lost.
    ///
    /// # Errors
    /// When the rights cannot be given up, as by who has none to give.
    pub(crate) fn open<T: Send>(
        opener: Option<Self>,
        work: impl FnOnce() -> Result<T, MeasureError> + Send,
    ) -> Result<T, MeasureError> {
        let Some(user) = opener else { return work() };
        thread::scope(|scope| {
            let opened = scope.spawn(|| {
                user.become_it().map_err(|source| {
                    let text = text!(
                        "files cannot be opened as the user of the page; start sokudo page as root, or without sudo"
                    );
                    MeasureError::because(text, source)
                })?;
                work()
            });
            opened.join().expect("opening a file does not panic")
        })
    }

    /// The group first: who is no longer root cannot change it.
    fn become_it(self) -> io::Result<()> {
        let (user, group) = (Uid::from_raw(self.user), Gid::from_raw(self.group));
        set_thread_groups(&[])?;
        set_thread_res_gid(group, group, group)?;
        set_thread_res_uid(user, user, user)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::PermissionsExt;

    /// Nobody's number on every Linux.
    const NOBODY: FileUser = FileUser {
        user: 65_534,
        group: 65_534,
    };

    #[test]
    fn another_user_opens_only_what_he_may_and_root_stays_root() {
        if !rustix::process::geteuid().is_root() {
            eprintln!("SKIPPED: only root opens files as another user");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let at = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            fs::write(&path, name).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            path
        };
        let opened = |path| {
            FileUser::open(Some(NOBODY), move || {
                File::open(path).map_err(MeasureError::no_descriptor)
            })
        };
        assert!(opened(at("everybody's", 0o644)).is_ok());
        assert!(opened(at("of group root", 0o640)).is_err());
        assert!(opened(at("root's", 0o600)).is_err());
        assert!(rustix::process::geteuid().is_root());
        assert!(File::open(at("root's still", 0o600)).is_ok());
    }
}
