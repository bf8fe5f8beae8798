//! Rows over time for spreadsheets and scripts: one line per run, with its level.

use super::{LevelDocument, SeriesDocument, TrendDocument, TrendPoint};
use crate::record::{self, Column, or_missing};

struct Line<'a> {
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
            points.map(move |point| Line {
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

fn columns<'a>() -> Vec<Column<Line<'a>>> {
    vec![
        Column::text("device", |it| it.document.device.clone()),
        Column::text("row", |it| it.series.row.clone()),
        Column::whole("run", |it| Some(it.point.run)),
        Column::text("started_at", |it| it.point.started_at.clone()),
        Column::real("per_second", |it| Some(it.point.per_second)),
        Column::text("verdict", |it| {
            or_missing(it.point.verdict.map(|verdict| verdict.name()))
        }),
        Column::whole("level", |it| Some(it.number)),
        Column::real("level_median_per_s", |it| Some(it.level.median_per_s)),
        Column::real("level_ratio", |it| Some(it.level.change.as_ref()?.ratio)),
    ]
}
