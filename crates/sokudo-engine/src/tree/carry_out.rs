//! One workload on a tree of files, from its first file to its last.

use std::fs::File;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, fsync, linkat, mkdirat, openat, symlinkat, unlinkat};
use rustix::io::Errno;
use sokudo_model::{
    BackendKind, Bytes, Event, FailureKind, FileTree, IoFailure, Moved, Nanos, Operation,
    OperationTally, Outcome, Phase, StopReason, TreeContents, TreeOrder, Workload, narrow,
};
use sokudo_stats::{Permutation, Random, mix64};

use super::names::{LINKED_NAME, TreeFileNames, directory_name};
use super::own_directory::{OwnDirectory, TreeError};
use crate::backend::used;
use crate::blocking_work::run_watched;
use crate::clock::{Clock as _, RealClock};
use crate::control::Control;
use crate::stage_error::StageError;
use crate::stuck::{begin_call, begin_next_call};
use crate::usage::{used_since, used_so_far};

/// How often a listener hears how far it is, nanoseconds.
const TICK_NS: u64 = 100_000_000;

/// Where and with what chance a tree is worked on.
#[derive(Clone, Copy)]
pub struct TreeRun<'a> {
    /// What the files lie in.
    pub directory: &'a OwnDirectory,
    /// Names, sizes and random orders follow from it: the same for all workloads on the
    /// same files.
    pub seed: u64,
    /// Ends the work between two files when it is cancelled.
    pub control: &'a Control,
}

/// Creates, looks up or deletes all files of the workload's tree, one after the other. A
/// file that fails ends it and is in the outcome, by its number; what was measured until
/// then counts.
///
/// Deleting deletes the subdirectories too. Unless each file is made durable by itself,
/// creating and deleting end with a flush of the whole file system, inside the measured
/// time.
///
/// # Errors
/// When the workload has no tree, or no thread can be started.
pub fn run_tree(
    workload: &Workload,
    run: TreeRun<'_>,
    listener: &mut dyn FnMut(Event),
) -> Result<Outcome, TreeError> {
    let operation = workload.operations.single();
    let (Some(tree), Some(operation)) = (
        workload.tree().filter(|tree| tree.files > 0),
        operation.filter(|operation| operation.is_on_files()),
    ) else {
        return Err(TreeError::NoTree {
            name: workload.name.clone(),
            operation: workload.operations.direction(),
        });
    };
    let done = run_watched(run.control, listener, |listener| {
        Carrier::new(workload, tree, operation, run).carry_out(listener)
    });
    done.map_err(|source| StageError::Thread { source }.into())
}

/// Why not all files were visited.
enum VisitEnd {
    Stopped(StopReason),
    Failed(FailureKind),
}

impl From<Errno> for VisitEnd {
    fn from(errno: Errno) -> Self {
        Self::Failed(FailureKind::Errno(errno.raw_os_error()))
    }
}

/// What is needed to visit files.
struct Carrier<'a> {
    tree: FileTree,
    operation: Operation,
    names: TreeFileNames,
    seed: u64,
    root: &'a File,
    control: &'a Control,
    /// Open only where each change is made durable.
    directories: Vec<File>,
    /// What is written, and room for what is read: one buffer.
    buffer: Vec<u8>,
    path: String,
    clock: RealClock,
    tally: OperationTally,
    flushes: OperationTally,
    failures: Vec<IoFailure>,
    started_at: u64,
    now: u64,
    busy_ns: u64,
    reported_at: u64,
}

impl<'a> Carrier<'a> {
    fn new(workload: &Workload, tree: FileTree, operation: Operation, run: TreeRun<'a>) -> Self {
        let buffer_length: usize = narrow(workload.blocks.largest().0);
        let most = match tree.contents {
            TreeContents::Bytes { max, .. } => max as usize,
            TreeContents::HardLinks | TreeContents::SymbolicLinks => 0,
        };
        let mut buffer = vec![0; buffer_length.min(most)];
        Random::new(run.seed).fill(&mut buffer);
        Self {
            tree,
            operation,
            names: TreeFileNames::new(tree, run.seed),
            seed: run.seed,
            root: run.directory.handle(),
            control: run.control,
            directories: Vec::new(),
            buffer,
            path: String::new(),
            clock: RealClock::new(),
            tally: OperationTally::new(operation),
            flushes: OperationTally::new(Operation::Flush),
            failures: Vec::new(),
            started_at: 0,
            now: 0,
            busy_ns: 0,
            reported_at: 0,
        }
    }

    fn carry_out(mut self, listener: &mut dyn FnMut(Event)) -> Outcome {
        let prepared = match self.operation {
            Operation::Create => self.make_directories(),
            _ => Ok(()),
        };
        let used_before = used_so_far();
        self.start();
        let done = prepared
            .and_then(|()| self.open_directories())
            .and_then(|()| self.visit_all(listener))
            .and_then(|()| self.settle());
        let stopped = match done {
            Ok(()) => StopReason::Bytes,
            Err(VisitEnd::Stopped(reason)) => reason,
            Err(VisitEnd::Failed(kind)) => {
                self.fail(kind);
                StopReason::Failed
            }
        };
        let (cpu, usage) = used_since(used_before);
        Outcome {
            cpu: Some(cpu),
            usage: Some(usage),
            ..self.outcome(stopped)
        }
    }

    /// A call behind the files so far begins, which moves so many bytes.
    fn begin_call(&self, length: usize) {
        begin_next_call(self.operation, self.tally.ios, narrow(length));
    }

    fn make_directories(&mut self) -> Result<(), VisitEnd> {
        for number in 0..self.tree.directories {
            self.begin_call(0);
            mkdirat(self.root, directory_name(number), Mode::RWXU)?;
        }
        if !matches!(self.tree.contents, TreeContents::Bytes { .. }) {
            self.begin_call(0);
            openat(self.root, LINKED_NAME, creating(), mode_of_files())?;
        }
        Ok(())
    }

    fn open_directories(&mut self) -> Result<(), VisitEnd> {
        if !self.tree.sync_each {
            return Ok(());
        }
        for number in 0..self.tree.directories {
            self.begin_call(0);
            let handle = openat(self.root, directory_name(number), listing(), Mode::empty())?;
            self.directories.push(handle.into());
        }
        Ok(())
    }

    fn start(&mut self) {
        self.started_at = self.clock.now();
        self.now = self.started_at;
        self.reported_at = self.started_at;
    }

    fn visit_all(&mut self, listener: &mut dyn FnMut(Event)) -> Result<(), VisitEnd> {
        match self.tree.order {
            TreeOrder::Numbered => {
                for number in 0..self.tree.files {
                    self.visit(number, listener)?;
                }
            }
            TreeOrder::Shuffled => {
                // Each operation has an order of its own.
                let key = mix64(self.seed ^ self.operation.index() as u64);
                let order = Permutation::new(self.tree.files, key);
                for index in 0..self.tree.files {
                    self.visit(order.at(index), listener)?;
                }
            }
            TreeOrder::Listed => {
                for directory in 0..self.tree.directories.max(1) {
                    for number in self.listed(directory)? {
                        self.visit(number, listener)?;
                    }
                }
                // Somebody else has deleted files, or the file system lost them.
                if self.tally.ios < self.tree.files {
                    return Err(Errno::NOENT.into());
                }
            }
        }
        Ok(())
    }

    /// The numbers of the files in a directory, in its own order.
    fn listed(&self, directory: u32) -> Result<Vec<u64>, VisitEnd> {
        self.begin_call(0);
        let entries = if self.tree.directories == 0 {
            Dir::read_from(self.root)?
        } else {
            let handle = openat(
                self.root,
                directory_name(directory),
                listing(),
                Mode::empty(),
            )?;
            Dir::read_from(handle)?
        };
        let mut numbers = Vec::new();
        for entry in entries {
            self.begin_call(0);
            numbers.extend(self.names.number_of(entry?.file_name().to_bytes()));
        }
        Ok(numbers)
    }

    fn visit(&mut self, number: u64, listener: &mut dyn FnMut(Event)) -> Result<(), VisitEnd> {
        if self.control.is_cancelled() {
            return Err(VisitEnd::Stopped(StopReason::Cancelled));
        }
        if self.control.is_stopped() {
            return Err(VisitEnd::Stopped(StopReason::Ended));
        }
        self.names.path(number, &mut self.path);
        self.begin_call(0);
        let issued_at = self.clock.now();
        let result = match self.operation {
            Operation::Create => self.create(number),
            Operation::Stat => self.look_up(number),
            _ => self.delete(number),
        };
        self.now = self.clock.now();
        self.busy_ns += self.now - issued_at;
        self.tally.bytes.0 += result?;
        self.tally.ios += 1;
        self.tally.latency.record(self.now - issued_at);
        if self.now - self.reported_at >= TICK_NS {
            self.reported_at = self.now;
            listener(Event::Progress {
                workload: 0,
                at: Nanos(self.now - self.started_at),
                bytes: self.tally.bytes,
                ios: self.tally.ios,
                each: [Moved::default(); 3],
                phase: Phase::Running,
            });
        }
        Ok(())
    }

    /// Returns the bytes written.
    fn create(&mut self, number: u64) -> Result<u64, VisitEnd> {
        let path = self.path.as_str();
        match self.tree.contents {
            TreeContents::HardLinks => {
                linkat(self.root, LINKED_NAME, self.root, path, AtFlags::empty())?;
            }
            TreeContents::SymbolicLinks => {
                // A link is resolved from where it lies.
                let up = if self.tree.directories > 0 { "../" } else { "" };
                symlinkat(format!("{up}{LINKED_NAME}"), self.root, path)?;
            }
            TreeContents::Bytes { .. } => {
                let file = openat(self.root, path, creating(), mode_of_files())?;
                self.write(&file, number)?;
                if self.tree.sync_each {
                    self.begin_call(0);
                    fsync(&file)?;
                }
            }
        }
        self.sync_directory(number)?;
        Ok(self.names.size_of(number).into())
    }

    fn write(&mut self, file: &impl std::os::fd::AsFd, number: u64) -> Result<(), VisitEnd> {
        // No two files begin alike.
        for (byte, mark) in self.buffer.iter_mut().zip(mix64(number).to_le_bytes()) {
            *byte ^= mark;
        }
        let mut left = self.names.size_of(number) as usize;
        while left > 0 {
            let part = left.min(self.buffer.len());
            self.begin_call(part);
            let written = rustix::io::write(file, &self.buffer[..part])?;
            if written == 0 {
                return Err(VisitEnd::Failed(FailureKind::Nothing));
            }
            left -= written;
        }
        Ok(())
    }

    /// Returns the bytes read. A file of another size than it was created with is a
    /// failure.
    fn look_up(&mut self, number: u64) -> Result<u64, VisitEnd> {
        let requested = self.names.size_of(number);
        let found = rustix::fs::statat(self.root, self.path.as_str(), AtFlags::empty())?.st_size;
        if found != i64::from(requested) {
            // Whoever has made it longer than any of ours: it is not what was created.
            let moved = narrow(found.clamp(0, u32::MAX.into()));
            return Err(VisitEnd::Failed(FailureKind::Short { requested, moved }));
        }
        let mut left = requested as usize;
        if left == 0 {
            return Ok(0);
        }
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        self.begin_call(0);
        let file = openat(self.root, self.path.as_str(), flags, Mode::empty())?;
        while left > 0 {
            let part = left.min(self.buffer.len());
            self.begin_call(part);
            match rustix::io::read(&file, &mut self.buffer[..part])? {
                0 => return Err(VisitEnd::Failed(FailureKind::Nothing)),
                read => left -= read,
            }
        }
        Ok(requested.into())
    }

    fn delete(&self, number: u64) -> Result<u64, VisitEnd> {
        unlinkat(self.root, self.path.as_str(), AtFlags::empty())?;
        self.sync_directory(number)?;
        Ok(0)
    }

    fn sync_directory(&self, number: u64) -> Result<(), VisitEnd> {
        if self.tree.sync_each {
            let own = self.names.directory_of(number) as usize;
            self.begin_call(0);
            fsync(self.directories.get(own).unwrap_or(self.root))?;
        }
        Ok(())
    }

    /// Takes subdirectories away after the files, and makes everything durable.
    fn settle(&mut self) -> Result<(), VisitEnd> {
        if self.operation == Operation::Delete {
            for number in 0..self.tree.directories {
                self.begin_call(0);
                unlinkat(self.root, directory_name(number), AtFlags::REMOVEDIR)?;
            }
            if !matches!(self.tree.contents, TreeContents::Bytes { .. }) {
                self.begin_call(0);
                unlinkat(self.root, LINKED_NAME, AtFlags::empty())?;
            }
        }
        if self.operation != Operation::Stat && !self.tree.sync_each {
            begin_call(Operation::Flush, 0, 0);
            let issued_at = self.clock.now();
            rustix::fs::syncfs(self.root)?;
            self.now = self.clock.now();
            let took = self.now - issued_at;
            self.busy_ns += took;
            self.flushes.ios += 1;
            self.flushes.latency.record(took);
            self.flushes.elapsed = Nanos(took);
        }
        self.now = self.clock.now();
        Ok(())
    }

    fn fail(&mut self, kind: FailureKind) {
        self.failures.push(IoFailure {
            operation: self.operation,
            kind,
            offset: Bytes(self.tally.ios),
            count: 1,
        });
    }

    fn outcome(mut self, stopped: StopReason) -> Outcome {
        let elapsed_ns = self.now - self.started_at;
        self.tally.elapsed = Nanos(elapsed_ns);
        let depth_achieved = if elapsed_ns == 0 {
            0.0
        } else {
            self.busy_ns as f64 / elapsed_ns as f64
        };
        let backend = used(BackendKind::Sync, Vec::new());
        let tallies = [self.flushes, self.tally];
        Outcome {
            elapsed: Nanos(elapsed_ns),
            operations: tallies.into_iter().filter(|tally| tally.ios > 0).collect(),
            depth_achieved,
            failures: self.failures,
            ..Outcome::new(backend, stopped)
        }
    }
}

/// As a new file is opened: it must not be there yet.
fn creating() -> OFlags {
    OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

/// As a directory is opened.
fn listing() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

fn mode_of_files() -> Mode {
    Mode::RUSR | Mode::WUSR
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sokudo_model::{OperationMix, TreeNames, Work};

    use super::*;
    use crate::stuck::{CallWatch, SystemCall, show_calls};

    /// As one looks on while the parts of a file are written and read, some of them slowly.
    #[test]
    fn each_part_of_a_file_is_a_call_of_its_own() {
        const PARTS: u64 = 9;
        let parent = tempfile::tempdir().unwrap();
        let directory = OwnDirectory::create(parent.path(), &[]).unwrap();
        let (control, call) = (Control::new(), Arc::<SystemCall>::default());
        show_calls(&call);
        let tree = FileTree {
            files: 1,
            contents: TreeContents::Bytes {
                min: 9 * 512,
                max: 9 * 512,
            },
            directories: 0,
            names: TreeNames::NumberFirst,
            order: TreeOrder::Numbered,
            sync_each: false,
        };
        for operation in [Operation::Create, Operation::Stat] {
            let mut workload = Workload::new("file", Bytes(512));
            workload.operations = OperationMix::only(operation);
            workload.work = Work::Tree(tree);
            let run = TreeRun {
                directory: &directory,
                seed: 7,
                control: &control,
            };
            let mut carrier = Carrier::new(&workload, tree, operation, run);
            let before = call.calls();
            carrier.visit(0, &mut |_| {}).map_err(drop).unwrap();
            assert!(call.calls() >= before + PARTS, "{operation:?}");
            carrier.begin_call(512);
            let mut watch = CallWatch::default();
            let seen = watch.look(&call, 0, Nanos(0), 1).unwrap();
            assert_eq!((seen[0].operation, seen[0].length), (operation, Bytes(512)));
        }
    }
}
