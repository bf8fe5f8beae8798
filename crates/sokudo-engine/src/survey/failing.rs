//! What a survey does when something fails: is the device gone, is it our own mistake, or
//! which blocks are unreadable.

use std::ops::Range;

use rustix::io::Errno;
use sokudo_model::{FailureKind, Operation, StopReason};

use super::narrow::{Prober, narrow};
use super::surveyor::{ASIDE, Failed, How, Surroundings, Surveyor};
use crate::backend::Backend;
use crate::clock::Clock;

/// So many failures may be looked into before any block could be read. A device that
/// reads nothing from its start is then taken for gone.
const BARREN_MAX: u32 = 8;

/// A block that could be read is tried so often before the device is taken for gone: a
/// single read may fail by a reset of the bus.
const TRIES_OF_GOOD_BLOCK: u32 = 2;

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

impl<B: Backend, C: Clock, S: Surroundings> Surveyor<'_, B, C, S> {
    /// Finds out what the I/Os that failed mean: notes unreadable ranges, or ends the
    /// survey. What was issued before `frontier` is known; a run that gets there is
    /// followed up to `limit`. Returns the first byte after all that is known now.
    pub(super) fn look_into_failures(&mut self, frontier: u64, limit: u64) -> Option<u64> {
        let mut failed = std::mem::take(&mut self.failed);
        failed.sort_by_key(|one| one.piece.offset);
        let first = *failed.first()?;
        if failed.iter().any(|one| is_our_mistake(one.kind)) || self.is_gone(first) {
            self.stop(StopReason::Failed);
            return None;
        }
        let mut known = 0;
        for (number, one) in failed.iter().enumerate() {
            let suspect = range_of(one);
            let suspect = suspect.start.max(known)..suspect.end;
            if suspect.is_empty() {
                continue;
            }
            let chain = failed[number + 1..]
                .iter()
                .map(range_of)
                .take_while(|next| next.start <= suspect.end.max(known))
                .fold(suspect.end, |end, next| {
                    if next.start <= end {
                        end.max(next.end)
                    } else {
                        end
                    }
                });
            let limit = if chain >= frontier {
                limit.max(chain)
            } else {
                chain
            };
            known = self.narrow(*one, suspect, limit)?;
        }
        Some(known)
    }

    fn narrow(&mut self, one: Failed, suspect: Range<u64>, limit: u64) -> Option<u64> {
        let block = self.means.logical_bytes;
        let mut runs = Vec::new();
        let end = narrow(self, suspect, limit, block, &mut |run| runs.push(run));
        if self.stopped.is_none() {
            for run in runs {
                self.defects
                    .note(one.operation, run.start, run.end, one.kind);
            }
        }
        end
    }

    /// Whether the device answers no more: the system says so, or what could be read
    /// before cannot be read again.
    fn is_gone(&mut self, failed: Failed) -> bool {
        let gone = self.means.surroundings.is_gone()
            || match self.known_good {
                Some(offset) => !self.answers(offset),
                None => {
                    self.barren += 1;
                    says_gone(failed) || self.barren >= BARREN_MAX
                }
            };
        if gone {
            let mark = self.good_mark;
            self.defects.return_to(mark);
        }
        gone
    }

    fn answers(&mut self, offset: u64) -> bool {
        let block = self.means.logical_bytes;
        for _ in 0..TRIES_OF_GOOD_BLOCK {
            self.alone(offset / block * block, block, ASIDE);
            let Some(failed) = self.failed.pop() else {
                return true;
            };
            // How it fails tells more than how a request that was under way did.
            self.tell_failure(failed);
        }
        self.stopped.is_some()
    }
}

impl<B: Backend, C: Clock, S: Surroundings> Prober for Surveyor<'_, B, C, S> {
    fn is_good(&mut self, range: Range<u64>) -> Option<bool> {
        let how = if self.survey.write_back || self.operation == Operation::Read {
            ASIDE
        } else {
            How {
                measured: false,
                is_told: false,
                ..self.measured(u64::MAX)
            }
        };
        self.alone(range.start, range.end - range.start, how);
        let good = self.failed.is_empty();
        self.failed.clear();
        self.stopped.is_none().then_some(good)
    }
}

fn range_of(failed: &Failed) -> Range<u64> {
    let start = failed.piece.offset;
    start..start + u64::from(failed.piece.length)
}

fn errno_of(kind: FailureKind) -> Option<Errno> {
    match kind {
        FailureKind::Errno(errno) => Some(Errno::from_raw_os_error(errno)),
        _ => None,
    }
}

fn is_our_mistake(kind: FailureKind) -> bool {
    errno_of(kind).is_some_and(|errno| OUR_MISTAKES.contains(&errno))
}

/// How devices that are gone answer: reads with nothing, writes as if they were full.
fn says_gone(failed: Failed) -> bool {
    match errno_of(failed.kind) {
        Some(Errno::NODEV | Errno::NXIO) => true,
        Some(Errno::NOSPC) => failed.operation == Operation::Write,
        Some(_) => false,
        None => failed.kind == FailureKind::Nothing,
    }
}
