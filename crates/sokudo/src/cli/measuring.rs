//! What every command that measures rows takes behind what it measures.

use clap::Args;

use super::heading::HOW;
use super::issuing::Buffers;
use super::printing::Printing;

/// What buffers lie in, where chance starts from, and what is printed.
#[derive(Debug, Args)]
pub(crate) struct Measuring {
    #[command(flatten)]
    pub(crate) buffers: Buffers,

    /// Random seed; the same seed repeats the same offsets
    #[arg(long, value_name = "N", help_heading = HOW)]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) printing: Printing,
}
