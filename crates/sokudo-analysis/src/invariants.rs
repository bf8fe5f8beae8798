//! What must hold in every trial, whatever the device: figures that contradict
//! each other are an error of the tester, and no verdict may hide it.

use sokudo_model::{Bytes, FailureKind, Nanos, Operation, OperationTally, Outcome, StopReason};
use sokudo_words::{Text, text};

use crate::case::RowContext;
use crate::code::{Code, RuleResult};
use crate::rule::RowRule;
use crate::threshold::INVARIANT_TOLERANCE;

pub(crate) const RULES: &[RowRule] = &[little, bytes, latency, counts, samples];

/// Little's law: in any interval the latencies of all I/Os add up to the
/// interval's length times the mean number in flight. The engine counts that
/// number apart from the latencies, and it cannot be above the depth asked for.
fn little(case: &RowContext<'_>) -> Option<RuleResult> {
    let workload = &case.row.workload;
    let depth_max = f64::from(workload.threads) * f64::from(workload.depth);
    breach(case, Code::BreachLittle, |outcome| {
        let elapsed_ns = nanos(outcome.elapsed);
        let latencies_ns = latency_sum_ns(outcome) + carried_ns(outcome);
        let area_ns = elapsed_ns * outcome.depth_achieved;
        if differs(outcome, latencies_ns, area_ns) {
            return Some(text!(
                "all latencies add up to {latencies}, but {elapsed} with {depth:.2} I/Os in flight give {expected}",
                latencies = seconds(latencies_ns),
                elapsed = outcome.elapsed,
                depth = outcome.depth_achieved,
                expected = seconds(area_ns),
            ));
        }
        let depth = latencies_ns / elapsed_ns;
        // What is never answered is waited for behind the last completion.
        let is_deeper = depth > depth_max * (1.0 + INVARIANT_TOLERANCE);
        (is_deeper && !some_have_no_latency(outcome)).then(|| {
            text!(
                "all latencies add up to {latencies}, which is {depth:.2} I/Os in flight during \
                 {elapsed}, but at most {depth_max} were allowed",
                latencies = seconds(latencies_ns),
                elapsed = outcome.elapsed,
            )
        })
    })
}

/// Bytes = I/Os × block size. Rates divide both by the same time, so that
/// IOPS × block size = bandwidth holds with it.
fn bytes(case: &RowContext<'_>) -> Option<RuleResult> {
    let blocks = &case.row.workload.blocks;
    let (smallest, largest) = (blocks.smallest().0, blocks.largest().0);
    breach(case, Code::BreachBytes, |outcome| {
        // An I/O that failed or was cut short moved less; never more.
        let is_whole = outcome.failures.is_empty();
        let smallest = if is_whole { smallest } else { 0 };
        // The last block of a survey's place is what is left there.
        let whole = |ios: u64| ios.saturating_sub(outcome.samples.len() as u64);
        let all = |ios: u64, block: u64| u128::from(ios) * u128::from(block);
        moving(outcome).find_map(|tally| {
            let possible = all(whole(tally.ios), smallest)..=all(tally.ios, largest);
            (!possible.contains(&tally.bytes.0.into())).then(|| {
                text!(
                    "{ios} {operation}s of {block} moved {bytes} bytes",
                    ios = tally.ios,
                    operation = Text::from(tally.operation.name()),
                    block = block_words(case),
                    bytes = tally.bytes.0
                )
            })
        })
    })
}

/// No latency is longer than the measured time, which lasts to the last
/// completion, with what came before and after it, and none is zero on a real device; the mean lies between minimum
/// and maximum.
fn latency(case: &RowContext<'_>) -> Option<RuleResult> {
    breach(case, Code::BreachLatency, |outcome| {
        outcome
            .operations
            .iter()
            .find_map(|tally| impossible_latency(case, outcome, tally))
    })
}

fn impossible_latency(
    case: &RowContext<'_>,
    outcome: &Outcome,
    tally: &OperationTally,
) -> Option<Text> {
    let (min, max) = (tally.latency.min()?, tally.latency.max()?);
    let mean = tally.latency.mean()?;
    let operation = Text::from(tally.operation.name());
    // Half a nanosecond: the mean of equal whole numbers may round across them.
    let between = (min as f64 - 0.5..=max as f64 + 0.5).contains(&mean);
    let window = outcome.window.unwrap_or_default();
    let longest = nanos(outcome.elapsed) + nanos(window.settled) + nanos(window.drained);
    let is_longer = max as f64 > longest * (1.0 + INVARIANT_TOLERANCE);
    if is_longer && !some_have_no_latency(outcome) {
        Some(text!(
            "the longest {operation} took {longest}, the whole trial {elapsed}",
            longest = Nanos(max),
            elapsed = outcome.elapsed
        ))
    } else if min == 0 && case.real() {
        Some(text!("the shortest {operation} took no time at all"))
    } else if !between {
        Some(text!(
            "the mean {operation} took {mean:.0} ns, outside {min} … {max} ns"
        ))
    } else {
        None
    }
}

/// Every I/O is in the histogram once, and nothing else is.
fn counts(case: &RowContext<'_>) -> Option<RuleResult> {
    breach(case, Code::BreachCounts, |outcome| {
        outcome.operations.iter().find_map(|tally| {
            let in_buckets: u64 = tally.latency.buckets().map(|bucket| bucket.count).sum();
            let intended = tally.latency_from_intended.as_ref();
            let ios = tally.ios + tally.late_ios;
            let equal = ios == tally.latency.count()
                && ios == in_buckets
                && intended.is_none_or(|latency| ios == latency.count());
            (!equal).then(|| {
                text!(
                    "{ios} {operation}s were counted, but {latencies} latencies",
                    operation = Text::from(tally.operation.name()),
                    latencies = in_buckets
                )
            })
        })
    })
}

/// The samples of a survey are all of it: their bytes and times add up to those of the
/// trial. And none is faster than its I/Os can be, with as many in flight as were asked
/// for, each as short as the shortest.
fn samples(case: &RowContext<'_>) -> Option<RuleResult> {
    case.row.workload.survey()?;
    breach(case, Code::BreachSamples, |outcome| {
        lost_bytes(outcome)
            .or_else(|| lost_time(case, outcome))
            .or_else(|| too_fast(case, outcome))
    })
}

fn lost_bytes(outcome: &Outcome) -> Option<Text> {
    let samples: u64 = outcome.samples.iter().map(|sample| sample.bytes.0).sum();
    let trial: u64 = moving(outcome).map(|tally| tally.bytes.0).sum();
    (samples != trial).then(|| text!("the samples moved {samples} bytes, the whole trial {trial}"))
}

/// Where a sample is a single I/O, what passes between two is nobody's, and nothing is in
/// flight then. A sample at which all failed before the end came is not kept. Processes that survey
/// side by side take the time of the trial each, or less.
fn lost_time(case: &RowContext<'_>, outcome: &Outcome) -> Option<Text> {
    let samples_ns: f64 = outcome
        .samples
        .iter()
        .map(|sample| nanos(sample.elapsed))
        .sum();
    let trial_ns = nanos(outcome.elapsed);
    let worked_ns = trial_ns * outcome.depth_achieved.min(1.0);
    let longest_ns = trial_ns * f64::from(case.row.workload.threads);
    let too_long = samples_ns > longest_ns * (1.0 + INVARIANT_TOLERANCE);
    let too_short = samples_ns < worked_ns * (1.0 - INVARIANT_TOLERANCE);
    (too_long || (too_short && !some_have_no_latency(outcome))).then(|| {
        text!(
            "the times of the samples add up to {samples}, but the trial took {elapsed}",
            samples = seconds(samples_ns),
            elapsed = outcome.elapsed
        )
    })
}

fn too_fast(case: &RowContext<'_>, outcome: &Outcome) -> Option<Text> {
    let workload = &case.row.workload;
    let in_flight = workload.blocks.largest().0 as f64 * f64::from(workload.depth);
    let shortest = moving(outcome)
        .filter_map(|tally| tally.latency.min())
        .min()?;
    // Times are whole nanoseconds, so that the end of one may be one too soon.
    let needs_ns = |bytes: Bytes| bytes.0 as f64 / in_flight * shortest as f64 - 1.0;
    let found = outcome.samples.iter().find(|sample| {
        nanos(sample.elapsed) * (1.0 + INVARIANT_TOLERANCE) < needs_ns(sample.bytes)
    });
    found
        .filter(|_| !some_have_no_latency(outcome))
        .map(|sample| {
            text!(
                "the sample at byte {offset} moved {bytes} in {elapsed}, but with {depth} I/Os of \
             {block} in flight, none shorter than {shortest}, it takes {needed}",
                offset = sample.offset.0,
                bytes = sample.bytes,
                elapsed = sample.elapsed,
                depth = workload.depth,
                block = block_words(case),
                shortest = Nanos(shortest),
                needed = seconds(needs_ns(sample.bytes)),
            )
        })
}

/// Looks for a contradiction in every trial that did any I/O.
fn breach(
    case: &RowContext<'_>,
    code: Code,
    find: impl Fn(&Outcome) -> Option<Text>,
) -> Option<RuleResult> {
    let outcomes = case
        .outcomes()
        .filter(|outcome| outcome.operations.iter().any(|tally| tally.ios > 0));
    let found: Vec<Text> = outcomes.filter_map(find).collect();
    let contradiction = found.first()?;
    Some(RuleResult::new(
        code,
        text!(
            "{contradiction} (in {contradicting} of {trials} trials)",
            contradicting = found.len(),
            trials = case.row.trials.len()
        ),
        "a bug in sokudo or an error of this machine's clock: the figures contradict each other",
        "do not use the figures of this row, and report it with the run as JSON",
    ))
}

/// The tallies of operations that move the bytes of their blocks.
fn moving(outcome: &Outcome) -> impl Iterator<Item = &OperationTally> {
    outcome
        .operations
        .iter()
        .filter(|tally| tally.operation != Operation::Flush && !tally.operation.is_on_files())
}

fn block_words(case: &RowContext<'_>) -> Text {
    let blocks = &case.row.workload.blocks;
    match blocks.single() {
        Some(block) => text!("{block}"),
        None => text!(
            "{smallest} to {largest}",
            smallest = blocks.smallest(),
            largest = blocks.largest()
        ),
    }
}

fn latency_sum_ns(outcome: &Outcome) -> f64 {
    let sums = outcome.operations.iter().map(|tally| tally.latency.sum());
    sums.sum::<u128>() as f64
}

/// What the I/Os that crossed the edges of a window spent inside it and is not in the latencies,
/// less what is in them and was spent outside.
fn carried_ns(outcome: &Outcome) -> f64 {
    let window = outcome.window.unwrap_or_default();
    nanos(window.carried_out) - nanos(window.carried_in) - nanos(window.late)
}

/// Whether the latencies' sum is not the area under the depth. An I/O that failed
/// or was given up was in flight but has no latency, so that then the sum may be
/// smaller; never larger.
fn differs(outcome: &Outcome, latencies_ns: f64, area_ns: f64) -> bool {
    let slack_ns = area_ns * INVARIANT_TOLERANCE;
    let too_large = latencies_ns - area_ns > slack_ns;
    let too_small = area_ns - latencies_ns > slack_ns;
    too_large || (too_small && !some_have_no_latency(outcome))
}

/// Whether I/Os failed or were given up.
fn some_have_no_latency(outcome: &Outcome) -> bool {
    let mut failures = outcome.failures.iter();
    outcome.stopped == StopReason::Cancelled
        || failures.any(|failure| !matches!(failure.kind, FailureKind::Short { .. }))
}

fn seconds(nanos: f64) -> String {
    format!("{:.4} s", nanos / 1e9)
}

fn nanos(time: Nanos) -> f64 {
    time.0 as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, each_outcome, histogram, reads, reads_with, says};
    use sokudo_model::Verdict::{Invalid, Unverified, Verified};
    use sokudo_model::{BlockShare, BlockSizes, IoFailure, Rate, TargetKind};

    #[test]
    fn little_holds_within_two_percent_and_breaks_beyond() {
        let depth = |depth: f64| {
            reads_with(|run| each_outcome(run, |outcome| outcome.depth_achieved = depth))
        };
        check! {
            "1.9 % above": depth(1.0 / 1.019) => [], Verified;
            "1.9 % below": depth(1.0 / 0.981) => [], Verified;
            "2.1 % above": depth(1.0 / 1.021) => ["breach-little"], Unverified;
            "2.1 % below": depth(1.0 / 0.979) => ["breach-little"], Unverified;
            "no depth at all": depth(0.0) => ["breach-little", "depth-not-reached"], Unverified;
        }
    }

    #[test]
    fn a_latency_that_counts_from_boot_is_caught_by_the_depth_asked_for() {
        // What diskspd for Linux once printed: consistent with itself, impossible
        // at that depth.
        let run = reads_with(|run| {
            each_outcome(run, |outcome| {
                outcome.operations[0].latency = histogram(10_000, Nanos::from_millis(500));
                outcome.depth_achieved = 5_000.0;
            });
        });
        says(run, "breach-little", &["at most 1 were allowed"]);
    }

    #[test]
    fn little_holds_at_a_fixed_rate_with_the_counted_depth() {
        let run = reads_with(|run| {
            run.rows[0].workload.pacing.rate = Some(Rate::Iops(2_500));
            each_outcome(run, |outcome| {
                outcome.operations[0].ios = 2_500;
                outcome.operations[0].bytes = Bytes(2_500 * 4096);
                outcome.operations[0].latency = histogram(2_500, Nanos::from_micros(100));
                outcome.depth_achieved = 0.25;
            });
            for trial in &mut run.rows[0].trials {
                trial.evidence.device.as_mut().unwrap().read_bytes = 2_500 * 4096;
            }
        });
        check! {
            "a quarter of the time": run => [], Verified;
        }
    }

    #[test]
    fn an_io_without_a_latency_explains_a_missing_latency_and_no_surplus() {
        let last = |depth: f64, change: fn(&mut Outcome)| {
            reads_with(|run| {
                let outcome = &mut run.rows[0].trials[5].outcome;
                outcome.depth_achieved = depth;
                change(outcome);
            })
        };
        let fail = |outcome: &mut Outcome| {
            outcome.failures.push(IoFailure {
                operation: Operation::Read,
                kind: FailureKind::Errno(5),
                offset: Bytes(0),
                count: 1,
            });
        };
        let cancel = |outcome: &mut Outcome| outcome.stopped = StopReason::Cancelled;
        let both = &["io-errors", "breach-little"];
        check! {
            "failed late": last(1.5, fail) => ["io-errors"], Unverified;
            "failed, too much": last(0.9, fail) => both, Unverified;
            "given up": last(1.5, cancel) => ["stopped-early"], Verified;
        }
    }

    #[test]
    fn one_byte_too_many_is_a_breach() {
        let bytes = |delta: i64| {
            reads_with(|run| {
                let tally = &mut run.rows[0].trials[2].outcome.operations[0];
                tally.bytes = Bytes(tally.bytes.0.checked_add_signed(delta).unwrap());
            })
        };
        check! {
            "one more": bytes(1) => ["breach-bytes"], Unverified, "in 1 of 6 trials";
            "one less": bytes(-1) => ["breach-bytes"], Unverified;
        }
    }

    #[test]
    fn fewer_bytes_are_explained_by_a_short_read_and_more_are_not() {
        let short = |delta: i64| {
            reads_with(|run| {
                let outcome = &mut run.rows[0].trials[0].outcome;
                let bytes = &mut outcome.operations[0].bytes;
                *bytes = Bytes(bytes.0.checked_add_signed(delta).unwrap());
                outcome.failures.push(IoFailure {
                    operation: Operation::Read,
                    kind: FailureKind::Short {
                        requested: 4096,
                        moved: 512,
                    },
                    offset: Bytes(0),
                    count: 1,
                });
            })
        };
        check! {
            "short": short(-3584) => ["io-errors"], Unverified;
            "long": short(1) => ["io-errors", "breach-bytes"], Unverified;
        }
    }

    #[test]
    fn a_mix_of_blocks_bounds_the_bytes() {
        let sizes = |small: Bytes, large: Bytes| {
            reads_with(|run| {
                run.rows[0].workload.blocks = BlockSizes::mix(vec![
                    BlockShare {
                        bytes: small,
                        weight: 1,
                    },
                    BlockShare {
                        bytes: large,
                        weight: 1,
                    },
                ])
                .unwrap();
            })
        };
        check! {
            "within": sizes(Bytes(512), Bytes(8192)) => [], Verified;
            "below": sizes(Bytes(8192), Bytes(16384)) => ["breach-bytes"], Unverified;
        }
    }

    #[test]
    fn impossible_latencies_are_named() {
        let one = |latency: Nanos, kind: TargetKind| {
            reads_with(|run| {
                run.target.kind = kind;
                for trial in &mut run.rows[0].trials {
                    let mut latencies = histogram(9_999, Nanos::from_micros(100));
                    latencies.record(latency.0);
                    let sum = latencies.sum() as f64;
                    trial.outcome.operations[0].latency = latencies;
                    trial.outcome.depth_achieved = sum / 1e9;
                }
            })
        };
        let file = TargetKind::File;
        check! {
            "zero": one(Nanos(0), file) => ["breach-latency"], Unverified;
            "one nanosecond": one(Nanos(1), file) => [], Verified;
            "zero, simulated": one(Nanos(0), TargetKind::Simulated) => [], Verified;
            "zero, null": one(Nanos(0), TargetKind::Null) => ["no-device"], Invalid;
        }
        let long = one(Nanos::from_millis(1_500), file);
        says(long, "breach-latency", &["the longest read took 1.50 s"]);
    }

    #[test]
    fn an_io_that_is_in_no_bucket_is_a_breach() {
        let run = reads_with(|run| {
            let tally = &mut run.rows[0].trials[5].outcome.operations[0];
            tally.latency = histogram(9_999, Nanos::from_micros(100));
        });
        check! {
            "lost": run => ["breach-counts"], Unverified;
        }
        let run = reads_with(|run| {
            let tally = &mut run.rows[0].trials[5].outcome.operations[0];
            tally.latency_from_intended = Some(histogram(1, Nanos::from_micros(100)));
        });
        check! {
            "lost": run => ["breach-counts"], Unverified;
        }
    }

    #[test]
    fn a_trial_without_io_breaks_no_law() {
        let mut run = reads();
        let outcome = &mut run.rows[0].trials[5].outcome;
        outcome.operations.clear();
        outcome.elapsed = Nanos(0);
        outcome.depth_achieved = 0.0;
        run.rows[0].trials[5].evidence.device = None;
        check! {
            "empty": run => [], Verified;
        }
    }
}
