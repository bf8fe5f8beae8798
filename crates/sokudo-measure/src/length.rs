//! How long the trials of a row are: as long as it takes to know the row's rate, which its first
//! trial shows.

use sokudo_model::{IntervalRates, Limits, Nanos, StopReason, Trial, Workload};
use sokudo_stats::batch_means_interval;

/// Confidence of the interval of one trial's own mean.
const CONFIDENCE: f64 = 0.95;

/// I/Os that a trial holds at least, unless it is as long as it may be.
const IOS_MIN: f64 = 100.0;

/// And how often its queue must be filled anew in it: what starts before the measured time, or
/// ends after it, is a part of one filling.
const FILLINGS_MIN: f64 = 20.0;

/// What is known of one row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrialLength {
    time: Option<Nanos>,
    /// The shortest and the longest that it may be, until it is known.
    bounds: Option<(Nanos, Nanos)>,
}

impl TrialLength {
    /// Of a row without trials. What is written may go into a memory of the drive for a while, and a
    /// short first trial would see nothing else: it is as long as a trial may be. One of reads is
    /// as short as it may be.
    pub(crate) fn of(workload: &Workload) -> Self {
        let Limits { time, time_min, .. } = workload.limits;
        let bounds = time_min.zip(time).filter(|_| workload.is_sustained());
        let shortest = bounds.map(|(shortest, _)| shortest);
        Self {
            time: match workload.operations.changes_data() {
                true => time,
                false => shortest.or(time),
            },
            bounds,
        }
    }

    /// How long a trial is.
    pub(crate) fn time(&self) -> Option<Nanos> {
        self.time
    }

    /// Takes the first trial of the row: all others are as short as they may be for each to be known
    /// to `precision`, a share. Whether the first one is left out: of too few I/Os it is chance, and
    /// of a longer one latencies and depth would weigh more than those of the others. A shorter one
    /// has the same median and strays more from it, so that the interval of the median holds.
    pub(crate) fn leaves_out(
        &mut self,
        trial: &Trial,
        workload: &Workload,
        precision: f64,
    ) -> bool {
        let outcome = &trial.outcome;
        let is_whole = outcome.stopped == StopReason::Time && outcome.failures.is_empty();
        let Some((shortest, longest)) = self.bounds.filter(|_| is_whole) else {
            return false;
        };
        self.bounds = None;
        let needed = needed_s(trial, workload, precision);
        let [for_ios, for_precision] = needed.unwrap_or([f64::INFINITY; 2]);
        let needed = for_ios.max(for_precision);
        let mut chosen = shortest;
        while chosen < longest && chosen.as_secs_f64() < needed {
            chosen = Nanos(chosen.0.saturating_mul(2)).min(longest);
        }
        let first = self.time.replace(chosen).unwrap_or(chosen);
        let has_ios = for_ios <= trial.outcome.elapsed.as_secs_f64();
        let may_count = first < chosen && has_ios && trial.outcome.window.is_some();
        first != chosen && !may_count
    }
}

/// Seconds after which a trial has I/Os enough, and after which the interval of its mean reaches no
/// further than `precision`, a share: it becomes narrower with the root of the time. `None` where
/// the trial does not tell.
fn needed_s(trial: &Trial, workload: &Workload, precision: f64) -> Option<[f64; 2]> {
    let outcome = &trial.outcome;
    let elapsed = outcome.elapsed.as_secs_f64();
    let ios = outcome.ios() as f64;
    let rates = IntervalRates::of(outcome, None).joined(outcome.ios());
    let interval = batch_means_interval(&rates.per_second, CONFIDENCE)?;
    let reach = (interval.high - interval.low) / (interval.high + interval.low);
    let in_flight = f64::from(workload.depth) * f64::from(workload.threads);
    let for_ios = IOS_MIN.max(FILLINGS_MIN * in_flight) / ios;
    let for_precision = (reach / precision).powi(2);
    Some([for_ios, for_precision].map(|times| elapsed * times))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{
        BackendKind, Bytes, Estimand, Operation, OperationMix, OperationTally, Outcome,
        SeriesPoint, Window,
    };
    use sokudo_stats::Random;

    const PRECISION: f64 = 0.02;

    fn workload(operation: Operation) -> Workload {
        let mut workload = Workload::new("w", Bytes(4096));
        workload.operations = OperationMix::only(operation);
        workload.limits.time = Some(Nanos::from_secs(1));
        workload.limits.time_min = Some(Nanos::from_millis(250));
        workload.measures.estimand = Estimand::Sustained;
        workload
    }

    /// A hundred intervals of so many I/Os, give or take a share.
    #[expect(clippy::cast_possible_truncation, reason = "I/Os are whole")]
    fn trial(time: Nanos, ios_each: f64, deviation: f64) -> Trial {
        let mut random = Random::new(5);
        let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Time);
        outcome.elapsed = time;
        outcome.window = Some(Window::default());
        outcome.series = (1..=100)
            .map(|number| {
                let noise = (random.fraction() - 0.5) * 12_f64.sqrt();
                let ios = ios_each * (1.0 + deviation * noise);
                SeriesPoint {
                    at: Nanos(time.0 / 100 * number),
                    bytes: Bytes(ios as u64 * 4096),
                    ios: ios as u64,
                }
            })
            .collect();
        outcome.operations.push(OperationTally {
            bytes: Bytes(outcome.series.iter().map(|point| point.bytes.0).sum()),
            ios: outcome.series.iter().map(|point| point.ios).sum(),
            ..OperationTally::new(Operation::Read)
        });
        Trial {
            outcome,
            evidence: Default::default(),
            together: None,
        }
    }

    /// What the length comes to by a first trial of such intervals, and whether that is left out.
    fn learned(workload: &Workload, ios_each: f64, deviation: f64) -> (Option<Nanos>, bool) {
        let mut length = TrialLength::of(workload);
        let time = length.time().unwrap();
        let first = trial(time, ios_each, deviation);
        let is_left_out = length.leaves_out(&first, workload, PRECISION);
        assert!(!length.leaves_out(&first, workload, PRECISION));
        (length.time(), is_left_out)
    }

    #[test]
    fn a_trial_is_as_long_as_its_rate_needs_to_be_known() {
        let [read, write] = [Operation::Read, Operation::Write].map(workload);
        let is = |milliseconds, is_left_out| (Some(Nanos::from_millis(milliseconds)), is_left_out);
        assert_eq!(learned(&read, 1e4, 0.02), is(250, false));
        assert_eq!(learned(&read, 1e4, 0.14), is(500, false));
        assert_eq!(learned(&read, 1e4, 0.5), is(1_000, false));
        assert_eq!(learned(&write, 1e4, 0.02), is(250, true));
        assert_eq!(learned(&write, 1e4, 0.5), is(1_000, false));
    }

    #[test]
    fn few_ios_or_a_deep_queue_need_the_longest() {
        let read = workload(Operation::Read);
        assert_eq!(learned(&read, 0.5, 0.0), (read.limits.time, true));
        let deep = Workload { depth: 256, ..read };
        // 2,000 I/Os are eight fillings of its queue.
        assert_eq!(learned(&deep, 20.0, 0.0), (deep.limits.time, true));
        assert_eq!(learned(&deep, 200.0, 0.0), (deep.limits.time_min, false));
    }

    #[test]
    fn what_a_page_cache_takes_is_measured_by_trials_of_one_length() {
        let write = workload(Operation::Write);
        let mut length = TrialLength::of(&write);
        let mut first = trial(length.time().unwrap(), 1e4, 0.02);
        first.outcome.window = None;
        assert!(length.leaves_out(&first, &write, PRECISION));
    }

    #[test]
    fn a_length_that_is_asked_for_is_kept() {
        let mut fixed_length = workload(Operation::Read);
        fixed_length.limits.time_min = None;
        assert_eq!(
            learned(&fixed_length, 1e4, 0.0),
            (fixed_length.limits.time, false)
        );
        let mut work = workload(Operation::Read);
        work.measures.estimand = Estimand::Work;
        assert_eq!(learned(&work, 1e4, 0.0), (work.limits.time, false));
    }
}
