//! Articles on a terminal or in a file of text.
//!
//! A narrow terminal gets fewer columns, never a broken table; columns of rank 0, such as the
//! verdict, are always there. Colour only repeats what a word says.

use std::borrow::Cow;

use sokudo_model::{Inference, Severity};
use sokudo_words::{Text, text};
use unicode_width::UnicodeWidthStr;

use crate::article::{Article, Element};
use crate::card;
use crate::document::RunDocument;
use crate::explain::{NOTHING, sentence};
use crate::grouping::FindingGroup;
use crate::layout::{
    GAP, LayoutColumn, coloured, cut_to, fit, pad, table_lines, table_width, wrapped,
};
use crate::run::{self, RunVerdict};
use crate::style::TableStyle;
use crate::surface::curve;
use crate::table::{Align, Cell, Skin, Table, Tone};

/// Cells of a first column that goes on below are broken into lines no shorter than this.
const FIRST_COLUMNS_MIN: usize = 16;

/// Where more lines follow an answer, it is out of sight, and stands again as the last.
const SCREEN_LINES: usize = 20;

/// Columns of the labels of findings.
const LABEL_WIDTH: usize = 9;

/// A whole run: what was measured, the figures, what is thought of them, and how to measure
/// again.
pub fn render(document: &RunDocument, style: &TableStyle) -> String {
    write(&run::article(document, style.unit), style)
}

/// What a run comes to: the figures, how good they are, the worst that was found, and where the
/// rest of it is.
pub fn answer(document: &RunDocument, style: &TableStyle, rest: &Text) -> String {
    answered(&run::brief(document, style.unit), document, style, rest)
}

/// The same as a card: what the disk is, and reads and writes beside each other.
pub fn card(document: &RunDocument, style: &TableStyle, rest: &Text) -> String {
    answered(&card::article(document, style.unit), document, style, rest)
}

fn answered(
    figures: &Article<'_>,
    document: &RunDocument,
    style: &TableStyle,
    rest: &Text,
) -> String {
    let figures = write(figures, style);
    let RunVerdict {
        goodness,
        worst,
        more,
    } = RunVerdict::of(document);
    let mut lines = Vec::new();
    let answer = run::answer(document).filter(|_| figures.lines().count() > SCREEN_LINES);
    for (tone, text) in answer.into_iter().chain(goodness) {
        lines.extend(answer_lines(tone, &text, style));
    }
    if let Some((label, text)) = worst {
        let label = match label {
            "" => String::new(),
            label => format!("{}: ", style.word(label)),
        };
        let more = match more {
            0 => Text::default(),
            more => text!(" (+ {more} more)"),
        };
        lines.extend(style.wrapped(&label, &text!("{text}{more}")));
    }
    lines.extend(style.wrapped("", rest));
    format!("{figures}\n{}\n", lines.join("\n"))
}

/// An article as text that ends with a line feed.
pub fn write(article: &Article<'_>, style: &TableStyle) -> String {
    let blocks = article
        .on(Skin::Terminal)
        .map(|it| lines(it, style).join("\n"));
    let blocks: Vec<String> = blocks.filter(|block| !block.is_empty()).collect();
    blocks.join("\n\n") + "\n"
}

fn lines(element: &Element<'_>, style: &TableStyle) -> Vec<String> {
    match element {
        Element::Title(title) => style.wrapped_name("", &cell_text(title, style)),
        Element::Heading(text) | Element::Paragraph(text) => style.wrapped("", text),
        Element::Facts(facts) => fact_lines(facts, style),
        Element::Answer(tone, text) => answer_lines(*tone, text, style),
        Element::Notes { title, mark, items } => {
            let title = Some(title).filter(|it| !it.is_empty() && !items.is_empty());
            let items = items.iter().flat_map(|item| style.wrapped(mark, item));
            title
                .map(|title| style.text(title))
                .into_iter()
                .chain(items)
                .collect()
        }
        Element::OfRows(rows) => {
            let line = |(row, text): &(Text, Text)| match row.is_empty() {
                true => style.wrapped("", text),
                false => style.wrapped(&format!("{}: ", style.text(row)), text),
            };
            rows.iter().flat_map(line).collect()
        }
        Element::Table(table) => {
            let (mut lines, of_columns) = table_and_notes(table, style);
            let notes = std::iter::once(table.note.clone());
            let notes = notes.chain(of_columns.into_iter().map(Text::from));
            for note in notes.filter(|note| !note.is_empty()) {
                lines.push(String::new());
                lines.extend(style.wrapped("", &note));
            }
            lines
        }
        Element::Curve(row) => curve::lines(row, style).unwrap_or_default(),
        Element::Conclusions(inferences) => conclusion_lines(inferences, style),
        Element::Findings(groups) => findings_lines(groups, style),
        Element::Commands(_, []) => Vec::new(),
        Element::Commands(title, commands) => {
            let commands = commands.iter().map(|command| style.name(command));
            std::iter::once(style.word(title)).chain(commands).collect()
        }
        Element::StoredCommand("") => Vec::new(),
        Element::StoredCommand(command) => vec![style.command(command)],
    }
}

fn fact_lines(facts: &[(Text, Cell)], style: &TableStyle) -> Vec<String> {
    let widths = facts.iter().map(|(label, _)| style.text(label).width());
    let width = widths.max().unwrap_or(0) + GAP;
    let line = |(label, value): &(Text, Cell)| {
        let label = pad(&style.text(label), width, Align::Left);
        style.wrapped_name(&label, &cell_text(value, style))
    };
    facts.iter().flat_map(line).collect()
}

fn answer_lines(tone: Tone, text: &Text, style: &TableStyle) -> Vec<String> {
    let mut lines = style.wrapped("", text);
    if let (Some(first), Some(colour)) = (lines.first_mut(), colour(tone, style))
        && let Some((word, rest)) = first.split_once(':')
    {
        *first = format!("{}:{rest}", coloured(word, colour));
    }
    lines
}

fn conclusion_lines(inferences: &[Inference], style: &TableStyle) -> Vec<String> {
    if inferences.is_empty() {
        return style.wrapped("", &NOTHING.into());
    }
    let mut lines = style.wrapped("", &"The figures are consistent with:".into());
    for inference in inferences {
        lines.push(String::new());
        lines.extend(style.wrapped("  ", &sentence(inference)));
        let evidence = text!("seen: {}", inference.evidence.clone());
        lines.extend(style.wrapped("      ", &evidence));
    }
    lines
}

/// Of more notes than this the causes are left to paper: nothing is wrong with the figures.
const NOTES_EXPLAINED: usize = 2;

fn findings_lines(groups: &[FindingGroup<'_>], style: &TableStyle) -> Vec<String> {
    let notes = groups.iter().filter(|it| it.severity == Severity::Info);
    let is_short = notes.count() > NOTES_EXPLAINED;
    let mut lines = Vec::new();
    let mut before = None;
    for group in groups {
        let is_short_note = is_short && group.severity == Severity::Info;
        if before.is_some_and(|before| !(before && is_short_note)) {
            lines.push(String::new());
        }
        lines.extend(lines_of(group, is_short_note, style));
        before = Some(is_short_note);
    }
    lines
}

pub(crate) fn finding_lines(group: &FindingGroup<'_>, style: &TableStyle) -> Vec<String> {
    lines_of(group, false, style)
}

fn lines_of(group: &FindingGroup<'_>, is_short: bool, style: &TableStyle) -> Vec<String> {
    let under = |label| format!("{:LABEL_WIDTH$}{}", "", style.label(label, LABEL_WIDTH));
    let label = style.label(group.label(), LABEL_WIDTH);
    let mut lines = style.wrapped(&label, &group.summary);
    let unsaid = Text::default();
    let cause = match is_short {
        true => &unsaid,
        false => &group.cause,
    };
    let parts = [
        ("rows:", &group.rows),
        ("cause:", cause),
        ("remedy:", &group.remedy),
    ];
    for (name, text) in parts {
        if !text.is_empty() {
            lines.extend(style.wrapped(&under(name), text));
        }
    }
    lines
}

/// The lines of a table, with what stands above it.
pub(crate) fn table_text(table: &Table, style: &TableStyle) -> Vec<String> {
    table_and_notes(table, style).0
}

/// The same, and what must be known to read the columns that have found room.
fn table_and_notes(table: &Table, style: &TableStyle) -> (Vec<String>, Vec<&'static str>) {
    let mut lines = match table.title.is_empty() {
        true => Vec::new(),
        false => style.wrapped("", &table.title),
    };
    let mut columns = columns(table, style);
    if table.repeated.is_none() {
        fit(&mut columns, style.width, style.end());
    }
    let notes = columns.iter().map(|column| column.note);
    let notes = notes.filter(|note| !note.is_empty()).collect();
    lines.extend(match table.repeated {
        Some(repeated) => going_on_below(columns, repeated, style),
        None => table_lines(&columns, style.rule(), &table.turns),
    });
    (lines, notes)
}

fn columns(table: &Table, style: &TableStyle) -> Vec<LayoutColumn> {
    let shown = table.columns.iter().filter(|it| it.head.on != Skin::Paper);
    let columns = shown.map(|column| {
        let head = &column.head;
        let text = |cell| {
            let text = style.name(&cell_text(cell, style));
            match head.widths {
                Some(widths) => cut_to(&text, widths.most, style.end(), widths.is_sentence),
                None => text,
            }
        };
        let colour_of = |cell: &Cell| match cell {
            Cell::Judged(tone, _) => colour(*tone, style),
            _ => None,
        };
        LayoutColumn {
            group: style.group(head.group),
            title: match head.is_quiet {
                true => String::new(),
                false => style.text(&head.title),
            },
            align: head.align,
            rank: head.rank,
            least: head.widths.map(|widths| widths.least),
            is_sentence: head.widths.is_some_and(|widths| widths.is_sentence),
            cells: column.cells.iter().map(text).collect(),
            colours: column.cells.iter().map(colour_of).collect(),
            note: column.note(),
        }
    });
    columns.collect()
}

/// As many tables as there must be, each behind the same first columns.
fn going_on_below(
    mut columns: Vec<LayoutColumn>,
    repeated: usize,
    style: &TableStyle,
) -> Vec<String> {
    let figures = columns.split_off(repeated.min(columns.len()));
    let mut first = columns;
    let width = |column| table_width(std::slice::from_ref(column));
    let beside: usize = first.iter().skip(1).map(|it| width(it) + GAP).sum();
    let widest = figures.iter().map(width).max().unwrap_or(0);
    let room = style.width.saturating_sub(widest + GAP + beside);
    let room = room.max(FIRST_COLUMNS_MIN);
    let broken: Vec<Vec<String>> = first.first().map_or_else(Vec::new, |names| {
        let broken = names.cells.iter().map(|name| match name.width() <= room {
            true => vec![name.clone()],
            false => wrapped("", name, room),
        });
        broken.collect()
    });
    // Other cells stand beside the first lines of these.
    let spread = |mut column: LayoutColumn| {
        let cells = column
            .cells
            .into_iter()
            .zip(&broken)
            .flat_map(|(cell, lines)| {
                let below = lines.len().saturating_sub(1);
                std::iter::once(cell).chain(vec![String::new(); below])
            });
        column.cells = cells.collect();
        column.colours.clear();
        column
    };
    first = first.into_iter().map(spread).collect();
    if let Some(names) = first.first_mut() {
        names.cells = broken.concat();
    }
    let mut parts: Vec<Vec<LayoutColumn>> = Vec::new();
    for column in figures.into_iter().map(spread) {
        if let Some(part) = parts.last_mut() {
            part.push(column);
            if table_width(part) <= style.width {
                continue;
            }
            let column = part.pop();
            parts.push(first.iter().cloned().chain(column).collect());
        } else {
            parts.push(first.iter().cloned().chain([column]).collect());
        }
    }
    let parts = parts
        .iter()
        .map(|part| table_lines(part, style.rule(), &[]));
    parts.collect::<Vec<_>>().join(&String::new())
}

const fn colour(tone: Tone, style: &TableStyle) -> Option<&'static str> {
    match tone {
        _ if !style.colour => None,
        Tone::None => None,
        Tone::Good => Some("32"),
        Tone::Doubtful => Some("33"),
        Tone::Bad => Some("31"),
    }
}

fn cell_text<'a>(cell: &'a Cell, style: &TableStyle) -> Cow<'a, str> {
    cell.in_language(style.language(), style.ascii)
}

#[cfg(test)]
mod tests;
