//! Rules that end a run before its time: looked at once in a second that is measured, beside the
//! threads that measure.

use sokudo_device::{IoPhase, System, Thermometer};
use sokudo_engine::Control;
use sokudo_model::{
    Bytes, Doing, Event, Moved, Nanos, Outcome, Phase, Run, RunState, STOP_LOOK, StopCause,
    StopFigure, StopRule,
};
use sokudo_words::text;

use crate::error::MeasureError;

/// Watches what happens while a run is measured, and ends it where a rule comes true.
#[derive(Default)]
pub(crate) struct StopWatch {
    rules: Vec<WatchedRule>,
    thermometer: Option<Thermometer>,
    /// What all workloads of the stage had moved at the event before, and when that was; `None` before the first.
    before: Option<(Nanos, Moved)>,
    /// What has been measured since the last look, over several trials where they are short.
    since: MeasuredSpan,
    /// What of the trial in progress has been seen.
    in_trial: MeasuredSpan,
    cause: Option<StopCause>,
}

/// For how long something was measured, and what was moved meanwhile.
#[derive(Clone, Copy, Default)]
struct MeasuredSpan {
    lasted: Nanos,
    moved: Moved,
}

struct WatchedRule {
    rule: StopRule,
    /// For how long it has been true.
    so_far: Nanos,
}

impl MeasuredSpan {
    /// What was moved between two instants, of what had been moved until then.
    fn between(lasted: Nanos, before: Moved, after: Moved) -> Self {
        Self {
            lasted,
            moved: Moved {
                bytes: Bytes(after.bytes.0.saturating_sub(before.bytes.0)),
                ios: after.ios.saturating_sub(before.ios),
            },
        }
    }

    fn add(&mut self, more: Self) {
        self.lasted.0 += more.lasted.0;
        self.moved.add(more.moved);
    }
}

impl StopWatch {
    /// Watches the run of which nothing has been measured yet.
    ///
    /// # Errors
    /// When a rule is of a temperature that nobody can see.
    pub(crate) fn new(rules: &[StopRule], run: &Run) -> Result<Self, MeasureError> {
        let mut figures = rules.iter().map(|rule| rule.figure);
        let is_of_heat = figures.any(|figure| figure == StopFigure::Temperature);
        let thermometer = match is_of_heat {
            true => Thermometer::find(&System::host(), &run.target),
            false => None,
        };
        if is_of_heat && thermometer.is_none() {
            return Err(MeasureError::usage(text!(
                "no drive under {} reports its temperature, so no rule can use it; leave it out of --stop-when",
                run.target.name
            )));
        }
        Ok(Self {
            thermometer,
            ..Self::of(rules)
        })
    }

    fn of(rules: &[StopRule]) -> Self {
        let watched = |rule: &StopRule| WatchedRule {
            rule: *rule,
            so_far: Nanos(0),
        };
        Self {
            rules: rules.iter().map(watched).collect(),
            ..Self::default()
        }
    }

    /// Takes note of an event that the state has taken in, and cancels the run where a rule has come
    /// true.
    pub(crate) fn hear(&mut self, event: &Event, state: &RunState, control: &Control) {
        if self.rules.is_empty() || self.cause.is_some() {
            return;
        }
        match event {
            Event::TrialStarted { .. } | Event::StageStarted { .. } => {
                self.before = None;
                self.in_trial = MeasuredSpan::default();
            }
            // Of several workloads each result is a part.
            Event::TrialCounted { trial, .. } if state.running().len() < 2 => {
                let unseen = self.unseen(&trial.outcome);
                self.add(unseen, trial.outcome.elapsed, state, control);
            }
            Event::TrialEnded { .. } | Event::StageEnded => {
                let at = self.before.take().map_or(Nanos(0), |(at, _)| at);
                let nothing = MeasuredSpan::default();
                self.look(at, nothing, IoPhase::Between, state, control);
            }
            Event::Progress { at, phase, .. } => {
                let more = self.progress(*at, *phase, state.running());
                self.add(more, *at, state, control);
            }
            _ => {}
        }
    }

    /// The rule that ended the run.
    pub(crate) fn cause(self) -> Option<Box<StopCause>> {
        self.cause.map(Box::new)
    }

    /// What has been measured since the event before.
    fn progress(&mut self, at: Nanos, phase: Phase, running: &[Doing]) -> MeasuredSpan {
        if phase != Phase::Running {
            // What comes before and after the measured part has another rate. Of several workloads
            // others may be measured meanwhile.
            if running.len() < 2 {
                self.before = None;
            }
            return MeasuredSpan::default();
        }
        let mut all = Moved::default();
        running.iter().for_each(|doing| all.add(doing.moved));
        let (then, before) = self.before.replace((at, all)).unwrap_or((at, all));
        MeasuredSpan::between(Nanos(at.0.saturating_sub(then.0)), before, all)
    }

    /// What of a trial no progress has told, its result does: a short one is over before anybody
    /// looks, and so is any of a simulated device.
    fn unseen(&self, outcome: &Outcome) -> MeasuredSpan {
        let all = Moved {
            bytes: outcome.bytes_moved(),
            ios: outcome.ios(),
        };
        let unseen = outcome.elapsed.0.saturating_sub(self.in_trial.lasted.0);
        MeasuredSpan::between(Nanos(unseen), self.in_trial.moved, all)
    }

    /// Looks where enough has been measured since the last time.
    fn add(&mut self, more: MeasuredSpan, at: Nanos, state: &RunState, control: &Control) {
        self.in_trial.add(more);
        self.since.add(more);
        if self.since.lasted >= STOP_LOOK {
            let since = std::mem::take(&mut self.since);
            self.look(at, since, IoPhase::Measuring, state, control);
        }
    }

    /// Looks at what happened since the look before. Between trials that is heat alone, also of drives
    /// which may not be disturbed while they are measured.
    fn look(
        &mut self,
        at: Nanos,
        since: MeasuredSpan,
        moment: IoPhase,
        state: &RunState,
        control: &Control,
    ) {
        let thermometer = self.thermometer.as_ref();
        let reading = thermometer.and_then(|it| it.read(moment));
        let celsius = reading.and_then(|reading| u64::try_from(reading.celsius.max(0)).ok());
        for watched in &mut self.rules {
            let value = match watched.rule.figure {
                StopFigure::Temperature => celsius,
                _ if since.lasted == Nanos(0) => None,
                StopFigure::Rate => Some(per_second(since.moved.bytes.0, since.lasted)),
                StopFigure::Iops => Some(per_second(since.moved.ios, since.lasted)),
            };
            let Some(value) = value else {
                continue;
            };
            if !watched.rule.is_true_of(value) {
                watched.so_far = Nanos(0);
                continue;
            }
            watched.so_far.0 += since.lasted.0;
            if watched.so_far >= watched.rule.lasting {
                let row = state.run.rows.get(state.first);
                self.cause = Some(StopCause {
                    rule: watched.rule,
                    row: row.map_or_else(String::new, |row| row.workload.name.clone()),
                    trial: state.trial + 1,
                    at,
                    value,
                });
                control.cancel_by_rule();
                return;
            }
        }
    }
}

/// An amount over a time, per second.
fn per_second(amount: u64, time: Nanos) -> u64 {
    let scaled = u128::from(amount) * 1_000_000_000 / u128::from(time.0.max(1));
    u64::try_from(scaled).expect("nothing moves so much in a second")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{
        BackendKind, Method, Plan, Row, Schedule, StopReason, TargetInfo, TargetKind, Trial,
        Workload,
    };

    /// Who watches, and what has been told so far.
    struct Watched {
        watch: StopWatch,
        state: RunState,
        control: Control,
    }

    impl Watched {
        fn hear(&mut self, event: &Event) {
            self.state.take(event);
            self.watch.hear(event, &self.state, &self.control);
        }
    }

    fn watch(rules: &[&str]) -> Watched {
        let workload = Workload::new("SEQ1M", Bytes::mib(1));
        let rules: Vec<StopRule> = rules.iter().map(|rule| rule.parse().unwrap()).collect();
        let plan = Plan::in_turn(Method::from("test"), 1, vec![workload.clone()]);
        let target = TargetInfo::new("sim:", TargetKind::Simulated);
        let run = Run {
            rows: vec![Row::new(workload)],
            ..Run::new(plan, Schedule::in_turn(1, Nanos(0)), target)
        };
        Watched {
            watch: StopWatch::of(&rules),
            state: RunState::of(&run),
            control: Control::new(),
        }
    }

    /// Tells of seconds in which so many megabytes are moved.
    fn stop_cause(watch: &mut Watched, megabytes: &[u64]) -> Option<StopCause> {
        watch.hear(&Event::TrialStarted { row: 0, trial: 2 });
        let mut all = 0;
        for second in 0..=megabytes.len() {
            let event = Event::Progress {
                workload: 0,
                at: Nanos::from_secs(second as u64),
                bytes: Bytes(all * 1_000_000),
                ios: all,
                each: [Moved::default(); 3],
                phase: Phase::Running,
            };
            watch.hear(&event);
            if let Some(cause) = &watch.watch.cause {
                assert!(watch.control.is_cancelled());
                return Some(cause.clone());
            }
            all += megabytes.get(second).copied().unwrap_or(0);
        }
        None
    }

    #[test]
    fn a_rate_has_to_be_below_for_as_long_as_is_said_without_a_break() {
        let rule = ["rate<100MB/s for 3s"];
        let broken = [120, 90, 90, 120, 90, 90, 120];
        assert_eq!(stop_cause(&mut watch(&rule), &broken), None);
        let cause = stop_cause(&mut watch(&rule), &[120, 90, 80, 70, 120]).unwrap();
        assert_eq!((cause.at, cause.value), (Nanos::from_secs(4), 70_000_000));
        assert_eq!((cause.row.as_str(), cause.trial), ("SEQ1M", 3));
        assert_eq!(stop_cause(&mut watch(&["iops>200"]), &[100, 150]), None);
        assert!(stop_cause(&mut watch(&["iops>200"]), &[100, 250]).is_some());
    }

    #[test]
    fn trials_of_which_no_progress_is_told_are_looked_at_when_they_are_known() {
        for (seconds, needed) in [(1, 5), (2, 3), (20, 1)] {
            let mut watch = watch(&["iops<100 for 5s"]);
            let workload = Workload::new("SEQ1M", Bytes::mib(1));
            let mut outcome = Outcome::new(BackendKind::Psync, StopReason::Time);
            outcome.elapsed = Nanos::from_secs(seconds);
            let trial = Trial::new(outcome);
            let mut trials = 0;
            while watch.watch.cause.is_none() && trials < 10 {
                watch.hear(&Event::TrialStarted { row: 0, trial: 0 });
                watch.hear(&Event::TrialEnded { row: 0, trial: 0 });
                watch.hear(&Event::counted(0, &workload, &trial));
                trials += 1;
            }
            assert_eq!(trials, needed, "of {seconds} s");
        }
    }

    #[test]
    fn trials_shorter_than_a_second_are_looked_at_together() {
        let mut watch = watch(&["rate<100MB/s"]);
        let mut trials = 0;
        while watch.watch.cause.is_none() {
            watch.hear(&Event::TrialStarted { row: 0, trial: 0 });
            for tenth in 1..=5_u64 {
                let event = Event::Progress {
                    workload: 0,
                    at: Nanos::from_millis(tenth * 100),
                    bytes: Bytes(tenth * 1_000_000),
                    ios: tenth,
                    each: [Moved::default(); 3],
                    phase: Phase::Running,
                };
                watch.hear(&event);
            }
            trials += 1;
            assert!(trials < 10, "nobody looks");
        }
        assert_eq!(watch.watch.cause().unwrap().value, 10_000_000);
        assert!(watch.control.is_cancelled_by_rule());
        watch.control.forget_rule();
        assert!(!watch.control.is_cancelled());
    }

    #[test]
    fn it_may_be_below_in_several_short_trials() {
        let mut watch = watch(&["rate<100MB/s for 4s"]);
        assert_eq!(stop_cause(&mut watch, &[90, 90]), None);
        assert!(stop_cause(&mut watch, &[90, 90]).is_some());
    }
}
