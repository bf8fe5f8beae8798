//! A short text in whatever encoding it was kept, as lines.
//!
//! The tools whose texts are read here print a few kilobytes; a log of many runs has some
//! megabytes. What is longer is refused, so that no text costs much memory.

use std::io::{BufRead, Read};

use sokudo_words::{Text, text};

use crate::results::row::ROWS_MAX;
use crate::results::{ImportError, LeftOut};

/// A log of 100,000 runs of hdparm has 12 MB.
const TEXT_BYTES_MAX: u64 = 16 << 20;
/// No tool prints longer lines but json, which has readers of its own; longer ones are
/// not looked at.
const LINE_BYTES_MAX: usize = 4 << 10;
/// Names of people, disks and files are cut behind so many signs.
const LABEL_SIGNS_MAX: usize = 200;
/// So many parts that cannot be used are told one by one.
const LEFT_OUT_MAX: usize = 100;

/// A line and its number, from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'text> {
    pub(crate) number: u64,
    pub(crate) text: &'text str,
}

/// All of a text.
///
/// # Errors
/// When it cannot be read, or is longer than any text of this format is.
pub(crate) fn whole(format: &'static str, source: &mut dyn BufRead) -> Result<String, ImportError> {
    let mut bytes = Vec::new();
    source
        .take(TEXT_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(ImportError::Io)?;
    if bytes.len() as u64 > TEXT_BYTES_MAX {
        return Err(ImportError::Broken {
            format,
            why: text!(
                "it is longer than {} MiB; import the part that holds the results",
                TEXT_BYTES_MAX >> 20
            ),
        });
    }
    Ok(decoded(&bytes))
}

/// A text or the beginning of one: UTF-8 and UTF-16 with or without a byte order mark.
/// What is no text becomes U+FFFD.
pub(crate) fn decoded(bytes: &[u8]) -> String {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        // A text of these tools begins with signs of ASCII.
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => {
            utf16(bytes, u16::from_le_bytes)
        }
        _ => utf8(bytes),
    }
}

fn utf8(bytes: &[u8]) -> String {
    // What is valid is recognised many times faster than it is mended.
    match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    char::decode_utf16(units)
        .map(|sign| sign.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// Its lines without their ends. Of a line that a progress display has written over and
/// over, the last state.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> + Clone {
    text.lines().zip(1..).map(|(text, number)| {
        let text = text.trim_end_matches('\r');
        let text = text.rsplit('\r').next().unwrap_or(text);
        let text = if text.len() > LINE_BYTES_MAX {
            ""
        } else {
            text
        };
        Line { number, text }
    })
}

/// As many of its lines as rows are kept of a text; those beyond are noted.
pub(crate) fn lines_of_rows<'text>(
    text: &'text str,
    left_out: &mut Vec<LeftOut>,
) -> impl Iterator<Item = Line<'text>> + use<'text> {
    if let Some(beyond) = lines(text).nth(ROWS_MAX) {
        let why = text!("there are more than {ROWS_MAX} lines; split the file");
        leave_out(left_out, beyond.number, why);
    }
    lines(text).take(ROWS_MAX)
}

/// A name as it can be shown: on one line, without signs that command a terminal, and of
/// limited length. `None` where nothing is left.
pub(crate) fn label(text: &str) -> Option<String> {
    let signs = text.trim().chars();
    let label: String = signs
        .map(|sign| if sign.is_control() { ' ' } else { sign })
        .take(LABEL_SIGNS_MAX)
        .collect();
    let label = label.trim();
    (!label.is_empty()).then(|| label.to_owned())
}

/// Notes a line that cannot be used; of very many, that there are more.
pub(crate) fn leave_out(left_out: &mut Vec<LeftOut>, line: u64, why: impl Into<Text>) {
    leave_out_of(left_out, Some(line), why);
}

/// Notes a part that cannot be used, of a format that may have no lines.
pub(crate) fn leave_out_of(left_out: &mut Vec<LeftOut>, line: Option<u64>, why: impl Into<Text>) {
    let why = match left_out.len() {
        0..LEFT_OUT_MAX => why.into(),
        LEFT_OUT_MAX => "this part and more: too much that cannot be used".into(),
        _ => return,
    };
    left_out.push(LeftOut { line, why });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = "[Read]\r\n 速度";
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [
            text.as_bytes().to_vec(),
            [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
            le.clone(),
            [b"\xFF\xFE", &le[..]].concat(),
            [b"\xFE\xFF", &be[..]].concat(),
        ] {
            assert_eq!(decoded(&bytes), text);
        }
        assert_eq!(decoded(b"\xFF\xFE\x00"), "");
        assert_eq!(decoded(b"a\xFFb"), "a\u{FFFD}b");
        assert_eq!(decoded(b"\xFF\xFE\x00\xD8"), "\u{FFFD}");
    }

    #[test]
    fn of_a_line_that_was_written_over_the_last_state_counts() {
        let text = "1 %\r2 %\r\nend\r\n";
        let found: Vec<_> = lines(text).map(|line| (line.number, line.text)).collect();
        assert_eq!(found, [(1, "2 %"), (2, "end")]);
    }

    #[test]
    fn an_endless_text_is_refused() {
        let mut endless = std::io::BufReader::new(std::io::repeat(b'x'));
        let error = whole("dd", &mut endless).unwrap_err().to_string();
        assert!(error.contains("longer than 16 MiB"), "{error}");
    }

    #[test]
    fn a_name_commands_no_terminal_and_has_an_end() {
        assert_eq!(label(" \u{1b}[31mred\n").as_deref(), Some("[31mred"));
        assert_eq!(label("\u{7}\n"), None);
        assert_eq!(label(&"x".repeat(1000)).map(|name| name.len()), Some(200));
    }
}
