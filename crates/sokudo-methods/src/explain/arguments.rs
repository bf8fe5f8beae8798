//! Arguments of `sokudo explain`.

use clap::Args;
use sokudo_model::Bytes;

use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};
use crate::explain::plan::Theme;

use Ability::{Directory, Repeat};
use SharedGroup::{Destroy, Issue, Overwrite, Pages, Seed};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo explain /dev/sdb                    what its figures say about it, reads only
  sokudo explain /dev/sdb --only rotation    one theme
  sokudo explain /mnt/data --size 8GiB       also what only writes show, in a test file
  sokudo explain /dev/sdb --destroy WD-1234  also what only writes show; its data are lost
  sokudo explain /dev/sdc --only capacity --destroy /dev/sdc   is it as large as it says?
  sokudo explain /dev/sdc --only capacity --full --destroy /dev/sdc   to be sure: all of it
  sokudo explain 'sim:hdd?rpm=5400'          try it on a simulated disk
  sokudo explain 'sim:fake-capacity?size=1TB&real=32GB' --only capacity

The claims are consistent with the figures; each has its evidence and its certainty. They
are not proof: sokudo does not open the drive.

Exit codes: 0 done, 1 something failed, 2 wrong arguments, 3 refused because it would
endanger data, 130 interrupted.";

/// All arguments of `sokudo explain`.
pub type Arguments = MeasuringArguments<ExplainOptions>;

impl OwnArguments for ExplainOptions {
    const SHARED: &'static [SharedGroup] = &[Overwrite, Destroy, Issue, Pages, Seed];
    const CAN: &'static [Ability] = &[Repeat, Directory];
}

/// Own arguments of `sokudo explain`, as given.
#[derive(Debug, Args)]
#[command(mut_arg("overwrite", |it| it.conflicts_with("destroy")))]
pub struct ExplainOptions {
    /// Block device, partition, file, directory or sim:MODEL
    ///
    /// In a directory, sokudo makes its own test file and removes it afterwards; the result holds
    /// only for that small part of the disk.
    pub target: String,

    /// Test only this theme (repeatable); an unknown one lists all themes
    #[arg(long, value_name = "THEME", help_heading = "What is found out")]
    pub only: Vec<Theme>,

    /// Write and read back all of the device to check its capacity; takes hours
    ///
    /// The only way to be sure that the device is as large as it claims, and to find its real size
    /// if it is not. The expected time is shown first. All data on it is lost, so --destroy is
    /// needed.
    #[arg(long, help_heading = "What is found out")]
    pub full: bool,

    /// Size to write to find the end of fast cells [default: at most 64GiB or 10min]
    ///
    /// In a directory, the size of the test file [default: 1GiB].
    #[arg(short, long, value_name = "SIZE", help_heading = "What is found out")]
    pub size: Option<Bytes>,
}
