//! Rows over time as Markdown, ready to be pasted into an article.

use sokudo_words::Language;

use super::{LevelDocument, SeriesDocument, TrendDocument, table};
use crate::comparison::{change_text, interval_text};
use crate::markdown::{Words, repeat};
use crate::number::{MISSING, rate};
use crate::style::BandwidthUnit;

/// The whole text.
pub fn render(document: &TrendDocument, language: Language) -> String {
    let said = Words(language);
    let unit = document.unit(BandwidthUnit::MegabytesPerSecond);
    let title = said.text(&format!("Trend of {}", document.device_name));
    let mut blocks = vec![format!("## {title}")];
    for series in &document.series {
        blocks.push(format!("### {}", said.text(&series.row)));
        blocks.push(levels(series, unit, said));
        let mut notes: Vec<String> = series
            .changes()
            .map(|(level, change)| table::what_changed(level, change))
            .collect();
        if notes.is_empty() {
            notes.push(table::steady(series));
        }
        let notes: Vec<String> = notes
            .iter()
            .map(|note| format!("- {}", said.text(note)))
            .collect();
        blocks.push(notes.join("\n"));
    }
    blocks.extend(document.left_out().map(|text| said.text(&text)));
    blocks.push(repeat(&document.command, said));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

fn levels(series: &SeriesDocument, unit: BandwidthUnit, said: Words) -> String {
    let heads = [
        "From",
        "Until",
        "Runs",
        unit.name(),
        "±",
        "Change",
        "95 % interval",
    ];
    let mut lines = vec![
        format!("| {} |", heads.map(|head| said.text(head)).join(" | ")),
        "| :-- | :-- | --: | --: | --: | --: | --: |".to_owned(),
    ];
    lines.extend(series.levels.iter().map(|level| line(level, unit, said)));
    lines.join("\n")
}

fn line(level: &LevelDocument, unit: BandwidthUnit, said: Words) -> String {
    let missing = || MISSING.to_owned();
    let change = level.change.as_ref();
    let interval = change.and_then(|change| change.ratio_interval_95);
    let cells = [
        table::day(&level.from),
        table::day(&level.until),
        level.runs.to_string(),
        rate(level.median_per_s / unit.bytes()),
        table::spread(level, unit),
        change.map_or_else(missing, |change| change_text(change.ratio)),
        interval.map_or_else(missing, |interval| said.text(&interval_text(interval))),
    ];
    format!("| {} |", cells.join(" | "))
}
