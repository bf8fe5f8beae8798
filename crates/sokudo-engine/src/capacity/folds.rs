//! A drive that keeps several addresses in one block: how far apart they are, from where on
//! that is so, and whether it spoils what lies before.
//!
//! All of it is found by trial. An address is written, then those that may share its block,
//! then more than the drive holds in memory; then it is read.

use sokudo_model::{Bytes, CheckedSample, Held, SharedBlocks};

use super::in_progress::{CheckInProgress, ROUND_OFFSETS, ROUNDS_MAX};
use super::layout::{AddressRange, whole_blocks};
use super::medium::{BLOCK_BYTES, Medium, SECTOR_BYTES};

/// Distances that are tried, and places for each.
const DISTANCES_MAX: usize = 256;
const OFFSETS_PER_DISTANCE: usize = 8;

/// Steps by which all of a drive is searched for what is spoilt, and how much may be written
/// to spoil it, in fillers.
const SEARCH_STEPS_MAX: u64 = 4096;
const SEARCH_FILLERS_MAX: u64 = 8;

/// What a distance that was found is divided by: few pairs have a multiple of it in common.
const DIVISORS: [u64; 18] = [
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61,
];

/// Two addresses that share a block, the lower one first.
type SharedPair = (u64, u64);

impl<M: Medium> CheckInProgress<'_, M> {
    /// What is found of addresses that share blocks; `None` where no rule fits.
    pub(super) fn find_shared(&mut self) -> Option<SharedBlocks> {
        let distance = self.distance()?;
        let from = self.shared_from(distance)?;
        let reaches_below = self.reaches_below(distance, from);
        let is_so = self.is_confirmed(distance, from, reaches_below);
        is_so.then_some(SharedBlocks {
            distance: Bytes(distance),
            from: Bytes(from),
            reaches_below,
        })
    }

    fn pairs(&self) -> Vec<SharedPair> {
        let pair = |sample: &CheckedSample| match sample.held {
            Held::Other(other) => {
                let (one, two) = (sample.offset.0, other.0);
                Some((one.min(two), one.max(two)))
            }
            _ => None,
        };
        self.samples.iter().filter_map(pair).collect()
    }

    /// The least distance at which addresses at the end share their blocks. That of any two
    /// beyond the real size is a multiple of it; that of one beyond and one before is not, but
    /// two such distances differ by one. Pairs near the end lie beyond both: so common divisors
    /// of ever more of them, from the end on, are tried.
    ///
    /// Whatever is a multiple of it may fit as well: each trial shows more pairs, and what fits is
    /// divided further until nothing less does.
    fn distance(&mut self) -> Option<u64> {
        let mut found = None;
        for number in 0..ROUNDS_MAX {
            let less = self.fitting(found);
            found = less.or(found);
            if less.is_none() && (found.is_some() || number > 0) {
                break;
            }
        }
        found
    }

    /// The least distance that fits, below one that does.
    fn fitting(&mut self, above: Option<u64>) -> Option<u64> {
        let mut pairs = self.pairs();
        pairs.sort_unstable_by(|a, b| b.cmp(a));
        let distances: Vec<u64> = pairs.iter().map(|(low, high)| high - low).collect();
        let first = *distances.first()?;
        let differences = distances.iter().map(|it| it.abs_diff(first));
        let mut tried = divisors(distances.iter().copied());
        tried.extend(divisors(differences));
        tried.extend(above);
        let parts = |whole: &u64| {
            let parts = DIVISORS.map(|part| whole / part);
            let few = if above == Some(*whole) {
                DIVISORS.len()
            } else {
                4
            };
            [*whole].into_iter().chain(parts.into_iter().take(few))
        };
        let mut tried: Vec<u64> = tried.iter().flat_map(parts).collect();
        let below = above.unwrap_or(self.size);
        tried.retain(|it| (BLOCK_BYTES..below).contains(it) && it.is_multiple_of(SECTOR_BYTES));
        tried.sort_unstable();
        tried.dedup();
        tried.truncate(DISTANCES_MAX);
        let filler_at = self.size - self.filler;
        let mut offsets = Vec::new();
        for distance in &tried {
            // Short of the start, and as near to the end as can be.
            let least = distance.saturating_sub(filler_at);
            let (from, to) = match *distance < self.filler {
                true => (0, *distance),
                false => (least.max(whole_blocks(self.filler / 8 * 7)), self.filler),
            };
            for number in 0..OFFSETS_PER_DISTANCE {
                let within = from + self.random.below((to - from) / BLOCK_BYTES) * BLOCK_BYTES;
                let offset = filler_at + within - distance;
                // Half of them one further off: a part of the distance fits only one half.
                let is_far = number % 2 > 0 && *distance < self.filler && offset >= *distance;
                let offset = offset - if is_far { *distance } else { 0 };
                offsets.push((*distance, whole_blocks(offset)));
            }
        }
        let ranges = offsets
            .iter()
            .map(|(_, offset)| AddressRange::block(*offset));
        let found = self.round(ranges.collect(), &[], filler_at);
        let size = self.size;
        let fits = |distance: u64, offset: u64| {
            let Some(held) = found.iter().find(|it| it.offset.0 == offset) else {
                return false;
            };
            // The filler is written upwards: what is left is the last that shares the block.
            matches!(held.held, Held::Other(other) if other.0 > offset
                && (other.0 - offset).is_multiple_of(distance)
                && size - other.0 <= distance)
        };
        tried.into_iter().find(|distance| {
            let mut mine = offsets.iter().filter(|(of, _)| of == distance);
            mine.all(|(distance, offset)| fits(*distance, *offset))
        })
    }

    /// Where the last addresses begin that all share blocks: between the last tried that has
    /// its own and the first behind it that has not.
    fn shared_from(&mut self, distance: u64) -> Option<u64> {
        let (mut own, mut shared) = (None, self.size);
        for _ in 0..ROUNDS_MAX {
            let low = own.unwrap_or(0);
            let filler_at = match low < self.filler && shared <= self.size - self.filler {
                true => self.size - self.filler,
                false => 0,
            };
            let filler = self.filler_from(filler_at);
            let low = match filler_at {
                0 => low.max(self.filler - BLOCK_BYTES),
                _ => low,
            };
            let mut offsets: Vec<u64> = between(low, shared);
            if own.is_none() && filler_at > 0 {
                offsets.insert(0, 0);
            }
            offsets.retain(|offset| !filler.holds(*offset));
            keep_apart(&mut offsets, distance);
            if offsets.is_empty() || self.is_over() {
                break;
            }
            let found = self.try_shared(&offsets, distance, filler_at);
            if found.len() < offsets.len() {
                return None;
            }
            let has_own = |sample: &&CheckedSample| sample.held == Held::Own;
            if let Some(last) = found.iter().filter(has_own).map(|it| it.offset.0).max() {
                own = Some(last);
            }
            let behind = found.iter().map(|it| it.offset.0);
            let behind = behind.filter(|offset| own.is_none_or(|own| *offset > own));
            shared = behind.min().unwrap_or(shared);
            if own.map_or(0, |own| own + BLOCK_BYTES) == shared {
                return Some(shared);
            }
        }
        None
    }

    /// Writes places, then what may share their blocks, and tells what they hold.
    fn try_shared(&mut self, offsets: &[u64], distance: u64, filler_at: u64) -> Vec<CheckedSample> {
        let size = self.size;
        let below = offsets.iter().filter_map(|it| it.checked_sub(distance));
        let above = offsets.iter().map(|it| it + distance);
        // Where the distance is no number of blocks, two blocks hold what shares one.
        let blocks = |at: u64| [whole_blocks(at), at.next_multiple_of(BLOCK_BYTES)];
        let mut others: Vec<u64> = below.chain(above).flat_map(blocks).collect();
        others.dedup();
        others.retain(|it| *it < size);
        let ranges = offsets
            .iter()
            .map(|offset| AddressRange::block(*offset))
            .collect();
        self.round(ranges, &others, filler_at)
    }

    /// Whether what is written behind `from` spoils what lies before it.
    fn reaches_below(&mut self, distance: u64, from: u64) -> Option<bool> {
        if self
            .pairs()
            .iter()
            .any(|(low, high)| *low < from && from <= *high)
        {
            return Some(true);
        }
        if from == 0 {
            return Some(false);
        }
        let steps = from.div_ceil(distance);
        if steps > SEARCH_STEPS_MAX || distance > SEARCH_FILLERS_MAX * self.filler {
            return None;
        }
        // As much as there are blocks that are shared, so that one of these places is hit.
        let ranges = (0..steps).map(|step| AddressRange::block(whole_blocks(step * distance)));
        let length = whole_blocks(distance.max(self.filler).min(self.size - from));
        let filler = AddressRange {
            offset: from,
            length,
        };
        let found = self.round_with(ranges.collect(), &[], filler);
        Some(found.iter().any(|it| matches!(it.held, Held::Other(_))))
    }

    /// Whether places at random are as was found: those before `from` have their own blocks,
    /// if nothing behind spoils them, those behind have not.
    fn is_confirmed(&mut self, distance: u64, from: u64, reaches_below: Option<bool>) -> bool {
        let filler_at = match from > self.size - self.filler {
            true => 0,
            false => self.size - self.filler,
        };
        let filler = self.filler_from(filler_at);
        let mut offsets: Vec<u64> = Vec::new();
        for (start, end) in [(0, from), (from, self.size)] {
            let blocks = (end - start) / BLOCK_BYTES;
            let some = (0..ROUND_OFFSETS / 2).filter(|_| blocks > 0);
            offsets.extend(some.map(|_| start + self.random.below(blocks.max(1)) * BLOCK_BYTES));
        }
        offsets.retain(|offset| !filler.holds(*offset));
        offsets.sort_unstable();
        offsets.dedup();
        keep_apart(&mut offsets, distance);
        let found = self.try_shared(&offsets, distance, filler_at);
        let is_as_found = |sample: &CheckedSample| match sample.held {
            Held::Own => sample.offset.0 < from,
            Held::Other(_) => sample.offset.0 >= from || reaches_below == Some(true),
            _ => false,
        };
        found.len() == offsets.len() && found.iter().all(is_as_found)
    }
}

/// Leaves of two places that may share a block the lower one: the other is written to spoil it,
/// and would be taken for its own. Where the size is a round multiple of the distance, even
/// steps meet it. Places ascend.
fn keep_apart(offsets: &mut Vec<u64>, distance: u64) {
    let mut kept: Vec<u64> = Vec::new();
    offsets.retain(|offset| {
        let is_partner = offset.checked_sub(distance).is_some_and(|lower| {
            let near = lower.saturating_sub(BLOCK_BYTES - 1)..lower + BLOCK_BYTES;
            let first = kept.partition_point(|it| *it < near.start);
            kept.get(first).is_some_and(|it| near.contains(it))
        });
        if !is_partner {
            kept.push(*offset);
        }
        !is_partner
    });
}

/// The common divisors of ever more numbers.
fn divisors(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut divisors: Vec<u64> = numbers
        .scan(0, |divisor, number| {
            *divisor = common_divisor(*divisor, number);
            Some(*divisor)
        })
        .collect();
    divisors.dedup();
    divisors
}

/// Places in even distances between two, without these.
pub(super) fn between(low: u64, high: u64) -> Vec<u64> {
    let blocks = (high - low) / BLOCK_BYTES;
    let steps = blocks.saturating_sub(1).min(ROUND_OFFSETS);
    let offset_at = |step| {
        let share = u128::from(high - low) * u128::from(step) / u128::from(steps + 1);
        let share = whole_blocks(u64::try_from(share).unwrap_or(0));
        low + share.max(step * BLOCK_BYTES)
    };
    (1..=steps).map(offset_at).collect()
}

fn common_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
