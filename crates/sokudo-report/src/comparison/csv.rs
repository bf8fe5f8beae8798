//! A comparison for spreadsheets and scripts: one line per row of each other.

use super::{ComparisonDocument, OtherDocument, RowDocument, RowSideDocument};
use crate::forms::CsvForm;
use crate::record::{Columns, word};
use sokudo_model::Change;
use sokudo_words::Text;

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

impl CsvForm for ComparisonDocument {
    /// A line of names, then one line per row.
    fn to_csv(&self) -> String {
        let lines = self.others.iter().flat_map(|other| {
            let rows = other.rows.iter();
            rows.map(move |row| ComparisonRecord {
                document: self,
                other,
                row,
            })
        });
        columns().csv(lines)
    }
}

fn columns<'a>() -> Columns<'a, ComparisonRecord<'a>> {
    Columns::<ComparisonRecord<'_>>::none()
        .column("reference", |it| it.document.reference.source.clone())
        .column("other", |it| it.other.side.source.clone())
        .column("row", |it| it.row.row.clone())
        .column("other_row", |it| it.row.other_row.clone())
        .column("figure", |it| word(&it.document.figure))
        .column("reference_median_per_s", |it| median(&it.row.reference))
        .column("reference_trials", |it| trials(&it.row.reference))
        .column("reference_verdict", |it| it.row.reference.verdict)
        .column("other_median_per_s", |it| median(&it.row.other))
        .column("other_trials", |it| trials(&it.row.other))
        .column("other_verdict", |it| it.row.other.verdict)
        .column("ratio", |it| Some(it.change()?.ratio))
        .column("ratio_low", |it| Some(it.change()?.ratio_interval_95?.low))
        .column("ratio_high", |it| {
            Some(it.change()?.ratio_interval_95?.high)
        })
        .column("test", |it| Some(word(&it.change()?.test)))
        .column("p_value", |it| Some(it.change()?.p_value))
        .column("p_value_of_all_rows", |it| {
            Some(it.change()?.p_value_of_all_rows)
        })
        .column("cliffs_delta", |it| Some(it.change()?.cliffs_delta))
        .column("effect", |it| Some(word(&it.change()?.effect)))
        .column("widening", |it| Some(it.change()?.widening))
        .column("conclusion", |it| word(&it.row.compared.conclusion))
        .column("reason", |it| {
            it.row.compared.reason.as_ref().map(Text::english)
        })
        .column("differs", |it| {
            let differs = it.row.compared.differs.iter();
            let names: Vec<&str> = differs.map(|part| part.name.as_str()).collect();
            names.join(" ")
        })
}

fn median(side: &RowSideDocument) -> Option<f64> {
    Some(side.per_second.as_ref()?.median)
}

fn trials(side: &RowSideDocument) -> Option<u64> {
    Some(side.per_second.as_ref()?.trials.len() as u64)
}
