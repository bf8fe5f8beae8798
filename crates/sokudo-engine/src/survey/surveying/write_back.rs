//! Writing back at each sample what has just been read there, as GNOME Disks does: read,
//! which is not measured; then write the same and flush, which is.

use sokudo_model::{Operation, StopReason};
use sokudo_words::text;

use super::{SurveyActivity, SurveyStep, Surveying};
use crate::buffers::PORTION_BYTES_MAX;
use crate::survey::io::{Failed, SurveyIo};
use crate::survey::route::{SampleBlocks, SampleRange};

impl Surveying {
    /// A sample is read and written back in portions.
    pub(super) fn begin_portions(&mut self, site: SampleRange) {
        let portion = PORTION_BYTES_MAX / self.block * self.block;
        self.portions = SampleBlocks::of(site, portion.max(self.block));
    }

    pub(super) fn next_portion(&mut self) -> Option<SurveyStep> {
        let Some((offset, length)) = self.portions.next() else {
            return self.end_sample();
        };
        let portion = SampleRange {
            offset,
            end: offset + u64::from(length),
        };
        let sample_index = self.sample_index;
        let blocks = (0..).zip(SampleBlocks::of(portion, self.block));
        self.pieces = blocks
            .map(|(buffer_index, (offset, length))| SurveyIo {
                sample_index,
                buffer_index: Some(buffer_index),
                is_reported: true,
                ..SurveyIo::aside(offset, length.into())
            })
            .collect();
        self.approach(offset, SurveyActivity::Approaching)
    }

    /// Where anything cannot be read, nothing is written.
    pub(super) fn look_into_portion(&mut self, failed: Vec<Failed>) -> Option<SurveyStep> {
        let frontier = failed.iter().map(|one| one.rest.end).max().unwrap_or(0);
        let end = self.pieces.last().map_or(frontier, |last| last.range().end);
        self.look_into(failed, frontier, end)
    }

    /// All of the portion has been read.
    pub(super) fn return_to_portion(&mut self) -> Option<SurveyStep> {
        let offset = self.pieces.first()?.offset;
        self.approach(offset, SurveyActivity::Returning)
    }

    /// What fails is tried once more, also when all is being stopped: what was begun is to be
    /// whole.
    pub(super) fn retry_all(&mut self, failed: &[Failed]) -> SurveyStep {
        self.retry(failed.iter().rev().map(|one| one.io).collect())
    }

    fn retry(&mut self, mut rest: Vec<SurveyIo>) -> SurveyStep {
        let Some(io) = rest.pop() else {
            // The stream goes on where it was.
            self.doing = SurveyActivity::Writing;
            return SurveyStep::Stream;
        };
        self.doing = SurveyActivity::Retrying(rest);
        self.alone(SurveyIo {
            is_measured: false,
            ..io
        })
    }

    /// When that fails too, the survey ends, and says where.
    pub(super) fn retried(
        &mut self,
        rest: Vec<SurveyIo>,
        failed: Vec<Failed>,
        is_stopped: bool,
    ) -> SurveyStep {
        for Failed {
            rest: range, kind, ..
        } in failed
        {
            let (start, end) = (range.start, range.end);
            self.counts.defects.note(Operation::Write, start, end, kind);
            self.notes.push(text!(
                "bytes {start} to {end} could not be written back, and may have been lost: run the scan again there, or restore them from a backup"
            ));
            self.has_lost = true;
        }
        match (rest.is_empty(), self.has_lost) {
            (true, true) => SurveyStep::Stop(StopReason::Failed),
            (true, false) if is_stopped => SurveyStep::Stop(StopReason::Ended),
            _ => self.retry(rest),
        }
    }
}
