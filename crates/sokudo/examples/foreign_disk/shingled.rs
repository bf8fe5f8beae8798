//! Drive-managed shingled disks, as Skylight found them: Aghayev and Desnoyers, «Skylight: A
//! Window on Shingled Disk Operation», FAST 2015.
//!
//! Random writes go to a journal, the persistent cache, whose map has room for so many of them.
//! Cleaning takes a band of the disk, joins what the journal has of it, and writes it again.
//! Writes that go through whole bands in order skip the journal. All bands are full of data from
//! the beginning.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ops::Range;

use serde_json::{Map, Value, json};

use crate::model::{Draw, GIB, KIB, Kind, MIB, Model, Options, Outcome};
use crate::rotating::{BackEnd, DataSheet, Extents, HardDisk, Mechanics, SHINGLED, tell_mechanics};

pub(crate) const KINDS: &[Kind] = &[Kind {
    name: "smr",
    what: "a drive-managed shingled disk, one of the two of Skylight: --drive WORD, --layout \
           single|spread, --cleaning aggressive|lazy, --map WRITES, --media-cache, --cache, \
           --write-cache on|off, --flush honoured|ignored",
    source: "Aghayev and Desnoyers, Skylight, FAST 2015 and ACM TOS 11(4), 2015; mechanics as hdd",
    make: shingled,
}];

/// The persistent cache of both drives of Skylight, in one region at the outer diameter.
const CACHE_BYTES: u64 = 25 * GIB;

/// Where it is spread, so many regions; Skylight's second emulated drive has it so.
const REGIONS: u64 = 8;

/// How many writes the map holds: 182,270 were found in the ST5000AS0011, 250,000 are given for
/// the ST8000AS0002.
const MAP: (u64, u64) = (180_000, 250_001);

/// What bench/truth writes at random before it looks whether a drive has collapsed.
const WRITES_LOOKED_AT: u64 = 300_000;

/// Aggressive cleaning begins after about a second without requests.
const IDLE_S: (f64, f64) = (0.9, 1.2);

/// A write to the journal takes 25 ms at 10.2 ms a turn, however small.
const JOURNAL_TURNS: f64 = 2.5;

/// Beside the data of an entry of the journal; assumed.
const HEADER: u64 = 4 * KIB;

/// How much goes into one entry; assumed.
const ENTRY_BYTES: u64 = MIB;

/// Writes in order go past the journal when so much of a band has come from its beginning on,
/// into so many bands at a time; assumed.
const STREAM_BYTES: u64 = 256 * KIB;
const OPEN_BANDS: usize = 4;

/// Lazy cleaning begins and ends when that share of the map is used; assumed.
const LAZY: (f64, f64) = (0.95, 0.8);

/// Where a write lies in the journal.
#[derive(Clone, Copy)]
struct Kept {
    end: u64,
    at: u64,
}

/// A band that is written in order from its beginning, and until where.
struct Open {
    band: usize,
    next: u64,
}

/// What has been done of cleaning a band.
#[derive(Clone, Copy)]
enum Step {
    Join,
    Save,
    Rewrite,
}

struct Shingles {
    sheet: &'static DataSheet,
    mechanics: Mechanics,
    bytes: u64,
    cache_bytes: u64,
    regions: u64,
    /// From the beginning of a region, for each.
    written: Vec<u64>,
    /// Where bands begin.
    bands: Vec<u64>,
    map_max: usize,
    entry_writes: usize,
    idle_s: f64,
    lazy: bool,
    is_cleaning: bool,
    /// By where it belongs.
    journal: BTreeMap<u64, Kept>,
    journal_bytes: u64,
    /// Bands that have something in the journal, the oldest first.
    unclean: VecDeque<usize>,
    known: HashSet<usize>,
    step: Step,
    open: VecDeque<Open>,
    /// Where the next entry is looked for in the write cache.
    cursor: u64,
}

impl Shingles {
    fn region_bytes(&self) -> u64 {
        self.cache_bytes / self.regions
    }

    /// Which part of the disk is behind which region of the cache.
    fn region(&self, offset: u64) -> u64 {
        let part = self.bytes.div_ceil(self.regions);
        offset / part
    }

    /// Where a region of the cache begins on the platters.
    fn region_start(&self, region: u64) -> u64 {
        let part = self.bytes.div_ceil(self.regions);
        region * (part + self.region_bytes())
    }

    /// Where a band's bytes lie on the platters.
    fn home(&self, offset: u64) -> u64 {
        offset + (self.region(offset) + 1) * self.region_bytes()
    }

    fn band_of(&self, offset: u64) -> usize {
        self.bands.partition_point(|start| *start <= offset) - 1
    }

    fn band(&self, band: usize) -> Range<u64> {
        let end = self.bands.get(band + 1).copied().unwrap_or(self.bytes);
        self.bands[band]..end
    }

    /// What of a range is in the journal, and where.
    fn kept_in(&self, range: &Range<u64>) -> Vec<(Range<u64>, u64)> {
        let before = self.journal.range(..range.start).next_back();
        let within = self.journal.range(range.start..range.end);
        let all = before.into_iter().chain(within);
        all.filter(|(_, kept)| kept.end > range.start)
            .map(|(start, kept)| {
                let from = range.start.max(*start);
                let at = kept.at + (from - start);
                (from..range.end.min(kept.end), at)
            })
            .collect()
    }

    /// Where the parts of a range lie on the platters, in order: from, and how many bytes.
    fn pieces(&self, range: &Range<u64>) -> Vec<(u64, u64)> {
        let mut pieces = Vec::new();
        let mut next = range.start;
        for (kept, at) in self.kept_in(range) {
            if next < kept.start {
                pieces.push((self.home(next), kept.start - next));
            }
            pieces.push((at, kept.end - kept.start));
            next = kept.end;
        }
        if next < range.end {
            pieces.push((self.home(next), range.end - next));
        }
        pieces
    }

    /// The journal has nothing of a range any more.
    fn forget(&mut self, range: &Range<u64>) {
        for (gone, at) in self.kept_in(range) {
            let last = self.journal.range(..=gone.start).next_back();
            let (start, kept) = last
                .map(|(start, kept)| (*start, *kept))
                .expect("it is kept");
            self.journal.remove(&start);
            if start < gone.start {
                let end = gone.start;
                self.journal.insert(start, Kept { end, at: kept.at });
            }
            if gone.end < kept.end {
                let at = at + (gone.end - gone.start);
                self.journal.insert(gone.end, Kept { end: kept.end, at });
            }
            self.journal_bytes -= gone.end - gone.start;
        }
    }

    fn is_full(&self, more: usize, bytes: u64) -> bool {
        self.journal.len() + more > self.map_max || self.journal_bytes + bytes > self.cache_bytes
    }

    /// Writes an entry of the journal.
    fn keep(&mut self, at: f64, ranges: &[Range<u64>]) -> f64 {
        let bytes = ranges.iter().map(|range| range.end - range.start).sum();
        let mut at = at;
        while self.is_full(ranges.len(), bytes) && !self.unclean.is_empty() {
            at = self.clean(at);
        }
        let region = self.region(ranges[0].start);
        let written = &mut self.written[region as usize];
        if *written + bytes + HEADER > self.cache_bytes / self.regions {
            *written = 0;
        }
        let from = *written;
        *written += bytes + HEADER;
        let mut to = self.region_start(region) + from + HEADER;
        let end = self.mechanics.access(at, to - HEADER, bytes + HEADER, true);
        for range in ranges {
            self.forget(range);
            let end = range.end;
            self.journal.insert(range.start, Kept { end, at: to });
            self.journal_bytes += range.end - range.start;
            to += range.end - range.start;
            for band in self.band_of(range.start)..=self.band_of(range.end - 1) {
                self.soil(band);
            }
        }
        end.max(at + JOURNAL_TURNS * self.mechanics.turn_s)
    }

    /// A band has to be cleaned; what has been done of that has been in vain.
    fn soil(&mut self, band: usize) {
        if self.known.insert(band) {
            self.unclean.push_back(band);
        }
        if self.unclean.front() == Some(&band) {
            self.step = Step::Join;
        }
    }

    /// Cleans the oldest band to its end.
    fn clean(&mut self, at: f64) -> f64 {
        let count = self.unclean.len();
        let mut at = at;
        while self.unclean.len() == count {
            at = self.clean_on(at);
        }
        at
    }

    /// One step of cleaning the oldest band, which is not stopped: reads it with what the journal
    /// has of it, saves it where a loss of power does no harm, writes it in its place.
    fn clean_on(&mut self, at: f64) -> f64 {
        let band = *self.unclean.front().expect("there is one");
        let range = self.band(band);
        let length = range.end - range.start;
        let home = self.home(range.start);
        match self.step {
            Step::Join => {
                let mut at = at;
                let mut kept = self.kept_in(&range);
                kept.sort_by_key(|(_, from)| *from);
                for (kept, from) in kept {
                    let bytes = kept.end - kept.start;
                    at = self.mechanics.access(at, from, bytes, false);
                }
                self.step = Step::Save;
                self.mechanics.access(at, home, length, false)
            }
            Step::Save => {
                self.step = Step::Rewrite;
                let region = self.region_start(self.region(range.start));
                self.mechanics.access(at, region, length, true)
            }
            Step::Rewrite => {
                self.step = Step::Join;
                self.forget(&range);
                self.unclean.pop_front();
                self.known.remove(&band);
                self.mechanics.access(at, home, length, true)
            }
        }
    }

    /// Whether a range is next in an open band.
    fn goes_on(&self, range: &Range<u64>) -> bool {
        self.open.iter().any(|open| open.next == range.start)
    }

    /// How much of a range, which starts where a band or an open one goes on, goes past the
    /// journal: to the end of the band.
    fn streamed(&mut self, range: &Range<u64>) -> Option<u64> {
        let band = self.band_of(range.start);
        let of_band = self.band(band);
        if !self.goes_on(range) {
            let begins = of_band.start == range.start;
            if !begins || range.end.min(of_band.end) - range.start < STREAM_BYTES {
                return None;
            }
            self.open(band, range.start);
        }
        Some(range.end.min(of_band.end))
    }

    fn open(&mut self, band: usize, next: u64) {
        self.open.push_front(Open { band, next });
        if self.open.len() > OPEN_BANDS {
            let left = self.open.pop_back().expect("there are some");
            if left.next > self.band(left.band).start {
                // What follows in it has been written over: it is read and written again.
                self.soil(left.band);
            }
        }
    }

    /// Writes to an open band.
    fn stream(&mut self, at: f64, range: Range<u64>) -> f64 {
        let index = self.open.iter().position(|open| open.next == range.start);
        let mut open = self
            .open
            .remove(index.expect("it is open"))
            .expect("it is there");
        let length = range.end - range.start;
        let at = self
            .mechanics
            .access(at, self.home(range.start), length, true);
        self.forget(&range);
        open.next = range.end;
        let of_band = self.band(open.band);
        if open.next < of_band.end {
            self.open.push_front(open);
        } else {
            self.clean_by_stream(open.band);
            if open.band + 1 < self.bands.len() {
                self.open(open.band + 1, of_band.end);
            }
        }
        at
    }

    /// A band was written from end to end: nothing of it is in the journal.
    fn clean_by_stream(&mut self, band: usize) {
        if self.known.remove(&band) {
            if self.unclean.front() == Some(&band) {
                self.step = Step::Join;
            }
            self.unclean.retain(|other| *other != band);
        }
    }
}

impl BackEnd for Shingles {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn expected_s(&self, at: f64, offset: u64, write: bool) -> f64 {
        let (from, _) = self.pieces(&(offset..offset + 1))[0];
        self.mechanics.expected_s(at, from, write)
    }

    fn read(&mut self, at: f64, range: Range<u64>) -> (f64, Outcome) {
        let mut at = at;
        for (from, bytes) in self.pieces(&range) {
            at = self.mechanics.access(at, from, bytes, false);
        }
        (at, Outcome::Done)
    }

    fn write(&mut self, at: f64, range: Range<u64>) -> f64 {
        let mut at = at;
        let mut start = range.start;
        while start < range.end {
            let rest = start..range.end;
            if let Some(end) = self.streamed(&rest) {
                at = self.stream(at, start..end);
                start = end;
            } else {
                let end = range.end.min(self.band(self.band_of(start)).end);
                at = self.keep(at, std::slice::from_ref(&(start..end)));
                start = end;
            }
        }
        at
    }

    fn in_one_go(&self, range: Range<u64>) -> u64 {
        let kept = self.kept_in(&range);
        let kept = kept.first().map_or(range.end, |(kept, _)| kept.start);
        let part = self.bytes.div_ceil(self.regions);
        let border = (range.start / part + 1) * part;
        kept.min(border).min(range.end)
    }

    fn go_on(&mut self, at: f64, range: Range<u64>, until: f64) -> (u64, f64) {
        let from = self.home(range.start);
        self.mechanics
            .go_on(at, from, range.end - range.start, until)
    }

    fn destage(&mut self, at: f64, waiting: &mut Extents) -> f64 {
        let first = waiting.iter().find(|range| self.goes_on(range));
        let first = first.or_else(|| waiting.next_from(self.cursor));
        let Some(first) = first.or_else(|| waiting.next_from(0)) else {
            return at;
        };
        if let Some(end) = self.streamed(&first) {
            let range = waiting.take(first.start, (end - first.start).min(ENTRY_BYTES));
            self.cursor = range.end;
            return self.stream(at, range);
        }
        let mut entry = Vec::new();
        let mut room = ENTRY_BYTES;
        let mut next = Some(first);
        while let Some(range) = next.filter(|_| room > 0 && entry.len() < self.entry_writes) {
            let to_end = self.band(self.band_of(range.start)).end - range.start;
            let taken = waiting.take(range.start, room.min(to_end));
            room -= taken.end - taken.start;
            self.cursor = taken.end;
            entry.push(taken);
            next = waiting
                .next_from(self.cursor)
                .filter(|next| !self.goes_on(next));
        }
        self.keep(at, &entry)
    }

    fn chores(&mut self, at: f64, silent: f64, now: f64) -> f64 {
        let used = self.journal.len() as f64 / self.map_max as f64;
        if self.lazy {
            let mark = if self.is_cleaning { LAZY.1 } else { LAZY.0 };
            self.is_cleaning = used > mark;
            if !self.is_cleaning {
                return at;
            }
        }
        let mut done = at.max(silent + self.idle_s);
        if done >= now || self.unclean.is_empty() {
            return at;
        }
        while done < now && !self.unclean.is_empty() {
            done = self.clean_on(done);
        }
        done
    }

    fn park(&mut self) {
        self.mechanics.park();
    }

    fn tell(&self, truth: &mut Map<String, Value>) {
        tell_mechanics(self.sheet, &self.mechanics, truth);
        let mut say = |key: &str, value: Value| truth.insert(key.to_owned(), value);
        say("smr", json!(true));
        say("persistent_cache_bytes", json!(self.cache_bytes));
        let single = self.regions == 1;
        say("layout", json!(if single { "single" } else { "spread" }));
        say("map_writes", json!(self.map_max));
        let fills = self.map_max as u64 <= WRITES_LOOKED_AT;
        say("fills_within_300000_writes", json!(fills));
        say(
            "cleaning",
            json!(if self.lazy { "lazy" } else { "aggressive" }),
        );
        say("cleans_after_idle_s", json!(self.idle_s));
        say(
            "journal_ms",
            json!(JOURNAL_TURNS * self.mechanics.turn_s * 1e3),
        );
        say("journal_writes", json!(self.entry_writes));
        say("bands", json!(self.bands.len()));
        let first = self.band(0);
        say("band_bytes_outer", json!(first.end - first.start));
        let last = self.band(self.bands.len() - 2);
        say("band_bytes_inner", json!(last.end - last.start));
        say("full_of_data", json!(true));
    }
}

/// Bands are as many tracks each: 36 to 17 MiB in the ST5000AS0011, and 40 to 15 in the
/// ST8000AS0002, whose rates would make it 19.
fn bands(sheet: &DataSheet, mechanics: &Mechanics, bytes: u64) -> Vec<u64> {
    let outer = if sheet.gigabytes < 6000 { 36 } else { 40 } * MIB;
    let rates = mechanics.geometry.rates(mechanics.turn_s);
    let mut bands = Vec::new();
    let mut start = 0;
    while start < bytes {
        bands.push(start);
        let zone = rates.partition_point(|(from, _)| *from <= start) - 1;
        let length = outer as f64 * rates[zone].1 / rates[0].1;
        start += (length / MIB as f64).round() as u64 * MIB;
    }
    bands
}

fn shingled(draw: &mut Draw, options: &Options) -> Result<Box<dyn Model>, String> {
    let word = options.word("drive").unwrap_or("");
    let fitting: Vec<&DataSheet> = SHINGLED
        .iter()
        .filter(|sheet| sheet.name.contains(word))
        .collect();
    if fitting.is_empty() {
        let known = SHINGLED.iter().map(|sheet| sheet.name);
        let known: Vec<&str> = known.collect();
        return Err(format!(
            "there is no such drive; there are {}",
            known.join("; ")
        ));
    }
    let sheet: &&DataSheet = draw.choice(&fitting);
    let drawn = *draw.choice(&["single", "spread"]);
    let spread = options.word("layout").unwrap_or(drawn);
    let drawn = *draw.choice(&["aggressive", "lazy"]);
    let cleaning = options.word("cleaning").unwrap_or(drawn);
    let (map, idle_s) = (draw.whole(MAP.0..MAP.1), draw.uniform(IDLE_S.0, IDLE_S.1));
    let map: u64 = options.number("map")?.unwrap_or(map);
    let regions = match spread {
        "single" => 1,
        "spread" => REGIONS,
        other => return Err(format!("--layout {other}: say single or spread")),
    };
    let lazy = match cleaning {
        "aggressive" => false,
        "lazy" => true,
        other => return Err(format!("--cleaning {other}: say aggressive or lazy")),
    };
    let cache_bytes = options.bytes("media-cache")?.unwrap_or(CACHE_BYTES);
    if map < 1000 || cache_bytes < GIB {
        return Err("say 1000 at least with --map, and 1G with --media-cache".to_owned());
    }
    let bytes = sheet.bytes();
    let mechanics = Mechanics::new(sheet, bytes + cache_bytes, draw, 0.0);
    let back = Shingles {
        sheet,
        bands: bands(sheet, &mechanics, bytes),
        mechanics,
        bytes,
        cache_bytes,
        regions,
        written: vec![0; regions as usize],
        map_max: map as usize,
        entry_writes: *draw.choice(&[32, 64]),
        idle_s,
        lazy,
        is_cleaning: false,
        journal: BTreeMap::new(),
        journal_bytes: 0,
        unclean: VecDeque::new(),
        known: HashSet::new(),
        step: Step::Join,
        open: VecDeque::new(),
        cursor: 0,
    };
    let disk = HardDisk::new("smr", sheet, back, None, draw, options)?;
    Ok(Box::new(disk))
}
