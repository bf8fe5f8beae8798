//! What two variants of a row came to in short trials by turns, which are none of its own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_stats::Summary;

use crate::json::is_default;
use crate::plan::BackendKind;

/// How much faster a backend has to be to be taken for it.
const BACKEND_RATIO_MIN: f64 = 1.03;

/// The rates of reads like a row's from small pages and from huge ones, by turns, in bytes per
/// second; as many of each, in pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "they say what they are")]
pub struct PagesCompared {
    pub small: Vec<u64>,
    pub huge: Vec<u64>,
}

/// The rates of reads like a row's by io_uring and by libaio, by turns, in bytes per second; as
/// many of each, in pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "they say what they are")]
pub struct BackendsCompared {
    pub io_uring: Vec<u64>,
    pub libaio: Vec<u64>,
    /// Those that are tried only where that was allowed, one after another, each beside the fastest
    /// of those before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<IssueWayTried>,
}

/// How I/Os are issued and their completions come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "they say what they are")]
pub struct IssueWay {
    pub kind: BackendKind,
    #[serde(default, skip_serializing_if = "is_default")]
    pub polled: bool,
}

/// A way, and what it was tried beside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "they say what they are")]
pub struct IssueWayTried {
    pub way: IssueWay,
    pub rates: Vec<u64>,
    pub beside: IssueWay,
    pub rates_beside: Vec<u64>,
}

/// What was taken, because it is faster than another.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "they say what they are")]
pub struct Faster {
    pub way: IssueWay,
    pub than: IssueWay,
    pub by: PairRatios,
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

    /// Whether the rest of so many `pairs` changes nothing in which of two backends is taken as the
    /// faster, if any ([`BackendsCompared::faster`]).
    pub fn are_decided(rates: &[u64], beside: &[u64], pairs: usize) -> bool {
        let is_known = |rates: &[u64], beside: &[u64]| {
            let all = rates.iter().zip(beside);
            let ratios = all.map(|(rate, beside)| *rate as f64 / *beside as f64);
            let above = ratios.filter(|ratio| *ratio > BACKEND_RATIO_MIN).count();
            above.max(rates.len() - above) > pairs / 2
        };
        is_known(rates, beside) && is_known(beside, rates)
    }
}

impl PagesCompared {
    /// Rates from huge pages over those from small ones.
    pub fn ratios(&self) -> Option<PairRatios> {
        PairRatios::of(&self.huge, &self.small)
    }
}

impl IssueWay {
    /// By interrupt, as a backend does where nothing else is said.
    pub const fn of(kind: BackendKind) -> Self {
        Self {
            kind,
            polled: false,
        }
    }
}

impl BackendsCompared {
    /// What came to more than 3 % more than another in the middle of all pairs, the fastest of all;
    /// `None` where nothing did. One pair against it proves nothing: the other would be taken
    /// without any.
    pub fn faster(&self) -> Option<Faster> {
        let [ring, libaio] = [BackendKind::IoUring, BackendKind::Libaio].map(IssueWay::of);
        let faster = |way, rates, than, beside| {
            let by = PairRatios::of(rates, beside)?;
            (by.median > BACKEND_RATIO_MIN).then_some(Faster { way, than, by })
        };
        let around = self.around.iter().rev();
        around
            .filter_map(|it| faster(it.way, &it.rates, it.beside, &it.rates_beside))
            .next()
            .or_else(|| faster(ring, &self.io_uring, libaio, &self.libaio))
            .or_else(|| faster(libaio, &self.libaio, ring, &self.io_uring))
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
                around: Vec::new(),
            };
            compared.faster().map(|it| it.way.kind)
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

    #[test]
    fn pairs_that_are_left_out_change_nothing_in_which_backend_is_taken() {
        let taken = |pairs: &[u64]| {
            let compared = BackendsCompared {
                io_uring: vec![100; pairs.len()],
                libaio: pairs.to_vec(),
                around: Vec::new(),
            };
            compared.faster().map(|it| it.way.kind)
        };
        // Every order of five pairs that win, lose or do neither.
        for number in 0..3_usize.pow(5) {
            let digit = |power: u32| [90, 101, 110][number / 3_usize.pow(power) % 3];
            let all: Vec<u64> = (0..5).map(digit).collect();
            let is_decided =
                |made: &usize| PairRatios::are_decided(&all[..*made], &vec![100; *made], 5);
            let made = (1..=5).find(is_decided).unwrap_or(5);
            assert!(made >= 3, "{all:?}");
            assert_eq!(taken(&all[..made]), taken(&all), "{all:?}");
        }
    }

    #[test]
    fn the_last_way_that_won_is_the_fastest() {
        let polled = IssueWay {
            kind: BackendKind::IoUring,
            polled: true,
        };
        let commands = IssueWay::of(BackendKind::IoUringCmd);
        let tried = |way, rate, beside| IssueWayTried {
            way,
            rates: vec![rate; 5],
            beside,
            rates_beside: vec![100; 5],
        };
        let plain = IssueWay::of(BackendKind::Psync);
        for (of_polled, of_commands, taken) in [
            (110, 110, Some((commands, polled))),
            (110, 102, Some((polled, plain))),
            (102, 110, Some((commands, plain))),
            (90, 102, None),
        ] {
            let beside = match of_polled {
                110 => polled,
                _ => plain,
            };
            let compared = BackendsCompared {
                around: vec![
                    tried(polled, of_polled, plain),
                    tried(commands, of_commands, beside),
                ],
                ..BackendsCompared::default()
            };
            let faster = compared.faster();
            assert_eq!(faster.map(|it| (it.way, it.than)), taken, "{of_polled}");
        }
    }
}
