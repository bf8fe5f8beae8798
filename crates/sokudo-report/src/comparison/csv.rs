//! A comparison for spreadsheets and scripts: one line per row of each other.

use super::{ComparisonDocument, OtherDocument, RowDocument, RowSideDocument};
use crate::csv::{field, word, written};
use crate::document::RateFigures;
use sokudo_model::Change;
use sokudo_stats::Interval;

/// A column: its name and its field in a line.
type Column = (
    &'static str,
    fn(&ComparisonDocument, &OtherDocument, &RowDocument) -> String,
);

/// Every column in order.
const COLUMNS: [Column; 23] = [
    ("reference", |document, _, _| {
        document.reference.source.clone()
    }),
    ("other", |_, other, _| other.side.source.clone()),
    ("row", |_, _, row| row.row.clone()),
    ("other_row", |_, _, row| field(row.other_row.as_ref())),
    ("figure", |document, _, _| word(&document.figure)),
    ("reference_median_per_s", |_, _, row| {
        rates(&row.reference, |it| it.median)
    }),
    ("reference_trials", |_, _, row| trials(&row.reference)),
    ("reference_verdict", |_, _, row| {
        field(row.reference.verdict.map(|it| it.name()))
    }),
    ("other_median_per_s", |_, _, row| {
        rates(&row.other, |it| it.median)
    }),
    ("other_trials", |_, _, row| trials(&row.other)),
    ("other_verdict", |_, _, row| {
        field(row.other.verdict.map(|it| it.name()))
    }),
    ("ratio", |_, _, row| change(row, |it| it.ratio)),
    ("ratio_low", |_, _, row| ratio_end(row, |it| it.low)),
    ("ratio_high", |_, _, row| ratio_end(row, |it| it.high)),
    ("test", |_, _, row| {
        row.compared
            .change
            .map_or_else(String::new, |it| word(&it.test))
    }),
    ("p_value", |_, _, row| change(row, |it| it.p_value)),
    ("p_value_of_all_rows", |_, _, row| {
        change(row, |it| it.p_value_of_all_rows)
    }),
    ("cliffs_delta", |_, _, row| {
        change(row, |it| it.cliffs_delta)
    }),
    ("effect", |_, _, row| {
        row.compared
            .change
            .map_or_else(String::new, |it| word(&it.effect))
    }),
    ("widening", |_, _, row| change(row, |it| it.widening)),
    ("conclusion", |_, _, row| word(&row.compared.conclusion)),
    ("reason", |_, _, row| field(row.compared.reason.as_ref())),
    ("differs", |_, _, row| {
        let names = row.compared.differs.iter().map(|part| part.name.as_str());
        names.collect::<Vec<_>>().join(" ")
    }),
];

/// A line of names, then one line per row.
pub fn render(document: &ComparisonDocument) -> String {
    let names = COLUMNS.map(|(name, _)| name.to_owned());
    let lines = document.others.iter().flat_map(|other| {
        let rows = other.rows.iter();
        rows.map(move |row| COLUMNS.map(|(_, value)| value(document, other, row)))
    });
    written(std::iter::once(names).chain(lines))
}

fn rates(side: &RowSideDocument, pick: fn(&RateFigures) -> f64) -> String {
    field(side.per_second.as_ref().map(pick))
}

fn trials(side: &RowSideDocument) -> String {
    field(side.per_second.as_ref().map(|rates| rates.trials.len()))
}

fn change(row: &RowDocument, pick: fn(&Change) -> f64) -> String {
    field(row.compared.change.as_ref().map(pick))
}

fn ratio_end(row: &RowDocument, pick: fn(&Interval) -> f64) -> String {
    let interval = row
        .compared
        .change
        .and_then(|change| change.ratio_interval_95);
    field(interval.as_ref().map(pick))
}
