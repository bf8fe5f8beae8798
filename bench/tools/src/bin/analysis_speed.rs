//! How long the analysis of a run with a billion I/Os takes: judging it and computing every
//! figure of its document. Histograms hold them, so that it should not depend on their number.
//!
//! `cargo run --release -p sokudo-bench --bin analysis_speed`

#![expect(clippy::print_stdout, reason = "it says what it measured")]

use std::time::Instant;

use sokudo_model::{
    BackendKind, Bytes, Nanos, Operation, OperationMix, OperationTally, Outcome, Plan, Row, Run,
    Schedule, SeriesPoint, StopReason, TargetInfo, TargetKind, Trial, Workload,
};
use sokudo_report::RunDocument;
use sokudo_stats::{Histogram, Random};

const ROWS: u64 = 6;
const TRIALS: u32 = 6;
/// So many latencies are drawn per trial, and doubled so often: 36 trials of 28,000,000.
const DRAWN: u64 = 27_344;
const DOUBLINGS: u32 = 10;
const BLOCK: Bytes = Bytes::kib(4);
const REPETITIONS: usize = 21;

fn main() {
    sokudo_methods::commands::hand_over();
    let mut run = run();
    let trials = run.rows.iter().flat_map(|row| &row.trials);
    let ios: u64 = trials.map(|trial| trial.outcome.ios()).sum();
    let mut millis: Vec<f64> = (0..REPETITIONS)
        .map(|_| {
            let begin = Instant::now();
            sokudo_analysis::judge(&mut run);
            let document = RunDocument::from_run(&run);
            let taken = begin.elapsed().as_secs_f64() * 1e3;
            assert_eq!(document.results.len(), run.rows.len());
            taken
        })
        .collect();
    millis.sort_by(f64::total_cmp);
    println!(
        "{ios} I/Os in {} trials: judged and computed in {:.1} ms, median of {REPETITIONS} ({:.1} to {:.1})",
        ROWS * u64::from(TRIALS),
        millis[REPETITIONS / 2],
        millis[0],
        millis[REPETITIONS - 1]
    );
}

fn run() -> Run {
    let rows = (0..ROWS).map(|number| {
        let mut workload = Workload::new("RND4K Q32T1", BLOCK);
        workload.operations = OperationMix::only(Operation::Read);
        workload.depth = 32;
        workload.limits.time = Some(Nanos::from_secs(60));
        Row {
            trials: (0..u64::from(TRIALS))
                .map(|trial| Trial::new(outcome(number * u64::from(TRIALS) + trial)))
                .collect(),
            ..Row::new(workload)
        }
    });
    let plan = Plan {
        method: "mark/default".into(),
        seed: 1,
        stages: Vec::new(),
    };
    let target = TargetInfo {
        size_bytes: Some(Bytes::gib(1)),
        ..TargetInfo::new("sim:const", TargetKind::Simulated)
    };
    Run {
        rows: rows.collect(),
        ..Run::new(plan, Schedule::in_turn(TRIALS, Nanos(0)), target)
    }
}

/// A minute of latencies between 20 µs and 10 ms, with a series of 600 intervals.
fn outcome(seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let mut latency = Histogram::new();
    for _ in 0..DRAWN {
        let octave = random.below(9);
        latency.record((20_000 << octave) + random.below(20_000 << octave));
    }
    for _ in 0..DOUBLINGS {
        latency.merge(&latency.clone());
    }
    let ios = latency.count();
    Outcome {
        elapsed: Nanos::from_secs(60),
        series: (1..=600)
            .map(|index| SeriesPoint {
                at: Nanos::from_millis(100 * index),
                bytes: Bytes((ios / 600 + random.below(1_000)) * BLOCK.0),
                ios: ios / 600,
            })
            .collect(),
        operations: vec![OperationTally {
            ios,
            bytes: Bytes(ios * BLOCK.0),
            elapsed: Nanos::from_secs(60),
            latency,
            ..OperationTally::new(Operation::Read)
        }],
        depth_achieved: 32.0,
        direct: true,
        ..Outcome::new(BackendKind::IoUring, StopReason::Time)
    }
}
