//! How I/O is asked to be issued, as it is written.

use clap::{Args, ValueEnum};
use sokudo_model::{BackendKind, BufferMemory, DataContent, DirectMode, Plan, Workload};
use sokudo_words::{Text, text};

use super::heading::HOW;

/// What buffers lie in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Pages {
    /// Ordinary memory, as most programs have
    Small,
    /// Huge pages, or an error where the system gives none
    Huge,
}

/// The memory of buffers, as every command that measures has it.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Buffers {
    /// Pages of buffers [default: small]
    ///
    /// In pages of 4 KiB a large block has many pieces, and many disks take fewer at once, so that
    /// the kernel cuts it. In huge pages it stays whole, which can be twice as fast; programs with
    /// ordinary buffers get the speed of small pages.
    #[arg(long, value_enum, value_name = "PAGES", help_heading = HOW)]
    pages: Option<Pages>,
}

impl Buffers {
    /// Puts what was asked for into a plan, which says by itself what is used unasked.
    pub(crate) fn set(self, plan: &mut Plan) {
        let stages = plan.stages.iter_mut();
        for workload in stages.flat_map(|stage| &mut stage.workloads) {
            self.set_of(workload);
        }
    }

    /// The same for one workload.
    pub(crate) const fn set_of(self, workload: &mut Workload) {
        match self.pages {
            None => {}
            Some(Pages::Small) => workload.memory = BufferMemory::SmallPages,
            Some(Pages::Huge) => workload.memory = BufferMemory::HugePages,
        }
    }
}

/// The engine of a `mark`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Engine {
    pub(crate) kind: BackendKind,
    /// Rows may be polled and go around the block layer, where that is faster.
    pub(crate) any: bool,
}

pub(super) fn engine(text: &str) -> Result<Engine, Text> {
    let kind = match text {
        "fastest" => Ok(BackendKind::Auto),
        text => backend_kind(text),
    };
    kind.map(|kind| Engine {
        kind,
        any: text == "fastest",
    })
    .map_err(|_| text!("use auto, fastest, io_uring, io_uring_cmd, libaio or psync"))
}

pub(super) fn backend_kind(text: &str) -> Result<BackendKind, Text> {
    match text {
        "auto" => Ok(BackendKind::Auto),
        "io_uring" => Ok(BackendKind::IoUring),
        "io_uring_cmd" => Ok(BackendKind::IoUringCmd),
        "libaio" => Ok(BackendKind::Libaio),
        "psync" => Ok(BackendKind::Psync),
        _ => Err(text!("use auto, io_uring, io_uring_cmd, libaio or psync")),
    }
}

pub(super) fn direct_mode(text: &str) -> Result<DirectMode, Text> {
    match text {
        "on" => Ok(DirectMode::On),
        "off" => Ok(DirectMode::Off),
        "auto" => Ok(DirectMode::Auto),
        _ => Err(text!("use on, off or auto")),
    }
}

/// What is written, as it is said.
pub(super) fn data_content(text: &str) -> Result<DataContent, Text> {
    match text {
        "random" => Ok(DataContent::Random),
        "zero" => Ok(DataContent::Zero),
        _ => Err(text!("use random or zero")),
    }
}
