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
    /// Which targets of the stage, when it is not the first one alone.
    pub files: Files,
    /// How random I/Os are spread over the span.
    pub scatter: Scatter,
    /// I/Os kept in flight per clone (fio: `iodepth`).
    pub depth: u32,
    /// How I/Os are submitted and reaped together.
    pub batching: Batching,
    /// What memory buffers lie in.
    pub memory: BufferMemory,
    /// When to stop.
    pub limits: Limits,
    /// Time at the start that is run but not measured (fio: `ramp_time`).
    pub ramp: Nanos,
    /// When it starts, counted from the stage's start (fio: `startdelay`).
    pub starts_after: Nanos,
    /// Whether its end ends every workload of the stage, and the plan with it (fio: `exitall`).
    pub ends_others: EndsOthers,
    /// The fixed rate per clone of all operations together, if the load is not
    /// closed-loop.
    pub rate: Option<Rate>,
    /// Fixed rates of single operations, and how I/Os are spaced at a fixed rate.
    pub rates: Rates,
    /// Pauses between I/Os.
    pub think: Option<Think>,
    /// When writes are made durable.
    pub durability: Durability,
    /// What writes contain.
    pub data: DataContent,
    /// Whether and how what was written is read back and checked.
    pub verify: Option<Verify>,
    /// When it is steady enough to stop.
    pub steady: Option<SteadyRule>,
    /// What is kept of I/Os beyond one histogram per operation.
    pub recording: Recording,
    /// Processors that the clones are bound to; empty is unbound.
    pub cpus: Vec<u32>,
    /// Whether a clone may run on all of `cpus`, or on one each, in turn.
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
            direct: DirectMode::Auto,
            operations: OperationMix::only(Operation::Read),
            order: Order::Sequential {
                offset: SequentialOffset::Own,
            },
            blocks: BlockSizes::one(block),
            span: None,
            files: Files::default(),
            scatter: Scatter::default(),
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

/// Block sizes of each direction. Never empty; no size and no weight is 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockSizes {
    /// Of reads, and of all that has none of its own.
    all: BlockChoice,
    /// Of writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    write: Option<BlockChoice>,
    /// Of trims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trim: Option<BlockChoice>,
}

/// How the size of the next I/O is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockChoice {
    /// One of these by weight (fio: `bs`, `bssplit`).
    Shares(Vec<BlockShare>),
    /// Any multiple of `smallest` up to `largest`, all alike (fio: `bsrange`).
    Range {
        /// The smallest size, and what sizes are multiples of.
        smallest: Bytes,
        /// The largest size.
        largest: Bytes,
    },
}

/// One block size and how often it is used relative to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockShare {
    /// Size of one I/O.
    pub bytes: Bytes,
    /// Weight relative to the sum of all weights.
    pub weight: u32,
}

impl BlockChoice {
    /// Whether a choice is possible and no size or weight is 0.
    pub fn is_valid(&self) -> bool {
        match self {
            Self::Shares(shares) => {
                !shares.is_empty() && shares.iter().all(|s| s.bytes.0 > 0 && s.weight > 0)
            }
            Self::Range { smallest, largest } => smallest.0 > 0 && smallest <= largest,
        }
    }

    /// The smallest size.
    pub fn smallest(&self) -> Bytes {
        match self {
            Self::Shares(shares) => shares.iter().map(|s| s.bytes).min().unwrap_or_default(),
            Self::Range { smallest, .. } => *smallest,
        }
    }

    /// The largest size.
    pub fn largest(&self) -> Bytes {
        match self {
            Self::Shares(shares) => shares.iter().map(|s| s.bytes).max().unwrap_or_default(),
            Self::Range { largest, .. } => *largest,
        }
    }
}

impl BlockSizes {
    /// One size. A size of 0 is refused when the plan is checked.
    pub fn one(bytes: Bytes) -> Self {
        Self::all(BlockChoice::Shares(vec![BlockShare { bytes, weight: 1 }]))
    }

    /// Several sizes; `None` if there are none, or one is 0 or weighs 0.
    pub fn mix(shares: Vec<BlockShare>) -> Option<Self> {
        let choice = BlockChoice::Shares(shares);
        choice.is_valid().then(|| Self::all(choice))
    }

    /// Sizes of reads, writes and trims; `None` if one of them is not valid.
    pub fn per_direction(read: BlockChoice, write: BlockChoice, trim: BlockChoice) -> Option<Self> {
        let own = |choice: BlockChoice| (choice != read).then_some(choice);
        let valid = read.is_valid() && write.is_valid() && trim.is_valid();
        valid.then(|| Self {
            write: own(write),
            trim: own(trim),
            all: read.clone(),
        })
    }

    fn all(choice: BlockChoice) -> Self {
        Self {
            all: choice,
            write: None,
            trim: None,
        }
    }

    /// Each size with its weight, where that is the same for every operation and no
    /// range.
    pub fn shares(&self) -> Option<&[BlockShare]> {
        match (&self.all, &self.write, &self.trim) {
            (BlockChoice::Shares(shares), None, None) => Some(shares),
            _ => None,
        }
    }

    /// How sizes are chosen for an operation.
    pub fn of(&self, operation: Operation) -> &BlockChoice {
        let own = match operation {
            Operation::Write => self.write.as_ref(),
            Operation::Trim => self.trim.as_ref(),
            _ => None,
        };
        own.unwrap_or(&self.all)
    }

    /// The size, when there is only one.
    pub fn single(&self) -> Option<Bytes> {
        let (smallest, largest) = (self.smallest(), self.largest());
        (smallest == largest).then_some(smallest)
    }

    /// The smallest size: what offsets are aligned to.
    pub fn smallest(&self) -> Bytes {
        self.choices()
            .map(BlockChoice::smallest)
            .min()
            .unwrap_or_default()
    }

    /// The largest size: what a buffer must hold.
    pub fn largest(&self) -> Bytes {
        self.choices()
            .map(BlockChoice::largest)
            .max()
            .unwrap_or_default()
    }

    fn choices(&self) -> impl Iterator<Item = &BlockChoice> {
        std::iter::once(&self.all)
            .chain(&self.write)
            .chain(&self.trim)
    }
}

/// The targets that a workload uses, and in which turn. Without any, it uses the
/// stage's first target, or its `span`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Files {
    /// Each target with the part that is used of it.
    pub uses: Vec<FileUse>,
    /// Which one is next.
    pub service: FileService,
    /// Targets held open at once; the others are closed and opened in turn. `None` is all.
    pub open_max: Option<u32>,
}

/// One target of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileUse {
    /// Its index in the stage's targets.
    pub target: u32,
    /// Which part of it is used; `None` is all of it.
    pub span: Option<Span>,
}

/// Which of several targets the next I/O goes to (fio: `file_service_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileService {
    /// In which order.
    pub order: FileOrder,
    /// I/Os on one target before the next is chosen. At least 1.
    pub ios: u32,
}

impl Default for FileService {
    fn default() -> Self {
        Self {
            order: FileOrder::RoundRobin,
            ios: 1,
        }
    }
}

/// In which order several targets are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileOrder {
    /// In turn.
    RoundRobin,
    /// One until it is done, then the next.
    Sequential,
    /// At random, in this distribution.
    Random(Distribution),
}

/// How random I/Os are spread over the span.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scatter {
    /// How often each place is used.
    pub distribution: Distribution,
    /// The zones of reads, writes and trims, where the distribution is
    /// [`Distribution::Zoned`].
    pub zones: [Vec<Zone>; 3],
    /// Percentage of reads, writes and trims that go to a random place, the others
    /// continue after the last; `None` is 100 where the order is random, else 0
    /// (fio: `percentage_random`).
    pub random_percent: Option<[u8; 3]>,
    /// I/Os issued before a new random place is chosen, one after the other
    /// meanwhile (fio: `rw=randread:8`). 0 and 1 are every I/O.
    pub run_ios: u32,
    /// What is added to each next sequential offset beyond the block (fio:
    /// `rw=read:512k`); below 0 it runs backward.
    pub stride: i64,
    /// What random offsets of reads, writes and trims are multiples of, when that
    /// is not the smallest block (fio: `ba`).
    pub alignment: Option<[Bytes; 3]>,
}

/// How often each place of a span, or each of several targets, is used.
/// Parameters are in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// All alike.
    #[default]
    Uniform,
    /// Rank k in proportion to 1 / k^theta.
    Zipf {
        /// Theta × 1,000,000; above 0 and not 1,000,000.
        theta: u64,
        /// Where in the span rank 1 lies, × 1,000,000; `None` scatters ranks.
        center: Option<u64>,
    },
    /// Pareto.
    Pareto {
        /// h × 1,000,000; above 0 and below 1,000,000.
        power: u64,
        /// As for Zipf.
        center: Option<u64>,
    },
    /// Normal around the middle.
    Normal {
        /// Standard deviation in percent of the span × 1,000,000.
        deviation: u64,
        /// As for Zipf.
        center: Option<u64>,
    },
    /// By zones, which are in [`Scatter::zones`].
    Zoned,
}

/// A part of the span and how much of the I/O it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Zone {
    /// Percentage of the I/Os × 1,000,000.
    pub access: u64,
    /// Its length.
    pub length: ZoneLength,
}

/// How long a zone is. Zones follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ZoneLength {
    /// Percentage of the span × 1,000,000 (fio: `zoned`).
    Share(u64),
    /// Bytes (fio: `zoned_abs`).
    Size(Bytes),
}

/// How I/Os are submitted and reaped together. `None` is as the engine finds best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Batching {
    /// I/Os prepared before they are submitted (fio: `iodepth_batch`). At least 1.
    pub submit: Option<u32>,
    /// Completions waited for at once (fio: `iodepth_batch_complete_min`); 0 only looks.
    pub complete_min: Option<u32>,
    /// Completions reaped at once at most (fio: `iodepth_batch_complete_max`).
    pub complete_max: Option<u32>,
    /// Depth to which the queue drains before it is filled again (fio: `iodepth_low`).
    pub low_depth: Option<u32>,
}

/// What memory buffers lie in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BufferMemory {
    /// The fastest: huge pages where there are any.
    #[default]
    Auto,
    /// Small pages, as most programs use (fio: `mem=malloc`). One large I/O is then
    /// many segments to a device, which may have to be split.
    SmallPages,
    /// Huge pages, or an error.
    HugePages,
}

/// When a workload ends, what ends with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndsOthers {
    /// Nothing.
    #[default]
    Never,
    /// Everything, when it fails (fio: `exitall_on_error`).
    OnError,
    /// Everything (fio: `exitall`).
    Always,
}

/// Whether clones share processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CpuPolicy {
    /// Each clone is bound to one of them, in turn.
    Split,
    /// Each clone may run on all of them.
    Shared,
}

/// Fixed rates of single operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rates {
    /// Of reads, writes and trims of one clone.
    pub each: [Option<Rate>; 3],
    /// How I/Os are spaced at any fixed rate.
    pub process: RateProcess,
}

/// How I/Os are spaced at a fixed rate (fio: `rate_process`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RateProcess {
    /// Evenly.
    #[default]
    Linear,
    /// As independent requests of many users arrive.
    Poisson,
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
    /// I/Os per clone, the ramp included (fio: `number_ios`).
    pub ios: Option<u64>,
    /// How often the work up to `bytes` or `ios` is done from its start again after
    /// the first time (fio: `loops` less 1).
    pub repeats: u32,
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
    /// Whether I/Os in flight must have completed before the pause begins.
    pub waits_for_completion: bool,
    /// How much of `time` is spent computing instead of sleeping (fio: `thinktime_spin`).
    pub spin: Nanos,
}

impl Think {
    /// A pause that begins when all in flight has completed.
    pub fn new(time: Nanos, after_ios: u32) -> Self {
        Self {
            time,
            after_ios,
            waits_for_completion: true,
            spin: Nanos(0),
        }
    }
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
    /// Together with `write_through`: its metadata too (`O_SYNC`; fio: `sync=1`).
    pub with_metadata: bool,
    /// One fsync when a file is closed (fio: `fsync_on_close`).
    pub flush_on_close: bool,
    /// One fsync when all is written, inside the measured time.
    pub final_flush: bool,
}

/// What writes contain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DataContent {
    /// Random bytes, no two blocks of 4 KiB alike, nor two I/Os.
    Random,
    /// Zero bytes.
    Zero,
    /// The same random bytes in every I/O (fio without `refill_buffers`, DiskSpd's
    /// write source).
    Repeated,
    /// These bytes, over and over (fio: `buffer_pattern`). Never empty.
    Pattern(Vec<u8>),
    /// Random bytes that compress or repeat to a degree.
    Reducible(Reducible),
}

/// Data that compresses and deduplicates to a degree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reducible {
    /// Percentage of each chunk that compresses away, 0 to 100 (fio:
    /// `buffer_compress_percentage`).
    pub compress_percent: u32,
    /// Size of a chunk; `None` is the I/O's own (fio: `buffer_compress_chunk`).
    pub chunk: Option<Bytes>,
    /// What stands where it compresses; empty is zeros.
    pub filler: Vec<u8>,
    /// Percentage of I/Os that repeat an earlier one, 0 to 100 (fio:
    /// `dedupe_percentage`).
    pub dedupe_percent: u32,
}

/// How what was written is checked (fio: `verify`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verify {
    /// What each block carries.
    pub check: Check,
    /// Bytes per header; `None` is the block's size (fio: `verify_interval`).
    pub interval: Option<Bytes>,
    /// Where in the interval the header lies (fio: `verify_offset`).
    pub offset: Bytes,
    /// What fills the block besides the header; `None` is random (fio: `verify_pattern`).
    pub pattern: Option<Vec<PatternPart>>,
    /// Whether what was written is read back after each pass (fio: `do_verify`).
    pub read_back: bool,
    /// Writes after which what was written since is read back meanwhile (fio:
    /// `verify_backlog`); `None` is at the end of the pass.
    pub backlog: Option<u64>,
    /// How many blocks are then read back at a time; `None` is all of them (fio: `verify_backlog_batch`).
    pub backlog_batch: Option<u64>,
    /// Whether nothing is written, only checked (fio: `verify_only`).
    pub only: bool,
    /// Whether the first bad block ends the workload (fio: `verify_fatal`).
    pub fatal: bool,
    /// Whether bad blocks are written to files beside the target (fio: `verify_dump`).
    pub dump: bool,
    /// Whether the state is saved for a later check (fio: `verify_state_save`).
    pub save_state: bool,
}

/// What a block carries so that it can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of checksums speak for themselves")]
pub enum Check {
    Md5,
    Crc64,
    Crc32c,
    Crc32,
    Crc16,
    Crc7,
    Xxhash,
    Sha512,
    Sha256,
    Sha1,
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
    /// A header without a checksum.
    Header,
    /// The pattern with a header before it.
    PatternHeader,
    /// The pattern alone.
    Pattern,
    /// Nothing: what it costs to read back.
    Null,
}

/// A piece of a verify pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PatternPart {
    /// These bytes.
    Bytes(Vec<u8>),
    /// The block's offset in its file, 8 bytes, in the machine's byte order (fio: `%o`).
    Offset,
}

/// When a workload is steady enough to stop (fio: `steadystate`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyRule {
    /// What must be steady.
    pub figure: SteadyFigure,
    /// Whether the slope is looked at, or the largest deviation from the mean.
    pub slope: bool,
    /// How much of it is allowed.
    pub limit: SteadyLimit,
    /// The window that is looked at.
    pub duration: Nanos,
    /// What is run before the window begins.
    pub ramp: Nanos,
    /// How often it is looked at.
    pub interval: Nanos,
}

/// What must be steady.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SteadyFigure {
    /// I/Os per second.
    Iops,
    /// Bytes per second.
    Bandwidth,
}

/// How unsteady is steady enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SteadyLimit {
    /// Percent of the mean × 1,000,000.
    Percent(u64),
    /// In the figure's own unit (I/Os per second, or KiB per second) × 1,000,000.
    Absolute(u64),
}

/// What is kept of I/Os beyond one histogram per operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recording {
    /// Whether submission and completion are measured for every I/O, each by
    /// itself. Costs one system call per batch where submitting and waiting is one
    /// call otherwise.
    pub split_latency: bool,
    /// Length of the intervals of a series per operation; `None` keeps none.
    pub series_interval: Option<Nanos>,
    /// Latencies that are logged.
    pub latency_log: Option<LatencyLog>,
    /// Whether bytes and I/Os are logged as well, with each I/O by itself (fio:
    /// `write_bw_log` and `write_iops_log` without `log_avg_msec`).
    pub log_every_io: bool,
    /// Length of the intervals of a series of histograms (fio: `log_hist_msec`).
    pub histogram_interval: Option<Nanos>,
}

/// Which latencies are logged, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyLog {
    /// Length of the intervals that are averaged; `None` logs each I/O.
    pub interval: Option<Nanos>,
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
