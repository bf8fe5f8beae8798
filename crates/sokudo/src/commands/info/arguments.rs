//! Arguments of `sokudo info`.

use clap::Args;
use sokudo_terminal::arguments::printing::{ListFormat, Masking};

/// Arguments of `sokudo info`, as given.
#[derive(Debug, Args)]
pub(crate) struct InfoArguments {
    /// Directory, file or device, by path, by-id name, model or serial number; without it, all
    ///
    /// Without it, sokudo shows every disk. A device can also be named by its kernel name (sdb) or by any part of its serial number or
    /// model that matches no other. For a file or directory, sokudo shows the disks under it.
    pub(crate) target: Option<String>,
    #[command(flatten)]
    pub(crate) format: ListFormat,
    #[command(flatten)]
    pub(crate) masking: Masking,
    /// Print the disks' raw answers in hexadecimal
    ///
    /// JSON always contains them when a disk is named.
    #[arg(long, conflicts_with = "mask_serial")]
    pub(crate) raw: bool,
}
