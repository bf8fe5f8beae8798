//! What a worker does for a survey, which says what comes next, and what does not count.

use super::{Buffer, EMPTY_SLOT, Issue, NextAction, Ready, Slot, Worker};
use crate::backend::Backend;
use crate::pace::OperationTurn;
use crate::pattern::Access;
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
            buffer: io.chunk.map_or(Buffer::Free, Buffer::AsItIs),
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
    pub(super) fn issued_of_survey(&mut self, chunk: u32) -> bool {
        let issued_at = self.slots[chunk as usize].issued_at;
        let survey = self.survey.as_mut();
        let counts = survey.is_none_or(|survey| survey.issued(chunk, issued_at));
        self.in_flight_unmeasured += u32::from(!counts);
        counts
    }

    /// Counts one completion of a survey, reaped at `now`.
    pub(super) fn complete_of_survey(&mut self, chunk: u32, result: i32, now: u64) {
        let slot = std::mem::replace(&mut self.slots[chunk as usize], EMPTY_SLOT);
        let Some(survey) = &mut self.survey else {
            return;
        };
        let instants = Instants {
            intended_at: slot.intended_at,
            issued_at: slot.issued_at,
            now,
        };
        let io = survey.complete(chunk, result, instants, &mut self.tally);
        self.in_flight -= 1;
        self.in_flight_unmeasured -= u32::from(!io.is_measured);
        if io.chunk.is_none() {
            self.free.give_back(chunk);
        }
    }

    /// Nothing is in flight: how the survey goes on.
    pub(super) fn step_survey<B: Backend>(&mut self, backend: &mut B, now: u64) -> NextAction {
        let is_stopped = self.stopped.is_some();
        let Some(survey) = &mut self.survey else {
            return NextAction::Finished;
        };
        match survey.step(now, is_stopped, &mut self.tally) {
            SurveyStep::Stream => NextAction::Until(now),
            SurveyStep::Stop(reason) => {
                self.stop(reason);
                NextAction::Finished
            }
            SurveyStep::Alone { io, chunk } => {
                if io.is_measured {
                    self.resume_survey(now);
                }
                let slot = Slot::new(access_of(io), now, now);
                self.prepare(backend, chunk, io.action, slot);
                self.issued_of_survey(chunk);
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
