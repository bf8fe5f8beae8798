//! Runs for the tests: a clean one, which each test spoils in one way.

#![allow(
    clippy::unwrap_used,
    reason = "it is for tests, which fail where something is not as they need it"
)]

use sokudo_model::{
    BackendKind, BlockDevice, BlockDeviceKind, BlockSizes, Bytes, CpuTime, DeviceCounters,
    DeviceMarks, DirectIoSupport, Disk, DriveConditions, FileState, FileSystem, Heat, Method,
    MethodKind, MethodTrait, Nanos, Operation, OperationMix, OperationTally, Order, Outcome, Plan,
    Row, Run, Schedule, StopReason, TargetInfo, TargetKind, Trial, TrialEvidence, Verdict,
    Workload,
};
use sokudo_stats::Histogram;

use crate::judge;

/// Latency of every I/O of a sample: 10,000 I/Os per second at depth 1.
const LATENCY: Nanos = Nanos::from_micros(100);
const IOS_PER_SECOND: u64 = 10_000;
const TRIALS: u32 = 6;

/// A method of whose plans this is so.
pub fn method(traits: &'static [MethodTrait]) -> Method {
    Method::new(Box::leak(Box::new(MethodKind {
        name: "test",
        command: "test",
        is_named: false,
        traits,
    })))
}

/// Six clean trials of one second: random 4 KiB reads at depth 1 from a file on
/// ext4 on an NVMe disk.
pub fn reads() -> Run {
    run_of(Bytes::kib(4), OperationMix::only(Operation::Read))
}

/// The same with writes.
pub fn writes() -> Run {
    run_of(Bytes::kib(4), OperationMix::only(Operation::Write))
}

/// The same with large writes.
#[cfg(test)]
pub(crate) fn large_writes() -> Run {
    run_of(Bytes::mib(1), OperationMix::only(Operation::Write))
}

/// The same with 70 % reads and 30 % writes.
pub fn mix() -> Run {
    run_of(Bytes::kib(4), OperationMix::read_write(70).unwrap())
}

/// A clean read run, spoilt.
pub fn reads_with(spoil: impl FnOnce(&mut Run)) -> Run {
    spoilt(reads(), spoil)
}

/// A clean write run, spoilt.
pub fn writes_with(spoil: impl FnOnce(&mut Run)) -> Run {
    spoilt(writes(), spoil)
}

pub fn spoilt(mut run: Run, spoil: impl FnOnce(&mut Run)) -> Run {
    spoil(&mut run);
    run
}

/// Changes every outcome of the first row.
pub(crate) fn each_outcome(run: &mut Run, change: impl Fn(&mut Outcome)) {
    for trial in &mut run.rows[0].trials {
        change(&mut trial.outcome);
    }
}

/// Changes what the devices counted in every trial of the first row.
#[cfg(test)]
pub(crate) fn each_count(run: &mut Run, change: impl Fn(&mut DeviceCounters)) {
    for trial in &mut run.rows[0].trials {
        change(trial.evidence.device.as_mut().unwrap());
    }
}

/// Changes the file system under the target.
#[cfg(test)]
pub(crate) fn on_file_system(run: &mut Run, kind: &str) {
    run.target.file_system.as_mut().unwrap().kind = kind.to_owned();
}

/// Makes the row do its I/O through the page cache.
pub fn buffered(run: &mut Run) {
    run.rows[0].workload.direct = sokudo_model::DirectMode::Off;
    each_outcome(run, |outcome| outcome.direct = false);
}

/// Judges the run and gives the first row's codes and verdict.
pub fn judged(mut run: Run) -> (Vec<String>, Verdict) {
    judge(&mut run);
    let assessment = run.rows[0].assessment.as_ref().unwrap();
    let codes = assessment.findings.iter().map(|found| found.code.clone());
    (codes.collect(), assessment.verdict)
}

/// Judges the run and gives symptom, cause and remedy of one finding of the
/// first row, in one text.
pub fn text_of(mut run: Run, code: &str) -> String {
    judge(&mut run);
    let findings = &run.rows[0].assessment.as_ref().unwrap().findings;
    let finding = findings.iter().find(|found| found.code == code);
    let finding = finding.unwrap_or_else(|| panic!("no {code} in {findings:?}"));
    format!(
        "{} | {} | {}",
        finding.symptom, finding.cause, finding.remedy
    )
}

/// Judges the run: the finding's text holds these words, and begins with those after a `^`.
pub fn says(run: Run, code: &str, words: &[&str]) {
    let text = text_of(run, code);
    for word in words {
        let holds = match word.strip_prefix('^') {
            Some(start) => text.starts_with(start),
            None => text.contains(word),
        };
        assert!(holds, "{word:?} is missing: {text}");
    }
}

/// Judges the run of a row of [`check!`]; the first of its findings says these words.
pub fn check_run<'a>(
    name: &str,
    run: Run,
    codes: impl AsRef<[&'a str]>,
    verdict: Verdict,
    words: &[&str],
) {
    let (found, given) = judged(run.clone());
    assert_eq!(found, codes.as_ref(), "{name}");
    assert_eq!(given, verdict, "{name}");
    if !words.is_empty() {
        says(run, &found[0], words);
    }
}

/// Checks a table: what is done to a clean run, and the codes and the verdict that must come of
/// it, with words of the first finding.
#[cfg(test)]
macro_rules! check {
    ($($name:tt: $run:expr => $codes:expr, $verdict:expr $(, $word:expr)*);* $(;)?) => {
        $($crate::sample::check_run($name, $run, $codes, $verdict, &[$($word),*]);)*
    };
}
#[cfg(test)]
pub(crate) use check;

/// A histogram of equal latencies.
pub fn histogram(count: u64, latency: Nanos) -> Histogram {
    let mut histogram = Histogram::new();
    (0..count).for_each(|_| histogram.record(latency.0));
    histogram
}

/// A clean outcome of one second at this depth.
pub fn outcome(block: Bytes, operations: &OperationMix, depth: u64) -> Outcome {
    let ios = IOS_PER_SECOND * depth;
    let tally = |(operation, percent): &(Operation, u32)| {
        let share = ios * u64::from(*percent) / 100;
        OperationTally {
            ios: share,
            bytes: Bytes(share * block.0),
            latency: histogram(share, LATENCY),
            ..OperationTally::new(*operation)
        }
    };
    Outcome {
        elapsed: Nanos::from_secs(1),
        operations: operations.shares().iter().map(tally).collect(),
        submission: None,
        series: Vec::new(),
        cpu: Some(CpuTime {
            user: Nanos::from_millis(100),
            system: Nanos::from_millis(200),
            ..CpuTime::default()
        }),
        depth_achieved: depth as f64,
        direct: true,
        failures: Vec::new(),
        ..Outcome::new(BackendKind::IoUring, StopReason::Time)
    }
}

/// What is known around a run of the drive of this name: nothing yet.
pub fn drive(name: &str) -> DriveConditions {
    DriveConditions {
        disk: Disk::unknown(name),
        before: Heat::default(),
        after: Heat::default(),
        segments_max: None,
        link_power: None,
        runtime_power: None,
        moved_before: None,
        flash_writes: None,
    }
}

/// A leaf or inner block device.
pub fn device(name: &str, kind: BlockDeviceKind, is_leaf: bool) -> BlockDevice {
    BlockDevice {
        name: name.to_owned(),
        number: "259:0".to_owned(),
        kind,
        is_leaf,
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

pub fn looped(is_leaf: bool, direct: Option<bool>) -> BlockDevice {
    let mut device = device("loop0", BlockDeviceKind::Loop, is_leaf);
    device.backing_direct = direct;
    device
}

fn run_of(block: Bytes, operations: OperationMix) -> Run {
    let mut workload = Workload::new("RND4K Q1T1", block);
    workload.operations = operations;
    workload.blocks = BlockSizes::one(block);
    workload.order = Order::Random { map: false };
    workload.limits.time = Some(Nanos::from_secs(1));
    let outcome = outcome(block, &workload.operations, 1);
    let moved = |operation| {
        outcome
            .operation(operation)
            .map_or(0, |tally| tally.bytes.0)
    };
    let ios = |operation| outcome.operation(operation).map_or(0, |tally| tally.ios);
    let trial = Trial {
        evidence: TrialEvidence {
            device: Some(DeviceCounters {
                read_ios: ios(Operation::Read),
                read_bytes: moved(Operation::Read),
                written_ios: ios(Operation::Write),
                written_bytes: moved(Operation::Write),
                ..DeviceCounters::default()
            }),
            cached_before: Some(Bytes(0)),
            foreign: None,
            group: None,
            processors: None,
            began: None,
        },
        outcome,
        together: None,
    };
    let plan = Plan {
        method: "mark/default".into(),
        seed: 1,
        stages: Vec::new(),
    };
    Run {
        rows: vec![Row {
            trials: vec![trial; TRIALS as usize],
            ..Row::new(workload)
        }],
        ..Run::new(plan, Schedule::in_turn(TRIALS, Nanos(0)), directory())
    }
}

fn directory() -> TargetInfo {
    TargetInfo {
        name: ".".to_owned(),
        kind: TargetKind::Directory,
        path: Some("/mnt/data".to_owned()),
        size_bytes: Some(Bytes::gib(1)),
        file_system: Some(FileSystem {
            kind: "ext4".to_owned(),
            mount_point: "/mnt/data".to_owned(),
            mount_options: vec!["rw".to_owned(), "relatime".to_owned()],
            source: "/dev/nvme0n1p2".to_owned(),
            total_bytes: Some(Bytes::gib(250)),
            available_bytes: Some(Bytes::gib(100)),
            uuid: None,
            level: None,
            memory_below: None,
        }),
        direct_io: DirectIoSupport::Supported {
            memory_alignment: Bytes(4),
            offset_alignment: Bytes(512),
        },
        devices: vec![
            device("nvme0n1p2", BlockDeviceKind::Partition, false),
            device("nvme0n1", BlockDeviceKind::Disk, true),
        ],
        file_state: Some(FileState {
            size_bytes: Bytes::gib(1),
            extents: 8,
            ..FileState::default()
        }),
        blind_spots: Vec::new(),
        host: None,
    }
}
