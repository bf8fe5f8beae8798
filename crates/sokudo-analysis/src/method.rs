//! What docs/METHOD.md states, read back by the tests that hold it against the code.

use sokudo_model::{Bytes, Nanos};

pub(crate) const METHOD: &str = include_str!("../../../docs/METHOD.md");

/// The cells of every row of the document whose first cell is `key` as code.
pub(crate) fn cells(key: &str) -> Vec<Vec<&'static str>> {
    let start = format!("| `{key}` |");
    METHOD
        .lines()
        .filter(|line| line.starts_with(&start))
        .map(|line| line.split('|').skip(2).map(str::trim).collect())
        .collect()
}

/// A number as the document writes it: `98 %`, `256 KiB`, `14.826`, `15 µs` (in seconds).
fn number(text: &str) -> f64 {
    match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().unwrap() / 100.0,
        None if text.ends_with('s') => text.parse::<Nanos>().unwrap().as_secs_f64(),
        None => text
            .replace(',', "")
            .parse()
            .unwrap_or_else(|_| text.parse::<Bytes>().unwrap().0 as f64),
    }
}

/// Holds thresholds against the document, and their number against that of the constants
/// that `source` declares for others to see.
pub(crate) fn assert_states(thresholds: &[(&str, f64)], source: &str) {
    let is_declaration =
        |line: &&str| line.starts_with("pub const ") || line.starts_with("pub(crate) const ");
    let declared = source.lines().filter(is_declaration).count();
    assert_eq!(declared, thresholds.len(), "a threshold is not compared");
    for (name, value) in thresholds {
        let rows = cells(name);
        assert_eq!(rows.len(), 1, "{name}");
        let stated = number(rows[0][0]);
        assert!((stated - value).abs() < 1e-12, "{name}: {stated} {value}");
    }
}
