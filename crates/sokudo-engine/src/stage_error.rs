//! Why a stage did not run.

use std::io;

use crate::backend::OpenError;
use crate::check::CheckError;
use crate::passthrough::TransferError;
use crate::polling::PollingError;
use crate::target::TargetError;

/// Why a stage did not run.
#[derive(Debug, sokudo_words::Error)]
pub enum StageError {
    /// The stage asks for something impossible.
    #[error(transparent)]
    #[fault(usage)]
    Check(#[from] CheckError),
    /// The target cannot be opened as asked.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// It cannot be polled.
    #[error(transparent)]
    #[fault(usage)]
    Polling(#[from] PollingError),
    /// A block does not fit a command.
    #[error(transparent)]
    #[fault(system)]
    Transfer(#[from] TransferError),
    /// There is no backend.
    #[error(transparent)]
    #[fault(system)]
    Backend(#[from] OpenError),
    /// No thread could be started.
    #[error(
        "a thread could not be started: {source}; use fewer threads, or raise the limit of processes (ulimit -u)"
    )]
    Thread {
        /// What the system said.
        source: io::Error,
    },
    /// A thread could not be bound to a processor.
    #[error(
        "a thread cannot be bound to CPU {cpu}: {source}; name a CPU that exists and is allowed"
    )]
    Cpu {
        /// Number of the processor, as the kernel counts.
        cpu: u32,
        /// What the system said.
        source: io::Error,
    },
}
