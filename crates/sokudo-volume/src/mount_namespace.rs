//! A view of the mounts that nobody else has, so that what is mounted in it is gone with
//! this process, whatever ends it.

use std::fs;
use std::io;

use rustix::mount::{MountPropagationFlags, mount_change};

use crate::error::VolumeError;

/// Gives this process mounts of its own: it sees what is mounted elsewhere, and nobody sees
/// what it mounts. It must be called before threads are started.
///
/// # Errors
/// Without the right to, or when threads have been started.
pub fn own_mount_namespace() -> Result<(), VolumeError> {
    let threads = fs::read_dir("/proc/self/task").map_err(VolumeError::Namespace)?;
    if threads.count() != 1 {
        // They would go on in the view of everybody.
        let why = io::Error::other("threads have been started");
        return Err(VolumeError::Namespace(why));
    }
    sokudo_sys::unshare_mounts().map_err(VolumeError::Namespace)?;
    let flags = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    mount_change("/", flags).map_err(|errno| VolumeError::Namespace(errno.into()))
}
