//! The slowest places of a survey, read again after all that was to be measured: a place that is
//! slow again is the drive's affair, one that is not had met something that has passed.

use std::cmp::Reverse;

use sokudo_engine::Control;
use sokudo_model::{
    Bytes, Limits, Nanos, Operation, Plan, Row, Sample, SlowIo, SlowPlace, SlowPlaces, Span, Stage,
    Survey, Visit, Workload,
};
use sokudo_stats::Histogram;

use crate::campaign;
use crate::subject::PreparedTargets;

/// Places that are read again: a list that somebody reads, and no scan of its own.
const PLACES_MAX: usize = 10;

/// I/Os below which quartiles say little.
const IOS_MIN: u64 = 40;

/// Trials of this kind have chance of their own, beside those of rows and of comparisons.
const FIRST_TRIAL: u32 = 1 << 21;

/// Finds the slow places of each row and reads them again. What goes wrong leaves them as they
/// were seen: the row has been measured.
pub(crate) fn read_again(
    plan: &Plan,
    rows: &mut [Row],
    subject: &mut PreparedTargets,
    control: &Control,
) {
    let workloads = plan.stages.iter().flat_map(|stage| &stage.workloads);
    for (workload, row) in workloads.zip(rows) {
        let Some(mut slow) = slow_places(row) else {
            continue;
        };
        for (number, place) in (0u32..).zip(&mut slow.places) {
            if control.is_cancelled() {
                break;
            }
            place.again = again(plan, workload, place, number, subject, control);
        }
        row.slow = Some(Box::new(slow));
    }
}

/// What of a row took far longer than the rest; `None` where that was not looked for.
fn slow_places(row: &Row) -> Option<SlowPlaces> {
    let outcomes = || row.trials.iter().map(|trial| &trial.outcome);
    let survey = row.workload.survey.filter(|survey| survey.places > 1)?;
    if !matches!(survey.visit, Visit::Ascending | Visit::Shuffled) {
        return None;
    }
    let mut latency = Histogram::new();
    for tally in outcomes().filter_map(|outcome| outcome.operation(Operation::Read)) {
        latency.merge(&tally.latency);
    }
    if latency.count() < IOS_MIN {
        return None;
    }
    let limit = SlowPlaces::limit_of(&latency)?;
    let mut slowest: Vec<SlowIo> = outcomes()
        .flat_map(|outcome| &outcome.slowest)
        .filter(|io| io.latency > limit)
        .copied()
        .collect();
    slowest.sort_by_key(|io| (Reverse(io.latency), io.offset));
    // I/Os that were in flight with a slow one had to wait for it.
    let held_up = queue_bytes(&row.workload);
    let mut places: Vec<SlowPlace> = Vec::new();
    for io in slowest {
        let is_apart = |place: &SlowPlace| place.offset.0.abs_diff(io.offset.0) > held_up;
        if places.len() < PLACES_MAX && places.iter().all(is_apart) {
            places.push(SlowPlace {
                offset: io.offset,
                length: io.length,
                latency: io.latency,
                again: None,
            });
        }
    }
    Some(SlowPlaces { limit, places })
}

/// Bytes that are in flight at the same time.
fn queue_bytes(workload: &Workload) -> u64 {
    let block = workload.blocks.largest().0;
    block.saturating_mul(workload.depth.into())
}

/// The slowest I/O there when the place, with a queue before it and one behind it, is read as
/// before.
fn again(
    plan: &Plan,
    workload: &Workload,
    place: &SlowPlace,
    number: u32,
    subject: &mut PreparedTargets,
    control: &Control,
) -> Option<Nanos> {
    let queue = queue_bytes(workload);
    let own = *workload.targets().first()?;
    let target = subject.opened.get(own)?.info.size_bytes?.0;
    let start = place.offset.0.saturating_sub(queue);
    let end = place
        .offset
        .0
        .saturating_add(place.length.0.saturating_add(queue));
    let length = end.min(target).checked_sub(start)?;
    let span = Some(Span {
        offset: Bytes(start),
        length: Bytes(length),
    });
    let mut files = workload.files.clone();
    files.uses.iter_mut().for_each(|part| part.span = span);
    let reread = Workload {
        span,
        files,
        survey: Some(Survey {
            timeout: workload.survey?.timeout,
            // Several places, so that I/Os are kept with their offsets.
            ..Survey::new(2, Visit::Ascending, Sample::Whole)
        }),
        limits: Limits::default(),
        ..workload.clone()
    };
    let plan = Plan {
        stages: vec![Stage::alone(reread)],
        ..plan.clone()
    };
    let trial = FIRST_TRIAL + number;
    let trial = campaign::trial(&plan, 0, trial, subject, control, &mut |_| ()).ok()?;
    let outcome = trial.outcome;
    let is_whole = outcome.failures.is_empty() && outcome.bytes_moved().0 == length;
    // The way there is part of the I/Os before the place.
    let there = outcome
        .slowest
        .iter()
        .filter(|io| io.offset >= place.offset);
    let slowest = there.map(|io| io.latency).max();
    slowest.filter(|_| is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{BackendKind, OperationTally, Outcome, StopReason, Trial, TrialEvidence};

    const MIB: u64 = 1 << 20;

    fn row(slowest: &[(u64, u64)]) -> Row {
        let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Bytes);
        let mut reads = OperationTally::new(Operation::Read);
        (0..200).for_each(|_| reads.latency.record(5_000_000));
        reads.ios = 200;
        outcome.operations.push(reads);
        let io = |(mib, millis): &(u64, u64)| SlowIo {
            offset: Bytes(mib * MIB),
            length: Bytes(MIB),
            latency: Nanos(millis * 1_000_000),
        };
        outcome.slowest = slowest.iter().map(io).collect();
        let workload = Workload {
            depth: 8,
            survey: Some(Survey::new(200, Visit::Ascending, Sample::Whole)),
            ..Workload::new("TRANSFER", Bytes(MIB))
        };
        let mut row = Row::new(workload);
        row.trials.push(Trial {
            outcome,
            evidence: TrialEvidence::default(),
            together: None,
        });
        row
    }

    #[test]
    fn neighbours_in_flight_are_one_place_and_what_is_usual_is_none() {
        let seen = [(500, 90), (501, 89), (493, 80), (900, 700), (100, 9)];
        let slow = slow_places(&row(&seen)).unwrap();
        let places: Vec<u64> = slow.places.iter().map(|it| it.offset.0 / MIB).collect();
        assert_eq!(places, [900, 500]);
    }

    #[test]
    fn a_list_of_slow_places_has_an_end() {
        let many: Vec<(u64, u64)> = (0..60).map(|number| (number * 100, 100 + number)).collect();
        let slow = slow_places(&row(&many)).unwrap();
        assert_eq!(slow.places.len(), PLACES_MAX);
        assert_eq!(slow.places[0].offset.0, 5_900 * MIB);
    }
}
