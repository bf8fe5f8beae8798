//! Where the bytes of a drive lie on its platters, and how long a seek takes.
//!
//! Zones of as many bits per track, a serpentine of runs of tracks through the heads, and skew.

use crate::model::Draw;

use super::drives::DataSheet;

/// What `share` of the stroke a seek may go until its time grows linearly: 383 of 1,962 and 616
/// of 1,449 cylinders in the two drives of Ruemmler and Wilkes, «An Introduction to Disk Drive
/// Modeling», IEEE Computer 27(3), 1994, figure 3.
const BEND: (f64, f64) = (0.2, 0.42);

/// Tracks on one surface before the next head goes on; 50 to 600 were found by Gim and Won,
/// «Extract and Infer Quickly», ACM Transactions on Storage 6(2), 2010.
const RUN: (f64, f64) = (50.0, 600.0);

/// A drive with few tracks has shorter ones, or its outer zones would be all of it; assumed.
const RUNS_OF_ZONE_MIN: f64 = 3.0;

/// Zones have 15 to 30 in specifications of IBM and Hitachi (Ultrastar 146Z10: 15, Deskstar
/// 7K500: 30).
const ZONES: (u64, u64) = (15, 31);

/// How much more than the switch skew allows for; assumed.
const SKEW_MARGIN: f64 = 1.04;

pub(crate) const SECTOR: u64 = 512;

/// Seek time over distance: a + b √x up to the bend, then linear (Ruemmler and Wilkes), so that
/// the seek of a track, the average over all pairs of tracks and the full stroke are the data
/// sheet's. x is the distance in strokes.
pub(crate) struct SeekCurve {
    a: f64,
    b: f64,
    slope: f64,
    bend: f64,
}

impl SeekCurve {
    /// Seconds; solves the three equations. The average is weighted with the 2 (1 - x) pairs of
    /// each distance, as IBM's and Hitachi's specifications define it.
    fn new(sheet: &DataSheet, tracks: f64, bend: f64) -> Self {
        let [track, average, full] =
            [sheet.track_seek, sheet.average_seek, sheet.full_seek].map(|ms| ms / 1e3);
        let step = (1.0 / tracks).sqrt();
        let root_mean = 4.0 / 3.0 * bend.powf(1.5) - 0.8 * bend.powf(2.5)
            + bend.sqrt() * (1.0 - bend).powi(2)
            - step;
        let line_mean = (1.0 - bend).powi(3) / 3.0;
        let (root_full, line_full) = (bend.sqrt() - step, 1.0 - bend);
        let determinant = root_mean * line_full - line_mean * root_full;
        let b = ((average - track) * line_full - line_mean * (full - track)) / determinant;
        let slope = (root_mean * (full - track) - root_full * (average - track)) / determinant;
        assert!(
            b > 0.0 && slope > 0.0,
            "{}: seeks that cannot be",
            sheet.name
        );
        Self {
            a: track - b * step,
            b,
            slope,
            bend,
        }
    }

    /// Seconds for a share of the stroke, which is not zero.
    pub(crate) fn seconds(&self, share: f64) -> f64 {
        let line = self.slope * (share - self.bend).max(0.0);
        self.a + self.b * share.min(self.bend).sqrt() + line
    }
}

/// Tracks of the same number of bytes.
struct Zone {
    start: u64,
    first_track: u64,
    /// Of one track, for each head.
    track_bytes: Vec<u64>,
    /// Of a run of tracks through all heads.
    group_bytes: u64,
    /// Where its first track begins, in turns.
    angle: f64,
}

/// Where a byte is.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Counted from the outer edge of a surface.
    pub track: u64,
    pub head: u64,
    /// In turns, below 1.
    pub angle: f64,
    pub track_bytes: u64,
    /// From here to the end of the track.
    pub left: u64,
}

pub(crate) struct Geometry {
    zones: Vec<Zone>,
    pub bytes: u64,
    pub tracks: u64,
    /// Tracks of a run.
    run: u64,
    /// Turns from the end of a track to the start of the next in order: within a run and to the
    /// next head, and to the next group.
    skew: f64,
    group_skew: f64,
}

impl Geometry {
    /// `uneven` is how much the bits per track of the heads differ at most: makers fit them to
    /// each head (Krevat, Tucek and Ganger, «Disks Are Like Snowflakes», HotOS 2011).
    pub(crate) fn new(
        sheet: &DataSheet,
        bytes: u64,
        draw: &mut Draw,
        uneven: f64,
    ) -> (Self, SeekCurve) {
        let bend = draw.uniform(BEND.0, BEND.1);
        let turn = sheet.turn_s();
        let skew = sheet.switch / 1e3 / turn * SKEW_MARGIN;
        let count = sheet.zones.unwrap_or_else(|| draw.whole(ZONES.0..ZONES.1));
        let run = draw.log_uniform(RUN.0, RUN.1);
        let heads = even_on_the_whole(sheet.heads, uneven, draw);
        let widths: Vec<f64> = (0..count).map(|_| draw.uniform(0.7, 1.3)).collect();
        let width_sum: f64 = widths.iter().sum();
        // (Sustained rate) × (turn and switch) are the bytes of a track.
        let track_bytes = |zone: u64, share: f64| {
            let inwards = zone as f64 / (count - 1) as f64;
            let rate = sheet.outer + (sheet.inner - sheet.outer) * inwards;
            sectors(rate * 1e6 * turn * (1.0 + skew) * share)
        };
        let of_zone = |zone: u64| -> Vec<u64> {
            heads
                .iter()
                .map(|share| track_bytes(zone, *share))
                .collect()
        };
        let per_track: f64 = (0..count)
            .zip(&widths)
            .map(|(zone, width)| of_zone(zone).iter().sum::<u64>() as f64 * width / width_sum)
            .sum();
        let tracks = bytes as f64 / per_track;
        let run = run.min(tracks / count as f64 / RUNS_OF_ZONE_MIN) as u64;
        let curve = SeekCurve::new(sheet, tracks, bend);
        let back = if sheet.heads.is_multiple_of(2) {
            run as f64
        } else {
            1.0
        };
        let group_skew = (curve.seconds(back / tracks) / turn * SKEW_MARGIN).max(skew);
        let mut geometry = Self {
            zones: Vec::new(),
            bytes,
            tracks: 0,
            run,
            skew,
            group_skew,
        };
        let mut start = 0;
        let mut angle = 0.0;
        for (zone, width) in (0..count).zip(widths) {
            let track_bytes = of_zone(zone);
            let group_bytes = track_bytes.iter().sum::<u64>() * run;
            let mut groups = (tracks * width / width_sum / run as f64).ceil() as u64;
            if zone + 1 == count {
                // The rest, however wide the zones before became.
                groups = groups.max(bytes.saturating_sub(start).div_ceil(group_bytes));
            }
            geometry.zones.push(Zone {
                start,
                first_track: geometry.tracks,
                track_bytes,
                group_bytes,
                angle,
            });
            start += groups * group_bytes;
            angle += groups as f64 * geometry.skew_of_group(sheet.heads);
            geometry.tracks += groups * run;
        }
        (geometry, curve)
    }

    fn skew_of_group(&self, heads: u64) -> f64 {
        (heads * self.run - 1) as f64 * self.skew + self.group_skew
    }

    fn zone(&self, offset: u64) -> &Zone {
        assert!(offset < self.bytes, "{offset} is beyond the drive");
        let after = self.zones.partition_point(|zone| zone.start <= offset);
        &self.zones[after - 1]
    }

    /// Where zones begin, with their sustained rates in bytes per second.
    pub(crate) fn rates(&self, turn: f64) -> Vec<(u64, f64)> {
        let used = self.zones.iter().filter(|zone| zone.start < self.bytes);
        used.map(|zone| {
            let heads = zone.track_bytes.len() as u64;
            let turns = (heads * self.run) as f64 + self.skew_of_group(heads);
            (zone.start, zone.group_bytes as f64 / (turns * turn))
        })
        .collect()
    }

    pub(crate) fn locate(&self, offset: u64) -> Place {
        let zone = self.zone(offset);
        let heads = zone.track_bytes.len() as u64;
        let group = (offset - zone.start) / zone.group_bytes;
        let mut within = (offset - zone.start) % zone.group_bytes;
        let mut head: u64 = 0;
        for bytes in &zone.track_bytes {
            if within < bytes * self.run {
                break;
            }
            within -= bytes * self.run;
            head += 1;
        }
        let track_bytes = zone.track_bytes[head as usize];
        let step = within / track_bytes;
        // A serpentine: every second head goes back.
        let across = if head.is_multiple_of(2) {
            step
        } else {
            self.run - 1 - step
        };
        let before = (head * self.run + step) as f64 * self.skew;
        let start = zone.angle + group as f64 * self.skew_of_group(heads) + before;
        let in_track = within % track_bytes;
        let angle = start + in_track as f64 / track_bytes as f64;
        Place {
            track: zone.first_track + group * self.run + across,
            head,
            angle: angle.fract(),
            track_bytes,
            left: track_bytes - in_track,
        }
    }
}

/// A share for each head, 1 on average.
fn even_on_the_whole(heads: u64, uneven: f64, draw: &mut Draw) -> Vec<f64> {
    let shares: Vec<f64> = (0..heads)
        .map(|_| 1.0 + draw.uniform(-uneven, uneven))
        .collect();
    let mean = shares.iter().sum::<f64>() / heads as f64;
    shares.iter().map(|share| share / mean).collect()
}

/// As many bytes as whole sectors have.
pub(crate) fn sectors(bytes: f64) -> u64 {
    (bytes / SECTOR as f64) as u64 * SECTOR
}
