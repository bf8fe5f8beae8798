//! Surveys with what every workload may have: rates, pauses, snapshots.

use sokudo_engine::{Control, StageOptions, Target, run_stage};
use sokudo_model::{
    Bytes, Event, Nanos, Operation, OperationMix, Outcome, Rate, RateProcess, Rates, Sample,
    StopReason, Think, Visit, Workload,
};

use crate::builders::stage;
use crate::setup::{run_one, simulated};
use crate::surveys::{MIB, assert_is_sum_of_samples, first, survey, surveying, whole};

/// 4 samples of 16 blocks, with a read before each that does not count.
fn apart() -> Workload {
    let mut apart = survey(4, Visit::Ascending, Sample::Bytes(Bytes::kib(64)));
    apart.approach = Some(Bytes(4096));
    first(256 * MIB, surveying(apart, 4096, 1))
}

fn constant() -> Target {
    simulated("sim:const?size=1GiB&latency=100us&jitter=0s")
}

fn assert_lasts_ms(outcome: &Outcome, milliseconds: std::ops::RangeInclusive<u64>) {
    assert_is_sum_of_samples(outcome);
    let elapsed = outcome.elapsed.0 / 1_000_000;
    assert!(milliseconds.contains(&elapsed), "{:?}", outcome.elapsed);
    let all: u64 = outcome.samples.iter().map(|place| place.elapsed.0).sum();
    assert_eq!(all, outcome.elapsed.0);
}

#[test]
fn a_rate_is_that_of_what_is_measured() {
    let rate = Some(Rate::Iops(1_000));
    // 256 I/Os, the last of which starts after 255 ms.
    let running_on = with!(first(MIB, whole(4, 4096, 1)), pacing.rate = rate);
    let outcome = run_one(running_on, &mut constant());
    assert_lasts_ms(&outcome, 254..=256);
    let from_intended = &outcome.operations[0].latency_from_intended;
    assert_eq!(from_intended.as_ref().unwrap().max(), Some(100_000));
    // 64 of them; the way to the samples counts for nothing, and is not made good for.
    let with_gaps = with!(apart(), pacing.rate = rate);
    let outcome = run_one(with_gaps, &mut constant());
    assert_lasts_ms(&outcome, 62..=64);
    let of_reads = with!(
        apart(),
        pacing.rates = Rates {
            each: [rate, None, None],
            process: RateProcess::Linear,
        }
    );
    assert_lasts_ms(&run_one(of_reads, &mut constant()), 62..=64);
}

#[test]
fn what_is_read_to_be_written_back_has_no_part_in_the_rate() {
    let mut workload = with!(
        apart(),
        operations = OperationMix::only(Operation::Write),
        pacing.rate = Some(Rate::Iops(1_000))
    );
    if let Some(survey) = workload.survey_mut() {
        survey.write_back = true;
    }
    let outcome = run_one(workload, &mut constant());
    assert_eq!(outcome.ios(), 64);
    assert_lasts_ms(&outcome, 62..=65);
}

#[test]
fn pauses_are_part_of_a_sample() {
    let workload = with!(
        apart(),
        pacing.think = Some(Think::new(Nanos::from_millis(1), 1))
    );
    let outcome = run_one(workload, &mut constant());
    // Each I/O takes 0.1 ms, and each but the first is 1 ms after the one before.
    assert_lasts_ms(&outcome, 65..=71);
}

#[test]
fn every_sample_of_some_time_has_an_io_however_late_it_is_due() {
    let timed = || {
        let timed = survey(10, Visit::Ascending, Sample::Time(Nanos::from_micros(50)));
        surveying(timed, 4096, 1)
    };
    // A sample is over when its I/O is done; that of the next one is due much later.
    let at_a_rate = with!(timed(), pacing.rate = Some(Rate::Iops(100)));
    let with_pauses = with!(
        timed(),
        pacing.think = Some(Think::new(Nanos::from_millis(10), 1))
    );
    for workload in [at_a_rate, with_pauses] {
        let outcome = run_one(workload, &mut constant());
        let ios: Vec<u64> = outcome.samples.iter().map(|place| place.ios).collect();
        assert_eq!(ios, [1; 10]);
        assert_lasts_ms(&outcome, 90..=101);
    }
}

#[test]
fn time_that_does_not_count_is_no_part_of_a_rate_that_a_limit_ends() {
    let one = Sample::Bytes(Bytes(4096));
    let mut with_gaps = surveying(survey(1_000, Visit::Ascending, one), 4096, 1);
    with_gaps.survey_mut().unwrap().approach = Some(Bytes(4096));
    with_gaps.pacing.rate = Some(Rate::Iops(1_000_000));
    // The limit comes when the 51st sample is approached, after 0.1 ms at each of 50.
    with_gaps.limits.time = Some(Nanos::from_micros(10_050));
    let outcome = run_one(with_gaps, &mut constant());
    assert_eq!(
        (outcome.samples.len(), outcome.stopped),
        (50, StopReason::Time)
    );
    assert_lasts_ms(&outcome, 5..=5);
}

#[test]
fn what_was_surveyed_so_far_can_be_looked_at() {
    let stage = stage([whole(100, MIB, 8)]);
    let options = with!(
        StageOptions::default(),
        snapshot_every = Some(std::time::Duration::from_secs(10))
    );
    let mut snapshots = Vec::new();
    let outcomes = run_stage(
        &stage,
        options,
        &mut [simulated("sim:hdd?size=64GiB")],
        &Control::new(),
        &mut |event| {
            if let Event::Snapshot { outcome, .. } = event {
                snapshots.push(outcome);
            }
        },
    );
    let outcome = outcomes.unwrap().remove(0);
    assert!(snapshots.len() > 10, "{}", snapshots.len());
    assert!(snapshots.is_sorted_by_key(|snapshot| snapshot.bytes_moved()));
    let mut grown = 0;
    for snapshot in snapshots {
        assert_eq!(snapshot.started_after, outcome.started_after);
        assert!(snapshot.elapsed <= outcome.elapsed);
        let [seen, all] = [&snapshot, &outcome].map(|it| it.samples.as_slice());
        assert!(seen.len() < all.len() && seen.len() >= grown, "{grown}");
        for (seen, place) in seen.iter().zip(all) {
            assert_eq!((seen.offset, seen.bytes), (place.offset, place.bytes));
        }
        grown = seen.len();
    }
    assert!(grown > 80, "{grown}");
}
