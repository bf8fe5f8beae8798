//! Arguments of `sokudo peak`.

use clap::Args;
use sokudo_model::{Bytes, Nanos};
use sokudo_terminal::arguments::heading::{HOW, MEASURED};
use sokudo_terminal::arguments::mistake::whole_number;
use sokudo_tools::crystaldiskmark::{DEPTH_MAX, RowSpec, THREADS_MAX};

use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};

use Ability::{Directory, Repeat, Together};
use SharedGroup::{Destroy, Overwrite, Pages, Seed};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo peak .                        random reads of 4 KiB
  sokudo peak . --row SEQ1M            sequential reads of 1 MiB
  sokudo peak . --row RND4K,write      random writes
  sokudo peak /dev/nvme0n1             a device, reads only
  sokudo peak null: --max-threads 1    what one thread of sokudo can do without a disk

The depth doubles with one thread until that brings less than 5 %; then the threads double
up to twice the CPUs. The best load, and one that came near it with less in flight, are then
measured again alternately.";

/// All arguments of `sokudo peak`.
pub type Arguments = MeasuringArguments<PeakOptions>;

impl OwnArguments for PeakOptions {
    const SHARED: &'static [SharedGroup] = &[Overwrite, Destroy, Pages, Seed];
    const CAN: &'static [Ability] = &[Repeat, Directory, Together];
}

/// Own arguments of `sokudo peak`, as given.
#[derive(Debug, Args)]
pub struct PeakOptions {
    /// Directory, file, block device, sim:MODEL or null:
    ///
    /// In a directory, sokudo makes its own test file and removes it afterwards. It writes to a
    /// file only with --overwrite, and to a device only with --destroy.
    #[arg(default_value = ".")]
    pub target: String,

    /// Row whose depth and threads are raised, such as RND4K or SEQ1M,write
    ///
    /// It reads by default. If it names a depth or threads, the search begins there.
    #[arg(short, long, value_name = "ROW", default_value = "RND4K", value_parser = sokudo_tools::crystaldiskmark::row, help_heading = MEASURED)]
    pub row: RowSpec,

    /// Size to use, such as 8GiB [default: 1GiB, or all of a file or device]
    #[arg(short, long, value_name = "SIZE", help_heading = MEASURED)]
    pub size: Option<Bytes>,

    /// Most threads [default: twice the CPUs]
    #[arg(long, value_name = "N", value_parser = whole_number(1..=THREADS_MAX), help_heading = MEASURED)]
    pub max_threads: Option<u32>,

    /// Most I/Os in flight per thread
    #[arg(long, value_name = "N", default_value_t = DEPTH_MAX, value_parser = whole_number(1..=DEPTH_MAX), help_heading = MEASURED)]
    pub max_depth: u32,

    /// Length of a trial
    #[arg(short, long, value_name = "TIME", default_value = "1s", help_heading = HOW)]
    pub time: Nanos,

    /// Trials of the best load and of a lighter one near it; others have one
    ///
    /// 6 are needed for a 95 % interval.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 6, value_parser = whole_number(2..=10_000), help_heading = HOW)]
    pub runs: u32,
}
