//! How often each of a number of places is used.

use sokudo_model::{Distribution, Zone, ZoneLength, narrow};
use sokudo_stats::{Normal, Pareto, Permutation, Random, Zipf};

/// Parameters of distributions are in millionths.
const MILLION: f64 = 1e6;

/// A whole in millionths of a percent.
const WHOLE: u128 = 100_000_000;

/// By what fio's normal distribution is scattered: a rank times this, modulo the places.
/// Where their number is no power of two, some ranks share a place, so that fewer places
/// are used; a permutation would use more than fio does.
const FIO_SCATTER: u64 = 0x61c8_8646_80b5_83eb;

/// Draws places out of `count`.
pub(crate) struct IndexSampler {
    count: u64,
    choice: Choice,
}

enum Choice {
    Uniform,
    Ranked(Ranks, RankLayout),
    Zones(Box<[RankArea]>),
}

enum Ranks {
    Zipf(Zipf),
    Pareto(Pareto),
    Normal(Normal),
}

/// Where ranks lie: favourites are spread over all places, unless a centre is named.
enum RankLayout {
    /// Anywhere, by a permutation, moved on by `shift`.
    Scattered {
        permutation: Permutation,
        shift: u64,
    },
    /// Anywhere, as fio scatters its normal distribution.
    ScatteredAsFio,
    /// In order, moved on by `shift`.
    InOrder { shift: u64 },
}

/// Places next to one another, with the shares of all areas up to and including it.
struct RankArea {
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
    pub(crate) step_bytes: u64,
}

impl IndexSampler {
    /// `count` places of a stretch, at least 1. A zoned distribution without zones is
    /// uniform.
    pub(crate) fn new(
        distribution: Distribution,
        count: u64,
        measure: Measure<'_>,
        random: &mut Random,
    ) -> Self {
        debug_assert!(count > 0, "a stretch holds a block");
        let choice = match Ranks::new(distribution, count) {
            Some((ranks, center)) => {
                let layout = match (&ranks, center) {
                    (Ranks::Normal(_), Some(center)) => RankLayout::around(center, &ranks, count),
                    (Ranks::Normal(_), None) => RankLayout::ScatteredAsFio,
                    _ => RankLayout::scattered(count, center, random),
                };
                Choice::Ranked(ranks, layout)
            }
            None => areas(count, measure),
        };
        Self { count, choice }
    }

    /// Draws the number of a place, from 0.
    pub(crate) fn next(&self, random: &mut Random) -> u64 {
        match &self.choice {
            Choice::Uniform => random.below(self.count),
            Choice::Ranked(ranks, layout) => layout.position(ranks.next(random), self.count),
            Choice::Zones(areas) => {
                let number = random.below(areas.last().map_or(0, |area| area.sum));
                let area = &areas[areas.partition_point(|area| area.sum <= number)];
                area.first + random.below(area.count)
            }
        }
    }
}

impl Ranks {
    /// The ranks of a distribution that has any, and where the favourite is to lie.
    fn new(distribution: Distribution, count: u64) -> Option<(Self, Option<u64>)> {
        match distribution {
            Distribution::Uniform | Distribution::Zoned => None,
            Distribution::Zipf { theta, center } => {
                let zipf = Zipf::new(count, millionths(theta));
                Some((Self::Zipf(zipf), center))
            }
            Distribution::Pareto { power, center } => {
                let pareto = Pareto::new(count, millionths(power));
                Some((Self::Pareto(pareto), center))
            }
            Distribution::Normal { deviation, center } => {
                let share = millionths(deviation) / 100.0;
                Some((Self::Normal(Normal::new(count, share)), center))
            }
        }
    }

    fn next(&self, random: &mut Random) -> u64 {
        match self {
            Self::Zipf(zipf) => zipf.next(random),
            Self::Pareto(pareto) => pareto.next(random),
            Self::Normal(normal) => normal.next(random),
        }
    }

    /// The rank that is drawn most.
    fn favourite(&self, count: u64) -> u64 {
        match self {
            Self::Zipf(_) | Self::Pareto(_) => 0,
            Self::Normal(_) => count / 2,
        }
    }
}

/// Draws files: ranks are in order, so that favourites share a file.
pub(crate) struct SkewedFiles {
    ranks: Ranks,
    layout: RankLayout,
    position_count: u64,
}

/// Places per file, as in fio 3.33, where `zipf:1.2` means that one file in ten gets
/// nine tenths of the I/Os: the favourites of all these places are in one file.
const POSITIONS_PER_FILE: u64 = 1024;

impl SkewedFiles {
    /// `None` for a distribution without favourites. Without a centre it is some file,
    /// or for the normal distribution the middle one.
    pub(crate) fn new(distribution: Distribution, files: u64, random: &mut Random) -> Option<Self> {
        let position_count = files * POSITIONS_PER_FILE;
        let (ranks, center) = Ranks::new(distribution, position_count)?;
        let layout = match (&ranks, center) {
            (_, Some(center)) => RankLayout::around(center, &ranks, position_count),
            (Ranks::Normal(_), None) => RankLayout::InOrder { shift: 0 },
            (_, None) => RankLayout::InOrder {
                shift: random.below(files) * POSITIONS_PER_FILE,
            },
        };
        Some(Self {
            ranks,
            layout,
            position_count,
        })
    }

    /// Draws the index of a file, from 0.
    pub(crate) fn next(&self, random: &mut Random) -> u64 {
        let rank = self.ranks.next(random);
        self.layout.position(rank, self.position_count) / POSITIONS_PER_FILE
    }
}

impl RankLayout {
    /// The favourite lies at the centre, if there is one; all others are spread over
    /// all places, so that favourites are no neighbours. So does fio 3.33.
    fn scattered(count: u64, center: Option<u64>, random: &mut Random) -> Self {
        let permutation = Permutation::new(count, random.next_u64());
        let shift = center.map_or(0, |center| {
            (center_at(count, center) + count - permutation.at(0)) % count
        });
        Self::Scattered { permutation, shift }
    }

    /// Ranks in order, the favourite at the centre.
    fn around(center: u64, ranks: &Ranks, count: u64) -> Self {
        let shift = (center_at(count, center) + count - ranks.favourite(count)) % count;
        Self::InOrder { shift }
    }

    fn position(&self, rank: u64, count: u64) -> u64 {
        match self {
            Self::Scattered { permutation, shift } => (permutation.at(rank) + shift) % count,
            Self::ScatteredAsFio => rank.wrapping_mul(FIO_SCATTER) % count,
            Self::InOrder { shift } => (rank + shift) % count,
        }
    }
}

fn millionths(value: u64) -> f64 {
    value as f64 / MILLION
}

/// The place at a share of all, in millionths.
fn center_at(count: u64, share: u64) -> u64 {
    let position = u128::from(count) * u128::from(share) / 1_000_000;
    // A share of more than all is the last place.
    narrow(position.min(u128::from(count - 1)))
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
                // Shares of more than all end beyond the end, where they are cut off.
                narrow(end.min(count.into()))
            }
            ZoneLength::Size(size) => {
                bytes = bytes.saturating_add(size.0);
                bytes / measure.step_bytes
            }
        };
        let end = end.clamp(first, count.max(first));
        if end > first && zone.access > 0 {
            sum += zone.access;
            areas.push(RankArea {
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
