//! How long it takes until what a workload left in a cache is on its device: one flush
//! after the measured part, which counts for nothing but that figure.
//!
//! It flushes nothing unless it is asked to, and it does not wait for a device that never
//! answers longer than the control allows.

use std::fs::File;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use sokudo_model::{Event, Moved, Nanos, Operation, Outcome, Phase, StopReason, Workload};

use crate::backend::TICK;
use crate::clock::Clock as _;
use crate::stage::uses;
use crate::target::Target;
use crate::threads::Shared;

/// Which writes are made durable after the measured part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MakeDurable {
    /// None: they lie where they lie.
    #[default]
    Nothing,
    /// Those that went through the page cache.
    Buffered,
    /// All that were not made durable by the workload itself, because something below the
    /// page cache keeps them, too.
    All,
}

/// Makes durable what each workload wrote, one after the other, and notes when that was
/// done; `started_at` is when the stage started, on the clock.
pub(crate) fn complete(
    shared: &Shared<'_>,
    targets: &[Target],
    asked: MakeDurable,
    started_at: u64,
    outcomes: &mut [Outcome],
    listener: &mut dyn FnMut(Event),
) {
    let workloads = &shared.stage.workloads;
    for (index, (workload, outcome)) in workloads.iter().zip(outcomes).enumerate() {
        if !is_due(workload, outcome, asked) || shared.control.is_cancelled() {
            continue;
        }
        let Ok(files) = files(workload, targets) else {
            continue;
        };
        listener(Event::MakingDurable { workload: index });
        let mut tell = || listener(progress(shared, index, outcome, started_at));
        if let Some(ended_at) = flush(files, shared, &mut tell) {
            let after = ended_at
                .saturating_sub(started_at)
                .saturating_sub(outcome.started_after.0);
            outcome.durable_after = Some(Nanos(after));
        }
    }
}

/// Whether it wrote something and left it where it may be lost. What a ramp wrote is
/// flushed with the rest and would be counted as if it were measured.
fn is_due(workload: &Workload, outcome: &Outcome, asked: MakeDurable) -> bool {
    let durability = &workload.durability;
    let is_left = match asked {
        MakeDurable::Nothing => false,
        MakeDurable::Buffered => !outcome.direct,
        MakeDurable::All => true,
    };
    let flushes = durability.write_through
        || durability.final_flush
        || durability.flush_on_close
        || durability.fsync_every.is_some()
        || durability.fdatasync_every.is_some();
    let wrote = outcome
        .operation(Operation::Write)
        .is_some_and(|tally| tally.bytes.0 > 0);
    let ended = !matches!(outcome.stopped, StopReason::Failed | StopReason::Cancelled);
    is_left && !flushes && wrote && ended && workload.ramp.0 == 0 && workload.verify.is_none()
}

fn files(workload: &Workload, targets: &[Target]) -> io::Result<Vec<File>> {
    let mut files = Vec::new();
    for file_use in uses(workload) {
        if let Some(Target::File(file)) = targets.get(file_use.target as usize) {
            files.push(file.handle().try_clone()?);
        }
    }
    Ok(files)
}

/// When all files were durable, on the clock; `None` where a flush failed or was given up.
/// A thread of its own waits for the kernel, which cannot be told to stop.
fn flush(files: Vec<File>, shared: &Shared<'_>, tell: &mut dyn FnMut()) -> Option<u64> {
    let (ended, end) = mpsc::channel();
    let waiting = thread::Builder::new()
        .name("sokudo-flush".to_owned())
        .spawn(move || {
            let flushed = files.iter().try_for_each(File::sync_data);
            // Nobody listens any more where it was given up.
            let _ = ended.send(flushed.is_ok());
        });
    waiting.ok()?;
    loop {
        match end.recv_timeout(TICK) {
            Ok(flushed) => return flushed.then(|| shared.clock.now()),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {
                tell();
                if shared.control.is_cancelled() {
                    return None;
                }
            }
        }
    }
}

fn progress(shared: &Shared<'_>, workload: usize, outcome: &Outcome, started_at: u64) -> Event {
    let each = [Operation::Read, Operation::Write, Operation::Trim].map(|operation| {
        let tally = outcome.operation(operation);
        tally.map_or_else(Moved::default, |tally| Moved {
            bytes: tally.bytes,
            ios: tally.ios,
        })
    });
    Event::Progress {
        workload,
        at: Nanos(shared.clock.now().saturating_sub(started_at)),
        bytes: outcome.bytes_moved(),
        ios: outcome.ios(),
        each,
        phase: Phase::Flushing,
    }
}
