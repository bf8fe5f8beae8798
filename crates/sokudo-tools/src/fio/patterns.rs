//! `buffer_pattern` and `verify_pattern`: `"text"`, `0xdeadbeef`, `1234`, `%o` and
//! `'file'`, one after the other with nothing between them.

use std::collections::HashMap;

use sokudo_model::PatternPart;

use crate::language::host::Host;

/// Longest pattern in bytes (fio: `MAX_PATTERN_SIZE`).
const PATTERN_BYTES_MAX: usize = 512;

/// What files hold that a pattern names, by name.
pub(super) type PatternFiles = HashMap<String, Vec<u8>>;

/// Reads the files that a pattern names; of each no more than a pattern may have, as fio
/// does. What is no pattern names none.
pub(super) fn read_files(text: &str, host: &dyn Host) -> Result<PatternFiles, String> {
    let mut files = PatternFiles::new();
    let mut rest = text;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = &rest[start..=start];
        let Some((inside, after)) = rest[start + 1..].split_once(quote) else {
            break;
        };
        if quote == "'" {
            let bytes = host.read_bytes(inside, PATTERN_BYTES_MAX as u64)?;
            if bytes.is_empty() {
                return Err(format!("{inside} is empty; a pattern has a byte at least"));
            }
            files.insert(inside.to_owned(), bytes);
        }
        rest = after;
    }
    Ok(files)
}

/// The pieces of a pattern, or what is wrong with it.
pub(super) fn pattern(text: &str, files: &PatternFiles) -> Option<Vec<PatternPart>> {
    let mut parts = Vec::new();
    let mut bytes = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('"') {
            let (quoted, after) = after.split_once('"')?;
            bytes.extend_from_slice(quoted.as_bytes());
            rest = after;
        } else if let Some(after) = rest.strip_prefix('\'') {
            let (path, after) = after.split_once('\'')?;
            let room = PATTERN_BYTES_MAX
                .checked_sub(bytes.len())
                .filter(|n| *n > 0)?;
            bytes.extend(files.get(path)?.iter().take(room));
            rest = after;
        } else if let Some(after) = rest.strip_prefix("%o") {
            if !bytes.is_empty() {
                parts.push(PatternPart::Bytes(std::mem::take(&mut bytes)));
            }
            parts.push(PatternPart::Offset);
            rest = after;
        } else if let Some(after) = (rest.strip_prefix("0x")).or(rest.strip_prefix("0X")) {
            let (digits, after) = split(after, |c| c.is_ascii_hexdigit());
            bytes.extend(hexadecimal(digits)?);
            rest = after;
        } else {
            // Only before a decimal number does fio pass over blanks.
            let number = rest.trim_start();
            let unsigned = number.strip_prefix('-').unwrap_or(number);
            let (digits, after) = split(unsigned, |c| c.is_ascii_digit());
            let value: i64 = digits.parse().ok()?;
            let negative = unsigned.len() < number.len();
            bytes.extend(decimal(if negative { -value } else { value }));
            rest = after;
        }
        if bytes.len() > PATTERN_BYTES_MAX || parts.len() > PATTERN_BYTES_MAX {
            return None;
        }
    }
    if !bytes.is_empty() {
        parts.push(PatternPart::Bytes(bytes));
    }
    (!parts.is_empty()).then_some(parts)
}

/// A pattern of bytes alone.
pub(super) fn bytes(text: &str, files: &PatternFiles) -> Option<Vec<u8>> {
    match pattern(text, files)?.as_slice() {
        [PatternPart::Bytes(bytes)] => Some(bytes.clone()),
        _ => None,
    }
}

/// The digits that `text` begins with, and what follows: of `ff0xaa` the 0 begins the
/// next piece.
fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    let begins_another = text[end..].starts_with(['x', 'X']) && text[..end].ends_with('0');
    text.split_at(end - usize::from(begins_another))
}

/// Digit pairs in the order in which they are written; a first digit without a pair is
/// a byte by itself (fio: `0xabc` is 0a bc).
fn hexadecimal(digits: &str) -> Option<Vec<u8>> {
    let odd = digits.len() % 2;
    let first = (odd == 1).then(|| digits.get(..1)).flatten();
    let pairs = digits.as_bytes().get(odd..)?.chunks(2);
    let pairs = pairs.map(|pair| std::str::from_utf8(pair).ok());
    let values: Option<Vec<u8>> = std::iter::once(first)
        .filter(Option::is_some)
        .chain(pairs)
        .map(|pair| u8::from_str_radix(pair?, 16).ok())
        .collect();
    values.filter(|values| !values.is_empty())
}

/// Low byte first, without the high bytes that are 0; at least one byte.
fn decimal(number: i64) -> Vec<u8> {
    let bytes = if i32::try_from(number).is_ok() {
        let [a, b, c, d, ..] = number.to_le_bytes();
        vec![a, b, c, d]
    } else {
        number.to_le_bytes().to_vec()
    };
    let length = bytes
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(1, |last| last + 1);
    bytes[..length].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::host::NoHost;

    fn bytes(text: &str) -> Option<Vec<u8>> {
        super::bytes(text, &PatternFiles::new())
    }

    fn pattern(text: &str) -> Option<Vec<PatternPart>> {
        super::pattern(text, &PatternFiles::new())
    }

    /// The same texts and bytes as `fio --buffer_pattern` of 3.33 writes them.
    #[test]
    fn pieces_follow_one_another_without_a_sign_between_them() {
        for (text, expected) in [
            ("0xff0xaa", &b"\xff\xaa"[..]),
            ("0XFF0x1", b"\xff\x01"),
            ("12 34", b"\x0c\x22"),
            ("-100xab", b"\xf6\xff\xff\xff\xab"),
            ("0xdeadbeef-1", b"\xde\xad\xbe\xef\xff\xff\xff\xff"),
            ("\"ab\"\"cd\"", b"abcd"),
        ] {
            assert_eq!(bytes(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["0xff,0xaa", "0xff 0xaa", "12,34", "0xffgg", "abcd"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }

    #[test]
    fn files_are_pieces_and_are_cut_off_where_a_pattern_ends() {
        let files = PatternFiles::from([
            ("pat".to_owned(), b"hello\n".to_vec()),
            ("big".to_owned(), vec![7; PATTERN_BYTES_MAX]),
        ]);
        let of = |text| super::bytes(text, &files);
        assert_eq!(of("\"ab\"'pat'0x11"), Some(b"abhello\n\x11".to_vec()));
        assert_eq!(
            of("1'big'").map(|bytes| bytes.len()),
            Some(PATTERN_BYTES_MAX)
        );
        for text in ["'none'", "'pat", "'big''pat'"] {
            assert_eq!(of(text), None, "{text}");
        }
        assert!(read_files("0x1'nofile'", &NoHost).is_err());
        assert_eq!(read_files("\"it's\"", &NoHost), Ok(PatternFiles::new()));
    }

    #[test]
    fn patterns_are_pieces_of_all_kinds() {
        assert_eq!(bytes("0xdeadbeef"), Some(vec![0xde, 0xad, 0xbe, 0xef]));
        assert_eq!(bytes("0xabc"), Some(vec![0x0a, 0xbc]));
        assert_eq!(bytes("\"abcd\"0x12"), Some(b"abcd\x12".to_vec()));
        assert_eq!(bytes("\"%o\""), Some(b"%o".to_vec()));
        assert_eq!(bytes("258"), Some(vec![2, 1]));
        assert_eq!(bytes("%o"), None);
        assert_eq!(
            pattern("\"x\"%o0xff"),
            Some(vec![
                PatternPart::Bytes(b"x".to_vec()),
                PatternPart::Offset,
                PatternPart::Bytes(vec![0xff]),
            ])
        );
        for text in ["", "abc", "0x", "\"abc", "'x'", "%x", "-"] {
            assert_eq!(pattern(text), None, "{text}");
        }
    }
}
