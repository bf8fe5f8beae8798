use std::io::Write as _;
use std::process::{Command, Stdio};

use sokudo_model::*;
use sokudo_stats::Histogram;

use crate::diskspd::session::*;
use crate::sample;

use super::*;

/// A thread that did so many I/Os of 4 KiB in 5 seconds, each as slow as its thread's
/// number says.
fn outcome(thread: u32, reads: u64, writes: u64) -> Outcome {
    let backend = sample::backend(BackendKind::IoUring);
    let tally = |operation, ios: u64| {
        let mut latency = Histogram::new();
        for number in 0..ios {
            latency.record(100_000 * u64::from(thread + 1) + number % 1_000);
        }
        // Intervals of one second, the fourth without any I/O.
        let point = |second: u64, share: u64| SeriesPoint {
            at: Nanos::from_secs(second),
            bytes: Bytes(ios / 4 * share * 4096),
            ios: ios / 4 * share,
        };
        OperationTally {
            ios,
            bytes: Bytes(ios * 4096),
            latency,
            series: vec![point(1, 1), point(2, 1), point(3, 1), point(5, 1)],
            ..OperationTally::new(operation)
        }
    };
    let all = [(Operation::Read, reads), (Operation::Write, writes)];
    let some = all.into_iter().filter(|(_, ios)| *ios > 0);
    Outcome {
        elapsed: Nanos(5_000_100_000),
        direct: true,
        operations: some.map(|(operation, ios)| tally(operation, ios)).collect(),
        ..Outcome::new(backend, StopReason::Time)
    }
}

fn target(path: &str) -> DiskspdTarget {
    DiskspdTarget {
        path: path.to_owned(),
        block: Bytes::kib(4),
        create: Some(Bytes::gib(1)),
        unbuffered: true,
        requests: 32,
        random_percent: 100,
        content: DiskspdContent::Random,
        ..DiskspdTarget::default()
    }
}

fn span(targets: Vec<DiskspdTarget>) -> DiskspdSpan {
    DiskspdSpan {
        duration_s: 5,
        warmup_s: 0,
        measure_latency: true,
        random_write_data: true,
        targets,
        ..DiskspdSpan::default()
    }
}

fn row(span: u32, thread: u32, target: u32) -> DiskspdRow {
    DiskspdRow {
        span,
        thread,
        thread_of_target: 0,
        threads: 1,
        targets: vec![target],
        cooldown: false,
    }
}

/// Everything of a report, so that it can be borrowed.
struct Made {
    run: Run,
    session: DiskspdSession,
    cpu: Vec<Vec<CpuUse>>,
    verdicts: Vec<String>,
}

impl Made {
    fn new(spans: Vec<DiskspdSpan>, rows: Vec<(DiskspdRow, Option<Outcome>)>) -> Self {
        let measured = rows.iter().map(|(_, outcome)| Row {
            trials: outcome
                .iter()
                .map(|outcome| Trial {
                    outcome: outcome.clone(),
                    evidence: TrialEvidence::default(),
                    together: None,
                })
                .collect(),
            ..Row::new(Workload::new("thread", Bytes::kib(4)))
        });
        let paths = spans.iter().flat_map(|span| &span.targets);
        let target_state = |target: &DiskspdTarget| DiskspdTargetState {
            path: target.path.clone(),
            bytes: Bytes::gib(1),
            device: Some("sda".into()),
            scheduler: Some("mq-deadline".into()),
        };
        let session = DiskspdSession {
            command_line: "diskspd -c1G -Zr -b4K -d5 -o32 -t1 -r -W0 -Sd -w0 -L FILE".into(),
            target_states: paths.map(target_state).collect(),
            rows: rows.iter().map(|(row, _)| row.clone()).collect(),
            profile: DiskspdProfile {
                spans,
                ..DiskspdProfile::default()
            },
            ..DiskspdSession::default()
        };
        let cpu = |number| CpuUse {
            cpu: number,
            user: Nanos::from_millis(150),
            kernel: Nanos::from_millis(400),
            iowait: Nanos::from_millis(2_000),
            idle: Nanos::from_millis(2_450),
        };
        Self {
            run: sample::run_of(measured.collect()),
            session,
            cpu: vec![vec![cpu(0), cpu(1)]],
            verdicts: vec!["VERIFIED: the device moved what sokudo moved.".into()],
        }
    }

    fn one_thread() -> Self {
        let rows = vec![(row(0, 0, 0), Some(outcome(0, 40_000, 0)))];
        Self::new(vec![span(vec![target("FILE")])], rows)
    }

    /// Two targets with two threads each, a mix, intervals.
    fn two_targets() -> Self {
        let mut targets = vec![target("one"), target("two & <more>")];
        for target in &mut targets {
            target.threads = 2;
            target.write_percent = 30;
            target.write_through = DiskspdWriteThrough::Data;
        }
        let mut span = span(targets);
        span.iops_interval = Some(Nanos::from_secs(1));
        let thread = |thread: u32| {
            let outcome = outcome(thread, 7_000 * u64::from(thread + 1), 3_000);
            (row(0, thread, thread / 2), Some(outcome))
        };
        Self::new(vec![span], (0..4).map(thread).collect())
    }

    /// A first time span that was measured, with a cool-down, and one that was not.
    fn interrupted() -> Self {
        let spans = vec![span(vec![target("FILE")]), span(vec![target("FILE")])];
        let cool = DiskspdRow {
            cooldown: true,
            ..row(0, 0, 0)
        };
        let rows = vec![
            (row(0, 0, 0), Some(outcome(0, 0, 40_000))),
            (cool, Some(outcome(0, 0, 9_999))),
            (row(1, 0, 0), None),
        ];
        let mut made = Self::new(spans, rows);
        made.cpu.clear();
        made
    }

    fn report(&self) -> DiskspdReport<'_> {
        DiskspdReport {
            run: &self.run,
            session: &self.session,
            cpu: &self.cpu,
            verdicts: &self.verdicts,
        }
    }
}

/// What the script of document 000 does with the output: the names that it printed itself,
/// and the rate of the first thread.
#[test]
fn the_awk_of_document_000_finds_the_rate() {
    const AWK: &str = "/^Executing/ {print} /^Total IO/ {line = NR + 3} NR == line {print $7}";
    let made = Made::one_thread();
    let text = format!("Executing RND4K Q32T1 read\n{}", linux_text(&made.report()));
    let spawned = Command::new("awk")
        .arg(AWK)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut awk = match spawned {
        Ok(awk) => awk,
        Err(error) => {
            eprintln!("SKIPPED: awk cannot be run: {error}");
            return;
        }
    };
    awk.stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = awk.wait_with_output().unwrap();
    let found = String::from_utf8(output.stdout).unwrap();
    // 40,000 × 4 KiB in 5.0001 s.
    assert_eq!(found, "Executing RND4K Q32T1 read\n31.25\n");
}

#[test]
fn linux_of_one_thread() {
    insta::assert_snapshot!(linux_text(&Made::one_thread().report()));
}

#[test]
fn linux_of_two_targets_with_intervals() {
    insta::assert_snapshot!(linux_text(&Made::two_targets().report()));
}

#[test]
fn linux_of_an_interrupted_run() {
    insta::assert_snapshot!(linux_text(&Made::interrupted().report()));
}

#[test]
fn windows_of_one_thread() {
    insta::assert_snapshot!(windows_text(&Made::one_thread().report()));
}

#[test]
fn windows_of_two_targets_with_intervals() {
    insta::assert_snapshot!(windows_text(&Made::two_targets().report()));
}

/// The lines that texts of diskspd 2.2 and its own tests have, typed from them; of 2.0.21 are those
/// that must not stand there.
#[test]
fn windows_says_what_diskspd_2_2_says() {
    let mut made = Made::two_targets();
    let target = &mut made.session.profile.spans[0].targets[0];
    target.block = Bytes::kib(8);
    target.stride = None;
    target.random_percent = 50;
    target.requests = 4;
    target.base = Bytes::mib(1);
    target.max = Some(Bytes(1_500 << 10));
    target.throughput = Some(DiskspdThroughput::Iops(1000));
    target.content = DiskspdContent::Source {
        bytes: Bytes(12_341_234),
        file: None,
    };
    target.distribution = Some(DiskspdDistribution {
        absolute: false,
        ranges: vec![(10, 10), (10, 10), (0, 10), (80, 70)],
    });
    let text = windows_text(&made.report());
    let lines: Vec<&str> = text.lines().collect();
    for line in [
        "\t\tblock size: 8KiB",
        "\t\tusing mixed random/sequential I/O (50% random) (alignment/stride: 8KiB)",
        "\t\tnumber of outstanding I/O operations per thread: 4",
        "\t\tbase file offset: 1MiB",
        "\t\tmax file size: 1.46MiB",
        "\t\tthroughput rate-limited to 1000 IOPS",
        "\t\twrite buffer size: 11.77MiB",
        "\t\twrite buffer source: random fill",
        "\t\tIO Distribution:",
        "\t\t    10% of IO => [ 0% -  10%) of target",
        "\t\t    10% of IO => [10% -  20%) of target",
        "\t\t     0% of IO => [20% -  30%) of target",
        "\t\t    80% of IO => [30% - 100%) of target",
        "CPU |  Usage |  User  | Kernel |  Idle",
        "----------------------------------------",
        "   0|  11.00%|   3.00%|   8.00%|  89.00%",
        "avg.|  11.00%|   3.00%|   8.00%|  89.00%",
        "Latency distribution: one",
        "Latency distribution: two & <more>",
        "Total latency distribution:",
    ] {
        assert!(lines.contains(&line), "{line}\n{text}");
    }
    for words in [
        "proc count",
        "thread stride",
        "block size: 8192",
        "1024MiB",
        "throughput: ",
    ] {
        assert!(!text.contains(words), "{words}\n{text}");
    }
    assert!(text.contains("one (1GiB)"), "{text}");
    let of = |title: &str| text.split(title).nth(1).unwrap().lines().nth(3).unwrap();
    assert_ne!(
        of("distribution: one\n"),
        of("distribution: two & <more>\n")
    );
    assert_eq!(
        windows_text(&Made::one_thread().report())
            .matches("distribution:")
            .count(),
        1
    );
}

#[test]
fn windows_of_an_interrupted_run() {
    insta::assert_snapshot!(windows_text(&Made::interrupted().report()));
}

#[test]
fn xml_of_two_targets_with_intervals() {
    let mut made = Made::two_targets();
    made.session.layout = DiskspdLayout::Xml;
    let mut latency = Histogram::new();
    latency.record(250_000);
    latency.record(750_000);
    let outcome = &mut made.run.rows[0].trials[0].outcome;
    outcome.logs.histograms = vec![HistogramPoint {
        at: Nanos::from_secs(2),
        operation: Operation::Read,
        bytes: 4096,
        latency,
    }];
    let text = text(&made.report());
    let document = roxmltree::Document::parse(&text).unwrap();
    let targets = document
        .descendants()
        .filter(|n| n.has_tag_name("FileSize"));
    // Two in the profile, four with results.
    assert_eq!(targets.count(), 6);
    insta::assert_snapshot!(text);
}

#[test]
fn xml_of_an_interrupted_run() {
    let mut made = Made::interrupted();
    made.session.layout = DiskspdLayout::Xml;
    let text = text(&made.report());
    roxmltree::Document::parse(&text).unwrap();
    assert!(text.contains("<Error>The test was interrupted"));
    assert!(!text.contains("CpuUtilization"));
    // The load after the measurement does not count.
    assert!(text.contains("<IOCount>40000</IOCount>"));
    assert!(!text.contains(">9999<"));
}

#[test]
fn any_text_gives_xml_that_can_be_read() {
    let mut made = Made::one_thread();
    let path = "a\u{0}\u{1b}<b>&\"'\u{fffe}é";
    made.session.profile.spans[0].targets[0].path = path.into();
    made.session.target_states[0].path = path.into();
    roxmltree::Document::parse(&xml(&made.report())).unwrap();
}

#[test]
fn percentiles_are_of_all_threads_alike() {
    let made = Made::two_targets();
    let spans = figures::spans(&made.run, &made.session);
    let total = spans[0].total(figures::TableSection::Total).latency;
    let mut merged = Histogram::new();
    for row in &made.run.rows {
        for tally in &row.trials[0].outcome.operations {
            merged.merge(&tally.latency);
        }
    }
    assert_eq!(total.count(), 7_000 * (1 + 2 + 3 + 4) + 4 * 3_000);
    for fraction in [0.25, 0.5, 0.9, 0.999] {
        assert_eq!(total.quantile(fraction), merged.quantile(fraction));
    }
}

#[test]
fn an_interval_without_io_counts_for_the_deviation() {
    let made = Made::two_targets();
    let spans = figures::spans(&made.run, &made.session);
    let reads = spans[0].rows[0].counts(figures::TableSection::Read, spans[0].span);
    // 1750, 1750, 1750, 0, 1750: mean 1400, deviation 700.
    assert_eq!(spans[0].iops_deviation(&reads), Some(700.0));
}

#[test]
fn threads_that_share_a_position_are_one_row() {
    let mut made = Made::one_thread();
    made.session.rows[0].threads = 4;
    made.session.profile.spans[0].targets[0].threads = 4;
    let text = linux_text(&made.report());
    assert!(text.contains("\n   0-3 |       163840000 |"), "{text}");
    assert!(text.contains("total threads: 4"));
}

#[test]
fn it_is_said_where_direct_io_was_not_possible() {
    let mut made = Made::one_thread();
    made.run.rows[0].trials[0].outcome.direct = false;
    let text = linux_text(&made.report());
    assert!(text.contains("O_DIRECT was not possible"));
}

#[test]
fn a_profile_alone_is_printed_in_its_layout() {
    let mut session = Made::two_targets().session;
    insta::assert_snapshot!(profile_only(&session));
    session.layout = DiskspdLayout::Xml;
    insta::assert_snapshot!(profile_only(&session));
}
