//! The cells of each test, and which of them are tracked.

use sokudo_model::{Bytes, SteadyTest};
use sokudo_words::{Text, text};

use crate::steady::plan::error::SteadyError;
use crate::steady::plan::mixes::{Mixes, ReadPercent};
use crate::steady::plan::request::{RANGE_UNIT, SteadyCell, SteadyRequest};

/// Block sizes of the IOPS test, in the order of the PTS.
const IOPS_SIZES: [Bytes; 8] = [
    Bytes::kib(1024),
    Bytes::kib(128),
    Bytes::kib(64),
    Bytes::kib(32),
    Bytes::kib(16),
    Bytes::kib(8),
    Bytes::kib(4),
    Bytes(512),
];
/// Percent of reads of the IOPS test.
const IOPS_READS: [u32; 7] = [100, 95, 65, 50, 35, 5, 0];
/// Block sizes of the throughput test.
const THROUGHPUT_SIZES: [Bytes; 2] = [Bytes::kib(1024), Bytes::kib(128)];
/// Block sizes of the latency test.
const LATENCY_SIZES: [Bytes; 3] = [Bytes::kib(8), Bytes::kib(4), Bytes(512)];
/// Percent of reads of the latency test.
const LATENCY_READS: [u32; 3] = [100, 65, 0];

/// The matrix of a test as the PTS has it, outer loop first.
fn standard(test: SteadyTest) -> (Vec<Bytes>, Vec<u32>) {
    match test {
        SteadyTest::Iops => (IOPS_SIZES.to_vec(), IOPS_READS.to_vec()),
        SteadyTest::Throughput => (THROUGHPUT_SIZES.to_vec(), vec![100, 0]),
        SteadyTest::Latency => (LATENCY_SIZES.to_vec(), LATENCY_READS.to_vec()),
        SteadyTest::WriteSaturation => (vec![Bytes::kib(4)], vec![0]),
    }
}

/// The cells that are measured, in the order of a round.
pub(super) fn cells(request: &SteadyRequest) -> Result<Vec<SteadyCell>, SteadyError> {
    let (mut sizes, mut reads) = standard(request.test);
    let is_fixed = request.test == SteadyTest::WriteSaturation;
    if is_fixed && (request.sizes.is_some() || request.mixes.is_some()) {
        return Err(SteadyError::FixedMatrix);
    }
    if let Some(requested) = &request.sizes {
        sizes.clone_from(&requested.0);
        if let Some(small) = sizes.iter().find(|size| !fits(request, **size)) {
            return Err(SteadyError::Unaligned {
                size: *small,
                unit: request.block_min,
            });
        }
    }
    if let Some(Mixes(requested)) = &request.mixes {
        reads = requested.iter().map(|mix| mix.0).collect();
    }
    // Sizes of the standard matrix that cannot be had here are left out, and told.
    sizes.retain(|size| fits(request, *size));
    let mut cells = product(&sizes, &reads);
    if request.test == SteadyTest::Throughput {
        // Each block size by itself.
        cells.sort_by_key(|cell| sizes.iter().position(|size| *size == cell.block));
    }
    if cells.is_empty() {
        return Err(SteadyError::NoCell {
            unit: request.block_min,
        });
    }
    Ok(cells)
}

fn fits(request: &SteadyRequest, size: Bytes) -> bool {
    size.0.is_multiple_of(request.block_min.0.max(1)) && RANGE_UNIT.is_multiple_of(size.0)
}

/// Every size at every mix.
fn product(sizes: &[Bytes], reads: &[u32]) -> Vec<SteadyCell> {
    let at = |percent: &u32| {
        let reads = ReadPercent(*percent);
        sizes.iter().map(move |&block| SteadyCell { block, reads })
    };
    reads.iter().flat_map(at).collect()
}

/// Cells of the standard matrix that are not among these.
pub(super) fn missing(test: SteadyTest, cells: &[SteadyCell]) -> Vec<SteadyCell> {
    let (sizes, reads) = standard(test);
    let mut all = product(&sizes, &reads);
    all.retain(|cell| !cells.contains(cell));
    all
}

/// How many cells are left out, in words.
pub(super) fn missing_note(test: SteadyTest, missing: &[SteadyCell]) -> Text {
    let (sizes, reads) = standard(test);
    let all = sizes.len() * reads.len();
    text!(
        "{} of the {all} cells of the matrix are left out",
        missing.len()
    )
}

/// The places of the cells by which it is told whether the drive is steady: the PTS's where
/// they are measured, or else all.
pub(super) fn tracked(test: SteadyTest, cells: &[SteadyCell]) -> Vec<u32> {
    let wanted: &[(Bytes, u32)] = match test {
        SteadyTest::Latency => &[(Bytes::kib(4), 0)],
        _ => &[
            (Bytes::kib(4), 0),
            (Bytes::kib(64), 65),
            (Bytes::kib(1024), 100),
        ],
    };
    let is_wanted = |cell: &SteadyCell| wanted.contains(&(cell.block, cell.reads.get()));
    let numbered = || (0u32..).zip(cells);
    let found: Vec<u32> = numbered()
        .filter(|(_, cell)| is_wanted(cell))
        .map(|(index, _)| index)
        .collect();
    if found.is_empty() {
        numbered().map(|(index, _)| index).collect()
    } else {
        found
    }
}
