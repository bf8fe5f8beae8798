//! Arguments of `sokudo explain`.

use clap::Args;
use sokudo_dialect::explain::Theme;
use sokudo_model::{BackendKind, Bytes, DirectMode};

use super::Printing;
use super::destroying::Destroying;
use super::issuing::{backend_kind, direct_mode};

/// What `--help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  sokudo explain /dev/sdb                    what its figures say about it, reads only
  sokudo explain /dev/sdb --only rotation    one theme
  sokudo explain /mnt/data --size 8GiB       also what only writes show, in a test file
  sokudo explain /dev/sdb --destroy WD-1234  also what only writes show; its data are lost
  sokudo explain /dev/sdc --only capacity --destroy /dev/sdc   is it as large as it says?
  sokudo explain 'sim:hdd?rpm=5400'          try it on a simulated disk
  sokudo explain 'sim:fake-capacity?size=1TB&real=32GB' --only capacity

What is printed is what the figures are consistent with, each with its evidence and how
sure it is. It is never more than that: nothing here opens the drive.

Exit codes: 0 done, 1 something failed, 2 wrong arguments, 3 refused because it would
endanger data, 130 interrupted.";

/// Arguments of `sokudo explain`, as given.
#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// Block device, partition, file, directory or sim:MODEL
    ///
    /// In a directory, sokudo makes a test file of its own and removes it: what it shows
    /// is only what so small a part of the disk can show.
    pub(crate) target: String,

    /// Only this theme (repeatable); a wrong one lists them all
    #[arg(
        long,
        value_name = "THEME",
        value_parser = theme,
        help_heading = "What is found out"
    )]
    pub(crate) only: Vec<Theme>,

    /// Size of the test file in a directory [default: 1GiB]
    #[arg(short, long, value_name = "SIZE", help_heading = "What is found out")]
    pub(crate) size: Option<Bytes>,

    /// Write to the existing file TARGET; its contents are lost
    #[arg(long, conflicts_with = "destroy", help_heading = "What may be written")]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) destroying: Destroying,

    /// How I/O is issued: auto, io_uring, libaio or psync
    #[arg(short, long, default_value = "auto", value_parser = backend_kind, value_name = "ENGINE", help_heading = "How it is measured")]
    pub(crate) engine: BackendKind,

    /// Bypass the page cache: on, off, or where possible (auto)
    #[arg(long, default_value = "auto", value_parser = direct_mode, value_name = "MODE", help_heading = "How it is measured")]
    pub(crate) direct: DirectMode,

    /// Where all chance starts from; the same seed repeats the same offsets
    #[arg(long, value_name = "N", help_heading = "How it is measured")]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) printing: Printing,
}

fn theme(text: &str) -> Result<Theme, String> {
    text.parse().map_err(|error| format!("{error}"))
}
