//! How long arm and spindle of a drive take to be at a byte.
//!
//! It knows the angle of the platters at every moment, but no caches and no queue.

use crate::model::Draw;

use super::drives::DataSheet;
use super::geometry::{Geometry, Place, SECTOR, SeekCurve, sectors};

/// How far the speed of a spindle may be off: 0.2 % in Seagate's product manuals.
const SPINDLE_TOLERANCE: f64 = 0.002;

/// Seeks of the same length differ by this share, and so many miss their turn; assumed.
const SEEK_SPREAD: f64 = 0.02;
const MISSED: f64 = 0.002;

/// Less than that part of a turn is an error of rounding: 10 ns.
const ANGLE_ERROR: f64 = 1e-6;

/// Arm and spindle. All times are seconds since the drive began.
pub(crate) struct Mechanics {
    pub geometry: Geometry,
    curve: SeekCurve,
    pub turn_s: f64,
    /// Where the platters were at the beginning, in turns.
    phase: f64,
    switch_s: f64,
    write_settle_s: f64,
    track: u64,
    head: u64,
    draw: Draw,
}

impl Mechanics {
    /// A drive whose tracks hold so many bytes.
    pub(crate) fn new(sheet: &DataSheet, bytes: u64, draw: &mut Draw, uneven: f64) -> Self {
        let (geometry, curve) = Geometry::new(sheet, bytes, draw, uneven);
        let off = draw.uniform(-SPINDLE_TOLERANCE, SPINDLE_TOLERANCE);
        Self {
            geometry,
            curve,
            turn_s: sheet.turn_s() * (1.0 + off),
            phase: draw.share(),
            switch_s: sheet.switch / 1e3,
            write_settle_s: sheet.write_settle / 1e3,
            track: 0,
            head: 0,
            draw: draw.split(),
        }
    }

    /// From where the arm is to a place.
    fn travel_s(&self, to: &Place, write: bool) -> f64 {
        self.seek_s(self.track, self.head, to, write)
    }

    fn seek_s(&self, track: u64, head: u64, to: &Place, write: bool) -> f64 {
        let distance = track.abs_diff(to.track);
        let switch = if head == to.head { 0.0 } else { self.switch_s };
        if distance == 0 {
            return switch;
        }
        let share = distance as f64 / self.geometry.tracks as f64;
        let settle = if write { self.write_settle_s } else { 0.0 };
        (self.curve.seconds(share) + settle).max(switch)
    }

    /// Until a place passes under the head.
    fn turn_to_s(&self, at: f64, place: &Place) -> f64 {
        let turns = (place.angle - at / self.turn_s - self.phase).rem_euclid(1.0);
        if turns > 1.0 - ANGLE_ERROR {
            return 0.0;
        }
        turns * self.turn_s
    }

    /// What the drive itself expects it to take until it can begin with `offset`.
    pub(crate) fn expected_s(&self, at: f64, offset: u64, write: bool) -> f64 {
        let place = self.geometry.locate(offset);
        let travel = self.travel_s(&place, write);
        travel + self.turn_to_s(at + travel, &place)
    }

    /// From the end of a track to the next in order, which skew waits for.
    fn next_s(&self, to: &Place) -> f64 {
        let distance = self.track.abs_diff(to.track);
        if distance > 1 {
            return self.travel_s(to, false);
        }
        self.switch_s
    }

    /// Seeks and transfers; when it is done. The arm is there then.
    pub(crate) fn access(&mut self, at: f64, offset: u64, length: u64, write: bool) -> f64 {
        let place = self.geometry.locate(offset);
        let mut at = at + self.sought_s(&place, write);
        at += self.turn_to_s(at, &place);
        self.transfer(at, offset, length, f64::INFINITY).1
    }

    /// A seek as it really goes: a little longer or shorter than expected, and once in a while
    /// it does not settle in time.
    fn sought_s(&mut self, to: &Place, write: bool) -> f64 {
        let expected = self.travel_s(to, write);
        if self.track == to.track {
            return expected;
        }
        let spread = self.draw.normal().clamp(-2.0, 2.0) * SEEK_SPREAD;
        let missed = if self.draw.chance(MISSED) {
            self.turn_s
        } else {
            0.0
        };
        expected * (1.0 + spread) + missed
    }

    /// Goes on reading where the arm is, until a time or for so many bytes; how many, and when
    /// the last was read.
    pub(crate) fn go_on(&mut self, from: f64, offset: u64, length: u64, until: f64) -> (u64, f64) {
        let place = self.geometry.locate(offset);
        let at = from + self.next_or_here(&place);
        let at = at + self.turn_to_s(at, &place);
        if at >= until {
            return (0, from);
        }
        self.transfer(at, offset, length, until)
    }

    fn next_or_here(&self, to: &Place) -> f64 {
        if (self.track, self.head) == (to.track, to.head) {
            return 0.0;
        }
        self.next_s(to)
    }

    /// From where the head is over `offset`, track by track.
    fn transfer(&mut self, at: f64, offset: u64, length: u64, until: f64) -> (u64, f64) {
        let mut at = at;
        let mut done = 0;
        loop {
            let place = self.geometry.locate(offset + done);
            if done > 0 {
                let ready = at + self.next_or_here(&place);
                let next = ready + self.turn_to_s(ready, &place);
                if next >= until {
                    return (done, at);
                }
                at = next;
            }
            (self.track, self.head) = (place.track, place.head);
            let per_s = place.track_bytes as f64 / self.turn_s;
            let wanted = (length - done).min(place.left);
            let in_time = (until - at).min(1.0) * per_s;
            let bytes = wanted.min(sectors(in_time + 0.5 * SECTOR as f64));
            done += bytes;
            at += bytes as f64 / per_s;
            if done == length || bytes < wanted {
                return (done, at);
            }
        }
    }

    /// Seconds: the mean seek between places that are evenly spread over the bytes, and the
    /// longest seek.
    pub(crate) fn seeks(&self) -> (f64, f64) {
        const PAIRS: u32 = 20_000;
        let mut draw = Draw::new(1);
        let mut any = || self.geometry.locate(draw.whole(0..self.geometry.bytes));
        let sum: f64 = (0..PAIRS)
            .map(|_| {
                let (from, to) = (any(), any());
                self.seek_s(from.track, from.head, &to, false)
            })
            .sum();
        let last = self.geometry.locate(self.geometry.bytes - 1);
        let across = last.track as f64 / self.geometry.tracks as f64;
        (sum / f64::from(PAIRS), self.curve.seconds(across))
    }

    /// The arm goes to the ramp outside.
    pub(crate) fn park(&mut self) {
        self.track = 0;
    }
}
