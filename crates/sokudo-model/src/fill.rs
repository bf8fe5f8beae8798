//! What a drive does while it is written from one end to the other: at which rates, up to where,
//! and what comes back after a rest.
//!
//! What rules and documents say of a fill is answered here once. It judges nothing.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;
use sokudo_stats::{Histogram, LevelRule, median, without_outliers};

use crate::plan::{Operation, Order, Sample, Visit, Workload};
use crate::run::Run;
use crate::trial::{Outcome, Row, SurveySample};
use crate::units::{Bytes, Nanos};
use crate::{BlockDevice, BlockDeviceKind};

/// Samples of a fill that levels are looked for in; of more, neighbours are taken together: the
/// search takes the square of their number.
const STRETCHES_MAX: usize = 1_024;

/// A part of a fill: what was written one after the other, and how long that took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FillStretch {
    /// Bytes written before it.
    #[serde(rename = "from_bytes")]
    pub from: Bytes,
    /// Bytes written when it ends.
    #[serde(rename = "to_bytes")]
    pub to: Bytes,
    /// How long it took.
    #[serde(rename = "elapsed_ns")]
    pub elapsed: Nanos,
    /// Mean rate of the stretch, bytes per second.
    pub bytes_per_s: f64,
}

impl FillStretch {
    fn new(from: Bytes, bytes: Bytes, elapsed: Nanos) -> Self {
        Self {
            from,
            to: Bytes(from.0 + bytes.0),
            elapsed,
            bytes_per_s: to_float(bytes) / elapsed.as_secs_f64(),
        }
    }

    /// Bytes written in the stretch.
    pub const fn bytes(&self) -> Bytes {
        Bytes(self.to.0 - self.from.0)
    }

    fn of(parts: &[Self]) -> Self {
        Self::new(
            parts.first().map_or(Bytes(0), |part| part.from),
            Bytes(parts.iter().map(|part| part.bytes().0).sum()),
            Nanos(parts.iter().map(|part| part.elapsed.0).sum()),
        )
    }
}

/// The rate of writes over what was written.
#[derive(Clone, Debug, PartialEq)]
pub struct FillCurve {
    /// In the order in which they were written, without gaps.
    pub stretches: Vec<FillStretch>,
}

impl FillCurve {
    /// Stretches that a level has at least: fewer are a pause of the drive's, not a level.
    pub const LEVEL_STRETCHES_MIN: usize = 4;

    /// Rate of a level ÷ rate of its neighbour, from which these are two. Fast cells are 1.5 to
    /// 10 times as fast as what follows them.
    pub const LEVEL_RATIO_MIN: f64 = 1.3;

    /// Drives have three levels. What has more goes up and down within one of them.
    pub const LEVELS_MAX: usize = 6;

    /// Fast writes of less than this are the drive's ordinary memory: it has about 1 GB per TB,
    /// and uses that for its map.
    pub const FAST_BYTES_MIN: Bytes = Bytes::gib(2);

    /// Of what a workload has come to; `None` where it is no fill, or nothing was written.
    pub fn of(workload: &Workload, outcome: &Outcome) -> Option<Self> {
        if !is_fill(workload) {
            return None;
        }
        let is_measured = |sample: &&SurveySample| sample.elapsed.0 > 0 && sample.bytes > Bytes(0);
        let samples = outcome.samples.iter().filter(is_measured);
        Self::new(samples.map(|sample| (sample.bytes, sample.elapsed)))
    }

    /// Of what was written one after the other, and how long each took.
    pub fn new(parts: impl IntoIterator<Item = (Bytes, Nanos)>) -> Option<Self> {
        let mut written = Bytes(0);
        let stretch = |(bytes, elapsed): (Bytes, Nanos)| {
            let from = written;
            written.0 += bytes.0;
            FillStretch::new(from, bytes, elapsed)
        };
        let stretches: Vec<FillStretch> = parts.into_iter().map(stretch).collect();
        let together = stretches.len().div_ceil(STRETCHES_MAX).max(1);
        let stretches: Vec<FillStretch> = stretches.chunks(together).map(FillStretch::of).collect();
        (!stretches.is_empty()).then_some(Self { stretches })
    }

    /// All stretches together as one.
    pub fn whole(&self) -> FillStretch {
        FillStretch::of(&self.stretches)
    }

    /// Its levels: stretches in which the rate is one, up to its fluctuation.
    pub fn levels(&self) -> Vec<FillStretch> {
        let rates = self.stretches.iter().map(|it| it.bytes_per_s);
        let rates = without_outliers(&rates.collect::<Vec<f64>>());
        let rule = LevelRule {
            shortest: Self::LEVEL_STRETCHES_MIN,
            ratio_min: Self::LEVEL_RATIO_MIN,
            levels_max: Self::LEVELS_MAX,
        };
        let level = |range: Range<usize>| FillStretch::of(&self.stretches[range]);
        rule.levels(&rates).into_iter().map(level).collect()
    }
}

/// Whether a workload writes everything from one end to the other, and nothing twice.
fn is_fill(workload: &Workload) -> bool {
    let is_whole = workload.survey().is_some_and(|survey| {
        survey.visit == Visit::Ascending && survey.sample == Sample::Whole && !survey.write_back
    });
    is_whole && workload.operations.single() == Some(Operation::Write)
}

/// How long a drive rested after it was filled, and how fast it was then.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FillRest {
    /// For so long nothing was written.
    #[serde(rename = "rest_ns")]
    pub rest: Nanos,
    /// What was written after it.
    pub bytes: Bytes,
    /// Mean rate after the rest, bytes per second.
    pub bytes_per_s: f64,
}

impl FillRest {
    /// Of a row that writes one after the other behind a rest; `None` of any other.
    pub fn of(row: &Row) -> Option<Self> {
        let workload = &row.workload;
        let is_wanted = workload.operations.single() == Some(Operation::Write)
            && workload.survey().is_none()
            && workload.timing.starts_after > Nanos(0)
            && matches!(workload.order, Order::Sequential { .. });
        let outcome = &row.trials.first().filter(|_| is_wanted)?.outcome;
        Some(Self {
            rest: workload.timing.starts_after,
            bytes: outcome.bytes_moved(),
            bytes_per_s: outcome.bytes_per_second()?,
        })
    }
}

/// Where fast writes end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FillCollapse {
    /// The place in the levels of the first that is not fast any more.
    pub level: usize,
    /// Bytes written until then.
    #[serde(rename = "at_bytes")]
    pub at: Bytes,
    /// Mean rate just before it.
    pub fast_bytes_per_s: f64,
    /// Mean rate of all that was written from there on.
    pub slow_bytes_per_s: f64,
}

/// What single reads took while a drive was written, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FillReads {
    /// How many there were.
    pub count: u64,
    /// Median latency of the reads.
    pub p50: u64,
    /// 99 of 100 took no longer.
    pub p99: u64,
    /// Longest latency of a read.
    pub max: u64,
}

impl FillReads {
    fn of(latencies: &Histogram) -> Option<Self> {
        Some(Self {
            count: latencies.count(),
            p50: latencies.quantile(0.5)?,
            p99: latencies.quantile(0.99)?,
            max: latencies.max()?,
        })
    }
}

/// A fill with all that was seen of it; its curve is in the places of its row.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Fill {
    /// The place of its row in the run, from 0.
    #[serde(rename = "result")]
    pub row: usize,
    /// The rate over what was written.
    #[serde(skip)]
    pub curve: FillCurve,
    /// All that was written.
    pub whole: FillStretch,
    /// Stretches in which the rate is one, in the order in which they were written; at least one.
    pub levels: Vec<FillStretch>,
    /// The place in the levels of the first that is of the drive's cells: before it, its ordinary
    /// memory took writes faster still.
    pub first: usize,
    /// Where fast writes end, with more written until then than the drive's ordinary memory takes,
    /// and nothing as fast after it. `null` where the rate does not fall so, and of platters.
    pub collapse: Option<FillCollapse>,
    /// What came back after rests, in the order in which they were made.
    #[serde(rename = "recovery")]
    pub rests: Vec<FillRest>,
    /// Latencies of single reads while the drive was written; `null` where there were none.
    #[serde(rename = "read_latency_ns")]
    pub reads: Option<FillReads>,
    /// What the drive wrote to its flash ÷ what it was given during the run, by its own counters;
    /// `null` where it has none, or several drives were written, each in a unit of its own.
    pub write_amplification: Option<f64>,
}

impl Fill {
    /// The longest fill of a run, by any command; `None` where there is none.
    pub fn of(run: &Run) -> Option<Self> {
        let rows = run.rows.iter().enumerate();
        let fills = rows.flat_map(|(row, it)| {
            let trials = it.trials.iter();
            trials.filter_map(move |trial| {
                let curve = FillCurve::of(&it.workload, &trial.outcome)?;
                Some((row, curve, trial.outcome.read_beside.as_ref()))
            })
        });
        let longest = fills.max_by_key(|(_, curve, _)| curve.stretches.len());
        let (row, curve, reads) = longest?;
        let turns = |leaf: &BlockDevice| {
            leaf.kind == BlockDeviceKind::Disk && leaf.rotational == Some(true)
        };
        let amplification = match &run.conditions.drives[..] {
            [drive] => drive.flash_writes.and_then(|it| it.amplification()),
            _ => None,
        };
        Some(Self {
            row,
            rests: run.rows.iter().filter_map(FillRest::of).collect(),
            reads: reads.and_then(FillReads::of),
            write_amplification: amplification,
            ..Self::new(curve, run.target.leaves().any(turns))
        })
    }

    /// Of what was written, to a disk that turns: platters have no fast cells.
    fn new(curve: FillCurve, has_platters: bool) -> Self {
        let mut fill = Self {
            row: 0,
            whole: curve.whole(),
            levels: curve.levels(),
            curve,
            first: 0,
            collapse: None,
            rests: Vec::new(),
            reads: None,
            write_amplification: None,
        };
        fill.first = fill.first_of_cells();
        fill.collapse = fill.found_collapse().filter(|_| !has_platters);
        fill
    }

    fn found_collapse(&self) -> Option<FillCollapse> {
        let mut falls = (1..self.levels.len()).filter(|at| self.ends_fast(*at));
        let level = falls.next()?;
        let fast = self.levels[level - 1];
        Some(FillCollapse {
            level,
            at: fast.to,
            fast_bytes_per_s: fast.bytes_per_s,
            slow_bytes_per_s: self.after(level).bytes_per_s,
        })
    }

    fn ratio(&self, before: usize, after: usize) -> f64 {
        self.levels[before].bytes_per_s / self.levels[after].bytes_per_s
    }

    fn ends_fast(&self, at: usize) -> bool {
        let mut later = at..self.levels.len();
        let is_all_slower =
            later.all(|after| self.ratio(at - 1, after) >= FillCurve::LEVEL_RATIO_MIN);
        // Memory that is emptied at the slow rate while it is filled at the fast one takes more
        // than it holds.
        let emptied = self.after(at).bytes_per_s / self.levels[at - 1].bytes_per_s;
        let held = self.fast_bytes(at) * (1.0 - emptied);
        is_all_slower && held >= to_float(FillCurve::FAST_BYTES_MIN)
    }

    fn first_of_cells(&self) -> usize {
        let is_memory = |at: &usize| {
            self.levels[*at].to < FillCurve::FAST_BYTES_MIN && self.ratio(*at, at + 1) > 1.0
        };
        (0..self.levels.len() - 1).take_while(is_memory).count()
    }

    /// All that was written from a level on.
    pub fn after(&self, level: usize) -> FillStretch {
        FillStretch::of(&self.levels[level..])
    }

    /// The median rate of a level.
    pub fn median_of(&self, level: usize) -> Option<f64> {
        let level = &self.levels[level];
        let within = level.from..level.to;
        let stretches = self.curve.stretches.iter();
        let own = stretches.filter(|it| within.contains(&it.from));
        median(&own.map(|it| it.bytes_per_s).collect::<Vec<f64>>())
    }

    /// Bytes written fast before a level, without those that the drive's memory took faster still.
    pub fn fast_bytes(&self, level: usize) -> f64 {
        let fast = self.levels[level - 1];
        let faster = fast.bytes_per_s * FillCurve::LEVEL_RATIO_MIN;
        let stretches = self.curve.stretches.iter();
        let burst = stretches.take_while(|it| it.bytes_per_s >= faster);
        let burst: u64 = burst.map(|it| it.bytes().0).sum();
        let burst = if burst < FillCurve::FAST_BYTES_MIN.0 {
            burst
        } else {
            0
        };
        to_float(Bytes(fast.to.0.saturating_sub(burst)))
    }
}

fn to_float(bytes: Bytes) -> f64 {
    bytes.0 as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_stats::Random;

    const GB: u64 = 1_000_000_000;

    /// A drive as reviews draw it: its capacity in GB, and rates in MB/s from where to where.
    struct PublishedDrive {
        name: &'static str,
        capacity: u64,
        /// Where a part ends, its rate at its start and at its end.
        parts: &'static [(u64, f64, f64)],
    }

    /// Whole erased drives, 1 MiB one after the other: where reviews' curves change, and how fast
    /// they are (TechPowerUp, page 6 of each). None was used to choose a threshold.
    const DRIVES: [PublishedDrive; 6] = [
        PublishedDrive {
            name: "Samsung 980 Pro 1 TB: two levels, the second rises",
            capacity: 1_000,
            parts: &[(113, 4_000.0, 4_000.0), (1_000, 1_500.0, 1_950.0)],
        },
        PublishedDrive {
            name: "HP FX700 2 TB: a small first step, then QLC",
            capacity: 2_000,
            parts: &[
                (54, 5_000.0, 5_000.0),
                (460, 3_500.0, 3_500.0),
                (2_000, 130.0, 130.0),
            ],
        },
        PublishedDrive {
            name: "Team MP44S 1 TB: QLC",
            capacity: 1_000,
            parts: &[(231, 4_000.0, 4_000.0), (1_000, 100.0, 100.0)],
        },
        PublishedDrive {
            name: "Lexar NM800 Pro 2 TB: fast cells, direct, folding",
            capacity: 2_000,
            parts: &[
                (592, 3_500.0, 3_500.0),
                (1_061, 2_200.0, 2_200.0),
                (2_000, 1_000.0, 1_000.0),
            ],
        },
        PublishedDrive {
            name: "MSI Spatium M480 Play 2 TB: the same",
            capacity: 2_000,
            parts: &[
                (200, 5_200.0, 5_200.0),
                (1_600, 3_900.0, 3_900.0),
                (2_000, 1_600.0, 1_600.0),
            ],
        },
        PublishedDrive {
            name: "ADATA XPG Atom 50 1 TB: the same",
            capacity: 1_000,
            parts: &[
                (280, 4_500.0, 4_500.0),
                (500, 2_000.0, 2_000.0),
                (1_000, 470.0, 470.0),
            ],
        },
    ];

    /// So many samples over all of a drive; rates fluctuate by up to a share.
    fn curve(drive: &PublishedDrive, samples: u64, share: f64, seed: u64) -> FillCurve {
        let mut random = Random::new(seed);
        let part = |number: u64| {
            let bytes = drive.capacity * GB / samples;
            let at = (number * bytes + bytes / 2) as f64 / GB as f64;
            let mut from = 0.0;
            let mut rate = 0.0;
            for (to, first, last) in drive.parts {
                let to = *to as f64;
                if at >= from && at < to {
                    rate = first + (last - first) * (at - from) / (to - from);
                }
                from = to;
            }
            let noise = 1.0 + share * (random.below(2_001) as f64 / 1e3 - 1.0);
            let seconds = bytes as f64 / (rate * 1e6 * noise);
            (Bytes(bytes), Nanos((seconds * 1e9) as u64))
        };
        FillCurve::new((0..samples).map(part)).unwrap()
    }

    fn is_near(value: f64, truth: f64, tolerance: f64) -> bool {
        (value / truth - 1.0).abs() <= tolerance
    }

    #[test]
    fn levels_of_published_drives_are_found_with_sizes_and_rates() {
        for drive in &DRIVES {
            for (samples, share, seed) in [(2_048, 0.02, 1), (1_024, 0.1, 2), (512, 0.1, 3)] {
                let levels = curve(drive, samples, share, seed).levels();
                let case = format!("{} {samples} {share}: {levels:?}", drive.name);
                assert_eq!(levels.len(), drive.parts.len(), "{case}");
                let mut from = 0;
                for (level, (to, first, last)) in levels.iter().zip(drive.parts) {
                    let size = ((to - from) * GB) as f64;
                    assert!(is_near(level.bytes().0 as f64, size, 0.2), "{case}");
                    let rate = f64::midpoint(*first, *last) * 1e6;
                    assert!(is_near(level.bytes_per_s, rate, 0.15), "{case}");
                    from = *to;
                }
            }
        }
    }

    #[test]
    fn noise_alone_is_one_level() {
        let drive = PublishedDrive {
            name: "",
            capacity: 500,
            parts: &[(500, 530.0, 530.0)],
        };
        for seed in 0..10 {
            for share in [0.0, 0.05, 0.5] {
                let levels = curve(&drive, 1_024, share, seed).levels();
                assert_eq!(levels.len(), 1, "{share} {seed}");
            }
        }
    }

    fn fill(drive: &PublishedDrive) -> Fill {
        Fill::new(curve(drive, 1_024, 0.05, 7), false)
    }

    #[test]
    fn the_collapse_is_where_fast_writes_end() {
        let collapse_level = |fill: &Fill| fill.collapse.map(|it| it.level);
        let three = fill(&DRIVES[3]);
        assert_eq!(collapse_level(&three), Some(1));
        assert!(is_near(three.fast_bytes(1), 592e9, 0.02));
        let slow = three.after(1);
        assert!(slow.bytes_per_s < 2_200e6 && slow.bytes_per_s > 1_000e6);
        assert!(is_near(three.median_of(1).unwrap(), 2_200e6, 0.1));
        assert_eq!(three.first, 0);
        // However steep a later fall is, the first level is the fast cells.
        let small_step = fill(&DRIVES[1]);
        assert_eq!(collapse_level(&small_step), Some(1));
        assert!(is_near(small_step.fast_bytes(1), 54e9, 0.02));
        assert_eq!(Fill::new(small_step.curve, true).collapse, None);
        // Nothing is left of it where it comes back, and memory is no fast part.
        let comes_back = PublishedDrive {
            name: "",
            capacity: 300,
            parts: &[
                (100, 500.0, 500.0),
                (200, 100.0, 100.0),
                (300, 500.0, 500.0),
            ],
        };
        assert_eq!(fill(&comes_back).collapse, None);
        let memory = PublishedDrive {
            name: "",
            capacity: 100,
            parts: &[(1, 3_000.0, 3_000.0), (100, 500.0, 500.0)],
        };
        assert_eq!(fill(&memory).collapse, None);
    }
}
