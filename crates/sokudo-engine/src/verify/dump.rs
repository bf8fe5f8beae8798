//! Bad blocks as files, under fio's names: `NAME.OFFSET.received` and
//! `NAME.OFFSET.expected` in the working directory, NAME being the file's own.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use sokudo_sys::NamedEntry;

use super::Verifier;
use super::header::VerifyHeader;
use super::judge::VerifyInterval;

impl Verifier {
    /// Writes what was received, and what was expected where that is known, to files.
    /// Returns words for the end of a message.
    pub(super) fn dump_both(
        &mut self,
        piece: &[u8],
        file: &str,
        interval: VerifyInterval,
    ) -> String {
        let name = Path::new(file).file_name().unwrap_or_default();
        let name = format!("{}.{}", name.to_string_lossy(), interval.offset());
        let mut words = self.dump(&name, "received", piece);
        match self.remake(piece, interval) {
            Some(expected) => words.push_str(&self.dump(&name, "expected", &expected)),
            None => words.push_str("; what was written is not known, so that it is not dumped"),
        }
        words
    }

    fn dump(&self, name: &str, what: &str, bytes: &[u8]) -> String {
        let path = self.dump_to.join(format!("{name}.{what}"));
        let options = OpenOptions::new().write(true).truncate(true).to_owned();
        let file = NamedEntry::of(&path).and_then(|entry| entry.open_or_create(&options));
        match file.and_then(|mut file| file.write_all(bytes)) {
            Ok(()) => format!("; {what} data dumped as {}", path.display()),
            Err(error) => format!("; cannot write {}: {error}", path.display()),
        }
    }

    /// The piece as it was written: by its serial, or else by its own header.
    fn remake(&mut self, piece: &[u8], interval: VerifyInterval) -> Option<Vec<u8>> {
        if piece.len() <= self.writer.overhead() {
            return None;
        }
        let mut made = piece.to_vec();
        let serial = interval.serials.map(|(_, latest)| latest);
        let latest = serial.unwrap_or(0);
        let mut header = self.writer.header(latest, interval.block, piece.len());
        if serial.is_none() && self.writer.overhead() > 0 {
            self.move_header(&mut made);
            let found = VerifyHeader::read(&made).ok()?;
            (header.seed, header.serial) = (found.seed, found.serial);
        }
        self.writer.make(&mut made, header, interval.start);
        self.move_header(&mut made);
        Some(made)
    }
}
