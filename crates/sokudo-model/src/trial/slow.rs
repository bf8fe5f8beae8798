//! I/Os of a survey that took much longer than others, and what came of reading them again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_stats::Histogram;

use crate::units::{Bytes, Nanos};

/// I/Os that are kept of a survey: enough that ten places are among them where each holds a
/// queue of neighbours up.
pub const SLOW_IOS_MAX: usize = 128;

/// A multiple of the interquartile range: Tukey's outer fence, beyond which a value is "far
/// out" (Exploratory Data Analysis, 1977).
const FENCE: f64 = 3.0;
/// However alike all others are: an I/O is not slow that takes less than twice the median.
const MEDIAN_RATIO_MIN: f64 = 2.0;
/// However unlike they are, as beside other load: it is slow from so many medians on. What only
/// chance made slow is not so again, three times, and beside ordinary places.
const MEDIAN_RATIO_MAX: f64 = 10.0;

/// An I/O, and how long it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SlowIo {
    /// First byte that the I/O asked for.
    pub offset: Bytes,
    /// How many it asked for.
    pub length: Bytes,
    /// From its issue to its end.
    pub latency: Nanos,
}

/// The slowest places of a survey.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SlowSpots {
    /// What takes longer is slow.
    #[serde(rename = "limit_ns")]
    pub limit: Nanos,
    /// Slow places, the slowest first.
    #[serde(rename = "places")]
    pub spots: Vec<SlowSpot>,
}

/// A place that was slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SlowSpot {
    /// First byte of the slow I/O.
    pub offset: Bytes,
    /// Bytes of the I/O.
    pub length: Bytes,
    /// How long that took.
    #[serde(rename = "latency_ns")]
    pub latency: Nanos,
    /// The slowest I/O there when it was last read again after the last trial, as before; `null`
    /// where it was not.
    #[serde(rename = "again_ns")]
    pub again: Option<Nanos>,
    /// The slowest I/O at ordinary places that were read beside it then; missing where none were.
    #[serde(default, rename = "beside_ns", skip_serializing_if = "Option::is_none")]
    pub beside: Option<Nanos>,
}

impl SlowSpots {
    /// What takes longer than this is slow among I/Os with these latencies: Tukey's outer fence of
    /// their logarithms, for latencies are spread by factors, and no less than twice the median, nor
    /// more than ten times it.
    pub fn limit_of(latency: &Histogram) -> Option<Nanos> {
        let quantile = |share| latency.quantile(share);
        let (low, median, high) = (quantile(0.25)?, quantile(0.5)?, quantile(0.75)?);
        let [low, median, high] = [low, median, high].map(|value| value.max(1) as f64);
        let fence = high * (high / low).powf(FENCE);
        #[expect(clippy::cast_possible_truncation, reason = "no latency is beyond it")]
        let limit = fence.clamp(median * MEDIAN_RATIO_MIN, median * MEDIAN_RATIO_MAX) as u64;
        Some(Nanos(limit))
    }

    /// Whether a place was slow again, and slower than ordinary ones beside it; `None` where it was
    /// not read again.
    pub fn is_slow_again(&self, spot: &SlowSpot) -> Option<bool> {
        let limit = self.limit.max(spot.beside.unwrap_or_default());
        spot.again.map(|again| again > limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latencies(values: impl IntoIterator<Item = u64>) -> Histogram {
        let mut all = Histogram::new();
        values.into_iter().for_each(|value| all.record(value));
        all
    }

    #[test]
    fn what_is_alike_is_slow_at_twice_the_median() {
        let limit = SlowSpots::limit_of(&latencies([1_000_000; 100])).unwrap();
        assert!((1_990_000..2_040_000).contains(&limit.0), "{limit:?}");
        assert_eq!(SlowSpots::limit_of(&latencies([])), None);
    }

    #[test]
    fn what_is_spread_is_slow_far_beyond_its_quartiles() {
        // Quartiles of 9, 10 and 13 ms: the fence is 13 x (13 / 9)^3 ms.
        let spread = (0..400u64).map(|it| [8, 9, 10, 13, 14][(it % 5) as usize] * 1_000_000);
        let limit = SlowSpots::limit_of(&latencies(spread)).unwrap();
        assert!((37_000_000..42_000_000).contains(&limit.0), "{limit:?}");
    }

    #[test]
    fn what_is_slow_is_bounded_however_wide_other_load_spreads_the_rest() {
        // Quartiles of about 2, 4 and 8 ms: the fence would be 8 x 4^3 = 512 ms.
        let spread = (0..400u64).map(|it| 1_000_000 << (it % 5));
        let limit = SlowSpots::limit_of(&latencies(spread)).unwrap();
        assert!((39_000_000..42_000_000).contains(&limit.0), "{limit:?}");
    }
}
