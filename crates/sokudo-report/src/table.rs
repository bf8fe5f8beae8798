//! The table on the terminal: what was measured, the figures, what is thought of
//! them, and how to measure again.
//!
//! A narrow terminal gets fewer columns, never a broken table; the bandwidth and
//! the verdict are always there. Colour only repeats what a word says.

use sokudo_model::Verdict;

use crate::document::{LatencyFigures, RateFigures, ResultDocument, RunDocument, Status};
use crate::facts::facts;
use crate::grouping::{FindingGroup, grouped_findings, row_name};
use crate::layout::{Align, Column, table_lines, table_width, wrapped};
use crate::phase::Phase;
use crate::shortfall::{shortfalls, verdict_cell};
use crate::{date, number, phase_table};

/// Lines of text longer than this are hard to read, however wide the terminal.
const TEXT_WIDTH_MAX: usize = 100;
/// Figures are left out in this order until the table fits.
const DROP_ORDER: [Figure; 7] = [
    Figure::P99_9,
    Figure::Range,
    Figure::Iops,
    Figure::P99,
    Figure::Best,
    Figure::P50,
    Figure::Spread,
];

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
}

impl Default for TableStyle {
    /// 80 columns, no colour, MB/s.
    fn default() -> Self {
        Self {
            width: 80,
            colour: false,
            ascii: false,
            unit: BandwidthUnit::MegabytesPerSecond,
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
}

impl BandwidthUnit {
    /// `MB/s` or `MiB/s`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MegabytesPerSecond => "MB/s",
            Self::MebibytesPerSecond => "MiB/s",
        }
    }

    pub(crate) const fn bytes(self) -> f64 {
        match self {
            Self::MegabytesPerSecond => 1e6,
            Self::MebibytesPerSecond => 1_048_576.0,
        }
    }

    const fn definition(self) -> &'static str {
        match self {
            Self::MegabytesPerSecond => "1 MB is 1,000,000 bytes",
            Self::MebibytesPerSecond => "1 MiB is 1,048,576 bytes",
        }
    }
}

/// The whole text, for a terminal or a file.
pub fn render(document: &RunDocument, style: &TableStyle) -> String {
    let blocks = [
        heading_lines(document, style),
        figure_lines(document, style),
        shortfall_lines(document, style),
        finding_lines(document, style),
        vec![format!("Repeat: {}", style.text(&document.command))],
    ];
    let blocks = blocks.into_iter().filter(|lines| !lines.is_empty());
    let blocks: Vec<String> = blocks.map(|lines| lines.join("\n")).collect();
    blocks.join("\n\n") + "\n"
}

impl TableStyle {
    /// Text that cannot harm a terminal and, if wished, has no sign of ours
    /// beyond ASCII. Names of devices and files are written by strangers and may
    /// hold escapes.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut safe = String::with_capacity(text.len());
        for sign in text.chars() {
            match (sign, self.ascii) {
                (sign, true) if sign.is_control() => safe.push('?'),
                (sign, false) if sign.is_control() => safe.push(char::REPLACEMENT_CHARACTER),
                ('±', true) => safe.push_str("+-"),
                ('µ', true) => safe.push('u'),
                ('–' | '—' | '─', true) => safe.push('-'),
                ('·', true) => safe.push('|'),
                ('×', true) => safe.push('x'),
                _ => safe.push(sign),
            }
        }
        safe
    }

    pub(crate) fn wrapped(&self, first: &str, text: &str) -> Vec<String> {
        wrapped(
            &self.text(first),
            &self.text(text),
            self.width.min(TEXT_WIDTH_MAX),
        )
    }

    pub(crate) const fn rule(&self) -> char {
        if self.ascii { '-' } else { '─' }
    }
}

fn heading_lines(document: &RunDocument, style: &TableStyle) -> Vec<String> {
    let title = format!(
        "sokudo {} · {} · {}",
        document.sokudo_version,
        document.method,
        date::for_people(&document.started_at)
    );
    let facts = facts(document);
    let label_width = facts.iter().map(|fact| fact.label.len()).max().unwrap_or(0);
    let mut lines = vec![style.text(&title), String::new()];
    for fact in &facts {
        lines.extend(style.wrapped(&format!("{:label_width$}  ", fact.label), &fact.value));
    }
    lines
}

/// A column that a narrow table can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    Best,
    Spread,
    Range,
    Iops,
    P50,
    P99,
    P99_9,
}

fn figure_lines(document: &RunDocument, style: &TableStyle) -> Vec<String> {
    if Phase::makes_up(document) {
        return phase_table::figure_lines(document, style);
    }
    let results = document.results_by_direction();
    let columns = fitting_columns(document, &results, style);
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
    lines.extend(style.wrapped("", &legend(&results, style)));
    lines
}

/// All columns that fit into the width, in the order in which they are shown.
fn fitting_columns(
    document: &RunDocument,
    results: &[&ResultDocument],
    style: &TableStyle,
) -> Vec<Column> {
    let is_crystal = document.schedule.name == "crystal";
    let mut dropped: Vec<Figure> = if is_crystal {
        vec![]
    } else {
        vec![Figure::Best]
    };
    let mut columns = columns(document, results, style, &dropped);
    for figure in DROP_ORDER {
        if table_width(&columns) <= style.width {
            break;
        }
        dropped.push(figure);
        columns = self::columns(document, results, style, &dropped);
    }
    columns
}

fn columns(
    document: &RunDocument,
    results: &[&ResultDocument],
    style: &TableStyle,
    dropped: &[Figure],
) -> Vec<Column> {
    type Cell<'a> = &'a dyn Fn(&ResultDocument) -> String;
    let column = |group, title: &str, align, cell: Cell<'_>| Column {
        group,
        title: style.text(title),
        align,
        cells: results
            .iter()
            .map(|result| style.text(&cell(result)))
            .collect(),
    };
    let (mb, unit) = (style.unit.name(), style.unit.bytes());
    let scaled = |value: f64| number::rate(value / unit);
    let figures = [
        (
            Figure::Best,
            column(mb, "best", Align::Point, &|r| {
                bandwidth(r, |b| scaled(b.max))
            }),
        ),
        (Figure::Spread, column(mb, "±95 %", Align::Right, &spread)),
        (
            Figure::Range,
            column(mb, "range", Align::Right, &|r| {
                bandwidth(r, |b| range(b, unit))
            }),
        ),
        (
            Figure::Iops,
            column("", "IOPS", Align::Point, &|r| {
                r.iops
                    .as_ref()
                    .map_or_else(missing, |iops| number::rate(iops.median))
            }),
        ),
        (
            Figure::P50,
            column("latency", "p50", Align::Right, &|r| latency(r, |l| l.p50)),
        ),
        (
            Figure::P99,
            column("latency", "p99", Align::Right, &|r| latency(r, |l| l.p99)),
        ),
        (
            Figure::P99_9,
            column("latency", "p99.9", Align::Right, &|r| {
                latency(r, |l| l.p99_9)
            }),
        ),
    ];
    let mut columns = vec![
        column("", "Row", Align::Left, &|r| r.name.clone()),
        column("", "", Align::Left, &|r| r.direction_label()),
        column(mb, "median", Align::Point, &|r| {
            bandwidth(r, |b| scaled(b.median))
        }),
    ];
    let kept = figures
        .into_iter()
        .filter(|(figure, _)| !dropped.contains(figure));
    columns.extend(kept.map(|(_, column)| column));
    columns.push(column("", "Verdict", Align::Left, &|r| {
        verdict_cell(r, document.schedule.trials)
    }));
    columns
}

fn missing() -> String {
    number::MISSING.to_owned()
}

fn bandwidth(result: &ResultDocument, show: impl Fn(&RateFigures) -> String) -> String {
    result
        .bandwidth_bytes_per_s
        .as_ref()
        .map_or_else(missing, |bandwidth| show(&bandwidth.bytes_per_s))
}

/// From the worst trial to the best; one trial has no range.
fn range(figures: &RateFigures, unit: f64) -> String {
    if figures.trials.len() < 2 {
        return missing();
    }
    number::rate_range(figures.min / unit, figures.max / unit)
}

fn spread(result: &ResultDocument) -> String {
    bandwidth(result, |bandwidth| {
        bandwidth
            .relative_spread()
            .map_or_else(missing, |spread| format!("±{}", number::percent(spread)))
    })
}

fn latency(result: &ResultDocument, pick: impl Fn(&LatencyFigures) -> Option<u64>) -> String {
    number::latency(result.latency_ns.as_ref().and_then(pick))
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

fn legend(results: &[&ResultDocument], style: &TableStyle) -> String {
    let has_interval = results
        .iter()
        .filter_map(|result| result.bandwidth_bytes_per_s.as_ref())
        .any(|bandwidth| bandwidth.bytes_per_s.interval_95.is_some());
    let interval = if has_interval {
        "± how far its 95 % interval reaches"
    } else {
        "no 95 % interval below 6 trials"
    };
    format!(
        "{}: median of the trials, {interval}; {}.",
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
            shortfalls(result, document.schedule.trials)
                .into_iter()
                .map(move |why| (row.clone(), why))
        });
    shortfalls
        .flat_map(|(row, why)| style.wrapped(&format!("{row}: "), &why))
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
        lines.extend(style.wrapped(&format!("{label:9}"), symptom));
        label = "";
        if !rows.is_empty() {
            lines.extend(style.wrapped(&format!("{:9}rows:    ", ""), &rows.join(", ")));
        }
    }
    for (name, text) in [("cause:", group.cause), ("remedy:", group.remedy)] {
        if !text.is_empty() {
            lines.extend(style.wrapped(&format!("{:9}{name:9}", ""), text));
        }
    }
    lines
}

#[cfg(test)]
mod tests;
