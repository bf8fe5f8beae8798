//! Surveys for tests: how they are asked for, and what is true of every outcome.

#![allow(dead_code, reason = "each program of tests uses its part")]

use sokudo_model::{
    Bytes, Operation, OperationMix, Outcome, Sample, StopReason, Survey, Visit, Work, Workload,
};

use super::builders::span;

pub(crate) const MIB: u64 = 1 << 20;

pub(crate) fn survey(places: u32, visit: Visit, sample: Sample) -> Survey {
    Survey::new(places, visit, sample)
}

pub(crate) fn surveying(survey: Survey, block: u64, depth: u32) -> Workload {
    with!(
        Workload::new("survey", Bytes(block)),
        work = Work::Survey(survey),
        depth = depth
    )
}

pub(crate) fn whole(places: u32, block: u64, depth: u32) -> Workload {
    surveying(
        survey(places, Visit::Ascending, Sample::Whole),
        block,
        depth,
    )
}

/// Only the first bytes of the target.
pub(crate) fn first(bytes: u64, workload: Workload) -> Workload {
    let span = span(0, bytes);
    with!(workload, span = Some(span))
}

/// The outcome is the sum over its places.
pub(crate) fn assert_is_sum_of_samples(outcome: &Outcome) {
    let bytes: u64 = outcome.samples.iter().map(|place| place.bytes.0).sum();
    let ios: u64 = outcome.samples.iter().map(|place| place.ios).sum();
    assert_eq!((bytes, ios), (outcome.bytes_moved().0, outcome.ios()));
    let elapsed: u64 = outcome.samples.iter().map(|place| place.elapsed.0).sum();
    assert!(
        elapsed <= outcome.elapsed.0,
        "{elapsed} {:?}",
        outcome.elapsed
    );
}

pub(crate) fn writing_back(places: u32, sample: Sample, block: u64, depth: u32) -> Workload {
    let mut survey = survey(places, Visit::Ascending, sample);
    survey.write_back = true;
    survey.approach = Some(Bytes(4096));
    with!(
        surveying(survey, block, depth),
        operations = OperationMix::only(Operation::Write)
    )
}

pub(crate) fn assert_wrote(outcome: &Outcome, bytes: u64, places: usize) {
    assert_eq!(outcome.bytes_moved(), Bytes(bytes));
    assert_eq!(outcome.operation(Operation::Write).unwrap().bytes.0, bytes);
    assert!(
        outcome.operation(Operation::Read).is_none(),
        "reads are not measured"
    );
    assert_eq!(
        outcome.operation(Operation::Flush).unwrap().ios,
        places as u64
    );
    assert_eq!(outcome.samples.len(), places);
    // What was written was read before, and the approach twice.
    assert_eq!(outcome.read_aside.0, bytes + 2 * 4096 * places as u64);
    assert_eq!(outcome.stopped, StopReason::Bytes);
    assert_is_sum_of_samples(outcome);
}
