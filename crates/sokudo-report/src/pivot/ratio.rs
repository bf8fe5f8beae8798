//! Ratios of rows of one run, such as write ÷ read or 4 threads ÷ 1, as a matrix: a row for each
//! pair of rows, a column for each run.
//!
//! A ratio is that of Hodges and Lehmann of the logarithms of both rows' trials, with the 95 %
//! interval of Mann and Whitney's test, widened as trials that follow one another need it.

use std::str::FromStr;

use sokudo_stats::{CORRELATION_ASSUMED, shift, widening};

use super::key::row_title;
use super::{PivotCell, PivotDocument, PivotRow, PivotRun};
use crate::document::{ResultDocument, RunDocument};
use crate::figure::{Figure, rates};
use crate::unique::index_or_push;

const CONFIDENCE: f64 = 0.95;
/// What the rows of such a matrix are.
pub(super) const BY: &str = "ratio";

/// Which rows are divided: those whose names have the one word, by those whose names are the same
/// with the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ratio {
    above: String,
    below: String,
}

/// A text that names no two parts of rows' names.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
#[error("{0} does not name two parts of row names; divide such as write/read, T4/T1 or Q32/Q1")]
pub struct RatioError(pub String);

impl FromStr for Ratio {
    type Err = RatioError;

    fn from_str(text: &str) -> Result<Self, RatioError> {
        let parts = text.split_once('/');
        let parts = parts.map(|(above, below)| (above.trim(), below.trim()));
        match parts {
            Some((above, below)) if !above.is_empty() && !below.is_empty() && above != below => {
                Ok(Self {
                    above: above.to_owned(),
                    below: below.to_owned(),
                })
            }
            _ => Err(RatioError(text.to_owned())),
        }
    }
}

impl Ratio {
    /// A name in which the one word stands, with this in its place: `T1` is none in `T16`.
    fn with(&self, title: &str, other: &str) -> Option<String> {
        let is_one = |left: Option<char>, right: Option<char>| match (left, right) {
            (Some(left), Some(right)) => {
                left.is_ascii_digit() && right.is_ascii_digit()
                    || left.is_alphabetic() && right.is_alphabetic()
            }
            _ => false,
        };
        let (first, last) = (self.above.chars().next(), self.above.chars().next_back());
        let (at, _) = title.match_indices(&self.above).find(|(at, word)| {
            let before = title[..*at].chars().next_back();
            let behind = title[at + word.len()..].chars().next();
            !is_one(before, first) && !is_one(last, behind)
        })?;
        Some(format!(
            "{}{other}{}",
            &title[..at],
            &title[at + self.above.len()..]
        ))
    }

    /// The names of pairs and their cells, of one run.
    fn of(&self, run: &RunDocument, figure: Figure) -> Vec<(String, PivotCell)> {
        let named = |name: &str| {
            let mut rows = run.results.iter().filter(|it| row_title(it) == name);
            // Of several rows of one name nobody can say which is meant.
            rows.next().filter(|_| rows.next().is_none())
        };
        let pair = |above: &ResultDocument| {
            let title = row_title(above);
            named(&title)?;
            let below = named(&self.with(&title, &self.below)?)?;
            let name = self.with(&title, &format!("{} ÷ {}", self.above, self.below))?;
            Some((name, cell(below, above, figure)?))
        };
        run.results.iter().filter_map(pair).collect()
    }
}

fn cell(below: &ResultDocument, above: &ResultDocument, figure: Figure) -> Option<PivotCell> {
    let logarithms = |result| {
        let trials = rates(result, figure)?.trials.iter();
        let trials = trials.filter(|rate| **rate > 0.0 && rate.is_finite());
        Some(trials.map(|rate| rate.ln()).collect::<Vec<f64>>())
    };
    let (below_of_trials, above_of_trials) = (logarithms(below)?, logarithms(above)?);
    let shift = shift(&below_of_trials, &above_of_trials, CONFIDENCE)?;
    let widening = widening(&below_of_trials, &above_of_trials, CORRELATION_ASSUMED);
    let widened = |end: f64| (shift.estimate + widening * (end - shift.estimate)).exp();
    Some(PivotCell {
        interval_95: shift.interval.map(|it| [it.low, it.high].map(widened)),
        ..PivotCell::of(shift.estimate.exp(), above.verdict.max(below.verdict))?
    })
}

impl PivotDocument {
    /// The ratios of these runs; `None` where no run has rows to divide.
    pub fn of_ratios(runs: &[PivotRun<'_>], ratio: &Ratio, figure: Figure) -> Option<Self> {
        let mut rows: Vec<PivotRow> = Vec::new();
        for (column, run) in runs.iter().enumerate() {
            for (name, cell) in ratio.of(run.run, figure) {
                let new = || PivotRow {
                    name: name.clone(),
                    unit: "×".to_owned(),
                    cells: vec![None; runs.len()],
                };
                let at = index_or_push(&mut rows, |row| row.name == name, new);
                rows[at].cells[column] = Some(cell);
            }
        }
        let documents: Vec<&RunDocument> = runs.iter().map(|run| run.run).collect();
        let called = |run: &PivotRun<'_>| run.run.label.clone().unwrap_or(run.source.to_owned());
        (!rows.is_empty()).then(|| Self {
            columns: runs.iter().map(called).collect(),
            rows,
            ..Self::begin(BY.to_owned(), "run".to_owned(), &documents)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_word_is_a_whole_one() {
        let with = |ratio: &str, title: &str| {
            let ratio: Ratio = ratio.parse().unwrap();
            ratio.with(title, &ratio.below)
        };
        for (ratio, title, other) in [
            ("write/read", "SEQ1M Q8T1 write", Some("SEQ1M Q8T1 read")),
            ("T4/T1", "SEQ1M Q8T4 read", Some("SEQ1M Q8T1 read")),
            ("T1/T4", "SEQ1M Q8T16 read", None),
            ("Q8T1/Q1T1", "SEQ1M Q8T1 read", Some("SEQ1M Q1T1 read")),
            ("read/write", "spread write", None),
        ] {
            assert_eq!(with(ratio, title).as_deref(), other, "{ratio} {title}");
        }
        for text in ["", "write", "/read", "write/", "read/read"] {
            assert!(text.parse::<Ratio>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_ratio_is_of_two_rows_of_one_run() {
        let run = RunDocument::from_run(&sample::run());
        let runs = [PivotRun {
            run: &run,
            source: "run 1",
            tags: &[],
        }];
        let ratio = "write/read".parse().unwrap();
        let document = PivotDocument::of_ratios(&runs, &ratio, Figure::Bandwidth).unwrap();
        let row = &document.rows[0];
        assert_eq!(row.name, "SEQ1M Q8T1 write ÷ read");
        let cell = row.cells[0].as_ref().unwrap();
        let median = |name: &str| {
            let row = run.results.iter().find(|it| row_title(it) == name).unwrap();
            row.bandwidth_bytes_per_s
                .as_ref()
                .unwrap()
                .bytes_per_s
                .median
        };
        let expected = median("SEQ1M Q8T1 write") / median("SEQ1M Q8T1 read");
        assert!((cell.median / expected - 1.0).abs() < 0.05, "{cell:?}");
        let none = "T9/T8".parse().unwrap();
        assert!(PivotDocument::of_ratios(&runs, &none, Figure::Bandwidth).is_none());
    }
}
