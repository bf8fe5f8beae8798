//! Arguments of `sokudo burn-in`.

use clap::Args;
use sokudo_model::BurnInTests;
use sokudo_terminal::arguments::heading::MEASURED;
use sokudo_terminal::arguments::mistake::whole_number;
use sokudo_terminal::arguments::one_of::one_of;

use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};
use crate::burn_in::plan::PASSES_MAX;

use SharedGroup::{Destroy, Issue, Notify, Overwrite, Pages, Seed, Stop};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo burn-in /dev/sdb --destroy WD-1234 --dry-run  how long it takes, how much wear
  sokudo burn-in /dev/sdb --destroy WD-1234        one disk; all data on it are lost
  sokudo burn-in /dev/sdb /dev/sdc --destroy WD-1234 --destroy WD-5678 --passes 4
  sokudo burn-in /dev/sdb --resume --destroy WD-1234  resume what was interrupted
  sokudo burn-in 'sim:ssd?size=8GiB' --yes         try it on a simulated disk

All disks work at the same time: their own short self-tests, then each pass writes every block and
reads it back, then a scan, then their own extended self-tests. Health is looked at before and
after. Each disk gets one verdict: OK, OK BUT or NOT OK, with reasons.

Exit codes: 0 every disk is OK or OK BUT, 1 a disk is NOT OK, or something failed, 2 wrong
arguments, 3 refused because it would endanger data, 4 less trusted than --require asks, or not
judged, 5 ended by --stop-when, 130 interrupted.";

/// Which of a drive's own tests are made, as given.
const SELF_TESTS: &[(&str, BurnInTests)] = &[
    ("both", BurnInTests::Both),
    ("short", BurnInTests::Short),
    ("off", BurnInTests::Off),
];

/// All arguments of `sokudo burn-in`.
pub type Arguments = MeasuringArguments<BurnInOptions>;

impl OwnArguments for BurnInOptions {
    const SHARED: &'static [SharedGroup] = &[Overwrite, Destroy, Issue, Stop, Pages, Seed, Notify];
    const CAN: &'static [Ability] = &[];
}

/// Own arguments of `sokudo burn-in`, as given.
#[derive(Debug, Args)]
#[command(mut_arg("overwrite", |it| it
    .conflicts_with("destroy")
    .help("Write to existing files; their contents are lost")
))]
pub struct BurnInOptions {
    /// Block device, file or sim:MODEL; everything on it is lost
    ///
    /// It writes to a device only if --destroy names it, and to a file only with --overwrite.
    pub target: String,

    /// More of them; all work at the same time
    #[arg(value_name = "MORE")]
    pub others: Vec<String>,

    /// How often everything is written and read back
    ///
    /// Each pass writes different data, so a block that kept the data of the pass before is found.
    #[arg(long, value_name = "N", default_value = "1", value_parser = whole_number(1..=PASSES_MAX), help_heading = MEASURED)]
    pub passes: u32,

    /// The drives' own self-tests: both, short or off
    ///
    /// A drive tests itself without transferring data; an extended test reads its whole medium,
    /// which takes hours on a large disk. Drives without self-tests are listed.
    #[arg(
        long,
        value_parser = one_of(SELF_TESTS),
        hide_possible_values = true,
        value_name = "WHICH",
        default_value = "both",
        help_heading = MEASURED
    )]
    pub self_test: BurnInTests,

    /// Resume a burn-in: run RUN, or the newest that is not complete
    ///
    /// What it has written is checked as it was written. Passes, tests, engine, direct I/O and seed
    /// are those of that run, whatever is given here.
    #[arg(
        long,
        value_name = "RUN",
        num_args = 0..=1,
        default_missing_value = "",
        help_heading = MEASURED
    )]
    pub resume: Option<String>,
}
