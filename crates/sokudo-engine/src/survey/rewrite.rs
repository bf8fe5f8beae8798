//! Writing back at each place what has just been read there, as GNOME Disks does: read,
//! which is not measured; then write the same and flush, which is.

use sokudo_model::{Operation, StopReason};

use super::feed::{Held, Piece};
use super::route::{Blocks, Site};
use super::surveyor::{ASIDE, How, Surroundings, Surveyor};
use crate::backend::Backend;
use crate::clock::Clock;

/// A place is read and written back in portions of at most this, or of one block, so that
/// little is under way when the power fails, and memory stays small.
pub(super) const PORTION_BYTES_MAX: u64 = 64 << 20;

impl<B: Backend, C: Clock, S: Surroundings> Surveyor<'_, B, C, S> {
    /// One place. Where anything cannot be read, nothing is written.
    pub(super) fn write_back(&mut self, place: u32, site: Site) {
        let now = self.means.clock.now();
        self.begin_place(place, site.offset, now);
        let portion = PORTION_BYTES_MAX / self.block * self.block;
        for (offset, length) in Blocks::of(site, portion.max(self.block)) {
            let portion = Site {
                offset,
                end: offset + u64::from(length),
            };
            let blocks = Blocks::of(portion, self.block);
            let pieces: Vec<Piece> = (0..)
                .zip(blocks)
                .map(|(chunk, (offset, length))| Piece {
                    place,
                    offset,
                    length,
                    chunk: Some(chunk),
                    is_last: false,
                })
                .collect();
            self.approach(offset);
            if self.reads(&pieces, portion.end) {
                self.approach(offset);
                self.rewrite(pieces);
                self.flush();
            }
            if self.stopped.is_some() {
                return;
            }
        }
    }

    /// Whether all of it could be read. What could not is noted.
    fn reads(&mut self, pieces: &[Piece], end: u64) -> bool {
        let how = How {
            is_told: true,
            ..ASIDE
        };
        self.stream(&mut Held::new(pieces.to_vec()), how);
        let failed = !self.failed.is_empty();
        if failed && self.stopped.is_none() {
            let issued = self.failed.iter().map(|one| {
                let Piece { offset, length, .. } = one.piece;
                offset + u64::from(length)
            });
            let frontier = issued.max().unwrap_or(end);
            self.look_into_failures(frontier, end);
        }
        self.failed.clear();
        !failed && self.stopped.is_none()
    }

    /// Writes it. What fails is tried once more; when that fails too, the survey ends, and
    /// says where.
    fn rewrite(&mut self, pieces: Vec<Piece>) {
        let how = self.measured(u64::MAX);
        let mut feed = Held::new(pieces);
        loop {
            self.stream(&mut feed, how);
            let failed = std::mem::take(&mut self.failed);
            if failed.is_empty() {
                return;
            }
            let again = failed.iter().map(|one| one.whole).collect();
            self.retry(again, how);
            if self.stopped.is_some() {
                return;
            }
        }
    }

    fn retry(&mut self, pieces: Vec<Piece>, how: How) {
        // Also when all is being stopped: what was begun is to be whole.
        let how = How {
            measured: false,
            insists: true,
            ..how
        };
        self.stream(&mut Held::new(pieces), how);
        for one in std::mem::take(&mut self.failed) {
            let offset = one.piece.offset;
            let end = offset + u64::from(one.piece.length);
            self.defects.note(Operation::Write, offset, end, one.kind);
            self.notes.push(format!(
                "bytes {offset} to {end} could not be written back, and may have been lost: run \
                 the survey again there, or restore them from a backup"
            ));
            self.stop(StopReason::Failed);
        }
    }
}
