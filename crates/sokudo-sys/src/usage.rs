//! Processor time of the calling thread.

#![expect(
    unsafe_code,
    reason = "no safe library offers getrusage for one thread"
)]

use std::mem::MaybeUninit;

/// Processor time that a thread has used so far. Nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadTime {
    /// In user mode.
    pub user_ns: u64,
    /// In the kernel.
    pub system_ns: u64,
}

/// Processor time of the calling thread (`RUSAGE_THREAD`). The sum is exact; its
/// division into user and system is sampled by the kernel's tick, unless the
/// kernel does precise accounting.
pub fn thread_time() -> ThreadTime {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is valid for one rusage.
    let status = unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) };
    assert_eq!(status, 0, "RUSAGE_THREAD exists since Linux 2.6.26");
    // SAFETY: all-zero is a valid rusage, and the kernel has filled it in.
    let usage = unsafe { usage.assume_init() };
    ThreadTime {
        user_ns: nanos(usage.ru_utime),
        system_ns: nanos(usage.ru_stime),
    }
}

#[expect(clippy::cast_sign_loss, reason = "processor time is not negative")]
fn nanos(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000
}
