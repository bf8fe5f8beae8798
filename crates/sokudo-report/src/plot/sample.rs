//! Runs made by hand, of figures such as real devices give: the surface of a hard disk
//! with a defect, and a sweep over block sizes and depths.

use sokudo_model::*;
use sokudo_stats::Random;

use crate::document::RunDocument;
use crate::sample;

/// A disk of 4 TB, as its label counts.
const DISK_BYTES: u64 = 4_000_787_030_016;
/// Where the disk cannot be read.
const DEFECT: (u64, u64) = (2_480_000_000_000, 42_000_000_000);

/// The rows of CrystalDiskMark.
pub(super) fn mark() -> RunDocument {
    RunDocument::from_run(&sample::run())
}

/// Rates of reads and writes at so many places of a hard disk, in three trials, with
/// twice as many access times and a range that cannot be read.
pub(super) fn surface(places: u32) -> RunDocument {
    let mut run = sample::run_of(vec![
        transfer("READ", Operation::Read, DriveCache::Keep, places, 3),
        transfer("WRITE", Operation::Write, DriveCache::Keep, places, 3),
        access(2 * places),
    ]);
    hard_disk(&mut run);
    RunDocument::from_run(&run)
}

/// As `scan --extra` measures: a curve beside three samples in one go, and seeks; two of the rows
/// have one name, as rows in two states of a cache may.
pub(super) fn extra() -> RunDocument {
    let mut rows = vec![transfer(
        "TRANSFER",
        Operation::Read,
        DriveCache::Keep,
        200,
        1,
    )];
    let third = DISK_BYTES / 3;
    for (name, offset) in [
        ("SEQ outer", 0),
        ("SEQ middle", third),
        ("SEQ inner", 2 * third),
    ] {
        let mut row = transfer(name, Operation::Read, DriveCache::Keep, 1, 1);
        for trial in &mut row.trials {
            trial.outcome.places[0].offset = Bytes(offset);
        }
        rows.push(in_part(row, offset, third));
    }
    rows.extend([access(100), access(100)]);
    let mut run = sample::run_of(rows);
    hard_disk(&mut run);
    RunDocument::from_run(&run)
}

/// As `explain` asks a hard disk: a curve over all of it, and single reads first in a small part,
/// then everywhere.
pub(super) fn explained() -> RunDocument {
    let mut rotation = in_part(access(200), DISK_BYTES / 16, 64 << 20);
    rotation.workload.name = "explain/rotation".into();
    for trial in &mut rotation.trials {
        for place in &mut trial.outcome.places {
            place.offset = Bytes(DISK_BYTES / 16 + place.offset.0 % (64 << 20));
        }
    }
    let mut seek = access(200);
    seek.workload.name = "explain/seek".into();
    let zones = transfer("explain/zones", Operation::Read, DriveCache::Keep, 128, 1);
    let mut run = sample::run_of(vec![zones, rotation, seek]);
    hard_disk(&mut run);
    RunDocument::from_run(&run)
}

fn in_part(mut row: Row, offset: u64, length: u64) -> Row {
    row.workload.span = Some(Span {
        offset: Bytes(offset),
        length: Bytes(length),
    });
    row
}

/// Writes with the drive's cache on and off.
pub(super) fn both_caches() -> RunDocument {
    let mut run = sample::run_of(vec![
        transfer("WRITE, cache on", Operation::Write, DriveCache::On, 200, 1),
        transfer(
            "WRITE, cache off",
            Operation::Write,
            DriveCache::Off,
            200,
            1,
        ),
    ]);
    hard_disk(&mut run);
    RunDocument::from_run(&run)
}

/// Reads and writes of 512 B to 64 MiB, at these depths.
pub(super) fn sweep(depths: &[u32]) -> RunDocument {
    let mut rows = Vec::new();
    for operation in [Operation::Read, Operation::Write] {
        for depth in depths {
            for power in 9..=26 {
                rows.push(cell(operation, Bytes(1 << power), *depth));
            }
        }
    }
    let mut run = sample::run_of(rows);
    run.plan.method = "sweep/atto".into();
    RunDocument::from_run(&run)
}

fn hard_disk(run: &mut Run) {
    run.plan.method = "scan/hdtune".into();
    run.target.name = "/dev/sda".into();
    run.target.path = Some("/dev/sda".into());
    run.target.kind = TargetKind::BlockDevice;
    run.target.size_bytes = Some(Bytes(DISK_BYTES));
    let mut disk = sample::device("sda", BlockDeviceKind::Disk, Some("ST4000DM004-2CV104"));
    disk.size_bytes = Some(Bytes(DISK_BYTES));
    run.target.devices = vec![disk];
}

fn cell(operation: Operation, block: Bytes, depth: u32) -> Row {
    let overhead = 9e-6;
    let rate = if operation == Operation::Read {
        3.4e9
    } else {
        2.6e9
    };
    let bytes = block.0 as f64;
    let one = overhead + bytes / rate;
    let iops = (f64::from(depth) / (one + 40e-6)).min(1.0 / (bytes / rate).max(1.3e-6));
    let name = format!("{block} Q{depth}");
    let mix = OperationMix::only(operation);
    // Few latencies are enough here, and drawing millions takes long.
    let mut row = sample::row(&name, block, mix, depth, 60.0);
    let factor = iops / 60.0;
    for trial in &mut row.trials {
        for tally in &mut trial.outcome.operations {
            tally.ios = (tally.ios as f64 * factor) as u64;
            tally.bytes = Bytes(tally.ios * block.0);
        }
    }
    row
}

fn transfer(
    name: &str,
    operation: Operation,
    cache: DriveCache,
    places: u32,
    trials: usize,
) -> Row {
    let mut row = sample::row(name, Bytes::mib(1), OperationMix::only(operation), 1, 60.0);
    row.workload.drive_cache = cache;
    row.workload.survey = Some(Survey {
        places,
        visit: Visit::Ascending,
        sample: Sample::Bytes(Bytes::mib(10)),
        approach: None,
        write_back: operation == Operation::Write,
        timeout: None,
        resumed_at: None,
        read_beside: None,
        sealed: None,
    });
    row.trials.truncate(trials);
    let step = DISK_BYTES / u64::from(places);
    let mut random = Random::new(u64::from(places) + operation.index() as u64);
    for trial in &mut row.trials {
        for number in 0..u64::from(places) {
            let offset = number * step;
            let inwards = offset as f64 / DISK_BYTES as f64;
            let unreadable = (DEFECT.0..DEFECT.0 + DEFECT.1).contains(&offset);
            let full = 228e6 * (1.0 - 0.53 * inwards.powf(1.6));
            let slower = if cache == DriveCache::Off { 0.11 } else { 1.0 };
            let dip = if random.fraction() > 0.985 { 0.62 } else { 1.0 };
            let direction = if operation == Operation::Write {
                0.9
            } else {
                1.0
            };
            let rate = full * slower * dip * direction * (0.985 + 0.03 * random.fraction());
            let bytes = if unreadable { 0 } else { 10 << 20 };
            trial.outcome.places.push(SurveySample {
                offset: Bytes(offset),
                bytes: Bytes(bytes),
                ios: bytes >> 20,
                elapsed: Nanos((bytes as f64 / rate * 1e9) as u64),
                latency_max: Nanos(9_000_000),
                distance: None,
            });
        }
        trial.outcome.defects.push(Defect {
            operation,
            offset: Bytes(DEFECT.0),
            length: Bytes(DEFECT.1),
            kind: FailureKind::Errno(5),
        });
    }
    row
}

fn access(places: u32) -> Row {
    let mix = OperationMix::only(Operation::Read);
    let mut row = sample::row("ACCESS 4K", Bytes::kib(4), mix, 1, 60.0);
    row.workload.survey = Some(Survey {
        places,
        visit: Visit::Random,
        sample: Sample::Bytes(Bytes::kib(4)),
        approach: None,
        write_back: false,
        timeout: None,
        resumed_at: None,
        read_beside: None,
        sealed: None,
    });
    row.trials.truncate(1);
    let mut random = Random::new(42);
    let mut before: u64 = 0;
    for number in 0..places {
        let offset = (random.fraction() * DISK_BYTES as f64) as u64 / 4096 * 4096;
        let distance = offset.abs_diff(before);
        let seek = 1.2 + 14.0 * (distance as f64 / DISK_BYTES as f64).sqrt();
        let turn = 11.1 * random.fraction();
        row.trials[0].outcome.places.push(SurveySample {
            offset: Bytes(offset),
            bytes: Bytes::kib(4),
            ios: 1,
            elapsed: Nanos(((seek + turn) * 1e6) as u64),
            latency_max: Nanos(((seek + turn) * 1e6) as u64),
            distance: (number > 0).then_some(Bytes(distance)),
        });
        before = offset + 4096;
    }
    row
}
