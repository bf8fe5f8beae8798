//! What a survey counts beside the tally: what was done at each sample, and when it ended.
//!
//! Instants are told as the clock shows them; time between samples, which counts for nothing,
//! is taken out here ([`Samples::skip`]).

use std::collections::VecDeque;

use sokudo_model::{Bytes, Nanos, Survey, SurveyPosition, SurveySample, narrow};

use super::borders::{self, Border};
use super::io::SurveyIo;
use crate::tally::FinishedTally;

/// All samples so far.
#[derive(Clone, Default)]
pub(super) struct Samples {
    /// The way from one sample to the next is part of its time.
    way_counts: bool,
    began_at: u64,
    /// The number of the first place.
    first: u32,
    /// Time that does not count.
    skipped_ns: u64,
    samples: Vec<SurveySample>,
    /// The last places, which are not closed.
    open: VecDeque<OpenSample>,
    /// What is known of the ends of those that are.
    borders: Vec<Border>,
    issued_bytes: u64,
    last_end: Option<u64>,
}

/// More places than this are drawn by nobody while they are read.
const SEEN_MAX: usize = 2_048;

/// A place in progress.
#[derive(Clone, Copy, Default)]
struct OpenSample {
    in_flight: u32,
    /// Nothing more will be issued there.
    is_issued: bool,
    /// Bytes issued so far, here and at all places before.
    issued_bytes: u64,
    /// When the first I/O of the next place was issued, on the clock that counts.
    left_at: Option<u64>,
}

impl Samples {
    /// Room for those of a survey.
    pub(super) fn new(survey: &Survey) -> Self {
        Self {
            way_counts: survey.approach.is_none() && !survey.write_back,
            first: survey.resumed_at.map_or(0, |position| position.index),
            samples: Vec::with_capacity(survey.sample_count as usize),
            borders: Vec::with_capacity(survey.sample_count as usize),
            ..Self::default()
        }
    }

    /// The clock that counts begins.
    pub(super) fn begin(&mut self, now: u64) {
        self.began_at = now;
    }

    /// So much time has passed that does not count.
    pub(super) fn skip(&mut self, nanos: u64) {
        self.skipped_ns += nanos;
    }

    /// Moves the origin of a tally back by the time that did not count.
    pub(super) fn give_back_skipped(&self, tally: &mut FinishedTally) {
        tally.started_at -= self.skipped_ns;
        tally.last_completed_at -= self.skipped_ns;
    }

    /// Notes that a measured I/O is issued.
    pub(super) fn issue(&mut self, io: SurveyIo, now: u64) {
        self.open(io.sample_index, io.offset, now);
        self.last_end = Some(io.range().end);
        self.issued_bytes += u64::from(io.length);
        if let Some(open) = self.open.back_mut() {
            open.in_flight += 1;
            open.issued_bytes = self.issued_bytes;
            open.is_issued |= io.is_last;
        }
    }

    /// Where a place is in the list.
    fn index(&self, sample_index: u32) -> usize {
        (sample_index - self.first) as usize
    }

    /// The first place that is not over, by its number in the order of visits; what was done
    /// there is not known to be all.
    pub(super) fn first_open(&self) -> Option<SurveyPosition> {
        let index = self.samples.len() - self.open.len();
        let sample = self.samples.get(index)?;
        Some(SurveyPosition {
            index: self.first + narrow::<usize, u32>(index),
            offset: sample.offset,
        })
    }

    /// Opens a place, unless it is the one in progress.
    pub(super) fn open(&mut self, sample_index: u32, offset: u64, now: u64) {
        if self.samples.len() > self.index(sample_index) {
            return;
        }
        let distance = self.last_end.filter(|_| self.way_counts);
        self.samples.push(SurveySample {
            offset: Bytes(offset),
            bytes: Bytes(0),
            ios: 0,
            elapsed: Nanos(0),
            latency_max: Nanos(0),
            distance: distance.map(|end| Bytes(end.abs_diff(offset))),
        });
        if let Some(before) = self.open.back_mut() {
            before.is_issued = true;
            before.left_at = Some(now - self.skipped_ns);
        }
        self.open.push_back(OpenSample {
            issued_bytes: self.issued_bytes,
            ..OpenSample::default()
        });
    }

    /// Counts a measured I/O that took `latency_ns` and moved so many bytes. Ends the places
    /// at which nothing is left to do.
    pub(super) fn complete(&mut self, io: SurveyIo, moved: u32, latency_ns: u64, now: u64) {
        let first_open = self.samples.len() - self.open.len();
        let number = self.index(io.sample_index).wrapping_sub(first_open);
        if let Some(open) = self.open.get_mut(number) {
            open.in_flight -= 1;
        }
        let index = self.index(io.sample_index);
        if let Some(sample) = self.samples.get_mut(index) {
            if moved > 0 {
                sample.ios += 1;
                sample.bytes.0 += u64::from(moved);
            }
            sample.latency_max = sample.latency_max.max(Nanos(latency_ns));
        }
        let is_over = |open: &OpenSample| open.is_issued && open.in_flight == 0;
        while self.open.front().is_some_and(is_over) {
            self.close(now);
        }
    }

    /// Ends the first open place: all of it is complete.
    fn close(&mut self, now: u64) {
        let Some(open) = self.open.pop_front() else {
            return;
        };
        // The end may have come before anything was completed since the clock went on.
        let before = self.borders.last().map_or(self.began_at, |it| it.latest);
        let latest = now.saturating_sub(self.skipped_ns).max(before);
        self.borders.push(Border {
            at: open.issued_bytes,
            earliest: open.left_at.map_or(latest, |left_at| left_at.min(latest)),
            latest,
        });
    }

    /// The places that have ended, for whoever looks on; of many, one for every few, so that the
    /// look costs little. Times are those that are known now: a later place may tell more.
    pub(super) fn so_far(&self, is_one_io: bool) -> Vec<SurveySample> {
        let stride = self.borders.len().div_ceil(SEEN_MAX).max(1);
        let borders = self.borders.iter().skip(stride - 1).step_by(stride);
        let borders: Vec<Border> = borders.copied().collect();
        let firsts = self.samples.iter().step_by(stride);
        let mut before = (self.began_at, 0);
        let ends = borders::ends(before.0, borders.clone()).into_iter();
        let samples = firsts.zip(borders).zip(ends);
        samples
            .map(|((sample, border), end)| {
                let mut sample = *sample;
                if is_one_io {
                    sample.elapsed = sample.latency_max;
                } else {
                    sample.elapsed = Nanos(end - before.0);
                    if stride > 1 {
                        sample.bytes = Bytes(border.at - before.1);
                    }
                }
                before = (end, border.at);
                sample
            })
            .collect()
    }

    pub(super) fn close_all(&mut self, now: u64) {
        while !self.open.is_empty() {
            self.close(now);
        }
    }

    /// All places with their times, each from the end of the one before to its own. Where
    /// `is_one_io`, a place's time is that of its I/O: the way from one I/O to the next in
    /// the loop is nobody's.
    pub(super) fn finish(self, is_one_io: bool) -> Vec<SurveySample> {
        let mut samples = self.samples;
        let mut before = self.began_at;
        for (sample, end) in samples.iter_mut().zip(borders::ends(before, self.borders)) {
            sample.elapsed = Nanos(end - before);
            if is_one_io {
                sample.elapsed = sample.elapsed.min(sample.latency_max);
            }
            before = end;
        }
        samples
    }
}
