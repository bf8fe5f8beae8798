//! The I/O that a pattern gives next: its operation, file, offset and length.

use sokudo_model::Operation;

/// One I/O to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) operation: Operation,
    /// Which of the workload's stretches: an index into its file uses.
    pub(crate) file: u32,
    pub(crate) offset: u64,
    pub(crate) length: u32,
}
