use super::*;
use crate::sample;
use crate::{TableStyle, csv, markdown, text};
use sokudo_model::{
    CpuTime, Defect, DriveCache, FailureKind, Nanos, Operation, OperationMix, Run, Sample, Survey,
    SurveySample,
};

/// A scan of a disk of 6 TB that falls from 190 to 90 MB/s.
fn scan() -> Run {
    let read = || OperationMix::only(Operation::Read);
    let mut curve = sample::row("TRANSFER", Bytes::mib(1), read(), 8, 150.0);
    let mut access = sample::row("ACCESS 4K", Bytes::kib(4), read(), 1, 80.0);
    let mut burst = sample::row("BURST", Bytes::kib(64), read(), 1, 9_000.0);
    for (row, visit, places) in [
        (&mut curve, Visit::Ascending, curve_places()),
        (&mut access, Visit::Random, access_places()),
    ] {
        row.workload.limits.time = None;
        row.workload.survey = Some(Survey {
            places: u32::try_from(places.len()).unwrap(),
            visit,
            sample: Sample::Bytes(Bytes::mib(10)),
            approach: None,
            write_back: false,
            timeout: None,
            resumed_at: None,
            read_beside: None,
            sealed: None,
        });
        row.trials.truncate(1);
        row.trials[0].outcome.places = places;
    }
    burst.trials.truncate(1);
    curve.trials[0].outcome.cpu = Some(CpuTime {
        user: Nanos::from_millis(4),
        system: Nanos::from_millis(8),
        ..CpuTime::default()
    });
    let mut run = sample::run_of(vec![curve, access, burst]);
    run.plan.method = "scan/surface".into();
    run.command = "sokudo scan /dev/sdb --seed 1".into();
    run.schedule.trials = 1;
    run
}

fn curve_places() -> Vec<SurveySample> {
    let place = |number: u64| SurveySample {
        offset: Bytes(number * 30_000_000_000),
        bytes: Bytes::mib(10),
        ios: 10,
        elapsed: Nanos(10_485_760_000 / (190 - number / 2)),
        latency_max: Nanos::from_millis(9),
        distance: None,
    };
    (0..200).map(place).collect()
}

fn access_places() -> Vec<SurveySample> {
    let place = |number: u64| SurveySample {
        offset: Bytes(number * 7_919_000_000 % 6_000_000_000_000),
        bytes: Bytes::kib(4),
        ios: 1,
        elapsed: Nanos(4_000_000 + number * 50_000),
        latency_max: Nanos(4_000_000 + number * 50_000),
        distance: Some(Bytes(number * 29_000_000_000)),
    };
    (0..200).map(place).collect()
}

fn defect(number: u64) -> Defect {
    Defect {
        operation: Operation::Read,
        offset: Bytes(1_000_000 * 4096 + number * 1_000_000),
        length: Bytes(4096),
        kind: FailureKind::Errno(5),
    }
}

fn shown(run: &Run, width: usize) -> String {
    let style = TableStyle {
        width,
        ..TableStyle::default()
    };
    text::render(&RunDocument::from_run(run), &style)
}

#[test]
fn a_scan_is_shown_as_people_know_it() {
    insta::assert_snapshot!(shown(&scan(), 80));
}

#[test]
fn an_article_gets_the_same_tables() {
    insta::assert_snapshot!(markdown::render(&RunDocument::from_run(&scan())));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let mut run = scan();
    for row in &mut run.rows {
        row.workload.name += ", cache off";
        row.workload.drive_cache = DriveCache::Off;
    }
    run.rows[0].trials[0].outcome.defects = (0..5).map(defect).collect();
    for width in [80, 100, 120] {
        for line in shown(&run, width).lines() {
            let columns = unicode_width::UnicodeWidthStr::width(line);
            assert!(columns <= width, "{width}: {line}");
        }
    }
}

#[test]
fn unreadable_ranges_are_listed_and_the_rest_counted() {
    let mut run = scan();
    run.rows[0].trials[0].outcome.defects = (0..50).map(defect).collect();
    let text = shown(&run, 120);
    assert!(text.contains("50 ranges, 200 KiB in all"), "{text}");
    assert!(
        text.contains("from byte 4,096,000,000 on (at 4.10 GB)"),
        "{text}"
    );
    assert_eq!(text.matches("from byte").count(), 20);
    assert!(text.contains("and 30 more"), "{text}");
}

#[test]
fn a_row_that_was_not_reached_has_no_figures_and_no_curve() {
    let mut run = scan();
    run.rows.iter_mut().for_each(|row| row.trials.clear());
    let text = shown(&run, 80);
    assert!(text.contains("not reached"), "{text}");
    assert!(!text.contains("over position"), "{text}");
    assert!(!text.contains("0.00"), "{text}");
}

#[test]
fn in_ascii_only_ascii_is_printed() {
    let style = TableStyle {
        ascii: true,
        ..TableStyle::default()
    };
    let text = text::render(&RunDocument::from_run(&scan()), &style);
    assert!(text.is_ascii(), "{text}");
}

#[test]
fn every_place_and_every_failing_range_is_a_line_of_csv() {
    let mut run = scan();
    run.rows[0].trials[0].outcome.defects = vec![defect(0)];
    let text = csv::render(&RunDocument::from_run(&run));
    // Names, 200 + 200 places, one range, one trial of the row without places.
    assert_eq!(text.lines().count(), 1 + 200 + 200 + 1 + 1);
    let failed = text
        .lines()
        .find(|line| line.contains("read failed"))
        .unwrap();
    assert!(failed.contains(",4096000000,4096,,,,,,"), "{failed}");
}
