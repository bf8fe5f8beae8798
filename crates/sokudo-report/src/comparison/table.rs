//! A comparison on the terminal. A narrow terminal gets fewer columns; the change and the
//! conclusion are always there.

use sokudo_model::Conclusion;

use super::{ComparisonDocument, OtherDocument, RowDocument, RowSideDocument, SideDocument, words};
use crate::date;
use crate::layout::{Align, Column, fit, table_lines, table_width};
use crate::number::{MISSING, rate};
use crate::pivot;
use crate::style::{BandwidthUnit, TableStyle};

/// Columns that a narrow table can do without, in the order in which they go.
const DROP_ORDER: [&str; 3] = ["effect", "±", "95 % interval"];

/// The whole text.
pub fn render(document: &ComparisonDocument, style: &TableStyle) -> String {
    let unit = words::unit(document, style.unit);
    let mut blocks = vec![heading(document, style)];
    if let Some(matrix) = &document.matrix {
        blocks.push(pivot::table::warnings(matrix, style));
        blocks.extend(pivot::table::matrix(matrix, style));
        let notes = pivot::table::notes(matrix);
        blocks.push(
            notes
                .iter()
                .flat_map(|note| style.wrapped("- ", note))
                .collect(),
        );
    }
    for other in &document.others {
        if document.matrix.is_none() {
            blocks.push(figures(document, other, unit, style));
        }
        blocks.push(notes(document, other, style));
        blocks.push(differing(other, style));
    }
    if document.rows().next().is_some() && document.matrix.is_none() {
        blocks.push(style.wrapped("", &words::legend(document, unit)));
    }
    blocks.push(vec![style.command(&document.command)]);
    let blocks = blocks.into_iter().filter(|lines| !lines.is_empty());
    let blocks: Vec<String> = blocks.map(|lines| lines.join("\n")).collect();
    blocks.join("\n\n") + "\n"
}

fn heading(document: &ComparisonDocument, style: &TableStyle) -> Vec<String> {
    let title = format!("sokudo {} · compare", document.sokudo_version);
    let mut lines = vec![style.text(&title), String::new()];
    let sides =
        std::iter::once(&document.reference).chain(document.others.iter().map(|it| &it.side));
    lines.extend(sides.flat_map(|side| side_lines(side, style)));
    lines
}

fn side_lines(side: &SideDocument, style: &TableStyle) -> Vec<String> {
    let interrupted = if side.interrupted {
        ", interrupted"
    } else {
        ""
    };
    let text = format!(
        "{} ({}, {}{interrupted})",
        side.source,
        side.method,
        date::for_people(&side.started_at)
    );
    style.wrapped(&format!("{}  ", side.letter), &text)
}

fn figures(
    document: &ComparisonDocument,
    other: &OtherDocument,
    unit: BandwidthUnit,
    style: &TableStyle,
) -> Vec<String> {
    if other.rows.is_empty() {
        return style.wrapped(
            "",
            &format!("{} has no row in common with A.", other.side.letter),
        );
    }
    let mut columns = columns(document, other, unit, style);
    fit(
        &mut columns,
        style.width,
        &DROP_ORDER.map(|it| style.text(it)),
    );
    let conclusions = columns.last().map_or(&[][..], |column| &column.cells);
    let table = table_lines(&columns, style.rule());
    let mut lines = vec![
        table[1].clone(),
        style.rule().to_string().repeat(table_width(&columns)),
    ];
    for ((line, row), cell) in table[2..].iter().zip(&other.rows).zip(conclusions) {
        lines.push(coloured(line, cell, row.compared.conclusion, style));
    }
    lines
}

fn columns(
    document: &ComparisonDocument,
    other: &OtherDocument,
    unit: BandwidthUnit,
    style: &TableStyle,
) -> Vec<Column> {
    let column = |title: &str, align, cell: &dyn Fn(&RowDocument) -> String| Column {
        group: "",
        title: style.text(title),
        align,
        cells: other
            .rows
            .iter()
            .map(|row| style.text(&cell(row)))
            .collect(),
    };
    let titles =
        [&document.reference, &other.side].map(|side| format!("{} {}", side.letter, unit.name()));
    vec![
        column("row", Align::Left, &row_cell),
        column(&titles[0], Align::Point, &|row| {
            median(&row.reference, unit)
        }),
        column("±", Align::Right, &|row| spread(&row.reference, unit)),
        column(&titles[1], Align::Point, &|row| median(&row.other, unit)),
        column("±", Align::Right, &|row| spread(&row.other, unit)),
        column("change", Align::Right, &|row| {
            row.compared.change.as_ref().map_or_else(
                || MISSING.to_owned(),
                |change| words::change_text(change.ratio),
            )
        }),
        column("95 % interval", Align::Right, &|row| {
            words::interval(row.compared.change.as_ref())
        }),
        column("effect", Align::Left, &|row| {
            let change = row.compared.change.as_ref();
            change
                .map_or(MISSING, |change| change.effect.name())
                .to_owned()
        }),
        column("conclusion", Align::Left, &|row| {
            words::conclusion(document, &row.compared)
        }),
    ]
}

fn row_cell(row: &RowDocument) -> String {
    match &row.other_row {
        Some(other) => format!("{} | {other}", row.row),
        None => row.row.clone(),
    }
}

fn median(side: &RowSideDocument, unit: BandwidthUnit) -> String {
    let rates = side.per_second.as_ref();
    rates.map_or_else(
        || MISSING.to_owned(),
        |rates| rate(rates.median / unit.bytes()),
    )
}

/// Without its sign, which is the column's title.
pub(super) fn spread(side: &RowSideDocument, unit: BandwidthUnit) -> String {
    let rates = side.per_second.as_ref();
    let spread = rates.and_then(|rates| rates.spread(unit.bytes()));
    spread.map_or_else(
        || MISSING.to_owned(),
        |spread| spread.trim_start_matches("± ").to_owned(),
    )
}

/// The line with its last cell, the conclusion, in its colour.
fn coloured(line: &str, cell: &str, conclusion: Conclusion, style: &TableStyle) -> String {
    let colour = match conclusion {
        Conclusion::Faster => "32",
        Conclusion::Slower => "31",
        Conclusion::TooFewTrials | Conclusion::CannotBeCompared => "33",
        Conclusion::Same | Conclusion::NoDifferenceShown => return line.to_owned(),
    };
    match line.strip_suffix(cell).filter(|_| style.colour) {
        Some(figures) => format!("{figures}\x1b[{colour}m{cell}\x1b[0m"),
        None => line.to_owned(),
    }
}

fn notes(document: &ComparisonDocument, other: &OtherDocument, style: &TableStyle) -> Vec<String> {
    let mut lines: Vec<String> = words::notes(document, other)
        .iter()
        .flat_map(|note| {
            let rows = if note.rows.len() == other.rows.len() && note.rows.len() > 1 {
                "all rows".to_owned()
            } else {
                note.rows.join(", ")
            };
            style.wrapped("", &format!("{rows}: {}.", note.text))
        })
        .collect();
    for line in words::alone(other) {
        lines.extend(style.wrapped("", &line));
    }
    lines
}

fn differing(other: &OtherDocument, style: &TableStyle) -> Vec<String> {
    let lines = words::differing(other);
    if lines.is_empty() {
        return Vec::new();
    }
    let title = format!("What differs (A | {}):", other.side.letter);
    let mut text = vec![style.text(&title)];
    text.extend(lines.iter().flat_map(|line| style.wrapped("  ", line)));
    text
}
