//! Does the speed of a row stay what it is, over its trials and within them.
//!
//! Of what could be said only the most telling is: a fall to another level, then a first
//! trial unlike the others, then two groups, then a trend, then single outliers.

use sokudo_model::{Bytes, IntervalRates, Nanos, Operation, Outcome, TargetKind, weighed};
use sokudo_stats::{Summary, first_deviation, groups, step, trend};
use sokudo_words::{Text, text};

use crate::case::RowContext;
use crate::code::{Code, RuleResult};
use crate::remedy;
use crate::rule::RowRule;
use crate::threshold::{
    FALL_SHARE_MIN, FIRST_RUN_DEVIATIONS_MAX, FIRST_RUN_SHARE_MIN, GAP_FACTOR_MAX, GAP_SHARE_MIN,
    INTERVAL_TRIALS_MIN, OUTLIER_SHARE_MIN, TREND_CHANCE_MAX, TREND_SHARE_MIN,
};

pub(crate) const RULES: &[RowRule] = &[most_telling];

/// Intervals of a series below which no level is told from another.
const INTERVALS_MIN: usize = 10;

/// Part of the intervals that a level must hold to be one, over all trials.
const LEVEL_SHARE_MIN: f64 = 0.1;

/// The same within a single trial: what a drive's cache takes in the first moments of
/// every trial is less than that.
const LEVEL_SHARE_IN_TRIAL_MIN: f64 = 0.2;

/// Part of the intervals on either side of a fall that must lie on their own side.
const APART_MIN: f64 = 0.9;

/// One interval of a row's series.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateInterval {
    /// Which trial it belongs to.
    pub(crate) trial: usize,
    /// Its begin, from the start of the measured part of its trial.
    pub(crate) begins_at: Nanos,
    pub(crate) length: Nanos,
    /// Mean rate over the interval, in bytes per second.
    pub(crate) rate: f64,
}

impl RateInterval {
    /// Bytes moved in it.
    pub(crate) fn bytes(&self) -> f64 {
        self.rate * self.length.as_secs_f64()
    }
}

/// The intervals of all trials that move bytes, in order of time.
pub(crate) fn intervals(case: &RowContext<'_>) -> Vec<RateInterval> {
    let time = case.row.workload.limits.time;
    let outcomes = case.outcomes().enumerate();
    let moving = outcomes.filter(|(_, outcome)| outcome.bytes_moved() > Bytes(0));
    let of_trial = |(trial, outcome)| {
        let IntervalRates { length, per_second } = IntervalRates::of(outcome, time);
        let of_rate = move |(number, rate)| RateInterval {
            trial,
            begins_at: Nanos(number * length.0),
            length,
            rate,
        };
        (0..).zip(per_second).map(of_rate)
    };
    moving.flat_map(of_trial).collect()
}

/// What is most telling about how a row's speed changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DriftShape {
    Fallen,
    FirstUnlike,
    TwoGroups,
    Trending,
    Outlying,
}

/// The most telling first.
const SHAPES: [(DriftShape, RowRule); 5] = [
    (DriftShape::Fallen, not_steady),
    (DriftShape::FirstUnlike, first_run),
    (DriftShape::TwoGroups, two_modes),
    (DriftShape::Trending, trending),
    (DriftShape::Outlying, outliers),
];

fn most_telling(case: &RowContext<'_>) -> Option<RuleResult> {
    SHAPES.iter().find_map(|(_, rule)| rule(case))
}

/// The most telling one, if there is any.
pub(crate) fn shape(case: &RowContext<'_>) -> Option<DriftShape> {
    let mut shapes = SHAPES.iter();
    let found = shapes.find(|(_, rule)| rule(case).is_some());
    found.map(|(shape, _)| *shape)
}

/// A fall from one level to another.
struct Fall {
    before: f64,
    after: f64,
    /// What was moved before it, and in which time.
    bytes: f64,
    time: Nanos,
    in_each_trial: bool,
}

/// Whether the row is one whose speed should be the same all the time. Rounds have a rule
/// of their own.
fn is_comparable(case: &RowContext<'_>) -> bool {
    let workload = &case.row.workload;
    case.run.schedule.steady.is_none()
        && case.target().kind != TargetKind::Null
        && workload.work.is_of_blocks()
        && workload.write_check().is_none()
}

/// The speed fell and did not come back; or it fell so in every trial, and pauses brought
/// it back.
fn fall(case: &RowContext<'_>) -> Option<Fall> {
    if !is_comparable(case) {
        return None;
    }
    let all = intervals(case);
    if let Some(fall) = fall_of(&all, LEVEL_SHARE_MIN) {
        return Some(fall);
    }
    let trials: Vec<Vec<RateInterval>> = all
        .chunk_by(|left, right| left.trial == right.trial)
        .map(<[RateInterval]>::to_vec)
        .collect();
    let falls: Vec<Fall> = trials
        .iter()
        .filter_map(|trial| fall_of(trial, LEVEL_SHARE_IN_TRIAL_MIN))
        .collect();
    let in_most = trials.len() > 1 && falls.len() * 2 > trials.len();
    let first = falls.into_iter().next().filter(|_| in_most)?;
    Some(Fall {
        in_each_trial: true,
        ..first
    })
}

#[expect(clippy::cast_possible_truncation, reason = "a share of the intervals")]
fn fall_of(intervals: &[RateInterval], share: f64) -> Option<Fall> {
    if intervals.len() < INTERVALS_MIN {
        return None;
    }
    let rates: Vec<f64> = intervals.iter().map(|interval| interval.rate).collect();
    let least = (intervals.len() as f64 * share).ceil() as usize;
    let step = step(&rates, least.max(2))?;
    let is_fall = step.after <= step.before * (1.0 - FALL_SHARE_MIN);
    let is_step = step.left_by_levels < step.left_by_line / 2.0;
    let is_apart = step.apart_before >= APART_MIN && step.apart_after >= APART_MIN;
    (is_fall && is_step && is_apart).then(|| {
        let before = &intervals[..step.index];
        Fall {
            before: step.before,
            after: step.after,
            bytes: before.iter().map(RateInterval::bytes).sum(),
            time: Nanos(before.iter().map(|interval| interval.length.0).sum()),
            in_each_trial: false,
        }
    })
}

/// From and to which rate a row fell, in bytes per second, where it was to half or less.
pub(crate) fn fell_to_half(case: &RowContext<'_>) -> Option<(f64, f64)> {
    let fall = fall(case)?;
    (fall.after * 2.0 <= fall.before).then_some((fall.before, fall.after))
}

fn not_steady(case: &RowContext<'_>) -> Option<RuleResult> {
    let fall = fall(case)?;
    let (before_mb_per_s, after_mb_per_s) = (fall.before / 1e6, fall.after / 1e6);
    let (gigabytes, time) = (fall.bytes / 1e9, fall.time);
    let symptom = match fall.in_each_trial {
        true => text!(
            "in most trials the speed fell from {before_mb_per_s:.1} to {after_mb_per_s:.1} MB/s \
             after {gigabytes:.2} GB ({time}), and only a new trial brought it back"
        ),
        false => text!(
            "the speed fell from {before_mb_per_s:.1} to {after_mb_per_s:.1} MB/s after \
             {gigabytes:.2} GB ({time}), and stayed there"
        ),
    };
    let (cause, remedy) = if case.asks(Operation::Write) {
        (
            "a cache filled up, such as the fast cells of a solid-state drive or the memory of a controller; or the drive grew hot, or the provider's burst credit ran out",
            remedy::longer_and_see(),
        )
    } else {
        (
            "the drive grew hot, the provider's burst credit ran out, or other load began",
            remedy::longer_and_rest(),
        )
    };
    Some(RuleResult::new(Code::NotSteady, symptom, cause, remedy))
}

/// The first trial is unlike the others, so that a mean over all is of two things. Trials
/// after a discarded one are not looked at, nor those of no device.
fn first_run(case: &RowContext<'_>) -> Option<RuleResult> {
    let bandwidths = all_bandwidths(case);
    let few = bandwidths.len() < INTERVAL_TRIALS_MIN;
    if few
        || case.arrives_by_chance()
        || case.run.schedule.warm_up
        || case.target().kind == TargetKind::Null
    {
        return None;
    }
    let (first, median) = (*bandwidths.first()?, Summary::of(&bandwidths)?.median);
    let share = (first - median).abs() / median;
    let deviations = first_deviation(&bandwidths)?;
    if deviations.abs() <= FIRST_RUN_DEVIATIONS_MAX || share <= FIRST_RUN_SHARE_MIN {
        return None;
    }
    let (side, cause) = if deviations < 0.0 {
        (
            Text::from("slower"),
            "the disk had to spin up or to leave a power state, a cache was still empty, or \
             earlier writes were still under way",
        )
    } else {
        (
            Text::from("faster"),
            "a cache answered the first trial or took its writes, and the others met it full or \
             emptied",
        )
    };
    let how_far = if deviations.is_finite() {
        text!(
            "{deviations:.1} median absolute deviations off ({allowed} allowed)",
            deviations = deviations.abs(),
            allowed = FIRST_RUN_DEVIATIONS_MAX
        )
    } else {
        Text::from("while the others are alike")
    };
    Some(RuleResult::new(
        Code::FirstRunOutlier,
        text!(
            "the first trial was {side} than the others: {first_mb_per_s:.2} MB/s against a median of {median_mb_per_s:.2} MB/s, {how_far}",
            first_mb_per_s = first / 1e6,
            median_mb_per_s = median / 1e6
        ),
        cause,
        remedy::median_or_more(),
    ))
}

fn all_bandwidths(case: &RowContext<'_>) -> Vec<f64> {
    let outcomes = case.outcomes();
    outcomes.filter_map(Outcome::bytes_per_second).collect()
}

/// Bandwidths of the trials, where there are enough to compare them.
fn bandwidths(case: &RowContext<'_>) -> Option<Vec<f64>> {
    let values = all_bandwidths(case);
    (values.len() >= INTERVAL_TRIALS_MIN && is_comparable(case)).then_some(values)
}

fn two_modes(case: &RowContext<'_>) -> Option<RuleResult> {
    two_groups(&bandwidths(case)?)
}

/// The same of rates in bytes per second, whoever has measured them.
pub(crate) fn two_groups(values: &[f64]) -> Option<RuleResult> {
    let summary = Summary::of(values).filter(|_| values.len() >= INTERVAL_TRIALS_MIN);
    let median = summary?.median;
    let groups = groups(values).filter(|groups| {
        groups.gap > groups.range * GAP_FACTOR_MAX && groups.gap > median * GAP_SHARE_MIN
    })?;
    let count = values.len();
    Some(RuleResult::new(
        Code::TwoModes,
        text!(
            "the trials fall into two groups: {slow_trials} around {slow_mb_per_s:.1} MB/s and \
             {fast_trials} around {fast_mb_per_s:.1} MB/s, none between",
            slow_trials = groups.lower_count,
            slow_mb_per_s = groups.lower / 1e6,
            fast_trials = count - groups.lower_count,
            fast_mb_per_s = groups.upper / 1e6
        ),
        "something switches between two states: a cache that is full or not, a clock, a power \
         state, or other load that comes and goes",
        "trust neither median nor mean: look at each trial in the JSON output, and find out what switches between the two speeds",
    ))
}

fn trending(case: &RowContext<'_>) -> Option<RuleResult> {
    let values = bandwidths(case)?;
    let trend = trend(&values)?;
    if trend.chance > TREND_CHANCE_MAX || trend.change.abs() < TREND_SHARE_MIN {
        return None;
    }
    let change = trend.change;
    let (first_mb_per_s, last_mb_per_s) = (values.first()? / 1e6, values.last()? / 1e6);
    let percent = change.abs() * 100.0;
    let (symptom, cause) = if change < 0.0 {
        (
            text!(
                "the trials became slower one after the other, from {first_mb_per_s:.1} to {last_mb_per_s:.1} MB/s: a fall of {percent:.0} % of their median"
            ),
            "the drive grows hot, a cache fills, the file moves to slower places, or other load grows",
        )
    } else {
        (
            text!(
                "the trials became faster one after the other, from {first_mb_per_s:.1} to {last_mb_per_s:.1} MB/s: a rise of {percent:.0} % of their median"
            ),
            "a cache warms up, earlier writes are still being worked off, or other load ends",
        )
    };
    Some(RuleResult::new(
        Code::Trend,
        symptom,
        cause,
        remedy::until_level(),
    ))
}

/// Trials other than the first that are unlike the others, with their numbers from 1.
fn outliers(case: &RowContext<'_>) -> Option<RuleResult> {
    let values = bandwidths(case)?;
    // One that lasted far longer than it should counts for more than one.
    if !weighed(&case.row.trials, Outcome::bytes_per_second).are_alike() {
        return None;
    }
    let median = Summary::of(&values)?.median;
    let distances: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
    let spread = Summary::of(&distances)?.median;
    let far = |distance: f64| {
        distance > spread * FIRST_RUN_DEVIATIONS_MAX && distance > median * OUTLIER_SHARE_MIN
    };
    let numbered = (1..).zip(values.iter().zip(&distances)).skip(1);
    let outlying: Vec<(usize, f64)> = numbered
        .filter(|(_, (_, distance))| far(**distance))
        .map(|(number, (value, _))| (number, *value))
        .collect();
    if outlying.is_empty() {
        return None;
    }
    let trials = outlying.iter().map(|(number, value)| {
        text!(
            "trial {number} at {mb_per_s:.1} MB/s",
            mb_per_s = value / 1e6
        )
    });
    Some(RuleResult::new(
        Code::Outliers,
        text!(
            "unlike the others, whose median is {median_mb_per_s:.1} MB/s: {trials}",
            median_mb_per_s = median / 1e6,
            trials = Text::list(trials, ", ")
        ),
        "other load, a flush of the system's, or work that the drive does by itself",
        "nothing to do: they move the mean, not the median",
    ))
}

#[cfg(test)]
mod tests {
    use crate::judge;
    use crate::sample::{
        check, large_writes, method, reads_with, says, spoilt, text_of, writes_with,
    };
    use sokudo_model::Verdict::Verified;
    use sokudo_model::{Bytes, DiskAnswer, MethodTrait, Nanos, Run, SeriesPoint};

    /// Six trials with ten intervals of 100 ms, each with so many bytes.
    fn series(run: &mut Run, bytes: impl Fn(usize, u64) -> u64) {
        for (index, trial) in run.rows[0].trials.iter_mut().enumerate() {
            let point = |interval: u64| SeriesPoint {
                at: Nanos::from_millis(100 * (interval + 1)),
                bytes: Bytes(bytes(index, interval)),
                ios: 1,
            };
            trial.outcome.series = (0..10).map(point).collect();
        }
    }

    /// A little more and less, the same at every start.
    fn noise(trial: usize, interval: u64) -> u64 {
        (trial as u64 * 7 + interval * 13) % 5 * 1_000_000
    }

    fn writes_in(bytes: impl Fn(usize, u64) -> u64) -> Run {
        spoilt(large_writes(), |run| series(run, bytes))
    }

    #[test]
    fn a_fall_that_lasts_is_told_with_both_levels() {
        let fallen = writes_in(|trial, interval| {
            noise(trial, interval) + if trial < 2 { 200_000_000 } else { 50_000_000 }
        });
        let back = writes_in(|trial, interval| {
            noise(trial, interval) + if trial == 2 { 50_000_000 } else { 200_000_000 }
        });
        let sinking =
            writes_in(|trial, interval| 200_000_000 - (trial as u64 * 10 + interval) * 2_000_000);
        check! {
            "fallen": fallen.clone() => ["not-steady"], Verified,
                "from 2020.0 to 520.0 MB/s after 4.04 GB (2.00 s)";
            "back again": back => [], Verified;
            "along a line": sinking => [], Verified;
            "noise":
                writes_in(|trial, interval| 100_000_000 + noise(trial, interval)) => [], Verified;
        }
    }

    #[test]
    fn a_disk_that_falls_to_half_is_no_disk_that_is_ok() {
        let points = |after: u64| {
            let mut run = writes_in(move |trial, interval| {
                noise(trial, interval) + if trial < 2 { 200_000_000 } else { after }
            });
            run.plan.method = method(&[MethodTrait::JudgesDisk]);
            judge(&mut run);
            let points = run.disk_assessment.map_or(Vec::new(), |it| it.points);
            let mut fell = points
                .into_iter()
                .filter(|point| point.code == "speed-fell");
            fell.next()
                .map(|point| (point.answer, point.found.english()))
        };
        let (answer, found) = points(50_000_000).unwrap();
        assert_eq!(answer, Some(DiskAnswer::OkBut));
        assert!(
            found.ends_with("fell from 2020.0 to 520.0 MB/s within the run"),
            "{found}"
        );
        assert_eq!(points(150_000_000), None);
    }

    #[test]
    fn a_fall_in_every_trial_is_told_unless_it_is_at_its_very_begin() {
        let each = |fast: u64| {
            writes_in(move |trial, interval| {
                noise(trial, interval)
                    + if interval < fast {
                        200_000_000
                    } else {
                        50_000_000
                    }
            })
        };
        check! {
            "half": each(5) => ["not-steady"], Verified;
            "first tenth": each(1) => [], Verified;
        }
        assert!(text_of(each(5), "not-steady").starts_with("in most trials"));
    }

    /// Trials whose speeds are these, in MB/s.
    fn speeds(megabytes: &[f64]) -> Run {
        reads_with(|run| {
            let trial = run.rows[0].trials[0].clone();
            run.schedule.trials = u32::try_from(megabytes.len()).unwrap();
            run.rows[0].trials = megabytes
                .iter()
                .map(|speed| {
                    let mut trial = trial.clone();
                    trial.outcome.elapsed = Nanos((40.96 / speed * 1e9) as u64);
                    trial.outcome.depth_achieved = speed / 40.96;
                    trial
                })
                .collect();
            // The depth moves with the speed, which is not what is tested here.
            run.rows[0].workload.depth = 4;
            run.rows[0].workload.pacing.rate = Some(sokudo_model::Rate::Iops(10_000));
        })
    }

    #[test]
    fn a_trend_is_told_and_a_small_one_is_not() {
        let falling = [46.0, 44.0, 42.0, 40.0, 38.0, 36.0];
        let small = [41.0, 40.8, 40.6, 40.4, 40.2, 40.0];
        let mixed = [46.0, 38.0, 42.0, 36.0, 44.0, 40.0];
        check! {
            "falling": speeds(&falling) => ["trend"], Verified;
            "small": speeds(&small) => [], Verified;
            "no order": speeds(&mixed) => ["unsteady"], Verified;
            "too few": speeds(&falling[..5]) => ["few-trials"], Verified;
        }
        let text = text_of(speeds(&falling), "trend");
        let expected = "became slower one after the other, from 46.0 to 36.0 MB/s: a fall of 24 % of their median";
        assert!(text.contains(expected), "{text}");
        let rising: Vec<f64> = falling.iter().rev().copied().collect();
        says(speeds(&rising), "trend", &["a cache warms up"]);
    }

    #[test]
    fn two_groups_are_told_instead_of_an_interval_that_spans_them() {
        let two = [30.0, 45.0, 30.2, 45.3, 45.1, 30.1];
        check! {
            "two": speeds(&two) => ["two-modes"], Verified,
                "3 around 30.1 MB/s and 3 around 45.1 MB/s";
            "no gap": speeds(&[30.0, 45.0, 34.0, 42.0, 38.0, 36.0]) => ["unsteady"], Verified;
        }
    }

    #[test]
    fn single_outliers_are_named_and_near_ones_are_not() {
        let far = [40.0, 40.1, 25.0, 40.2, 40.1, 40.0, 40.1, 40.0, 40.1, 40.0];
        let near = [40.0, 40.1, 38.0, 40.2, 40.1, 40.0, 40.1, 40.0];
        check! {
            "far": speeds(&far) => ["outliers"], Verified, "trial 3 at 25.0 MB/s";
            "near": speeds(&near) => [], Verified;
        }
    }

    #[test]
    fn what_happens_to_a_survey_or_to_nothing_is_not_looked_at() {
        let mut run = speeds(&[46.0, 44.0, 42.0, 40.0, 38.0, 36.0]);
        run.target.kind = sokudo_model::TargetKind::Null;
        let (codes, _) = crate::sample::judged(run);
        assert!(!codes.contains(&"trend".to_owned()), "{codes:?}");
        check! {
            "clean": writes_with(|_| {}) => [], Verified;
        }
    }
}
