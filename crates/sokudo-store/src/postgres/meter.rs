//! Counts what a server sends. The library below reads whatever is announced into memory,
//! so that a server which has gone wrong could take all of it.

use sokudo_words::{Text, text};
use std::io;

/// One message holds a run at most: a million points are packed into 30 MB.
const MESSAGE_BYTES_MAX: u64 = 64 << 20;
/// All that answers one question: ten thousand runs are asked for at most, of a hundred
/// rows.
const ANSWER_BYTES_MAX: u64 = 256 << 20;
/// What a message takes in memory besides its bytes, roughly.
const MESSAGE_BYTES_BESIDES: u64 = 128;
/// A message begins with its kind and the length of what follows, its own four bytes among
/// it.
const HEAD_BYTES: usize = 5;
const LENGTH_BYTES: u64 = 4;
/// The kind of the message that ends an answer.
const READY: u8 = b'Z';

/// Follows the messages of a server.
#[derive(Debug, Default)]
pub(super) struct Meter {
    head: [u8; HEAD_BYTES],
    head_filled: usize,
    /// What is yet to come of the message.
    body_left: u64,
    /// All since the last answer's end.
    answer_bytes: u64,
    /// Whether an answer has ended since somebody asked.
    is_answered: bool,
}

impl Meter {
    /// Takes note of bytes that have come.
    ///
    /// # Errors
    /// When they announce more than any answer holds.
    pub(super) fn see(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.body_left > 0 {
                let here = self.body_left.min(bytes.len() as u64);
                self.body_left -= here;
                bytes = &bytes[usize::try_from(here).expect("no more than there are")..];
                continue;
            }
            self.head[self.head_filled] = bytes[0];
            self.head_filled += 1;
            bytes = &bytes[1..];
            if self.head_filled == HEAD_BYTES {
                self.head_filled = 0;
                self.begin()?;
            }
        }
        Ok(())
    }

    /// Whether an answer has ended since this was asked for last.
    pub(super) fn take_answered(&mut self) -> bool {
        std::mem::take(&mut self.is_answered)
    }

    fn begin(&mut self) -> io::Result<()> {
        let [kind, length @ ..] = self.head;
        let length = u64::from(u32::from_be_bytes(length));
        self.body_left = length.checked_sub(LENGTH_BYTES).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "it does not speak PostgreSQL's protocol",
            )
        })?;
        if self.body_left > MESSAGE_BYTES_MAX {
            return Err(too_much("a message", MESSAGE_BYTES_MAX));
        }
        if kind == READY {
            self.answer_bytes = 0;
            self.is_answered = true;
            return Ok(());
        }
        self.answer_bytes += self.body_left + MESSAGE_BYTES_BESIDES;
        match self.answer_bytes > ANSWER_BYTES_MAX {
            true => Err(too_much("an answer", ANSWER_BYTES_MAX)),
            false => Ok(()),
        }
    }
}

fn too_much(what: &'static str, most: u64) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        text!(
            "it sends {} of more than {} MiB, which no store of sokudo's does",
            Text::from(what),
            most >> 20
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u8, length: u32) -> Vec<u8> {
        [&[kind][..], &length.to_be_bytes()].concat()
    }

    #[test]
    fn what_is_announced_is_refused_before_it_comes() {
        let mut meter = Meter::default();
        let error = meter.see(&message(b'D', 2_000_000_000)).unwrap_err();
        assert!(error.to_string().contains("64 MiB"), "{error}");
    }

    #[test]
    fn rows_without_end_are_cut_off_however_small() {
        let row = message(b'D', 4);
        let mut meter = Meter::default();
        let count = (0..).take_while(|_| meter.see(&row).is_ok()).count() as u64;
        assert_eq!(count, ANSWER_BYTES_MAX / MESSAGE_BYTES_BESIDES);
    }

    #[test]
    fn answers_are_counted_apart_in_whatever_pieces_they_come() {
        let mut answer = message(b'D', 4 + 1_000);
        answer.extend([0; 1_000]);
        answer.extend(message(READY, 5));
        answer.push(b'I');
        let mut meter = Meter::default();
        for size in 1..answer.len() {
            for piece in answer.chunks(size) {
                meter.see(piece).unwrap();
            }
            assert_eq!((meter.answer_bytes, meter.body_left), (0, 0), "{size}");
        }
        assert!(Meter::default().see(&message(b'R', 3)).is_err());
    }
}
