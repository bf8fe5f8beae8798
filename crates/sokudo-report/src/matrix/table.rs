//! A matrix for people: what it comes to, a line for each cell, what each axis does, what failed
//! and what was left out.

use sokudo_model::Verdict;
use sokudo_words::{Text, text};

use super::sentence::{
    combinations, largest_first, of_combination, of_pair, pairs, unproven, unseen,
};
use super::words::{axis_name, cell_name, telling_axes};
use super::{CountedUnit, MatrixCellState, MatrixDocument, MatrixFigure, MatrixRowDocument};
use crate::article::{Article, Element};
use crate::forms::Forms;
use crate::number::{UNPROVEN, rate_with};
use crate::style::BandwidthUnit;
use crate::table::{Cell, Table, Tone, left, right};
use crate::unique::grouped;
use crate::wording::row;

/// Marks the best cell of a row.
const BEST: &str = "*";
/// So many lines are said of an axis; of more, the rest is counted.
const LINES_MAX: usize = 12;

impl Forms for MatrixDocument {
    fn article(&self, unit: BandwidthUnit) -> Article<'_> {
        let title = text!(
            "sokudo {} · matrix {} · {}",
            self.sokudo_version,
            self.id,
            self.method
        );
        let mut article = Article::default();
        article.add(Element::Title(Cell::Text(title)));
        article.append(outcome(self, unit));
        article.add(Element::StoredCommand(&self.command));
        article
    }
}

/// What it comes to, without what it is.
pub(crate) fn outcome(document: &MatrixDocument, unit: BandwidthUnit) -> Article<'_> {
    let mut article = Article::default();
    let mut sentences = document.sentences.iter().cloned();
    let answer = sentences.next().unwrap_or_default();
    article.add(Element::Answer(Tone::None, answer));
    article.notes(sentences.collect());
    article.add(Element::Table(figures(document, unit)));
    article.marked("", "- ", legend(document, unit));
    if let Some(table) = at_disks(document) {
        article.add(Element::Table(table));
    }
    for axis in 0..document.axes.len() {
        let title = text!("What {} does:", axis_name(document, axis));
        article.marked(title, "  ", what_it_does(document, axis));
    }
    article.marked(
        "What depends on another axis:",
        "  ",
        what_depends(document),
    );
    article.marked("What failed:", "  ", failed(document));
    article.marked("What was left out:", "  ", left_out(document));
    article.marked("Notes on cells:", "  ", noted(document));
    article
}

/// A line for each cell that was meant to be measured, with a column for each axis that varies and
/// each row.
fn lines(document: &MatrixDocument) -> Vec<usize> {
    let cells = document.cells.iter().enumerate();
    let meant = cells.filter(|(_, cell)| cell.state != MatrixCellState::LeftOut);
    meant.map(|(number, _)| number).collect()
}

fn table_of(
    document: &MatrixDocument,
    head: impl Fn(&MatrixRowDocument) -> Text,
    cell: impl Fn(usize, &MatrixRowDocument) -> Option<Cell>,
) -> Table {
    let lines = lines(document);
    let varied = telling_axes(document);
    let mut table = Table::of(&lines);
    for axis in &varied {
        table = table.column(left(axis_name(document, *axis)), |line| {
            let value = document.cells[*line].values[*axis];
            Some(Text::name(&document.axes[*axis].values[value]))
        });
    }
    for row in &document.rows {
        table = table.column(right(head(row)), |line| cell(*line, row));
    }
    let table = match varied.first() {
        Some(first) => table.turning(|one, other| {
            let value = |cell: &usize| document.cells[*cell].values[*first];
            varied.len() > 1 && value(one) != value(other)
        }),
        None => table,
    };
    table.table().repeating(varied.len())
}

fn figures(document: &MatrixDocument, unit: BandwidthUnit) -> Table {
    table_of(
        document,
        |it| text!("{} {}", row(&it.name), unit_of(it, unit).1),
        |line, row| match &row.cells[line] {
            Some(figure) => Some(figure_cell(row, figure, unit)),
            None if document.cells[line].state == MatrixCellState::Failed => {
                Some(Cell::Judged(Tone::Bad, "failed".into()))
            }
            None => None,
        },
    )
}

/// What a row's figures are divided by, and their unit. Files are counted as they are.
pub(crate) fn unit_of(row: &MatrixRowDocument, requested: BandwidthUnit) -> (f64, &'static str) {
    match (row.counted, requested, row.bytes_per_io) {
        (CountedUnit::Files, _, _) => (1.0, "files/s"),
        (_, BandwidthUnit::IosPerSecond, Some(bytes)) => (bytes, requested.name()),
        (_, BandwidthUnit::IosPerSecond, None) => {
            let unit = BandwidthUnit::MegabytesPerSecond;
            (unit.bytes(), unit.name())
        }
        _ => (requested.bytes(), requested.name()),
    }
}

fn figure_cell(row: &MatrixRowDocument, figure: &MatrixFigure, unit: BandwidthUnit) -> Cell {
    let Some(per_second) = figure.per_second else {
        let tone = Tone::of(Some(Verdict::Invalid));
        return Cell::Judged(tone, Verdict::Invalid.name().into());
    };
    let divisor = unit_of(row, unit).0;
    let interval = figure.interval_95.map(|ends| ends.map(|it| it / divisor));
    let text = rate_with(per_second / divisor, interval);
    let signs = [(figure.is_best, BEST), (figure.is_unproven(), UNPROVEN)];
    let signs = signs.into_iter().filter(|(holds, _)| *holds);
    let marked = signs.fold(text, |text, (_, sign)| format!("{text} {sign}"));
    Cell::Name(marked)
}

fn legend(document: &MatrixDocument, unit: BandwidthUnit) -> Vec<Text> {
    if document.rows.is_empty() {
        return Vec::new();
    }
    let blocks = match document.blocks {
        1 => text!("1 block"),
        blocks => text!("{blocks} blocks"),
    };
    let mut notes = vec![text!(
        "Each figure is the geometric mean of {blocks}, in each of which every cell was measured \
         once, in random order (seed {}); ± is its 95 % interval by the noise of all cells or of \
         those that share a value with it, whichever is wider.",
        document.seed
    )];
    if unit == BandwidthUnit::MegabytesPerSecond {
        notes.push("1 MB is 1,000,000 bytes.".into());
    }
    if document.figures().any(|it| it.is_best) {
        notes.push(text!(
            "{BEST} is shown to be faster than every other cell of its row."
        ));
    }
    if document
        .figures()
        .any(|it| it.per_second.is_some() && it.is_unproven())
    {
        notes.push(text!(
            "{UNPROVEN} is UNVERIFIED in at least one block: sokudo show says why."
        ));
    }
    let has_none = |it: &MatrixFigure| it.interval_95.is_none() && it.counted_blocks() > 1;
    if document.figures().any(has_none) {
        notes.push("Without ±: too few blocks for an interval.".into());
    }
    let has_fewer = |it: &MatrixFigure| it.counted_blocks() < document.blocks as usize;
    if document
        .figures()
        .any(|it| it.per_second.is_some() && has_fewer(it))
    {
        notes.push(
            "Some figures have fewer blocks: INVALID results do not count, and a block may be missing (--format csv shows the number)."
                .into(),
        );
    }
    if document.effects.comparisons > 0 {
        notes.push(text!(
            "Each interval is of one cell alone; a difference must stand against {} comparisons, \
             with at most 5 % false alarms over all of a matrix in which nothing differs.",
            document.effects.comparisons
        ));
    }
    notes
}

/// `None` where the disks' counters are known of less than half of the figures.
fn at_disks(document: &MatrixDocument) -> Option<Table> {
    let ratio =
        |line: usize, row: &MatrixRowDocument| row.cells[line].as_ref()?.bytes_at_disks_per_byte;
    let known = document
        .figures()
        .filter(|it| it.bytes_at_disks_per_byte.is_some());
    if known.count() * 2 < document.figures().count().max(1) {
        return None;
    }
    let table = table_of(
        document,
        |it| row(&it.name),
        |line, row| Some(Cell::Name(format!("{:.2}", ratio(line, row)?))),
    );
    let note = "For writes, what mirrors, parity, journals and copies add. For reads, below 1 is what caches answered.";
    Some(
        table
            .titled("Bytes moved by the disks per byte of the row:")
            .noted(note),
    )
}

/// The differences between values of an axis, the largest first, or how large one may be.
fn what_it_does(document: &MatrixDocument, axis: usize) -> Vec<Text> {
    let pairs = || pairs(document).filter(move |(_, pair)| pair.axis == axis);
    let shown = largest_first(pairs(), |pair| pair.ratio);
    let lines = shown
        .iter()
        .map(|(row, pair)| text!("{}.", of_pair(document, row, pair)));
    let mut lines = at_most(lines.collect());
    lines.extend(unproven(document, pairs()));
    lines.extend(unseen(pairs()).map(|reach| match shown.is_empty() {
        true => text!("No difference was shown; one of {reach} may have gone unseen."),
        false => text!("No other was shown; one of {reach} may have gone unseen."),
    }));
    lines
}

fn what_depends(document: &MatrixDocument) -> Vec<Text> {
    let shown = largest_first(combinations(document), |it| it.ratio);
    let lines = shown
        .iter()
        .map(|(row, it)| text!("{}.", of_combination(document, row, it)));
    at_most(lines.collect())
}

fn at_most(mut lines: Vec<Text>) -> Vec<Text> {
    if let more @ 1.. = lines.len().saturating_sub(LINES_MAX) {
        lines.truncate(LINES_MAX);
        lines.push(text!("{more} more are in the document (--format json)."));
    }
    lines
}

fn failed(document: &MatrixDocument) -> Vec<Text> {
    let failures = document.cells.iter().flat_map(|cell| &cell.failures);
    let lines = failures.map(|it| {
        let (cell, block) = (cell_name(document, it.cell), it.block + 1);
        let (command, message) = (&it.command, it.message.clone());
        match command.is_empty() {
            true => text!("{cell}, block {block}: {message}"),
            false => text!("{cell}, block {block}: {command}: {message}"),
        }
    });
    lines.collect()
}

fn left_out(document: &MatrixDocument) -> Vec<Text> {
    notes_of(document, |state| state == MatrixCellState::LeftOut)
}

fn noted(document: &MatrixDocument) -> Vec<Text> {
    notes_of(document, |state| state != MatrixCellState::LeftOut)
}

/// What is noted of cells in such states, each once with the cells that it is noted of.
fn notes_of(document: &MatrixDocument, is_meant: fn(MatrixCellState) -> bool) -> Vec<Text> {
    let cells = document.cells.iter().enumerate();
    let meant = cells.filter(|(_, cell)| is_meant(cell.state));
    let notes = meant.flat_map(|(number, cell)| {
        let notes = cell.notes.iter();
        notes.map(move |note| (note, cell_name(document, number)))
    });
    let notes = grouped(notes);
    let lines = notes.into_iter().map(|(note, cells)| {
        let cells = Text::list(cells, ", ");
        text!("{cells}: {}", note.clone())
    });
    lines.collect()
}
