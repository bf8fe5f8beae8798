//! What to do: a plan of stages of workloads.

mod blocks;
mod data;
mod files;
mod issuing;
mod measures;
mod operation;
mod pace;
mod recording;
mod scatter;
mod survey;
mod tree;
mod verify;
mod work;

use schemars::JsonSchema;
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;
use serde::{Deserialize, Serialize};

use crate::json::is_default;
use crate::method::Method;
use crate::narrow::narrow;
use crate::units::Bytes;

pub use blocks::{BlockChoice, BlockShare, BlockSizes};
pub use data::{DataContent, Durability, Reducible};
pub use files::{FileOrder, FileService, FileUse, Files, Span};
pub use issuing::{Batching, BufferMemory, CpuPolicy, IssueOptions};
pub use measures::{Estimand, Measures, Subject};
pub use operation::{Operation, OperationMix};
pub use pace::{
    EndsOthers, LeastRates, Limits, Pacing, Rate, RateProcess, Rates, SteadyFigure, SteadyLimit,
    SteadyRule, Think, WorkloadTiming,
};
pub use recording::{LatencyLog, Recording};
pub use scatter::{Distribution, Scatter, Zone, ZoneLength};
pub use survey::{DriveCache, Sample, Survey, SurveyPosition, Visit};
pub use tree::{FileTree, TreeContents, TreeNames, TreeOrder};
pub use verify::{Check, PatternPart, Verify, WriteCheck};
pub use work::Work;

/// What to do, complete: every front end ends in one of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// Threads that may run at the same time: as many as fio allows (`REAL_MAX_JOBS`). Of more,
    /// Linux runs out of threads and of asynchronous requests (65,536 of all processes by default,
    /// `fs.aio-max-nr`) before anything is learnt.
    pub const THREADS_MAX: u32 = 4_096;

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
    #[serde(rename = "clones")]
    pub threads: u32,
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
    /// Which part of the target is used; `null` is all of it.
    pub span: Option<Span>,
    /// Which targets of the stage, when it is not the first one alone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub files: Files,
    /// How random I/Os are spread over the span.
    #[serde(default, skip_serializing_if = "is_default")]
    pub scatter: Scatter,
    /// What is done there.
    // Drafts of the format had a field for each kind of work. Under these names a run of one is
    // refused, rather than taken for one of plain blocks.
    #[serde(
        default,
        skip_serializing_if = "is_default",
        alias = "survey",
        alias = "tree",
        alias = "rewritten_percent",
        alias = "checks_capacity",
        alias = "from_empty"
    )]
    pub work: Work,
    /// Whether and how what was written is read back and checked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub verify: Option<Verify>,
    /// What its figure is of.
    #[serde(flatten)]
    pub measures: Measures,
    /// I/Os kept in flight per thread (fio: `iodepth`).
    pub depth: u32,
    /// How I/Os are issued besides.
    #[serde(flatten)]
    pub issuing: IssueOptions,
    /// Limits of time, bytes and I/Os; the first that is reached stops it.
    pub limits: Limits,
    /// When it starts, counts and ends besides.
    #[serde(flatten)]
    pub timing: WorkloadTiming,
    /// Rates that it keeps, and pauses.
    #[serde(flatten)]
    pub pacing: Pacing,
    /// When writes are made durable.
    pub durability: Durability,
    /// The state of the drive's own write cache.
    #[serde(default, skip_serializing_if = "is_default")]
    pub drive_cache: DriveCache,
    /// Content of the blocks that are written.
    pub data: DataContent,
    /// What is kept of I/Os beyond one histogram per operation.
    #[serde(default, skip_serializing_if = "is_default")]
    pub recording: Recording,
}

impl Workload {
    /// A workload that reads `block` sequentially at depth 1 until stopped; the
    /// starting point of every front end.
    pub fn new(name: impl Into<String>, block: Bytes) -> Self {
        Self {
            name: name.into(),
            threads: 1,
            backend: BackendKind::Auto,
            direct: DirectMode::Auto,
            operations: OperationMix::only(Operation::Read),
            order: Order::SEQUENTIAL,
            blocks: BlockSizes::one(block),
            span: None,
            files: Files::default(),
            scatter: Scatter::default(),
            work: Work::Blocks,
            verify: None,
            measures: Measures::default(),
            depth: 1,
            issuing: IssueOptions::default(),
            limits: Limits::default(),
            timing: WorkloadTiming::default(),
            pacing: Pacing::default(),
            durability: Durability::default(),
            drive_cache: DriveCache::Keep,
            data: DataContent::Random,
            recording: Recording::default(),
        }
    }

    /// Whether its I/Os follow each other forward through one file, once, so that a trial can go
    /// on where another has ended.
    pub fn can_go_on(&self) -> bool {
        let is_once = self.limits.repeats == 0 && !self.files.from_empty;
        let is_forward = self.scatter.stride == 0 && self.files.uses.len() <= 1;
        let is_checked = self.write_check().is_some() || self.survey().is_some();
        matches!(self.order, Order::Sequential { .. }) && is_once && is_forward && !is_checked
    }

    /// Whether its rate is that of a load that lasts: it is asked for, nothing but time ends it,
    /// and nothing spaces or follows its I/Os.
    pub fn is_sustained(&self) -> bool {
        let (limits, durability) = (&self.limits, &self.durability);
        let only_time_ends_it =
            limits.time.is_some() && limits.bytes.is_none() && limits.ios.is_none();
        let Pacing {
            rate, rates, think, ..
        } = self.pacing;
        let is_closed_loop = rate.is_none() && rates == Rates::default() && think.is_none();
        let is_plain = self.is_pattern_alone() && self.timing.steady.is_none();
        let ends_with_its_ios = !durability.final_flush && !durability.flush_on_close;
        self.measures.estimand == Estimand::Sustained
            && only_time_ends_it
            && is_closed_loop
            && is_plain
            && ends_with_its_ios
    }

    /// Whether each of its I/Os follows from its pattern alone, and from none before it.
    pub fn is_pattern_alone(&self) -> bool {
        self.work == Work::Blocks && self.write_check().is_none()
    }

    /// The places that it measures one by one.
    pub const fn survey(&self) -> Option<Survey> {
        match self.work {
            Work::Survey(survey) => Some(survey),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub const fn survey_mut(&mut self) -> Option<&mut Survey> {
        match &mut self.work {
            Work::Survey(survey) => Some(survey),
            _ => None,
        }
    }

    /// The files that it creates, looks up or deletes.
    pub const fn tree(&self) -> Option<FileTree> {
        match self.work {
            Work::Tree(tree) => Some(tree),
            _ => None,
        }
    }

    /// Of every hundred blocks that it reads, so many are changed and written back.
    pub const fn rewritten_percent(&self) -> u32 {
        match self.work {
            Work::Rewriting { percent } => percent,
            _ => 0,
        }
    }

    /// How the writes of its own are checked (fio: `verify`).
    pub const fn write_check(&self) -> Option<&WriteCheck> {
        match &self.verify {
            Some(Verify::Writes(check)) => Some(check),
            _ => None,
        }
    }

    /// What the contents of its blocks follow from, besides their place.
    pub const fn seal(&self) -> Option<u64> {
        match self.verify {
            Some(Verify::Seals(number)) => Some(number),
            _ => None,
        }
    }

    /// Whether it is a check of how large its target is.
    pub fn checks_capacity(&self) -> bool {
        self.verify == Some(Verify::Capacity)
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

/// In which order the blocks of the span are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Order {
    /// One after the other, from the start again at the end of the span.
    Sequential {
        /// Whose position that is when there are several threads.
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
    /// Every thread walks the whole span by itself.
    pub const SEQUENTIAL: Self = Self::Sequential {
        offset: SequentialOffset::Own,
    };
}

/// What "sequential with N threads" means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SequentialOffset {
    /// Every thread walks the whole span by itself.
    Own,
    /// All threads share one position and take the next block in turn
    /// (DiskSpd: `-si`).
    Interlocked,
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

named! {
    /// How I/O is issued (fio: `ioengine`).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub enum BackendKind {
        /// The fastest that kernel and sandbox allow.
        #[default]
        Auto = "auto",
        /// io_uring: I/Os are queued in rings that are shared with the kernel.
        IoUring = "io_uring",
        /// Commands to NVMe drives through io_uring, past the block layer.
        IoUringCmd = "io_uring_cmd",
        /// Linux native asynchronous I/O, by raw system calls.
        Libaio = "libaio",
        /// `pread`/`pwrite`, one at a time.
        Psync = "psync",
        /// `lseek` and `read`/`write`, one at a time.
        Sync = "sync",
        /// `preadv`/`pwritev`, one at a time.
        Vsync = "vsync",
        /// `preadv2`/`pwritev2`, one at a time.
        Pvsync2 = "pvsync2",
        /// Memory mapping: an I/O copies to or from mapped pages.
        Mmap = "mmap",
        /// No I/O at all.
        Null = "null",
        /// A simulated device in virtual time.
        Sim = "sim",
    }
}

impl BackendKind {
    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        let name: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
        Self::deserialize(name).ok()
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
