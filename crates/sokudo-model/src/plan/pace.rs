//! When I/Os start and when a workload stops.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json::is_default;
use crate::units::{Bytes, Nanos, ParseSizeError};

/// Rates that a workload keeps, and its pauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pacing {
    /// The fixed rate per thread of all operations together, if the load is not
    /// closed-loop.
    pub rate: Option<Rate>,
    /// Fixed rates of single operations, and how I/Os are spaced at a fixed rate.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rates: Rates,
    /// Rates below which it fails (fio: `rate_min`, `rate_iops_min`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub least: LeastRates,
    /// Pauses between I/Os; `null` makes none.
    pub think: Option<Think>,
}

/// When a workload starts, from when on it counts, and what ends with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadTiming {
    /// When it starts, counted from the stage's start (fio: `startdelay`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub starts_after: Nanos,
    /// Time at the start that is run but not measured (fio: `ramp_time`).
    pub ramp: Nanos,
    /// When it is steady enough to stop.
    #[serde(default, skip_serializing_if = "is_default")]
    pub steady: Option<SteadyRule>,
    /// Whether its end ends every workload of the stage, and the plan with it (fio: `exitall`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub ends_others: EndsOthers,
}

/// When a workload ends, what ends with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndsOthers {
    /// Nothing else ends with it.
    #[default]
    Never,
    /// Its stage and all after it, when it fails (fio: `exitall_on_error`).
    OnError,
    /// Its stage (fio: `exitall`).
    Stage,
    /// Its stage and all after it (fio: `exit_what=all`).
    Always,
}

/// Fixed rates of single operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rates {
    /// Of reads, writes and trims of one thread.
    pub each: [Option<Rate>; 3],
    /// How I/Os are spaced at any fixed rate.
    pub process: RateProcess,
}

/// How I/Os are spaced at a fixed rate (fio: `rate_process`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RateProcess {
    /// At equal distances of time.
    #[default]
    Linear,
    /// As independent requests of many users arrive.
    Poisson,
}

/// When a workload stops: at whichever limit is reached first. With none it
/// runs until it is stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Measured time, the ramp not included.
    pub time: Option<Nanos>,
    /// The shortest time that is taken instead where it shows as much; in a result `time` is what
    /// was taken.
    #[serde(default, skip_serializing_if = "is_default")]
    pub time_min: Option<Nanos>,
    /// Bytes moved per thread, the ramp included.
    pub bytes: Option<Bytes>,
    /// I/Os per thread, the ramp included (fio: `number_ios`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub ios: Option<u64>,
    /// How often the work up to `bytes` or `ios` is done from its start again after
    /// the first time (fio: `loops` less 1).
    #[serde(default, skip_serializing_if = "is_default")]
    pub repeats: u32,
}

impl Limits {
    /// Limits that stop it after this time alone.
    pub fn of_time(time: Nanos) -> Self {
        Self {
            time: Some(time),
            ..Self::default()
        }
    }

    /// Limits that stop it after this many bytes alone.
    pub fn of_bytes(bytes: Bytes) -> Self {
        Self {
            bytes: Some(bytes),
            ..Self::default()
        }
    }
}

/// The least that a workload is to do, all its threads together; below it, it fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeastRates {
    /// Bytes per second of reads, writes and trims.
    pub bytes: [Option<u64>; 3],
    /// I/Os per second likewise.
    pub ios: [Option<u64>; 3],
    /// Over how long a rate is taken each time (fio: `ratecycle`).
    pub cycle: Nanos,
}

impl LeastRates {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes
            .iter()
            .chain(&self.ios)
            .all(|least| least.is_none())
    }
}

/// A fixed rate per thread: I/Os start on a schedule, whether or not earlier ones
/// have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// Bytes per second of each thread.
    BytesPerSecond(u64),
    /// I/Os per second of each thread.
    Iops(u64),
}

impl Rate {
    /// How far the parts of a rate that is shared out may be from the whole together.
    const SHARING_ERROR_MAX: f64 = 0.01;

    /// The part of each of `threads`, to the nearest whole unit; `None` where the parts
    /// together would miss the rate by more than 1 %.
    pub fn shared_by(self, threads: u32) -> Option<Self> {
        let threads = u64::from(threads.max(1));
        let of_one = |whole: u64| {
            let part = whole.saturating_add(threads / 2) / threads;
            let together = part.checked_mul(threads)?;
            let error = together.abs_diff(whole) as f64 / whole.max(1) as f64;
            (part > 0 && error <= Self::SHARING_ERROR_MAX).then_some(part)
        };
        Some(match self {
            Self::BytesPerSecond(whole) => Self::BytesPerSecond(of_one(whole)?),
            Self::Iops(whole) => Self::Iops(of_one(whole)?),
        })
    }

    /// I/Os per second, when each moves `block` bytes.
    pub fn ios_per_second(self, block: Bytes) -> f64 {
        match self {
            Self::Iops(rate) => rate as f64,
            Self::BytesPerSecond(rate) => rate as f64 / block.0.max(1) as f64,
        }
    }
}

/// Parses `5000iops`, `5k iops`, `200MB/s`, `100MiB/s`. Thousands of I/Os are decimal;
/// sizes are as [`Bytes`] reads them.
impl FromStr for Rate {
    type Err = ParseSizeError;

    fn from_str(text: &str) -> Result<Self, ParseSizeError> {
        let wrong = || ParseSizeError::new(text, "a rate such as 5000iops or 200MB/s");
        let lower = text.trim().to_ascii_lowercase();
        let rate = if let Some(number) = lower.strip_suffix("iops") {
            let number = number.trim_end();
            // Of I/Os, k and m are decimal, as the k of 10k IOPS is to everybody.
            let decimal = match number.strip_suffix(['k', 'm']) {
                Some(_) => format!("{number}b"),
                None if number.ends_with(|sign: char| sign.is_ascii_digit()) => number.to_owned(),
                None => return Err(wrong()),
            };
            Self::Iops(decimal.parse::<Bytes>().map_err(|_| wrong())?.0)
        } else if let Some(size) = lower.strip_suffix("/s") {
            // Whoever writes 100/s does not mean bytes.
            if !size.ends_with(|sign: char| sign.is_ascii_alphabetic()) {
                return Err(wrong());
            }
            Self::BytesPerSecond(size.parse::<Bytes>().map_err(|_| wrong())?.0)
        } else {
            return Err(wrong());
        };
        match rate {
            Self::Iops(0) | Self::BytesPerSecond(0) => Err(wrong()),
            _ => Ok(rate),
        }
    }
}

/// A pause between I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Think {
    /// How long to pause.
    pub time: Nanos,
    /// After how many I/Os each time. At least 1.
    pub after_ios: u32,
    /// Whether I/Os in flight must have completed before the pause begins.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub waits_for_completion: bool,
    /// How much of `time` is spent computing instead of sleeping (fio: `thinktime_spin`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub spin: Nanos,
}

const fn yes() -> bool {
    true
}

const fn is_yes(value: &bool) -> bool {
    *value
}

impl Think {
    /// A pause that begins when all in flight has completed.
    pub fn new(time: Nanos, after_ios: u32) -> Self {
        Self {
            time,
            after_ios,
            waits_for_completion: true,
            spin: Nanos(0),
        }
    }
}

/// When a workload is steady enough to stop (fio: `steadystate`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyRule {
    /// What must be steady.
    pub figure: SteadyFigure,
    /// Whether the slope is looked at, or the largest deviation from the mean.
    pub slope: bool,
    /// How much of it is allowed.
    pub limit: SteadyLimit,
    /// The window that is looked at.
    pub duration: Nanos,
    /// What is run before the window begins.
    pub ramp: Nanos,
    /// How often it is looked at.
    pub interval: Nanos,
}

/// What must be steady.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SteadyFigure {
    /// I/Os per second of each interval.
    Iops,
    /// Bytes per second of each interval.
    Bandwidth,
}

/// How unsteady is steady enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SteadyLimit {
    /// Percent of the mean × 1,000,000.
    Percent(u64),
    /// In the figure's own unit (I/Os per second, or KiB per second) × 1,000,000.
    Absolute(u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_of_ios_or_of_bytes() {
        for (text, rate) in [
            ("5000iops", Rate::Iops(5_000)),
            ("5k IOPS", Rate::Iops(5_000)),
            ("1.5Miops", Rate::Iops(1_500_000)),
            ("200MB/s", Rate::BytesPerSecond(200_000_000)),
            ("100 MiB/s", Rate::BytesPerSecond(100 << 20)),
            ("1g/s", Rate::BytesPerSecond(1 << 30)),
        ] {
            assert_eq!(text.parse(), Ok(rate), "{text}");
        }
        for text in [
            "", "5000", "100/s", "iops", "0iops", "0MB/s", "-1iops", "5xiops", "5KiBiops", "MB/s",
            "200MB",
        ] {
            let error = text.parse::<Rate>().unwrap_err().to_string();
            assert!(
                error.ends_with("a rate such as 5000iops or 200MB/s"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_rate_is_shared_out_where_that_is_exact_enough() {
        assert_eq!(Rate::Iops(5_000).shared_by(3), Some(Rate::Iops(1_667)));
        assert_eq!(Rate::Iops(10).shared_by(3), None);
        assert_eq!(Rate::Iops(1).shared_by(2), None);
        let bytes = Rate::BytesPerSecond(200_000_000);
        assert_eq!(bytes.shared_by(16), Some(Rate::BytesPerSecond(12_500_000)));
        assert_eq!(bytes.ios_per_second(Bytes(4_000)), 50_000.0);
    }
}
