//! Programs that end with the thread that started them.

#![expect(
    unsafe_code,
    reason = "what a child does between fork and exec is promised by its parent"
)]

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Has the kernel kill the program when the thread that starts it ends, whatever ends that.
/// Whoever calls this must wait for the program in the same thread.
pub fn die_with_parent(command: &mut Command) {
    let parent = std::process::id();
    let bound = move || {
        let signal = libc::c_long::from(libc::SIGKILL);
        // SAFETY: PR_SET_PDEATHSIG takes a number and touches no memory of ours.
        let result = unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal, 0, 0, 0) };
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        // It may have ended before the kernel was asked.
        if std::os::unix::process::parent_id() != parent {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        Ok(())
    };
    // SAFETY: between fork and exec, `bound` makes two system calls and allocates nothing.
    unsafe { command.pre_exec(bound) };
}
