//! Arguments of `sokudo checkup`.

use clap::Args;
use sokudo_model::{Bytes, Nanos};
use sokudo_terminal::arguments::heading::{HOW, MEASURED};
use sokudo_terminal::arguments::mistake::whole_number;
use sokudo_terminal::arguments::one_of::one_of;
use sokudo_terminal::arguments::printing::FORMATS_OF_ANSWERS;

use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};

use SharedGroup::{Destroy, Notify, Pages, Seed};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo checkup .                             is the disk under this directory OK?
  sudo sokudo checkup /dev/sda                 a device, which is only read
  sudo sokudo checkup /dev/sda --full          with all of its blocks, which takes hours
  sudo sokudo checkup /dev/sdX --destroy /dev/sdX   with its real capacity: erases it
  sudo sokudo checkup /dev/sd[b-m]             a shelf: one table by serial number and slot
  sokudo checkup . --why                       with what is expected, and by whom

What is looked at: what the drive says of its health, temperature and unreadable sectors; the link
as negotiated and what was reached of it; random reads and the kind of disk; the file system and
its device, an array and its members; 200 positions over the whole surface, or all of it (--full);
the slowest of them again; alignment, write cache, scheduler, discard; with --destroy how much the
drive really holds. What was not looked at is named. Devices below a directory are read, too, where
that is permitted (as root). docs/ASSESS.md has every rule.

Of several disks the speed is measured one after the other, and the surface of all at the same time.

Exit codes: 0 OK, or OK BUT; 1 a disk is NOT OK, or something failed; 2 wrong arguments; 3 refused;
4 CANNOT SAY, as of a virtual disk, or what was measured is not VERIFIED; 130 interrupted.

With --format nagios: 0 OK; 1 WARNING, OK BUT; 2 CRITICAL, NOT OK; 3 UNKNOWN, it could not be
judged or measured, or was interrupted before a disk was NOT OK. --format prom is for
node_exporter's textfile collector.";

/// All arguments of `sokudo checkup`.
pub type Arguments = MeasuringArguments<CheckupOptions>;

impl OwnArguments for CheckupOptions {
    const SHARED: &'static [SharedGroup] = &[Destroy, Pages, Seed, Notify];
    const CAN: &'static [Ability] = &[];
}

const FORMAT: &str = "Result format: table, json, csv, markdown, nagios or prom";

/// Own arguments of `sokudo checkup`, as given.
#[derive(Debug, Args)]
#[command(mut_arg("format", |it| it.value_parser(one_of(FORMATS_OF_ANSWERS)).help(FORMAT)))]
pub struct CheckupOptions {
    /// Directory, device or sim:MODEL
    ///
    /// In a directory, sokudo makes its own test file and removes it afterwards. Devices are only
    /// read, unless --destroy is given.
    #[arg(default_value = ".")]
    pub target: String,

    /// More of them: one table, and one sentence for all
    #[arg(value_name = "MORE")]
    pub others: Vec<String>,

    /// Read all blocks of the device, not 200 positions of it
    #[arg(long, help_heading = MEASURED)]
    pub full: bool,

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
