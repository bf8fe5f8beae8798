//! The known word most like an unknown one.

/// The name that needs the fewest changes to become `word`; the first of equals.
pub(crate) fn nearest(word: &str, names: impl Iterator<Item = &'static str>) -> &'static str {
    // Longer words are nonsense, and the distance takes quadratic time.
    const WORD_CHARS_MAX: usize = 64;
    let word: Vec<char> = word.chars().take(WORD_CHARS_MAX).collect();
    names
        .min_by_key(|name| distance(&word, name))
        .unwrap_or_default()
}

/// Levenshtein's distance, row by row.
fn distance(word: &[char], name: &str) -> usize {
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
