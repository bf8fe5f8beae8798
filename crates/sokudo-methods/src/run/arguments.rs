//! Arguments of `sokudo run`.

use clap::Args;
use sokudo_terminal::arguments::mistake::whole_number;

use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};

use Ability::{Alternate, Repeat, Together};
use SharedGroup::{Pages, Stop};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo run job.fio                           as fio would run it, as a table with verdicts
  sokudo run job.fio --runs 6                  six times, with a 95 % interval
  sokudo run job.fio --format json -o run.json

Exit codes: 0 done, 1 something failed, 2 wrong arguments, 3 refused because it
would endanger data, 4 less trusted than --require asks, 5 ended by --stop-when, 130
interrupted.";

/// All arguments of `sokudo run`.
pub type Arguments = MeasuringArguments<RunOptions>;

impl OwnArguments for RunOptions {
    const SHARED: &'static [SharedGroup] = &[Stop, Pages];
    const CAN: &'static [Ability] = &[Repeat, Alternate, Together];
}

/// Own arguments of `sokudo run`, as given.
#[derive(Debug, Args)]
pub struct RunOptions {
    /// fio job files
    #[arg(required = true, value_name = "JOB.fio")]
    pub files: Vec<String>,

    /// Repetitions; 6 are needed for a 95 % interval
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, value_parser = whole_number(1..=10_000))]
    pub runs: u32,

    /// Run the jobs of this section only (repeatable)
    #[arg(long = "section", value_name = "NAME")]
    pub sections: Vec<String>,

    /// Run even if options are not supported; the result lists them
    #[arg(long)]
    pub lenient: bool,

    /// Refuse to write anything
    #[arg(long)]
    pub readonly: bool,

    /// Overwrite existing files of the jobs; their contents are lost
    #[arg(long)]
    pub overwrite: bool,

    /// Block device whose data may be destroyed: serial or path (repeatable)
    #[arg(long, value_name = "SERIAL|PATH")]
    pub destroy: Vec<String>,
}
