//! Rows over time as Markdown, ready to be pasted into an article.

use super::{LevelDocument, SeriesDocument, TrendDocument, table};
use crate::comparison::{change_text, interval_text};
use crate::markdown::{code_block, escaped};
use crate::number::{MISSING, rate};
use crate::table::BandwidthUnit;

/// The whole text.
pub fn render(document: &TrendDocument) -> String {
    let unit = document.unit(BandwidthUnit::MegabytesPerSecond);
    let mut blocks = vec![format!("## Trend of {}", escaped(&document.device_name))];
    for series in &document.series {
        blocks.push(format!("### {}", escaped(&series.row)));
        blocks.push(levels(series, unit));
        let mut notes: Vec<String> = series
            .changes()
            .map(|(level, change)| table::what_changed(level, change))
            .collect();
        if notes.is_empty() {
            notes.push(table::steady(series));
        }
        let notes: Vec<String> = notes
            .iter()
            .map(|note| format!("- {}", escaped(note)))
            .collect();
        blocks.push(notes.join("\n"));
    }
    blocks.push(format!("Repeat:\n\n{}", code_block(&document.command)));
    blocks.join("\n\n") + "\n"
}

fn levels(series: &SeriesDocument, unit: BandwidthUnit) -> String {
    let mut lines = vec![
        format!(
            "| From | Until | Runs | {} | ± | Change | 95 % interval |",
            unit.name()
        ),
        "| :-- | :-- | --: | --: | --: | --: | --: |".to_owned(),
    ];
    lines.extend(series.levels.iter().map(|level| line(level, unit)));
    lines.join("\n")
}

fn line(level: &LevelDocument, unit: BandwidthUnit) -> String {
    let missing = || MISSING.to_owned();
    let change = level.change.as_ref();
    let interval = change.and_then(|change| change.ratio_interval_95);
    let cells = [
        table::day(&level.from),
        table::day(&level.until),
        level.runs.to_string(),
        rate(level.median_per_s / unit.bytes()),
        table::spread(level),
        change.map_or_else(missing, |change| change_text(change.ratio)),
        interval.map_or_else(missing, interval_text),
    ];
    format!("| {} |", cells.join(" | "))
}
