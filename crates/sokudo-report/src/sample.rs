//! Kept runs that tests start from, and rows made by hand.

use sokudo_model::*;
use sokudo_stats::{Histogram, Interval, Random};

use crate::{RunDocument, TableStyle};

mod hosts;

pub use hosts::{run_of_many, together_run};

/// A run of `tests/kept` of the program, where its name says what it is.
pub fn kept(name: &str) -> Run {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../sokudo/tests/kept");
    let text = std::fs::read_to_string(format!("{folder}/{name}.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A method of whose plans this is so.
pub fn method(traits: &'static [MethodTrait]) -> Method {
    Method::new(Box::leak(Box::new(MethodKind {
        name: "test",
        command: "test",
        is_named: false,
        traits,
    })))
}

/// Its figures.
pub fn document(name: &str) -> RunDocument {
    RunDocument::from_run(&kept(name))
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

/// One row of one trial of a simulated device at a fixed rate, in which hardly anything is known.
pub fn bare_run() -> Run {
    let mut run = kept("rate");
    run.rows[0].trials.truncate(1);
    run.environment = HostEnvironment::default();
    run.schedule.trials = 1;
    run
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

/// A device like the one that kept runs were measured on.
pub fn device(name: &str, kind: BlockDeviceKind, model: Option<&str>) -> BlockDevice {
    BlockDevice {
        name: name.into(),
        kind,
        is_leaf: kind != BlockDeviceKind::Partition,
        model: model.map(str::to_owned),
        serial: None,
        ..run().target.devices.remove(1)
    }
}

/// A change with its interval.
pub fn change(ratio: f64, low: f64, high: f64) -> Change {
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
pub const fn backend(kind: BackendKind) -> BackendUse {
    BackendUse {
        kind,
        features: vec![],
        notes: vec![],
    }
}

/// Tables of so many columns.
pub fn style(width: usize) -> TableStyle {
    TableStyle {
        width,
        ..TableStyle::default()
    }
}

pub fn finding(
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

/// Runs whose figures are drawn from a seed: odd floats in every field.
fn random_run(seed: u64) -> Run {
    let mut random = Random::new(seed);
    let mut run = run();
    run.environment.load_average = Some(random.fraction() * 10.0);
    run.plan.seed = random.next_u64();
    for row in &mut run.rows {
        row.trials.truncate(random.below(7) as usize);
        for trial in &mut row.trials {
            let outcome = &mut trial.outcome;
            outcome.elapsed = Nanos(random.below(5_000_000_000));
            outcome.depth_achieved = random.fraction() * 32.0 / 3.0;
            outcome.series.push(SeriesPoint {
                at: Nanos(random.below(1 << 52)),
                bytes: Bytes(random.below(1 << 52)),
                ios: random.below(1 << 52),
            });
        }
    }
    run
}

/// Runs of every shape.
pub fn all_shapes() -> Vec<Run> {
    let mut shapes = vec![run(), troubled_run(), bare_run(), run_of(vec![])];
    shapes.extend((0..20).map(random_run));
    shapes
}
