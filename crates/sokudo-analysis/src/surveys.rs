//! How rows with a survey are judged: tests only, since the rules stand with those of all
//! rows.

use sokudo_model::Verdict::{Unverified, Verified};
use sokudo_model::{
    Bytes, Defect, FailureKind, IoFailure, Nanos, Operation, Run, Sample, StopReason, Survey,
    SurveySample, TargetKind, Visit, Work,
};

use crate::sample::{check, each_count, each_outcome, reads_with, says, spoilt, writes_with};

const EIO: FailureKind = FailureKind::Errno(5);

fn survey(sample: Sample) -> Survey {
    Survey::new(100, Visit::Ascending, sample)
}

/// A hundredth of a clean trial.
fn clean_sample() -> SurveySample {
    SurveySample {
        offset: Bytes(0),
        bytes: Bytes(409_600),
        ios: 100,
        elapsed: Nanos::from_millis(10),
        latency_max: Nanos::from_micros(100),
        distance: None,
    }
}

/// A clean row of reads at 100 places.
fn surveyed(sample: Sample) -> Run {
    reads_with(|run| {
        run.target.kind = TargetKind::BlockDevice;
        run.rows[0].workload.work = Work::Survey(survey(sample));
        run.rows[0].workload.limits.time = None;
        each_outcome(run, |outcome| {
            outcome.samples = vec![clean_sample(); 100];
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
    check! {
        "samples": surveyed(Sample::Bytes(Bytes(409_600))) => [], Verified;
        "whole": surveyed(Sample::Whole) => [], Verified;
    }
}

#[test]
fn processes_side_by_side_take_the_time_of_the_trial_each() {
    let side_by_side = |threads, taken| {
        spoilt(surveyed(Sample::Whole), |run| {
            run.rows[0].workload.threads = threads;
            each_outcome(run, |outcome| {
                for sample in &mut outcome.samples {
                    sample.elapsed.0 = sample.elapsed.0 * taken / 100;
                }
            });
        })
    };
    check! {
        "one": side_by_side(1, 290) => ["breach-samples"], Unverified;
        // The sample's I/Os are those of one.
        "three": side_by_side(3, 290) => ["depth-not-reached"], Unverified;
        "three, and longer": side_by_side(3, 320) => ["breach-samples", "depth-not-reached"], Unverified;
    }
}

#[test]
fn what_was_read_beside_is_expected_at_the_devices() {
    let beside = |percent: u64| {
        spoilt(surveyed(Sample::Whole), |run| {
            each_outcome(run, |outcome| outcome.read_aside = Bytes(20_000_000));
            each_count(run, |device| device.read_bytes += 200_000 * percent);
        })
    };
    check! {
        "there": beside(100) => [], Verified;
        "missing": beside(0) => ["not-from-device"], sokudo_model::Verdict::Invalid;
        "more": beside(200) => ["foreign-io"], Unverified;
    }
}

#[test]
fn requests_that_fail_are_counted_by_devices_and_are_not_foreign() {
    let run = spoilt(surveyed(Sample::Whole), |run| {
        defective(run, 200);
        each_count(run, |device| device.read_bytes += 3 * 200 * 4096);
    });
    check! {
        "defects": run => ["unreadable"], Unverified;
    }
}

#[test]
fn a_queue_that_is_emptied_between_places_is_no_missing_depth() {
    let deep = |sample| spoilt(surveyed(sample), |run| run.rows[0].workload.depth = 8);
    check! {
        "samples": deep(Sample::Bytes(Bytes(409_600))) => [], Verified;
        "whole": deep(Sample::Whole) => ["depth-not-reached"], Unverified;
    }
}

#[test]
fn the_last_block_of_a_place_may_be_shorter() {
    let shorter = |bytes: u64| {
        spoilt(surveyed(Sample::Whole), |run| {
            each_outcome(run, |outcome| {
                outcome.operations[0].bytes.0 -= bytes;
                let mut rest = bytes;
                for sample in &mut outcome.samples {
                    let less = rest.min(5_000);
                    sample.bytes.0 -= less;
                    rest -= less;
                }
                assert_eq!(rest, 0);
            });
            each_count(run, |device| device.read_bytes -= bytes);
        })
    };
    check! {
        "of each place": shorter(100 * 4_000) => [], Verified;
        "of more": shorter(101 * 4_096) => ["breach-bytes"], Unverified;
    }
}

#[test]
fn the_samples_are_all_of_the_trial() {
    let first = |change: fn(&mut SurveySample)| {
        spoilt(surveyed(Sample::Whole), |run| {
            each_outcome(run, |outcome| change(&mut outcome.samples[0]));
        })
    };
    let breach = &["breach-samples"];
    check! {
        "a byte less": first(|it| it.bytes.0 -= 1) => breach, Unverified;
        "a byte more": first(|it| it.bytes.0 += 1) => breach, Unverified;
        "1.9 % longer": first(|it| it.elapsed.0 += 19_000_000) => [], Verified;
        "2.1 % longer": first(|it| it.elapsed.0 += 21_000_000) => breach, Unverified;
        "no sample at all": spoilt(surveyed(Sample::Whole), |run| {
            each_outcome(run, |outcome| outcome.samples.clear());
        }) => breach, Unverified;
    }
    let cut = |failure: Option<FailureKind>| {
        spoilt(surveyed(Sample::Whole), |run| {
            if let Some(kind) = failure {
                failed(run, kind, 1);
            }
            each_outcome(run, |outcome| {
                outcome.elapsed.0 = outcome.elapsed.0 / 100 * 103
            });
        })
    };
    let (codes, _) = crate::sample::judged(cut(None));
    assert!(codes.contains(&"breach-samples".to_owned()), "{codes:?}");
    let (codes, _) = crate::sample::judged(cut(Some(EIO)));
    assert!(!codes.contains(&"breach-samples".to_owned()), "{codes:?}");
}

#[test]
fn no_sample_is_faster_than_its_ios() {
    // 100 I/Os of 100 µs at depth 1 take 10 ms.
    let moved = |ns: u64| {
        spoilt(surveyed(Sample::Whole), |run| {
            each_outcome(run, |outcome| {
                outcome.samples[3].elapsed.0 -= ns;
                outcome.samples[4].elapsed.0 += ns;
            });
        })
    };
    check! {
        "1.9 % faster": moved(190_000) => [], Verified;
        "2.1 % faster": moved(210_000) => ["breach-samples"], Unverified;
        "in no time": moved(10_000_000) => ["breach-samples"], Unverified;
    }
    says(
        moved(9_999_000),
        "breach-samples",
        &[
            "^the sample at byte 0 moved 400 KiB in 1.00 µs, but with 1 I/Os of 4 KiB in flight, \
             none shorter than 100 µs, it takes 0.0100 s (in 6 of 6 trials) |",
        ],
    );
}

#[test]
fn what_is_written_back_is_settled_by_the_flush_of_its_place() {
    let run = writes_with(|run| {
        crate::sample::buffered(run);
        let mut survey = survey(Sample::Bytes(Bytes(4096)));
        survey.write_back = true;
        run.rows[0].workload.work = Work::Survey(survey);
        each_outcome(run, |outcome| outcome.samples = vec![clean_sample(); 100]);
    });
    let mut judged = run.clone();
    crate::judge(&mut judged);
    let findings = &judged.rows[0].assessment.as_ref().unwrap().findings;
    assert!(
        findings.iter().all(|it| it.code != "buffered-writes"),
        "{findings:?}"
    );
}

#[test]
fn unreadable_ranges_are_named_once_with_the_way_out() {
    let run = |count| spoilt(surveyed(Sample::Whole), |run| defective(run, count));
    check! {
        "one": run(1) => ["unreadable"], Unverified;
    }
    says(
        run(1),
        "unreadable",
        &[
            "^512 B in 1 range cannot be read: 512 B at 8 KiB (byte 8192) |",
            "back up the disk now",
        ],
    );
    says(run(7), "unreadable", &["in 7 ranges", "and 3 more"]);
}

#[test]
fn a_survey_that_ended_as_failed_is_of_a_device_that_is_gone() {
    let ended = |kind| {
        spoilt(surveyed(Sample::Whole), |run| {
            failed(run, kind, 3);
            each_outcome(run, |outcome| outcome.stopped = StopReason::Failed);
        })
    };
    check! {
        "EIO": ended(EIO) => ["device-vanished"], Unverified;
        "nothing": ended(FailureKind::Nothing) => ["device-vanished"], Unverified;
        "EINVAL": ended(FailureKind::Errno(22)) => ["io-errors"], Unverified;
    }
    let passing = spoilt(surveyed(Sample::Whole), |run| failed(run, EIO, 1));
    check! {
        "read again": passing => ["io-errors"], Unverified;
    }
}
