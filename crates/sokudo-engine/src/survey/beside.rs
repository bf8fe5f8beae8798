//! Single reads while a survey writes: what they take meanwhile.

use sokudo_model::Bytes;
use sokudo_stats::Random;

use super::io::SurveyIo;

/// One read at each sample, of what was written before it.
pub(super) struct ReadsBeside {
    block: u64,
    random: Random,
    /// The sample at which the last one was issued.
    sample_index: u32,
}

impl ReadsBeside {
    /// Reads of this much, whose places are chosen by chance.
    pub(super) fn new(block: Bytes, seed: u64) -> Self {
        Self {
            block: block.0,
            random: Random::stream(seed, block.0),
            sample_index: 0,
        }
    }

    /// The read of a sample, somewhere in what lies between these bytes; `None` where it was
    /// issued before, or nothing is there.
    pub(super) fn next(&mut self, sample_index: u32, from: u64, to: u64) -> Option<SurveyIo> {
        let blocks = to.saturating_sub(from) / self.block;
        if sample_index == self.sample_index || blocks == 0 {
            return None;
        }
        self.sample_index = sample_index;
        let offset = from + self.random.below(blocks) * self.block;
        Some(SurveyIo {
            sample_index,
            is_reported: true,
            is_beside: true,
            ..SurveyIo::aside(offset, self.block)
        })
    }
}
