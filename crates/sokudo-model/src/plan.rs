//! What to do: a plan of stages of workloads.

mod blocks;
mod data;
mod files;
mod omission;
mod operation;
mod pace;
mod recording;
mod scatter;
mod survey;
mod tree;
mod verify;

use schemars::JsonSchema;
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;
use serde::{Deserialize, Serialize};

use omission::is_default;

use crate::method::Method;
use crate::narrow::narrow;
use crate::units::{Bytes, Nanos};

pub use blocks::{BlockChoice, BlockShare, BlockSizes};
pub use data::{BufferMemory, DataContent, Durability, Reducible};
pub use files::{FileOrder, FileService, FileUse, Files, Span};
pub use operation::{Operation, OperationMix};
pub use pace::{
    Batching, EndsOthers, LeastRates, Limits, Rate, RateProcess, Rates, SteadyFigure, SteadyLimit,
    SteadyRule, Think,
};
pub use recording::{LatencyLog, Recording};
pub use scatter::{Distribution, Scatter, Zone, ZoneLength};
pub use survey::{DriveCache, Sample, Survey, SurveyPosition, Visit};
pub use tree::{FileTree, TreeContents, TreeNames, TreeOrder};
pub use verify::{Check, PatternPart, Verify};

/// What to do, complete: every front end ends in one of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The method, such as `mark/default`.
    pub method: Method,
    /// Where all chance in the plan starts from.
    pub seed: u64,
    /// What runs one after the other.
    pub stages: Vec<Stage>,
}

impl Plan {
    /// Workloads that run one after the other, each alone.
    pub fn in_turn(method: Method, seed: u64, workloads: Vec<Workload>) -> Self {
        Self {
            method,
            seed,
            stages: workloads.into_iter().map(Stage::alone).collect(),
        }
    }
}

impl Stage {
    /// One workload by itself.
    pub fn alone(workload: Workload) -> Self {
        Self {
            workloads: vec![workload],
        }
    }
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
    /// Whether the device's driver is asked for completions again and again, instead of
    /// interrupting a processor (fio: `hipri`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub polled: bool,
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
    /// What its rate is the rate of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub estimand: Estimand,
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
    /// Rates below which it fails (fio: `rate_min`, `rate_iops_min`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub least: LeastRates,
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

impl Workload {
    /// A workload that reads `block` sequentially at depth 1 until stopped; the
    /// starting point of every front end.
    pub fn new(name: impl Into<String>, block: Bytes) -> Self {
        Self {
            name: name.into(),
            clones: 1,
            backend: BackendKind::Auto,
            polled: false,
            direct: DirectMode::Auto,
            operations: OperationMix::only(Operation::Read),
            order: Order::SEQUENTIAL,
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
            // A figure is what a program with ordinary buffers gets.
            memory: BufferMemory::SmallPages,
            limits: Limits::default(),
            ramp: Nanos(0),
            estimand: Estimand::Work,
            starts_after: Nanos(0),
            ends_others: EndsOthers::Never,
            rate: None,
            rates: Rates::default(),
            least: LeastRates::default(),
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

    /// Whether its I/Os follow each other forward through one file, once, so that a trial can go
    /// on where another has ended.
    pub fn can_go_on(&self) -> bool {
        let is_once = self.limits.repeats == 0 && !self.from_empty;
        let is_forward = self.scatter.stride == 0 && self.files.uses.len() <= 1;
        let is_checked = self.verify.is_some() || self.survey.is_some();
        matches!(self.order, Order::Sequential { .. }) && is_once && is_forward && !is_checked
    }

    /// Whether its rate is that of a load that lasts: it is asked for, nothing but time ends it,
    /// and nothing spaces or follows its I/Os.
    pub fn is_sustained(&self) -> bool {
        let (limits, durability) = (&self.limits, &self.durability);
        let only_time_ends_it =
            limits.time.is_some() && limits.bytes.is_none() && limits.ios.is_none();
        let is_closed_loop =
            self.rate.is_none() && self.rates == Rates::default() && self.think.is_none();
        let is_plain = self.survey.is_none()
            && self.tree.is_none()
            && self.verify.is_none()
            && self.steady.is_none()
            && self.rewritten_percent == 0;
        let ends_with_its_ios = !durability.final_flush && !durability.flush_on_close;
        self.estimand == Estimand::Sustained
            && only_time_ends_it
            && is_closed_loop
            && is_plain
            && ends_with_its_ios
    }

    /// The targets that it uses, as indices into the plan's.
    pub fn targets(&self) -> Vec<usize> {
        if self.files.uses.is_empty() {
            return vec![0];
        }
        let uses = self.files.uses.iter();
        uses.map(|part| narrow(part.target)).collect()
    }
}

impl Default for Workload {
    fn default() -> Self {
        Self::new("", Bytes::kib(4))
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

/// What a rate is the rate of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Estimand {
    /// Of a piece of work: all that was started, from the first I/O until the last one has
    /// ended, with the filling and the draining of the queue (as fio counts).
    #[default]
    Work,
    /// Of a load that lasts: what is completed while the queue is full, after it has been
    /// turned over. Only where nothing but time ends the work, and nothing spaces its I/Os;
    /// all else is a piece of work.
    Sustained,
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

impl Order {
    /// Every clone walks the whole span by itself.
    pub const SEQUENTIAL: Self = Self::Sequential {
        offset: SequentialOffset::Own,
    };
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

impl From<bool> for DirectMode {
    fn from(is_on: bool) -> Self {
        if is_on { Self::On } else { Self::Off }
    }
}

/// How I/O is issued (fio: `ioengine`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackendKind {
    /// The fastest that kernel and sandbox allow.
    Auto,
    /// io_uring.
    IoUring,
    /// Commands to NVMe drives through io_uring, past the block layer.
    IoUringCmd,
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
    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        let name: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
        Self::deserialize(name).ok()
    }

    /// The name as users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::IoUring => "io_uring",
            Self::IoUringCmd => "io_uring_cmd",
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
    fn a_workload_without_files_uses_the_first_target() {
        let mut workload = Workload::new("x", Bytes(4096));
        assert_eq!(workload.targets(), [0]);
        let of = |target| FileUse { target, span: None };
        workload.files.uses = vec![of(2), of(1)];
        assert_eq!(workload.targets(), [2, 1]);
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
