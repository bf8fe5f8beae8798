//! What a survey counts: each I/O at its place, each place's time.

use sokudo_model::{Bytes, FailureKind, Nanos, Operation, Place, Visit};

use super::borders::{self, Border};
use super::{Failed, How, Open, Slot, Surroundings, Surveyor, TELL_NS};
use crate::backend::Backend;
use crate::clock::Clock;
use crate::survey::feed::Piece;

impl<B: Backend, C: Clock, S: Surroundings> Surveyor<'_, B, C, S> {
    /// Notes an I/O at its place.
    pub(super) fn enter(&mut self, piece: Piece, now: u64) {
        self.begin_place(piece.place, piece.offset, now);
        self.last_end = Some(piece.offset + u64::from(piece.length));
        self.issued_bytes += u64::from(piece.length);
        if let Some(open) = self.open.back_mut() {
            open.in_flight += 1;
            open.issued_bytes = self.issued_bytes;
            open.is_issued |= piece.is_last;
        }
    }

    /// Opens a place, unless it is the one in progress.
    pub(in crate::survey) fn begin_place(&mut self, place: u32, offset: u64, now: u64) {
        if self.places.len() > place as usize {
            return;
        }
        let way_counts = self.survey.approach.is_none() && !self.survey.write_back;
        let distance = self.last_end.filter(|_| way_counts);
        self.places.push(Place {
            offset: Bytes(offset),
            bytes: Bytes(0),
            ios: 0,
            elapsed: Nanos(0),
            latency_max: Nanos(0),
            distance: distance.map(|end| Bytes(end.abs_diff(offset))),
        });
        if let Some(before) = self.open.back_mut() {
            before.is_issued = true;
            before.left_at = Some(now - self.shift);
        }
        self.open.push_back(Open {
            in_flight: 0,
            is_issued: false,
            issued_bytes: self.issued_bytes,
            left_at: None,
        });
    }

    pub(super) fn reap(&mut self, now: u64) {
        let mut done = std::mem::take(&mut self.done);
        self.means
            .backend
            .reap(|chunk, result| done.push((chunk, result)));
        for (chunk, result) in done.drain(..) {
            self.complete(chunk, result, now);
        }
        self.done = done;
        let is_over = |open: &Open| open.is_issued && open.in_flight == 0;
        while self.open.front().is_some_and(is_over) {
            self.close(now);
        }
        if now >= self.tells_at {
            self.tells_at = now + TELL_NS;
            let at = Nanos((now - self.shift).saturating_sub(self.tally.started_at()));
            self.means.surroundings.tell(now, at, self.tally.moved());
        }
        self.look(now);
    }

    pub(super) fn complete(&mut self, chunk: u32, result: i32, now: u64) {
        let slot = &mut self.slots[chunk as usize];
        slot.in_flight = false;
        let Slot {
            issued_at,
            piece,
            how,
            ..
        } = *slot;
        self.in_flight -= 1;
        if piece.chunk.is_none() {
            self.free.give_back(chunk);
        }
        let is_flush = how.operation == Operation::Flush;
        let moved = u32::try_from(result).unwrap_or(0).min(piece.length);
        let is_whole = if is_flush {
            result == 0
        } else {
            moved == piece.length
        };
        if moved > 0 && !is_flush {
            self.barren = 0;
            self.known_good = Some(piece.offset);
            self.good_mark = self.defects.mark();
        }
        if how.measured {
            self.count(issued_at, piece, how, moved, now);
        } else if how.operation == Operation::Read {
            self.read_aside += u64::from(moved);
        }
        if !is_whole {
            self.fail(piece, how, result, moved);
        }
    }

    /// Counts a measured I/O, as far as it got.
    pub(super) fn count(&mut self, issued_at: u64, piece: Piece, how: How, moved: u32, now: u64) {
        let is_flush = how.operation == Operation::Flush;
        let (from, to) = (issued_at - self.shift, now - self.shift);
        if is_flush || moved > 0 {
            self.tally.complete(how.operation, moved, from, from, to);
        }
        if is_flush {
            return;
        }
        if (1..piece.length).contains(&moved) {
            self.tally.count_short(how.operation);
        }
        let first_open = self.places.len() - self.open.len();
        let number = (piece.place as usize).wrapping_sub(first_open);
        if let Some(open) = self.open.get_mut(number) {
            open.in_flight -= 1;
        }
        if let Some(place) = self.places.get_mut(piece.place as usize) {
            if moved > 0 {
                place.ios += 1;
                place.bytes.0 += u64::from(moved);
            }
            place.latency_max = place.latency_max.max(Nanos(now - issued_at));
        }
    }

    pub(super) fn fail(&mut self, piece: Piece, how: How, result: i32, moved: u32) {
        let kind = match moved {
            _ if result < 0 => FailureKind::Errno(-result),
            0 => FailureKind::Nothing,
            moved => FailureKind::Short {
                asked: piece.length,
                moved,
            },
        };
        if how.is_told {
            self.tally.fail(how.operation, kind, piece.offset);
        }
        // What was moved is good, in whole logical blocks.
        let logical = self.means.logical_bytes;
        let good = u64::from(moved) / logical * logical;
        let left = Piece {
            offset: piece.offset + good,
            length: piece.length - u32::try_from(good).unwrap_or(0),
            ..piece
        };
        self.failed.push(Failed {
            piece: left,
            whole: piece,
            operation: how.operation,
            kind,
        });
    }

    /// Ends the first open place: all of it is complete.
    fn close(&mut self, now: u64) {
        let Some(open) = self.open.pop_front() else {
            return;
        };
        let latest = now - self.shift;
        self.borders.push(Border {
            at: open.issued_bytes,
            earliest: open.left_at.map_or(latest, |left_at| left_at.min(latest)),
            latest,
        });
    }

    pub(in crate::survey) fn close_all(&mut self) {
        let now = self.paused_at.unwrap_or_else(|| self.means.clock.now());
        while !self.open.is_empty() {
            self.close(now);
        }
    }

    /// Tells each place its time, from the end of the one before to its own.
    pub(super) fn time_places(&mut self) {
        let mut before = self.tally.started_at();
        let ends = borders::ends(before, std::mem::take(&mut self.borders));
        let one_each = matches!(self.survey.visit, Visit::Random | Visit::Butterfly);
        let is_one_io = self.runs_on() && one_each;
        for (place, end) in self.places.iter_mut().zip(ends) {
            place.elapsed = Nanos(end - before);
            if is_one_io {
                // The way from one I/O to the next in this loop is nobody's.
                place.elapsed = place.elapsed.min(place.latency_max);
            }
            before = end;
        }
    }
}
