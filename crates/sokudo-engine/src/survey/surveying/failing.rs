//! What a survey does when something fails: it finds out what that means, and goes on behind
//! it or ends.

use sokudo_model::StopReason;

use super::{SurveyActivity, SurveyStep, Surveying};
use crate::survey::error_isolation::{Inquiry, InquiryResult};
use crate::survey::io::{Failed, SurveyIo};
use crate::survey::presence::is_gone;
use crate::tally::Tally;

/// So many failures may be looked into before any block could be read. A device that
/// reads nothing from its start is then taken for gone.
const BARREN_MAX: u32 = 8;

impl Surveying {
    /// Looks into what failed at the sample.
    pub(super) fn look_into_sample(&mut self, failed: Vec<Failed>, now: u64) -> Option<SurveyStep> {
        let has_all_time = self.time_left_ns == u64::MAX;
        if !has_all_time {
            let passed = self.stream_began_at.map_or(0, |began_at| now - began_at);
            self.time_left_ns = self.time_left_ns.saturating_sub(passed);
        }
        // A failing run is followed to the end of the sample, or not beyond what was asked for.
        let frontier = self.blocks.at;
        let limit = if has_all_time {
            self.blocks.end()
        } else {
            frontier
        };
        self.look_into(failed, frontier, limit)
    }

    /// Finds out what the I/Os that failed mean. What was issued before `frontier` is known; a
    /// run that gets there is followed up to `limit`.
    pub(super) fn look_into(
        &mut self,
        failed: Vec<Failed>,
        frontier: u64,
        limit: u64,
    ) -> Option<SurveyStep> {
        let inquiry = Inquiry::new(failed, frontier, limit, self.known_good);
        if inquiry.is_our_mistake() {
            return Some(SurveyStep::Stop(StopReason::Failed));
        }
        if self.handle.as_ref().is_some_and(is_gone) {
            return Some(self.end_as_gone());
        }
        if self.known_good.is_none() {
            self.barren += 1;
            if inquiry.says_gone() || self.barren >= BARREN_MAX {
                return Some(self.end_as_gone());
            }
        }
        self.inquire(inquiry)
    }

    /// Goes on with what was asked for last.
    pub(super) fn answer(
        &mut self,
        mut inquiry: Inquiry,
        failed: Vec<Failed>,
        tally: &mut Tally,
    ) -> Option<SurveyStep> {
        if inquiry.is_trying_good() {
            // How it fails tells more than how a request that was under way did.
            for one in &failed {
                tally.fail(one.io.operation, one.kind, one.rest.start);
            }
        }
        inquiry.answer(failed.is_empty());
        self.inquire(inquiry)
    }

    fn inquire(&mut self, mut inquiry: Inquiry) -> Option<SurveyStep> {
        let block = self.logical_bytes;
        loop {
            let io = match inquiry.next(block) {
                InquiryResult::Gone => return Some(self.end_as_gone()),
                InquiryResult::Known(known) => return self.go_on_behind(known),
                InquiryResult::Bad(one, runs) => {
                    for run in runs {
                        let operation = one.io.operation;
                        self.counts
                            .defects
                            .note(operation, run.start, run.end, one.kind);
                    }
                    continue;
                }
                InquiryResult::TryGood(offset) => SurveyIo::aside(offset / block * block, block),
                InquiryResult::Probe(range) => self.probe(range.start, range.end - range.start),
            };
            self.doing = SurveyActivity::Inquiring(inquiry);
            return Some(self.alone(io));
        }
    }

    /// What is tried is done as it failed, but for what is to be written back.
    fn probe(&self, offset: u64, length: u64) -> SurveyIo {
        let aside = SurveyIo::aside(offset, length);
        if self.survey.write_back {
            return aside;
        }
        SurveyIo {
            is_measured: false,
            is_reported: false,
            ..self.measured(aside)
        }
    }

    fn go_on_behind(&mut self, known: u64) -> Option<SurveyStep> {
        if self.survey.write_back {
            return self.next_portion();
        }
        self.blocks.skip_to(known.min(self.blocks.end()));
        if self.time_left_ns == 0 {
            return self.flush();
        }
        Some(self.stream(SurveyActivity::Measuring))
    }

    /// The device answers no more: what failed since it did is no defect of its medium.
    fn end_as_gone(&mut self) -> SurveyStep {
        self.counts.defects.return_to(self.good_mark);
        SurveyStep::Stop(StopReason::Failed)
    }
}
