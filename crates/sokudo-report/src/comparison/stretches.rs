//! Two scans of one disk, place by place: where the later one is slower.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::Visit;
use sokudo_stats::{Summary, slower_stretches};

use crate::document::{ResultDocument, SampleDocument};
use crate::number::float;

/// A part of the disk at which the other is slower than the reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowerStretch {
    /// First byte of the stretch on the disk.
    pub from: u64,
    /// The byte after its last.
    pub to: u64,
    /// The other's rate there, divided by that of the reference: the median of its places.
    pub ratio: f64,
}

/// Rates over position, in order of place; each place once, at its mean.
pub(crate) struct RateCurve(Vec<SampleRate>);

struct SampleRate {
    from: u64,
    to: u64,
    /// Mean rate of the place, bytes per second.
    rate: f64,
}

impl RateCurve {
    /// The curve of a row that measured places in one go; `None` for others.
    pub(crate) fn of(result: &ResultDocument) -> Option<Self> {
        let survey = result.workload.survey()?;
        let in_order = matches!(survey.visit, Visit::Ascending | Visit::Shuffled);
        if !in_order || survey.sample_count < 2 {
            return None;
        }
        let mut samples: Vec<&SampleDocument> = result.samples.iter().collect();
        samples.sort_by_key(|sample| sample.offset);
        let of_one = |samples: &[&SampleDocument]| {
            let rates: Vec<f64> = samples.iter().filter_map(|it| it.bytes_per_s()).collect();
            Some(SampleRate {
                from: samples.first()?.offset,
                to: samples
                    .iter()
                    .map(|it| it.offset.saturating_add(it.bytes))
                    .max()?,
                rate: Summary::of(&rates)?.mean,
            })
        };
        let groups = samples.chunk_by(|one, other| one.offset == other.offset);
        Some(Self(groups.filter_map(of_one).collect()))
    }

    /// The rate at a byte, between the middles of two places as their distance says; `None`
    /// outside of them.
    fn at(&self, byte: u64) -> Option<f64> {
        let next = self.0.partition_point(|point| point.middle() < byte);
        let right = self.0.get(next);
        let left = next.checked_sub(1).and_then(|index| self.0.get(index));
        match (left, right) {
            (_, Some(right)) if right.middle() == byte => Some(right.rate),
            (Some(left), Some(right)) => {
                let length = float(right.middle() - left.middle());
                let share = float(byte - left.middle()) / length;
                Some(left.rate + share * (right.rate - left.rate))
            }
            _ => None,
        }
    }
}

impl SampleRate {
    fn middle(&self) -> u64 {
        self.from.midpoint(self.to)
    }
}

/// Where a row of another run is slower than the same row of the reference.
pub(crate) fn slower(reference: &ResultDocument, other: &ResultDocument) -> Vec<SlowerStretch> {
    let (Some(before), Some(now)) = (RateCurve::of(reference), RateCurve::of(other)) else {
        return Vec::new();
    };
    let ratio = |point: &SampleRate| Some(point.rate / before.at(point.middle())?);
    let both: Vec<(&SampleRate, f64)> = now
        .0
        .iter()
        .filter_map(|point| Some((point, ratio(point)?)))
        .collect();
    let ratios: Vec<f64> = both.iter().map(|(_, ratio)| *ratio).collect();
    let stretch = |range: std::ops::Range<usize>| {
        let (first, last) = (both.get(range.start)?, both.get(range.end - 1)?);
        Some(SlowerStretch {
            from: first.0.from,
            to: last.0.to,
            ratio: Summary::of(&ratios[range])?.median,
        })
    };
    slower_stretches(&ratios)
        .into_iter()
        .filter_map(stretch)
        .collect()
}
