//! What a thread has used.

use sokudo_model::{CpuTime, Nanos, ThreadUsage};
use sokudo_sys::{ThreadCounts, thread_counts};

/// What the thread has used since `start`.
pub(crate) fn used_since(start: ThreadCounts) -> (CpuTime, ThreadUsage) {
    let end = thread_counts();
    let cpu = CpuTime {
        user: Nanos(end.user_ns.saturating_sub(start.user_ns)),
        system: Nanos(end.system_ns.saturating_sub(start.system_ns)),
    };
    let usage = ThreadUsage {
        context_switches: end.context_switches.saturating_sub(start.context_switches),
        major_faults: end.major_faults.saturating_sub(start.major_faults),
        minor_faults: end.minor_faults.saturating_sub(start.minor_faults),
    };
    (cpu, usage)
}

/// Adds what was used in one part of the time to what was used in all.
pub(crate) fn add_usage(all: &mut (CpuTime, ThreadUsage), part: (CpuTime, ThreadUsage)) {
    let ((all_cpu, all_usage), (cpu, usage)) = (all, part);
    all_cpu.user.0 += cpu.user.0;
    all_cpu.system.0 += cpu.system.0;
    all_usage.context_switches += usage.context_switches;
    all_usage.major_faults += usage.major_faults;
    all_usage.minor_faults += usage.minor_faults;
}
