//! What one thread counts while it works.

use sokudo_model::{
    Bytes, FAILURE_KINDS_MAX, FailureKind, IoFailure, Moved, Nanos, Operation, OperationTally,
    SeriesPoint, Workload, count_failure,
};
use sokudo_stats::{Histogram, HistogramWriter};
use sokudo_sys::nvme_status;

/// Intervals that a trial of a known length is cut into: enough to see where it becomes
/// steady and how much neighbours resemble each other, few enough that a disk completes
/// something in each.
const INTERVALS_PER_TRIAL: u64 = 100;

/// The longest interval at first: ten a second show every hiccup that a person would.
const INTERVAL_NS_MAX: u64 = 100_000_000;

/// The shortest interval. Each costs a look at the clock.
const INTERVAL_NS_MIN: u64 = 1_000_000;

/// A series holds at most this many intervals; when it is full, pairs are joined
/// and the interval doubles. At 100 ms, seven minutes are kept in full detail.
const INTERVALS_MAX: usize = 4_096;

/// Counts of one thread. Allocates when made, never while counting.
#[derive(Clone)]
pub(crate) struct Tally {
    operations: [Option<OperationCounts>; Operation::ALL.len()],
    in_ramp: [Moved; Operation::ALL.len()],
    submission: Histogram,
    series: IntervalSeries,
    failures: Vec<IoFailure>,
    depth_time: u128,
    depth_seen_at: u64,
    started_at: u64,
}

/// Counts of one operation.
#[derive(Clone)]
struct OperationCounts {
    tally: OperationTally,
    /// When the first I/O of the phase in progress was issued.
    first_at: u64,
    last_at: u64,
}

impl OperationCounts {
    fn new(operation: Operation, at_rate: bool) -> Self {
        Self {
            tally: OperationTally {
                latency_from_intended: at_rate.then(Histogram::new),
                ..OperationTally::new(operation)
            },
            first_at: u64::MAX,
            last_at: 0,
        }
    }

    fn clear(&mut self) {
        let tally = &mut self.tally;
        (tally.ios, tally.bytes) = (0, Bytes(0));
        (tally.short_ios, tally.late_ios) = (0, 0);
        tally.elapsed = Nanos(0);
        tally.latency.clear();
        tally
            .latency_from_intended
            .iter_mut()
            .for_each(Histogram::clear);
        (self.first_at, self.last_at) = (u64::MAX, 0);
    }

    fn moved(&self) -> Moved {
        Moved {
            bytes: self.tally.bytes,
            ios: self.tally.ios,
        }
    }

    fn end_phase(&mut self) {
        self.tally.elapsed.0 += self.last_at.saturating_sub(self.first_at);
        self.first_at = u64::MAX;
    }
}

impl Tally {
    /// An empty tally for what the workload may do.
    pub(crate) fn new(workload: &Workload) -> Self {
        let at_rate = workload.pacing.rate.is_some()
            || workload.pacing.rates.each.iter().any(Option::is_some);
        let operations = Operation::ALL.map(|operation| {
            occurs(workload, operation).then(|| OperationCounts::new(operation, at_rate))
        });
        Self {
            operations,
            in_ramp: [Moved::default(); Operation::ALL.len()],
            submission: Histogram::new(),
            series: IntervalSeries::new(interval_ns(workload)),
            failures: Vec::with_capacity(FAILURE_KINDS_MAX),
            depth_time: 0,
            depth_seen_at: 0,
            started_at: 0,
        }
    }

    /// Begins to measure at `now`. Failures stay; what was moved before is that of the
    /// ramp.
    pub(crate) fn start(&mut self, now: u64) {
        for (index, counts) in self.operations.iter_mut().enumerate() {
            if let Some(counts) = counts {
                self.in_ramp[index].add(counts.moved());
                counts.clear();
            }
        }
        self.submission.clear();
        self.series.clear();
        self.depth_time = 0;
        self.depth_seen_at = now;
        self.started_at = now;
    }

    /// So much time has passed until now that counts for nothing, with nothing in flight that
    /// does: the origin of all times moves on by it.
    pub(crate) fn skip(&mut self, nanos: u64) {
        self.started_at += nanos;
        for counts in self.operations.iter_mut().flatten() {
            // Before its first I/O there is nothing to move.
            if counts.first_at != u64::MAX {
                counts.first_at += nanos;
                counts.last_at += nanos;
            }
        }
    }

    /// What follows is another phase of the work: the time between is nobody's.
    pub(crate) fn end_phase(&mut self) {
        self.operations
            .iter_mut()
            .flatten()
            .for_each(OperationCounts::end_phase);
    }

    /// Counts that `in_flight` I/Os were in flight since the last call.
    #[inline]
    pub(crate) fn hold_depth(&mut self, now: u64, in_flight: u32) {
        let passed = now - self.depth_seen_at;
        // Six days between two calls, at the largest depth, would be too long.
        self.depth_time += u128::from(passed.saturating_mul(u64::from(in_flight)));
        self.depth_seen_at = now;
    }

    /// The I/Os in flight have been so for `area` all together between the start and `now`.
    pub(crate) fn begin_depth(&mut self, now: u64, area: u64) {
        self.depth_time += u128::from(area);
        self.depth_seen_at = now;
    }

    /// When the depth was last counted.
    pub(crate) fn depth_seen_at(&self) -> u64 {
        self.depth_seen_at
    }

    /// The I/Os in flight have been counted for `area` all together behind the end.
    pub(crate) fn end_depth(&mut self, area: u64) {
        self.depth_time = self.depth_time.saturating_sub(area.into());
    }

    /// Where I/Os that are alike are counted, once one has been: how long each took, and how
    /// long submitting a batch did. `oldest` is when the first of those in flight was issued.
    pub(crate) fn alike(
        &mut self,
        operation: Operation,
        oldest: u64,
    ) -> Option<(HistogramWriter<'_>, &mut Histogram)> {
        let counts = self.operations[operation.index()].as_mut()?;
        let is_one_by_one = counts.tally.latency_from_intended.is_some();
        if is_one_by_one || counts.first_at == u64::MAX {
            return None;
        }
        counts.first_at = counts.first_at.min(oldest);
        Some((counts.tally.latency.writer(), &mut self.submission))
    }

    /// Counts I/Os that were alike, the last of them at `last_at`, and that those in flight have
    /// been so for `area` all together until `seen_at`.
    pub(crate) fn complete_alike(
        &mut self,
        operation: Operation,
        moved: Moved,
        last_at: u64,
        (area, seen_at): (u64, u64),
    ) {
        if let Some(counts) = &mut self.operations[operation.index()] {
            counts.tally.ios += moved.ios;
            counts.tally.bytes.0 += moved.bytes.0;
            counts.last_at = counts.last_at.max(last_at);
        }
        self.depth_time += u128::from(area);
        self.depth_seen_at = seen_at;
    }

    /// Counts an I/O that was reaped at `now`.
    #[inline(always)]
    pub(crate) fn complete(
        &mut self,
        operation: Operation,
        bytes: u32,
        issued_at: u64,
        intended_at: u64,
        now: u64,
    ) {
        let Some(counts) = &mut self.operations[operation.index()] else {
            return;
        };
        if issued_at < counts.first_at {
            counts.first_at = issued_at;
        }
        counts.last_at = now;
        let tally = &mut counts.tally;
        tally.ios += 1;
        tally.bytes.0 += u64::from(bytes);
        tally.latency.record(now - issued_at);
        if let Some(from_intended) = &mut tally.latency_from_intended {
            from_intended.record(now.saturating_sub(intended_at));
        }
    }

    /// Counts what an I/O moved that is not of the measured part.
    #[cold]
    pub(crate) fn complete_of_ramp(&mut self, operation: Operation, bytes: u32) {
        self.in_ramp[operation.index()].add(Moved {
            bytes: Bytes(bytes.into()),
            ios: 1,
        });
    }

    /// Counts how long an I/O took, or has been waited for in vain, that completed in no
    /// measured part.
    #[cold]
    pub(crate) fn count_late(&mut self, operation: Operation, latency: u64, from_intended: u64) {
        if let Some(counts) = &mut self.operations[operation.index()] {
            let tally = &mut counts.tally;
            tally.late_ios += 1;
            tally.latency.record(latency);
            if let Some(intended) = &mut tally.latency_from_intended {
                intended.record(from_intended);
            }
        }
    }

    /// Counts an I/O among those that moved less than asked.
    #[cold]
    pub(crate) fn count_short(&mut self, operation: Operation) {
        if let Some(counts) = &mut self.operations[operation.index()] {
            counts.tally.short_ios += 1;
        }
    }

    /// Counts how long submitting a batch took.
    pub(crate) fn submitted(&mut self, nanos: u64) {
        self.submission.record(nanos);
    }

    /// Counts an I/O that failed.
    #[cold]
    pub(crate) fn fail(&mut self, operation: Operation, kind: FailureKind, offset: u64) {
        count_failure(
            &mut self.failures,
            IoFailure {
                operation,
                kind,
                offset: Bytes(offset),
                count: 1,
            },
        );
    }

    /// When the measured part began.
    #[inline]
    pub(crate) fn started_at(&self) -> u64 {
        self.started_at
    }

    /// When the interval in progress ends.
    pub(crate) fn interval_ends_at(&self) -> u64 {
        self.started_at + self.series.interval_end_ns()
    }

    /// Ends every interval that is over at `now`. What is counted afterwards falls
    /// into the interval that contains `now`.
    pub(crate) fn end_intervals(&mut self, now: u64) {
        let moved = self.moved_in_all();
        while self.interval_ends_at() <= now {
            self.series.end_interval(moved);
        }
    }

    /// Bytes and I/Os of reads, writes and trims counted so far.
    pub(crate) fn moved(&self) -> [Moved; 3] {
        std::array::from_fn(|index| {
            let counts = self.operations[index].as_ref();
            counts.map_or(Moved::default(), OperationCounts::moved)
        })
    }

    fn moved_in_all(&self) -> Moved {
        let [mut all, writes, trims] = self.moved();
        all.add(writes);
        all.add(trims);
        all
    }

    pub(crate) fn finish(mut self) -> FinishedTally {
        self.end_phase();
        let last_completed_at = self
            .operations
            .iter()
            .flatten()
            .map(|counts| counts.last_at)
            .fold(self.started_at, u64::max);
        let moved = self.moved_in_all();
        self.series
            .end_last(Nanos(last_completed_at - self.started_at), moved);
        FinishedTally {
            operations: self
                .operations
                .into_iter()
                .flatten()
                .map(|counts| counts.tally)
                .filter(|tally| tally.ios > 0 || tally.late_ios > 0)
                .collect(),
            in_ramp: self.in_ramp,
            submission: self.submission,
            series: self.series.points,
            failures: self.failures,
            depth_time: self.depth_time,
            started_at: self.started_at,
            last_completed_at,
        }
    }
}

/// Why an I/O of so many bytes failed that did not move all of them: `result` is what it
/// moved, or minus errno.
pub(crate) fn failure_kind(result: i32, requested: u32) -> FailureKind {
    match u32::try_from(result) {
        Err(_) => nvme_status(result).map_or(FailureKind::Errno(-result), FailureKind::Nvme),
        Ok(0) => FailureKind::Nothing,
        Ok(moved) => FailureKind::Short { requested, moved },
    }
}

/// What one thread has counted.
#[derive(Clone)]
pub(crate) struct FinishedTally {
    pub(crate) operations: Vec<OperationTally>,
    pub(crate) in_ramp: [Moved; Operation::ALL.len()],
    pub(crate) submission: Histogram,
    pub(crate) series: Vec<SeriesPoint>,
    pub(crate) failures: Vec<IoFailure>,
    /// Integral of I/Os in flight over time, in nanoseconds.
    pub(crate) depth_time: u128,
    pub(crate) started_at: u64,
    /// Where I/Os start by schedule or after pauses, not before the end of the time.
    pub(crate) last_completed_at: u64,
}

fn occurs(workload: &Workload, operation: Operation) -> bool {
    let durability = &workload.durability;
    let flushes = durability.fsync_every.is_some()
        || durability.fdatasync_every.is_some()
        || durability.final_flush
        || durability.flush_on_close
        || workload.survey().is_some_and(|survey| survey.write_back);
    match operation {
        Operation::Flush => flushes || workload.operations.percent(operation) > 0,
        // What was written is read back.
        Operation::Read if workload.write_check().is_some() || workload.checks_capacity() => true,
        _ => workload.operations.percent(operation) > 0,
    }
}

/// Length of a series' intervals at first: whole milliseconds. The places of a survey are
/// its series; what its clock shows between them is of no use to anybody.
fn interval_ns(workload: &Workload) -> u64 {
    match workload.limits.time {
        _ if workload.survey().is_some() => INTERVAL_NS_MAX,
        Some(time) => {
            let even = time.0 / INTERVALS_PER_TRIAL;
            (even / INTERVAL_NS_MIN * INTERVAL_NS_MIN).clamp(INTERVAL_NS_MIN, INTERVAL_NS_MAX)
        }
        // It may last for a moment or for a day: pairs are joined while it does.
        None => INTERVAL_NS_MIN,
    }
}

/// Counts per interval, in bounded memory.
#[derive(Clone)]
struct IntervalSeries {
    first_interval_ns: u64,
    interval_ns: u64,
    points: Vec<SeriesPoint>,
    /// What had been moved at the end of the last interval.
    seen: Moved,
}

impl IntervalSeries {
    fn new(first_interval_ns: u64) -> Self {
        // Written once, so that its memory is there from the start and none is
        // added while the trial runs.
        let touched = SeriesPoint {
            ios: 1,
            ..SeriesPoint::default()
        };
        let mut points = vec![touched; INTERVALS_MAX];
        points.clear();
        Self {
            first_interval_ns,
            interval_ns: first_interval_ns,
            points,
            seen: Moved::default(),
        }
    }

    fn clear(&mut self) {
        self.interval_ns = self.first_interval_ns;
        self.points.clear();
        self.seen = Moved::default();
    }

    fn interval_end_ns(&self) -> u64 {
        (self.points.len() as u64 + 1) * self.interval_ns
    }

    /// `moved` is what has been moved since the start.
    fn end_interval(&mut self, moved: Moved) {
        let at = Nanos(self.interval_end_ns());
        self.points.push(moved.since(self.seen, at));
        self.seen = moved;
        if self.points.len() == INTERVALS_MAX {
            self.join_pairs();
        }
    }

    fn join_pairs(&mut self) {
        for index in 0..INTERVALS_MAX / 2 {
            let (first, second) = (self.points[2 * index], self.points[2 * index + 1]);
            self.points[index] = SeriesPoint {
                at: second.at,
                bytes: Bytes(first.bytes.0 + second.bytes.0),
                ios: first.ios + second.ios,
            };
        }
        self.points.truncate(INTERVALS_MAX / 2);
        self.interval_ns *= 2;
    }

    /// Ends the interval in progress where the trial ended.
    fn end_last(&mut self, at: Nanos, moved: Moved) {
        if moved.ios <= self.seen.ios {
            return;
        }
        let rest = moved.since(self.seen, at);
        match self.points.last_mut() {
            // It completed at the instant at which an interval ended.
            Some(last) if last.at == at => {
                last.bytes.0 += rest.bytes.0;
                last.ios += rest.ios;
            }
            _ => self.points.push(rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally() -> Tally {
        let mut tally = Tally::new(&limited(Some(Nanos(100 * INTERVAL_NS))));
        tally.start(0);
        tally
    }

    fn limited(time: Option<Nanos>) -> Workload {
        let mut workload = Workload::new("w", Bytes(4096));
        workload.limits.time = time;
        workload
    }

    const INTERVAL_NS: u64 = 20_000_000;

    #[test]
    fn a_trial_has_a_hundred_intervals_of_whole_milliseconds_within_limits() {
        let of = |millis| interval_ns(&limited(Some(Nanos::from_millis(millis))));
        assert_eq!(of(1_000), 10_000_000);
        assert_eq!(of(550), 5_000_000);
        assert_eq!(of(50), INTERVAL_NS_MIN);
        assert_eq!(of(60_000), INTERVAL_NS_MAX);
        assert_eq!(interval_ns(&limited(None)), INTERVAL_NS_MIN);
    }

    fn read(tally: &mut Tally, now: u64) {
        tally.end_intervals(now);
        tally.complete(Operation::Read, 4096, now - 10, now - 10, now);
    }

    #[test]
    fn an_i_o_falls_into_the_interval_in_which_it_completed() {
        let mut tally = tally();
        for now in [50, INTERVAL_NS + 1, 3 * INTERVAL_NS, 3 * INTERVAL_NS + 7] {
            read(&mut tally, now);
        }
        let points = tally.finish().series;
        let ios: Vec<u64> = points.iter().map(|point| point.ios).collect();
        assert_eq!(ios, [1, 1, 0, 2]);
        assert_eq!(points[3].at, Nanos(3 * INTERVAL_NS + 7));
    }

    #[test]
    fn a_long_series_stays_small_and_loses_nothing() {
        let mut tally = tally();
        let capacity = tally.series.points.capacity();
        let count = 3 * INTERVALS_MAX as u64;
        for index in 0..count {
            read(&mut tally, index * INTERVAL_NS + 10);
        }
        assert_eq!(tally.series.points.capacity(), capacity, "it must not grow");
        let points = tally.finish().series;
        assert_eq!(points.iter().map(|point| point.ios).sum::<u64>(), count);
        assert!(points.windows(2).all(|pair| pair[0].at < pair[1].at));
    }

    #[test]
    fn an_operation_lasts_from_its_first_io_to_its_last_in_each_phase() {
        let mut tally = tally();
        read(&mut tally, 50);
        read(&mut tally, 90);
        tally.end_phase();
        read(&mut tally, 1_010);
        let finished = tally.finish();
        assert_eq!(finished.operations[0].elapsed, Nanos(50 + 10));
        assert_eq!(finished.last_completed_at, 1_010);
    }

    #[test]
    fn time_that_counts_for_nothing_is_in_no_figure() {
        let mut tally = tally();
        tally.skip(5_000);
        tally.hold_depth(5_050, 1);
        read(&mut tally, 5_050);
        tally.skip(1_000_000_000);
        read(&mut tally, 1_000_005_090);
        let finished = tally.finish();
        assert_eq!(finished.operations[0].elapsed, Nanos(50));
        assert_eq!(finished.last_completed_at - finished.started_at, 90);
        assert_eq!(finished.series.len(), 1);
    }

    #[test]
    fn like_failures_are_counted_once() {
        let mut tally = tally();
        tally.fail(
            Operation::Read,
            FailureKind::Short {
                requested: 8,
                moved: 4,
            },
            16,
        );
        tally.fail(
            Operation::Read,
            FailureKind::Short {
                requested: 8,
                moved: 2,
            },
            24,
        );
        for errno in 0..100 {
            tally.fail(Operation::Write, FailureKind::Errno(errno), 0);
        }
        let failures = tally.finish().failures;
        assert_eq!((failures[0].count, failures[0].offset), (2, Bytes(16)));
        assert_eq!(failures.len(), FAILURE_KINDS_MAX);
    }
}
