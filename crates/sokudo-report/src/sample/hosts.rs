//! Hosts that measured together, made by hand.

use sokudo_model::*;
use sokudo_stats::{Histogram, Random};

use super::{backend, finding, run_of};

/// How long each process measured, and how long an interval is.
const TIME: Nanos = Nanos(10_000_000_000);
const INTERVAL: Nanos = Nanos(100_000_000);
const TRIALS: u64 = 4;

/// What one process of a host does.
#[derive(Clone, Copy)]
struct RankSpeed {
    host: u32,
    mb_per_s: f64,
    late: Nanos,
}

/// Three hosts with two processes each, of which n02 is a straggler and n03 was lost in the third
/// trial: reads in large blocks, and random writes.
pub fn together_run() -> Run {
    let speeds = [
        (0, 700.0),
        (0, 690.0),
        (1, 480.0),
        (1, 475.0),
        (2, 705.0),
        (2, 710.0),
    ];
    let ranks: Vec<RankSpeed> = (0_u64..)
        .zip(speeds)
        .map(|(rank, (host, mb_per_s))| RankSpeed {
            host,
            mb_per_s,
            late: Nanos(20_000 + 70_000 * rank),
        })
        .collect();
    let mut run = run_of_hosts(&["n01", "n02", "n03"], &ranks, |trial, host| {
        trial >= 2 && host == 2
    });
    run.hosts[2].lost = Some(HostLost::Ended);
    let assessment = run.rows[0].assessment.as_mut().unwrap();
    assessment.findings = vec![finding(
        "straggler",
        Severity::Warning,
        "n02 moves 69 % of what the median of the hosts moves",
        "its link, its path to the storage or its CPUs are slower than those of others, or something else uses them",
        "measure n02 alone, and compare its link and its settings with those of a faster host",
    )];
    let straggler_findings = assessment.findings.clone();
    run.hosts[1].assessments[0].as_mut().unwrap().findings = straggler_findings;
    run.hosts[1].assessments[1] = Some(Assessment {
        verdict: Verdict::Unverified,
        device_ratio: Some(1.2),
        findings: Vec::new(),
    });
    run.rows[1].assessment.as_mut().unwrap().verdict = Verdict::Unverified;
    run
}

/// So many hosts with a process each, of which the third is slower than the others.
pub fn run_of_many(hosts: u32) -> Run {
    let names: Vec<String> = (1..=hosts).map(|host| format!("node{host:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let ranks: Vec<RankSpeed> = (0..hosts)
        .map(|host| RankSpeed {
            host,
            mb_per_s: match host {
                2 => 310.0,
                _ => 480.0 + f64::from(host * 7 % 40),
            },
            late: Nanos(u64::from(host % 9) * 40_000_000),
        })
        .collect();
    let mut run = run_of_hosts(&names, &ranks, |_, _| false);
    let straggler_findings = vec![finding(
        "straggler",
        Severity::Warning,
        "node003 moves 62 % of what the median of the hosts moves",
        "its link is slower",
        "measure node003 alone",
    )];
    for assessment in [
        &mut run.rows[0].assessment,
        &mut run.hosts[2].assessments[0],
    ] {
        assessment
            .as_mut()
            .unwrap()
            .findings
            .clone_from(&straggler_findings);
    }
    run
}

fn run_of_hosts(names: &[&str], ranks: &[RankSpeed], is_lost: impl Fn(u64, u32) -> bool) -> Run {
    let threads = u32::try_from(ranks.len()).unwrap();
    let read = OperationMix::only(Operation::Read);
    let write = OperationMix::only(Operation::Write);
    let rows = [
        ("SEQ1M Q8", Bytes::mib(1), read, 8, 1.0),
        ("RND4K Q32", Bytes::kib(4), write, 32, 0.1),
    ];
    let rows = rows.map(|(name, block, operations, depth, share)| {
        let mut workload = Workload::new(name, block);
        workload.operations = operations;
        workload.depth = depth;
        workload.threads = threads;
        workload.limits.time = Some(TIME);
        let trials = (0..TRIALS).flat_map(|number| {
            let of_rank = |(seed, speed): (u64, &RankSpeed)| {
                let is_here = !is_lost(number, speed.host);
                let seed = 1_000 * number + seed;
                is_here.then(|| (speed.host, rank(&workload, *speed, share, seed)))
            };
            Trial::together((0..).zip(ranks).map(of_rank).collect())
        });
        Row {
            trials: trials.collect(),
            assessment: Some(judged()),
            ..Row::new(workload.clone())
        }
    });
    let mut run = run_of(rows.to_vec());
    run.schedule.trials = u32::try_from(TRIALS).unwrap();
    run.command = "mpirun -n 6 sokudo together -- mark /mnt/shared".into();
    run.target.name = "/mnt/shared".into();
    run.target.path = Some("/mnt/shared".into());
    let each = ranks.len() / names.len();
    let host = |name: &&str| Host {
        name: (*name).to_owned(),
        ranks: u32::try_from(each).unwrap(),
        environment: HostEnvironment {
            host: Some((*name).to_owned()),
            ..run.environment.clone()
        },
        target: TargetInfo {
            host: Some((*name).to_owned()),
            ..run.target.clone()
        },
        conditions: Conditions::default(),
        layout: Some(Layout {
            bytes: Bytes::gib(1),
            elapsed: Nanos::from_secs(2),
        }),
        assessments: vec![Some(judged()), Some(judged())],
        findings: Vec::new(),
        lost: None,
    };
    run.hosts = names.iter().map(host).collect();
    run
}

const fn judged() -> Assessment {
    Assessment {
        verdict: Verdict::Verified,
        device_ratio: Some(1.0),
        findings: Vec::new(),
    }
}

/// What one process did in a trial.
fn rank(workload: &Workload, speed: RankSpeed, share: f64, seed: u64) -> RankTrial {
    let mut random = Random::new(seed);
    let block = workload.blocks.smallest().0;
    let per_interval = speed.mb_per_s * share * 1e6 * INTERVAL.as_secs_f64() / block as f64;
    let points = TIME.0 / INTERVAL.0;
    let series: Vec<SeriesPoint> = (1..=points)
        .map(|number| {
            let ios = (per_interval * (0.9 + 0.2 * random.fraction())).round() as u64;
            SeriesPoint {
                at: Nanos(number * INTERVAL.0),
                bytes: Bytes(ios * block),
                ios,
            }
        })
        .collect();
    let mut latency = Histogram::new();
    let mean = 1e9 * f64::from(workload.depth) * INTERVAL.as_secs_f64() / per_interval;
    (0..400).for_each(|_| latency.record((mean * (0.8 + 0.4 * random.fraction())) as u64));
    let operation = workload.operations.single().unwrap();
    let ios = series.iter().map(|point| point.ios).sum();
    let tally = OperationTally {
        ios,
        bytes: Bytes(ios * block),
        latency: latency.compact(),
        elapsed: TIME,
        ..OperationTally::new(operation)
    };
    let moved = |of| if operation == of { ios * block } else { 0 };
    let device = DeviceCounters {
        read_bytes: moved(Operation::Read),
        written_bytes: moved(Operation::Write),
        ..DeviceCounters::default()
    };
    let outcome = Outcome {
        elapsed: TIME,
        operations: vec![tally],
        series,
        depth_achieved: f64::from(workload.depth),
        direct: true,
        ..Outcome::new(backend(BackendKind::IoUring), StopReason::Time)
    };
    RankTrial {
        has_own_device: false,
        late: speed.late,
        clock_uncertainty: Nanos(80_000),
        trials: vec![Trial {
            outcome,
            evidence: TrialEvidence {
                device: Some(device),
                cached_before: Some(Bytes(0)),
                ..TrialEvidence::default()
            },
            together: None,
        }],
    }
}
