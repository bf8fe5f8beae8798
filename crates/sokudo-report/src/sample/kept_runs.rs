//! Kept runs that tests start from, and rows made by hand, for the tests inside of crates.

use sokudo_model::*;
use sokudo_stats::{Histogram, Random};

/// A run of `tests/kept` of the program, where its name says what it is.
pub fn kept(name: &str) -> Run {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../sokudo/tests/kept");
    let text = std::fs::read_to_string(format!("{folder}/{name}.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Six trials of eight rows, all VERIFIED.
pub fn run() -> Run {
    kept("mark")
}

/// A crystal run of five trials in which the third row failed, the fourth was interrupted, and
/// the others were not reached.
pub fn troubled_run() -> Run {
    kept("troubled")
}

/// A run of these rows, each in a stage of its own.
pub fn run_of(rows: Vec<Row>) -> Run {
    let stage = |row: &Row| Stage {
        workloads: vec![row.workload.clone()],
    };
    let mut run = run();
    run.plan.stages = rows.iter().map(stage).collect();
    run.schedule = Schedule::in_turn(6, Nanos(0));
    run.findings.clear();
    run.rows = rows;
    run
}

/// Six trials about `iops` that scatter by a percent or so.
pub fn row(name: &str, block: Bytes, mix: OperationMix, depth: u32, iops: f64) -> Row {
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
            group: None,
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

/// A backend that has nothing to say.
pub const fn backend(kind: BackendKind) -> BackendUse {
    BackendUse {
        kind,
        features: vec![],
        notes: vec![],
    }
}
