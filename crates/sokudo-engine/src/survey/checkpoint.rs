//! What a survey had counted when a position was known from which another can go on.

use sokudo_model::{Survey, SurveyPosition};

use super::counts::SurveyCounts;
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
    /// Buffers of the measured I/Os that were in flight then, and still are.
    pub(super) in_flight: Vec<u32>,
    /// When the last of what is counted was done.
    pub(super) ended_at: u64,
    pub(super) tally: Tally,
    pub(super) counts: SurveyCounts,
}
