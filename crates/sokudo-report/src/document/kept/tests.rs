use super::super::reading::{HISTOGRAM_MARKS, LOG_POINTS_MAX};
use super::*;
use crate::{RunDocument, sample};
use proptest::prelude::*;
use serde_json::json;
use sokudo_model::{
    Bytes, CapacityCheck, CheckedSample, Defect, Depths, FailureKind, ForeignUse, Held,
    HistogramPoint, IoFailure, LogPoint, Mismatch, MismatchKind, Moved, Nanos, Operation,
    OperationTally, Origin, Outcome, Percentile, Provenance, Reported, SharedBlocks, SteadyOutcome,
    SurveySample, ThreadUsage, VerifyOutcome, WriteCheck,
};
use sokudo_stats::{Histogram, Random};

fn histogram(random: &mut Random) -> Histogram {
    let mut histogram = Histogram::new();
    let count = random.below(50);
    (0..count).for_each(|_| histogram.record(random.next_u64() >> random.below(60)));
    histogram
}

/// An outcome in which everything there can be is there.
fn fill(outcome: &mut Outcome, random: &mut Random) {
    let mut number = |below| random.below(below);
    outcome.started_after = Nanos(number(1 << 40));
    outcome.in_ramp[2] = Moved {
        bytes: Bytes(number(1 << 40)),
        ios: number(1 << 30),
    };
    outcome.usage = Some(ThreadUsage {
        context_switches: number(99),
        waited: Some(Nanos(number(99))),
        ..ThreadUsage::default()
    });
    outcome.depths = Some(Depths {
        level: [number(9); 7],
        ..Depths::default()
    });
    outcome.logs.total.push(LogPoint {
        at: Nanos(number(99)),
        operation: Operation::Trim,
        value: 1.0 / 3.0,
        max: number(99),
        bytes: 4096,
        offset: number(sokudo_model::COUNTED_MAX),
    });
    outcome.samples.push(SurveySample {
        offset: Bytes(number(sokudo_model::COUNTED_MAX)),
        bytes: Bytes(number(99)),
        ios: 3,
        elapsed: Nanos(number(99)),
        latency_max: Nanos(number(99)),
        distance: None,
    });
    outcome.defects.push(Defect {
        operation: Operation::Read,
        offset: Bytes(512),
        length: Bytes(1024),
        kind: FailureKind::Short {
            requested: 512,
            moved: 3,
        },
    });
    outcome.failures.push(IoFailure {
        operation: Operation::Write,
        kind: FailureKind::Errno(5),
        offset: Bytes(number(sokudo_model::COUNTED_MAX)),
        count: 2,
    });
    outcome.read_aside = Bytes(number(99) + 1);
    outcome.durable_after = Some(Nanos(number(99)));
    outcome.depth_achieved = 1.0 / (number(9) + 3) as f64;
    fill_checks(outcome);
    outcome.read_beside = Some(histogram(random));
    outcome.logs.histograms.push(HistogramPoint {
        at: Nanos(5),
        operation: Operation::Read,
        bytes: 4096,
        latency: histogram(random),
    });
    outcome.operations.push(OperationTally {
        latency: histogram(random),
        completion: Some(histogram(random)),
        short_ios: 1,
        ..OperationTally::new(Operation::Flush)
    });
}

fn fill_checks(outcome: &mut Outcome) {
    outcome.verified = Some(VerifyOutcome {
        checked: 9,
        wrong: 1,
        mismatches: vec![Mismatch {
            file: "a\u{0}b".to_owned(),
            offset: Bytes(1),
            length: Bytes(2),
            kind: MismatchKind::Stale,
            detail: "an earlier version".to_owned(),
        }],
    });
    outcome.capacity = Some(CapacityCheck {
        size: Bytes(1 << 40),
        between: Bytes(3),
        samples: vec![CheckedSample {
            offset: Bytes(7),
            length: Bytes(9),
            held: Held::Other(Bytes(8)),
        }],
        is_whole: true,
        own: Bytes(5),
        shared: Some(SharedBlocks {
            distance: Bytes(1),
            from: Bytes(2),
            reaches_below: Some(true),
        }),
    });
    outcome.steady = Some(SteadyOutcome {
        iops: vec![0.1, 1e300],
        ..SteadyOutcome::default()
    });
}

fn full_run(seed: u64) -> Run {
    let mut random = Random::new(seed);
    let mut run = sample::troubled_run();
    run.targets = vec![run.target.clone(), run.target.clone()];
    run.left_out = vec!["zonemode".to_owned()];
    run.provenance = Provenance::Reported(Origin::default());
    run.plan.seed = random.next_u64();
    run.schedule.latency_limit = Some(sokudo_model::LatencyLimit {
        percentile: Percentile::P99_9,
        latency: Nanos(5),
    });
    run.schedule.fit = Some(Box::new(sokudo_model::FitQuestion {
        name: "etcd".to_owned(),
        asks: "Is it?".to_owned(),
        source: String::new(),
        date: String::new(),
        remark: String::new(),
        criteria: vec![sokudo_model::FitCriterion {
            row: 0,
            metric: sokudo_model::FitMetric::SyncLatency(Percentile::P99_9),
            writes: 2,
            limit: Some(sokudo_model::FitLimit {
                must_be: sokudo_model::FitSide::Below,
                value: 10_000_000,
            }),
        }],
        fio: vec!["fio".to_owned()],
    }));
    run.rows[0].reported = Some(Box::new(Reported {
        histogram: vec![[1, 2, 3]],
        ..Reported::default()
    }));
    for trial in run.rows.iter_mut().flat_map(|row| &mut row.trials) {
        fill(&mut trial.outcome, &mut random);
        trial.evidence.foreign = Some(ForeignUse::default());
        trial.evidence.processors = Some(sokudo_model::ProcessorEvidence {
            programs: Some(Nanos(random.below(99))),
            throttled: Some(sokudo_model::Throttling::default()),
            ..sokudo_model::ProcessorEvidence::default()
        });
    }
    run
}

/// Of several racks, of the axes of a matrix, or whatever else: its reader keeps what it knows.
#[test]
fn a_run_to_which_a_later_version_has_added_is_read() {
    let run = sample::run();
    let mut later = serde_json::to_value(&run).unwrap();
    later["racks"] = serde_json::json!([run.environment, run.environment]);
    later["axes"] = serde_json::json!({"raid": "5", "file_system": "ext4"});
    later["schedule"]["racks_begin_together"] = true.into();
    for row in later["rows"].as_array_mut().unwrap() {
        row["workload"]["axes"] = serde_json::json!({"depth": 8});
        for trial in row["trials"].as_array_mut().unwrap() {
            trial["host"] = 1.into();
            trial["outcome"]["of_each_host"] = serde_json::json!([trial["outcome"]]);
        }
    }
    assert_eq!(run_of_json(&later.to_string()).unwrap(), run);
}

/// As one of plain blocks it would have another fingerprint, and be compared with what it is not.
#[test]
fn a_run_of_a_draft_is_refused_and_not_taken_for_one_of_plain_blocks() {
    let run = serde_json::to_value(sample::run()).unwrap();
    for (field, value) in [
        (
            "survey",
            json!({"visit": "ascending", "places": 8, "sample": "block"}),
        ),
        ("tree", json!({"files": 8, "folders": 1})),
        ("rewritten_percent", 10.into()),
        ("checks_capacity", true.into()),
        ("from_empty", true.into()),
        ("verify", json!(WriteCheck::default())),
    ] {
        let mut draft = run.clone();
        draft["rows"][0]["workload"][field] = value;
        let read = run_of_json(&draft.to_string());
        assert!(
            matches!(read, Err(ReadDocumentError::Malformed(_))),
            "{field}"
        );
        let within = serde_json::from_value::<RunDocument>(draft);
        assert!(within.is_err(), "{field}");
    }
}

#[test]
fn a_figure_that_is_none_comes_back_as_none() {
    let mut run = sample::run();
    run.rows[0].trials[0].outcome.depth_achieved = f64::INFINITY;
    let again = unpack(&pack(&run).unwrap()).unwrap();
    assert!(again.rows[0].trials[0].outcome.depth_achieved.is_nan());
}

#[test]
fn a_run_that_is_too_large_to_be_read_again_is_refused() {
    let mut run = sample::run();
    assert!(pack(&run).is_ok());
    run.command = "\u{1}".repeat(HISTOGRAMS_MAX + 1);
    let error = pack(&run).unwrap_err().to_string();
    assert!(error.contains("256 MiB, 200000 histograms"), "{error}");
}

#[test]
fn another_way_is_refused_by_its_number() {
    for way in [1, 2, 3, 5] {
        let error = unpack(&[way, 0, 0]).unwrap_err().to_string();
        assert!(error.contains(&format!("does not know ({way})")), "{error}");
    }
    assert!(unpack(&[]).is_err());
}

#[test]
fn bytes_that_were_changed_or_cut_are_an_error() {
    let run = sample::bare_run();
    let packed = pack(&run).unwrap();
    for length in (0..packed.len()).step_by(7) {
        assert!(unpack(&packed[..length]).is_err(), "{length}");
    }
    for offset in (0..packed.len()).step_by(7) {
        let mut changed = packed.clone();
        changed[offset] ^= 0x55;
        // What says of itself that it is the same is the same.
        if let Ok(again) = unpack(&changed) {
            assert_eq!(again, run, "{offset}");
        }
    }
}

type Changes = Vec<(prop::sample::Index, u8)>;

fn changes() -> impl Strategy<Value = Changes> {
    prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)
}

fn changed(mut bytes: Vec<u8>, changes: Changes) -> Vec<u8> {
    for (position, byte) in changes {
        let offset = position.index(bytes.len());
        bytes[offset] = byte;
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Past the checksum: whatever is inside is read or refused.
    #[test]
    fn contents_that_were_changed_are_read_or_refused(changes in changes()) {
        let run = sample::bare_run();
        let document = RunDocument::from_run(&run).to_json().into_bytes();
        if let Ok(json) = String::from_utf8(changed(document, changes.clone())) {
            let _ = RunDocument::from_json(&json);
        }
        let plain = serde_json::to_vec(&run).unwrap();
        if let Ok(json) = String::from_utf8(changed(plain, changes)) {
            let _ = run_of_json(&json);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        way in 0_u8..6,
        bytes in prop::collection::vec(any::<u8>(), 0..512)
    ) {
        let _ = unpack(&[vec![way], bytes].concat());
    }
}

#[test]
fn few_bytes_that_stand_for_many_are_refused_before_they_are_unpacked() {
    let many = vec![b' '; usize::try_from(JSON_BYTES_LEAST).unwrap() + 1];
    // Also where they do not say how many they stand for.
    let sized_frame = zstd::bulk::compress(&many, 1).unwrap();
    for small in [sized_frame, zstd::encode_all(&many[..], 1).unwrap()] {
        assert!(small.len() < 64 << 10, "{}", small.len());
        let packed = [&[ZSTD_OF_RUN][..], &small].concat();
        let error = unpack(&packed).unwrap_err().to_string();
        assert!(error.contains("larger than any document"), "{error}");
    }
}

#[test]
fn more_histograms_than_memory_holds_are_refused_before_they_are_read() {
    for mark in HISTOGRAM_MARKS {
        assert!(is_readable(&mark.repeat(HISTOGRAMS_MAX)));
        let many = compressed(&mark.repeat(HISTOGRAMS_MAX + 1));
        let error = unpack(&many).unwrap_err();
        assert!(error.to_string().contains("more than any run"), "{error}");
    }
}

/// Nowhere is anything added up that does not fit.
#[test]
fn what_counts_more_than_any_run_does_is_refused() {
    let changes: [fn(&mut Outcome); 5] = [
        |outcome| outcome.operations[0].bytes = Bytes(u64::MAX),
        |outcome| outcome.operations[0].ios = u64::MAX / 2,
        |outcome| outcome.series[0].ios = u64::MAX,
        |outcome| outcome.in_ramp[0].bytes = Bytes(u64::MAX),
        |outcome| outcome.samples[0].offset = Bytes(u64::MAX),
    ];
    for change in changes {
        let mut run = full_run(1);
        change(&mut run.rows[0].trials[0].outcome);
        let error = unpack(&pack(&run).unwrap()).unwrap_err();
        let is_uncountable = matches!(error, UnpackError::Document(ReadDocumentError::Uncountable));
        assert!(is_uncountable, "{error}");
    }
    let mut document = RunDocument::from_run(&full_run(1));
    document.rows[0].trials[0].outcome.operations[0].bytes = Bytes(u64::MAX);
    let report = crate::report::Report::new(
        None,
        vec![crate::report::ReportedRun::new("run 1", document)],
    );
    let error = crate::report::Report::from_json(&report.to_json()).unwrap_err();
    assert!(error.to_string().contains("than any run does"), "{error}");
}

/// By what its text says, a histogram takes as much memory as one; an array would not say it.
#[test]
fn a_histogram_is_read_only_with_the_names_of_its_parts() {
    let read = serde_json::from_value::<Histogram>;
    assert!(read(serde_json::json!([0, 0, 0, 0, [], []])).is_err());
    let empty = serde_json::to_value(Histogram::new()).unwrap();
    assert_eq!(read(empty).unwrap(), Histogram::new());
}

#[test]
fn logs_of_every_io_of_a_long_job_are_not_kept_and_all_else_is() {
    let mut run = sample::run();
    let point = LogPoint {
        at: Nanos(1),
        operation: Operation::Read,
        value: 2.0,
        max: 2,
        bytes: 4_096,
        offset: 0,
    };
    let logged = |run: &mut Run, count| {
        run.rows[0].trials[0].outcome.logs.total = vec![point; count];
    };
    logged(&mut run, 100);
    let same = |run: &Run| unpack(&pack(run).unwrap()).unwrap() == *run;
    assert!(same(&run));
    let mut long = run.clone();
    logged(&mut long, LOG_POINTS_MAX + 1);
    logged(&mut run, 0);
    assert_eq!(pack(&long).unwrap(), pack(&run).unwrap());
}

mod many_draws {
    use super::*;
    use sokudo_testing::seeds;

    #[test]
    fn a_run_comes_back_the_same_and_so_do_its_figures() {
        let mut runs = vec![
            sample::run(),
            sample::bare_run(),
            sample::together_run(),
            sample::run_of_many(40),
        ];
        runs.extend(seeds(5).map(full_run));
        for run in runs {
            let packed = pack(&run).unwrap();
            assert_eq!(packed[0], ZSTD_OF_RUN);
            let again = unpack(&packed).unwrap();
            assert_eq!(again, run);
            assert_eq!(RunDocument::new(again), RunDocument::from_run(&run));
        }
    }
}
