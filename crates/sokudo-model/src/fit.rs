//! Is a disk fast enough for something: what is asked of it, in figures.
//!
//! What was measured is held against it by `sokudo-report`; nothing is judged here.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::Percentile;

/// What somebody needs a disk for, and which figures it takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FitQuestion {
    /// By which it is asked, such as `etcd`.
    pub name: String,
    /// The question in English, a sentence.
    pub asks: String,
    /// Who has published thresholds or method: an address, or a document's name.
    pub source: String,
    /// When that was published, or read.
    pub date: String,
    /// What the answer leaves open, in English; empty for nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remark: String,
    /// What is looked at; at least one.
    pub criteria: Vec<FitCriterion>,
    /// Command lines of fio that do the same as the rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fio: Vec<String>,
}

/// A figure of a row, and what it has to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FitCriterion {
    /// The row's place in the plan, from 0.
    pub row: u32,
    /// Figure of the row that the limit is for.
    #[schemars(with = "String")]
    pub metric: FitMetric,
    /// Writes that make a commit; 1 for anything else.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub writes: u32,
    /// What it has to be; missing where nobody has published that, and it is only shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<FitLimit>,
}

const fn one() -> u32 {
    1
}

const fn is_one(count: &u32) -> bool {
    *count == 1
}

/// What a figure has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FitLimit {
    /// On which side of the value.
    pub must_be: FitSide,
    /// In nanoseconds, per second, bytes per second or frames, as the metric is.
    pub value: u64,
}

/// On which side of a value a figure has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FitSide {
    /// Less than the value that is given.
    Below,
    /// Less than the value or equal to it.
    AtMost,
    /// Greater than the value that is given.
    Above,
    /// Greater than the value or equal to it.
    AtLeast,
}

impl FitSide {
    /// Whether a figure is on this side of a value.
    pub fn holds(self, figure: f64, value: f64) -> bool {
        match self {
            Self::Below => figure < value,
            Self::AtMost => figure <= value,
            Self::Above => figure > value,
            Self::AtLeast => figure >= value,
        }
    }
}

/// A figure of a row. In documents it is a text: `sync-p99`, `iops`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum FitMetric {
    /// How long making a write durable takes (fsync, fdatasync), nanoseconds.
    SyncLatency(Percentile),
    /// How long an I/O takes, nanoseconds.
    Latency(Percentile),
    /// How often per second as many writes as make a commit are made durable.
    Commits,
    /// I/Os that the row completes per second.
    Iops,
    /// Bytes that the row moves per second.
    Bandwidth,
    /// I/Os of a fixed rate that were not done by the time at which the next one is due.
    Dropped,
}

impl FitMetric {
    const SYNC: &str = "sync-";

    /// Whether it is a time.
    pub const fn is_latency(self) -> bool {
        matches!(self, Self::SyncLatency(_) | Self::Latency(_))
    }
}

impl fmt::Display for FitMetric {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SyncLatency(percentile) => write!(out, "{}{}", Self::SYNC, percentile.name()),
            Self::Latency(percentile) => out.write_str(percentile.name()),
            Self::Commits => out.write_str("commits"),
            Self::Iops => out.write_str("iops"),
            Self::Bandwidth => out.write_str("bandwidth"),
            Self::Dropped => out.write_str("dropped"),
        }
    }
}

impl From<FitMetric> for String {
    fn from(metric: FitMetric) -> Self {
        metric.to_string()
    }
}

/// There is no such figure.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
#[error("there is no figure \"{name}\"; use commits, iops, bandwidth, dropped, p99 or sync-p99")]
pub struct UnknownMetric {
    name: String,
}

impl TryFrom<String> for FitMetric {
    type Error = UnknownMetric;

    fn try_from(name: String) -> Result<Self, UnknownMetric> {
        let percentile = |name: &str| Percentile::ALL.into_iter().find(|it| it.name() == name);
        let of_sync = name.strip_prefix(Self::SYNC).and_then(percentile);
        let latency = of_sync.map(Self::SyncLatency);
        let latency = latency.or_else(|| percentile(&name).map(Self::Latency));
        match (latency, name.as_str()) {
            (Some(latency), _) => Ok(latency),
            (None, "commits") => Ok(Self::Commits),
            (None, "iops") => Ok(Self::Iops),
            (None, "bandwidth") => Ok(Self::Bandwidth),
            (None, "dropped") => Ok(Self::Dropped),
            (None, _) => Err(UnknownMetric { name }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_read_as_it_is_written() {
        for (name, metric) in [
            ("sync-p99.9", FitMetric::SyncLatency(Percentile::P99_9)),
            ("p50", FitMetric::Latency(Percentile::P50)),
            ("commits", FitMetric::Commits),
            ("dropped", FitMetric::Dropped),
        ] {
            assert_eq!(FitMetric::try_from(name.to_owned()), Ok(metric));
            assert_eq!(metric.to_string(), name);
        }
        for name in ["", "p98", "sync-", "sync-iops", "IOPS"] {
            assert!(FitMetric::try_from(name.to_owned()).is_err(), "{name}");
        }
    }

    #[test]
    fn a_value_is_on_one_side_of_itself_only_where_it_may_be() {
        let sides = [
            FitSide::Below,
            FitSide::AtMost,
            FitSide::Above,
            FitSide::AtLeast,
        ];
        let holds = |figure| sides.map(|side| side.holds(figure, 10.0));
        assert_eq!(holds(9.0), [true, true, false, false]);
        assert_eq!(holds(10.0), [false, true, false, true]);
        assert_eq!(holds(11.0), [false, false, true, true]);
    }
}
