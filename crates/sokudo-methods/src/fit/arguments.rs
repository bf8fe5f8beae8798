//! Arguments of `sokudo fit`.

use std::path::PathBuf;

use clap::Args;
use sokudo_model::Nanos;
use sokudo_terminal::arguments::heading::{HOW, MEASURED};
use sokudo_terminal::arguments::mistake::whole_number;

use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};

use SharedGroup::{Pages, Seed};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo fit list                               the questions, their thresholds and sources
  sokudo fit etcd /var/lib/etcd                 is this directory's disk fast enough for etcd?
  sokudo fit postgres .                         the table of pg_test_fsync
  sokudo fit mine . --file mine.toml            a question of your own (docs/FIT.md)

Exit codes: 0 fast enough, or no threshold is known; 1 too slow, or something failed; 2 wrong
arguments; 3 refused; 4 cannot say: the 95 % interval is on both sides of the threshold, or a
row is not VERIFIED; 130 interrupted.";

/// All arguments of `sokudo fit`.
pub type Arguments = MeasuringArguments<FitOptions>;

impl OwnArguments for FitOptions {
    const SHARED: &'static [SharedGroup] = &[Pages, Seed];
    const CAN: &'static [Ability] = &[];
}

/// Own arguments of `sokudo fit`, as given.
#[derive(Debug, Args)]
pub struct FitOptions {
    /// What the disk is for, such as etcd; list, or nothing, lists all
    #[arg(value_name = "WHAT")]
    pub what: Option<String>,

    /// Directory, sim:MODEL or null:
    ///
    /// In a directory, sokudo makes its own test file and removes it afterwards. Nothing that is
    /// there is written to.
    #[arg(default_value = ".")]
    pub target: String,

    /// Your own questions, as TOML, instead of those that sokudo knows
    #[arg(long, value_name = "FILE", help_heading = MEASURED)]
    pub file: Option<PathBuf>,

    /// Length of a trial [default: the question's]
    #[arg(short, long, value_name = "TIME", help_heading = HOW)]
    pub time: Option<Nanos>,

    /// Trials per row, alternating; 6 give a 95 % interval
    #[arg(short = 'n', long, value_name = "N", default_value_t = 6, value_parser = whole_number(1..=10_000), help_heading = HOW)]
    pub runs: u32,
}
