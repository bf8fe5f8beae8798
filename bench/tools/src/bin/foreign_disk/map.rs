//! Drives that keep only a part of their address map in memory.
//!
//! A drive needs 4 bytes of map for each 4 KiB. Without memory of its own it caches a part of the
//! map in its controller or in the host's memory (HMB), some tens of MiB for some tens of GB. A
//! read beyond that reads the map from flash first, which at worst doubles its latency.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use serde_json::{Value, json};

use crate::flash::{Figures, Flash};
use crate::model::{Draw, KIB, Kind, MIB, Model, Operation, Options, Outcome, Request};

const SOURCE: &str = "AnandTech 12819 (Toshiba RC100, 2018): page 2; Kim and Kim, PLoS ONE 15(3), \
                      2020";

pub(crate) const KINDS: &[Kind] = &[
    Kind {
        name: "map",
        what: "a drive that caches a part of its map: --cache BYTES of map, --bytes",
        source: SOURCE,
        make: |draw, options| make(false, draw, options),
    },
    Kind {
        name: "map-none",
        what: "the same drive with all of its map in memory: --bytes",
        source: "a control",
        make: |draw, options| make(true, draw, options),
    },
];

/// What a byte of map tells the place of.
const MAPPED: u64 = 1_024;

/// The map is read in pieces, as the smallest that flash is read in.
const PIECE: u64 = 4 * KIB;

/// The drive, but for its bytes.
const DRIVE: Figures = Figures {
    drive: "like a Toshiba RC100",
    source: "data sheet 2018, 480 GB: 1,600/1,050 MB/s, 150,000/110,000 IOPS",
    bytes: 0,
    lanes: 32,
    half_duplex: false,
    read_us: 95.0,
    write_us: 25.0,
    read_mb_per_s: 1_600.0,
    write_mb_per_s: 1_050.0,
    read_iops: 150_000.0,
    write_iops: 110_000.0,
    buffer_bytes: 2 * MIB,
    power_loss_protection: false,
    flush_us: 1_700.0,
    collection_ms: 3.0,
    merge: None,
};

/// What was used last, up to a number of pieces; the oldest goes first.
pub(crate) struct Recent {
    most: usize,
    order: VecDeque<u64>,
    there: HashSet<u64>,
}

impl Recent {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            order: VecDeque::new(),
            there: HashSet::new(),
        }
    }

    /// Whether a piece is there; from now on it is.
    pub(crate) fn has(&mut self, piece: u64) -> bool {
        if self.most == 0 || !self.there.insert(piece) {
            return self.most != 0;
        }
        self.order.push_back(piece);
        if self.order.len() > self.most {
            let oldest = self.order.pop_front();
            self.there.remove(&oldest.expect("one was just put there"));
        }
        false
    }
}

struct Mapped {
    flash: Flash,
    /// None where all of the map is in memory.
    cached: Option<Recent>,
    /// What a piece that is not there costs.
    miss_us: f64,
    draw: Draw,
}

fn make(full: bool, draw: &mut Draw, options: &Options) -> Result<Box<dyn Model>, String> {
    let drawn = *draw.choice(&[120_u64, 240, 480]) * 1_000_000_000;
    let mut figures = DRIVE;
    figures.bytes = options.bytes("bytes")?.unwrap_or(drawn);
    // A controller's own memory of 1 MiB, and HMB of which the RC100's 38 MiB are one.
    let drawn = *draw.choice(&[1, 4, 10, 16, 38, 64]) * MIB;
    let cache = if full {
        None
    } else {
        Some(options.bytes("cache")?.unwrap_or(drawn))
    };
    let flash = Flash::new(figures, draw);
    Ok(Box::new(Mapped {
        cached: cache.map(|bytes| Recent::new((bytes / PIECE).max(1) as usize)),
        // "In the worst case, read latency is doubled"; a transfer less, so a little below.
        miss_us: flash.figures.read_us * draw.uniform(0.7, 0.95),
        flash,
        draw: draw.split(),
    }))
}

impl Model for Mapped {
    fn bytes(&self) -> u64 {
        self.flash.bytes()
    }

    fn lanes(&self) -> usize {
        self.flash.lanes()
    }

    fn serve(&mut self, now: Duration, request: &Request) -> (Duration, Outcome) {
        if request.operation == Operation::Flush {
            return self.flash.serve(now, request);
        }
        let span = PIECE * MAPPED;
        let end = request.offset + request.length;
        let pieces = request.offset / span..end.div_ceil(span);
        let misses = self.cached.as_mut().map_or(0, |cached| {
            pieces.filter(|piece| !cached.has(*piece)).count()
        });
        if request.operation == Operation::Write {
            // Buffered: the map follows later.
            return self.flash.serve(now, request);
        }
        let mut extra_us = 0.0;
        for _ in 0..misses {
            extra_us += self.draw.lognormal(self.miss_us, 0.08);
            // It takes a turn at the flash, too.
            self.flash.read(now, PIECE, 0.0);
        }
        let end = self.flash.read(now, request.length, extra_us);
        (end - now, Outcome::Done)
    }

    fn truth(&self) -> Value {
        let cache = self.cached.as_ref().map(|it| it.most as u64 * PIECE);
        let cached = cache.filter(|bytes| bytes * MAPPED < self.bytes());
        json!({
            "map_is_cached": cached.is_some(),
            "map_cache_bytes": cached,
            "covers_bytes": cached.map(|bytes| bytes * MAPPED),
            "piece_covers_bytes": PIECE * MAPPED,
            "hit_latency_us": self.flash.figures.read_us,
            "miss_latency_us": self.flash.figures.read_us + self.miss_us,
            "served": self.flash.served(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_of_a_span_is_found_as_the_cache_covers_of_it() {
        let mut draw = Draw::new(1);
        let mut cached = Recent::new(256);
        for span in [128, 256, 512, 2_048] {
            for _ in 0..20_000 {
                cached.has(draw.whole(0..span));
            }
            let found = (0..20_000).filter(|_| cached.has(draw.whole(0..span)));
            let share = found.count() as f64 / 20_000.0;
            let covered = (256.0 / span as f64).min(1.0);
            assert!((share - covered).abs() < 0.02, "{span}: {share}");
        }
    }
}
