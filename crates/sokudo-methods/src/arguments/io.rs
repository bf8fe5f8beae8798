//! How I/O is asked to be issued, as it is written.

use clap::Args;
use sokudo_model::{BackendKind, BufferMemory, DataContent, DirectMode, Operation, Plan, Workload};
use sokudo_terminal::arguments::heading::HOW;
use sokudo_terminal::arguments::one_of::one_of;

/// What buffers lie in.
const PAGES: &[(&str, BufferMemory)] = &[
    ("small", BufferMemory::SmallPages),
    ("huge", BufferMemory::HugePages),
];

/// The memory of buffers, as every command that measures has it.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Buffers {
    /// Pages of buffers [default: small]
    ///
    /// In 4 KiB pages a large block has many pieces. Many disks take fewer at once, so the kernel
    /// splits it. In huge pages it stays whole, which can be twice as fast; programs with ordinary
    /// buffers get the speed of small pages.
    #[arg(long, value_parser = one_of(PAGES), value_name = "PAGES", help_heading = HOW)]
    pages: Option<BufferMemory>,
}

impl Buffers {
    /// Puts what was asked for into a plan, which says by itself what is used unasked.
    pub fn set(self, plan: &mut Plan) {
        workloads(plan).for_each(|workload| self.set_of(workload));
    }

    /// The same for one workload.
    pub const fn set_of(self, workload: &mut Workload) {
        if let Some(memory) = self.pages {
            workload.issuing.memory = memory;
        }
    }
}

fn workloads(plan: &mut Plan) -> impl Iterator<Item = &mut Workload> {
    let stages = plan.stages.iter_mut();
    stages.flat_map(|stage| &mut stage.workloads)
}

/// How I/O is issued, as every command has it that chooses its rows itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
pub struct Issuing {
    /// I/O engine: auto, io_uring, libaio or psync
    #[arg(short, long, default_value = "auto", value_parser = one_of(BACKENDS), hide_possible_values = true, value_name = "ENGINE", help_heading = HOW)]
    engine: BackendKind,

    /// Bypass the page cache: on, off or where possible (auto)
    #[arg(long, default_value = "auto", value_parser = one_of(DIRECT), hide_possible_values = true, value_name = "MODE", help_heading = HOW)]
    direct: DirectMode,
}

impl Issuing {
    /// Puts what was asked for into a plan.
    pub fn set(self, plan: &mut Plan) {
        for workload in workloads(plan) {
            workload.backend = self.engine;
            // A discard has no data that a cache could hold.
            if workload.operations.single() != Some(Operation::Trim) {
                workload.direct = self.direct;
            }
        }
    }

    /// Whether it is what it is unasked.
    pub fn is_default(self) -> bool {
        self.engine == BackendKind::Auto && self.direct == DirectMode::Auto
    }
}

/// The engine of a `mark`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine {
    pub kind: BackendKind,
    /// Rows may be polled and go around the block layer, where that is faster.
    pub any: bool,
}

const fn engine(kind: BackendKind, any: bool) -> Engine {
    Engine { kind, any }
}

pub const ENGINES: &[(&str, Engine)] = &[
    ("auto", engine(BackendKind::Auto, false)),
    ("fastest", engine(BackendKind::Auto, true)),
    ("io_uring", engine(BackendKind::IoUring, false)),
    ("io_uring_cmd", engine(BackendKind::IoUringCmd, false)),
    ("libaio", engine(BackendKind::Libaio, false)),
    ("psync", engine(BackendKind::Psync, false)),
];

const BACKENDS: &[(&str, BackendKind)] = &[
    ("auto", BackendKind::Auto),
    ("io_uring", BackendKind::IoUring),
    ("io_uring_cmd", BackendKind::IoUringCmd),
    ("libaio", BackendKind::Libaio),
    ("psync", BackendKind::Psync),
];

pub const DIRECT: &[(&str, DirectMode)] = &[
    ("on", DirectMode::On),
    ("off", DirectMode::Off),
    ("auto", DirectMode::Auto),
];

/// Words of `--data` and the contents that they stand for.
pub const DATA: &[(&str, DataContent)] =
    &[("random", DataContent::Random), ("zero", DataContent::Zero)];
