//! A mount namespace of this process's own.

#![expect(unsafe_code, reason = "unshare(2) can split tables of descriptors")]

use std::io;

use crate::request::checked;

/// Gives the calling thread a copy of the mount namespace that it is in. Threads that were
/// started before stay where they are.
///
/// # Errors
/// `EPERM` without `CAP_SYS_ADMIN`.
pub fn unshare_mounts() -> io::Result<()> {
    // SAFETY: CLONE_NEWNS takes no argument and touches no memory of ours; descriptors stay
    // as they are.
    let result = unsafe { libc::unshare(libc::CLONE_NEWNS) };
    checked(result).map(drop)
}
