//! Arguments of `sokudo plot`.

use clap::Args;
use sokudo_terminal::arguments::pictures::{Colours, Destination, PlotKindArguments, destination};
use sokudo_terminal::arguments::store::Keeping;

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  sokudo plot result.json                      the picture that suits the run, here
  sokudo plot result.json rate.svg rate.png
  sokudo plot result.json tail.svg --plot-kind cdf
  sokudo mark . --format json | sokudo plot - rate.svg";

/// Arguments of `sokudo plot`, as given.
#[derive(Debug, Args)]
pub struct PlotArguments {
    /// Run: its number, last, a file written with --format json, or -
    #[arg(value_name = "RUN")]
    pub result: String,

    /// Pictures to write: FILE.svg, FILE.png, or - for the terminal
    #[arg(value_name = "FILE", default_value = "-", value_parser = destination)]
    pub destinations: Vec<Destination>,

    #[command(flatten)]
    pub kind: PlotKindArguments,

    #[command(flatten)]
    pub colours: Colours,

    #[command(flatten)]
    pub keeping: Keeping,
}
