//! Do the trials agree.

use sokudo_model::{Enough, Outcome, TargetKind};
use sokudo_stats::{Summary, first_deviation};

use crate::RowRule;
use crate::case::Case;
use crate::code::{Code, Ruling};
use crate::drift::{Shape, shape};
use crate::threshold::{
    FIRST_RUN_DEVIATIONS_MAX, FIRST_RUN_SHARE_MIN, INTERVAL_REACH_MAX, INTERVAL_TRIALS_MIN,
};

pub(crate) const RULES: &[RowRule] = &[unsteady, first_run_outlier, precision_not_reached];

/// The interval of the median is wide. That says nothing against the bytes'
/// arrival, so that the verdict stays; it says how little one figure tells.
fn unsteady(case: &Case<'_>) -> Option<Ruling> {
    // What says in which way the trials differ says more.
    let is_told = shape(case)
        .is_some_and(|shape| matches!(shape, Shape::Fallen | Shape::TwoGroups | Shape::Trending));
    if is_told {
        return None;
    }
    let reach = Enough::reach(&case.row.trials).filter(|_| !case.arrives_by_chance())?;
    (reach > INTERVAL_REACH_MAX).then(|| {
        Ruling::new(
            Code::Unsteady,
            format!(
                "the trials differ: the 95 % interval of their median reaches further than ± {:.0} %",
                INTERVAL_REACH_MAX * 100.0
            ),
            "a cache that fills, other load, a processor or a disk that changes its clock, or a \
             disk whose speed depends on the place",
            "use more or longer trials (--runs, --time), and look at the single trials in the \
             JSON output",
        )
    })
}

/// The first trial is unlike the others, so that a mean over all is of two things. Trials
/// after a discarded one are not looked at, nor those of no device.
fn first_run_outlier(case: &Case<'_>) -> Option<Ruling> {
    first_run(case).filter(|_| shape(case) == Some(Shape::FirstUnlike))
}

/// Whether the first trial is unlike the others.
pub(crate) fn is_first_unlike(case: &Case<'_>) -> bool {
    first_run(case).is_some()
}

fn first_run(case: &Case<'_>) -> Option<Ruling> {
    let bandwidths: Vec<f64> = case
        .outcomes()
        .filter_map(Outcome::bytes_per_second)
        .collect();
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
            "slower",
            "the disk had to spin up or to leave a power state, a cache was still empty, or \
             earlier writes were still under way",
        )
    } else {
        (
            "faster",
            "a cache answered the first trial or took its writes, and the others met it full or \
             emptied",
        )
    };
    let how_far = if deviations.is_finite() {
        format!(
            "{:.1} median absolute deviations away, where {FIRST_RUN_DEVIATIONS_MAX} are allowed",
            deviations.abs()
        )
    } else {
        "while the others are alike".to_owned()
    };
    Some(Ruling::new(
        Code::FirstRunOutlier,
        format!(
            "the first trial was {side} than the others: {:.2} MB/s, their median is {:.2} MB/s, {how_far}",
            first / 1e6,
            median / 1e6
        ),
        cause,
        "trust the median, make more trials (--runs), or measure once more while the disk is warm",
    ))
}

/// All trials were made and the interval is still wider than asked for.
fn precision_not_reached(case: &Case<'_>) -> Option<Ruling> {
    let schedule = &case.run.schedule;
    let enough = schedule.enough?;
    let trials = &case.row.trials;
    let all_made = u32::try_from(trials.len()).is_ok_and(|made| made >= schedule.trials);
    if !all_made || enough.is_reached(trials) {
        return None;
    }
    let asked = f64::from(enough.half_width_permille) / 10.0;
    let reached = Enough::reach(trials).map_or_else(
        || format!("fewer than {INTERVAL_TRIALS_MIN} trials give no 95 % interval"),
        |reach| format!("the 95 % interval still reaches ± {:.1} %", reach * 100.0),
    );
    Some(Ruling::new(
        Code::PrecisionNotReached,
        format!(
            "± {asked} % were asked for; after {} trials {reached}",
            trials.len()
        ),
        "the trials differ more than that, or are too few",
        "allow more trials (--runs), make them longer (--time), or ask for less (--precision)",
    ))
}

#[cfg(test)]
mod tests {
    use crate::sample::{check, reads_with, text_of};
    use sokudo_model::Verdict::Verified;
    use sokudo_model::{Nanos, Run};

    /// Six trials whose speeds lie evenly between these factors of the median.
    fn spread(half_width: f64) -> Run {
        reads_with(|run| {
            for (index, trial) in run.rows[0].trials.iter_mut().enumerate() {
                // Neither rising nor falling: that would be a trend.
                let place = [5.0, 0.0, 3.0, 1.0, 4.0, 2.0][index];
                let speed = 1.0 + half_width * (place / 2.5 - 1.0);
                trial.outcome.elapsed = Nanos((1e9 / speed) as u64);
                trial.outcome.depth_achieved = speed;
            }
            // The depth moves with the speed, since latencies stay; that is not
            // what is tested here.
            run.rows[0].workload.depth = 2;
            run.rows[0].workload.rate = Some(sokudo_model::Rate::Iops(10_000));
        })
    }

    #[test]
    fn a_wide_interval_is_a_warning_and_no_doubt_about_the_bytes() {
        check(vec![
            ("9 %", spread(0.09), &[], Verified),
            ("11 %", spread(0.11), &["unsteady"], Verified),
        ]);
        assert!(text_of(spread(0.25), "unsteady").contains("further than ± 10 %"));
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
            run.rows[0].workload.rate = Some(sokudo_model::Rate::Iops(10_000));
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
        check(vec![
            ("slow", taking(&slow), &["first-run-outlier"], Verified),
            ("fast", taking(&fast), &["first-run-outlier"], Verified),
            ("not the first", taking(&late), &["outliers"], Verified),
            ("near", taking(&near), &[], Verified),
            (
                "far in deviations, but small",
                taking(&small),
                &[],
                Verified,
            ),
            (
                "the only other",
                taking(&alone),
                &["first-run-outlier"],
                Verified,
            ),
            ("too few", taking(&slow[..5]), &["few-trials"], Verified),
        ]);
        let text = text_of(taking(&slow), "first-run-outlier");
        assert!(
            text.contains("slower than the others: 24.67 MB/s, their median is 40.92 MB/s"),
            "{text}"
        );
        assert!(text_of(taking(&alone), "first-run-outlier").contains("the others are alike"));
    }

    #[test]
    fn arrivals_by_chance_are_no_unsteadiness_of_the_disk() {
        let by_chance = |mut run: Run| {
            let rates = &mut run.rows[0].workload.rates;
            rates.process = sokudo_model::RateProcess::Poisson;
            run
        };
        let slow = [1_660, 1_000, 1_010, 990, 1_005, 995, 1_003, 1_001, 999];
        check(vec![
            ("spread", by_chance(spread(0.25)), &[], Verified),
            ("first", by_chance(taking(&slow)), &[], Verified),
        ]);
    }

    #[test]
    fn after_a_discarded_trial_the_first_is_one_as_any() {
        let mut run = taking(&[1_660, 1_000, 1_010, 990, 1_005, 995, 1_003, 1_001, 999]);
        run.schedule.warm_up = true;
        check(vec![("warm", run, &[], Verified)]);
    }

    #[test]
    fn a_precision_that_was_not_reached_is_told_and_one_that_was_is_not() {
        let asking = |permille| {
            let mut run = taking(&[1_000, 1_030, 970, 1_020, 980, 1_010]);
            run.schedule.enough = Some(sokudo_model::Enough {
                trials_min: 6,
                half_width_permille: permille,
            });
            run
        };
        check(vec![
            ("5 %", asking(50), &[], Verified),
            ("2 %", asking(20), &["precision-not-reached"], Verified),
        ]);
        let text = text_of(asking(20), "precision-not-reached");
        assert!(
            text.contains("± 2 % were asked for; after 6 trials"),
            "{text}"
        );
        let mut interrupted = asking(20);
        interrupted.schedule.trials = 12;
        check(vec![("more were due", interrupted, &[], Verified)]);
        let mut few = asking(20);
        few.rows[0].trials.truncate(3);
        few.schedule.trials = 3;
        assert!(text_of(few, "precision-not-reached").contains("fewer than 6"));
    }

    #[test]
    fn without_an_interval_nothing_is_said_about_steadiness() {
        let mut run = spread(0.5);
        run.rows[0].trials.truncate(5);
        check(vec![("five trials", run, &["few-trials"], Verified)]);
    }
}
