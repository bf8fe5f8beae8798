//! Reads blocks one by one, changes a part of them and writes those back to where they
//! were: Bonnie++'s rewrite, and its seeks.
//!
//! A loop of its own beside the worker's, because an I/O here depends on the one before:
//! what is written is what was just read. It is not meant to be fast at depth; there is
//! one I/O in flight per clone, by blocking system calls.

use std::fs::File;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use sokudo_model::{
    BackendKind, BackendUse, Event, FailureKind, Nanos, Operation, Order, Outcome, Phase,
    StopReason, Workload, narrow,
};
use sokudo_stats::Random;
use sokudo_sys::{Action, Blocking, Calls, OneByOne, Region, Request, thread_counts};

use crate::backend::OpenError;
use crate::clock::{Clock as _, RealClock};
use crate::collector::progress_event;
use crate::control::Control;
use crate::drive::used_since;
use crate::offsets::Stretch;
use crate::outcome::{Circumstances, merged, outcome};
use crate::progress::{Glance, Progress};
use crate::record::Recorded;
use crate::stage_error::StageError;
use crate::stage_options::StageOptions;
use crate::tally::Tally;
use crate::target::FileTarget;
use crate::worker::Finished;

/// How often a listener hears how far it is.
const TICK: Duration = Duration::from_millis(100);

/// What all clones have in common.
struct Work<'a> {
    workload: &'a Workload,
    stretch: Stretch,
    block_bytes: u32,
    /// Blocks that a clone reads, unless it is stopped.
    reads: u64,
    control: &'a Control,
    clock: RealClock,
}

/// Carries out a workload that has been checked, on a file, and returns what all of its
/// clones did together.
pub(crate) fn run(
    workload: &Workload,
    options: StageOptions,
    target: &FileTarget,
    stretch: Stretch,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<Vec<Outcome>, StageError> {
    let block_bytes = workload.blocks.largest().0;
    let of_bytes = workload.limits.bytes.map(|bytes| bytes.0 / block_bytes);
    let limits = [workload.limits.ios, of_bytes];
    let work = Work {
        workload,
        stretch,
        block_bytes: narrow(block_bytes),
        // Without a limit it goes on until its time is over.
        reads: limits.into_iter().flatten().min().unwrap_or(u64::MAX),
        control,
        clock: RealClock::new(),
    };
    let files = (0..workload.clones)
        .map(|_| target.open(true, workload.direct))
        .collect::<Result<Vec<_>, _>>()?;
    let progress: Vec<Progress> = files.iter().map(|_| Progress::default()).collect();
    let stage_started_at = work.clock.now();
    thread::scope(|scope| {
        let (ended, endings) = mpsc::channel();
        for (number, (file, progress)) in (0..).zip(files.into_iter().zip(&progress)) {
            let (work, ended) = (&work, ended.clone());
            let random = Random::stream(options.seed, number);
            thread::Builder::new()
                .name(format!("sokudo-{number}"))
                // The receiver lives until every clone has ended.
                .spawn_scoped(scope, move || {
                    let clone = CloneOf::new(work, file, random);
                    let _ = ended.send(clone.map(|it| it.run(stage_started_at, progress)));
                })
                .map_err(|source| StageError::Thread { source })?;
        }
        drop(ended);
        let mut outcomes = Vec::new();
        loop {
            match endings.recv_timeout(TICK) {
                Ok(outcome) => outcomes.push(outcome?),
                Err(RecvTimeoutError::Timeout) => {
                    let glances = progress.iter().map(Progress::look);
                    let glance = glances.reduce(Glance::with).unwrap_or_default();
                    let at = Nanos(work.clock.now() - stage_started_at);
                    listener(progress_event(0, at, glance));
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Ok(merged(outcomes).into_iter().collect())
    })
}

/// One thread with its own open file.
struct CloneOf<'a> {
    work: &'a Work<'a>,
    file: Blocking,
    direct: bool,
    random: Random,
    tally: Tally,
    now: u64,
    writes_since_flush: u32,
}

/// Why a clone cannot go on.
struct Failed;

impl<'a> CloneOf<'a> {
    /// Made in its own thread, for its buffer stays there.
    fn new(
        work: &'a Work<'a>,
        (file, direct): (File, bool),
        random: Random,
    ) -> Result<Self, OpenError> {
        let region =
            Region::new(1, work.block_bytes as usize).map_err(|source| OpenError::Memory {
                bytes: work.block_bytes.into(),
                source,
            })?;
        Ok(Self {
            work,
            file: Blocking::with_calls(vec![file.into()], region, Calls::Seeking),
            direct,
            random,
            tally: Tally::new(work.workload),
            now: 0,
            writes_since_flush: 0,
        })
    }

    fn run(mut self, stage_started_at: u64, progress: &Progress) -> Outcome {
        let used_before = thread_counts();
        self.now = self.work.clock.now();
        self.tally.start(self.now);
        let stopped = self.visit_all(progress);
        let (cpu, usage) = used_since(used_before);
        self.tell(progress, Phase::Ended);
        let circumstances = Circumstances {
            stage_started_at,
            cpu: Some(cpu),
            usage: Some(usage),
            backend: BackendUse {
                kind: BackendKind::Sync,
                features: Vec::new(),
                notes: Vec::new(),
            },
            direct: self.direct,
        };
        let finished = Finished {
            tally: self.tally.finish(),
            recorded: Recorded::default(),
            verified: None,
            stopped,
        };
        outcome(finished, circumstances)
    }

    /// Reads, and writes back as often as the workload says, until its limit.
    fn visit_all(&mut self, progress: &Progress) -> StopReason {
        let started_at = self.now;
        for number in 0..self.work.reads {
            if self.work.control.is_cancelled() {
                return StopReason::Cancelled;
            }
            if self.work.control.is_stopped() {
                return StopReason::Ended;
            }
            if let Some(limit) = self.work.workload.limits.time
                && self.now - started_at >= limit.0
            {
                return StopReason::Time;
            }
            if self.visit(number).is_err() {
                return StopReason::Failed;
            }
            self.tell(progress, Phase::Running);
        }
        self.tell(progress, Phase::Flushing);
        let flush = self.work.workload.durability.final_flush;
        if flush && self.perform(Action::Fsync, Operation::Flush, 0).is_err() {
            return StopReason::Failed;
        }
        StopReason::Bytes
    }

    fn visit(&mut self, number: u64) -> Result<(), Failed> {
        let blocks = (self.work.stretch.length / u64::from(self.work.block_bytes)).max(1);
        let block = match self.work.workload.order {
            Order::Sequential { .. } => number % blocks,
            Order::Random { .. } => self.random.below(blocks),
        };
        let offset = self.work.stretch.start + block * u64::from(self.work.block_bytes);
        self.perform(Action::Read, Operation::Read, offset)?;
        let percent = u64::from(self.work.workload.rewritten_percent);
        if self.random.below(100) >= percent {
            return Ok(());
        }
        for byte in self.file.region_mut().chunk_mut(0).iter_mut().take(8) {
            *byte = byte.wrapping_add(1);
        }
        self.perform(Action::Write, Operation::Write, offset)?;
        self.writes_since_flush += 1;
        if self.work.workload.durability.fsync_every == Some(self.writes_since_flush) {
            self.writes_since_flush = 0;
            self.perform(Action::Fsync, Operation::Flush, 0)?;
        }
        Ok(())
    }

    fn perform(&mut self, action: Action, operation: Operation, offset: u64) -> Result<(), Failed> {
        let length = if action.moves_data() {
            self.work.block_bytes
        } else {
            0
        };
        let issued_at = self.work.clock.now();
        self.tally.hold_depth(issued_at, 0);
        let result = self.file.perform(Request {
            action,
            chunk: 0,
            file: 0,
            length,
            offset,
        });
        self.now = self.work.clock.now();
        self.tally.hold_depth(self.now, 1);
        self.tally.end_intervals(self.now);
        let kind = match u32::try_from(result) {
            Ok(moved) if moved == length => {
                self.tally
                    .complete(operation, moved, issued_at, issued_at, self.now);
                return Ok(());
            }
            Ok(0) => FailureKind::Nothing,
            Ok(moved) => FailureKind::Short {
                asked: length,
                moved,
            },
            Err(_) => FailureKind::Errno(-result),
        };
        self.tally.fail(operation, kind, offset);
        Err(Failed)
    }

    fn tell(&self, progress: &Progress, phase: Phase) {
        progress.tell(&Glance {
            at: self.now.saturating_sub(self.tally.started_at()),
            each: self.tally.moved(),
            phase,
        });
    }
}
