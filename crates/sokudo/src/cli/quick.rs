//! Arguments of `sokudo quick`.

use clap::Args;

/// Arguments of `sokudo quick`, as given.
#[derive(Debug, Args)]
pub(crate) struct QuickArguments {
    /// Directory, file or block device
    pub(crate) target: String,
}
