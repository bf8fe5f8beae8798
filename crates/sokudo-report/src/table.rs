//! The table on the terminal: what was measured, the figures, what is thought of
//! them, and how to measure again.
//!
//! A narrow terminal gets fewer columns, never a broken table; the bandwidth and
//! the verdict are always there. Colour only repeats what a word says.

mod columns;
mod matrix;

pub(crate) use matrix::sign;

use crate::date;
use crate::document::{ResultDocument, RunDocument, Status};
use crate::explain;
use crate::facts::facts;
use crate::grouping::{FindingGroup, grouped_findings, row_name, rows_text};
use crate::layout::{table_lines, table_width};
use crate::load_table;
use crate::phase::Phase;
use crate::phase_table;
use crate::shortfall::shortfalls;
use crate::steady;
use crate::style::{TableStyle, coloured};
use crate::surface;
use unicode_width::UnicodeWidthStr;

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
    if document.is_explanation() {
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
