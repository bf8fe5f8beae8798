//! The table on the terminal: what was measured, the figures, what is thought of
//! them, and how to measure again.
//!
//! A narrow terminal gets fewer columns, never a broken table; the bandwidth and
//! the verdict are always there. Colour only repeats what a word says.

mod columns;
mod matrix;

use sokudo_model::Verdict;
use sokudo_words::Language;

pub(crate) use matrix::sign;

use crate::date;
use crate::document::{ResultDocument, RunDocument, Status};
use crate::explain;
use crate::facts::facts;
use crate::grouping::{FindingGroup, grouped_findings, row_name, rows_text};
use crate::layout::{Align, pad, table_lines, table_width, wrapped};
use crate::load_table;
use crate::phase::Phase;
use crate::phase_table;
use crate::shortfall::shortfalls;
use crate::steady;
use crate::surface;
use unicode_width::UnicodeWidthStr;

/// Lines of text longer than this are hard to read, however wide the terminal.
const TEXT_WIDTH_MAX: usize = 100;
/// How the table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableStyle {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether verdicts are coloured by ANSI escapes.
    pub colour: bool,
    /// Whether all signs of the table itself are ASCII. Names that were given
    /// to sokudo stay as they are.
    pub ascii: bool,
    /// Unit of bandwidths.
    pub unit: BandwidthUnit,
    /// In what people are spoken to; English where all signs are ASCII.
    pub language: Language,
}

impl Default for TableStyle {
    /// 80 columns, no colour, MB/s, in English.
    fn default() -> Self {
        Self {
            width: 80,
            colour: false,
            ascii: false,
            unit: BandwidthUnit::MegabytesPerSecond,
            language: Language::English,
        }
    }
}

/// In what bandwidths are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandwidthUnit {
    /// MB/s: 1,000,000 bytes per second.
    MegabytesPerSecond,
    /// MiB/s: 1,048,576 bytes per second.
    MebibytesPerSecond,
    /// I/Os per second, in the place of bandwidths.
    IosPerSecond,
}

impl BandwidthUnit {
    /// `MB/s`, `MiB/s` or `IOPS`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MegabytesPerSecond => "MB/s",
            Self::MebibytesPerSecond => "MiB/s",
            Self::IosPerSecond => "IOPS",
        }
    }

    pub(crate) const fn bytes(self) -> f64 {
        match self {
            Self::MegabytesPerSecond => 1e6,
            Self::MebibytesPerSecond => 1_048_576.0,
            Self::IosPerSecond => 1.0,
        }
    }

    pub(crate) const fn definition(self) -> &'static str {
        match self {
            Self::MegabytesPerSecond => "1 MB is 1,000,000 bytes",
            Self::MebibytesPerSecond => "1 MiB is 1,048,576 bytes",
            Self::IosPerSecond => "reads and writes completed per second",
        }
    }
}

/// The whole text, for a terminal or a file.
pub fn render(document: &RunDocument, style: &TableStyle) -> String {
    let blocks = [
        heading_lines(document, style),
        main_lines(document, style),
        shortfall_lines(document, style),
        finding_lines(document, style),
        repeat_lines(document, style),
    ];
    let blocks = blocks.into_iter().filter(|lines| !lines.is_empty());
    let blocks: Vec<String> = blocks.map(|lines| lines.join("\n")).collect();
    blocks.join("\n\n") + "\n"
}

/// How to measure again, where that is known.
fn repeat_lines(document: &RunDocument, style: &TableStyle) -> Vec<String> {
    let command = Some(&document.command).filter(|command| !command.is_empty());
    let line = command.map(|command| style.command(command));
    line.into_iter().collect()
}

/// What the command was for, and what else its figures say.
fn main_lines(document: &RunDocument, style: &TableStyle) -> Vec<String> {
    if explain::is_explanation(document) {
        return explain::lines(document, style);
    }
    let mut lines = match surface::is_scan(document) {
        true => surface::lines(document, style),
        false => figure_lines(document, style),
    };
    let told = explain::paragraph(document, style);
    if !told.is_empty() {
        lines.push(String::new());
        lines.extend(told);
    }
    lines
}

impl TableStyle {
    /// The language that its signs can write.
    pub(crate) const fn language(&self) -> Language {
        if self.ascii {
            Language::English
        } else {
            self.language
        }
    }

    /// Text in the style's language that cannot harm a terminal.
    pub(crate) fn text(&self, text: &str) -> String {
        self.safe(&self.language().say(text))
    }

    /// A name that somebody gave, which is the same in all languages and cannot harm a
    /// terminal.
    pub(crate) fn name(&self, name: &str) -> String {
        self.safe(name)
    }

    /// The same, as a paragraph behind what begins it.
    pub(crate) fn wrapped_name(&self, first: &str, name: &str) -> Vec<String> {
        let width = self.width.min(TEXT_WIDTH_MAX);
        wrapped(&self.safe(first), &self.safe(name), width)
    }

    /// A heading over columns.
    pub(crate) fn group(&self, group: &'static str) -> &'static str {
        self.language().word(group)
    }

    /// A label, filled up so that what follows it lines up.
    pub(crate) fn label(&self, label: &str, width: usize) -> String {
        pad(&self.text(label), width, Align::Left)
    }

    /// How to measure again. A command is the same in all languages.
    pub(crate) fn command(&self, command: &str) -> String {
        format!("{} {}", self.text("Repeat:"), self.safe(command))
    }

    /// Text that cannot harm a terminal and, if wished, has no sign of ours
    /// beyond ASCII. Names of devices and files are written by strangers and may
    /// hold escapes.
    fn safe(&self, text: &str) -> String {
        let mut safe = String::with_capacity(text.len());
        for sign in text.chars() {
            match (sign, self.ascii) {
                (sign, true) if sign.is_control() => safe.push('?'),
                (sign, true) if is_unseen(sign) => safe.push('?'),
                (sign, false) if sign.is_control() || is_unseen(sign) => {
                    safe.push(char::REPLACEMENT_CHARACTER);
                }
                ('±', true) => safe.push_str("+-"),
                ('µ', true) => safe.push('u'),
                ('–' | '—' | '─', true) => safe.push('-'),
                ('·', true) => safe.push('|'),
                ('├' | '└', true) => safe.push('+'),
                ('│', true) => safe.push('|'),
                ('°', true) => {}
                ('×', true) => safe.push('x'),
                ('≤', true) => safe.push_str("<="),
                ('÷', true) => safe.push('/'),
                _ => safe.push(sign),
            }
        }
        safe
    }

    /// A paragraph behind what begins it, which is in the style's language already.
    pub(crate) fn wrapped(&self, first: &str, text: &str) -> Vec<String> {
        wrapped(
            &self.safe(first),
            &self.text(text),
            self.width.min(TEXT_WIDTH_MAX),
        )
    }

    pub(crate) const fn rule(&self) -> char {
        if self.ascii { '-' } else { '─' }
    }
}

/// Signs that are not seen but turn the order of what is: marks of direction, breaks of
/// lines and of pages, and what joins or parts words without a space.
pub(crate) const fn is_unseen(sign: char) -> bool {
    matches!(
        sign,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}'
    )
}

fn heading_lines(document: &RunDocument, style: &TableStyle) -> Vec<String> {
    let title = format!(
        "{} · {} · {}",
        document.measurer(),
        document.method,
        date::for_people(&document.started_at)
    );
    let facts = facts(document);
    let widths = facts.iter().map(|fact| style.text(fact.label).width());
    let label_width = widths.max().unwrap_or(0) + 2;
    let mut lines = style.wrapped_name("", &title);
    lines.push(String::new());
    for fact in &facts {
        lines.extend(style.wrapped(&style.label(fact.label, label_width), &fact.value));
    }
    lines
}

fn figure_lines(document: &RunDocument, style: &TableStyle) -> Vec<String> {
    if let Some(load) = &document.load {
        return load_table::figure_lines(document, load, style);
    }
    if let Some(steady) = &document.steady {
        return steady::lines(document, steady, style);
    }
    if Phase::makes_up(document) {
        return phase_table::figure_lines(document, style);
    }
    let results = document.results_by_direction();
    if matrix::is_matrix(document) {
        let mut lines = matrix::lines(document, &results, style);
        lines.extend(style.wrapped("", &legend(document, &results, style)));
        return lines;
    }
    let columns = columns::fitting(document, &results, style);
    let verdicts = columns.last().map_or(&[][..], |verdict| &verdict.cells);
    let table = table_lines(&columns, style.rule());
    let (titles, rows) = table.split_at(2);
    let mut lines = titles.to_vec();
    lines.push(style.rule().to_string().repeat(table_width(&columns)));
    let mut direction = results.first().map(|result| result.direction);
    for ((result, row), verdict) in results.iter().zip(rows).zip(verdicts) {
        if direction.replace(result.direction) != Some(result.direction) {
            lines.push(String::new());
        }
        lines.push(coloured(row, verdict, result, style));
    }
    lines.push(String::new());
    lines.extend(style.wrapped("", &legend(document, &results, style)));
    lines
}

/// The row with its last cell, the verdict, in the verdict's colour.
pub(crate) fn coloured(
    row: &str,
    cell: &str,
    result: &ResultDocument,
    style: &TableStyle,
) -> String {
    let colour = match result.verdict {
        Some(Verdict::Verified) => "32",
        Some(Verdict::Unverified) => "33",
        Some(Verdict::Invalid) => "31",
        None => return row.to_owned(),
    };
    match row.strip_suffix(cell).filter(|_| style.colour) {
        Some(figures) => format!("{figures}\x1b[{colour}m{cell}\x1b[0m"),
        None => row.to_owned(),
    }
}

fn legend(document: &RunDocument, results: &[&ResultDocument], style: &TableStyle) -> String {
    if document.origin.is_some() {
        return format!(
            "{}: as {} told it; {}.",
            style.unit.name(),
            style.text(&document.measurer()),
            style.unit.definition()
        );
    }
    let has_interval = results
        .iter()
        .filter_map(|result| result.bandwidth_bytes_per_s.as_ref())
        .any(|bandwidth| bandwidth.bytes_per_s.interval_95.is_some());
    let interval = if has_interval {
        "± how far its 95 % interval reaches"
    } else {
        "no 95 % interval below 6 trials"
    };
    let trimmed = match document.schedule.trim {
        0 => String::new(),
        trim => {
            format!("; trimmed: mean without the {trim} slowest and the {trim} fastest; R: range")
        }
    };
    let latencies = if columns::is_at_rates(document) {
        " Latencies are of service: from the issue of an I/O; and intended: from the instant at \
         which the fixed rate meant it to start, whether or not the disk was ready."
    } else {
        ""
    };
    format!(
        "{}: median of the trials, {interval}{trimmed}; {}.{latencies}",
        style.unit.name(),
        style.unit.definition()
    )
}

fn shortfall_lines(document: &RunDocument, style: &TableStyle) -> Vec<String> {
    let shortfalls = document
        .results_by_direction()
        .into_iter()
        .filter(|result| result.status != Status::NotReached)
        .flat_map(|result| {
            let row = row_name(result);
            shortfalls(result, &document.schedule)
                .into_iter()
                .map(move |why| (row.clone(), why))
        });
    shortfalls
        .flat_map(|(row, why)| style.wrapped(&format!("{}: ", style.text(&row)), &why))
        .collect()
}

fn finding_lines(document: &RunDocument, style: &TableStyle) -> Vec<String> {
    let groups: Vec<String> = grouped_findings(document)
        .iter()
        .map(|group| finding_group(group, style).join("\n"))
        .collect();
    // An empty line between findings, and none where there are no findings.
    groups.join("\n\n").lines().map(str::to_owned).collect()
}

fn finding_group(group: &FindingGroup<'_>, style: &TableStyle) -> Vec<String> {
    let mut lines = Vec::new();
    let mut label = group.label();
    for (symptom, rows) in &group.symptoms {
        lines.extend(style.wrapped(&style.label(label, 9), symptom));
        label = "";
        if !rows.is_empty() {
            lines.extend(style.wrapped(&under(style, "rows:"), &rows_text(rows)));
        }
    }
    for (name, text) in [("cause:", group.cause), ("remedy:", group.remedy)] {
        if !text.is_empty() {
            lines.extend(style.wrapped(&under(style, name), text));
        }
    }
    lines
}

/// The label of a line below that of a finding.
fn under(style: &TableStyle, label: &str) -> String {
    format!("{:9}{}", "", style.label(label, 9))
}

#[cfg(test)]
mod tests;
