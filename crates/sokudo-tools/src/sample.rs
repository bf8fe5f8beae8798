//! Kept runs that tests start from, and rows made by hand.

use sokudo_report::report::ReportedRun;
use sokudo_report::{Report, RunDocument};

pub(crate) use sokudo_report::sample::*;

/// Two runs: a good one with a note, and one in which hardly anything went well.
pub(crate) fn report() -> Report {
    let mut good = ReportedRun::new("run 1", RunDocument::from_run(&run()));
    good.note = "after the firmware update".to_owned();
    good.tags = vec!["nvme".to_owned(), "desk".to_owned()];
    let troubled = RunDocument::from_run(&troubled_run());
    let troubled = ReportedRun::new("troubled.json", troubled);
    Report::new(None, vec![good, troubled])
}
