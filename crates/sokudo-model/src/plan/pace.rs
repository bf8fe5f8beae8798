//! When I/Os start and when a workload stops.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::is_default;
use crate::units::{Bytes, Nanos};

/// How I/Os are submitted and reaped together. `None` is as the engine finds best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Batching {
    /// I/Os prepared before they are submitted (fio: `iodepth_batch`). At least 1.
    pub submit: Option<u32>,
    /// Completions waited for at once (fio: `iodepth_batch_complete_min`); 0 only looks.
    pub complete_min: Option<u32>,
    /// Completions reaped at once at most (fio: `iodepth_batch_complete_max`).
    pub complete_max: Option<u32>,
    /// Depth to which the queue drains before it is filled again (fio: `iodepth_low`).
    pub low_depth: Option<u32>,
}

/// When a workload ends, what ends with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndsOthers {
    /// Nothing.
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
    /// Of reads, writes and trims of one clone.
    pub each: [Option<Rate>; 3],
    /// How I/Os are spaced at any fixed rate.
    pub process: RateProcess,
}

/// How I/Os are spaced at a fixed rate (fio: `rate_process`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RateProcess {
    /// Evenly.
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
    /// Bytes moved per clone, the ramp included.
    pub bytes: Option<Bytes>,
    /// I/Os per clone, the ramp included (fio: `number_ios`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub ios: Option<u64>,
    /// How often the work up to `bytes` or `ios` is done from its start again after
    /// the first time (fio: `loops` less 1).
    #[serde(default, skip_serializing_if = "is_default")]
    pub repeats: u32,
}

/// A fixed rate per clone: I/Os start on a schedule, whether or not earlier ones
/// have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// Bytes per second.
    BytesPerSecond(u64),
    /// I/Os per second.
    Iops(u64),
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
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
    /// I/Os per second.
    Iops,
    /// Bytes per second.
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
