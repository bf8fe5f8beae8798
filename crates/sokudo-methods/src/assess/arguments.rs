//! Arguments of `sokudo assess`.

use clap::Args;
use sokudo_model::{Bytes, Nanos};
use sokudo_terminal::arguments::heading::{HOW, MEASURED};
use sokudo_terminal::arguments::mistake::whole_number;

use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo assess .                              is the disk under this directory as it should be?
  sudo sokudo assess /dev/sda                  a device, which is only read
  sudo sokudo assess /mnt/raid                 an array against its members, ext4 against the array
  sokudo assess . --why                        with what is expected, and by whom

What is compared with what: the link as negotiated and what was reached of it, random reads and
the kind of disk, the file system and its device, an array and its members, health, unreadable
sectors, temperature, capacity, alignment, write cache, scheduler, discard. Devices below a
directory are read, too, where that is permitted (as root). docs/ASSESS.md has every rule.

Exit codes: 0 OK, or OK BUT; 1 NOT OK, or something failed; 2 wrong arguments; 3 refused; 4 what was
measured is not VERIFIED, so that its speed cannot be judged; 130 interrupted.";

/// All arguments of `sokudo assess`.
pub type Arguments = MeasuringArguments<AssessOptions>;

impl OwnArguments for AssessOptions {
    const SHARED: &'static [SharedGroup] = &[SharedGroup::Pages, SharedGroup::Seed];
    const CAN: &'static [Ability] = &[];
}

/// Own arguments of `sokudo assess`, as given.
#[derive(Debug, Args)]
pub struct AssessOptions {
    /// Directory, device or sim:MODEL
    ///
    /// In a directory, sokudo makes its own test file and removes it afterwards. Devices are only
    /// read.
    #[arg(default_value = ".")]
    pub target: String,

    /// Size of the test file [default: 1GiB]
    #[arg(short, long, value_name = "SIZE", help_heading = MEASURED)]
    pub size: Option<Bytes>,

    /// Length of a trial
    #[arg(short, long, value_name = "TIME", default_value = "1s", help_heading = HOW)]
    pub time: Nanos,

    /// Trials per row, alternating; 6 give a 95 % interval
    #[arg(short = 'n', long, value_name = "N", default_value_t = 6, value_parser = whole_number(1..=10_000), help_heading = HOW)]
    pub runs: u32,
}
