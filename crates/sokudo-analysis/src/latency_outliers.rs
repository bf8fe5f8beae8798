//! Are the latencies those of the device at work, or of a few moments in which it stood
//! still.

use sokudo_model::{Durability, Nanos, Operation, Outcome, TargetKind};
use sokudo_stats::{Histogram, Summary};
use sokudo_words::{Text, text};

use crate::case::RowContext;
use crate::code::{Code, RuleResult};
use crate::conditions::throttled_by_cgroup;
use crate::drift::{RateInterval, intervals};
use crate::remedy;
use crate::rule::RowRule;
use crate::threshold::{STALL_FACTOR_MIN, STALL_SHARE_MIN};

pub(crate) const RULES: &[RowRule] = &[stalls];

/// An interval that moves less than this part of the median interval stood still.
const STOOD_STILL_SHARE_MAX: f64 = 0.2;

/// Intervals that are named at most.
const INTERVALS_NAMED_MAX: usize = 3;

/// A few I/Os took far longer than nearly all others, and so long together that they shape the
/// mean; or nothing was completed for a part of the time.
fn stalls(case: &RowContext<'_>) -> Option<RuleResult> {
    // A limit of a control group lets I/Os through in bursts, and is told.
    if case.target().kind == TargetKind::Null || throttled_by_cgroup(case).is_some() {
        return None;
    }
    let symptoms = [slow_ios(case), still_time(case), times(&intervals(case))];
    let [None, None, _] = &symptoms else {
        return Some(RuleResult::new(
            Code::Stalls,
            Text::list(symptoms.into_iter().flatten(), "; "),
            "the device stalled: internal cleaning, a retry, a wake-up or a link reset; or the system wrote a journal or had no CPU time",
            remedy::percentiles_and_log(),
        ));
    };
    None
}

/// The I/Os that took far longer, in words.
fn slow_ios(case: &RowContext<'_>) -> Option<Text> {
    let latencies = [Operation::Read, Operation::Write]
        .into_iter()
        .filter_map(|operation| Some((operation, case.latency(operation)?)));
    let latencies: Vec<(Operation, Histogram)> = latencies.collect();
    // A device that stands still does so in both directions: a write that waits as long as reads
    // do, behind others that a cache took, does not.
    let p99s = latencies
        .iter()
        .filter_map(|(operation, it)| Some((it.trusted_quantile(0.99)?, *operation)));
    let (p99, slowest) = p99s.max_by_key(|(p99, _)| *p99)?;
    let (operation, stalled) = latencies
        .iter()
        .filter_map(|(operation, latency)| Some((*operation, Stalled::of(latency, p99)?)))
        .max_by(|left, right| left.1.share.total_cmp(&right.1.share))?;
    let (stalled_ios, ios) = (stalled.count, stalled.all);
    let of = |operation: Operation| Text::from(operation.name());
    let (limit, percent) = (Nanos(stalled.limit), stalled.share * 100.0);
    let (mean, mean_without) = (Nanos(stalled.mean), Nanos(stalled.mean_without));
    Some(match operation == slowest {
        true => text!(
            "{stalled} of {ios} {operation}s took longer than {limit} ({factor} times their p99) \
             and hold {percent:.0} % of all latency; the mean is {mean}, without them \
             {mean_without}",
            stalled = stalled_ios,
            operation = of(operation),
            factor = STALL_FACTOR_MIN
        ),
        false => text!(
            "{stalled} of {ios} {operation}s took longer than {limit} ({factor} times the p99 of \
             {slowest}s) and hold {percent:.0} % of all latency; the mean is {mean}, without them \
             {mean_without}",
            stalled = stalled_ios,
            operation = of(operation),
            factor = STALL_FACTOR_MIN,
            slowest = of(slowest)
        ),
    })
}

/// Latencies of what did not wait through a stall are trusted from so many on.
const OTHERS_MIN: u64 = 299;

/// The part of the time in which a full queue completed nothing, in words. Without many I/Os
/// the latencies do not show it: of those of a deep queue that stood still once, all may be long.
fn still_time(case: &RowContext<'_>) -> Option<Text> {
    let workload = &case.row.workload;
    let is_closed = workload.pacing.rate.is_none() && workload.pacing.think.is_none();
    let is_plain = workload.work.is_of_blocks() && workload.write_check().is_none();
    // While a flush is waited for, nothing else may be in flight.
    let flushes = workload.durability != Durability::default() || case.asks(Operation::Flush);
    if !is_closed || !is_plain || flushes {
        return None;
    }
    let gaps: Vec<u64> = case.outcomes().flat_map(gaps).collect();
    let longest = *gaps.iter().max()?;
    let elapsed: u64 = case.outcomes().map(|it| it.elapsed.0).sum();
    let usual = others_p99(case, longest)?.max(queue_time(case, elapsed, &gaps)?);
    let limit = usual.checked_mul(STALL_FACTOR_MIN)?;
    let still = gaps.into_iter().filter(|gap| *gap > limit);
    let still = Nanos(still.fold(0, u64::saturating_add));
    let share = still.0 as f64 / elapsed.max(1) as f64;
    (share > STALL_SHARE_MIN).then(|| {
        text!(
            "nothing completed for {still} of {elapsed}, {percent:.0} % of the time, though I/Os \
             were in flight",
            elapsed = Nanos(elapsed),
            percent = share * 100.0
        )
    })
}

/// What the I/Os in flight take while some complete: depth × time ÷ I/Os (J. D. C. Little, 1961).
/// A cache that takes writes at once and then works them off has gaps as long.
fn queue_time(case: &RowContext<'_>, elapsed: u64, gaps: &[u64]) -> Option<u64> {
    let workload = &case.row.workload;
    let in_flight = u64::from(workload.depth) * u64::from(workload.threads);
    let at_work = elapsed.saturating_sub(gaps.iter().sum());
    let ios: u64 = case.outcomes().map(Outcome::ios).sum();
    in_flight.checked_mul(at_work)?.checked_div(ios)
}

/// The p99 of the I/Os that took less than a gap.
fn others_p99(case: &RowContext<'_>, gap: u64) -> Option<u64> {
    let latencies = [Operation::Read, Operation::Write]
        .into_iter()
        .filter_map(|operation| case.latency(operation));
    let all = latencies.reduce(|mut all, one| {
        all.merge(&one);
        all
    })?;
    let others = all.buckets().filter(|bucket| bucket.high < gap);
    let others: u64 = others.map(|bucket| bucket.count).sum();
    (others >= OTHERS_MIN).then_some(())?;
    all.quantile(0.99 * others as f64 / all.count() as f64)
}

/// How long a trial completed nothing, each time that at least a whole interval of its series
/// shows it.
fn gaps(outcome: &Outcome) -> Vec<u64> {
    let (mut gaps, mut filled_at, mut begins) = (Vec::new(), 0, 0);
    for point in &outcome.series {
        if point.ios > 0 {
            // What completed did so somewhere in its interval.
            if begins > filled_at {
                gaps.push(begins - filled_at);
            }
            filled_at = point.at.0;
        }
        begins = point.at.0;
    }
    gaps
}

/// I/Os that took far longer than the others.
struct Stalled {
    count: u64,
    all: u64,
    /// Latency above which they lie.
    limit: u64,
    /// What they hold of the sum of latencies.
    share: f64,
    mean: u64,
    mean_without: u64,
}

impl Stalled {
    /// Those that are far beyond the p99 of the row's slowest operation; `None` where there are
    /// none, or they do not matter.
    #[expect(clippy::cast_possible_truncation, reason = "estimates from buckets")]
    fn of(latency: &Histogram, p99: u64) -> Option<Self> {
        latency.trusted_quantile(0.99)?;
        let limit = p99.checked_mul(STALL_FACTOR_MIN)?;
        let (mut count, mut sum) = (0u64, 0.0);
        for bucket in latency.buckets().filter(|bucket| bucket.low > limit) {
            count += bucket.count;
            let middle = bucket.low as f64 / 2.0 + bucket.high as f64 / 2.0;
            sum += middle.min(latency.max()? as f64) * bucket.count as f64;
        }
        let total = latency.sum() as f64;
        let share = sum / total;
        let all = latency.count();
        (count > 0 && share > STALL_SHARE_MIN).then(|| Self {
            count,
            all,
            limit,
            share,
            mean: latency.mean().unwrap_or_default() as u64,
            mean_without: ((total - sum).max(0.0) / (all - count).max(1) as f64) as u64,
        })
    }
}

/// When next to nothing was moved.
fn times(intervals: &[RateInterval]) -> Option<Text> {
    let rates: Vec<f64> = intervals.iter().map(|interval| interval.rate).collect();
    let rates = Summary::of(&rates)?;
    let is_still = |it: &&RateInterval| it.rate < rates.median * STOOD_STILL_SHARE_MAX;
    let mut moments: Vec<(Nanos, Vec<usize>)> = Vec::new();
    let mut still = 0;
    for RateInterval {
        begins_at, trial, ..
    } in intervals.iter().filter(is_still)
    {
        still += 1;
        let is_room = moments.len() < INTERVALS_NAMED_MAX;
        // One moment, as far as three digits tell.
        let is_it = |(at, _): &&mut (Nanos, _)| at.to_string() == begins_at.to_string();
        match moments.iter_mut().find(is_it) {
            Some((_, trials)) => trials.push(trial + 1),
            None if is_room => moments.push((*begins_at, vec![trial + 1])),
            None => {}
        }
    }
    let named = Text::list(moments.into_iter().map(moment), ", ");
    match still {
        0 => None,
        1 => Some(text!("1 interval without a completed I/O: {named}")),
        2..=INTERVALS_NAMED_MAX => {
            Some(text!("{still} intervals without a completed I/O: {named}"))
        }
        _ => Some(text!(
            "{still} intervals without a completed I/O, the first {named}"
        )),
    }
}

/// A moment in which trials stood still.
fn moment((at, mut trials): (Nanos, Vec<usize>)) -> Text {
    let at = match at {
        Nanos(0) => text!("at the beginning"),
        at => text!("at {at}"),
    };
    trials.dedup();
    let named = trials
        .iter()
        .take(INTERVALS_NAMED_MAX)
        .map(usize::to_string);
    let more = (trials.len() > INTERVALS_NAMED_MAX).then(|| "…".to_owned());
    let named = named.chain(more).collect::<Vec<_>>().join(", ");
    match trials.len() {
        1 => text!("{at} of trial {named}"),
        _ => text!("{at} of trials {named}"),
    }
}

#[cfg(test)]
mod tests {
    use crate::drift::RateInterval;
    use crate::sample::{check, each_outcome, histogram, mix, reads_with, says, spoilt, text_of};
    use sokudo_model::Verdict::Verified;
    use sokudo_model::{Bytes, Nanos, Run, SeriesPoint};

    /// Reads of 100 µs, of which so many in each trial take so long.
    fn stalling(count: u64, length: Nanos) -> Run {
        reads_with(|run| {
            each_outcome(run, |outcome| {
                let latency = &mut outcome.operations[0].latency;
                *latency = histogram(10_000 - count, Nanos::from_micros(100));
                latency.merge(&histogram(count, length));
                outcome.elapsed = Nanos(u64::try_from(latency.sum()).unwrap());
            });
            run.rows[0].workload.limits.time = None;
        })
    }

    #[test]
    fn a_few_long_ios_that_shape_the_mean_are_told() {
        check! {
            "two of 400 ms": stalling(2, Nanos::from_millis(400)) => ["stalls"], Verified;
            "one of 10 ms": stalling(1, Nanos::from_millis(10)) => [], Verified;
            // A tail that belongs to the device.
            "1 % of 1 ms": stalling(99, Nanos::from_millis(1)) => [], Verified;
            "none": stalling(0, Nanos(0)) => [], Verified;
        }
        let text = text_of(stalling(2, Nanos::from_millis(400)), "stalls");
        for words in [
            "12 of 60000 reads",
            "20 times their p99",
            "hold 44 %",
            "without them 100 µs",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }

    #[test]
    fn a_write_that_waits_as_long_as_reads_do_is_no_stall() {
        let mixed = |length: Nanos| {
            spoilt(mix(), |run| {
                each_outcome(run, |outcome| {
                    // A disk reads in 10 ms, and its cache takes writes in 20 µs.
                    outcome.operations[0].latency = histogram(700, Nanos::from_millis(10));
                    outcome.operations[1].latency = histogram(299, Nanos::from_micros(20));
                    outcome.operations[1].latency.merge(&histogram(1, length));
                    for tally in &mut outcome.operations {
                        tally.ios = tally.latency.count();
                        tally.bytes = Bytes(tally.ios * 4096);
                    }
                    let sums = outcome.operations.iter().map(|it| it.latency.sum());
                    outcome.elapsed = Nanos(u64::try_from(sums.sum::<u128>()).unwrap());
                });
                for trial in &mut run.rows[0].trials {
                    let device = trial.evidence.device.as_mut().unwrap();
                    (device.read_ios, device.read_bytes) = (700, 700 * 4096);
                    (device.written_ios, device.written_bytes) = (300, 300 * 4096);
                }
                run.rows[0].workload.limits.time = None;
            })
        };
        check! {
            "behind a read": mixed(Nanos::from_millis(12)) => [], Verified;
            "behind nothing": mixed(Nanos::from_millis(400)) => ["stalls"], Verified;
        }
    }

    /// One of six trials of a deep queue that stands still for so long after a second, with as few
    /// I/Os that all of those that waited are more than one in a hundred.
    fn standing_still(length: Nanos) -> Run {
        const DEPTH: u32 = 32;
        reads_with(|run| {
            let row = &mut run.rows[0];
            (row.workload.depth, row.workload.limits.time) = (DEPTH, None);
            for trial in &mut row.trials {
                let outcome = &mut trial.outcome;
                let tally = &mut outcome.operations[0];
                tally.latency = histogram(100, Nanos::from_millis(320));
                (tally.ios, tally.bytes) = (100, Bytes(100 * 4096));
                outcome.elapsed = Nanos::from_secs(1);
                outcome.depth_achieved = f64::from(DEPTH);
                let device = trial.evidence.device.as_mut().unwrap();
                (device.read_ios, device.read_bytes) = (100, 100 * 4096);
                let point = |number: u64| SeriesPoint {
                    at: Nanos::from_millis(number * 10),
                    bytes: Bytes(4096),
                    ios: 1,
                };
                outcome.series = (1..=100).map(point).collect();
            }
            let outcome = &mut row.trials[2].outcome;
            let tally = &mut outcome.operations[0];
            tally.latency = histogram(68, Nanos::from_millis(320));
            let waited = Nanos(length.0 + Nanos::from_millis(320).0);
            tally.latency.merge(&histogram(32, waited));
            outcome.elapsed.0 += length.0;
            let still = outcome.series.len() as u64..length.0 / Nanos::from_millis(10).0 + 99;
            let nothing = |number: u64| SeriesPoint {
                at: Nanos::from_millis((number + 1) * 10),
                ..SeriesPoint::default()
            };
            let last = outcome.series.pop();
            outcome.series.extend(still.map(nothing));
            let ends = SeriesPoint {
                at: outcome.elapsed,
                ..last.unwrap()
            };
            outcome.series.push(ends);
        })
    }

    #[test]
    fn time_in_which_nothing_completes_is_a_stall_even_where_all_that_was_in_flight_waited() {
        let run = standing_still(Nanos::from_secs(20));
        says(
            run,
            "stalls",
            &[
                "nothing completed for 20.0 s of 26.0 s, 77 % of the time, though I/Os were in flight",
            ],
        );
        let codes = |length| crate::sample::judged(standing_still(length)).0;
        assert!(!codes(Nanos::from_secs(5)).contains(&"stalls".to_owned()));
    }

    #[test]
    fn when_it_stood_still_is_told() {
        let mut run = stalling(2, Nanos::from_millis(400));
        for trial in &mut run.rows[0].trials {
            let point = |interval: u64| SeriesPoint {
                at: Nanos::from_millis(100 * (interval + 1)),
                bytes: Bytes(if interval == 4 { 0 } else { 4_000_000 }),
                ios: 1_000,
            };
            trial.outcome.series = (0..10).map(point).collect();
        }
        run.rows[0].trials.truncate(1);
        run.schedule.trials = 1;
        says(
            run.clone(),
            "stalls",
            &["1 interval without a completed I/O: at 400 ms of trial 1"],
        );
        run.rows[0].trials = vec![run.rows[0].trials[0].clone(); 6];
        says(
            run,
            "stalls",
            &["6 intervals without a completed I/O, the first at 400 ms of trials 1, 2, 3, …"],
        );
        let of = |stills: &[(u64, usize)]| {
            let still = stills.iter().map(|(at_ms, trial)| (*at_ms, *trial, 0.0));
            let usual = (0..20).map(|number| (1_000 + number, 0, 100.0));
            let interval = |(at_ms, trial, rate)| RateInterval {
                trial,
                begins_at: Nanos::from_millis(at_ms),
                length: Nanos::from_millis(1),
                rate,
            };
            let intervals: Vec<RateInterval> = still.chain(usual).map(interval).collect();
            super::times(&intervals).unwrap().english()
        };
        assert_eq!(
            of(&[(10, 0), (20, 0), (30, 0), (410, 0)]),
            "4 intervals without a completed I/O, the first at 10.0 ms of trial 1, at 20.0 ms of trial 1, at 30.0 ms of trial 1"
        );
        assert_eq!(
            of(&[(0, 2), (0, 3), (7, 3)]),
            "3 intervals without a completed I/O: at the beginning of trials 3, 4, at 7.00 ms of trial 4"
        );
    }
}
