//! What to do: a plan of stages of workloads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Nanos};

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
    /// I/Os kept in flight per clone (fio: `iodepth`).
    pub depth: u32,
    /// When to stop.
    pub limits: Limits,
    /// Time at the start that is run but not measured (fio: `ramp_time`).
    pub ramp: Nanos,
    /// The fixed rate per clone, if the load is not closed-loop.
    pub rate: Option<Rate>,
    /// Pauses between I/Os.
    pub think: Option<Think>,
    /// When writes are made durable.
    pub durability: Durability,
    /// What writes contain.
    pub data: DataContent,
    /// Processors that the clones are bound to, in turn; empty is unbound.
    pub cpus: Vec<u32>,
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
            direct: DirectMode::Auto,
            operations: OperationMix::only(Operation::Read),
            order: Order::Sequential {
                offset: SequentialOffset::Own,
            },
            blocks: BlockSizes::one(block),
            span: None,
            depth: 1,
            limits: Limits::default(),
            ramp: Nanos(0),
            rate: None,
            think: None,
            durability: Durability::default(),
            data: DataContent::Random,
            cpus: Vec::new(),
            exact_clock: false,
        }
    }
}

/// What can be asked of a target. More kinds will come (create, stat, unlink).
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
}

impl Operation {
    /// Every operation, in the order of [`Operation::index`].
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Trim, Self::Flush];

    /// A small number for tables per operation.
    pub const fn index(self) -> usize {
        match self {
            Self::Read => 0,
            Self::Write => 1,
            Self::Trim => 2,
            Self::Flush => 3,
        }
    }

    /// `read`, `write`, `trim` or `flush`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Trim => "trim",
            Self::Flush => "flush",
        }
    }

    /// Whether it changes what the target holds.
    pub const fn changes_data(self) -> bool {
        matches!(self, Self::Write | Self::Trim)
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

/// Block sizes with their weights. Never empty; no size and no weight is 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct BlockSizes(Vec<BlockShare>);

/// One block size and how often it is used relative to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockShare {
    /// Size of one I/O.
    pub bytes: Bytes,
    /// Weight relative to the sum of all weights.
    pub weight: u32,
}

impl BlockSizes {
    /// One size. A size of 0 is refused when the plan is checked.
    pub fn one(bytes: Bytes) -> Self {
        Self(vec![BlockShare { bytes, weight: 1 }])
    }

    /// Several sizes; `None` if there are none, or one is 0 or weighs 0.
    pub fn mix(shares: Vec<BlockShare>) -> Option<Self> {
        let valid = !shares.is_empty() && shares.iter().all(|s| s.bytes.0 > 0 && s.weight > 0);
        valid.then_some(Self(shares))
    }

    /// Each size with its weight.
    pub fn shares(&self) -> &[BlockShare] {
        &self.0
    }

    /// The size, when there is only one.
    pub fn single(&self) -> Option<Bytes> {
        match self.0[..] {
            [share] => Some(share.bytes),
            _ => None,
        }
    }

    /// The smallest size: what offsets are aligned to.
    pub fn smallest(&self) -> Bytes {
        self.0
            .iter()
            .map(|share| share.bytes)
            .min()
            .unwrap_or_default()
    }

    /// The largest size: what a buffer must hold.
    pub fn largest(&self) -> Bytes {
        self.0
            .iter()
            .map(|share| share.bytes)
            .max()
            .unwrap_or_default()
    }
}

/// A part of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// First byte.
    pub offset: Bytes,
    /// Number of bytes.
    pub length: Bytes,
}

/// When a workload stops: at whichever limit is reached first. With none it
/// runs until it is stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Measured time, the ramp not included.
    pub time: Option<Nanos>,
    /// Bytes moved per clone, the ramp included.
    pub bytes: Option<Bytes>,
}

/// A fixed rate per clone: I/Os start on a schedule, whether or not earlier ones
/// have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// Bytes per second.
    BytesPerSecond(u64),
    /// I/Os per second.
    Iops(u64),
}

/// A pause between I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Think {
    /// How long to pause.
    pub time: Nanos,
    /// After how many I/Os each time. At least 1.
    pub after_ios: u32,
}

/// When writes are made durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Durability {
    /// fsync after this many writes.
    pub fsync_every: Option<u32>,
    /// fdatasync after this many writes.
    pub fdatasync_every: Option<u32>,
    /// Every write returns only when durable (`RWF_DSYNC`: FUA where the device
    /// has it).
    pub write_through: bool,
    /// One fsync when all is written, inside the measured time.
    pub final_flush: bool,
}

/// What writes contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DataContent {
    /// Random bytes, no two blocks of 4 KiB alike, nor two I/Os.
    Random,
    /// Zero bytes.
    Zero,
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
