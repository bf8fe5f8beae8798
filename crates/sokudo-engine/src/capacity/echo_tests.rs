//! Drives that answer from their buffer where they keep nothing are found as those are that
//! answer with zeros.

use std::collections::HashMap;

use super::medium::SECTOR_BYTES;
use super::*;

/// What is read where nothing is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Answer {
    Zeros,
    /// The block that was written last.
    Written,
    /// The block that was written or read last.
    Moved,
}

/// A controller that cuts addresses to `link` bytes, of which the first `real` are kept.
struct Controller {
    link: u64,
    real: u64,
    answer: Answer,
    /// By the sector of a cell, for which sector it was written.
    cells: HashMap<u64, u64>,
    /// What each sector of the block in the buffer was written for.
    buffer: [Option<u64>; SECTORS],
    now: u64,
}

const SECTORS: usize = (BLOCK_BYTES / SECTOR_BYTES) as usize;

impl Controller {
    fn cell(&self, at: u64) -> Option<u64> {
        let cut = at % self.link;
        (cut < self.real).then_some(cut)
    }

    fn read_block(&mut self, offset: u64) -> [Option<u64>; SECTORS] {
        let mut block = [None; SECTORS];
        for (number, written_for) in block.iter_mut().enumerate() {
            let at = offset + number as u64 * SECTOR_BYTES;
            *written_for = match self.cell(at) {
                Some(cell) => self.cells.get(&cell).copied(),
                None if self.answer == Answer::Zeros => None,
                None => self.buffer[number],
            };
        }
        if self.answer == Answer::Moved {
            self.buffer = block;
        }
        block
    }
}

impl Medium for Controller {
    fn write(&mut self, offset: u64, bytes: u64) -> std::io::Result<()> {
        self.now += 1_000;
        for at in (offset..offset + bytes).step_by(SECTOR_BYTES as usize) {
            if let Some(cell) = self.cell(at) {
                self.cells.insert(cell, at);
            }
            self.buffer[(at % BLOCK_BYTES / SECTOR_BYTES) as usize] = Some(at);
        }
        Ok(())
    }

    fn read(&mut self, offset: u64, bytes: u64, all: &mut Vec<Held>) -> std::io::Result<()> {
        self.now += 1_000;
        for at in (offset..offset + bytes).step_by(BLOCK_BYTES as usize) {
            let sectors = (at..).step_by(SECTOR_BYTES as usize);
            let held = sectors.zip(self.read_block(at));
            all.extend(held.map(|(at, written_for)| match written_for {
                Some(own) if own == at => Held::Own,
                Some(other) => Held::Other(Bytes(other)),
                None => Held::Nothing,
            }));
        }
        Ok(())
    }

    fn settle(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    fn now_ns(&self) -> u64 {
        self.now
    }
}

const SIZE: u64 = 64 << 20;

fn check(is_whole: bool, link: u64, real: u64, answer: Answer) -> CapacityCheck {
    let medium = Controller {
        link,
        real,
        answer,
        cells: HashMap::new(),
        buffer: [None; SECTORS],
        now: 0,
    };
    let tally = Tally::new(&Workload::new("capacity", Bytes(BLOCK_BYTES)));
    let control = Control::new();
    let mut listener = |_| {};
    let check = CheckInProgress::new(medium, tally, SIZE, 7, &control, &mut listener);
    let outcome = check.run(is_whole, BackendKind::Sim, true);
    assert_eq!(outcome.stopped, StopReason::Ended);
    outcome.capacity.unwrap()
}

#[test]
fn what_a_buffer_answers_is_nothing_that_is_kept() {
    const MIB: u64 = 1 << 20;
    let limbo = SIZE;
    for (link, real) in [
        (16 * MIB, 9 * MIB),
        (16 * MIB, 9 * MIB + 512),
        (8 * MIB, 5 * MIB),
        (limbo, 22 * MIB),
        (limbo, 22 * MIB + 1536),
        // Nothing is lost, and all beyond is shared.
        (25 * MIB, 25 * MIB),
    ] {
        for is_whole in [false, true] {
            let known = check(is_whole, link, real, Answer::Zeros);
            let lost = known.samples.iter().any(|it| it.held == Held::Nothing);
            assert_eq!(lost, link > real, "{link} {real}");
            for answer in [Answer::Written, Answer::Moved] {
                let found = check(is_whole, link, real, answer);
                let pairs = known.samples.iter().zip(&found.samples);
                let other = pairs.into_iter().find(|(known, found)| known != found);
                let case = format!("{link} {real} {is_whole} {answer:?}");
                assert_eq!(other, None, "{case}");
                assert_eq!(
                    (found.own, found.shared),
                    (known.own, known.shared),
                    "{case}"
                );
                assert_eq!(found.samples.len(), known.samples.len(), "{case}");
            }
        }
    }
}
