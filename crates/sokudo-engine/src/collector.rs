//! Looks at the threads while they run: tells progress, asks for snapshots, ends what
//! is steady, and receives what they end with.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use sokudo_model::{Event, Nanos, Outcome, Phase, StopReason, StuckIo, Workload, narrow};

use crate::backend::TICK;
use crate::clock::Clock as _;
use crate::least::LeastWatch;
use crate::outcome::merged;
use crate::progress::ProgressSnapshot;
use crate::stage_threads::{StageContext, WorkloadThread};
use crate::steady::SteadyWatch;
use crate::stuck::{CallWatch, StuckReports};

/// What a thread tells.
pub(crate) enum ThreadReport {
    /// The thread's final outcome; it sends nothing more.
    Ended {
        thread: usize,
        outcome: Box<Outcome>,
    },
    /// Its requests that have not come back in time.
    Stuck { thread: usize, ios: Vec<StuckIo> },
    /// What it did so far.
    Snapshot {
        thread: usize,
        outcome: Box<Outcome>,
    },
    /// What its survey has come to at a position.
    Checkpoint {
        thread: usize,
        outcome: Box<Outcome>,
    },
}

/// The OS thread that runs the stage, while those of its workloads run.
pub(crate) struct Collector<'a> {
    shared: &'a StageContext<'a>,
    threads: &'a [WorkloadThread],
    started_at: Instant,
    ended: Vec<Option<Outcome>>,
    stuck: StuckReports,
    /// What of each thread's system calls was seen.
    watched_calls: Vec<CallWatch>,
    watches: Vec<Option<SteadyWatch>>,
    least: Vec<Option<LeastWatch>>,
    snapshots: Snapshots,
}

/// Snapshots in the making.
struct Snapshots {
    every: Option<Duration>,
    next_at: Duration,
    /// How often somebody has asked for one, as far as that was seen.
    requested: u32,
    /// Those of the threads, while one is asked for.
    taken: Option<Vec<Option<Outcome>>>,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(
        shared: &'a StageContext<'a>,
        threads: &'a [WorkloadThread],
        snapshot_every: Option<Duration>,
    ) -> Self {
        let workloads = &shared.stage.workloads;
        let threads_of = |workload| threads.iter().filter(move |it| it.workload == workload);
        let watch = |(index, workload): (usize, &Workload)| {
            let rule = workload.timing.steady?;
            Some(SteadyWatch::new(rule, threads_of(index).count()))
        };
        Self {
            shared,
            threads,
            started_at: Instant::now(),
            ended: threads.iter().map(|_| None).collect(),
            stuck: StuckReports::of(threads.iter().map(|thread| thread.workload)),
            watched_calls: threads.iter().map(|_| CallWatch::default()).collect(),
            watches: workloads.iter().enumerate().map(watch).collect(),
            least: workloads
                .iter()
                .map(|it| LeastWatch::new(it.pacing.least))
                .collect(),
            snapshots: Snapshots {
                every: snapshot_every.map(|every| every.max(TICK)),
                next_at: snapshot_every.unwrap_or_default().max(TICK),
                requested: shared.control.snapshots_requested(),
                taken: None,
            },
        }
    }

    /// Receives until every thread has ended; one outcome per workload.
    pub(crate) fn collect(
        mut self,
        reports: &Receiver<ThreadReport>,
        listener: &mut dyn FnMut(Event),
    ) -> Vec<Outcome> {
        let mut next_look = TICK;
        loop {
            let wait = next_look.saturating_sub(self.started_at.elapsed());
            match reports.recv_timeout(wait) {
                Ok(ThreadReport::Ended { thread, outcome }) => {
                    self.ended[thread] = Some(*outcome);
                    self.stuck.report_stuck(thread, Vec::new(), listener);
                }
                Ok(ThreadReport::Stuck { thread, ios }) => {
                    self.stuck.report_stuck(thread, ios, listener);
                }
                Ok(ThreadReport::Snapshot { thread, outcome }) => self.keep(thread, *outcome),
                Ok(ThreadReport::Checkpoint { thread, outcome }) => {
                    // A survey has one thread.
                    let workload = self.threads[thread].workload;
                    listener(Event::Checkpoint { workload, outcome });
                }
                Err(RecvTimeoutError::Disconnected) => return self.outcomes(),
                Err(RecvTimeoutError::Timeout) => {
                    self.tell_progress(listener);
                    self.look_at_calls(listener);
                    self.watch();
                    self.ask_for_snapshots();
                    next_look = self.started_at.elapsed() + TICK;
                }
            }
            self.tell_snapshots(listener);
        }
    }

    fn glances(&self, workload: usize) -> impl Iterator<Item = ProgressSnapshot> + '_ {
        self.threads
            .iter()
            .zip(&self.shared.progress)
            .filter(move |(thread, _)| thread.workload == workload)
            .map(|(_, progress)| progress.look())
    }

    fn tell_progress(&self, listener: &mut dyn FnMut(Event)) {
        let at = Nanos(narrow(self.started_at.elapsed().as_nanos()));
        for workload in 0..self.shared.stage.workloads.len() {
            let glance = self.glances(workload).reduce(ProgressSnapshot::with);
            listener(progress_event(workload, at, glance.unwrap_or_default()));
        }
    }

    /// Reports what threads wait for in the kernel, where they cannot themselves.
    fn look_at_calls(&mut self, listener: &mut dyn FnMut(Event)) {
        let (now, timeout) = (self.shared.clock.now(), self.shared.control.timeout());
        for (thread, watch) in self.watched_calls.iter_mut().enumerate() {
            let ProgressSnapshot { at, phase, .. } = self.shared.progress[thread].look();
            let is_running = !matches!(phase, Phase::Waiting | Phase::Ended);
            let seen = watch.look(&self.shared.calls[thread], at, timeout, now);
            if let Some(ios) = seen.filter(|_| is_running) {
                self.stuck.report_stuck(thread, ios, listener);
            }
        }
    }

    /// Ends the workloads that are steady, or too slow.
    fn watch(&mut self) {
        for workload in 0..self.watches.len() {
            let glance = self.glances(workload).reduce(ProgressSnapshot::with);
            if let Some(least) = &mut self.least[workload]
                && least.look(glance)
            {
                self.shared.halts[workload].store(true, Ordering::Relaxed);
            }
            let glances: Vec<ProgressSnapshot> = self.glances(workload).collect();
            if let Some(watch) = &mut self.watches[workload]
                && watch.look(&glances)
            {
                self.shared.halts[workload].store(true, Ordering::Relaxed);
            }
        }
    }

    fn ask_for_snapshots(&mut self) {
        let elapsed = self.started_at.elapsed();
        let snapshots = &mut self.snapshots;
        if snapshots.taken.is_some() {
            return;
        }
        let requested = self.shared.control.snapshots_requested();
        let mut is_due = snapshots.requested != requested;
        snapshots.requested = requested;
        if let Some(every) = snapshots.every {
            is_due |= elapsed >= snapshots.next_at;
            while snapshots.next_at <= elapsed {
                snapshots.next_at += every;
            }
        }
        if is_due {
            snapshots.taken = Some(self.threads.iter().map(|_| None).collect());
            self.shared
                .snapshots_requested
                .fetch_add(1, Ordering::Relaxed);
        }
    }

    fn keep(&mut self, thread: usize, outcome: Outcome) {
        if let Some(taken) = &mut self.snapshots.taken {
            taken[thread] = Some(outcome);
        }
    }

    /// Tells a snapshot of every workload once all its threads have told theirs, or
    /// have ended, or have not started yet.
    fn tell_snapshots(&mut self, listener: &mut dyn FnMut(Event)) {
        let Some(taken) = self.snapshots.taken.take() else {
            return;
        };
        let is_there = |(thread, taken): (usize, &Option<Outcome>)| {
            taken.is_some()
                || self.ended[thread].is_some()
                || self.shared.progress[thread].look().phase == Phase::Waiting
        };
        if !taken.iter().enumerate().all(is_there) {
            self.snapshots.taken = Some(taken);
            return;
        }
        for workload in 0..self.shared.stage.workloads.len() {
            let of_workload = taken
                .iter()
                .zip(&self.ended)
                .zip(self.threads)
                .filter(|(_, thread)| thread.workload == workload)
                .filter_map(|((taken, ended), _)| ended.clone().or_else(|| taken.clone()));
            if let Some(outcome) = merged(of_workload) {
                let outcome = Box::new(outcome);
                listener(Event::Snapshot { workload, outcome });
            }
        }
    }

    fn outcomes(self) -> Vec<Outcome> {
        let (mut ended, least) = (self.ended, self.least);
        let of_workload = |(workload, watch): (usize, &Option<SteadyWatch>)| {
            let mine = self
                .threads
                .iter()
                .zip(&mut ended)
                .filter(|(thread, _)| thread.workload == workload)
                .filter_map(|(_, outcome)| outcome.take());
            let mut outcome = merged(mine)?;
            outcome.steady = watch.as_ref().map(SteadyWatch::outcome);
            if least[workload].as_ref().is_some_and(LeastWatch::has_failed) {
                outcome.stopped = StopReason::Failed;
            }
            Some(outcome)
        };
        self.watches
            .iter()
            .enumerate()
            .filter_map(of_workload)
            .collect()
    }
}

/// A workload's progress as an event.
pub(crate) fn progress_event(workload: usize, at: Nanos, glance: ProgressSnapshot) -> Event {
    let all = glance.all();
    Event::Progress {
        workload,
        at,
        bytes: all.bytes,
        ios: all.ios,
        each: glance.each,
        phase: glance.phase,
    }
}
