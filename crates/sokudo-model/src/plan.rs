//! What to do: a plan of stages of workloads.

mod blocks;
mod data;
mod files;
mod pace;
mod recording;
mod scatter;
mod survey;
mod tree;
mod verify;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Nanos};

pub use blocks::{BlockChoice, BlockShare, BlockSizes};
pub use data::{BufferMemory, DataContent, Durability, Reducible};
pub use files::{FileOrder, FileService, FileUse, Files};
pub use pace::{
    Batching, EndsOthers, Limits, Rate, RateProcess, Rates, SteadyFigure, SteadyLimit, SteadyRule,
    Think,
};
pub use recording::{LatencyLog, Recording};
pub use scatter::{Distribution, Scatter, Zone, ZoneLength};
pub use survey::{DriveCache, Sample, Survey, Visit};
pub use tree::{FileTree, TreeContents, TreeNames, TreeOrder};
pub use verify::{Check, PatternPart, Verify};

/// What to do, complete: every front end ends in one of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The method, such as `mark/default`.
    pub method: String,
    /// Where all chance in the plan starts from.
    pub seed: u64,
    /// What runs one after the other.
    pub stages: Vec<Stage>,
}

/// Workloads that run together (fio: a group between two `stonewall`s).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stage {
    /// What runs at the same time.
    pub workloads: Vec<Workload>,
}

/// One access pattern on one target (fio: a job).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// What people call it, such as `SEQ1M Q8T1`.
    pub name: String,
    /// Threads that each run this workload (fio: `numjobs`). At least 1.
    pub clones: u32,
    /// How I/O is asked to be issued.
    pub backend: BackendKind,
    /// Whether the page cache is bypassed.
    pub direct: DirectMode,
    /// Which operations, in which shares.
    pub operations: OperationMix,
    /// In which order blocks are visited.
    pub order: Order,
    /// How large one I/O is.
    pub blocks: BlockSizes,
    /// Which part of the target is used; `None` is all of it.
    pub span: Option<Span>,
    /// Which targets of the stage, when it is not the first one alone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub files: Files,
    /// How random I/Os are spread over the span.
    #[serde(default, skip_serializing_if = "is_default")]
    pub scatter: Scatter,
    /// Places that are visited and measured one by one, where the span is not measured
    /// as a whole.
    #[serde(default, skip_serializing_if = "is_default")]
    pub survey: Option<Survey>,
    /// Many files that are created, looked up or deleted, instead of blocks of one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tree: Option<FileTree>,
    /// Of every hundred blocks that are read, so many are changed and written back to
    /// where they were; 0 leaves reads and writes unrelated.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rewritten_percent: u32,
    /// Whether the file is emptied first, so that finding room for its blocks is part of
    /// writing them. For files of sokudo's own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub from_empty: bool,
    /// Whether blocks that tell where they belong are written all over the target and read
    /// back, instead of anything else: is it as large as it says? ([`crate::CapacityCheck`])
    #[serde(default, skip_serializing_if = "is_default")]
    pub checks_capacity: bool,
    /// What its figure is meant to be of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub subject: Subject,
    /// I/Os kept in flight per clone (fio: `iodepth`).
    pub depth: u32,
    /// How I/Os are submitted and reaped together.
    #[serde(default, skip_serializing_if = "is_default")]
    pub batching: Batching,
    /// What memory buffers lie in.
    #[serde(default, skip_serializing_if = "is_default")]
    pub memory: BufferMemory,
    /// When to stop.
    pub limits: Limits,
    /// Time at the start that is run but not measured (fio: `ramp_time`).
    pub ramp: Nanos,
    /// When it starts, counted from the stage's start (fio: `startdelay`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub starts_after: Nanos,
    /// Whether its end ends every workload of the stage, and the plan with it (fio: `exitall`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub ends_others: EndsOthers,
    /// The fixed rate per clone of all operations together, if the load is not
    /// closed-loop.
    pub rate: Option<Rate>,
    /// Fixed rates of single operations, and how I/Os are spaced at a fixed rate.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rates: Rates,
    /// Pauses between I/Os.
    pub think: Option<Think>,
    /// When writes are made durable.
    pub durability: Durability,
    /// The state of the drive's own write cache.
    #[serde(default, skip_serializing_if = "is_default")]
    pub drive_cache: DriveCache,
    /// What writes contain.
    pub data: DataContent,
    /// Whether and how what was written is read back and checked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub verify: Option<Verify>,
    /// When it is steady enough to stop.
    #[serde(default, skip_serializing_if = "is_default")]
    pub steady: Option<SteadyRule>,
    /// What is kept of I/Os beyond one histogram per operation.
    #[serde(default, skip_serializing_if = "is_default")]
    pub recording: Recording,
    /// Processors that the clones are bound to; empty is unbound.
    pub cpus: Vec<u32>,
    /// Whether a clone may run on all of `cpus`, or on one each, in turn.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cpu_policy: CpuPolicy,
    /// Read the clock before and after every single I/O, not once per batch.
    pub exact_clock: bool,
}

/// What a workload does not ask for is left out of documents, which older versions wrote without it.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Workload {
    /// A workload that reads `block` sequentially at depth 1 until stopped; the
    /// starting point of every front end.
    pub fn new(name: impl Into<String>, block: Bytes) -> Self {
        Self {
            name: name.into(),
            clones: 1,
            backend: BackendKind::Auto,
            direct: DirectMode::Auto,
            operations: OperationMix::only(Operation::Read),
            order: Order::Sequential {
                offset: SequentialOffset::Own,
            },
            blocks: BlockSizes::one(block),
            span: None,
            files: Files::default(),
            scatter: Scatter::default(),
            survey: None,
            tree: None,
            rewritten_percent: 0,
            from_empty: false,
            checks_capacity: false,
            subject: Subject::Device,
            depth: 1,
            batching: Batching::default(),
            memory: BufferMemory::Auto,
            limits: Limits::default(),
            ramp: Nanos(0),
            starts_after: Nanos(0),
            ends_others: EndsOthers::Never,
            rate: None,
            rates: Rates::default(),
            think: None,
            durability: Durability::default(),
            drive_cache: DriveCache::Keep,
            data: DataContent::Random,
            verify: None,
            steady: None,
            recording: Recording::default(),
            cpus: Vec::new(),
            cpu_policy: CpuPolicy::Split,
            exact_clock: false,
        }
    }
}

/// What can be asked of a target.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Operation {
    /// Read a block.
    Read,
    /// Write a block.
    Write,
    /// Tell the target that a block is no longer needed (discard, punch hole).
    Trim,
    /// Make earlier writes durable (fsync, fdatasync).
    Flush,
    /// Create a file, with its contents.
    Create,
    /// Look a file up, and read it if it holds anything.
    Stat,
    /// Delete a file.
    Delete,
}

impl Operation {
    /// Every operation on the contents of one target, in the order of
    /// [`Operation::index`].
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Trim, Self::Flush];

    /// Every operation on whole files; they follow those of [`Operation::ALL`].
    pub const ON_FILES: [Self; 3] = [Self::Create, Self::Stat, Self::Delete];

    /// A small number for tables per operation.
    #[inline]
    pub const fn index(self) -> usize {
        match self {
            Self::Read => 0,
            Self::Write => 1,
            Self::Trim => 2,
            Self::Flush => 3,
            Self::Create => 4,
            Self::Stat => 5,
            Self::Delete => 6,
        }
    }

    /// `read`, `write`, `trim`, `flush`, `create`, `stat` or `delete`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Trim => "trim",
            Self::Flush => "flush",
            Self::Create => "create",
            Self::Stat => "stat",
            Self::Delete => "delete",
        }
    }

    /// Whether it changes what the target holds.
    pub const fn changes_data(self) -> bool {
        matches!(self, Self::Write | Self::Trim | Self::Create | Self::Delete)
    }

    /// Whether it is done to a whole file, and not to a block of one.
    pub const fn is_on_files(self) -> bool {
        matches!(self, Self::Create | Self::Stat | Self::Delete)
    }
}

/// Shares of operations in percent. The sum is 100 and no share is 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct OperationMix(Vec<(Operation, u32)>);

impl OperationMix {
    /// One operation only.
    pub fn only(operation: Operation) -> Self {
        Self(vec![(operation, 100)])
    }

    /// Reads in `read_percent` of the I/Os, writes in the others.
    /// `None` above 100.
    pub fn read_write(read_percent: u32) -> Option<Self> {
        match read_percent {
            0 => Some(Self::only(Operation::Write)),
            1..=99 => Some(Self(vec![
                (Operation::Read, read_percent),
                (Operation::Write, 100 - read_percent),
            ])),
            100 => Some(Self::only(Operation::Read)),
            _ => None,
        }
    }

    /// Reads of which so many percent are written back afterwards, as shares of all
    /// I/Os. `None` for 0 and above 100.
    pub fn rewriting(percent: u32) -> Option<Self> {
        let writes = (1..=100)
            .contains(&percent)
            .then(|| ((percent * 100) + (100 + percent) / 2) / (100 + percent))?;
        Self::read_write(100 - writes)
    }

    /// As many trims as writes: each place is trimmed, then written (with
    /// [`Scatter::trims_first`]).
    pub fn trim_write() -> Self {
        Self(vec![(Operation::Write, 50), (Operation::Trim, 50)])
    }

    /// Each operation with its percentage.
    pub fn shares(&self) -> &[(Operation, u32)] {
        &self.0
    }

    /// The percentage of one operation; 0 when it does not occur.
    pub fn percent(&self, operation: Operation) -> u32 {
        self.0
            .iter()
            .find(|(o, _)| *o == operation)
            .map_or(0, |(_, share)| *share)
    }

    /// The operation, when there is only one.
    pub fn single(&self) -> Option<Operation> {
        match self.0[..] {
            [(operation, _)] => Some(operation),
            _ => None,
        }
    }

    /// Whether any operation changes what the target holds.
    pub fn changes_data(&self) -> bool {
        self.0.iter().any(|(operation, _)| operation.changes_data())
    }

    /// `read`, `write`, … or `mix`: the column that results are shown in.
    pub fn direction(&self) -> &'static str {
        self.single().map_or("mix", Operation::name)
    }
}

/// What the figure of a workload is meant to be of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The device.
    #[default]
    Device,
    /// A cache before its medium, which answers what is read again and again.
    Cache,
}

/// In which order the blocks of the span are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Order {
    /// One after the other, from the start again at the end of the span.
    Sequential {
        /// Whose position that is when there are several clones.
        offset: SequentialOffset,
    },
    /// Uniformly at random, aligned to the smallest block.
    Random {
        /// Visit every block exactly once per pass (fio without
        /// `norandommap`).
        map: bool,
    },
}

/// What "sequential with N threads" means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SequentialOffset {
    /// Every clone walks the whole span by itself.
    Own,
    /// All clones share one position and take the next block in turn
    /// (DiskSpd: `-si`).
    Interlocked,
}

/// Whether clones share processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CpuPolicy {
    /// Each clone is bound to one of them, in turn.
    #[default]
    Split,
    /// Each clone may run on all of them.
    Shared,
}

/// A part of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// First byte.
    pub offset: Bytes,
    /// Number of bytes.
    pub length: Bytes,
}

/// Whether the page cache is bypassed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DirectMode {
    /// `O_DIRECT`, or an error where the file system has none.
    On,
    /// Through the page cache.
    Off,
    /// `O_DIRECT` where the file system has it; what was used is in the run.
    Auto,
}

/// How I/O is issued (fio: `ioengine`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackendKind {
    /// The fastest that kernel and sandbox allow.
    Auto,
    /// io_uring.
    IoUring,
    /// Linux native asynchronous I/O, by raw system calls.
    Libaio,
    /// `pread`/`pwrite`, one at a time.
    Psync,
    /// `lseek` and `read`/`write`, one at a time.
    Sync,
    /// `preadv`/`pwritev`, one at a time.
    Vsync,
    /// `preadv2`/`pwritev2`, one at a time.
    Pvsync2,
    /// Memory mapping.
    Mmap,
    /// No I/O at all.
    Null,
    /// A simulated device in virtual time.
    Sim,
}

impl BackendKind {
    /// The name as users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::IoUring => "io_uring",
            Self::Libaio => "libaio",
            Self::Psync => "psync",
            Self::Sync => "sync",
            Self::Vsync => "vsync",
            Self::Pvsync2 => "pvsync2",
            Self::Mmap => "mmap",
            Self::Null => "null",
            Self::Sim => "sim",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_of_nothing_but_one_operation_is_that_operation() {
        assert_eq!(
            OperationMix::read_write(0),
            Some(OperationMix::only(Operation::Write))
        );
        assert_eq!(
            OperationMix::read_write(100),
            Some(OperationMix::only(Operation::Read))
        );
        assert_eq!(OperationMix::read_write(101), None);
        let mix = OperationMix::read_write(70).unwrap();
        assert_eq!(
            (mix.percent(Operation::Read), mix.percent(Operation::Write)),
            (70, 30)
        );
        assert_eq!(mix.direction(), "mix");
    }

    #[test]
    fn empty_and_zero_blocks_are_refused() {
        assert_eq!(BlockSizes::mix(vec![]), None);
        assert_eq!(
            BlockSizes::mix(vec![BlockShare {
                bytes: Bytes(0),
                weight: 1
            }]),
            None
        );
        assert_eq!(
            BlockSizes::mix(vec![BlockShare {
                bytes: Bytes(512),
                weight: 0
            }]),
            None
        );
    }
}
