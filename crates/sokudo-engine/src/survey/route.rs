//! Where the places of a survey are: pure numbers, the same for the same seed.

use sokudo_model::{Bytes, Operation, Sample, Survey, SurveyPosition, Visit, Workload, narrow};
use sokudo_stats::{Permutation, Random};

use crate::offsets::ByteRange;
use crate::pattern::lengths::Lengths;

/// One place: its first byte and the byte after its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SampleRange {
    pub(crate) offset: u64,
    pub(crate) end: u64,
}

/// All places, by the order in which they are visited.
pub(crate) struct SurveyRoute {
    start: u64,
    /// In whole logical blocks.
    length: u64,
    /// Places begin at multiples of it, counted from the start of the span.
    unit: u64,
    logical_bytes: u64,
    sample_count: u32,
    visit: Visit,
    sample: Sample,
    lengths: Lengths,
    shuffled: Permutation,
    seed: u64,
    /// What an earlier part of the survey has left.
    resumed_at: SurveyPosition,
}

impl SurveyRoute {
    /// The places of a workload that has been checked, in this part of its target.
    pub(crate) fn new(
        workload: &Workload,
        survey: &Survey,
        stretch: ByteRange,
        logical_bytes: u64,
        seed: u64,
    ) -> Self {
        let operation = workload.operations.single().unwrap_or(Operation::Read);
        let lengths = Lengths::new(workload.blocks.of(operation));
        let grain = match survey.visit {
            Visit::Random => lengths.smallest(),
            _ => lengths.largest(),
        };
        Self {
            start: stretch.start,
            length: stretch.length / logical_bytes * logical_bytes,
            unit: grain.max(logical_bytes),
            logical_bytes,
            sample_count: survey.sample_count,
            visit: survey.visit,
            sample: survey.sample,
            lengths,
            shuffled: Permutation::new(u64::from(survey.sample_count), seed),
            seed,
            resumed_at: survey.resumed_at.unwrap_or(SurveyPosition {
                index: 0,
                offset: Bytes(0),
            }),
        }
    }

    /// The number of the first place that is to be visited.
    pub(crate) fn first(&self) -> u32 {
        self.resumed_at.index
    }

    /// How many places there are.
    pub(crate) fn sample_count(&self) -> u32 {
        self.sample_count
    }

    /// The first byte of the span.
    pub(crate) fn span_start(&self) -> u64 {
        self.start
    }

    /// The byte after the last of the span, in whole logical blocks.
    pub(crate) fn span_end(&self) -> u64 {
        self.start + self.length
    }

    /// The place that is visited as number `index`, counted from 0.
    pub(crate) fn site(&self, index: u32) -> SampleRange {
        let mut site = self.whole_site(index.into());
        if index == self.resumed_at.index {
            site.offset = site.offset.max(self.resumed_at.offset.0).min(site.end);
        }
        site
    }

    fn whole_site(&self, index: u64) -> SampleRange {
        match self.visit {
            Visit::Ascending => self.spread(index),
            Visit::Shuffled => self.spread(self.shuffled.at(index)),
            Visit::Random => self.random(index),
            Visit::Butterfly => self.butterfly(index),
        }
    }

    /// Evenly over the span.
    fn spread(&self, number: u64) -> SampleRange {
        let begins = |number: u64| {
            let share =
                u128::from(number) * u128::from(self.length) / u128::from(self.sample_count);
            narrow::<u128, u64>(share) / self.unit * self.unit
        };
        let offset = begins(number);
        let end = match self.sample {
            Sample::Bytes(bytes) => {
                let whole = bytes.0.next_multiple_of(self.logical_bytes);
                offset.saturating_add(whole).min(self.length)
            }
            Sample::Whole if number + 1 < u64::from(self.sample_count) => begins(number + 1),
            Sample::Whole | Sample::Time(_) => self.length,
        };
        self.placed(offset, end)
    }

    fn random(&self, index: u64) -> SampleRange {
        let mut random = Random::stream(self.seed, index);
        let drawn = self.lengths.draw_within(self.length, &mut random);
        let length = drawn.map_or(self.unit, u64::from);
        let choices = self.length.saturating_sub(length) / self.unit + 1;
        let offset = random.below(choices) * self.unit;
        self.placed(offset, offset + length)
    }

    /// From the start, from the end, and so on towards the middle.
    fn butterfly(&self, index: u64) -> SampleRange {
        let last = u64::from(self.sample_count) - 1;
        let from_start = index / 2;
        let number = if index.is_multiple_of(2) {
            from_start
        } else {
            last - from_start
        };
        let blocks = self.length / self.unit;
        let block = u128::from(number) * u128::from(blocks - 1) / u128::from(last.max(1));
        let offset = narrow::<u128, u64>(block) * self.unit;
        self.placed(offset, offset + self.unit)
    }

    fn placed(&self, offset: u64, end: u64) -> SampleRange {
        SampleRange {
            offset: self.start + offset,
            end: self.start + end,
        }
    }
}

/// The blocks of one place, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleBlocks {
    pub(crate) at: u64,
    end: u64,
    block: u64,
}

impl SampleBlocks {
    /// Blocks of this size; the last one is what is left.
    pub(crate) fn of(site: SampleRange, block: u64) -> Self {
        Self {
            at: site.offset,
            end: site.end,
            block,
        }
    }

    /// Whether there are no more.
    pub(crate) fn is_empty(&self) -> bool {
        self.at >= self.end
    }

    /// The byte after the last.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Leaves out everything before `offset`.
    pub(crate) fn skip_to(&mut self, offset: u64) {
        self.at = self.at.max(offset);
    }
}

impl Iterator for SampleBlocks {
    type Item = (u64, u32);

    fn next(&mut self) -> Option<Self::Item> {
        let offset = self.at;
        let length = self.block.min(self.end.saturating_sub(offset));
        self.at += length;
        let length = narrow(length);
        (length > 0).then_some((offset, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECTOR: u64 = 512;

    fn survey(sample_count: u32, visit: Visit, sample: Sample) -> Survey {
        Survey::new(sample_count, visit, sample)
    }

    fn route(survey: Survey, length: u64, block: u64, seed: u64) -> SurveyRoute {
        let workload = Workload::new("w", Bytes(block));
        let stretch = ByteRange { start: 0, length };
        SurveyRoute::new(&workload, &survey, stretch, SECTOR, seed)
    }

    fn offsets(route: &SurveyRoute) -> Vec<u64> {
        (0..route.sample_count())
            .map(|index| route.site(index).offset)
            .collect()
    }

    #[test]
    fn places_are_where_gnome_disks_has_them() {
        let sample = Sample::Bytes(Bytes::mib(10));
        let all = route(survey(100, Visit::Ascending, sample), 1 << 40, 4096, 0);
        let site = all.site(7);
        assert_eq!(site.offset, (7 << 40) / 100 / 4096 * 4096);
        assert_eq!(site.end - site.offset, 10 << 20);
    }

    #[test]
    fn a_butterfly_goes_from_both_ends_to_the_middle() {
        let one = Sample::Bytes(Bytes(4096));
        let butterfly = survey(5, Visit::Butterfly, one);
        let all = offsets(&route(butterfly, 9 * 4096, 4096, 0));
        assert_eq!(all, [0, 8 * 4096, 2 * 4096, 6 * 4096, 4 * 4096]);
        let alone = survey(1, Visit::Butterfly, one);
        assert_eq!(offsets(&route(alone, 9 * 4096, 4096, 0)), [0]);
    }

    proptest! {
        #[test]
        fn the_whole_span_is_covered_once(
            sectors in 1_u64..100_000, block_sectors in 1_u64..300, sample_count in 1_u32..500,
        ) {
            let (length, block) = (sectors * SECTOR + 77, block_sectors * SECTOR);
            prop_assume!(u64::from(sample_count) * block <= length);
            let whole = survey(sample_count, Visit::Ascending, Sample::Whole);
            let route = route(whole, length, block, 1);
            let mut at = 0;
            for index in 0..sample_count {
                let site = route.site(index);
                prop_assert_eq!(site.offset, at);
                prop_assert!(site.end > site.offset);
                for (offset, length) in SampleBlocks::of(site, block) {
                    prop_assert_eq!(offset, at);
                    prop_assert!(u64::from(length) <= block && u64::from(length) % SECTOR == 0);
                    at += u64::from(length);
                }
            }
            prop_assert_eq!(at, sectors * SECTOR);
        }

        #[test]
        fn shuffled_places_are_the_same_in_another_order(
            blocks in 1_u64..10_000, sample_count in 1_u32..300, seed: u64,
        ) {
            let sample = Sample::Bytes(Bytes(4096));
            let length = blocks * 4096;
            let even = offsets(&route(survey(sample_count, Visit::Ascending, sample), length, 4096, seed));
            let mut mixed = offsets(&route(survey(sample_count, Visit::Shuffled, sample), length, 4096, seed));
            mixed.sort_unstable();
            prop_assert_eq!(even, mixed);
        }

        #[test]
        fn random_places_are_inside_aligned_and_the_same_for_one_seed(
            blocks in 1_u64..10_000, seed: u64,
        ) {
            let one = survey(64, Visit::Random, Sample::Bytes(Bytes(4096)));
            let length = blocks * 4096 + 512;
            let starts = offsets(&route(one, length, 4096, seed));
            prop_assert!(starts.iter().all(|at| at % 4096 == 0 && at + 4096 <= length));
            prop_assert_eq!(starts, offsets(&route(one, length, 4096, seed)));
        }
    }
}
