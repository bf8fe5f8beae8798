//! A matrix for people. Of a matrix that is too wide the columns are shown in several parts,
//! one below the other.

use sokudo_model::Verdict;
use sokudo_words::{Text, text};

use super::{PivotCell, PivotDocument, keys_text, ratio};
use crate::article::{Article, Element};
use crate::forms::Forms;
use crate::grouping::FindingGroup;
use crate::number::{UNPROVEN, change_text};
use crate::style::BandwidthUnit;
use crate::table::{Cell, Table, Tone, left, right};
use crate::unique::unique;
use crate::wording::{phrase, row, source};

/// Marks the best of a row.
const BEST: &str = "*";

impl Forms for PivotDocument {
    /// Its figures are in units of their own.
    fn article(&self, _: BandwidthUnit) -> Article<'_> {
        let title = text!(
            "sokudo {} · compare · {} · {}",
            self.sokudo_version,
            self.title(),
            match self.runs {
                1 => "1 run".into(),
                runs => text!("{runs} runs"),
            }
        );
        let mut article = Article::default();
        article.add(Element::Title(Cell::Text(title)));
        add(&mut article, self);
        article.add(Element::StoredCommand(&self.command));
        article
    }
}

/// Warnings, the matrix, and what is to be read with it.
pub(crate) fn add<'a>(article: &mut Article<'a>, document: &'a PivotDocument) {
    let warnings = document.warnings.iter().map(FindingGroup::alone);
    article.add(Element::Findings(warnings.collect()));
    article.add(Element::Table(matrix(document)));
    article.marked("", "- ", notes(document));
}

fn matrix(document: &PivotDocument) -> Table {
    let has_units = document.unit().is_none();
    let mut rows = Table::of(&document.rows)
        .column(left(keys_text(&document.rows_by)), |row| {
            Some(name(&document.rows_by, &row.name))
        })
        .column_if(has_units, left("unit"), |row| Some(row.unit.clone()));
    for (index, title) in document.columns.iter().enumerate() {
        rows = rows.column(right(name(&document.columns_by, title)), |row| {
            row.cells.get(index)?.as_ref().map(cell_text)
        });
    }
    rows.table().repeating(1 + usize::from(has_units))
}

/// What a row or a column is called, by what it is of.
fn name(keys: &str, name: &str) -> Text {
    let (keys, values) = (keys.split('+'), name.split(" · "));
    if keys.clone().count() != values.clone().count() {
        return Text::name(name);
    }
    let values = keys.zip(values).map(|(key, value)| match key {
        "row" => row_of_sides(value),
        "direction" | "device" => phrase(value),
        "run" => source(value),
        _ => Text::name(value),
    });
    Text::list(values, " · ")
}

/// The names that sides have for a row, and in what it differs from others of its name.
fn row_of_sides(name: &str) -> Text {
    let differing = name
        .strip_suffix(')')
        .and_then(|it| it.rsplit_once(" (other "));
    let names = differing.map_or(name, |(names, _)| names);
    let names = Text::list(names.split(" | ").map(row), " | ");
    match differing {
        None => names,
        Some((_, parts)) => {
            let parts = Text::list(parts.split(", ").map(phrase), ", ");
            text!("{names} (other {parts})")
        }
    }
}

/// What stands in a cell: its figure, its verdict where that is not the best, and what it is
/// against the reference.
fn cell_text(cell: &PivotCell) -> Cell {
    let (tone, verdict) = match cell.verdict {
        Some(Verdict::Invalid) => (Tone::Bad, Some(Verdict::Invalid.name())),
        Some(Verdict::Unverified) => (Tone::None, Some(UNPROVEN)),
        Some(Verdict::Verified) | None => (Tone::None, None),
    };
    let change = cell.ratio.map(|it| format!(" {}", change_text(it)));
    let parts = [
        Some(Text::name(cell.text())),
        verdict.map(Text::from),
        change.map(Text::name),
        cell.is_best.then(|| Text::name(BEST)),
    ];
    Cell::Judged(tone, Text::list(parts.into_iter().flatten(), " "))
}

/// What the cells mean, then what is to be known of the runs.
fn notes(document: &PivotDocument) -> Vec<Text> {
    let has = |test: fn(&PivotCell) -> bool| document.cells().any(test);
    let mut notes = Vec::new();
    let is_of_ratios = document.rows_by == ratio::BY;
    let meanings = [
        (
            is_of_ratios,
            "Each cell is one row of a run divided by another",
        ),
        (
            has(|cell| cell.results > 1),
            "Each cell is the median of its results, with their number, lowest and highest in brackets",
        ),
        (
            !is_of_ratios && !has(|cell| cell.results > 1),
            "Each cell is the figure of one result",
        ),
        (
            has(|cell| cell.interval_95.is_some() && cell.results > 1),
            "± is its 95 % interval",
        ),
        (
            has(|cell| cell.interval_95.is_some()) && !has(|cell| cell.results > 1),
            "± is the 95 % interval within its run",
        ),
        (
            has(|cell| cell.interval_95.is_none() && cell.range.is_some()),
            "R is the largest minus the smallest of its trials",
        ),
    ];
    let meanings = meanings.into_iter().filter(|(holds, _)| *holds);
    let meaning = Text::list(meanings.map(|(_, meaning)| meaning.into()), "; ");
    notes.push(match document.unit() {
        Some(unit) => text!("{unit}. {meaning}."),
        None => text!("{meaning}."),
    });
    if has(|cell| cell.verdict == Some(Verdict::Invalid)) {
        notes.push("INVALID: not a figure of the device; sokudo show says why.".into());
    }
    if has(|cell| cell.verdict == Some(Verdict::Unverified)) {
        notes.push(text!("{UNPROVEN} is UNVERIFIED: sokudo show says why."));
    }
    if has(|cell| cell.ratio.is_some()) {
        let reference = document.columns.first().map_or("", String::as_str);
        notes.push(text!(
            "Changes are against {}, by Hodges and Lehmann over all trials.",
            source(reference)
        ));
    }
    if has(|cell| cell.is_best) {
        notes.push(text!(
            "{BEST} is shown to be better than every other of its row, with all rows tested together."
        ));
    }
    let kinds = document.cells().map(|cell| &cell.kind);
    let kinds = unique(kinds.filter(|kind| !kind.is_empty()));
    if !kinds.is_empty() {
        let kinds = kinds.into_iter().cloned();
        notes.push(text!(
            "Figures that summarise several runs: {}.",
            Text::list(kinds, ", ")
        ));
    }
    notes.extend(document.notes.iter().cloned());
    notes
}
