//! Rows over time for spreadsheets and scripts: one line per run, with its level.

use super::{LevelDocument, SeriesDocument, TrendDocument, TrendPoint};
use crate::record::{self, RecordColumn, or_missing};

struct PointRecord<'a> {
    document: &'a TrendDocument,
    series: &'a SeriesDocument,
    number: u64,
    level: &'a LevelDocument,
    point: &'a TrendPoint,
}

/// A line of names, then one line per run.
pub fn render(document: &TrendDocument) -> String {
    let lines = document.series.iter().flat_map(|series| {
        let levels = (1..).zip(&series.levels);
        levels.flat_map(move |(number, level)| {
            let points = series.points.iter().skip(level.first).take(level.runs);
            points.map(move |point| PointRecord {
                document,
                series,
                number,
                level,
                point,
            })
        })
    });
    record::csv(&columns(), lines)
}

fn columns<'a>() -> Vec<RecordColumn<PointRecord<'a>>> {
    vec![
        RecordColumn::text("device", |it| it.document.device.clone()),
        RecordColumn::text("row", |it| it.series.row.clone()),
        RecordColumn::whole("run", |it| Some(it.point.run)),
        RecordColumn::text("started_at", |it| it.point.started_at.clone()),
        RecordColumn::real("per_second", |it| Some(it.point.per_second)),
        RecordColumn::text("verdict", |it| {
            or_missing(it.point.verdict.map(|verdict| verdict.name()))
        }),
        RecordColumn::whole("level", |it| Some(it.number)),
        RecordColumn::real("level_median_per_s", |it| Some(it.level.median_per_s)),
        RecordColumn::real("level_ratio", |it| Some(it.level.change.as_ref()?.ratio)),
    ]
}
