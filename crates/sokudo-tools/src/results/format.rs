//! The formats that are read, each with its reader.

use std::io::BufRead;

use super::reader::{Import, ImportError};
use super::text;

/// Bytes of a text by which its format is recognised.
pub(crate) const HEAD_BYTES: usize = 64 << 10;

/// A format of a tool.
pub(crate) struct Reader {
    /// Such as `fio json+`.
    pub(crate) format: &'static str,
    /// Whether a text that begins so looks like it.
    pub(crate) recognise: fn(head: &str) -> bool,
    source: Source,
}

/// What a reader reads all of.
pub(crate) enum Source {
    /// A short text in whatever encoding.
    Text(fn(&str) -> Result<Import, ImportError>),
    /// Such a text, and the name of its file, without which it does not tell what it is of.
    Named(fn(name: &str, text: &str) -> Result<Import, ImportError>),
    Bytes(fn(&mut dyn BufRead) -> Result<Import, ImportError>),
}

impl Reader {
    pub(crate) const fn new(
        format: &'static str,
        recognise: fn(&str) -> bool,
        source: Source,
    ) -> Self {
        Self {
            format,
            recognise,
            source,
        }
    }

    /// Reads a file of this name.
    pub(crate) fn read(&self, name: &str, source: &mut dyn BufRead) -> Result<Import, ImportError> {
        match self.source {
            Source::Named(read) => read(name, &text::whole(self.format, source)?),
            Source::Text(read) => read(&text::whole(self.format, source)?),
            Source::Bytes(read) => read(source),
        }
    }
}
