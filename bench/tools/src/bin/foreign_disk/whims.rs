//! Drives with one whim each, of which a measurement has to tell or must not be misled by it.
//!
//! What a whim is like is drawn, or said (`--list`), as are the drive's `--bytes`; `--strength 0` takes it away and leaves the drive, as a control,
//! and strengths between and above weaken and strengthen it.

use std::ops::Range;
use std::time::Duration;

use fuser::Errno;
use serde_json::{Map, Value, json};

use crate::flash::{Figures, Flash};
use crate::map::Recent;
use crate::model::{
    Draw, GIB, KIB, Kind, MIB, Make, Model, Operation, Options, Outcome, Request, seconds,
};

pub(crate) const KINDS: &[Kind] = &[
    kind(
        "stalls",
        "it pauses as a whole every so many requests: --every, --ms",
        |draw, options| make(stalls, draw, options),
    ),
    kind(
        "throttling",
        "it slows down when it has been busy for a while: --heats-s, --cools-s, --share",
        |draw, options| make(throttling, draw, options),
    ),
    kind(
        "two-levels",
        "it changes between two speeds, slowly: --ratio",
        |draw, options| make(two_levels, draw, options),
    ),
    kind(
        "drift",
        "it becomes slower or faster all the time: --per-minute SHARE",
        |draw, options| make(drift, draw, options),
    ),
    kind(
        "cold-start",
        "it is slow at first, and again after a rest: --factor, --lasts-s, --rest-s",
        |draw, options| make(cold_start, draw, options),
    ),
    kind(
        "second-pass",
        "what was read before comes from an array's memory: --cache BYTES",
        |draw, options| make(second_pass, draw, options),
    ),
    kind(
        "noise",
        "honest: its rate wavers, and remembers a little of that: --sigma, --interval-s",
        |draw, options| make(noise, draw, options),
    ),
    kind(
        "corrupt",
        "some writes end wrong: --how flip, lost or misdirected, --share",
        |draw, options| make(corrupt, draw, options),
    ),
    kind(
        "errors",
        "some ranges fail: --of read, write or both, --ranges N",
        |draw, options| make(errors, draw, options),
    ),
    kind(
        "short",
        "some transfers are cut short: --share",
        |draw, options| make(short, draw, options),
    ),
    kind(
        "vanish",
        "after so many requests all fail: --after N",
        |draw, options| make(vanish, draw, options),
    ),
    kind(
        "fast-flush",
        "a hard disk whose flush does nothing: --cached-writes N",
        |draw, options| make(fast_flush, draw, options),
    ),
];

const fn kind(name: &'static str, what: &'static str, make: Make) -> Kind {
    Kind {
        name,
        what,
        source: "made up; a control at --strength 0",
        make,
    }
}

/// The drive under most whims.
const DRIVE: Figures = Figures {
    drive: "a plain drive",
    source: "made up",
    bytes: 64 * GIB,
    lanes: 16,
    half_duplex: true,
    read_us: 100.0,
    write_us: 60.0,
    read_mb_per_s: 300.0,
    write_mb_per_s: 300.0,
    read_iops: 15_000.0,
    write_iops: 15_000.0,
    buffer_bytes: 256 * KIB,
    power_loss_protection: true,
    flush_us: 300.0,
    collection_ms: 0.0,
    merge: None,
};

/// Hard disks behind an array's controller.
const ARRAY: Figures = Figures {
    drive: "an array of hard disks",
    lanes: 32,
    read_us: 5_000.0,
    write_us: 200.0,
    read_mb_per_s: 200.0,
    write_mb_per_s: 200.0,
    read_iops: 2_000.0,
    write_iops: 2_000.0,
    ..DRIVE
};

/// A hard disk of 7,200 turns a minute; its random writes wait for each other.
const DISK: Figures = Figures {
    drive: "a hard disk of 7,200 rpm",
    lanes: 1,
    write_us: 80.0,
    read_mb_per_s: 180.0,
    write_mb_per_s: 180.0,
    write_iops: 120.0,
    power_loss_protection: false,
    flush_us: 150.0,
    ..DRIVE
};

/// A turn of it, and a usual seek (data sheets: 8.5 to 9 ms on average).
const TURN_US: f64 = 8_333.0;
const SEEK_US: f64 = 8_000.0;

/// Requests that lie closer together than this are one load.
const REST: Duration = Duration::from_millis(50);

/// A page of an array's memory.
const PAGE: u64 = 4 * KIB;

enum Whim {
    Stalls {
        every: u64,
        ms: f64,
        until: Duration,
    },
    Throttling {
        heats_s: f64,
        cools_s: f64,
        slowness: f64,
        heat: f64,
        hot: bool,
    },
    TwoLevels {
        dwell_s: [f64; 2],
        slowness: f64,
        slow: bool,
        until: Duration,
    },
    Drift {
        log_slowness_per_minute: f64,
    },
    ColdStart {
        slowness: f64,
        lasts_s: f64,
        rest_s: f64,
        since: Duration,
    },
    SecondPass {
        bytes: u64,
        recent: Recent,
    },
    Noise {
        sigma: f64,
        interval_s: f64,
        level: f64,
        until: Duration,
    },
    Corrupt {
        how: Wrong,
        share: f64,
        /// The request that is being served ends so.
        now: Option<Wrong>,
    },
    Errors {
        ranges: Vec<Range<u64>>,
        reads: bool,
        writes: bool,
    },
    Short {
        share: f64,
    },
    Vanish {
        after: u64,
        error: Errno,
    },
    FastFlush {
        flush_ignored: bool,
        /// Random writes that its cache takes before it is as slow as the disk.
        cached_writes: f64,
        last_end: u64,
    },
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Wrong {
    Flip,
    Lost,
    /// So many bytes further on, around the end.
    Misdirected(u64),
}

/// What a whim keeps of a rate's wavering from one interval to the next.
const NOISE_MEMORY: f64 = 0.6;

struct Whimsical {
    base: Flash,
    whim: Whim,
    strength: f64,
    requests: u64,
    /// When the first request came, and the last was answered.
    first: Option<Duration>,
    last: Duration,
    draw: Draw,
}

/// Makes a whim of a strength on a drive of so many bytes.
type MakeWhim = fn(f64, u64, &mut Draw, &Options) -> Result<Whim, String>;

fn make(whim: MakeWhim, draw: &mut Draw, options: &Options) -> Result<Box<dyn Model>, String> {
    let strength: f64 = options.number("strength")?.unwrap_or(1.0);
    if !(0.0..=10.0).contains(&strength) {
        return Err(format!("--strength {strength} is not from 0 to 10"));
    }
    let said = options.bytes("bytes")?;
    let whim = whim(strength, said.unwrap_or(DRIVE.bytes), draw, options)?;
    let mut figures = match whim {
        Whim::SecondPass { .. } => ARRAY,
        Whim::FastFlush { cached_writes, .. } => Figures {
            // As much as could be streamed while these writes are made.
            buffer_bytes: (cached_writes / DISK.write_iops * DISK.write_mb_per_s * 1e6) as u64,
            ..DISK
        },
        // Contents are in memory.
        Whim::Corrupt { .. } => Figures {
            bytes: GIB,
            ..DRIVE
        },
        _ => DRIVE,
    };
    figures.bytes = said.unwrap_or(figures.bytes);
    Ok(Box::new(Whimsical {
        base: Flash::new(figures, draw),
        whim,
        strength,
        requests: 0,
        first: None,
        last: Duration::ZERO,
        draw: draw.split(),
    }))
}

/// So many times as slow, at a strength.
fn slowness(full: f64, strength: f64) -> f64 {
    full.powf(strength)
}

fn stalls(strength: f64, _: u64, draw: &mut Draw, options: &Options) -> Result<Whim, String> {
    let every = draw.log_uniform(2_000.0, 30_000.0) as u64;
    let ms = draw.log_uniform(30.0, 800.0);
    Ok(Whim::Stalls {
        every: options.number("every")?.unwrap_or(every).max(1),
        ms: options.number("ms")?.unwrap_or(ms) * strength,
        until: Duration::ZERO,
    })
}

fn throttling(strength: f64, _: u64, draw: &mut Draw, options: &Options) -> Result<Whim, String> {
    let heats_s = draw.log_uniform(8.0, 60.0);
    let cools_s = draw.log_uniform(5.0, 40.0);
    let share = draw.uniform(0.25, 0.75);
    Ok(Whim::Throttling {
        heats_s: options.number("heats-s")?.unwrap_or(heats_s),
        cools_s: options.number("cools-s")?.unwrap_or(cools_s),
        slowness: slowness(1.0 / options.number("share")?.unwrap_or(share), strength),
        heat: 0.0,
        hot: false,
    })
}

fn two_levels(strength: f64, _: u64, draw: &mut Draw, options: &Options) -> Result<Whim, String> {
    let ratio = draw.log_uniform(1.15, 2.5);
    Ok(Whim::TwoLevels {
        dwell_s: [draw.log_uniform(1.0, 15.0), draw.log_uniform(1.0, 15.0)],
        slowness: slowness(options.number("ratio")?.unwrap_or(ratio), strength),
        slow: draw.chance(0.5),
        until: Duration::ZERO,
    })
}

fn drift(strength: f64, _: u64, draw: &mut Draw, options: &Options) -> Result<Whim, String> {
    let sign = *draw.choice(&[1.0, 1.0, -1.0]);
    let per_minute = sign * draw.log_uniform(0.05, 0.5);
    let said: Option<f64> = options.number("per-minute")?;
    Ok(Whim::Drift {
        log_slowness_per_minute: said.unwrap_or(per_minute).max(-0.9).ln_1p() * strength,
    })
}

fn cold_start(strength: f64, _: u64, draw: &mut Draw, options: &Options) -> Result<Whim, String> {
    let factor = draw.log_uniform(1.5, 5.0);
    let lasts_s = draw.log_uniform(0.7, 8.0);
    let rest_s = draw.log_uniform(3.0, 30.0);
    Ok(Whim::ColdStart {
        slowness: slowness(options.number("factor")?.unwrap_or(factor), strength),
        lasts_s: options.number("lasts-s")?.unwrap_or(lasts_s),
        rest_s: options.number("rest-s")?.unwrap_or(rest_s),
        since: Duration::ZERO,
    })
}

fn second_pass(strength: f64, _: u64, draw: &mut Draw, options: &Options) -> Result<Whim, String> {
    let drawn = draw.log_uniform(128.0, 4_096.0) as u64 * MIB;
    let bytes = options.bytes("cache")?.unwrap_or(drawn);
    let bytes = (bytes as f64 * strength) as u64 / PAGE * PAGE;
    Ok(Whim::SecondPass {
        bytes,
        recent: Recent::new((bytes / PAGE) as usize),
    })
}

fn noise(strength: f64, _: u64, draw: &mut Draw, options: &Options) -> Result<Whim, String> {
    let sigma = draw.uniform(0.1, 0.2);
    let interval_s = draw.log_uniform(0.1, 1.0);
    Ok(Whim::Noise {
        sigma: options.number("sigma")?.unwrap_or(sigma) * strength,
        interval_s: options.number("interval-s")?.unwrap_or(interval_s),
        level: draw.normal(),
        until: Duration::ZERO,
    })
}

fn corrupt(strength: f64, _: u64, draw: &mut Draw, options: &Options) -> Result<Whim, String> {
    let share = draw.log_uniform(1e-4, 1e-2);
    let drawn = *draw.choice(&["flip", "lost", "misdirected"]);
    let how = match options.word("how").unwrap_or(drawn) {
        "flip" => Wrong::Flip,
        "lost" => Wrong::Lost,
        "misdirected" => Wrong::Misdirected(0),
        other => return Err(format!("--how {other}: say flip, lost or misdirected")),
    };
    Ok(Whim::Corrupt {
        how,
        share: options.number("share")?.unwrap_or(share) * strength,
        now: None,
    })
}

fn errors(strength: f64, bytes: u64, draw: &mut Draw, options: &Options) -> Result<Whim, String> {
    let drawn = *draw.choice(&["read", "write", "both"]);
    let of = options.word("of").unwrap_or(drawn).to_owned();
    if !["read", "write", "both"].contains(&of.as_str()) {
        return Err(format!("--of {of}: say read, write or both"));
    }
    let count = options.number("ranges")?.unwrap_or(draw.whole(1..7));
    let count = if strength > 0.0 { count } else { 0 };
    let ranges = (0..count).map(|_| {
        let length = draw.log_uniform(4.0, 65_536.0) * strength;
        let length = (length as u64 * KIB).clamp(PAGE, bytes / 16);
        let start = draw.whole(0..bytes - length) / PAGE * PAGE;
        start..start + length / PAGE * PAGE
    });
    Ok(Whim::Errors {
        ranges: ranges.collect(),
        reads: of != "write",
        writes: of != "read",
    })
}

fn short(strength: f64, _: u64, draw: &mut Draw, options: &Options) -> Result<Whim, String> {
    let share = draw.log_uniform(1e-3, 5e-2);
    Ok(Whim::Short {
        share: options.number("share")?.unwrap_or(share) * strength,
    })
}

fn vanish(strength: f64, _: u64, draw: &mut Draw, options: &Options) -> Result<Whim, String> {
    let after = draw.log_uniform(3_000.0, 60_000.0) as u64;
    let after = options.number("after")?.unwrap_or(after);
    Ok(Whim::Vanish {
        after: if strength > 0.0 { after } else { u64::MAX },
        error: *draw.choice(&[Errno::EIO, Errno::ENODEV]),
    })
}

fn fast_flush(strength: f64, _: u64, draw: &mut Draw, options: &Options) -> Result<Whim, String> {
    let cached_writes = draw.log_uniform(32.0, 2_000.0).round();
    Ok(Whim::FastFlush {
        flush_ignored: strength > 0.0,
        cached_writes: options.number("cached-writes")?.unwrap_or(cached_writes),
        last_end: 0,
    })
}

impl Whimsical {
    /// When the drive begins with a request that it has at `now`, and how slow it is then.
    fn mood(&mut self, now: Duration) -> (Duration, f64) {
        let since_last = now.saturating_sub(self.last);
        let since_first = now.saturating_sub(self.first.unwrap_or(now)).as_secs_f64();
        let draw = &mut self.draw;
        match &mut self.whim {
            Whim::Stalls { every, ms, until } => {
                if self.requests.is_multiple_of(*every) {
                    *until = now + seconds(draw.lognormal(*ms, 0.2) * 1e-3);
                }
                (now.max(*until), 1.0)
            }
            Whim::TwoLevels {
                dwell_s,
                slowness,
                slow,
                until,
            } => {
                while now >= *until {
                    *slow = !*slow;
                    // As long as until the next of events that come by chance.
                    let lasts_s = -dwell_s[usize::from(*slow)] * (1.0 - draw.share()).ln();
                    *until += seconds(lasts_s.max(1e-3));
                }
                (now, if *slow { *slowness } else { 1.0 })
            }
            Whim::Drift {
                log_slowness_per_minute,
            } => {
                let slowness = (*log_slowness_per_minute * since_first / 60.0).exp();
                (now, slowness.clamp(0.2, 10.0))
            }
            Whim::ColdStart {
                slowness,
                lasts_s,
                rest_s,
                since,
            } => {
                if self.first == Some(now) || since_last.as_secs_f64() > *rest_s {
                    *since = now;
                }
                let left = 1.0 - now.saturating_sub(*since).as_secs_f64() / *lasts_s;
                (now, slowness.powf(left.max(0.0)))
            }
            Whim::Noise {
                sigma,
                interval_s,
                level,
                until,
            } => {
                while now >= *until {
                    let news = (1.0 - NOISE_MEMORY * NOISE_MEMORY).sqrt() * draw.normal();
                    *level = NOISE_MEMORY * *level + news;
                    *until += seconds(*interval_s);
                }
                (now, (*sigma * *level).exp())
            }
            whim => (now, whim.heat_up(since_last)),
        }
    }

    /// How a request ends that takes its time otherwise.
    fn outcome(&mut self, request: &Request) -> Outcome {
        let end = request.offset + request.length;
        match &mut self.whim {
            Whim::Errors {
                ranges,
                reads,
                writes,
            } => {
                let asked = match request.operation {
                    Operation::Read => *reads,
                    Operation::Write => *writes,
                    Operation::Flush => false,
                };
                let touches = |bad: &Range<u64>| bad.start < end && request.offset < bad.end;
                if asked && ranges.iter().any(touches) {
                    return Outcome::Failed(Errno::EIO);
                }
            }
            Whim::Short { share } => {
                let sectors = request.length / 512;
                if sectors > 1 && self.draw.chance(*share) {
                    return Outcome::Short(self.draw.whole(1..sectors) * 512);
                }
            }
            Whim::Vanish { after, error } if self.requests > *after => {
                return Outcome::Failed(*error);
            }
            Whim::Corrupt { how, share, now } => {
                let wrong = request.operation == Operation::Write && self.draw.chance(*share);
                *now = wrong.then_some(match how {
                    Wrong::Misdirected(_) => {
                        let blocks = self.base.figures.bytes / PAGE;
                        Wrong::Misdirected(self.draw.whole(1..blocks) * PAGE)
                    }
                    how => *how,
                });
            }
            _ => {}
        }
        Outcome::Done
    }

    /// When a request is through that begins at `begins`.
    fn end(&mut self, begins: Duration, request: &Request) -> Duration {
        match &mut self.whim {
            Whim::SecondPass { recent, .. } if request.operation != Operation::Flush => {
                let end = request.offset + request.length;
                let pages = request.offset / PAGE..end.div_ceil(PAGE);
                let missing = pages.filter(|page| !recent.has(*page)).count();
                if request.operation == Operation::Read && missing == 0 {
                    let transfer_us = request.length as f64 / 400.0;
                    return begins
                        + seconds((self.draw.lognormal(150.0, 0.2) + transfer_us) * 1e-6);
                }
            }
            Whim::FastFlush {
                flush_ignored,
                last_end,
                ..
            } => match request.operation {
                Operation::Flush if *flush_ignored => {
                    return begins + seconds(self.draw.lognormal(60.0, 0.2) * 1e-6);
                }
                Operation::Read => {
                    let goes_on = *last_end == request.offset;
                    *last_end = request.offset + request.length;
                    let turns_us = self.draw.uniform(0.0, TURN_US);
                    let moves_us = turns_us + self.draw.lognormal(SEEK_US, 0.35);
                    let moves_us = if goes_on { 0.0 } else { moves_us };
                    return self.base.read(begins, request.length, moves_us);
                }
                _ => {}
            },
            _ => {}
        }
        self.base.end(begins, request)
    }
}

impl Whim {
    /// How slow the drive is after so long without a request before this one; it becomes warmer
    /// by what was done, and colder by rest. What is no [`Whim::Throttling`] stays as it is.
    fn heat_up(&mut self, since_last: Duration) -> f64 {
        let Self::Throttling {
            heats_s,
            cools_s,
            slowness,
            heat,
            hot,
        } = self
        else {
            return 1.0;
        };
        let time_s = since_last.as_secs_f64();
        *heat += match (*hot, since_last < REST) {
            // It comes back when it has lost half of its heat, slowed down as it is.
            (true, _) => -0.5 * time_s / *cools_s,
            (false, true) => time_s / *heats_s,
            (false, false) => -time_s / *cools_s,
        };
        *heat = heat.max(0.0);
        *hot = if *hot { *heat > 0.5 } else { *heat >= 1.0 };
        if *hot { *slowness } else { 1.0 }
    }

    fn truth(&self) -> Value {
        match self {
            Self::Stalls { every, ms, .. } => json!({"every_requests": every, "pause_ms": ms}),
            Self::Throttling {
                heats_s,
                cools_s,
                slowness,
                ..
            } => json!({
                "full_speed_s": heats_s,
                "slow_s": cools_s,
                "full_speed_again_s": heats_s / 2.0,
                "slow_share": 1.0 / slowness,
            }),
            Self::TwoLevels {
                dwell_s, slowness, ..
            } => json!({"fast_s": dwell_s[0], "slow_s": dwell_s[1], "slow_share": 1.0 / slowness}),
            Self::Drift {
                log_slowness_per_minute,
            } => json!({"time_factor_per_minute": log_slowness_per_minute.exp()}),
            Self::ColdStart {
                slowness,
                lasts_s,
                rest_s,
                ..
            } => json!({
                "first_time_factor": slowness,
                "lasts_s": lasts_s,
                "cold_again_after_rest_s": rest_s,
            }),
            Self::SecondPass { bytes, .. } => json!({"cache_bytes": bytes, "hit_latency_us": 150}),
            Self::Noise {
                sigma, interval_s, ..
            } => json!({"sigma": sigma, "interval_s": interval_s, "memory": NOISE_MEMORY}),
            Self::Corrupt { how, share, .. } => json!({
                "how": match how {
                    Wrong::Flip => "flip",
                    Wrong::Lost => "lost",
                    Wrong::Misdirected(_) => "misdirected",
                },
                "share_of_writes": share,
            }),
            Self::Errors {
                ranges,
                reads,
                writes,
            } => {
                let ranges = ranges.iter();
                let ranges =
                    ranges.map(|it| json!({"offset": it.start, "bytes": it.end - it.start}));
                let ranges = ranges.collect::<Vec<_>>();
                json!({"ranges": ranges, "reads": reads, "writes": writes})
            }
            Self::Short { share } => json!({"share_of_transfers": share}),
            Self::Vanish { after, error } => {
                let after = (*after < u64::MAX).then_some(*after);
                json!({"after_requests": after, "error": error.code()})
            }
            Self::FastFlush {
                flush_ignored,
                cached_writes,
                ..
            } => json!({
                "cached_writes": cached_writes,
                "flush": if *flush_ignored { "ignored" } else { "honoured" },
                "turn_ms": TURN_US * 1e-3,
            }),
        }
    }
}

impl Model for Whimsical {
    fn bytes(&self) -> u64 {
        self.base.bytes()
    }

    fn lanes(&self) -> usize {
        self.base.lanes()
    }

    fn serve(&mut self, now: Duration, request: &Request) -> (Duration, Outcome) {
        self.requests += 1;
        self.first.get_or_insert(now);
        let (begins, slowness) = self.mood(now);
        self.base.slowness = slowness;
        let outcome = self.outcome(request);
        let end = self.end(begins, request);
        self.last = self.last.max(now);
        (end - now, outcome)
    }

    fn place(&self, offset: u64, length: u64) -> (Option<u64>, u64) {
        match self.whim {
            Whim::Corrupt {
                now: Some(Wrong::Lost),
                ..
            } => (None, length),
            Whim::Corrupt {
                now: Some(Wrong::Misdirected(by)),
                ..
            } => {
                let place = (offset + by) % self.bytes();
                (Some(place), length.min(self.bytes() - place))
            }
            _ => (Some(offset), length),
        }
    }

    fn spoil(&mut self, _offset: u64, data: &mut [u8]) {
        if let Whim::Corrupt {
            now: Some(Wrong::Flip),
            ..
        } = self.whim
        {
            let bit = self.draw.whole(0..data.len() as u64 * 8);
            data[(bit / 8) as usize] ^= 1 << (bit % 8);
        }
    }

    fn keeps_contents(&self) -> bool {
        matches!(self.whim, Whim::Corrupt { .. })
    }

    fn rotational(&self) -> bool {
        matches!(self.whim, Whim::FastFlush { .. })
    }

    fn truth(&self) -> Value {
        let mut truth = Map::new();
        truth.insert("strength".to_owned(), json!(self.strength));
        if let Value::Object(whim) = self.whim.truth() {
            truth.extend(whim);
        }
        truth.insert("served".to_owned(), self.base.served());
        Value::Object(truth)
    }
}
