//! Bad blocks as files, under fio's names: `NAME.OFFSET.received` and
//! `NAME.OFFSET.expected` in the working directory, NAME being the file's own.

use std::path::{Path, PathBuf};

/// One bad piece.
pub(crate) struct Dump<'a> {
    /// Where files go; empty is the working directory, as fio's.
    pub(crate) directory: &'a Path,
    /// The file that it was read from.
    pub(crate) file: &'a str,
    /// Where in it.
    pub(crate) offset: u64,
}

impl Dump<'_> {
    /// Writes both; returns words for the end of a message.
    pub(crate) fn write(&self, received: &[u8], expected: Option<&[u8]>) -> String {
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
