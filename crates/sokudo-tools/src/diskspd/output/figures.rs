//! The figures of threads and targets, computed once for all three layouts.

use std::collections::BTreeMap;

use sokudo_model::{CpuUse, HistogramPoint, Nanos, Operation, OperationTally, Outcome, Run};
use sokudo_report::number::float;
use sokudo_stats::Histogram;

use crate::diskspd::session::{DiskspdRow, DiskspdSession, DiskspdSpan};

/// Which operations a table is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableSection {
    Total,
    Read,
    Write,
}

impl TableSection {
    pub(super) const ALL: [Self; 3] = [Self::Total, Self::Read, Self::Write];

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Total => "Total IO",
            Self::Read => "Read IO",
            Self::Write => "Write IO",
        }
    }

    fn holds(self, operation: Operation) -> bool {
        match self {
            Self::Total => matches!(operation, Operation::Read | Operation::Write),
            Self::Read => operation == Operation::Read,
            Self::Write => operation == Operation::Write,
        }
    }
}

/// What happened in one time span.
pub(super) struct SpanFigures<'a> {
    pub(super) span: &'a DiskspdSpan,
    /// The time that was measured; `None` if it was not reached.
    pub(super) elapsed: Option<Nanos>,
    /// Its threads with their targets, in order.
    pub(super) rows: Vec<RowFigures<'a>>,
}

/// What one thread did on one target.
pub(super) struct RowFigures<'a> {
    pub(super) row: &'a DiskspdRow,
    pub(super) outcome: &'a Outcome,
    /// The names of its targets, and their sizes.
    pub(super) targets: Vec<(&'a str, u64)>,
}

/// Sums of one or more threads.
#[derive(Clone, Debug, Default)]
pub(super) struct ThreadTotals {
    pub(super) bytes: u64,
    pub(super) ios: u64,
    pub(super) latency: Histogram,
    /// I/Os per interval, by its number.
    intervals: BTreeMap<u64, u64>,
}

/// The time spans of a run, in order.
pub(super) fn spans<'a>(run: &'a Run, session: &'a DiskspdSession) -> Vec<SpanFigures<'a>> {
    let spans = session.profile.spans.iter().enumerate();
    spans
        .map(|(number, span)| {
            let rows: Vec<_> = session
                .rows
                .iter()
                .zip(&run.rows)
                .filter(|(row, _)| row.span as usize == number && !row.cooldown)
                .filter_map(|(row, measured)| {
                    Some(RowFigures {
                        row,
                        outcome: &measured.trials.first()?.outcome,
                        targets: targets(row, span, session),
                    })
                })
                .collect();
            let elapsed = rows.iter().map(|row| row.outcome.elapsed).max();
            SpanFigures {
                span,
                elapsed: elapsed.filter(|elapsed| elapsed.0 > 0),
                rows,
            }
        })
        .collect()
}

fn targets<'a>(
    row: &DiskspdRow,
    span: &'a DiskspdSpan,
    session: &DiskspdSession,
) -> Vec<(&'a str, u64)> {
    let named = |index: &u32| {
        let path = span.targets.get(*index as usize)?.path.as_str();
        let target_state = session
            .target_states
            .iter()
            .find(|target_state| target_state.path == path);
        Some((
            path,
            target_state.map_or(0, |target_state| target_state.bytes.0),
        ))
    };
    row.targets.iter().filter_map(named).collect()
}

impl SpanFigures<'_> {
    /// diskspd's number of threads.
    pub(super) fn threads(&self) -> u64 {
        match self.span.thread_count {
            0 => {
                let threads = self.span.targets.iter().map(|target| target.threads);
                threads.map(u64::from).sum()
            }
            count => u64::from(count),
        }
    }

    /// Requests in flight in all.
    pub(super) fn requests(&self) -> u64 {
        u64::from(self.span.request_count)
    }

    /// Counts of a section, of all threads together.
    pub(super) fn total(&self, section: TableSection) -> ThreadTotals {
        let mut total = ThreadTotals::default();
        for row in &self.rows {
            total.add(&row.counts(section, self.span));
        }
        total
    }

    /// All threads on one target alone.
    pub(super) fn of_target(&self, section: TableSection, path: &str) -> ThreadTotals {
        let mut total = ThreadTotals::default();
        let is_its = |row: &&RowFigures<'_>| matches!(row.targets[..], [(own, _)] if own == path);
        for row in self.rows.iter().filter(is_its) {
            total.add(&row.counts(section, self.span));
        }
        total
    }

    /// How many whole intervals were measured.
    pub(super) fn interval_count(&self) -> u64 {
        let (Some(interval), Some(elapsed)) = (self.span.iops_interval, self.elapsed) else {
            return 0;
        };
        let planned = u64::from(self.span.duration_s) * 1_000_000_000 / interval.0.max(1);
        // The last I/O of a full interval ends a little before or after its end.
        let reached = elapsed.0.div_ceil(interval.0.max(1));
        planned.min(reached)
    }

    /// Standard deviation of I/Os per second over whole intervals; `None` without any.
    pub(super) fn iops_deviation(&self, counts: &ThreadTotals) -> Option<f64> {
        let intervals = self.interval_count();
        let seconds = self.span.iops_interval?.as_secs_f64();
        if intervals == 0 {
            return None;
        }
        let rates = (0..intervals).map(|number| float(counts.of_interval(number)) / seconds);
        let mean = rates.clone().sum::<f64>() / float(intervals);
        let squares: f64 = rates.map(|rate| (rate - mean).powi(2)).sum();
        Some((squares / float(intervals)).sqrt())
    }
}

impl RowFigures<'_> {
    /// What it did of one section.
    pub(super) fn counts(&self, section: TableSection, span: &DiskspdSpan) -> ThreadTotals {
        let mut counts = ThreadTotals::default();
        for tally in &self.outcome.operations {
            if section.holds(tally.operation) {
                counts.take(tally, span.iops_interval);
            }
        }
        counts
    }

    /// `0`, or `0-3` for threads that share a position.
    pub(super) fn thread(&self) -> String {
        match self.row.threads {
            0 | 1 => self.row.thread.to_string(),
            count => format!("{}-{}", self.row.thread, self.row.thread + count - 1),
        }
    }

    /// Paths of the targets, each with its size, separated by commas.
    pub(super) fn files(&self, size: impl Fn(u64) -> String) -> String {
        let file = |(path, bytes): &(&str, u64)| format!("{path} ({})", size(*bytes));
        let files: Vec<String> = self.targets.iter().map(file).collect();
        files.join(", ")
    }

    /// The histograms of an interval.
    pub(super) fn histograms(&self, operation: Operation) -> impl Iterator<Item = &HistogramPoint> {
        let points = &self.outcome.logs.histograms;
        points
            .iter()
            .filter(move |point| point.operation == operation)
    }
}

impl ThreadTotals {
    fn take(&mut self, tally: &OperationTally, interval: Option<Nanos>) {
        self.bytes += tally.bytes.0;
        self.ios += tally.ios;
        self.latency.merge(&tally.latency);
        for point in &tally.series {
            let number = interval_number(point.at, interval);
            *self.intervals.entry(number).or_default() += point.ios;
        }
    }

    fn add(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.ios += other.ios;
        self.latency.merge(&other.latency);
        for (number, ios) in &other.intervals {
            *self.intervals.entry(*number).or_default() += ios;
        }
    }

    /// I/Os of one interval.
    pub(super) fn of_interval(&self, number: u64) -> u64 {
        self.intervals.get(&number).copied().unwrap_or(0)
    }

    /// Bytes, I/Os and both per second.
    pub(super) fn rates(&self, elapsed: Nanos) -> String {
        format!(
            "{:15} | {:12} | {:10.2} | {:10.2}",
            self.bytes,
            self.ios,
            self.mebibytes(elapsed),
            self.iops(elapsed)
        )
    }

    /// Rate in MiB per second over `elapsed`.
    fn mebibytes(&self, elapsed: Nanos) -> f64 {
        float(self.bytes) / f64::from(1u32 << 20) / elapsed.as_secs_f64()
    }

    fn iops(&self, elapsed: Nanos) -> f64 {
        float(self.ios) / elapsed.as_secs_f64()
    }
}

/// The number of the interval that ends at an instant.
pub(super) fn interval_number(at: Nanos, interval: Option<Nanos>) -> u64 {
    let length = interval.map_or(1, |interval| interval.0.max(1));
    at.0.div_ceil(length).saturating_sub(1)
}

/// Percentages of a processor's time: user, kernel, iowait, idle.
pub(super) fn cpu_percent(cpu: &CpuUse) -> [f64; 4] {
    let total = float(cpu.total().0.max(1));
    [cpu.user, cpu.kernel, cpu.iowait, cpu.idle].map(|part| 100.0 * float(part.0) / total)
}

/// The mean of each percentage over all processors; `None` without any.
pub(super) fn cpu_mean(cpus: &[CpuUse]) -> Option<[f64; 4]> {
    if cpus.is_empty() {
        return None;
    }
    let mut mean = [0.0; 4];
    for cpu in cpus {
        for (sum, part) in mean.iter_mut().zip(cpu_percent(cpu)) {
            *sum += part / float(cpus.len() as u64);
        }
    }
    Some(mean)
}

pub(super) fn milliseconds(nanos: f64) -> f64 {
    nanos / 1e6
}

/// A whole number of nanoseconds as milliseconds.
pub(super) fn whole_milliseconds(nanos: u64) -> f64 {
    milliseconds(float(nanos))
}

/// A number right-aligned, or `N/A`.
pub(super) fn cell(value: Option<f64>, width: usize, digits: usize) -> String {
    match value {
        Some(value) => format!("{value:>width$.digits$}"),
        None => format!("{:>width$}", "N/A"),
    }
}

/// How a layout tells the I/O of threads: what stands in the head, under it and before each
/// figure that may have been asked for.
pub(super) struct TableLayout {
    pub(super) head: &'static str,
    pub(super) bar: &'static str,
    pub(super) columns: [TableColumn; 3],
    /// What ends the head, the bar and the line of totals.
    pub(super) ends: [&'static str; 3],
    pub(super) size: fn(u64) -> String,
}

/// A column that may have been asked for: its figure, head, bar, and what stands before it.
pub(super) type TableColumn = (ThreadFigure, &'static str, &'static str, &'static str);

#[derive(Clone, Copy)]
pub(super) enum ThreadFigure {
    IopsDeviation,
    MeanLatency,
    LatencyDeviation,
}

impl ThreadFigure {
    const fn is_requested(self, span: &DiskspdSpan) -> bool {
        match self {
            Self::IopsDeviation => span.iops_interval.is_some(),
            Self::MeanLatency | Self::LatencyDeviation => span.measure_latency,
        }
    }

    fn cell(self, figures: &SpanFigures<'_>, counts: &ThreadTotals) -> String {
        match self {
            Self::IopsDeviation => cell(figures.iops_deviation(counts), 10, 2),
            Self::MeanLatency => cell(counts.latency.mean().map(milliseconds), 8, 3),
            Self::LatencyDeviation => cell(counts.latency.stdev().map(milliseconds), 8, 3),
        }
    }
}

/// The I/O of all threads in one section.
pub(super) fn io_table(
    figures: &SpanFigures<'_>,
    elapsed: Nanos,
    section: TableSection,
    layout: &TableLayout,
) -> String {
    let span = figures.span;
    let selected = layout
        .columns
        .iter()
        .filter(|column| column.0.is_requested(span));
    let selected: Vec<&TableColumn> = selected.collect();
    let [head_end, bar_end, total_end] = layout.ends;
    let heads: String = selected.iter().map(|column| column.1).collect();
    let bars: String = selected.iter().map(|column| column.2).collect();
    let bar = format!("{}{bars}{bar_end}\n", layout.bar);
    let columns = |counts: &ThreadTotals| {
        let cells = selected
            .iter()
            .map(|(figure, _, _, before)| format!("{before}{}", figure.cell(figures, counts)));
        counts.rates(elapsed) + &cells.collect::<String>()
    };
    let mut text = format!("{}{heads}{head_end}\n{bar}", layout.head);
    for row in &figures.rows {
        let counts = columns(&row.counts(section, span));
        let files = row.files(layout.size);
        text.push_str(&format!("{:>6} | {counts} | {files}\n", row.thread()));
    }
    let total = columns(&figures.total(section));
    text + &format!("{bar}total:   {total}{total_end}\n")
}
