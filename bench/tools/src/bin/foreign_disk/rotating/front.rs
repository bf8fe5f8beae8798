//! What a hard disk is in front of its platters: queue, read-ahead, write cache, heads that are
//! parked.
//!
//! What is behind it (plain tracks, or shingles with a translation layer) is a `BackEnd`. All
//! times are seconds since the drive began.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::model::{Draw, KIB, MIB, Model, Operation, Options, Outcome, Request, seconds};

use super::back::BackEnd;
use super::drives::DataSheet;
use super::extents::Extents;

/// Serial ATA has 32 tags (NCQ).
const TAGS: usize = 32;

/// A request that waits is preferred by this part of its wait: ASATF of Jacobson and Wilkes,
/// «Disk Scheduling Algorithms Based on Rotational Position», HPL-CSP-91-7, 1991, whose weight
/// is so that none starves.
const AGE_WEIGHT: f64 = 0.03;

/// Heads that leave the platters, and how much later the next access is then.
#[derive(Clone, Copy)]
pub(crate) struct Parking {
    pub after_s: f64,
    pub late_s: f64,
}

/// What the drive's memory is used for.
struct Memory {
    bytes: u64,
    segment_bytes: u64,
    segments: usize,
    /// Of a segment that is read in order: «adaptive segmentation» in data sheets since the 1990s.
    stream_bytes: u64,
    /// None: the write cache is off.
    dirty_bytes: Option<u64>,
    dirty_count: usize,
    flush_ignored: bool,
    /// Reads are left alone for so long before what waits is written.
    patience_s: f64,
}

impl Memory {
    /// Sizes of segments and how many writes can wait are nobody's data sheet: assumed.
    fn new(sheet: &DataSheet, draw: &mut Draw, options: &Options) -> Result<Self, String> {
        let bytes = options.bytes("cache")?.unwrap_or(sheet.cache_mib * MIB);
        let segments = *draw.choice(&[8, 16, 32]);
        let dirty_count = *draw.choice(&[64, 96, 128, 192]);
        let patience_s = draw.uniform(0.01, 0.05);
        let on = options.one_of("write-cache", &["on", "off"])? == "on";
        let ignored = options.one_of("flush", &["honoured", "ignored"])? == "ignored";
        let segment_bytes = (bytes / 2 / segments).clamp(128 * KIB, 4 * MIB);
        Ok(Self {
            bytes,
            segment_bytes,
            segments: segments as usize,
            stream_bytes: (bytes / 4).max(segment_bytes),
            dirty_bytes: on.then_some((bytes / 2).max(128 * KIB)),
            dirty_count,
            flush_ignored: ignored,
            patience_s,
        })
    }
}

pub(crate) struct HardDisk<B> {
    model: &'static str,
    sheet: &'static DataSheet,
    back: B,
    memory: Memory,
    parking: Option<Parking>,
    asleep: bool,
    /// What was read and read ahead, the latest first.
    segments: VecDeque<Range<u64>>,
    /// The arm is at the end of the first segment and reads on until there.
    reading: Option<u64>,
    /// What was read ahead in the first segment has been asked for.
    streams: bool,
    dirty: Extents,
    /// When arm and head are done with what they have been told.
    free: f64,
    last_read: f64,
    last_end: f64,
}

impl<B: BackEnd> HardDisk<B> {
    pub(crate) fn new(
        model: &'static str,
        sheet: &'static DataSheet,
        back: B,
        parking: Option<Parking>,
        draw: &mut Draw,
        options: &Options,
    ) -> Result<Self, String> {
        Ok(Self {
            model,
            sheet,
            back,
            memory: Memory::new(sheet, draw, options)?,
            parking,
            asleep: false,
            segments: VecDeque::new(),
            reading: None,
            streams: false,
            dirty: Extents::default(),
            free: 0.0,
            last_read: 0.0,
            last_end: 0.0,
        })
    }

    /// When a request that needs no platter is answered.
    fn answered(&self, at: f64, bytes: u64) -> f64 {
        at + self.sheet.hit / 1e3 + bytes as f64 / (self.sheet.bus * 1e6)
    }

    /// When the platters can be used from `at` on.
    fn woken(&mut self, at: f64) -> f64 {
        let at = at.max(self.free);
        match self.parking.filter(|_| self.asleep) {
            Some(parking) => {
                self.asleep = false;
                at + parking.late_s
            }
            None => at,
        }
    }

    fn destage_some(&mut self, at: f64) {
        let at = self.woken(at);
        self.free = self.back.destage(at, &mut self.dirty);
        self.reading = None;
    }

    /// Whether more than half of the write cache waits to be written.
    fn is_pressed(&self) -> bool {
        let bytes = self.memory.dirty_bytes.unwrap_or(0);
        self.dirty.bytes() > bytes / 2 || self.dirty.count() > self.memory.dirty_count / 2
    }

    /// What arm and head have done by `now` since they were asked last.
    fn catch_up(&mut self, now: f64) {
        if let Some(limit) = self.reading
            && self.segments[0].end < limit
        {
            let end = self.segments[0].end;
            let (bytes, at) = self.back.go_on(self.free, end..limit, now);
            self.free = at;
            self.read_to(end + bytes);
            if end + bytes < limit && !self.is_pressed() {
                return;
            }
        }
        let undisturbed = self.last_read + self.memory.patience_s;
        let mut at = self.free;
        if !self.is_pressed() {
            at = at.max(undisturbed);
        }
        while !self.dirty.is_empty() && at < now {
            self.destage_some(at);
            at = self.free;
        }
        if self.dirty.is_empty() && self.free < now {
            let done = self.back.chores(self.free, self.last_end, now);
            if done > self.free {
                self.free = done;
                self.reading = None;
            }
        }
        self.free = self.free.max(now);
    }

    /// How large the first segment may be.
    fn keep_bytes(&self) -> u64 {
        if self.streams {
            self.memory.stream_bytes
        } else {
            self.memory.segment_bytes
        }
    }

    /// The first segment reaches to `end`.
    fn read_to(&mut self, end: u64) {
        let keep = self.keep_bytes();
        let segment = &mut self.segments[0];
        segment.end = end;
        segment.start = segment.start.max(end.saturating_sub(keep));
    }

    /// What is behind `asked` is read ahead, from where the first segment ends.
    fn read_ahead(&mut self, asked: u64) {
        let reached = self.segments[0].end;
        let limit = asked + self.keep_bytes() / 4 * 3;
        let limit = limit.min(self.back.bytes()).max(reached);
        self.reading = Some(self.back.in_one_go(reached..limit));
    }

    fn segment_of(&self, range: &Range<u64>) -> Option<usize> {
        let holds = |held: &Range<u64>| held.start <= range.start && range.end <= held.end;
        self.segments.iter().position(holds)
    }

    /// Whether a request can be answered without the platters.
    fn is_quick(&self, request: &Request) -> bool {
        let range = span(request);
        match request.operation {
            Operation::Read => self.dirty.covers(&range) || self.segment_of(&range).is_some(),
            Operation::Write => self.has_room(&range),
            Operation::Flush => false,
        }
    }

    fn has_room(&self, range: &Range<u64>) -> bool {
        let Some(most) = self.memory.dirty_bytes else {
            return false;
        };
        let count = self.dirty.count();
        let bytes = self.dirty.bytes() + (range.end - range.start);
        bytes <= most && (count < self.memory.dirty_count || self.dirty.touches(range))
    }

    /// Whether the arm comes to what is asked for by itself, with what is read ahead.
    fn is_under_way(&self, range: &Range<u64>) -> bool {
        let (Some(limit), Some(first)) = (self.reading, self.segments.front()) else {
            return false;
        };
        let joins = first.start <= range.start && range.start <= limit.max(first.end);
        joins && first.end < range.end && self.back.in_one_go(first.end..range.end) == range.end
    }

    fn read(&mut self, now: f64, ready: f64, range: Range<u64>) -> (f64, Outcome) {
        let quick = self.answered(now, range.end - range.start);
        if self.dirty.covers(&range) {
            return (quick, Outcome::Done);
        }
        if let Some(index) = self.segment_of(&range) {
            let segment = self.segments.remove(index).expect("it was found");
            self.segments.push_front(segment);
            if index > 0 {
                self.reading = None;
            } else if self.reading.is_some() {
                self.streams = true;
                self.read_ahead(range.end);
            }
            return (quick, Outcome::Done);
        }
        if self.is_under_way(&range) && !self.asleep {
            let from = self.segments[0].end;
            let (_, at) = self.back.go_on(self.free, from..range.end, f64::INFINITY);
            self.free = at;
            self.streams = true;
            self.read_to(range.end);
            self.read_ahead(range.end);
            return (at.max(quick), Outcome::Done);
        }
        let at = self.woken(ready);
        let (at, outcome) = self.back.read(at, range.clone());
        self.free = at;
        self.reading = None;
        self.streams = false;
        if outcome == Outcome::Done {
            self.segments.push_front(range.clone());
            self.segments.truncate(self.memory.segments);
            self.read_to(range.end);
            self.read_ahead(range.end);
        }
        (at, outcome)
    }

    fn write(&mut self, now: f64, ready: f64, range: Range<u64>) -> f64 {
        self.back.accepted(range.clone());
        if self.memory.dirty_bytes.is_none() {
            let at = self.woken(ready);
            self.reading = None;
            self.free = self.back.write(at, range);
            return self.free;
        }
        let mut at = now;
        while !self.has_room(&range) && !self.dirty.is_empty() {
            self.destage_some(at);
            at = at.max(self.free);
        }
        let at = self.answered(at, range.end - range.start);
        self.dirty.insert(range);
        at
    }

    fn flush(&mut self, now: f64, ready: f64) -> f64 {
        if self.memory.flush_ignored || self.dirty.is_empty() {
            return self.answered(now, 0);
        }
        while !self.dirty.is_empty() {
            self.destage_some(ready);
        }
        self.free
    }

    fn ready(&self, now: f64, request: &Request) -> f64 {
        // The command is decoded while those before it are carried out.
        now.max(request.arrived.as_secs_f64() + self.sheet.overhead / 1e3)
    }
}

impl<B: BackEnd> Model for HardDisk<B> {
    fn bytes(&self) -> u64 {
        self.back.bytes()
    }

    /// One arm.
    fn lanes(&self) -> usize {
        1
    }

    fn choose(&mut self, now: Duration, waiting: &[Request]) -> usize {
        let now = now.as_secs_f64();
        self.catch_up(now);
        let waiting = &waiting[..waiting.len().min(TAGS)];
        if let Some(quick) = waiting.iter().position(|request| self.is_quick(request)) {
            return quick;
        }
        if waiting[0].operation == Operation::Flush {
            return 0;
        }
        let cost = |request: &Request| {
            let age = now - request.arrived.as_secs_f64();
            let at = self.ready(now, request).max(self.free);
            let write = match request.operation {
                Operation::Flush => return f64::INFINITY,
                Operation::Read if self.is_under_way(&span(request)) => return -age,
                Operation::Read => false,
                Operation::Write => true,
            };
            at - now + self.back.expected_s(at, request.offset, write) - AGE_WEIGHT * age
        };
        let costs = waiting.iter().map(cost).enumerate();
        let least = costs.min_by(|a, b| a.1.total_cmp(&b.1));
        least.map_or(0, |(index, _)| index)
    }

    fn serve(&mut self, now: Duration, request: &Request) -> (Duration, Outcome) {
        let now = now.as_secs_f64();
        self.catch_up(now);
        if let Some(parking) = self.parking
            && now - self.last_end > parking.after_s
        {
            self.asleep = true;
            self.reading = None;
            self.back.park();
        }
        let ready = self.ready(now, request);
        let (end, outcome) = match request.operation {
            Operation::Read => self.read(now, ready, span(request)),
            Operation::Write => (self.write(now, ready, span(request)), Outcome::Done),
            Operation::Flush => (self.flush(now, ready), Outcome::Done),
        };
        if request.operation == Operation::Read {
            self.last_read = end;
        }
        self.last_end = end;
        (seconds(end - now), outcome)
    }

    fn rotational(&self) -> bool {
        true
    }

    fn truth(&self) -> Value {
        let memory = &self.memory;
        let mut truth = Map::new();
        let mut say = |key: &str, value: Value| truth.insert(key.to_owned(), value);
        say("kind", json!(self.model));
        say("drive", self.sheet.truth());
        say("overhead_ms", json!(self.sheet.overhead));
        say("hit_ms", json!(self.sheet.hit));
        say("bus_mb_s", json!(self.sheet.bus));
        say("cache_bytes", json!(memory.bytes));
        say("read_segments", json!(memory.segments));
        say("read_segment_bytes", json!(memory.segment_bytes));
        say("read_stream_bytes", json!(memory.stream_bytes));
        say("write_cache", json!(memory.dirty_bytes.is_some()));
        say("write_cache_bytes", json!(memory.dirty_bytes.unwrap_or(0)));
        say("write_cache_requests", json!(memory.dirty_count));
        say("flush_ignored", json!(memory.flush_ignored));
        let parking = self.parking;
        say("parks_after_s", json!(parking.map(|it| it.after_s)));
        say("late_after_parking_s", json!(parking.map(|it| it.late_s)));
        self.back.tell(&mut truth);
        Value::Object(truth)
    }
}

fn span(request: &Request) -> Range<u64> {
    request.offset..request.offset + request.length
}
