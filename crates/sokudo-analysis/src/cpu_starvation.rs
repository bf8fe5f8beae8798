//! Was a processor there when a row's threads were ready to run: refused by a control group's
//! limit, given to other machines, or taken by other programs.
//!
//! A busy machine alone is no finding: only what the row's own threads had to wait counts, and
//! of that only what somebody else can have caused. Threads of one row wait for each other, too.

use sokudo_model::{Nanos, Throttling};
use sokudo_words::{Text, text};

use crate::case::RowContext;
use crate::code::{Code, RuleResult};
use crate::rule::RowRule;
use crate::threshold::{REFUSED_SHARE_MAX, WAKE_UP_TIME_MAX};

pub(crate) const RULES: &[RowRule] = &[processor_refused];

/// Who kept a processor from the row's threads, each as a share of their time.
#[derive(Clone, Copy, Debug, Default)]
struct Refused {
    group: f64,
    machines: f64,
    programs: f64,
}

impl Refused {
    fn share(&self) -> f64 {
        self.group + self.machines + self.programs
    }
}

/// Processor time of all trials together, in seconds.
#[derive(Clone, Debug, Default)]
struct CpuTimes {
    /// What the threads could have used: their number × elapsed.
    available: f64,
    /// How long they were ready to run and did not.
    waited: f64,
    /// Processor time that the threads used, in seconds.
    computed: f64,
    /// The time between the two looks at the processors.
    window: f64,
    own: f64,
    programs: f64,
    kernel: f64,
    stolen: f64,
    throttled: Throttling,
}

fn processor_refused(case: &RowContext<'_>) -> Option<RuleResult> {
    if !case.real() {
        return None;
    }
    let seen = seen(case)?;
    let refused = refused(case, &seen);
    if refused.share() <= REFUSED_SHARE_MAX {
        return None;
    }
    let (cause, remedy) = cause(&seen, refused);
    let percent = refused.share() * 100.0;
    let symptom = match case.row.workload.threads {
        1 => text!("sokudo waited for a CPU {percent:.0} % of the time"),
        threads => {
            text!("sokudo's {threads} threads waited for a CPU {percent:.0} % of their time")
        }
    };
    Some(RuleResult::new(
        Code::ProcessorRefused,
        symptom,
        cause,
        remedy,
    ))
}

/// Adds up the trials; `None` where one of them was not looked at, for a part proves nothing.
fn seen(case: &RowContext<'_>) -> Option<CpuTimes> {
    let seconds = |time: Nanos| time.as_secs_f64();
    let mut seen = CpuTimes::default();
    let trials = case.row.trials.iter();
    for trial in trials.filter(|trial| trial.outcome.ios() > 0) {
        let (outcome, around) = (&trial.outcome, trial.evidence.processors.as_ref()?);
        let cpu = outcome.cpu?;
        seen.available += seconds(outcome.elapsed) * f64::from(case.row.workload.threads);
        let usage = outcome.usage?;
        let wake_ups = usage.context_switches.saturating_mul(WAKE_UP_TIME_MAX.0);
        seen.waited += seconds(Nanos(usage.waited?.0.saturating_sub(wake_ups)));
        seen.computed += seconds(cpu.user) + seconds(cpu.system);
        seen.window += seconds(around.elapsed);
        seen.own += seconds(around.own?);
        seen.programs += seconds(around.programs?);
        seen.kernel += seconds(around.kernel?);
        seen.stolen += seconds(around.stolen.unwrap_or_default());
        if let Some(throttled) = &around.throttled {
            seen.throttled.file.clone_from(&throttled.file);
            seen.throttled.periods += throttled.periods;
            seen.throttled.time.0 += throttled.time.0;
        }
    }
    (seen.available > 0.0 && seen.window > 0.0).then_some(seen)
}

/// Shares out what the threads waited.
///
/// A thread that wakes up takes some microseconds to run on an idle machine, too; that is no refusal.
/// A group's limit is charged with its own count, which sums processors. The rest of the wait is
/// shared out among all who computed meanwhile, in proportion: other programs, the kernel and its own
/// threads (some of which work for us), and the row's other threads. Only other programs are blamed. No thread can have
/// waited for other programs longer than these computed. Time that the hypervisor took is no wait that the kernel sees; it
/// hits all that computes alike, and our part of it is that of our processor time.
fn refused(case: &RowContext<'_>, seen: &CpuTimes) -> Refused {
    let threads = f64::from(case.row.workload.threads.max(1));
    let processors = f64::from(case.run.environment.cpus.max(1)).min(threads);
    let waited = seen.waited / seen.available;
    let group = (seen.throttled.time.as_secs_f64() / seen.window / processors).min(waited);
    let siblings = (seen.own - seen.computed / threads).max(0.0);
    let part = |of: f64, all: f64| if all > 0.0 { of / all } else { 0.0 };
    let others = part(seen.programs, seen.programs + seen.kernel + siblings);
    let ours = part(seen.computed, seen.own + seen.programs + seen.kernel);
    Refused {
        group,
        programs: ((waited - group) * others).min(seen.programs / seen.window),
        machines: seen.stolen / seen.window * ours / threads,
    }
}

/// Who refused most, and what to do about it.
fn cause(seen: &CpuTimes, refused: Refused) -> (Text, Text) {
    let Refused {
        group,
        machines,
        programs,
    } = refused;
    if group >= machines && group >= programs {
        let (file, periods) = (&seen.throttled.file, seen.throttled.periods);
        let unlimited = match file.ends_with("cpu.max") {
            true => "max",
            false => "-1",
        };
        return (
            text!(
                "{file} limits the CPU time of a control group, which was throttled {periods} times: I/Os started late, and latencies include the wait"
            ),
            text!("as root: echo {unlimited} > {file}; or measure outside of that group"),
        );
    }
    let per_second = |seconds: f64| seconds / seen.window;
    if machines >= programs {
        return (
            text!(
                "the hypervisor gave {stolen:.1} CPUs on average to other machines: I/Os started late, and latencies include the wait",
                stolen = per_second(seen.stolen)
            ),
            Text::from(
                "measure while the other virtual machines of this host are idle, or on a host of your own",
            ),
        );
    }
    (
        text!(
            "other programs used {used:.1} CPUs on average: I/Os started late, and latencies include the wait",
            used = per_second(seen.programs)
        ),
        Text::from(
            "stop the programs that use the processors (top shows which), and measure again",
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, reads_with, says};
    use sokudo_model::Verdict::{Unverified, Verified};
    use sokudo_model::{ProcessorEvidence, Run, TargetKind, ThreadUsage};

    const TOLD: &[&str] = &["processor-refused"];

    /// A sample's trial takes a second and 300 ms of a processor. Its thread waited so long in
    /// each, while this was seen.
    fn waited(millis: u64, change: impl Fn(&mut ProcessorEvidence)) -> impl Fn(&mut Run) {
        move |run| {
            run.environment.cpus = 2;
            for trial in &mut run.rows[0].trials {
                trial.outcome.usage = Some(ThreadUsage {
                    waited: Some(Nanos::from_millis(millis)),
                    ..ThreadUsage::default()
                });
                let mut seen = ProcessorEvidence {
                    elapsed: Nanos::from_secs(1),
                    own: Some(Nanos::from_millis(300)),
                    programs: Some(Nanos(0)),
                    kernel: Some(Nanos(0)),
                    stolen: Some(Nanos(0)),
                    throttled: None,
                };
                change(&mut seen);
                trial.evidence.processors = Some(seen);
            }
        }
    }

    fn programs(millis: u64) -> impl Fn(&mut ProcessorEvidence) {
        move |seen| seen.programs = Some(Nanos::from_millis(millis))
    }

    fn group(file: &'static str, millis: u64) -> impl Fn(&mut ProcessorEvidence) {
        move |seen| {
            seen.throttled = Some(Throttling {
                file: file.to_owned(),
                periods: 10,
                time: Nanos::from_millis(millis),
            });
        }
    }

    fn inside_the_kernel(seen: &mut ProcessorEvidence) {
        seen.programs = Some(Nanos::from_millis(100));
        seen.kernel = Some(Nanos::from_millis(110));
    }

    #[test]
    fn a_wait_that_others_caused_is_told_from_a_twentieth_of_the_time_on() {
        check! {
            "waited while others computed":
                reads_with(waited(51, programs(1_900))) => TOLD, Unverified;
            "less": reads_with(waited(49, programs(1_900))) => [], Verified;
            "a busy machine that refused nothing":
                reads_with(waited(0, programs(1_900))) => [], Verified;
            "longer than others computed": reads_with(waited(400, programs(49))) => [], Verified;
            "inside the kernel, whose threads may work for us":
                reads_with(waited(100, inside_the_kernel)) => [], Verified;
            "the way out of sleep, 10 µs each time": reads_with(|run| {
                waited(400, programs(1_900))(run);
                for trial in &mut run.rows[0].trials {
                    trial.outcome.usage.as_mut().unwrap().context_switches = 40_000;
                }
            }) => [], Verified;
            "a simulated device": reads_with(|run| {
                waited(400, programs(1_900))(run);
                run.target.kind = TargetKind::Simulated;
            }) => ["simulated"; 0], Verified;
        }
        says(
            reads_with(waited(400, programs(1_900))),
            "processor-refused",
            &["^sokudo waited for a CPU", "40 %", "1.9 CPUs"],
        );
    }

    #[test]
    fn threads_that_wait_for_each_other_were_refused_nothing() {
        let crowd = |others: u64| {
            reads_with(move |run| {
                waited(800, |seen| {
                    seen.own = Some(Nanos::from_millis(1_600));
                    seen.programs = Some(Nanos::from_millis(others));
                })(run);
                run.rows[0].workload.threads = 4;
                for trial in &mut run.rows[0].trials {
                    trial.outcome.depth_achieved = 4.0;
                    let tally = &mut trial.outcome.operations[0];
                    (0..30_000).for_each(|_| tally.latency.record(100_000));
                    (tally.ios, tally.bytes) = (40_000, sokudo_model::Bytes(40_000 * 4096));
                    let device = trial.evidence.device.as_mut().unwrap();
                    (device.read_ios, device.read_bytes) = (40_000, 40_000 * 4096);
                    let cpu = trial.outcome.cpu.as_mut().unwrap();
                    *cpu = sokudo_model::CpuTime {
                        user: Nanos::from_millis(600),
                        system: Nanos::from_millis(1_000),
                        ..sokudo_model::CpuTime::default()
                    };
                }
            })
        };
        check! {
            "a fifth of 200 ms each, a ninth of it for others": crowd(150) => [], Verified;
            "two fifths of it for others": crowd(800) => TOLD, Unverified;
        }
        says(
            crowd(800),
            "processor-refused",
            &["sokudo's 4 threads", "8 %"],
        );
    }

    #[test]
    fn a_groups_limit_is_named_with_its_file_and_the_way_out() {
        let first = "/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us";
        says(
            reads_with(waited(930, group(first, 940))),
            "processor-refused",
            &[
                "93 %",
                "throttled 60 times",
                "echo -1 > /sys/fs/cgroup/cpu/job/cpu.cfs_quota_us",
            ],
        );
        says(
            reads_with(waited(930, group("/sys/fs/cgroup/job/cpu.max", 940))),
            "processor-refused",
            &["echo max > /sys/fs/cgroup/job/cpu.max"],
        );
        check! {
            "a group that was held back while we waited for I/O":
                reads_with(waited(10, group(first, 940))) => [], Verified;
        }
    }

    #[test]
    fn our_part_of_what_the_hypervisor_took_is_that_of_our_processor_time() {
        let stolen = |millis: u64, others: u64| {
            reads_with(waited(0, move |seen| {
                seen.stolen = Some(Nanos::from_millis(millis));
                seen.programs = Some(Nanos::from_millis(others));
            }))
        };
        check! {
            "all": stolen(60, 0) => TOLD, Unverified;
            "half": stolen(60, 300) => [], Verified;
        }
        says(
            stolen(600, 0),
            "processor-refused",
            &["the hypervisor gave 0.6 CPUs"],
        );
    }

    #[test]
    fn what_was_not_seen_is_not_told() {
        let blind = |change: fn(&mut Run)| {
            reads_with(|run| {
                waited(900, programs(1_900))(run);
                change(run);
            })
        };
        check! {
            "no schedstat": blind(|run| {
                run.rows[0].trials[3].outcome.usage.as_mut().unwrap().waited = None;
            }) => [], Verified;
            "nobody looked": blind(|run| {
                run.rows[0].trials[3].evidence.processors = None;
            }) => [], Verified;
            "an early version": blind(|run| {
                run.rows[0].trials[3].outcome.usage = None;
            }) => [], Verified;
        }
    }
}
