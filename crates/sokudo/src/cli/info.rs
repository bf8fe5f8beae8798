//! Arguments of `sokudo info`.

use clap::Args;

/// Arguments of `sokudo info`, as given.
#[derive(Debug, Args)]
pub(crate) struct InfoArguments {
    /// Directory, file or device, by path, by-id name, model or serial number; without it, every disk
    ///
    /// A device can also be named by its kernel name (sdb) or by any part of its serial number or
    /// model that fits no other. Of a file or directory, the disks under it are shown.
    pub(crate) target: Option<String>,
    /// Print everything as JSON (sokudo.info/1)
    #[arg(long, conflicts_with = "raw")]
    pub(crate) json: bool,
    /// Print the pages that the disks answered with, in hexadecimal
    ///
    /// With --json they are part of every disk anyway, when one is named.
    #[arg(long)]
    pub(crate) raw: bool,
}
