//! A session: what is ready is measured, judged, and cleaned up behind; rules end it before its
//! time, and who follows it is told all that happens.
//!
//! It prints and keeps nothing: that is its follower's.

use sokudo_engine::Control;
use sokudo_model::{Event, Run, RunState};

use crate::error::MeasureError;
use crate::measurement::Prepared;
use crate::stop_watch::StopWatch;
use crate::together::Together;

/// Who follows a session.
pub trait Follower {
    /// Something happened, which the state has taken in.
    fn see(&mut self, event: &Event, state: &RunState);

    /// What is measured has been made ready, and trials begin.
    fn ready(&mut self, _prepared: &Prepared) {}

    /// No more trials are made.
    fn measured(&mut self) {}
}

/// What came of a session.
pub struct FinishedRun {
    /// What was measured, judged.
    pub run: Run,
    /// What ended it before its time, or why stages could not start.
    pub errors: Vec<MeasureError>,
}

impl Prepared {
    /// Makes the trials as `conduct` has them, where others measure too as one of them, and judges
    /// them.
    ///
    /// # Errors
    /// When nothing could be measured.
    pub fn carry_out<E: IntoIterator<Item = MeasureError>>(
        mut self,
        together: Option<Together>,
        control: &Control,
        follower: &mut dyn Follower,
        conduct: impl FnOnce(&mut Self, &Control, &mut dyn FnMut(Event)) -> Result<E, MeasureError>,
    ) -> Result<FinishedRun, MeasureError> {
        let joined = together.map_or(Ok(()), |together| self.join(together));
        let measured = joined.and_then(|()| {
            let mut watch = StopWatch::new(&self.run.schedule.stop_when, &self.run)?;
            let mut state = RunState::of(&self.run);
            follower.ready(&self);
            let ended = conduct(&mut self, control, &mut |event| {
                state.take(&event);
                follower.see(&event, &state);
                watch.hear(&event, &state, control);
            });
            follower.measured();
            self.run.stopped_by = watch.cause();
            ended
        });
        let mut errors: Vec<MeasureError> = match measured {
            Ok(errors) => errors.into_iter().collect(),
            Err(error) => {
                self.part();
                return Err(error);
            }
        };
        if errors.is_empty() && control.is_cancelled() {
            errors.extend(self.loss());
        }
        let run = self.finish(control);
        control.forget_rule();
        Ok(FinishedRun { run, errors })
    }
}
