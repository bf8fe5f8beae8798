//! How often each of a number of places is used.

use sokudo_model::{Distribution, Zone, ZoneLength};
use sokudo_stats::{Normal, Pareto, Permutation, Random, Zipf};

/// Parameters of distributions are in millionths.
const MILLION: f64 = 1e6;

/// A whole in millionths of a percent.
const WHOLE: u128 = 100_000_000;

/// The standard deviation of fio's normal distribution when none is given: it adds up
/// twelve uniform numbers.
const DEVIATION_OF_NONE: f64 = 1.0 / 12.0;

/// Draws places out of `count`.
pub(crate) struct Places {
    count: u64,
    choice: Choice,
}

enum Choice {
    Uniform,
    Ranked(Ranks, Layout),
    Zones(Box<[Area]>),
}

enum Ranks {
    Zipf(Zipf),
    Pareto(Pareto),
    Normal(Normal),
}

/// Where ranks lie: favourites are spread over all places, unless a centre is named.
enum Layout {
    /// Anywhere, by a permutation, moved on by `shift`.
    Scattered {
        permutation: Permutation,
        shift: u64,
    },
    /// In order, moved on by `shift`.
    InOrder { shift: u64 },
}

/// Places next to one another, with the shares of all areas up to and including it.
struct Area {
    sum: u64,
    first: u64,
    count: u64,
}

/// What zones are measured in.
#[derive(Clone, Copy)]
pub(crate) struct Measure<'a> {
    /// The zones, in their order.
    pub(crate) zones: &'a [Zone],
    /// Bytes from one place to the next.
    pub(crate) place_bytes: u64,
}

impl Places {
    /// `count` places, at least 1. A zoned distribution without zones is uniform.
    pub(crate) fn new(
        distribution: Distribution,
        count: u64,
        measure: Measure<'_>,
        random: &mut Random,
    ) -> Self {
        debug_assert!(count > 0, "a stretch holds a block");
        let choice = match distribution {
            Distribution::Uniform => Choice::Uniform,
            Distribution::Zipf { theta, center } => Choice::Ranked(
                Ranks::Zipf(Zipf::new(count, millionths(theta))),
                Layout::scattered(count, center, random),
            ),
            Distribution::Pareto { power, center } => Choice::Ranked(
                Ranks::Pareto(Pareto::new(count, millionths(power))),
                Layout::scattered(count, center, random),
            ),
            Distribution::Normal { deviation, center } => {
                let share = match deviation {
                    0 => DEVIATION_OF_NONE,
                    _ => millionths(deviation) / 100.0,
                };
                let layout = match center {
                    // The middle is the favourite, and it is moved to the centre.
                    Some(center) => Layout::InOrder {
                        shift: (place_at(count, center) + count - count / 2) % count,
                    },
                    None => Layout::scattered(count, None, random),
                };
                Choice::Ranked(Ranks::Normal(Normal::new(count, share)), layout)
            }
            Distribution::Zoned => areas(count, measure),
        };
        Self { count, choice }
    }

    /// The next place.
    pub(crate) fn next(&self, random: &mut Random) -> u64 {
        match &self.choice {
            Choice::Uniform => random.below(self.count),
            Choice::Ranked(ranks, layout) => {
                let rank = match ranks {
                    Ranks::Zipf(zipf) => zipf.next(random),
                    Ranks::Pareto(pareto) => pareto.next(random),
                    Ranks::Normal(normal) => normal.next(random),
                };
                layout.place(rank, self.count)
            }
            Choice::Zones(areas) => {
                let number = random.below(areas.last().map_or(0, |area| area.sum));
                let area = &areas[areas.partition_point(|area| area.sum <= number)];
                area.first + random.below(area.count)
            }
        }
    }
}

impl Layout {
    /// The favourite lies at the centre, if there is one; all others are spread over
    /// all places, so that favourites are no neighbours. So does fio 3.33.
    fn scattered(count: u64, center: Option<u64>, random: &mut Random) -> Self {
        let permutation = Permutation::new(count, random.next_u64());
        let shift = center.map_or(0, |center| {
            (place_at(count, center) + count - permutation.at(0)) % count
        });
        Self::Scattered { permutation, shift }
    }

    fn place(&self, rank: u64, count: u64) -> u64 {
        match self {
            Self::Scattered { permutation, shift } => (permutation.at(rank) + shift) % count,
            Self::InOrder { shift } => (rank + shift) % count,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "parameters are small")]
fn millionths(value: u64) -> f64 {
    value as f64 / MILLION
}

/// The place at a share of all, in millionths.
fn place_at(count: u64, share: u64) -> u64 {
    let place = u128::from(count) * u128::from(share) / 1_000_000;
    u64::try_from(place).unwrap_or(u64::MAX).min(count - 1)
}

/// Zones as places, each beginning where the one before ends. What lies beyond the
/// last place, and zones that are too small for one, are left out.
fn areas(count: u64, measure: Measure<'_>) -> Choice {
    let (mut sum, mut shares, mut bytes, mut first) = (0, 0u128, 0u64, 0);
    let mut areas = Vec::with_capacity(measure.zones.len());
    for zone in measure.zones {
        let end = match zone.length {
            ZoneLength::Share(share) => {
                shares += u128::from(share);
                let end = u128::from(count) * shares / WHOLE;
                u64::try_from(end).unwrap_or(u64::MAX)
            }
            ZoneLength::Size(size) => {
                bytes = bytes.saturating_add(size.0);
                bytes / measure.place_bytes
            }
        };
        let end = end.clamp(first, count.max(first));
        if end > first && zone.access > 0 {
            sum += zone.access;
            areas.push(Area {
                sum,
                first,
                count: end - first,
            });
        }
        first = end;
    }
    if areas.is_empty() {
        Choice::Uniform
    } else {
        Choice::Zones(areas.into_boxed_slice())
    }
}
