//! What a survey has come to at a position from which another can go on, told while it goes on
//! itself: whoever is killed afterwards has lost no more than what came after it.
//!
//! It is what the survey would end with if it were stopped at that moment: what is in flight is
//! waited for and counted, what is issued later is left to who goes on. The survey does not wait for
//! it. Its counts are copied at that moment, and what was in flight then is counted in both.
//!
//! A survey whose device answers no more ends with the last one, unless all is known anyway. So it
//! takes one each minute whoever asks.

use sokudo_model::{FailureKind, Operation, Sample, SurveyPosition, count_failure, narrow};

use super::{SurveyActivity, Surveying};
use crate::survey::checkpoint::{Checkpoint, CountsThen};
use crate::survey::counts::Surveyed;
use crate::survey::io::{Instants, SurveyIo};
use crate::tally::{FinishedTally, Tally};
use crate::usage::{add_usage, used_since};

/// This long after the last one a checkpoint is taken without being asked for: as often as by those
/// who keep them.
const OWN_CHECKPOINT_NS: u64 = 60_000_000_000;

impl Surveying {
    /// Takes a checkpoint as soon as it can. What is written back has none: nobody goes on with it.
    pub(crate) fn want_checkpoint(&mut self) {
        self.is_checkpoint_requested = !self.survey.write_back;
        if matches!(self.checkpoint, Checkpoint::NotWanted) && self.is_checkpoint_requested {
            self.checkpoint = Checkpoint::Wanted;
        }
    }

    /// What is in flight is waited for no longer. Where nothing behind the first of it has come back,
    /// all that has counts, and another goes on there; else it ends with the last checkpoint.
    pub(crate) fn abandon(&mut self, in_flight: impl Iterator<Item = u32>) {
        self.is_abandoned = true;
        let unanswered = in_flight.map(|buffer_index| self.ios[buffer_index as usize]);
        let measured = unanswered.filter(|io| io.is_measured);
        let first = measured.map(|io| (io.sample_index, io.offset)).min();
        let left_at = match (&self.doing, self.survey.sample) {
            (SurveyActivity::Approaching, _) => self.begin_of(self.sample_index),
            (SurveyActivity::Measuring, Sample::Bytes(_) | Sample::Whole) => first
                .filter(|first| *first >= self.done_to)
                .and_then(|(index, offset)| self.normal(index, offset)),
            _ => None,
        };
        let is_known = self.failed.is_empty() && self.sealed_waiting() == 0;
        if left_at.is_some() && is_known && !self.survey.write_back {
            (self.known, self.was_left, self.left_at) = (None, true, left_at);
            self.pause(self.seen_at);
        }
    }

    /// Takes the checkpoint that is wanted, if this is a moment for it: all that lies before the
    /// next I/O is in flight, measured, or a defect that nothing to come takes back.
    pub(crate) fn take_checkpoint(&mut self, tally: &Tally, in_flight: impl Iterator<Item = u32>) {
        let is_due = self.seen_at.saturating_sub(self.known_at) >= OWN_CHECKPOINT_NS;
        if matches!(self.checkpoint, Checkpoint::NotWanted) && self.known.is_some() && is_due {
            self.checkpoint = Checkpoint::Wanted;
        }
        let is_moment = matches!(self.checkpoint, Checkpoint::Wanted)
            && !self.was_left
            && self.failed.is_empty()
            && self.counts.defects.mark() == self.good_mark;
        let Some(left_at) = self.next_position().filter(|_| is_moment) else {
            return;
        };
        let is_measured = |buffer_index: &u32| self.ios[*buffer_index as usize].is_measured;
        let (mut tally, mut counts) = (tally.clone(), self.counts.clone());
        for hung in self.hung_ranges() {
            counts.defects.note(
                Operation::Read,
                hung.start,
                hung.end,
                FailureKind::Unanswered,
            );
            tally.fail(Operation::Read, FailureKind::Unanswered, hung.start);
        }
        if let Some(before) = self.used_before {
            add_usage(&mut counts.used, used_since(before));
        }
        if let Some(sealed) = &mut self.sealed {
            sealed.begin_checkpoint(left_at.offset.0);
        }
        self.checkpoint = Checkpoint::Taken(Box::new(CountsThen {
            left_at,
            in_flight: in_flight.filter(is_measured).collect(),
            ended_at: self.ended_at(),
            tally,
            counts,
        }));
    }

    /// The first byte that has not been issued, where all before it counts once what is in flight
    /// is done. A place that is measured for a time is measured in one go.
    fn next_position(&self) -> Option<SurveyPosition> {
        let is_timed = matches!(self.survey.sample, Sample::Time(_));
        match self.doing {
            SurveyActivity::Between => self.begin_of(self.next_sample),
            SurveyActivity::Measuring if !is_timed => {
                self.normal(self.sample_index, self.blocks.at)
            }
            _ => None,
        }
    }

    /// Counts a completion at the checkpoint, too, where the I/O was in flight then. One that failed
    /// shows that the position was not known: there will be another.
    pub(crate) fn complete_at_checkpoint(
        &mut self,
        buffer_index: u32,
        io: SurveyIo,
        result: i32,
        instants: Instants,
    ) {
        let Checkpoint::Taken(then) = &mut self.checkpoint else {
            return;
        };
        let Some(index) = then.in_flight.iter().position(|it| *it == buffer_index) else {
            return;
        };
        if u32::try_from(result) == Ok(io.length) {
            then.complete(index, io, instants);
        } else {
            self.checkpoint = Checkpoint::Wanted;
        }
    }

    /// An I/O that was in flight at the checkpoint is waited for no longer.
    pub(super) fn give_up_at_checkpoint(&mut self, buffer_index: u32) {
        if let Checkpoint::Taken(then) = &self.checkpoint
            && then.in_flight.contains(&buffer_index)
        {
            self.checkpoint = Checkpoint::Wanted;
        }
    }

    /// What it ends with where its I/Os in flight do not come back: the last checkpoint, and which
    /// these were. What came back after it overtook some of them: no position could say what is left.
    pub(super) fn abandoned(&mut self, tally: &mut FinishedTally) -> Option<Surveyed> {
        let (then, surveyed) = *self.known.take_if(|_| self.is_abandoned)?;
        let failures = std::mem::replace(tally, then).failures;
        for failure in failures {
            if failure.kind == FailureKind::Unanswered {
                count_failure(&mut tally.failures, failure);
            }
        }
        Some(surveyed)
    }

    /// The checkpoint that was asked for, once all of it is known.
    pub(crate) fn reached_checkpoint(&mut self) -> Option<(FinishedTally, Surveyed)> {
        match std::mem::take(&mut self.checkpoint) {
            Checkpoint::Taken(then) if then.in_flight.is_empty() && !self.is_behind() => {
                let (tally, surveyed) = then.finish();
                let verified = self.verified_then();
                let known = (
                    tally,
                    Surveyed {
                        verified,
                        ..surveyed
                    },
                );
                (self.known, self.known_at) = (Some(Box::new(known.clone())), self.seen_at);
                std::mem::take(&mut self.is_checkpoint_requested).then_some(known)
            }
            other => {
                self.checkpoint = other;
                None
            }
        }
    }
}

impl CountsThen {
    fn complete(&mut self, index: usize, io: SurveyIo, instants: Instants) {
        let in_flight = narrow(self.in_flight.len());
        self.in_flight.swap_remove(index);
        self.tally.end_intervals(instants.now);
        self.tally.hold_depth(instants.now, in_flight);
        self.counts
            .complete(io, io.length, instants, &mut self.tally);
        self.ended_at = instants.now;
    }

    fn finish(self) -> (FinishedTally, Surveyed) {
        let mut tally = self.tally.finish();
        tally.last_completed_at = tally.last_completed_at.max(self.ended_at);
        self.counts.samples.give_back_skipped(&mut tally);
        let surveyed = Surveyed {
            left_at: Some(self.left_at),
            ..self.counts.finish(self.ended_at)
        };
        (tally, surveyed)
    }
}
