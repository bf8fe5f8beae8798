//! Finds out which logical blocks of a range cannot be read, in few attempts: a disk
//! may take seconds for each one that fails.
//!
//! The first failing block is found by halving. From there blocks are tried one by one,
//! then at distances that double, until one is readable again; the edge before it is
//! found by halving. So a single block takes about 15 failing attempts, a long run 60 and
//! one more per GiB. The price: what lies between two unreadable blocks of a run of more than
//! [`STEPS_ONE_BY_ONE`] blocks counts as unreadable without having been tried.

use std::ops::Range;

/// Blocks at the start of a run that are tried one by one: two physical blocks of 4 KiB
/// in logical ones of 512 bytes.
const STEPS_ONE_BY_ONE: u64 = 16;

/// Distances do not grow beyond this, so that a good part of a disk as large as this is
/// never taken for bad.
const DISTANCE_MAX: u64 = 1 << 30;

/// The unreadable runs of `suspect`, of which an attempt has failed, and the first byte after
/// all that is known then. A run that reaches its end is followed up to `limit`. `is_good`
/// says whether all of a range can be read; `None` is for a stop, here as there.
pub(super) fn narrow(
    is_good: &mut impl FnMut(Range<u64>) -> Option<bool>,
    suspect: Range<u64>,
    limit: u64,
    block: u64,
) -> Option<(Vec<Range<u64>>, u64)> {
    let mut rest = suspect;
    let mut runs = Vec::new();
    while let Some(first) = first_bad(is_good, rest.clone(), block)? {
        let end = run_end(is_good, first, limit.max(rest.end), block)?;
        runs.push(first..end);
        rest.start = end;
        if end >= rest.end {
            return Some((runs, end));
        }
        if is_good(rest.clone())? {
            break;
        }
    }
    Some((runs, rest.end))
}

/// The first block that fails; `None` inside when none does any more.
fn first_bad(
    is_good: &mut impl FnMut(Range<u64>) -> Option<bool>,
    range: Range<u64>,
    block: u64,
) -> Option<Option<u64>> {
    let Range { mut start, mut end } = range;
    while end - start > block {
        let middle = start + (end - start) / block / 2 * block;
        if is_good(start..middle)? {
            start = middle;
        } else {
            end = middle;
        }
    }
    Some((!is_good(start..end)?).then_some(start))
}

/// The end of the run that begins at `first`.
fn run_end(
    is_good: &mut impl FnMut(Range<u64>) -> Option<bool>,
    first: u64,
    limit: u64,
    block: u64,
) -> Option<u64> {
    let mut bad_end = first + block;
    for _ in 1..STEPS_ONE_BY_ONE {
        if bad_end >= limit {
            return Some(limit);
        }
        if is_good(bad_end..bad_end + block)? {
            return Some(bad_end);
        }
        bad_end += block;
    }
    let mut distance = STEPS_ONE_BY_ONE * block;
    while bad_end < limit {
        let tried = (bad_end + distance).min(limit) - block;
        if is_good(tried..tried + block)? {
            return edge(is_good, bad_end, tried, block);
        }
        bad_end = tried + block;
        distance = (distance * 2).min(DISTANCE_MAX);
    }
    Some(limit)
}

/// The first good block, of which there is one at `good`.
fn edge(
    is_good: &mut impl FnMut(Range<u64>) -> Option<bool>,
    bad_end: u64,
    good: u64,
    block: u64,
) -> Option<u64> {
    let (mut bad_end, mut good) = (bad_end, good);
    while bad_end < good {
        let middle = bad_end + (good - bad_end) / block / 2 * block;
        if is_good(middle..middle + block)? {
            good = middle;
        } else {
            bad_end = middle + block;
        }
    }
    Some(good)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const BLOCK: u64 = 512;

    /// What is found on a disk of which some ranges of blocks are bad, and in how many failing
    /// attempts.
    fn found(bad: &[Range<u64>], suspect: Range<u64>, limit: u64) -> (Vec<Range<u64>>, u64, u64) {
        let mut failed = 0;
        let mut is_good = |range: Range<u64>| {
            assert!(range.start.is_multiple_of(BLOCK) && range.end.is_multiple_of(BLOCK));
            assert!(range.start < range.end);
            let hit = |bad: &Range<u64>| bad.start < range.end && range.start < bad.end;
            let is_good = !bad.iter().any(hit);
            failed += u64::from(!is_good);
            Some(is_good)
        };
        let (runs, end) = narrow(&mut is_good, suspect, limit, BLOCK).unwrap();
        (runs, end, failed)
    }

    proptest! {
        #[test]
        fn single_blocks_are_found_exactly(
            start in 0_u64..64, blocks in 1_u64..600,
            bad in proptest::collection::btree_set(0_u64..600, 1..14),
        ) {
            let bad: BTreeSet<u64> = bad.into_iter().filter(|at| *at < blocks).collect();
            let ranges = bad.iter().map(|at| {
                let offset = (start + at) * BLOCK;
                offset..offset + BLOCK
            });
            let suspect = start * BLOCK..(start + blocks) * BLOCK;
            let ranges: Vec<Range<u64>> = ranges.collect();
            let (runs, end, _) = found(&ranges, suspect.clone(), suspect.end);
            prop_assert_eq!(end, suspect.end);
            let each = runs.into_iter().flat_map(|run| (run.start / BLOCK - start)..(run.end / BLOCK - start));
            prop_assert_eq!(each.collect::<BTreeSet<u64>>(), bad);
        }

        #[test]
        fn a_long_run_is_found_exactly_in_few_attempts(
            before in 0_u64..2_048, blocks in 1_u64..4_000_000_000,
        ) {
            let bad = before * BLOCK..(before + blocks) * BLOCK;
            let limit = 4_100_000_000 * BLOCK;
            let (runs, end, failed) = found(std::slice::from_ref(&bad), 0..2_048 * BLOCK, limit);
            prop_assert_eq!(runs, vec![bad.clone()]);
            prop_assert_eq!(end, bad.end.max(2_048 * BLOCK));
            prop_assert!(failed < 120 + (bad.end - bad.start) / DISTANCE_MAX, "{}", failed);
        }
    }

    #[test]
    fn what_can_be_read_again_is_no_defect_and_a_stop_ends_it() {
        let (runs, end, _) = found(&[], 0..1 << 20, 1 << 30);
        assert_eq!((runs.len(), end), (0, 1 << 20));
        assert_eq!(narrow(&mut |_| None, 0..4096, 4096, BLOCK), None);
    }
}
