//! Drive-managed shingled disks, as Skylight found them: Aghayev and Desnoyers, «Skylight: A
//! Window on Shingled Disk Operation», FAST 2015.
//!
//! Random writes go to a journal, the persistent cache, whose map has room for so many of them.
//! Cleaning takes a band of the disk, joins what the journal has of it, and writes it again.
//! Writes that go through whole bands in order skip the journal. All bands are full of data from
//! the beginning. The paper's figures are given as remembered: only its abstract could be read
//! while this was written.

use std::collections::{HashSet, VecDeque};
use std::ops::Range;

use serde_json::{Map, Value, json};

use crate::model::{Draw, GIB, KIB, Kind, MIB, Model, Options, Outcome};
use crate::rotating::{BackEnd, DataSheet, Extents, HardDisk, Mechanics, SHINGLED, tell_mechanics};

mod journal;
mod layout;

use journal::Journal;
use layout::Layout;

pub(crate) const KINDS: &[Kind] = &[Kind {
    name: "smr",
    what: "a drive-managed shingled disk, one of the two of Skylight: --drive WORD, --layout \
           single|spread, --cleaning aggressive|lazy, --map WRITES, --media-cache, --log-ms, --cache, \
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
    layout: Layout,
    journal: Journal,
    /// How far the regions of the cache are written.
    written: Vec<u64>,
    map_max: usize,
    entry_writes: usize,
    /// How long each write to the journal takes; None: as Skylight's, many in one go.
    log_s: Option<f64>,
    idle_s: f64,
    lazy: bool,
    is_cleaning: bool,
    /// Bands that have something in the journal, the oldest first.
    unclean: VecDeque<usize>,
    known: HashSet<usize>,
    step: Step,
    open: VecDeque<Open>,
    /// Where the next entry is looked for in the write cache.
    cursor: u64,
}

impl Shingles {
    /// Where the parts of a range lie on the platters, in order: from, and how many bytes.
    fn pieces(&self, range: &Range<u64>) -> Vec<(u64, u64)> {
        let mut pieces = Vec::new();
        let mut next = range.start;
        for (kept, at) in self.journal.kept_in(range) {
            if next < kept.start {
                pieces.push((self.layout.home(next), kept.start - next));
            }
            pieces.push((at, kept.end - kept.start));
            next = kept.end;
        }
        if next < range.end {
            pieces.push((self.layout.home(next), range.end - next));
        }
        pieces
    }

    fn is_full(&self, more: usize, bytes: u64) -> bool {
        self.journal.writes() + more > self.map_max
            || self.journal.bytes() + bytes > self.layout.cache_bytes
    }

    /// Writes an entry of the journal.
    fn keep(&mut self, at: f64, ranges: &[Range<u64>]) -> f64 {
        let bytes = ranges.iter().map(|range| range.end - range.start).sum();
        let mut at = at;
        while self.is_full(ranges.len(), bytes) && !self.unclean.is_empty() {
            at = self.clean(at);
        }
        let region = self.layout.region(ranges[0].start);
        let written = &mut self.written[region as usize];
        if *written + bytes + HEADER > self.layout.region_bytes() {
            *written = 0;
        }
        let from = *written;
        *written += bytes + HEADER;
        let mut to = self.layout.region_start(region) + from + HEADER;
        let end = self.mechanics.access(at, to - HEADER, bytes + HEADER, true);
        for range in ranges {
            self.journal.keep(range, to);
            to += range.end - range.start;
            for band in self.layout.band_of(range.start)..=self.layout.band_of(range.end - 1) {
                self.soil(band);
            }
        }
        match self.log_s {
            // Written where the head is when it is there, so that no turn is waited for.
            Some(log_s) => at.max(end - self.mechanics.turn_s) + log_s,
            None => end.max(at + JOURNAL_TURNS * self.mechanics.turn_s),
        }
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
        let range = self.layout.band(band);
        let length = range.end - range.start;
        let home = self.layout.home(range.start);
        match self.step {
            Step::Join => {
                let mut at = at;
                let mut kept = self.journal.kept_in(&range);
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
                let region = self.layout.region_start(self.layout.region(range.start));
                self.mechanics.access(at, region, length, true)
            }
            Step::Rewrite => {
                self.step = Step::Join;
                self.journal.forget(&range);
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

    /// Whether a range begins with what goes past the journal.
    fn streams(&self, range: &Range<u64>) -> bool {
        let of_band = self.layout.band(self.layout.band_of(range.start));
        let begins = of_band.start == range.start;
        let length = range.end.min(of_band.end) - range.start;
        self.goes_on(range) || (begins && length >= STREAM_BYTES)
    }

    /// Opens the band of such a range; until where it goes past the journal.
    fn streamed(&mut self, range: &Range<u64>) -> u64 {
        let band = self.layout.band_of(range.start);
        if !self.goes_on(range) {
            self.open(band, range.start);
        }
        range.end.min(self.layout.band(band).end)
    }

    fn open(&mut self, band: usize, next: u64) {
        self.open.push_front(Open { band, next });
        if self.open.len() > OPEN_BANDS {
            let left = self.open.pop_back().expect("there are some");
            if left.next > self.layout.band(left.band).start {
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
            .access(at, self.layout.home(range.start), length, true);
        self.journal.forget(&range);
        open.next = range.end;
        let of_band = self.layout.band(open.band);
        if open.next < of_band.end {
            self.open.push_front(open);
        } else {
            self.clean_by_stream(open.band);
            if open.band + 1 < self.layout.band_count() {
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
        self.layout.bytes
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
            if self.streams(&rest) {
                let end = self.streamed(&rest);
                at = self.stream(at, start..end);
                start = end;
            } else {
                let end = range
                    .end
                    .min(self.layout.band(self.layout.band_of(start)).end);
                at = self.keep(at, std::slice::from_ref(&(start..end)));
                start = end;
            }
        }
        at
    }

    fn in_one_go(&self, range: Range<u64>) -> u64 {
        let kept = self.journal.kept_in(&range);
        let kept = kept.first().map_or(range.end, |(kept, _)| kept.start);
        kept.min(self.layout.border(range.start)).min(range.end)
    }

    fn go_on(&mut self, at: f64, range: Range<u64>, until: f64) -> (u64, f64) {
        let from = self.layout.home(range.start);
        self.mechanics
            .go_on(at, from, range.end - range.start, until)
    }

    fn destage(&mut self, at: f64, waiting: &mut Extents) -> f64 {
        let first = waiting.iter().find(|range| self.goes_on(range));
        let first = first.or_else(|| waiting.next_from(self.cursor));
        let Some(first) = first.or_else(|| waiting.next_from(0)) else {
            return at;
        };
        if self.streams(&first) {
            let end = self.streamed(&first);
            let range = waiting.take(first.start, (end - first.start).min(ENTRY_BYTES));
            self.cursor = range.end;
            return self.stream(at, range);
        }
        // Where the map is full, no write waits for more than a band.
        let writes = self.map_max.saturating_sub(self.journal.writes());
        let writes = writes.clamp(1, self.entry_writes);
        let mut entry = Vec::new();
        let mut room = ENTRY_BYTES;
        let mut next = Some(first);
        while let Some(range) = next.filter(|_| room > 0 && entry.len() < writes) {
            let to_end = self.layout.band(self.layout.band_of(range.start)).end - range.start;
            let taken = waiting.take(range.start, room.min(to_end));
            room -= taken.end - taken.start;
            self.cursor = taken.end;
            entry.push(taken);
            next = waiting
                .next_from(self.cursor)
                .filter(|next| !self.streams(next));
        }
        self.keep(at, &entry)
    }

    fn chores(&mut self, at: f64, silent: f64, now: f64) -> f64 {
        let used = self.journal.writes() as f64 / self.map_max as f64;
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
        say("persistent_cache_bytes", json!(self.layout.cache_bytes));
        let single = self.layout.regions == 1;
        say("layout", json!(if single { "single" } else { "spread" }));
        say("map_writes", json!(self.map_max));
        let fills = self.map_max as u64 <= WRITES_LOOKED_AT;
        say("fills_within_300000_writes", json!(fills));
        say(
            "cleaning",
            json!(if self.lazy { "lazy" } else { "aggressive" }),
        );
        say("cleans_after_idle_s", json!(self.idle_s));
        let turns_s = JOURNAL_TURNS * self.mechanics.turn_s;
        say("journal_ms", json!(self.log_s.unwrap_or(turns_s) * 1e3));
        say("journal_writes", json!(self.entry_writes));
        say("bands", json!(self.layout.band_count()));
        let first = self.layout.band(0);
        say("band_bytes_outer", json!(first.end - first.start));
        let last = self.layout.band(self.layout.band_count() - 2);
        say("band_bytes_inner", json!(last.end - last.start));
        say("full_of_data", json!(true));
    }
}

/// Two words in an order that is drawn: the first is what holds where none is said.
fn either(draw: &mut Draw, one: &'static str, other: &'static str) -> [&'static str; 2] {
    if draw.chance(0.5) {
        [one, other]
    } else {
        [other, one]
    }
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
    let layout = options.one_of("layout", &either(draw, "single", "spread"))?;
    let cleaning = options.one_of("cleaning", &either(draw, "aggressive", "lazy"))?;
    let (map, idle_s) = (draw.whole(MAP.0..MAP.1), draw.uniform(IDLE_S.0, IDLE_S.1));
    let map: u64 = options.number("map")?.unwrap_or(map);
    let regions = if layout == "single" { 1 } else { REGIONS };
    let cache_bytes = options.bytes("media-cache")?.unwrap_or(CACHE_BYTES);
    if map < 1000 || cache_bytes < GIB {
        return Err("say 1000 at least with --map, and 1G with --media-cache".to_owned());
    }
    let log_ms: Option<f64> = options.number("log-ms")?;
    let mechanics = Mechanics::new(sheet, sheet.bytes() + cache_bytes, draw, 0.0);
    let entry_writes = *draw.choice(&[32, 64]);
    let back = Shingles {
        sheet,
        layout: Layout::new(sheet, &mechanics, cache_bytes, regions),
        mechanics,
        journal: Journal::default(),
        written: vec![0; regions as usize],
        map_max: map as usize,
        entry_writes: log_ms.map_or(entry_writes, |_| 1),
        log_s: log_ms.map(|ms| ms / 1e3),
        idle_s,
        lazy: cleaning == "lazy",
        is_cleaning: false,
        unclean: VecDeque::new(),
        known: HashSet::new(),
        step: Step::Join,
        open: VecDeque::new(),
        cursor: 0,
    };
    let disk = HardDisk::new("smr", sheet, back, None, draw, options)?;
    Ok(Box::new(disk))
}
