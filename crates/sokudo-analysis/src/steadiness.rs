//! Do the trials agree.

use sokudo_model::Outcome;
use sokudo_stats::{Summary, median_interval};

use crate::RowRule;
use crate::case::Case;
use crate::code::{Code, Ruling};
use crate::threshold::{CONFIDENCE, INTERVAL_REACH_MAX};

pub(crate) const RULES: &[RowRule] = &[unsteady];

/// The interval of the median is wide. That says nothing against the bytes'
/// arrival, so that the verdict stays; it says how little one figure tells.
fn unsteady(case: &Case<'_>) -> Option<Ruling> {
    let bandwidths: Vec<f64> = case.outcomes().filter_map(bytes_per_second).collect();
    let median = Summary::of(&bandwidths)?.median;
    let interval = median_interval(&bandwidths, CONFIDENCE)?;
    (interval.reach(median)? > INTERVAL_REACH_MAX).then(|| {
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

#[expect(clippy::cast_precision_loss, reason = "a rate is a float")]
fn bytes_per_second(outcome: &Outcome) -> Option<f64> {
    let seconds = outcome.elapsed.as_secs_f64();
    let bytes = outcome.bytes_moved().0;
    (seconds > 0.0 && bytes > 0).then(|| bytes as f64 / seconds)
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
                let speed = 1.0 + half_width * (index as f64 / 2.5 - 1.0);
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

    #[test]
    fn without_an_interval_nothing_is_said_about_steadiness() {
        let mut run = spread(0.5);
        run.rows[0].trials.truncate(5);
        check(vec![("five trials", run, &["few-trials"], Verified)]);
    }
}
