//! I/Os that are not what the device gets: cut into smaller ones on their way, or smaller
//! than what the device writes at once.

use sokudo_model::{BackendFeature, Bytes, DriveConditions, Operation, Order, PairRatios};
use sokudo_words::{Text, text};

use crate::case::{RowContext, counted};
use crate::code::{Code, RuleResult};
use crate::foreign_io;
use crate::remedy;
use crate::rule::RowRule;
use crate::threshold::{
    ARRIVED_RATIO_MAX, BACKGROUND_REQUESTS_PER_TRIAL_MAX, HUGE_PAGES_RATIO_MIN,
    READ_AHEAD_BYTES_MIN, SPLIT_BLOCK_BYTES_MIN, SPLIT_RATIO_MIN,
};

pub(crate) const RULES: &[RowRule] = &[split_io, huge_pages, small_read_ahead, sub_block_writes];

/// What the engine says where buffers lie in huge pages: those that the kernel gives where
/// it can, and those of the system's pool.
const TRANSPARENT: BackendFeature = BackendFeature::TransparentHugePages;
const EXPLICIT: BackendFeature = BackendFeature::HugePages;

/// Pages of memory that are no huge ones.
const PAGE_BYTES: u64 = Bytes::KIB * 4;

/// Requests of one direction at the devices.
struct Requests {
    operation: Operation,
    requested: u64,
    /// Those that others cannot have made.
    counted: u64,
}

impl Requests {
    fn symptom(&self, block: Bytes) -> Text {
        let (ios, requests) = (self.requested, self.counted);
        let requests_per_io = requests as f64 / ios as f64;
        match self.operation {
            Operation::Read => text!(
                "sokudo made {ios} reads of {block}, the devices counted {requests} requests: \
                 {requests_per_io:.1} per I/O"
            ),
            _ => text!(
                "sokudo made {ios} writes of {block}, the devices counted {requests} requests: \
                 {requests_per_io:.1} per I/O"
            ),
        }
    }
}

/// The devices got clearly more requests than the row made I/Os, of the same bytes.
fn split_io(case: &RowContext<'_>) -> Option<RuleResult> {
    let block = case.row.workload.blocks.smallest();
    if !case.direct() || block.0 < SPLIT_BLOCK_BYTES_MIN || foreign_io::is_shared(case) {
        return None;
    }
    let split = [Operation::Read, Operation::Write]
        .into_iter()
        .filter_map(|operation| requests(case, operation))
        .find(|requests| is_split(case, requests))?;
    let (cause, remedy) = split_cause(case, block)?;
    Some(RuleResult::new(
        Code::SplitIo,
        split.symptom(block),
        cause,
        remedy,
    ))
}

/// What was asked and what was counted, where they can be compared: copies, parity and
/// journals make requests of their own.
fn requests(case: &RowContext<'_>, operation: Operation) -> Option<Requests> {
    let device = case.device()?;
    let requested = case.requested(operation);
    let moved = case.moved(operation);
    let bytes = counted(&device, operation)?;
    let surplus = bytes as f64 > moved as f64 * ARRIVED_RATIO_MAX;
    // Few bytes of others can be many requests; who makes them in smaller pieces is looked for
    // before (`surplus::is_shared`).
    let others = bytes.saturating_sub(moved) / PAGE_BYTES;
    let is_flushed =
        case.requested(Operation::Flush) > 0 || case.row.workload.durability.write_through;
    let has_more = match operation {
        Operation::Write => surplus || is_flushed || device.flushes > 0,
        _ => surplus,
    };
    (requested > 0 && !has_more).then(|| Requests {
        operation,
        requested,
        counted: match operation {
            Operation::Read => device.read_ios,
            _ => device.written_ios.saturating_sub(device.flushes),
        }
        .saturating_sub(others),
    })
}

fn is_split(case: &RowContext<'_>, requests: &Requests) -> bool {
    let background = BACKGROUND_REQUESTS_PER_TRIAL_MAX * case.row.trials.len() as u64;
    let expected = requests.requested as f64 * SPLIT_RATIO_MIN;
    requests.counted as f64 >= expected && requests.counted >= requests.requested + background
}

/// Why, and what to do about it; `None` where the hardware takes no more at once, which is
/// how it is and can be changed by nobody.
fn split_cause(case: &RowContext<'_>, block: Bytes) -> Option<(Text, Text)> {
    if let Some(array) = array_with_smaller_chunk(case, block) {
        return Some(array);
    }
    let hardware = |drive: &DriveConditions| drive.disk.queue.hardware_io_bytes_max;
    if case
        .drives()
        .any(|drive| hardware(drive).is_some_and(|most| most < block))
    {
        return None;
    }
    if let Some(device) = case
        .target()
        .devices
        .iter()
        .find(|device| device.max_io_bytes.is_some_and(|most| most < block))
    {
        let most = device.max_io_bytes.unwrap_or_default();
        let device = &device.name;
        return Some((
            text!("the kernel sends {device} at most {most} at once (queue/max_sectors_kb)"),
            text!(
                "as root: echo {kib} > /sys/block/{device}/queue/max_sectors_kb",
                kib = block.0.div_ceil(Bytes::KIB)
            ),
        ));
    }
    if let Some(cause) = scattered(case, block) {
        return Some(cause);
    }
    let pieces = block.0.div_ceil(PAGE_BYTES);
    Some(match few_segments(case, pieces) {
        Some((device, most)) if has_feature(case, TRANSPARENT) => (
            text!(
                "the kernel had too few huge pages for the buffers: in pages of 4 KiB a block has {pieces} pieces, and {device} takes {most} at once (queue/max_segments)"
            ),
            Text::from("measure when more memory is free in large pieces, or use smaller blocks"),
        ),
        // What the size of pages does is told by how much it does, or not at all.
        Some(_) if !has_feature(case, EXPLICIT) && case.row.pages.is_some() => return None,
        Some((device, most)) if !has_feature(case, EXPLICIT) => (
            text!(
                "buffers lie in pages of 4 KiB, so that a block has {pieces} pieces, and {device} takes {most} at once (queue/max_segments)"
            ),
            remedy::huge_pages_or_smaller(),
        ),
        _ => (
            Text::from(
                "a layer between sokudo and the devices splits I/Os: a stripe, an encrypted volume, or a limit of the queue",
            ),
            Text::from("nothing to do: the figure is right; with smaller blocks it may be higher"),
        ),
    })
}

/// The drives at the bottom.
/// A drive that takes fewer pieces at once, and how many.
fn few_segments<'a>(case: &RowContext<'a>, pieces: u64) -> Option<(&'a str, u64)> {
    case.drives().find_map(|drive| {
        let most = drive.segments_max.filter(|most| *most < pieces)?;
        Some((drive.disk.name.as_str(), most))
    })
}

fn has_feature(case: &RowContext<'_>, wanted: BackendFeature) -> bool {
    case.outcomes().all(|outcome| {
        let mut features = outcome.backend.features.iter();
        features.any(|feature| *feature == wanted)
    })
}

fn lies_in_huge_pages(case: &RowContext<'_>) -> bool {
    has_feature(case, TRANSPARENT) || has_feature(case, EXPLICIT)
}

/// How much faster than from small pages reads like the row's were from huge ones, by turns.
fn factor(case: &RowContext<'_>) -> Option<PairRatios> {
    case.row.pages.as_ref()?.ratios()
}

/// A factor that is clear and large enough to be told.
fn reported_factor(case: &RowContext<'_>) -> Option<PairRatios> {
    factor(case).filter(|it| it.least > 1.0 && it.median >= HUGE_PAGES_RATIO_MIN)
}

/// How much more huge pages give where ordinary buffers are split.
fn cost_of_splitting(ratios: PairRatios) -> Text {
    let PairRatios {
        median,
        least,
        most,
        pairs,
    } = ratios;
    text!(
        "the kernel splits the blocks of programs with ordinary buffers: reads like this row's were {median:.2} times as fast from huge pages (median of {pairs} pairs of short trials; least {least:.2}, greatest {most:.2})"
    )
}

/// Where a block has more small pages than a device takes pieces at once, the kernel cuts it.
/// Buffers in huge pages keep it whole, and nothing in the row shows that it is slower for
/// programs with ordinary buffers; where buffers are ordinary, the disk could give more.
fn huge_pages(case: &RowContext<'_>) -> Option<RuleResult> {
    let block = case.row.workload.blocks.largest();
    let pieces = block.0.div_ceil(PAGE_BYTES);
    let (device, most) = few_segments(case, pieces)?;
    let did_io = case.outcomes().any(|outcome| outcome.ios() > 0);
    if !did_io || !case.direct() || split_io(case).is_some() {
        return None;
    }
    let ratios = reported_factor(case);
    if !lies_in_huge_pages(case) {
        return Some(RuleResult::new(
            Code::HugePages,
            text!(
                "in pages of 4 KiB a block of {block} has {pieces} pieces, and {device} takes {most} at once (queue/max_segments)"
            ),
            cost_of_splitting(ratios?),
            remedy::huge_pages(),
        ));
    }
    let cause = match ratios {
        Some(ratios) => cost_of_splitting(ratios),
        None => match factor(case) {
            // It was tried, and does not matter.
            Some(tried) if tried.median < HUGE_PAGES_RATIO_MIN => return None,
            Some(PairRatios {
                least, most, pairs, ..
            }) => text!(
                "the kernel splits the blocks of programs with ordinary buffers. What that costs did not show clearly: reads like this row's were {least:.2} to {most:.2} times as fast from huge pages ({pairs} pairs of short trials)"
            ),
            None => Text::from(
                "the kernel splits the blocks of programs with ordinary buffers, which are slower: reads of 1 MiB on a virtio disk were 2.2 to 2.5 times slower",
            ),
        },
    };
    Some(RuleResult::new(
        Code::HugePages,
        text!(
            "buffers lay in huge pages; in pages of 4 KiB a block of {block} has {pieces} pieces, and \
             {device} takes {most} at once (queue/max_segments)"
        ),
        cause,
        remedy::ordinary_buffers(),
    ))
}

fn array_with_smaller_chunk(case: &RowContext<'_>, block: Bytes) -> Option<(Text, Text)> {
    let arrays = &case.run.conditions.arrays;
    let array = arrays.iter().find(|array| {
        let is_under = case.target().devices.iter().any(|it| it.name == array.name);
        is_under && array.chunk_bytes.is_some_and(|chunk| chunk < block)
    })?;
    let chunk = array.chunk_bytes?;
    Some((
        text!(
            "{array} puts {chunk} on one member before it goes to the next, so a block spans several",
            array = array.name
        ),
        Text::from("nothing to do: this is how an array uses its members together"),
    ))
}

/// A file whose extents are hardly larger than a block.
fn scattered(case: &RowContext<'_>, block: Bytes) -> Option<(Text, Text)> {
    let state = case.target().file_state?;
    let extents = state.extents.max(1);
    (state.size_bytes.0 / extents < 2 * block.0).then(|| {
        (
            text!(
                "the file lies in {extents} pieces of {extent_bytes} on average",
                extent_bytes = Bytes(state.size_bytes.0 / extents)
            ),
            Text::from("measure on a file system with more free space in one piece"),
        )
    })
}

/// Sequential reads through the page cache get what the kernel reads ahead, whatever size
/// they have.
fn small_read_ahead(case: &RowContext<'_>) -> Option<RuleResult> {
    let is_sequential = matches!(case.row.workload.order, Order::Sequential { .. });
    if case.direct() || !is_sequential || !case.asks(Operation::Read) || case.copies_on_write() {
        return None;
    }
    let top = case.target().devices.first()?;
    let ahead = top.read_ahead_bytes?;
    let device = case.device()?;
    let mean = device.read_bytes.checked_div(device.read_ios)?;
    // A request may be a page larger than what is read ahead.
    let is_held_back = ahead.0 < READ_AHEAD_BYTES_MIN && mean <= ahead.0 + PAGE_BYTES;
    (is_held_back && case.ratio(Operation::Read)? >= 1.0 / ARRIVED_RATIO_MAX).then(|| {
        RuleResult::new(
            Code::SplitIo,
            text!(
                "the devices were read in requests of {request_bytes} on average",
                request_bytes = Bytes(mean)
            ),
            text!(
                "the kernel reads only {ahead} ahead on {device} (queue/read_ahead_kb), where {usual} is usual",
                device = top.name,
                usual = Bytes(READ_AHEAD_BYTES_MIN)
            ),
            text!(
                "as root: blockdev --setra {device} /dev/{sectors}; or measure with direct I/O",
                device = top.name,
                sectors = READ_AHEAD_BYTES_MIN / 512
            ),
        )
    })
}

/// A drive writes whole physical blocks: for a part of one it must read the rest, inside
/// itself, where no counter sees it.
fn sub_block_writes(case: &RowContext<'_>) -> Option<RuleResult> {
    // What can be seen is told as what it is.
    if !case.asks(Operation::Write) || !case.direct() || foreign_io::reads_for_writes(case) {
        return None;
    }
    let block = case.row.workload.blocks.smallest();
    let (leaf, physical) = case.target().leaves().find_map(|leaf| {
        let physical = leaf.physical_block_bytes?;
        (block < physical).then_some((leaf, physical))
    })?;
    Some(RuleResult::new(
        Code::SubBlockWrites,
        text!(
            "blocks of {block} are written to {device}, whose physical block is {physical}",
            device = leaf.name
        ),
        "the drive must read the rest of each physical block before it can write it, which costs a revolution on a hard disk",
        text!("write blocks of {physical} or multiples of it"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{
        buffered, check, device, drive, each_count, each_outcome, large_writes, reads_with, says,
        spoilt, writes, writes_with,
    };
    use sokudo_model::Verdict::{Unverified, Verified};
    use sokudo_model::{
        ArrayState, BackendFeature, BlockDeviceKind, PagesCompared, Run, SequentialOffset,
    };

    /// Large writes of which each became so many requests, in halves.
    fn split(halves: u64) -> Run {
        spoilt(large_writes(), |run| {
            each_count(run, |device| {
                device.written_ios = device.written_ios * halves / 2;
            });
            run.conditions.drives.push(drive("nvme0n1"));
        })
    }

    #[test]
    fn requests_among_those_of_others_are_not_told() {
        let shared = spoilt(split(4), |run| {
            each_count(run, |device| device.written_bytes *= 2);
        });
        check! {
            "shared": shared => ["foreign-io"], Unverified;
        }
    }

    #[test]
    fn clearly_more_requests_than_ios_are_told() {
        check! {
            "as asked": split(2) => [], Verified;
            "four for three": spoilt(split(2), |run| {
                each_count(run, |device| {
                    device.written_ios = device.written_ios * 4 / 3
                });
            }) => [], Verified;
            "three for two": split(3) => ["split-io"], Verified;
            "flushes are counted as writes": spoilt(split(2), |run| {
                each_count(run, |device| {
                    device.flushes = device.written_ios;
                    device.written_ios *= 2;
                });
            }) => [], Verified;
            "small blocks": writes_with(|run| each_count(run, |device| device.written_ios *= 4))
                => [], Verified;
            "many small requests of others": spoilt(split(2), |run| {
                each_count(run, |device| {
                    let others = device.written_ios * 3;
                    device.written_ios += others;
                    device.written_bytes += others * PAGE_BYTES;
                });
            }) => [], Verified;
            "a few requests of others": spoilt(split(2), |run| {
                for trial in &mut run.rows[0].trials {
                    let tally = &mut trial.outcome.operations[0];
                    tally.ios = 40;
                    tally.bytes = Bytes::mib(40);
                    tally.latency =
                        crate::sample::histogram(40, sokudo_model::Nanos::from_millis(25));
                    let device = trial.evidence.device.as_mut().unwrap();
                    device.written_bytes = Bytes::mib(40).0;
                    device.written_ios = 90;
                }
            }) => [], Verified;
        }
        says(
            split(4),
            "split-io",
            &["60000 writes of 1 MiB", "120000 requests: 2.0 per I/O"],
        );
    }

    #[test]
    fn the_cause_comes_from_the_evidence() {
        let cause = |change: fn(&mut Run), words: &[&str]| {
            says(spoilt(split(4), change), "split-io", words);
        };
        cause(
            |run| run.target.devices[1].max_io_bytes = Some(Bytes::kib(512)),
            &["echo 1024 > /sys/block/nvme0n1/queue/max_sectors_kb"],
        );
        cause(
            |run| run.conditions.drives[0].segments_max = Some(254),
            &["256 pieces", "takes 254 at once"],
        );
        cause(
            |run| run.target.file_state.as_mut().unwrap().extents = 1024,
            &["1024 pieces of 1 MiB"],
        );
        cause(
            |run| {
                let array = device("md0", BlockDeviceKind::Raid, false);
                run.target.devices.insert(0, array);
                run.conditions.arrays.push(ArrayState {
                    name: "md0".into(),
                    chunk_bytes: Some(Bytes::kib(512)),
                    ..ArrayState::default()
                });
            },
            &["md0 puts 512 KiB on one member"],
        );
        for (feature, words) in [
            (TRANSPARENT, "too few huge pages"),
            (EXPLICIT, "a layer between"),
        ] {
            let run = spoilt(split(4), |run| {
                run.conditions.drives[0].segments_max = Some(254);
                each_outcome(run, |outcome| {
                    outcome.backend.features = vec![feature.clone()]
                });
            });
            says(run, "split-io", &[words]);
        }
    }

    #[test]
    fn buffers_in_huge_pages_are_told_where_ordinary_ones_would_be_cut() {
        let huge = |segments: u64, feature: BackendFeature| {
            spoilt(split(2), |run| {
                run.conditions.drives[0].segments_max = Some(segments);
                each_outcome(run, |outcome| {
                    outcome.backend.features = vec![feature.clone()];
                });
            })
        };
        let codes = &["huge-pages"][..];
        check! {
            "few pieces": huge(254, TRANSPARENT) => codes, Verified;
            "of the pool": huge(126, EXPLICIT) => codes, Verified;
            "enough pieces": huge(256, EXPLICIT) => [], Verified;
            "small pages": huge(254, BackendFeature::RegisteredBuffers) => [], Verified;
        }
        says(huge(254, EXPLICIT), "huge-pages", &["1 MiB has 256 pieces"]);
    }

    #[test]
    fn what_the_size_of_pages_does_is_told_by_how_much_it_does() {
        let tried = |halves: u64, feature: BackendFeature, huge: [u64; 5]| {
            spoilt(split(halves), |run| {
                run.conditions.drives[0].segments_max = Some(254);
                run.rows[0].pages = Some(PagesCompared {
                    small: vec![100; 5],
                    huge: huge.to_vec(),
                });
                each_outcome(run, |outcome| {
                    outcome.backend.features = vec![feature.clone()];
                });
            })
        };
        let small = BackendFeature::RegisteredBuffers;
        check! {
            "cut and slower": tried(4, small.clone(), [230, 220, 240, 250, 210])
                => ["huge-pages"], Verified, "2.30 times as fast from huge pages (median of 5 pairs of short trials; least 2.10, greatest 2.50)";
            "cut, and no slower": tried(4, small.clone(), [99, 101, 100, 102, 98]) => [], Verified;
            "a pair says the opposite": tried(4, small, [230, 220, 99, 250, 210]) => [], Verified;
            "whole and faster": tried(2, TRANSPARENT, [230, 220, 240, 250, 210])
                => ["huge-pages"], Verified, "--pages small";
            "whole, and no faster": tried(2, TRANSPARENT, [99, 101, 100, 102, 98]) => [], Verified;
            "whole, and a pair says the opposite": tried(2, TRANSPARENT, [230, 220, 99, 250, 210])
                => ["huge-pages"], Verified, "did not show clearly";
        }
    }

    #[test]
    fn what_the_hardware_takes_at_most_is_no_finding() {
        let run = spoilt(split(4), |run| {
            let queue = &mut run.conditions.drives[0].disk.queue;
            queue.hardware_io_bytes_max = Some(Bytes::kib(512));
            run.target.devices[1].max_io_bytes = Some(Bytes::kib(512));
        });
        check! {
            "hardware": run => [], Verified;
        }
    }

    #[test]
    fn a_small_read_ahead_is_told_of_buffered_sequential_reads() {
        let ahead = |kib: u64, change: fn(&mut Run)| {
            reads_with(|run| {
                buffered(run);
                run.rows[0].workload.order = Order::Sequential {
                    offset: SequentialOffset::Own,
                };
                run.target.devices[0].read_ahead_bytes = Some(Bytes::kib(kib));
                each_count(run, |device| device.read_ios = device.read_bytes / 16_384);
                change(run);
            })
        };
        check! {
            "16 KiB": ahead(16, |_| ()) => ["split-io"], Verified,
                "reads only 16 KiB ahead on nvme0n1p2";
            "usual": ahead(128, |_| ()) => [], Verified;
            "large requests all the same":
                ahead(16, |run| each_count(run, |device| device.read_ios /= 8)) => [], Verified;
            "random": ahead(16, |run| {
                run.rows[0].workload.order = Order::Random { map: false };
            }) => [], Verified;
            "direct":
                ahead(16, |run| each_outcome(run, |outcome| outcome.direct = true)) => [], Verified;
        }
    }

    #[test]
    fn writes_smaller_than_the_physical_block_are_told() {
        let physical = |kib| {
            writes_with(|run| run.target.devices[1].physical_block_bytes = Some(Bytes::kib(kib)))
        };
        check! {
            "smaller": physical(16) => ["sub-block-writes"], Verified;
            "as large": physical(4) => [], Verified;
            "reads": reads_with(|run| run.target.devices[1].physical_block_bytes = Some(Bytes::kib(16)))
                => [], Verified;
            "through the page cache": spoilt(physical(16), |run| {
                buffered(run);
                run.rows[0].workload.durability.final_flush = true;
            }) => [], Verified;
            "unknown": writes() => [], Verified;
        }
    }
}
