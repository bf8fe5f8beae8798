//! Was the tester what it should be: its depth, its backend, its trials.

use sokudo_model::{
    BackendKind, Faster, Outcome, PairRatios, RateKept, Sample, ScheduleName, StopReason, Survey,
    TargetKind, Visit,
};
use sokudo_words::{Text, text};

use crate::case::RowContext;
use crate::code::{Code, RuleResult};
use crate::remedy;
use crate::rule::RowRule;
use crate::threshold::{
    CPU_SHARE_MAX, DEPTH_SHARE_MIN, INTERVAL_TRIALS_MIN, KERNEL_WORKERS_SHARE_MAX,
};

pub(crate) const RULES: &[RowRule] = &[
    depth_not_reached,
    rate_not_reached,
    tester_limited,
    engine_fallback,
    kernel_workers,
    stopped_early,
    few_trials,
];

/// Fewer I/Os were in flight than the row's name promises. A fixed rate or
/// pauses make that so on purpose.
fn depth_not_reached(case: &RowContext<'_>) -> Option<RuleResult> {
    let workload = &case.row.workload;
    let closed_loop = workload.pacing.rate.is_none() && workload.pacing.think.is_none();
    // Without a time limit nothing tells the last flush, which is alone in
    // flight, from the writes before it.
    let blurred = workload.durability.final_flush && workload.limits.time.is_none();
    let between_samples = workload.survey().is_some_and(empties_its_queue);
    // Between two files other work is done, what is written back follows from its read, and
    // threads of both end by number.
    let by_turns = workload.tree().is_some() || workload.rewritten_percent() > 0;
    let keeps_its_depth = closed_loop && !blurred && !between_samples && !by_turns;
    if !keeps_its_depth || case.target().kind == TargetKind::Null {
        return None;
    }
    let requested = f64::from(workload.threads) * f64::from(workload.depth);
    let reached = depth_while_issuing(case)?;
    if reached >= requested * DEPTH_SHARE_MIN * kept_by_a_byte_limit(case) {
        return None;
    }
    let (cause, remedy) = depth_cause(case);
    Some(RuleResult::new(
        Code::DepthNotReached,
        text!("only {reached:.1} of {requested} I/Os were in flight on average"),
        cause,
        remedy,
    ))
}

/// The schedule got ahead of the target: I/Os wait for their start, longer and longer, so
/// that latencies from the intended start are of the length of the trial.
fn rate_not_reached(case: &RowContext<'_>) -> Option<RuleResult> {
    let workload = &case.row.workload;
    let rate = RateKept::of(workload, &case.row.trials)?;
    if rate.is_kept() {
        return None;
    }
    let depth = f64::from(workload.threads) * f64::from(workload.depth);
    // While the schedule is ahead a full queue is kept, as in a closed loop.
    let full = depth_while_issuing(case).is_some_and(|held| held >= depth * DEPTH_SHARE_MIN);
    let (cause, remedy) = if full {
        (
            text!("with {depth} I/Os in flight the target completes no more per second"),
            remedy::lower_rate(),
        )
    } else {
        (
            Text::from(
                "the target stalled for part of the time, or the CPU was too busy to start I/Os in time",
            ),
            Text::from(
                "look at the trials one by one in the JSON output, and measure while nothing else runs",
            ),
        )
    };
    Some(RuleResult::new(
        Code::RateNotReached,
        text!(
            "only {percent:.1} % of the I/Os of the fixed rate were started; latencies from the intended start grow with the length of a trial",
            percent = rate.share() * 100.0
        ),
        cause,
        remedy,
    ))
}

/// The depth is reached, and the threads still compute nearly all the time: the device may
/// be able to do more than they can ask for. Where the bytes came from memory anyway, or
/// where work is done between I/Os on purpose, that is told or wanted otherwise.
fn tester_limited(case: &RowContext<'_>) -> Option<RuleResult> {
    let workload = &case.row.workload;
    let closed_loop = workload.pacing.rate.is_none() && workload.pacing.think.is_none();
    let is_disk = case.real() && case.direct() && !case.in_memory() && !case.on_memory_device();
    // Who polls computes all the time, whatever he waits for.
    if workload.issuing.polled
        || !closed_loop
        || !workload.is_pattern_alone()
        || !is_disk
        || depth_not_reached(case).is_some()
    {
        return None;
    }
    let (mut busy, mut available) = (0.0, 0.0);
    for outcome in case.outcomes() {
        let cpu = outcome.cpu?;
        busy += cpu.user.as_secs_f64() + cpu.system.as_secs_f64();
        available += outcome.elapsed.as_secs_f64() * f64::from(workload.threads);
    }
    (available > 0.0 && busy > available * CPU_SHARE_MAX).then(|| {
        let percent = busy / available * 100.0;
        RuleResult::new(
            Code::TesterLimited,
            match workload.threads {
                1 => text!(
                    "the row's thread used its CPU {percent:.0} % of the time: the figure is this CPU's limit; the device may be faster"
                ),
                threads => text!(
                    "the row's {threads} threads used their CPUs {percent:.0} % of the time: the figure is the CPUs' limit; the device may be faster"
                ),
            },
            "issuing and completing so many I/Os takes all of the CPU's time",
            remedy::more_threads(),
        )
    })
}

/// Whether nothing is in flight between the places of a survey, so that a depth is
/// reached only in the middle of each.
fn empties_its_queue(survey: Survey) -> bool {
    let runs_on = survey.visit == Visit::Ascending
        && survey.sample == Sample::Whole
        && survey.approach.is_none();
    !runs_on || survey.write_back
}

/// Which part of the depth a workload can have that ends after so many bytes. Of the n
/// I/Os of a thread the last ones, as many as its depth d, leave the queue without a
/// successor: for equal I/Os served in turn the mean depth is d × (1 − (d − 1) ÷ 2n).
fn kept_by_a_byte_limit(case: &RowContext<'_>) -> f64 {
    let ended_by_bytes = case
        .outcomes()
        .all(|outcome| outcome.stopped == StopReason::Bytes);
    let workload = &case.row.workload;
    let Some(limit) = workload.limits.bytes.filter(|_| ended_by_bytes) else {
        return 1.0;
    };
    let ios = (limit.0 / workload.blocks.largest().0.max(1)).max(1) as f64;
    let depth = f64::from(workload.depth);
    if depth <= ios {
        1.0 - (depth - 1.0) / (2.0 * ios)
    } else {
        // The queue never fills.
        (ios + 1.0) / (2.0 * depth)
    }
}

/// I/Os in flight while I/O is issued. At the end of a trial the depth falls to
/// zero, which on a slow device takes long; so the time up to the limit is what
/// the depth is related to.
fn depth_while_issuing(case: &RowContext<'_>) -> Option<f64> {
    let limit = case.row.workload.limits.time;
    let (mut area, mut issuing_seconds) = (0.0, 0.0);
    for outcome in case.outcomes() {
        let elapsed = outcome.elapsed;
        area += outcome.depth_achieved * elapsed.as_secs_f64();
        issuing_seconds += limit
            .map_or(elapsed, |limit| limit.min(elapsed))
            .as_secs_f64();
    }
    (issuing_seconds > 0.0).then(|| area / issuing_seconds)
}

fn depth_cause(case: &RowContext<'_>) -> (&'static str, Text) {
    let psync = case
        .outcomes()
        .any(|outcome| outcome.backend.kind == BackendKind::Psync);
    let libaio = case
        .outcomes()
        .any(|outcome| outcome.backend.kind == BackendKind::Libaio);
    if psync && case.row.workload.depth > 1 {
        ("psync issues one I/O at a time per thread", remedy::queue())
    } else if libaio && !case.direct() {
        ("libaio waits for every buffered I/O", remedy::no_blocking())
    } else if case.outcomes().any(|outcome| is_busy(case, outcome)) {
        (
            "the threads had no CPU time left: sokudo, not the disk, was the limit",
            Text::from("use more threads, as many as there are CPUs"),
        )
    } else if psync {
        (
            "between I/Os the thread was busy with their data, or waited for a CPU",
            Text::from("measure at a greater depth, or while nothing else runs"),
        )
    } else {
        (
            "the kernel completed I/O while it was submitted, or allows fewer requests at once",
            Text::from("compare with the device's nr_requests, and measure with more threads"),
        )
    }
}

/// Whether the threads computed nearly all the time.
fn is_busy(case: &RowContext<'_>, outcome: &Outcome) -> bool {
    if case.row.workload.issuing.polled {
        return false;
    }
    let available = outcome.elapsed.as_secs_f64() * f64::from(case.row.workload.threads);
    outcome.cpu.is_some_and(|cpu| {
        cpu.user.as_secs_f64() + cpu.system.as_secs_f64() > available * CPU_SHARE_MAX
    })
}

/// The backend had something to say about itself, or was chosen because it is faster.
fn engine_fallback(case: &RowContext<'_>) -> Option<RuleResult> {
    let mut notes: Vec<Text> = Vec::new();
    for note in case.outcomes().flat_map(|outcome| &outcome.backend.notes) {
        let note = text!("{}", note);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    let used = case.outcomes().next()?.backend.kind;
    notes.extend(faster_backend(case, used));
    (!notes.is_empty()).then(|| {
        RuleResult::new(
            Code::EngineFallback,
            text!("I/O was issued by {backend}", backend = used.name()),
            Text::list(notes, "; "),
            "nothing to do; compare only with runs that used the same backend",
        )
    })
}

/// Why `auto` is the backend that it is.
fn faster_backend(case: &RowContext<'_>, used: BackendKind) -> Option<Text> {
    let faster = case.row.backends.as_ref()?.faster();
    let Faster { way, than, by } = faster.filter(|it| it.way.kind == used)?;
    let PairRatios {
        median: factor,
        least,
        most: greatest,
        pairs,
    } = by;
    let (other, is_polled) = (than.kind.name(), way.polled != than.polled);
    Some(match is_polled {
        true => text!(
            "with polling it read {factor:.2} times as fast as {other} without (median of {pairs} pairs of short trials; least {least:.2}, greatest {greatest:.2})"
        ),
        false => text!(
            "it read {factor:.2} times as fast as {other} (median of {pairs} pairs of short trials; least {least:.2}, greatest {greatest:.2})"
        ),
    })
}

/// Threads of the kernel did the I/O on processors of their own, so that one thread's figure is
/// more than one processor's.
fn kernel_workers(case: &RowContext<'_>) -> Option<RuleResult> {
    let (mut own, mut workers, mut seconds, mut ios) = (0.0, 0.0, 0.0, 0);
    for outcome in case.outcomes() {
        let cpu = outcome.cpu?;
        own += cpu.user.as_secs_f64() + cpu.system.as_secs_f64();
        workers += cpu.kernel_workers.as_secs_f64();
        seconds += outcome.elapsed.as_secs_f64();
        ios += outcome.ios();
    }
    if ios == 0 || workers <= own * KERNEL_WORKERS_SHARE_MAX {
        return None;
    }
    let (processors, of_workers) = ((own + workers) / seconds, workers / seconds);
    let thousands = ios as f64 / (own + workers) / 1e3;
    Some(RuleResult::new(
        Code::KernelWorkers,
        text!(
            "the row used {processors:.2} CPUs, {of_workers:.2} of them in kernel threads: {thousands:.0}k IOPS per CPU"
        ),
        "the target cannot take I/O without waiting, so io_uring hands it to kernel threads, which run beside sokudo's own",
        remedy::no_kernel_workers(),
    ))
}

fn stopped_early(case: &RowContext<'_>) -> Option<RuleResult> {
    let ended = case
        .row
        .trials
        .iter()
        .filter(|trial| trial.outcome.stopped == StopReason::Ended)
        .count();
    let cancelled = case
        .outcomes()
        .any(|outcome| outcome.stopped == StopReason::Cancelled);
    let trials = case.row.trials.len();
    let planned = case.run.schedule.trials_due(case.row) as usize;
    let cut = case.run.interrupted && trials < planned;
    if trials == 0 {
        return None;
    }
    if cancelled || cut {
        let last = case.outcomes().last()?;
        let elapsed = last.elapsed;
        // What a page cache takes is flushed behind each trial, and measured whole.
        let never_settled = case.row.workload.is_sustained()
            && case.direct()
            && case.target().cached_loop().is_none()
            && last.window.is_none();
        Some(RuleResult::new(
            Code::StoppedEarly,
            match never_settled {
                true => text!(
                    "{trials} of {planned} trials were run, and the load had not settled when it was stopped: the figure is that of its first {elapsed}, not the sustained one"
                ),
                false => text!("{trials} of {planned} trials were run, the last one for {elapsed}"),
            },
            "the run was interrupted",
            "let it run to its end for the full number of trials",
        ))
    } else if ended > 0 {
        Some(RuleResult::new(
            Code::StoppedEarly,
            text!("{ended} of {trials} trials ended before their limit"),
            "the program that controls the run ended it",
            "nothing to do: what was measured until then counts",
        ))
    } else {
        None
    }
}

fn few_trials(case: &RowContext<'_>) -> Option<RuleResult> {
    let trials = case.row.trials.len();
    let by_choice = case.run.schedule.name != ScheduleName::Crystal && !case.run.interrupted;
    (by_choice && (1..INTERVAL_TRIALS_MIN).contains(&trials)).then(|| {
        RuleResult::new(
            Code::FewTrials,
            match trials {
                1 => Text::from("1 trial is too few for a 95 % interval"),
                _ => text!("{trials} trials are too few for a 95 % interval"),
            },
            text!(
                "an interval needs at least {least} trials",
                least = INTERVAL_TRIALS_MIN
            ),
            remedy::six_trials(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{
        buffered, check, each_outcome, histogram, mix, outcome, reads, reads_with, says, spoilt,
        writes_with,
    };
    use sokudo_model::Verdict::{Invalid, Unverified, Verified};
    use sokudo_model::{
        BackendsCompared, Bytes, CpuTime, Estimand, Nanos, OperationMix, Rate, Run, Think,
    };

    /// A row of this depth and number of threads in which one I/O was in flight.
    fn shallow(threads: u32, depth: u32, kind: BackendKind) -> Run {
        reads_with(|run| {
            run.rows[0].workload.threads = threads;
            run.rows[0].workload.depth = depth;
            each_outcome(run, |outcome| outcome.backend.kind = kind);
        })
    }

    /// Reads at a fixed rate that is this many times what was done.
    fn asked_for(times: f64) -> Run {
        reads_with(|run| {
            let rate = Rate::Iops((10_000.0 * times) as u64);
            run.rows[0].workload.pacing.rate = Some(rate);
        })
    }

    #[test]
    fn a_rate_that_the_target_cannot_keep_is_told() {
        check! {
            "as asked for": asked_for(1.0) => [], Verified;
            "1 % less": asked_for(1.009) => [], Verified;
            "5 % less": asked_for(1.05) => ["rate-not-reached"], Unverified;
        }
        says(
            asked_for(2.0),
            "rate-not-reached",
            &["50.0 % of the I/Os", "with 1 I/Os in flight"],
        );
        let mut idle = asked_for(2.0);
        idle.rows[0].workload.depth = 8;
        says(idle, "rate-not-reached", &["stalled"]);
    }

    #[test]
    fn threads_that_compute_all_the_time_limit_the_figure() {
        let busy = |percent: u64| {
            reads_with(|run| {
                each_outcome(run, |outcome| {
                    outcome.cpu = Some(CpuTime {
                        user: Nanos::from_millis(percent * 5),
                        system: Nanos::from_millis(percent * 5),
                        ..CpuTime::default()
                    });
                });
            })
        };
        let shown = spoilt(busy(98), |run| run.target.kind = TargetKind::Simulated);
        let paced = spoilt(busy(98), |run| {
            run.rows[0].workload.pacing.rate = Some(Rate::Iops(10_000));
        });
        check! {
            "98 %": busy(98) => ["tester-limited"], Unverified,
                "the row's thread used its CPU 98 % of the time";
            "85 %": busy(85) => [], Verified;
            "simulated": shown => [], Verified;
            "at a rate": paced => [], Verified;
        }
        // A missing depth says more.
        let short = spoilt(busy(98), |run| run.rows[0].workload.depth = 4);
        check! {
            "short": short => ["depth-not-reached"], Unverified;
        }
    }

    #[test]
    fn a_depth_that_was_not_reached_is_named_with_its_cause() {
        check! {
            "psync at depth 8":
                shallow(1, 8, BackendKind::Psync) => ["depth-not-reached"], Unverified,
                    "^only 1.0 of 8 I/Os were in flight on average", "psync issues one I/O at a time";
            "psync at depth 1": shallow(1, 1, BackendKind::Psync) => [], Verified;
            "clones count":
                shallow(2, 1, BackendKind::IoUring) => ["depth-not-reached"], Unverified;
        }
        let mut libaio = shallow(1, 8, BackendKind::Libaio);
        buffered(&mut libaio);
        says(libaio, "depth-not-reached", &["libaio waits"]);
        let mut busy = shallow(1, 8, BackendKind::IoUring);
        each_outcome(&mut busy, |outcome| {
            outcome.cpu = Some(CpuTime {
                user: Nanos::from_millis(500),
                system: Nanos::from_millis(450),
                ..CpuTime::default()
            });
        });
        says(busy, "depth-not-reached", &["was the limit"]);
    }

    #[test]
    fn ninety_five_percent_of_the_depth_are_enough() {
        let reached = |depth: f64| {
            let mut run = reads();
            run.rows[0].workload.depth = 10;
            each_outcome(&mut run, |outcome| {
                outcome.depth_achieved = depth;
                // Little's law holds with it.
                let latency = Nanos((depth * 1e5) as u64);
                outcome.operations[0].latency = histogram(10_000, latency);
            });
            run
        };
        check! {
            "96 %": reached(9.6) => [], Verified;
            "94 %": reached(9.4) => ["depth-not-reached"], Unverified;
        }
    }

    #[test]
    fn a_queue_that_drains_at_a_byte_limit_is_not_a_missing_depth() {
        // Four I/Os at depth 4: 4, 3, 2 and 1 in flight, 2.5 on average.
        let limited = |reached: f64, stopped| {
            let mut run = shallow(1, 4, BackendKind::IoUring);
            let block = run.rows[0].workload.blocks.largest();
            run.rows[0].workload.limits.bytes = Some(Bytes(4 * block.0));
            each_outcome(&mut run, |outcome| {
                outcome.stopped = stopped;
                outcome.depth_achieved = reached;
            });
            let (codes, _) = crate::sample::judged(run);
            codes.contains(&"depth-not-reached".to_owned())
        };
        assert!(!limited(2.5, StopReason::Bytes));
        assert!(limited(2.2, StopReason::Bytes));
        assert!(limited(2.5, StopReason::Time));
    }

    #[test]
    fn draining_a_slow_device_is_not_a_missing_depth() {
        let run = reads_with(|run| {
            let mix = OperationMix::only(sokudo_model::Operation::Read);
            run.rows[0].workload.depth = 32;
            for trial in &mut run.rows[0].trials {
                trial.outcome = outcome(Bytes::kib(4), &mix, 32);
                // One second at depth 32, then half a second from 32 down to 0.
                trial.outcome.elapsed = Nanos::from_millis(1_500);
                trial.outcome.depth_achieved = 40.0 / 1.5;
                trial.outcome.operations[0].latency = histogram(320_000, Nanos::from_micros(125));
                trial.evidence.device.as_mut().unwrap().read_bytes = 320_000 * 4096;
            }
        });
        check! {
            "slow": run => [], Verified;
        }
    }

    #[test]
    fn nobody_expects_full_depth_of_a_rate_a_pause_or_no_device() {
        let with = |change: fn(&mut Run)| {
            let mut run = shallow(1, 8, BackendKind::IoUring);
            change(&mut run);
            run
        };
        check! {
            "rate":
                with(|run| run.rows[0].workload.pacing.rate = Some(Rate::Iops(10_000))) => [], Verified;
            "think": with(|run| {
                run.rows[0].workload.pacing.think = Some(Think::new(Nanos(1), 1));
            }) => [], Verified;
            "null": with(|run| run.target.kind = TargetKind::Null) => ["no-device"], Invalid;
            "final flush": with(|run| {
                run.rows[0].workload.limits.time = None;
                run.rows[0].workload.durability.final_flush = true;
            }) => [], Verified;
        }
    }

    #[test]
    fn a_fallback_is_said_once_and_changes_no_verdict() {
        let run = reads_with(|run| {
            each_outcome(run, |outcome| {
                outcome.backend.kind = BackendKind::Libaio;
                outcome.backend.notes = vec!["io_uring is denied by the sandbox".into()];
            });
        });
        check! {
            "denied": run => ["engine-fallback"], Verified,
                "^I/O was issued by libaio | io_uring is denied by the sandbox |";
        }
    }

    #[test]
    fn a_backend_is_named_that_was_taken_because_it_is_faster() {
        let tried = |libaio: u64, used: BackendKind| {
            reads_with(|run| {
                run.rows[0].backends = Some(BackendsCompared {
                    io_uring: vec![100; 5],
                    libaio: vec![libaio; 5],
                    around: Vec::new(),
                });
                each_outcome(run, |outcome| outcome.backend.kind = used);
            })
        };
        check! {
            "faster": tried(130, BackendKind::Libaio) => ["engine-fallback"], Verified,
                "^I/O was issued by libaio | it read 1.30 times as fast as io_uring (median of 5 pairs of short trials; least 1.30, greatest 1.30) |";
            "slower": tried(80, BackendKind::IoUring) => ["engine-fallback"], Verified,
                "it read 1.25 times as fast as libaio";
            "alike": tried(102, BackendKind::Libaio) => [], Verified;
            "asked for": tried(130, BackendKind::IoUring) => [], Verified;
        }
    }

    #[test]
    fn processors_that_the_kernel_used_beside_the_row_are_told() {
        let with = |workers: u64| {
            reads_with(|run| {
                each_outcome(run, |outcome| {
                    let cpu = outcome.cpu.as_mut().unwrap();
                    cpu.kernel_workers = Nanos(cpu.system.0 * workers / 100);
                });
            })
        };
        check! {
            "none": with(0) => [], Verified;
            "few": with(7) => [], Verified;
            "as many": with(100) => ["kernel-workers"], Verified;
        }
    }

    #[test]
    fn trials_that_ended_early_are_named() {
        let last = |stopped: StopReason| {
            spoilt(mix(), |run| run.rows[0].trials[5].outcome.stopped = stopped)
        };
        let cut = reads_with(|run| {
            run.interrupted = true;
            run.rows[0].trials.truncate(2);
        });
        let never_settled = spoilt(cut.clone(), |run| {
            run.rows[0].workload.measures.estimand = Estimand::Sustained;
            run.rows[0].trials.truncate(1);
        });
        check! {
            "byte limit": last(StopReason::Bytes) => [], Verified;
            "ended": last(StopReason::Ended) => ["stopped-early"], Verified;
            "cancelled": last(StopReason::Cancelled) => ["stopped-early"], Verified;
            "cut": cut.clone() => ["stopped-early"], Verified,
                "^2 of 6 trials were run, the last one for 1.00 s";
            "while it settled": never_settled => ["stopped-early"], Verified,
                "^1 of 6 trials were run, and the load had not settled when it was stopped: the figure is that of its first 1.00 s";
            "interrupted after this row": writes_with(|run| run.interrupted = true) => [], Verified;
        }
    }

    #[test]
    fn fewer_than_six_trials_give_no_interval() {
        let with = |schedule: &ScheduleName, trials: usize| {
            reads_with(|run| {
                run.schedule.name = schedule.clone();
                run.schedule.trials = trials as u32;
                run.rows[0].trials.truncate(trials);
            })
        };
        check! {
            "one": with(&ScheduleName::Interleaved, 1) => ["few-trials"], Verified;
            "five": with(&ScheduleName::Interleaved, 5) => ["few-trials"], Verified;
            "six": with(&ScheduleName::Interleaved, 6) => [], Verified;
            "five of crystal": with(&ScheduleName::Crystal, 5) => [], Verified;
        }
        use sokudo_stats::median_interval;
        let values = [1.0; INTERVAL_TRIALS_MIN];
        let confidence = crate::threshold::CONFIDENCE;
        assert!(median_interval(&values, confidence).is_some());
        assert!(median_interval(&values[1..], confidence).is_none());
    }
}
