//! Do the trials agree.

use sokudo_model::{Enough, IntervalRates, Nanos, Outcome, Steadiness, TargetKind};
use sokudo_stats::{Summary, WarmUp};
use sokudo_words::text;

use crate::case::RowContext;
use crate::code::{Code, RuleResult};
use crate::drift::{DriftShape, shape};
use crate::remedy;
use crate::rule::RowRule;
use crate::threshold::{
    INTERVAL_REACH_MAX, INTERVAL_TRIALS_MIN, WARM_UP_SHIFT_MIN, WARM_UP_TRIALS_SHARE_MIN,
};

pub(crate) const RULES: &[RowRule] = &[unsteady, precision_not_reached, warm_up];

/// The interval of the median is wide. That says nothing against the bytes'
/// arrival, so that the verdict stays; it says how little one figure tells.
fn unsteady(case: &RowContext<'_>) -> Option<RuleResult> {
    // What says in which way the trials differ says more.
    let is_reported = shape(case).is_some_and(|shape| {
        matches!(
            shape,
            DriftShape::Fallen | DriftShape::TwoGroups | DriftShape::Trending
        )
    });
    if is_reported {
        return None;
    }
    let reach = Enough::reach(&case.row.trials).filter(|_| !case.arrives_by_chance())?;
    (Steadiness::of_reach(reach) == Steadiness::Unsteady).then(|| {
        RuleResult::new(
            Code::Unsteady,
            text!(
                "the trials scatter: the 95 % interval of their median is wider than ± {percent:.0} %",
                percent = INTERVAL_REACH_MAX * 100.0
            ),
            "a filling cache, other load, a CPU or a disk that changes its clock, or a disk whose speed depends on the position",
            remedy::more_trials(),
        )
    })
}

/// All trials were made and the interval is still wider than asked for.
fn precision_not_reached(case: &RowContext<'_>) -> Option<RuleResult> {
    let schedule = &case.run.schedule;
    let enough = schedule.enough?;
    let trials = &case.row.trials;
    let all_made = u32::try_from(trials.len()).is_ok_and(|made| made >= schedule.trials);
    let is_futile = enough.is_futile(trials);
    let is_over = all_made || enough.is_spent(trials) || is_futile || case.row.out_of_time;
    if !is_over || enough.is_precise(trials) {
        return None;
    }
    let percent = f64::from(enough.half_width_permille) / 10.0;
    Some(RuleResult::new(
        Code::PrecisionNotReached,
        // Rows share one line of the table, in which each row's own ± stands already.
        match Enough::reach(trials) {
            Some(reach) if is_futile && reach < 1.0 => text!(
                "varies by ± {percent:.0} %: more trials would not help",
                percent = reach * 100.0
            ),
            Some(_) if is_futile => {
                text!("varies by more than ± 100 %: more trials would not help")
            }
            Some(_) => text!("± {percent} % was not reached; see each row's ±"),
            None if trials.len() >= INTERVAL_TRIALS_MIN => text!(
                "± {percent} % was not reached; trials of such unlike lengths give no 95 % interval"
            ),
            None => text!(
                "± {percent} % was not reached; fewer than {least} trials give no 95 % interval",
                least = INTERVAL_TRIALS_MIN
            ),
        },
        "the trials differ more than that, or are too few",
        remedy::allow_more(),
    ))
}

/// Most trials begin at another speed than they go on with, on the same side, and the figure
/// would be another one without their beginnings.
fn warm_up(case: &RowContext<'_>) -> Option<RuleResult> {
    // A fall that takes up so much of every trial says more.
    if case.target().kind == TargetKind::Null || shape(case) == Some(DriftShape::Fallen) {
        return None;
    }
    let beginnings: Vec<Beginning> = case
        .outcomes()
        .filter_map(|outcome| Beginning::of(outcome, case.row.workload.limits.time))
        .collect();
    let fast = beginnings.iter().filter(|one| one.is_fast()).count();
    let is_fast = fast * 2 > beginnings.len();
    let alike = || beginnings.iter().filter(|one| one.is_fast() == is_fast);
    let share = alike().count() as f64 / case.row.trials.len() as f64;
    let middle = |figure: &dyn Fn(&Beginning) -> f64| {
        Summary::of(&alike().map(figure).collect::<Vec<_>>()).map(|summary| summary.median)
    };
    let shift = middle(&|one| one.after / one.whole - 1.0)?;
    if share <= WARM_UP_TRIALS_SHARE_MIN || shift.abs() < WARM_UP_SHIFT_MIN {
        return None;
    }
    let begin_mb_per_s = middle(&|one| one.before)? / 1e6;
    let begin_ms = middle(&|one| one.length.as_secs_f64())? * 1e3;
    let then_mb_per_s = middle(&|one| one.after)? / 1e6;
    let change_percent = shift * 100.0;
    let (symptom, cause) = if is_fast {
        (
            text!(
                "trials start faster: {begin_mb_per_s:.1} MB/s for {begin_ms:.0} ms, then {then_mb_per_s:.1} MB/s; without the start the figure would change by {change_percent:+.0} %"
            ),
            "a cache of the disk takes the first I/Os of each trial, and what follows comes at the pace of the medium",
        )
    } else {
        (
            text!(
                "trials start slower: {begin_mb_per_s:.1} MB/s for {begin_ms:.0} ms, then {then_mb_per_s:.1} MB/s; without the start the figure would change by {change_percent:+.0} %"
            ),
            "the disk leaves a power state or moves its heads to the row's place first, or a queue or a cache has to fill",
        )
    };
    Some(RuleResult::new(
        Code::WarmUp,
        symptom,
        cause,
        remedy::longer_trials(),
    ))
}

/// The beginning of a trial that is unlike the rest of it.
struct Beginning {
    length: Nanos,
    before: f64,
    after: f64,
    /// Of the whole trial.
    whole: f64,
}

impl Beginning {
    fn of(outcome: &Outcome, time: Option<Nanos>) -> Option<Self> {
        let intervals = IntervalRates::of(outcome, time).joined(outcome.ios());
        let rates = &intervals.per_second;
        let found = WarmUp::of(rates)?;
        Some(Self {
            length: Nanos(found.values as u64 * intervals.length.0),
            before: found.mean_before,
            after: found.mean_after,
            whole: rates.iter().sum::<f64>() / rates.len() as f64,
        })
        .filter(|_| outcome.bytes_moved().0 > 0)
    }

    fn is_fast(&self) -> bool {
        self.before > self.after
    }
}

#[cfg(test)]
mod tests {
    use crate::sample::{check, reads_with, says};
    use sokudo_model::Verdict::Verified;
    use sokudo_model::{Bytes, Nanos, Run, SeriesPoint};

    /// Six trials whose speeds lie evenly between these factors of the median.
    fn spread(half_width: f64) -> Run {
        reads_with(|run| {
            for (index, trial) in run.rows[0].trials.iter_mut().enumerate() {
                // Neither rising nor falling: that would be a trend.
                let rank = [5.0, 0.0, 3.0, 1.0, 4.0, 2.0][index];
                let speed = 1.0 + half_width * (rank / 2.5 - 1.0);
                trial.outcome.elapsed = Nanos((1e9 / speed) as u64);
                trial.outcome.depth_achieved = speed;
            }
            // The depth moves with the speed, since latencies stay; that is not
            // what is tested here.
            run.rows[0].workload.depth = 2;
            run.rows[0].workload.pacing.rate = Some(sokudo_model::Rate::Iops(10_000));
        })
    }

    #[test]
    fn a_wide_interval_is_a_warning_and_no_doubt_about_the_bytes() {
        check! {
            "9 %": spread(0.09) => [], Verified;
            "11 %": spread(0.11) => ["unsteady"], Verified;
        }
        says(spread(0.25), "unsteady", &["wider than ± 10 %"]);
    }

    /// Reads whose trials take these times.
    fn taking(milliseconds: &[u64]) -> Run {
        reads_with(|run| {
            let trial = run.rows[0].trials[0].clone();
            run.rows[0].trials = vec![trial; milliseconds.len()];
            for (trial, milliseconds) in run.rows[0].trials.iter_mut().zip(milliseconds) {
                trial.outcome.elapsed = Nanos::from_millis(*milliseconds);
                trial.outcome.depth_achieved = 1e3 / *milliseconds as f64;
            }
            run.schedule.trials = u32::try_from(milliseconds.len()).unwrap();
            // As above, the depth is not what is tested here.
            run.rows[0].workload.pacing.rate = Some(sokudo_model::Rate::Iops(10_000));
            run.rows[0].workload.depth = 4;
        })
    }

    #[test]
    fn a_first_trial_unlike_the_others_is_told_on_either_side() {
        let slow = [1_660, 1_000, 1_010, 990, 1_005, 995, 1_003, 1_001, 999];
        let fast = [600, 1_000, 1_010, 990, 1_005, 995, 1_003, 1_001, 999];
        let late = [1_000, 1_660, 1_010, 990, 1_005, 995, 1_003, 1_001, 999];
        let near = [1_050, 1_000, 1_010, 990, 1_005, 995, 1_003, 1_001, 999];
        let small = [
            1_015, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000,
        ];
        let alone = [
            1_030, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000,
        ];
        check! {
            "slow": taking(&slow) => ["first-run-outlier"], Verified,
                "slower than the others: 24.67 MB/s against a median of 40.92 MB/s";
            "fast": taking(&fast) => ["first-run-outlier"], Verified;
            "not the first": taking(&late) => ["outliers"], Verified;
            "near": taking(&near) => [], Verified;
            "far in deviations, but small": taking(&small) => [], Verified;
            "the only other": taking(&alone) => ["first-run-outlier"], Verified,
                "the others are alike";
            "too few": taking(&slow[..5]) => ["few-trials"], Verified;
        }
    }

    #[test]
    fn arrivals_by_chance_are_no_unsteadiness_of_the_disk() {
        let by_chance = |mut run: Run| {
            let rates = &mut run.rows[0].workload.pacing.rates;
            rates.process = sokudo_model::RateProcess::Poisson;
            run
        };
        let slow = [1_660, 1_000, 1_010, 990, 1_005, 995, 1_003, 1_001, 999];
        check! {
            "spread": by_chance(spread(0.25)) => [], Verified;
            "first": by_chance(taking(&slow)) => [], Verified;
        }
    }

    #[test]
    fn after_a_discarded_trial_the_first_is_one_as_any() {
        let mut run = taking(&[1_660, 1_000, 1_010, 990, 1_005, 995, 1_003, 1_001, 999]);
        run.schedule.warm_up = true;
        check! {
            "warm": run => [], Verified;
        }
    }

    #[test]
    fn a_precision_that_was_not_reached_is_told_and_one_that_was_is_not() {
        let asking = |permille| {
            let mut run = taking(&[1_000, 1_030, 970, 1_020, 980, 1_010]);
            run.schedule.enough = Some(sokudo_model::Enough::within(permille));
            run
        };
        check! {
            "5 %": asking(50) => [], Verified;
            "2 %": asking(20) => ["precision-not-reached"], Verified,
                "± 2 % was not reached; see each row's ±";
        }
        let mut interrupted = asking(20);
        interrupted.schedule.trials = 12;
        check! {
            "more were due": interrupted => [], Verified;
        }
        let mut spent = asking(20);
        spent.schedule.trials = 12;
        spent.schedule.enough.as_mut().unwrap().time_max = Some(Nanos::from_secs(6));
        check! {
            "no time for more": spent => ["precision-not-reached"], Verified;
        }
        let wide = |time_max| {
            let mut wide = spread(0.09);
            wide.schedule.trials = 12;
            wide.schedule.enough = Some(sokudo_model::Enough {
                time_max: Some(time_max),
                ..sokudo_model::Enough::within(20)
            });
            wide
        };
        check! {
            "no use": wide(Nanos::from_secs(10)) => ["precision-not-reached"], Verified,
                "varies by ± 9 %: more trials would not help";
            "time for it": wide(Nanos::from_secs(60)) => [], Verified;
        }
        let mut out_of_time = wide(Nanos::from_secs(60));
        out_of_time.rows[0].out_of_time = true;
        check! {
            "the run's time is over": out_of_time => ["precision-not-reached"], Verified;
        }
        let mut between_looks = asking(50);
        between_looks.schedule.trials = 7;
        let again = between_looks.rows[0].trials[0].clone();
        between_looks.rows[0].trials.push(again);
        check! {
            "precise after all": between_looks => [], Verified;
        }
        let mut few = asking(20);
        few.rows[0].trials.truncate(3);
        few.schedule.trials = 3;
        says(few, "precision-not-reached", &["fewer than 6"]);
    }

    /// Reads whose trials go on at these rates, interval by interval, in MB/s.
    fn going(rates: impl Fn(usize) -> Vec<f64>) -> Run {
        reads_with(|run| {
            for (number, trial) in run.rows[0].trials.iter_mut().enumerate() {
                let points = (1..).zip(rates(number));
                trial.outcome.series = points
                    .map(|(index, rate)| SeriesPoint {
                        at: Nanos::from_millis(10 * index),
                        bytes: Bytes((rate * 1e4) as u64),
                        ios: 1,
                    })
                    .collect();
            }
        })
    }

    fn step(front: usize, level: f64) -> Vec<f64> {
        let wave = |index: usize| ((index * 7) % 5) as f64;
        (0..100)
            .map(|index| if index < front { level } else { 100.0 } + wave(index))
            .collect()
    }

    #[test]
    fn trials_that_begin_at_another_speed_are_told() {
        check! {
            "fast": going(|_| step(15, 180.0)) => ["warm-up"], Verified,
                "182.0 MB/s for 150 ms, then 102.0 MB/s", "change by -11 %";
            "fallen": going(|_| step(25, 180.0)) => ["not-steady"], Verified;
            "slow": going(|_| step(15, 20.0)) => ["warm-up"], Verified;
            "steady": going(|_| step(0, 0.0)) => [], Verified;
            "of no weight": going(|_| step(5, 80.0)) => [], Verified;
            "half of the trials": going(|number| step(20 * (number % 2), 180.0)) => [], Verified;
        }
    }

    #[test]
    fn without_an_interval_nothing_is_said_about_steadiness() {
        let mut run = spread(0.5);
        run.rows[0].trials.truncate(5);
        check! {
            "five trials": run => ["few-trials"], Verified;
        }
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, draws, seed};

        #[test]
        fn of_runs_that_only_vary_few_are_told_to_warm_up() {
            let mut random = sokudo_stats::Random::stream(seed(), 7);
            let mut noise = 0.0;
            let alarms = Rate::of(0..draws(200), |_| {
                let trials: Vec<Vec<f64>> = (0..6)
                    .map(|_| {
                        (0..100)
                            .map(|_| {
                                // Twelve uniform values make one that is nearly normal; each
                                // keeps half of the one before.
                                let drawn: f64 = (0..12).map(|_| random.fraction()).sum();
                                noise = 0.5 * noise + drawn - 6.0;
                                100.0 + 15.0 * noise
                            })
                            .collect()
                    })
                    .collect();
                let mut run = going(|number| trials[number].clone());
                crate::judge(&mut run);
                let assessment = run.rows[0].assessment.take().unwrap();
                assessment
                    .findings
                    .iter()
                    .any(|found| found.code == "warm-up")
            });
            alarms.assert_at_most(0.02, "warm-up");
        }
    }
}
