//! What a survey counts besides the tally.

use sokudo_model::{
    CpuTime, Defect, Nanos, Operation, SlowIo, Survey, SurveyPosition, SurveySample, ThreadUsage,
    VerifyOutcome, Visit,
};
use sokudo_stats::Histogram;
use sokudo_words::Text;

use super::defects::Defects;
use super::io::{Instants, SurveyIo};
use super::samples::Samples;
use super::slowest::SlowestIos;
use crate::tally::Tally;

/// What a survey ends with besides its tally.
#[derive(Clone, Default)]
pub(crate) struct Surveyed {
    pub(crate) samples: Vec<SurveySample>,
    pub(crate) defects: Vec<Defect>,
    pub(crate) read_aside: u64,
    pub(crate) slowest: Vec<SlowIo>,
    /// Where it was left, if it was not carried out to its end.
    pub(crate) left_at: Option<SurveyPosition>,
    pub(crate) read_beside: Option<Histogram>,
    /// What sealed blocks were found to hold.
    pub(crate) verified: Option<VerifyOutcome>,
    /// What the thread has used for measured I/Os.
    pub(crate) used: Option<(CpuTime, ThreadUsage)>,
    pub(crate) notes: Vec<Text>,
}

/// What has been counted so far.
#[derive(Clone)]
pub(super) struct SurveyCounts {
    pub(super) samples: Samples,
    pub(super) defects: Defects,
    pub(super) slowest: SlowestIos,
    /// Whether I/Os are read from several places in one go each, so that one of them may be
    /// slower than its like.
    pub(super) has_neighbours: bool,
    /// Whether every place is a single I/O, with nothing else between it and the next.
    pub(super) is_one_io: bool,
    pub(super) read_aside: u64,
    /// Of reads while others write.
    pub(super) read_beside: Histogram,
    pub(super) used: Option<(CpuTime, ThreadUsage)>,
}

impl SurveyCounts {
    /// Nothing yet, of a survey of which one sample may follow the other without a pause.
    pub(super) fn new(survey: &Survey, operation: Operation, runs_on: bool) -> Self {
        let singly = matches!(survey.visit, Visit::Random | Visit::Butterfly);
        Self {
            samples: Samples::new(survey),
            defects: Defects::default(),
            slowest: SlowestIos::default(),
            has_neighbours: operation == Operation::Read && survey.sample_count > 1 && !singly,
            is_one_io: singly && runs_on,
            read_aside: 0,
            read_beside: Histogram::new(),
            used: None,
        }
    }

    /// Counts a measured I/O, of which so much was moved.
    pub(super) fn complete(
        &mut self,
        io: SurveyIo,
        moved: u32,
        instants: Instants,
        tally: &mut Tally,
    ) {
        let Instants {
            intended_at,
            issued_at,
            now,
        } = instants;
        let is_flush = io.operation == Operation::Flush;
        if is_flush || moved > 0 {
            tally.complete(io.operation, moved, issued_at, intended_at, now);
        }
        if (1..io.length).contains(&moved) {
            tally.count_short(io.operation);
        }
        if is_flush {
            return;
        }
        let latency_ns = now - issued_at;
        self.samples.complete(io, moved, latency_ns, now);
        if self.has_neighbours && moved == io.length {
            self.slowest.note(io, Nanos(latency_ns));
        }
    }

    /// What it comes to, where the last of it ended then.
    pub(super) fn finish(mut self, ended_at: u64) -> Surveyed {
        self.samples.close_all(ended_at);
        let read_beside = self.read_beside();
        let (defects, note) = self.defects.finish();
        Surveyed {
            samples: self.samples.finish(self.is_one_io),
            defects,
            read_aside: self.read_aside,
            slowest: self.slowest.finish(),
            read_beside,
            used: self.used,
            notes: note.into_iter().collect(),
            ..Surveyed::default()
        }
    }

    pub(super) fn read_beside(&self) -> Option<Histogram> {
        (!self.read_beside.is_empty()).then(|| self.read_beside.clone())
    }
}
