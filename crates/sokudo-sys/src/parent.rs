//! Programs that end with the thread that started them, and those that outlive it.

#![expect(unsafe_code, reason = "what a child may do before exec is promised")]

use std::ffi::c_uint;
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

/// Gives the program no file of this process but the three that it is given anyway. Libraries
/// such as MPI's leave files open that their launchers watch: whoever outlives this process
/// must not hold them.
pub fn inherit_nothing(command: &mut Command) {
    let close = || {
        let (first, last) = (libc::STDERR_FILENO + 1, c_uint::MAX);
        // When the program begins, so that what the standard library has open until then stays.
        let how = libc::CLOSE_RANGE_CLOEXEC.cast_signed();
        // SAFETY: it takes numbers, and marks files to be closed as the program begins.
        let result = unsafe { libc::close_range(first.cast_unsigned(), last, how) };
        match result {
            0 => Ok(()),
            // Linux before 5.11.
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: between fork and exec, `close` makes one system call and allocates nothing.
    unsafe { command.pre_exec(close) };
}
