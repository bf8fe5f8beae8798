//! What is said about figures of simulated devices, whose truth is known: nothing about
//! honest ones, whatever the seed, and the lie about those that lie.

use sokudo_model::{
    Bytes, Durability, Nanos, Operation, OperationMix, Order, Plan, Row, Run, Severity, Span,
    Verdict, Workload,
};
use sokudo_tools::crystaldiskmark::{self, Profile, RowDirection};

use sokudo_testing::{Rate, seeds};

use crate::measured;

const TRIALS: u32 = 6;

/// Runs rows in turn on a device, as `sokudo mark` does, and judges them.
fn judged(spec: &str, workloads: Vec<Workload>, seed: u64) -> Run {
    measured(spec, TRIALS, |_| Plan {
        method: "mark/default".into(),
        seed,
        stages: crystaldiskmark::stages(workloads),
    })
}

/// The part of a device from its start.
fn first(length: Bytes) -> Option<Span> {
    let offset = Bytes(0);
    Some(Span { offset, length })
}

/// The rows of `sokudo mark`, on the first part of the device, for so long each.
fn default_rows(time: Nanos) -> Vec<Workload> {
    let rows = Profile::Default.rows();
    let mut workloads =
        crystaldiskmark::workloads(&rows, &[RowDirection::Read, RowDirection::Write], &[]);
    for workload in &mut workloads {
        workload.limits.time = Some(time);
        workload.span = first(Bytes::gib(1));
    }
    workloads
}

/// Codes of the row's findings.
fn codes(row: &Row) -> Vec<&str> {
    let assessment = row.assessment.as_ref().unwrap();
    let findings = assessment.findings.iter();
    findings.map(|finding| finding.code.as_str()).collect()
}

/// Told of noisy rows: a wide interval, and rightly so, and a first trial far away, which
/// of six that are alike fewer than 1 in 100 are by chance.
const OF_NOISE: [&str; 2] = ["unsteady", "first-run-outlier"];

/// Rows about which anything else graver than an info is said, or that trials are unlike
/// the others, with what it is.
fn warned(run: &Run) -> Vec<String> {
    let mut told = Vec::new();
    for row in &run.rows {
        for finding in &row.assessment.as_ref().unwrap().findings {
            let weighs = finding.severity > Severity::Info || finding.code == "outliers";
            if weighs && !OF_NOISE.contains(&finding.code.as_str()) {
                let name = &row.workload.name;
                told.push(format!("{name} {}: {}", finding.code, finding.symptom));
            }
        }
    }
    told
}

/// Nothing is told but a trend, a trial unlike the others or two groups of trials, which about 1 row
/// in 100 has by chance.
fn assert_quiet(spec: &str, runs: u32, time: Nanos) {
    let mut by_chance = Rate::default();
    let is_of_chance = |told: &String| {
        let codes = [" trend: ", " outliers: ", " two-modes: "];
        codes.iter().any(|code| told.contains(code))
    };
    for seed in seeds(runs) {
        let rows = default_rows(time);
        by_chance.drawn += rows.len() as u64;
        let told = warned(&judged(spec, rows, seed));
        let (chance, other): (Vec<String>, Vec<String>) = told.into_iter().partition(is_of_chance);
        assert!(other.is_empty(), "{spec}, seed {seed}: {other:?}");
        by_chance.hits += chance.len() as u64;
    }
    by_chance.assert_at_most(0.02, format_args!("{spec}: rows told by chance"));
}

#[test]
fn nothing_is_said_about_an_honest_hard_disk() {
    assert_quiet("sim:hdd", 25, Nanos::from_secs(1));
}

#[test]
fn nothing_is_said_about_an_honest_solid_state_drive() {
    assert_quiet("sim:ssd", 8, Nanos::from_millis(30));
}

#[test]
fn nothing_is_said_about_a_device_of_constant_latency() {
    assert_quiet("sim:const", 20, Nanos::from_millis(20));
    assert_quiet("sim:const?jitter=50us", 20, Nanos::from_millis(20));
}

/// Random writes of 4 KiB at depth 1, each flushed.
fn flushed_writes() -> Vec<Workload> {
    let mut workload = Workload::new("RND4K Q1T1", Bytes::kib(4));
    workload.operations = OperationMix::only(Operation::Write);
    workload.order = Order::Random { map: false };
    workload.durability = Durability {
        fdatasync_every: Some(1),
        ..Durability::default()
    };
    workload.limits.time = Some(Nanos::from_secs(2));
    workload.span = first(Bytes::gib(1));
    vec![workload]
}

#[test]
fn a_disk_that_lies_about_flushes_is_told_from_one_that_does_not() {
    for seed in seeds(20) {
        let lies = judged("sim:hdd?flush=lies", flushed_writes(), seed);
        assert!(
            codes(&lies.rows[0]).contains(&"flush-too-fast"),
            "seed {seed}"
        );
        let verdict = lies.rows[0].assessment.as_ref().unwrap().verdict;
        assert_eq!(verdict, Verdict::Unverified);
        let fast = "sim:hdd?rpm=15000&settle=500us&seek=4ms";
        for honest in ["sim:hdd", fast, "sim:ssd"] {
            let run = judged(honest, flushed_writes(), seed);
            assert!(
                !codes(&run.rows[0]).contains(&"flush-too-fast"),
                "{honest}, seed {seed}"
            );
        }
    }
}

#[test]
fn random_reads_that_a_disk_answers_from_its_cache_are_told() {
    let within = |mebibytes: u64| {
        let mut workload = Workload::new("RND4K Q1T1", Bytes::kib(4));
        workload.order = Order::Random { map: false };
        workload.limits.time = Some(Nanos::from_secs(1));
        workload.span = first(Bytes::mib(mebibytes));
        vec![workload]
    };
    for seed in seeds(50) {
        let cached = judged("sim:hdd?cache=64MiB", within(32), seed);
        assert!(
            codes(&cached.rows[0]).contains(&"dataset-in-cache"),
            "seed {seed}"
        );
        let larger = judged("sim:hdd?cache=64MiB", within(1_024), seed);
        assert!(
            !codes(&larger.rows[0]).contains(&"dataset-in-cache"),
            "seed {seed}"
        );
    }
}
