//! What places of a device would not have shown: computed of where they lie.

use sokudo_model::{Bytes, CapacityCheck, narrow};

use crate::explain::evidence::to_float;

/// Of what is possible, so much would have been seen.
pub(super) const SEEN_PERCENT: u64 = 95;

/// Real sizes that are tried, in even distances.
const SIZES: u64 = 200;

/// Shorter ones are single blocks, which hardly count beside stretches.
const STRETCH_BYTES_MIN: u64 = CapacityCheck::BLOCK.0 + 1;

/// The smallest window that is tried; each is twice the one before.
const WINDOW_BYTES_MIN: u64 = 1 << 20;

/// A start and a length.
type Stretch = (u64, u64);

/// The largest window into which, before whatever real size, all beyond could be folded and
/// would have been seen: two stretches would lie on the same blocks. `None` where not even
/// the smallest would.
pub(super) fn window_seen(check: &CapacityCheck) -> Option<Bytes> {
    let mut stretches: Vec<Stretch> = stretches(check);
    stretches.retain(|(_, length)| *length >= STRETCH_BYTES_MIN);
    let windows = std::iter::successors(Some(WINDOW_BYTES_MIN), |window| window.checked_mul(2));
    let windows = windows.take_while(|window| *window <= check.size.0 / 2);
    let is_seen = |window: &u64| {
        let reals = (0..SIZES).map(|step| share(check.size.0, 2 * step + 1, 2 * SIZES));
        let reals = reals.filter(|real| real >= window);
        let seen: Vec<bool> = reals
            .map(|real| overlaps(&stretches, real, *window))
            .collect();
        let count = seen.iter().filter(|seen| **seen).count();
        count * 100 >= seen.len() * narrow::<u64, usize>(SEEN_PERCENT)
    };
    windows.take_while(is_seen).last().map(Bytes)
}

/// The length of a part, anywhere, that would have been hit by some place.
pub(super) fn hole_seen(check: &CapacityCheck) -> Bytes {
    let mut end = 0;
    let mut gaps = Vec::new();
    for (start, length) in stretches(check) {
        gaps.push(start.saturating_sub(end));
        end = end.max(start.saturating_add(length));
    }
    gaps.push(check.size.0.saturating_sub(end));
    let missed = |hole: u64| {
        let ways: f64 = gaps
            .iter()
            .map(|gap| to_float(gap.saturating_sub(hole)))
            .sum();
        ways / to_float(check.size.0.saturating_sub(hole).max(1))
    };
    let (mut low, mut high) = (0, gaps.iter().copied().max().unwrap_or(0));
    while high - low > CapacityCheck::BLOCK.0 {
        let middle = low + (high - low) / 2;
        match missed(middle) * 100.0 > to_float(100 - SEEN_PERCENT) {
            true => low = middle,
            false => high = middle,
        }
    }
    Bytes(high)
}

/// What was written, in order, the filler at the start first. What was written twice is one
/// stretch: it shares no blocks with itself.
fn stretches(check: &CapacityCheck) -> Vec<Stretch> {
    let extents = check.samples.iter().map(|it| (it.offset.0, it.length.0));
    let mut all: Vec<Stretch> = extents.chain([(0, check.between.0)]).collect();
    all.sort_unstable();
    let mut apart: Vec<Stretch> = Vec::with_capacity(all.len());
    for (start, length) in all {
        match apart.last_mut() {
            Some((first, reach)) if start < first.saturating_add(*reach) => {
                *reach = (*reach).max((start - *first).saturating_add(length));
            }
            _ => apart.push((start, length)),
        }
    }
    apart
}

/// Whether two stretches lie on the same blocks where what lies behind `real` is kept in the
/// window before it.
fn overlaps(stretches: &[Stretch], real: u64, window: u64) -> bool {
    let mut kept: Vec<(u64, u64)> = Vec::with_capacity(2 * stretches.len());
    for (start, length) in stretches {
        let end = start.saturating_add(*length);
        if *start < real {
            kept.push((*start, end.min(real)));
        }
        let beyond = end.saturating_sub(real.max(*start));
        if beyond > window {
            return true;
        }
        if beyond > 0 {
            let within = (real.max(*start) - real) % window;
            let first = beyond.min(window - within);
            let base = real - window;
            kept.push((base + within, base + within + first));
            kept.push((base, base + beyond - first));
        }
    }
    kept.retain(|(start, end)| start < end);
    kept.sort_unstable();
    kept.windows(2).any(|two| two[0].1 > two[1].0)
}

fn share(size: u64, part: u64, of: u64) -> u64 {
    u64::try_from(u128::from(size) * u128::from(part) / u128::from(of)).unwrap_or(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{CheckedSample, Held};

    const MIB: u64 = 1 << 20;

    /// Stretches of `length` at the starts of so many even parts.
    fn check(size: u64, parts: u64, length: u64) -> CapacityCheck {
        let sample = |part: u64| CheckedSample {
            offset: Bytes(share(size, part, parts) + part * 4096 * 13),
            length: Bytes(length),
            held: Held::Own,
        };
        CapacityCheck {
            size: Bytes(size),
            between: Bytes(0),
            samples: (0..parts).map(sample).collect(),
            ..CapacityCheck::default()
        }
    }

    #[test]
    fn a_hole_is_seen_that_is_longer_than_nearly_all_ways_between_the_places() {
        let check = check(1_000 * MIB, 10, MIB);
        let hole = hole_seen(&check).0 as f64 / MIB as f64;
        // Ten gaps of 99 MiB: 10 · (99 − h) of 1,000 − h are 5 % at h = 94.5.
        assert!((hole - 94.5).abs() < 1.0, "{hole}");
    }

    #[test]
    fn the_filler_and_a_place_below_it_are_no_two_addresses_of_one_block() {
        let mut check = check(1_000 * MIB, 1, MIB);
        check.between = Bytes(256 * MIB);
        assert_eq!(stretches(&check), [(0, 256 * MIB)]);
        assert_eq!(window_seen(&check), None);
    }

    #[test]
    fn more_places_show_larger_windows() {
        let few = window_seen(&check(64_000 * MIB, 32, 4 * MIB)).map_or(0, |it| it.0);
        let many = window_seen(&check(64_000 * MIB, 512, 4 * MIB)).map_or(0, |it| it.0);
        assert!(few < many, "{few} {many}");
        assert!(many >= 64 * MIB, "{many}");
    }

    #[test]
    fn what_passes_through_a_window_more_than_once_overlaps_itself() {
        assert!(overlaps(&[(100, 50)], 100, 40));
        assert!(!overlaps(&[(100, 50)], 100, 60));
        // Behind the size lies what is kept at its end.
        assert!(overlaps(&[(80, 10), (100, 50)], 100, 60));
        assert!(!overlaps(&[(10, 10), (100, 50)], 100, 60));
    }
}
