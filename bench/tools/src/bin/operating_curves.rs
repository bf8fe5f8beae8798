//! How often findings are told, over what there is to find and how much the figures scatter:
//! rows of known truth, judged like any other. `bench/precision curves` draws what this prints.
//!
//! `cargo run --release -p sokudo-bench --bin operating_curves [ROWS_PER_CELL]`

#![expect(clippy::print_stdout, reason = "it prints a table")]
#![expect(
    clippy::cast_possible_truncation,
    reason = "counts and rates are made of floats"
)]

use sokudo_model::{
    BackendKind, BlockDevice, BlockDeviceKind, BlockSizes, Bytes, DeviceCounters, DeviceMarks,
    Enough, FileState, FileSystem, IoLimit, Nanos, Operation, OperationMix, OperationTally, Order,
    Outcome, Plan, Row, Run, Schedule, SeriesPoint, Steadiness, StopReason, TargetInfo, TargetKind,
    Trial, TrialEvidence, Workload,
};
use sokudo_stats::{Histogram, Random};

const ROWS_PER_CELL: u64 = 300;
const TRIALS: usize = 6;
const BLOCK: Bytes = Bytes::kib(4);
const INTERVAL: Nanos = Nanos::from_millis(100);
/// Of every trial, where the effect is in the series.
const INTERVALS: usize = 50;
const NUMBER: &str = "8:16";

fn main() {
    sokudo_methods::commands::hand_over();
    let rows = std::env::args().nth(1);
    let rows = rows.map_or(ROWS_PER_CELL, |rows| rows.parse().expect("rows per cell"));
    println!("finding,effect,noise,runs,alarms");
    let findings = [falls, passes, stalls, surpluses, limits, scatters];
    std::thread::scope(|scope| {
        let counting = findings.map(|lines| scope.spawn(move || lines(rows)));
        for lines in counting {
            let lines = lines.join().expect("its judgement ends");
            println!("{}", lines.join("\n"));
        }
    });
}

/// Judges so many runs; a line that says in how many of them the finding is.
fn count(
    rows: u64,
    code: &str,
    effect: f64,
    noise: &str,
    run: impl Fn(&mut Random) -> Run,
) -> String {
    let alarms = (0..rows)
        .filter(|seed| {
            let mut run = run(&mut Random::new(seed.wrapping_mul(7_919) + 1));
            sokudo_analysis::judge(&mut run);
            let assessment = run.rows[0].assessment.as_ref().expect("it was judged");
            assessment.findings.iter().any(|found| found.code == code)
        })
        .count();
    format!("{code},{effect},{noise},{rows},{alarms}")
}

/// Deviation of the logarithm of each interval's rate, and how much of it is the neighbour's.
struct Noise {
    deviation: f64,
    memory: f64,
    value: f64,
}

impl Noise {
    fn new(deviation: f64, memory: f64, random: &mut Random) -> Self {
        Self {
            deviation,
            memory,
            value: normal(random),
        }
    }

    /// The factor of the next interval, whose neighbour's it resembles.
    fn factor(&mut self, random: &mut Random) -> f64 {
        let own = (1.0 - self.memory * self.memory).sqrt();
        self.value = self.memory * self.value + own * normal(random);
        (self.deviation * self.value).exp()
    }
}

/// How noise is called, its deviation and its memory.
const NOISES: [(&str, f64, f64); 6] = [
    ("± 5 % independent", 0.05, 0.0),
    ("± 20 % independent", 0.2, 0.0),
    ("± 40 % independent", 0.4, 0.0),
    ("± 20 % with memory", 0.2, 0.6),
    ("± 40 % with memory", 0.4, 0.6),
    ("± 20 % with long memory", 0.2, 0.95),
];

/// A value of the normal distribution, as the sum of twelve uniform ones.
fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.fraction()).sum::<f64>() - 6.0
}

/// Writes whose speed falls once, somewhere between a fifth and four fifths of all trials.
fn falls(rows: u64) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, deviation, memory) in NOISES {
        for fall in [0.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 60.0] {
            lines.push(count(rows, "not-steady", fall, name, |random| {
                let mut noise = Noise::new(deviation, memory, random);
                let all = (TRIALS * INTERVALS) as f64;
                let from = (all * (0.2 + 0.6 * random.fraction())) as usize;
                let rates = (0..TRIALS * INTERVALS).map(|number| {
                    let level = if number < from {
                        1.0
                    } else {
                        1.0 - fall / 100.0
                    };
                    200e6 * level * noise.factor(random)
                });
                let rates: Vec<f64> = rates.collect();
                in_series(Operation::Write, &rates)
            }));
        }
    }
    lines
}

/// Random reads of a file whose first pass fills 30 of 300 intervals.
fn passes(rows: u64) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, deviation, memory) in NOISES {
        for factor in [1.0, 1.5, 1.75, 2.0, 2.25, 2.5, 3.0, 4.0] {
            lines.push(count(rows, "dataset-in-cache", factor, name, |random| {
                let mut noise = Noise::new(deviation, memory, random);
                let (mut rates, mut moved) = (Vec::new(), 0.0);
                let span = 30.0 * 0.1 * 200e6;
                for _ in 0..TRIALS * INTERVALS {
                    let speed = if moved < span { 1.0 } else { factor };
                    let rate = 200e6 * speed * noise.factor(random);
                    moved += rate * INTERVAL.as_secs_f64();
                    rates.push(rate);
                }
                let mut run = in_series(Operation::Read, &rates);
                run.target.size_bytes = Some(Bytes(span as u64));
                run
            }));
        }
    }
    lines
}

/// Reads of which some take so many times the 99th percentile, and hold this part of all
/// latency.
fn stalls(rows: u64) -> Vec<String> {
    let mut lines = Vec::new();
    let noises = [
        ("tail σ 0.2; stalls 20 %", 0.2, 0.2),
        ("tail σ 0.5; stalls 20 %", 0.5, 0.2),
        ("tail σ 1.0; stalls 20 %", 1.0, 0.2),
        ("tail σ 1.5; stalls 20 %", 1.5, 0.2),
        ("tail σ 0.5; stalls 12 %", 0.5, 0.12),
        ("tail σ 0.5; stalls 8 %", 0.5, 0.08),
    ];
    for (name, deviation, share) in noises {
        for times in [0.0, 10.0, 15.0, 18.0, 20.0, 22.0, 25.0, 30.0, 50.0] {
            lines.push(count(rows, "stalls", times, name, |random| {
                let mut latency = Histogram::new();
                for _ in 0..5_000 {
                    latency.record((1e5 * (deviation * normal(random)).exp()) as u64);
                }
                let p99 = latency.quantile(0.99).expect("it has values") as f64;
                if times > 0.0 {
                    let held = latency.sum() as f64 * share / (1.0 - share);
                    let stalls = (held / (p99 * times)).round().max(1.0) as u64;
                    for _ in 0..stalls {
                        latency.record((p99 * times) as u64);
                    }
                }
                let elapsed = Nanos(latency.sum() as u64);
                let ios = latency.count();
                run_of(
                    Operation::Read,
                    vec![trial(Operation::Read, ios, elapsed, latency)],
                )
            }));
        }
    }
    lines
}

/// Reads beside which others read, on a system that moves so much by itself in each trial.
fn surpluses(rows: u64) -> Vec<String> {
    let mut lines = Vec::new();
    let noises = [
        ("1 GB/s row; quiet", 1e9, 0.0),
        ("1 GB/s row; 120 KiB/trial", 1e9, 120.0),
        ("20 MB/s row; quiet", 20e6, 0.0),
        ("20 MB/s row; 120 KiB/trial", 20e6, 120.0),
        ("20 MB/s row; 400 KiB/trial", 20e6, 400.0),
    ];
    for (name, rate, background) in noises {
        for more in [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0] {
            lines.push(count(rows, "foreign-io", more, name, |random| {
                let trials = (0..TRIALS).map(|_| {
                    let ios = (rate / BLOCK.0 as f64) as u64;
                    let mut trial = even_trial(Operation::Read, ios, Nanos::from_secs(1));
                    let by_itself = -background * 1024.0 * (1.0 - random.fraction()).ln();
                    let others = (rate * more / 100.0 + by_itself) as u64 / 512 * 512;
                    let device = trial.evidence.device.as_mut().expect("it was counted");
                    device.read_bytes += others;
                    device.read_ios += others.div_ceil(Bytes::kib(128).0);
                    trial
                });
                let trials = trials.collect();
                run_of(Operation::Read, trials)
            }));
        }
    }
    lines
}

/// Reads of a device that comes to so much of a limit, from trial to trial a little more or less.
fn limits(rows: u64) -> Vec<String> {
    let mut lines = Vec::new();
    let noises = [
        ("trials ± 1 %", 0.01),
        ("trials ± 5 %", 0.05),
        ("trials ± 10 %", 0.1),
        ("trials ± 20 %", 0.2),
    ];
    for (name, deviation) in noises {
        for percent in [
            50.0, 70.0, 80.0, 85.0, 90.0, 95.0, 100.0, 120.0, 140.0, 150.0, 160.0, 200.0,
        ] {
            lines.push(count(
                rows,
                "throttled-by-cgroup",
                percent,
                name,
                |random| {
                    let trials = (0..TRIALS).map(|_| {
                        let ios = 1e4 * percent / 100.0 * (deviation * normal(random)).exp();
                        even_trial(Operation::Read, ios as u64, Nanos::from_secs(1))
                    });
                    let trials = trials.collect();
                    let mut run = run_of(Operation::Read, trials);
                    run.conditions.io_limits.push(IoLimit {
                        file: "/sys/fs/cgroup/job/io.max".into(),
                        device: "sda".into(),
                        number: NUMBER.into(),
                        read_bytes_per_s: Some(10_000 * BLOCK.0),
                        ..IoLimit::default()
                    });
                    run
                },
            ));
        }
    }
    lines
}

/// Reads whose trials scatter so much that the 95 % interval of their median, were it exact, would
/// reach so far: 1.96 standard errors of the median of normal values, 1.2533 σ ÷ √n each.
fn scatters(rows: u64) -> Vec<String> {
    let mut lines = Vec::new();
    for trials in [6, 12, 24, 40] {
        let name = format!("{trials} trials");
        for reach in [0.0, 2.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0, 30.0] {
            let deviation = reach / 100.0 * f64::from(trials).sqrt() / (1.96 * 1.2533);
            let unsteady = (0..rows).filter(|seed| {
                let mut random = Random::new(seed.wrapping_mul(7_919) + 1);
                let trials = (0..trials).map(|_| {
                    let ios = 1e4 * (deviation * normal(&mut random)).exp();
                    even_trial(Operation::Read, ios as u64, Nanos::from_secs(1))
                });
                let reach = Enough::reach(&trials.collect::<Vec<_>>());
                reach.map(Steadiness::of_reach) == Some(Steadiness::Unsteady)
            });
            let unsteady = unsteady.count();
            lines.push(format!("unsteady,{reach},{name},{rows},{unsteady}"));
        }
    }
    lines
}

/// A run whose trials have these rates, interval by interval, in bytes per second.
fn in_series(operation: Operation, rates: &[f64]) -> Run {
    let trials = rates.chunks(INTERVALS).map(|rates| {
        let mut series = Vec::new();
        for (number, rate) in (1..).zip(rates) {
            let ios = (rate * INTERVAL.as_secs_f64() / BLOCK.0 as f64) as u64;
            series.push(SeriesPoint {
                at: Nanos(INTERVAL.0 * number),
                bytes: Bytes(ios * BLOCK.0),
                ios,
            });
        }
        let ios = series.iter().map(|point| point.ios).sum();
        let elapsed = Nanos(INTERVAL.0 * rates.len() as u64);
        let mut trial = even_trial(operation, ios, elapsed);
        trial.outcome.series = series;
        trial
    });
    let trials = trials.collect();
    run_of(operation, trials)
}

/// A trial of one I/O at a time whose latencies are alike.
fn even_trial(operation: Operation, ios: u64, elapsed: Nanos) -> Trial {
    let ios = ios.max(1);
    // As many as percentiles need: recording each of a billion takes longer than judging.
    let each = elapsed.0 / ios;
    let mut latency = Histogram::new();
    latency.record(each.max(1));
    let mut all = Histogram::new();
    let mut left = ios;
    while left > 0 {
        if left & 1 == 1 {
            all.merge(&latency);
        }
        latency.merge(&latency.clone());
        left >>= 1;
    }
    trial(operation, ios, elapsed, all)
}

fn trial(operation: Operation, ios: u64, elapsed: Nanos, latency: Histogram) -> Trial {
    let bytes = ios * BLOCK.0;
    let mut device = DeviceCounters::default();
    match operation {
        Operation::Read => (device.read_ios, device.read_bytes) = (ios, bytes),
        _ => (device.written_ios, device.written_bytes) = (ios, bytes),
    }
    Trial {
        outcome: Outcome {
            elapsed,
            operations: vec![OperationTally {
                ios,
                bytes: Bytes(bytes),
                latency,
                ..OperationTally::new(operation)
            }],
            depth_achieved: 1.0,
            direct: true,
            ..Outcome::new(BackendKind::IoUring, StopReason::Time)
        },
        evidence: TrialEvidence {
            device: Some(device),
            cached_before: Some(Bytes(0)),
            ..TrialEvidence::default()
        },
        together: None,
    }
}

/// A row of random 4 KiB I/O of one operation, in a file on ext4 on a disk.
fn run_of(operation: Operation, trials: Vec<Trial>) -> Run {
    let mut workload = Workload::new("RND4K Q1T1", BLOCK);
    workload.operations = OperationMix::only(operation);
    workload.blocks = BlockSizes::one(BLOCK);
    workload.order = Order::Random { map: false };
    workload.limits.time = Some(trials[0].outcome.elapsed);
    let plan = Plan {
        method: "mark/default".into(),
        seed: 1,
        stages: Vec::new(),
    };
    let schedule = Schedule::in_turn(u32::try_from(trials.len()).expect("a few"), Nanos(0));
    let size = Bytes::gib(100);
    let target = TargetInfo {
        path: Some("/mnt/data".into()),
        size_bytes: Some(size),
        file_system: Some(FileSystem {
            kind: "ext4".into(),
            mount_point: "/mnt/data".into(),
            mount_options: vec!["rw".into()],
            source: "/dev/sda".into(),
            total_bytes: Some(Bytes::gib(250)),
            available_bytes: Some(Bytes::gib(100)),
            uuid: None,
            level: None,
            memory_below: None,
        }),
        devices: vec![disk()],
        file_state: Some(FileState {
            size_bytes: size,
            extents: 8,
            ..FileState::default()
        }),
        ..TargetInfo::new(".", TargetKind::Directory)
    };
    Run {
        rows: vec![Row {
            trials,
            ..Row::new(workload)
        }],
        ..Run::new(plan, schedule, target)
    }
}

fn disk() -> BlockDevice {
    BlockDevice {
        name: "sda".into(),
        number: NUMBER.into(),
        kind: BlockDeviceKind::Disk,
        is_leaf: true,
        parents: Vec::new(),
        model: None,
        serial: None,
        size_bytes: Some(Bytes::gib(256)),
        logical_block_bytes: Some(Bytes(512)),
        physical_block_bytes: Some(Bytes(512)),
        rotational: Some(false),
        rotation_rpm: None,
        cache_bytes: None,
        scheduler: None,
        write_cache: None,
        max_io_bytes: None,
        read_ahead_bytes: None,
        counts_io: Some(true),
        backing_file: None,
        backing_direct: None,
        marks: DeviceMarks::default(),
        attached_by: Vec::new(),
    }
}
