//! What the calling thread has used of the system: processor time, switches, faults.

#![expect(unsafe_code, reason = "no safe crate has getrusage for one thread")]

use std::mem::MaybeUninit;

/// What the system has counted about a thread so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadCounts {
    /// Processor time in user mode. The sum with that in the kernel is exact; the division is
    /// sampled by the kernel's tick, unless the kernel does precise accounting.
    pub user_ns: u64,
    /// Processor time in the kernel.
    pub system_ns: u64,
    /// Times it gave up the processor or lost it.
    pub context_switches: u64,
    /// Page faults that read from a disk.
    pub major_faults: u64,
    /// Page faults that did not.
    pub minor_faults: u64,
}

/// All that is counted about the calling thread (`RUSAGE_THREAD`).
pub fn thread_counts() -> ThreadCounts {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is valid for one rusage.
    let status = unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) };
    assert_eq!(status, 0, "RUSAGE_THREAD exists since Linux 2.6.26");
    // SAFETY: all-zero is a valid rusage, and the kernel has filled it in.
    let usage = unsafe { usage.assume_init() };
    ThreadCounts {
        user_ns: nanos(usage.ru_utime),
        system_ns: nanos(usage.ru_stime),
        context_switches: (usage.ru_nvcsw + usage.ru_nivcsw) as u64,
        major_faults: usage.ru_majflt as u64,
        minor_faults: usage.ru_minflt as u64,
    }
}

fn nanos(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000
}
