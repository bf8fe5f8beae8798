//! What every command that measures rows takes behind what it measures.

use clap::Args;
use sokudo_model::{Schedule, StopRule};

use super::heading::HOW;
use super::issuing::Buffers;
use super::printing::Printing;

/// What ends a run before its time.
#[derive(Debug, Args)]
pub(crate) struct Stopping {
    /// End the run when this comes true, such as 'rate<100MB/s' (repeatable)
    ///
    /// Figures are rate, iops and temperature (the hottest drive, in °C), each with < or > and a
    /// limit; "for TIME" says how long it has to be so without a break, in time that is measured.
    /// Looked at once a second. What was measured until then is kept and printed; the exit code is
    /// 5.
    #[arg(long, value_name = "RULE", help_heading = HOW)]
    pub(crate) stop_when: Vec<StopRule>,
}

impl Stopping {
    /// The schedule, ended by these rules.
    pub(crate) fn of(&self, schedule: Schedule) -> Schedule {
        Schedule {
            stop_when: self.stop_when.clone(),
            ..schedule
        }
    }
}

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
