//! What processors did during a trial besides its row, and what was refused to this process:
//! by a limit of a control group (`cpu.stat`), by other machines and by other programs
//! (`/proc/stat`).

use std::path::{Path, PathBuf};
use std::time::Instant;

use sokudo_model::{Nanos, ProcessorEvidence, Throttling};

use crate::control_groups;
use crate::system::System;

use super::pressure::{
    OWN_SYSTEM_FIELD, OWN_USER_FIELD, SYSTEM_FIELD, of_all, of_this_process, programs, stolen,
};

/// Looks at the processors before a trial and after it.
#[derive(Clone, Debug)]
pub struct ProcessorWatch {
    system: System,
    at: Instant,
    /// The limits of the groups that may hold us back, and what they had done so far.
    throttled: Vec<(PathBuf, Throttled)>,
    times: Option<ProcessorTimes>,
}

/// What a group had been held back so far.
#[derive(Clone, Copy, Debug, Default)]
struct Throttled {
    periods: u64,
    time_ns: u64,
}

/// Processor time since the machine started, and of this process since it did.
#[derive(Clone, Copy, Debug)]
struct ProcessorTimes {
    user: Nanos,
    kernel: Nanos,
    stolen: Option<Nanos>,
    own_user: Nanos,
    own_kernel: Nanos,
}

impl ProcessorWatch {
    pub fn look(system: &System) -> Self {
        let groups = control_groups::directories(system, "cpu");
        let throttled = groups
            .into_iter()
            .filter_map(|(is_version_2, directory)| throttled(system, is_version_2, &directory));
        Self {
            at: Instant::now(),
            throttled: throttled.collect(),
            times: ProcessorTimes::look(system),
            system: system.clone(),
        }
    }

    /// What happened since this look; what cannot be seen is left out.
    pub fn since_then(&self) -> ProcessorEvidence {
        let now = Self::look(&self.system);
        let elapsed = now.at.saturating_duration_since(self.at);
        let times = now.times.zip(self.times);
        let grown = |of: fn(&ProcessorTimes) -> Nanos| {
            times.map(|(now, then)| of(&now).0.saturating_sub(of(&then).0))
        };
        let own_user = grown(|it| it.own_user);
        let own_kernel = grown(|it| it.own_kernel);
        let beyond = |all: Option<u64>, own: Option<u64>| Some(Nanos(all?.saturating_sub(own?)));
        let stolen = times.and_then(|(now, then)| now.stolen.zip(then.stolen));
        ProcessorEvidence {
            elapsed: elapsed.into(),
            own: own_user
                .zip(own_kernel)
                .map(|(user, kernel)| Nanos(user + kernel)),
            programs: beyond(grown(|it| it.user), own_user),
            kernel: beyond(grown(|it| it.kernel), own_kernel),
            stolen: stolen.map(|(now, then)| Nanos(now.0.saturating_sub(then.0))),
            throttled: now.held_back_most(self),
        }
    }

    /// A process may be moved to another group meanwhile; then nothing can be compared.
    fn held_back_most(&self, earlier: &Self) -> Option<Throttling> {
        let grown = self.throttled.iter().filter_map(|(file, now)| {
            let (_, then) = earlier.throttled.iter().find(|(then, _)| then == file)?;
            Some(Throttling {
                file: file.to_string_lossy().into_owned(),
                periods: now.periods.saturating_sub(then.periods),
                time: Nanos(now.time_ns.saturating_sub(then.time_ns)),
            })
        });
        grown
            .filter(|it| it.periods > 0)
            .max_by_key(|throttling| throttling.time)
    }
}

impl ProcessorTimes {
    fn look(system: &System) -> Option<Self> {
        let all = system.text("proc/stat")?;
        let own = system.text("proc/self/stat")?;
        Some(Self {
            user: programs(&all)?,
            kernel: of_all(&all, SYSTEM_FIELD)?,
            stolen: stolen(&all),
            own_user: of_this_process(&own, OWN_USER_FIELD)?,
            own_kernel: of_this_process(&own, OWN_SYSTEM_FIELD)?,
        })
    }
}

/// What `cpu.stat` of a group counts, and where its limit is. Version 2 counts microseconds,
/// version 1 nanoseconds (`Documentation/scheduler/sched-bwc.rst`).
fn throttled(
    system: &System,
    is_version_2: bool,
    directory: &Path,
) -> Option<(PathBuf, Throttled)> {
    let (time, unit_ns, limit) = match is_version_2 {
        true => ("throttled_usec", 1_000, "cpu.max"),
        false => ("throttled_time", 1, "cpu.cfs_quota_us"),
    };
    let text = system.text(directory.join("cpu.stat"))?;
    let number = |name: &str| -> Option<u64> {
        let mut words = text.lines().filter_map(|line| line.split_once(' '));
        words.find(|(key, _)| *key == name)?.1.trim().parse().ok()
    };
    let throttled = Throttled {
        periods: number("nr_throttled")?,
        time_ns: number(time)?.saturating_mul(unit_ns),
    };
    Some((directory.join(limit), throttled))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::Machine;

    #[test]
    fn time_of_others_is_told_from_our_own_and_by_where_it_was_spent() {
        let machine = Machine::new();
        let write = |all: &str, own: &str| {
            machine.write("proc/stat", format!("cpu  {all}\n"));
            let own = format!("7 (a ) b) S 1 2 3 4 5 6 7 8 9 10 {own} 0 0");
            machine.write("proc/self/stat", own);
        };
        write("1000 100 50 9 9 9 9 5", "50 20");
        let watch = ProcessorWatch::look(&machine.system());
        write("1300 150 90 99 99 9 9 8", "250 30");
        let seen = watch.since_then();
        assert_eq!(seen.own, Some(Nanos::from_millis(2_100)));
        assert_eq!(seen.programs, Some(Nanos::from_millis(1_500)));
        assert_eq!(seen.kernel, Some(Nanos::from_millis(300)));
        assert_eq!(seen.stolen, Some(Nanos::from_millis(30)));
        assert_eq!(seen.throttled, None);
    }

    #[test]
    fn the_group_that_was_held_back_most_is_found_in_both_versions() {
        let machine = Machine::with(&[
            (
                "proc/self/mountinfo",
                "30 1 0:26 / /cg/two rw - cgroup2 cgroup2 rw\n31 1 0:27 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
            ),
            ("proc/self/cgroup", "4:cpu,cpuacct:/a/b\n0::/c\n"),
        ]);
        let write = |periods: u64, own: u64, above: u64, second: u64| {
            let stat = |name: &str, time: u64| {
                format!("nr_periods 90\nnr_throttled {periods}\n{name} {time}\n")
            };
            machine.write("cg/cpu/a/b/cpu.stat", stat("throttled_time", own));
            machine.write("cg/cpu/a/cpu.stat", stat("throttled_time", above));
            machine.write("cg/two/c/cpu.stat", stat("throttled_usec", second));
        };
        write(3, 1_000, 2_000, 3);
        let watch = ProcessorWatch::look(&machine.system());
        let held = |watch: &ProcessorWatch| watch.since_then().throttled;
        assert_eq!(held(&watch), None);
        write(7, 1_500, 9_000, 4);
        let version_1 = held(&watch).unwrap();
        assert_eq!(version_1.file, "/cg/cpu/a/cpu.cfs_quota_us");
        assert_eq!((version_1.periods, version_1.time), (4, Nanos(7_000)));
        write(7, 1_500, 9_000, 33);
        let version_2 = held(&watch).unwrap();
        assert_eq!(version_2.file, "/cg/two/c/cpu.max");
        assert_eq!(version_2.time, Nanos(30_000));
    }

    #[test]
    fn a_machine_that_tells_nothing_is_no_failure() {
        let watch = ProcessorWatch::look(&Machine::new().system());
        let seen = watch.since_then();
        let nothing = ProcessorEvidence {
            elapsed: seen.elapsed,
            ..ProcessorEvidence::default()
        };
        assert_eq!(seen, nothing);
    }
}
