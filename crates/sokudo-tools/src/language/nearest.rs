//! The known word most like an unknown one.

use strsim::levenshtein;

/// Longer words are nonsense.
const WORD_CHARS_MAX: usize = 64;

/// The name, in ASCII, that needs the fewest changes to become `word`; the first of equals.
/// Capitals count as small letters.
pub(crate) fn nearest(word: &str, names: impl Iterator<Item = &'static str>) -> &'static str {
    let word = short(word);
    names
        .min_by_key(|name| levenshtein(&word, &name.to_ascii_lowercase()))
        .unwrap_or_default()
}

/// The nearest name, unless more than half of it would have to change.
pub(crate) fn likely(
    word: &str,
    names: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    let name = nearest(word, names);
    let word = short(word);
    let longest = name.len().max(word.chars().count());
    (levenshtein(&word, &name.to_ascii_lowercase()) * 2 <= longest).then_some(name)
}

fn short(word: &str) -> String {
    let letters = word.chars().take(WORD_CHARS_MAX);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_with_the_fewest_changes_is_the_nearest() {
        let names = ["read", "randread", "write", "rw"];
        for (wrong, right) in [("raed", "read"), ("r", "rw"), ("random-read", "randread")] {
            assert_eq!(nearest(wrong, names.into_iter()), right, "{wrong}");
        }
        assert_eq!(nearest("", names.into_iter()), "rw");
        assert_eq!(nearest("RANDREAD", names.into_iter()), "randread");
        assert_eq!(likely("x", names.into_iter()), None);
        assert_eq!(likely("w", names.into_iter()), Some("rw"));
        assert_eq!(nearest("x", std::iter::empty()), "");
        assert_eq!(nearest(&"é".repeat(1000), names.into_iter()), "read");
    }
}
