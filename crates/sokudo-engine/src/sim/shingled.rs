//! A drive-managed shingled disk: a hard disk whose tracks overlap like shingles, so that
//! a band of them can only be written as a whole. What is written in pieces goes to a
//! persistent cache at the outer edge first; when nothing else is to be done, or when the
//! cache or its map is full, bands are cleaned: read, merged and written anew.
//!
//! This is how Aghayev and Desnoyers found such disks to work ("Skylight", FAST 2015): a
//! cache of tens of GB on disk, a map of some 200,000 entries, bands of tens of MB, and
//! cleaning that nobody else gets a turn beside. Left out: a read that is only partly in
//! the cache is read from its band, and guard tracks between bands.

use std::collections::{BTreeMap, HashMap, VecDeque};

use sokudo_model::{Bytes, Nanos, Operation, narrow};

use super::hdd::HardDisk;
use super::spec::{Spec, SpecError, not_above};
use super::{DeviceModel, PendingRequest, Presentation, earlier};

/// A write that continues the one before goes straight to its band after this much: the
/// drive has seen a stream.
const STREAM_BYTES: u64 = 4 << 20;

/// Whatever is moved inside the drive has this number; commands of the host begin above.
const INTERNAL: u64 = 0;

#[derive(Debug)]
pub(super) struct Shingled {
    disk: HardDisk,
    /// What the host addresses.
    size_bytes: u64,
    /// Bytes of the persistent cache; what the host addresses lies behind it.
    cache_bytes: u64,
    entries_max: usize,
    band_bytes: u64,
    idle_ns: u64,
    /// What the cache holds: the first byte as the host knows it, its length and where in
    /// the cache it lies.
    entries: BTreeMap<u64, CachedExtent>,
    held_bytes: u64,
    /// Cache entries that wait to be moved, per band.
    bands: Vec<u32>,
    /// Where the next piece goes.
    log_at: u64,
    /// Where the last write ended, and how much was written in one go up to there.
    stream: (u64, u64),
    /// What the drive has not yet begun, in order of arrival.
    waiting: VecDeque<PendingRequest>,
    /// What it has begun, by the number under which the disk below knows it.
    begun: HashMap<u64, PendingRequest>,
    numbered: u64,
    cleaning: Option<Cleaning>,
    /// Since when the host has wanted nothing.
    idle_since_ns: u64,
    /// Emptied by every call; kept so as not to allocate it anew.
    below: Vec<PendingRequest>,
}

#[derive(Clone, Copy, Debug)]
struct CachedExtent {
    bytes: u64,
    at: u64,
}

/// A band that is being written anew.
#[derive(Clone, Copy, Debug)]
struct Cleaning {
    band: usize,
    is_read: bool,
}

impl Shingled {
    pub(super) fn parse(spec: &mut Spec, size: Bytes) -> Result<Self, SpecError> {
        let caches = Bytes::mib(1)..=Bytes::gib(256);
        let cache = spec.value("persistent", caches, Bytes(20_000_000_000))?;
        let band = spec.value("band", Bytes::mib(1)..=Bytes::gib(1), Bytes::mib(256))?;
        not_above(("band", band), ("size", size))?;
        // Skylight found 182,270 ± 60 and about 250,000 on two disks.
        let entries = spec.value("entries", 1..=10_000_000, 200_000)?;
        let times = Nanos::from_millis(1)..=Nanos::from_secs(600);
        let idle = spec.value("idle", times, Nanos::from_secs(1))?;
        let whole_blocks = cache.0 - cache.0 % super::PHYSICAL_BLOCK_BYTES;
        let band_bytes = band.0 - band.0 % super::PHYSICAL_BLOCK_BYTES;
        Ok(Self {
            disk: HardDisk::parse(spec, Bytes(size.0 + whole_blocks))?,
            size_bytes: size.0,
            cache_bytes: whole_blocks,
            entries_max: narrow(entries),
            band_bytes,
            idle_ns: idle.0,
            entries: BTreeMap::new(),
            held_bytes: 0,
            bands: vec![0; narrow(size.0.div_ceil(band_bytes))],
            log_at: 0,
            stream: (0, 0),
            waiting: VecDeque::new(),
            begun: HashMap::new(),
            numbered: INTERNAL,
            cleaning: None,
            idle_since_ns: 0,
            below: Vec::new(),
        })
    }

    fn may_clean_idly(&self) -> bool {
        self.cleaning.is_none()
            && self.waiting.is_empty()
            && self.begun.is_empty()
            && !self.entries.is_empty()
    }

    /// Begins what the host waits for, unless a band is being cleaned or must be.
    fn proceed(&mut self, now_ns: u64) {
        while self.cleaning.is_none()
            && let Some(job) = self.waiting.front().copied()
        {
            let offset = match job.operation {
                Operation::Write => self.write_offset(job),
                _ => Some(self.read_offset(job)),
            };
            let Some(offset) = offset else {
                self.clean_fullest(now_ns);
                return;
            };
            self.waiting.pop_front();
            self.numbered += 1;
            self.begun.insert(self.numbered, job);
            let id = self.numbered;
            self.disk
                .submit(now_ns, PendingRequest { id, offset, ..job });
        }
    }

    fn read_offset(&self, job: PendingRequest) -> u64 {
        let entry = self.entries.range(..=job.offset).next_back();
        match entry {
            Some((start, entry)) if job.offset + job.bytes <= start + entry.bytes => {
                entry.at + (job.offset - start)
            }
            _ => self.cache_bytes + job.offset,
        }
    }

    /// Where a write goes; `None` when there is no room in the cache.
    fn write_offset(&mut self, job: PendingRequest) -> Option<u64> {
        let streamed = match self.stream {
            (end, bytes) if end == job.offset => bytes,
            _ => 0,
        };
        let is_stream = streamed + job.bytes > STREAM_BYTES || job.bytes > self.cache_bytes;
        let address = match is_stream {
            true => Some(self.cache_bytes + job.offset),
            false => self.take_room(job),
        }?;
        self.stream = (job.offset + job.bytes, streamed + job.bytes);
        Some(address)
    }

    fn take_room(&mut self, job: PendingRequest) -> Option<u64> {
        let is_known = self
            .entries
            .get(&job.offset)
            .is_some_and(|entry| entry.bytes == job.bytes);
        let has_room = self.held_bytes + job.bytes <= self.cache_bytes;
        if !is_known && (self.entries.len() >= self.entries_max || !has_room) {
            return None;
        }
        if self.log_at + job.bytes > self.cache_bytes {
            self.log_at = 0;
        }
        let at = self.log_at;
        self.log_at += job.bytes;
        let entry = CachedExtent {
            bytes: job.bytes,
            at,
        };
        self.held_bytes += job.bytes;
        match self.entries.insert(job.offset, entry) {
            Some(older) => self.held_bytes -= older.bytes,
            None => {
                let band = self.band_of(job.offset);
                self.bands[band] += 1;
            }
        }
        Some(at)
    }

    fn band_of(&self, offset: u64) -> usize {
        narrow(offset / self.band_bytes)
    }

    /// Begins with the band that gives the most entries back.
    fn clean_fullest(&mut self, now_ns: u64) {
        let fullest = self
            .bands
            .iter()
            .enumerate()
            .max_by_key(|(_, count)| **count);
        if let Some((band, _)) = fullest {
            self.cleaning = Some(Cleaning {
                band,
                is_read: false,
            });
            self.move_band(now_ns, band, Operation::Read);
        }
    }

    fn go_on_cleaning(&mut self, now_ns: u64) {
        let Some(cleaning) = self.cleaning else {
            return;
        };
        if cleaning.is_read {
            self.forget(cleaning.band);
            self.cleaning = None;
            return;
        }
        self.cleaning = Some(Cleaning {
            is_read: true,
            ..cleaning
        });
        self.move_band(now_ns, cleaning.band, Operation::Write);
    }

    fn move_band(&mut self, now_ns: u64, band: usize, operation: Operation) {
        let offset = band as u64 * self.band_bytes;
        let bytes = self.band_bytes.min(self.size_bytes - offset);
        let job = PendingRequest {
            id: INTERNAL,
            operation,
            offset: self.cache_bytes + offset,
            bytes,
            result: Ok(bytes),
            is_durable: false,
        };
        self.disk.submit(now_ns, job);
    }

    fn forget(&mut self, band: usize) {
        let start = band as u64 * self.band_bytes;
        let held: Vec<u64> = self
            .entries
            .range(start..start + self.band_bytes)
            .map(|(offset, _)| *offset)
            .collect();
        for offset in held {
            if let Some(entry) = self.entries.remove(&offset) {
                self.held_bytes -= entry.bytes;
            }
        }
        self.bands[band] = 0;
    }
}

impl DeviceModel for Shingled {
    fn presentation(&self) -> Presentation {
        Presentation {
            model: "sokudo simulated shingled disk",
            ..self.disk.presentation()
        }
    }

    fn seed(&mut self, seed: u64) {
        self.disk.seed(seed);
    }

    fn submit(&mut self, now_ns: u64, job: PendingRequest) {
        self.waiting.push_back(job);
        self.proceed(now_ns);
    }

    fn next_ns(&self) -> Option<u64> {
        let idle_ns = self
            .may_clean_idly()
            .then(|| self.idle_since_ns + self.idle_ns);
        earlier(self.disk.next_ns(), idle_ns)
    }

    fn advance(&mut self, now_ns: u64, finished: &mut Vec<PendingRequest>) {
        while let Some(at_ns) = self.next_ns()
            && at_ns <= now_ns
        {
            let mut below = std::mem::take(&mut self.below);
            self.disk.advance(at_ns, &mut below);
            for job in below.drain(..) {
                match self.begun.remove(&job.id) {
                    Some(host) => {
                        self.idle_since_ns = at_ns;
                        finished.push(host);
                    }
                    None => self.go_on_cleaning(at_ns),
                }
            }
            self.below = below;
            self.proceed(at_ns);
            if self.may_clean_idly() && at_ns >= self.idle_since_ns + self.idle_ns {
                self.clean_fullest(at_ns);
            }
        }
    }
}
