//! Rows over time for spreadsheets and scripts: one line per run, with its level.

use super::{LevelDocument, SeriesDocument, TrendDocument, TrendPoint};
use crate::forms::CsvForm;
use crate::record::Columns;

struct PointRecord<'a> {
    document: &'a TrendDocument,
    series: &'a SeriesDocument,
    number: u64,
    level: &'a LevelDocument,
    point: &'a TrendPoint,
}

impl CsvForm for TrendDocument {
    /// A line of names, then one line per run.
    fn to_csv(&self) -> String {
        let lines = self.series.iter().flat_map(|series| {
            let levels = (1..).zip(&series.levels);
            levels.flat_map(move |(number, level)| {
                let points = series.points.iter().skip(level.first).take(level.runs);
                points.map(move |point| PointRecord {
                    document: self,
                    series,
                    number,
                    level,
                    point,
                })
            })
        });
        columns().csv(lines)
    }
}

fn columns<'a>() -> Columns<'a, PointRecord<'a>> {
    Columns::<PointRecord<'_>>::none()
        .column("device", |it| it.document.device.clone())
        .column("row", |it| it.series.row.clone())
        .column("run", |it| it.point.run)
        .column("started_at", |it| it.point.started_at.clone())
        .column("per_second", |it| it.point.per_second)
        .column("verdict", |it| it.point.verdict)
        .column("level", |it| it.number)
        .column("level_median_per_s", |it| it.level.median_per_s)
        .column("level_ratio", |it| Some(it.level.change.as_ref()?.ratio))
}
