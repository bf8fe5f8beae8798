//! What is kept of I/Os beyond one histogram per operation, where a workload asks for
//! it ([`sokudo_model::Recording`]): submission and completion apart, series per
//! operation, logs, counts of depths.
//!
//! Logs grow while the workload runs; nothing else here allocates after the start.

use sokudo_model::{
    Depths, HistogramPoint, LogPoint, Logs, Moved, Nanos, Operation, OperationTally, Recording,
    SeriesPoint, Workload,
};
use sokudo_stats::Histogram;

use crate::clock::NEVER;

/// Room for this many intervals of a series from the start; an hour of seconds.
const INTERVALS_AT_FIRST: usize = 3_600;

/// An I/O that has been done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompletedIo {
    pub(crate) operation: Operation,
    pub(crate) offset: u64,
    /// Bytes moved; fewer than asked for where the I/O fell short.
    pub(crate) bytes: u32,
    pub(crate) issued_at: u64,
    pub(crate) completed_at: u64,
}

/// Latencies of one I/O. Nanoseconds.
#[derive(Clone, Copy)]
struct IoLatencies {
    submission: Option<u64>,
    completion: Option<u64>,
    total: u64,
}

/// What submitting is to a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Submission {
    /// A step of its own, whose length can be measured.
    Step,
    /// Nothing: an I/O is at the device as soon as it is prepared.
    None,
    /// The whole of an I/O: each is done by the call that begins it, so that there is
    /// nothing to count but I/Os.
    Whole,
}

/// Keeps what the workload asks for.
pub(crate) struct Recorder {
    started_at: u64,
    split: Option<SplitLatencies>,
    submission: Submission,
    depth: u32,
    depths: Option<Depths>,
    series: Option<OperationSeries>,
    log: Option<LatencyLogger>,
    every_io: Option<Vec<LogPoint>>,
    histograms: Option<HistogramLogger>,
}

/// What was kept, besides what goes into the operations' tallies.
#[derive(Default)]
pub(crate) struct Recorded {
    pub(crate) depths: Option<Depths>,
    pub(crate) logs: Logs,
}

impl Recorder {
    /// `None` where nothing is asked for. `buffers` names the I/Os, of which `depth` are
    /// in flight.
    pub(crate) fn new(
        workload: &Workload,
        buffers: u32,
        depth: u32,
        submission: Submission,
    ) -> Option<Box<Self>> {
        let recording = &workload.recording;
        if *recording == Recording::default() {
            return None;
        }
        let splits = recording.split_latency && submission == Submission::Step;
        Some(Box::new(Self {
            started_at: 0,
            split: splits.then(|| SplitLatencies::new(buffers)),
            submission,
            depth,
            depths: recording.split_latency.then(Depths::default),
            series: recording.series_interval.map(OperationSeries::new),
            log: recording
                .latency_log
                .map(|log| LatencyLogger::new(log.interval)),
            every_io: recording.log_every_io.then(Vec::new),
            histograms: recording.histogram_interval.map(HistogramLogger::new),
        }))
    }

    /// Forgets everything and begins to measure at `now`.
    pub(crate) fn start(&mut self, now: u64) {
        self.started_at = now;
        if let Some(split) = &mut self.split {
            split.clear();
        }
        if let Some(depths) = &mut self.depths {
            *depths = Depths::default();
        }
        if let Some(series) = &mut self.series {
            series.start();
        }
        if let Some(log) = &mut self.log {
            log.start();
        }
        if let Some(every_io) = &mut self.every_io {
            every_io.clear();
        }
        if let Some(histograms) = &mut self.histograms {
            histograms.start();
        }
    }

    /// Whether single I/Os and batches are of no interest: all that is kept comes from
    /// counts that are there anyway.
    pub(crate) fn only_looks(&self) -> bool {
        let of_each = self.split.is_some()
            || self.log.is_some()
            || self.every_io.is_some()
            || self.histograms.is_some();
        !of_each && (self.depths.is_none() || self.submission == Submission::Whole)
    }

    /// Whether the clock is to be read after each submission.
    #[inline]
    pub(crate) fn splits(&self) -> bool {
        self.split.is_some()
    }

    /// Notes an I/O that the next submission takes.
    #[inline]
    pub(crate) fn prepared(&mut self, buffer_index: u32) {
        if let Some(split) = &mut self.split {
            split.unsubmitted.push(buffer_index);
        }
    }

    /// Notes that what was prepared has been submitted: `count` I/Os, with `level` in
    /// flight.
    pub(crate) fn submitted(&mut self, count: u32, level: u32, now: u64) {
        if let Some(split) = &mut self.split {
            split.submitted(now);
        }
        if let Some(depths) = &mut self.depths {
            depths.level[level_class(level)] += u64::from(count);
            depths.submitted[batch_class(count)] += 1;
        }
    }

    /// Counts how many I/Os were reaped at once.
    pub(crate) fn reaped(&mut self, count: u32) {
        if let Some(depths) = &mut self.depths {
            depths.completed[batch_class(count)] += 1;
        }
    }

    /// Takes a completed I/O into the histograms, series and logs that are kept.
    pub(crate) fn complete(&mut self, buffer_index: u32, done: CompletedIo) {
        let total = done.completed_at.saturating_sub(done.issued_at);
        let latencies = match &mut self.split {
            Some(split) => split.complete(buffer_index, done, total),
            None => IoLatencies {
                submission: None,
                // Where submitting is no step, all of the time is completion.
                completion: (self.submission != Submission::Step).then_some(total),
                total,
            },
        };
        if done.operation == Operation::Flush {
            return;
        }
        let at = Nanos(done.completed_at.saturating_sub(self.started_at));
        if let Some(log) = &mut self.log {
            log.count(at, done, latencies);
        }
        if let Some(every_io) = &mut self.every_io {
            every_io.push(LogPoint {
                max: latencies.completion.unwrap_or(latencies.total),
                ..log_point(at, done, 1)
            });
        }
        if let Some(histograms) = &mut self.histograms {
            histograms.count(done, latencies.completion.unwrap_or(latencies.total));
        }
    }

    /// When the next interval ends.
    pub(crate) fn interval_ends_at(&self) -> u64 {
        let ends = [
            self.series.as_ref().map(|series| series.timer.ends_at()),
            self.log.as_ref().map(|log| log.timer.ends_at()),
            self.histograms.as_ref().map(|log| log.timer.ends_at()),
        ];
        let first = ends.into_iter().flatten().min().unwrap_or(NEVER);
        self.started_at.saturating_add(first)
    }

    /// Ends every interval that is over at `now`; `moved` is what reads, writes and
    /// trims have moved since the start.
    pub(crate) fn end_intervals(&mut self, now: u64, moved: [Moved; 3]) {
        let at = now.saturating_sub(self.started_at);
        if let Some(series) = &mut self.series {
            while series.timer.ends_at() <= at {
                series.end_interval(moved);
            }
        }
        if let Some(log) = &mut self.log {
            while log.timer.ends_at() <= at {
                log.end_interval();
            }
        }
        if let Some(histograms) = &mut self.histograms {
            while histograms.timer.ends_at() <= at {
                histograms.end_interval();
            }
        }
    }

    /// What there is so far, without logs, which may be large.
    pub(crate) fn snapshot(&self, at: u64, operations: &mut [OperationTally]) -> Recorded {
        for tally in &mut *operations {
            if let Some(split) = &self.split {
                split.give(tally);
            }
            if let Some(series) = &self.series {
                tally.series = series.so_far(tally, Nanos(at));
            }
        }
        let ios = operations
            .iter()
            .filter(|tally| tally.operation != Operation::Flush);
        let ios = ios.map(|tally| tally.ios).sum();
        Recorded {
            depths: self.depths.map(|counted| match self.submission {
                Submission::Whole => one_by_one(ios, self.depth),
                _ => counted,
            }),
            logs: Logs::default(),
        }
    }

    /// Everything, when the measured part ended after `at` nanoseconds.
    pub(crate) fn finish(mut self, at: u64, operations: &mut [OperationTally]) -> Recorded {
        let mut recorded = self.snapshot(at, operations);
        if let Some(log) = self.log {
            recorded.logs = log.finish(Nanos(at));
        }
        if let Some(every_io) = self.every_io {
            recorded.logs.every_io = every_io;
        }
        if let Some(histograms) = &mut self.histograms {
            histograms.end_last(Nanos(at));
            recorded.logs.histograms = std::mem::take(&mut histograms.points);
        }
        recorded
    }
}

/// Every I/O begun and ended by itself, with the depth full.
fn one_by_one(ios: u64, depth: u32) -> Depths {
    let mut depths = Depths::default();
    depths.level[level_class(depth)] = ios;
    depths.submitted[batch_class(1)] = ios;
    depths.completed[batch_class(1)] = ios;
    depths
}

/// fio's classes of levels begin at 1, 2, 4, … 64.
fn level_class(level: u32) -> usize {
    level.max(1).ilog2().min(6) as usize
}

/// fio's classes of batches hold 0, up to 4, 8, … 64, and more.
fn batch_class(count: u32) -> usize {
    match count {
        0 => 0,
        1..=4 => 1,
        _ => ((count - 1).ilog2() as usize).min(6),
    }
}

fn log_point(at: Nanos, done: CompletedIo, value: u64) -> LogPoint {
    LogPoint {
        at,
        operation: done.operation,
        value: value as f64,
        max: value,
        bytes: done.bytes,
        offset: done.offset,
    }
}

/// Ends of equal intervals, counted from the start of the measured part.
struct Timer {
    interval: u64,
    ends_at: u64,
}

impl Timer {
    fn new(interval: Nanos) -> Self {
        let interval = interval.0.max(1);
        Self {
            interval,
            ends_at: interval,
        }
    }

    fn start(&mut self) {
        self.ends_at = self.interval;
    }

    fn ends_at(&self) -> u64 {
        self.ends_at
    }

    /// The end of the interval in progress; the next one begins.
    fn next(&mut self) -> Nanos {
        let end = Nanos(self.ends_at);
        self.ends_at = self.ends_at.saturating_add(self.interval);
        end
    }
}

/// Submission and completion apart: the clock is read after each submission.
struct SplitLatencies {
    submitted_at: Box<[u64]>,
    unsubmitted: Vec<u32>,
    submission: [Histogram; Operation::ALL.len()],
    completion: [Histogram; Operation::ALL.len()],
}

impl SplitLatencies {
    fn new(buffers: u32) -> Self {
        Self {
            submitted_at: vec![0; buffers as usize].into_boxed_slice(),
            unsubmitted: Vec::with_capacity(buffers as usize),
            submission: std::array::from_fn(|_| Histogram::new()),
            completion: std::array::from_fn(|_| Histogram::new()),
        }
    }

    fn clear(&mut self) {
        self.submission.iter_mut().for_each(Histogram::clear);
        self.completion.iter_mut().for_each(Histogram::clear);
    }

    fn submitted(&mut self, now: u64) {
        for buffer_index in &self.unsubmitted {
            self.submitted_at[*buffer_index as usize] = now;
        }
        self.unsubmitted.clear();
    }

    /// Both parts add up to the total, exactly.
    fn complete(&mut self, buffer_index: u32, done: CompletedIo, total: u64) -> IoLatencies {
        let submitted_at = self.submitted_at[buffer_index as usize];
        let submission = submitted_at.saturating_sub(done.issued_at).min(total);
        let completion = total - submission;
        self.submission[done.operation.index()].record(submission);
        self.completion[done.operation.index()].record(completion);
        IoLatencies {
            submission: Some(submission),
            completion: Some(completion),
            total,
        }
    }

    fn give(&self, tally: &mut OperationTally) {
        let index = tally.operation.index();
        tally.submission = Some(self.submission[index].clone());
        tally.completion = Some(self.completion[index].clone());
    }
}

/// What was moved per interval, of reads, writes and trims.
struct OperationSeries {
    timer: Timer,
    /// What had been moved at the end of the last interval.
    seen: [Moved; 3],
    points: [Vec<SeriesPoint>; 3],
}

impl OperationSeries {
    fn new(interval: Nanos) -> Self {
        Self {
            timer: Timer::new(interval),
            seen: [Moved::default(); 3],
            points: std::array::from_fn(|_| Vec::with_capacity(INTERVALS_AT_FIRST)),
        }
    }

    fn start(&mut self) {
        self.timer.start();
        self.seen = [Moved::default(); 3];
        self.points.iter_mut().for_each(Vec::clear);
    }

    fn end_interval(&mut self, moved: [Moved; 3]) {
        let at = self.timer.next();
        for ((points, seen), moved) in self.points.iter_mut().zip(&mut self.seen).zip(moved) {
            points.push(moved.since(*seen, at));
            *seen = moved;
        }
    }

    /// With the interval in progress, which ends at `at`.
    fn so_far(&self, tally: &OperationTally, at: Nanos) -> Vec<SeriesPoint> {
        let index = tally.operation.index();
        let mut points = self.points.get(index).cloned().unwrap_or_default();
        let moved = Moved {
            bytes: tally.bytes,
            ios: tally.ios,
        };
        if let Some(seen) = self.seen.get(index)
            && moved.ios > seen.ios
        {
            points.push(moved.since(*seen, at));
        }
        points
    }
}

/// Latencies of every I/O, or their mean and maximum per interval.
struct LatencyLogger {
    timer: Timer,
    averages: bool,
    /// Submission, completion and total, of reads, writes and trims.
    current: [[Average; 3]; 3],
    logs: [Vec<LogPoint>; 3],
}

#[derive(Clone, Copy, Default)]
struct Average {
    count: u64,
    sum: u128,
    max: u64,
}

impl LatencyLogger {
    fn new(interval: Option<Nanos>) -> Self {
        Self {
            timer: Timer::new(interval.unwrap_or(Nanos(NEVER))),
            averages: interval.is_some(),
            current: Default::default(),
            logs: Default::default(),
        }
    }

    fn start(&mut self) {
        self.timer.start();
        self.current = Default::default();
        self.logs.iter_mut().for_each(Vec::clear);
    }

    fn count(&mut self, at: Nanos, done: CompletedIo, latencies: IoLatencies) {
        let values = [
            latencies.submission,
            latencies.completion,
            Some(latencies.total),
        ];
        for (kind, value) in values.into_iter().enumerate() {
            let Some(value) = value else { continue };
            if !self.averages {
                self.logs[kind].push(log_point(at, done, value));
            } else if let Some(average) = self.current[kind].get_mut(done.operation.index()) {
                average.count += 1;
                average.sum += u128::from(value);
                average.max = average.max.max(value);
            }
        }
    }

    fn end_interval(&mut self) {
        let at = self.timer.next();
        self.log_averages(at);
    }

    fn log_averages(&mut self, at: Nanos) {
        for (log, current) in self.logs.iter_mut().zip(&mut self.current) {
            for (operation, average) in Operation::ALL.into_iter().zip(current) {
                let Average { count, sum, max } = std::mem::take(average);
                if count > 0 {
                    log.push(LogPoint {
                        at,
                        operation,
                        value: sum as f64 / count as f64,
                        max,
                        bytes: 0,
                        offset: 0,
                    });
                }
            }
        }
    }

    fn finish(mut self, at: Nanos) -> Logs {
        self.log_averages(at);
        let [submission, completion, total] = self.logs;
        Logs {
            submission,
            completion,
            total,
            ..Logs::default()
        }
    }
}

/// Histograms of completion latencies per interval, of reads, writes and trims.
struct HistogramLogger {
    timer: Timer,
    current: [(u32, Histogram); 3],
    points: Vec<HistogramPoint>,
}

impl HistogramLogger {
    fn new(interval: Nanos) -> Self {
        Self {
            timer: Timer::new(interval),
            current: std::array::from_fn(|_| (0, Histogram::new())),
            points: Vec::new(),
        }
    }

    fn start(&mut self) {
        self.timer.start();
        for (_, histogram) in &mut self.current {
            histogram.clear();
        }
        self.points.clear();
    }

    fn count(&mut self, done: CompletedIo, latency: u64) {
        if let Some((bytes, histogram)) = self.current.get_mut(done.operation.index()) {
            if histogram.is_empty() {
                *bytes = done.bytes;
            }
            histogram.record(latency);
        }
    }

    fn end_interval(&mut self) {
        let at = self.timer.next();
        self.end_last(at);
    }

    fn end_last(&mut self, at: Nanos) {
        for (operation, (bytes, histogram)) in Operation::ALL.into_iter().zip(&mut self.current) {
            if !histogram.is_empty() {
                self.points.push(HistogramPoint {
                    at,
                    operation,
                    bytes: *bytes,
                    latency: histogram.clone(),
                });
                histogram.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::Bytes;
    use sokudo_model::LatencyLog;

    const MS: u64 = 1_000_000;

    fn recorder(recording: Recording, submission: Submission) -> Recorder {
        let workload = with!(Workload::new("w", Bytes(4096)), recording = recording);
        let mut recorder = Recorder::new(&workload, 8, 8, submission).unwrap();
        recorder.start(1_000);
        *recorder
    }

    fn done(operation: Operation, issued_at: u64, completed_at: u64) -> CompletedIo {
        CompletedIo {
            operation,
            offset: 8192,
            bytes: 4096,
            issued_at,
            completed_at,
        }
    }

    #[test]
    fn nothing_is_recorded_unless_asked_for() {
        assert!(Recorder::new(&Workload::new("w", Bytes(4096)), 8, 8, Submission::Step).is_none());
    }

    #[test]
    fn submission_and_completion_add_up_for_every_io() {
        let recording = with!(
            Recording::default(),
            split_latency = true,
            latency_log = Some(LatencyLog { interval: None })
        );
        let mut recorder = recorder(recording, Submission::Step);
        recorder.prepared(3);
        recorder.prepared(5);
        recorder.submitted(2, 2, 1_700);
        recorder.reaped(2);
        recorder.complete(3, done(Operation::Read, 1_500, 9_000));
        recorder.complete(5, done(Operation::Read, 1_600, 9_000));
        let mut tallies = [OperationTally::new(Operation::Read)];
        let recorded = recorder.finish(10_000, &mut tallies);
        let values = |log: &[LogPoint]| log.iter().map(|point| point.max).collect::<Vec<_>>();
        assert_eq!(values(&recorded.logs.submission), [200, 100]);
        assert_eq!(values(&recorded.logs.completion), [7_300, 7_300]);
        assert_eq!(values(&recorded.logs.total), [7_500, 7_400]);
        let sums = [&tallies[0].submission, &tallies[0].completion]
            .map(|histogram| histogram.as_ref().unwrap().sum());
        assert_eq!(sums, [300, 14_600]);
        let depths = recorded.depths.unwrap();
        assert_eq!(
            (depths.level[1], depths.submitted[1], depths.completed[1]),
            (2, 1, 1)
        );
    }

    #[test]
    fn where_submitting_is_no_step_all_is_completion() {
        let recording = with!(
            Recording::default(),
            split_latency = true,
            latency_log = Some(LatencyLog { interval: None })
        );
        let mut recorder = recorder(recording, Submission::None);
        recorder.complete(0, done(Operation::Write, 2_000, 2_500));
        let mut tallies = [OperationTally::new(Operation::Write)];
        let logs = recorder.finish(10_000, &mut tallies).logs;
        assert_eq!((logs.submission.len(), logs.completion[0].max), (0, 500));
        assert_eq!(
            (&tallies[0].submission, &tallies[0].completion),
            (&None, &None)
        );
    }

    #[test]
    fn averages_have_the_mean_and_the_largest_of_their_interval() {
        let recording = with!(
            Recording::default(),
            latency_log = Some(LatencyLog {
                interval: Some(Nanos(MS)),
            })
        );
        let mut recorder = recorder(recording, Submission::None);
        recorder.complete(0, done(Operation::Read, 1_000, 1_100));
        recorder.complete(0, done(Operation::Read, 1_000, 1_300));
        recorder.complete(0, done(Operation::Write, 1_000, 1_050));
        assert_eq!(recorder.interval_ends_at(), 1_000 + MS);
        recorder.end_intervals(1_000 + 3 * MS, [Moved::default(); 3]);
        recorder.complete(0, done(Operation::Read, 4 * MS, 4 * MS + 7));
        let total = recorder.finish(4 * MS, &mut []).logs.total;
        let found: Vec<_> = total
            .iter()
            .map(|point| (point.at.0, point.operation, point.value, point.max))
            .collect();
        let expected = [
            (MS, Operation::Read, 200.0, 300),
            (MS, Operation::Write, 50.0, 50),
            (4 * MS, Operation::Read, 7.0, 7),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn series_are_kept_per_operation() {
        let recording = with!(Recording::default(), series_interval = Some(Nanos(MS)));
        let mut recorder = recorder(recording, Submission::Step);
        let one = Moved {
            bytes: Bytes(4096),
            ios: 1,
        };
        recorder.end_intervals(1_000 + 2 * MS, [one, Moved::default(), Moved::default()]);
        let mut tallies = [Operation::Read, Operation::Write].map(|operation| OperationTally {
            bytes: one.bytes,
            ios: one.ios,
            ..OperationTally::new(operation)
        });
        recorder.finish(2 * MS + 5, &mut tallies);
        let ios = |tally: &OperationTally| {
            let points = tally.series.iter();
            points
                .map(|point| (point.at.0, point.ios))
                .collect::<Vec<_>>()
        };
        assert_eq!(ios(&tallies[0]), [(MS, 1), (2 * MS, 0)]);
        assert_eq!(ios(&tallies[1]), [(MS, 0), (2 * MS, 0), (2 * MS + 5, 1)]);
    }

    #[test]
    fn classes_are_those_of_fio() {
        let levels = [1, 2, 3, 4, 63, 64, 4_000].map(level_class);
        assert_eq!(levels, [0, 1, 1, 2, 5, 6, 6]);
        let batches = [0, 1, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65].map(batch_class);
        assert_eq!(batches, [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]);
    }

    #[test]
    fn histograms_of_intervals_hold_every_io_once() {
        let recording = with!(Recording::default(), histogram_interval = Some(Nanos(MS)));
        let mut recorder = recorder(recording, Submission::None);
        for interval in 0..3 {
            let at = 1_000 + interval * MS;
            recorder.end_intervals(at, [Moved::default(); 3]);
            recorder.complete(0, done(Operation::Read, at, at + 10 * (interval + 1)));
        }
        let points = recorder.finish(3 * MS, &mut []).logs.histograms;
        let found: Vec<_> = points
            .iter()
            .map(|point| (point.at.0, point.latency.count(), point.latency.max()))
            .collect();
        let expected = [
            (MS, 1, Some(10)),
            (2 * MS, 1, Some(20)),
            (3 * MS, 1, Some(30)),
        ];
        assert_eq!(found, expected);
    }
}
