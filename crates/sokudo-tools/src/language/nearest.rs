//! The known word most like an unknown one.

use sokudo_model::narrow;

/// Longer words are nonsense; and as many bits as there are in a column of [`Word`].
const WORD_CHARS_MAX: usize = 64;

/// The name, in ASCII, that needs the fewest changes to become `word`; the first of equals.
/// Capitals count as small letters.
pub(crate) fn nearest(word: &str, names: impl Iterator<Item = &'static str>) -> &'static str {
    let word = Word::new(word);
    names
        .min_by_key(|name| word.distance(name))
        .unwrap_or_default()
}

/// The nearest name, unless more than half of it would have to change.
pub(crate) fn likely(
    word: &str,
    names: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    let name = nearest(word, names);
    let word = Word::new(word);
    let longest = name.len().max(word.chars as usize);
    (word.distance(name) as usize * 2 <= longest).then_some(name)
}

/// A word that many names are compared with.
struct Word {
    /// For every letter of one byte: the places where it stands in the word, as bits.
    places: [u64; 256],
    chars: u32,
}

impl Word {
    fn new(word: &str) -> Self {
        let mut places = [0; 256];
        let mut chars = 0;
        for letter in word.chars().take(WORD_CHARS_MAX) {
            if letter.is_ascii() {
                places[letter.to_ascii_lowercase() as usize] |= 1_u64 << chars;
            }
            chars += 1;
        }
        Self { places, chars }
    }

    /// Levenshtein's distance: a whole column of his table at a time, as the bits of the
    /// steps up and down in it (Myers 1999, in Hyyrö's form of 2003).
    fn distance(&self, name: &str) -> u32 {
        let Some(last) = self.chars.checked_sub(1) else {
            return narrow(name.len());
        };
        let (mut ups, mut downs) = (u64::MAX, 0_u64);
        let mut distance = self.chars;
        for letter in name.bytes() {
            let same = self.places[usize::from(letter.to_ascii_lowercase())];
            let level = same | downs;
            let across = ((same & ups).wrapping_add(ups) ^ ups) | same;
            let up = downs | !(across | ups);
            let down = ups & across;
            distance += u32::from(up >> last & 1 == 1);
            distance -= u32::from(down >> last & 1 == 1);
            let up = up << 1 | 1;
            ups = down << 1 | !(level | up);
            downs = up & level;
        }
        distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Levenshtein's distance as it is defined, row by row.
    fn by_definition(word: &str, name: &str) -> usize {
        let word: Vec<char> = word.chars().collect();
        let mut row: Vec<usize> = (0..=word.len()).collect();
        for (line, letter) in name.chars().enumerate() {
            let mut diagonal = row[0];
            row[0] = line + 1;
            for column in 0..word.len() {
                let replaced = diagonal + usize::from(word[column] != letter);
                diagonal = row[column + 1];
                row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
            }
        }
        row[word.len()]
    }

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

    proptest! {
        #[test]
        fn the_distance_is_levenshteins(word in "[abcé]{0,64}", name in "[abcd]{0,80}") {
            prop_assert_eq!(Word::new(&word).distance(&name) as usize, by_definition(&word, &name));
        }
    }
}
