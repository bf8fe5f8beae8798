//! Time for which somebody on the machine waited (`Documentation/accounting/psi.rst`), and
//! time that the hypervisor gave to others (`/proc/stat`).

use std::time::Instant;

use sokudo_model::{Nanos, Pressure};

use crate::system::System;

/// `/proc/stat` counts in hundredths of a second on every architecture that sokudo is
/// built for (`USER_HZ`).
const TICK_NANOS: u64 = 10_000_000;

/// Where stolen time stands in the line `cpu` of `/proc/stat`, counted from its first
/// number (`proc_stat(5)`).
const STOLEN_FIELD: usize = 7;
/// Where programs' time stands there, that of those with less priority, and that inside the
/// kernel without interrupts.
const USER_FIELD: usize = 0;
const NICE_FIELD: usize = 1;
pub(super) const SYSTEM_FIELD: usize = 2;
/// Where a process's own time in programs stands in `/proc/PID/stat`, counted from the state
/// behind its name (`proc_pid_stat(5)`), in the kernel, and that of children that it has
/// waited for.
pub(super) const OWN_USER_FIELD: usize = 11;
pub(super) const OWN_SYSTEM_FIELD: usize = 12;
const CHILDREN_USER_FIELD: usize = 13;

/// What was counted since the machine started: waits for processors, I/O and memory, time that
/// was stolen, and that of other programs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waits {
    at: Instant,
    counted: [Option<Nanos>; 5],
}

impl Waits {
    pub(super) fn look(system: &System) -> Self {
        let waits = |what: &str| total(&system.text(format!("proc/pressure/{what}"))?);
        let stolen = stolen(&system.text("proc/stat").unwrap_or_default());
        let [processor, io, memory] = ["cpu", "io", "memory"].map(waits);
        Self {
            at: Instant::now(),
            counted: [processor, io, memory, stolen, others(system)],
        }
    }

    /// What was counted since `earlier`; `None` where nothing can be seen.
    pub(super) fn since(&self, earlier: &Self) -> Option<Pressure> {
        let elapsed = self.at.saturating_duration_since(earlier.at);
        let all: [Option<Nanos>; 5] = std::array::from_fn(|index| {
            let (now, then) = (self.counted[index]?, earlier.counted[index]?);
            Some(Nanos(now.0.saturating_sub(then.0)))
        });
        let [processor, io, memory, stolen, others] = all;
        all.iter().any(Option::is_some).then_some(Pressure {
            elapsed: elapsed.into(),
            processor,
            io,
            memory,
            stolen,
            others,
        })
    }
}

/// Time for which some task waited for I/O, of any device, since the machine started;
/// `None` where the kernel does not tell.
pub fn io_waits(system: &System) -> Option<Nanos> {
    total(&system.text("proc/pressure/io")?)
}

/// The microseconds of `some avg10=0.00 avg60=0.00 avg300=0.00 total=12`.
fn total(text: &str) -> Option<Nanos> {
    let line = text.lines().find(|line| line.starts_with("some "))?;
    let micros: u64 = line.rsplit_once("total=")?.1.trim().parse().ok()?;
    micros.checked_mul(1_000).map(Nanos)
}

/// What all programs but this process and its children used outside the kernel: what the
/// kernel does for our I/O, it does at times in threads of its own.
fn others(system: &System) -> Option<Nanos> {
    let all = system.text("proc/stat")?;
    let own = system.text("proc/self/stat")?;
    let all = programs(&all)?;
    let own = |field: usize| Some(of_this_process(&own, field)?.0);
    let own = own(OWN_USER_FIELD)? + own(CHILDREN_USER_FIELD)?;
    Some(Nanos(all.0.saturating_sub(own)))
}

/// What all programs used outside the kernel.
pub(super) fn programs(stat: &str) -> Option<Nanos> {
    let [user, nice] = [USER_FIELD, NICE_FIELD].map(|field| of_all(stat, field));
    Some(Nanos(user?.0 + nice?.0))
}

/// A time of this process in its `stat`.
pub(super) fn of_this_process(stat: &str, field: usize) -> Option<Nanos> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let ticks: u64 = after_name.split_whitespace().nth(field)?.parse().ok()?;
    ticks.checked_mul(TICK_NANOS).map(Nanos)
}

pub(super) fn stolen(stat: &str) -> Option<Nanos> {
    of_all(stat, STOLEN_FIELD)
}

/// A time of all processors together.
pub(super) fn of_all(stat: &str, field: usize) -> Option<Nanos> {
    let line = stat.lines().find(|line| line.starts_with("cpu "))?;
    let ticks: u64 = line.split_whitespace().nth(field + 1)?.parse().ok()?;
    ticks.checked_mul(TICK_NANOS).map(Nanos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::Machine;

    #[test]
    fn totals_are_read_and_nonsense_is_unknown() {
        let text = "some avg10=0.24 avg60=0.12 avg300=0.43 total=1086692406\nfull avg10=0 total=5";
        assert_eq!(total(text), Some(Nanos(1_086_692_406_000)));
        assert_eq!(total("full total=5"), None);
        assert_eq!(total("some total=x"), None);
        assert_eq!(
            stolen("cpu  1 2 3 4 5 6 7 8 9 10\n"),
            Some(Nanos(80_000_000))
        );
        assert_eq!(stolen("cpu  1 2 3\n"), None);
    }

    #[test]
    fn time_of_others_is_all_time_less_our_own() {
        let machine = Machine::new();
        let write = |all: &str, own: &str| {
            machine.write("proc/stat", format!("cpu  {all}\n"));
            let own = format!("7 (a ) b) S 1 2 3 4 5 6 7 8 9 10 {own}");
            machine.write("proc/self/stat", own);
        };
        let system = machine.system();
        write("1000 100 9 9 9 9 9 0", "50 77 8 99 20");
        let first = Waits::look(&system);
        write("1300 150 99 99 99 9 9 0", "250 77 18 99 20");
        let pressure = Waits::look(&system).since(&first).unwrap();
        assert_eq!(pressure.others, Some(Nanos::from_millis(1_400)));
    }

    #[test]
    fn a_machine_without_pressure_information_has_none() {
        let system = Machine::new().system();
        let first = Waits::look(&system);
        assert_eq!(Waits::look(&system).since(&first), None);
    }
}
