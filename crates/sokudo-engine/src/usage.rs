//! What a thread has used, and how long it was refused a processor.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;

use sokudo_model::{CpuTime, Nanos, ThreadUsage};
use sokudo_sys::{ThreadCounts, thread_counts};

/// Three numbers of up to 20 digits fit.
const LINE_BYTES_MAX: usize = 96;

thread_local! {
    /// Kept open, because opening it takes five times as long as reading it. A kernel without
    /// `CONFIG_SCHED_INFO` has none, and a system without `/proc` shows none.
    static SCHEDULED: Option<File> = File::open("/proc/thread-self/schedstat").ok();
}

/// What a thread has used so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UsedSoFar {
    counts: ThreadCounts,
    /// Of threads of the kernel that work for it, where they are looked at.
    workers_ns: Option<u64>,
    /// How long it was ready to run and did not; `None` where the kernel does not tell.
    waited_ns: Option<u64>,
}

/// What the calling thread has used so far.
pub(crate) fn used_so_far() -> UsedSoFar {
    UsedSoFar {
        workers_ns: None,
        counts: thread_counts(),
        waited_ns: waited_ns(),
    }
}

/// The same with what threads of the kernel have used that io_uring has named after it.
pub(crate) fn used_so_far_with_workers() -> UsedSoFar {
    UsedSoFar {
        workers_ns: Some(workers_ns()),
        ..used_so_far()
    }
}

/// The second number of `schedstat`: nanoseconds on a run queue, a control group's refusal
/// included (`Documentation/scheduler/sched-stats.rst`).
fn waited_ns() -> Option<u64> {
    let mut line = [0; LINE_BYTES_MAX];
    let length = SCHEDULED.with(|file| file.as_ref()?.read_at(&mut line, 0).ok())?;
    let text = std::str::from_utf8(&line[..length]).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// The first number of `schedstat`, nanoseconds on a processor, of each of the process's threads
/// that io_uring has named after the calling one. They appear when they are needed, and go when
/// they are idle for seconds.
fn workers_ns() -> u64 {
    let name = format!("iou-wrk-{}", rustix::thread::gettid().as_raw_nonzero());
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    let of_thread = |thread: fs::DirEntry| {
        let comm = fs::read_to_string(thread.path().join("comm")).ok()?;
        let schedstat = (comm.trim_end() == name).then(|| thread.path().join("schedstat"))?;
        let line = fs::read_to_string(schedstat).ok()?;
        line.split_ascii_whitespace().next()?.parse::<u64>().ok()
    };
    threads.flatten().filter_map(of_thread).sum()
}

/// What the thread has used since `start`.
pub(crate) fn used_since(start: UsedSoFar) -> (CpuTime, ThreadUsage) {
    let end = used_so_far();
    let workers = start
        .workers_ns
        .map_or(0, |before| workers_ns().saturating_sub(before));
    let (start, end, waited) = (start.counts, end.counts, end.waited_ns.zip(start.waited_ns));
    let cpu = CpuTime {
        kernel_workers: Nanos(workers),
        user: Nanos(end.user_ns.saturating_sub(start.user_ns)),
        system: Nanos(end.system_ns.saturating_sub(start.system_ns)),
    };
    let usage = ThreadUsage {
        context_switches: end.context_switches.saturating_sub(start.context_switches),
        major_faults: end.major_faults.saturating_sub(start.major_faults),
        minor_faults: end.minor_faults.saturating_sub(start.minor_faults),
        waited: waited.map(|(end, start)| Nanos(end.saturating_sub(start))),
    };
    (cpu, usage)
}

/// Adds what was used in one part of the time to what was used in all.
pub(crate) fn add_usage(all: &mut Option<(CpuTime, ThreadUsage)>, part: (CpuTime, ThreadUsage)) {
    match all {
        Some((cpu, usage)) => {
            cpu.merge(&part.0);
            usage.merge(&part.1);
        }
        None => *all = Some(part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_told_how_long_it_waited_where_the_kernel_tells() {
        let start = used_so_far();
        std::thread::yield_now();
        let (_, usage) = used_since(start);
        let is_reported = std::path::Path::new("/proc/thread-self/schedstat").exists();
        assert_eq!(usage.waited.is_some(), is_reported);
    }

    #[test]
    fn parts_are_added_and_a_wait_that_was_not_seen_leaves_none() {
        let part = |waited| ThreadUsage {
            context_switches: 1,
            waited,
            ..ThreadUsage::default()
        };
        let mut all = None;
        add_usage(&mut all, (CpuTime::default(), part(Some(Nanos(3)))));
        add_usage(&mut all, (CpuTime::default(), part(Some(Nanos(4)))));
        assert_eq!(all.unwrap().1.waited, Some(Nanos(7)));
        assert_eq!(all.unwrap().1.context_switches, 2);
        add_usage(&mut all, (CpuTime::default(), part(None)));
        assert_eq!(all.unwrap().1.waited, None);
    }
}
