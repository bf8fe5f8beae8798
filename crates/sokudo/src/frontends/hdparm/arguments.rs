//! Arguments of `sokudo hdparm`.

use std::path::PathBuf;

use clap::Args;

/// What `--help` ends with.
pub(crate) const NOTE: &str = "\
It prints hdparm's lines. Their MB are MiB (1,048,576 bytes), as in hdparm. -t reads
through the page cache, one block at a time; sokudo mark measures what the disk can do. A
link to sokudo named hdparm does the same. sokudo refuses options that change the disk or
its settings (-W0, --security-erase). sokudo info shows the identity of other disks.

SOKUDO_NOTES=off leaves sokudo's notes out.";

/// Arguments of `sokudo hdparm`, as given.
#[derive(Debug, Args)]
pub(crate) struct HdparmArguments {
    /// Time reads of the device: 3 s from its start, through an emptied page cache
    #[arg(short = 't')]
    pub(crate) device_reads: bool,

    /// Time reads of the page cache: the same 2 MiB again and again for 2 s
    #[arg(short = 'T')]
    pub(crate) cached_reads: bool,

    /// Bypass the page cache (O_DIRECT)
    #[arg(long)]
    pub(crate) direct: bool,

    /// With -t: start at this offset, in GiB
    #[arg(long = "offset", value_name = "GIB", default_value_t = 0)]
    pub(crate) offset_gib: u64,

    /// Print an ATA disk's identity, in detail
    #[arg(short = 'I')]
    pub(crate) identify: bool,

    /// Print an ATA disk's identity, in short
    #[arg(short = 'i')]
    pub(crate) identify_shortly: bool,

    /// Print whether an ATA disk's write cache is on
    #[arg(short = 'W')]
    pub(crate) write_cache: bool,

    /// Block devices to read
    #[arg(required = true, value_name = "DEV")]
    pub(crate) devices: Vec<PathBuf>,
}
