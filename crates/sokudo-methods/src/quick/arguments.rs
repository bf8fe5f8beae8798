//! Arguments of `sokudo quick`.

use clap::Args;
use sokudo_model::{Bytes, DataContent, Nanos};
use sokudo_terminal::arguments::heading::{HOW, MEASURED};
use sokudo_terminal::arguments::mistake::whole_number;
use sokudo_terminal::arguments::one_of::one_of;

use crate::arguments::io::DATA;
use crate::arguments::precision::Precision;
use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};
use crate::quick::plan::QuickTest;

use Ability::{Count, Directory, Repeat, Together};
use SharedGroup::{Overwrite, Pages, Seed};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sudo sokudo quick /dev/sda                     a disk, reads only, about 9 s
  sokudo quick .                                 the disk under this directory, writes too
  sokudo quick . --bytes 1GiB --data zero        dd if=/dev/zero bs=1M count=1024, and read back
  sudo sokudo quick /dev/sda --test buffered --runs 12 --pause 10s --trim 1
                                                 hdparm -t twelve times, mean of the middle ten

cached is hdparm -T: the CPU and its memory, never the disk. buffered is hdparm -t,
direct is dd iflag=direct bs=1M, write is dd oflag=direct bs=1M, fdatasync is
dd conv=fdatasync bs=1M. hdparm's \"MB/sec\" are MiB/s, which have a column of their own.";

/// All arguments of `sokudo quick`.
pub type Arguments = MeasuringArguments<QuickOptions>;

impl OwnArguments for QuickOptions {
    const SHARED: &'static [SharedGroup] = &[Overwrite, Pages, Seed];
    const CAN: &'static [Ability] = &[Repeat, Directory, Count, Together];
}

/// Own arguments of `sokudo quick`, as given.
#[derive(Debug, Args)]
pub struct QuickOptions {
    /// Block device, file, directory, sim:MODEL or null:
    ///
    /// In a directory, sokudo makes its own test file and removes it afterwards. It only reads
    /// devices, and files without --overwrite. Simulated devices have no page cache, so only direct
    /// reads and writes are measured.
    #[arg(default_value = ".")]
    pub target: String,

    /// cached, buffered, direct, write (these by default) or fdatasync; repeatable
    #[arg(long = "test", value_name = "NAME", help_heading = MEASURED)]
    pub tests: Vec<QuickTest>,

    /// Size of the test file in a directory, such as 4GiB [default: 1GiB, or --bytes]
    #[arg(short, long, value_name = "SIZE", help_heading = MEASURED)]
    pub size: Option<Bytes>,

    /// Move so much by direct, write and fdatasync, such as 1GiB (dd's count)
    ///
    /// A multiple of 1 MiB. Without it they take 3 s, or end with the file or device; fdatasync
    /// takes all of the file.
    #[arg(long, value_name = "SIZE", conflicts_with = "time", help_heading = MEASURED)]
    pub bytes: Option<Bytes>,

    /// Data to write: random or zero
    #[arg(long, default_value = "random", value_parser = one_of(DATA), hide_possible_values = true, value_name = "WHAT", help_heading = MEASURED)]
    pub data: DataContent,

    /// Trials of each, alternating; 6 give a 95 % interval [default: 1]
    #[arg(short = 'n', long, value_name = "N", value_parser = whole_number(1..=10_000), help_heading = HOW)]
    pub runs: Option<u32>,

    #[command(flatten)]
    pub precision: Precision,

    /// Pause before each measurement but the first, such as 10s
    #[arg(long, value_name = "TIME", default_value = "0s", help_heading = HOW)]
    pub pause: Nanos,

    /// Also print the mean without the N slowest and N fastest trials
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = HOW)]
    pub trim: u32,

    /// Length of each measurement, such as 1s [default: 3s, cached: 2s]
    #[arg(short, long, value_name = "TIME", help_heading = HOW)]
    pub time: Option<Nanos>,
}
