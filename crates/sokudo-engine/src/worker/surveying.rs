//! What a worker does for a survey, which says what comes next, and what does not count.

use sokudo_model::{Operation, StopReason};

use super::{Buffer, EMPTY_SLOT, FinishedWorker, Issue, NextAction, Ready, Slot, Worker};
use crate::backend::Backend;
use crate::clock::NEVER;
use crate::pace::OperationTurn;
use crate::pattern::Access;
use crate::record::Recorded;
use crate::survey::{Instants, SurveyIo, SurveyStep};

impl Worker {
    /// The next I/O of a survey.
    pub(super) fn next_of_survey(&mut self, now: u64) -> Ready {
        let Some(survey) = &self.survey else {
            return Ready::Over;
        };
        if !survey.continues(now) {
            return Ready::Over;
        }
        if survey.is_measuring() {
            self.resume_survey(now);
        }
        let intended_at = match self.intended_of_survey(now) {
            Ok(intended_at) => intended_at,
            Err(next) => return Ready::Wait(next),
        };
        let Some(io) = self.survey.as_mut().and_then(|survey| survey.next()) else {
            return Ready::Over;
        };
        Ready::Issue(Issue {
            access: access_of(io),
            action: io.action,
            intended_at,
            expected: None,
            buffer: io.buffer_index.map_or(Buffer::Free, Buffer::AsItIs),
        })
    }

    /// When the next I/O of the survey is meant to start, or what is waited for until then.
    /// Only what is measured has a rate.
    fn intended_of_survey(&mut self, now: u64) -> Result<u64, NextAction> {
        let survey = self.survey.as_ref();
        let Some(operation) = survey.and_then(|survey| survey.measured_operation()) else {
            return Ok(now);
        };
        let intended_at = self.gated(now)?;
        match &self.pace {
            Some(pace) if pace.is_by_operation() => match pace.turn(operation, now) {
                OperationTurn::Of { intended_at, .. } => Ok(intended_at),
                OperationTurn::Until(at) => Err(self.wait_until(at)),
            },
            _ => Ok(intended_at),
        }
    }

    /// Lets the clock that counts go on.
    fn resume_survey(&mut self, now: u64) {
        let Some(survey) = self.survey.as_mut().filter(|survey| survey.is_paused()) else {
            return;
        };
        let paused = survey.resume(now);
        self.hold_depth(now);
        self.tally.skip(paused);
        if let Some(pace) = &mut self.pace {
            pace.skip(paused);
        }
        self.set_boundary(now);
    }

    /// Notes that an I/O of the survey is in flight, if there is one. Returns whether it counts.
    pub(super) fn issued_of_survey(&mut self, buffer_index: u32) -> bool {
        let issued_at = self.slots[buffer_index as usize].issued_at;
        let survey = self.survey.as_mut();
        let counts = survey.is_none_or(|survey| survey.issued(buffer_index, issued_at));
        self.in_flight_unmeasured += u32::from(!counts);
        counts
    }

    /// Waits no longer for the I/O of a survey that is in flight for longest, where its time is
    /// over. With more of them than there is room for, the survey ends.
    pub(super) fn give_up_hung(&mut self, now: u64) {
        let survey = self.survey.as_ref();
        if survey.is_none_or(|survey| survey.spare_buffers() == 0) {
            return;
        }
        let in_flight = (0u32..).zip(&self.slots);
        let oldest = in_flight.min_by_key(|(_, slot)| slot.issued_at);
        let Some((buffer_index, &Slot { issued_at, .. })) = oldest else {
            return;
        };
        let survey = self.survey.as_ref();
        if issued_at == NEVER || survey.is_none_or(|survey| !survey.hangs(issued_at, now)) {
            return;
        }
        self.hold_depth(now);
        self.slots[buffer_index as usize] = EMPTY_SLOT;
        let Some(survey) = &mut self.survey else {
            return;
        };
        self.in_flight -= 1;
        match survey.give_up(buffer_index, issued_at, now) {
            Some((io, spare)) => {
                self.in_flight_unmeasured -= u32::from(!io.is_measured);
                if let Some(spare) = spare {
                    self.free.give_back(spare);
                }
            }
            None => self.stop(StopReason::Failed),
        }
    }

    /// Counts one completion of a survey, reaped at `now`.
    pub(super) fn complete_of_survey(&mut self, buffer_index: u32, result: i32, now: u64) {
        let slot = std::mem::replace(&mut self.slots[buffer_index as usize], EMPTY_SLOT);
        let Some(survey) = &mut self.survey else {
            return;
        };
        if survey.returned(buffer_index, result, now, &mut self.tally) {
            return;
        }
        let instants = Instants {
            intended_at: slot.intended_at,
            issued_at: slot.issued_at,
            now,
        };
        let io = survey.complete(buffer_index, result, instants, &mut self.tally);
        survey.complete_at_checkpoint(buffer_index, io, result, instants);
        self.in_flight -= 1;
        self.in_flight_unmeasured -= u32::from(!io.is_measured);
        let is_kept = survey.keep_sealed(buffer_index, io, result);
        if io.buffer_index.is_none() && !is_kept {
            self.free.give_back(buffer_index);
        }
    }

    /// Has a survey tell what it has come to as soon as it knows a position from which another can
    /// go on ([`Self::checkpoint`]).
    #[cold]
    pub(crate) fn want_checkpoint(&mut self) {
        if let Some(survey) = &mut self.survey {
            survey.want_checkpoint();
        }
    }

    /// What it would have ended with at such a position, once that is known.
    pub(crate) fn checkpoint(&mut self) -> Option<FinishedWorker> {
        let survey = self.survey.as_mut()?;
        let slots = (0u32..).zip(&self.slots);
        let in_flight = slots.filter(|(_, slot)| slot.issued_at != NEVER);
        survey.take_checkpoint(&self.tally, in_flight.map(|(buffer_index, _)| buffer_index));
        let (tally, surveyed) = survey.reached_checkpoint()?;
        Some(FinishedWorker {
            tally,
            window: None,
            recorded: Recorded::default(),
            verified: None,
            surveyed: Some(surveyed),
            stopped: StopReason::Ended,
        })
    }

    /// Nothing is in flight: how the survey goes on.
    pub(super) fn step_survey<B: Backend>(&mut self, backend: &mut B, now: u64) -> NextAction {
        self.check_sealed(backend, 0);
        let is_stopped = self.stopped.is_some();
        let Some(survey) = &mut self.survey else {
            return NextAction::Finished;
        };
        match survey.step(now, is_stopped, &mut self.tally) {
            SurveyStep::Stream => NextAction::Until(now),
            SurveyStep::Stop(reason) => {
                let until = survey.waits_until().filter(|at| *at > now);
                if let (StopReason::Bytes, Some(until)) = (reason, until) {
                    return NextAction::CompletionOr(until.min(self.next_boundary));
                }
                self.stop(reason);
                NextAction::Finished
            }
            SurveyStep::Alone { io, buffer_index } => {
                if io.is_measured {
                    self.resume_survey(now);
                }
                if io.operation == Operation::Write {
                    self.fill_sealed(backend, buffer_index, io.offset, io.length);
                }
                let slot = Slot::new(access_of(io), now, now);
                self.prepare(backend, buffer_index, io.action, slot);
                self.issued_of_survey(buffer_index);
                NextAction::Completion
            }
        }
    }
}

fn access_of(io: SurveyIo) -> Access {
    Access {
        operation: io.operation,
        file: 0,
        offset: io.offset,
        length: io.length,
    }
}
