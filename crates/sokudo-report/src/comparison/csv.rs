//! A comparison for spreadsheets and scripts: one line per row of each other.

use super::{ComparisonDocument, OtherDocument, RowDocument, RowSideDocument};
use crate::record::{self, Column, or_missing, word};
use sokudo_model::Change;

struct Line<'a> {
    document: &'a ComparisonDocument,
    other: &'a OtherDocument,
    row: &'a RowDocument,
}

impl Line<'_> {
    fn change(&self) -> Option<&Change> {
        self.row.compared.change.as_ref()
    }
}

/// A line of names, then one line per row.
pub fn render(document: &ComparisonDocument) -> String {
    let lines = document.others.iter().flat_map(|other| {
        let rows = other.rows.iter();
        rows.map(move |row| Line {
            document,
            other,
            row,
        })
    });
    record::csv(&columns(), lines)
}

fn columns<'a>() -> Vec<Column<Line<'a>>> {
    vec![
        Column::text("reference", |it| it.document.reference.source.clone()),
        Column::text("other", |it| it.other.side.source.clone()),
        Column::text("row", |it| it.row.row.clone()),
        Column::text("other_row", |it| or_missing(it.row.other_row.as_ref())),
        Column::text("figure", |it| word(&it.document.figure)),
        Column::real("reference_median_per_s", |it| median(&it.row.reference)),
        Column::whole("reference_trials", |it| trials(&it.row.reference)),
        Column::text("reference_verdict", |it| verdict(&it.row.reference)),
        Column::real("other_median_per_s", |it| median(&it.row.other)),
        Column::whole("other_trials", |it| trials(&it.row.other)),
        Column::text("other_verdict", |it| verdict(&it.row.other)),
        Column::real("ratio", |it| Some(it.change()?.ratio)),
        Column::real("ratio_low", |it| Some(it.change()?.ratio_interval_95?.low)),
        Column::real("ratio_high", |it| {
            Some(it.change()?.ratio_interval_95?.high)
        }),
        Column::text("test", |it| {
            or_missing(it.change().map(|it| word(&it.test)))
        }),
        Column::real("p_value", |it| Some(it.change()?.p_value)),
        Column::real("p_value_of_all_rows", |it| {
            Some(it.change()?.p_value_of_all_rows)
        }),
        Column::real("cliffs_delta", |it| Some(it.change()?.cliffs_delta)),
        Column::text("effect", |it| {
            or_missing(it.change().map(|it| word(&it.effect)))
        }),
        Column::real("widening", |it| Some(it.change()?.widening)),
        Column::text("conclusion", |it| word(&it.row.compared.conclusion)),
        Column::text("reason", |it| or_missing(it.row.compared.reason.as_ref())),
        Column::text("differs", |it| {
            let differs = it.row.compared.differs.iter();
            let names: Vec<&str> = differs.map(|part| part.name.as_str()).collect();
            names.join(" ")
        }),
    ]
}

fn median(side: &RowSideDocument) -> Option<f64> {
    Some(side.per_second.as_ref()?.median)
}

fn trials(side: &RowSideDocument) -> Option<u64> {
    Some(side.per_second.as_ref()?.trials.len() as u64)
}

fn verdict(side: &RowSideDocument) -> String {
    or_missing(side.verdict.map(|verdict| verdict.name()))
}
