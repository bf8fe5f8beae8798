//! A procedure made by hand, and what is said of it.

use super::*;
use crate::sample;
use sokudo_model::*;
use sokudo_words::Language;

const ROUND_SECONDS: u64 = 60;

/// A row of which a trial moved so many blocks per second.
fn row(name: &str, block: Bytes, reads: u32, rates: &[u64]) -> Row {
    let mut workload = Workload::new(name, block);
    workload.operations = OperationMix::read_write(reads).unwrap();
    workload.order = Order::Random { map: false };
    workload.limits.time = Some(Nanos::from_secs(ROUND_SECONDS));
    let trial = |rate: &u64| {
        let backend = sample::backend(BackendKind::IoUring);
        let mut outcome = Outcome::new(backend, StopReason::Time);
        outcome.elapsed = Nanos::from_secs(ROUND_SECONDS);
        outcome.depth_achieved = 1.0;
        outcome.direct = true;
        let operation = workload.operations.single().unwrap_or(Operation::Write);
        let mut tally = OperationTally::new(operation);
        tally.ios = rate * ROUND_SECONDS;
        tally.bytes = Bytes(tally.ios * block.0);
        tally.latency.record(1_000_000_000 / rate);
        outcome.operations.push(tally);
        outcome.series = (1..=6)
            .map(|tenth| SeriesPoint {
                at: Nanos::from_secs(tenth * ROUND_SECONDS / 6),
                bytes: Bytes(rate * ROUND_SECONDS / 6 * block.0),
                ios: rate * ROUND_SECONDS / 6,
            })
            .collect();
        Trial {
            outcome,
            evidence: TrialEvidence::default(),
            together: None,
        }
    };
    let trials = rates.iter().map(trial).collect();
    Row {
        trials,
        assessment: Some(Assessment {
            verdict: Verdict::Verified,
            device_ratio: Some(1.0),
            findings: vec![],
        }),
        ..Row::new(workload)
    }
}

fn phase(kind: SteadyPhaseKind, first_row: u32, rows: u32, tracked: &[u32]) -> SteadyPhase {
    SteadyPhase {
        kind,
        first_row,
        rows,
        rounds_max: if kind == SteadyPhaseKind::Rounds {
            25
        } else {
            1
        },
        tracked: tracked.to_vec(),
        figure: RoundFigure::Iops,
        written_bytes_max: None,
    }
}

fn run_of(rows: Vec<Row>, test: SteadyTest, phases: Vec<SteadyPhase>) -> RunDocument {
    let mut run = sample::run_of(rows);
    run.plan.method = Method::Steady(test.name().to_owned());
    run.schedule.name = ScheduleName::Rounds;
    run.schedule.trials = 25;
    run.schedule.steady = Some(Box::new(SteadyProcedure {
        test,
        class: SteadyClass::Client,
        label: SteadyLabel::DevicePreconditioned,
        round_time: Nanos::from_secs(ROUND_SECONDS),
        capacity_bytes: Bytes::gib(100),
        active_range_bytes: Bytes::gib(75),
        window: SteadyWindow::PTS,
        phases,
        differences: vec!["not purged, so that what was written before is in the figures".into()],
        estimate: SteadyEstimate {
            time_min: Nanos::from_secs(20_400),
            time_max: Nanos::from_secs(84_240),
            written_bytes_min: Bytes::gib(150),
            written_bytes_max: Bytes(2_100_000_000_000),
            assumptions: vec!["450 MB/s are assumed, as of a drive for tests".into()],
        },
    }));
    RunDocument::from_run(&run)
}

/// Writes that fall over a cliff, reads and mixes beside them, until they are steady in
/// the eighth round.
pub(crate) fn iops() -> RunDocument {
    iops_of(&[
        90_000, 41_000, 30_000, 30_600, 29_800, 30_200, 30_100, 30_400,
    ])
}

fn iops_of(writes: &[u64]) -> RunDocument {
    let part = |divisor: u64| -> Vec<u64> { writes.iter().map(|rate| rate / divisor).collect() };
    let flat = |rate: u64| vec![rate; writes.len()];
    let mut before = row("PRECONDITION SEQ128K", Bytes::kib(128), 0, &[3_500]);
    before.workload.limits.time = None;
    let (small, large) = (Bytes::kib(4), Bytes::kib(64));
    let rows = vec![
        before,
        row("RND64K Q16T2", large, 100, &flat(8_000)),
        row("RND4K Q16T2", small, 100, &flat(95_000)),
        row("RND64K Q16T2", large, 65, &part(12)),
        row("RND4K Q16T2", small, 65, &part(2)),
        row("RND64K Q16T2", large, 0, &part(16)),
        row("RND4K Q16T2", small, 0, writes),
    ];
    let phases = vec![
        phase(SteadyPhaseKind::Precondition, 0, 1, &[]),
        phase(SteadyPhaseKind::Rounds, 1, 6, &[3, 6]),
    ];
    run_of(rows, SteadyTest::Iops, phases)
}

/// Writes from a purged drive on, 40 rounds, in the end steady.
pub(crate) fn saturation() -> RunDocument {
    let rates: Vec<u64> = (0..40)
        .map(|round| match round {
            0..8 => 98_000,
            8..14 => 98_000 - (round - 7) * 11_000,
            _ => 30_000 + round % 3 * 400,
        })
        .collect();
    let mut phase = phase(SteadyPhaseKind::Rounds, 0, 1, &[0]);
    phase.rounds_max = 360;
    phase.written_bytes_max = Some(Bytes::gib(400));
    let rows = vec![row("RND4K Q16T2", Bytes::kib(4), 0, &rates)];
    run_of(rows, SteadyTest::WriteSaturation, vec![phase])
}

fn text(document: &RunDocument, width: usize) -> String {
    crate::text::render(document, &sample::style(width))
}

#[test]
fn figures_are_means_of_the_window_and_not_of_all_rounds() {
    let document = iops();
    let steady = document.steady.as_ref().unwrap();
    assert!(steady.is_steady);
    assert_eq!(steady.label, "device-preconditioned (steady)");
    let rounds = &steady.phases[1];
    assert_eq!((rounds.rounds, rounds.window), (8, Some([4, 8])));
    let mean = rounds.figures[5].iops_mean.unwrap();
    assert!((mean - 30_220.0).abs() < 1e-6, "{mean}");
    assert_eq!(rounds.figures[5].result, 6);
    let bandwidth = rounds.figures[5].bytes_per_s_mean.unwrap();
    assert!((bandwidth - mean * 4096.0).abs() < 1.0);
    assert_eq!(steady.phases[0].window, None);
    assert_eq!(steady.phases[0].figures[0].iops_mean, Some(3_500.0));
}

#[test]
fn the_table_has_the_matrix_the_rounds_and_the_label_at_every_width() {
    for width in [60, 80, 120] {
        let text = text(&iops(), width);
        for words in [
            "device-preconditioned (steady)",
            "100/0",
            "65/35",
            "30,220",
            "[8]",
            "steady after 8 rounds, window 4 to 8",
            "PRECONDITION SEQ128K",
        ] {
            assert!(
                text.contains(words),
                "{width}: {words} is missing in\n{text}"
            );
        }
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(width), "{width}: {longest:?}\n{text}");
        assert!(!text.contains("NOT STEADY"), "{text}");
    }
}

#[test]
fn a_drive_that_is_not_steady_is_called_so_in_label_and_table() {
    let falling: Vec<u64> = (0..25).map(|round| 90_000 - round * 3_000).collect();
    let document = iops_of(&falling);
    let steady = document.steady.as_ref().unwrap();
    assert_eq!(steady.label, "device-preconditioned (NOT STEADY)");
    let text = text(&document, 100);
    assert!(
        text.contains("NOT STEADY after 25 rounds (the most that was allowed)"),
        "{text}"
    );
    assert!(text.contains("over "), "{text}");
    let short = iops_of(&falling[..3]);
    let steady = short.steady.as_ref().unwrap();
    assert_eq!(steady.phases[1].window, None);
    assert!(self::text(&short, 100).contains("ended after 3 rounds, and a window has five"));
}

#[test]
fn many_rounds_are_shown_at_both_ends() {
    let text = text(&saturation(), 80);
    assert!(text.contains("..."), "{text}");
    assert!(
        text.contains("[40]") && !text.contains("\n   20 "),
        "{text}"
    );
}

#[test]
fn a_document_with_rounds_reads_back_to_the_same_text() {
    for document in [iops(), saturation()] {
        let json = document.to_json();
        assert_eq!(RunDocument::from_json(&json).unwrap().to_json(), json);
    }
    assert!(
        !RunDocument::from_run(&sample::run())
            .to_json()
            .contains("\"steady\":")
    );
}

#[test]
fn csv_has_a_line_per_row_and_round() {
    let csv = crate::csv::render(&iops());
    assert_eq!(csv.lines().count(), 1 + 1 + 6 * 8);
    let in_window = csv
        .lines()
        .filter(|line| line.contains(",true,true,"))
        .count();
    assert_eq!(in_window, 2 * 5, "{csv}");
}

#[test]
fn markdown_says_the_same_as_the_table() {
    let markdown = crate::markdown::render(&iops());
    assert!(
        markdown.contains("| \\[8\\] | ") && markdown.contains("| Block | 100/0 | 65/35 |"),
        "{markdown}"
    );
}

#[test]
fn an_estimate_tells_time_bytes_and_what_they_rest_on() {
    let document = iops();
    let lines = estimate_lines(&document.steady.unwrap().procedure);
    let lines: Vec<String> = lines.iter().map(Text::english).collect();
    let lines = lines.join("\n");
    for words in [
        "5 h 40 min to 23 h 24 min",
        "161 GB to 2.10 TB written",
        "450 MB/s",
        "not purged",
    ] {
        assert!(lines.contains(words), "{words} is missing in\n{lines}");
    }
}

#[test]
fn pictures_show_rounds_matrix_and_saturation() {
    use crate::plot::{PlotKind, fitting};
    assert_eq!(fitting(&iops())[..2], [PlotKind::Rounds, PlotKind::Heat]);
    assert_eq!(fitting(&saturation())[0], PlotKind::Rounds);
    assert!(!fitting(&saturation()).contains(&PlotKind::Heat));
    assert!(!fitting(&RunDocument::from_run(&sample::run())).contains(&PlotKind::Rounds));
}

#[test]
fn the_picture_of_rounds_shows_figures_and_not_only_shares() {
    use crate::plot::figure::Body;
    let figure = crate::plot::figure(
        &iops(),
        Some(crate::plot::PlotKind::Rounds),
        sokudo_words::Language::English,
    )
    .unwrap();
    let Body::Chart(chart) = &figure.body else {
        panic!("a chart")
    };
    // The tracked rows are a decade apart.
    assert_eq!(chart.left.label, "IOPS, logarithmic");
    let Body::Chart(said) = crate::plot::figure(
        &iops(),
        Some(crate::plot::PlotKind::Rounds),
        Language::Japanese,
    )
    .unwrap()
    .body
    else {
        panic!("a chart")
    };
    assert_eq!(said.left.label, "IOPS、対数");
    let (low, high) = (chart.left.scale.low, chart.left.scale.high);
    assert!(low > 100.0 && low < 5_000.0, "{low}");
    assert!((90_000.0..300_000.0).contains(&high), "{high}");
}
