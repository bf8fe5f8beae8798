//! Arguments of `sokudo load`.

use clap::Args;
use sokudo_model::{Bytes, LatencyLimit, Nanos};
use sokudo_terminal::arguments::heading::{HOW, MEASURED};
use sokudo_terminal::arguments::mistake::whole_number;
use sokudo_terminal::arguments::percent::{Percent, percent};
use sokudo_tools::crystaldiskmark::RowSpec;
use sokudo_words::{Text, text};

use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};

use Ability::{Directory, Repeat, Together};
use SharedGroup::{Destroy, Overwrite, Pages, Seed, Stop};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo load .                                 random reads, from 10 % to 105 % of the maximum
  sokudo load . --limit p99=5ms                 and the highest rate that keeps p99 below 5 ms
  sokudo load /dev/sdb --row RND4K,Q8,T4        a device, reads only
  sokudo load . --beside SEQ1M,Q8,write         what the reads wait for while another writes
  sokudo load . --plot load.svg                 with the curve as a picture
  sokudo load 'sim:const?latency=100us&parallel=1'   one server: the textbook queueing curve

sokudo first measures the row in a closed loop, which gives the maximum rate, and then at
fixed shares of that rate. Latencies count from the intended start of an I/O, so they
include the wait for a busy disk.";

/// All arguments of `sokudo load`.
pub type Arguments = MeasuringArguments<LoadOptions>;

impl OwnArguments for LoadOptions {
    const SHARED: &'static [SharedGroup] = &[Overwrite, Destroy, Stop, Pages, Seed];
    const CAN: &'static [Ability] = &[Repeat, Directory, Together];
}

/// Own arguments of `sokudo load`, as given.
#[derive(Debug, Args)]
pub struct LoadOptions {
    /// Directory, file, block device, sim:MODEL or null:
    ///
    /// In a directory, sokudo makes its own test file and removes it afterwards. It writes to a
    /// file only with --overwrite, and to a device only with --destroy.
    #[arg(default_value = ".")]
    pub target: String,

    /// Row whose load is raised, such as SEQ1M,Q8,T4,write
    ///
    /// It reads by default, with one thread. Its depth and threads limit the I/Os in flight; the others wait, and
    /// the wait counts.
    #[arg(short, long, value_name = "ROW", default_value = "RND4K,Q32", value_parser = sokudo_tools::crystaldiskmark::row, help_heading = MEASURED)]
    pub row: RowSpec,

    /// Find the highest rate within a latency limit, such as p99=5ms
    ///
    /// p50, p90, p95, p99, p99.9 or p99.99, from the intended start.
    #[arg(long, value_name = "LIMIT", help_heading = MEASURED)]
    pub limit: Option<LatencyLimit>,

    /// Measure with and without another workload, such as SEQ1M,Q8,write
    ///
    /// Measured alternately: the row alone at a fixed rate, the other workload alone, and both at
    /// the same time. The latencies of both and their ratio are printed. The other workload is a
    /// row as in --row; it runs in a closed loop. Each uses one half of the target, so they share
    /// no block.
    #[arg(long, value_name = "ROW", value_parser = sokudo_tools::crystaldiskmark::row, conflicts_with = "limit", help_heading = MEASURED)]
    pub beside: Option<RowSpec>,

    /// Rate of the row with --beside, as a share of its maximum alone
    ///
    /// A fifth by default: a disk that gives each of two workloads half of its speed can sustain
    /// this rate, so the row waits for the other workload and not for itself.
    #[arg(long, value_name = "SHARE", default_value = "20%", value_parser = share, requires = "beside", help_heading = MEASURED)]
    pub at: Percent,

    /// Size to use, such as 8GiB [default: 1GiB, or all of a file or device]
    #[arg(short, long, value_name = "SIZE", help_heading = MEASURED)]
    pub size: Option<Bytes>,

    /// Start I/Os evenly, not at random instants as independent users do
    #[arg(long, help_heading = HOW)]
    pub linear: bool,

    /// Minimum trial length; a limit's percentile may need more
    ///
    /// With --limit a trial goes on until it has the I/Os that the percentile needs.
    #[arg(short, long, value_name = "TIME", default_value = "1s", help_heading = HOW)]
    pub time: Nanos,

    /// Trials per rate, alternating; 6 give a 95 % interval
    #[arg(short = 'n', long, value_name = "N", default_value_t = 6, value_parser = whole_number(1..=10_000), help_heading = HOW)]
    pub runs: u32,
}

/// A share of which something is left.
fn share(value: &str) -> Result<Percent, Text> {
    match percent(value)? {
        Percent(share) if share > 0.0 => Ok(Percent(share)),
        _ => Err(text!("use a percentage above 0%, such as 20%")),
    }
}
