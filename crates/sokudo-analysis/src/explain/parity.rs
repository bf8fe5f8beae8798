//! Parity: an array that keeps one or two chunks of it per stripe must read before it can
//! write less than a stripe, and writes more than it was asked to.
//!
//! Concluded from what the members count per byte written, over sizes from much less than a
//! chunk to much more than a stripe. For every chunk size and number of members the counts
//! follow from how such arrays work (Patterson, Gibson and Katz, "A case for redundant
//! arrays of inexpensive disks", 1988; Linux `drivers/md/raid5.c`, `handle_stripe_dirtying`:
//! either the old data and parity are read or the rest of the stripe, whichever is less);
//! the pair that fits best is told. Time alone is not believed: where the members are not
//! seen, nothing is concluded. (Denehy et al., "Deconstructing storage arrays", 2004, show
//! how far time alone leads.)

use sokudo_model::{Bytes, Inference, Operation, Order, Row, Run};
use sokudo_words::{Text, text};

use super::evidence::{figure, sure, to_float};
use super::threshold::{PARITY_LEAD_SURE, PARITY_MISFIT_MAX, PARITY_SIZES_MIN};
use crate::rule::InferenceRule;

pub(super) const RULES: &[InferenceRule] = &[parity];

/// The smallest and largest chunk that is thought of, as powers of two of KiB.
const CHUNKS_KIB: std::ops::RangeInclusive<u32> = 2..=12;

/// What the members moved per byte written, at one size.
#[derive(Clone, Copy, Debug)]
struct ParityPoint {
    block: u64,
    read: f64,
    written: f64,
    latency_ns: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ParityLayout {
    chunk: u64,
    data: u64,
    parity: u64,
}

fn parity(run: &Run) -> Option<Inference> {
    let members = run.target.leaves().count() as u64;
    if members < 3
        || run
            .target
            .leaves()
            .any(|leaf| leaf.counts_io == Some(false))
    {
        return None;
    }
    let points = points(run);
    if points.len() < PARITY_SIZES_MIN {
        return None;
    }
    let mut fits: Vec<(f64, ParityLayout)> = layouts(members)
        .map(|layout| (misfit(&points, layout), layout))
        .collect();
    fits.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (misfit, layout) = *fits.first()?;
    // Without a size below a chunk and one above it, the chunk is a guess.
    let is_seen = layout.chunk >= points[0].block;
    let reads = points.iter().any(|point| point.read > 0.5);
    if misfit > PARITY_MISFIT_MAX || !is_seen || !reads {
        return None;
    }
    let lead = fits
        .get(1)
        .map_or(f64::INFINITY, |second| second.0 / misfit.max(1e-6));
    Some(inference(&points, layout, misfit, lead, members))
}

fn inference(
    points: &[ParityPoint],
    layout: ParityLayout,
    misfit: f64,
    lead: f64,
    members: u64,
) -> Inference {
    let ParityLayout {
        chunk,
        data,
        parity,
    } = layout;
    let (first, last) = (points[0], points[points.len() - 1]);
    let kind = Text::from(match parity {
        1 => "one chunk of parity (RAID 5)",
        _ => "two chunks of parity (RAID 6)",
    });
    let rate = |point: &ParityPoint| to_float(point.block) / point.latency_ns * 1e3;
    Inference {
        code: "parity-stripes".to_owned(),
        claim: text!(
            "an array of {members} members with stripes of {data} × {chunk} and {kind}: only writes of whole stripes of {stripe} need no reads",
            chunk = Bytes(chunk),
            stripe = Bytes(chunk * data)
        ),
        figures: vec![
            figure("chunk_bytes", to_float(chunk)),
            figure("stripe_data_bytes", to_float(chunk * data)),
            figure("data_members", to_float(data)),
            figure("parity_members", to_float(parity)),
            figure("small_write_reads", first.read),
            figure("small_write_writes", first.written),
            figure("misfit", misfit),
        ],
        confidence: sure(lead >= PARITY_LEAD_SURE),
        evidence: text!(
            "per byte of a {small} write, the members read {small_read:.1} and wrote {small_written:.1} bytes ({small_mb_per_s:.0} MB/s); of a {large} write, {large_read:.1} and {large_written:.1} ({large_mb_per_s:.0} MB/s)",
            small = Bytes(first.block),
            small_read = first.read,
            small_written = first.written,
            small_mb_per_s = rate(&first),
            large = Bytes(last.block),
            large_read = last.read,
            large_written = last.written,
            large_mb_per_s = rate(&last)
        ),
    }
}

/// What is thought of: all members hold data or parity.
fn layouts(members: u64) -> impl Iterator<Item = ParityLayout> {
    CHUNKS_KIB.flat_map(move |power| {
        (1..=2u64).filter_map(move |parity| {
            let data = members.checked_sub(parity).filter(|data| *data >= 2)?;
            Some(ParityLayout {
                chunk: 1024 << power,
                data,
                parity,
            })
        })
    })
}

/// Rows of random writes of one size each, the smallest first.
fn points(run: &Run) -> Vec<ParityPoint> {
    let mut points: Vec<ParityPoint> = run.rows.iter().filter_map(point).collect();
    points.sort_unstable_by_key(|point| point.block);
    points.dedup_by_key(|point| point.block);
    points
}

fn point(row: &Row) -> Option<ParityPoint> {
    let workload = &row.workload;
    let is_wanted = workload.operations.single() == Some(Operation::Write)
        && matches!(workload.order, Order::Random { .. })
        && workload.survey().is_none()
        && workload.depth * workload.threads == 1;
    let block = workload.blocks.single().filter(|_| is_wanted)?;
    let (mut requested, mut read, mut written, mut time) = (0, 0, 0, 0.0);
    for trial in &row.trials {
        let device = trial.evidence.device?;
        let tally = trial.outcome.operation(Operation::Write)?;
        requested += tally.bytes.0;
        read += device.read_bytes;
        written += device.written_bytes;
        time += tally.latency.mean()? * to_float(tally.ios);
    }
    let writes = to_float(requested) / to_float(block.0);
    (requested > 0).then(|| ParityPoint {
        block: block.0,
        read: to_float(read) / to_float(requested),
        written: to_float(written) / to_float(requested),
        latency_ns: time / writes,
    })
}

/// The mean distance of what was counted from what this array would count.
fn misfit(points: &[ParityPoint], layout: ParityLayout) -> f64 {
    let distance = |point: &ParityPoint| {
        let (read, written) = layout.moved(point.block);
        (point.read - read).abs() + (point.written - written).abs()
    };
    points.iter().map(distance).sum::<f64>() / 2.0 / to_float(points.len() as u64)
}

impl ParityLayout {
    /// Bytes read and written per byte of writes of this size at all places that are
    /// multiples of it.
    fn moved(self, block: u64) -> (f64, f64) {
        let (mut read, mut written) = (0, 0);
        // A size is a power of two of chunks or a part of one: stripes are in phase with
        // addresses again after as many writes as there are chunks of data.
        for phase in 0..self.data {
            let (one_read, one_written) = self.moved_at(phase * block, block);
            read += one_read;
            written += one_written;
        }
        let requested = to_float(self.data * block);
        (to_float(read) / requested, to_float(written) / requested)
    }

    fn moved_at(self, offset: u64, block: u64) -> (u64, u64) {
        let width = self.chunk * self.data;
        let (mut read, mut written) = (0, 0);
        let mut at = offset;
        let end = offset + block;
        while at < end {
            let stripe_end = (at / width + 1) * width;
            let to = end.min(stripe_end);
            let rows = self.rows(at % width, to - at);
            for (rows, changed) in rows.into_iter().filter(|(height, _)| *height > 0) {
                let rest = self.data - changed;
                let old = changed + self.parity;
                read += rows * rest.min(old);
                written += rows * old;
            }
            at = to;
        }
        (read, written)
    }

    /// Rows of a stripe that a write touches, as their height and the number of chunks
    /// that change in them. Sizes and chunks are powers of two, so that a write either lies
    /// in one chunk or fills all that it touches but the last of a stripe.
    fn rows(self, from: u64, length: u64) -> [(u64, u64); 2] {
        if from % self.chunk + length <= self.chunk {
            return [(length, 1), (0, 0)];
        }
        let (whole, rest) = (length / self.chunk, length % self.chunk);
        [(rest, whole + 1), (self.chunk - rest, whole)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAID5: ParityLayout = ParityLayout {
        chunk: 64 << 10,
        data: 3,
        parity: 1,
    };

    #[test]
    fn a_small_write_reads_two_and_writes_two_and_a_stripe_reads_nothing() {
        assert_eq!(RAID5.moved(4096), (2.0, 2.0));
        assert_eq!(RAID5.moved_at(0, 3 * 65_536), (0, 4 * 65_536));
        assert_eq!(RAID5.moved_at(0, 2 * 65_536), (65_536, 3 * 65_536));
        let raid6 = ParityLayout {
            data: 6,
            parity: 2,
            ..RAID5
        };
        assert_eq!(raid6.moved(4096), (3.0, 3.0));
    }

    #[test]
    fn large_writes_come_near_to_parity_alone() {
        let (read, written) = RAID5.moved(16 << 20);
        assert!(
            read < 0.02 && (written - 4.0 / 3.0).abs() < 0.02,
            "{read} {written}"
        );
    }
}
