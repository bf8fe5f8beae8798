//! Who has started this program, where it was started with sudo.

/// User and group of whoever is behind sudo; `None` without it, and for root himself.
pub(crate) fn behind_sudo() -> Option<(u32, u32)> {
    let number = |name| {
        let value = crate::invocation::variable(name)?;
        value.parse::<u32>().ok().filter(|number| *number != 0)
    };
    number("SUDO_UID").zip(number("SUDO_GID"))
}
