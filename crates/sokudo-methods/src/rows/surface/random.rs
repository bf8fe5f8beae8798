//! Access time, and random access by size: single I/Os at random places, one at a time.

use sokudo_model::{Bytes, Order, Workload};
use sokudo_words::text;

use crate::rows::surface::request::{SurfaceError, SurfaceRequest};
use crate::rows::surface::rows::{SurfaceRows, any_size, at_random, checked_block};

/// What access times are measured with: a page, which every device takes.
const ACCESS_SIZE: Bytes = Bytes::kib(4);
/// HD Tune's sizes of random access; its "Random" is any from the first to the last.
const SIZES: [Bytes; 4] = [Bytes(512), Bytes::kib(4), Bytes::kib(64), Bytes::mib(1)];

/// Adds the row of access times beside the curve.
pub(super) fn add_access(
    request: &SurfaceRequest,
    rows: &mut SurfaceRows,
) -> Result<(), SurfaceError> {
    let count = count(request);
    let requested = request
        .access_size
        .unwrap_or(ACCESS_SIZE.max(request.block_min));
    let size = checked_block("--access-size", requested, request.block_min)?;
    if count == 0 {
        return Ok(());
    }
    if size > rows.length {
        return Err(SurfaceError::Small {
            size: rows.length,
            block: size,
        });
    }
    let access = single(format!("ACCESS {}", size.short()), size);
    rows.add(access, at_random(count, size));
    Ok(())
}

/// Adds a row per size, and one of sizes mixed.
pub(super) fn add_by_size(request: &SurfaceRequest, rows: &mut SurfaceRows) {
    let count = count(request).max(1);
    for size in SIZES {
        if is_possible("RANDOM", size, request, rows) {
            let name = format!("RANDOM {}", size.short());
            rows.add(single(name, size), at_random(count, size));
        }
    }
    if let Some(workload) = mixed("RANDOM mixed", request, rows) {
        let largest = workload.blocks.largest();
        rows.add(workload, at_random(count, largest));
    }
}

/// I/Os of one row.
pub(super) fn count(request: &SurfaceRequest) -> u32 {
    request
        .access_count
        .unwrap_or_else(|| request.preset.access_count())
}

/// One I/O at a time at random.
pub(super) fn single(name: impl Into<String>, size: Bytes) -> Workload {
    Workload {
        order: Order::Random { map: false },
        ..Workload::new(name, size)
    }
}

/// One I/O at a time at random, of any size that HD Tune has; `None`, with a note, where
/// the target is too small.
pub(super) fn mixed(
    name: &str,
    request: &SurfaceRequest,
    rows: &mut SurfaceRows,
) -> Option<Workload> {
    let smallest = SIZES[0].max(request.block_min);
    let largest = SIZES[3];
    let blocks = any_size(smallest, largest).filter(|_| largest <= rows.length);
    if blocks.is_none() {
        rows.notes.push(text!(
            "{name} is left out, because {} have no room for its largest block of {largest}",
            rows.length
        ));
    }
    Some(Workload {
        blocks: blocks?,
        ..single(name, largest)
    })
}

/// Whether the target takes I/Os of a size and has room for one; if not, a note says so.
pub(super) fn is_possible(
    kind: &str,
    size: Bytes,
    request: &SurfaceRequest,
    rows: &mut SurfaceRows,
) -> bool {
    let why = if !size.0.is_multiple_of(request.block_min.0) {
        text!(
            "the target takes no block smaller than {}",
            request.block_min
        )
    } else if size > rows.length {
        text!("the target has only {}", rows.length)
    } else {
        return true;
    };
    rows.notes
        .push(text!("{kind} {} is left out, because {why}", size.short()));
    false
}
