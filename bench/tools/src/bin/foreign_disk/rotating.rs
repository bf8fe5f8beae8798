//! Hard disks of real data sheets: sound ones, ones with slow or unreadable places, and ones
//! that park their heads.
//!
//! Where figures of a data sheet come from is said with each drive. Papers are cited as known.

use std::ops::Range;

use fuser::Errno;
use serde_json::{Map, Value, json};

use crate::model::{Draw, GIB, KIB, Kind, MIB, Model, Options, Outcome};

mod back;
mod drives;
mod extents;
mod front;
mod geometry;
mod mechanics;

pub(crate) use back::BackEnd;
pub(crate) use drives::{DataSheet, SHINGLED};
pub(crate) use extents::Extents;
pub(crate) use front::HardDisk;
pub(crate) use mechanics::Mechanics;

use drives::DRIVES;
use front::Parking;

const SOURCE: &str = "data sheets (see truth); seek curve and zones: Ruemmler and Wilkes, IEEE \
                      Computer 27(3), 1994; serpentine: Gim and Won, ACM TOS 6(2), 2010; uneven \
                      heads: Krevat et al., HotOS 2011; queue: Jacobson and Wilkes, HPL-CSP-91-7";

pub(crate) const KINDS: &[Kind] = &[
    Kind {
        name: "hdd",
        what: "a sound hard disk, one of eight real ones: --drive WORD, --rpm, --cache, \
               --write-cache on|off, --flush honoured|ignored, --uneven SHARE, --gigabytes",
        source: SOURCE,
        make: sound,
    },
    Kind {
        name: "hdd-slowspot",
        what: "a hard disk some of whose places are read again and again: hdd's options, --spots, \
               --factor, --spot-bytes",
        source: SOURCE,
        make: with_slow_spots,
    },
    Kind {
        name: "hdd-bad",
        what: "a hard disk with unreadable sectors: hdd's options, --spots, --retry-s",
        source: SOURCE,
        make: with_bad_sectors,
    },
    Kind {
        name: "hdd-idle",
        what: "a hard disk that parks its heads when idle: hdd's options, --park-after-s, --late-s",
        source: SOURCE,
        make: that_parks,
    },
];

/// Bytes that are written in one go before the drive looks for what is nearer.
const DESTAGED_AT_ONCE: u64 = 256 * KIB;

/// A place that is read again and again, until it reads well.
struct Slow {
    range: Range<u64>,
    /// How many times longer a transfer of it takes, at least one turn.
    factor: f64,
}

/// What is wrong with the platters.
#[derive(Default)]
struct Flaws {
    slow: Vec<Slow>,
    bad: Vec<Range<u64>>,
    /// How long the drive tries to read a bad sector.
    retry_s: f64,
}

impl Flaws {
    fn first_from(&self, range: &Range<u64>) -> Option<u64> {
        let slow = self.slow.iter().map(|slow| &slow.range);
        let hit = slow.chain(&self.bad).filter(|flaw| meets(flaw, range));
        hit.map(|flaw| flaw.start.max(range.start)).min()
    }

    /// Turns that a read takes longer.
    fn more_turns(&self, range: &Range<u64>, seconds: f64, turn_s: f64) -> f64 {
        let length = (range.end - range.start) as f64;
        let turns = self.slow.iter().filter(|slow| meets(&slow.range, range));
        turns
            .map(|slow| {
                let shared = slow.range.end.min(range.end) - slow.range.start.max(range.start);
                let share = shared as f64 / length;
                (seconds * share * (slow.factor - 1.0) / turn_s)
                    .ceil()
                    .max(1.0)
            })
            .sum()
    }

    /// What is written over is moved to spare sectors, and reads well from then on.
    fn heal(&mut self, written: &Range<u64>) {
        let bad = std::mem::take(&mut self.bad);
        self.bad = bad
            .into_iter()
            .flat_map(|bad| {
                let before = bad.start..bad.end.min(written.start);
                let behind = bad.start.max(written.end)..bad.end;
                [before, behind]
            })
            .filter(|left| left.start < left.end)
            .collect();
    }
}

fn meets(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Bytes lie on the tracks in order.
struct Plain {
    sheet: &'static DataSheet,
    mechanics: Mechanics,
    uneven: f64,
    flaws: Flaws,
}

impl Plain {
    fn new(sheet: &'static DataSheet, draw: &mut Draw, options: &Options) -> Result<Self, String> {
        let drawn = draw.uniform(0.0, UNEVEN_MAX);
        let uneven = options.number("uneven")?.unwrap_or(drawn);
        Ok(Self {
            sheet,
            mechanics: Mechanics::new(sheet, sheet.bytes(), draw, uneven),
            uneven,
            flaws: Flaws::default(),
        })
    }
}

impl BackEnd for Plain {
    fn bytes(&self) -> u64 {
        self.sheet.bytes()
    }

    fn expected_s(&self, at: f64, offset: u64, write: bool) -> f64 {
        self.mechanics.expected_s(at, offset, write)
    }

    fn read(&mut self, at: f64, range: Range<u64>) -> (f64, Outcome) {
        let length = range.end - range.start;
        if self.flaws.bad.iter().any(|bad| meets(bad, &range)) {
            let there = self.mechanics.access(at, range.start, length, false);
            return (there + self.flaws.retry_s, Outcome::Failed(Errno::EIO));
        }
        let begun = at + self.mechanics.expected_s(at, range.start, false);
        let end = self.mechanics.access(at, range.start, length, false);
        let turn = self.mechanics.turn_s;
        let turns = self.flaws.more_turns(&range, (end - begun).max(0.0), turn);
        (end + turns * turn, Outcome::Done)
    }

    fn write(&mut self, at: f64, range: Range<u64>) -> f64 {
        let length = range.end - range.start;
        self.mechanics.access(at, range.start, length, true)
    }

    fn in_one_go(&self, range: Range<u64>) -> u64 {
        self.flaws.first_from(&range).unwrap_or(range.end)
    }

    fn go_on(&mut self, at: f64, range: Range<u64>, until: f64) -> (u64, f64) {
        let length = range.end - range.start;
        self.mechanics.go_on(at, range.start, length, until)
    }

    /// What can be written soonest.
    fn destage(&mut self, at: f64, waiting: &mut Extents) -> f64 {
        let cost = |extent: &Range<u64>| self.mechanics.expected_s(at, extent.start, true);
        let nearest = waiting
            .iter()
            .map(|extent| (cost(&extent), extent.start))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, start)) = nearest else {
            return at;
        };
        let range = waiting.take(start, DESTAGED_AT_ONCE);
        self.write(at, range)
    }

    fn accepted(&mut self, range: Range<u64>) {
        self.flaws.heal(&range);
    }

    fn park(&mut self) {
        self.mechanics.park();
    }

    fn tell(&self, truth: &mut Map<String, Value>) {
        tell_mechanics(self.sheet, &self.mechanics, truth);
        let mut say = |key: &str, value: Value| truth.insert(key.to_owned(), value);
        say("smr", json!(false));
        say("uneven_heads", json!(self.uneven));
        let slow = self.flaws.slow.iter().map(|slow| {
            let bytes = slow.range.end - slow.range.start;
            json!({"offset": slow.range.start, "bytes": bytes, "factor": slow.factor})
        });
        say("slow", slow.collect());
        let bad = self.flaws.bad.iter();
        let bad = bad.map(|bad| json!({"offset": bad.start, "bytes": bad.end - bad.start}));
        say("unreadable", bad.collect());
        say("retry_s", json!(self.flaws.retry_s));
    }
}

/// What is true of arm, spindle and tracks.
pub(crate) fn tell_mechanics(
    sheet: &DataSheet,
    mechanics: &Mechanics,
    truth: &mut Map<String, Value>,
) {
    let turn = mechanics.turn_s;
    let (mean, longest) = mechanics.seeks();
    let zones = mechanics.geometry.rates(turn);
    let mb_s = |rate: f64| rate / 1e6;
    let mut say = |key: &str, value: Value| truth.insert(key.to_owned(), value);
    say("rpm", json!(60.0 / turn));
    say("turn_ms", json!(turn * 1e3));
    say("mean_seek_ms", json!(mean * 1e3));
    say("full_stroke_ms", json!(longest * 1e3));
    let access = (mean + turn / 2.0) * 1e3 + sheet.overhead;
    say("mean_access_ms", json!(access));
    say("outer_mb_s", json!(mb_s(zones[0].1)));
    say("inner_mb_s", json!(zones.last().map(|zone| mb_s(zone.1))));
    say("zone_count", json!(zones.len()));
    let zones = zones.iter();
    let zones = zones.map(|(start, rate)| json!({"offset": start, "mb_s": mb_s(*rate)}));
    say("zones", zones.collect());
    say("tracks", json!(mechanics.geometry.tracks));
}

/// Rates of the heads of a drive differ by so much at most; Krevat et al. saw more between
/// drives of one kind.
const UNEVEN_MAX: f64 = 0.06;

/// The rule of IDEMA LBA1-03 holds for 50 and more, and nearly so for less.
const GIGABYTES_MIN: u64 = 8;

/// One of those that fit the words said, drawn; with --gigabytes, one with fewer tracks of the same
/// rates, so that all of it can be written in minutes.
fn sheet(draw: &mut Draw, options: &Options) -> Result<&'static DataSheet, String> {
    let rpm: Option<f64> = options.number("rpm")?;
    let word = options.word("drive");
    let fits = |sheet: &&DataSheet| {
        rpm.is_none_or(|rpm| sheet.rpm == rpm) && word.is_none_or(|word| sheet.name.contains(word))
    };
    let fitting: Vec<&'static DataSheet> = DRIVES.iter().filter(fits).collect();
    if fitting.is_empty() {
        let known: Vec<String> = DRIVES
            .iter()
            .map(|sheet| format!("{} ({} rpm)", sheet.name, sheet.rpm))
            .collect();
        return Err(format!(
            "there is no such drive; there are {}",
            known.join("; ")
        ));
    }
    let drawn = *draw.choice(&fitting);
    let Some(gigabytes) = options.number("gigabytes")? else {
        return Ok(drawn);
    };
    if !(GIGABYTES_MIN..=drawn.gigabytes).contains(&gigabytes) {
        return Err(format!(
            "--gigabytes {gigabytes}: say {GIGABYTES_MIN} to {}",
            drawn.gigabytes
        ));
    }
    // One for as long as the program runs.
    Ok(Box::leak(Box::new(DataSheet {
        gigabytes,
        ..*drawn
    })))
}

type Made = Result<Box<dyn Model>, String>;

fn sound(draw: &mut Draw, options: &Options) -> Made {
    disk("hdd", draw, options, |_, _| ())
}

fn disk(
    name: &'static str,
    draw: &mut Draw,
    options: &Options,
    mar: impl FnOnce(&mut Draw, &mut Plain),
) -> Made {
    let sheet = sheet(draw, options)?;
    let mut back = Plain::new(sheet, draw, options)?;
    mar(draw, &mut back);
    let disk = HardDisk::new(name, sheet, back, None, draw, options)?;
    Ok(Box::new(disk))
}

/// So many places of so many bytes, none over another.
fn places(
    draw: &mut Draw,
    count: u64,
    bytes: impl Fn(&mut Draw) -> u64,
    of: u64,
) -> Vec<Range<u64>> {
    // Three quarters of the drive stay sound, so that there is room for the last one.
    let most = of / (4 * count.max(1)) / PHYSICAL_SECTOR * PHYSICAL_SECTOR;
    let mut places: Vec<Range<u64>> = Vec::new();
    while (places.len() as u64) < count {
        let length = bytes(draw).clamp(PHYSICAL_SECTOR, most);
        let start = draw.whole(0..(of - length) / PHYSICAL_SECTOR) * PHYSICAL_SECTOR;
        let place = start..start + length;
        if !places.iter().any(|other| meets(other, &place)) {
            places.push(place);
        }
    }
    places.sort_by_key(|place| place.start);
    places
}

/// Sectors of 4 KiB are read and fail as a whole.
const PHYSICAL_SECTOR: u64 = 4 * KIB;

/// How many flawed places fit: there is room for them on every drive.
const SPOTS_MAX: u64 = 1000;

fn spots(draw: &mut Draw, options: &Options, from: u64, to: u64) -> Result<u64, String> {
    let drawn = draw.whole(from..to);
    let spots = options.number("spots")?.unwrap_or(drawn);
    if spots > SPOTS_MAX {
        return Err(format!("--spots {spots}: say {SPOTS_MAX} at most"));
    }
    Ok(spots)
}

fn with_slow_spots(draw: &mut Draw, options: &Options) -> Made {
    let count = spots(draw, options, 2, 9)?;
    let factor: Option<f64> = options.number("factor")?;
    let said = options.bytes("spot-bytes")?;
    disk("hdd-slowspot", draw, options, |draw, back| {
        let bytes = |draw: &mut Draw| {
            let drawn = draw.log_uniform(64.0 * MIB as f64, 4.0 * GIB as f64);
            said.unwrap_or(drawn as u64) / PHYSICAL_SECTOR * PHYSICAL_SECTOR
        };
        let ranges = places(draw, count, bytes, back.bytes());
        let slow = ranges.into_iter().map(|range| Slow {
            range,
            factor: factor.unwrap_or(draw.log_uniform(30.0, 300.0)),
        });
        back.flaws.slow = slow.collect();
    })
}

fn with_bad_sectors(draw: &mut Draw, options: &Options) -> Made {
    let count = spots(draw, options, 1, 9)?;
    // Seconds in a real drive; shortened so that a scan ends.
    let retry_s = options.number("retry-s")?.unwrap_or(0.2);
    disk("hdd-bad", draw, options, |draw, back| {
        let bytes = |draw: &mut Draw| {
            let drawn = draw.log_uniform(PHYSICAL_SECTOR as f64, MIB as f64);
            (drawn as u64).next_multiple_of(PHYSICAL_SECTOR)
        };
        back.flaws.bad = places(draw, count, bytes, back.bytes());
        back.flaws.retry_s = retry_s;
    })
}

/// Western Digital's IntelliPark parks after 8 s; coming back takes 0.3 to 0.7 s.
fn that_parks(draw: &mut Draw, options: &Options) -> Made {
    let sheet = sheet(draw, options)?;
    let back = Plain::new(sheet, draw, options)?;
    let (after, late) = (draw.uniform(2.0, 8.0), draw.uniform(0.3, 0.7));
    let parking = Parking {
        after_s: options.number("park-after-s")?.unwrap_or(after),
        late_s: options.number("late-s")?.unwrap_or(late),
    };
    let disk = HardDisk::new("hdd-idle", sheet, back, Some(parking), draw, options)?;
    Ok(Box::new(disk))
}
