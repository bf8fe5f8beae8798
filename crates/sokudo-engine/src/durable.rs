//! How long it takes until what a workload left in a cache is on its device: one flush
//! after the measured part, which counts for nothing but that figure.
//!
//! It flushes nothing unless it is asked to, and it does not wait for a device that never
//! answers longer than the control allows. What does not come back is reported meanwhile.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use sokudo_model::{
    Event, Moved, Nanos, Operation, Outcome, Phase, StopReason, StuckIo, Workload, narrow,
};
use sokudo_sys::{begin_write_back, write_back};

use crate::backend::TICK;
use crate::clock::Clock as _;
use crate::offsets::ByteRange;
use crate::stage_options::MakeDurable;
use crate::stage_threads::StageContext;
use crate::stuck::{CallWatch, StuckReports, SystemCall, begin_call, show_calls};
use crate::target::Target;
use crate::target_use::{stretch_of, uses};

/// What is written back before the control is looked at again: less than two seconds of
/// the slowest devices, and enough for a fast one to be busy.
const PIECE_BYTES: u64 = 16 << 20;

/// Makes durable what each workload wrote, one after the other, and notes when that was
/// done; `started_at` is when the stage started, on the clock.
pub(crate) fn complete(
    shared: &StageContext<'_>,
    targets: &[Target],
    make_durable: MakeDurable,
    started_at: u64,
    outcomes: &mut [Outcome],
    listener: &mut dyn FnMut(Event),
) {
    let workloads = &shared.stage.workloads;
    for (index, (workload, outcome)) in workloads.iter().zip(outcomes).enumerate() {
        if !is_due(workload, outcome, make_durable) || shared.control.is_cancelled() {
            continue;
        }
        let Ok(parts) = parts(workload, targets) else {
            continue;
        };
        listener(Event::MakingDurable { workload: index });
        let mut stuck = StuckReports::of(std::iter::once(index));
        let mut report = |ios| {
            listener(progress(shared, index, outcome, started_at));
            stuck.report_stuck(0, ios, listener);
        };
        let ended_at = flush(parts, shared, &mut report);
        stuck.report_stuck(0, Vec::new(), listener);
        if let Some(ended_at) = ended_at {
            let after = ended_at
                .saturating_sub(started_at)
                .saturating_sub(outcome.started_after.0);
            outcome.durable_after = Some(Nanos(after));
        }
    }
}

/// Whether it wrote something and left it where it may be lost. What a ramp wrote is
/// flushed with the rest and would be counted as if it were measured.
fn is_due(workload: &Workload, outcome: &Outcome, make_durable: MakeDurable) -> bool {
    let durability = &workload.durability;
    let is_left = match make_durable {
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
    // Time between the places of a survey is nobody's, so that nothing follows from it.
    let is_timed_whole = workload.survey().is_none() && workload.timing.ramp.0 == 0;
    is_left && !flushes && wrote && ended && is_timed_whole && workload.write_check().is_none()
}

/// What of a file may have been written.
struct WrittenExtent {
    file: File,
    stretch: ByteRange,
}

fn parts(workload: &Workload, targets: &[Target]) -> io::Result<Vec<WrittenExtent>> {
    let mut parts = Vec::new();
    for file_use in uses(workload) {
        if let Some(target) = targets.get(file_use.target as usize)
            && let Target::File(file) = target
        {
            parts.push(WrittenExtent {
                file: file.handle().try_clone()?,
                stretch: stretch_of(&file_use, target.size()),
            });
        }
    }
    Ok(parts)
}

/// When all parts were durable, on the clock; `None` where a flush failed or was given up.
/// A thread of its own waits for the kernel.
fn flush(
    parts: Vec<WrittenExtent>,
    shared: &StageContext<'_>,
    report: &mut dyn FnMut(Vec<StuckIo>),
) -> Option<u64> {
    let (ended, end) = mpsc::channel();
    let given_up = Arc::new(AtomicBool::default());
    let stop = Arc::clone(&given_up);
    let (call, mut watch) = (Arc::<SystemCall>::default(), CallWatch::default());
    let own = Arc::clone(&call);
    let waiting = thread::Builder::new()
        .name("sokudo-flush".to_owned())
        .spawn(move || {
            show_calls(&own);
            let flushed = parts.iter().all(|part| part.flush(&stop).is_ok());
            // Nobody listens any more where it was given up.
            let _ = ended.send(flushed);
        });
    waiting.ok()?;
    loop {
        match end.recv_timeout(TICK) {
            Ok(flushed) => return flushed.then(|| shared.clock.now()),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {
                let (timeout, now) = (shared.control.timeout(), shared.clock.now());
                let ios = watch.look(&call, 0, timeout, now);
                report(ios.unwrap_or_default());
                if shared.control.is_cancelled() {
                    given_up.store(true, Ordering::Relaxed);
                    return None;
                }
            }
        }
    }
}

impl WrittenExtent {
    /// Writes it back piece by piece, always two at a time, then flushes it. The kernel
    /// cannot be told to stop a flush, but pieces can be counted.
    fn flush(&self, given_up: &AtomicBool) -> io::Result<()> {
        let ByteRange { start, length } = self.stretch;
        let end = start.saturating_add(length);
        let mut offset = start;
        // Where there is no page cache to write back (`ESPIPE`), the flush does all.
        let mut known = begin_write_back(&self.file, offset, PIECE_BYTES).is_ok();
        while known && offset < end {
            if given_up.load(Ordering::Relaxed) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            begin_call(Operation::Write, offset, narrow(PIECE_BYTES));
            let next = offset.saturating_add(PIECE_BYTES);
            known = next >= end || begin_write_back(&self.file, next, PIECE_BYTES).is_ok();
            known &= write_back(&self.file, offset, PIECE_BYTES).is_ok();
            offset = next;
        }
        begin_call(Operation::Flush, 0, 0);
        self.file.sync_data()
    }
}

fn progress(
    shared: &StageContext<'_>,
    workload: usize,
    outcome: &Outcome,
    started_at: u64,
) -> Event {
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
