//! Raw figures of single trials, and sums over them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{
    Bytes, CpuTime, DeviceCounters, FailureKind, IoFailure, Nanos, Operation, SeriesPoint,
    StopReason, Trial,
};

use sokudo_stats::Interval;
use sokudo_words::{Text, text};

use super::figures::TrialTotals;
use super::inside::Inside;

/// One trial as it was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialDocument {
    /// 1 for the first trial of the result.
    pub trial: u32,
    /// From the first I/O issued in the measured part to the last one completed; where `settled_ns`
    /// is told, of the time in which completions counted.
    pub elapsed_ns: u64,
    /// How long the load ran before it was measured, until its queue had been turned over and
    /// the device had come to its speed; what completed in `elapsed_ns` counts. Missing where
    /// all that was started counts, the filling and the draining of the queue included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_ns: Option<u64>,
    /// When it began, on the clock of `circumstances.course`; missing where that was not noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_ns: Option<u64>,
    /// Bytes moved in the measured part.
    pub bytes: u64,
    /// Bytes moved before and after the measured part, in a ramp, while the queue settled and
    /// while it drained, by all operations of the row: the devices count them, the figures do
    /// not. Missing where there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unmeasured_bytes: u64,
    /// I/Os completed in the measured part.
    pub ios: u64,
    /// I/Os in flight, averaged over the measured time; to four digits.
    pub depth_achieved: Option<f64>,
    /// Bytes of the file that were in the page cache before; null when that
    /// could not be seen.
    pub cached_before_bytes: Option<u64>,
    /// From the first I/O until all that was written was durable; missing where that was
    /// not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durable_after_ns: Option<u64>,
    /// Why the trial ended.
    pub stopped: StopReason,
    /// How long it took until it ran at the rate at which it went on (MSER-5, confirmed by
    /// Geweke's test); null where the two find nothing, or there are too few intervals.
    pub warm_up_ns: Option<u64>,
    /// Correlation of the rates of neighbouring intervals; to four digits.
    pub lag_1: Option<f64>,
    /// How many independent intervals its intervals are worth; to four digits.
    pub effective_samples: Option<f64>,
    /// Interval of the rate inside the trial, by batch means of its intervals: bytes per
    /// second, or I/Os where no bytes are moved; to four digits.
    pub interval_95: Option<Interval>,
}

impl TrialDocument {
    pub(super) fn new(number: u32, trial: &Trial, moved: TrialTotals, inside: &Inside) -> Self {
        Self {
            trial: number,
            elapsed_ns: moved.elapsed.0,
            settled_ns: trial.outcome.window.map(|window| window.settled.0),
            began_ns: trial.evidence.began.map(|Nanos(began)| began),
            bytes: moved.bytes.0,
            unmeasured_bytes: trial
                .outcome
                .in_ramp
                .iter()
                .fold(0, |sum, moved| sum.saturating_add(moved.bytes.0)),
            ios: moved.ios,
            depth_achieved: Some(trial.outcome.depth_achieved)
                .filter(|depth| depth.is_finite())
                .map(rounded),
            cached_before_bytes: trial.evidence.cached_before.map(|Bytes(bytes)| bytes),
            durable_after_ns: trial.outcome.durable_after.map(|Nanos(after)| after),
            stopped: trial.outcome.stopped,
            warm_up_ns: inside.warm_up.map(|Nanos(nanos)| nanos),
            lag_1: inside.autocorrelation.map(|found| rounded(found.lag_1)),
            effective_samples: inside
                .autocorrelation
                .map(|found| rounded(found.effective_samples)),
            interval_95: inside.interval.map(|interval| Interval {
                low: rounded(interval.low),
                high: rounded(interval.high),
                ..interval
            }),
        }
    }
}

fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}

/// A statistic of a trial's inside to four significant digits: no trial is long enough for
/// more to mean anything.
fn rounded(statistic: f64) -> f64 {
    format!("{statistic:.3e}").parse().unwrap_or(statistic)
}

/// Intervals are at least this long, where a trial lasts so long: what is shown of a rate over
/// time needs no more.
pub(crate) const INTERVAL_NS_MIN: u64 = 100_000_000;

/// A trial's series in intervals of 100 ms, as near as its own fit into that.
pub(super) fn thinned(points: &[SeriesPoint]) -> Vec<SeriesPoint> {
    let interval = points.first().map_or(0, |point| point.at.0).max(1);
    let joined = usize::try_from(INTERVAL_NS_MIN / interval).map_or(1, |joined| joined.max(1));
    let join = |points: &[SeriesPoint]| SeriesPoint {
        at: points.last().map_or(Nanos(0), |point| point.at),
        bytes: Bytes(points.iter().map(|point| point.bytes.0).sum()),
        ios: points.iter().map(|point| point.ios).sum(),
    };
    points.chunks(joined).map(join).collect()
}

/// Processor time, summed over trials; `None` unless every trial has its own.
pub(super) fn cpu_of(trials: &[Trial]) -> Option<CpuTime> {
    let times: Option<Vec<_>> = trials.iter().map(|trial| trial.outcome.cpu).collect();
    let times = times.filter(|times| !times.is_empty())?;
    Some(CpuTime {
        user: Nanos(times.iter().map(|time| time.user.0).sum()),
        system: Nanos(times.iter().map(|time| time.system.0).sum()),
        kernel_workers: Nanos(times.iter().map(|time| time.kernel_workers.0).sum()),
    })
}

/// What the leaf devices counted, summed over trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceDocument {
    /// Bytes that the leaf devices read.
    pub read_bytes: u64,
    /// Bytes that the leaf devices wrote.
    pub written_bytes: u64,
    /// Flush requests; 0 from kernels before 5.5, which count none.
    pub flushes: u64,
}

impl DeviceDocument {
    /// `None` unless every trial has its own.
    pub(super) fn sum(trials: &[Trial]) -> Option<Self> {
        let counters: Option<Vec<_>> = trials.iter().map(|trial| trial.evidence.device).collect();
        let counters = counters.filter(|counters| !counters.is_empty())?;
        let sum = counters
            .iter()
            .fold(DeviceCounters::default(), |sum, counted| sum.plus(counted));
        Some(Self::of(&sum))
    }

    pub(super) const fn of(counted: &DeviceCounters) -> Self {
        Self {
            read_bytes: counted.read_bytes,
            written_bytes: counted.written_bytes,
            flushes: counted.flushes,
        }
    }
}

/// I/Os of one trial that failed in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FailureDocument {
    /// 1 for the first trial of the result.
    pub trial: u32,
    /// Operation of the I/Os that failed.
    pub operation: Operation,
    /// Way in which they failed; the fields below have its figures.
    pub kind: FailureWay,
    /// The system's error number; null unless `kind` is `errno`.
    pub errno: Option<i32>,
    /// Bytes asked for; null unless `kind` is `short`.
    #[serde(rename = "asked_bytes")]
    pub requested_bytes: Option<u32>,
    /// Bytes moved; null unless `kind` is `short`.
    pub moved_bytes: Option<u32>,
    /// The drive's status, type in bits 8–10 and code in bits 0–7; missing unless `kind` is
    /// `nvme`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvme_status: Option<u16>,
    /// Offset of the first one; of operations on files, how many files came before it.
    pub offset_bytes: u64,
    /// How many failed in this way.
    pub count: u64,
    /// The same in words.
    pub message: String,
    #[serde(skip)]
    failure: IoFailure,
}

/// In which way I/Os failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureWay {
    /// The system answered with an error number.
    Errno,
    /// Fewer bytes were moved than asked, but more than none.
    Short,
    /// No bytes were moved and no error was given.
    Nothing,
    /// The device never answered.
    Unanswered,
    /// An NVMe drive answered with a status.
    Nvme,
}

impl FailureDocument {
    pub(super) fn new(trial: u32, failure: &IoFailure) -> Self {
        let (mut errno, mut bytes, mut nvme_status) = (None, None, None);
        let kind = match failure.kind {
            FailureKind::Errno(number) => {
                errno = Some(number);
                FailureWay::Errno
            }
            FailureKind::Short { requested, moved } => {
                bytes = Some((requested, moved));
                FailureWay::Short
            }
            FailureKind::Nothing => FailureWay::Nothing,
            FailureKind::Unanswered => FailureWay::Unanswered,
            FailureKind::Nvme(status) => {
                nvme_status = Some(status);
                FailureWay::Nvme
            }
        };
        Self {
            trial,
            operation: failure.operation,
            kind,
            errno,
            requested_bytes: bytes.map(|(requested, _)| requested),
            moved_bytes: bytes.map(|(_, moved)| moved),
            nvme_status,
            offset_bytes: failure.offset.0,
            count: failure.count,
            message: failure_text(failure).english(),
            failure: failure.clone(),
        }
    }

    /// How it failed, in words of any language.
    pub(crate) fn description(&self) -> Text {
        failure_text(&self.failure)
    }
}

fn failure_text(failure: &IoFailure) -> Text {
    let way = failure_words(failure.kind);
    let operation = Text::from(failure.operation.name());
    let (times, at) = (failure.count, failure.offset.0);
    match (failure.operation.is_on_files(), times) {
        (true, 1) => text!("1 {operation} failed, after {at} files: {way}"),
        (true, _) => text!("{times} {operation}s failed, after {at} files: {way}"),
        (false, 1) => text!("1 {operation} failed, the first at byte {at}: {way}"),
        (false, _) => text!("{times} {operation}s failed, the first at byte {at}: {way}"),
    }
}

/// In which way an I/O failed.
pub(super) fn failure_words(kind: FailureKind) -> Text {
    match kind {
        FailureKind::Errno(number) => Text::from(&std::io::Error::from_raw_os_error(number)),
        FailureKind::Short { requested, moved } => text!("{moved} of {requested} bytes moved"),
        FailureKind::Nothing => "no bytes moved and no error given".into(),
        FailureKind::Unanswered => "the device never answered".into(),
        FailureKind::Nvme(status) => text!(
            "the drive answered with NVMe status type {kind:x}h code {code:02x}h",
            kind = status >> 8,
            code = status & 0xff
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn four_digits_are_kept() {
        assert_eq!(rounded(75.574_925_8), 75.57);
        assert_eq!(rounded(-0.046_687_116), -0.046_69);
        assert_eq!(rounded(0.0), 0.0);
        assert_eq!(rounded(123_456_789.0), 123_500_000.0);
        assert!(rounded(f64::NAN).is_nan());
    }
}
