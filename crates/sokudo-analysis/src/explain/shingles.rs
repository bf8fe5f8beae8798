//! Drive-managed shingled recording: small writes go to a persistent cache on the platters
//! at speed; when that is full, each of them waits for whole bands to be cleaned, and the
//! drive says nothing for the better part of a second or longer; left alone, it cleans by
//! itself and is fast again (Aghayev and Desnoyers, "Skylight", 2015).
//!
//! That nothing of it is seen proves nothing: a cache that did not fill looks like none.

use sokudo_model::{Inference, Operation, Order, Outcome, Run, Workload};
use sokudo_words::{Text, text};

use super::evidence::{figure, median, outcomes, sure, to_float};
use super::rotation;
use super::threshold::{
    CLEANING_PAUSE_SECONDS_MIN, CLEANING_PAUSES_MIN, CLEANING_SHARE_MIN, CLEANING_SLOWER_MIN,
    RECOVERED_RATIO_MIN, RECOVERY_REST_SECONDS_MIN,
};
use crate::rule::InferenceRule;

pub(super) const RULES: &[InferenceRule] = &[shingled];

/// What happened in small random writes over time.
#[derive(Clone, Debug, Default)]
struct Course {
    /// Writes between the pauses.
    runs: Vec<u64>,
    /// Lengths of the pauses, seconds.
    pauses: Vec<f64>,
    /// When the first pause began, seconds from the start.
    first_pause_at: f64,
    seconds: f64,
}

fn shingled(run: &Run) -> Option<Inference> {
    rotation::turn(run)?;
    let (fill, course) = outcomes(run, |workload| {
        is_piecemeal(workload) && !is_rested(workload)
    })
    .map(|(workload, outcome)| (workload, course(outcome)))
    .max_by_key(|(_, course)| course.pauses.len())?;
    let absorbed = *course.runs.first()?;
    let fast = to_float(absorbed) / course.first_pause_at;
    let after = course.seconds - course.first_pause_at;
    let later: Vec<f64> = course.runs[1..].iter().map(|ios| to_float(*ios)).collect();
    let slow = later.iter().sum::<f64>() / after;
    let paused = course.pauses.iter().sum::<f64>() / after;
    let collapses = course.pauses.len() >= CLEANING_PAUSES_MIN
        && paused >= CLEANING_SHARE_MIN
        && fast >= slow * CLEANING_SLOWER_MIN;
    if !collapses {
        return None;
    }
    let between = median(&later)?.max(1.0);
    let recovered = outcomes(run, |workload| {
        is_piecemeal(workload) && is_rested(workload)
    })
    .map(|(_, outcome)| course_longest(outcome))
    .max();
    let recovers = recovered.is_some_and(|run| to_float(run) >= between * RECOVERED_RATIO_MIN);
    let after_rest = recovered.map(|run| text!("and after a rest {run} writes in one go"));
    let seen = text!(
        "{absorbed} small random writes at {fast:.0} a second, then {slow:.1} a second with {pauses} pauses of {pause_s:.1} s",
        pauses = course.pauses.len(),
        pause_s = median(&course.pauses)?
    );
    let block = to_float(fill.blocks.largest().0);
    Some(Inference {
        code: "shingled-recording".to_owned(),
        claim: text!(
            "drive-managed shingled recording (SMR): a persistent cache that was full after {absorbed} small writes, then cleaning"
        ),
        figures: vec![
            figure("absorbed_writes", to_float(absorbed)),
            figure("absorbed_bytes", to_float(absorbed) * block),
            figure("fast_writes_per_s", fast),
            figure("cleaning_writes_per_s", slow),
            figure("pause_median_s", median(&course.pauses)?),
        ],
        confidence: sure(recovers && is_durable(fill)),
        evidence: Text::list([seen].into_iter().chain(after_rest), ", "),
    })
}

/// Small random writes over all of the target.
fn is_piecemeal(workload: &Workload) -> bool {
    workload.operations.single() == Some(Operation::Write)
        && matches!(workload.order, Order::Random { .. })
        && workload.survey.is_none()
        && workload.span.is_none()
        && workload.blocks.largest().0 <= 64 << 10
}

/// Whether each write was durable before the next one. A conventional drive that collects
/// writes in its memory and writes them out in batches pauses as well, and is fast again
/// after a rest; only of what does not stay in memory is that no explanation.
fn is_durable(workload: &Workload) -> bool {
    let durability = &workload.durability;
    let every = |count: Option<u32>| count == Some(1);
    durability.write_through || every(durability.fsync_every) || every(durability.fdatasync_every)
}

/// Whether the target was left alone before.
fn is_rested(workload: &Workload) -> bool {
    workload.starts_after.as_secs_f64() >= RECOVERY_REST_SECONDS_MIN
}

fn course(outcome: &Outcome) -> Course {
    let mut course = Course::default();
    let (mut ios, mut last_at, mut silent_from) = (0, 0.0, None);
    for point in &outcome.series {
        let at = point.at.as_secs_f64();
        if point.ios == 0 {
            silent_from.get_or_insert(last_at);
        } else {
            course.end_silence(silent_from.take(), last_at, &mut ios);
            ios += point.ios;
        }
        last_at = at;
    }
    course.end_silence(silent_from, last_at, &mut ios);
    course.runs.push(ios);
    course.seconds = last_at;
    course
}

impl Course {
    fn end_silence(&mut self, from: Option<f64>, to: f64, ios: &mut u64) {
        let Some(from) = from.filter(|from| to - from >= CLEANING_PAUSE_SECONDS_MIN) else {
            return;
        };
        if self.pauses.is_empty() {
            self.first_pause_at = from;
        }
        self.pauses.push(to - from);
        self.runs.push(std::mem::take(ios));
    }
}

fn course_longest(outcome: &Outcome) -> u64 {
    course(outcome).runs.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use sokudo_model::{Nanos, SeriesPoint};

    /// Tenths of a second, each with so many writes.
    fn outcome(ios: &[u64]) -> Outcome {
        let mut outcome = sample::writes().rows[0].trials[0].outcome.clone();
        let point = |(index, ios): (usize, &u64)| SeriesPoint {
            at: Nanos::from_millis(100 * (index as u64 + 1)),
            bytes: sokudo_model::Bytes(ios * 4096),
            ios: *ios,
        };
        outcome.series = ios.iter().enumerate().map(point).collect();
        outcome
    }

    #[test]
    fn silence_parts_the_writes_into_runs() {
        let course = course(&outcome(&[900, 800, 0, 0, 0, 5, 0, 6, 0, 0, 0, 0, 7]));
        assert_eq!(course.runs, [1_700, 11, 7]);
        let lengths: Vec<i64> = course
            .pauses
            .iter()
            .map(|pause| (pause * 10.0).round() as i64)
            .collect();
        assert_eq!(lengths, [3, 4]);
        assert!((course.first_pause_at - 0.2).abs() < 1e-9);
    }

    #[test]
    fn only_of_writes_that_stay_in_no_memory_pauses_are_certain() {
        let with = |change: fn(&mut Workload)| {
            let mut workload = sample::writes().rows[0].workload.clone();
            change(&mut workload);
            is_durable(&workload)
        };
        assert!(!with(|_| ()));
        assert!(with(|it| it.durability.write_through = true));
        assert!(with(|it| it.durability.fdatasync_every = Some(1)));
        assert!(!with(|it| it.durability.fsync_every = Some(64)));
        assert!(!with(|it| it.durability.final_flush = true));
    }

    #[test]
    fn a_disk_that_is_only_slow_has_no_pauses() {
        let course = course(&outcome(&[900, 15, 15, 0, 14, 15, 16]));
        assert!(course.pauses.is_empty());
        assert_eq!(course.runs, [975]);
    }
}
