//! What a drive did while it was written from one end to the other: levels, the collapse, what
//! came back after rests, and what reads took meanwhile.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{Fill, FillStretch, Run};
use sokudo_stats::Histogram;

/// A fill in a few numbers; its curve is in the places of its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FillDocument {
    /// The place of the fill in `results`, from 0.
    pub result: usize,
    /// Bytes written.
    pub written_bytes: u64,
    /// How long that took.
    pub elapsed_ns: u64,
    /// Mean rate.
    pub bytes_per_s: f64,
    /// Stretches in which the rate is one, in the order in which they were written; at least one.
    pub levels: Vec<FillLevelDocument>,
    /// The place in `levels` of the first that is of the drive's cells: those before it are of its
    /// memory. Shares are of its rate.
    pub first: usize,
    /// Where fast writes end; null where they do not.
    pub collapse: Option<FillCollapseDocument>,
    /// What came back after rests, in the order in which they were made.
    pub recovery: Vec<FillRecoveryDocument>,
    /// Latencies of single reads between the writes; null where there were none.
    pub read_latency_ns: Option<ReadLatencyDocument>,
    /// What the drive wrote to its flash ÷ what it was given during the run, by its own counters;
    /// null where it has none, or several drives were written.
    pub write_amplification: Option<f64>,
}

/// A stretch in which the rate is one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FillLevelDocument {
    /// Bytes written before it.
    pub from_bytes: u64,
    /// Bytes written when it ends.
    pub to_bytes: u64,
    /// How long it took.
    pub elapsed_ns: u64,
    /// Mean rate.
    pub bytes_per_s: f64,
    /// The same ÷ that of the level `first`.
    pub share: f64,
}

/// Where fast writes end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FillCollapseDocument {
    /// The place in `levels` of the first that is not fast any more.
    pub level: usize,
    /// Bytes written until then.
    pub at_bytes: u64,
    /// Mean rate just before it.
    pub fast_bytes_per_s: f64,
    /// Mean rate of all that was written from there on.
    pub slow_bytes_per_s: f64,
}

/// How fast it was after a rest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FillRecoveryDocument {
    /// For so long nothing was written.
    pub rest_ns: u64,
    /// What was written after it.
    pub bytes: u64,
    /// Mean rate.
    pub bytes_per_s: f64,
    /// The same ÷ that of the level `first`.
    pub share: f64,
}

/// What single reads took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadLatencyDocument {
    /// How many there were.
    pub count: u64,
    /// Median.
    pub p50: u64,
    /// 99 of 100 took no longer.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

impl FillDocument {
    /// What a run of this method has come to; `None` for any other, and where nothing was
    /// written.
    pub fn of(run: &Run) -> Option<Self> {
        let fill = Fill::of_method(run)?;
        let whole = fill.curve.whole();
        let first = fill.levels[fill.first()].bytes_per_s();
        let recovery = fill.rests.iter().map(|rest| FillRecoveryDocument {
            rest_ns: rest.rest.0,
            bytes: rest.bytes.0,
            bytes_per_s: rest.bytes_per_s,
            share: rest.bytes_per_s / first,
        });
        Some(Self {
            result: fill.row,
            written_bytes: whole.bytes.0,
            elapsed_ns: whole.elapsed.0,
            bytes_per_s: whole.bytes_per_s(),
            levels: fill
                .levels
                .iter()
                .map(|level| FillLevelDocument::of(level, first))
                .collect(),
            first: fill.first(),
            collapse: fill
                .collapse()
                .map(|level| FillCollapseDocument::of(&fill, level)),
            recovery: recovery.collect(),
            read_latency_ns: fill
                .read_latencies
                .as_ref()
                .and_then(ReadLatencyDocument::of),
            write_amplification: write_amplification(run),
        })
    }
}

/// Several drives wrote different shares, each in a unit of its own.
fn write_amplification(run: &Run) -> Option<f64> {
    let [drive] = &run.circumstances.drives[..] else {
        return None;
    };
    drive.flash_writes?.amplification()
}

impl FillLevelDocument {
    fn of(level: &FillStretch, first: f64) -> Self {
        Self {
            from_bytes: level.from.0,
            to_bytes: level.to().0,
            elapsed_ns: level.elapsed.0,
            bytes_per_s: level.bytes_per_s(),
            share: level.bytes_per_s() / first,
        }
    }
}

impl FillCollapseDocument {
    fn of(fill: &Fill, level: usize) -> Self {
        let fast = fill.levels[level - 1];
        Self {
            level,
            at_bytes: fast.to().0,
            fast_bytes_per_s: fast.bytes_per_s(),
            slow_bytes_per_s: fill.after(level).bytes_per_s(),
        }
    }
}

impl ReadLatencyDocument {
    fn of(latencies: &Histogram) -> Option<Self> {
        Some(Self {
            count: latencies.count(),
            p50: latencies.quantile(0.5)?,
            p99: latencies.quantile(0.99)?,
            max: latencies.max()?,
        })
    }
}
