//! Merges what ten thousand hosts measured: two rows of three trials each, with one process per
//! host, whose outcomes are simulated. It prints how long joining the trials and making the
//! document took, and the most memory that the process had.
//!
//! `cargo run --release -p sokudo-bench --bin merge_hosts [HOSTS]`
//!
//! Outcomes come as they do from other processes: with histograms that take no more memory than
//! their text. The time in which they are made up is not counted.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    reason = "it is a measurement that people run"
)]

use std::time::{Duration, Instant};

use sokudo_model::{
    BackendKind, BackendUse, Bytes, Conditions, Host, HostEnvironment, Method, Nanos, Operation,
    OperationMix, OperationTally, Outcome, Plan, RankTrial, Row, Run, Schedule, SeriesPoint, Stage,
    StopReason, TargetInfo, TargetKind, Trial, TrialEvidence, Workload,
};
use sokudo_report::RunDocument;
use sokudo_stats::{Histogram, Random};

const TRIALS: u64 = 3;
const SECONDS: u64 = 10;
const INTERVAL: Nanos = Nanos(100_000_000);

fn main() {
    sokudo_methods::commands::hand_over();
    let hosts: u32 = std::env::args()
        .nth(1)
        .map_or(10_000, |it| it.parse().unwrap());
    let read = OperationMix::only(Operation::Read);
    let rows = [
        ("SEQ1M Q8", Bytes::mib(1), 8, 400.0),
        ("RND4K Q32", Bytes::kib(4), 32, 20_000.0),
    ];
    let mut joining = Duration::ZERO;
    let rows: Vec<Row> = rows
        .into_iter()
        .map(|(name, block, depth, iops)| {
            let mut workload = Workload::new(name, block);
            workload.operations = read.clone();
            workload.depth = depth;
            workload.threads = hosts;
            workload.limits.time = Some(Nanos::from_secs(SECONDS));
            let mut row = Row::new(workload);
            for trial in 0..TRIALS {
                let rank = |host| Some((host, rank(&row.workload, iops, host, trial)));
                let ranks = (0..hosts).map(rank).collect();
                let begin = Instant::now();
                row.trials.extend(Trial::together(ranks));
                joining += begin.elapsed();
            }
            row
        })
        .collect();
    let run = run(hosts, rows);
    let begin = Instant::now();
    let document = RunDocument::from_run(&run);
    let documented = begin.elapsed();
    let begin = Instant::now();
    let json = document.to_json();
    let written = begin.elapsed();
    let figures = document.results[0].bandwidth_bytes_per_s.as_ref().unwrap();
    println!(
        "{hosts} hosts, 2 rows of {TRIALS} trials: joined in {:.2} s, document in {:.2} s, JSON of \
         {:.0} MB in {:.2} s; at most {:.0} MiB; first row {:.0} MB/s",
        joining.as_secs_f64(),
        documented.as_secs_f64(),
        json.len() as f64 / 1e6,
        written.as_secs_f64(),
        peak_mib(),
        figures.median_mb_per_s
    );
}

fn run(hosts: u32, rows: Vec<Row>) -> Run {
    let stage = |row: &Row| Stage {
        workloads: vec![row.workload.clone()],
    };
    let plan = Plan {
        method: Method::from("mark/default"),
        seed: 1,
        stages: rows.iter().map(stage).collect(),
    };
    let target = TargetInfo::new("sim:nvme", TargetKind::Simulated);
    let host = |number: u32| Host {
        name: format!("node{number:05}"),
        ranks: 1,
        environment: HostEnvironment {
            host: Some(format!("node{number:05}")),
            kernel: Some("6.18.2".into()),
            ..HostEnvironment::default()
        },
        target: target.clone(),
        conditions: Conditions::default(),
        layout: None,
        assessments: vec![None; rows.len()],
        findings: Vec::new(),
        lost: None,
    };
    let hosts = (0..hosts).map(host).collect();
    Run {
        rows,
        hosts,
        ..Run::new(plan, Schedule::in_turn(TRIALS as u32, Nanos(0)), target)
    }
}

fn rank(workload: &Workload, iops: f64, host: u32, trial: u64) -> RankTrial {
    let mut random = Random::new(u64::from(host) << 8 | trial);
    let block = workload.blocks.smallest().0;
    let in_interval = iops * INTERVAL.as_secs_f64();
    let series: Vec<SeriesPoint> = (1..=SECONDS * 10)
        .map(|number| {
            let ios = (in_interval * (0.9 + 0.2 * random.fraction())) as u64;
            SeriesPoint {
                at: Nanos(number * INTERVAL.0),
                bytes: Bytes(ios * block),
                ios,
            }
        })
        .collect();
    let ios = series.iter().map(|point| point.ios).sum();
    let mean = 1e9 * f64::from(workload.depth) / iops;
    let latency = histogram(&mut random, mean);
    let tally = OperationTally {
        ios,
        bytes: Bytes(ios * block),
        latency,
        elapsed: Nanos::from_secs(SECONDS),
        ..OperationTally::new(Operation::Read)
    };
    let backend = BackendUse {
        kind: BackendKind::Sim,
        features: Vec::new(),
        notes: Vec::new(),
    };
    RankTrial {
        has_own_device: false,
        late: Nanos(random.below(900_000)),
        clock_uncertainty: Nanos(random.below(90_000)),
        trials: vec![Trial {
            outcome: Outcome {
                elapsed: Nanos::from_secs(SECONDS),
                operations: vec![tally],
                submission: Some(histogram(&mut random, 2_000.0)),
                series,
                ..Outcome::new(backend, StopReason::Time)
            },
            evidence: TrialEvidence::default(),
            together: None,
        }],
    }
}

/// Latencies about a mean, a few of them far above it: some hundred buckets.
fn histogram(random: &mut Random, mean: f64) -> Histogram {
    let mut histogram = Histogram::new();
    for _ in 0..1_000 {
        let tail = if random.fraction() > 0.99 { 6.0 } else { 1.0 };
        histogram.record((mean * tail * (0.6 + 0.8 * random.fraction())) as u64);
    }
    histogram.compact()
}

/// The most memory that the process had, MiB.
fn peak_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    let kib: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib / 1024.0
}
