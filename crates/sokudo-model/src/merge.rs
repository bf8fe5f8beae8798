//! Several outcomes as one: the threads of a workload, or the workloads of a group
//! (fio: `group_reporting`).
//!
//! Counts are added, histograms merged without loss. Nothing is judged: whether
//! outcomes belong together is for the caller to know.

use std::cmp::Reverse;

use sokudo_stats::Histogram;
use sokudo_words::{Text, text};

use crate::narrow::narrow;
use crate::plan::BackendKind;
use crate::trial::{
    BackendUse, CpuTime, Depths, FailureKind, IoFailure, Logs, Moved, OperationTally, Outcome,
    SLOW_IOS_MAX, SeriesPoint, SteadyOutcome, StopReason, ThreadUsage, Trial, VerifyOutcome,
    Window,
};
use crate::units::{Bytes, Nanos};

/// Failures are told apart by operation, kind and errno; beyond this many kinds
/// only the known ones are counted.
pub const FAILURE_KINDS_MAX: usize = 16;

impl Outcome {
    /// Adds what another thread or workload of the same stage did. The whole lasted
    /// from the earlier start to the later end.
    pub fn merge(&mut self, other: &Self) {
        let depth_time = |outcome: &Self| outcome.depth_achieved * outcome.elapsed.0 as f64;
        let depth_times = depth_time(self) + depth_time(other);
        let ends_at = |outcome: &Self| outcome.started_after.0.saturating_add(outcome.elapsed.0);
        let end = ends_at(self).max(ends_at(other));
        self.started_after = self.started_after.min(other.started_after);
        self.elapsed = Nanos(end - self.started_after.0);
        self.depth_achieved = if self.elapsed.0 == 0 {
            0.0
        } else {
            depth_times / self.elapsed.0 as f64
        };
        for (ours, theirs) in self.in_ramp.iter_mut().zip(other.in_ramp) {
            ours.add(theirs);
        }
        merge_with(&mut self.window, &other.window, Window::merge);
        for theirs in &other.operations {
            match self
                .operations
                .iter_mut()
                .find(|ours| ours.operation == theirs.operation)
            {
                Some(ours) => ours.merge(theirs),
                None => self.operations.push(theirs.clone()),
            }
        }
        self.operations.sort_by_key(|tally| tally.operation);
        merge_with(&mut self.submission, &other.submission, Histogram::merge);
        self.series = merge_series(&self.series, &other.series);
        merge_with(&mut self.cpu, &other.cpu, CpuTime::merge);
        merge_with(&mut self.usage, &other.usage, ThreadUsage::merge);
        merge_with(&mut self.depths, &other.depths, Depths::merge);
        self.logs.merge(&other.logs);
        self.samples.extend_from_slice(&other.samples);
        self.defects.extend_from_slice(&other.defects);
        self.read_aside.0 += other.read_aside.0;
        self.slowest.extend_from_slice(&other.slowest);
        self.slowest.sort_by_key(|io| Reverse(io.latency));
        self.slowest.truncate(SLOW_IOS_MAX);
        self.left_at = other.left_at;
        merge_with(&mut self.read_beside, &other.read_beside, Histogram::merge);
        merge_with(&mut self.verified, &other.verified, VerifyOutcome::merge);
        if self.capacity.is_none() {
            self.capacity.clone_from(&other.capacity);
        }
        merge_with(&mut self.steady, &other.steady, SteadyOutcome::merge);
        self.durable_after = self.durable_after.max(other.durable_after);
        self.backend.merge(&other.backend);
        self.direct &= other.direct;
        for failure in &other.failures {
            count_failure(&mut self.failures, failure.clone());
        }
        self.stopped = self.stopped.graver(other.stopped);
    }
}

impl Trial {
    /// Goes on with what another trial left ([`Outcome::left_at`]): both together are one.
    #[must_use]
    pub fn followed_by(mut self, later: &Self) -> Self {
        self.outcome.append(&later.outcome);
        let (ours, theirs) = (&mut self.evidence, &later.evidence);
        let devices = ours.device.zip(theirs.device);
        ours.device = devices.map(|(ours, theirs)| ours.plus(&theirs));
        let groups = ours.group.take().zip(theirs.group.as_ref());
        ours.group = groups.and_then(|(ours, theirs)| ours.plus(theirs));
        ours.cached_before = ours.cached_before.max(theirs.cached_before);
        ours.foreign = match (ours.foreign.take(), &theirs.foreign) {
            (Some(ours), Some(theirs)) => Some(ours.plus(theirs)),
            (ours, theirs) => ours.or_else(|| theirs.clone()),
        };
        // Of processors no part can stand for both.
        ours.processors = None;
        self
    }
}

impl Outcome {
    /// Adds what was done later. The time between is nobody's.
    fn append(&mut self, later: &Self) {
        let (began, lasted) = (self.started_after, self.elapsed);
        let depth_time = |outcome: &Self| outcome.depth_achieved * outcome.elapsed.0 as f64;
        let depth_times = depth_time(self) + depth_time(later);
        let elapsed_of = |outcome: &Self, operation| {
            let tally = outcome.operation(operation);
            tally.map_or(0, |tally| tally.elapsed.0)
        };
        let earlier = self.operations.clone();
        let earlier = |operation| {
            let tally = earlier.iter().find(|tally| tally.operation == operation);
            tally.map_or(0, |tally| tally.elapsed.0)
        };
        let shift = |point: &SeriesPoint| SeriesPoint {
            at: Nanos(point.at.0.saturating_add(lasted.0)),
            ..*point
        };
        let mut series = std::mem::take(&mut self.series);
        series.extend(later.series.iter().map(shift));
        self.merge(&Self {
            series: Vec::new(),
            ..later.clone()
        });
        for tally in &mut self.operations {
            let both = earlier(tally.operation) + elapsed_of(later, tally.operation);
            tally.elapsed = Nanos(both);
        }
        self.series = series;
        self.started_after = began;
        self.elapsed = Nanos(lasted.0.saturating_add(later.elapsed.0));
        self.depth_achieved = match self.elapsed.0 {
            0 => 0.0,
            elapsed => depth_times / elapsed as f64,
        };
        self.stopped = later.stopped;
    }
}

impl OperationTally {
    /// Adds the same operation of another thread or workload. It lasted as long as
    /// the longer of both did.
    pub fn merge(&mut self, other: &Self) {
        self.ios += other.ios;
        self.bytes.0 += other.bytes.0;
        self.latency.merge(&other.latency);
        merge_with(
            &mut self.latency_from_intended,
            &other.latency_from_intended,
            Histogram::merge,
        );
        merge_with(&mut self.submission, &other.submission, Histogram::merge);
        merge_with(&mut self.completion, &other.completion, Histogram::merge);
        self.series = merge_series(&self.series, &other.series);
        self.elapsed = self.elapsed.max(other.elapsed);
        self.short_ios += other.short_ios;
        self.late_ios += other.late_ios;
    }
}

/// The part of an outcome that lies between two instants, which count from where
/// [`Outcome::started_after`] does. What was moved before and after is put to what the measured
/// part leaves out. Latencies and the depth stay those of the whole: no interval of them is kept.
/// Where no time lies between them, nothing was moved in it.
///
/// Where an instant falls into an interval of the series, that is taken to be even.
pub(crate) fn in_window(whole: &Outcome, from: Nanos, to: Nanos) -> Outcome {
    let mut part = whole.clone();
    let began = whole.started_after;
    let length = to.0.saturating_sub(from.0);
    if length == whole.elapsed.0 {
        return part;
    }
    // They count from the start of the measured part, as series do.
    let from = from.0.saturating_sub(began.0);
    let to = from + length;
    let (all, lies) = (
        &whole.series,
        Share::of(&whole.series, from, to, whole.elapsed),
    );
    for tally in &mut part.operations {
        let share = match tally.series.is_empty() {
            true => lies,
            false => Share::of(&tally.series, from, to, whole.elapsed),
        };
        let before = Moved {
            bytes: tally.bytes,
            ios: tally.ios,
        };
        let within = share.of_moved(before);
        (tally.ios, tally.bytes) = (within.ios, within.bytes);
        tally.series = cut(&tally.series, from, to);
        tally.elapsed = Nanos(tally.elapsed.0.min(length));
        part.in_ramp[tally.operation.index()].add(Moved {
            bytes: Bytes(before.bytes.0 - within.bytes.0),
            ios: before.ios - within.ios,
        });
    }
    part.series = cut(all, from, to);
    part.started_after = Nanos(began.0 + from);
    part.elapsed = Nanos(length);
    part
}

/// Reads and writes of an outcome.
pub(crate) fn total_moved(outcome: &Outcome) -> Moved {
    Moved {
        bytes: outcome.bytes_moved(),
        ios: outcome.ios(),
    }
}

/// Which part of what a series holds lies between two instants.
#[derive(Clone, Copy)]
struct Share {
    bytes: f64,
    ios: f64,
}

impl Share {
    fn of(series: &[SeriesPoint], from: u64, to: u64, elapsed: Nanos) -> Self {
        let (mut bytes, mut ios, mut all_bytes, mut all_ios) = (0.0, 0.0, 0.0, 0.0);
        for (point, part) in overlaps(series, from, to) {
            bytes += part * point.bytes.0 as f64;
            ios += part * point.ios as f64;
            all_bytes += point.bytes.0 as f64;
            all_ios += point.ios as f64;
        }
        let even = (to - from) as f64 / elapsed.0.max(1) as f64;
        let share = |part: f64, all: f64| match all > 0.0 {
            true => (part / all).min(1.0),
            false => even.min(1.0),
        };
        Self {
            bytes: share(bytes, all_bytes),
            ios: share(ios, all_ios),
        }
    }

    /// Whole I/Os, of whole blocks where all are alike.
    #[expect(clippy::cast_possible_truncation, reason = "a share of a count")]
    fn of_moved(self, whole: Moved) -> Moved {
        let part = |count: u64, share: f64| ((count as f64 * share).round() as u64).min(count);
        let ios = part(whole.ios, self.ios);
        let block = whole.bytes.0.checked_div(whole.ios);
        let is_alike = whole.bytes.0.checked_rem(whole.ios) == Some(0);
        let bytes = match block.filter(|_| is_alike) {
            Some(block) => ios * block,
            None => part(whole.bytes.0, self.bytes),
        };
        Moved {
            bytes: Bytes(bytes),
            ios,
        }
    }
}

/// Every interval of a series, and which part of it lies between two instants.
fn overlaps(
    series: &[SeriesPoint],
    from: u64,
    to: u64,
) -> impl Iterator<Item = (&SeriesPoint, f64)> {
    let mut start = 0;
    series.iter().map(move |point| {
        let (begin, end) = (start, point.at.0);
        start = end;
        let within = end.min(to).saturating_sub(begin.max(from));
        (
            point,
            within as f64 / (end.saturating_sub(begin)).max(1) as f64,
        )
    })
}

/// The intervals of a series that lie between two instants, at least in part, counted from the
/// first of both.
#[expect(clippy::cast_possible_truncation, reason = "a share of a count")]
fn cut(series: &[SeriesPoint], from: u64, to: u64) -> Vec<SeriesPoint> {
    let part = |count: u64, share: f64| (count as f64 * share).round() as u64;
    let within = overlaps(series, from, to).filter(|(_, share)| *share > 0.0);
    within
        .map(|(point, share)| SeriesPoint {
            at: Nanos(point.at.0.min(to) - from),
            bytes: Bytes(part(point.bytes.0, share)),
            ios: part(point.ios, share),
        })
        .collect()
}

impl StopReason {
    /// Why all of it ended when parts ended for different reasons: what happened to
    /// one part happened to the whole.
    #[must_use]
    pub const fn graver(self, other: Self) -> Self {
        if other.gravity() > self.gravity() {
            other
        } else {
            self
        }
    }

    const fn gravity(self) -> u8 {
        match self {
            Self::Time | Self::Bytes => 0,
            Self::Ended => 1,
            Self::Cancelled => 2,
            Self::Failed => 3,
        }
    }
}

/// Counts a failure: with those of its kind, or as a new kind while there is room.
pub fn count_failure(failures: &mut Vec<IoFailure>, failure: IoFailure) {
    let same = |known: &&mut IoFailure| {
        known.operation == failure.operation && same_kind(known.kind, failure.kind)
    };
    if let Some(known) = failures.iter_mut().find(same) {
        known.count += failure.count;
    } else if failures.len() < FAILURE_KINDS_MAX {
        failures.push(failure);
    }
}

fn same_kind(left: FailureKind, right: FailureKind) -> bool {
    // Short transfers of any length are one kind.
    matches!(
        (left, right),
        (FailureKind::Short { .. }, FailureKind::Short { .. })
    ) || left == right
}

/// Merges two values of which either may be missing.
fn merge_with<T: Clone>(ours: &mut Option<T>, theirs: &Option<T>, merge: fn(&mut T, &T)) {
    match (ours.as_mut(), theirs) {
        (Some(ours), Some(theirs)) => merge(ours, theirs),
        (None, Some(theirs)) => *ours = Some(theirs.clone()),
        (_, None) => {}
    }
}

/// Adds two series interval by interval, in intervals as long as the longer of
/// both. The last interval of a series ends when its thread did; of two, it is the
/// later end that stands.
fn merge_series(left: &[SeriesPoint], right: &[SeriesPoint]) -> Vec<SeriesPoint> {
    let first_end = |points: &[SeriesPoint]| points.first().map_or(0, |point| point.at.0);
    // A single point may have ended early; it tells the interval's length only
    // where nothing else does.
    let length = |points: &[SeriesPoint]| points.get(1).map_or(0, |_| first_end(points));
    let interval = match length(left).max(length(right)) {
        0 => first_end(left).max(first_end(right)).max(1),
        interval => interval,
    };
    let index_of =
        |point: &SeriesPoint| narrow::<u64, usize>(point.at.0.div_ceil(interval).max(1) - 1);
    let counts = [left, right].map(|points| points.last().map_or(0, |point| index_of(point) + 1));
    let count = counts[0].max(counts[1]);
    let mut merged: Vec<SeriesPoint> = (1..=count as u64)
        .map(|number| SeriesPoint {
            at: Nanos(number * interval),
            ..SeriesPoint::default()
        })
        .collect();
    if let Some(last) = merged.last_mut() {
        last.at = Nanos(0);
    }
    for point in left.iter().chain(right) {
        let sum = &mut merged[index_of(point)];
        sum.at = sum.at.max(point.at);
        sum.bytes.0 += point.bytes.0;
        sum.ios += point.ios;
    }
    merged
}

impl CpuTime {
    /// Adds what another thread, or another part of the time, has used.
    pub fn merge(&mut self, other: &Self) {
        self.user.0 += other.user.0;
        self.system.0 += other.system.0;
        self.kernel_workers.0 += other.kernel_workers.0;
    }
}

impl ThreadUsage {
    /// Adds what was counted about another thread, or in another part of the time. Of waits
    /// a part proves nothing.
    pub fn merge(&mut self, other: &Self) {
        self.context_switches += other.context_switches;
        self.major_faults += other.major_faults;
        self.minor_faults += other.minor_faults;
        self.waited = self.waited.zip(other.waited).map(|(a, b)| Nanos(a.0 + b.0));
    }
}

impl Depths {
    fn merge(&mut self, other: &Self) {
        let pairs = [
            (&mut self.level, &other.level),
            (&mut self.submitted, &other.submitted),
            (&mut self.completed, &other.completed),
        ];
        for (ours, theirs) in pairs {
            for (count, more) in ours.iter_mut().zip(theirs) {
                *count += more;
            }
        }
    }
}

impl Logs {
    /// All entries of both, in order of time.
    fn merge(&mut self, other: &Self) {
        let pairs = [
            (&mut self.submission, &other.submission),
            (&mut self.completion, &other.completion),
            (&mut self.total, &other.total),
            (&mut self.every_io, &other.every_io),
        ];
        for (ours, theirs) in pairs {
            ours.extend_from_slice(theirs);
            ours.sort_by_key(|point| point.at);
        }
        self.histograms.extend_from_slice(&other.histograms);
        self.histograms.sort_by_key(|point| point.at);
    }
}

impl VerifyOutcome {
    fn merge(&mut self, other: &Self) {
        self.checked += other.checked;
        self.wrong += other.wrong;
        self.describe(other.mismatches.iter().cloned());
    }
}

impl SteadyOutcome {
    /// The sum of both is steady when both are. The slope of a sum is the sum of the
    /// slopes; the rule's figure is the worse one.
    fn merge(&mut self, other: &Self) {
        self.attained &= other.attained;
        self.criterion = self.criterion.max(other.criterion);
        self.slope += other.slope;
        self.deviation_max = self.deviation_max.max(other.deviation_max);
        let pairs = [
            (&mut self.iops, &other.iops),
            (&mut self.bandwidth, &other.bandwidth),
        ];
        for (ours, theirs) in pairs {
            ours.resize(ours.len().max(theirs.len()), 0.0);
            for (figure, more) in ours.iter_mut().zip(theirs) {
                *figure += more;
            }
        }
    }
}

impl From<BackendKind> for BackendUse {
    /// Of which there is no more to say.
    fn from(kind: BackendKind) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }
}

impl BackendUse {
    /// Ours stands, with every note of both; a backend of another kind is a note.
    fn merge(&mut self, other: &Self) {
        if self.kind != other.kind {
            let note = text!("part of it used {}", other.kind.name());
            add_note(&mut self.notes, note);
        }
        for note in &other.notes {
            add_note(&mut self.notes, note.clone());
        }
    }
}

fn add_note(notes: &mut Vec<Text>, note: Text) {
    if !notes.contains(&note) {
        notes.push(note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Operation;
    use crate::trial::{Mismatch, MismatchKind};

    fn point(at: u64, ios: u64) -> SeriesPoint {
        SeriesPoint {
            at: Nanos(at),
            bytes: Bytes(ios * 512),
            ios,
        }
    }

    fn figures(points: &[SeriesPoint]) -> Vec<(u64, u64)> {
        points.iter().map(|point| (point.at.0, point.ios)).collect()
    }

    fn outcome(started_after: u64, elapsed: u64, reads: u64) -> Outcome {
        let mut tally = OperationTally::new(Operation::Read);
        tally.ios = reads;
        (0..reads).for_each(|latency| tally.latency.record(latency));
        Outcome {
            started_after: Nanos(started_after),
            elapsed: Nanos(elapsed),
            operations: vec![tally],
            depth_achieved: 2.0,
            ..Outcome::new(BackendKind::Psync, StopReason::Time)
        }
    }

    #[test]
    fn the_whole_lasts_from_the_first_start_to_the_last_end() {
        let mut all = outcome(100, 1_000, 3);
        all.merge(&outcome(600, 1_000, 4));
        assert_eq!((all.started_after, all.elapsed), (Nanos(100), Nanos(1_500)));
        assert_eq!((all.ios(), all.operations[0].latency.count()), (7, 7));
        assert!((all.depth_achieved - 4_000.0 / 1_500.0).abs() < 1e-9);
    }

    #[test]
    fn what_a_survey_checked_in_parts_is_added_up_and_described_within_the_bound() {
        let part = |checked, wrong: &[u64]| {
            let mismatch = |offset: &u64| Mismatch {
                file: "disk".to_owned(),
                offset: Bytes(*offset),
                length: Bytes(4096),
                kind: MismatchKind::Stale,
                detail: String::new(),
            };
            let mut outcome = outcome(0, 10, 1);
            outcome.verified = Some(VerifyOutcome {
                checked,
                wrong: wrong.len() as u64,
                mismatches: wrong.iter().map(mismatch).collect(),
            });
            Trial::new(outcome)
        };
        let both = part(10, &[4096]).followed_by(&part(5, &[8192, 16384]));
        let found = both.outcome.verified.unwrap();
        assert_eq!((found.checked, found.wrong), (15, 3));
        let offsets: Vec<u64> = found.mismatches.iter().map(|it| it.offset.0).collect();
        assert_eq!(offsets, [4096, 8192, 16384]);
        let mut many = part(0, &[]);
        for number in 1..=100 {
            many = many.followed_by(&part(3, &[number * 4096, number * 4096 + 512]));
        }
        let found = many.outcome.verified.unwrap();
        assert_eq!((found.checked, found.wrong), (300, 200));
        assert_eq!(found.mismatches.len(), VerifyOutcome::MISMATCHES_MAX);
        assert_eq!(found.mismatches[63].offset, Bytes(32 * 4096 + 512));
        let mut unchecked = part(0, &[]);
        unchecked.outcome.verified = None;
        let both = unchecked.followed_by(&part(5, &[8192]));
        assert_eq!(both.outcome.verified.unwrap().wrong, 1);
    }

    #[test]
    fn an_operation_that_only_one_of_them_did_is_kept() {
        let mut all = outcome(0, 10, 3);
        let mut other = outcome(0, 10, 2);
        other.operations[0].operation = Operation::Write;
        other.operations[0].submission = Some(Histogram::new());
        all.merge(&other);
        let kinds: Vec<Operation> = all.operations.iter().map(|tally| tally.operation).collect();
        assert_eq!(kinds, [Operation::Read, Operation::Write]);
        assert!(all.operations[1].submission.is_some());
    }

    #[test]
    fn series_are_added_interval_by_interval_and_end_with_the_later() {
        let left = [point(100, 1), point(200, 2), point(250, 3)];
        let right = [point(100, 10), point(170, 20)];
        let sum = [(100, 11), (200, 22), (250, 3)];
        assert_eq!(figures(&merge_series(&left, &right)), sum);
        assert_eq!(figures(&merge_series(&right, &left)), sum);
        assert_eq!(figures(&merge_series(&left, &[])), figures(&left));
        assert_eq!(
            figures(&merge_series(&[point(40, 1)], &[point(70, 2)])),
            [(70, 3)]
        );
    }

    #[test]
    fn a_series_of_shorter_intervals_is_summed_up_to_the_longer() {
        let fine = [point(100, 1), point(200, 2), point(300, 4), point(350, 8)];
        let coarse = [point(200, 10), point(400, 20)];
        let sum = [(200, 13), (400, 32)];
        assert_eq!(figures(&merge_series(&fine, &coarse)), sum);
        assert_eq!(figures(&merge_series(&coarse, &fine)), sum);
    }

    #[test]
    fn what_happened_to_one_happened_to_all() {
        assert_eq!(
            StopReason::Time.graver(StopReason::Failed),
            StopReason::Failed
        );
        assert_eq!(
            StopReason::Failed.graver(StopReason::Cancelled),
            StopReason::Failed
        );
        assert_eq!(
            StopReason::Bytes.graver(StopReason::Time),
            StopReason::Bytes
        );
    }

    #[test]
    fn logs_keep_every_entry_in_order_of_time() {
        let entry = |at| crate::trial::LogPoint {
            at: Nanos(at),
            operation: Operation::Read,
            value: 1.0,
            max: 1,
            bytes: 512,
            offset: 0,
        };
        let mut all = outcome(0, 10, 0);
        all.logs.total = vec![entry(1), entry(5)];
        let mut other = outcome(0, 10, 0);
        other.logs.total = vec![entry(3)];
        all.merge(&other);
        let times: Vec<u64> = all.logs.total.iter().map(|entry| entry.at.0).collect();
        assert_eq!(times, [1, 3, 5]);
    }
}
