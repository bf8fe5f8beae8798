//! Arguments of `sokudo fill`.

use std::str::FromStr;

use clap::Args;
use sokudo_model::{Bytes, Nanos};
use sokudo_terminal::arguments::heading::MEASURED;
use sokudo_words::{Text, text};

use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedGroup};

use Ability::{Directory, Repeat};
use SharedGroup::{Destroy, Issue, Overwrite, Pages, Seed, Stop};

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo fill /mnt/data --dry-run                 how much, how long and how much wear; writes nothing
  sokudo fill /mnt/data --size 200GB               write this much, in a file of sokudo's own
  sokudo fill /dev/sdb --destroy WD-1234           the whole drive; all data on it are lost
  sokudo fill /dev/sdb --size 500GB --destroy WD-1234 --plot fill.svg
  sokudo fill . --size 50GB --recovery 10s,60s,5m  rest this long afterwards, and write again
  sokudo fill 'sim:ssd?size=32GiB&slc=8GiB' --yes  try it on a simulated drive

Many drives write fast into a part of their cells, then slower, then slower still while they make
room. The levels are found, how far each reaches, and what comes back after a rest. Flash wears
with what is written: how much that is, and how long it takes, is shown first.

Exit codes: 0 done, 1 something failed, 2 wrong arguments, 3 refused because it would
endanger data, 4 less trusted than --require asks, 5 ended by --stop-when, 130 interrupted.";

/// All arguments of `sokudo fill`.
pub type Arguments = MeasuringArguments<FillOptions>;

impl OwnArguments for FillOptions {
    const SHARED: &'static [SharedGroup] = &[Overwrite, Destroy, Issue, Stop, Pages, Seed];
    const CAN: &'static [Ability] = &[Repeat, Directory];
}

/// Own arguments of `sokudo fill`, as given.
#[derive(Debug, Args)]
#[command(mut_arg("overwrite", |it| it.conflicts_with("destroy")))]
pub struct FillOptions {
    /// Block device, file, directory or sim:MODEL
    ///
    /// In a directory, sokudo makes its own test file and removes it afterwards. It writes to a
    /// file only with --overwrite, and to a device only with --destroy.
    pub target: String,

    /// How much to write [default: all; in a directory half of what is free]
    ///
    /// A simulated device defaults to at most 64 GiB, so that the simulation ends soon. In a
    /// directory 1/32 stays free in any case.
    #[arg(short, long, value_name = "SIZE", help_heading = MEASURED)]
    pub size: Option<Bytes>,

    /// Stop writing after this time
    #[arg(long, value_name = "TIME", help_heading = MEASURED)]
    pub max_time: Option<Nanos>,

    /// Rests, each followed by a small write, or off
    #[arg(long, value_name = "TIMES|off", default_value = "10s,60s", help_heading = MEASURED)]
    pub recovery: Rests,

    /// Do not read single blocks between the writes
    ///
    /// Otherwise one block of 4 KiB is read for each sample of the curve, from what was written
    /// before: its latency is what a program would wait for meanwhile.
    #[arg(long, help_heading = MEASURED)]
    pub no_reads: bool,
}

/// How long a drive rests before it is written again; none for `off`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rests(pub Vec<Nanos>);

impl Rests {
    /// More would take longer than anybody watches.
    const COUNT_MAX: usize = 16;
}

impl FromStr for Rests {
    type Err = Text;

    fn from_str(text: &str) -> Result<Self, Text> {
        if text == "off" {
            return Ok(Self(Vec::new()));
        }
        let rests: Result<Vec<Nanos>, _> = text.split(',').map(Nanos::from_str).collect();
        let rests = rests.map_err(|error| text!("{error}"))?;
        match rests.len() <= Self::COUNT_MAX && rests.iter().all(|rest| rest.0 > 0) {
            true => Ok(Self(rests)),
            false => Err(text!(
                "each rest must be longer than 0, and there may be at most {}; use times such as 10s,60s, or off",
                Self::COUNT_MAX
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_are_a_list_or_off() {
        let rests = |text: &str| text.parse::<Rests>().map(|rests| rests.0);
        assert_eq!(rests("off"), Ok(Vec::new()));
        assert_eq!(
            rests("10s,5m"),
            Ok(vec![Nanos::from_secs(10), Nanos::from_secs(300)])
        );
        for wrong in ["", "0s", "10s,", "soon"] {
            assert!(rests(wrong).is_err(), "{wrong}");
        }
    }
}
