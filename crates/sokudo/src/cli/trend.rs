//! Arguments of `sokudo trend`.

use std::path::PathBuf;

use clap::Args;
use sokudo_analysis::threshold::DIFFERENCE_MIN;

use super::compare::{Percent, percent};
use super::plot::{ThemeName, destination};
use super::{Destination, Format, Keeping, Moment, Unit};

/// What `--help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  sokudo trend                                  the only device there is, a line per row
  sokudo trend Samsung --row 'SEQ1M Q8T1'       its levels, and what changed between them
  sokudo trend Samsung --row 'SEQ1M Q8T1 read' --plot trend.svg
  sokudo trend WD40 --since 1y --format json

Only runs of the same load are one series. A change is where runs differ by more than
their own noise: of twenty series without a change, one at most has a false one. What
sokudo saw of kernel, firmware, mount options, scheduler and so on is compared between
the last run before a change and the first one after it.

Exit codes: 0 shown, 1 something failed, 2 wrong arguments.";

/// Arguments of `sokudo trend`, as given.
#[derive(Debug, Args)]
pub(crate) struct TrendArguments {
    /// Device: part of its model, serial number or name [default: the only one]
    #[arg(value_name = "DEVICE")]
    pub(crate) device: Option<String>,

    /// Rows whose name has this in it; one is shown with all its levels
    #[arg(long, value_name = "NAME", help_heading = "What is shown")]
    pub(crate) row: Option<String>,

    /// Only runs begun then or later: 2026-11-21, 7d, 1y, RFC 3339
    #[arg(long, value_name = "TIME", help_heading = "What is shown")]
    pub(crate) since: Option<Moment>,

    /// Only runs begun before; of a day, its end
    #[arg(long, value_name = "TIME", help_heading = "What is shown")]
    pub(crate) until: Option<Moment>,

    /// A smaller change does not matter, such as 5%
    #[arg(long, value_name = "PERCENT", default_value_t = Percent(DIFFERENCE_MIN), value_parser = percent, help_heading = "What is shown")]
    pub(crate) min_difference: Percent,

    /// Result format: table, json, csv or markdown
    #[arg(
        short,
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "NAME",
        default_value = "table",
        help_heading = "What is printed"
    )]
    pub(crate) format: Format,

    /// Write the result to a file instead of the terminal
    #[arg(short, long, value_name = "FILE", help_heading = "What is printed")]
    pub(crate) output: Option<PathBuf>,

    /// Unit of the table: mb (MB/s), mib (MiB/s) or iops, which are then shown
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "NAME",
        default_value = "mb",
        help_heading = "What is printed"
    )]
    pub(crate) unit: Unit,

    /// Also draw a picture: FILE.svg, FILE.png or - for here (repeatable)
    #[arg(long = "plot", value_name = "FILE", value_parser = destination, help_heading = "What is printed")]
    pub(crate) destinations: Vec<Destination>,

    /// Colours of pictures: light, dark, or auto: as the reader's screen
    #[arg(
        long = "plot-theme",
        value_enum,
        hide_possible_values = true,
        hide_default_value = true,
        value_name = "THEME",
        default_value = "auto",
        help_heading = "What is printed"
    )]
    pub(crate) theme: ThemeName,

    #[command(flatten)]
    pub(crate) keeping: Keeping,
}
