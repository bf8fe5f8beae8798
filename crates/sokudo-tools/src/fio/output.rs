//! What fio prints, from a run of fio's jobs: JSON, terse lines, text, logs and the
//! status line, field for field as fio 3.33 prints them.
//!
//! Keys, positions, units, spacing and types follow the installed fio, because
//! programs read them; where fio's own figure is wrong (the steady state's bandwidth
//! in powers of 1000, a fraction that rounds up to one), the right one is printed.
//! Nothing here judges: verdicts are those of the run, added as one key, and beside the output as one line.

mod bins;
mod failure;
mod figures;
mod json;
mod json_value;
mod logs;
mod normal;
mod number;
#[cfg(test)]
mod sample;
mod spread;
mod start;
mod status;
mod steady;
mod terse;

pub use failure::failure_lines;
pub use json::{json, json_plus};
pub use logs::{LogFile, logs};
pub use normal::{has_figures, mismatch_lines, normal, verdict_line, worst_verdict};
pub use start::{layout_line, start_lines};
pub use status::StatusLine;
pub use terse::terse;

use sokudo_model::{Nanos, Outcome, Run};
use sokudo_report::number::float;

use crate::fio::session::FioSession;

/// The version that outputs name: the one whose formats they have.
pub const FIO_VERSION: &str = "fio-3.33";

/// What fio's outputs are made from.
#[derive(Clone, Copy, Debug)]
pub struct FioReport<'a> {
    /// What happened: one row per job of the session, in its order, of one trial each.
    pub run: &'a Run,
    /// What fio's outputs say besides.
    pub session: &'a FioSession,
    /// What the devices under the jobs' files counted meanwhile.
    pub disks: &'a [DiskUse],
    /// From the run's start to this report.
    pub elapsed: Nanos,
    /// How long it is expected to go on; `None` when it has ended.
    pub remaining: Option<Nanos>,
    /// The number of the error by which jobs without an outcome could not start; 0 where
    /// they were not reached.
    pub not_started: i32,
    /// Local time less UTC, in seconds: fio prints local time.
    pub utc_offset_seconds: i32,
    /// The number of this process.
    pub process: u32,
}

impl FioReport<'_> {
    /// When the run began, since 1970.
    fn started_at(&self) -> Nanos {
        self.run.started_at.unwrap_or_default()
    }

    /// When the report is made, since 1970.
    fn made_at(&self) -> Nanos {
        Nanos(self.started_at().0.saturating_add(self.elapsed.0))
    }

    /// What a job did; `None` when it was not reached.
    fn outcome(&self, job: usize) -> Option<&Outcome> {
        let trial = self.run.rows.get(job)?.trials.last()?;
        Some(&trial.outcome)
    }
}

/// What a block device did while the jobs ran (`/sys/block/NAME/stat`, after less
/// before).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskUse {
    /// The kernel's name, such as `nvme0n1`.
    pub name: String,
    /// Reads and writes completed.
    pub ios: [u64; 2],
    /// Reads and writes that were merged into others.
    pub merges: [u64; 2],
    /// Milliseconds that reads and writes waited, each counted by itself.
    pub ticks: [u64; 2],
    /// Milliseconds that requests were in the queue, weighted by their number.
    pub in_queue: u64,
    /// Milliseconds in which any request was in flight.
    pub busy: u64,
    /// Milliseconds that were watched.
    pub elapsed: u64,
    /// The devices it is made of (device mapper, RAID); empty for a plain disk. fio lists
    /// them as devices of their own as well, behind it.
    pub parts: Vec<DiskUse>,
}

impl DiskUse {
    /// Percentage of the time in which it was busy.
    fn utilisation(&self) -> f64 {
        if self.elapsed == 0 {
            return 0.0;
        }
        (100.0 * float(self.busy) / float(self.elapsed)).min(100.0)
    }

    /// The mean of its parts, and the busiest one's utilisation; `None` without parts.
    fn aggregate(&self) -> Option<(Self, f64)> {
        let count = u64::try_from(self.parts.len()).ok().filter(|n| *n > 0)?;
        let mean = |of: &dyn Fn(&Self) -> u64| self.parts.iter().map(of).sum::<u64>() / count;
        let mean = Self {
            name: String::new(),
            ios: [mean(&|d| d.ios[0]), mean(&|d| d.ios[1])],
            merges: [mean(&|d| d.merges[0]), mean(&|d| d.merges[1])],
            ticks: [mean(&|d| d.ticks[0]), mean(&|d| d.ticks[1])],
            in_queue: mean(&|d| d.in_queue),
            ..Self::default()
        };
        let busiest = self.parts.iter().map(Self::utilisation).fold(0.0, f64::max);
        Some((mean, busiest))
    }
}
