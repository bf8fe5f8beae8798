//! Requests that others made, where their bytes alone would not be noticed: a read of 512 bytes
//! costs a disk that rotates as much of its time as a megabyte in one piece.
//!
//! Counted are I/Os that the devices got beyond those of the row. They are others' only as far as
//! bytes beyond the row's say so, and as far as the row's own I/Os cannot have been cut into them.

use sokudo_model::{BlockDevice, Bytes, Operation};
use sokudo_words::{Text, text};

use crate::case::{RowContext, counted, is_platters};
use crate::target::encoded_share;
use crate::threshold::{
    BACKGROUND_BYTES_PER_TRIAL_MAX, BACKGROUND_REQUESTS_PER_TRIAL_MAX,
    BACKGROUND_SEEKS_PER_TRIAL_MAX, METADATA_READ_SHARE_MAX, OTHERS_REQUEST_SHARE_MAX,
    OTHERS_REQUESTS_PER_S_MAX, ROTATION_RPM_MAX, TRACK_TIME_MIN,
};

use super::culprit;

/// No device takes less at once.
const SECTOR_BYTES: u64 = 512;

/// A page of ordinary memory.
const PAGE_BYTES: u64 = 4096;

/// The smallest node of a tree of records.
const NODE_BYTES: u64 = 4096;

/// What others made the devices do in one direction.
pub(super) struct OthersRequests {
    pub(super) operation: Operation,
    /// Bytes beyond the row's.
    pub(super) bytes: Bytes,
    requests: u64,
    own: u64,
    /// All that the device was given, with the row's own.
    all: u64,
    per_second: f64,
    cost: RequestOverhead,
}

/// What they cost, as a share.
#[derive(Clone, Copy, Debug)]
enum RequestOverhead {
    /// Share of all requests, from 0 to 1.
    OfRequests(f64),
    /// Of the time of a disk that rotates, at least.
    OfTime(f64),
}

impl RequestOverhead {
    fn share(self) -> f64 {
        match self {
            Self::OfRequests(share) | Self::OfTime(share) => share,
        }
    }
}

impl OthersRequests {
    pub(super) fn symptom(&self) -> Text {
        let (requests, own, per_second) = (self.requests, self.own, self.per_second);
        let all = self.all;
        let percent = self.cost.share() * 100.0;
        let made = match self.operation {
            Operation::Read => text!(
                "something else made {requests} reads in addition to the row's {own} I/Os, {per_second:.0} per second"
            ),
            _ => text!(
                "something else made {requests} writes in addition to the row's {own} I/Os, {per_second:.0} per second"
            ),
        };
        match self.cost {
            RequestOverhead::OfRequests(_) => {
                text!("{made}: {percent:.0} % of the {all} requests that the device got")
            }
            RequestOverhead::OfTime(_) => text!(
                "{made}: with one seek and half a revolution each, {percent:.0} % of the time or more"
            ),
        }
    }
}

/// The requests of others in one direction, if they are more than a quiet system makes and cost
/// the row something.
pub(super) fn of_others(case: &RowContext<'_>, operation: Operation) -> Option<OthersRequests> {
    let leaf = countable(case)?;
    let device = case.device()?;
    let bytes = counted(&device, operation)?.saturating_sub(case.moved(operation));
    let requested = case.requested(operation);
    // The file system has records of its own to write beside writes, and after them.
    let has_records = operation == Operation::Write
        && (case.copies_on_write() || requested > 0 && case.journals());
    let is_seen = culprit::processes_moved(case, operation) >= bytes.div_ceil(2).max(1);
    if has_records && (!is_seen || commits(case)) {
        return None;
    }
    let trials = case.row.trials.len() as u64;
    let certain = match is_seen {
        true => bytes,
        false => bytes.saturating_sub(BACKGROUND_BYTES_PER_TRIAL_MAX * trials),
    };
    let (requests, merged) = match operation {
        Operation::Read => (device.read_ios, device.merged_reads),
        _ => (
            device.written_ios.saturating_sub(device.flushes),
            device.merged_writes,
        ),
    };
    let known = requested
        .saturating_add(pieces(case, requested))
        .saturating_add(metadata(case, operation));
    // What was merged costs platters no movement of their arm.
    let merged = if is_platters(leaf) { 0 } else { merged };
    let requests = (requests + merged)
        .saturating_sub(known)
        .min(certain / SECTOR_BYTES);
    let seconds: f64 = case
        .outcomes()
        .map(|outcome| case.counted_time(outcome).as_secs_f64())
        .sum();
    let per_second = requests as f64 / seconds;
    let all = device.read_ios + device.written_ios + device.merged_reads + device.merged_writes;
    let (background, cost) = match is_platters(leaf) {
        true => (
            BACKGROUND_SEEKS_PER_TRIAL_MAX,
            RequestOverhead::OfTime((per_second * seek_seconds(leaf)).min(1.0)),
        ),
        false => (
            BACKGROUND_REQUESTS_PER_TRIAL_MAX,
            RequestOverhead::OfRequests(requests as f64 / all.max(1) as f64),
        ),
    };
    let is_noticed = is_platters(leaf) || per_second > OTHERS_REQUESTS_PER_S_MAX;
    let is_more = requests > background * trials && cost.share() > OTHERS_REQUEST_SHARE_MAX;
    (is_noticed && is_more).then(|| OthersRequests {
        operation,
        bytes: Bytes(bytes),
        requests,
        all,
        own: case.requested(Operation::Read) + case.requested(Operation::Write),
        per_second,
        cost,
    })
}

/// The device, where requests beyond the row's can be told from the row's own: it bypasses the
/// page cache, which reads and writes in sizes of its own, and no array makes several of one.
fn countable<'a>(case: &RowContext<'a>) -> Option<&'a BlockDevice> {
    let workload = &case.row.workload;
    let is_plain =
        case.real() && case.direct() && workload.is_pattern_alone() && encoded_share(case) == 0.0;
    case.only_leaf().filter(|_| is_plain)
}

/// Whether the row has the file system write records of its own.
pub(super) fn commits(case: &RowContext<'_>) -> bool {
    let durability = &case.row.workload.durability;
    case.ios(Operation::Flush) > 0 || durability.write_through || durability.final_flush
}

/// Requests beyond one per I/O into which I/Os are known to be cut: by what the kernel sends a
/// device at once, and at the ends of a file's extents.
#[expect(clippy::cast_possible_truncation, reason = "a share of a count")]
fn pieces(case: &RowContext<'_>, requested: u64) -> u64 {
    let block = case.row.workload.blocks.largest().0;
    let devices = case.target().devices.iter();
    let most = devices.filter_map(|device| device.max_io_bytes).min();
    let cuts = most.map_or(1, |most| block.div_ceil(most.0.max(1))).max(1);
    // In small pages a block is as many pieces, of which a request takes so many.
    let segments = case.drives().filter_map(|drive| drive.segments_max).min();
    let page_cuts = segments.map_or(1, |most| block.div_ceil(PAGE_BYTES).div_ceil(most.max(1)));
    let cuts = cuts.max(page_cuts).max(1) - 1;
    let scattered = case.target().file_state.map_or(0.0, |state| {
        let ends = state.extents.saturating_sub(1) as f64;
        (ends * block as f64 / state.size_bytes.0.max(1) as f64).min(1.0)
    });
    let at_ends = (requested as f64 * scattered) as u64;
    requested.saturating_mul(cuts).saturating_add(at_ends)
}

/// Records that a copy-on-write file system may have to read beside the file.
#[expect(clippy::cast_possible_truncation, reason = "a share of a size")]
fn metadata(case: &RowContext<'_>, operation: Operation) -> u64 {
    if operation != Operation::Read || !case.copies_on_write() {
        return 0;
    }
    let size = case.target().size_bytes.unwrap_or_default();
    (size.0 as f64 * METADATA_READ_SHARE_MAX) as u64 / NODE_BYTES
}

/// The least that a request elsewhere costs a disk that rotates: to another track and half a
/// turn, and the same way back if the row is sequential, which is not counted.
fn seek_seconds(leaf: &BlockDevice) -> f64 {
    let rpm = leaf.rotation_rpm.unwrap_or(ROTATION_RPM_MAX).max(1);
    TRACK_TIME_MIN.as_secs_f64() + 30.0 / f64::from(rpm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, each_count, large_writes, on_file_system, says, spoilt};
    use sokudo_model::Verdict::{Unverified, Verified};
    use sokudo_model::{DeviceCounters, ForeignUse, ForeignUser, Nanos, OperationMix, Run};

    const FOREIGN: &[&str] = &["foreign-io"];

    /// A second of 1 MiB reads, 1,000 of them, on a disk without platters.
    fn large_reads(change: impl Fn(&mut DeviceCounters)) -> Run {
        spoilt(large_writes(), |run| {
            run.rows[0].workload.operations = OperationMix::only(Operation::Read);
            run.target.file_state.as_mut().unwrap().extents = 1;
            for trial in &mut run.rows[0].trials {
                let tally = &mut trial.outcome.operations[0];
                tally.operation = Operation::Read;
                (tally.ios, tally.bytes) = (1_000, Bytes::mib(1_000));
                tally.latency = crate::sample::histogram(1_000, Nanos::from_millis(1));
                let device = trial.evidence.device.as_mut().unwrap();
                *device = DeviceCounters {
                    read_ios: 1_000,
                    read_bytes: Bytes::mib(1_000).0,
                    ..DeviceCounters::default()
                };
            }
            each_count(run, &change);
        })
    }

    /// Somebody else's reads of so many bytes in each trial.
    fn others(requests: u64, bytes: u64) -> impl Fn(&mut DeviceCounters) {
        move |device| {
            device.read_ios += requests;
            device.read_bytes += requests * bytes;
        }
    }

    fn rotating(mut run: Run, rpm: u32) -> Run {
        let leaf = run.target.devices.last_mut().unwrap();
        (leaf.rotational, leaf.rotation_rpm) = (Some(true), Some(rpm));
        run
    }

    /// The same with a process that was seen to read so much in each trial.
    fn seen(mut run: Run, read_bytes: u64) -> Run {
        for trial in &mut run.rows[0].trials {
            trial.evidence.foreign = Some(ForeignUse {
                users: vec![ForeignUser {
                    pid: 10,
                    name: "dd".to_owned(),
                    kernel: false,
                    read_bytes,
                    written_bytes: 0,
                }],
                hidden: 0,
            });
        }
        run
    }

    #[test]
    fn small_requests_of_others_are_told_by_their_number() {
        check! {
            "512 bytes, 8,000 times": large_reads(others(8_000, 512)) => FOREIGN, Unverified;
            "pieces of the row's own I/Os, which add no bytes":
                large_reads(|device| device.read_ios = 2_000) => ["split-io"], Verified;
            "what a quiet system makes": large_reads(others(64, 4_096)) => [], Verified;
            "a twentieth": seen(large_reads(others(50, 4_096)), 50 * 4_096) => [], Verified;
            "more, but few per second": seen(large_reads(others(70, 4_096)), 70 * 4_096)
                => FOREIGN, Unverified;
        }
        says(
            seen(large_reads(others(8_000, 512)), 8_000 * 512),
            "foreign-io",
            &[
                "^something else made 48000 reads in addition to the row's 6000 I/Os, 8000 per second",
                "89 % of the 54000 requests that the device got",
                "dd (process 10)",
            ],
        );
    }

    #[test]
    fn a_disk_that_rotates_pays_for_each_of_them_with_time() {
        let beside = |requests| seen(large_reads(others(requests, 4_096)), requests * 4_096);
        check! {
            "60 per second": rotating(beside(60), 7_200) => FOREIGN, Unverified;
            "a journal commit or two": rotating(beside(16), 7_200) => [], Verified;
            "60 per second of flash": beside(60) => [], Verified;
        }
        says(
            rotating(beside(60), 7_200),
            "foreign-io",
            &["31 % of the time or more"],
        );
    }

    #[test]
    fn reads_that_were_merged_count() {
        let run = large_reads(|device| {
            device.read_ios = 500;
            device.merged_reads = 8_500;
            device.read_bytes += 8_000 * 512;
        });
        check! {
            "merged": run => FOREIGN, Unverified;
        }
    }

    #[test]
    fn what_the_file_system_makes_of_writes_is_nobody_elses() {
        let run = |kind: &str| {
            spoilt(large_writes(), |run| {
                on_file_system(run, kind);
                each_count(run, |device| {
                    device.written_ios += 2_000;
                    device.written_bytes += 2_000 * 4_096;
                });
            })
        };
        check! {
            "a journal": run("ext4") => [], Verified;
            "block records": run("btrfs") => [], Verified;
            "neither": run("ext2") => FOREIGN, Unverified;
        }
    }

    #[test]
    fn pieces_that_are_known_are_the_rows_own() {
        let run = |most: u64| {
            spoilt(large_reads(others(1_000, 512)), |run| {
                run.target.devices[1].max_io_bytes = Some(Bytes::kib(most));
            })
        };
        check! {
            "half a block at once": run(512) => ["split-io"], Verified;
            "whole blocks": run(1_024) => FOREIGN, Unverified;
        }
    }
}
