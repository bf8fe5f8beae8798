//! Somebody who may do nothing, for tests that run as root.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::sokudo::{is_root, path, shell, skip};
use crate::written::executable;

/// The user and group that may do nothing: nobody.
const NOBODY: u32 = 65_534;

/// A place where even nobody can start sokudo, and a directory of theirs in it.
pub(crate) struct Nobody {
    directory: TempDir,
}

impl Nobody {
    /// None, said loudly, where we are not root and so cannot become nobody.
    pub(crate) fn new() -> Option<Self> {
        if !is_root() {
            skip("only root can become nobody");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let opened = Permissions::from_mode(0o755);
        fs::set_permissions(directory.path(), opened).unwrap();
        let copy = directory.path().join("sokudo");
        executable(&copy, File::open(path()).unwrap());
        let home = directory.path().join("home");
        fs::create_dir(&home).unwrap();
        chown(&home, Some(NOBODY), Some(NOBODY)).unwrap();
        Some(Self { directory })
    }

    /// A directory that belongs to nobody.
    pub(crate) fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// A shell of nobody's that runs `script` with sokudo as `$SOKUDO`.
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut command = shell(script);
        command
            .env("SOKUDO", self.directory.path().join("sokudo"))
            .current_dir(self.home())
            .uid(NOBODY)
            .gid(NOBODY);
        command
    }
}
