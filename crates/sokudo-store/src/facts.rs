//! How facts are written in either kind of database.

use sokudo_model::Verdict;

/// How a verdict is kept.
pub(crate) const fn rank(verdict: Verdict) -> i64 {
    match verdict {
        Verdict::Verified => 0,
        Verdict::Unverified => 1,
        Verdict::Invalid => 2,
    }
}

/// The verdict of a rank.
pub(crate) const fn verdict(rank: i64) -> Option<Verdict> {
    match rank {
        0 => Some(Verdict::Verified),
        1 => Some(Verdict::Unverified),
        2 => Some(Verdict::Invalid),
        _ => None,
    }
}

/// Numbers of databases have a sign.
pub(crate) const fn number(value: u64) -> i64 {
    value.cast_signed()
}

/// A part of a text that LIKE takes literally.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
