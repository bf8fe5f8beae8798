//! Arguments of `sokudo scan`.

use clap::Args;

/// Arguments of `sokudo scan`, as given.
#[derive(Debug, Args)]
pub(crate) struct ScanArguments {
    /// Block device, file, directory or sim:MODEL
    pub(crate) target: String,
}
