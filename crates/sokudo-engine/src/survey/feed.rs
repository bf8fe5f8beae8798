//! Which I/O of a survey comes next.

use super::route::{Blocks, Route};

/// One I/O.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    /// Number of its place, in the order in which they are visited.
    pub(super) place: u32,
    pub(super) offset: u64,
    pub(super) length: u32,
    /// The chunk it must use; `None` is any.
    pub(super) chunk: Option<u32>,
    /// Nothing more is done at its place.
    pub(super) is_last: bool,
}

/// Gives one I/O after the other.
pub(super) trait Feed {
    fn next(&mut self) -> Option<Piece>;
}

/// The blocks of one place, or of all places in turn.
pub(super) struct RunOn<'a> {
    route: Option<&'a Route>,
    place: u32,
    blocks: Blocks,
    block: u64,
}

impl<'a> RunOn<'a> {
    /// All places.
    pub(super) fn new(route: &'a Route, block: u64) -> Self {
        Self {
            route: Some(route),
            place: 0,
            blocks: Blocks::of(route.site(0), block),
            block,
        }
    }

    /// One place.
    pub(super) fn single(place: u32, blocks: Blocks) -> Self {
        Self {
            route: None,
            place,
            blocks,
            block: 0,
        }
    }

    /// The byte after the last one given.
    pub(super) fn at(&self) -> u64 {
        self.blocks.at
    }

    /// How far a failing run is followed: to the end of the place, or not beyond what was
    /// asked for.
    pub(super) fn limit(&self, follows: bool) -> u64 {
        if follows {
            self.blocks.end()
        } else {
            self.blocks.at
        }
    }

    /// Leaves out everything before `offset` at the place in progress.
    pub(super) fn skip_to(&mut self, offset: u64) {
        self.blocks.skip_to(offset.min(self.blocks.end()));
    }
}

impl Feed for RunOn<'_> {
    fn next(&mut self) -> Option<Piece> {
        loop {
            if let Some((offset, length)) = self.blocks.next() {
                return Some(Piece {
                    place: self.place,
                    offset,
                    length,
                    chunk: None,
                    is_last: self.route.is_some() && self.blocks.at >= self.blocks.end(),
                });
            }
            let route = self.route?;
            if self.place + 1 >= route.places() {
                return None;
            }
            self.place += 1;
            self.blocks = Blocks::of(route.site(self.place), self.block);
        }
    }
}

/// Pieces that are known, each with its chunk.
pub(super) struct Held {
    pieces: Vec<Piece>,
    next: usize,
}

impl Held {
    pub(super) fn new(pieces: Vec<Piece>) -> Self {
        Self { pieces, next: 0 }
    }
}

impl Feed for Held {
    fn next(&mut self) -> Option<Piece> {
        let piece = self.pieces.get(self.next).copied();
        self.next += 1;
        piece
    }
}
