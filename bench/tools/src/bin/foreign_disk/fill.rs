//! Drives whose write rate falls in steps as they are filled: curves that reviews have published.
//!
//! A review fills an erased drive with a stream of 1 MiB writes and draws the rate over the
//! bytes. The model has these levels, of the published size and rate times a factor each, so
//! that the whole curve can be written in minutes. When writes pause, the drive empties its fast
//! cells; it regains as many of those as it has unwritten room for, as pseudo-SLC cells are made
//! from room that is free, and always a small part that is set apart.

use std::time::Duration;

use serde_json::{Value, json};

use crate::flash::{Figures, Flash, Serial};
use crate::model::{
    Draw, GIB, KIB, Kind, MIB, Model, Operation, Options, Outcome, Request, seconds,
};

const REVIEWS: &str = "techpowerup.com reviews, page 6 of each (pSLC cache)";

pub(crate) const KINDS: &[Kind] = &[
    Kind {
        name: "fill-980pro",
        what: "two levels, the second rising, fast again after a second: --bytes, --recovers-s, \
               --peak-mb-per-s",
        source: "Samsung 980 Pro 1 TB, copy of a review at ankmax.com",
        make: |draw, options| make(&[EVO_980], draw, options),
    },
    Kind {
        name: "fill-fx700",
        what: "three levels, the last a collapse of QLC: fill-980pro's options",
        source: REVIEWS,
        make: |draw, options| make(&[FX700], draw, options),
    },
    Kind {
        name: "fill-mp44s",
        what: "two levels, the last a collapse of QLC: fill-980pro's options",
        source: REVIEWS,
        make: |draw, options| make(&[MP44S], draw, options),
    },
    Kind {
        name: "fill-three",
        what: "fast cells, directly to TLC, folding; one of three drives: fill-980pro's options",
        source: REVIEWS,
        make: |draw, options| make(&[NM800, M480, ATOM], draw, options),
    },
    Kind {
        name: "fill-small",
        what: "two levels, the first small: fill-980pro's options",
        source: REVIEWS,
        make: |draw, options| make(&[XD80], draw, options),
    },
    Kind {
        name: "fill-sata",
        what: "a SATA drive of the cheap kind, in its own size: fill-980pro's options",
        source: "legitreviews.com (SP550, 2016), pcper.com 2016-12 (850 EVO)",
        make: |draw, options| make(&[SP550, EVO_850], draw, options),
    },
    Kind {
        name: "fill-middle",
        what: "fast cells, then TLC for long, folding at the end: fill-980pro's options",
        source: "made up, in the proportions of a 37 GiB drive",
        make: |draw, options| make(&[MIDDLE], draw, options),
    },
    Kind {
        name: "fill-slope",
        what: "no levels, but an even slope, steep or gentle: --drive, fill-980pro's options",
        source: "a control",
        make: |draw, options| make(&[STEEP, GENTLE], draw, options),
    },
    Kind {
        name: "fill-none",
        what: "one level with the ripple of the others: fill-980pro's options",
        source: "a control",
        make: |draw, options| make(&[LEVEL], draw, options),
    },
];

/// Up to so many GB written, from and to so many MB/s in it. What a stream is slower and faster
/// by, each half second: the standard deviation of its logarithm.
struct Level {
    ends_gb: f64,
    mb_per_s: [f64; 2],
    ripple: f64,
}

const fn level(ends_gb: f64, mb_per_s: f64, ripple: f64) -> Level {
    Level {
        ends_gb,
        mb_per_s: [mb_per_s, mb_per_s],
        ripple,
    }
}

struct Curve {
    drive: &'static str,
    gigabytes: f64,
    levels: &'static [Level],
    /// How long it takes to empty all fast cells; where it is not published, a range.
    recovers_s: [f64; 2],
    /// Served in its own size, because its first level is small.
    in_own_size: bool,
}

const EVO_980: Curve = Curve {
    drive: "Samsung 980 Pro 1 TB",
    gigabytes: 1_000.0,
    levels: &[
        level(113.0, 4_000.0, 0.03),
        // 1.9 GB/s on the whole.
        Level {
            ends_gb: 1_000.0,
            mb_per_s: [1_500.0, 2_050.0],
            ripple: 0.05,
        },
    ],
    recovers_s: [1.0, 1.0],
    in_own_size: false,
};

const FX700: Curve = Curve {
    drive: "HP FX700 2 TB",
    gigabytes: 2_000.0,
    levels: &[
        level(54.0, 5_000.0, 0.03),
        level(460.0, 3_500.0, 0.04),
        // 168 MB/s on the whole.
        level(2_000.0, 130.0, 0.12),
    ],
    recovers_s: [120.0, 400.0],
    in_own_size: false,
};

const MP44S: Curve = Curve {
    drive: "Team Group MP44S 1 TB",
    gigabytes: 1_000.0,
    levels: &[
        level(231.0, 4_000.0, 0.03),
        // 122 MB/s on the whole.
        level(1_000.0, 95.0, 0.12),
    ],
    recovers_s: [120.0, 400.0],
    in_own_size: false,
};

const NM800: Curve = Curve {
    drive: "Lexar NM800 Pro 2 TB",
    gigabytes: 2_000.0,
    levels: &[
        level(592.0, 3_500.0, 0.03),
        // "For a while": as long as it takes to be 1,514 MB/s on the whole.
        level(1_061.0, 2_200.0, 0.05),
        level(2_000.0, 1_000.0, 0.10),
    ],
    recovers_s: [5.0, 60.0],
    in_own_size: false,
};

const M480: Curve = Curve {
    drive: "MSI Spatium M480 Play 2 TB",
    gigabytes: 2_000.0,
    levels: &[
        // "Above 5", "well over 3.5", "in the 1.5 range": 3.1 GB/s on the whole.
        level(200.0, 5_200.0, 0.03),
        level(1_600.0, 3_900.0, 0.05),
        level(2_000.0, 1_600.0, 0.10),
    ],
    recovers_s: [5.0, 60.0],
    in_own_size: false,
};

const ATOM: Curve = Curve {
    drive: "ADATA XPG Atom 50 1 TB",
    gigabytes: 1_000.0,
    levels: &[
        level(280.0, 4_500.0, 0.03),
        level(500.0, 2_000.0, 0.05),
        // 800 MB/s on the whole.
        level(1_000.0, 470.0, 0.10),
    ],
    // "Within seconds".
    recovers_s: [2.0, 8.0],
    in_own_size: false,
};

const XD80: Curve = Curve {
    drive: "Silicon Power XD80 2 TB",
    gigabytes: 2_000.0,
    levels: &[
        level(47.0, 3_000.0, 0.03),
        // 1,139 MB/s on the whole.
        level(2_000.0, 1_122.0, 0.05),
    ],
    recovers_s: [2.0, 20.0],
    in_own_size: false,
};

const SP550: Curve = Curve {
    drive: "ADATA SP550 240 GB",
    gigabytes: 240.0,
    levels: &[
        // 87.84 MB/s in the first 45 s, as much as 1.5 GB of fast cells and then 60 MB/s give.
        level(1.5, 430.0, 0.03),
        level(240.0, 60.0, 0.15),
    ],
    recovers_s: [10.0, 40.0],
    in_own_size: true,
};

const EVO_850: Curve = Curve {
    drive: "Samsung 850 EVO 250 GB",
    gigabytes: 250.0,
    levels: &[level(3.0, 500.0, 0.02), level(250.0, 300.0, 0.04)],
    recovers_s: [10.0, 40.0],
    in_own_size: true,
};

const LEVEL: Curve = Curve {
    drive: "a drive without fast cells",
    gigabytes: 1_000.0,
    levels: &[level(1_000.0, 2_000.0, 0.06)],
    recovers_s: [1.0, 1.0],
    in_own_size: false,
};

/// Most of it is written at the middle rate.
const MIDDLE: Curve = Curve {
    drive: "a drive of three levels",
    gigabytes: 1_000.0,
    levels: &[
        level(100.0, 2_000.0, 0.03),
        level(800.0, 1_100.0, 0.05),
        level(1_000.0, 500.0, 0.10),
    ],
    recovers_s: [5.0, 60.0],
    in_own_size: false,
};

const STEEP: Curve = Curve {
    drive: "steep: half of the rate is left at the end",
    levels: &[Level {
        ends_gb: 1_000.0,
        mb_per_s: [2_000.0, 1_000.0],
        ripple: 0.03,
    }],
    ..LEVEL
};

const GENTLE: Curve = Curve {
    drive: "gentle: three quarters of the rate are left at the end",
    levels: &[Level {
        ends_gb: 1_000.0,
        mb_per_s: [2_000.0, 1_500.0],
        ripple: 0.03,
    }],
    ..LEVEL
};

/// Writes pause when nothing comes for so long.
const PAUSE: Duration = Duration::from_millis(500);

/// Half a second is how often the reviews measure.
const RIPPLE: Duration = Duration::from_millis(500);

/// How much of a half second's ripple the next one keeps.
const RIPPLE_MEMORY: f64 = 0.5;

/// What is told written from unwritten.
const CHUNK: u64 = MIB;

/// A level as it is served.
struct Step {
    bytes: f64,
    mb_per_s: [f64; 2],
    ripple: f64,
    /// What is left of it.
    left: f64,
}

struct Filled {
    curve: &'static Curve,
    bytes: u64,
    size_factor: f64,
    rate_factor: f64,
    steps: Vec<Step>,
    recovers_s: f64,
    /// Of the first level: always made free again.
    static_bytes: f64,
    written: Vec<bool>,
    written_chunks: u64,
    cells: Serial,
    ripple: f64,
    ripple_until: Duration,
    reads: Flash,
    draw: Draw,
}

fn make(
    curves: &'static [Curve],
    draw: &mut Draw,
    options: &Options,
) -> Result<Box<dyn Model>, String> {
    let any = draw.choice(curves);
    let word = options.word("drive").unwrap_or(any.drive);
    let named = curves.iter().find(|curve| curve.drive.contains(word));
    let curve = named.ok_or_else(|| format!("no drive of this model is called {word}"))?;
    let own = (curve.gigabytes * 1e9) as u64;
    let usual = if curve.in_own_size { own } else { 32 * GIB };
    let bytes = options.bytes("bytes")?.unwrap_or(usual) / CHUNK * CHUNK;
    let size_factor = bytes as f64 / own as f64;
    let peak = options.number("peak-mb-per-s")?.unwrap_or(400.0);
    let rate_factor = peak / curve.levels[0].mb_per_s[0];
    // Drives of one kind differ a little.
    let size = draw.lognormal(1.0, 0.02);
    let steps = steps(curve, size_factor, rate_factor, size);
    let [from, to] = curve.recovers_s;
    let recovers_s = draw.log_uniform(from, to);
    Ok(Box::new(Filled {
        curve,
        bytes,
        size_factor,
        rate_factor,
        static_bytes: steps[0].bytes * draw.uniform(0.05, 0.2),
        steps,
        recovers_s: options.number("recovers-s")?.unwrap_or(recovers_s),
        written: vec![false; (bytes / CHUNK) as usize],
        written_chunks: 0,
        cells: Serial::default(),
        ripple: 0.0,
        ripple_until: Duration::ZERO,
        reads: Flash::new(READS, draw),
        draw: draw.split(),
    }))
}

/// How it reads and flushes, about which these reviews' pages say nothing.
const READS: Figures = Figures {
    drive: "as usual for NVMe",
    source: "not published with the curves",
    bytes: 0,
    lanes: 32,
    half_duplex: false,
    read_us: 75.0,
    write_us: 25.0,
    read_mb_per_s: 400.0,
    write_mb_per_s: 400.0,
    read_iops: 20_000.0,
    write_iops: 20_000.0,
    buffer_bytes: 4 * MIB,
    power_loss_protection: false,
    flush_us: 1_500.0,
    collection_ms: 0.0,
    merge: None,
};

/// The levels of a curve in sizes and rates that are served.
fn steps(curve: &Curve, size_factor: f64, rate_factor: f64, size: f64) -> Vec<Step> {
    let mut begins = 0.0;
    let mut steps = Vec::new();
    for level in curve.levels {
        let ends = (level.ends_gb * size).min(curve.gigabytes) * 1e9 * size_factor;
        steps.push(Step {
            bytes: ends - begins,
            mb_per_s: level.mb_per_s.map(|rate| rate * rate_factor),
            ripple: level.ripple,
            left: ends - begins,
        });
        begins = ends;
    }
    // What is written when all is full goes at the last rate.
    if let Some(last) = steps.last_mut() {
        last.bytes = curve.gigabytes * 1e9 * size_factor - (begins - last.bytes);
        last.left = last.bytes;
    }
    steps
}

impl Filled {
    /// What it has emptied in a pause before `now`.
    fn recover(&mut self, now: Duration) {
        let pause = now.saturating_sub(self.cells.free());
        if pause < PAUSE {
            return;
        }
        let share = (pause - PAUSE).as_secs_f64() / self.recovers_s;
        let free = 1.0 - self.written_chunks as f64 / self.written.len() as f64;
        let static_bytes = self.static_bytes;
        let fast = self.steps.len() - 1;
        for (index, step) in self.steps[..fast].iter_mut().enumerate() {
            let apart = if index == 0 { static_bytes } else { 0.0 };
            let most = apart + (step.bytes - apart) * free;
            let regained = (step.left + step.bytes * share).min(most);
            step.left = step.left.max(regained);
        }
    }

    /// The rate that bytes are written at next, in MB/s.
    fn rate(&mut self, now: Duration) -> f64 {
        let last = self.steps.len() - 1;
        let step = self.steps.iter().position(|step| step.left > 0.0);
        let step = &self.steps[step.unwrap_or(last)];
        if now >= self.ripple_until {
            let news = (1.0 - RIPPLE_MEMORY * RIPPLE_MEMORY).sqrt() * self.draw.normal();
            self.ripple = RIPPLE_MEMORY * self.ripple + news;
            self.ripple_until = now + RIPPLE;
        }
        let done = (1.0 - step.left / step.bytes).clamp(0.0, 1.0);
        let [from, to] = step.mb_per_s;
        (from + (to - from) * done) * (step.ripple * self.ripple).exp()
    }

    fn write(&mut self, now: Duration, offset: u64, length: u64) -> Duration {
        self.recover(now);
        // Small writes come in the same cells, a page at a time.
        let length = length.next_multiple_of(4 * KIB);
        let begins = now.max(self.cells.free());
        let rate = self.rate(begins);
        let programmed = self.cells.take(now, length as f64 / rate * 1e-6);
        let mut left = length as f64;
        for step in &mut self.steps {
            let taken = left.min(step.left);
            step.left -= taken;
            left -= taken;
        }
        let end = (offset + length).min(self.bytes).div_ceil(CHUNK);
        for chunk in &mut self.written[(offset / CHUNK) as usize..end as usize] {
            self.written_chunks += u64::from(!*chunk);
            *chunk = true;
        }
        let buffer_s = READS.buffer_bytes as f64 / rate * 1e-6;
        let answered = now + seconds(self.draw.lognormal(READS.write_us, 0.15) * 1e-6);
        programmed.saturating_sub(seconds(buffer_s)).max(answered)
    }
}

impl Model for Filled {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn lanes(&self) -> usize {
        READS.lanes
    }

    fn serve(&mut self, now: Duration, request: &Request) -> (Duration, Outcome) {
        let end = match request.operation {
            Operation::Write => self.write(now, request.offset, request.length),
            Operation::Read => self.reads.read(now, request.length, 0.0),
            Operation::Flush => self.reads.flush(now.max(self.cells.free())),
        };
        (end - now, Outcome::Done)
    }

    fn truth(&self) -> Value {
        let mut ends = 0.0;
        let levels = self.steps.iter().map(|step| {
            ends += step.bytes;
            json!({"ends_at_bytes": ends as u64, "mb_per_s": step.mb_per_s})
        });
        json!({
            "drive": self.curve.drive,
            "levels": levels.collect::<Vec<_>>(),
            "size_factor": self.size_factor,
            "rate_factor": self.rate_factor,
            "recovers_s": self.recovers_s,
            "recovers_after_s": PAUSE.as_secs_f64(),
            "fast_bytes_when_full": self.static_bytes as u64,
            "served": self.reads.served(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [Curve; 9] {
        [
            EVO_980, FX700, MP44S, NM800, M480, ATOM, XD80, SP550, EVO_850,
        ]
    }

    #[test]
    fn the_levels_of_each_drive_are_all_that_it_has() {
        for curve in all() {
            for size in [0.95, 1.0, 1.05] {
                let steps = steps(&curve, 0.5, 0.1, size);
                let sum = steps.iter().map(|step| step.bytes).sum::<f64>();
                assert!((sum / (curve.gigabytes * 0.5e9) - 1.0).abs() < 1e-9);
                assert!(steps.iter().all(|step| step.bytes > 0.0));
            }
        }
    }

    #[test]
    fn the_mean_rate_of_each_drive_is_the_published_one() {
        let published = [1_900.0, 168.0, 122.0, 1_514.0, 3_100.0, 800.0, 1_139.0];
        for (curve, published) in all().iter().zip(published) {
            let steps = steps(curve, 1.0, 1.0, 1.0);
            let time_s = steps.iter().map(|step| {
                let [from, to] = step.mb_per_s;
                step.bytes * 1e-6 / f64::midpoint(from, to)
            });
            let mean = curve.gigabytes * 1e3 / time_s.sum::<f64>();
            let drive = curve.drive;
            assert!((mean / published - 1.0).abs() < 0.03, "{drive}: {mean}");
        }
    }
}
