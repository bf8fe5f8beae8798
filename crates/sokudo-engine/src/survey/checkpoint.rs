//! What a survey had counted when a position was known from which another can go on.

use sokudo_model::{CpuTime, Survey, SurveyPosition, ThreadUsage};
use sokudo_stats::Histogram;

use super::defects::Defects;
use super::samples::Samples;
use super::slowest::SlowestIos;
use crate::tally::Tally;

/// A checkpoint, from when it is asked for until it is told.
#[derive(Default)]
pub(super) enum Checkpoint {
    #[default]
    NotWanted,
    /// There has been no moment since at which a position was known.
    Wanted,
    /// The moment has come.
    Taken(Box<CountsThen>),
}

impl Checkpoint {
    /// The first position that is known is where it begins. What is written back has none: nobody
    /// goes on with it.
    pub(super) fn at_begin(survey: &Survey) -> Self {
        match survey.write_back {
            true => Self::NotWanted,
            false => Self::Wanted,
        }
    }
}

/// What was counted when the position was known.
pub(super) struct CountsThen {
    pub(super) left_at: SurveyPosition,
    /// Chunks of the measured I/Os that were in flight then, and still are.
    pub(super) in_flight: Vec<u32>,
    /// When the last of what is counted was done.
    pub(super) ended_at: u64,
    pub(super) tally: Tally,
    pub(super) samples: Samples,
    pub(super) defects: Defects,
    /// `None` where no I/O is slower than its like.
    pub(super) slowest: Option<SlowestIos>,
    pub(super) read_aside: u64,
    pub(super) read_beside: Option<Histogram>,
    pub(super) used: Option<(CpuTime, ThreadUsage)>,
}
