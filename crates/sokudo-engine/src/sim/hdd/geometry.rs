//! Where bytes lie on the platters, and when they pass under the head.
//!
//! Bits are packed equally densely on every track, so a track holds data in
//! proportion to its radius, and the rate falls with the radius. With the area
//! between two radii holding data in proportion to it, address x (0 outermost, 1
//! innermost) lies at r² = R² − x·(R² − r₀²), hence
//! rate(x)² = outer² − x·(outer² − inner²). Drives make this curve in steps: within
//! a zone all tracks are alike (Ruemmler and Wilkes, "An introduction to disk drive
//! modeling", 1994; the fall is seen in HD Tune's curves).

use sokudo_stats::Random;

use super::super::rate::TransferRate;

/// Drives have about 15 to 40; enough that the steps are smaller than the noise of
/// a real measurement, few enough that they can be seen.
const ZONES: u16 = 32;

const SECTOR_BYTES: u64 = super::super::SECTOR_BYTES;

/// The platters, as one long track of time: the *media time* of a byte is when it
/// would pass under the head in a sequential pass that starts at byte 0 at time 0.
/// Its angle is its media time modulo one turn.
#[derive(Debug)]
pub(super) struct Geometry {
    zones: Vec<TrackZone>,
    /// Most zones have about this size: the first guess of a search.
    zone_bytes: u64,
    size: u64,
    turn_ns: u64,
    /// A turn and the switch to the next track.
    track_ns: u64,
    /// How far the platters had turned at time 0.
    turned_ns: u64,
}

/// What the drive's label says.
#[derive(Clone, Copy, Debug)]
pub(super) struct DriveLabel {
    pub(super) size: u64,
    pub(super) turn_ns: u64,
    /// To switch to the next track; the tracks are skewed by it.
    pub(super) switch_ns: u64,
    pub(super) outer: TransferRate,
    pub(super) inner: TransferRate,
}

/// Tracks of the same length.
#[derive(Debug)]
struct TrackZone {
    start: u64,
    track_bytes: u64,
    start_media_ns: u64,
    first_track: u64,
    /// How far in the zone begins: 0 at the outer edge, 1 at the inner.
    depth: f64,
    depth_per_byte: f64,
}

/// Where a byte is.
#[derive(Clone, Copy, Debug)]
pub(super) struct MediaPosition {
    /// Media time at which the byte begins.
    pub(super) media_ns: u64,
    /// The same, modulo one turn.
    pub(super) angle_ns: u64,
    /// Number of the track, from the outer edge.
    pub(super) track: u64,
    /// How far in it lies: 0 at the outer edge, 1 at the inner.
    pub(super) depth: f64,
}

impl Geometry {
    pub(super) fn new(label: DriveLabel) -> Self {
        let mut geometry = Self {
            zones: Vec::with_capacity(usize::from(ZONES)),
            zone_bytes: label.size.div_ceil(u64::from(ZONES)),
            size: label.size,
            turn_ns: label.turn_ns,
            track_ns: label.turn_ns + label.switch_ns,
            turned_ns: 0,
        };
        let (mut start, mut start_media_ns, mut first_track) = (0, 0, 0);
        for index in 0..ZONES {
            let track_bytes = geometry.track_bytes(label, index);
            let end = u64::from(index + 1) * geometry.zone_bytes;
            // At least one, or a very small disk would have empty zones.
            let tracks = end.saturating_sub(start).div_ceil(track_bytes).max(1);
            let bytes = tracks * track_bytes;
            let depth = depth_at(label, start);
            geometry.zones.push(TrackZone {
                start,
                track_bytes,
                start_media_ns,
                first_track,
                depth,
                depth_per_byte: (depth_at(label, start + bytes) - depth) / to_float(bytes),
            });
            start += bytes;
            start_media_ns += tracks * geometry.track_ns;
            first_track += tracks;
        }
        geometry
    }

    /// A track passes in a turn and a switch at the rate that the label promises;
    /// the outermost and the innermost zone have exactly the outer and inner rate.
    fn track_bytes(&self, label: DriveLabel, zone: u16) -> u64 {
        let rate = rate_at(label, f64::from(zone) / f64::from(ZONES - 1));
        let sectors = rate * to_float(self.track_ns) / 1e9 / to_float(SECTOR_BYTES);
        to_whole(sectors).max(1) * SECTOR_BYTES
    }

    pub(super) fn position(&self, offset: u64) -> MediaPosition {
        let zone = self.zone(offset);
        let within = offset - zone.start;
        let (track, rest) = (within / zone.track_bytes, within % zone.track_bytes);
        let media_ns =
            zone.start_media_ns + track * self.track_ns + rest * self.turn_ns / zone.track_bytes;
        MediaPosition {
            media_ns,
            angle_ns: media_ns % self.turn_ns,
            track: zone.first_track + track,
            depth: zone.depth + to_float(within) * zone.depth_per_byte,
        }
    }

    /// Media time at which the byte before `end` has passed. At the end of a track
    /// that is before the switch to the next.
    pub(super) fn end_media_ns(&self, end: u64) -> u64 {
        let zone = self.zone(end - 1);
        let within = end - 1 - zone.start;
        let (track, rest) = (within / zone.track_bytes, within % zone.track_bytes);
        zone.start_media_ns + track * self.track_ns + (rest + 1) * self.turn_ns / zone.track_bytes
    }

    /// How many bytes from 0 have passed at a media time, in whole sectors.
    pub(super) fn passed(&self, media_ns: u64) -> u64 {
        let after = self
            .zones
            .partition_point(|zone| zone.start_media_ns <= media_ns);
        let zone = &self.zones[after - 1];
        let within_ns = media_ns - zone.start_media_ns;
        let turned_ns = (within_ns % self.track_ns).min(self.turn_ns);
        let bytes = within_ns / self.track_ns * zone.track_bytes
            + turned_ns * zone.track_bytes / self.turn_ns;
        let end = zone.start + bytes;
        (end - end % SECTOR_BYTES).min(self.size)
    }

    /// From `now_ns` until the next instant at which a head on the right track is
    /// over this place.
    pub(super) fn wait_ns(&self, now_ns: u64, position: MediaPosition) -> u64 {
        let angle_ns = (now_ns + self.turned_ns) % self.turn_ns;
        match position.angle_ns.checked_sub(angle_ns) {
            Some(wait_ns) => wait_ns,
            None => position.angle_ns + self.turn_ns - angle_ns,
        }
    }

    /// Turns the platters by chance before they start.
    pub(super) fn turn_by(&mut self, random: &mut Random) {
        self.turned_ns = random.below(self.turn_ns);
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    fn zone(&self, offset: u64) -> &TrackZone {
        let guess = to_index(offset / self.zone_bytes).min(self.zones.len() - 1);
        // Zones are rounded up to whole tracks, so the guess can only be too far,
        // and rarely by more than one zone.
        let mut index = guess;
        while self.zones[index].start > offset {
            index -= 1;
        }
        &self.zones[index]
    }
}

/// rate(x), in bytes per second.
fn rate_at(label: DriveLabel, x: f64) -> f64 {
    let (outer, inner) = (to_float(label.outer.0), to_float(label.inner.0));
    let x = x.clamp(0.0, 1.0);
    (outer * outer - x * (outer * outer - inner * inner)).sqrt()
}

/// How far in an address lies; radius and rate are proportional.
fn depth_at(label: DriveLabel, offset: u64) -> f64 {
    let x = to_float(offset) / to_float(label.size);
    if label.outer == label.inner {
        return x.min(1.0);
    }
    let (outer, inner) = (to_float(label.outer.0), to_float(label.inner.0));
    (outer - rate_at(label, x)) / (outer - inner)
}

pub(super) fn to_float(value: u64) -> f64 {
    value as f64
}

#[expect(clippy::cast_possible_truncation, reason = "sectors of a track")]
fn to_whole(value: f64) -> u64 {
    value.round() as u64
}

#[expect(clippy::cast_possible_truncation, reason = "a zone of about 32")]
fn to_index(value: u64) -> usize {
    value as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn geometry() -> Geometry {
        Geometry::new(DriveLabel {
            size: 4_000_000_000_000,
            turn_ns: 60_000_000_000 / 5900,
            switch_ns: 1_500_000,
            outer: TransferRate::megabytes(180),
            inner: TransferRate::megabytes(85),
        })
    }

    #[test]
    fn the_rate_over_position_is_that_of_the_label() {
        let (geometry, gigabyte) = (geometry(), 1_000_000_000);
        let rate = |start: u64| {
            let nanos = geometry.end_media_ns(start + gigabyte) - geometry.position(start).media_ns;
            1e3 * gigabyte as f64 / nanos as f64
        };
        let size = geometry.size;
        assert!((rate(0) / 180.0 - 1.0).abs() < 0.005, "{}", rate(0));
        let inner = rate(size - gigabyte);
        assert!((inner / 85.0 - 1.0).abs() < 0.005, "{inner}");
        let middle = (f64::from(180 * 180 + 85 * 85) / 2.0).sqrt();
        assert!(
            (rate(size / 2) / middle - 1.0).abs() < 0.02,
            "{}",
            rate(size / 2)
        );
    }

    #[test]
    fn depth_goes_from_the_outer_edge_to_the_inner() {
        let geometry = geometry();
        assert_eq!(geometry.position(0).depth, 0.0);
        let inner = geometry.position(geometry.size - 512).depth;
        assert!((0.999..=1.0).contains(&inner), "{inner}");
    }

    proptest! {
        #[test]
        fn media_time_grows_with_the_address(offset in 0u64..7_000_000_000, bytes in 1u64..10_000) {
            let geometry = geometry();
            let (start, bytes) = (offset * 512, bytes * 512);
            let position = geometry.position(start);
            let end_ns = geometry.end_media_ns(start + bytes);
            prop_assert!(position.media_ns < end_ns);
            prop_assert!(end_ns <= geometry.position(start + bytes).media_ns);
            prop_assert!(geometry.position(start + bytes).depth > position.depth);
        }

        #[test]
        fn what_has_passed_is_the_inverse_of_media_time(offset in 1u64..7_000_000_000) {
            let (geometry, end) = (geometry(), offset * 512);
            let passed = geometry.passed(geometry.end_media_ns(end));
            prop_assert!(end - passed <= 512, "{end} {passed}");
            prop_assert!(passed <= end);
        }
    }
}
