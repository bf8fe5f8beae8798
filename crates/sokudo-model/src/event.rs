//! What happens while a plan is carried out, as one stream that the terminal
//! and every other listener read.

use crate::plan::{Operation, Workload};
use crate::self_test::{SelfTest, SelfTestKind};
use crate::trial::{Logs, Moved, Outcome, Trial};
use crate::units::{Bytes, Nanos};

/// What a workload is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// It has not started yet.
    #[default]
    Waiting,
    /// It runs, and is not measured yet.
    Ramp,
    /// It does I/O that is measured.
    Running,
    /// It reads back and checks.
    Verifying,
    /// It makes its writes durable.
    Flushing,
    /// It waits for its last I/Os.
    Finishing,
    /// All its I/Os are done.
    Ended,
}

/// A request that is in flight for longer than is waited for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StuckIo {
    /// What was asked of the device.
    pub operation: Operation,
    /// The first byte that it is of; of a flush 0. Of work on files, how many were done before.
    pub offset: Bytes,
    /// Bytes that it is of; 0 of what moves none.
    pub length: Bytes,
    /// Since it was issued.
    pub age: Nanos,
    /// Its thread waits in the kernel until it comes back, and cannot give it up.
    pub holds_thread: bool,
}

/// What short trials beside those of the rows are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Which backend is the faster.
    Backends,
    /// What huge pages would change.
    HugePages,
    /// Whether places are slow each time.
    SlowSpots,
}

/// One thing that happened. Times count from the start of the trial.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The test file is being written.
    LayoutProgress {
        /// Bytes written so far.
        written: Bytes,
        /// Bytes that the file has when it is whole.
        total: Bytes,
    },
    /// A file of a job's is about to be made.
    LayoutStarted {
        /// The index of its target in the plan.
        target: usize,
    },
    /// A stage of several rows begins; it ends with [`Event::StageEnded`].
    StageStarted {
        /// Its index in the plan.
        stage: usize,
        /// The index of its first row in the plan.
        first: usize,
    },
    /// What a row of the plan does has been decided.
    RowNamed {
        /// The row's index in the plan.
        row: usize,
        /// Its name from now on.
        name: String,
    },
    /// Short trials that count for no row try something.
    Probing(Probe),
    /// A stage of several rows ended.
    StageEnded,
    /// All threads of a stage are ready. It starts when the listener returns.
    StageReady,
    /// A trial of a row begins.
    TrialStarted {
        /// The row's index in the plan.
        row: usize,
        /// 0 for the first trial.
        trial: u32,
    },
    /// What all threads of a workload have moved since the trial began.
    Progress {
        /// Index of the workload in its stage.
        workload: usize,
        /// Time since the trial began.
        at: Nanos,
        /// Bytes moved by all threads since the trial began.
        bytes: Bytes,
        /// I/Os completed by all threads since the trial began.
        ios: u64,
        /// The same of reads, writes and trims.
        each: [Moved; 3],
        /// What it is doing.
        phase: Phase,
    },
    /// Requests of a workload have not come back in time; told again each second at least, and once
    /// more when there are none any more.
    Stuck {
        /// Index of the workload in its stage.
        workload: usize,
        /// All that are in flight for longer.
        ios: Vec<StuckIo>,
    },
    /// What a running workload did so far, when that was asked for.
    Snapshot {
        /// Index of the workload in its stage.
        workload: usize,
        /// As it would be reported if it ended now.
        outcome: Box<Outcome>,
    },
    /// What a running survey had come to at a position from which another can go on
    /// ([`Outcome::left_at`]), when that was asked for.
    Checkpoint {
        /// Index of the workload in its stage.
        workload: usize,
        /// As it would be reported if it had been stopped there.
        outcome: Box<Outcome>,
    },
    /// The measured part of a workload is over, and what it wrote is about to be made
    /// durable, when that was asked for.
    MakingDurable {
        /// Index of the workload in its stage.
        workload: usize,
    },
    /// A trial of a row ended.
    TrialEnded {
        /// The row's index in the plan.
        row: usize,
        /// 0 for the first trial.
        trial: u32,
    },
    /// A trial of a row is part of the result.
    TrialCounted {
        /// The row's index in the plan.
        row: usize,
        /// What the row does, as it was done in this trial.
        workload: Box<Workload>,
        /// The trial, without its logs.
        trial: Box<Trial>,
    },
    /// Drives test themselves, and no I/O is measured.
    SelfTesting {
        /// Whether it is the short or the extended test.
        kind: SelfTestKind,
        /// How many drives test themselves.
        drives: usize,
        /// How far the slowest of them is, in percent; `None` where none tells that.
        percent: Option<u8>,
    },
    /// A drive's own test is over, or there was none.
    SelfTestEnded(Box<SelfTest>),
    /// The first trials of a row have shown how long each of them takes.
    RowTimed {
        /// The row's index in the plan.
        row: usize,
        /// How long one is expected to take.
        trial: Nanos,
        /// How long all of them were expected to take at most before that.
        all_before: Nanos,
        /// How long they are now.
        all: Nanos,
    },
    /// A row has been measured precisely enough, so that its other trials are left out.
    RowEnough {
        /// The row's index in the plan.
        row: usize,
        /// Trials that it would still have had.
        left_out: u32,
    },
    /// Nothing is done on purpose, until `remaining` has passed.
    Pause {
        /// How much of the pause is left.
        remaining: Nanos,
    },
    /// Nothing is done until a round begins that has its time.
    RoundAwaited {
        /// Time until the round begins.
        remaining: Nanos,
        /// Which round, from 1 on.
        round: u32,
        /// How many there are.
        rounds: u32,
        /// Time since the first began.
        elapsed: Nanos,
    },
}

impl Event {
    /// That a trial of a row is part of the result.
    pub fn counted(row: usize, workload: &Workload, trial: &Trial) -> Self {
        // Logs hold every I/O that was asked for, and who listens does without.
        let mut without_logs = trial.clone();
        without_logs.outcome.logs = Logs::default();
        Self::TrialCounted {
            row,
            workload: Box::new(workload.clone()),
            trial: Box::new(without_logs),
        }
    }

    /// Which workload of its stage it is of, where it is of one.
    pub fn workload_mut(&mut self) -> Option<&mut usize> {
        match self {
            Self::Progress { workload, .. }
            | Self::Stuck { workload, .. }
            | Self::Snapshot { workload, .. }
            | Self::Checkpoint { workload, .. }
            | Self::MakingDurable { workload } => Some(workload),
            _ => None,
        }
    }

    /// The same of a part of a plan, with so many rows before it.
    #[must_use]
    pub fn behind(mut self, rows: usize) -> Self {
        match &mut self {
            Self::TrialStarted { row, .. }
            | Self::TrialEnded { row, .. }
            | Self::TrialCounted { row, .. }
            | Self::RowEnough { row, .. }
            | Self::RowTimed { row, .. }
            | Self::RowNamed { row, .. }
            | Self::StageStarted { first: row, .. } => *row += rows,
            Self::LayoutProgress { .. }
            | Self::LayoutStarted { .. }
            | Self::StageEnded
            | Self::StageReady
            | Self::Progress { .. }
            | Self::Stuck { .. }
            | Self::Snapshot { .. }
            | Self::Checkpoint { .. }
            | Self::MakingDurable { .. }
            | Self::Probing(_)
            | Self::Pause { .. }
            | Self::SelfTesting { .. }
            | Self::SelfTestEnded(_)
            | Self::RoundAwaited { .. } => {}
        }
        self
    }
}
