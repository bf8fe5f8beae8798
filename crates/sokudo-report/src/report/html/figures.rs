//! The figures of a run as tables.

use std::fmt::Write;

use sokudo_model::Verdict;

use super::page::{Page, facts, lines, text};
use super::table::{Cell, Line, table};
use crate::document::RunDocument;
use crate::layout::{Align, Column};
use crate::{BandwidthUnit, TableStyle, explain, load_table, markdown, steady, surface};

/// The text of steady drives is laid out for so many columns.
const TEXT_COLUMNS: usize = 96;

pub(super) fn tables(page: &Page, run: &RunDocument) -> String {
    if run.is_explanation() {
        return conclusions(page, run);
    }
    let figures = if surface::is_scan(run) {
        scan(page, run)
    } else if let Some(steady) = &run.steady {
        let style = TableStyle {
            width: TEXT_COLUMNS,
            language: page.style.language,
            ..TableStyle::default()
        };
        let told = steady::lines(run, steady, &style);
        let told: Vec<String> = told.iter().map(|line| text(line)).collect();
        format!("<pre tabindex=\"0\">{}</pre>\n", told.join("\n"))
    } else {
        load(page, run) + &rows(page, run)
    };
    figures + &told(page, run)
}

/// A line per result.
fn rows(page: &Page, run: &RunDocument) -> String {
    let cells = markdown::cells(run);
    let results = run.results_by_direction();
    let is_number = |index: usize| cells.alignment[index] == "--:";
    let headings: Vec<_> = cells
        .headings
        .iter()
        .enumerate()
        .map(|(index, heading)| (page.say(heading), is_number(index)))
        .collect();
    let rates = || {
        results
            .iter()
            .filter_map(|result| result.bandwidth_bytes_per_s.as_ref())
    };
    let most = rates()
        .map(|rates| rates.median_mb_per_s)
        .fold(0.0, f64::max);
    let mut direction = None;
    let mut table_lines = Vec::new();
    for (result, line) in results.iter().zip(&cells.lines) {
        let turns = direction.is_some_and(|before| before != result.direction);
        direction = Some(result.direction);
        let last = line.len() - 1;
        let cell = |(index, said): (usize, &String)| match index {
            0 => Cell::text(said),
            1 => Cell::html(page.say(said), ""),
            2 => Cell {
                bar: result
                    .bandwidth_bytes_per_s
                    .as_ref()
                    .map(|rates| (rates.median_mb_per_s / most, "h-read")),
                ..Cell::html(text(said), "n strong")
            },
            index if index == last => {
                Cell::html(page.verdict_of(result.verdict, &page.words(said)), "")
            }
            index if is_number(index) => Cell::number(said),
            _ => Cell::text(said),
        };
        table_lines.push(Line {
            cells: line.iter().enumerate().map(cell).collect(),
            turns,
        });
    }
    let caption = page.say(match run.origin {
        Some(_) => {
            "MB/s is as the tool told it, the bar its share of the largest. A percentile without enough samples is missing (—)."
        }
        None => {
            "MB/s is the median of the trials, the bar its share of the largest. A percentile without enough samples is missing (—)."
        }
    });
    table(page, &caption, &headings, &table_lines)
}

fn scan(page: &Page, run: &RunDocument) -> String {
    let unit = BandwidthUnit::MegabytesPerSecond;
    let mut out = String::new();
    for section in surface::sections(run, unit) {
        out += &of_columns(page, &section.columns());
    }
    for note in surface::distance_notes(run) {
        let _ = writeln!(out, "<p>{}</p>", page.say(&note));
    }
    if let Some((title, ranges)) = surface::defects(run) {
        let _ = writeln!(out, "<p class=\"strong\">{}</p>\n<ul>", page.say(&title));
        for range in ranges {
            let _ = writeln!(out, "<li>{}</li>", page.say(&range));
        }
        out += "</ul>\n";
    }
    out + &format!(
        "<p class=\"lead\">{}</p>\n",
        page.say(&surface::legend(unit))
    )
}

fn of_columns(page: &Page, columns: &[Column]) -> String {
    let is_number = |column: &Column| column.align != Align::Left;
    let headings: Vec<_> = columns
        .iter()
        .map(|column| {
            let heading = format!("{} {}", page.say(column.group), page.say(&column.title));
            (heading.trim().to_owned(), is_number(column))
        })
        .collect();
    let count = columns.first().map_or(0, |column| column.cells.len());
    let cell = |column: &Column, row: usize| {
        let said = &column.cells[row];
        match verdict_of(said) {
            Some(verdict) => Cell::html(page.verdict_of(Some(verdict), &page.words(said)), ""),
            None if is_number(column) => Cell::number(said),
            None => Cell::html(page.say(said), ""),
        }
    };
    let line = |row: usize| Line::of(columns.iter().map(|column| cell(column, row)).collect());
    let table_lines: Vec<Line> = (0..count).map(line).collect();
    table(page, "", &headings, &table_lines)
}

/// The verdict that a cell begins with.
fn verdict_of(said: &str) -> Option<Verdict> {
    let verdicts = [Verdict::Verified, Verdict::Unverified, Verdict::Invalid];
    verdicts
        .into_iter()
        .find(|verdict| said.starts_with(verdict.name()))
}

fn load(page: &Page, run: &RunDocument) -> String {
    let Some(load) = &run.load else {
        return String::new();
    };
    let sentences = load_table::sentences(load).into_iter();
    let told: Vec<(String, String)> = sentences
        .map(|(label, sentence)| (page.say(label), page.say(&sentence)))
        .collect();
    facts(&told)
}

/// What the figures say of the device.
fn conclusions(page: &Page, run: &RunDocument) -> String {
    let headings = ["The figures are consistent with", "Confidence", "Seen"];
    let headings: Vec<_> = headings.iter().map(|it| (page.say(it), false)).collect();
    let line = |inference: &sokudo_model::Inference| {
        Line::of(vec![
            Cell::html(page.say(&inference.claim), "wrap"),
            Cell::html(page.say(inference.confidence.name()), ""),
            Cell::html(page.say(&inference.evidence), "wrap"),
        ])
    };
    let table_lines: Vec<Line> = run.inferences.iter().map(line).collect();
    match table_lines.is_empty() {
        true => format!("<p>{}</p>\n", page.say(explain::NOTHING)),
        false => table(page, "", &headings, &table_lines),
    }
}

/// The same below other figures, as far as it is sure.
fn told(page: &Page, run: &RunDocument) -> String {
    match explain::told(run) {
        Some(said) => format!("<p>{}</p>\n", lines(&page.words(&said))),
        None => String::new(),
    }
}
