use sokudo_model::{Bytes, OperationMix, SeriesPoint};

use crate::fio::output::sample::Sample;

use super::*;

fn latencies(values: &[u64]) -> LatencyClasses {
    let mut histogram = Histogram::new();
    values.iter().for_each(|value| histogram.record(*value));
    let mut classes = LatencyClasses::default();
    classes.count(&histogram);
    classes
}

#[test]
fn latencies_fall_into_the_classes_of_fio() {
    let classes = latencies(&[0, 1, 2, 3, 9, 249, 250, 760, 999]);
    assert_eq!(classes.nanos, [2, 2, 1, 0, 0, 0, 1, 1, 0, 2]);
    // Ends that lie between buckets are exact, others within 1/128.
    let classes = latencies(&[1_000, 2_050, 260_000, 770_000, 990_000]);
    assert_eq!(classes.micros, [1, 1, 0, 0, 0, 0, 0, 1, 0, 2]);
    let classes = latencies(&[1_020_000, 1_500_000_000, 2_100_000_000, u64::MAX]);
    assert_eq!(classes.millis, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
}

#[test]
fn a_cut_off_interval_is_no_sample() {
    let mut sample = Sample::new(&["a"]);
    let cut_off = SeriesPoint {
        at: Nanos::from_millis(2_020),
        bytes: Bytes(1 << 30),
        ios: 9,
    };
    let empty = SeriesPoint {
        at: Nanos::from_millis(2_500),
        ..SeriesPoint::default()
    };
    let read = &mut sample.outcome(0).operations[0].series;
    read.extend([cut_off, empty]);
    let figures = jobs(&sample.report());
    let bandwidth = &figures[0].directions[0].bandwidth;
    assert_eq!((bandwidth.samples, bandwidth.max), (4, 4_000));
}

#[test]
fn intervals_without_ios_may_be_left_out_of_a_series() {
    let mut sample = Sample::new(&["a"]);
    sample.outcome(0).operations[0].series.drain(1..3);
    let figures = jobs(&sample.report());
    let bandwidth = &figures[0].directions[0].bandwidth;
    assert_eq!((bandwidth.samples, bandwidth.min), (2, 4_000));
}

#[test]
fn reads_that_only_check_have_a_run_time_of_their_own() {
    let mut sample = Sample::new(&["a"]);
    sample.run.rows[0].workload.operations = OperationMix::only(Operation::Write);
    let outcome = sample.outcome(0);
    outcome.operations[0].elapsed = Nanos::from_millis(42);
    outcome.operations[1].elapsed = Nanos::from_millis(2_048);
    let figures = jobs(&sample.report());
    let runtimes = [0, 1].map(|direction| figures[0].directions[direction].runtime_ms);
    assert_eq!(runtimes, [42, 2_048]);
}

#[test]
fn groups_have_the_range_of_their_jobs() {
    let mut sample = Sample::new(&["a", "b", "c"]);
    sample.session.jobs[2].group = 1;
    let outcome = sample.outcome(1);
    outcome.elapsed = Nanos::from_secs(4);
    for tally in &mut outcome.operations {
        tally.elapsed = Nanos::from_secs(4);
    }
    let groups = groups(&jobs(&sample.report()));
    assert_eq!(groups.len(), 2);
    let read = &groups[0].directions[0];
    assert_eq!(read.runtime_ms, [2_001, 4_000]);
    assert_eq!(read.bandwidth, [2_048_000, 8_192_000_000 / 2_001]);
    assert_eq!(read.aggregate, 2 * 2_048_000, "over the longest run time");
    let mixed = GroupDirection::mixed(&groups[0].directions);
    assert_eq!(mixed.bytes, 2 * 3_000 * 4_096);
    assert_eq!(mixed.bandwidth[0], 1_024_000);
    assert_eq!(groups[1].directions[0].runtime_ms, [2_001, 2_001]);
}
