//! The order in which a survey does things: one sample after the other, and what lies between
//! them and is not measured.
//!
//! The worker asks which I/O comes next ([`Surveying::next`]) and, whenever nothing is in
//! flight, how it goes on ([`Surveying::step`]). The clock that counts stands still but for
//! measured I/Os, so that what is counted is the sum over the samples and nothing else.

mod checkpoint;
mod failing;
mod hanging;
mod leaving;
mod sealing;
mod streaming;
mod write_back;

use std::fs::File;

use sokudo_model::{Operation, Sample, StopReason, Survey, SurveyPosition, Visit, Workload};
use sokudo_sys::IoAction;
use sokudo_words::Text;

use super::beside::ReadsBeside;
use super::checkpoint::Checkpoint;
use super::counts::{SurveyCounts, Surveyed};
use super::defects::DefectsMark;
use super::error_isolation::Inquiry;
use super::hung::Hanging;
use super::io::{Failed, SurveyIo};
use super::route::{SampleBlocks, SurveyRoute};
use super::sealed::SealedBlocks;
use crate::buffers::HUNG_MAX;
use crate::flushing::write_action;
use crate::offsets::ByteRange;
use crate::tally::{FinishedTally, Tally};
use crate::usage::{UsedSoFar, add_usage, used_since, used_so_far};

/// What a survey is of.
pub(crate) struct SurveyTarget {
    /// The part of it that is surveyed.
    pub(crate) stretch: ByteRange,
    /// The least that can be read or written.
    pub(crate) logical_bytes: u64,
    /// Tells whether it is still there, where it is a file or device.
    pub(crate) handle: Option<File>,
    /// Its name for messages.
    pub(crate) name: String,
    /// It takes real time, and a thread of its own.
    pub(crate) is_real: bool,
}

/// How a survey goes on.
pub(crate) enum SurveyStep {
    /// With as many I/Os at a time as the depth allows, which [`Surveying::next`] gives.
    Stream,
    /// With this one in this buffer, whatever has stopped the workload.
    Alone { io: SurveyIo, buffer_index: u32 },
    /// The survey is over, for this reason.
    Stop(StopReason),
}

/// What is being done.
#[derive(Debug)]
enum SurveyActivity {
    Between,
    /// A little is read on the way to what is to be measured, or read to be written back.
    Approaching,
    Measuring,
    Flushing,
    Inquiring(Inquiry),
    Reading,
    /// As approaching, before what was read is written back.
    Returning,
    Writing,
    /// What could not be written back is written once more; these are still to come.
    Retrying(Vec<SurveyIo>),
}

/// A survey in progress.
pub(crate) struct Surveying {
    survey: Survey,
    route: SurveyRoute,
    operation: Operation,
    write_action: IoAction,
    block: u64,
    depth: u32,
    logical_bytes: u64,
    flushes: bool,
    /// One sample follows the other without anything in between: the queue is never emptied
    /// between samples then.
    runs_on: bool,
    handle: Option<File>,
    is_real: bool,
    doing: SurveyActivity,
    /// The sample in progress, and the one after it.
    sample_index: u32,
    next_sample: u32,
    /// What is left of the sample.
    blocks: SampleBlocks,
    /// The time that is left for it.
    time_left_ns: u64,
    /// When the first I/O of what is being done started.
    stream_began_at: Option<u64>,
    /// What is left to be written back at the sample.
    portions: SampleBlocks,
    /// What is written back now.
    pieces: Vec<SurveyIo>,
    next_piece: usize,
    /// The buffer for what is done alone.
    alone: u32,
    issuing: SurveyIo,
    /// What each buffer is used for.
    ios: Box<[SurveyIo]>,
    failed: Vec<Failed>,
    counts: SurveyCounts,
    paused_at: Option<u64>,
    seen_at: u64,
    used_before: Option<UsedSoFar>,
    beside: Option<ReadsBeside>,
    /// The list of defects when a block could be read last.
    good_mark: DefectsMark,
    /// A block that could be read.
    known_good: Option<u64>,
    /// Failures looked into since there was a good block.
    barren: u32,
    /// Something could not be written back.
    has_lost: bool,
    hanging: Hanging,
    sealed: Option<SealedBlocks>,
    /// It was stopped, and where, if something is left.
    was_left: bool,
    left_at: Option<SurveyPosition>,
    checkpoint: Checkpoint,
    /// Somebody waits for one.
    is_checkpoint_requested: bool,
    /// Last checkpoint whose I/Os have all come back: counts and samples up to it.
    known: Option<Box<(FinishedTally, Surveyed)>>,
    known_at: u64,
    /// The last place and byte of which a measured I/O has come back.
    done_to: (u32, u64),
    /// I/Os were in flight when it was ended.
    is_abandoned: bool,
    notes: Vec<Text>,
}

impl Surveying {
    /// The survey of a workload that has been checked; `None` where it has none. It has
    /// `buffers` buffers, of which the last is for what is done alone.
    pub(crate) fn new(
        workload: &Workload,
        target: SurveyTarget,
        seed: u64,
        buffers: u32,
    ) -> Option<Self> {
        let survey = workload.survey()?;
        let operation = workload.operations.single().unwrap_or(Operation::Read);
        let final_flush = workload.durability.final_flush || survey.write_back;
        let flushes = final_flush && operation == Operation::Write;
        let SurveyTarget {
            stretch,
            logical_bytes,
            handle,
            name,
            is_real,
        } = target;
        let route = SurveyRoute::new(workload, &survey, stretch, logical_bytes, seed);
        let block = workload.blocks.largest().0;
        let nothing = SurveyIo::aside(0, 0);
        let first = route.first();
        let blocks = SampleBlocks::of(route.site(first), block);
        let spare = survey.timeout.map_or(0, |_| HUNG_MAX);
        Some(Self {
            survey,
            route,
            operation,
            write_action: write_action(&workload.durability),
            block,
            depth: workload.depth,
            logical_bytes,
            flushes,
            runs_on: runs_on(&survey, flushes),
            handle,
            is_real,
            doing: SurveyActivity::Between,
            sample_index: first,
            next_sample: first,
            blocks,
            time_left_ns: u64::MAX,
            stream_began_at: None,
            portions: blocks,
            pieces: Vec::new(),
            next_piece: 0,
            alone: buffers - 1,
            issuing: nothing,
            ios: vec![nothing; buffers as usize].into_boxed_slice(),
            failed: Vec::new(),
            counts: SurveyCounts::new(&survey, operation, runs_on(&survey, flushes)),
            paused_at: None,
            seen_at: 0,
            used_before: None,
            beside: survey
                .read_beside
                .map(|block| ReadsBeside::new(block, seed)),
            good_mark: DefectsMark::default(),
            known_good: None,
            barren: 0,
            has_lost: false,
            hanging: Hanging::new(buffers - 1 - spare..buffers - 1),
            sealed: workload
                .seal()
                .map(|number| SealedBlocks::new(number, name, buffers)),
            was_left: false,
            left_at: None,
            checkpoint: Checkpoint::at_begin(&survey),
            is_checkpoint_requested: false,
            known: None,
            known_at: 0,
            done_to: (0, 0),
            is_abandoned: false,
            notes: Vec::new(),
        })
    }

    /// Begins at `now`, with a clock that stands still.
    pub(crate) fn begin(&mut self, now: u64) {
        self.counts.samples.begin(now);
        (self.paused_at, self.seen_at) = (Some(now), now);
    }

    /// Whether the clock that counts stands still.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused_at.is_some()
    }

    /// Lets the counted time go on; returns how long it stood still.
    pub(crate) fn resume(&mut self, now: u64) -> u64 {
        let Some(paused_at) = self.paused_at.take() else {
            return 0;
        };
        self.used_before = self.is_real.then(used_so_far);
        let paused = now - paused_at;
        self.counts.samples.skip(paused);
        paused
    }

    fn pause(&mut self, now: u64) {
        if self.paused_at.is_some() {
            return;
        }
        self.paused_at = Some(now);
        if let Some(before) = self.used_before.take() {
            add_usage(&mut self.counts.used, used_since(before));
        }
    }

    /// How it goes on when nothing is in flight.
    pub(crate) fn step(&mut self, now: u64, is_stopped: bool, tally: &mut Tally) -> SurveyStep {
        self.pause(now);
        loop {
            if let Some(step) = self.go_on(now, is_stopped, tally) {
                return step;
            }
        }
    }

    fn go_on(&mut self, now: u64, is_stopped: bool, tally: &mut Tally) -> Option<SurveyStep> {
        let failed = std::mem::take(&mut self.failed);
        if is_stopped {
            let doing = std::mem::replace(&mut self.doing, SurveyActivity::Between);
            self.leave(&doing, &failed);
            self.doing = doing;
        }
        match std::mem::replace(&mut self.doing, SurveyActivity::Between) {
            SurveyActivity::Writing if !failed.is_empty() => Some(self.retry_all(&failed)),
            SurveyActivity::Retrying(rest) => Some(self.retried(rest, failed, is_stopped)),
            // What fails while everything is being stopped is no defect.
            _ if is_stopped => Some(SurveyStep::Stop(StopReason::Ended)),
            SurveyActivity::Between => {
                self.take_checkpoint(tally, std::iter::empty());
                self.begin_sample(now)
            }
            SurveyActivity::Approaching if self.survey.write_back => {
                Some(self.stream(SurveyActivity::Reading))
            }
            SurveyActivity::Approaching => Some(self.stream(SurveyActivity::Measuring)),
            SurveyActivity::Measuring if !failed.is_empty() => self.look_into_sample(failed, now),
            SurveyActivity::Measuring | SurveyActivity::Writing => self.flush(),
            SurveyActivity::Inquiring(inquiry) => self.answer(inquiry, failed, tally),
            SurveyActivity::Flushing if !failed.is_empty() => {
                Some(SurveyStep::Stop(StopReason::Failed))
            }
            SurveyActivity::Flushing => self.end_portion(),
            SurveyActivity::Reading if !failed.is_empty() => self.look_into_portion(failed),
            SurveyActivity::Reading => self.return_to_portion(),
            SurveyActivity::Returning => Some(self.stream(SurveyActivity::Writing)),
        }
    }

    fn begin_sample(&mut self, now: u64) -> Option<SurveyStep> {
        if self.next_sample >= self.route.sample_count() {
            return Some(SurveyStep::Stop(StopReason::Bytes));
        }
        self.sample_index = self.next_sample;
        self.next_sample = if self.runs_on {
            self.route.sample_count()
        } else {
            self.sample_index + 1
        };
        let site = self.route.site(self.sample_index);
        if self.survey.write_back {
            self.counts
                .samples
                .open(self.sample_index, site.offset, now);
            self.begin_portions(site);
            return self.next_portion();
        }
        self.blocks = SampleBlocks::of(site, self.block);
        self.time_left_ns = match self.survey.sample {
            Sample::Time(time) => time.0,
            Sample::Bytes(_) | Sample::Whole => u64::MAX,
        };
        self.approach(site.offset, SurveyActivity::Approaching)
    }

    /// Reads a little, which is not measured, where the survey wants that. Whether it fails
    /// will show in what follows, which reads the same.
    fn approach(&mut self, offset: u64, doing: SurveyActivity) -> Option<SurveyStep> {
        self.doing = doing;
        let bytes = self.survey.approach?.0;
        let left = self.route.span_end() - offset;
        let length = bytes.next_multiple_of(self.logical_bytes).min(left);
        Some(self.alone(SurveyIo::aside(offset, length)))
    }

    fn stream(&mut self, doing: SurveyActivity) -> SurveyStep {
        self.next_piece = 0;
        self.stream_began_at = None;
        self.doing = doing;
        SurveyStep::Stream
    }

    fn alone(&mut self, io: SurveyIo) -> SurveyStep {
        let buffer_index = io.buffer_index.unwrap_or(self.alone);
        let io = SurveyIo {
            buffer_index: Some(buffer_index),
            ..io
        };
        self.issuing = io;
        SurveyStep::Alone { io, buffer_index }
    }

    /// Makes what was written durable, as part of its sample's time.
    fn flush(&mut self) -> Option<SurveyStep> {
        if !self.flushes {
            return self.end_portion();
        }
        self.doing = SurveyActivity::Flushing;
        Some(self.alone(SurveyIo {
            action: IoAction::Fsync,
            operation: Operation::Flush,
            is_measured: true,
            is_reported: true,
            ..SurveyIo::aside(0, 0)
        }))
    }

    fn end_portion(&mut self) -> Option<SurveyStep> {
        if self.survey.write_back {
            return self.next_portion();
        }
        self.end_sample()
    }

    fn end_sample(&mut self) -> Option<SurveyStep> {
        self.counts.samples.close_all(self.ended_at());
        self.doing = SurveyActivity::Between;
        None
    }

    /// When the counted time stopped.
    fn ended_at(&self) -> u64 {
        self.paused_at.unwrap_or(self.seen_at)
    }

    /// Ends at an instant of the clock that counts, for a tally whose origin was moved on.
    pub(crate) fn finish(mut self, tally: &mut FinishedTally, stopped: StopReason) -> Surveyed {
        if let Some(surveyed) = self.abandoned(tally) {
            return surveyed;
        }
        let ended_at = self.ended_at();
        // An I/O that failed took its time, too.
        tally.last_completed_at = tally.last_completed_at.max(ended_at);
        self.give_back_skipped(tally);
        self.finish_hanging(tally);
        let left_at = self.left_at(stopped);
        let verified = self.verified();
        let mut surveyed = self.counts.finish(ended_at);
        let samples = &mut surveyed.samples;
        if let Some(left) = left_at.filter(|_| self.is_abandoned && self.was_left) {
            // Nothing has come back behind the place at which it was left.
            samples.truncate((left.index - self.route.first()) as usize + 1);
        }
        // A place at which nothing was done before the end came is none.
        if stopped != StopReason::Bytes && samples.last().is_some_and(|sample| sample.ios == 0) {
            samples.pop();
        }
        self.notes.append(&mut surveyed.notes);
        Surveyed {
            left_at,
            verified,
            notes: self.notes,
            ..surveyed
        }
    }

    /// What has been seen so far, for whoever looks on. Of defects those are told that nothing to
    /// come takes back.
    pub(crate) fn so_far(&self) -> Surveyed {
        Surveyed {
            samples: self.counts.samples.so_far(self.counts.is_one_io),
            defects: self.counts.defects.until(self.good_mark),
            read_aside: self.counts.read_aside,
            read_beside: self.counts.read_beside(),
            verified: self.verified(),
            ..Surveyed::default()
        }
    }

    /// Moves the origin of a tally back to where it was: when the survey began.
    pub(crate) fn give_back_skipped(&self, tally: &mut FinishedTally) {
        self.counts.samples.give_back_skipped(tally);
    }
}

fn runs_on(survey: &Survey, flushes: bool) -> bool {
    let nothing_between = survey.approach.is_none() && !survey.write_back && !flushes;
    let continuous = match survey.visit {
        Visit::Random | Visit::Butterfly => true,
        Visit::Ascending => survey.sample == Sample::Whole,
        Visit::Shuffled => false,
    };
    nothing_between && continuous
}
