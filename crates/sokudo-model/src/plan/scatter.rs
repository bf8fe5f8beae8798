//! How random I/Os are spread.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// How random I/Os are spread over the span.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scatter {
    /// How often each place is used.
    pub distribution: Distribution,
    /// The zones of reads, writes and trims, where the distribution is
    /// [`Distribution::Zoned`].
    pub zones: [Vec<Zone>; 3],
    /// Percentage of reads, writes and trims that go to a random place, the others
    /// continue after the last; `null` is 100 where the order is random, else 0
    /// (fio: `percentage_random`).
    pub random_percent: Option<[u8; 3]>,
    /// I/Os issued before a new random place is chosen, one after the other
    /// meanwhile (fio: `rw=randread:8`). 0 and 1 are every I/O.
    pub run_ios: u32,
    /// What is added to each next sequential offset beyond the block (fio:
    /// `rw=read:512k`); below 0 it runs backward.
    pub stride: i64,
    /// Whether each place is trimmed, then written (fio: `rw=trimwrite`).
    #[serde(default)]
    pub trims_first: bool,
    /// What random offsets of reads, writes and trims are multiples of, when that
    /// is not the smallest block (fio: `ba`).
    pub alignment: Option<[Bytes; 3]>,
}

/// How often each place of a span, or each of several targets, is used.
/// Parameters are in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// All places are equally likely.
    #[default]
    Uniform,
    /// Rank k in proportion to 1 / k^theta.
    Zipf {
        /// Theta × 1,000,000; above 0 and not 1,000,000.
        theta: u64,
        /// Where in the span rank 1 lies, × 1,000,000; `null` scatters ranks.
        center: Option<u64>,
    },
    /// A share h of the places gets 1 − h of the I/Os.
    Pareto {
        /// h × 1,000,000; above 0 and below 1,000,000.
        power: u64,
        /// Where in the span rank 1 lies, × 1,000,000; `null` scatters ranks.
        center: Option<u64>,
    },
    /// Normal around the middle as fio draws it: with a standard deviation of a twelfth of
    /// the span, moved by up to half of `deviation`.
    Normal {
        /// fio's deviation in percent of the span × 1,000,000.
        deviation: u64,
        /// Where in the span the likeliest place lies, × 1,000,000; `null` sets none.
        center: Option<u64>,
    },
    /// By zones, which are in [`Scatter::zones`].
    Zoned,
}

/// A part of the span and how much of the I/O it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Zone {
    /// Percentage of the I/Os × 1,000,000.
    pub access: u64,
    /// Length of the zone, as a share or in bytes.
    pub length: ZoneLength,
}

/// How long a zone is. Zones follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ZoneLength {
    /// Percentage of the span × 1,000,000 (fio: `zoned`).
    Share(u64),
    /// Length in bytes (fio: `zoned_abs`).
    Size(Bytes),
}
