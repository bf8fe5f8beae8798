//! When writes are made durable.

use sokudo_model::{Durability, Operation, Workload};
use sokudo_sys::IoAction;

/// When flushes are due.
pub(crate) struct Flushing {
    rules: Box<[FlushRule]>,
    write_action: IoAction,
    /// The file that was written last, which is the one that a rule flushes.
    file: u32,
    files: u32,
    /// Whether every file is flushed after the last write of a pass.
    at_end: bool,
    /// Files that have been flushed at the end of this pass.
    flushed: u32,
}

/// Flush after every so many writes.
struct FlushRule {
    every: u32,
    writes_since: u32,
    action: IoAction,
}

impl Flushing {
    /// The rules of a workload on `files` files.
    pub(crate) fn new(workload: &Workload, files: u32) -> Self {
        let Durability {
            fsync_every,
            fdatasync_every,
            flush_on_close,
            final_flush,
            ..
        } = workload.durability;
        let rule = |every: Option<u32>, action| {
            every.map(|every| FlushRule {
                every,
                writes_since: 0,
                action,
            })
        };
        let fsync = rule(fsync_every, IoAction::Fsync);
        let fdatasync = rule(fdatasync_every, IoAction::Fdatasync);
        let writes = workload.operations.percent(Operation::Write) > 0;
        Self {
            rules: fsync.into_iter().chain(fdatasync).collect(),
            write_action: write_action(&workload.durability),
            file: 0,
            files,
            // A file is closed at the end of a pass, after its last write: both
            // words ask for the same flush, as in fio.
            at_end: (final_flush || flush_on_close) && writes,
            flushed: 0,
        }
    }

    /// How writes are done.
    #[inline]
    pub(crate) fn write_action(&self) -> IoAction {
        self.write_action
    }

    /// Whether none is ever due between two writes of a file.
    pub(crate) fn is_never_due(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether a flush is due before the next write.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.rules
            .iter()
            .any(|rule| rule.writes_since >= rule.every)
    }

    /// The flush that is due before the next write, and its file.
    #[inline]
    pub(crate) fn due(&mut self) -> Option<(IoAction, u32)> {
        // Nearly always: a loop over nothing would be a part of every I/O.
        if self.rules.is_empty() {
            return None;
        }
        let rule = self
            .rules
            .iter_mut()
            .find(|rule| rule.writes_since >= rule.every)?;
        rule.writes_since = 0;
        Some((rule.action, self.file))
    }

    /// Counts a write for each rule, and notes its file as the next to flush.
    #[inline]
    pub(crate) fn count_write(&mut self, file: u32) {
        self.file = file;
        for rule in &mut self.rules {
            rule.writes_since += 1;
        }
    }

    /// The next file to flush now that all of the pass is written.
    pub(crate) fn next_at_end(&mut self) -> Option<u32> {
        let file = self.flushed;
        let is_left = self.at_end && file < self.files;
        self.flushed += u32::from(is_left);
        is_left.then_some(file)
    }

    /// Whether files are being flushed at the end of a pass.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at_end && self.flushed > 0
    }

    /// Lets the next pass flush its files at its end again.
    pub(crate) fn restart(&mut self) {
        self.flushed = 0;
    }
}

/// How writes are done.
pub(crate) fn write_action(durability: &Durability) -> IoAction {
    match (durability.write_through, durability.with_metadata) {
        (false, _) => IoAction::Write,
        (true, false) => IoAction::WriteThrough,
        (true, true) => IoAction::WriteThroughWithMetadata,
    }
}
