//! HD Tune's extra tests: speed at the start, in the middle and at the end, seeks of all
//! kinds, and what the drive's own cache gives.

use sokudo_model::{Bytes, Limits, Measures, Nanos, Sample, Span, Survey, Visit, Workload};
use sokudo_words::text;

use crate::rows::surface::random::{count, is_possible, mixed, single};
use crate::rows::surface::request::SurfaceRequest;
use crate::rows::surface::rows::{SurfaceRows, at_random};

/// How long a sequential row reads in one go.
const SEQUENTIAL_TIME: Nanos = Nanos::from_secs(2);
/// How much room a sequential row has: more than any drive moves in that time.
const SEQUENTIAL_ROOM: Bytes = Bytes::gib(32);
const SEQUENTIAL_BLOCK: Bytes = Bytes::mib(1);
const SEQUENTIAL_DEPTH: u32 = 8;

/// What is read from a drive's cache, again and again, and for how long.
const CACHE_BLOCK: Bytes = Bytes::kib(64);
const BURST_TIME: Nanos = Nanos::from_secs(1);
const CACHE_TIME: Nanos = Nanos::from_millis(500);
/// The cache curve's regions: from one block to 64 MiB, each twice the one before.
const CACHE_REGIONS: u32 = 11;

/// Adds all of them.
pub(super) fn add(request: &SurfaceRequest, rows: &mut SurfaceRows) {
    add_sequential(rows);
    add_seeks(request, rows);
    add_cache(rows);
}

/// In one go for a time at the start (outermost on a disk), in the middle and at the end.
fn add_sequential(rows: &mut SurfaceRows) {
    let room = SEQUENTIAL_ROOM.0.min(rows.length.0 / 3) / SEQUENTIAL_BLOCK.0 * SEQUENTIAL_BLOCK.0;
    if room == 0 {
        rows.notes.push(text!(
            "SEQ outer, middle and inner are left out, because {} have no room for three blocks of {SEQUENTIAL_BLOCK}",
            rows.length
        ));
        return;
    }
    let last = rows.length.0 - room;
    for (name, offset) in [
        ("SEQ outer", 0),
        (
            "SEQ middle",
            last / 2 / SEQUENTIAL_BLOCK.0 * SEQUENTIAL_BLOCK.0,
        ),
        ("SEQ inner", last / SEQUENTIAL_BLOCK.0 * SEQUENTIAL_BLOCK.0),
    ] {
        let workload = Workload {
            depth: SEQUENTIAL_DEPTH,
            span: Some(Span {
                offset: Bytes(rows.start + offset),
                length: Bytes(room),
            }),
            ..Workload::new(name, SEQUENTIAL_BLOCK)
        };
        let survey = Survey::new(1, Visit::Ascending, Sample::Time(SEQUENTIAL_TIME));
        rows.add(workload, survey);
    }
}

/// Random seeks that read as little as possible, a page, 64 KiB or any size; and seeks
/// from both ends in turn, the longest there are.
fn add_seeks(request: &SurfaceRequest, rows: &mut SurfaceRows) {
    let sample_count = count(request).max(1);
    let smallest = request.block_min;
    let seek = single(format!("SEEK {}", smallest.short()), smallest);
    rows.add(seek, at_random(sample_count, smallest));
    if smallest < Bytes::kib(4) && is_possible("SEEK", Bytes::kib(4), request, rows) {
        rows.add(
            single("SEEK 4K", Bytes::kib(4)),
            at_random(sample_count, Bytes::kib(4)),
        );
    }
    let butterfly = Survey {
        visit: Visit::Butterfly,
        ..at_random(sample_count, smallest)
    };
    rows.add(single("BUTTERFLY", smallest), butterfly);
    if is_possible("SEEK", CACHE_BLOCK, request, rows) {
        rows.add(
            single("SEEK 64K", CACHE_BLOCK),
            at_random(sample_count, CACHE_BLOCK),
        );
    }
    if let Some(workload) = mixed("SEEK mixed", request, rows) {
        let largest = workload.blocks.largest();
        rows.add(workload, at_random(sample_count, largest));
    }
}

/// The same region at the start read again and again, one block at a time: what the
/// interface gives while the drive's cache holds it, and how much the cache holds.
fn add_cache(rows: &mut SurfaceRows) {
    let regions = (0..CACHE_REGIONS).map(|power| Bytes(CACHE_BLOCK.0 << power));
    let fitting: Vec<Bytes> = regions.filter(|length| *length <= rows.length).collect();
    if fitting.len() < CACHE_REGIONS as usize {
        rows.notes.push(text!(
            "the cache curve ends early, because the target has only {}",
            rows.length
        ));
    }
    if fitting.is_empty() {
        return;
    }
    let start = rows.start;
    rows.add_reading(again("BURST".to_owned(), (start, CACHE_BLOCK), BURST_TIME));
    for length in fitting {
        let name = format!("CACHE {}", length.short());
        rows.add_reading(again(name, (start, length), CACHE_TIME));
    }
}

/// So many bytes from the start of what is measured, read again and again for a time.
fn again(name: String, (start, length): (u64, Bytes), time: Nanos) -> Workload {
    Workload {
        span: Some(Span {
            offset: Bytes(start),
            length,
        }),
        measures: Measures::CACHE,
        limits: Limits::of_time(time),
        ..Workload::new(name, CACHE_BLOCK)
    }
}
