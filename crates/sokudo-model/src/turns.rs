//! What two variants of a row came to in short trials by turns, which are none of its own.

use serde::{Deserialize, Serialize};
use sokudo_stats::Summary;

use crate::plan::BackendKind;

/// How much faster a backend has to be to be taken for it.
const BACKEND_RATIO_MIN: f64 = 1.03;

/// The rates of a row whose buffers lay in small pages and in huge ones by turns, in bytes per
/// second; as many of each, in pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "they say what they are")]
pub struct PagesCompared {
    pub small: Vec<u64>,
    pub huge: Vec<u64>,
}

/// The rates of reads like a row's by io_uring and by libaio, by turns, in bytes per second; as
/// many of each, in pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "they say what they are")]
pub struct BackendsCompared {
    pub io_uring: Vec<u64>,
    pub libaio: Vec<u64>,
}

/// Rate ÷ rate of pairs of short trials.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "they say what they are")]
pub struct PairRatios {
    pub median: f64,
    pub least: f64,
    pub most: f64,
    pub pairs: u64,
}

impl PairRatios {
    /// Of `rates` over those `beside` them; `None` where no pair has both.
    #[expect(clippy::cast_precision_loss, reason = "a ratio is a float")]
    pub fn of(rates: &[u64], beside: &[u64]) -> Option<Self> {
        let pairs = rates.iter().zip(beside).filter(|(_, beside)| **beside > 0);
        let ratios: Vec<f64> = pairs
            .map(|(rate, beside)| *rate as f64 / *beside as f64)
            .collect();
        let summary = Summary::of(&ratios)?;
        Some(Self {
            median: summary.median,
            least: summary.min,
            most: summary.max,
            pairs: ratios.len() as u64,
        })
    }
}

impl PagesCompared {
    /// Rates from huge pages over those from small ones.
    pub fn ratios(&self) -> Option<PairRatios> {
        PairRatios::of(&self.huge, &self.small)
    }
}

impl BackendsCompared {
    /// A backend that came to more than 3 % more than the other in the middle of all pairs, and by
    /// how much; `None` where neither did. One pair against it proves nothing: the other would be
    /// taken without any.
    pub fn faster(&self) -> Option<(BackendKind, PairRatios)> {
        let Self { io_uring, libaio } = self;
        let faster = |kind, rates, beside| {
            let ratios = PairRatios::of(rates, beside)?;
            (ratios.median > BACKEND_RATIO_MIN).then_some((kind, ratios))
        };
        faster(BackendKind::IoUring, io_uring, libaio)
            .or_else(|| faster(BackendKind::Libaio, libaio, io_uring))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_is_faster_that_wins_clearly() {
        let faster = |io_uring: &[u64], libaio: &[u64]| {
            let compared = BackendsCompared {
                io_uring: io_uring.to_vec(),
                libaio: libaio.to_vec(),
            };
            compared.faster().map(|(kind, _)| kind)
        };
        assert_eq!(faster(&[110; 5], &[100; 5]), Some(BackendKind::IoUring));
        assert_eq!(faster(&[100; 5], &[110; 5]), Some(BackendKind::Libaio));
        assert_eq!(faster(&[103; 5], &[100; 5]), None);
        assert_eq!(
            faster(&[200, 200, 99], &[100; 3]),
            Some(BackendKind::IoUring)
        );
        assert_eq!(faster(&[200, 99, 99], &[100; 3]), None);
        assert_eq!(faster(&[], &[]), None);
        assert_eq!(faster(&[1], &[0]), None);
    }
}
