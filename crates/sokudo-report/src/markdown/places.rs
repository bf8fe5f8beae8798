//! The tables of a scan in Markdown.

use super::escaped;
use crate::document::RunDocument;
use crate::layout::Align;
use crate::surface;

/// A table per kind of row, access times by distance, what could not be read, the legend.
pub(super) fn render(document: &RunDocument) -> String {
    let unit = crate::BandwidthUnit::MegabytesPerSecond;
    let mut blocks: Vec<String> = surface::sections(document, unit)
        .iter()
        .map(|section| table(&section.columns()))
        .collect();
    let notes = surface::distance_notes(document);
    blocks.extend(notes.iter().map(|note| escaped(note)));
    blocks.extend(defects(document));
    blocks.push(surface::legend(unit));
    blocks.join("\n\n")
}

fn table(columns: &[crate::layout::Column]) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let heading = |column: &crate::layout::Column| {
        escaped(format!("{} {}", column.group, column.title).trim())
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
        let cells = columns.iter().map(|column| escaped(&column.cells[row]));
        line(cells.collect())
    }));
    lines.join("\n")
}

fn defects(document: &RunDocument) -> Option<String> {
    let (title, ranges) = surface::defects(document)?;
    let lines = ranges.iter().map(|range| format!("- {}", escaped(range)));
    Some(format!(
        "{}\n\n{}",
        escaped(&title),
        lines.collect::<Vec<_>>().join("\n")
    ))
}
