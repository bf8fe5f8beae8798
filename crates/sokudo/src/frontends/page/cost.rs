//! What the page itself costs while a run is measured: processor time of its two processes,
//! without those that measure.

use std::fs;
use std::time::Instant;

/// Counts from the beginning of a run.
pub(crate) struct Cost {
    processes: [u32; 2],
    begun: Instant,
    ticks: u64,
}

impl Cost {
    pub(crate) fn begin(processes: [u32; 2]) -> Self {
        Self {
            processes,
            begun: Instant::now(),
            ticks: used(processes).unwrap_or_default(),
        }
    }

    /// The share of one processor since then; `None` where `/proc` does not tell.
    pub(crate) fn share(&self) -> Option<f64> {
        let ticks = used(self.processes)?.saturating_sub(self.ticks);
        let seconds = ticks as f64 / rustix::param::clock_ticks_per_second() as f64;
        let elapsed = self.begun.elapsed().as_secs_f64();
        (elapsed > 0.0).then(|| seconds / elapsed)
    }
}

/// Processor time of all their threads, in ticks of the clock.
fn used(processes: [u32; 2]) -> Option<u64> {
    let of = |process: u32| ticks(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?);
    processes.into_iter().map(of).sum()
}

/// `utime` and `stime`, the 14th and 15th field of `/proc/PID/stat` (proc_pid_stat(5)). The name
/// of the program, the second, may hold anything.
fn ticks(stat: &str) -> Option<u64> {
    let (_, behind_name) = stat.rsplit_once(')')?;
    let mut fields = behind_name.split_ascii_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

#[cfg(test)]
mod tests {
    use rustix::time::{ClockId, Timespec, clock_gettime};

    use super::*;

    #[test]
    fn a_program_of_any_name_is_counted() {
        let stat = "1 (a) b) S 2 3 4 5 6 7 8 9 10 11 1200 34 15 16 17";
        assert_eq!(ticks(stat), Some(1_234));
        assert_eq!(ticks("1 (a"), None);
    }

    #[test]
    fn what_this_test_uses_is_seen() {
        let me = std::process::id();
        let cost = Cost::begin([me, me]);
        // Ticks of the clock are 10 ms each, and a busy machine gives less than the time that passes.
        let used = || clock_gettime(ClockId::ThreadCPUTime);
        let begun = used();
        while used() - begun
            < (Timespec {
                tv_sec: 0,
                tv_nsec: 200_000_000,
            })
        {
            std::hint::spin_loop();
        }
        assert!(cost.share().unwrap() > 0.0);
    }
}
