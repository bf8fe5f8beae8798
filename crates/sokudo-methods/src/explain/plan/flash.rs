//! What is asked about flash drives, and about arrays with parity.

use sokudo_model::{
    Bytes, Nanos, Operation, OperationMix, Order, Sample, Span, Survey, Visit, Work, Workload,
    narrow,
};
use sokudo_words::Text;

use crate::explain::plan::theme::{ExplainRequest, Theme, room, themes};
use crate::rows::capacity::{self, WrittenShare};
use crate::rows::sequential_writes::{SAMPLES_MAX, SequentialWrites};

/// The theme that may look at everything.
pub(super) const CAPACITY: &str = "capacity";
/// The theme that writes as much as is wanted.
pub(super) const FAST_CELLS: &str = "fast-cells";

pub(super) const THEMES: &[Theme] = themes! {
    "map", "how much of the map of its blocks the drive holds in memory",
        [Flash], Reads, 40 => map;
    "parity", "stripes of an array, and what a small write costs its members",
        [Rotating, Flash], Writes, 30 => parity;
    FAST_CELLS, "how much can be written fast, and how fast writes are after it",
        [Flash], Writes, 600 => fast_cells;
    CAPACITY, "whether the device is as large as it says",
        [Rotating, Flash], Writes, 240 => real_size, of_devices true;
};

/// Spans of the target in which blocks are read at random: from this, each twice the one
/// before, to all of it. Every drive holds the map of so little.
const MAP_SPAN_MIN: Bytes = Bytes::mib(64);
/// Below this too few spans are left to tell a step from chance.
const MAP_TARGET_MIN: Bytes = Bytes::gib(1);
const MAP_BLOCK: Bytes = Bytes::kib(4);
/// So many reads give the mean of two kinds of them to 2 %.
const MAP_READS: u64 = 2_000;
const MAP_TIME: Nanos = Nanos::from_secs(1);
/// What a page of the map covers, as a rule: 1,024 entries for 4 KiB each. One block is
/// read of each before, so that what is not in memory then has no room there.
const MAP_PAGE: Bytes = Bytes::mib(4);
/// More would take longer than what they warm up.
const MAP_TOUCHES_MAX: u64 = 16_384;

/// Sizes of writes to an array: chunks are 4 KiB to 1 MiB as a rule.
const PARITY_BLOCK_MIN: Bytes = Bytes::kib(4);
const PARITY_BLOCK_MAX: Bytes = Bytes::mib(4);
/// Writes of each size.
const PARITY_WRITES: u64 = 96;
const PARITY_TIME: Nanos = Nanos::from_secs(3);
/// Within so much: a bitmap of what is being written has a bit per 64 MiB as a rule, and
/// each that is set costs a write.
const PARITY_SPAN: Bytes = Bytes::mib(256);

/// Less is held by a drive's ordinary memory.
const FILL_MIN: Bytes = Bytes::gib(4);
/// More would wear the drive more than a look at it is worth. The fast part of most drives is
/// larger: who wants to see its end says how much may be written.
const FILL_MAX: Bytes = Bytes::gib(64);
const FILL_SAMPLES: u32 = 256;
/// A stick for 10 MB/s is not waited for until it is full.
const FILL_TIME: Nanos = Nanos::from_secs(600);
/// After so long a rest the drive has made room again.
const REST: Nanos = Nanos::from_secs(30);

fn map(request: &ExplainRequest) -> Result<Vec<Workload>, Text> {
    room(request, MAP_TARGET_MIN)?;
    let block = MAP_BLOCK.max(request.block_min);
    let doubled = std::iter::successors(Some(MAP_SPAN_MIN), |span| Some(Bytes(span.0 * 2)));
    let spans = doubled.take_while(|span| *span <= request.size);
    let mut probes = Vec::new();
    for length in spans {
        let known = if length > MAP_SPAN_MIN {
            Bytes(length.0 / 2)
        } else {
            Bytes(0)
        };
        probes.push(touch(block, known, length));
        let mut read = Workload::new(format!("explain/map {length}"), block);
        read.order = Order::Random { map: false };
        read.span = Some(Span::from_start(length));
        read.limits.ios = Some(MAP_READS);
        read.limits.time = Some(MAP_TIME);
        probes.push(read);
    }
    Ok(probes)
}

/// Reads one block of each page of the map between `from` and `to`.
fn touch(block: Bytes, from: Bytes, to: Bytes) -> Workload {
    let length = to.0 - from.0;
    let sample_count = (length / MAP_PAGE.0).clamp(1, MAP_TOUCHES_MAX);
    let mut workload = Workload::new(format!("explain/map-touch {to}"), block);
    workload.span = Some(Span {
        offset: from,
        length: Bytes(length),
    });
    workload.work = Work::Survey(Survey::new(
        narrow(sample_count),
        Visit::Ascending,
        Sample::Bytes(block),
    ));
    workload.limits.time = Some(Nanos(5 * MAP_TIME.0));
    workload
}

fn parity(request: &ExplainRequest) -> Result<Vec<Workload>, Text> {
    room(request, PARITY_SPAN)?;
    let smallest = PARITY_BLOCK_MIN.max(request.block_min);
    let sizes = std::iter::successors(Some(smallest), |size| Some(Bytes(size.0 * 2)));
    let write = |block: Bytes| {
        let mut workload = Workload::new(format!("explain/parity {block}"), block);
        workload.operations = OperationMix::only(Operation::Write);
        workload.order = Order::Random { map: true };
        workload.span = Some(Span::from_start(PARITY_SPAN));
        // No more than there are blocks: a second pass would find stripes in memory.
        workload.limits.ios = Some(PARITY_WRITES.min(PARITY_SPAN.0 / block.0));
        workload.limits.time = Some(PARITY_TIME);
        workload
    };
    Ok(sizes
        .take_while(|size| *size <= PARITY_BLOCK_MAX)
        .map(write)
        .collect())
}

fn real_size(request: &ExplainRequest) -> Result<Vec<Workload>, Text> {
    room(request, capacity::SIZE_MIN)?;
    let (name, extent) = match request.is_full {
        true => ("explain/capacity-full", WrittenShare::Whole),
        false => ("explain/capacity", WrittenShare::Sampled),
    };
    let workload = capacity::workload(name, request.block_min, extent);
    Ok(vec![
        workload.ok_or("the target's smallest block is unknown")?,
    ])
}

fn fast_cells(request: &ExplainRequest) -> Result<Vec<Workload>, Text> {
    room(request, FILL_MIN)?;
    let fill = SequentialWrites {
        name: "explain/fill",
        size: request.size.min(request.fill.unwrap_or(FILL_MAX)),
        block_min: request.block_min,
        samples_max: match request.fill {
            Some(_) => SAMPLES_MAX,
            None => FILL_SAMPLES,
        },
        time_max: request.fill.is_none().then_some(FILL_TIME),
        reads: false,
        rests: vec![REST],
    };
    Ok(fill.workloads())
}
