//! Where a survey that is stopped is left, so that another can go on from there.

use sokudo_model::{Bytes, Sample, StopReason, SurveyPosition};

use super::{SurveyActivity, Surveying};
use crate::survey::io::Failed;

impl Surveying {
    /// Notes what is still to be done when it is stopped while it does this. What failed then is
    /// not known to be bad.
    pub(super) fn leave(&mut self, doing: &SurveyActivity, failed: &[Failed]) {
        let unknown = failed
            .iter()
            .map(|one| (one.io.sample_index, one.rest.start))
            .min();
        self.was_left = true;
        self.left_at = match doing {
            SurveyActivity::Between => self.begin_of(self.next_sample),
            // A place that is measured for a time has had a part of it.
            SurveyActivity::Measuring if matches!(self.survey.sample, Sample::Time(_)) => {
                self.begin_of(self.sample_index + 1)
            }
            SurveyActivity::Measuring | SurveyActivity::Flushing => {
                let (index, offset) = unknown.unwrap_or((self.sample_index, self.blocks.at));
                self.normal(index, offset)
            }
            SurveyActivity::Inquiring(inquiry) => {
                let (index, offset) = inquiry
                    .unknown()
                    .unwrap_or((self.sample_index, self.blocks.at));
                self.normal(index, offset)
            }
            _ => self.begin_of(self.sample_index),
        };
    }

    /// Where it is left, if another can go on; what was written back in part is not known. A limit
    /// of time leaves nothing: it is an end that was asked for.
    pub(super) fn left_at(&self, stopped: StopReason) -> Option<SurveyPosition> {
        if matches!(stopped, StopReason::Bytes | StopReason::Time) || self.survey.write_back {
            return None;
        }
        // Stopped after its last I/O it has nothing left.
        if self.was_left {
            return self.left_at;
        }
        let open = self.counts.samples.first_open();
        open.or_else(|| self.begin_of(self.route.first()))
    }

    pub(super) fn begin_of(&self, index: u32) -> Option<SurveyPosition> {
        (index < self.route.sample_count()).then(|| SurveyPosition {
            index,
            offset: Bytes(self.route.site(index).offset),
        })
    }

    /// A position at the end of a place is at the begin of the next one.
    pub(super) fn normal(&self, index: u32, offset: u64) -> Option<SurveyPosition> {
        if offset >= self.route.site(index).end {
            return self.begin_of(index + 1);
        }
        Some(SurveyPosition {
            index,
            offset: Bytes(offset),
        })
    }
}
