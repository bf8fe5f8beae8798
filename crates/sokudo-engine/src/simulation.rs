//! Virtual time: all threads of a plan in one, moved on from event to event.

use std::collections::BTreeMap;
use std::sync::Arc;

use sokudo_model::{
    BackendKind, Bytes, Event, Nanos, Operation, Outcome, Phase, STOP_LOOK, Stage, StopReason,
    Workload, narrow,
};
use sokudo_stats::Random;
use sokudo_sys::IoAction;

use crate::backend::used;
use crate::buffers::buffers_for;
use crate::clock::{Clock, NEVER, VirtualClock};
use crate::collector::progress_event;
use crate::control::Control;
use crate::data::Data;
use crate::ending::ends_stage;
use crate::least::LeastWatch;
use crate::offsets::ByteRange;
use crate::outbox::{Outbox, to_device};
use crate::outcome::{ThreadConditions, merged, outcome};
use crate::pace::pace_stream;
use crate::pattern::Pattern;
use crate::progress::ProgressSnapshot;
use crate::record::Submission;
use crate::sealed_answer::answer;
use crate::sim;
use crate::simulated_contents::SimulatedContents;
use crate::stage_options::StageOptions;
use crate::steady::SteadyWatch;
use crate::stuck::StuckReports;
use crate::survey::{SurveyTarget, Surveying};
use crate::target::{SECTOR_BYTES, SimulatedTarget};
use crate::target_use::{stretch_of, uses};
use crate::window::WindowChange;
use crate::worker::{FinishedWorker, NextAction, Setup, Worker};

/// The control is looked at, and progress told, once in this many events, so that an hour of
/// device time can be interrupted: virtual time passes faster than anybody can look. On a slow
/// device, after a second of its time at the latest, which is how often rules that end a run look.
const EVENTS_PER_CONTROL_LOOK: u64 = 1_024;
const CONTROL_LOOK: Nanos = STOP_LOOK;

/// One thread in virtual time.
struct Actor {
    workload: usize,
    /// The place of its device among those of the stage.
    device: usize,
    worker: Worker,
    wakes_at: u64,
    has_begun: bool,
    runnable: bool,
    finished: bool,
    ended_at: Option<u64>,
    /// Completions of the instant.
    completed: u32,
}

struct Simulation<'a> {
    stage: &'a Stage,
    actors: Vec<Actor>,
    watches: Vec<Option<SteadyWatch>>,
    least: Vec<Option<LeastWatch>>,
    devices: Vec<&'a mut sim::SimulatedDevice>,
    /// What they would hold.
    contents: Vec<&'a mut SimulatedContents>,
    clock: VirtualClock,
    /// Which trial on the devices this is, in 16 bits.
    trial: u64,
    started_at: u64,
    snapshot_every: Option<u64>,
    next_snapshot: u64,
    /// When the control is looked at, and progress told, at the latest.
    next_control_look: u64,
    /// Of each workload, as if it were one thread.
    stuck: StuckReports,
    /// How often snapshots have been asked for.
    snapshots_requested: u32,
    /// How often checkpoints have been.
    checkpoints_requested: u32,
    outbox: Outbox,
    completed: Vec<sim::Completion>,
}

/// Runs a stage on simulated devices, whose time is one. The same seed and state of the devices
/// give the same outcome to the byte.
pub(crate) fn run(
    stage: &Stage,
    options: StageOptions,
    used: BTreeMap<u32, &mut SimulatedTarget>,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Vec<Outcome> {
    let target_indices: Vec<u32> = used.keys().copied().collect();
    let mut targets: Vec<&mut SimulatedTarget> = used.into_values().collect();
    let before = targets.iter().map(|target| (target.trials, target.now));
    let (trials, begins): (Vec<u64>, Vec<u64>) = before.unzip();
    let trial = (trials.into_iter().max().unwrap_or(0) + 1) & 0xffff;
    let begin = begins.into_iter().max().unwrap_or(0);
    sim::share_links(targets.iter_mut().map(|target| &mut target.device));
    let sizes: Vec<Bytes> = targets.iter().map(|target| target.device.size()).collect();
    let clock = VirtualClock::default();
    clock.advance_to(begin);
    let snapshot_every = options
        .snapshot_every
        // What a user may ask for is rarer than any run is long.
        .map(|every| u64::try_from(every.as_nanos()).unwrap_or(NEVER).max(1));
    let watch = |workload: &Workload| {
        let threads = workload.threads as usize;
        workload
            .timing
            .steady
            .map(|rule| SteadyWatch::new(rule, threads))
    };
    let used = Devices {
        target_indices,
        sizes,
    };
    for workload in &stage.workloads {
        take_up(workload, targets[used.of(workload)]);
    }
    let held = targets
        .iter_mut()
        .map(|it| (&mut it.device, &mut it.contents));
    let (devices, contents) = held.unzip();
    let mut simulation = Simulation {
        stage,
        actors: actors(stage, &options, &used, begin),
        watches: stage.workloads.iter().map(watch).collect(),
        least: (stage.workloads.iter())
            .map(|workload| LeastWatch::new(workload.pacing.least))
            .collect(),
        devices,
        contents,
        clock,
        trial,
        started_at: begin,
        snapshot_every,
        next_control_look: begin,
        next_snapshot: snapshot_every.map_or(u64::MAX, |every| begin.saturating_add(every)),
        stuck: StuckReports::of(0..stage.workloads.len()),
        snapshots_requested: control.snapshots_requested(),
        checkpoints_requested: control.checkpoints_requested(),
        outbox: Outbox::default(),
        completed: Vec::new(),
    };
    listener(Event::StageReady);
    simulation.run(control, listener);
    for workload in 0..stage.workloads.len() {
        let stuck = &mut simulation.stuck;
        stuck.report_stuck(workload, Vec::new(), listener);
    }
    let now = simulation.clock.now();
    simulation.tell_progress(listener);
    let outcomes = simulation.outcomes();
    for target in targets {
        (target.now, target.trials) = (now, trial);
    }
    outcomes
}

/// The devices of a stage: their places among its targets, and how large each is.
struct Devices {
    target_indices: Vec<u32>,
    sizes: Vec<Bytes>,
}

impl Devices {
    /// The one that a workload uses: the check has seen to it that there is one.
    fn of(&self, workload: &Workload) -> usize {
        let used = uses(workload).first().map(|it| it.target);
        let found = self
            .target_indices
            .iter()
            .position(|target_index| Some(*target_index) == used);
        found.expect("the devices are those that workloads use")
    }
}

fn actors(stage: &Stage, options: &StageOptions, devices: &Devices, now: u64) -> Vec<Actor> {
    let seed = options.seed;
    let mut number = 0;
    let mut actors = Vec::new();
    for (index, workload) in stage.workloads.iter().enumerate() {
        let (shared, window) = (Arc::default(), Arc::default());
        let device = devices.of(workload);
        let size = devices.sizes[device];
        let stretches: Vec<ByteRange> = uses(workload)
            .iter()
            .map(|file_use| stretch_of(file_use, size))
            .collect();
        for _ in 0..workload.threads {
            let mut random = Random::stream(seed, number);
            let data = Data::new(&workload.data, random.next_u64());
            // Simulated devices move no data: but for a survey, a buffer is only a name.
            let buffers = match workload.survey() {
                Some(_) => buffers_for(workload, workload.depth),
                None => workload.depth,
            };
            let surveyed = SurveyTarget {
                stretch: stretches[0],
                logical_bytes: SECTOR_BYTES,
                handle: None,
                name: "sim".to_owned(),
                is_real: false,
            };
            let setup = Setup {
                pattern: Pattern::new(workload, &stretches, &shared, random),
                data,
                pace: pace_stream(seed, number),
                depth: workload.depth,
                buffers,
                submission: Submission::None,
                checker: None,
                survey: Surveying::new(workload, surveyed, seed, buffers),
                window: Arc::clone(&window),
                settle: Some(options.settle),
                walked: options.walked.clone(),
            };
            number += 1;
            let starts_at = now.saturating_add(workload.timing.starts_after.0);
            actors.push(Actor {
                workload: index,
                device,
                worker: Worker::new(workload, setup),
                wakes_at: starts_at,
                has_begun: false,
                runnable: starts_at == now,
                finished: false,
                ended_at: None,
                completed: 0,
            });
        }
    }
    actors
}

impl Simulation<'_> {
    fn run(&mut self, control: &Control, listener: &mut dyn FnMut(Event)) {
        for event in 0u64.. {
            self.let_actors_act();
            if self.actors.iter().all(|actor| actor.finished) {
                return;
            }
            let now = self.clock.now();
            if event.is_multiple_of(EVENTS_PER_CONTROL_LOOK) || now >= self.next_control_look {
                self.next_control_look = now.saturating_add(CONTROL_LOOK.0);
                if control.is_stopped() {
                    self.stop_all(control);
                }
                self.tell_progress(listener);
                let requested = control.snapshots_requested();
                if requested != std::mem::replace(&mut self.snapshots_requested, requested) {
                    self.next_snapshot = self.clock.now();
                }
                self.look_for_checkpoints(control, listener);
                if self.look_for_stuck(control.timeout(), listener) {
                    continue;
                }
            }
            let Some(at) = self.next_instant() else {
                // The device holds requests that it will never answer.
                self.abandon();
                return;
            };
            self.clock.advance_to(at.max(self.clock.now()));
            self.pass_boundaries();
            self.deliver_completions();
            self.watch();
            self.tell_snapshots(listener);
        }
    }

    /// Lets every thread that has something to do issue I/O.
    fn let_actors_act(&mut self) {
        let mut now = self.clock.now();
        let mut ends_all = false;
        for (index, actor) in self.actors.iter_mut().enumerate() {
            if actor.finished || !std::mem::take(&mut actor.runnable) {
                continue;
            }
            if !std::mem::replace(&mut actor.has_begun, true) {
                actor.worker.begin(now);
            }
            actor.worker.hold_depth(now);
            let next = actor.worker.fill(&mut self.outbox, &self.clock, &mut now);
            actor.worker.count_submitted(now);
            let is_sealed = self.stage.workloads[actor.workload].seal().is_some();
            for request in self.outbox.0.drain(..) {
                // It tells the trial, the thread and the buffer.
                let id = self.trial << 48 | (index as u64) << 32 | u64::from(request.buffer);
                let is_durable = matches!(
                    request.action,
                    IoAction::WriteThrough | IoAction::WriteThroughWithMetadata
                );
                let request = to_device(id, request);
                let device = &mut self.devices[actor.device];
                let changes = matches!(request.operation, Operation::Write | Operation::Trim);
                let contents = &mut self.contents[actor.device];
                if changes && !is_sealed && !contents.is_empty() {
                    contents.forget(device, request.offset..request.offset + request.bytes);
                }
                match is_durable {
                    true => device.submit_durable(Nanos(now), request),
                    false => device.submit(Nanos(now), request),
                }
            }
            match next {
                NextAction::Finished => {
                    actor.finished = true;
                    actor.ended_at = Some(now);
                    let stopped = actor.worker.stopped().unwrap_or(StopReason::Ended);
                    ends_all |= ends_stage(&self.stage.workloads[actor.workload], stopped);
                }
                NextAction::Completion => actor.wakes_at = u64::MAX,
                NextAction::CompletionOr(at) | NextAction::Until(at) | NextAction::Busy(at) => {
                    actor.wakes_at = at
                }
            }
        }
        if ends_all {
            self.stop(|_| true, StopReason::Ended);
        }
    }

    /// The next instant at which anything can happen.
    fn next_instant(&self) -> Option<u64> {
        let waiting = self.actors.iter().filter(|actor| !actor.finished);
        let now = self.clock.now();
        let wake = waiting
            .clone()
            .map(|actor| if actor.runnable { now } else { actor.wakes_at })
            .min()
            .unwrap_or(NEVER);
        let events = self.devices.iter().filter_map(|it| it.next_event());
        let device = events.min().map_or(NEVER, |at| at.0);
        let event = wake.min(device);
        if event == NEVER {
            return None;
        }
        let boundary = waiting
            .filter(|actor| actor.has_begun)
            .map(|actor| actor.worker.next_boundary())
            .min();
        let event = event.min(self.next_snapshot).min(self.next_look());
        Some(event.min(boundary.unwrap_or(NEVER)))
    }

    /// Reports what has not come back in time, and gives up what is waited for in vain. Returns
    /// whether anything was given up.
    fn look_for_stuck(&mut self, timeout: Nanos, listener: &mut dyn FnMut(Event)) -> bool {
        let now = self.clock.now();
        let (mut gives_up, mut ends_all) = (false, false);
        let mut stuck = vec![Vec::new(); self.stage.workloads.len()];
        let waiting = self
            .actors
            .iter_mut()
            .filter(|it| it.has_begun && !it.finished);
        for actor in waiting {
            stuck[actor.workload].extend(actor.worker.stuck(timeout, now));
            let workload = &self.stage.workloads[actor.workload];
            // A simulated drive never gives up by itself, as drives do; a survey with a time does.
            let waits_on = workload.survey().is_none_or(|it| it.timeout.is_none());
            if waits_on && actor.worker.is_silent(timeout, now) {
                actor.worker.abandon(now);
                (actor.finished, actor.ended_at) = (true, Some(now));
                gives_up = true;
                let stopped = actor.worker.stopped().unwrap_or(StopReason::Failed);
                ends_all |= ends_stage(workload, stopped);
            }
        }
        for (workload, ios) in stuck.into_iter().enumerate() {
            self.stuck.report_stuck(workload, ios, listener);
        }
        if ends_all {
            self.stop(|_| true, StopReason::Ended);
        }
        gives_up
    }

    /// When the next look at a workload that may be steady is due.
    fn next_look(&self) -> u64 {
        let due = |(workload, watch): (usize, &Option<SteadyWatch>)| {
            let started_at = self
                .actors
                .iter()
                .filter(|actor| actor.workload == workload && actor.has_begun && !actor.finished)
                .map(|actor| actor.worker.started_at())
                .max()?;
            let at = watch.as_ref()?.next_at();
            // A look that is late waits for something to happen.
            Some(started_at.saturating_add(at)).filter(|at| *at > self.clock.now())
        };
        let watches = self.watches.iter().enumerate();
        watches.filter_map(due).min().unwrap_or(NEVER)
    }

    fn pass_boundaries(&mut self) {
        let now = self.clock.now();
        for actor in self.actors.iter_mut().filter(|actor| !actor.finished) {
            if actor.has_begun && actor.worker.next_boundary() <= now {
                actor.worker.hold_depth(now);
                actor.worker.at_boundary(now);
                actor.runnable = true;
            }
            actor.runnable |= actor.wakes_at <= now;
        }
    }

    fn deliver_completions(&mut self) {
        let now = self.clock.now();
        for device in &mut self.devices {
            device.advance(Nanos(now), &mut self.completed);
        }
        for actor in self.actors.iter_mut().filter(|actor| actor.has_begun) {
            while actor.worker.look_before(now) != WindowChange::None {}
        }
        for completion in self.completed.drain(..) {
            if completion.id >> 48 != self.trial {
                // Nobody has waited for it.
                continue;
            }
            let (index, buffer_index) = from_device(completion.id);
            let actor = &mut self.actors[index];
            if actor.finished && actor.worker.in_flight() > 0 {
                // It was given up.
                continue;
            }
            let result = match completion.result {
                Ok(bytes) => narrow(bytes),
                Err(errno) => -errno,
            };
            actor.worker.hold_depth(now);
            actor.worker.complete_any(buffer_index, result, now);
            let device = &self.devices[actor.device];
            let contents = &mut self.contents[actor.device];
            (actor.worker).answer_sealed(|number, io| answer(device, contents, number, io));
            actor.completed += 1;
            actor.runnable = true;
        }
        for actor in &mut self.actors {
            let completed = std::mem::take(&mut actor.completed);
            actor.worker.count_reaped(completed);
            if completed > 0 {
                actor.worker.look_after(now);
            }
        }
    }

    /// Ends the workloads that are steady, or too slow.
    fn watch(&mut self) {
        for workload in 0..self.least.len() {
            if self.least[workload].is_none() {
                continue;
            }
            let glance = self.glances(workload).reduce(ProgressSnapshot::with);
            if let Some(least) = &mut self.least[workload]
                && least.look(glance)
            {
                self.stop(|it| it == workload, StopReason::Failed);
            }
        }
        for workload in 0..self.watches.len() {
            let glances: Vec<ProgressSnapshot> = match &self.watches[workload] {
                Some(_) => self.glances(workload).collect(),
                None => continue,
            };
            if let Some(watch) = &mut self.watches[workload]
                && watch.look(&glances)
            {
                self.stop(|it| it == workload, StopReason::Ended);
            }
        }
    }

    fn glances(&self, workload: usize) -> impl Iterator<Item = ProgressSnapshot> + '_ {
        let now = self.clock.now();
        let mine = self
            .actors
            .iter()
            .filter(move |actor| actor.workload == workload);
        mine.map(move |actor| ProgressSnapshot {
            at: now.saturating_sub(actor.worker.started_at()),
            each: actor.worker.moved(),
            phase: match (actor.has_begun, actor.finished) {
                (false, _) => Phase::Waiting,
                (true, true) => Phase::Ended,
                (true, false) => actor.worker.phase(),
            },
        })
    }

    fn tell_progress(&self, listener: &mut dyn FnMut(Event)) {
        let elapsed = Nanos(self.clock.now() - self.started_at);
        for workload in 0..self.stage.workloads.len() {
            let glance = self.glances(workload).reduce(ProgressSnapshot::with);
            listener(progress_event(
                workload,
                elapsed,
                glance.unwrap_or_default(),
            ));
        }
    }

    fn tell_snapshots(&mut self, listener: &mut dyn FnMut(Event)) {
        let now = self.clock.now();
        if now < self.next_snapshot {
            return;
        }
        let every = self.snapshot_every.unwrap_or(NEVER);
        self.next_snapshot = now.saturating_add(every);
        self.tell_progress(listener);
        for workload in 0..self.stage.workloads.len() {
            let mine = self.actors.iter().filter(|it| it.workload == workload);
            let begun = mine.filter(|actor| actor.has_begun);
            let outcomes = begun.map(|actor| outcome_of(actor.worker.snapshot(), self.started_at));
            if let Some(outcome) = merged(outcomes) {
                let outcome = Box::new(outcome);
                listener(Event::Snapshot { workload, outcome });
            }
        }
    }

    /// Passes on that checkpoints are asked for, and tells those that have been taken.
    fn look_for_checkpoints(&mut self, control: &Control, listener: &mut dyn FnMut(Event)) {
        let requested = control.checkpoints_requested();
        let is_requested =
            requested != std::mem::replace(&mut self.checkpoints_requested, requested);
        let started_at = self.started_at;
        for actor in self.actors.iter_mut().filter(|actor| actor.has_begun) {
            if is_requested {
                actor.worker.want_checkpoint();
            }
            if let Some(finished) = actor.worker.checkpoint() {
                listener(Event::Checkpoint {
                    workload: actor.workload,
                    outcome: Box::new(outcome_of(finished, started_at)),
                });
            }
        }
    }

    fn outcomes(self) -> Vec<Outcome> {
        let mut actors = self.actors;
        let started_at = self.started_at;
        let now = self.clock.now();
        let of_workload = |(workload, watch): (usize, &Option<SteadyWatch>)| {
            let mine = actors.extract_if(.., |actor| actor.workload == workload);
            let mut outcome = merged(mine.map(|actor| {
                outcome_of(
                    actor.worker.finish(actor.ended_at.unwrap_or(now)),
                    started_at,
                )
            }))?;
            outcome.steady = watch.as_ref().map(SteadyWatch::outcome);
            Some(outcome)
        };
        let watches = self.watches.iter().enumerate();
        watches.filter_map(of_workload).collect()
    }

    fn stop_all(&mut self, control: &Control) {
        let reason = if control.is_cancelled() {
            StopReason::Cancelled
        } else {
            StopReason::Ended
        };
        self.stop(|_| true, reason);
    }

    /// Stops the threads of some workloads. One that has not begun never will.
    fn stop(&mut self, which: impl Fn(usize) -> bool, reason: StopReason) {
        let now = self.clock.now();
        for actor in &mut self.actors {
            if actor.finished || !which(actor.workload) {
                continue;
            }
            actor.worker.stop(reason);
            if actor.has_begun {
                actor.runnable = true;
            } else {
                actor.worker.begin(now);
                actor.finished = true;
            }
        }
    }

    fn abandon(&mut self) {
        let now = self.clock.now();
        for actor in self.actors.iter_mut().filter(|actor| !actor.finished) {
            actor.worker.abandon(now);
        }
    }
}

/// A simulated device is gone with its process. Of a survey that is gone on with in another, it
/// holds what the part before has left there.
fn take_up(workload: &Workload, target: &mut SimulatedTarget) {
    let left = workload.survey().and_then(|survey| survey.resumed_at);
    let (Some(number), Some(left)) = (workload.seal(), left) else {
        return;
    };
    if !target.contents.is_empty() {
        return;
    }
    let size = target.device.size();
    for file_use in uses(workload) {
        let stretch = stretch_of(&file_use, size);
        let end = match workload.operations.changes_data() {
            true => left.offset.0.max(stretch.start),
            false => stretch.start + stretch.length,
        };
        let range = stretch.start..end;
        target.contents.write(&target.device, range, Some(number));
    }
}

#[expect(clippy::cast_possible_truncation, reason = "both were made from u32")]
fn from_device(id: u64) -> (usize, u32) {
    ((id >> 32 & 0xffff) as usize, id as u32)
}

fn outcome_of(finished: FinishedWorker, stage_started_at: u64) -> Outcome {
    let conditions = ThreadConditions {
        stage_started_at,
        cpu: None,
        usage: None,
        backend: used(BackendKind::Sim, Vec::new()),
        direct: true,
    };
    outcome(finished, conditions)
}
