//! Arguments of `sokudo info`.

use clap::Args;

use super::ListFormat;

/// Arguments of `sokudo info`, as given.
#[derive(Debug, Args)]
pub(crate) struct InfoArguments {
    /// Directory, file or device, by path, by-id name, model or serial number; without it, every disk
    ///
    /// A device can also be named by its kernel name (sdb) or by any part of its serial number or
    /// model that fits no other. Of a file or directory, the disks under it are shown.
    pub(crate) target: Option<String>,
    #[command(flatten)]
    pub(crate) format: ListFormat,
    /// Print the pages that the disks answered with, in hexadecimal
    ///
    /// In JSON they are part of every disk anyway, when one is named.
    #[arg(long, conflicts_with = "json")]
    pub(crate) raw: bool,
}
