//! What other tools' languages share: what they ask of the machine, how sizes, numbers and
//! words are written, what is meant by a word that nobody knows.

pub mod host;
pub(crate) mod limits;
pub(crate) mod nearest;

use std::str::FromStr;

use sokudo_model::Bytes;

/// A number of digits alone, `None` where it does not fit: `parse` by itself would take `+70`.
pub fn plain_number<N: FromStr>(text: &str) -> Option<Option<N>> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok())
}

/// A size as fio and diskspd read it: `1m`, `4k`, `1000`.
pub(crate) fn size_text(size: Bytes) -> String {
    let units = [
        ("t", 1 << 40),
        ("g", Bytes::GIB),
        ("m", Bytes::MIB),
        ("k", Bytes::KIB),
    ];
    let fits = |(_, unit): &(&str, u64)| size.0 > 0 && size.0.is_multiple_of(*unit);
    match units.into_iter().find(fits) {
        Some((letter, unit)) => format!("{}{letter}", size.0 / unit),
        None => size.0.to_string(),
    }
}

/// As a shell takes it for one word.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+%@".contains(c);
    quoted_unless(word.chars().all(is_plain), word)
}

/// The same where a word is plain by another rule, unless it is empty.
pub(crate) fn quoted_unless(is_plain: bool, word: &str) -> String {
    match is_plain && !word.is_empty() {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
