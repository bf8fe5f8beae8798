//! A run of fio jobs made by hand, which the tests of every output share.

use std::process::Command;

use sokudo_model::*;
use sokudo_stats::Histogram;

use crate::fio::session::{FioJob, FioSession};
use crate::fio::table::job_without_options;
use crate::sample as marks;

use super::{DiskUse, FioReport};

/// What the installed fio prints; `None`, loudly, where there is none.
pub(super) fn installed_fio(arguments: &[&str]) -> Option<String> {
    match Command::new("fio").args(arguments).output() {
        Ok(output) if output.status.success() => Some(String::from_utf8(output.stdout).unwrap()),
        Ok(output) => panic!("fio failed: {}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            println!("SKIPPED: comparison with fio, which cannot be run: {error}");
            None
        }
    }
}

/// A job that says nothing.
pub(super) fn plain_job() -> FioJob {
    let job = job_without_options();
    FioJob {
        reporting: job.reporting(),
        logs: job.logs(""),
        ..FioJob::default()
    }
}

/// A run with its session.
pub(super) struct Sample {
    pub(super) run: Run,
    pub(super) session: FioSession,
    pub(super) disks: Vec<DiskUse>,
}

impl Sample {
    /// Jobs of these names, each of one group of its own, of mixed random I/O.
    pub(super) fn new(names: &[&str]) -> Self {
        let rows: Vec<Row> = names.iter().map(|name| row(name)).collect();
        let job = |(index, name): (usize, &&str)| FioJob {
            name: (*name).to_owned(),
            section: index as u32,
            engine: "null".into(),
            depth: 4,
            options: vec![
                ("ioengine".into(), "null".into()),
                ("time_based".into(), String::new()),
            ],
            ..plain_job()
        };
        let mut run = marks::run_of(rows);
        let workloads = run.rows.iter().map(|row| row.workload.clone()).collect();
        run.plan.stages = vec![Stage { workloads }];
        Self {
            run,
            session: FioSession {
                jobs: names.iter().enumerate().map(job).collect(),
                ..FioSession::default()
            },
            disks: vec![],
        }
    }

    pub(super) fn report(&self) -> FioReport<'_> {
        FioReport {
            run: &self.run,
            session: &self.session,
            disks: &self.disks,
            elapsed: Nanos::from_millis(2_010),
            remaining: None,
            not_started: 0,
            utc_offset_seconds: 0,
            process: 4711,
        }
    }

    pub(super) fn outcome(&mut self, row: usize) -> &mut Outcome {
        &mut self.run.rows[row].trials[0].outcome
    }
}

/// Two seconds of 4 KiB reads and writes at depth 4, in four intervals.
fn row(name: &str) -> Row {
    let mut row = marks::row(
        name,
        Bytes::kib(4),
        OperationMix::read_write(50).unwrap(),
        4,
        1000.0,
    );
    row.trials.truncate(1);
    row.workload.order = Order::Random { map: true };
    row.workload.limits.time = Some(Nanos::from_secs(2));
    row.workload.recording.split_latency = true;
    row.workload.durability.fsync_every = Some(100);
    row.workload.recording.series_interval = Some(Nanos::from_millis(500));
    let outcome = &mut row.trials[0].outcome;
    outcome.elapsed = Nanos(2_000_400_000);
    outcome.operations = vec![
        tally(Operation::Read, 2_000, 150),
        tally(Operation::Write, 1_000, 250_000),
        tally(Operation::Flush, 10, 40_000),
    ];
    outcome.cpu = Some(CpuTime {
        user: Nanos::from_millis(200),
        system: Nanos::from_millis(1_000),
        ..CpuTime::default()
    });
    outcome.usage = Some(ThreadUsage {
        context_switches: 6,
        major_faults: 0,
        minor_faults: 10,
        waited: None,
    });
    outcome.depths = Some(Depths {
        level: [0, 0, 3_000, 0, 0, 0, 0],
        submitted: [0, 3_000, 0, 0, 0, 0, 0],
        completed: [0, 3_000, 0, 0, 0, 0, 0],
    });
    row
}

fn tally(operation: Operation, ios: u64, latency: u64) -> OperationTally {
    let of = |offset: u64| {
        let mut histogram = Histogram::new();
        for index in 0..ios {
            histogram.record(offset + latency + index % 10);
        }
        histogram
    };
    let point = |quarter: u64| SeriesPoint {
        at: Nanos::from_millis(500 * quarter),
        bytes: Bytes(ios / 4 * 4096),
        ios: ios / 4,
    };
    let mut submission = Histogram::new();
    (0..ios).for_each(|_| submission.record(30));
    OperationTally {
        ios,
        bytes: Bytes(ios * 4096),
        latency: of(30),
        submission: Some(submission),
        completion: Some(of(0)),
        series: (1..=4).map(point).collect(),
        elapsed: Nanos(2_000_400_000 - ios),
        ..OperationTally::new(operation)
    }
}
