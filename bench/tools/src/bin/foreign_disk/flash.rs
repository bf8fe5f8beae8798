//! Honest flash: drives, sticks and cards that only do what such things do.
//!
//! They are controls for what is claimed of others, and what stands behind the other models. A
//! drive answers a single request in its published latency, many at its published rates, buffers
//! writes, programs them at the pace of its cells, collects garbage, and lets reads wait for a
//! die that is being programmed. Rates beyond what a file system in user space can serve are cut;
//! latencies are not. The truth has the figures that are served.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};

use crate::model::{Draw, KIB, Kind, MIB, Model, Operation, Options, Outcome, Request, seconds};

const SOURCE: &str = "data sheets and reviews (see truth); garbage collection: Desnoyers, \
                      SYSTOR 2012; sticks and cards: Bergmann, LWN 428584, 2011";

pub(crate) const KINDS: &[Kind] = &[
    Kind {
        name: "sata",
        what: "an honest SATA drive, one of three: --drive WORD, --bytes",
        source: SOURCE,
        make: |draw, options| honest(&SATA, draw, options),
    },
    Kind {
        name: "nvme",
        what: "an honest NVMe drive, one of three: --drive WORD, --bytes",
        source: SOURCE,
        make: |draw, options| honest(&NVME, draw, options),
    },
    Kind {
        name: "usb-bot",
        what: "a stick or a drive on USB that takes one request at a time: --drive WORD, --bytes",
        source: SOURCE,
        make: |draw, options| honest(&USB, draw, options),
    },
    Kind {
        name: "sd-a2",
        what: "an SD card without command queueing: --drive WORD, --bytes",
        source: SOURCE,
        make: |draw, options| honest(&SD, draw, options),
    },
    Kind {
        name: "emmc",
        what: "an eMMC 5.1: --bytes",
        source: SOURCE,
        make: |draw, options| honest(&EMMC, draw, options),
    },
];

/// A drive as it is published. Rates are of large sequential requests, IOPS of 4 KiB ones at
/// random places and full depth, times of a single 4 KiB request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub drive: &'static str,
    pub source: &'static str,
    pub bytes: u64,
    /// How many requests it works at, side by side.
    pub lanes: usize,
    /// Reads and writes share the interface.
    pub half_duplex: bool,
    pub read_us: f64,
    pub write_us: f64,
    pub read_mb_per_s: f64,
    pub write_mb_per_s: f64,
    pub read_iops: f64,
    pub write_iops: f64,
    /// Writes that are answered before they are in the cells.
    pub buffer_bytes: u64,
    /// The buffer survives a power cut, so that a flush has nothing to do.
    pub power_loss_protection: bool,
    pub flush_us: f64,
    /// A pause for garbage collection, every [`COLLECTION_BYTES`] of random writes.
    pub collection_ms: f64,
    /// A write that begins elsewhere than one of the last few has ended merges an erase block.
    pub merge: Option<Merge>,
}

/// "Linear access optimised" garbage collection, as LWN 428584 has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Merge {
    /// Erase blocks that are written to by turns without a merge: 1 to 8 as flashbench finds.
    pub open: usize,
    pub erase_bytes: u64,
    pub ms: f64,
}

/// Some erase blocks, as many as a superblock of a small drive has.
const COLLECTION_BYTES: u64 = 8 * MIB;

/// What a user-space file system on two cores serves without being late itself.
const SERVED_MB_PER_S: f64 = 400.0;
const SERVED_IOPS: f64 = 20_000.0;

/// How long a read waits at most for a die that programs: a page of TLC takes about 700 µs, and
/// controllers suspend it (Wu and He, "Reducing SSD Read Latency via NAND Flash Program and Erase
/// Suspension", FAST 2012).
const PROGRAMMING_US: f64 = 250.0;

const GB: u64 = 1_000_000_000;

const SATA: [Figures; 3] = [
    Figures {
        drive: "Samsung 870 EVO 1 TB",
        source: "data sheet, in KitGuru 2021: 560/530 MB/s, 13,000/36,000 IOPS at depth 1, \
                 98,000/88,000 at 32; flush: a 980 makes 574 durable writes a second (igene)",
        bytes: 1_000 * GB,
        lanes: 32,
        half_duplex: true,
        read_us: 77.0,
        write_us: 28.0,
        read_mb_per_s: 560.0,
        write_mb_per_s: 530.0,
        read_iops: 98_000.0,
        write_iops: 88_000.0,
        buffer_bytes: 16 * MIB,
        power_loss_protection: false,
        flush_us: 1_700.0,
        collection_ms: 3.0,
        merge: None,
    },
    Figures {
        drive: "Intel DC S4500 960 GB",
        source: "product specification 2017: 500/490 MB/s, 72,000/33,000 IOPS over the whole \
                 drive, 110/52 us, power-loss protection, 99.9 %: 300/800 us",
        bytes: 960 * GB,
        lanes: 32,
        half_duplex: true,
        read_us: 110.0,
        write_us: 52.0,
        read_mb_per_s: 500.0,
        write_mb_per_s: 490.0,
        read_iops: 72_000.0,
        write_iops: 33_000.0,
        buffer_bytes: 4 * MIB,
        power_loss_protection: true,
        flush_us: 40.0,
        collection_ms: 0.8,
        merge: None,
    },
    Figures {
        drive: "Kingston DC600M 960 GB",
        source: "data sheet 2023: 560/530 MB/s, 94,000/65,000 IOPS, power-loss protection, \
                 99 %: below 200/30 us",
        bytes: 960 * GB,
        lanes: 32,
        half_duplex: true,
        read_us: 100.0,
        write_us: 30.0,
        read_mb_per_s: 560.0,
        write_mb_per_s: 530.0,
        read_iops: 94_000.0,
        write_iops: 65_000.0,
        buffer_bytes: 8 * MIB,
        power_loss_protection: true,
        flush_us: 40.0,
        collection_ms: 0.8,
        merge: None,
    },
];

const NVME: [Figures; 3] = [
    Figures {
        drive: "Samsung 970 EVO Plus 1 TB",
        source: "data sheet 2019: 3,500/3,300 MB/s, 19,000/60,000 IOPS at depth 1, \
                 600,000/550,000 at most",
        bytes: 1_000 * GB,
        lanes: 64,
        half_duplex: false,
        read_us: 52.0,
        write_us: 17.0,
        read_mb_per_s: 3_500.0,
        write_mb_per_s: 3_300.0,
        read_iops: 600_000.0,
        write_iops: 550_000.0,
        buffer_bytes: 32 * MIB,
        power_loss_protection: false,
        flush_us: 1_700.0,
        collection_ms: 2.0,
        merge: None,
    },
    Figures {
        drive: "Intel DC P4500 1 TB",
        source: "specification, in Lenovo's product guide: 3,200/600 MB/s, 279,500/30,500 IOPS, \
                 85/20 us",
        bytes: 1_000 * GB,
        lanes: 64,
        half_duplex: false,
        read_us: 85.0,
        write_us: 20.0,
        read_mb_per_s: 3_200.0,
        write_mb_per_s: 600.0,
        read_iops: 279_500.0,
        write_iops: 30_500.0,
        buffer_bytes: 8 * MIB,
        power_loss_protection: true,
        flush_us: 20.0,
        collection_ms: 0.5,
        merge: None,
    },
    Figures {
        drive: "WD Blue SN550 1 TB",
        source: "data sheet 2019: 2,400/1,950 MB/s, 410,000/405,000 IOPS",
        bytes: 1_000 * GB,
        lanes: 64,
        half_duplex: false,
        read_us: 80.0,
        write_us: 20.0,
        read_mb_per_s: 2_400.0,
        write_mb_per_s: 1_950.0,
        read_iops: 410_000.0,
        write_iops: 405_000.0,
        buffer_bytes: 8 * MIB,
        power_loss_protection: false,
        flush_us: 1_700.0,
        collection_ms: 3.0,
        merge: None,
    },
];

const USB: [Figures; 3] = [
    Figures {
        drive: "stick on USB 2",
        source: "BOT over USB 2 gives less than 35 MB/s (linux-sunxi.org/USB/UAS); 4 MiB erase \
                 blocks, 5 open at a time, merges of hundreds of ms (LWN 428584)",
        bytes: 16 * GB,
        lanes: 1,
        half_duplex: true,
        read_us: 700.0,
        write_us: 1_200.0,
        read_mb_per_s: 33.0,
        write_mb_per_s: 12.0,
        read_iops: 1_400.0,
        write_iops: 800.0,
        buffer_bytes: 64 * KIB,
        power_loss_protection: false,
        flush_us: 1_000.0,
        collection_ms: 0.0,
        merge: Some(Merge {
            open: 5,
            erase_bytes: 4 * MIB,
            ms: 250.0,
        }),
    },
    Figures {
        drive: "stick on USB 3",
        source: "4 MiB erase blocks, merges (LWN 428584); rates as reviews of such sticks have \
                 them, 100 to 150 MB/s and 20 to 60 MB/s",
        bytes: 64 * GB,
        lanes: 1,
        half_duplex: true,
        read_us: 400.0,
        write_us: 700.0,
        read_mb_per_s: 130.0,
        write_mb_per_s: 40.0,
        read_iops: 2_500.0,
        write_iops: 1_400.0,
        buffer_bytes: 256 * KIB,
        power_loss_protection: false,
        flush_us: 1_000.0,
        collection_ms: 0.0,
        merge: Some(Merge {
            open: 8,
            erase_bytes: 4 * MIB,
            ms: 80.0,
        }),
    },
    Figures {
        drive: "SATA drive behind a BOT bridge",
        source: "an 870 EVO (data sheet) whose requests come one at a time: depth 32 is depth 1 \
                 (hardocp 2015)",
        bytes: 500 * GB,
        lanes: 1,
        half_duplex: true,
        read_us: 150.0,
        write_us: 110.0,
        read_mb_per_s: 380.0,
        write_mb_per_s: 350.0,
        read_iops: 98_000.0,
        write_iops: 88_000.0,
        buffer_bytes: 16 * MIB,
        power_loss_protection: false,
        flush_us: 1_900.0,
        collection_ms: 3.0,
        merge: None,
    },
];

const SD: [Figures; 3] = [
    card("Samsung Evo+ 32 GB", 32, 2_770.0, 990.0),
    card("SanDisk Extreme A2 64 GB", 64, 1_890.0, 945.0),
    card("SanDisk Extreme Pro A1 32 GB", 32, 2_510.0, 1_210.0),
];

/// A card in a Raspberry Pi 4, whose bus gives 45 MB/s.
const fn card(drive: &'static str, gigabytes: u64, read_iops: f64, write_iops: f64) -> Figures {
    Figures {
        drive,
        source: "Geerling 2019 on a Raspberry Pi 4 (IOPS from his price and IOPS/USD); writes \
                 pause for an erase block (LWN 428584)",
        bytes: gigabytes * GB,
        lanes: 1,
        half_duplex: true,
        read_us: 0.97e6 / read_iops,
        // A tenth of the time are pauses.
        write_us: 0.9e6 / write_iops,
        read_mb_per_s: 43.0,
        write_mb_per_s: 27.0,
        read_iops: 1.1 * read_iops,
        write_iops: 1.1 * write_iops,
        buffer_bytes: 512 * KIB,
        power_loss_protection: false,
        flush_us: 3_000.0,
        collection_ms: 150.0,
        merge: None,
    }
}

const EMMC: [Figures; 1] = [Figures {
    drive: "Samsung eMMC 5.1 64 GB",
    source: "Samsung 2015: 250/125 MB/s, 11,000/13,000 IOPS with the command queue",
    bytes: 62 * GB,
    lanes: 4,
    half_duplex: true,
    read_us: 170.0,
    write_us: 130.0,
    read_mb_per_s: 250.0,
    write_mb_per_s: 125.0,
    read_iops: 11_000.0,
    write_iops: 13_000.0,
    buffer_bytes: MIB,
    power_loss_protection: false,
    flush_us: 2_000.0,
    collection_ms: 20.0,
    merge: None,
}];

/// The one that `--drive` names a part of, or one drawn.
fn drawn<'a>(of: &'a [Figures], draw: &mut Draw, options: &Options) -> Result<&'a Figures, String> {
    let any = draw.choice(of);
    let Some(word) = options.word("drive") else {
        return Ok(any);
    };
    let named = of.iter().find(|figures| figures.drive.contains(word));
    named.ok_or_else(|| {
        let names = of.iter().map(|figures| figures.drive);
        let names = names.collect::<Vec<_>>().join(", ");
        format!("no drive of this model is called {word}; there are: {names}")
    })
}

fn honest(of: &[Figures], draw: &mut Draw, options: &Options) -> Result<Box<dyn Model>, String> {
    let mut figures = *drawn(of, draw, options)?;
    figures.bytes = options.bytes("bytes")?.unwrap_or(figures.bytes);
    Ok(Box::new(Flash::new(figures, draw)))
}

/// Something that one request uses at a time.
#[derive(Default)]
pub(crate) struct Serial {
    free: Duration,
}

impl Serial {
    /// Uses it for some seconds, from `now` on or when it is free; returns when that ends.
    pub(crate) fn take(&mut self, now: Duration, time_s: f64) -> Duration {
        self.free = self.free.max(now) + seconds(time_s);
        self.free
    }

    pub(crate) fn free(&self) -> Duration {
        self.free
    }
}

/// A drive at work.
pub(crate) struct Flash {
    pub figures: Figures,
    draw: Draw,
    /// The way in and the way out; half duplex uses the first for both.
    interface: [Serial; 2],
    /// The cells, which the buffer empties into.
    cells: Serial,
    /// Where the last writes ended.
    ends: VecDeque<u64>,
    /// Erase blocks that are open, the oldest first.
    open: VecDeque<u64>,
    random_bytes: u64,
    /// All takes so many times as long as it says; 1 as a rule.
    pub slowness: f64,
}

impl Flash {
    /// A drive like this one, a little better or worse.
    pub(crate) fn new(mut figures: Figures, draw: &mut Draw) -> Self {
        let mut vary = |figure: &mut f64, limit: f64| {
            *figure = draw.lognormal(*figure, 0.03).min(limit);
        };
        vary(&mut figures.read_us, f64::MAX);
        vary(&mut figures.write_us, f64::MAX);
        vary(&mut figures.flush_us, f64::MAX);
        vary(&mut figures.read_mb_per_s, SERVED_MB_PER_S);
        vary(&mut figures.write_mb_per_s, SERVED_MB_PER_S);
        vary(&mut figures.read_iops, SERVED_IOPS);
        vary(&mut figures.write_iops, SERVED_IOPS);
        Self {
            figures,
            draw: draw.split(),
            interface: [Serial::default(), Serial::default()],
            cells: Serial::default(),
            ends: VecDeque::new(),
            open: VecDeque::new(),
            random_bytes: 0,
            slowness: 1.0,
        }
    }

    /// When a read is through, to which `extra_us` are added before it is read.
    pub(crate) fn read(&mut self, now: Duration, length: u64, extra_us: f64) -> Duration {
        let figures = &self.figures;
        let mut access_us = self.draw.lognormal(figures.read_us, 0.08) + extra_us;
        if self.cells.free() > now {
            access_us += self.draw.uniform(0.0, PROGRAMMING_US);
        }
        let transfer_s = length as f64 / figures.read_mb_per_s * 1e-6;
        let turn_s = transfer_s.max(1.0 / figures.read_iops) * self.slowness;
        let through = self.interface[0].take(now, turn_s);
        through.max(now + seconds(access_us * self.slowness * 1e-6))
    }

    fn write(&mut self, now: Duration, offset: u64, length: u64) -> Duration {
        let figures = self.figures;
        let access_us = self.slowness * self.draw.lognormal(figures.write_us, 0.15);
        let sequential = self.is_sequential(offset, length);
        let transfer_s = length as f64 / figures.read_mb_per_s * 1e-6;
        let way = usize::from(!figures.half_duplex);
        let through = self.interface[way].take(now, transfer_s * self.slowness);
        let mut cells_s = length as f64 / figures.write_mb_per_s * 1e-6;
        if !sequential {
            let blocks = length.div_ceil(4 * KIB) as f64;
            cells_s = cells_s.max(blocks / figures.write_iops);
            cells_s += self.collection_s(length);
        }
        let cells_s = cells_s + self.merge_s(offset, length);
        let programmed = self.cells.take(now, cells_s * self.slowness);
        let buffer_s = figures.buffer_bytes as f64 / figures.write_mb_per_s * 1e-6 * self.slowness;
        let has_room = programmed.saturating_sub(seconds(buffer_s));
        through.max(now + seconds(access_us * 1e-6)).max(has_room)
    }

    /// Whether a write goes on where one of the last ended, or is as large as a stripe of pages.
    fn is_sequential(&mut self, offset: u64, length: u64) -> bool {
        /// More than requests of one stream overtake each other.
        const ENDS_MAX: usize = 64;
        let goes_on = self.ends.iter().position(|end| *end == offset);
        match goes_on {
            Some(index) => {
                self.ends.remove(index);
            }
            None if self.ends.len() == ENDS_MAX => {
                self.ends.pop_front();
            }
            None => {}
        }
        self.ends.push_back(offset + length);
        goes_on.is_some() || length >= 128 * KIB
    }

    fn collection_s(&mut self, length: u64) -> f64 {
        self.random_bytes += length;
        if self.random_bytes < COLLECTION_BYTES || self.figures.collection_ms <= 0.0 {
            return 0.0;
        }
        self.random_bytes -= COLLECTION_BYTES;
        self.draw.lognormal(self.figures.collection_ms, 0.3) * 1e-3
    }

    fn merge_s(&mut self, offset: u64, length: u64) -> f64 {
        let Some(merge) = self.figures.merge else {
            return 0.0;
        };
        let mut merges_s = 0.0;
        let blocks = offset / merge.erase_bytes..(offset + length).div_ceil(merge.erase_bytes);
        for block in blocks {
            if self.open.contains(&block) {
                continue;
            }
            self.open.push_back(block);
            // A block that is opened at its start has nothing to be merged with.
            if offset > block * merge.erase_bytes {
                merges_s += self.draw.lognormal(merge.ms, 0.25) * 1e-3;
            }
            if self.open.len() > merge.open {
                self.open.pop_front();
            }
        }
        merges_s
    }

    pub(crate) fn flush(&mut self, now: Duration) -> Duration {
        let empty = if self.figures.power_loss_protection {
            now
        } else {
            self.cells.free().max(now)
        };
        empty + seconds(self.draw.lognormal(self.figures.flush_us, 0.2) * 1e-6)
    }

    pub(crate) fn end(&mut self, now: Duration, request: &Request) -> Duration {
        match request.operation {
            Operation::Read => self.read(now, request.length, 0.0),
            Operation::Write => self.write(now, request.offset, request.length),
            Operation::Flush => self.flush(now),
        }
    }

    /// The figures that are served.
    pub(crate) fn served(&self) -> Value {
        let figures = &self.figures;
        json!({
            "drive": figures.drive,
            "drive_source": figures.source,
            "lanes": figures.lanes,
            "read_latency_us": figures.read_us,
            "write_latency_us": figures.write_us,
            "flush_us": figures.flush_us,
            "read_mb_per_s": figures.read_mb_per_s,
            "write_mb_per_s": figures.write_mb_per_s,
            "random_read_iops": figures.read_iops,
            "random_write_iops": figures.write_iops,
            "power_loss_protection": figures.power_loss_protection,
            "collection_ms": figures.collection_ms,
            "collection_every_random_bytes": COLLECTION_BYTES,
            "merge": figures.merge.map(|it| json!({
                "ms": it.ms,
                "open_erase_blocks": it.open,
                "erase_bytes": it.erase_bytes,
            })),
        })
    }
}

impl Model for Flash {
    fn bytes(&self) -> u64 {
        self.figures.bytes / (4 * KIB) * (4 * KIB)
    }

    fn lanes(&self) -> usize {
        self.figures.lanes
    }

    fn serve(&mut self, now: Duration, request: &Request) -> (Duration, Outcome) {
        (self.end(now, request) - now, Outcome::Done)
    }

    fn truth(&self) -> Value {
        json!({"honest": true, "served": self.served()})
    }
}
