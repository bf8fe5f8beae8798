//! Arguments of `sokudo sweep`.

use clap::Args;

/// Arguments of `sokudo sweep`, as given.
#[derive(Debug, Args)]
pub(crate) struct SweepArguments {
    /// Directory, file, block device or sim:MODEL
    pub(crate) target: String,
}
