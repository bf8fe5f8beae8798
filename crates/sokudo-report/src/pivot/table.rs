//! A matrix on the terminal. Of a matrix that is too wide the columns are shown in several
//! parts, one below the other.

use super::{PivotCell, PivotDocument, keys_text};
use crate::comparison::change_text;
use crate::layout::{Align, Column, GAP, table_lines, table_width, wrapped};
use crate::number::MISSING;
use crate::style::TableStyle;

/// Names of rows are broken into lines no shorter than this.
const NAME_COLUMNS_MIN: usize = 16;
/// Marks the best of a row.
const BEST: &str = "*";

/// The whole text.
pub fn render(document: &PivotDocument, style: &TableStyle) -> String {
    let title = format!(
        "sokudo {} · compare · {} · {}",
        document.sokudo_version,
        document.title(),
        match document.runs {
            1 => "1 run".to_owned(),
            runs => format!("{runs} runs"),
        }
    );
    let mut blocks = vec![style.wrapped("", &title), warnings(document, style)];
    blocks.extend(matrix(document, style));
    let notes = notes(document);
    blocks.push(
        notes
            .iter()
            .flat_map(|note| style.wrapped("- ", note))
            .collect(),
    );
    blocks.push(vec![style.command(&document.command)]);
    blocks.retain(|block| !block.is_empty());
    let blocks: Vec<String> = blocks.iter().map(|lines| lines.join("\n")).collect();
    blocks.join("\n\n") + "\n"
}

pub(crate) fn warnings(document: &PivotDocument, style: &TableStyle) -> Vec<String> {
    let lines = document.warnings.iter().flat_map(|warning| {
        let mut lines = style.wrapped(&format!("{}: ", style.text("warning")), &warning.symptom);
        for (label, text) in [("cause:", &warning.cause), ("remedy:", &warning.remedy)] {
            lines.extend(style.wrapped(&format!("  {} ", style.label(label, 7)), text));
        }
        lines
    });
    lines.collect()
}

/// The matrix, in as many parts as it needs.
pub(crate) fn matrix(document: &PivotDocument, style: &TableStyle) -> Vec<Vec<String>> {
    let rows = || document.rows.iter();
    let column = |title: &str, align, cells: Vec<String>| Column {
        group: "",
        title: style.text(title),
        align,
        cells,
    };
    let figures: Vec<Column> = document
        .columns
        .iter()
        .enumerate()
        .map(|(index, title)| {
            let cells = rows().map(|row| {
                let cell = row.cells.get(index).and_then(Option::as_ref);
                style.text(&cell.map_or_else(|| MISSING.to_owned(), cell_text))
            });
            column(title, Align::Right, cells.collect())
        })
        .collect();
    let units = document.unit().is_none().then(|| {
        let units = rows().map(|row| style.text(&row.unit));
        column("unit", Align::Left, units.collect())
    });
    // Names take what the widest of the others leaves.
    let others = figures.iter().map(|figures| {
        let beside: Vec<Column> = units.iter().chain([figures]).cloned().collect();
        table_width(&beside) + GAP
    });
    let room = style.width.saturating_sub(others.max().unwrap_or(0));
    let names: Vec<Vec<String>> = rows()
        .map(|row| wrapped("", &style.text(&row.name), room.max(NAME_COLUMNS_MIN)))
        .collect();
    let heads: Vec<Column> = std::iter::once(column(
        &keys_text(&document.rows_by),
        Align::Left,
        names.concat(),
    ))
    .chain(units.map(|units| beside(units, &names)))
    .collect();
    let mut parts: Vec<Vec<Column>> = Vec::new();
    for figures in figures {
        let column = beside(figures, &names);
        let fits = parts.last_mut().filter(|part| {
            let mut wider = (*part).clone();
            wider.push(column.clone());
            table_width(&wider) <= style.width
        });
        match fits {
            Some(part) => part.push(column),
            None => parts.push(heads.iter().cloned().chain([column]).collect()),
        }
    }
    let lines = parts.iter().map(|columns| {
        let mut lines = table_lines(columns, style.rule());
        lines[0] = lines[1].clone();
        lines[1] = style.rule().to_string().repeat(table_width(columns));
        lines
    });
    lines.collect()
}

/// A column whose cells stand beside the first lines of these names.
fn beside(column: Column, names: &[Vec<String>]) -> Column {
    let cells = column
        .cells
        .into_iter()
        .zip(names)
        .flat_map(|(cell, name)| {
            let below = name.len().saturating_sub(1);
            std::iter::once(cell).chain(vec![String::new(); below])
        });
    Column {
        cells: cells.collect(),
        ..column
    }
}

/// What stands in a cell, with what it is against the reference.
pub(super) fn cell_text(cell: &PivotCell) -> String {
    let mut text = cell.text();
    if let Some(ratio) = cell.ratio {
        text = format!("{text}  {}", change_text(ratio));
    }
    match cell.is_best {
        true => format!("{text} {BEST}"),
        false => text,
    }
}

/// What the cells mean, then what is to be known of the runs.
pub(crate) fn notes(document: &PivotDocument) -> Vec<String> {
    let has = |test: fn(&PivotCell) -> bool| document.cells().any(test);
    let mut notes = Vec::new();
    let unit = document
        .unit()
        .map(|unit| format!("{unit}. "))
        .unwrap_or_default();
    let mut meaning = match has(|cell| cell.results > 1) {
        true => {
            format!("{unit}Each cell is the median of its results, whose number stands in brackets")
        }
        false => format!("{unit}Each cell is the figure of one result"),
    };
    if has(|cell| cell.interval_95.is_some()) {
        meaning += "; ± is how far its 95 % interval reaches";
    }
    if has(|cell| cell.interval_95.is_none() && cell.range.is_some()) {
        meaning += "; R is the largest less the smallest of its trials";
    }
    notes.push(meaning + ".");
    if has(|cell| cell.ratio.is_some()) {
        let reference = document.columns.first().map_or("", String::as_str);
        notes.push(format!("Changes are against {reference}."));
    }
    if has(|cell| cell.is_best) {
        notes.push(format!(
            "{BEST} is shown to be better than every other of its row, with all rows tested together."
        ));
    }
    let mut kinds: Vec<&str> = Vec::new();
    for cell in document.cells().filter(|cell| !cell.kind.is_empty()) {
        if !kinds.contains(&cell.kind.as_str()) {
            kinds.push(&cell.kind);
        }
    }
    if !kinds.is_empty() {
        notes.push(format!(
            "Figures that are no single run: {}.",
            kinds.join(", ")
        ));
    }
    notes.extend(document.notes.iter().cloned());
    notes
}
