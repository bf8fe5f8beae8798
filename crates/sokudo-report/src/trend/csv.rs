//! Rows over time for spreadsheets and scripts: one line per run, with its level.

use super::{LevelDocument, SeriesDocument, TrendDocument, TrendPoint};
use crate::csv::{field, written};

/// A line of names, then one line per run.
pub fn render(document: &TrendDocument) -> String {
    let names = [
        "device",
        "row",
        "run",
        "started_at",
        "per_second",
        "verdict",
        "level",
        "level_median_per_s",
        "level_ratio",
    ]
    .map(str::to_owned);
    let lines = document.series.iter().flat_map(|series| {
        let levels = (1..).zip(&series.levels);
        levels.flat_map(move |(number, level)| {
            let points = series.points.iter().skip(level.first).take(level.runs);
            points.map(move |point| line(document, series, (number, level), point))
        })
    });
    written(std::iter::once(names).chain(lines))
}

fn line(
    document: &TrendDocument,
    series: &SeriesDocument,
    (number, level): (usize, &LevelDocument),
    point: &TrendPoint,
) -> [String; 9] {
    [
        document.device.clone(),
        series.row.clone(),
        point.run.to_string(),
        point.started_at.clone(),
        point.per_second.to_string(),
        field(point.verdict.map(|it| it.name())),
        number.to_string(),
        level.median_per_s.to_string(),
        field(level.change.as_ref().map(|change| change.ratio)),
    ]
}
