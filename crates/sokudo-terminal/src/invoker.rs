//! Who has started this program: somebody behind sudo, or the page for another user.

use sokudo_measure::FileUser;

use crate::invocation;

/// User and group of whoever is behind sudo; `None` without it, and for root himself.
pub fn behind_sudo() -> Option<(u32, u32)> {
    let number = |name| {
        let value = invocation::variable(name)?;
        value.parse::<u32>().ok().filter(|number| *number != 0)
    };
    number("SUDO_UID").zip(number("SUDO_GID"))
}

/// Names to a child of root's the user and the group as whom it opens files.
pub const FILES_AS: &str = "SOKUDO_FILES_AS";

/// As whom this process is to open files; `None` for itself.
pub fn files_as() -> Option<FileUser> {
    let value = invocation::variable(FILES_AS)?;
    let (user, group) = value.split_once(':')?;
    Some(FileUser {
        user: user.parse().ok()?,
        group: group.parse().ok()?,
    })
}
