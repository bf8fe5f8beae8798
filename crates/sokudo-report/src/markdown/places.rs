//! The tables of a scan in Markdown.

use super::words::Words;
use crate::document::RunDocument;
use crate::layout::Align;
use crate::surface;

/// A table per kind of row, access times by distance, what could not be read, the legend.
pub(super) fn render(document: &RunDocument, words: Words) -> String {
    let unit = crate::BandwidthUnit::MegabytesPerSecond;
    let mut blocks: Vec<String> = surface::sections(document, unit)
        .iter()
        .map(|section| table(&section.columns(), words))
        .collect();
    let notes = surface::distance_notes(document);
    blocks.extend(notes.iter().map(|note| words.text(note)));
    blocks.extend(defects(document, words));
    blocks.push(words.text(&surface::legend(unit)));
    blocks.join("\n\n")
}

fn table(columns: &[crate::layout::Column], words: Words) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let heading = |column: &crate::layout::Column| {
        let (group, title) = (words.text(column.group), words.text(&column.title));
        format!("{group} {title}").trim().to_owned()
    };
    let side = |column: &crate::layout::Column| match column.align {
        Align::Left => ":--".to_owned(),
        Align::Right | Align::Point => "--:".to_owned(),
    };
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let mut lines = vec![
        line(columns.iter().map(heading).collect()),
        line(columns.iter().map(side).collect()),
    ];
    lines.extend((0..rows).map(|row| {
        let cells = columns.iter().map(|column| words.text(&column.cells[row]));
        line(cells.collect())
    }));
    lines.join("\n")
}

fn defects(document: &RunDocument, words: Words) -> Option<String> {
    let (title, ranges) = surface::defects(document)?;
    let lines = ranges
        .iter()
        .map(|range| format!("- {}", words.text(range)));
    Some(format!(
        "{}\n\n{}",
        words.text(&title),
        lines.collect::<Vec<_>>().join("\n")
    ))
}
