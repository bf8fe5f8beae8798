//! A run made by hand, of figures such as a good NVMe drive gives, with one of
//! everything that outputs must cope with.

use std::sync::LazyLock;

use sokudo_model::*;
use sokudo_stats::{Histogram, Interval, Random};

use crate::TableStyle;

mod hosts;

pub(crate) use hosts::{run_of_many, together_run};

/// Six trials of one second of seven rows: reads, writes, one of them doubtful,
/// and a mix.
pub(crate) fn run() -> Run {
    // Millions of latencies are drawn, once for all tests.
    static RUN: LazyLock<Run> = LazyLock::new(draw_run);
    RUN.clone()
}

fn draw_run() -> Run {
    let read = || OperationMix::only(Operation::Read);
    let write = || OperationMix::only(Operation::Write);
    let mix = OperationMix::read_write(70).unwrap();
    let rows = vec![
        row("SEQ1M Q8T1", Bytes::mib(1), read(), 8, 3_386.0),
        row("SEQ1M Q8T1", Bytes::mib(1), write(), 8, 2_951.0),
        row("RND4K Q32T1", Bytes::kib(4), read(), 32, 148_987.0),
        row("RND4K Q32T1", Bytes::kib(4), write(), 32, 121_044.0),
        row("RND4K Q1T1", Bytes::kib(4), read(), 1, 15_104.0),
        row("RND4K Q1T1", Bytes::kib(4), write(), 1, 41_310.0),
        row("RND4K Q32T1", Bytes::kib(4), mix, 32, 130_200.0),
    ];
    let mut run = run_of(rows);
    for index in [3, 5] {
        let assessment = run.rows[index].assessment.as_mut().unwrap();
        assessment.verdict = Verdict::Unverified;
        assessment.device_ratio = Some(1.14);
        assessment.findings = vec![finding(
            "device-moved-more",
            Severity::Warning,
            "The device wrote 1.14 times what sokudo wrote.",
            "Something else used the disk during the trials, or the file system wrote its journal with every block.",
            "Close other programs and measure again; see who writes with `iotop`.",
        )];
    }
    run.findings = vec![finding(
        "virtual-machine",
        Severity::Info,
        "The kernel runs in a virtual machine.",
        "What looks like a disk is the host's storage with its caches.",
        "Take the figures as those of this machine, not of a drive.",
    )];
    run
}

/// A crystal run of five trials in which one row failed and one was not reached.
pub(crate) fn troubled_run() -> Run {
    let mut run = run();
    run.schedule = Schedule {
        name: ScheduleName::Crystal,
        warm_up: true,
        ..Schedule::in_turn(5, Nanos::from_secs(5))
    };
    run.interrupted = true;
    run.rows.truncate(5);
    run.plan.stages.truncate(5);
    for row in &mut run.rows {
        row.trials.truncate(5);
    }
    let failed = &mut run.rows[2];
    failed.trials.truncate(1);
    let outcome = &mut failed.trials[0].outcome;
    outcome.operations.clear();
    outcome.submission = None;
    outcome.series.clear();
    outcome.cpu = None;
    outcome.depth_achieved = f64::NAN;
    outcome.stopped = StopReason::Failed;
    outcome.failures = vec![
        failure(FailureKind::Errno(5), 17),
        failure(
            FailureKind::Short {
                asked: 4096,
                moved: 512,
            },
            1,
        ),
        failure(FailureKind::Nothing, 2),
    ];
    failed.trials[0].evidence = TrialEvidence::default();
    failed.assessment = Some(Assessment {
        verdict: Verdict::Invalid,
        device_ratio: None,
        findings: vec![finding(
            "io-failed",
            Severity::Error,
            "Reads failed with an input/output error.",
            "The medium is damaged, or the cable or controller lost the drive.",
            "Save what is on it, then look at `dmesg` and at the drive's own log.",
        )],
    });
    let partial = &mut run.rows[3];
    partial.trials.truncate(2);
    partial.trials[1].outcome.stopped = StopReason::Cancelled;
    partial.assessment = None;
    run.rows[4].trials.clear();
    run.rows[4].assessment = None;
    run
}

/// A run of a simulated device at a fixed rate, in which hardly anything is
/// known.
pub(crate) fn bare_run() -> Run {
    let mut paced = row(
        "RND4K Q1T1",
        Bytes::kib(4),
        OperationMix::only(Operation::Read),
        1,
        100.0,
    );
    paced.workload.rate = Some(Rate::Iops(100));
    paced.trials.truncate(1);
    let outcome = &mut paced.trials[0].outcome;
    outcome.backend = backend(BackendKind::Sim);
    outcome.cpu = None;
    outcome.submission = None;
    outcome.operations[0].latency_from_intended = Some(histogram(50, 90_000.0, 5));
    paced.trials[0].evidence = TrialEvidence::default();
    let mut run = run_of(vec![paced]);
    run.target = TargetInfo::new("sim:const?latency=100us", TargetKind::Simulated);
    run.environment = Environment::default();
    run.schedule.trials = 1;
    run
}

/// A run of these rows, each in a stage of its own.
pub(crate) fn run_of(rows: Vec<Row>) -> Run {
    let stage = |row: &Row| Stage {
        workloads: vec![row.workload.clone()],
    };
    let plan = Plan {
        method: "mark/default".into(),
        seed: 42,
        stages: rows.iter().map(stage).collect(),
    };
    Run {
        sokudo_version: "0.1.0".into(),
        started_at: Some(Nanos(1_795_226_288_250_000_000)),
        environment: Environment {
            host: Some("bench".into()),
            kernel: Some("6.18.2".into()),
            distribution: Some("Debian GNU/Linux 12 (bookworm)".into()),
            cpu_model: Some("AMD EPYC 7763".into()),
            cpus: 2,
            memory_bytes: Some(Bytes::gib(4)),
            virtual_machine: Some(true),
            load_average: Some(0.07),
            ..Environment::default()
        },
        rows,
        command: "sokudo mark /mnt/data --seed 42".into(),
        ..Run::new(plan, Schedule::in_turn(6, Nanos(0)), target())
    }
}

/// Six trials about `iops` that scatter by a percent or so.
pub(crate) fn row(name: &str, block: Bytes, mix: OperationMix, depth: u32, iops: f64) -> Row {
    let mut workload = Workload::new(name, block);
    workload.order = match name.starts_with("RND") {
        true => Order::Random { map: true },
        false => Order::Sequential {
            offset: SequentialOffset::Own,
        },
    };
    workload.operations = mix;
    workload.depth = depth;
    workload.limits.time = Some(Nanos::from_secs(1));
    let scatter = [1.0, 1.004, 0.993, 1.006, 0.997, 1.001];
    let trials = scatter.iter().map(|factor| trial(&workload, iops * factor));
    Row {
        trials: trials.collect(),
        assessment: Some(Assessment {
            verdict: Verdict::Verified,
            device_ratio: Some(1.0),
            findings: vec![],
        }),
        ..Row::new(workload)
    }
}

fn trial(workload: &Workload, iops: f64) -> Trial {
    let block = workload.blocks.smallest().0;
    let elapsed = Nanos(1_000_250_000);
    let latency = 1e9 * f64::from(workload.depth) / iops;
    let tally = |(operation, percent): &(Operation, u32)| {
        let ios = (iops * elapsed.as_secs_f64() * f64::from(*percent) / 100.0).round() as u64;
        OperationTally {
            ios,
            bytes: Bytes(ios * block),
            latency: histogram(ios, latency, u64::from(*percent) + ios),
            ..OperationTally::new(*operation)
        }
    };
    let operations: Vec<_> = workload.operations.shares().iter().map(tally).collect();
    let bytes = |operation| {
        let of = operations
            .iter()
            .filter(|tally| tally.operation == operation);
        of.map(|tally| tally.bytes.0).sum()
    };
    let device = DeviceCounters {
        read_bytes: bytes(Operation::Read),
        written_bytes: bytes(Operation::Write),
        ..DeviceCounters::default()
    };
    let half = |at, share: u64| SeriesPoint {
        at: Nanos::from_millis(at),
        bytes: Bytes(operations.iter().map(|t| t.ios / 2 * block * share).sum()),
        ios: operations.iter().map(|t| t.ios / 2 * share).sum(),
    };
    Trial {
        outcome: Outcome {
            elapsed,
            submission: Some(histogram(400, 1_100.0, 9)),
            series: vec![half(500, 1), half(1_000, 1)],
            cpu: Some(CpuTime {
                user: Nanos::from_millis(12),
                system: Nanos::from_millis(140),
                ..CpuTime::default()
            }),
            depth_achieved: f64::from(workload.depth) * 0.998,
            direct: true,
            failures: vec![],
            operations,
            ..Outcome::new(
                BackendUse {
                    kind: BackendKind::IoUring,
                    features: vec![
                        BackendFeature::RegisteredBuffers,
                        BackendFeature::SingleIssuer,
                    ],
                    notes: vec![],
                },
                StopReason::Time,
            )
        },
        evidence: TrialEvidence {
            device: Some(device),
            cached_before: Some(Bytes(0)),
            foreign: None,
            processors: None,
            began: None,
        },
        together: None,
    }
}

/// Latencies about a mean with a long tail.
fn histogram(count: u64, mean: f64, seed: u64) -> Histogram {
    let mut random = Random::new(seed);
    let mut histogram = Histogram::new();
    for _ in 0..count {
        let tail = if random.fraction() > 0.997 { 4.0 } else { 1.0 };
        histogram.record((mean * tail * (0.8 + 0.4 * random.fraction())) as u64);
    }
    histogram
}

fn target() -> TargetInfo {
    TargetInfo {
        name: "/mnt/data".into(),
        kind: TargetKind::Directory,
        path: Some("/mnt/data".into()),
        size_bytes: Some(Bytes::gib(1)),
        file_system: Some(FileSystem {
            kind: "ext4".into(),
            mount_point: "/mnt/data".into(),
            mount_options: vec!["rw".into(), "noatime".into()],
            source: "/dev/nvme0n1p2".into(),
            total_bytes: Some(Bytes::gib(900)),
            available_bytes: Some(Bytes::gib(500)),
            uuid: None,
        }),
        direct_io: DirectIoSupport::Supported {
            memory_alignment: Bytes(4),
            offset_alignment: Bytes(512),
        },
        devices: vec![
            device("nvme0n1p2", BlockDeviceKind::Partition, None),
            device(
                "nvme0n1",
                BlockDeviceKind::Disk,
                Some("Samsung SSD 980 PRO 1TB"),
            ),
        ],
        file_state: Some(FileState {
            size_bytes: Bytes::gib(1),
            extents: 3,
            ..FileState::default()
        }),
        blind_spots: vec![],
        host: None,
    }
}

pub(crate) fn device(name: &str, kind: BlockDeviceKind, model: Option<&str>) -> BlockDevice {
    BlockDevice {
        name: name.into(),
        number: "259:0".into(),
        kind,
        is_leaf: kind != BlockDeviceKind::Partition,
        parents: vec![],
        model: model.map(str::to_owned),
        serial: None,
        size_bytes: Some(Bytes(1_000_204_886_016)),
        logical_block_bytes: Some(Bytes(512)),
        physical_block_bytes: Some(Bytes(512)),
        rotational: Some(false),
        rotation_rpm: None,
        cache_bytes: None,
        scheduler: Some("none".into()),
        write_cache: Some("write back".into()),
        max_io_bytes: None,
        read_ahead_bytes: None,
        counts_io: Some(true),
        backing_file: None,
        backing_direct: None,
        marks: DeviceMarks::default(),
        attached_by: Vec::new(),
    }
}

/// A change with its interval.
pub(crate) fn change(ratio: f64, low: f64, high: f64) -> Change {
    Change {
        ratio,
        ratio_interval_95: Some(Interval {
            low,
            high,
            coverage: 0.959,
        }),
        test: ComparisonTest::MannWhitney,
        p_value: 0.002_164_5,
        p_value_of_all_rows: 0.008_658,
        cliffs_delta: 1.0,
        effect: Effect::Large,
        widening: 2.3,
        runs_differ: None,
    }
}

/// A backend that has nothing to say.
pub(crate) const fn backend(kind: BackendKind) -> BackendUse {
    BackendUse {
        kind,
        features: vec![],
        notes: vec![],
    }
}

/// Tables of so many columns.
pub(crate) fn style(width: usize) -> TableStyle {
    TableStyle {
        width,
        ..TableStyle::default()
    }
}

fn finding(
    code: &str,
    severity: Severity,
    symptom: &'static str,
    cause: &'static str,
    remedy: &'static str,
) -> Finding {
    Finding {
        code: code.into(),
        severity,
        symptom: symptom.into(),
        cause: cause.into(),
        remedy: remedy.into(),
    }
}

fn failure(kind: FailureKind, count: u64) -> IoFailure {
    IoFailure {
        operation: Operation::Read,
        kind,
        offset: Bytes(8_192),
        count,
    }
}
