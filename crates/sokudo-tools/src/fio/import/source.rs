//! A text as pieces: lines, and JSON values that begin where a line does.
//!
//! Nothing of a text is kept but the line that is looked at. In JSON, bytes between two
//! quotes are bounded, so that no name or number of a hostile one fills the memory.

use std::io::{self, BufRead, ErrorKind, Read};

/// What is longer of a line is not looked at: fio's terse lines have 2 KB.
const LINE_BYTES_MAX: usize = 64 << 10;
/// In JSON fio prints no more without a quote.
const UNQUOTED_BYTES_MAX: usize = 4 << 20;
/// A text is not read further than this.
const TEXT_BYTES_MAX: u64 = 4 << 30;
const BUFFER_BYTES: usize = 32 << 10;

/// What comes next in a text.
pub(super) enum SourceToken<'text> {
    /// A line without the blanks at its beginning, with its number from 1.
    Line(u64, &'text str),
    /// The next byte is the brace that begins a JSON value.
    Json,
}

/// A text that is read from its beginning to its end.
pub(super) struct TextSource<'text> {
    source: &'text mut dyn BufRead,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    /// Of the byte that is read next, from 1.
    line: u64,
    bytes: u64,
    /// Bytes since the last quote, and whether the last byte was a backslash.
    unquoted: usize,
    is_escaped: bool,
    text: String,
}

impl<'text> TextSource<'text> {
    pub(super) fn new(source: &'text mut dyn BufRead) -> Self {
        Self {
            source,
            buffer: vec![0; BUFFER_BYTES],
            at: 0,
            end: 0,
            line: 1,
            bytes: 0,
            unquoted: 0,
            is_escaped: false,
            text: String::new(),
        }
    }

    /// The number of the line that is read next.
    pub(super) const fn line(&self) -> u64 {
        self.line
    }

    /// The next piece; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<SourceToken<'_>>> {
        while let Some(byte) = self.peek()? {
            match byte {
                b'{' => {
                    self.unquoted = 0;
                    return Ok(Some(SourceToken::Json));
                }
                // Blanks, a byte order mark, and what stands between documents in a list.
                b' ' | b'\t' | b'\r' | b'\n' | b',' | b'[' | b']' | 0xEF | 0xBB | 0xBF => {
                    self.advance(byte);
                }
                _ => return self.rest_of_line().map(Some),
            }
        }
        Ok(None)
    }

    fn rest_of_line(&mut self) -> io::Result<SourceToken<'_>> {
        let number = self.line;
        let mut bytes = Vec::new();
        while let Some(byte) = self.peek()? {
            self.advance(byte);
            match byte {
                b'\n' => break,
                _ if bytes.len() < LINE_BYTES_MAX => bytes.push(byte),
                _ => {}
            }
        }
        self.text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(SourceToken::Line(number, self.text.trim_end()))
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.at == self.end {
            if self.bytes > TEXT_BYTES_MAX {
                let why = format!("the text goes on after {} GiB", TEXT_BYTES_MAX >> 30);
                return Err(io::Error::new(ErrorKind::FileTooLarge, why));
            }
            self.end = loop {
                match self.source.read(&mut self.buffer) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    read => break read?,
                }
            };
            self.at = 0;
            self.bytes += self.end as u64;
        }
        Ok((self.at < self.end).then(|| self.buffer[self.at]))
    }

    #[inline]
    const fn advance(&mut self, byte: u8) {
        self.at += 1;
        self.line += (byte == b'\n') as u64;
    }
}

/// The JSON value that begins next, byte by byte: whoever reads it asks for one at a time,
/// and so takes none that follows it.
impl Read for TextSource<'_> {
    #[inline]
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.end && self.peek()?.is_none() {
            return Ok(0);
        }
        let Some(first) = out.first_mut() else {
            return Ok(0);
        };
        let byte = self.buffer[self.at];
        self.unquoted += 1;
        if byte == b'"' && !self.is_escaped {
            self.unquoted = 0;
        }
        self.is_escaped = byte == b'\\';
        if self.unquoted > UNQUOTED_BYTES_MAX {
            let why = "no tool prints so much without a quote";
            return Err(io::Error::new(ErrorKind::InvalidData, why));
        }
        *first = byte;
        self.advance(byte);
        Ok(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_values_follow_each_other() {
        let mut text = &b"warning: x\n\n[{\"a\": 1},\n{\"b\":2}]\n  end"[..];
        let mut source = TextSource::new(&mut text);
        let mut seen = Vec::new();
        while let Some(piece) = source.next().unwrap() {
            if let SourceToken::Line(number, line) = piece {
                seen.push(format!("{number}: {line}"));
                continue;
            }
            let mut json = serde_json::Deserializer::from_reader(&mut source);
            let value: serde_json::Value = serde::Deserialize::deserialize(&mut json).unwrap();
            seen.push(value.to_string());
        }
        assert_eq!(
            seen,
            ["1: warning: x", r#"{"a":1}"#, r#"{"b":2}"#, "5: end"]
        );
    }

    #[test]
    fn what_never_ends_is_not_kept() {
        let endless = |text: &'static [u8]| {
            let mut source = io::BufReader::new(text.chain(io::repeat(b'1')));
            let mut source = TextSource::new(&mut source);
            assert!(matches!(source.next().unwrap(), Some(SourceToken::Json)));
            let mut json = serde_json::Deserializer::from_reader(&mut source);
            let read: Result<serde::de::IgnoredAny, _> = serde::Deserialize::deserialize(&mut json);
            read.unwrap_err().to_string()
        };
        for text in [&b"{\"a\": \""[..], b"{\"a\": ", b"{\"\\\"\\\""] {
            assert!(endless(text).contains("without a quote"));
        }
    }
}
