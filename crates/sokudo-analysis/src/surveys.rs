//! How rows with a survey are judged: tests only, since the rules are those of all rows.

use sokudo_model::Verdict::{Unverified, Verified};
use sokudo_model::{
    Bytes, Defect, FailureKind, IoFailure, Nanos, Operation, Place, Run, Sample, StopReason,
    Survey, TargetKind, Visit,
};

use crate::sample::{check, each_count, each_outcome, reads_with, spoilt, text_of, writes_with};

const EIO: FailureKind = FailureKind::Errno(5);

fn survey(sample: Sample) -> Survey {
    Survey {
        places: 100,
        visit: Visit::Ascending,
        sample,
        approach: None,
        write_back: false,
    }
}

/// A clean row of reads at 100 places.
fn surveyed(sample: Sample) -> Run {
    reads_with(|run| {
        run.target.kind = TargetKind::BlockDevice;
        run.rows[0].workload.survey = Some(survey(sample));
        run.rows[0].workload.limits.time = None;
        each_outcome(run, |outcome| {
            let place = Place {
                offset: Bytes(0),
                bytes: Bytes(409_600),
                ios: 100,
                elapsed: Nanos::from_millis(10),
                latency_max: Nanos::from_micros(100),
                distance: None,
            };
            outcome.places = vec![place; 100];
            outcome.stopped = StopReason::Bytes;
        });
    })
}

fn failed(run: &mut Run, kind: FailureKind, count: u64) {
    let failure = IoFailure {
        operation: Operation::Read,
        kind,
        offset: Bytes(8192),
        count,
    };
    each_outcome(run, |outcome| outcome.failures = vec![failure.clone()]);
}

fn defective(run: &mut Run, count: u64) {
    failed(run, EIO, count);
    let defect = |number| Defect {
        operation: Operation::Read,
        offset: Bytes(8192 + number * 8192),
        length: Bytes(512),
        kind: EIO,
    };
    each_outcome(run, |outcome| {
        outcome.defects = (0..count).map(defect).collect()
    });
}

#[test]
fn a_survey_is_judged_like_any_row() {
    check(vec![
        (
            "samples",
            surveyed(Sample::Bytes(Bytes(409_600))),
            &[],
            Verified,
        ),
        ("whole", surveyed(Sample::Whole), &[], Verified),
    ]);
}

#[test]
fn what_was_read_beside_is_expected_at_the_devices() {
    let beside = |percent: u64| {
        spoilt(surveyed(Sample::Whole), |run| {
            each_outcome(run, |outcome| outcome.read_aside = Bytes(20_000_000));
            each_count(run, |device| device.read_bytes += 200_000 * percent);
        })
    };
    check(vec![
        ("there", beside(100), &[], Verified),
        (
            "missing",
            beside(0),
            &["not-from-device"],
            sokudo_model::Verdict::Invalid,
        ),
        ("more", beside(200), &["foreign-io"], Unverified),
    ]);
}

#[test]
fn requests_that_fail_are_counted_by_devices_and_are_not_foreign() {
    let run = spoilt(surveyed(Sample::Whole), |run| {
        defective(run, 200);
        each_count(run, |device| device.read_bytes += 3 * 200 * 4096);
    });
    check(vec![("defects", run, &["unreadable"], Unverified)]);
}

#[test]
fn a_queue_that_is_emptied_between_places_is_no_missing_depth() {
    let deep = |sample| spoilt(surveyed(sample), |run| run.rows[0].workload.depth = 8);
    check(vec![
        (
            "samples",
            deep(Sample::Bytes(Bytes(409_600))),
            &[],
            Verified,
        ),
        (
            "whole",
            deep(Sample::Whole),
            &["depth-not-reached"],
            Unverified,
        ),
    ]);
}

#[test]
fn the_last_block_of_a_place_may_be_shorter() {
    let shorter = |bytes: u64| {
        spoilt(surveyed(Sample::Whole), |run| {
            each_outcome(run, |outcome| outcome.operations[0].bytes.0 -= bytes);
            each_count(run, |device| device.read_bytes -= bytes);
        })
    };
    check(vec![
        ("of each place", shorter(100 * 4_000), &[], Verified),
        (
            "of more",
            shorter(101 * 4_096),
            &["breach-bytes"],
            Unverified,
        ),
    ]);
}

#[test]
fn what_is_written_back_is_settled_by_the_flush_of_its_place() {
    let run = writes_with(|run| {
        crate::sample::buffered(run);
        let mut survey = survey(Sample::Bytes(Bytes(4096)));
        survey.write_back = true;
        run.rows[0].workload.survey = Some(survey);
    });
    let mut told = run.clone();
    crate::judge(&mut told);
    let findings = &told.rows[0].assessment.as_ref().unwrap().findings;
    assert!(
        findings.iter().all(|it| it.code != "buffered-writes"),
        "{findings:?}"
    );
}

#[test]
fn unreadable_ranges_are_named_once_with_the_way_out() {
    let run = |count| spoilt(surveyed(Sample::Whole), |run| defective(run, count));
    check(vec![("one", run(1), &["unreadable"], Unverified)]);
    let one = text_of(run(1), "unreadable");
    assert!(
        one.starts_with("512 B in 1 range cannot be read: 512 B at byte 8192 |"),
        "{one}"
    );
    assert!(one.contains("copy what the disk holds now"), "{one}");
    let many = text_of(run(7), "unreadable");
    assert!(
        many.contains("in 7 ranges") && many.contains("and 3 more"),
        "{many}"
    );
}

#[test]
fn a_survey_that_ended_as_failed_is_of_a_device_that_is_gone() {
    let ended = |kind| {
        spoilt(surveyed(Sample::Whole), |run| {
            failed(run, kind, 3);
            each_outcome(run, |outcome| outcome.stopped = StopReason::Failed);
        })
    };
    check(vec![
        ("EIO", ended(EIO), &["device-vanished"], Unverified),
        (
            "nothing",
            ended(FailureKind::Nothing),
            &["device-vanished"],
            Unverified,
        ),
        (
            "EINVAL",
            ended(FailureKind::Errno(22)),
            &["io-errors"],
            Unverified,
        ),
    ]);
    let passing = spoilt(surveyed(Sample::Whole), |run| failed(run, EIO, 1));
    check(vec![("read again", passing, &["io-errors"], Unverified)]);
}
