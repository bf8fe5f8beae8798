//! Eight real drives by what their makers and owners published about them.
//!
//! A figure is «read» where its page was read while this was written, «known» where it is the
//! data sheet's as remembered, «assumed» where nobody published it.

use serde_json::{Value, json};

/// One drive. Times are in milliseconds, rates in 10^6 bytes per second.
pub(crate) struct DataSheet {
    pub name: &'static str,
    pub source: &'static str,
    pub rpm: f64,
    pub gigabytes: u64,
    pub heads: u64,
    /// Sustained, of the outermost and the innermost zone.
    pub outer: f64,
    pub inner: f64,
    pub zones: Option<u64>,
    /// From a track to the next, and across all of them; the average is over all pairs of tracks.
    pub track_seek: f64,
    pub average_seek: f64,
    pub full_seek: f64,
    /// What a write takes longer to settle than a read.
    pub write_settle: f64,
    /// From the end of a track to the start of the next in order, heads or tracks.
    pub switch: f64,
    pub cache_mib: u64,
    pub bus: f64,
    /// What a command takes besides the mechanics, and what one takes that the cache answers.
    pub overhead: f64,
    pub hit: f64,
}

impl DataSheet {
    /// Capacity by the rule all makers share (IDEMA LBA1-03): 97,696,368 sectors for 50 GB, and
    /// 1,953,504 for each GB more.
    pub(crate) fn bytes(&self) -> u64 {
        512 * (97_696_368 + 1_953_504 * self.gigabytes - 1_953_504 * 50)
    }

    pub(crate) fn turn_s(&self) -> f64 {
        60.0 / self.rpm
    }

    pub(crate) fn truth(&self) -> Value {
        json!({
            "name": self.name,
            "source": self.source,
            "sheet_outer_mb_s": self.outer,
            "sheet_inner_mb_s": self.inner,
            "sheet_average_seek_ms": self.average_seek,
            "sheet_full_seek_ms": self.full_seek,
            "sheet_track_seek_ms": self.track_seek,
            "heads": self.heads,
        })
    }
}

/// What is assumed where nobody says: SATA drives answer as the one whose overhead was published
/// (Ultrastar 146Z10), notebooks a little slower.
const OVERHEAD: f64 = 0.4;
const HIT: f64 = 0.05;

pub(crate) const DRIVES: &[DataSheet] = &[
    DataSheet {
        name: "Hitachi Travelstar 5K320, 320 GB",
        source: "5K320 SATA OEM Specification 1.5, p. 19 (read): 12/13 ms average, 20/21 ms full \
                 stroke, 1.0/1.1 ms single track, 5,400 rpm; rates, 8 MB, 4 heads known",
        rpm: 5400.0,
        gigabytes: 320,
        heads: 4,
        outer: 72.0,
        inner: 35.0,
        zones: None,
        track_seek: 1.0,
        average_seek: 12.0,
        full_seek: 20.0,
        write_settle: 1.0,
        switch: 1.1,
        cache_mib: 8,
        bus: 260.0,
        overhead: 0.5,
        hit: HIT,
    },
    DataSheet {
        name: "Seagate Desktop HDD.15 ST4000DM000, 4 TB",
        source: "5,900 rpm (read: smartctl, pastebin.com/vBc2GyDy); 180 MB/s at the outer diameter, \
                 146 on average, below 12 ms, 64 MB, 8 heads known; inner rate from the average; \
                 full stroke and track seek assumed",
        rpm: 5900.0,
        gigabytes: 4001,
        heads: 8,
        outer: 180.0,
        inner: 85.0,
        zones: None,
        track_seek: 1.0,
        average_seek: 12.0,
        full_seek: 22.0,
        write_settle: 1.0,
        switch: 1.1,
        cache_mib: 64,
        bus: 520.0,
        overhead: OVERHEAD,
        hit: HIT,
    },
    DataSheet {
        name: "Hitachi Deskstar 7K500, 500 GB",
        source: "Deskstar 7K500 specification, p. 17 (read): zones 0 to 29, sustained 64.8 and 31.0 \
                 MB/s, in the track 76.3 and 36.5, so 1.48 ms a switch; full stroke 14.7/15.7 ms of \
                 the Deskstar 60GXP and 75GXP (read); 8.5/9.2 ms average, 16 MB, 10 heads known",
        rpm: 7200.0,
        gigabytes: 500,
        heads: 10,
        outer: 64.8,
        inner: 31.0,
        zones: Some(30),
        track_seek: 1.2,
        average_seek: 8.5,
        full_seek: 14.7,
        write_settle: 0.7,
        switch: 1.48,
        cache_mib: 16,
        bus: 260.0,
        overhead: OVERHEAD,
        hit: HIT,
    },
    DataSheet {
        name: "a 750 GB drive of 7,200 rpm, measured by its owner",
        source: "diskinfo -t, pastebin.com/eQYBpqLP (read): accesses of 20.1 ms over the full \
                 stroke, 14.5 over half, 11.4 over a quarter of the bytes, so 8.0 ms on average; \
                 110.5, 87.8 and 52.7 MB/s outside, in the middle, inside; track seek, writes, \
                 16 MB, 8 heads assumed",
        rpm: 7200.0,
        gigabytes: 750,
        heads: 8,
        outer: 110.5,
        inner: 52.7,
        zones: None,
        track_seek: 1.0,
        // As the accesses over half and a quarter of the bytes ask for.
        average_seek: 8.0,
        // Half a turn and the overhead taken from 20.07 ms.
        full_seek: 15.5,
        write_settle: 1.0,
        switch: 1.2,
        cache_mib: 16,
        bus: 260.0,
        overhead: OVERHEAD,
        hit: HIT,
    },
    DataSheet {
        name: "Seagate Barracuda ST3000DM001, 3 TB",
        source: "behardware.com/news/imprimer/11920 (read): below 8.5 ms, 210 MB/s at most, 156 on \
                 average, 64 MB, three platters; inner rate from the average; full stroke and track \
                 seek assumed",
        rpm: 7200.0,
        gigabytes: 3001,
        heads: 6,
        outer: 210.0,
        inner: 92.0,
        zones: None,
        track_seek: 1.0,
        average_seek: 8.5,
        full_seek: 16.0,
        write_settle: 1.0,
        switch: 1.1,
        cache_mib: 64,
        bus: 520.0,
        overhead: OVERHEAD,
        hit: HIT,
    },
    DataSheet {
        name: "Western Digital Ultrastar DC HC310, 6 TB",
        source: "Ultrastar DC HC310 specification 1.4, p. 9 (read): 7.4/8.2 ms average, 0.23/0.32 ms \
                 single track, 7,200 rpm; 255 MB/s, 256 MB, 8 heads known; inner rate and full \
                 stroke assumed",
        rpm: 7200.0,
        gigabytes: 6001,
        heads: 8,
        outer: 255.0,
        inner: 122.0,
        zones: None,
        track_seek: 0.23,
        average_seek: 7.4,
        full_seek: 15.0,
        write_settle: 0.8,
        switch: 0.9,
        cache_mib: 256,
        bus: 540.0,
        overhead: 0.3,
        hit: HIT,
    },
    DataSheet {
        name: "IBM Ultrastar 146Z10, 147 GB",
        source: "Ultrastar 146Z10 specification 2.2, pp. 12, 13 and 16 (read): 4.7/5.9 ms average, \
                 10.5/11.5 ms full stroke, overhead 0.4 ms, 0.03 in the cache, 16 MiB in 260 ms of \
                 zone 0 and 510 ms of zone 14, so 66.6 and 33.4 MB/s; 8 MB, 12 heads known; track \
                 seek assumed",
        rpm: 10_000.0,
        gigabytes: 147,
        heads: 12,
        outer: 66.6,
        inner: 33.4,
        zones: Some(15),
        track_seek: 0.6,
        average_seek: 4.7,
        full_seek: 10.5,
        write_settle: 1.2,
        switch: 0.8,
        cache_mib: 8,
        bus: 150.0,
        overhead: 0.4,
        hit: 0.03,
    },
    DataSheet {
        name: "Seagate Cheetah 15K.7 ST3600057SS, 600 GB",
        source: "Cheetah 15K.7 SAS product manual 100516226 (known): 3.4/3.9 ms average, 0.2/0.44 ms \
                 track to track, 122 to 204 MB/s, 16 MB, 8 heads; full stroke assumed",
        rpm: 15_000.0,
        gigabytes: 600,
        heads: 8,
        outer: 204.0,
        inner: 122.0,
        zones: None,
        track_seek: 0.2,
        average_seek: 3.4,
        full_seek: 7.0,
        write_settle: 0.5,
        switch: 0.45,
        cache_mib: 16,
        bus: 520.0,
        overhead: 0.2,
        hit: 0.03,
    },
];

/// The two drives of Skylight (Aghayev and Desnoyers, FAST 2015).
pub(crate) const SHINGLED: &[DataSheet] = &[
    DataSheet {
        name: "Seagate ST5000AS0011, 5 TB",
        source: "Aghayev and Desnoyers, Skylight, FAST 2015 (known); 5,900 rpm, 128 MB, 8 heads; \
                 rates and seeks as of the ST8000AS0002",
        rpm: 5900.0,
        gigabytes: 5001,
        heads: 8,
        outer: 180.0,
        inner: 85.0,
        zones: None,
        track_seek: 1.0,
        average_seek: 12.0,
        full_seek: 22.0,
        write_settle: 1.0,
        switch: 1.1,
        cache_mib: 128,
        bus: 520.0,
        overhead: OVERHEAD,
        hit: HIT,
    },
    DataSheet {
        name: "Seagate ST8000AS0002, 8 TB",
        source: "Aghayev and Desnoyers, Skylight, FAST 2015 (known); Archive HDD data sheet (known): \
                 5,900 rpm, 190 MB/s, 150 on average, 12 ms; 128 MB, six platters (read: \
                 pcinside.info, hardwareslave.com); full stroke and track seek assumed",
        rpm: 5900.0,
        gigabytes: 8002,
        heads: 12,
        outer: 190.0,
        inner: 92.0,
        zones: None,
        track_seek: 1.0,
        average_seek: 12.0,
        full_seek: 22.0,
        write_settle: 1.0,
        switch: 1.1,
        cache_mib: 128,
        bus: 520.0,
        overhead: OVERHEAD,
        hit: HIT,
    },
];
