//! Arguments of `sokudo info`.

use clap::Args;

/// Arguments of `sokudo info`, as given.
#[derive(Debug, Args)]
pub(crate) struct InfoArguments {
    /// Directory, file or device, by path, by-id name, model or serial number; without it, every disk
    pub(crate) target: Option<String>,
}
