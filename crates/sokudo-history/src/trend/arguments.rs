//! Arguments of `sokudo trend`.

use clap::Args;
use sokudo_analysis::threshold::DIFFERENCE_MIN;
use sokudo_terminal::arguments::percent::{Percent, percent};
use sokudo_terminal::arguments::pictures::Pictures;
use sokudo_terminal::arguments::printing::Rendering;
use sokudo_terminal::arguments::store::Keeping;

use crate::arguments::which::Period;

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo trend                                  the only device there is, a line per row
  sokudo trend Samsung --row 'SEQ1M Q8T1'       its levels, and what changed between them
  sokudo trend Samsung --row 'SEQ1M Q8T1 read' --plot trend.svg
  sokudo trend WD40 --since 1y --format json

A series holds runs of the same load. A change is where runs differ by more than their own
noise: of twenty series without a change, at most one shows a false change. sokudo compares
kernel, firmware, mount options, scheduler and so on between the last run before a change
and the first one after it.

Exit codes: 0 shown, 1 something failed, 2 wrong arguments.";

/// Arguments of `sokudo trend`, as given.
#[derive(Debug, Args)]
pub struct TrendArguments {
    /// Device: part of its model, serial number or name [default: the only one]
    #[arg(value_name = "DEVICE")]
    pub device: Option<String>,

    /// Rows whose name contains this; a single one with all levels
    ///
    /// Several rows get one line each.
    #[arg(long, value_name = "NAME", help_heading = "What is shown")]
    pub row: Option<String>,

    #[command(flatten)]
    pub period: Period,

    /// Ignore changes smaller than this, such as 5%
    #[arg(long, value_name = "PERCENT", default_value_t = Percent(DIFFERENCE_MIN), value_parser = percent, help_heading = "What is shown")]
    pub min_difference: Percent,

    #[command(flatten)]
    pub rendering: Rendering,

    #[command(flatten)]
    pub pictures: Pictures,

    #[command(flatten)]
    pub keeping: Keeping,
}
