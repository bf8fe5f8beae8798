//! What it means that I/Os of a survey failed: is it our own mistake, is the device gone, or
//! which blocks are unreadable.
//!
//! An inquiry asks for one I/O after the other and is told how each went. It does none
//! itself.

use std::ops::Range;

use rustix::io::Errno;
use sokudo_model::{FailureKind, Operation};

use super::bisect::narrow;
use super::io::Failed;

/// Errors that say that we asked for something wrong, or may not: they say nothing about
/// the medium, and would be the same everywhere.
const OUR_MISTAKES: [Errno; 9] = [
    Errno::PERM,
    Errno::BADF,
    Errno::NOMEM,
    Errno::ACCESS,
    Errno::FAULT,
    Errno::INVAL,
    Errno::FBIG,
    Errno::ROFS,
    Errno::OPNOTSUPP,
];

/// A block that could be read is tried so often before the device is taken for gone: a
/// single read may fail by a reset of the bus.
const TRIES_OF_GOOD_BLOCK: u32 = 2;

/// Looks into I/Os that failed together.
#[derive(Debug, Default)]
pub(super) struct Inquiry {
    /// In order of offset.
    failed: Vec<Failed>,
    /// What was issued before it is known; a run that gets there is followed up to `limit`.
    frontier: u64,
    limit: u64,
    /// A block that could be read before, while it is not known whether it still can be.
    good: Option<u64>,
    tries: u32,
    /// Those of the failed that have been looked into.
    done: usize,
    /// How the probes of the next one went.
    answers: Vec<bool>,
    /// The byte before which everything is known.
    known: u64,
}

/// What an inquiry comes to.
pub(super) enum InquiryResult {
    /// Whether this can be read, which could be read before, is to be tried.
    TryGood(u64),
    /// What could be read before cannot be read any more.
    Gone,
    /// Whether this can be read, or written, is to be tried.
    Probe(Range<u64>),
    /// These ranges are bad, found by looking into this failure.
    Bad(Failed, Vec<Range<u64>>),
    /// All has been looked into; this is the first byte after what is known.
    Known(u64),
}

impl Inquiry {
    /// Into these, of which there is at least one. `good` is a block that could be read.
    pub(super) fn new(
        mut failed: Vec<Failed>,
        frontier: u64,
        limit: u64,
        good: Option<u64>,
    ) -> Self {
        failed.sort_by_key(|one| one.rest.start);
        Self {
            failed,
            frontier,
            limit,
            good,
            ..Self::default()
        }
    }

    /// Whether we asked for something wrong.
    pub(super) fn is_our_mistake(&self) -> bool {
        let mut errnos = self.failed.iter().filter_map(|one| errno_of(one.kind));
        errnos.any(|errno| OUR_MISTAKES.contains(&errno))
    }

    /// Whether the first one failed as I/Os on devices that are gone do: reads move
    /// nothing, writes fail as if the device were full.
    pub(super) fn says_gone(&self) -> bool {
        self.failed
            .first()
            .is_some_and(|first| match errno_of(first.kind) {
                Some(Errno::NODEV | Errno::NXIO) => true,
                Some(Errno::NOSPC) => first.io.operation == Operation::Write,
                Some(_) => false,
                None => first.kind == FailureKind::Nothing,
            })
    }

    /// The first place of which it is not known what it is, with its byte.
    pub(super) fn unknown(&self) -> Option<(u32, u64)> {
        let one = self.failed.get(self.done)?;
        Some((one.io.sample_index, one.rest.start.max(self.known)))
    }

    /// Whether it is a good block that has been tried.
    pub(super) fn is_trying_good(&self) -> bool {
        self.good.is_some()
    }

    /// Notes how what was asked for went.
    pub(super) fn answer(&mut self, is_good: bool) {
        match self.good {
            None => self.answers.push(is_good),
            Some(_) if is_good => self.good = None,
            Some(_) => self.tries += 1,
        }
    }

    /// What follows from all that is known, in units of `block`.
    pub(super) fn next(&mut self, block: u64) -> InquiryResult {
        match self.good {
            Some(_) if self.tries >= TRIES_OF_GOOD_BLOCK => return InquiryResult::Gone,
            Some(offset) => return InquiryResult::TryGood(offset),
            None => {}
        }
        while let Some(one) = self.failed.get(self.done) {
            let suspect = one.rest.start.max(self.known)..one.rest.end;
            if suspect.is_empty() {
                self.done += 1;
                continue;
            }
            let limit = self.limit_of(suspect.end);
            // Narrowing down is begun anew for each answer, which costs nothing beside the I/O
            // that it took.
            let mut answers = self.answers.iter();
            let mut asks = suspect.clone();
            let mut is_good = |range| {
                let answer = answers.next().copied();
                asks = range;
                answer
            };
            let Some((runs, end)) = narrow(&mut is_good, suspect, limit, block) else {
                return InquiryResult::Probe(asks);
            };
            let one = one.clone();
            self.known = end;
            self.done += 1;
            self.answers.clear();
            return InquiryResult::Bad(one, runs);
        }
        InquiryResult::Known(self.known)
    }

    /// How far a run that gets to `end` is followed: through what failed right behind it, and
    /// on where that is all that was issued.
    fn limit_of(&self, end: u64) -> u64 {
        let behind = self.failed[self.done + 1..].iter();
        let followed = behind.take_while(|next| next.rest.start <= end);
        let chain = followed.map(|next| next.rest.end).fold(end, u64::max);
        if chain >= self.frontier {
            self.limit.max(chain)
        } else {
            chain
        }
    }
}

fn errno_of(kind: FailureKind) -> Option<Errno> {
    match kind {
        FailureKind::Errno(errno) => Some(Errno::from_raw_os_error(errno)),
        _ => None,
    }
}
