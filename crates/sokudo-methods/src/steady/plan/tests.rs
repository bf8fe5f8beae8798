use sokudo_model::Order;
use sokudo_words::Text;

use super::*;
use crate::argument_checks::Assumed;

fn request(test: SteadyTest) -> SteadyRequest {
    SteadyRequest {
        test,
        class: SteadyClass::Client,
        capacity: Bytes::gib(100),
        active_percent: None,
        medium: SteadyTarget::Device,
        block_min: Bytes(512),
        round_time: ROUND_TIME,
        rounds_max: None,
        time_max: None,
        sizes: None,
        mixes: None,
        passes: PASSES,
        purge: true,
        drive_cache: DriveCache::On,
        assumed: Assumed {
            bytes_per_s: 1 << 30,
            source: "a drive for tests".into(),
            wears: true,
        },
        seed: 7,
    }
}

fn planned(request: &SteadyRequest) -> SteadyPlan {
    plan(request).unwrap()
}

fn rows(planned: &SteadyPlan) -> Vec<&Workload> {
    planned
        .plan
        .stages
        .iter()
        .map(|stage| &stage.workloads[0])
        .collect()
}

fn row_text(row: &Workload) -> String {
    format!("{} {}", row.name, row.operations.percent(Operation::Read))
}

#[test]
fn the_iops_test_is_the_matrix_of_the_pts() {
    let planned = planned(&request(SteadyTest::Iops));
    let rows = rows(&planned);
    assert_eq!(rows.len(), 2 + 56);
    let kinds: Vec<SteadyPhaseKind> = planned.procedure.phases.iter().map(|p| p.kind).collect();
    assert_eq!(
        kinds,
        [
            SteadyPhaseKind::Purge,
            SteadyPhaseKind::Precondition,
            SteadyPhaseKind::Rounds
        ]
    );
    assert_eq!(row_text(rows[2]), "RND1M Q16T2 100");
    assert_eq!(row_text(rows[57]), "RND512B Q16T2 0");
    let test = &planned.procedure.phases[2];
    assert_eq!((test.rounds_max, test.first_row, test.rows), (25, 2, 56));
    let tracked: Vec<String> = test
        .tracked
        .iter()
        .map(|row| row_text(rows[*row as usize]))
        .collect();
    assert_eq!(
        tracked,
        ["RND1M Q16T2 100", "RND64K Q16T2 65", "RND4K Q16T2 0"]
    );
    assert_eq!(planned.procedure.label, SteadyLabel::PtsLike);
    assert_eq!(planned.procedure.active_range_bytes, Bytes::gib(75));
    for row in &rows[1..] {
        assert_eq!(row.span.unwrap().length, Bytes::gib(75));
    }
    // What is purged is the whole device.
    assert_eq!(rows[0].span.unwrap().length, Bytes::gib(100));
}

#[test]
fn an_enterprise_drive_is_used_as_a_whole_by_more_threads() {
    let enterprise = SteadyRequest {
        class: SteadyClass::Enterprise,
        drive_cache: DriveCache::Off,
        ..request(SteadyTest::Iops)
    };
    let planned = planned(&enterprise);
    let rows = rows(&planned);
    assert_eq!((rows[2].threads, rows[2].depth), (4, 32));
    assert_eq!(planned.procedure.active_range_bytes, Bytes::gib(100));
    assert!(
        rows[1..]
            .iter()
            .all(|row| row.drive_cache == DriveCache::Off)
    );
}

#[test]
fn preconditioning_writes_the_active_range_twice_with_blocks_of_128_kib() {
    let planned = planned(&request(SteadyTest::Iops));
    let row = rows(&planned)[1];
    assert_eq!(row.blocks.single(), Some(Bytes::kib(128)));
    assert_eq!(row.limits.bytes, Some(Bytes::gib(150)));
    assert_eq!(row.operations, OperationMix::only(Operation::Write));
    assert!(matches!(row.order, Order::Sequential { .. }));
}

#[test]
fn each_block_size_of_throughput_becomes_steady_by_itself() {
    let planned = planned(&request(SteadyTest::Throughput));
    let rows = rows(&planned);
    let phases = &planned.procedure.phases[2..];
    assert_eq!(phases.len(), 2);
    assert_eq!(
        (&phases[0].tracked[..], &phases[1].tracked[..]),
        (&[2, 3][..], &[4, 5][..])
    );
    assert!(
        phases
            .iter()
            .all(|phase| phase.figure == RoundFigure::BytesPerSecond)
    );
    assert_eq!(row_text(rows[2]), "SEQ1M Q16T2 100");
    assert_eq!(row_text(rows[5]), "SEQ128K Q16T2 0");
}

#[test]
fn latency_is_measured_one_at_a_time_and_then_as_a_histogram() {
    let planned = planned(&request(SteadyTest::Latency));
    let rows = rows(&planned);
    assert_eq!(rows.len(), 2 + 9 + 1);
    assert!(
        rows[2..]
            .iter()
            .all(|row| (row.threads, row.depth) == (1, 1))
    );
    let [.., rounds, after] = &planned.procedure.phases[..] else {
        panic!("{:?}", planned.procedure.phases)
    };
    assert_eq!(rounds.figure, RoundFigure::LatencyMeanNs);
    assert_eq!(row_text(rows[rounds.tracked[0] as usize]), "RND4K Q1T1 0");
    assert_eq!(after.kind, SteadyPhaseKind::Afterwards);
    assert_eq!(rows[11].limits.time, Some(Nanos::from_secs(20 * 60)));
}

#[test]
fn saturation_begins_without_preconditioning_and_ends_after_four_capacities() {
    let planned = planned(&request(SteadyTest::WriteSaturation));
    let kinds: Vec<SteadyPhaseKind> = planned.procedure.phases.iter().map(|p| p.kind).collect();
    assert_eq!(kinds, [SteadyPhaseKind::Purge, SteadyPhaseKind::Rounds]);
    let phase = &planned.procedure.phases[1];
    assert_eq!(phase.written_bytes_max, Some(Bytes::gib(400)));
    assert_eq!(phase.rounds_max, 360);
    let enterprise = SteadyRequest {
        class: SteadyClass::Enterprise,
        ..request(SteadyTest::WriteSaturation)
    };
    assert_eq!(
        plan(&enterprise).unwrap().procedure.phases[1].rounds_max,
        1_440
    );
}

#[test]
fn a_part_of_the_matrix_is_told_and_is_not_pts_like() {
    let part = SteadyRequest {
        sizes: Some("4K,64K".parse().unwrap()),
        mixes: Some("65/35,0/100".parse().unwrap()),
        ..request(SteadyTest::Iops)
    };
    let procedure = planned(&part).procedure;
    assert_eq!(procedure.phases[2].rows, 4);
    assert_eq!(procedure.phases[2].tracked.len(), 2);
    assert_eq!(procedure.label, SteadyLabel::DevicePreconditioned);
    let all = Text::list(procedure.differences.iter().cloned(), "; ").english();
    assert!(
        all.contains("52 of the 56 cells of the matrix are left out"),
        "{all}"
    );
    // Where none of the tracked cells is measured, all are looked at.
    let other = SteadyRequest {
        sizes: Some("8K".parse().unwrap()),
        mixes: Some("95/5,5/95".parse().unwrap()),
        ..request(SteadyTest::Iops)
    };
    assert_eq!(planned(&other).procedure.phases[2].tracked, [2, 3]);
}

#[test]
fn a_label_claims_no_more_than_was_done() {
    let labelled = |change: fn(&mut SteadyRequest)| {
        let mut request = request(SteadyTest::Iops);
        change(&mut request);
        planned(&request).procedure.label
    };
    assert_eq!(labelled(|_| ()), SteadyLabel::PtsLike);
    assert_eq!(
        labelled(|r| r.purge = false),
        SteadyLabel::DevicePreconditioned
    );
    assert_eq!(
        labelled(|r| r.round_time = Nanos::from_secs(1)),
        SteadyLabel::DevicePreconditioned
    );
    assert_eq!(
        labelled(|r| r.passes = 1),
        SteadyLabel::DevicePreconditioned
    );
    let quick = |r: &mut SteadyRequest| (r.purge, r.passes) = (false, 0);
    assert_eq!(labelled(quick), SteadyLabel::DeviceQuick);
    let file = |r: &mut SteadyRequest| r.medium = SteadyTarget::File;
    assert_eq!(labelled(file), SteadyLabel::FilePrefilled);
    let quick_file =
        |r: &mut SteadyRequest| (r.medium, r.purge, r.passes) = (SteadyTarget::File, false, 0);
    assert_eq!(labelled(quick_file), SteadyLabel::FileQuick);
    assert_eq!(
        labelled(|r| (r.medium, r.purge) = (SteadyTarget::Simulated, false)),
        SteadyLabel::PtsLike
    );
}

#[test]
fn sizes_that_the_target_cannot_take_are_left_out_or_refused() {
    let large = SteadyRequest {
        block_min: Bytes::kib(4),
        ..request(SteadyTest::Iops)
    };
    assert_eq!(planned(&large).procedure.phases[2].rows, 49);
    let unaligned = SteadyRequest {
        sizes: Some("512,4K".parse().unwrap()),
        ..large
    };
    let error = plan(&unaligned).unwrap_err().to_string();
    assert!(
        error.contains("512 B") && error.contains("4 KiB"),
        "{error}"
    );
}

#[test]
fn an_estimate_holds_twice_the_active_range_and_all_rounds() {
    let estimate = planned(&request(SteadyTest::Iops)).procedure.estimate;
    let writing = 150; // GiB at 1 GiB/s
    assert_eq!(estimate.written_bytes_min, Bytes::gib(150));
    assert_eq!(estimate.time_min, Nanos::from_secs(writing + 6 * 56 * 60));
    assert_eq!(estimate.time_max, Nanos::from_secs(writing + 25 * 56 * 60));
    // Mixes write their share: 0 + 5 + 35 + 50 + 65 + 95 + 100 % of 8 minutes each.
    let minutes_of_writes = 8.0 * 3.5;
    let expected = 150.0 + 25.0 * 60.0 * minutes_of_writes;
    let written = estimate.written_bytes_max.0 as f64 / f64::from(1 << 30);
    assert!(
        (written / expected - 1.0).abs() < 1e-6,
        "{written} {expected}"
    );
    let saturation = planned(&request(SteadyTest::WriteSaturation))
        .procedure
        .estimate;
    // 400 GiB and the round in which they are exceeded.
    assert_eq!(saturation.written_bytes_max, Bytes::gib(460));
}

#[test]
fn what_cannot_be_is_refused_with_the_way_out() {
    let refused = |change: fn(&mut SteadyRequest)| {
        let mut request = request(SteadyTest::Iops);
        change(&mut request);
        plan(&request).unwrap_err().to_string()
    };
    assert!(refused(|r| r.round_time = Nanos(0)).contains("--round-time is 0"));
    assert!(refused(|r| r.rounds_max = Some(5)).contains("at least 6"));
    assert!(refused(|r| r.capacity = Bytes::kib(512)).contains("less than 1 MiB"));
    assert!(refused(|r| r.passes = 0).contains("nothing to read"));
    let saturation = |r: &mut SteadyRequest| {
        r.test = SteadyTest::WriteSaturation;
        r.sizes = Some("8K".parse().unwrap());
    };
    assert!(refused(saturation).contains("leave --sizes"));
    let endless = |r: &mut SteadyRequest| {
        r.test = SteadyTest::WriteSaturation;
        r.round_time = Nanos::from_millis(1);
        r.time_max = Some(Nanos::from_secs(60));
    };
    assert!(refused(endless).contains("60000 rounds are too many"));
    let by_time = refused(|r| r.time_max = Some(Nanos::from_secs(60)));
    assert!(
        by_time.contains("--max-time is how long --test wsat"),
        "{by_time}"
    );
    let short = SteadyRequest {
        round_time: Nanos::from_millis(1),
        ..request(SteadyTest::WriteSaturation)
    };
    assert_eq!(planned(&short).procedure.phases[1].rounds_max, ROUNDS_LIMIT);
}

#[test]
fn mixes_are_written_as_shares_of_both() {
    let mixes = |text: &str| text.parse::<Mixes>().map_err(|error| error.to_string());
    assert!(mixes("100/0, 65/35,0/100").is_ok());
    for wrong in [
        "",
        "65",
        "65/34",
        "65/35/0",
        "-1/101",
        "a/b",
        "100/0,,0/100",
    ] {
        let error = mixes(wrong).unwrap_err();
        assert!(error.contains("is no mix"), "{wrong}: {error}");
    }
    assert!(mixes("65/35,65/35").unwrap_err().contains("twice"));
}
