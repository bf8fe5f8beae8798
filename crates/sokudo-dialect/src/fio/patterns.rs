//! `buffer_pattern` and `verify_pattern`: `"text"`, `0xdeadbeef`, `1234` and `%o`, one
//! after the other.

use sokudo_model::PatternPart;

/// fio's MAX_PATTERN_SIZE.
const PATTERN_BYTES_MAX: usize = 512;

/// The pieces of a pattern, or what is wrong with it.
pub(super) fn pattern(text: &str) -> Option<Vec<PatternPart>> {
    let mut parts = Vec::new();
    let mut bytes = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('"') {
            let (quoted, after) = after.split_once('"')?;
            bytes.extend_from_slice(quoted.as_bytes());
            rest = after;
        } else if let Some(after) = rest.strip_prefix("%o") {
            if !bytes.is_empty() {
                parts.push(PatternPart::Bytes(std::mem::take(&mut bytes)));
            }
            parts.push(PatternPart::Offset);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("0x") {
            let (digits, after) = split(after, |c| c.is_ascii_hexdigit());
            bytes.extend(hexadecimal(digits)?);
            rest = after;
        } else {
            let unsigned = rest.strip_prefix('-').unwrap_or(rest);
            let (digits, after) = split(unsigned, |c| c.is_ascii_digit());
            let number: i64 = digits.parse().ok()?;
            let negative = unsigned.len() < rest.len();
            bytes.extend(decimal(if negative { -number } else { number }));
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
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    match pattern(text)?.as_slice() {
        [PatternPart::Bytes(bytes)] => Some(bytes.clone()),
        _ => None,
    }
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !belongs(c)).unwrap_or(text.len()))
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
