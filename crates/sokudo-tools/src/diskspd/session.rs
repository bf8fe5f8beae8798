//! What diskspd's outputs say of a run besides what happened: the profile as it was
//! asked for, and which thread and target each row of the run is.
//!
//! A diskspd command line or XML profile becomes a [`DiskspdProfile`]; that becomes a
//! [`sokudo_model::Plan`] with one stage per time span, and one more for its cool-down.

use sokudo_model::{Bytes, Nanos};

/// Everything a diskspd command line asks for besides its plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiskspdSession {
    /// The command line as typed, to be printed.
    pub command_line: String,
    /// In which layout results are printed.
    pub layout: DiskspdLayout,
    /// What was asked for.
    pub profile: DiskspdProfile,
    /// What each workload of the plan is, in the order of the plan's workloads.
    pub rows: Vec<DiskspdRow>,
    /// Every target of the plan, in the order of the stage's targets.
    pub target_states: Vec<DiskspdTargetState>,
    /// What was accepted without effect, or is done otherwise than by diskspd: one
    /// sentence each.
    pub notes: Vec<String>,
}

/// The layouts of diskspd's results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiskspdLayout {
    /// The text of diskspd-for-linux.
    #[default]
    Linux,
    /// The text of diskspd 2.2 on Windows.
    Windows,
    /// The XML of diskspd 2.2.
    Xml,
}

/// One workload of the plan as diskspd sees it: what one thread does on one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskspdRow {
    /// Index of its time span in the profile.
    pub span: u32,
    /// Number of the thread in its time span, from 0; of the first one, if there are several.
    pub thread: u32,
    /// Number of the thread among those of its target, from 0.
    pub thread_of_target: u32,
    /// How many of diskspd's threads it stands for: more than 1 where threads share one
    /// position (`-si`).
    pub threads: u32,
    /// Indices of its targets in the time span: one, or all of them with `-O`.
    pub targets: Vec<u32>,
    /// Whether it is the load after the measurement (`-C`), which is not reported.
    pub cooldown: bool,
}

/// What is known of a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskspdTargetState {
    /// Path as the command line has it.
    pub path: String,
    /// Size of the file or device, in bytes.
    pub bytes: Bytes,
    /// The block device that it is or lies on; `None` where that cannot be seen.
    pub device: Option<String>,
    /// That device's I/O scheduler; `None` where that cannot be seen.
    pub scheduler: Option<String>,
}

/// What is to be done (diskspd: `Profile`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskspdProfile {
    /// `-v`: says more; without effect on results.
    pub verbose: bool,
    /// I/Os per progress dot; 0 is none.
    pub progress: u32,
    /// Which files are to be made before the first time span.
    pub precreate: Option<String>,
    /// What runs one after the other.
    pub spans: Vec<DiskspdSpan>,
}

/// Threads that run together for a time (diskspd: `TimeSpan`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskspdSpan {
    /// `-d`: measured time, in seconds.
    pub duration_s: u32,
    /// `-W`: time before the measurement, in seconds.
    pub warmup_s: u32,
    /// `-C`: time that the load goes on after the measurement, in seconds.
    pub cooldown_s: u32,
    /// `-z`: seed of all chance; 0 unless given.
    pub seed: u64,
    /// A bare `-z`: the seed is to be drawn when it runs.
    pub random_seed: bool,
    /// `-F`; 0 is threads per target.
    pub thread_count: u32,
    /// `-O`; 0 is requests per target.
    pub request_count: u32,
    /// A bare `-x`: completion routines on Windows.
    pub completion_routines: bool,
    /// `-L`: prints latencies, which are always measured.
    pub measure_latency: bool,
    /// `-D`: length of the intervals.
    pub iops_interval: Option<Nanos>,
    /// `-n`: does not bind threads to processors.
    pub disable_affinity: bool,
    /// `-a`: processors, in turn; empty is all.
    pub affinity: Vec<u32>,
    /// `-Zr`: each write gets new random data.
    pub random_write_data: bool,
    /// What I/O is done on.
    pub targets: Vec<DiskspdTarget>,
}

impl Default for DiskspdSpan {
    fn default() -> Self {
        Self {
            duration_s: 10,
            warmup_s: 5,
            cooldown_s: 0,
            seed: 0,
            random_seed: false,
            thread_count: 0,
            request_count: 0,
            completion_routines: false,
            measure_latency: false,
            iops_interval: None,
            disable_affinity: false,
            affinity: Vec::new(),
            random_write_data: false,
            targets: Vec::new(),
        }
    }
}

impl DiskspdSpan {
    /// Threads that do I/O on one of its targets.
    pub const fn threads_on(&self, target: &DiskspdTarget) -> u32 {
        match self.thread_count {
            0 => target.threads,
            count => count,
        }
    }
}

/// What is done on one file or device (diskspd: `Target`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskspdTarget {
    /// The file or device.
    pub path: String,
    /// `-b`: size of one I/O.
    pub block: Bytes,
    /// `-B`: offset where use of the target begins.
    pub base: Bytes,
    /// `-B base:length`, or `-f`: where use of the target ends; `None` is its end.
    pub max: Option<Bytes>,
    /// `-c`: size to create.
    pub create: Option<Bytes>,
    /// Percentage of I/Os at random places: 0 without `-r`, 100 with it, else `-rs`.
    pub random_percent: u8,
    /// `-r`: alignment, `-s`: stride; `None` is the block size.
    pub stride: Option<Bytes>,
    /// `-si`: threads share one sequential position.
    pub interlocked: bool,
    /// `-rd`: random I/O by ranges; `None` spreads it evenly.
    pub distribution: Option<DiskspdDistribution>,
    /// `-Su`, `-Sd`: without the page cache.
    pub unbuffered: bool,
    /// `-Sw`, `-Ss`: when writes are durable.
    pub write_through: DiskspdWriteThrough,
    /// `-Sm`: I/O through a memory map.
    pub mapped: bool,
    /// `-Nv`: every write is flushed.
    pub flush_mapped: bool,
    /// `-Z` and its forms: data of writes.
    pub content: DiskspdContent,
    /// `-p`: each I/O in flight runs through the target by itself.
    pub parallel: bool,
    /// `-i`: I/Os per burst.
    pub burst: u32,
    /// `-j`: pause after each burst, in milliseconds.
    pub think_ms: u32,
    /// `-o`: I/Os in flight per thread.
    pub requests: u32,
    /// `-w`: writes in percent of all I/Os, 0 to 100.
    pub write_percent: u8,
    /// `-g`: limit per thread; `None` is no limit.
    pub throughput: Option<DiskspdThroughput>,
    /// `-t`: threads of this target, unless `-F` is given.
    pub threads: u32,
    /// `-T`: distance from one thread's first offset to the next thread's.
    pub thread_stride: Bytes,
    /// `-l`: buffers in large pages.
    pub large_pages: bool,
    /// `-fr`: hint of random access, without effect on Linux.
    pub random_hint: bool,
    /// `-fs`: hint of sequential access, without effect on Linux.
    pub sequential_hint: bool,
    /// `-ft`: hint of a temporary file, without effect on Linux.
    pub temporary_hint: bool,
    /// `-xk`, `-xp`: kernel or POSIX asynchronous I/O.
    pub engine: DiskspdEngine,
}

impl Default for DiskspdTarget {
    fn default() -> Self {
        Self {
            path: String::new(),
            block: Bytes::kib(64),
            base: Bytes(0),
            max: None,
            create: None,
            random_percent: 0,
            stride: None,
            interlocked: false,
            distribution: None,
            unbuffered: false,
            write_through: DiskspdWriteThrough::Off,
            mapped: false,
            flush_mapped: false,
            content: DiskspdContent::Sequence,
            parallel: false,
            burst: 0,
            think_ms: 0,
            requests: 2,
            write_percent: 0,
            throughput: None,
            threads: 1,
            thread_stride: Bytes(0),
            large_pages: false,
            random_hint: false,
            sequential_hint: false,
            temporary_hint: false,
            engine: DiskspdEngine::Default,
        }
    }
}

impl DiskspdTarget {
    /// The alignment of random I/Os, or the distance between sequential ones.
    pub fn stride_or_block(&self) -> Bytes {
        self.stride.unwrap_or(self.block)
    }
}

/// When a write counts as done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiskspdWriteThrough {
    /// When the system has taken them.
    #[default]
    Off,
    /// When their data is durable (`-Sw` of Windows).
    Data,
    /// When data and metadata are durable (`O_SYNC`: `-Ss` and `-Sh` of Linux).
    DataAndMetadata,
}

/// Data that buffers of writes hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DiskspdContent {
    /// 0, 1, 2 … 255, over and over.
    #[default]
    Sequence,
    /// `-Z`: all bytes are zero.
    Zero,
    /// `-Zr`: random, new for every write.
    Random,
    /// `-Z<size>`: taken from a buffer of this size.
    Source {
        bytes: Bytes,
        /// Where it is filled from; random without.
        file: Option<String>,
    },
}

/// The most that one thread moves on one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskspdThroughput {
    /// `-g`: limit in bytes per millisecond.
    BytesPerMillisecond(u64),
    /// `-g…i`: limit in I/Os per second.
    Iops(u64),
}

/// How random I/Os are spread over the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskspdDistribution {
    /// Lengths are bytes, not percentages of the target.
    pub absolute: bool,
    /// Percentage of I/Os and length of each range, in order.
    pub ranges: Vec<(u8, u64)>,
}

/// How I/O is asked to be issued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiskspdEngine {
    /// As sokudo finds best.
    #[default]
    Default,
    /// `-xk`: Linux native asynchronous I/O.
    KernelAio,
    /// `-xp`: POSIX asynchronous I/O, for which sokudo uses what it finds best.
    PosixAio,
}
