//! Arguments of `sokudo load`.

use clap::Args;
use sokudo_dialect::crystal::RowSpec;
use sokudo_model::{Bytes, LatencyLimit, Nanos};

use super::Printing;
use super::destroying::Destroying;

/// What `--help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  sokudo load .                                 random reads, from 10 % to 105 % of the most
  sokudo load . --limit p99=5ms                 and the highest rate that keeps p99 below 5 ms
  sokudo load /dev/sdb --row RND4K,Q8,T4        a device, reads only
  sokudo load . --plot load.svg                 with the curve as a picture
  sokudo load 'sim:const?latency=100us&parallel=1'   one server: the curve of the textbook

First the row is measured in a closed loop, which gives the most that the disk does per
second; then at fixed rates that are parts of it. Latencies are told from the instant at
which an I/O was meant to start, so that waiting for a busy disk counts.";

/// Arguments of `sokudo load`, as given.
#[derive(Debug, Args)]
pub(crate) struct LoadArguments {
    /// Directory, file, block device, sim:MODEL or null:
    ///
    /// In a directory, sokudo makes a test file of its own and removes it. A file
    /// is only read without --overwrite, a device without --destroy.
    #[arg(default_value = ".")]
    pub(crate) target: String,

    /// The row whose load is raised, such as RND4K,Q32,T4 or SEQ1M,Q8,write
    ///
    /// Reads unless it says otherwise. Its depth and threads are the most that is in
    /// flight; what has no room waits, and the wait counts.
    #[arg(short, long, value_name = "ROW", default_value = "RND4K,Q32", value_parser = sokudo_dialect::crystal::row, help_heading = "What is measured")]
    pub(crate) row: RowSpec,

    /// Look for the highest rate that keeps a latency, such as p99=5ms
    ///
    /// p50, p90, p99, p99.9 or p99.99, from the intended start.
    #[arg(long, value_name = "LIMIT", help_heading = "What is measured")]
    pub(crate) limit: Option<LatencyLimit>,

    /// How much is used, such as 8GiB [default: 1GiB, or all of a file or device]
    #[arg(short, long, value_name = "SIZE", help_heading = "What is measured")]
    pub(crate) size: Option<Bytes>,

    /// Overwrite the existing file TARGET; its contents are lost
    #[arg(long, help_heading = "What may be written")]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) destroying: Destroying,

    /// Start I/Os evenly, not at random instants as independent users come
    #[arg(long, help_heading = "How it is measured")]
    pub(crate) linear: bool,

    /// Shortest trial; one with too few I/Os for the limit's percentile is made longer
    #[arg(
        short,
        long,
        value_name = "TIME",
        default_value = "1s",
        help_heading = "How it is measured"
    )]
    pub(crate) time: Nanos,

    /// Trials per rate, all rates in turn; 6 are needed for a 95 % interval
    #[arg(short = 'n', long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "How it is measured")]
    pub(crate) runs: u32,

    /// Where all chance starts from; the same seed repeats the same offsets
    #[arg(long, value_name = "N", help_heading = "How it is measured")]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) printing: Printing,
}
