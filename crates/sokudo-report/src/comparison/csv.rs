//! A comparison for spreadsheets and scripts: one line per row of each other.

use super::{ComparisonDocument, OtherDocument, RowDocument, RowSideDocument};
use crate::record::{self, RecordColumn, or_missing, word};
use sokudo_model::Change;

struct ComparisonRecord<'a> {
    document: &'a ComparisonDocument,
    other: &'a OtherDocument,
    row: &'a RowDocument,
}

impl ComparisonRecord<'_> {
    fn change(&self) -> Option<&Change> {
        self.row.compared.change.as_ref()
    }
}

/// A line of names, then one line per row.
pub fn render(document: &ComparisonDocument) -> String {
    let lines = document.others.iter().flat_map(|other| {
        let rows = other.rows.iter();
        rows.map(move |row| ComparisonRecord {
            document,
            other,
            row,
        })
    });
    record::csv(&columns(), lines)
}

fn columns<'a>() -> Vec<RecordColumn<ComparisonRecord<'a>>> {
    vec![
        RecordColumn::text("reference", |it| it.document.reference.source.clone()),
        RecordColumn::text("other", |it| it.other.side.source.clone()),
        RecordColumn::text("row", |it| it.row.row.clone()),
        RecordColumn::text("other_row", |it| or_missing(it.row.other_row.as_ref())),
        RecordColumn::text("figure", |it| word(&it.document.figure)),
        RecordColumn::real("reference_median_per_s", |it| median(&it.row.reference)),
        RecordColumn::whole("reference_trials", |it| trials(&it.row.reference)),
        RecordColumn::text("reference_verdict", |it| verdict(&it.row.reference)),
        RecordColumn::real("other_median_per_s", |it| median(&it.row.other)),
        RecordColumn::whole("other_trials", |it| trials(&it.row.other)),
        RecordColumn::text("other_verdict", |it| verdict(&it.row.other)),
        RecordColumn::real("ratio", |it| Some(it.change()?.ratio)),
        RecordColumn::real("ratio_low", |it| Some(it.change()?.ratio_interval_95?.low)),
        RecordColumn::real("ratio_high", |it| {
            Some(it.change()?.ratio_interval_95?.high)
        }),
        RecordColumn::text("test", |it| {
            or_missing(it.change().map(|it| word(&it.test)))
        }),
        RecordColumn::real("p_value", |it| Some(it.change()?.p_value)),
        RecordColumn::real("p_value_of_all_rows", |it| {
            Some(it.change()?.p_value_of_all_rows)
        }),
        RecordColumn::real("cliffs_delta", |it| Some(it.change()?.cliffs_delta)),
        RecordColumn::text("effect", |it| {
            or_missing(it.change().map(|it| word(&it.effect)))
        }),
        RecordColumn::real("widening", |it| Some(it.change()?.widening)),
        RecordColumn::text("conclusion", |it| word(&it.row.compared.conclusion)),
        RecordColumn::text("reason", |it| or_missing(it.row.compared.reason.as_ref())),
        RecordColumn::text("differs", |it| {
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
