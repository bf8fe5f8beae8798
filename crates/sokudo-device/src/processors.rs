//! What every processor has done since the machine started, as `/proc/stat` counts it, and what
//! this thread has had of them.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use sokudo_model::CpuUse;
use sokudo_model::Nanos;

use crate::system::System;

/// The time of every processor by kind; empty where it cannot be seen.
pub fn processor_times(system: &System) -> Vec<CpuUse> {
    let text = system.text("proc/stat").unwrap_or_default();
    parse(&text, rustix::param::clock_ticks_per_second())
}

/// What processors did from `earlier` to `later`; one that came or went in between is
/// left out.
pub fn processor_use(earlier: &[CpuUse], later: &[CpuUse]) -> Vec<CpuUse> {
    let since = |later: Nanos, earlier: Nanos| Nanos(later.0.saturating_sub(earlier.0));
    later
        .iter()
        .filter_map(|now| {
            let before = earlier.iter().find(|before| before.cpu == now.cpu)?;
            Some(CpuUse {
                cpu: now.cpu,
                user: since(now.user, before.user),
                kernel: since(now.kernel, before.kernel),
                iowait: since(now.iowait, before.iowait),
                idle: since(now.idle, before.idle),
            })
        })
        .collect()
}

/// The directories in which processors' clocks are set.
pub(crate) fn frequency_policies(system: &System) -> impl Iterator<Item = String> {
    let policies = "sys/devices/system/cpu/cpufreq";
    let names = system.names(policies).into_iter();
    let names = names.filter(|name| name.starts_with("policy"));
    names.map(move |name| format!("{policies}/{name}"))
}

/// A setting of the clocks of all processors, or all values where they differ.
pub(crate) fn frequency_policy(system: &System, file: &str) -> Option<String> {
    let policies = frequency_policies(system);
    let mut values: Vec<String> = policies
        .filter_map(|policy| system.text(format!("{policy}/{file}")))
        .collect();
    values.sort();
    values.dedup();
    (!values.is_empty()).then(|| values.join(", "))
}

/// What this thread has had of a processor so far.
pub(crate) fn processor_time() -> Duration {
    // The kernel never gives a negative time of this clock.
    clock_gettime(ClockId::ThreadCPUTime)
        .try_into()
        .unwrap_or_default()
}

/// Lines `cpuN user nice system idle iowait irq softirq …` in ticks (`proc(5)`).
fn parse(text: &str, ticks_per_second: u64) -> Vec<CpuUse> {
    let tick_ns = 1_000_000_000 / ticks_per_second.max(1);
    text.lines()
        .filter_map(|line| {
            // The line of all processors together has a blank where these have a number.
            let rest = line.strip_prefix("cpu")?;
            let mut fields = rest
                .starts_with(|c: char| c.is_ascii_digit())
                .then(|| rest.split_ascii_whitespace())?;
            let cpu = fields.next()?.parse().ok()?;
            let mut time = || {
                let ticks: u64 = fields.next()?.parse().ok()?;
                Some(ticks.saturating_mul(tick_ns))
            };
            let (user, nice, system, idle, iowait) = (time()?, time()?, time()?, time()?, time()?);
            let interrupts = time().unwrap_or(0).saturating_add(time().unwrap_or(0));
            Some(CpuUse {
                cpu,
                user: Nanos(user.saturating_add(nice)),
                kernel: Nanos(system.saturating_add(interrupts)),
                iowait: Nanos(iowait),
                idle: Nanos(idle),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "cpu  9 9 9 9 9 9 9 0 0 0\ncpu0 1 2 3 4 5 6 7 0 0 0\ncpu1 x\nintr 5\n";

    #[test]
    fn processors_are_told_apart_and_their_sum_left_out() {
        let times = parse(TEXT, 100);
        assert_eq!(times.len(), 1);
        assert_eq!(times[0].cpu, 0);
        assert_eq!(times[0].user, Nanos::from_millis(30));
        assert_eq!(times[0].kernel, Nanos::from_millis(160));
        assert_eq!(times[0].iowait, Nanos::from_millis(50));
        assert_eq!(times[0].idle, Nanos::from_millis(40));
    }

    #[test]
    fn use_is_what_came_since() {
        let earlier = parse(TEXT, 100);
        let later = parse("cpu0 2 2 3 4 5 6 7\ncpu1 1 1 1 1 1\n", 100);
        let used = processor_use(&earlier, &later);
        assert_eq!(used.len(), 1);
        assert_eq!(used[0].user, Nanos::from_millis(10));
        assert_eq!(used[0].idle, Nanos(0));
        assert!(parse("cpu0 1 2", 0).is_empty());
    }
}
