//! Bad blocks as files, under fio's names: `NAME.OFFSET.received` and
//! `NAME.OFFSET.expected` in the working directory, NAME being the file's own.

use std::path::{Path, PathBuf};

use super::Verifier;
use super::header::VerifyHeader;
use super::judge::VerifyInterval;

/// One bad piece.
struct Dump<'a> {
    /// Where files go; empty is the working directory, as fio's.
    directory: &'a Path,
    /// The file that it was read from.
    file: &'a str,
    /// Where in it.
    offset: u64,
}

impl Dump<'_> {
    /// Writes both; returns words for the end of a message.
    fn write(&self, received: &[u8], expected: Option<&[u8]>) -> String {
        let mut words = self.write_one("received", received);
        match expected {
            Some(expected) => words.push_str(&self.write_one("expected", expected)),
            None => words.push_str("; what was written is not known, so that it is not dumped"),
        }
        words
    }

    fn write_one(&self, what: &str, bytes: &[u8]) -> String {
        let path = self.path(what);
        match std::fs::write(&path, bytes) {
            Ok(()) => format!("; {what} data dumped as {}", path.display()),
            Err(error) => format!("; cannot write {}: {error}", path.display()),
        }
    }

    fn path(&self, what: &str) -> PathBuf {
        let name = Path::new(self.file).file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        self.directory
            .join(format!("{name}.{}.{what}", self.offset))
    }
}

impl Verifier {
    /// Writes what was received, and what was expected where that is known, to files.
    pub(super) fn dump_both(&mut self, piece: &[u8], file: &str, place: VerifyInterval) -> String {
        let expected = self.remake(piece, place);
        let dump = Dump {
            directory: &self.dump_to,
            file,
            offset: place.offset(),
        };
        dump.write(piece, expected.as_deref())
    }

    /// The piece as it was written: by its serial, or else by its own header.
    fn remake(&mut self, piece: &[u8], place: VerifyInterval) -> Option<Vec<u8>> {
        if piece.len() <= self.writer.overhead() {
            return None;
        }
        let mut made = piece.to_vec();
        let (seed, serial) = match place.serials {
            Some((_, latest)) => (self.writer.seed_of(latest), latest),
            None if self.writer.is_pattern && self.writer.overhead() == 0 => (0, 0),
            None => {
                self.move_header(&mut made);
                let header = VerifyHeader::read(&made).ok()?;
                (header.seed, u64::from(header.serial))
            }
        };
        self.make(&mut made, seed, serial, place.block, place.start);
        Some(made)
    }
}
