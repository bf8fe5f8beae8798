//! Virtual time: all clones in one thread, moved on from event to event.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use sokudo_model::{
    BackendKind, BackendUse, Bytes, Event, Moved, Nanos, Operation, Outcome, Phase, Stage,
    StopReason,
};
use sokudo_stats::Random;
use sokudo_sys::{Action, Request};

use crate::backend::Backend;
use crate::clock::{Clock, VirtualClock};
use crate::control::Control;
use crate::data::Data;
use crate::pattern::Pattern;
use crate::sim;
use crate::stage::{graver, outcome, stretch_of};
use crate::tally::FinishedTally;
use crate::target::SimulatedTarget;
use crate::worker::{Next, Worker};

/// The control is looked at once in this many events, so that an hour of device
/// time can be interrupted.
const EVENTS_PER_CONTROL_LOOK: u64 = 1_024;

/// Requests on their way to the simulated device.
#[derive(Default)]
struct Outbox(Vec<Request>);

impl Backend for Outbox {
    const SUBMITS: bool = false;
    const MOVES_DATA: bool = false;

    fn chunk_mut(&mut self, _chunk: u32) -> &mut [u8] {
        &mut []
    }

    fn prepare(&mut self, request: Request) {
        self.0.push(request);
    }

    fn submit(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn submit_and_wait(&mut self, _wanted: u32) -> io::Result<()> {
        Ok(())
    }

    fn submit_and_wait_for(&mut self, _patience: Duration) -> io::Result<()> {
        Ok(())
    }

    fn reap(&mut self, _each: impl FnMut(u32, i32)) {}
}

/// One clone in virtual time.
struct Actor {
    workload: usize,
    worker: Worker,
    wakes_at: u64,
    runnable: bool,
    finished: bool,
}

struct Simulation<'a> {
    actors: Vec<Actor>,
    device: &'a mut sim::Device,
    clock: VirtualClock,
    outbox: Outbox,
    completed: Vec<sim::Completion>,
}

/// Runs a stage on a simulated device. The same seed and device state give the
/// same outcome to the byte.
pub(crate) fn run(
    stage: &Stage,
    seed: u64,
    target: &mut SimulatedTarget,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Vec<Outcome> {
    let clock = VirtualClock::default();
    clock.advance_to(target.now);
    let mut simulation = Simulation {
        actors: actors(stage, seed, target.device.size(), target.now),
        device: &mut target.device,
        clock,
        outbox: Outbox::default(),
        completed: Vec::new(),
    };
    simulation.run(control);
    let now = simulation.clock.now();
    let elapsed = Nanos(now - target.now);
    let actors = simulation.actors;
    target.now = now;
    for workload in 0..stage.workloads.len() {
        let mine = actors.iter().filter(|actor| actor.workload == workload);
        let (bytes, ios) = mine.fold((0, 0), |(bytes, ios), actor| {
            let (more_bytes, more_ios) = actor.worker.moved();
            (bytes + more_bytes, ios + more_ios)
        });
        listener(Event::Progress {
            workload,
            at: elapsed,
            bytes: Bytes(bytes),
            ios,
            each: [Moved::default(); 3],
            phase: Phase::Running,
        });
    }
    outcomes(stage, actors)
}

fn actors(stage: &Stage, seed: u64, size: Bytes, now: u64) -> Vec<Actor> {
    let mut number = 0;
    let mut actors = Vec::new();
    for (index, workload) in stage.workloads.iter().enumerate() {
        let shared = Arc::default();
        for _ in 0..workload.clones {
            let mut random = Random::stream(seed, number);
            number += 1;
            let data = Data::new(&workload.data, random.next_u64());
            let pattern = Pattern::new(workload, &[stretch_of(workload, size)], &shared, random);
            let mut worker = Worker::new(workload, pattern, data, workload.depth, workload.depth);
            worker.begin(now);
            actors.push(Actor {
                workload: index,
                worker,
                wakes_at: now,
                runnable: true,
                finished: false,
            });
        }
    }
    actors
}

impl Simulation<'_> {
    fn run(&mut self, control: &Control) {
        for event in 0u64.. {
            self.let_actors_act();
            if self.actors.iter().all(|actor| actor.finished) {
                return;
            }
            if event.is_multiple_of(EVENTS_PER_CONTROL_LOOK) && control.is_stopped() {
                self.stop_all(control);
            }
            let Some(at) = self.next_instant() else {
                // The device holds requests that it will never answer.
                self.abandon();
                return;
            };
            self.clock.advance_to(at.max(self.clock.now()));
            self.pass_boundaries();
            self.deliver_completions();
        }
    }

    /// Lets every clone that has something to do issue I/O.
    fn let_actors_act(&mut self) {
        let mut now = self.clock.now();
        for (index, actor) in self.actors.iter_mut().enumerate() {
            if actor.finished || !std::mem::take(&mut actor.runnable) {
                continue;
            }
            actor.worker.hold_depth(now);
            let next = actor.worker.fill(&mut self.outbox, &self.clock, &mut now);
            for request in self.outbox.0.drain(..) {
                self.device.submit(Nanos(now), to_device(index, request));
            }
            match next {
                Next::Finished => actor.finished = true,
                Next::Completion => actor.wakes_at = u64::MAX,
                Next::CompletionOr(at) | Next::Until(at) => actor.wakes_at = at,
            }
        }
    }

    /// The next instant at which anything can happen.
    fn next_instant(&self) -> Option<u64> {
        let waiting = self.actors.iter().filter(|actor| !actor.finished);
        let wake = waiting
            .clone()
            .map(|actor| actor.wakes_at)
            .min()
            .unwrap_or(u64::MAX);
        let device = self.device.next_event().map_or(u64::MAX, |at| at.0);
        let event = wake.min(device);
        if event == u64::MAX {
            return None;
        }
        let boundary = waiting.map(|actor| actor.worker.next_boundary()).min();
        Some(event.min(boundary.unwrap_or(u64::MAX)))
    }

    fn pass_boundaries(&mut self) {
        let now = self.clock.now();
        for actor in self.actors.iter_mut().filter(|actor| !actor.finished) {
            if actor.worker.next_boundary() <= now {
                actor.worker.hold_depth(now);
                actor.worker.at_boundary(now);
                actor.runnable = true;
            }
            actor.runnable |= actor.wakes_at <= now;
        }
    }

    fn deliver_completions(&mut self) {
        let now = self.clock.now();
        self.device.advance(Nanos(now), &mut self.completed);
        for completion in self.completed.drain(..) {
            let (index, chunk) = from_device(completion.id);
            let actor = &mut self.actors[index];
            let result = match completion.result {
                Ok(bytes) => i32::try_from(bytes).unwrap_or(i32::MAX),
                Err(errno) => -errno,
            };
            actor.worker.hold_depth(now);
            actor.worker.complete(chunk, result, now);
            actor.runnable = true;
        }
    }

    fn stop_all(&mut self, control: &Control) {
        let reason = if control.is_cancelled() {
            StopReason::Cancelled
        } else {
            StopReason::Ended
        };
        for actor in &mut self.actors {
            actor.worker.stop(reason);
            actor.runnable = true;
        }
    }

    fn abandon(&mut self) {
        for actor in self.actors.iter_mut().filter(|actor| !actor.finished) {
            actor.worker.abandon();
        }
    }
}

/// A request's name tells its clone and its chunk.
fn to_device(actor: usize, request: Request) -> sim::Request {
    let operation = match request.action {
        Action::Read => Operation::Read,
        Action::Write | Action::WriteThrough | Action::WriteThroughWithMetadata => Operation::Write,
        Action::Trim => Operation::Trim,
        Action::Fsync | Action::Fdatasync => Operation::Flush,
    };
    sim::Request {
        id: (actor as u64) << 32 | u64::from(request.chunk),
        operation,
        offset: request.offset,
        bytes: u64::from(request.length),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "both halves were made from u32"
)]
fn from_device(id: u64) -> (usize, u32) {
    ((id >> 32) as usize, id as u32)
}

fn outcomes(stage: &Stage, actors: Vec<Actor>) -> Vec<Outcome> {
    let mut merged: Vec<Option<(FinishedTally, StopReason)>> =
        stage.workloads.iter().map(|_| None).collect();
    for actor in actors {
        let (tally, reason) = actor.worker.finish();
        match &mut merged[actor.workload] {
            Some((all, all_reason)) => {
                all.merge(tally);
                *all_reason = graver(*all_reason, reason);
            }
            empty => *empty = Some((tally, reason)),
        }
    }
    let backend = BackendUse {
        kind: BackendKind::Sim,
        features: vec![],
        notes: vec![],
    };
    merged
        .into_iter()
        .flatten()
        .map(|(tally, reason)| outcome(tally, reason, None, backend.clone(), true))
        .collect()
}
